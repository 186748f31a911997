package Bench::Pairs;

# The pairs of protocols: messages, locations and expected results.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = qw(pairs locations mistake);

my %title = (aee => 'AEE', vcp => 'VCP', c2a => 'C2A',
             channel => 'agent-channel', moq => 'MoQ');

# messages: requests if the protocol has them; for VCP, messages that it can
# express
my %message = (aee => 'aee-task', vcp => 'vcp', c2a => 'c2a',
               channel => 'channel', moq => 'moq');
my %to_vcp = (aee => 'aee', c2a => 'c2a-escalation',
              channel => 'channel-diagnostic');

# status of a service's answer, and of a caller's
my %answered = (aee => 202, vcp => 200, c2a => 200, channel => 200,
                moq => 200);
my %told = (%answered, moq => 202);

# expected message of the service by sent message: its name, a member and its
# value
my %form = (
    'aee-task'           => { aee => [ task => type => 'task' ],
                              c2a => [ 'chat/deliver' =>
                                       method => 'chat/deliver' ],
                              channel => [ agent_query =>
                                           kind => 'agent_query' ],
                              moq => [ command =>
                                       action => 'ops.backup.run' ] },
    'aee'                => { vcp => [ escalation => type => 'escalation' ] },
    'vcp'                => { aee => [ event => type => 'event' ],
                              vcp => [ context_share =>
                                       type => 'context_share' ],
                              c2a => [ 'chat/deliver' =>
                                       method => 'chat/deliver' ],
                              channel => [ agent_advisory =>
                                           kind => 'agent_advisory' ] },
    'c2a'                => { aee => [ task => type => 'task' ],
                              c2a => [ 'chat/deliver' =>
                                       method => 'chat/deliver' ],
                              channel => [ agent_query =>
                                           kind => 'agent_query' ] },
    'c2a-escalation'     => { vcp => [ escalation => type => 'escalation' ] },
    'channel'            => { aee => [ task => type => 'task' ],
                              c2a => [ 'chat/deliver' =>
                                       method => 'chat/deliver' ],
                              channel => [ agent_query =>
                                           kind => 'agent_query' ] },
    'channel-diagnostic' => { vcp => [ escalation => type => 'escalation' ] },
    'moq'                => { aee => [ task => type => 'task' ] },
);

# name of the message in its own protocol
my %sent = ('aee-task' => 'task', 'aee' => 'task of a VCP escalation',
            'vcp' => 'context_share', 'c2a' => 'chat/deliver, must_respond',
            'c2a-escalation' => 'chat/deliver of a VCP escalation',
            'channel' => 'agent_query',
            'channel-diagnostic' => 'peer_diagnostic_request',
            'moq' => 'command');


# Returns { name, title, from, to, message, size, sent, got, path, bare_path,
# status, bare_status } of each pair, translations first.
sub pairs {
    my @all = qw(aee vcp c2a channel);

    my @ordered = map { my $from = $_;
                        map { [ $from, $_ ] } grep { $_ ne $from } @all } @all;

    return map { pair(@$_) } @ordered, [qw(moq aee)], [qw(aee moq)],
                             map { [ $_, $_ ] } @all;
}


sub pair {
    my ($from, $to) = @_;

    my $message = $to eq 'vcp' && $to_vcp{$from} || $message{$from};
    my $empty = $to eq 'aee' && $from eq 'vcp';
    my $arguments = $from eq 'moq' ? '?recipient=parent-1' : '';

    return {
        name => "$from-to-$to", from => $from, to => $to,
        title => $from eq $to ? "$title{$from}, passed on"
                              : "$title{$from} to $title{$to}",
        message => $message, size => 700,
        sent => $sent{$message}, got => $form{$message}{$to}[0],
        form => $form{$message}{$to},
        service => $empty ? 'aee-event' : $to,
        path => "/$from-to-$to$arguments",
        status => $told{$from}, bare_status => $answered{$to},
    };
}


# Returns the locations of all pairs, for Parley or for a bare proxy.
sub locations {
    my $parley = shift;

    return join "\n", map { location($_, $parley) } pairs();
}


sub location {
    my ($pair, $parley) = @_;

    return <<"END" if !$parley;
        location = /$pair->{name} {
            proxy_pass  http://service/any/$pair->{service};
        }
END

    my $context = "$pair->{from} $pair->{to}" =~ /vcp/
                ? 'parley_vcp_context       ctx|gateway;' : '';

    return <<"END";
        location = /$pair->{name} {
            parley_accept            $pair->{from};
            parley_speak             $pair->{to};
            parley_signature         off;
            $context
            parley_allow             scope=ops:run protocol=$pair->{from}
                                     type=** intent=**;
            parley_rate              1000000r/s burst=100000;
            parley_window            10m;
            proxy_pass               http://service/$pair->{to};
        }
END
}


# Returns the error in the service's message or in the caller's answer, or
# undef.
sub mistake {
    my ($pair, $got, $answer) = @_;

    my (undef, $member, $value) = @{$pair->{form}};
    my %version = (aee => [ v => '1' ], vcp => [ vcp_message => '1.2' ],
                   c2a => [ jsonrpc => '2.0' ],
                   channel => [ envelope_version => '1.0' ],
                   moq => [ action => 'ops.backup.run' ]);
    my ($name, $version) = @{$version{$pair->{to}}};

    return "the service got no $pair->{got}"
        if ($got->{$name} // '') ne $version
           || ($got->{$member} // '') ne $value;

    return told_no($pair->{from}, $answer)
           ? "the answer is not one of $title{$pair->{from}}" : undef;
}


sub told_no {
    my ($proto, $answer) = @_;

    return defined $answer if $proto eq 'moq';
    return 1 if !defined $answer;

    return !(
        $proto eq 'aee' ? $answer->{v} eq '1' && $answer->{type} eq 'stream'
                          && $answer->{payload}{status} eq 'accepted'
        : $proto eq 'vcp' ? $answer->{status} eq 'accepted'
                            && $answer->{message_id}
        : $proto eq 'c2a' ? $answer->{jsonrpc} eq '2.0'
                            && $answer->{result}{accepted}
        : $answer->{frame_id} && $answer->{delivered} == 1);
}


1;

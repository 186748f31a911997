# Several messages in one context (a file, a batch, a WebSocket, a stream,
# deliveries to one URL): each has its own names and verdict.  All names have
# the same length, so a message fits exactly in the memory of another.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port tmp_dir spew tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool;
use Parley::Upstream;
use Parley::Websocket;

my $dir = tmp_dir();
my @all = (1 .. 4);
my %stem = (aee => 'agent.ax', vcp => 'agent://ops.example/bx',
            c2a => 'agent:dx', handle => '~ex', instrument => '~cc-fx');

# no name can be derived from another one
sub name { my ($proto, $n) = @_; return "$stem{$proto}$n" }

my @principals = map {
    my $n = $_;
    { sub => "sub-$n", orgs => ['~acme'],
      map { ($_ => name($_, $n)) } keys %stem }
} @all;

my $file = spew("$dir/several.json", jcs({ principals => \@principals }));

# senders and recipients in several orders: in turn, twice, back and forth
my @pairs = map { [split //] } qw(12 13 14 13 12 21 31 41 23 24 43 34);


sub context {
    my ($from, $to) = @_;

    return vcp(sender => name('vcp', $from), recipient => name('vcp', $to),
               payload => { context => "ctx|$from-$to", constitution_ref =>
                                'creed://ops.example/builders@1.0' });
}


# Returns the parties of a message, by protocol.
sub parties {
    my ($proto, $m) = @_;

    my ($from, $to)
        = $proto eq 'aee' ? @$m{qw(from to)}
        : $proto eq 'vcp' ? @$m{qw(sender recipient)}
        : $proto eq 'channel' ? @$m{qw(sender_handle recipient_handle)}
        : ($m->{params}{author}{id} // $m->{params}{author},
           $m->{params}{target}{recipient});

    return join ' to ', map { /(\d)$/ ? $1 : $_ // 'none' } $from, $to;
}


my @protocols = qw(aee vcp c2a channel);
my @options = ('--identities', $file);

# Each message in each protocol, translated by a separate process.
my %made = (vcp => [map { jcs(context(@$_)) } @pairs]);

for my $proto (grep { $_ ne 'vcp' } @protocols) {
    $made{$proto} = [map { tool_ok({ in => $_ }, 'translate', @options, '--to',
                                   $proto) } @{ $made{vcp} }];
}


for my $from (@protocols) {
    my @lines = @{ $made{$from} };

    is_deeply([map { parties($from, from_json($_)) } @lines],
              [map { "$_->[0] to $_->[1]" } @pairs],
              "GW-03 each alone: $from has its names");

    for my $to (grep { $_ ne $from } @protocols) {
        my @wanted = map { tool_ok({ in => $_ }, 'translate', @options, '--to',
                                   $to) } @lines;
        my @files = map { spew("$dir/$from-$_.json", $lines[$_]) } 0 .. $#lines;

        is_deeply([split /\n/, tool_ok({ in => join '', map { "$_\n" } @lines },
                                       'translate', '-n', @options,
                                       '--to', $to)], \@wanted,
                  "GW-40 translate -n, $from to $to: each its own names");
        is_deeply([split /\n/, tool_ok('translate', @options, '--to', $to,
                                       @files)], \@wanted,
                  "GW-40 translate FILE..., $from to $to");
    }
}


# ---- explain -n: each message has its own verdict

my $conf = spew("$dir/explain.conf", <<"EOT");
events {}
http {
    parley_zone explained:1m;
    parley_identities $file;
    server {
        location /in {
            parley_accept vcp; parley_speak aee; parley_trusted on;
            parley_deny to=sub-3; parley_allow to=**;
            proxy_pass http://127.0.0.1:1;
        }
    }
}
EOT

my @explain = ('explain', '--json', '--conf', $conf, '--plain');

my (undef, $said) = tool({ in => join '', map { "$_\n" } @{ $made{vcp} } },
                         @explain, '-n');
my @verdicts = map { from_json($_) } split /\n/, $said;

is_deeply([map { $_->{ok} ? parties('aee', from_json($_->{sent}))
               : $_->{code} }
               @verdicts],
          [map { $_->[1] == 3 ? 'policy-refused' : "$_->[0] to $_->[1]" }
               @pairs],
          'GW-40 explain -n: each its own names and verdict');


# ---- one WebSocket, one stream, one URL

my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $vcp = 'parley_vcp_context ctx|several; '
        . 'parley_vcp_constitution creed://ops.example/builders@1.0;';

for my $n (@all) {
    my $p = $principals[$n - 1];

    $p->{deliver} = 'https://127.0.0.1:' . port(2) . "/$n";
    $p->{speaks} = $protocols[$n - 1];
}

my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
    identities => jcs({ principals => \@principals }),
    submit => 'vcp aee c2a channel',
    more => 'parley_retain count=1000 time=1h; '
          . 'parley_deliver /_deliver hosts=127.0.0.1:' . port(2) . ';',
    locations => deliver_location() . join '',
        map { my $with = $_ eq 'vcp' ? $vcp : ''; <<"EOT" } @protocols));
        location = /ws/$_ { parley_jwt on; parley_websocket $_; $with }
        location /stream/$_/ { parley_jwt on; parley_stream $_; $with }
EOT

# Returns the messages of a reader, by protocol: the parties, and the parties
# in the text.
sub came {
    my ($proto, @messages) = @_;

    return [map { $_ //= {};
                  my ($said) = jcs($_) =~ /ctx\|(\d-\d)/;
                  parties($proto, $_) . " in $said" } @messages];
}


# Sends one message for each pair over one WebSocket of the sender.
sub send_all {
    my ($proto, $n, @to) = @_;

    my $ws = websocket("sub-$n", uri => "/ws/$proto");

    for my $to (@to) {
        my $m = jcs(context($n, $to));

        $m = tool_ok({ in => $m }, 'translate', @options, '--to', $proto)
            if $proto ne 'vcp';

        $ws->text($m);
    }

    return $ws;
}


for my $proto (@protocols) {
    my @to = (2, 3, 4, 3, 2, 4, 4, 2, 3);
    my @all_readers = map { [$_->[0], $_->[1], websocket("sub-$_->[0]",
                                              uri => "/ws/$_->[1]"),
                             listen_to("sub-$_->[0]", uri =>
                                           "/stream/$_->[1]/")] }
                      map { my $n = $_; map { [$n, $_] } @protocols } 2 .. 4;
    my $sender = send_all($proto, 1, @to);

    for my $reader (@all_readers) {
        my ($n, $of, $ws, $stream) = @$reader;
        my $due = [map { "1 to $n in 1-$n" } grep { $_ == $n } @to];

        is_deeply(came($of, map { ($ws->message // {})->{json} } @$due), $due,
                  "GW-40 one WebSocket of $proto: $n reads $of by another");
        is_deeply(came($of, map { ($stream->event // {})->{json} } @$due), $due,
                  "GW-40 one WebSocket of $proto: $n reads $of by a stream");
        $ws->leave;
        $stream->leave;
    }
}

# readers without a connection get messages by URL, many at once
for my $n (1, 2) {
    $peer->clear;

    my @to = grep { $_ != $n } (2, 3, 4, 1, 3, 4, 2, 2, 1, 4, 3);
    my $sender = send_all('vcp', $n, @to);

    $peer->wait_for(scalar @to);

    for my $reader (grep { $_ != $n } @all) {
        my $due = [map { "$n to $reader in $n-$reader" }
                       grep { $_ == $reader } @to];

        is_deeply(came($protocols[$reader - 1], map { from_json($_->{body}) }
                           grep { $_->{uri} eq "/$reader" } $peer->requests),
                  $due, "GW-40 deliveries of $n: $reader gets its own");
    }
}

done_testing();

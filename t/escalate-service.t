# What a service says to an escalation.  What is no acknowledgment lets it go up
# all the same (VCP-24), and whoever is above acknowledges it; what is one is a
# message to the child (VCP 6.2).  Of alice bob is
# the parent, of bob carol: a family, and each case has one of its own.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Family;
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Together;
use Parley::Upstream;

my $go = tmp_dir() . '/go';

# it answers what the path says, below events/ in an event
my $service = Parley::Upstream->start(port(2), "my \$go = '$go';" . <<'EOT');
    my $m = $q->{json};
    my ($says) = $q->{uri} =~ m{/([a-z]+)$};
    my %answers = (
        error => failure($m),
        seen => ($m->{type} // '') eq 'task' ? result($m) : {
            status => 'accepted', message_id => $m->{message_id},
            reply => { %{ escalation(severity => 'critical',
                                     reason => 'ACK:' . ($m->{message_id} // '')
                                               . ' seen') },
                       sender => $m->{recipient},
                       recipient => $m->{sender} } },
        garbage => { what => 1 },
        taken => { status => 'accepted', message_id => $m->{message_id} },
        late => { %{ escalation(severity => 'critical',
                                reason => 'ACK:' . ($m->{message_id} // '')) },
                  sender => ($m->{sender} // '') =~ s/dave/bob/r,
                  recipient => $m->{sender} },
        deferred => { jsonrpc => '2.0', id => $m->{id}, result =>
                      { accepted => true(), disposition => 'deferred' } },
        unlike => { status => 'accepted', message_id => $m->{message_id},
                    reply => { %{ escalation(severity => 'warning',
                                   reason => "ACK:" . ($m->{message_id} // '')) },
                               sender => $m->{recipient},
                               recipient => $m->{sender} } });
    my $body = jcs($answers{$says});

    if ($q->{uri} =~ m{/events/}) {
        $c->events;

        if ($says eq 'late') {
            for (1 .. 400) { last if -e $go; $c->pause(0.03) }
        }

        $c->out("data: $body\n\n");

    } else {
        $c->answer(200, [], $body);
    }
EOT

# where it is sent, and what the child is told
my %cases = (
    '/service/aee/error'        => qr/"rejected".*"E_BROKEN"/,
    '/service/aee/garbage'      => qr/"rejected".*"upstream-invalid"/,
    '/service/vcp/garbage'      => qr/"rejected".*"upstream-invalid"/,
    '/service/vcp/unlike'       => qr/"rejected".*"upstream-invalid"/,
    '/service/events/aee/error' => qr/"rejected".*"E_BROKEN"/,
    '/service/c2a/deferred'     => qr/"deferred"/,
);
my @families = sort keys %cases;


sub http {
    return streams_http(
        identities => jcs({ principals =>
                                [map { family_principals($_) } 0 .. $#families] }),
        locations => <<'EOT' . join '', map { <<"EOT" } qw(aee vcp c2a));
        location = /in { parley_jwt on; parley_submit vcp; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|deliver;
                         parley_vcp_constitution creed://a/b@1; }
EOT
        location ~ ^/service(/events)?/$_/ {
            parley_jwt on;
            parley_accept vcp c2a;
            parley_speak $_;
            parley_vcp_context ctx|deliver;
            parley_vcp_constitution creed://a/b\@1;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());


# of C2A what carries one of VCP
sub carries {
    my $m = shift;

    return Parley::Matrix::deliver(
        author => { kind => 'agent', id => who('alice') },
        target => { recipient => who('agent:bob'), directedness => 'to_me' },
        content => [{ type => 'text', text => 'disk is full' },
                    { type => 'data',
                      mediaType => 'application/vnd.vcp+json',
                      form => 'escalation', data => $m->{payload},
                      reference => { id => $m->{message_id},
                                     type => 'vcp.message',
                                     hash => 'sha256:' . '0' x 64,
                                     locator => "parley:vcp:$m->{message_id}"
                                   } }]);
}


together(map {
    my $n = $_;
    my $uri = $families[$n];

    ("VCP-24 what a service says is no acknowledgment: $uri" => sub {
        family($n);

        my ($carol) = streams('carol');
        my $m = alarm_of('critical');
        my $answer = submit($uri =~ /c2a/ ? carries($m) : $m,
                            as => who('alice'), uri => $uri);

        like($answer->{body}, $cases{$uri}, 'the child is told so');
        $m = $carol->event(9)->{json};
        is($m->{recipient}, name('bob'), 'it goes up');
        taken(ack('carol', $m), 'and is acknowledged there');
    });
} 0 .. $#families);


# VCP 6.2: it is a message, and the response repeats it
together(map {
    my ($n, $uri) = @$_;

    ("VCP-24 VCP-25 what a service says acknowledges: $uri" => sub {
        family($n);

        my ($alice, $carol) = streams(qw(alice carol));
        my $m = alarm_of('critical');
        my $answer = submit($m, as => who('alice'), uri => $uri);
        my $ack = $answer->{json}{reply};

        like($ack->{payload}{reason}, qr/^ACK:$m->{message_id} /, 'it does');
        is_deeply([map { $_->{json} } $alice->event(3)], [$ack],
                  'the child has it as a message of its own');
        is(submit($m, as => who('alice'), uri => $uri)->{json}{status},
           'duplicate', 'once');
        is_deeply([ids($alice, 0.5)], [], 'there, too');
        is_deeply([ids($carol, 5)], [], 'and nothing goes up');
    });
} [0, '/service/aee/seen'], [1, '/service/vcp/seen'],
  [2, '/service/events/aee/seen'], [3, '/service/events/vcp/seen']);


# of a message to a group each answers once: who did so already is not told
# twice, and whoever asked, that it was taken
subtest 'SEC-08 VCP-25 what a service says late acknowledges nothing' => sub {
    family(0);
    $service->clear;

    my ($dave) = streams('dave');
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $m = alarm_of('critical', sender => name('dave'),
                     recipient => 'broadcast');
    my $asked = $client->begin('/service/events/vcp/late', jcs($m),
                               Authorization => bearer(who('dave')),
                               'Content-Type' => 'application/json');

    ok($service->wait_for(1), 'who is above all asks all');
    taken(ack('bob', $m, uri => '/service/vcp/taken'), 'one acknowledges it');
    spew($go, '');

    is($asked->answer->{json}{status}, 'accepted', 'it is answered');
    is_deeply([ids($dave, 1)], [], 'a second time is none');
    ok($nginx->wait_for(qr/reply-unmatched/), 'and is logged');
};

done_testing();

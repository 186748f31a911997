# What a service says to an escalation that is no acknowledgment: it goes up
# all the same (VCP-24), and whoever is above acknowledges it.  Of alice bob is
# the parent, of bob carol: a family, and each case has one of its own.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Together;
use Parley::Upstream;

my %above = (alice => 'bob', bob => 'carol');

# it answers what the path says, below /events in an event
my $service = Parley::Upstream->start(port(2), <<'EOT');
    my $m = $q->{json};
    my ($says) = $q->{uri} =~ m{/([a-z]+)$};
    my %answers = (
        error => failure($m),
        garbage => { what => 1 },
        deferred => { jsonrpc => '2.0', id => $m->{id}, result =>
                      { accepted => true(), disposition => 'deferred' } },
        unlike => { status => 'accepted', message_id => $m->{message_id},
                    reply => { %{ escalation(severity => 'warning',
                                   reason => "ACK:" . ($m->{message_id} // '')) },
                               sender => $m->{recipient},
                               recipient => $m->{sender} } });
    my $body = jcs($answers{$says});

    if ($q->{uri} =~ m{^/events}) {
        $c->events;
        $c->out("data: $body\n\n");

    } else {
        $c->answer(200, [], $body);
    }
EOT

# where it is sent, and what the child is told
my %cases = (
    '/aee/error'        => qr/"rejected".*"E_BROKEN"/,
    '/aee/garbage'      => qr/"rejected".*"upstream-invalid"/,
    '/vcp/garbage'      => qr/"rejected".*"upstream-invalid"/,
    '/vcp/unlike'       => qr/"rejected".*"upstream-invalid"/,
    '/events/aee/error' => qr/"rejected".*"E_BROKEN"/,
    '/c2a/deferred'     => qr/"deferred"/,
);
my @families = sort keys %cases;


sub principals {
    my $n = shift;

    return map { {
        sub => "$_$n", handle => "~$_$n", aee => "agent.$_$n",
        vcp => "agent://ops.example/$_$n", c2a => "agent:$_$n",
        instrument => "~cc-$_$n\@1.0",
        $above{$_} ? (parent => "$above{$_}$n") : (),
    } } qw(alice bob carol);
}

sub http {
    return streams_http(
        identities => jcs({ principals =>
                                [map { principals($_) } 0 .. $#families] }),
        locations => <<'EOT' . join '', map { <<"EOT" } qw(aee vcp c2a));
        location = /in { parley_jwt on; parley_submit vcp; }
        location /listen/ { parley_jwt on; parley_stream vcp;
                            parley_vcp_context ctx|deliver;
                            parley_vcp_constitution creed://a/b@1; }
EOT
        location ~ ^(/events)?/$_/ {
            parley_jwt on;
            parley_accept vcp c2a;
            parley_speak $_;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());


# of C2A what carries one of VCP
sub alarm_of {
    my ($n, $proto) = @_;

    my $m = { %{ escalation(severity => 'critical', requires_ack => true) },
              sender => "agent://ops.example/alice$n",
              recipient => "agent://ops.example/bob$n" };

    return $m if $proto ne 'c2a';

    return Parley::Matrix::deliver(
        author => { kind => 'agent', id => "alice$n" },
        target => { recipient => "agent:bob$n", directedness => 'to_me' },
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
        my $carol = listen_to("carol$n", uri => '/listen/');
        my $answer = submit(alarm_of($n, $uri =~ /c2a/ ? 'c2a' : 'vcp'),
                            as => "alice$n", uri => $uri);

        like($answer->{body}, $cases{$uri}, 'the child is told so');

        my $m = $carol->event(9)->{json};

        is($m->{recipient}, "agent://ops.example/bob$n", 'it goes up');

        my $ack = submit({ %{ escalation(severity => 'critical',
                                         reason => "ACK:$m->{message_id}") },
                           sender => "agent://ops.example/carol$n",
                           recipient => $m->{sender} },
                         as => "carol$n", uri => '/in');

        is($ack->{status}, 200, 'and is acknowledged there')
            or diag($ack->{body});
    });
} 0 .. $#families);

done_testing();

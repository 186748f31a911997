# Metrics of connections of MoQ: connections, agent sessions, objects, and the
# codes of closes.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Moq;
use Parley::Nginx;
use Parley::Status;

plan skip_all => moq_lacks() if moq_lacks();

my $nginx = Parley::Nginx->start(http => moq_http(
    locations => 'location /status { parley_status; }',
    more => 'parley_moq_limits connections=2;'));
my $status = Parley::Status->new(port => port(3));
my $moq = Parley::Moq->new;

sub opened { qq(parley_moq_sessions_total{event="$_[0]"}) }
sub closed { qq(parley_moq_closed_total{code="$_[0]"}) }
sub objects { qq(parley_moq_objects_total{direction="$_[0]"}) }

# Waits until a metric has a value.
sub becomes {
    my ($metric, $value, $why) = @_;

    my $until = time + 15;

    while ($status->metric($metric) != $value && time < $until) {
        sleep 0.05;
    }

    is($status->metric($metric), $value, $why);
}

subtest 'GW-13 a session is counted while it lives' => sub {
    my $c = $moq->connect('camera');

    ok($c->init, 'a session');
    becomes('parley_moq_connections', 1, 'connections');
    becomes('parley_moq_sessions', 1, 'sessions');
    becomes(opened('opened'), 1, 'opened');
    becomes(objects('in'), 1, 'session_init came');
    becomes(objects('out'), 1, 'session_ack went');

    $c->cmd({ action => 'session_bye', session_id => $c->{session_id} });
    becomes('parley_moq_sessions', 0, 'none after session_bye');
    becomes(opened('ended'), 1, 'ended');

    $c->close;
    becomes('parley_moq_connections', 0, 'no connection');
    becomes(closed('peer'), 1, 'closed by the peer');
};

subtest 'GW-13 what is refused is counted by its code' => sub {
    my $c = $moq->connect('camera#2', token => undef);

    ok($c->setup, 'SETUP');
    $c->init(token => 'none');
    becomes(opened('denied'), 1, 'a session that is denied');

    $c->octets("\x21\x00\x01\x00");
    is($c->closed, 'PROTOCOL_VIOLATION', 'a message of a server');
    becomes(closed('PROTOCOL_VIOLATION'), 1, 'the code of the close');
    becomes('parley_moq_sessions', 0, 'no session is left');
};

subtest 'GW-13 MOQ-17 a connection above the limit is counted' => sub {
    becomes('parley_moq_connections', 0, 'no connection is left');

    my $before = $status->metric(closed('INTERNAL_ERROR'));
    my @c = map { $moq->connect("camera#full$_") } 1 .. 2;

    ok($_->setup, 'SETUP') for @c;

    is($moq->connect('camera#full3')->closed, 'INTERNAL_ERROR', 'the third');
    becomes(closed('INTERNAL_ERROR'), $before + 1, 'is counted by its code');
    becomes('parley_moq_connections', 2, 'and is not one of the connections');
    ok($nginx->logged(qr/\[warn\] .*parley: MoQ connection refused: the worker /
                      . qr/has its maximum of 2 MoQ connections /
                      . qr/\("parley_moq_limits connections="\)/),
       'the log names the limit');
    $_->close for @c;
};

subtest 'GW-13 MOQ-17 requests above the limit are counted' => sub {
    my $refused = 'parley_moq_requests_refused_total';
    my $c = $moq->connect('camera#requests', token => undef);

    ok($c->init, 'a session');

    # a request that is not whole keeps its stream
    $c->do('open', kind => 'bidi', octets => "\x11", count => 16);
    ok($c->call({ action => 'ping' }), 'an answer follows');
    is($status->metric($refused), 0, 'sixteen are taken');

    $c->do('open', kind => 'bidi', octets => "\x11", count => 2);
    is(($c->event('reset') // {})->{code}, 1, 'the next one: CANCELLED');
    becomes($refused, 2, 'both are counted');
    is($nginx->logged(qr/\[info\] .*parley: MoQ request refused: the connection /
                      . qr/has its maximum of 16 request streams/), 1,
       'and the log has one line');

    $c->close;
};

$moq->stop;

done_testing();

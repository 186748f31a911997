# Lines of the audit log about agent sessions and opaque tracks of MoQ.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(slurp tmp_dir);
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Tool qw(tool);

plan skip_all => moq_lacks() if moq_lacks();

my $log = tmp_dir() . '/audit.jsonl';
my $nginx = Parley::Nginx->start(http => moq_http(
    more => "parley_audit $log;",
    rules => 'parley_allow type=subscribe to=agent.camera '
             . 'principal=viewer;'));
my $moq = Parley::Moq->new;
my $space = ['a2a', 'camera'];


# Waits for a line with these members; returns it, or undef.
sub line {
    my (%is) = @_;

    my $until = time + 15;

    while (time < $until) {
        for my $line (map { from_json($_) } grep { /^\{.*\}$/ }
                          split /\n/, slurp($log))
        {
            return $line if !grep { ($line->{$_} // '') ne $is{$_} } keys %is;
        }

        sleep 0.05;
    }

    diag(slurp($log));

    return {};
}


subtest 'OPS-06 an agent session' => sub {
    my $c = $moq->connect('camera');

    ok($c->init, 'a session');

    my $line = line(event => 'session', session => $c->{session_id},
                    outcome => 'opened');

    ok($line, 'it has a line');
    is($line->{principal}, 'camera', 'with its principal');
    is($line->{location}, '/moq', 'with the location');
    like($line->{remote}, qr/^(?:127\.0\.0\.1|::1)$/, 'with the address');

    my $verdict = line(event => 'verdict', location => '/moq',
                       principal => 'camera');

    is($verdict->{connection}, $line->{connection},
       'the verdict on its token names the same connection');

    $c->cmd({ action => 'session_bye', session_id => $c->{session_id} });
    is(line(event => 'session', session => $c->{session_id},
            outcome => 'ended')->{why},
       'session_bye', 'the end has its reason');

    ok($c->init, 'another session');
    my $session_id = $c->{session_id};
    $c->close;
    is(line(event => 'session', session => $session_id,
            outcome => 'ended')->{why},
       'the connection has ended', 'a connection that ends');
};


subtest 'OPS-06 a session that is refused' => sub {
    my $c = $moq->connect('camera#2', token => undef);

    $c->init(token => 'none', session_id => 'refused');
    is(line(event => 'session', session => 'refused',
            outcome => 'refused')->{why},
       'token-invalid', 'it has the code');

    my $twice = $moq->connect('camera#3');

    ok($twice->init(session_id => 'twice'), 'a session');
    $twice->cmd({ action => 'session_init', session_id => 'twice',
                  auth_token => moq_token('camera') },
                session_id => '00000000000000aa');
    is(line(event => 'session', session => 'twice',
            outcome => 'refused')->{why},
       'state-conflict', 'a session_id that is in use');
};


subtest 'OPS-06 an opaque track' => sub {
    my $camera = $moq->connect('camera#4');
    my $viewer = $moq->connect('viewer');
    my $planner = $moq->connect('planner');

    ok($_->init, 'a session') for $camera, $viewer, $planner;

    my %track = (track_namespace => $space,
                 track_name => 'camera.1.video');

    is($camera->ask('PUBLISH', %track,
                    track_alias => ++$camera->{alias})->{message},
       'PUBLISH_OK', 'a publisher');

    my %line = (event => 'track', track => 'camera.1.video');

    is(line(%line, role => 'publisher', outcome => 'opened')->{principal},
       'camera', 'its line');

    my $ok = $viewer->subscribe('camera.1.video', space => $space);

    is($ok->{message}, 'SUBSCRIBE_OK', 'a subscriber');
    is(line(%line, role => 'subscriber', outcome => 'opened')->{principal},
       'viewer', 'its line');

    is($planner->subscribe('camera.1.video', space => $space)->{error_code},
       1, 'a subscriber without a rule');
    is(line(%line, role => 'subscriber', outcome => 'refused')->{principal},
       'planner', 'its line');

    is($planner->ask('PUBLISH', %track,
                  track_alias => ++$planner->{alias})->{message},
       'REQUEST_ERROR', 'a publisher in another namespace');
    is(line(%line, role => 'publisher', outcome => 'refused')->{why},
       'sender-identity-mismatch', 'its line');

    $viewer->send('UNSUBSCRIBE', request_id => 0 + $ok->{request_id});
    is(line(%line, role => 'subscriber', outcome => 'ended')->{principal},
       'viewer', 'a subscriber that leaves') or $moq->show;

    $camera->close;
    is(line(%line, role => 'publisher', outcome => 'ended')->{principal},
       'camera', 'a publisher that leaves');
};

$moq->stop;
$nginx->stop;

my ($status, $out) = tool('audit', 'verify', $log);
is($status, 0, 'OPS-06 the chain holds') or diag($out);

done_testing();

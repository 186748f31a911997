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

# these have no name of which an agent id can be made
my $identities = from_json(moq_identities());

push @{ $identities->{principals} }, { sub => 'mute' },
    { sub => 'listed', vcp => 'agent://ops.example/listed' };

my $nginx = Parley::Nginx->start(http => moq_http(
    identities => jcs($identities),
    more => "parley_audit $log; "
            . 'limit_req_zone $server_name zone=sparse:1m rate=1r/m;',
    locations => <<'EOT',
        location = /moq/aged {
            parley_jwt on;
            parley_moq messages=/agents/moq age=1s;
        }
        location = /moq/sparse {
            limit_req zone=sparse;
            parley_jwt on;
            parley_moq messages=/agents/moq;
        }
        location = /moq/closed {
            deny all;
            parley_jwt on;
            parley_moq messages=/agents/moq;
        }
EOT
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
       'the agent closed the connection', 'a connection that ends');
};


# Returns the line of the end of a session.
sub end_of {
    my $c = shift;

    return line(event => 'session', session => $c->{session_id},
                outcome => 'ended')->{why};
}


subtest 'OPS-06 the reason of the end of a session' => sub {
    my $c = $moq->connect('camera#aged', path => '/moq/aged');

    ok($c->init, 'a session');
    is(end_of($c), 'the connection has reached its age', 'age=');

    $c = $moq->connect('camera#fault');
    ok($c->init, 'a session');
    $c->octets("\x21\x00\x01\x00");
    like(end_of($c), qr/^PROTOCOL_VIOLATION: ./, 'a fault of the agent');

    $c = $moq->connect('camera#silent', idle => 2);
    ok($c->init, 'a session');
    is(end_of($c), 'the agent sent nothing for too long', 'a silent agent');
};


subtest 'OPS-06 a session that is refused' => sub {
    my $c = $moq->connect('camera#2', token => undef);

    $c->init(token => 'none', session_id => 'refused');
    is(line(event => 'session', session => 'refused',
            outcome => 'refused')->{why},
       'token-invalid', 'it has the code');

    my $line = line(event => 'session', session => 'refused',
                    outcome => 'refused');

    is($line->{agent}, 'camera', 'and the agent of the track');
    ok(!exists $line->{principal}, 'no principal is proved');

    my $twice = $moq->connect('camera#3');

    ok($twice->init(session_id => 'twice'), 'a session');
    $twice->cmd({ action => 'session_init', session_id => 'twice',
                  auth_token => moq_token('camera') },
                session_id => '00000000000000aa');
    is(line(event => 'session', session => 'twice',
            outcome => 'refused')->{why},
       'state-conflict', 'a session_id that is in use');

    my $closed = $moq->connect('camera#r1', path => '/moq/closed',
                               token => undef);

    $closed->init(session_id => 'closed');
    is(line(event => 'session', session => 'closed',
            outcome => 'refused')->{why}, 'nginx', 'a refusal of nginx');
    $closed->close;
};


subtest 'OPS-06 a session with the token of another agent' => sub {
    my $c = $moq->connect('camera#r2', token => undef);

    $c->init(token => moq_token('viewer'), session_id => 'first');

    my $line = line(event => 'session', session => 'first',
                    outcome => 'refused');

    is($line->{why}, 'sender-identity-mismatch', 'the code');
    is($line->{principal}, 'viewer', 'the principal of the token');
    is($line->{agent}, 'camera', 'the agent of the track');
    $c->close;

    $c = $moq->connect('camera#r3');
    ok($c->init, 'a session');
    $c->cmd({ action => 'session_init', session_id => 'second',
              auth_token => moq_token('viewer') },
            session_id => '00000000000000ab');
    $line = line(event => 'session', session => 'second',
                 outcome => 'refused');
    is($line->{why}, 'sender-identity-mismatch', 'the code');
    is($line->{principal}, 'viewer', 'not the principal of the connection');
    $c->close;
};


subtest "MOQ-13 a principal without an agent id, $_" => sub {
    my $agent = $_;
    my $c = $moq->connect("camera#$agent", token => undef);
    my $ack = $c->init(token => moq_token($agent), session_id => $agent);

    is($ack->{json}{status}, 'denied', 'it is denied');
    is($ack->{json}{payload}{code}, 'identity-unmappable', 'the code');
    like($ack->{json}{payload}{message}, qr/has no agent id.* needs a handle/,
         'and the reason');
    is(line(event => 'session', session => $agent,
            outcome => 'refused')->{why},
       'identity-unmappable', 'also in the audit log');
    $c->close;
} for 'mute', 'listed';


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

    my $again = $moq->connect('camera#again');

    ok($again->init, 'another connection of the publisher');
    is($again->ask('PUBLISH', %track,
                   track_alias => ++$again->{alias})->{message},
       'PUBLISH_OK', 'has the track now');
    is(line(%line, role => 'publisher', outcome => 'ended')->{why},
       'another connection has the track', 'the reason of the end');
    $camera->close;
    $camera = $again;

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

    is(line(%line, role => 'publisher', outcome => 'ended',
            why => 'the agent closed the connection')->{principal},
       'camera', 'a publisher that leaves, with the reason');
};


subtest 'OPS-06 nginx refuses an opaque track' => sub {
    my $c = $moq->connect('camera#r4', path => '/moq/sparse');

    ok($c->init, 'a session');
    $c->ask('PUBLISH', track_namespace => $space,
            track_name => 'camera.1.audio', track_alias => ++$c->{alias});
    is(line(event => 'track', track => 'camera.1.audio',
            outcome => 'refused')->{why}, 'nginx', 'limit_req') or $moq->show;
    $c->close;
};


subtest 'OPS-06 a session at a reload' => sub {
    my $c = $moq->connect('camera#r5');

    ok($c->init, 'a session');
    ok($nginx->reload, 'reload');
    is(end_of($c), 'this worker is shutting down', 'the reason');
};

$moq->stop;
$nginx->stop;

my ($status, $out) = tool('audit', 'verify', $log);
is($status, 0, 'OPS-06 the chain holds') or diag($out);

done_testing();

# CMD over MoQ: each takes the steps of a POST, and its answer comes on the track
# of its session.  Fragments, heartbeats, the number of commands at a time, the
# first answer after a reconnect, malformed frames.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(time);

use Parley::Env qw(port tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Upstream;

plan skip_all => moq_lacks() if moq_lacks();

my $approved = <<'EOF_SCRIPT';
    $c->answer(200, [], jcs({ action => $q->{json}{action},
                              session_id => $q->{json}{session_id},
                              status => 'approved',
                              payload => { text => $q->{uri} } }));
EOF_SCRIPT

my $service = Parley::Upstream->start(port(2), $approved);
my $moq = Parley::Moq->new;
my $number = 0;

# each place of connections, and the location of its commands
my %place = (
    plain => '', deny => 'deny all;', rule => 'parley_deny type=zoom protocol=moq; '
            . 'parley_allow type=pan protocol=moq;',
    basic => 'auth_basic x; auth_basic_user_file /dev/null;',
    limit => 'limit_req zone=one burst=1 nodelay;',
    rate => 'parley_rate 6r/m burst=2;', small => '', other => '',
);

my $nginx = Parley::Nginx->start(workers => 2, http => moq_http(
    more => 'parley_replay size=1m; '
            . 'limit_req_zone $server_name zone=one:1m rate=1r/m;',
    locations => join '', map { <<"EOF_LOCATIONS" } sort keys %place));
        location = /$_ {
            parley_jwt on;
            parley_moq messages=/of/$_@{[$_ eq 'small' ? ' object=2k' : '']};
        }
        location = /of/$_ {
            parley_jwt on;
            parley_accept moq;
            $place{$_}
            proxy_set_header X-Session \$parley_moq_session;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOF_LOCATIONS


# Opens an agent session at a place.
sub agent {
    my ($name, $place, %o) = @_;

    my $c = $moq->connect("$name#" . ++$number, path => "/$place",
                          token => undef);

    $c->setup;
    $c->init(%o) or $moq->show;

    return $c;
}


sub status_of { my $answer = shift // return 'none';
                return $answer->{json}{status} // 'none' }


subtest 'MOQ-14 a CMD is a POST' => sub {
    my $c = agent('camera', 'plain', payload => { peer => 'viewer' });
    my $answer = $c->call({ action => 'zoom', payload => { x => 2 } });
    my $q = $service->last;

    is($q->{method}, 'POST', 'method');
    is_deeply($q->{json}, { action => 'zoom', payload => { x => 2 },
                            session_id => $c->{session_id} }, 'body');
    like($q->{headers}{'content-type'}, qr{^application/json}, 'type');
    like($q->{uri}, qr/\brecipient=viewer\b/, "the session's peer");
    unlike($q->{body}, qr/auth_token/, 'no token in the body');

    is(status_of($answer), 'approved', 'the answer') or return $moq->show;
    is($answer->{json}{session_id}, $c->{session_id}, 'its session_id');
    is($answer->{session_id}, $c->{id}, 'its Session ID');
    is($q->{headers}{'x-session'}, $c->{id}, '$parley_moq_session has it');

    my $text = { session_id => 'of-the-dialogue' };
    $answer = $c->call({ action => 'zoom', %$text });
    is($answer->{json}{session_id}, 'of-the-dialogue',
       'another session_id than that of the session');

    $service->script('$c->answer(202)');
    is(status_of($c->call({ action => 'later' })), 'accepted',
       '202 without a body');

    $service->script('$c->answer(500, [], q({"error":"x"}))');
    $answer = $c->call({ action => 'bad' });
    is(status_of($answer), 'error', 'an error of the service');
    $service->script($approved);
    $c->close;
};


subtest 'MOQ-14 MOQ-20 every step of the location' => sub {
    my %end = (deny => ['denied', 403], rule => ['denied', 403],
               basic => ['denied', 401]);

    for my $place (sort keys %end) {
        my $before = $service->count;
        my $c = agent('camera', $place);
        my $answer = $c->call({ action => 'zoom' });

        is_deeply([@{ ($answer // {})->{json} // {} }{qw(status error_code)}],
                  $end{$place}, $place) or $moq->show;
        is($service->count, $before, "$place: the service gets nothing");
        $c->close;
    }

    my $c = agent('camera', 'rule');
    is(status_of($c->call({ action => 'pan' })), 'approved',
       'a rule of another type');
    $c->close;

    $c = agent('camera', 'limit');
    my @status = map { status_of($c->call({ action => "n$_" })) } 1 .. 4;
    is_deeply([@status[0, 1]], ['approved', 'approved'], 'below limit_req');
    is_deeply([@status[2, 3]], ['error', 'error'], 'above limit_req');
    $c->close;
};


subtest 'MOQ-14 VCP-12 the rate of a principal' => sub {
    my $c = agent('camera', 'rate');
    my $before = $service->count;
    my @answers = map { $c->call({ action => "n$_" }) } 1 .. 5;
    my @status = map { status_of($_) } @answers;

    is_deeply([@status[0, 1, 2]], [('approved') x 3], 'the rate and its burst')
        or diag("@status");
    is_deeply([@status[3, 4]], [('error') x 2], 'above it');
    is($service->count, $before + 3, 'the service gets nothing of that');
    is($answers[4]{json}{error_code}, 429, 'error_code');
    is($answers[4]{json}{payload}{code}, 'rate-limited', 'code');
    cmp_ok($answers[4]{json}{payload}{backoff_ms} // 0, '>', 1000,
           'and the time to wait');

    my $viewer = agent('viewer', 'rate');

    is(status_of($viewer->call({ action => 'n1' })), 'approved',
       'another principal has its own');
    $_->close for $c, $viewer;
};


subtest 'MOQ-03 MOQ-09 fragments' => sub {
    my $c = agent('camera', 'plain');
    my $text = 'long ' x 2000;

    $service->script(<<'EOF_SCRIPT');
        $c->answer(200, [], jcs({ %{ $q->{json} }, status => 'approved' }));
EOF_SCRIPT

    my $answer = $c->call({ action => 'say', payload => { text => $text } });

    is($service->last->{json}{payload}{text}, $text, 'joined by the gateway');
    is(($answer // {})->{json}{payload}{text}, $text, 'and by the agent')
        or return $moq->show;
    is($answer->{frames}, 8, 'fragments of 1 400 octets');

    # each fragment on a stream of its own, in their order
    my $json = jcs({ action => 'say', session_id => 's',
                     payload => { text => 'y' x 2000 } });
    my @parts = $json =~ /(.{1,1000})/gs;

    $c->{stream_id}++;

    for my $i (0 .. $#parts) {
        $c->frame(type => 'CMD', stream_id => $c->{stream_id}, apart => 0,
                  payload => $parts[$i], flags => $i < $#parts ? 4 : 0);
    }

    $answer = $c->event('cmd', sub { $_[0]{stream_id} == $c->{stream_id} });
    is(($answer // {})->{json}{payload}{text}, 'y' x 2000,
       'fragments of any size');

    # two payloads whose fragments alternate
    my ($a, $b) = ($c->{stream_id} + 1, $c->{stream_id} + 2);
    my @jobs = map { jcs({ action => "mix$_", session_id => 's' }) } 1, 2;

    for my $half (0, 1) {
        for ([$a, $jobs[0]], [$b, $jobs[1]]) {
            my ($n, $octets) = @$_;

            $c->frame(type => 'CMD', stream_id => $n, apart => 0,
                      flags => $half ? 0 : 4,
                      payload => $half ? substr $octets, 10
                                       : substr $octets, 0, 10);
        }
    }

    is($c->event('cmd', sub { $_[0]{stream_id} == $a })->{json}{action},
       'mix1', 'the first of two that alternate');
    is($c->event('cmd', sub { $_[0]{stream_id} == $b })->{json}{action},
       'mix2', 'the second');
    $service->script($approved);
    $c->close;
};


subtest 'MOQ-04 heartbeats' => sub {
    my $c = agent('camera', 'plain');

    $c->frame(type => 'HEARTBEAT', stream_id => 7);

    my $beat = $c->event('object', sub {
        return $_[0]{frame} && $_[0]{frame}{type} eq 'HEARTBEAT';
    });

    ok($beat, 'is acknowledged') or return $moq->show;
    is($beat->{frame}{session_id}, $c->{id}, 'Session ID');
    is($beat->{frame}{stream_id}, 7, 'Stream ID');
    $c->close;
};


subtest 'MOQ-14 at most 16 at a time' => sub {
    my $dir = tmp_dir() . '/running';
    my $c = agent('camera', 'plain');

    mkdir $dir or die $!;
    $service->clear;
    $service->script(<<"EOF_SCRIPT");
        open my \$mark, '>', "$dir/\$\$-" . \$q->{json}{action};
        my \@now = glob "$dir/*";
        \$c->pause(0.3);
        my \@then = glob "$dir/*";
        unlink "$dir/\$\$-" . \$q->{json}{action};
        \$c->answer(200, [], jcs({ action => \$q->{json}{action},
            session_id => \$q->{json}{session_id}, status => 'approved',
            payload => { most => \@now > \@then ? \@now + 0
                                               : \@then + 0 } }));
EOF_SCRIPT

    my %sent = map { $c->cmd({ action => "n$_",
                               session_id => $c->{session_id} }) => $_ }
               1 .. 50;
    my ($most, $answered) = (0, 0);

    for (1 .. 50) {
        my $answer = $c->event('cmd') // last;

        $answered++ if delete $sent{$answer->{stream_id}};
        $most = $answer->{json}{payload}{most}
            if $answer->{json}{payload}{most} > $most;
    }

    is($answered, 50, 'each has its answer');
    cmp_ok($most, '<=', 16, 'at most 16 run');
    cmp_ok($most, '>', 4, 'and several');
    $service->script($approved);
    $c->close;
};


subtest 'MOQ-14 MOQ-17 the first answer after a reconnect' => sub {
    my %same = (session_id => 'dialogue-1', id => '00000000000000d1');
    my $c = agent('camera', 'plain', %same);
    my $cmd = { action => 'once', payload => { n => 1 } };

    $service->clear;
    $service->script('$c->pause(1.5);' . $approved);
    $c->cmd({ %$cmd, session_id => 'dialogue-1' }, stream_id => 77);
    ok($service->wait_for(1), 'the service has it');
    $c->do('drop');

    my $again = agent('camera', 'plain', %same);
    my $answer = $again->call($cmd, stream_id => 77);

    # while the first one runs the answer may be that it is in flight
    $answer = $again->call($cmd, stream_id => 77)
        if status_of($answer) ne 'approved' && sleep 2;

    is(status_of($answer), 'approved', 'the first answer');
    is($service->count, 1, 'of one request');

    $answer = $again->call($cmd, stream_id => 78);
    is($service->count, 2, 'another Stream ID is another command');
    $service->script($approved);
    $again->close;
};


subtest 'MOQ-01 MOQ-02 malformed frames' => sub {
    my $json = '{"action":"x","session_id":"s"}';
    my %bad = (
        magic => { magic => 0xA2A3 }, version => { version => 2 },
        'version 0' => { version => 0 }, type => { type => 9 },
        'type 0' => { type => 0 }, flags => { flags => 0x80 },
        'a longer length' => { length => 32 + 5 },
        'a shorter length' => { length => 3 },
        'a length of 2^32 - 1' => { length => 4294967295 },
        'compressed' => { flags => 1 }, 'encrypted' => { flags => 2 },
        'a heartbeat with a payload' => { type => 'HEARTBEAT' },
        'DATA on the track of commands' => { type => 'DATA' },
        'STREAM on the track of commands' => { type => 'STREAM' },
    );
    my $before = $service->count;

    for my $name (sort keys %bad) {
        my $c = agent('camera', 'plain');

        $c->frame(type => 'CMD', stream_id => 5, payload => $json,
                  %{ $bad{$name} });

        my $answer = $c->event('cmd');

        like(status_of($answer), qr/^(?:error|denied)$/, "$name: an error");
        is(status_of($c->call({ action => 'zoom' })), 'approved',
           "$name: the session goes on") or $moq->show;
        $before++;
        $c->close;
    }

    is($service->count, $before, 'none of them reached the service');

    for my $octets ('', "\xA2", "\xA2\xA2\x01\x01" . "\0" x 16) {
        my $c = agent('camera', 'plain');

        $c->do('stream', header => { track_alias => $c->{track}, group => 9 },
               objects => [{ payload => $octets }], fin => 1);

        my $n = length $octets;

        is(status_of($c->call({ action => 'zoom' })), 'approved',
           "an object of $n octets: the session goes on");
        $c->close;
    }

    for my $text ('{', 'null', '[]', '"x"', '{"action":1}', '{}') {
        my $c = agent('camera', 'plain');
        my $n = $c->cmd($text);
        my $answer = $c->event('cmd', sub { $_[0]{stream_id} == $n });

        is(status_of($answer), 'error', "a CMD of $text: an error")
            or $moq->show;
        $c->close;
    }

    my $c = agent('camera', 'plain');
    $c->frame(type => 'CMD', magic => $_) for 1 .. 3;
    is($c->closed // 'goes on', 'PROTOCOL_VIOLATION', 'three in a row');
};


subtest 'MOQ-03 an object above the limit' => sub {
    my $c = agent('camera', 'small');

    $c->do('stream', as => 'big', header => { track_alias => $c->{track},
                                              group => 9 },
           objects => [{ payload => 'x' x 4000 }]);
    ok($c->event('stop'), 'STOP_SENDING');
    is(status_of($c->call({ action => 'zoom' })), 'approved',
       'the session goes on');

    # fragments that are joined above the limit
    my $text = jcs({ action => 'zoom', payload => { text => 'x' x 4000 } });
    my $n = $c->cmd($text);
    my $answer = $c->event('cmd', sub { $_[0]{stream_id} == $n });
    is(status_of($answer), 'error', 'fragments above the limit');
    $c->close;
};


subtest 'MOQ-17 a reload' => sub {
    my $c = agent('camera', 'plain');

    ok($nginx->reload, 'reload');
    ok($c->message('GOAWAY'), 'GOAWAY') or $moq->show;
    is($c->closed // 'goes on', 'NO_ERROR', 'the connection ends');

    $c = agent('camera', 'plain');
    is(status_of($c->call({ action => 'zoom' })), 'approved',
       'a new connection');
    $c->close;
};


subtest 'the gateway goes on' => sub {
    unlike($nginx->error_log, qr/\[alert\]|\[emerg\]|exited on signal/,
           'no process ended');
    unlike($nginx->error_log, qr/eyJ/, 'no token in the log');
};


done_testing();

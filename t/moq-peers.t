# Peers that do not behave on MoQ: they die, do not read, come in numbers, change
# their address, or lose their worker.  No one of them harms another.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(is_sanitized port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Status;
use Parley::Upstream;

plan skip_all => moq_lacks() if moq_lacks();

my $service = Parley::Upstream->start(port(2), <<'EOF_SCRIPT');
    $c->answer(200, [], jcs({ action => $q->{json}{action},
                              session_id => $q->{json}{session_id},
                              status => 'approved',
                              payload => { of => $q->{json}{payload}{of} } }));
EOF_SCRIPT

my $dir = tmp_dir();

spew("$dir/quic.key", join '', map { chr int rand 256 } 1 .. 32);

my $nginx = Parley::Nginx->start(workers => 2,
    main => 'worker_shutdown_timeout 10s;', http => moq_http(
    zone => 'agents:32m share=50%',
    more => 'parley_retain count=1000 time=1h;',
    messages => '/service', server => "quic_host_key $dir/quic.key;",
    locations => <<'EOF_LOCATIONS'));
        location = /service {
            parley_jwt on;
            parley_accept moq;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location = /hub {
            parley_jwt on;
            parley_moq messages=/agents/moq lag=64k;
        }
EOF_LOCATIONS
my $moq = Parley::Moq->new;
my $number = 0;


sub agent {
    my ($name, %o) = @_;

    my $c = $moq->connect("$name#" . ++$number, token => undef, %o);

    $c->init or $moq->show;

    return $c;
}


sub works {
    my ($c, $name) = @_;

    my $answer = $c->call({ action => 'zoom', payload => { of => $name } });

    is(($answer // {})->{json}{payload}{of}, $name, $name) or $moq->show;
}


subtest 'MOQ-13 50 agents at once' => sub {
    my @agents = map { $moq->connect((qw(camera viewer planner))[$_ % 3]
                                     . '#' . ++$number, token => undef) }
                 1 .. 50;
    my ($acks, $right) = (0, 0);

    for my $c (@agents) {
        my $ack = $c->init // next;

        $acks++ if $ack->{json}{status} eq 'approved';
    }

    is($acks, 50, 'each has a session') or return $moq->show;

    # each sends, then each reads: an answer goes to its own agent alone
    my %sent = map { $_->name => $_->cmd({ action => 'zoom',
                                           session_id => $_->{session_id},
                                           payload => { of => $_->name } }) }
               @agents;

    for my $c (@agents) {
        my $answer = $c->event('cmd') // next;

        $right++ if $answer->{stream_id} == $sent{$c->name}
                    && $answer->{json}{payload}{of} eq $c->name
                    && $answer->{session_id} eq $c->{id};
    }

    is($right, 50, 'each has its own answer');
    is(scalar(grep { $_->{event} eq 'cmd' } $moq->sync), 0, 'and no other');
    $_->do('close') for @agents;
    $_->closed for @agents;
};


subtest 'MOQ-12 agents that die' => sub {
    my $c = agent('viewer');

    for my $n (1 .. 20) {
        my $dies = agent('camera');

        # in the middle of an object, of a control message, of a command
        $dies->do('stream', header => { track_alias => $dies->{track},
                                        group => 99 },
                  objects => [{ payload => 'part', length => 1000 }])
            if $n % 3 == 0;
        $dies->octets("\x03\x00\x40\x00") if $n % 3 == 1;
        $dies->cmd({ action => 'zoom', session_id => $dies->{session_id} })
            if $n % 3 == 2;
        $moq->sync;
        $dies->do('drop');
    }

    works($c, 'another agent works');
    works(my $again = agent('camera'), 'and the agent that comes back');
    $_->close for $c, $again;
};


subtest 'MOQ-12 agents that do not read' => sub {
    my $c = agent('camera', max_data => 4000, max_stream_data => 2000);
    my $viewer = agent('viewer');

    $c->do('withhold');
    $moq->sync;

    for my $n (1 .. 200) {
        $c->cmd({ action => 'zoom', session_id => $c->{session_id},
                  payload => { of => 'x' x 900 } });
    }

    works($viewer, "another agent works: $_") for 1 .. 5;

    $c->do('withhold', off => 1);

    my $answers = 0;

    for (1 .. 200) {
        $c->event('cmd') // last;
        $answers++;
    }

    is($answers, 200, 'each answer comes, when it reads')
        or diag($c->closed(0.1));
    $_->close for $c, $viewer;
};


# Returns the KB of memory of all workers that they share with no other process.
sub memory {
    my $sum = 0;

    for my $pid ($nginx->workers) {
        $sum += $1 if slurp("/proc/$pid/status") =~ /RssAnon:\s+(\d+)/;
    }

    return $sum;
}


subtest 'MOQ-16 MOQ-12 mailboxes that are not read take bounded memory' => sub {
    my @idle = map { agent('viewer', path => '/hub', max_data => 30000,
                           max_stream_data => 20000, idle => 60) } 1 .. 20;
    my $client = Parley::Client->new(port => port(3), tls => 0);
    my $planner = agent('planner', path => '/hub');

    for (@idle) {
        $_->subscribe($_->{mailbox}) or $moq->show;
        $_->do('withhold');
        $_->do('keepalive', every => 5);
    }

    $moq->sync;

    my $before = memory();

    # 2 MB for each of the 20
    for my $n (1 .. 700) {
        my $m = aee(from => 'agent.planner', to => 'agent.viewer',
                    payload => { text => "$n " . 'x' x 3000 });
        my $answer = $client->post('/agents/aee', jcs($m),
                                   Authorization => bearer('planner'));

        die "$answer->{status} $answer->{body}\n" if $answer->{status} > 299;
    }

    my $after = memory();

    # lag=64k, what nginx holds for a stream, and as much again
    cmp_ok($after - $before, '<', 20 * 256,
           "the workers have grown by @{[$after - $before]} KB")
        if !is_sanitized();

    my ($told, $most) = (0, 0);

    for (@idle) {
        $_->do('count');

        my $count = $_->event('count');

        $most = $count->{received}
            if $count && $count->{received} > $most;
        $_->do('withhold', off => 1);
    }

    for (@idle) {
        $told++ if $_->message('PUBLISH_DONE',
                               error_reason => 'the session has ended');
        $_->do('drop');
    }

    cmp_ok($most, '<=', 30000, "none got more than its credit ($most octets)");
    is($told, 20, 'the session of each ends, and it is told');
    $planner->close;
};


subtest 'MOQ-12 connections that come and go' => sub {
    my $viewer = agent('viewer');
    my $ends = 0;

    for my $round (1 .. 4) {
        my @many = map { $moq->connect('camera#' . ++$number) } 1 .. 50;

        $_->setup for @many;
        $_->do($round % 2 ? 'close' : 'drop') for @many;

        for (@many) {
            $ends++ if $round % 2 ? $_->closed : $_->event('gone');
        }
    }

    is($ends, 200, '200 connections');
    works($viewer, 'another agent works');
    $viewer->close;

    # no CLIENT_SETUP, no TLS, no QUIC
    $moq->do('udp', port => port(1), octets => $_)
        for '', 'x', "\xC0\x00\x00\x00\x01" . "\0" x 1195, "\xFF" x 1400,
            "\x40" . "\0" x 60;
    works(my $c = agent('camera'), 'after datagrams that are no QUIC');
    $c->close;
};


subtest 'MOQ-17 an agent that changes its address' => sub {
    my $c = agent('camera');

    works($c, 'at the first address');
    $c->do('rebind');

    my $answer = $c->call({ action => 'zoom', payload => { of => 'moved' } });

    # without quic_bpf another worker may get its packets; then it comes again
    if (!$answer) {
        $c->do('drop');
        $c = agent('camera');
        works($c, 'after another connection');
    } else {
        is($answer->{json}{payload}{of}, 'moved', 'at the second address');
    }

    $c->close;
};


subtest 'MOQ-17 a killed worker' => sub {
    my @agents = map { agent((qw(camera viewer planner))[$_ % 3]) } 1 .. 8;
    my @workers = $nginx->error_log =~ /start worker process (\d+)/g;
    my $started = $nginx->logged(qr/start worker process \d+/);

    kill 'KILL', $workers[0];
    ok($nginx->wait_for(qr/start worker process \d+/, $started + 1),
       'the master starts another');

    my ($reset, $works) = (0, 0);

    for my $c (@agents) {
        my $n = $c->cmd({ action => 'zoom',
                          session_id => $c->{session_id},
                          payload => { of => $c->name } });
        my $event = $moq->wait(sub {
            my $e = shift;

            return ($e->{on} // '') eq $c->name
                   && ($e->{event} eq 'stateless_reset'
                       || $e->{event} eq 'cmd' && $e->{stream_id} == $n);
        }, undef, $c->name);

        $reset++ if $event && $event->{event} eq 'stateless_reset';
        $works++ if $event && $event->{event} eq 'cmd';
    }

    is($reset + $works, 8, "each is reset ($reset) or goes on ($works)");

    works(my $c = agent('camera'), 'a new connection');
    $_->do('close') for @agents, $c;
};


# Connects the agent of a connection again.  A worker that leaves may take the
# connection, and close it.
sub again {
    my $agent = shift->name =~ s/#.*//r;
    my $again;

    for my $try (1 .. 10) {
        sleep 1 if $try > 1;
        $again = $moq->connect("$agent#" . ++$number, token => undef);
        last if $again->init;
    }

    return $again;
}


subtest 'MOQ-17 reloads under load' => sub {
    my ($sent, $answered) = (0, 0);

    for my $round (1 .. 3) {
        my @agents = map { agent($_) } qw(camera viewer planner);
        my %of;

        for my $c (@agents) {
            $of{$c->name} = [map { $c->cmd({ action => "n$_",
                                             session_id => $c->{session_id},
                                             payload => { of => $_ } }) }
                             1 .. 10];
            $sent += 10;
        }

        $nginx->reload if $round < 3;

        for my $c (@agents) {
            my %open = map { $_ => 1 } @{ $of{$c->name} };

            # those without an answer are sent again by a new connection
            while (%open) {
                my $answer = $c->event('cmd', undef, 5) // last;

                delete $open{$answer->{stream_id}} and $answered++;
            }

            if (%open) {
                $c->closed(10);

                my $again = again($c);

                for my $n (sort keys %open) {
                    for (1 .. 3) {
                        my $answer = $again->call({ action => "again$n" });

                        $answered++ if $answer;
                        last if $answer;
                        $again = again($c);
                    }
                }

                $again->do('close');
            } else {
                $c->do('close');
            }
        }
    }

    is($answered, $sent, 'each command has an answer');
};


subtest 'the gateway goes on' => sub {
    my $log = $nginx->error_log =~ s/^.*exited on signal 9.*\n//mgr;

    unlike($log, qr/\[emerg\]|exited on signal/, 'no other process ended');
    unlike($log =~ s/^.*\[alert\].*(?:open socket|aborting).*\n//mgr,
           qr/\[alert\]/, 'no alert');
};


# Starts another nginx, with a line of main and one of the servers.
sub restart {
    my ($main, $server) = @_;

    $nginx->stop;
    $nginx = eval { Parley::Nginx->start(workers => 2, main => $main,
        http => moq_http(messages => '/service', locations => <<'EOF_LOCATIONS',
        location = /service {
            parley_jwt on;
            parley_accept moq;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOF_LOCATIONS
        server => "quic_host_key $dir/quic.key; $server")) };

    return defined $nginx;
}


subtest 'MOQ-12 many new connections with quic_retry' => sub {
    ok(restart('', 'quic_retry on;'), 'quic_retry on');

    my $first = agent('viewer');
    my $status = Parley::Status->new(port => port(3));

    # INITIAL packets without a token, of clients that never answer
    $moq->do('udp', port => port(1), octets => "\xC3\x00\x00\x00\x01\x08"
             . pack('NN', $_, $_) . "\x00\x00\x44\x9E" . "\0" x 1180)
        for 1 .. 500;

    my ($works, $began) = (0, time);

    for (1 .. 5) {
        my @many = map { $moq->connect('camera#' . ++$number) } 1 .. 40;

        $works += grep { $_->setup } @many;
        $_->do('close') for @many;
    }

    is($works, 200, '200 clients connect');
    works($first, 'an agent that was there works');
    works(my $c = agent('camera'), 'and a new one');
    is($status->metric('parley_moq_connections'), 2,
       'the others have no connection');
    $_->close for $first, $c;
};


subtest 'MOQ-17 quic_bpf' => sub {
    my ($code, $said) = Parley::Nginx->check(workers => 2,
        main => 'quic_bpf on;', http => moq_http());

    plan skip_all => 'this nginx has no quic_bpf'
        if $said =~ /unknown directive "quic_bpf"/;

    is($code, 0, 'nginx -t with quic_bpf on') or diag($said);

    SKIP: {
        skip 'this kernel allows no bpf', 1
            if !restart('quic_bpf on;', 'quic_active_connection_id_limit 8;');

        my @agents = map { agent('camera') } 1 .. 8;

        $_->do('rebind') for @agents;

        my $works = grep { $_->call({ action => 'zoom',
                                      payload => { of => 'moved' } }) }
                    @agents;

        is($works, 8, 'agents that change their address go on');
        $nginx->reload;
        is_deeply([map { $_->message('GOAWAY') ? $_->closed : 'no GOAWAY' }
                       @agents], [('NO_ERROR') x 8], 'a reload ends each');
        works(my $c = agent('camera'), 'a new connection');
        $c->close;
    }
};


$moq->stop;
done_testing();

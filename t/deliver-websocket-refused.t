# VCP-32: peers with a wss URL that are not connected, or not any longer, and
# messages that they or the gateway refuse.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Dns;
use Parley::Env qw(port spew tls tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Peer;
use Parley::Status;
use Parley::Streams;

plan skip_all => 'no python3-websockets' if !has_peer();

my $dir = tmp_dir();
my $nginx;
my $status = Parley::Status->new(port => port(1));


sub revoke {
    spew("$dir/revocations.new",
         jcs({ principals => [@_], kids => [], tokens => [] }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}

sub http {
    return peer_http(more => "parley_revocations $dir/revocations.json;", @_);
}

sub run {
    $nginx->stop if $nginx;
    $nginx = Parley::Nginx->start(workers => 2, http => http(@_));
}

sub peers { return $status->metric(qq(parley_peers{state="$_[0]"})) }

sub connections {
    return $status->metric(qq(parley_peer_connections_total{result="$_[0]"}));
}

sub refused_by_peer { return $status->metric('parley_peer_refused_total') }

sub state_is {
    my $state = shift;

    return wait_for(sub { peers($state) == 1 });
}

sub none_left {
    return wait_for(sub {
        !grep { peers($_) } qw(waiting connecting open)
    });
}

sub share {
    return submit(vcp(recipient => 'agent://ops.example/bob', @_),
                  as => 'alice', uri => '/vcp/in');
}


revoke();


subtest 'VCP-32 a message that the peer refuses is counted and not sent again'
        => sub {
    start_peer();
    run();

    ok(state_is('open'), 'open');
    is(connections('opened'), 1, 'the connection is counted');
    is(connections('failed'), 0);

    order_peer(answers => 'rejected');
    is(share()->{status}, 200, 'accepted');
    ok(wait_for(sub { refused_by_peer() == 1 }), 'the refusal is counted');
    ok($nginx->wait_for(qr/peer "bob" refused a message of its WebSocket, code "policy-refused"/),
       'and logged');

    order_peer(answers => 'busy');
    share();
    ok(wait_for(sub { refused_by_peer() == 2 }), 'so is busy');

    order_peer(answers => 'accepted');
    share();
    ok(wait_for(sub { (grep { $_->{sender} =~ /alice/ } texts_of()) == 3 }),
       'the third comes');
    is(refused_by_peer(), 2, 'accepted is not a refusal');
    is(scalar(grep { $_->{status} } texts_of()), 0, 'no receipt is answered');
    is(scalar(came('open')), 1, 'the connection stays');
};


subtest 'OPS-07 many refusals of a peer have few lines' => sub {
    my $n = 200;
    my @lines = (qr/peer "bob" refused a message/,
                 qr/\d+ more messages refused by peers within a second/);

    sleep 1.1;                      # another second of the log
    order_peer(send => [map { jcs({ status => 'rejected', code => 'busy',
                                    message_id => "x$_" }) } 1 .. $n]);
    run();

    ok(wait_for(sub { refused_by_peer() >= $n }), 'each is counted');
    ok($nginx->wait_for($lines[1]), 'they are summed up');

    my $more = () = $nginx->error_log =~ /$lines[0]/g;

    cmp_ok($more, '<', 100, 'few lines');
    order_peer(answers => 'accepted');
};


subtest 'VCP-32 the location refuses a message of the peer' => sub {
    my $message = vcp(sender => 'agent://ops.example/bob',
                      recipient => 'agent://ops.example/alice');

    forget_peer();
    order_peer(send => [jcs($message)]);
    run(rules => 'parley_deny type=context_share; parley_allow type=*;');

    ok(wait_for(sub { grep { $_->{status} } texts_of() }), 'answered');

    my ($answer) = grep { $_->{status} } texts_of();

    is($answer->{status}, 'rejected');
    is($answer->{code}, 'policy-refused');
    is($answer->{message_id}, $message->{message_id});
    is($status->refused('policy-refused'), 1, 'the refusal is counted');
    is(peers('open'), 1, 'the connection stays');
    is(refused_by_peer(), 0, 'the peer has refused nothing');

    order_peer();
};


subtest 'VCP-32 the location refuses the connection' => sub {
    forget_peer();
    run(rules => 'deny all;');

    ok($nginx->wait_for(qr/peer "bob" not connected: the location of "websocket=" refused it/),
       'logged');
    ok(wait_for(sub { connections('failed') >= 1 }), 'counted');
    is(connections('opened'), 0, 'never open');
    is(scalar(came('text')), 0, 'nothing is sent');
};


subtest 'VCP-32 a revoked peer is disconnected, and not connected' => sub {
    forget_peer();
    run();
    ok(state_is('open'), 'open');

    revoke('bob');
    ok(wait_for(sub { came('close') }), 'the connection ends');
    ok($nginx->wait_for(qr/peer "bob" not connected: it is revoked/), 'logged');
    ok(state_is('waiting'), 'it waits');
    ok(wait_for(sub { connections('failed') >= 1 }), 'a failure is counted');
    is(connections('opened'), 1);

    my $n = came('text');
    my $answer = share();

    revoke();
    ok(state_is('open'), 'open when the revocation is taken back');
    is(connections('opened'), 2);
    ok(came('text') > $n, 'greeted');
    cmp_ok($answer->{status}, '<', 500, 'a message in between has an answer');
};


subtest 'VCP-32 a reload removes the peer, and adds it again' => sub {
    ok(state_is('open'), 'open');

    forget_peer();
    $nginx->reload(workers => 2, http => http(bob => { deliver => undef }));

    ok(wait_for(sub { came('close') }), 'the connection ends');
    is((came('close'))[0]{close}[0], 1001, 'with 1001');
    ok(none_left(), 'no worker has the peer');

    $nginx->reload(workers => 2,
                   http => http(bob => { deliver => undef }));
    ok(none_left(), 'nor after another reload');
    is(scalar(came('open')), 0, 'nobody connects');

    $nginx->reload(workers => 2, http => http());
    ok(state_is('open'), 'open again');
    is(scalar(came('open')), 1, 'once');
};


{
    my $dns = Parley::Dns->start(port(6), 'private.test' => '127.0.0.1');
    my $resolver = 'resolver 127.0.0.1:' . port(6) . ' ipv6=off;'
                   . ' resolver_timeout 2s;';

    for my $row (['none.test', qr/its host cannot be resolved/],
                 ['private.test',
                  qr/its host has an address of the gateway's network, which "hosts=" does not list/])
    {
        my ($host, $log) = @$row;
        my $place = "$host:" . port(2);

        subtest "VCP-32 the host $host is not connected" => sub {
            forget_peer();
            run(url => "wss://$place/vcp/ws", hosts => $place,
                deliver => $resolver);

            ok($nginx->wait_for(qr/peer "bob" not connected: $log/), 'logged')
                or diag $nginx->error_log;
            ok(wait_for(sub { connections('failed') >= 1 }), 'counted');
            is(connections('opened'), 0);
            is(scalar(came('open')), 0, 'nobody connects');
            is(share()->{status}, 200, 'messages wait for it');
        };
    }

    subtest 'VCP-32 a private address that hosts= lists is connected' => sub {
        my $place = 'private.test:' . port(2);

        forget_peer();
        run(url => "wss://$place/vcp/ws",
            hosts => "$place,127.0.0.1:" . port(2), deliver => $resolver);
        ok(state_is('open'), 'open');
    };
}


subtest 'VCP-32 there is no room for the job of a peer' => sub {
    my %many = map {
        ("peer$_" => { deliver => 'wss://127.0.0.1:' . port(9) . '/' })
    } 1 .. 1000;

    run(zone => 'streams:128k', of => \%many,
        hosts => '127.0.0.1:' . port(2) . ',127.0.0.1:' . port(9));

    ok($nginx->wait_for(qr/peer "\w+" not connected: the zone has no room for its job/),
       'logged') or diag substr $nginx->error_log, 0, 3000;

    my ($peer) = $nginx->error_log
                 =~ /peer "(\w+)" not connected: the zone has no room/;

    is($nginx->logged(qr/peer "$peer" not connected: the zone/) <= 2, 1,
       'once by each worker');
};


# Two gateways, each the other's peer.  The second has the ports 11, 14 and 15.

sub gateway {
    my ($other, $name, $as, %o) = @_;

    my $url = 'wss://127.0.0.1:' . port($other) . '/vcp/ws';
    my $text = peer_http(
        url => $url, hosts => '127.0.0.1:' . port($other),
        pass => 'proxy_set_header Upgrade $http_upgrade;'
                . ' proxy_set_header Connection $http_connection;'
                . " proxy_set_header Authorization '" . bearer($as) . "';",
        rules => "parley_trusted on; $o{rules}",
        bob => { deliver => $name eq 'bob' ? $url : undef },
        of => { carol => { deliver => $name eq 'carol' ? $url : undef } });

    my %port = $o{second} ? (1 => 11, 4 => 14, 5 => 15) : ();

    $text =~ s/%PORT_(\d+)%/'%PORT_' . ($port{$1} \/\/ $1) . '%'/eg;

    return $text;
}

# Waits until two gateways have counted all messages.
sub quiet {
    my @statuses = @_;
    my $last = '';

    return wait_for(sub {
        sleep 0.5;

        my $now = join "\n", map {
            my $m = $_->metrics;
            map { "$_ $m->{$_}" } sort grep {
                /^parley_(?:messages|refusals|peer_refused)_total/
            } keys %$m;
        } @statuses;

        return $now eq $last || (($last = $now), 0)[1];
    }, 60);
}


for my $row (['refuse names', ''],
             ['have no quota left', 'parley_rate 1r/h burst=6;'])
{
    my ($what, $rules) = @$row;

    subtest "VCP-32 two gateways that $what do not answer answers" => sub {
        stop_peer();
        $nginx->stop;

        my $second_status = Parley::Status->new(port => port(11));

        $nginx = Parley::Nginx->start(
            workers => 1, http => gateway(14, 'bob', 'carol', rules => $rules));
        my $second = Parley::Nginx->start(
            workers => 1, http => gateway(4, 'carol', 'bob', rules => $rules,
                                          second => 1));

        for ($status, $second_status) {
            my $s = $_;

            ok(wait_for(sub {
                $s->metric('parley_peers{state="open"}') == 1
            }), 'connected') or diag $nginx->error_log, $second->error_log;
        }

        for (1 .. 8) {
            is(share()->{status}, 200, 'the first gateway delivers');

            my $m = vcp(sender => 'agent://ops.example/dave',
                        recipient => 'agent://ops.example/carol');

            is(submit($m, as => 'dave', uri => '/vcp/in',
                      port => port(11))->{status}, 200, 'so does the second');
        }

        # the greeting has the gateway's name, the others that of the sender

        ok(wait_for(sub {
            refused_by_peer() >= 8
            && $second_status->metric('parley_peer_refused_total') >= 8
        }), 'each refuses the messages of the other');
        ok(quiet($status, $second_status), 'and then they are silent');

        cmp_ok(refused_by_peer(), '<=', 9, 'no refusal is refused');
        cmp_ok($second_status->metric('parley_peer_refused_total'), '<=', 9);

        for ($status, $second_status) {
            is($_->metric('parley_peers{state="open"}'), 1, 'still connected');
        }

        $second->stop;
    };
}

done_testing();

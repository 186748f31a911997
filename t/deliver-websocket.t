# VCP-32: WebSockets that the gateway opens to peers, by Python's "websockets".

use strict;
use warnings;

use lib 't/lib';

use List::Util qw(max);
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port slurp tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Peer;
use Parley::Status;
use Parley::Streams;

plan skip_all => 'no python3-websockets' if !has_peer();


# Returns the ids of the messages without the greetings.
sub ids {
    return map { $_->{message_id} }
           grep { $_->{sender} =~ m{^agent://ops} } texts_of();
}

sub say {
    my ($m, %o) = @_;

    return submit($m, as => 'alice', uri => '/vcp/in', %o);
}

sub share { return vcp(recipient => 'agent://ops.example/bob', @_) }


start_peer();

my $nginx = Parley::Nginx->start(workers => 2, http => peer_http());
my $status = Parley::Status->new(port => port(1));

sub state_is {
    my ($state, $seconds) = @_;

    return wait_for(sub {
        $status->metric(qq(parley_peers{state="$state"})) == 1
    }, $seconds);
}

sub delivered {
    return $status->metric('parley_jobs_ended_total{how="delivered"}');
}


subtest 'VCP-32 the gateway connects once and sends context_share' => sub {
    ok(state_is('open'), 'it is open');
    ok(wait_for(sub { texts_of() }), 'it is greeted');

    my ($open) = came('open');
    my ($greeting) = texts_of();

    is($open->{path}, '/vcp/ws');
    is($open->{headers}{'Sec-WebSocket-Extensions'}, undef, 'no extension');
    is($greeting->{type}, 'context_share');
    is($greeting->{recipient}, 'agent://ops.example/bob');
    is($greeting->{payload}{context}, 'ctx|gateway');
    like($greeting->{signature}, qr/^base64:/, 'signed');

    sleep 1.5;
    is(scalar(came('open')), 1, 'one connection of two workers');
};


subtest 'VCP-32 messages are delivered in order and confirmed' => sub {
    my $before = delivered();
    my @sent = map { share() } 1 .. 50;

    is(from_json(say($_)->{body})->{status}, 'accepted') for @sent;

    ok(wait_for(sub { ids() >= 50 }), 'they came');
    is_deeply([ids()], [map { $_->{message_id} } @sent], 'in order, once');
    ok(wait_for(sub { delivered() - $before == 50 }), 'confirmed')
        or diag delivered() - $before;
};


subtest 'VCP-32 a message of another protocol is translated' => sub {
    my $m = aee(type => 'event', from => 'agent.alice', to => 'agent.bob',
                intent => 'vcp.context_share',
                payload => { context => 'x', constitution_ref => 'creed://a/b@1' });

    my $answer = say($m);
    is($answer->{status}, 202, 'accepted') or diag $answer->{raw};

    ok(wait_for(sub {
        grep { ($_->{payload}{context} // '') eq 'x' } texts_of()
    }), 'it came');
};


subtest 'VCP-32 messages of the peer take the steps' => sub {
    my $own = vcp(sender => 'agent://ops.example/bob',
                  recipient => 'agent://ops.example/alice');
    my $other = vcp(sender => 'agent://ops.example/carol',
                    recipient => 'agent://ops.example/alice');

    order_peer(send => [jcs($own), jcs($other), '{"x":1}',
                        '{"status":"rejected","code":"busy"}']);
    forget_peer();
    $nginx->reload;

    ok(wait_for(sub { 3 <= grep { $_->{status} } texts_of() }), 'answered')
        or diag slurp(tmp_dir() . '/events');

    my @answers = grep { $_->{status} } texts_of();

    is($answers[0]{status}, 'accepted');
    is($answers[0]{message_id}, $own->{message_id});
    is($answers[1]{status}, 'rejected', "another's name");
    is($answers[1]{code}, 'sender-identity-mismatch');
    is($answers[2]{status}, 'rejected', 'not a message');

    ok($nginx->wait_for(qr/peer "bob" refused a message of its WebSocket/),
       'a refusal of the peer is logged and not answered');

    my ($close) = grep { $_->{close}[0] == 1001 } came('close');

    ok($close, 'the old worker closed with 1001') or diag slurp(tmp_dir() . '/events');
};


for my $row (['a binary message', { binary => 1 }, 1003],
             ['a huge message', { huge => 1_200_000 }, 1009])
{
    my ($what, $do, $code) = @$row;

    subtest "VCP-32 $what closes the connection" => sub {
        order_peer(%$do);
        forget_peer();
        $nginx->reload;

        ok(wait_for(sub {
            grep { ($_->{close}[0] // 0) == $code } came('close')
        }), "closed with $code") or diag slurp(tmp_dir() . '/events');

        order_peer();
        ok(state_is('open'), 'it connects again');
    };
}


subtest 'VCP-32 what a lost connection did not confirm is sent again' => sub {
    my $before = delivered();

    order_peer(drop => 3);
    stop_peer();
    start_peer(drop => 3);
    ok(state_is('open'), 'open');

    my @sent = map { share() } 1 .. 3;

    say($_) for @sent;

    ok(wait_for(sub { came('open') >= 2 }), 'it connects again')
        or diag slurp(tmp_dir() . '/events');
    is(delivered() - $before, 0, 'nothing is confirmed');

    order_peer();

    ok(wait_for(sub { delivered() - $before == 3 }, 60), 'confirmed at last')
        or diag delivered() - $before;

    my @ids = map { $_->{message_id} } @sent;
    my @last = (ids())[-3 .. -1];

    is_deeply(\@last, \@ids, 'all again, in order');
    cmp_ok($status->metric('parley_peer_resent_total'), '>=', 1, 'counted');
    ok($nginx->logged(qr/messages sent again: peer "bob"/), 'logged');
};


# Returns the workers with a connection to the peer.
sub owners {
    my $hex = sprintf '%04X', port(2);
    my @inodes = map { (split)[9] }
                 grep { /^\s*\d+: \S+ \S+:$hex 01 / }
                 split /\n/, slurp('/proc/net/tcp');
    my $pid = $nginx->pid;

    return grep {
        my @to = map { readlink($_) // '' } glob "/proc/$_/fd/*";
        grep { my $inode = $_; grep { $_ eq "socket:[$inode]" } @to } @inodes;
    } split ' ', slurp("/proc/$pid/task/$pid/children");
}


subtest 'VCP-32 a killed worker: another one connects' => sub {
    ok(state_is('open'), 'open');

    my $n = came('open');
    my @owners = owners();

    is(scalar @owners, 1, 'one worker has the connection');
    kill 'KILL', @owners;

    ok(wait_for(sub { came('open') > $n }), 'connected again');

    my $m = share();

    ok(wait_for(sub { say($m)->{status} == 200 }), 'accepted');
    ok(wait_for(sub { grep { $_ eq $m->{message_id} } ids() }), 'delivered');
};


subtest 'VCP-32 messages wait for a peer that is away' => sub {
    stop_peer();
    ok(state_is('waiting'), 'waiting');

    my @sent = map { share() } 1 .. 3;

    say($_) for @sent;
    start_peer();

    ok(wait_for(sub { ids() >= 3 }, 60), 'they came');
    is_deeply([ids()], [map { $_->{message_id} } @sent], 'in order');
};


subtest 'VCP-32 the pause grows to 30 s with jitter' => sub {
    my @pauses;

    stop_peer();
    start_peer(closes => 1);
    ok(wait_for(sub {
        @pauses = $nginx->error_log
                  =~ /peer "bob" [^\n]* next attempt in (\d+) ms/g;
        came('close') >= 3
    }, 60), 'closed three times') or diag $nginx->error_log;

    cmp_ok($_, '>=', 1000) for @pauses;
    cmp_ok($_, '<=', 30000) for @pauses;
    cmp_ok(max(@pauses), '>', 2 * $pauses[0], 'it grows');
};


for my $row (['refuses', { refuse => 403 }, {},
              qr/not connected: the peer refused the handshake, status 403/],
             ['has a false accept', { accept => 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=' },
              {}, qr/not connected: Sec-WebSocket-Accept does not fit the key/],
             ['has another name', {}, { name => 'other.example' },
              qr/not connected: the peer could not be reached/],
             ['is not asked', {}, { pass => '' },
              qr/the location of "parley_deliver" does not pass the handshake/])
{
    my ($what, $do, $conf, $log) = @$row;

    subtest "VCP-32 a peer that $what is not connected" => sub {
        stop_peer();
        start_peer(%$do);
        $nginx->stop;
        $nginx = Parley::Nginx->start(workers => 2, http => peer_http(%$conf));

        ok($nginx->wait_for($log), 'logged') or diag $nginx->error_log;
        ok(!$nginx->logged(qr/peer "bob" connected/), 'not connected');
        is(scalar(grep { $_->{text} } came('text')), 0, 'nothing is sent');
    };
}


subtest 'VCP-32 nginx -t' => sub {
    my @rows = (
        [{ url => 'wss://peer.example/vcp/ws' },
         qr/is on "peer.example:443", which "hosts=" .* does not list/],
        [{ url => 'ws://127.0.0.1/vcp/ws' }, qr/must be an https or wss URL/],
        [{ url => 'wss://u@127.0.0.1/' }, qr/must be an https or wss URL without userinfo/],
        [{ websocket => '' },
         qr/is a wss URL, which needs "websocket=" of "parley_deliver"/],
        [{ websocket => 'websocket=vcp' }, qr/websocket=vcp.* is not a path/],
        [{ websocket => 'websocket=/none' },
         qr/"websocket=" of "parley_deliver" leads to no location/],
        [{ websocket => 'websocket=/vcp/in' },
         qr/leads to a location without "parley_websocket vcp"/],
        [{ context => '' }, qr/without "parley_vcp_context" and/],
        [{ bob => { speaks => 'aee' } },
         qr/must have a member "vcp", and a "speaks" must be "vcp"/],
        [{ bob => { vcp => undef } }, qr/must have a member "vcp"/],
        [{ bob => { speaks => 'vcp' }, speaks => 'vcp2' },
         qr/must have a member "vcp", and a "speaks" must be "vcp2"/]);

    for my $row (@rows) {
        my (undef, $said) = Parley::Nginx->check(http => peer_http(%{ $row->[0] }));

        like($said, $row->[1]);
    }
};

done_testing();

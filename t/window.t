# Freshness and the duplicate window: each message once, none lost.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $silent = port(5);        # no server on this port

my $server = location('/nobody', 'parley_accept aee vcp; parley_speak aee; '
                               . 'parley_jwt on;', $silent)
           . location('/slow', 'parley_accept aee; parley_jwt on; '
                             . 'proxy_read_timeout 300ms;')
           . location('/slow-vcp', 'parley_accept vcp; parley_jwt on; '
                                 . 'proxy_read_timeout 300ms;')
           . location('/narrow', 'parley_accept aee; parley_jwt on; '
                               . 'parley_freshness past=10s future=2s;')
           . location('/wide', 'parley_accept aee vcp; parley_speak aee; '
                             . 'parley_jwt on; '
                             . 'parley_freshness past=1h future=1h; '
                             . 'parley_window 3h;');

my $nginx = Parley::Nginx->start(workers => 2,
                                 http => gateway_http(server => $server));
my $client = Parley::Client->new(port => port(1));


# Sends a request of post() after it reset the service.
sub try {
    my ($script, @post) = @_;

    $service->script($script);
    $service->clear;

    return $client->raw(post(@post));
}


sub code { my $j = $_[0]{json} // {}; $j->{payload}{code} // $j->{code} }


subtest 'AEE-16 a copy after success is refused, and not forwarded' => sub {
    my $m = aee();

    is(try(undef, '/aee', $m)->{status}, 202, 'the first');

    my $copy = try(undef, '/aee', $m);

    is($copy->{status}, 409, 'the copy');
    is(code($copy), 'E_MESSAGE_DUPLICATE');
    is($copy->{json}{payload}{retryable}, false, 'a retry does not help');
    is($copy->{json}{reply_to}, $m->{id}, 'it says which');
    is($service->count, 0, 'and is not forwarded');
};


subtest 'AEE-16 the id is a duplicate, with any other contents' => sub {
    my $m = aee();

    try(undef, '/aee', $m);
    is(try(undef, '/aee', { %$m, payload => { text => 'other' },
                            ts => timestamp() })->{status}, 409);
};


subtest 'AEE-16 an id belongs to one sender' => sub {
    my $m = aee();

    is(try(undef, '/aee', $m)->{status}, 202, 'alice');
    is(try(undef, '/aee', { %$m, from => 'agent.bob' }, as => 'bob')->{status},
       202, 'bob, with the same id');
    is(try(undef, '/aee', $m)->{status}, 409, 'alice again');
};


subtest 'AEE-16 one window for all locations' => sub {
    my $m = aee();

    is(try(undef, '/aee', $m)->{status}, 202);
    is(try(undef, '/to-aee', $m)->{status}, 409);
};


subtest 'VCP-13 a duplicate is acknowledged with 200, not forwarded' => sub {
    my $m = vcp();

    is(try(undef, '/vcp', $m)->{json}{status}, 'accepted', 'the first');

    my $copy = try(undef, '/vcp', $m);

    is($copy->{status}, 200);
    is_deeply($copy->{json}, { status => 'duplicate',
                               message_id => $m->{message_id} });
    is($copy->{headers}{'content-type'}, 'application/json; charset=utf-8');
    is($service->count, 0, 'not forwarded');
};


subtest 'VCP-13 a duplicate of a translated message' => sub {
    my $m = vcp();

    is(try(undef, '/to-aee', $m)->{status}, 200);
    is(try(undef, '/to-aee', $m)->{json}{status}, 'duplicate');
    is($service->count, 0);
};


subtest 'VCP-14 the window is at least 5 minutes' => sub {
    my ($status, $said) = Parley::Nginx->check(http => http_config()
        . 'parley_accept vcp; parley_jwt on; parley_window 299s; '
        . 'parley_freshness past=10s future=10s;'
        . "server { listen 127.0.0.1:%PORT_7%; }");

    is($status, 1);
    like($said, qr/5 minutes/);
};


subtest 'GW-12 two copies at once: one passes, the other is in flight' => sub {
    my $m = aee();

    $service->script('$c->pause(1); $c->take');
    $service->clear;

    my $first = $client->begin('/aee', jcs($m), Authorization =>
                               bearer('alice'));

    ok($service->wait_for(1), 'the first is with the service');

    my $second = $client->raw(post('/aee', $m));

    is($second->{status}, 409, 'the second is refused meanwhile');
    is(code($second), 'E_MESSAGE_IN_FLIGHT');
    is($second->{json}{payload}{retryable}, true, 'and may be tried again');
    ok($second->{json}{payload}{backoff_ms} > 0, 'in a while');
    is($first->answer->{status}, 202, 'the first passes');
    is(code($client->raw(post('/aee', $m))), 'E_MESSAGE_DUPLICATE',
       'and is a duplicate from then on');
    is($service->count, 1, 'the service got it once');
};


subtest 'GW-12 two copies of VCP at once' => sub {
    my $m = jcs(sign_vcp(vcp(), person('alice')->{key}));

    $service->script('$c->pause(1); $c->take');
    $service->clear;

    my $first = $client->begin('/peers', $m);

    ok($service->wait_for(1), 'the first is with the service');

    my $second = $client->raw(post('/peers', $m, token => 0));

    is($second->{status}, 409, 'told apart from a duplicate');
    is(code($second), 'message-in-flight');
    is($first->answer->{json}{status}, 'accepted');
    is($service->count, 1);
};


subtest 'GW-12 ten copies at once over both workers: one passes' => sub {
    my $m = post('/aee', aee());

    $service->script('$c->pause(0.5); $c->take');
    $service->clear;

    my @all = map { my $c = $client->connect; $c->write($m); $c } 1 .. 10;
    my %status;

    $status{$_->answer->{status}}++ for @all;

    is_deeply(\%status, { 202 => 1, 409 => 9 });
    is($service->count, 1);
};


# failures of an upstream that did not accept the message: the failure, the
# answer's code
my @failures = (
    ['a 502 of the service', '/aee', '$c->answer(502, [], "bad")',
     502, 'E_UPSTREAM_UNAVAILABLE'],
    ['a 503 of the service', '/aee', '$c->answer(503, [], "")',
     503, 'E_CAPACITY'],
    ['a 429 of the service', '/aee', '$c->answer(429, [], "")',
     429, 'E_RATE_LIMITED'],
    ['a time-out', '/slow', '$c->pause(2)', 504, 'E_UPSTREAM_TIMEOUT'],
    ['no connection', '/nobody', '', 502, 'E_UPSTREAM_UNAVAILABLE'],
    ['a connection that ends without answer', '/aee', '$c->{keep} = 0',
     502, 'E_UPSTREAM_UNAVAILABLE'],
    ['an answer that ends early', '/aee',
     '$c->{keep} = 0; $c->answer(200, ["Content-Length", 9999], "{")',
     502, 'E_UPSTREAM_INVALID'],
    ['an answer that never ends', '/slow',
     '$c->answer(200, ["Content-Length", 9999], "{"); $c->pause(2)',
     '5\d\d', 'E_UPSTREAM_(TIMEOUT|INVALID)'],
    ['a reset in the middle of the header', '/aee',
     '$c->out("HTTP/1.1 20"); $c->{keep} = 0',
     502, 'E_UPSTREAM_UNAVAILABLE'],
);

for (@failures) {
    my ($what, $uri, $script, $status, $code) = @$_;

    subtest "GW-12 $what releases the id" => sub {
        my $m = aee();
        my $failed = try($script, $uri, $m);

        like($failed->{status}, qr/^$status$/, 'told');
        like(code($failed) // '', qr/^$code$/);
        is($failed->{json}{payload}{retryable}, true, 'a retry may help');

        is(try(undef, '/aee', $m)->{status}, 202, 'the retry goes through');
        is($service->count, 1);
        is(try(undef, '/aee', $m)->{status}, 409, 'and is then a duplicate');
    };
}


# answers that allow the message to come again
for (['busy', 'status => "busy", message_id => $q->{json}{message_id}'],
     ['rejected as busy', 'status => "rejected", code => "busy"'],
     ['rejected for its rate', 'status => "rejected", code => "rate-limited"'])
{
    my ($what, $words) = @$_;

    subtest "GW-12 GW-29 a VCP service that is $what releases the id" => sub {
        my $m = vcp();
        my $said = try("\$c->answer(200, [], jcs({ $words }))", '/vcp', $m);

        is($said->{status}, 200, 'as it came');
        is(try(undef, '/vcp', $m)->{json}{status}, 'accepted');
        is($service->count, 1, 'it goes through');
    };
}


# a complete answer with a status of 2xx was an answer
for (['an answer that is no envelope', '$c->answer(200, [], "{}")'],
     ['an answer that is no JSON', '$c->answer(200, [], "<html>")'],
     ['an answer to something else',
      '$c->answer(200, [], jcs(result($q->{json}, corr => uuid4())))'],
     ['an answer that is too large',
      '$c->answer(200, [], " " x 3_000_000)'])
{
    my ($what, $script) = @$_;

    subtest "GW-12 $what commits the id" => sub {
        my $m = aee();
        my $failed = try($script, '/aee', $m);

        is($failed->{status}, 502, 'told');
        is(code($failed), 'E_UPSTREAM_INVALID');
        is($failed->{json}{payload}{retryable}, false, 'a retry is of no use');
        is(try(undef, '/aee', $m)->{status}, 409, 'it is a duplicate');
        is($service->count, 0);
    };
}


for (['a 502 of the service', '/vcp', '$c->answer(502, [], "bad")'],
     ['a time-out', '/slow-vcp', '$c->pause(2)'],
     ['no connection', '/nobody', ''])
{
    my ($what, $uri, $script) = @$_;

    subtest "GW-12 $what releases the id of a VCP message" => sub {
        my $m = vcp();
        my $failed = try($script, $uri, $m);

        like($failed->{status}, qr/^50[24]$/);
        is($failed->{json}{status}, 'rejected');
        like(code($failed), qr/^upstream-/);
        is(try(undef, '/vcp', $m)->{json}{status}, 'accepted', 'the retry');
        is(try(undef, '/vcp', $m)->{json}{status}, 'duplicate', 'then');
    };
}


subtest 'GW-12 a refusal by the service itself releases the id' => sub {
    my $m = aee();
    my $script = '$c->answer(422, [], jcs(failure($q->{json})))';

    is(try($script, '/aee', $m)->{status}, 422, 'refused');
    is(try(undef, '/aee', $m)->{status}, 202, 'the next time it is taken');
};


subtest 'GW-12 the id of a message refused here is not recorded' => sub {
    my $m = aee(priority => 'nope');

    is(try(undef, '/aee', $m)->{status}, 400);
    is(try(undef, '/aee', { %$m, priority => 'low' })->{status}, 202);
};


subtest 'GW-12 a client that leaves while it sends leaves no trace' => sub {
    my $m = aee(payload => { text => 'x' x 50_000 });
    my $request = post('/aee', $m);

    $service->script(undef);
    $service->clear;

    my $c = $client->connect;
    $c->write(substr $request, 0, length($request) / 2);
    sleep 0.2;
    $c->leave;
    sleep 0.2;

    is($service->count, 0, 'nothing was forwarded');
    is($client->raw($request)->{status}, 202, 'it goes through again');
    is($service->count, 1);
};


subtest 'GW-21 a client that leaves while it waits does not send it twice' => sub {
    my $m = aee();
    my $request = post('/aee', $m);

    $service->script('$c->pause(1); $c->take');
    $service->clear;

    my $c = $client->connect;
    $c->write($request);
    ok($service->wait_for(1), 'it is with the service');
    $c->leave;

    is(code($client->raw($request)), 'E_MESSAGE_IN_FLIGHT', 'on its way');

    my $code;

    for (1 .. 40) {
        $code = code($client->raw($request));
        last if $code ne 'E_MESSAGE_IN_FLIGHT';
        sleep 0.1;
    }

    is($code, 'E_MESSAGE_DUPLICATE', 'and taken');
    is($service->count, 1);
};


subtest 'AEE-17 a ts that is too old is refused' => sub {
    my $old = try(undef, '/aee', aee(ts => timestamp(-310)));

    is($old->{status}, 422);
    is(code($old), 'E_MESSAGE_STALE');
    is($old->{json}{payload}{field}, '/ts');
    is($service->count, 0);
    is(try(undef, '/aee', aee(ts => timestamp(-290)))->{status}, 202,
       'less old passes');
};


subtest 'AEE-17 a ts that is too far ahead is refused' => sub {
    is(code(try(undef, '/aee', aee(ts => timestamp(40)))), 'E_MESSAGE_STALE');
    is(try(undef, '/aee', aee(ts => timestamp(20)))->{status}, 202);
};


subtest 'AEE-17 the skew is configurable' => sub {
    is(code(try(undef, '/narrow', aee(ts => timestamp(-15)))),
       'E_MESSAGE_STALE', 'narrower: too old');
    is(code(try(undef, '/narrow', aee(ts => timestamp(5)))),
       'E_MESSAGE_STALE', 'narrower: too new');
    is(try(undef, '/narrow', aee(ts => timestamp(-5)))->{status}, 202);
    is(try(undef, '/wide', aee(ts => timestamp(-3000)))->{status}, 202,
       'wider: old');
    is(try(undef, '/wide', aee(ts => timestamp(3000)))->{status}, 202,
       'wider: new');
};


subtest 'AEE-17 an offset is part of the time' => sub {
    my $ts = timestamp(2 * 3600) =~ s/Z$/+02:00/r;

    is(try(undef, '/aee', aee(ts => $ts))->{status}, 202);
    is(code(try(undef, '/aee', aee(ts => timestamp() =~ s/Z$/+02:00/r))),
       'E_MESSAGE_STALE');
};


subtest 'AEE-17 a ts without a known age is refused' => sub {
    my $m = try(undef, '/aee', aee(ts => 'yesterday at noon'));

    is(code($m), 'E_FIELD_INVALID');
    is($m->{json}{payload}{field}, '/ts');
};


subtest 'VCP-15 a VCP message older than 5 minutes is refused' => sub {
    my $old = try(undef, '/vcp', vcp(timestamp => timestamp(-305)));

    is($old->{status}, 422);
    is(code($old), 'message-stale');
    is($old->{json}{field}, '/timestamp');
    is(try(undef, '/vcp', vcp(timestamp => timestamp(-295)))->{status}, 200);
};


subtest 'VCP-15 a VCP message more than 30 seconds ahead is refused' => sub {
    is(code(try(undef, '/vcp', vcp(timestamp => timestamp(35)))),
       'message-stale');
    is(try(undef, '/vcp', vcp(timestamp => timestamp(25)))->{status}, 200);
};


subtest 'VCP-15 no configuration widens that' => sub {
    is(code(try(undef, '/wide', vcp(timestamp => timestamp(-305)))),
       'message-stale');
    is(code(try(undef, '/wide', vcp(timestamp => timestamp(35)))),
       'message-stale');
};


subtest 'GW-12 a reload keeps the window' => sub {
    my ($aee, $vcp) = (aee(), vcp());

    is(try(undef, '/aee', $aee)->{status}, 202, 'AEE');
    is(try(undef, '/vcp', $vcp)->{status}, 200, 'VCP');
    ok($nginx->reload, 'reloaded');
    is(try(undef, '/aee', $aee)->{status}, 409, 'AEE: a duplicate still');
    is(try(undef, '/vcp', $vcp)->{json}{status}, 'duplicate', 'VCP too');
};


subtest 'GW-12 a killed worker\'s reservations are given back' => sub {
    my $request = post('/aee', aee());

    $service->script('$c->pause(3); $c->take');
    $service->clear;

    my $c = $client->connect;
    $c->write($request);
    ok($service->wait_for(1), 'it is with the service');

    # workers from before the reload may still exist, and are not replaced
    my @workers = map { /^\s*(\d+)(?!.*shutting down)/ ? $1 : () }
                  split /\n/, `ps -o pid=,args= --ppid ${\ $nginx->pid}`;
    my $started = $nginx->logged(qr/start worker process \d+/);

    kill 'KILL', @workers;
    ok($nginx->wait_for(qr/start worker process \d+/, $started + @workers),
       'new workers');

    $service->script(undef);
    my $status = 0;

    for (1 .. 30) {
        $status = eval { $client->raw($request)->{status} } // 0;
        last if $status == 202;
        sleep 0.1;
    }

    is($status, 202, 'it may come again at once');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\](?!.*exited on signal 9)/), 0,
   'nothing alarming was logged');

done_testing;

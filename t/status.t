# The contents of parley_status; its counters never fall.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $more = 'location /status { parley_status; allow 127.0.0.1; deny all; } '
         . 'location /dry { parley_accept aee; parley_jwt on; '
         . 'parley_deny type=task; parley_dry_run on; '
         . 'proxy_pass http://127.0.0.1:%PORT_2%; } '
         . 'location /gone { parley_accept aee; parley_jwt on; '
         . 'proxy_pass http://127.0.0.1:%PORT_4%; } '
         . 'location /denied { parley_accept aee; parley_jwt on; deny all; '
         . 'proxy_pass http://127.0.0.1:%PORT_2%; }';
my $http = sub { gateway_http(zone => 'agents:1m', server => $more, @_) };
my $nginx = Parley::Nginx->start(workers => 2, http => $http->());
my $client = Parley::Client->new(port => port(1));
my $status = Parley::Status->new(port => port(3));

sub try { return $client->raw(post(@_))->{status} }


subtest 'OPS-01 three formats, by Accept and by argument' => sub {
    for (['/status', '*/*', qr{^application/json$}, qr/^\{"parley":"/],
         ['/status', 'text/html', qr{^text/html; charset=utf-8$},
          qr/^<!doctype html>/i],
         ['/status', 'text/plain;version=0.0.4', qr{^text/plain; version=0},
          qr/^# HELP parley_/],
         ['/status?format=prometheus', 'text/html', qr{^text/plain;},
          qr/^# HELP parley_/],
         ['/status?format=html', '*/*', qr{^text/html;}, qr/^<!doctype/i],
         ['/status?x=1&format=json', 'text/html', qr{^application/json$},
          qr/^\{/])
    {
        my ($uri, $accept, $type, $body) = @$_;
        my $r = $status->get($uri, Accept => $accept);

        is($r->{status}, 200, "$uri $accept");
        like($r->{headers}{'content-type'}, $type);
        like($r->{content}, $body);
        is($r->{headers}{'cache-control'}, 'no-store');
        is($r->{headers}{'x-content-type-options'}, 'nosniff');
        is(length $r->{content}, $r->{headers}{'content-length'});

        my $head = $status->ask('HEAD', $uri, Accept => $accept);

        is($head->{status}, 200, 'HEAD');
        is($head->{content} // '', '');
        like($head->{headers}{'content-type'}, $type);
    }
};


subtest 'OPS-01 an unsupported format is refused' => sub {
    is($status->get("/status?$_")->{status}, 400, $_)
        for 'format=xml', 'format=', 'format=json&format=json';

    for (qw(POST PUT DELETE OPTIONS)) {
        my $answer = $status->ask($_, '/status');

        is($answer->{status}, 405, $_);
        is($answer->{headers}{allow}, 'GET, HEAD', "$_: Allow");
    }
};


subtest 'GW-13 OPS-02 passed and refused messages are counted' => sub {
    is(try('/aee', aee()), 202, 'passed') for 1 .. 3;
    is(try('/to-aee', escalation()), 200, 'translated');
    is(try('/aee', aee(priority => 'critical')), 400);
    is(try('/aee', aee(), token => 0), 401);
    is(try('/aee', '{"v"'), 400);

    my $message = aee();

    is(try('/aee', $message), 202);
    is(try('/aee', $message), 409, 'a duplicate');

    is($status->verdicts('aee', 'aee', 'passed'), 4);
    is($status->verdicts('vcp', 'aee', 'passed'), 1);
    is($status->verdicts('aee', 'aee', 'refused'), 2,
       'with a protocol: what was read so far');
    is($status->verdicts('none', 'aee', 'refused'), 2, 'without');
    is($status->refused($_), 1, $_)
        for qw(field-invalid token-missing json-invalid message-duplicate);
};


subtest 'OPS-02 a request without a message counts as refused' => sub {
    my @before = ($status->refused('method-not-allowed'),
                  $status->verdicts('none', 'aee', 'refused'),
                  $status->metric('parley_answers_total{by="gateway"}'));

    is($client->send(PUT => '/aee')->{status}, 405, 'refused');

    is_deeply([$status->refused('method-not-allowed'),
               $status->verdicts('none', 'aee', 'refused'),
               $status->metric('parley_answers_total{by="gateway"}')],
              [$before[0] + 1, @before[1, 2]], 'with its code, no more');
};


subtest 'GW-26 answers are counted by their source' => sub {
    my $before = $status->metrics;

    is(try('/gone', aee()), 502, 'nobody listens there');

    $service->script('$c->answer(200, [], "no JSON")');
    is(try('/aee', aee()), 502, 'no valid answer');
    $service->script;

    is(try('/dry', aee()), 202, 'a dry run');
    is(try('/denied', aee()), 403, 'of another module');

    is($status->refused('upstream-unavailable', 'upstream'), 1);
    is($status->refused('upstream-invalid', 'upstream'), 1);
    is($status->refused('policy-refused', 'dry-run'), 1);
    is($status->refused('policy-refused'), 0);
    is($status->verdicts('aee', 'aee', 'dry-refused'), 1);

    my $after = $status->metrics;
    my %by = map { $_ => ($after->{qq(parley_answers_total{by="$_"})}
                          - $before->{qq(parley_answers_total{by="$_"})}) }
             qw(gateway upstream other);

    is_deeply(\%by, { gateway => 0, upstream => 3, other => 0 },
              'deny let no message come to the gateway');

    is($after->{'parley_messages_in_flight'}, 0, 'nothing is under way');
};


subtest 'OPS-02 the times of requests' => sub {
    my $m = $status->metrics;

    cmp_ok($m->{'parley_gateway_seconds_count'}, '>=', 12);
    is($m->{'parley_gateway_seconds_count'},
       $m->{'parley_gateway_seconds_bucket{le="+Inf"}'});
    cmp_ok($m->{'parley_gateway_seconds_sum'}, '>', 0);

    my $slow = 'parley_upstream_seconds_bucket{le="0.25"}';

    $service->script('$c->pause(0.3); $c->answer(202)');
    is(try('/aee', aee()), 202);
    $service->script;

    my $after = $status->metrics;

    is($after->{$slow}, $m->{$slow}, 'not among those of 250 ms');
    is($after->{'parley_upstream_seconds_count'},
       $m->{'parley_upstream_seconds_count'} + 1);
};


subtest 'OPS-01 windows, keys, versions' => sub {
    my $json = $status->json;

    like($json->{parley}, qr/^\d+\.\d+\.\d+$/);
    like($json->{nginx}, qr/^\d+\.\d+\.\d+$/);
    cmp_ok($json->{zone}{entries}{ids}, '>=', 5);
    is($json->{zone}{entries}{principals}, 1);
    cmp_ok($json->{zone}{largest_share}, '<=', 1);
    is($json->{zone}{share_limit}, 0.25);
    is($json->{keys}{loaded}{file}, 1);
    is($json->{health}{workers}, 2);
    is_deeply($json->{health}{checks},
              { zone => 1, keys => 1, revocations => 1, store => 1 });
    cmp_ok(abs($json->{now} - time), '<', 60);
    cmp_ok($json->{zone}{created}, '<=', $json->{now});
    cmp_ok($json->{tokens}{lookups}{hit}, '>', 0);
    cmp_ok($json->{tokens}{entries}, '>', 0);
};


subtest 'SEC-01 GW-13 nothing in it is from a message' => sub {
    my %said = (from => 'agent.alice', intent => 'secret.intent.x',
                corr => 'corr-zebra', to => 'agent.nobody_knows');
    my $message = aee(%said);

    is(try('/aee?who=giraffe', $message), 202);
    is(try('/aee', aee(%said, priority => 'zz"} 1')), 400);

    my $text = join '', map { $status->get("/status?format=$_")->{content} }
                            qw(json prometheus);

    unlike($text, qr/\Q$_\E/, $_)
        for values %said, $message->{id}, 'alice', 'giraffe', 'zz"}', '/aee',
            '127.0.0.1', tmp_dir();
};


# Waits until a sub returns a true value.
sub until_true {
    my $what = shift;
    my $end = time + 15;

    while (time < $end) {
        my $got = $what->();
        return $got if $got;
        sleep 0.05;
    }

    return 0;
}


# Returns the counters that have fallen.
sub fallen {
    my ($before, $after) = @_;

    return join ', ', grep { /_total|_seconds_(?:bucket|sum|count)/
                             && $after->{$_} < $before->{$_} }
                      sort keys %$before;
}


subtest 'OPS-02 counters do not fall over a reload and killed workers' => sub {
    my $before = $status->metrics;
    my $created = $before->{parley_counters_created_timestamp_seconds};

    ok($nginx->reload(workers => 2, http => $http->()), 'reloaded');

    my $after = $status->metrics;

    is(fallen($before, $after), '');
    is($after->{parley_counters_created_timestamp_seconds}, $created);

    for (1 .. 4) {
        is(try('/aee', aee()), 202);

        $before = $status->metrics;

        my ($worker) = split ' ', slurp('/proc/' . $nginx->pid . '/task/'
                                        . $nginx->pid . '/children');
        my $exited = $nginx->logged(qr/exited on signal 9/);

        kill KILL => $worker;
        ok(until_true(sub { $nginx->logged(qr/exited on signal 9/)
                            > $exited }), 'a worker is killed');
        ok(until_true(sub { eval { $status->json->{health}{workers} == 2 } }),
           'another goes on');

        is(fallen($before, $status->metrics), '');
    }
};


subtest 'OPS-02 requests in progress of a killed worker are not counted' => sub {
    is($status->json->{messages}{in_flight}, 0);

    $service->script('$c->pause(20)');
    my $held = $client->connect;
    $held->write(post('/aee', aee()));

    ok(until_true(sub { $status->json->{messages}{in_flight} == 1 }),
       'one is in flight');

    kill KILL => split ' ', slurp('/proc/' . $nginx->pid . '/task/'
                                  . $nginx->pid . '/children');
    $service->script;

    ok(until_true(sub { eval { $status->json->{messages}{in_flight} == 0
                               && $status->json->{health}{workers} == 2 } }),
       'and is not any more');
};


subtest 'OPS-08 a zone with another size loses state, but not the counters' =>
sub {
    my $before = $status->metrics;

    sleep 1.1;
    ok($nginx->reload(workers => 2,
                      http => $http->(zone => 'agents:2m')), 'reloaded');
    ok(until_true(sub { $status->json->{health}{workers} == 2 }));

    my $after = $status->metrics;
    my $lost = 'parley_state_lost_total{why="resized"}';

    is($after->{$lost}, $before->{$lost} + 1);
    cmp_ok($after->{parley_state_created_timestamp_seconds}, '>',
           $before->{parley_state_created_timestamp_seconds});
    is($after->{'parley_zone_entries{kind="ids"}'}, 0);

    # the counters of the zone itself begin again with it
    my %kept = map { $_ => $before->{$_} } grep { !/^parley_zone_/ }
               keys %$before;

    is(fallen(\%kept, $after), '');

    ok($nginx->reload(workers => 2,
                      http => $http->(zone => 'others:2m')), 'another name');
    is($status->metric($lost), $before->{$lost} + 2);
};


is($nginx->logged(qr/\[(?:alert|crit|emerg)\]/)
   - $nginx->logged(qr/exited on signal 9/), 0, 'nothing alarming');

done_testing;

# Limits: rates, quotas, caps and deadlines.

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
use Parley::Tool qw(tool);
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));

# each rate is different: locations with equal rates would share it
my %place = (
    '/rate'    => 'parley_jwt on; parley_rate 20r/h burst=3;',
    '/strict'  => 'parley_jwt on; parley_rate 30r/m;',
    '/shared'  => 'parley_jwt on; parley_rate 7r/h;',
    '/shared2' => 'parley_jwt on; parley_rate 7r/h;',
    '/urgent'  => 'parley_jwt on; parley_rate 100r/s burst=100 urgent=31r/m '
                . 'high=1r/h:2;',
    '/address' => 'parley_trusted on; parley_rate 3r/h;',
    '/order'   => 'parley_jwt on; parley_rate 5r/h;',
    '/high'    => 'parley_jwt on; parley_cap priority=high;',
    '/low'     => 'parley_jwt on; parley_cap priority=low;',
    '/time'    => 'parley_jwt on; parley_cap timeout=500ms;',
    '/both'    => 'parley_jwt on; parley_cap priority=normal timeout=60s;',
    '/quota'   => 'parley_jwt on; parley_cap priority=normal; '
                . 'parley_rate 200r/s burst=100 urgent=1r/h normal=9r/s:9;',
);

my $server = join '', map { location($_, "parley_accept aee; $place{$_}") }
                          sort keys %place;
$server .= location("/moq$_->[0]", "parley_accept moq; parley_speak $_->[1]; "
                    . 'parley_jwt on; parley_cap priority=normal timeout=60s;')
    for ['', 'aee'], ['-moq', 'moq'];
$server .= location('/channel-channel', 'parley_accept channel; parley_jwt on; '
                    . 'parley_cap priority=normal timeout=60s;');
$server .= location("/deep$_->[0]", "parley_accept $_->[1]; parley_jwt on; "
                    . "parley_speak $_->[2]; parley_limits depth=12;")
    for ['', 'aee moq', 'c2a'], ['-frame', 'channel', 'aee'];
my $known = from_json(identities());
$known->{principals}[1]{max_priority} = 'normal';
@{ $known->{principals}[$_->[0]] }{qw(c2a handle)} = ("agent:$_->[1]", "~$_->[1]")
    for [0, 'alice'], [1, 'bob'];

my $http = gateway_http(server => $server);
Parley::Env::spew(Parley::Env::tmp_dir() . '/identities.json', jcs($known));

my $nginx = Parley::Nginx->start(workers => 2, http => $http);
my $client = Parley::Client->new(port => port(1));


sub try {
    my @post = @_;
    return $client->raw(post(@post));
}


# Sends messages until one is limited, on a machine of any speed; returns (that
# message, its answer).
sub limited {
    my ($uri, @members) = @_;

    for (1 .. 20) {
        my $m = aee(@members);
        my $answer = try($uri, $m);

        return ($m, $answer) if $answer->{status} != 202;
    }

    return (undef, { status => 'never' });
}


# a message that came too early passes two seconds later
use constant APART => 2.1;


sub code { my $j = $_[0]{json} // {}; $j->{payload}{code} // $j->{code} }


subtest 'GW-05 a message above the rate gets 429 with Retry-After' => sub {
    my @answers = map { try('/rate', aee()) } 1 .. 8;
    my @limited = grep { $_->{status} == 429 } @answers;

    is($answers[$_]{status}, 202, "message $_ of the burst") for 0 .. 3;
    ok(@limited >= 2, 'the rest is limited');
    is(code($limited[0]), 'E_RATE_LIMITED');
    like($limited[0]{headers}{'retry-after'}, qr/^[1-9]\d*$/);
    is($limited[0]{json}{payload}{retryable}, true);
    ok($limited[0]{json}{payload}{backoff_ms} > 0, 'backoff_ms');
};


subtest 'GW-05 without burst a second message at once is refused' => sub {
    is(try('/strict', aee())->{status}, 202);
    is((limited('/strict'))[1]{status}, 429);
    sleep APART;
    is(try('/strict', aee())->{status}, 202, 'later it passes');
};


subtest 'GW-05 a limited message may be sent again' => sub {
    my ($m, $answer) = limited('/strict');

    is($answer->{status}, 429);
    sleep APART;
    is(try('/strict', $m)->{status}, 202, 'the same message');
};


subtest 'GW-05 each principal has its own rate' => sub {
    is(try('/shared', aee())->{status}, 202, 'alice');
    is(try('/shared', aee())->{status}, 429, 'alice again');
    is(try('/shared', aee(from => 'agent.lead'), as => 'lead')->{status}, 202,
       'lead');
};


subtest 'GW-05 locations with the same rate share it' => sub {
    is(try('/shared2', aee())->{status}, 429);
};


subtest 'GW-05 another token of the same principal does not help' => sub {
    is(try('/shared', aee(), token => bearer('alice', jti => 'x'))->{status},
       429);
};


subtest 'GW-05 the rate is counted before the body is read' => sub {
    is(try('/order', aee())->{status}, 202);
    is(try('/order', 'no JSON')->{status}, 429);
};


subtest 'GW-05 without a token the rate of the address counts' => sub {
    is(try('/address', aee(), token => 0)->{status}, 202);
    is(try('/address', aee(from => 'agent.other'), token => 0)->{status}, 429);
};


subtest 'GW-05 a reload keeps the limits' => sub {
    ok($nginx->reload);
    is(try('/shared', aee())->{status}, 429);
};


subtest 'AEE-28 a quota per priority stops an urgent flood, and nothing else' => sub {
    is(try('/urgent', aee(priority => 'urgent'))->{status}, 202, 'urgent');

    my (undef, $second) = limited('/urgent', priority => 'urgent');

    is($second->{status}, 429, 'urgent again');
    like($second->{json}{payload}{message}, qr/urgent/, 'it says of what');
    is(try('/urgent', aee())->{status}, 202, 'normal passes');
    is(try('/urgent', aee(from => 'agent.lead', priority => 'urgent'),
           as => 'lead')->{status}, 202, 'others pass');
};


subtest 'AEE-28 a quota has its own burst' => sub {
    my @status = map { try('/urgent', aee(priority => 'high'))->{status} }
                     1 .. 4;

    is("@status", '202 202 202 429');
};


subtest 'AEE-28 the id of a message over its quota is not recorded' => sub {
    my ($m, $answer) = limited('/urgent', priority => 'urgent');

    is($answer->{status}, 429);
    sleep APART;
    is(try('/urgent', $m)->{status}, 202);
};


subtest 'AEE-28 a priority above the cap is lowered' => sub {
    $service->clear;
    is(try('/high', aee(priority => 'urgent'))->{status}, 202);
    is($service->last->{json}{priority}, 'high');
};


subtest 'AEE-28 a message below the cap stays, octet for octet' => sub {
    my $m = aee(priority => 'low');

    is(try('/high', $m)->{status}, 202);
    is($service->last->{body}, jcs($m));
};


subtest 'AEE-28 a capped message is otherwise unchanged' => sub {
    my $m = aee(priority => 'urgent', x_other => [1, { a => undef }]);

    try('/low', $m);
    my $got = $service->last->{json};
    is(delete $got->{priority}, 'low');
    delete $m->{priority};
    delete $got->{sig};
    is_deeply($got, $m);
};


subtest 'AEE-28 a principal\'s own cap' => sub {
    is(try('/aee', aee(from => 'agent.bob', priority => 'urgent'),
           as => 'bob')->{status}, 202);
    is($service->last->{json}{priority}, 'normal');
};


subtest 'AEE-28 MOQ-19 a priority in a carried message is lowered' => sub {
    my %carried = (id => uuid7(), created => timestamp(), sender => 'alice',
                   recipient => 'bob', priority => 'urgent');
    my %m = (session_id => 's', payload => { text => 'x' });

    is(try('/moq',
           { %m, action => 'ops.backup.run',
             aee => { %carried, form => 'task' } })->{status}, 202);
    is($service->last->{json}{priority}, 'normal', 'of AEE');

    is(try('/moq',
           { %m, action => 'vcp.escalation',
             payload => { severity => 'info', reason => 'r', context => 'c',
                          requires_ack => true() },
             vcp => { %carried, form => 'escalation', id => uuid7(),
                      recipient => 'lead' } })->{status},
       202);
    is($service->last->{json}{priority}, 'normal', 'of VCP');
};


subtest 'AEE-28 MOQ-19 caps of a carried message that is not translated' => sub {
    my %carried = (form => 'task', created => timestamp(), sender => 'alice',
                   recipient => 'bob');
    my %m = (session_id => 's', payload => { text => 'x' });
    my $carries = sub {
        return try('/moq-moq', { %m, action => 'ops.backup.run',
                                 aee => { %carried, id => uuid7(), @_ } });
    };

    is($carries->(priority => 'urgent', timeout_ms => 90_000)->{status}, 202);

    my $got = $service->last->{json};

    is($got->{aee}{priority}, 'normal', 'the priority is lowered');
    is($got->{aee}{timeout_ms}, 60_000, 'the deadline is shortened');
    is_deeply($got->{payload}, { text => 'x' }, 'the rest stays');

    is($carries->(priority => 'low', timeout_ms => 5000)->{status}, 202);
    $got = $service->last->{json};
    is($got->{aee}{priority}, 'low', 'a lower priority stays');
    is($got->{aee}{timeout_ms}, 5000, 'so does a shorter deadline');
};


subtest 'AEE-28 caps of a message in the text of a frame' => sub {
    my $task = aee(to => 'agent.bob', priority => 'urgent',
                   requires => { timeout_ms => 90_000 });
    my ($status, $frame) = tool({ in => jcs($task) }, 'translate', '--from',
                                'aee', '--to', 'channel', '--identities',
                                Parley::Env::tmp_dir() . '/identities.json');

    is($status, 0, 'a frame with a task in its text');
    is(try('/channel-channel', from_json($frame))->{status}, 200);

    my $got = $service->last->{json};

    like($got->{payload}{query_text}, qr/^priority: normal$/m,
         'the priority is lowered');
    like($got->{payload}{query_text}, qr/^requires: \{"timeout_ms":60000\}$/m,
         'the deadline is shortened');
    is($got->{payload}{timeout_ms}, 60_000, 'also that of the frame');

    ($status, my $back) = tool({ in => jcs($got) }, 'translate', '--from',
                               'channel', '--to', 'aee', '--identities',
                               Parley::Env::tmp_dir() . '/identities.json');
    is_deeply([@{ from_json($back) }{qw(type intent priority requires payload)}],
              ['task', $task->{intent}, 'normal', { timeout_ms => 60_000 },
               $task->{payload}], 'the task is read again');
};


subtest 'GW-05 a translation has at most the levels that the location reads' => sub {
    my $nest = sub { my $n = shift; my $v = 1; $v = { a => $v } for 1 .. $n; $v };
    my $made = sub { aee(payload => { text => 'x', b => $_[0] }) };

    for my $kind (['aee', '/deep', $made],
                  ['frame', '/deep-frame', sub { framed($made->(@_)) }],
                  ['moq', '/deep?recipient=bob', sub { { action => 'go', session_id => 's',
                                  payload => { text => 'x', b => $_[0] } } }])
    {
        my ($name, $uri, $make) = @$kind;
        my ($most, %status) = 0;

        for my $n (1 .. 12) {
            my $before = $service->count;
            my $answer = try($uri, $make->($nest->($n)));

            if ($service->count == $before) {
                is($answer->{status}, 413, "$name: $n levels are refused")
                    or diag($answer->{body});
                next;
            }

            is($most, $n - 1, "$name: $n levels pass");
            $most = $n;
            cmp_ok(depth($service->last->{json}), '<=', 12, 'no more arrive');
        }

        cmp_ok($most, '>', 3, "$name: some pass");

        # the levels of a message in the text of a frame are not the frame's
        cmp_ok($most, '<', 10, "$name: not all that the location reads")
            if $name ne 'frame';
    }
};


# Returns the frame whose text has a message of AEE.
sub framed {
    my ($status, $frame) = tool({ in => jcs($_[0]) }, 'translate',
        '--from', 'aee', '--to', 'channel', '--limit', 'depth=100', '--identities',
        Parley::Env::tmp_dir() . '/identities.json');

    is($status, 0, 'a frame');
    return from_json($frame);
}


# Returns the levels of arrays and objects of a value.
sub depth {
    my $value = shift;
    my @in = ref $value eq 'HASH' ? values %$value
           : ref $value eq 'ARRAY' ? @$value : return 0;
    my $most = 0;

    for my $levels (map { depth($_) } @in) {
        $most = $levels if $levels > $most;
    }

    return 1 + $most;
}


subtest 'AEE-28 the lower of both caps holds' => sub {
    try('/low', aee(from => 'agent.bob', priority => 'urgent'), as => 'bob');
    is($service->last->{json}{priority}, 'low');
    try('/high', aee(from => 'agent.bob', priority => 'urgent'), as => 'bob');
    is($service->last->{json}{priority}, 'normal');
};


subtest 'AEE-28 the gateway signs a capped message' => sub {
    try('/high', aee(priority => 'urgent'), sign => 1);

    my $got = $service->last->{json};
    my $sig = delete $got->{sig};

    is($sig->{kid}, gateway_key()->{kid}, 'not the sender\'s');
    ok(verify(gateway_key(), jcs($got),
              MIME::Base64::decode_base64($sig->{value})), 'and good');
};


subtest 'AEE-29 a timeout above the cap is shortened' => sub {
    try('/both', aee(requires => { timeout_ms => 120_000, evidence => true }));
    is_deeply($service->last->{json}{requires},
              { timeout_ms => 60_000, evidence => true });
};


subtest 'AEE-29 a timeout below the cap stays' => sub {
    my $m = aee(requires => { timeout_ms => 1000 });

    try('/both', $m);
    is($service->last->{body}, jcs($m));
};


subtest 'AEE-29 the cap is the upstream\'s deadline' => sub {
    my $m = aee(requires => { timeout_ms => 60_000 });

    $service->script('$c->pause(20); $c->take');

    my $from = time;
    my $answer = try('/time', $m);

    is($answer->{status}, 504);
    is(code($answer), 'E_UPSTREAM_TIMEOUT');
    ok(time - $from < 15, 'not the service\'s time');

    $service->script(undef);
    is(try('/time', $m)->{status}, 202, 'it may be sent again');
};


subtest 'AEE-29 also for a message without a timeout' => sub {
    $service->script('$c->pause(20); $c->take');
    is(code(try('/time', aee())), 'E_UPSTREAM_TIMEOUT');
    $service->script(undef);
};


subtest 'AEE-29 without a cap the message\'s own timeout counts' => sub {
    $service->script('$c->pause(20); $c->take');

    my $from = time;
    my $answer = try('/aee', aee(requires => { timeout_ms => 300 }));

    is($answer->{status}, 504);
    is(code($answer), 'E_UPSTREAM_TIMEOUT');
    cmp_ok(time - $from, '<', 15);
    $service->script(undef);
};


subtest 'AEE-29 AEE-09 a timeout of 0 is ignored' => sub {
    $service->script('$c->pause(1); $c->take');

    for my $none (0, 0.0, -1) {
        my $m = aee(requires => { timeout_ms => $none });

        is(try('/aee', $m)->{status}, 202, $none);
        is($service->last->{body}, jcs($m), 'and goes on as it came');
    }

    $service->script('$c->pause(3); $c->take');
    is(code(try('/time', aee(requires => { timeout_ms => 0 }))),
       'E_UPSTREAM_TIMEOUT', 'the cap is one');
    $service->script(undef);
};


subtest 'AEE-29 an answer that trickles ends at the deadline' => sub {
    $service->script('$c->out("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n");'
                     . 'for (1 .. 90) { $c->out("{"); $c->pause(0.2) }');

    my $from = time;
    my $answer = try('/time', aee());

    is($answer->{status}, 504);
    is(code($answer), 'E_UPSTREAM_TIMEOUT');
    ok(time - $from < 15, 'the deadline is the request\'s');
    $service->script(undef);
};


subtest 'AEE-29 an answer in time is not affected' => sub {
    $service->script('$c->pause(0.1); $c->answer(200, [], '
                     . 'jcs(result($q->{json})))');
    is(try('/time', aee())->{json}{type}, 'result');
    $service->script(undef);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

# Duplicates: the principals for which a message is one, and the sender's
# answer: receivers, first answers, other contents with the same id.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));

my $all = 'parley_accept aee vcp c2a channel; parley_jwt on; parley_speak ';
my $short = 'parley_freshness past=2s future=2s; ';

my %matrix = matrix();

sub conf {
    my ($more, $size) = @_;

    my $http = $matrix{http};
    my $server = $matrix{server};

    $http =~ s/parley_zone\s+\S+;/'parley_zone agents:' . ($size \/\/ '8m') . ';'/e;

    return "$http $more
    server {
        listen 127.0.0.1:" . port(3) . ";
        server_name one;
        $server"
        . location('/one', "$all aee;") . location('/two', "$all aee;")
        . location('= /one', "$all aee;")
        . location('~ ^/peer/([a-z]+)', "$all aee;")
        . location('/named', "$all aee; parley_window 10m "
                             . 'receiver=$http_x_peer;')
        . location('/short', "parley_accept aee c2a; parley_speak c2a; "
                             . "parley_jwt on; $short parley_window 10m;")
        . location('/ruled', "$all c2a; parley_deny principal=bob; "
                             . 'parley_allow intent=c2a.**;')
        . location('/trusted', 'parley_accept c2a; parley_trusted on;')
        . "
    }
    server {
        listen 127.0.0.1:" . port(4) . ";
        server_name two;"
        . location('/one', "$all aee;") . "
    }\n";
}

my $replay = 'parley_replay size=2m time=1m;';
my $nginx = Parley::Nginx->start(workers => 2, http => conf($replay));
my $client = Parley::Client->new(port => port(1));


# Sends a request of post() after it reset the service.
sub try {
    my ($script, @post) = @_;

    $service->script($script);
    $service->clear;

    return $client->raw(post(@post));
}


# Sends a request without a reset of the service.
sub again { return $client->raw(post(@_)) }

sub code {
    my $j = $_[0]{json} // {};

    return $j->{payload}{code} // $j->{code} // $j->{error}{data}{code} // '';
}

sub field {
    my $j = $_[0]{json} // {};

    return $j->{payload}{field} // $j->{field} // $j->{error}{data}{field}
           // '';
}


subtest 'GW-18 one broadcast to two locations reaches both' => sub {
    my $m = announce();

    is(try(undef, '/to-vcp', $m)->{json}{status}, 'accepted', 'the first');
    is(again('/to-vcp-bare', $m)->{json}{status}, 'accepted', 'the second');
    is($service->count, 2, 'both were forwarded');
    is(again('/to-vcp', $m)->{json}{status}, 'duplicate', 'the first again');
    is(again('/to-vcp-bare', $m)->{json}{status}, 'duplicate', 'the second');
    is($service->count, 2, 'neither was forwarded');
};


subtest 'GW-18 an AEE event to a bus at two locations reaches both' => sub {
    my $m = aee(type => 'event', to => 'bus.ops');

    is(try(undef, '/one/a', $m)->{status}, 202, 'one');
    is(again('/two', $m)->{status}, 202, 'two');
    is(again('/one', $m)->{status}, 202, 'the exact location is another');
    is(again('/one/b', $m)->{status}, 409, 'the prefix is not');
    is($service->count, 3);
};


subtest 'GW-18 a C2A eventId to two harnesses reaches both' => sub {
    my $m = ambient();

    is(try('took($c, $q)', '/to-c2a', $m)->{status}, 200, 'the first');
    is(again('/to-c2a-bare', $m)->{status}, 200, 'the second');
    is($service->count, 2, 'both were forwarded');
};


subtest 'GW-18 a message with a recipient is the same at every location' => sub {
    my $m = aee();

    is(try(undef, '/one/a', $m)->{status}, 202);
    is(again('/two', $m)->{status}, 409);
    is(again('/one/a', { %$m, to => 'agent.carol' })->{status}, 202,
       'to somebody else it is another');
};


subtest 'GW-18 different captures of a regular expression are different receivers' => sub {
    my $m = aee(type => 'event', to => 'bus.ops');

    is(try(undef, '/peer/a', $m)->{status}, 202);
    is(again('/peer/b', $m)->{status}, 202);
    is(again('/peer/a/1', $m)->{status}, 409, 'what is not captured does not');
};


subtest 'GW-18 different server names are different receivers' => sub {
    my $m = aee(type => 'event', to => 'bus.ops');
    my $plain = sub {
        return Parley::Client->new(port => shift, tls => 0)
                     ->raw(post('/one/a', $m, sign => 1))->{status};
    };

    $service->script(undef);
    is($plain->(port(3)), 202);
    is($plain->(port(4)), 202);
    is($plain->(port(4)), 409);
};


subtest 'GW-18 parley_window receiver= decides otherwise' => sub {
    my $m = aee(type => 'event', to => 'bus.ops');
    my $to = sub {
        my @headers = defined $_[0] ? ('X-Peer', $_[0]) : ();

        return again('/named', $m, headers => \@headers)->{status};
    };

    $service->script(undef);
    is($to->('a'), 202);
    is($to->('b'), 202);
    is($to->('b'), 409);
    is($to->(), 202, 'none: the location');
    is($to->(''), 409, 'an empty one, too');
};


subtest 'GW-20 handshakes and reads are never duplicates' => sub {
    my %params = (protocolVersion => '2025-06-18', capabilities => {},
                  clientInfo => { name => 't', version => '1' });
    my $rpc = sub {
        return { jsonrpc => '2.0', id => 0, method => $_[0],
                 params => $_[1] // {} };
    };

    for my $m ($rpc->('initialize', \%params), $rpc->('ping'),
               $rpc->('tools/list'),
               call('chat.list_events', target => 'agent:bob'),
               call('chat.read_thread', target => 'agent:bob',
                    threadId => 't-1'),
               call('chat.react', inReplyTo => 'evt-1', signal => 'seen'))
    {
        my $what = $m->{method} . ' ' . ($m->{params}{name} // '');

        is(try('took($c, $q)', '/to-c2a', $m)->{status}, 200, $what);
        is(again('/to-c2a', $m)->{status}, 200, "$what again");
        is($service->count, 2, 'both were forwarded');
    }
};


subtest 'GW-19 C2A-20 a retried chat/deliver gets the first result' => sub {
    my $m = deliver();
    my $first = try('$c->answer(200, [], qq({"id":"call-1", "result":'
                    . '{"accepted": true, "n":1.50},"jsonrpc":"2.0"}))',
                    '/to-c2a', $m);

    is($first->{status}, 200);

    my $retry = again('/to-c2a', $m);

    is($retry->{body}, $first->{body}, 'octet for octet');
    is($retry->{status}, 200);
    is($service->count, 1, 'it was forwarded once');

    my $other = { %$m, id => 'call-2',
                  params => { %{ $m->{params} },
                              reliability => {
                                  %{ $m->{params}{reliability} },
                                  attempt => 2 } } };

    $retry = again('/to-c2a', $other);
    $first->{body} =~ s/call-1/call-2/;
    is($retry->{body}, $first->{body}, 'for another call and attempt, too');
    is($service->count, 1);
};


subtest 'GW-19 C2A-12 a retried send_message gets the first result' => sub {
    my $m = say();
    my $first = try('$c->answer(200, [], jcs(result($q->{json})))',
                    '/to-aee', $m);

    is($first->{status}, 200);
    ok($first->{json}{result}, 'a result') or diag $first->{raw};
    is(again('/to-aee', $m)->{body}, $first->{body}, 'octet for octet');
    is($service->count, 1);
};


subtest 'GW-19 C2A-12 a retry of an accepted message waits for its answer' => sub {
    my $m = say();

    is(try(undef, '/to-aee', $m)->{status}, 200);

    my $retry = again('/to-aee', $m);

    is($retry->{status}, 200);
    is_deeply($retry->{json}{result}{structuredContent},
              { accepted => true, duplicate => true }) or diag $retry->{raw};
    is($service->count, 1);
};


subtest 'GW-19 AEE: a duplicate names its first answer, which is included' => sub {
    my $m = aee();
    my $first = try('$c->answer(200, [], jcs(result($q->{json})))', '/one/a',
                    $m);

    is($first->{json}{type}, 'result');

    my $copy = again('/one/a', $m);

    is($copy->{status}, 409);
    is(code($copy), 'E_MESSAGE_DUPLICATE');
    is($copy->{json}{payload}{answer}, $first->{json}{id}, 'it is named')
        or diag $copy->{raw};

    my $fetch = sub {
        my ($who, @more) = @_;

        return again('/one/a', aee(from => person($who)->{aee},
                                   to => 'service.parley',
                                   intent => 'aee.context.fetch',
                                   payload => { id => $first->{json}{id},
                                                @more }),
                     as => $who)->{json}{payload};
    };

    is_deeply($fetch->('alice')->{envelope}, $first->{json}, 'and fetched')
        or diag jcs($fetch->('alice'));
    is($fetch->('lead')->{code}, 'E_NOT_FOUND', 'by its sender alone');
    is_deeply($fetch->('alice', corr => $m->{corr})->{envelope}, $first->{json},
              'AEE-38 by its corr');
    is($fetch->('alice', corr => 'another-corr')->{code}, 'E_CORR_MISMATCH',
       'AEE-38 and by no other');
};


subtest 'GW-19 AEE: also for a translated answer' => sub {
    my $m = aee();
    my $first = try('$c->answer(200, [], jcs({ jsonrpc => "2.0", '
                    . 'id => $q->{json}{id}, result => '
                    . 'done($q->{json}, "done") }))', '/to-c2a', $m);

    is($first->{json}{type}, 'result') or diag $first->{raw};
    is(again('/to-c2a', $m)->{json}{payload}{answer}, $first->{json}{id});
};


subtest 'GW-19 VCP: the answer is duplicate; agent-channel: delivered to 0 readers' => sub {
    my $m = vcp();

    is(try(undef, '/to-aee', $m)->{status}, 200);
    is(again('/to-aee', $m)->{json}{status}, 'duplicate');

    $m = advisory();
    is(try(undef, '/to-aee?scope=~cc-bob%2F*', $m)->{status}, 200);

    my $copy = again('/to-aee?scope=~cc-bob%2F*', $m);

    is($copy->{status}, 200);
    is_deeply($copy->{json}, { frame_id => $m->{frame_id}, delivered => 0 })
        or diag $copy->{raw};
    is($service->count, 1);
};


subtest 'GW-19 another principal does not get the first answer' => sub {
    my $m = say();

    is(try('took($c, $q)', '/ruled', $m)->{status}, 200);
    is(code(again('/ruled', $m, as => 'bob')), 'policy-refused',
       'whom the rules forbid');
    is(try('took($c, $q)', '/to-c2a', $m, as => 'bob')->{status}, 200);
    is($service->count, 1, 'bob\'s is his own');
};


subtest 'GW-19 the answer is repeated only at the same location' => sub {
    my $m = say();
    my $first = try('$c->answer(200, [], jcs(result($q->{json})))',
                    '/to-aee', $m);
    my $retry = again('/to-aee-bare', $m);

    isnt($retry->{body}, $first->{body}, 'elsewhere it is a duplicate');
    like($retry->{body}, qr/"duplicate":true/);
    is($service->count, 1);
};


subtest 'GW-19 without a proven caller the answer is not repeated' => sub {
    my $m = say();

    is(try('$c->answer(200, [], jcs({ jsonrpc => "2.0", id => 7,'
           . 'result => { secret => 1 } }))', '/trusted', $m,
           token => 0)->{status}, 200);

    my $retry = again('/trusted', $m, token => 0);

    unlike($retry->{body}, qr/secret/);
    like($retry->{body}, qr/"duplicate":true/);
};


subtest 'GW-12 GW-19 an unusable answer is the first answer' => sub {
    my $m = say();
    my $first = try('$c->answer(200, [], "no JSON")', '/to-c2a', $m);

    is(code($first), 'upstream-invalid');

    my $retry = again('/to-c2a', $m);

    is($retry->{status}, $first->{status});
    is($retry->{body}, $first->{body});
    is($service->count, 1);
};


subtest 'GW-12 a refusal is not an answer, and releases the id' => sub {
    for my $script ('$c->answer(503)', '$c->answer(404, [], "{}")',
                    '$c->answer(200, [], jcs({ jsonrpc => "2.0", id => 7,'
                    . ' error => { code => -31409, message => "busy" } }))')
    {
        my $m = say();

        try($script, '/to-c2a', $m);
        is(try('took($c, $q)', '/to-c2a', $m)->{status}, 200);
        is($service->count, 1, 'it came again');
    }
};


subtest 'GW-12 GW-21 a client that left gets the answer at its retry' => sub {
    my $m = say();
    my $c = $client->connect;

    $service->script('$c->pause(1.5); $c->answer(200, [], jcs({ '
                     . 'jsonrpc => "2.0", id => 7, result => { n => 42 } }))');
    $service->clear;

    $c->write(post('/to-c2a', $m));
    ok($service->wait_for(1), 'it is with the service');
    $c->leave;

    is(code(again('/to-c2a', $m)), 'message-in-flight', 'on its way');

    my $retry;

    for (1 .. 50) {
        $retry = again('/to-c2a', $m);
        last if code($retry) ne 'message-in-flight';
        sleep 0.1;
    }

    is_deeply($retry->{json}{result}, { n => 42 }) or diag $retry->{raw};
    is($service->count, 1, 'the service had it once');
};


subtest 'GW-12 different contents with the same id' => sub {
    my @cases = (
        ['/one/a', aee(), sub { +{ %{ $_[0] }, payload => { text => 'x' } } },
         '/id', 409],
        ['/to-vcp', escalation(), sub { with($_[0], 'payload/reason', 'x') },
         '/message_id', 409],
        ['/to-c2a', deliver(),
         sub { with($_[0], 'params/content/0/text', 'x') },
         '/params/eventId', 409],
        ['/to-c2a', say(), sub { with($_[0], 'params/arguments/text', 'x') },
         '/params/arguments/idempotencyKey', 409],
        ['/to-aee?scope=~cc-bob%2F*', advisory(),
         sub { with($_[0], 'payload/advisory_text', 'x') }, '/frame_id',
         409],
    );

    for my $case (@cases) {
        my ($uri, $m, $other, $field, $status) = @$case;

        my $first = try('took($c, $q)', $uri, $m);

        like($first->{status}, qr/^20/, "$field: the first")
            or diag $first->{raw};

        my $second = again($uri, $other->($m));

        is($second->{status}, $status, "$field: the other")
            or diag $second->{raw};
        like(code($second), qr/^(?:E_MESSAGE_DUPLICATE|message-duplicate)$/);
        is(field($second), $field, 'it names the id');
        is($second->{json}{payload}{answer}, undef, 'and no answer')
            if $second->{json}{payload};
        isnt($second->{json}{status} // '', 'duplicate');
        is($service->count, 1, 'it was not forwarded');
    }
};


subtest 'GW-12 the same contents in another spelling' => sub {
    my $m = aee(payload => { text => "\x{e4}", n => 1.5 });

    is(try(undef, '/one/a', $m)->{status}, 202);

    my $json = JSON::PP->new->ascii->indent->encode({ %$m });

    $json =~ s/1\.5/15e-1/;

    my $copy = $client->raw(Parley::Client->new(port => 0)->request(
        'POST', '/one/a', $json, Authorization => bearer('alice')));

    is($copy->{status}, 409);
    is(field($copy), '', 'a duplicate, that is all') or diag $copy->{raw};
};


subtest 'GW-19 AEE-17 a late retry of an answered message gets the answer' => sub {
    my $m = deliver();
    my $first = try('took($c, $q)', '/short', $m);

    is($first->{status}, 200);
    sleep 3.2;
    is(code(again('/short', deliver(timing => { createdAt => timestamp(-4) }))),
       'message-stale', 'what is new is too old');
    is(again('/short', $m)->{body}, $first->{body}, 'what is known is not');
    is($service->count, 1);
};


subtest 'GW-19 the answer is kept for its time' => sub {
    ok($nginx->reload(http => conf('parley_replay size=2m time=2s;')));

    my $m = say();
    my $first = try('took($c, $q)', '/to-c2a', $m);

    is(again('/to-c2a', $m)->{body}, $first->{body});
    sleep 2.3;
    like(again('/to-c2a', $m)->{body}, qr/"duplicate":true/);
    is($service->count, 1);
};


subtest 'GW-19 a reload keeps it, and a smaller limit drops the oldest' => sub {
    ok($nginx->reload(http => conf($replay)));

    my $m = say();
    my $first = try('took($c, $q)', '/to-c2a', $m);

    ok($nginx->reload(http => conf('parley_replay size=64k time=1m;')));
    is(again('/to-c2a', $m)->{body}, $first->{body});

    my ($old, $new) = (say(), say());
    my $script = '$c->answer(200, [], jcs({ jsonrpc => "2.0", id => 7, '
                 . 'result => { text => "x" x 40000 } }))';

    try($script, '/to-c2a', $old);
    try($script, '/to-c2a', $new);
    like(again('/to-c2a', $old)->{body}, qr/"duplicate":true/);
    like(again('/to-c2a', $new)->{body}, qr/x{40000}/);
};


subtest 'GW-19 without parley_replay no answer is kept' => sub {
    ok($nginx->reload(http => conf('')));

    my ($c2a, $aee) = (say(), aee());

    is(try('took($c, $q)', '/to-c2a', $c2a)->{status}, 200);
    like(again('/to-c2a', $c2a)->{body}, qr/"duplicate":true/);

    try('$c->answer(200, [], jcs(result($q->{json})))', '/one/a', $aee);
    is(again('/one/a', $aee)->{json}{payload}{answer}, undef);
};


# Sends alice's C2A question to bob, with an AEE service; returns (the answer,
# the task).
sub asked {
    my $answer = try($_[0], '/to-aee', deliver());

    return ($answer, scalar($service->last) && $service->last->{json});
}


# Sends bob's answer to a task, as a message of its own; a new one each time.
sub late {
    my $task = shift;

    return again('/to-c2a', aee(from => 'agent.bob', to => 'agent.alice',
                                type => 'result', intent => $task->{intent},
                                corr => $task->{corr},
                                reply_to => $task->{id}), as => 'bob');
}


subtest 'SEC-08 the first final answer closes a question' => sub {
    my ($answer, $task) = asked();

    is($answer->{status}, 200);
    $service->script('took($c, $q)');
    like(late($task)->{status}, qr/^20/, 'the first');
    is(code(late($task)), 'E_REPLY_UNMATCHED', 'the second');
    is($service->count, 2);

    ($answer, $task) = asked('$c->answer(200, [], jcs(result($q->{json})))');
    is($answer->{status}, 200, 'in the response');
    is(code(late($task)), 'E_REPLY_UNMATCHED', 'one that comes later');
};


subtest 'SEC-08 an answer that was not taken leaves it open' => sub {
    my ($answer, $task) = asked();

    $service->script('$c->answer(503)');
    is(late($task)->{status}, 503);
    $service->script('took($c, $q)');
    like(late($task)->{status}, qr/^20/);
    is(code(late($task)), 'E_REPLY_UNMATCHED');
};


for my $case (['parley_replay;', qr/invalid number of arguments/],
              ['parley_replay time=1m;', qr/needs size=/],
              ['parley_replay size=0;', qr/is not in the range; expected 1 or more/],
              ['parley_replay size=1m size=2m;', qr/is duplicate/],
              ['parley_replay size=1m time=0;', qr/is not in the range/],
              ['parley_replay 1m;', qr/is unknown; expected size= or time=/],
              ['parley_replay size=1m; parley_replay size=1m;',
               qr/is duplicate/],
              ['parley_replay size=8m;', qr/"size=" of "parley_replay" is too large/],
              ['parley_window 10m peer=x;', qr/expected receiver=/],
              ['parley_window 10m receiver=;', qr/expected receiver=/],
              ['parley_window x;', qr/is not a time; expected 0 to 36500d/])
{
    my ($line, $why) = @$case;

    subtest "GW-11 $line" => sub {
        my ($status, $said) = Parley::Nginx->check(http => conf($line));

        is($status, 1);
        like($said, $why);
    };
}


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0,
   'nothing alarming was logged');

done_testing;

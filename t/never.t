# A state that does not answer: each step that needs it ends at its deadline
# with capacity, and nothing is held afterwards.  Only for the module whose
# state answers later (make test-later).

use strict;
use warnings;

use lib 't/lib';

use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Never;
use Parley::Nginx;
use Parley::Status;
use Parley::Upstream;

# seconds that a message waits for the state
use constant DEADLINE => 1.0;

my $common = 'parley_jwt on; parley_rate 1000r/s; '
           . 'proxy_http_version 1.1; proxy_pass http://127.0.0.1:%PORT_2%; ';

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(http => http_config(zone => 'agents:1m')
    . 'parley_retain count=10 time=1h; parley_replay size=64k; '
    . 'server { listen 127.0.0.1:%PORT_1% ssl; '
    . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
    . "location /in { parley_accept aee; $common } "
    . "location /fails { parley_accept aee; $common "
    . 'proxy_intercept_errors on; error_page 503 = @spare; } '
    . "location \@spare { parley_accept aee; $common } "
    . "location /vcp { parley_accept vcp; $common } } "
    . 'server { listen 127.0.0.1:%PORT_3%; location /status { '
    . 'parley_status suspended=5; allow 127.0.0.1; deny all; } }');

my $client = Parley::Client->new(port => port(1));


sub told {
    my ($uri, $m, %o) = @_;
    my $since = time;
    my $answer = $client->raw(post($uri, $m, %o));

    return ($answer, time - $since);
}


sub refused {
    my ($verb, $uri, $m) = @_;

    never($verb);
    my ($answer, $took) = told($uri, $m);
    never();

    is($answer->{status}, 503, 'refused');
    is($answer->{json}{payload}{code}, 'E_CAPACITY', 'with capacity');
    is($answer->{json}{payload}{retryable}, JSON::PP::true, 'may come again');
    is($answer->{headers}{'retry-after'}, 1, 'in a second');
    cmp_ok($took, '>=', DEADLINE * 0.9, 'not before the deadline');
    cmp_ok($took, '<', DEADLINE * 5, 'nor long after it');
}


subtest 'VCP-26 OPS-01 the status has the parts that the state answered in time' => sub {
    my $status = Parley::Status->new(port => port(3));
    my $m = escalation(severity => 'emergency', requires_ack => true);

    is((told('/vcp', $m))[0]{status}, 200, 'an emergency');
    is($status->json->{suspended}{list}[0]{message_id}, $m->{message_id},
       'it is told');

    for ([ 'list', { suspended => 1, paused => 0 },
           { list => [], more => 1 }, 'how many, and not who' ],
         [ 'stat', undef, undef, 'neither' ])
    {
        my ($verb, $now, $who, $name) = @$_;

        never($verb);

        # a client that leaves at the same time
        my $gone = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                         PeerPort => port(3));

        print $gone "GET /status?format=json HTTP/1.0\r\n\r\n";
        select undef, undef, undef, 0.1;
        close $gone;

        my $since = time;
        my $json = $status->json;
        my $took = time - $since;

        never();

        is_deeply([ $json->{suspensions}{now}, $json->{suspended} ],
                  [ $now, $who ], $name);
        cmp_ok($took, '>=', DEADLINE * 0.9, 'not before the deadline');
        cmp_ok($took, '<', DEADLINE * 5, 'nor long after it');
    }

    is((told('/vcp', constraint(), as => 'lead'))[0]{status}, 200,
       'resumed');
    is_deeply($status->json->{suspended}, { list => [], more => 0 },
              'and nobody is');
};


for my $case ([ 'rate', 'the rate', '/in' ],
              [ 'admit', 'admission', '/in' ],
              [ 'put', 'what a reply would answer', '/in' ])
{
    my ($verb, $what, $uri) = @$case;

    subtest "GW-12 $what: capacity, and the message may come again" => sub {
        my $m = aee();

        refused($verb, $uri, $m);

        # the verb completes now, and is undone
        select undef, undef, undef, 0.2;

        is((told($uri, $m))[0]{status}, 202, 'it is taken then');
        is((told($uri, $m))[0]{status}, 409, 'once');
    };
}


subtest 'GW-12 the request that a message refers to: capacity' => sub {
    my $reply = aee(type => 'result', reply_to => aee()->{id});

    refused('get', '/in', $reply);
    is((told('/in', $reply))[0]{status}, 202, 'it is looked up then');
};


subtest 'AEE-22 health of a state that does not answer: capacity' => sub {
    refused('stat', '/in', aee(to => 'service.parley',
                               intent => 'aee.status.health'));
};


subtest 'GW-12 an answer is forwarded although the state is not updated' => sub {
    my $m = aee();

    never('settle');
    my ($answer, $took) = told('/in', $m);

    is($answer->{status}, 202, 'the caller has it');
    cmp_ok($took, '>=', DEADLINE * 0.9, 'at the deadline');

    never();
    select undef, undef, undef, 0.2;

    is((told('/in', $m))[0]{status}, 409, 'the message counts as taken');
};


# An answer is forwarded although its verb does not complete.  Returns the
# answer, and the status of the message sent again.
sub goes_on {
    my ($verb, $script, $m) = @_;

    $service->script($script);
    never($verb);
    my ($answer, $took) = told('/in', $m);
    never();
    $service->script(undef);

    cmp_ok($took, '>=', DEADLINE * 0.9, 'at the deadline');
    cmp_ok($took, '<', DEADLINE * 2, 'of all that it asks');
    select undef, undef, undef, 0.2;

    return ($answer, (told('/in', $m))[0]{status});
}


subtest 'GW-12 an answer whose question is not closed in time' => sub {
    my $m = aee();
    my ($answer, $then) = goes_on('settle',
                                  '$c->answer(200, [], jcs(result($q->{json})))',
                                  $m);

    is($answer->{json}{type}, 'result', 'the caller has it');
    is($then, 409, 'the message counts as taken');

    my ($late) = told('/in', result($m));

    isnt($late->{status}, 202, 'and what it asked as answered');
};


subtest 'GW-12 the end of a stream' => sub {
    my ($answer, $then) = goes_on('settle',
        '$c->events; $c->out("data: " . jcs(result($q->{json})) . "\n\n")',
        aee());

    is($answer->{status}, 200);
    like($answer->{body}, qr/"type":"result"/, 'the caller has what it said');
    is($then, 409, 'the message counts as taken');
};


subtest 'GW-12 a failed message is given back' => sub {
    my ($answer, $then) = goes_on('settle', '$c->answer(503)', aee());

    is($answer->{status}, 503, 'the caller knows');
    is($then, 202, 'and it may come again');
};


subtest 'GW-24 a message that continues elsewhere: capacity' => sub {
    my $m = aee();

    $service->script('$c->answer(503)');
    refused('drop', '/fails', $m);
    $service->script(undef);
    select undef, undef, undef, 0.2;

    is((told('/in', $m))[0]{status}, 202, 'it is taken then');
};


subtest 'AEE-26 a refutation is put once, without a waiting caller' => sub {
    my $m = aee();
    my $task = aee(to => 'service.parley', intent => 'aee.context.refute',
                   payload => { id => $m->{id}, reason => 'no' });

    is((told('/in', $m))[0]{status}, 202, 'it is retained');

    refused('put', '/in', $task);
    select undef, undef, undef, 0.2;

    is_deeply((told('/in', $task))[0]{json}{payload}, { acknowledged => JSON::PP::true },
              'acknowledged when it comes again');

    my ($got) = told('/in', aee(to => 'service.parley',
                                intent => 'aee.context.fetch',
                                payload => { id => $m->{id} }));

    is(scalar @{ $got->{json}{payload}{refutations} // [] }, 1, 'and is one');
};


subtest 'GW-12 a refused message holds nothing' => sub {
    unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\]/, 'nor broken');
};


done_testing;

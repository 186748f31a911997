# A state that does not answer: each step that asks it ends at its deadline with
# capacity, and nothing is held afterwards.  For the module whose state answers
# later alone (make test-later).

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(time);

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;

plan skip_all => 'the state answers at once'
    unless ($ENV{PARLEY_MODULE} // '') =~ m{/later/};

# milliseconds that a message waits for the state
use constant DEADLINE => 1.0;

my $never = tmp_dir() . '/never';
spew($never, '');
$ENV{PARLEY_LATER_NEVER} = $never;

my $common = 'parley_jwt on; parley_rate 1000r/s; '
           . 'proxy_http_version 1.1; proxy_pass http://127.0.0.1:%PORT_2%; ';

my $nginx = Parley::Nginx->start(http => http_config(zone => 'agents:1m')
    . 'parley_retain count=10 time=1h; parley_replay size=64k; '
    . 'server { listen 127.0.0.1:%PORT_1% ssl; '
    . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
    . "location /in { parley_accept aee; $common } } "
    . 'server { listen 127.0.0.1:%PORT_2%; access_log service.log; '
    . 'location / { return 202; } }');

my $client = Parley::Client->new(port => port(1));


sub told {
    my ($uri, $m) = @_;
    my $since = time;
    my $answer = $client->raw(post($uri, $m));

    return ($answer, time - $since);
}


sub refused {
    my ($verb, $uri, $m) = @_;

    spew($never, $verb);
    my ($answer, $took) = told($uri, $m);
    spew($never, '');

    is($answer->{status}, 503, 'refused');
    is($answer->{json}{payload}{code}, 'E_CAPACITY', 'with capacity');
    is($answer->{json}{payload}{retryable}, JSON::PP::true, 'may come again');
    is($answer->{headers}{'retry-after'}, 1, 'in a second');
    cmp_ok($took, '>=', DEADLINE * 0.9, 'not before the deadline');
    cmp_ok($took, '<', DEADLINE * 5, 'nor long after it');
}


for my $case ([ 'rate', 'the rate', '/in' ],
              [ 'admit', 'admission', '/in' ],
              [ 'put', 'what a reply would answer', '/in' ])
{
    my ($verb, $what, $uri) = @$case;

    subtest "GW-12 $what: capacity, and the message may come again" => sub {
        my $m = aee();

        refused($verb, $uri, $m);

        # what was under way completes now, and is undone
        select undef, undef, undef, 0.2;

        is((told($uri, $m))[0]{status}, 202, 'it is taken then');
        is((told($uri, $m))[0]{status}, 409, 'once');
    };
}


subtest 'GW-12 what a message refers to: capacity' => sub {
    my $reply = aee(type => 'result', reply_to => aee()->{id});

    refused('get', '/in', $reply);
    is((told('/in', $reply))[0]{status}, 202, 'it is looked up then');
};


subtest 'AEE-22 health of a state that does not answer: capacity' => sub {
    refused('stat', '/in', aee(to => 'service.parley',
                               intent => 'aee.status.health'));
};


subtest 'GW-12 an answer goes on where the state is not told of it' => sub {
    my $m = aee();

    spew($never, 'settle');
    my ($answer, $took) = told('/in', $m);

    is($answer->{status}, 202, 'the caller has it');
    cmp_ok($took, '>=', DEADLINE * 0.9, 'at the deadline');

    spew($never, '');
    select undef, undef, undef, 0.2;

    is((told('/in', $m))[0]{status}, 409, 'the message counts as taken');
};


subtest 'GW-12 nothing is held that was refused' => sub {
    unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\]/, 'nor broken');
};


done_testing;

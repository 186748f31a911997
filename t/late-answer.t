# Answers that come twice, or too late: while another one is in progress, and
# after a failure.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $go = tmp_dir() . '/go';
my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(http => gateway_http(
    more => 'parley_replay size=1m time=1m;'));
my $client = Parley::Client->new(port => port(1));


# a message with "slow" in its payload waits for a file
$service->script("my \$go = '$go'; " . <<'EOS');
    my $m = $q->{json};

    if (my $slow = $m->{payload}{slow}) {
        my $file = $slow == 1 ? $go : "$go.$slow";
        for (1 .. 400) { last if -e $file; sleep 0.03 }
    }

    if ($m->{payload}{fails}) {
        $c->answer(200, [], jcs(failure($m)));

    } elsif ($m->{payload}{results}) {
        $c->answer(200, [], jcs(result($m)));

    } else {
        $c->answer(202, [], '');
    }
EOS

sub begin {
    my $connection = $client->connect;

    $connection->write(post(@_));

    return $connection;
}

sub sends { $client->raw(post(@_)) }

sub code { $_[0]{json}{payload}{code} // $_[0]{status} }

sub begun {
    unlink $go, "$go.2";
    $service->clear;
}


my $uri = '/aee';

subtest "SEC-08 $uri: two answers at once, the first with a slow service" => sub {
    begun();
    my $m = aee();

    is(code(sends($uri, $m)), 202, 'asked');

    my $first = begin($uri, result($m, payload => { slow => 1 }), as => 'bob');
    $service->wait_for(2);

    is(code(sends($uri, result($m), as => 'bob')), 'E_MESSAGE_IN_FLIGHT');

    spew($go, '');
    is(code($first->answer), 202, 'the first one was taken');
    is(code(sends($uri, result($m), as => 'bob')), 'E_REPLY_UNMATCHED');
    is($service->count, 2);
};


subtest "SEC-08 $uri: an answer as its own message, then the service's" => sub {
    begun();
    my $m = aee(payload => { slow => 2, results => 1 });

    my $asked = begin($uri, $m);
    ok($service->wait_for(1));

    is(code(sends($uri, result($m), as => 'bob')), 202, 'was taken');

    spew("$go.2", '');
    is(code($asked->answer), 'E_UPSTREAM_INVALID', 'there is no second');
};


subtest "SEC-08 $uri: an answer is in progress when the service's comes" => sub {
    begun();
    my $m = aee(payload => { slow => 2, results => 1 });
    my $answer = result($m, payload => { slow => 1 });

    my $asked = begin($uri, $m);
    ok($service->wait_for(1));

    my $late = begin($uri, $answer, as => 'bob');
    ok($service->wait_for(2));

    spew("$go.2", '');
    is($asked->answer->{json}{type}, 'result', 'the first that is settled');

    spew($go, '');

    my $told = $late->answer;

    is(code($told), 'E_REPLY_UNMATCHED', 'the other is told so');
    ok($nginx->wait_for(qr/reply-unmatched.*the question is answered already/),
       'and it is logged');

    my $again = sends($uri, $answer, as => 'bob');

    is(code($again), 'E_MESSAGE_DUPLICATE', 'it went to the service');
    is($again->{json}{payload}{answer}, $told->{json}{id},
       'of what was told so');
    is($service->count, 2, 'nothing was sent again');
};


subtest "SEC-08 $uri: after a failure an answer is refused" => sub {
    begun();
    my $m = aee(payload => { fails => 1 });

    is(code(sends($uri, $m)), 'E_BROKEN', 'told');
    is(code(sends($uri, result($m), as => 'bob')), 'E_REPLY_UNMATCHED');
};


$service->stop;
done_testing();

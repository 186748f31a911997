# One sender whose messages go to many hanging URLs delays no other sender: it
# gets only the places for deliveries that others leave free.  Many senders
# whose messages go to one hanging URL delay no other URL.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;

use constant { SLOW => 24, PLACES => 4 };

my $slow = Parley::Upstream->start(port(2), '$c->pause(30)', tls => 1);
my $fast = Parley::Upstream->start(port(3), undef, tls => 1);

sub principal {
    my ($name, %other) = @_;

    return { sub => $name, handle => "~$name", instrument => "~cc-$name\@1.0",
             vcp => "agent://ops.example/$name", %other };
}

my @slow = map { "slow-$_" } 1 .. SLOW;
my @crowd = map { "crowd-$_" } 1 .. SLOW;

my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
    identities => jcs({ principals => [
        map({ principal($_) } qw(alice bob), @crowd),
        map({ principal($_, deliver => 'https://127.0.0.1:' . port(2) . "/$_") }
            @slow),
        principal('hung', deliver => 'https://127.0.0.1:' . port(2) . '/hung'),
        principal('quick', deliver => 'https://127.0.0.1:' . port(3) . '/quick'),
    ] }),
    more => 'parley_retain count=100 time=1h; parley_deliver /_deliver max='
            . PLACES . ' hosts=127.0.0.1:' . port(2) . ',127.0.0.1:' . port(3)
            . ';',
    locations => deliver_location()
                 . 'location = /in { parley_jwt on; parley_submit vcp; }'));
my $status = Parley::Status->new(port => port(1));

sub says {
    my ($from, $to) = @_;

    my $m = vcp(sender => "agent://ops.example/$from",
                recipient => "agent://ops.example/$to");

    is(submit($m, as => $from, uri => '/in')->{status}, 200, "$from to $to");
}

sub waits_for {
    my ($n, $seconds) = @_;

    my $until = time + $seconds;

    sleep 0.02 while $fast->count < $n && time < $until;

    return $fast->count >= $n;
}


subtest 'SEC-09 VCP-21 many senders to one hanging URL delay no other URL' => sub {
    says($_, 'hung') for @crowd;
    ok($slow->wait_for(PLACES, 5), 'all places are taken');

    for (1 .. 4) {
        my $from = time;

        says('bob', 'quick');
        ok(waits_for($_, 60), 'a message to another URL is delivered');
        note(sprintf 'after %.2f s', time - $from);
        cmp_ok(time - $from, '<', 6.5, 'with the next place there is');
    }

    $_->clear for $slow, $fast;
};


subtest 'SEC-09 VCP-21 a sender to hanging URLs delays no other sender' => sub {
    says('alice', $_) for @slow;
    ok($slow->wait_for(PLACES, 5), 'all places are taken');

    my $from = time;

    says('bob', 'quick');
    ok(waits_for(1, 40), 'another sender is delivered');

    my $waited = time - $from;

    note(sprintf 'after %.2f s', $waited);
    cmp_ok($waited, '<', 6.5, 'with the next place there is');

    for (2 .. 4) {
        $from = time;
        says('bob', 'quick');
        ok(waits_for($_, 40), 'and again');
        note(sprintf 'after %.2f s', time - $from);
        cmp_ok(time - $from, '<', 6.5, 'no later');
    }
};


subtest 'SEC-09 VCP-21 a single sender gets all places' => sub {
    my $until = time + 10;
    my $taken = 0;

    while ($taken < PLACES && time < $until) {
        $taken = $status->json->{jobs}{taken};
        sleep 0.05;
    }

    is($taken, PLACES, 'they are taken');
};


done_testing();

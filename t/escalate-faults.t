# Escalations without an acknowledgment are raised (VCP-24), also after a
# reload that removes principals, and while the zone is full.  The parent of
# alice is bob, the parent of bob is carol, and the parent of carol is dave.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir);
use Parley::Family;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;

my $peer = Parley::Upstream->start(port(3), undef, tls => 1);


sub http {
    my %of = (gone => '', zone => 'streams:8m', retain => '1h', @_);

    my @principals = grep { $_->{sub} ne $of{gone} }
                     family_principals('', %of);

    return streams_http(
        identities => jcs({ principals => \@principals }),
        zone => $of{zone},
        more => "parley_retain count=1000 time=$of{retain}; "
                . 'parley_deliver /_deliver hosts=127.0.0.1:' . port(3) . ';',
        locations => deliver_location() . <<"EOT");
        location = /in { parley_jwt on; parley_submit vcp aee c2a channel; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|deliver;
                         parley_vcp_constitution creed://a/b\@1; }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http(
    carol => { deliver => 'https://127.0.0.1:' . port(3) . '/carol',
               speaks => 'aee' }));
my $status = Parley::Status->new(port => port(1));


sub ended { return $status->metric("parley_deadlines_total{outcome=\"$_[0]\"}") }


subtest 'VCP-24 a reload removes the principal that was asked' => sub {
    my $m = alarm_of('critical');

    $peer->script('$c->take');
    says($m);
    ok($nginx->reload(workers => 2, http => http(
        gone => 'bob', alice => { parent => 'carol' },
        carol => { deliver => 'https://127.0.0.1:' . port(3) . '/carol' })),
       'bob is there no more');
    ok($peer->wait_for(1, 9), 'it goes to who is above its sender by now');
    is(($peer->requests)[0]{json}{message_id}, $m->{message_id}, 'as it was');

    ok($nginx->reload(workers => 2, http => http(
        gone => 'carol', bob => { parent => 'dave' })), 'nor is carol');

    my ($dave) = streams('dave');

    is_deeply([ids($dave, 14)], [$m->{message_id}], 'and so on to the top');
};

$nginx->stop;
$nginx = Parley::Nginx->start(workers => 2, http => http(
    zone => 'streams:1m share=25%'));

subtest 'VCP-24 VCP-25 a deadline is not replaced by records without waiting readers' => sub {
    my ($alice, $bob) = streams('alice', 'bob');
    my $m = alarm_of('critical');
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $evicted = 'parley_zone_evicted_total{use="optional"}';
    my ($n, $is_taken) = (0, 1);

    says($m);

    # until there is no room, and records that may be replaced were replaced
    while ($is_taken && $n++ < 5000) {
        my $info = alarm_of('info');

        $info->{payload}{requires_ack} = JSON::PP::false;
        $is_taken = $client->post('/in', jcs($info),
                        Authorization => bearer('alice'))->{status} == 200;
    }

    ok(!$is_taken, 'more than there is room for');
    cmp_ok($status->metric($evicted), '>', 0, 'of them some give way');
    taken(ack('bob', $m), 'what waits is acknowledged');
    is_deeply([map { $_->{json}{payload}{reason} } $alice->event(5)],
              ["ACK:$m->{message_id}"], 'and its sender has that');
};

$nginx->stop;
$nginx = Parley::Nginx->start(workers => 2, http => http(
    zone => 'streams:1m share=100%', retain => '12s'));

# Returns whether the zone has no room.
sub full {
    my $size = shift;

    my $event = aee(type => 'event', from => 'agent.dave', to => 'agent.bob',
                    payload => { text => 'x' x $size });

    return send_as('dave', $event)->{status} == 503;
}

subtest 'VCP-24 the zone is full when the escalation must be raised' => sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('critical');
    my $from = says($m);
    my $n = 0;

    for my $size (16000, 4000, 1000, 10) {
        1 while !full($size) && $n++ < 500;
    }

    # the zone stays full during several attempts
    while (time < $from + 9) {
        full(10);
        sleep 0.05;
    }

    ok(full(10), 'there is no room');
    is_deeply([ids($carol, 0.1)], [], 'and it went nowhere');
    is_deeply([grep { ($_ // '') eq $m->{message_id} } ids($carol, 15)],
              [$m->{message_id}], 'it goes up when there is some again');
};

$nginx->stop;
$nginx = Parley::Nginx->start(workers => 1, http => http(
    dave => { deliver => 'https://127.0.0.1:' . port(3) . '/dave' })
    =~ s/(hosts=[\d.:]+);/$1 max=1;/r);

subtest 'VCP-24 VCP-27 an escalation does not wait for slow URLs' => sub {
    my ($bob, $carol) = streams(qw(bob carol));
    my $m = alarm_of('emergency');

    $peer->clear;
    $peer->script('$c->pause(30)');
    taken(send_as('bob', vcp(sender => name('bob'), recipient => name('dave'))),
          'a delivery');
    ok($peer->wait_for(1, 15), 'which takes all that may be delivered at once');
    taken(send_as('carol', vcp(sender => name('carol'),
                               recipient => name('dave'))),
          'another waits');

    says($m);
    is_deeply([ids($carol, 15, 1)], [$m->{message_id}],
              'an emergency goes up all the same');
    is(scalar(my @all = $peer->requests), 1, 'and deliveries are as many');
    taken(ack('bob', $m), 'the end of it');
};

$nginx->stop;
$nginx = Parley::Nginx->start(workers => 1, http => http(
    map { ($_ => { deliver => 'https://127.0.0.1:' . port(3) . "/$_" }) }
        qw(bob carol dave))
    =~ s/(hosts=[\d.:]+);/$1 max=2;/r);

# Waits that many seconds; returns the ids of the messages that came to a URL.
sub came {
    my ($path, $n, $seconds) = @_;

    my @ids;
    my $until = time + $seconds;

    do {
        @ids = map { $_->{json}{message_id} }
               grep { $_->{uri} eq $path } $peer->requests;
    } while (@ids < $n && time < $until && sleep 0.05);

    return @ids;
}

subtest 'VCP-23 VCP-24 a delivery does not wait for slow URLs' => sub {
    my $m = alarm_of('critical');
    my $up = alarm_of('critical');

    $peer->clear;
    $peer->script('$q->{uri} eq q(/dave) ? $c->pause(30) : $c->take');

    for my $who (qw(bob carol alice)) {
        taken(send_as($who, vcp(sender => name($who),
                                recipient => name('dave'))),
              'a delivery that takes its time');
    }

    is(scalar(came('/dave', 2, 15)), 2, 'these are as many as may be');

    my @before = map { vcp(sender => name('alice'), recipient => name('bob')) }
                 1 .. 3;

    taken(send_as('alice', $_), 'what waits for them') for @before;
    is_deeply([came('/bob', 1, 0.5)], [], 'it does');

    my $from = says($m);

    is_deeply([came('/bob', 4, 15)],
              [map { $_->{message_id} } @before, $m],
              'what is critical does not, nor what came before it');
    note(sprintf('after %.2f s', time - $from));
    is_deeply([came('/carol', 1, 20)], [$m->{message_id}],
              'nor what goes up as nobody acknowledged it');
    cmp_ok(time - $from, '>', 4.9, 'in its time');
    cmp_ok(time - $from, '<', 20, 'and before the slow URLs answer');
    taken(ack('bob', $m), 'the end of it');
};

done_testing();

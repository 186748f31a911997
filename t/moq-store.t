# Agents over MoQ at a gateway with a store that goes away.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Moq;
use Parley::Nginx;
use Parley::Nodes;
use Parley::Redis;
use Parley::Status;

plan skip_all => moq_lacks() if moq_lacks();
plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $redis = Parley::Redis->start(port(4));
my $key = Parley::Nodes->key_file;

my $nginx = Parley::Nginx->start(http => moq_http(
    locations => 'location /status { parley_status; }',
    more => "parley_store @{[$redis->url]} key=$key timeout=500ms lease=3s;"));
my $status = Parley::Status->new(port => port(3));
my $moq = Parley::Moq->new;


sub store_becomes {
    my $up = shift;

    my $until = time + 20;

    while ($status->metric('parley_store_up') != $up && time < $until) {
        sleep 0.05;
    }

    is($status->metric('parley_store_up'), $up,
       $up ? 'the store is up' : 'the store is away');
}


store_becomes(1);

subtest 'MOQ-13 a renewal while the store is away' => sub {
    my $c = $moq->connect('camera', token => undef);

    ok($c->init, 'a session') or return $moq->show;

    $redis->kill;
    store_becomes(0);

    $c->cmd({ action => 'session_init', session_id => $c->{session_id},
              auth_token => moq_token('camera', jti => 'newer') });

    my $bye = $c->answer(action => 'session_bye');

    ok($bye, 'session_bye') or return $moq->show;
    is($bye->{json}{error_code}, 503, 'the mailbox cannot be read');
    is($bye->{json}{session_id}, $c->{session_id}, 'session_id');

    $redis->begin;
    store_becomes(1);

    ok($c->init, 'another session of the connection') or $moq->show;
    $c->close;
};

$moq->stop;

done_testing();

# Clients of event streams that others wrote, behind a balancer of two gateways
# that share a store.  One gateway after the other dies and begins again.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Nginx;
use Parley::Redis;
use Parley::StreamClient;
use Parley::StreamNodes;
use Parley::Streams;

# 0: there is one gateway, which tests the test
use constant OTHER => $ENV{PARLEY_ONE_GATEWAY} ? 0 : 1;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $redis = Parley::Redis->start(port(4));
my $nodes = stream_nodes($redis, nodes => OTHER + 1, words => 'lease=3s');

# a connection that is refused goes to the other gateway
my $servers = join ' ', map { 'server 127.0.0.1:' . $nodes->plain($_)
                              . ' max_fails=0;' } $nodes->all;
my $balancer = Parley::Nginx->start(http => <<"EOT");
    upstream gateways { $servers }
    server {
        listen 127.0.0.1:%PORT_11%;
        location / {
            proxy_pass          http://gateways;
            proxy_http_version  1.1;
            proxy_set_header    Connection "";
            proxy_buffering     off;
            proxy_read_timeout  1h;
            proxy_next_upstream error timeout http_503;
        }
    }
EOT

my @clients = grep { $_->{name} !~ /TLS|tls|http2/ }
    Parley::StreamClient->all(token => bearer('bob'), url => sub {
        return 'http://localhost:' . port(11)
               . "/channel/stream/~bob?session=$_[2]";
    });
my @sent;


# Submits frames by the balancer, as a client does, until they are accepted.
sub publish {
    my ($name, $n) = @_;

    for my $text (map { "$name $_" } 1 .. $n) {
        my $m = frame('alice', 'bob', text => $text);

        push @sent, $text;
        ok(0, "$text is accepted") if !$nodes->wait_for(sub {
            submit($m, port => port(11))->{status} == 200 });
    }
}


sub each_client {
    my ($name) = @_;

    for my $c (@clients) {
        subtest "CLU-04 CLU-05 HUB-02 GW-15: $name: $c->{name}" => sub {
            plan skip_all => $c->{without} if $c->{without};

            my $client = $c->{client};

            is_deeply($client->texts(scalar @sent), \@sent,
                      'each frame once, in order');
            is(scalar(grep { ($_->{event} // '') eq 'gap' }
                      @{ $client->{events} }), 0, 'and no gap');
        };
    }
}


for my $c (grep { !$_->{without} } @clients) {
    $c->{client} = Parley::StreamClient->start(%$c);
    ok($c->{client}->opened, "$c->{name} is open");
}

publish('first', 6);
each_client('by both gateways');

for my $i (OTHER ? (1, 0) : ()) {
    $nodes->kill($i);
    publish("without $i", 30);
    each_client("gateway $i is killed");

    $nodes->begin($i);
    publish("with $i", 10);
    each_client("gateway $i is back");
}

for my $i ($nodes->all) {
    ok($nodes->nginx($i)->reload, "gateway $i is reloaded");
    publish("reloaded $i", 30);
    each_client("gateway $i is reloaded");
}

$redis->cli('CLIENT', 'KILL', 'TYPE', $_, 'SKIPME', 'yes') for qw(normal pubsub);
publish('cut', 30);
each_client('the connections of the store are cut');

publish('last', 1);
each_client('nothing comes twice');

$_->{client} && $_->{client}->leave for @clients;

done_testing();

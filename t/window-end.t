# The end of the window: not before the longest freshness of any location.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(1));

my $short = 'parley_accept aee; parley_jwt on; '
          . 'parley_freshness past=1s future=1s; parley_window 2s;';


# Starts a gateway with only these locations.
sub gateway {
    my ($cert, $key) = Parley::Env::tls();

    return Parley::Nginx->start(workers => 2, http => http_config()
        . 'server { listen 127.0.0.1:' . port(1) . " ssl;\n"
        . "ssl_certificate $cert;\nssl_certificate_key $key;\n@_ }\n");
}


sub again {
    my ($uri, $m) = @_;

    return $client->raw(post($uri, { %$m, ts => timestamp() }));
}


subtest 'AEE-16 the window is configurable, and ends' => sub {
    my $nginx = gateway(location('/short', $short));
    my $m = aee();

    is(again('/short', $m)->{status}, 202, 'the first');
    is(again('/short', $m)->{status}, 409, 'at once');
    sleep 2.5;
    is(again('/short', $m)->{status}, 202, 'after the window');
};


subtest 'SEC-13 not before another location would accept the message' => sub {
    my $nginx = gateway(location('/short', $short),
                        location('/long', 'parley_accept aee; parley_jwt on; '
                            . 'parley_freshness past=1m future=1s; '
                            . 'parley_window 2m;'));
    my $m = aee();

    is($client->raw(post('/short', $m))->{status}, 202, 'the first');
    sleep 2.5;
    is($client->raw(post('/long', $m))->{status}, 409, 'where it is fresh');
    is(again('/short', $m)->{status}, 409, 'and where it was taken');
};


done_testing;

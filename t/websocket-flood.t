# A client of a WebSocket that floods the gateway with frames that are not
# messages, over TLS: other clients are served meanwhile, and the memory of the
# worker does not grow.

use strict;
use warnings;

use lib 't/lib';

use POSIX ();
use Test::More;
use Time::HiRes qw(time);

use Parley::Client;
use Parley::Env qw(is_sanitized port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::SocketService;
use Parley::Upstream;
use Parley::Websocket;

use constant { LONGEST => 30, GROWTH => 64 * 1024 };

my $dir = tmp_dir();
my $service = Parley::Upstream->start(port(2));

my $nginx = Parley::Nginx->start(workers => 1, http => gateway_http(
    more => "parley_self agent.gateway;\nparley_retain count=100 time=1h;\n"
          . "map \$http_upgrade \$connection_upgrade "
          . "{ default upgrade; '' close; }\n",
    server =>
        location('/ws', 'parley_accept aee; parley_jwt on; '
                      . 'proxy_http_version 1.1; '
                      . 'proxy_set_header Upgrade $http_upgrade; '
                      . 'proxy_set_header Connection $connection_upgrade;')
      . "location /hub { parley_jwt on; parley_websocket aee; }\n"
      . "location /small { return 204; }\n"));

my $mask = "\0\0\0\0";

my %floods = (
    pings => frame_of('p' x 125, kind => 'ping', mask => $mask),
    'empty pings' => frame_of('', kind => 'ping', mask => $mask),
    pongs => frame_of('', kind => 'pong', mask => $mask),
    fragments => frame_of('', kind => 'more', fin => 0, mask => $mask),
);


# Returns the pid of the worker, and its resident memory in KB.
sub worker {
    my $pid = $nginx->pid;

    return (split ' ', slurp("/proc/$pid/task/$pid/children"))[0];
}

sub rss {
    return slurp('/proc/' . worker() . '/status') =~ /^VmRSS:\s+(\d+)/m
           ? $1 : die;
}


# Floods until it is killed, and reads nothing.
sub flood {
    my ($socket, $octets) = @_;

    my $pid = fork // die;
    return $pid if $pid;

    alarm LONGEST;
    $socket->raw($octets) while 1;
    POSIX::_exit(0);
}


for my $uri ('/ws', '/hub') {
    for my $name (sort keys %floods) {
        subtest "GW-34 $uri: a flood of $name" => sub {
            $service->script('$c->opens; $c->pause(60)');

            my $socket = websocket('alice', uri => $uri, tls => 1,
                                   plain => $uri eq '/ws');

            is($socket->status, 101, 'open') or return;

            $socket->send('', fin => 0) if $name eq 'fragments';

            my $before = rss();
            my $block = $floods{$name}
                        x int(65536 / length $floods{$name});
            my $pid = flood($socket, $block);
            my $other = Parley::Client->new(port => port(1), tls => 1);
            my $served = 0;

            for (1 .. 20) {
                my $answer = $other->get('/small');

                $served++ if $answer && $answer->{status} == 204;
                select undef, undef, undef, 0.05;
            }

            is(waitpid($pid, POSIX::WNOHANG()), 0, 'during the flood');
            is($served, 20, 'another client is served');

            SKIP: {
                skip 'memory is not measured under sanitizers', 1
                    if is_sanitized();
                cmp_ok(rss() - $before, '<', GROWTH, 'memory does not grow');
            }

            kill KILL => $pid;
            waitpid $pid, 0;
        };
    }
}


$service->stop;
done_testing;

# AEE-29: the deadline ends the request, for anything that nginx waits for.

use strict;
use warnings;

use lib 't/lib';

use IO::Select;
use IO::Socket::INET;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $up = 'proxy_pass http://127.0.0.1:' . port(2) . ';';
my $cap = 'parley_accept aee; parley_jwt on; parley_cap timeout=500ms;';

# each has its own name, as a name that was resolved too late is cached
my ($named, $other) = map { "set \$b $_.example; proxy_pass http://\$b:"
                            . port(2) . ';' } qw(named other);

my $dns = resolver();
my $nginx = Parley::Nginx->start(http => gateway_http(server =>
      'resolver 127.0.0.1:' . port(7) . " ipv6=off valid=1s;\n"
    . "location /named { $cap $named }\n"
    . "location /falls { $cap error_page 502 504 = \@next; $other }\n"
    . "location \@next { $cap $up }\n"
    . "location /slowly { $cap proxy_limit_rate 8k; $up }\n"));
my $client = Parley::Client->new(port => port(1));


# Starts a name server that answers 127.0.0.1 to everything, after 2 s.
sub resolver {
    my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
                                       LocalPort => port(7), Proto => 'udp')
        or die "resolver: $!\n";

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        $SIG{$_} = 'DEFAULT' for qw(HUP INT TERM);
        my $parent = getppid;

        while (getppid == $parent) {
            IO::Select->new($socket)->can_read(1) or next;
            my $peer = $socket->recv(my $query, 512) // next;
            my ($id, $question) = unpack 'n x10 a*', $query;

            sleep 2;
            $socket->send(pack('n6', $id, 0x8180, 1, 1, 0, 0) . $question
                . pack('nnnNnC4', 0xc00c, 1, 1, 60, 4, 127, 0, 0, 1),
                0, $peer);
        }

        POSIX::_exit(0);
    }

    return $pid;
}


sub is_over {
    my ($uri, $m) = @_;

    my $from = time;
    my $answer = $client->raw(post($uri, $m // aee()));

    is($answer->{status}, 504, 'status');
    is($answer->{json}{payload}{code}, 'E_UPSTREAM_TIMEOUT', 'code');
    cmp_ok(time - $from, '<', 1.8, 'in time');
}


subtest 'AEE-29 while the name of the upstream is resolved' => sub {
    my $m = aee();

    is_over('/named', $m);
    sleep 2.2;
    is($service->count, 0, 'it is not sent any more');
    is($client->raw(post('/aee', $m))->{status}, 202, 'it may be sent again');
    is_over('/falls');
};


subtest 'AEE-29 under proxy_limit_rate' => sub {
    $service->script('$c->answer(200, [], jcs(result($q->{json}, '
                     . 'payload => { text => "x" x 60_000 })))');
    is_over('/slowly');
    $service->script(undef);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

$nginx->stop;
kill 'TERM', $dns;
waitpid $dns, 0;

done_testing;

# Reservations of a killed worker use no room and do not count in the shares of
# their senders, even before another request for the same id.

use strict;
use warnings;

use lib 't/lib';

use IO::Select;
use IO::Socket::INET;
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;

# accepts connections, and never answers
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1024,
                                   LocalPort => port(4)) or die "listen: $!\n";

my $nginx = Parley::Nginx->start(workers => 1, http =>
    http_config(zone => 'agents:256k share=1%')
    . 'server { listen 127.0.0.1:%PORT_3%; '
    . location('/held', 'parley_accept aee; parley_jwt on;', port(4))
    . 'location /in { parley_accept aee; parley_jwt on; '
    . 'proxy_pass http://127.0.0.1:%PORT_2%; } } '
    . 'server { listen 127.0.0.1:%PORT_2%; location / { return 202; } }');

my (@held, @message);


sub connection {
    return IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                 PeerPort => port(3));
}


# Returns the status of an answer, or 0.
sub status {
    my $socket = shift;
    my $said = '';

    sysread $socket, $said, 65536 if IO::Select->new($socket)->can_read(10);

    return $said =~ m{^HTTP/1\.1 (\d+)} ? $1 : 0;
}


sub try {
    my $socket = connection() or return 0;

    $socket->print(post('/in', $_[0], sign => 1));

    return status($socket);
}


subtest 'GW-25 a worker has reserved all of a sender\'s share' => sub {
    my $full = 0;

    for (1 .. 400) {
        my $m = aee();
        my $socket = connection() or last;

        $socket->print(post('/held', $m, sign => 1));

        if (IO::Select->new($socket)->can_read(0.05)) {
            $full = status($socket);
            last;
        }

        push @held, $socket;
        push @message, $m;
    }

    is($full, 503, 'full after ' . @held);
    is(try(aee()), 503, 'elsewhere, too');
};


subtest 'GW-25 after its death the share is free at once' => sub {
    my $children = "/proc/$nginx->{pid}/task/$nginx->{pid}/children";
    my ($worker) = split ' ', slurp($children);
    my $end = time + 15;
    my $status = 0;

    ok(kill('KILL', $worker), 'killed');

    while (!$status && time < $end) {
        sleep 0.05;
        $status = try(aee());
    }

    is($status, 202, 'another message finds room');
    is(try($message[0]), 202, 'and what was reserved is taken');
    is(try($message[-1]), 202);
    is(try($message[-1]), 409, 'once');
};


done_testing;

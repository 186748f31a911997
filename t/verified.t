# SEC-23: a token that one worker verified passes in every worker, also from an
# address with too many bad proofs.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool qw(decode_base64url);
use Parley::Upstream;

use constant WORKERS => 3;

my $service = Parley::Upstream->start(port(2));
my $dir = tmp_dir();
my $client = Parley::Client->new(port => port(1));
my $bad = 'Bearer e30.e30.e30';

sub revoke {
    spew("$dir/revocations.new", jcs({ principals => [], kids => [],
                                       tokens => [@_] }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}

sub http {
    my $server = "set_real_ip_from 127.0.0.1;\nreal_ip_header X-From;\n"
        . location('/limited', 'parley_accept aee; parley_jwt on '
                               . 'exp=optional failures=9r/h:2;')
        . location('/strict', 'parley_accept aee; parley_jwt on '
                              . 'audience=other failures=9r/h:2;')
        . location('/idle', 'parley_accept aee; parley_trusted on;');

    # so that the kernel gives each worker its connections
    return gateway_http(server => $server, more => <<"EOT") =~
    parley_revocations  $dir/revocations.json;
    add_header          X-Pid \$pid always;
EOT
           s/ ssl;/ ssl reuseport;/r;
}

revoke();

my $nginx = Parley::Nginx->start(workers => WORKERS, http => http());


# one connection with each worker, none of which verified a token on it
sub workers {
    my %by;
    my $until = time + 20;

    until (keys %by == WORKERS) {
        die "a worker has no connection\n" if time > $until;

        my $connection = $client->connect;

        $connection->write(post('/idle', aee(), token => 0,
                                headers => [Connection => 'keep-alive']));
        $by{ $connection->answer->{headers}{'x-pid'} } //= $connection;
    }

    return @by{ sort keys %by };
}


our $uri = '/limited';

# the statuses of a token from an address, by each of some connections
sub statuses {
    my ($address, $token, @connections) = @_;

    return join ' ', map {
        $_->{buffer} = '';
        $_->write(post($uri, aee(), token => $token, headers => [
            'X-From' => $address, Connection => 'keep-alive']));
        $_->answer->{status};
    } @connections;
}

# an address with too many bad proofs
sub limited {
    my ($address, $connection) = @_;

    like(statuses($address, $bad, ($connection) x 6), qr/401 401 401 429/,
         'the address is limited');
}


sub fresh { bearer('alice', jti => uuid4(), @_) }


subtest 'SEC-23 one worker verified it' => sub {
    my @workers = workers();
    my $token = fresh();

    is(statuses('192.0.2.1', $token, $workers[0]), 202, 'by one worker');
    limited('192.0.2.2', $workers[1]);
    is(statuses('192.0.2.2', $token, @workers), '202 202 202', 'by all');
    is(statuses('192.0.2.2', $token, @workers), '202 202 202', 'and again');
    is(statuses('192.0.2.2', fresh(), @workers), '429 429 429',
       'not one that no worker verified');
};


subtest 'SEC-23 a forgery of a token that passes' => sub {
    my @workers = workers();
    my $token = fresh();
    my ($head, $claims, $signature) = split /\./, $token;
    my ($other) = (split /\./, fresh())[1];

    is(statuses('192.0.2.1', $token, @workers), '202 202 202', 'it passes');
    limited('192.0.2.3', $workers[0]);

    my %forged = (
        'its signature' => "$head.$claims." . ($signature =~ s/^(.)/
                               $1 eq 'A' ? 'B' : 'A'/er),
        'its end'       => "$head.$claims." . ($signature =~ s/(..)$/
                               $1 eq 'AA' ? 'BA' : 'AA'/er),
        'its claims'    => "$head.$other.$signature",
        'a part of it'  => substr($token, 0, -4),
        'more than it'  => "${token}AAAA",
        'its head'      => "$head..",
    );

    is(statuses('192.0.2.3', $forged{$_}, @workers), '429 429 429', $_)
        for sort keys %forged;

    is(statuses('192.0.2.3', $token, @workers), '202 202 202',
       'it still passes');
};


subtest 'SEC-23 an expired token is refused' => sub {
    my @workers = workers();
    my $token = fresh(exp => time + 3);
    my $exp = from_json(decode_base64url((split /\./, $token)[1]))->{exp};

    is(statuses('192.0.2.1', $token, $workers[0]), 202, 'it passes');
    limited('192.0.2.4', $workers[1]);
    is(statuses('192.0.2.4', $token, $workers[1]), 202, 'beside the bad ones');

    sleep 0.1 while time < $exp + 0.1;

    like(statuses('192.0.2.4', $token, @workers), qr/^(?:(?:401|429) ?){3}$/,
         'until it expires');
    is(statuses('192.0.2.4', $token, $workers[2]), 429,
       'a worker without it verifies nothing');
};


subtest 'SEC-23 a revoked token is refused' => sub {
    my @workers = workers();
    my %id = (iss => 'https://id.example', jti => uuid4());
    my $token = bearer('alice', %id);

    is(statuses('192.0.2.1', $token, $workers[0]), 202, 'it passes');
    limited('192.0.2.5', $workers[1]);
    revoke(\%id);

    my $until = time + 10;
    my $statuses;

    do {
        sleep 0.1;
        $statuses = statuses('192.0.2.5', $token, @workers);
    } while ($statuses =~ /202/ && time < $until);

    unlike($statuses, qr/202/, 'by all workers');
};


subtest 'SEC-23 the record exempts from nothing else' => sub {
    my @workers = workers();
    my $token = fresh();

    is(statuses('192.0.2.1', $token, $workers[0]), 202, 'it passes');

    local $uri = '/strict';

    is(statuses('192.0.2.6', $token, @workers), '401 401 401',
       'a token of another audience');
    unlike(statuses('192.0.2.6', $token, @workers), qr/202/, 'over the limit');
};


subtest 'SEC-23 a token without an end' => sub {
    my @workers = workers();
    my $token = fresh(exp => undef);

    is(statuses('192.0.2.1', $token, $workers[0]), 202, 'it passes');
    limited('192.0.2.7', $workers[1]);
    is(statuses('192.0.2.7', $token, @workers), '202 202 202', 'by all');
};


subtest 'SEC-23 a reload keeps it' => sub {
    my @workers = workers();
    my $token = fresh();
    my ($head, $claims) = split /\./, $token;

    is(statuses('192.0.2.1', $token, $workers[0]), 202, 'it passes');
    limited('192.0.2.8', $workers[1]);

    ok($nginx->reload, 'a reload');
    @workers = workers();

    is(statuses('192.0.2.8', $token, @workers), '202 202 202',
       'workers that never saw it');
    is(statuses('192.0.2.8', "$head.$claims." . ('A' x 86), @workers),
       '429 429 429', 'a forgery');
    is(statuses('192.0.2.8', fresh(), @workers), '429 429 429',
       'another token');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

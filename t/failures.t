# A failed proof counts against its address only.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool qw(decode_base64url);
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));

# each limit is different: locations with equal limits would share it
my %place = (
    '/few'      => 'parley_jwt on failures=2r/h:2;',
    '/few6'     => 'parley_jwt on failures=3r/h:2;',
    '/expired'  => 'parley_jwt on failures=4r/h:2;',
    '/missing'  => 'parley_jwt on failures=5r/h:0;',
    '/soon'     => 'parley_jwt on failures=30r/m:0;',
    '/default'  => 'parley_jwt on;',
    '/off'      => 'parley_jwt on failures=off;',
    '/signed'   => 'parley_signature required; parley_rate 1r/h;',
    '/forged'   => 'parley_signature required; parley_rate 1r/m;',
    '/many'     => 'parley_signature required;',
    '/neighbour' => 'parley_signature required; parley_rate 2r/h burst=1;',
    '/unsigned' => 'parley_trusted on; parley_rate 2r/m;',
    '/beside'   => 'parley_jwt on failures=9r/h:2;',
    '/trusted'  => 'parley_trusted on;',
    '/dry'      => 'parley_jwt on failures=6r/h:0; parley_dry_run on;',
    '/dry-all'  => 'parley_jwt on failures=7r/h:0; parley_dry_run all;',
);

my $server = "set_real_ip_from 127.0.0.1;\nreal_ip_header X-From;\n"
           . join '', map { location($_, "parley_accept aee; $place{$_}") }
                          sort keys %place;

my $nginx = Parley::Nginx->start(workers => 2,
                                 http => gateway_http(server => $server));
my $client = Parley::Client->new(port => port(1));


# Returns the answer to a message from an address.
sub from {
    my ($address, $uri, $message, %o) = @_;

    return $client->raw(post($uri, $message, %o,
                             headers => ['X-From' => $address]));
}


# Returns the statuses of n equal messages over one connection.
sub again {
    my ($n, $address, $uri, %o) = @_;

    my $octets = post($uri, aee(), %o, headers => ['X-From' => $address,
                                                   Connection => 'keep-alive']);
    my $connection = $client->connect;

    return map {
        $connection->{buffer} = '';
        $connection->write($octets);
        $connection->answer->{status};
    } 1 .. $n;
}


sub statuses { join ' ', map { $_->{status} } @_ }


my $bad = 'Bearer e30.e30.e30';
my $good = bearer('alice');


# Returns a valid token that no worker has verified yet.
sub fresh { bearer('alice', jti => uuid4()) }


# Returns the statuses of requests over one connection, and so by one worker: a
# list of [TOKEN, NUMBER] from an address.
sub beside {
    my ($address, $uri, @tokens) = @_;

    my $connection = $client->connect;

    return join ' ', map {
        my ($token, $n) = @$_;

        map {
            $connection->{buffer} = '';
            $connection->write(post($uri, aee(), token => $token, headers => [
                'X-From' => $address, Connection => 'keep-alive']));
            $connection->answer->{status};
        } 1 .. $n;
    } @tokens;
}


subtest 'SEC-10 an address with too many bad tokens is refused without a check' => sub {
    my @answers = map { from('192.0.2.1', '/few', aee(), token => $bad) } 1 .. 5;

    is(statuses(@answers), '401 401 401 429 429');
    is($answers[4]{json}{payload}{code}, 'E_RATE_LIMITED');
    like($answers[4]{headers}{'retry-after'}, qr/^[1-9]\d*$/, 'Retry-After');

    is(from('192.0.2.1', '/few', aee(), token => fresh())->{status}, 429, 'whatever it shows');
};


subtest 'SEC-10 other addresses are not affected' => sub {
    is(from('192.0.2.2', '/few', aee(), token => $good)->{status}, 202);
};


subtest 'SEC-10 a /64 of IPv6 is one address' => sub {
    is(statuses(map { from("2001:db8::$_", '/few6', aee(), token => $bad) }
                    1 .. 4), '401 401 401 429');
    is(from('2001:db8::ffff:1', '/few6', aee(), token => fresh())->{status}, 429);
    is(from('2001:db8:0:1::1', '/few6', aee(), token => $good)->{status}, 202, 'the next /64');
};


subtest 'SEC-10 an expired token proves nothing' => sub {
    my $old = bearer('alice', exp => time - 60);

    is(statuses(map { from('192.0.2.1', '/expired', aee(), token => $old) }
                    1 .. 4), '401 401 401 429');
};


subtest 'SEC-10 a request without a token is not a failure' => sub {
    is(statuses(map { from('192.0.2.1', '/missing', aee(), token => 0) }
                    1 .. 4), '401 401 401 401');
    is(from('192.0.2.1', '/missing', aee(), token => $good)->{status}, 202);
};


subtest 'SEC-10 its token is checked again after the time' => sub {
    is(statuses(map { from('192.0.2.1', '/soon', aee(), token => $bad) }
                    1 .. 2), '401 429');
    Time::HiRes::sleep(2.2);
    is(from('192.0.2.1', '/soon', aee(), token => $good)->{status}, 202);
};


subtest 'SEC-10 there is a default limit' => sub {
    my $begin = time;
    my @answers = again(300, '192.0.2.3', '/default', token => $bad);
    my $asked = grep { $_ == 401 } @answers;

    cmp_ok($asked, '>=', 51, 'the burst');
    cmp_ok($asked, '<=', 52 + 10 * (time - $begin), "and 10 r/s: $asked");
    is($asked + grep({ $_ == 429 } @answers), 300, 'no other');
    is(from('192.0.2.4', '/default', aee(), token => $good)->{status}, 202, 'others pass');
};


subtest 'SEC-10 the limit can be off' => sub {
    is_deeply([again(200, '192.0.2.5', '/off', token => $bad)],
              [(401) x 200]);
};


subtest 'SEC-10 a failure with a valid signature counts against its sender' => sub {
    my @answers = map { from("198.51.100.$_", '/signed', aee(), sign => 1,
                             token => 0) } 1 .. 8;

    is(statuses(@answers), join ' ', 202, (429) x 7);
};


subtest 'SEC-10 forgeries count against their address only' => sub {
    my @answers = map { from("203.0.113.$_", '/forged', aee(), sign => 'bob',
                             token => 0) } 1 .. 8;

    is(statuses(@answers), join ' ', (403) x 8);
    is(from('203.0.113.9', '/forged', aee(), sign => 1, token => 0)->{status},
       202, 'the sender has its own rate still');
};


subtest 'SEC-10 an address with too many forgeries is refused without a check' => sub {
    my @answers = again(500, '203.0.113.10', '/many', sign => 'bob',
                        token => 0);

    is($answers[0], 403, 'at first');
    # the limit lets 10 a second through, so the last one may be one of them
    ok((grep { $_ == 429 } @answers[-100 .. -1]), 'in the end');
    is(from('203.0.113.11', '/many', aee(), sign => 1, token => 0)->{status},
       202, 'others pass');
};


subtest 'SEC-10 a trusted address may have many callers' => sub {
    is_deeply([again(200, '203.0.113.12', '/trusted', sign => 'bob',
                     token => 0)], [(403) x 200]);
};


subtest 'SEC-23 a verified token passes together with bad ones' => sub {
    is(beside('192.0.2.20', '/beside', [$good, 1], [$bad, 120], [$good, 2]),
       join(' ', 202, (401) x 3, (429) x 117, 202, 202));
    is(beside('192.0.2.20', '/beside', [fresh(), 1]), 429,
       'one that has to be verified does not');

    my $old = bearer('alice', exp => time + 2);

    is(beside('192.0.2.21', '/beside', [$old, 1], [$bad, 4], [$old, 1]),
       '202 401 401 401 429 202');

    Time::HiRes::sleep(0.1) while time < from_json(decode_base64url(
        (split /\./, $old)[1]))->{exp};

    isnt(beside('192.0.2.21', '/beside', [$old, 1]), 202, 'until it expires');
};


subtest 'SEC-10 forgeries do not use up the limit of another address' => sub {
    my @by = ('203.0.113.30', '/neighbour', aee());

    my $statuses = sub {
        my ($signer, $n) = @_;

        return statuses(map { from(@by[0, 1], aee(), sign => $signer,
                                   token => 0) } 1 .. $n);
    };

    is($statuses->('bob', 12), join(' ', (403) x 12), 'forged');
    is($statuses->(1, 3), '202 202 429', 'its own two');
    is(statuses(map { from(@by[0, 1], aee(), token => 0) } 1 .. 3),
       '403 403 403', 'unsigned');
    is(statuses(from(@by[0, 1], aee(from => 'agent.bob'), sign => 'bob',
                     as => 'bob', token => 0)), 202, 'another neighbour');
};


subtest 'SEC-10 unsigned messages count against their address' => sub {
    is(statuses(map { from('203.0.113.31', '/unsigned', aee(), token => 0) }
                1 .. 3), '202 429 429');
    is(from('203.0.113.31', '/unsigned', aee(), sign => 1,
            token => 0)->{status}, 202, 'a signed one against its sender');
    is(from('203.0.113.32', '/unsigned', aee(), token => 0)->{status}, 202,
       'another address');
};


subtest 'SEC-20 a dry run refuses such an address too' => sub {
    is(statuses(map { from('192.0.2.1', '/dry', aee(), token => $bad) }
                    1 .. 2), '401 429');
};


subtest 'SEC-20 a dry run of everything does not' => sub {
    is(statuses(map { from('192.0.2.1', '/dry-all', aee(), token => $bad) }
                    1 .. 2), '202 202');
};


subtest 'SEC-10 a reload keeps the counts' => sub {
    ok($nginx->reload);
    is(from('192.0.2.1', '/few', aee(), token => fresh())->{status}, 429);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

# GW-38: tokens whose dates have fractions of a second, at every endpoint, and
# large tokens.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port spew tls tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool qw(tool_ok);
use Parley::Verbs qw(verbs_http call_text);

my ($cert, $key) = tls();

my $nginx = Parley::Nginx->start(workers => 2, http => verbs_http() . <<"EOT");
    server {
        listen 127.0.0.1:%PORT_2% ssl;
        ssl_certificate $cert;
        ssl_certificate_key $key;
        large_client_header_buffers 4 512k;

        location = /large {
            parley_submit channel;
            parley_jwt on;
            parley_allow scope=r.004096;
        }
        location = /roles {
            parley_submit channel;
            parley_jwt on;
            parley_claims roles=roles;
            parley_allow role=r.004096;
        }
        location = /huge { parley_jwt on max_size=200000; parley_submit channel; }
        location = /small { parley_jwt on max_size=1k; parley_submit channel; }
    }
EOT

my %ask = (
    'a frame'   => sub { submit(frame('alice', 'bob'), token => $_[0]) },
    'a message' => sub { submit(aee(type => 'event', to => 'agent.bob'),
                                uri => '/any', as => 'alice',
                                token => $_[0]) },
    'MCP'       => sub { submit({ jsonrpc => '2.0', id => 1, method => 'ping' },
                                uri => '/mcp', as => 'alice',
                                token => $_[0]) },
);


subtest 'GW-38 a token issued within this second is valid' => sub {

    for my $claim (qw(iat nbf)) {

        # just after the beginning of a second, a lost fraction might not be
        # noticed
        sleep 0.2 while time - int time < 0.1;

        my $token = bearer('alice', $claim => time);

        for my $name (sort keys %ask) {
            my $answer = $ask{$name}->($token);

            like($answer->{status}, qr/^20[02]$/, "$claim: $name")
                or diag($answer->{body});
        }

        my $stream = listen_to('alice', token => $token);

        is($stream->status, 200, "$claim: a stream");
        $stream->leave;

        spew(tmp_dir() . '/token', substr $token, length 'Bearer ');
        ok(tool_ok('token', 'verify', '--keys', tmp_dir() . '/jwks.json',
                   tmp_dir() . '/token'), "$claim: parley token verify");
    }
};


subtest 'GW-38 a token that is valid only later in this second is refused' => sub {

    for my $claim (qw(iat nbf)) {
        my $begin = time + 30;
        my $token = bearer('alice', $claim => $begin + 0.5);

        for my $name (sort keys %ask) {
            my $answer = $ask{$name}->($token);

            is($answer->{status}, 401, "$claim: $name") or
                diag($answer->{body});
        }

        $token = substr $token, length 'Bearer ';

        my @verify = ('token', 'verify', '--keys', tmp_dir() . '/jwks.json',
                      '--token', $token, '--at');

        is((Parley::Tool::tool(@verify, timestamp($begin + 0.4 - time)))[0], 1,
           "$claim: parley token verify, 100 ms before");
        is((Parley::Tool::tool(@verify, timestamp($begin + 0.6 - time)))[0], 0,
           "$claim: 100 ms after");
    }
};


subtest 'GW-38 a token ends at its fraction of a second' => sub {
    my $until = time + 0.6;

    # so that it does not end with its second
    $until = int($until) + 0.1 if $until - int $until > 0.6;
    $until += 1 if $until < time;

    my $token = bearer('alice', exp => $until);

    # it is accepted and is in the cache
    is($ask{'a frame'}->($token)->{status}, 200, 'taken');

    sleep 0.02 while time < $until + 0.02;

    for my $name (sort keys %ask) {
        my $answer = $ask{$name}->($token);

        is($answer->{status}, 401, $name);
        like($answer->{headers}{'www-authenticate'}, qr/expired/, 'why');
    }
};


subtest 'GW-38 large tokens' => sub {
    my $client = Parley::Client->new(port => port(2));

    my $ask = sub {
        my ($uri, %claims) = @_;

        my $token = bearer('alice', %claims);
        my $answer = $client->send('POST', $uri, jcs(frame('alice', 'bob')),
                                   Authorization => $token);

        return ($answer->{status}, length($token) - length 'Bearer ', $answer);
    };

    # 4096 scopes, a token of nearly 64 KB; the last one counts
    my @words = map { sprintf 'r.%06d', $_ } 1 .. 4096;
    my ($status, $length, $answer) = $ask->('/large', scope => "@words");

    is($status, 200, 'a scope of 4096') or diag($answer->{body});
    cmp_ok($length, '>', 45_000, 'octets of the token');

    is(($ask->('/large', scope => undef, scp => \@words))[0], 200, 'an array of them');
    is(($ask->('/large', scope => "@words[0 .. 4094]"))[0], 403,
       'without the last one');
    is(($ask->('/large', scope => "@words x"))[0], 401, 'a scope more');

    ($status, $length, $answer) = $ask->('/roles', roles => [@words, @words[0 .. 150]]);
    is($status, 200, 'roles, some of them twice') or diag($answer->{body});
    is(($ask->('/roles', roles => "@words"))[0], 200, 'as a string');
    is(($ask->('/roles', roles => [@words[0 .. 4094]]))[0], 403,
       'without the last one');
    is(($ask->('/roles', roles => [@words, 'x']))[0], 401, 'a role more');

    # the limit itself: 3 octets become 4
    my $fill = sub {
        my ($uri, $octets) = @_;

        my $base = length(bearer('alice', fill => '')) - length 'Bearer ';

        return $ask->($uri, fill => 'x' x (($octets - $base) / 4 * 3));
    };

    for (['/large', 65_536], ['/huge', 200_000], ['/small', 1024]) {
        my ($uri, $max) = @$_;

        ($status, $length) = $fill->($uri, $max - 8);
        is($status, $uri eq '/large' ? 403 : 200, "$uri: $length octets");

        ($status, $length, $answer) = $fill->($uri, $max + 8);
        is($status, 401, "$uri: $length octets");
        like($answer->{headers}{'www-authenticate'}, qr/too long/, 'why');
    }
};


done_testing();

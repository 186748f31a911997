# GW-38: dates with fractions of a second, in whatever a token opens.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool qw(tool_ok);
use Parley::Verbs qw(verbs_http call_text);

my $nginx = Parley::Nginx->start(workers => 2, http => verbs_http());

my %ask = (
    'a frame'   => sub { submit(frame('alice', 'bob'), token => $_[0]) },
    'a message' => sub { submit(aee(type => 'event', to => 'agent.bob'),
                                uri => '/any', as => 'alice',
                                token => $_[0]) },
    'MCP'       => sub { submit({ jsonrpc => '2.0', id => 1, method => 'ping' },
                                uri => '/mcp', as => 'alice',
                                token => $_[0]) },
);


subtest 'GW-38 a token that was issued within this second is valid' => sub {

    for my $claim (qw(iat nbf)) {

        # just after the second began, the fraction could be lost unnoticed
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


subtest 'GW-38 one that is to be valid only later in this second is not' => sub {

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


subtest 'GW-38 a token ends within the second that it says' => sub {
    my $until = time + 0.6;

    # so that its second is not over with it
    $until = int($until) + 0.1 if $until - int $until > 0.6;
    $until += 1 if $until < time;

    my $token = bearer('alice', exp => $until);

    # it is taken and is in the cache
    is($ask{'a frame'}->($token)->{status}, 200, 'taken');

    sleep 0.02 while time < $until + 0.02;

    for my $name (sort keys %ask) {
        my $answer = $ask{$name}->($token);

        is($answer->{status}, 401, $name);
        like($answer->{headers}{'www-authenticate'}, qr/expired/, 'why');
    }
};


done_testing();

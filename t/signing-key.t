# OPS-09: the gateway's own keys, parley_signing_key: a set of keys, and their
# rotation.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(1));
my $dir = tmp_dir();
my $file = "$dir/audit.jsonl";


sub records {
    return map { from_json($_) } grep { /^\{.*\}$/ } split /\n/, slurp($file);
}


subtest 'OPS-09 the gateway\'s key is rotated, and the whole log verifies' => sub {
    my $next = new_key('ed25519', 'gateway-2');
    my $rotated = Parley::Nginx->start(http => gateway_http(
        more => "parley_audit $file checkpoint=1s;"));

    my $send = sub {
        my $m = aee();

        is($client->raw(post('/aee', $m))->{status}, 202, 'a message');
    };

    # Returns whether there is a checkpoint by a key.
    my $signed = sub {
        my $kid = shift;
        my $until = time + 20;

        while (time < $until) {
            return 1 if grep { $_->{event} eq 'checkpoint'
                               && $_->{kid} eq $kid } records();
            sleep 0.05;
        }

        return 0;
    };

    $send->();
    ok($signed->('gateway-1'), 'signed by the old key');

    # Reloads the keys; the first one signs.
    my $set = sub {
        spew("$dir/gateway.jwk", jcs({ keys => [@_] }));
        ok($rotated->reload, 'reload')
            or diag(grep { /emerg/ } split /^/, $rotated->error_log);
        $send->();
    };

    $set->(gateway_key()->{private}, $next->{private});
    $set->($next->{private}, public_jwk(gateway_key()));
    ok($signed->('gateway-2'), 'signed by the new one');
    $rotated->stop;

    my ($status, $public) = tool('jwks', "$dir/gateway.jwk");

    is($status, 0, 'the public parts of the set');
    is_deeply([map { [@$_{qw(kid d)}] } @{ from_json($public)->{keys} }],
              [['gateway-2', undef], ['gateway-1', undef]], 'of both keys');
    spew("$dir/both.json", $public);
    spew("$dir/new.json", jwks($next));
    spew("$dir/old.json", jwks(gateway_key()));

    is((tool('audit', 'verify', '--keys', "$dir/both.json", $file))[0], 0,
       'the log of both keys verifies');
    is((tool('audit', 'verify', '--keys', "$dir/old.json", $file))[0], 1,
       'not with the old key alone');
    is((tool('audit', 'verify', '--keys', "$dir/new.json", $file))[0], 1,
       'nor with the new one alone');
};


# what parley_public_keys answers
sub published {
    my $answer = Parley::Client->new(port => port(3), tls => 0)
                               ->get('/.well-known/jwks.json');

    is($answer->{status}, 200, 'the keys are served over plain HTTP');
    unlike($answer->{body}, qr/"(?:d|p|q|dp|dq|qi|k)":/, 'public parts alone');

    return $answer;
}


subtest 'OPS-09 the public keys are published, also while they rotate' => sub {
    my $next = new_key('ed25519', 'gateway-2');
    my $log = "$dir/rotated.jsonl";
    my $gateway = Parley::Nginx->start(workers => 2, http => gateway_http(
        more => "parley_audit $log checkpoint=1s; parley_jwt on;",
        server => 'location = /.well-known/jwks.json { parley_public_keys; }'));

    my $kids = sub { [map { $_->{kid} } @{ published()->{json}{keys} }] };

    # a message that the gateway translates, and signs
    my $signed = sub {
        my $name = shift;

        is($client->raw(post('/to-vcp', aee(
            type => 'task', intent => 'vcp.escalation', to => 'agent.lead',
            payload => escalation(severity => 'critical',
                                  requires_ack => true)->{payload}),
            sign => 1))->{status}, 202, 'a message is translated');
        spew("$dir/$name.json", $service->last->{body});
    };

    my $rotate = sub {
        spew("$dir/gateway.jwk", jcs({ keys => [@_] }));
        ok($gateway->reload, 'reload');
    };

    # a peer that has the published keys
    my $verifies = sub {
        my ($name, $keys) = @_;

        return (tool('verify', '--keys', $keys, "$dir/$name.json"))[0] == 0;
    };

    is_deeply($kids->(), ['gateway-1'], 'a single key');
    spew("$dir/before.json", published()->{body});
    $signed->('old');

    $rotate->(gateway_key()->{private}, $next->{private});
    is_deeply($kids->(), ['gateway-1', 'gateway-2'], 'the next one is there');

    $rotate->($next->{private}, public_jwk(gateway_key()));

    my $answer = published();

    is_deeply($answer->{json}, { keys => [public_jwk($next),
                                          public_jwk(gateway_key())] },
              'the current key comes first');
    unlike($answer->{raw}, qr/\Q$_->{private}{d}/, "nothing of $_->{kid}'s")
        for $next, gateway_key();

    spew("$dir/keys.json", $answer->{body});
    $signed->('new');

    ok($verifies->('old', "$dir/keys.json"), 'an old signature verifies');
    ok($verifies->('new', "$dir/keys.json"), 'a new one as well');
    ok(!$verifies->('new', "$dir/before.json"), 'not with the old set');

    my $until = time + 20;

    sleep 0.1 until slurp($log) =~ /"kid":"gateway-2"/ || time > $until;

    $gateway->stop;
    is((tool('audit', 'verify', '--keys', "$dir/keys.json", $log))[0], 0,
       'the audit log verifies with the published set');
};


subtest 'OPS-09 how the public keys are served' => sub {
    my $keys = 'location = /.well-known/jwks.json { parley_public_keys; }';
    my $gateway = Parley::Nginx->start(http => gateway_http(server => $keys));
    my $answer = published();

    is($answer->{headers}{'content-type'}, 'application/jwk-set+json', 'type');
    is($answer->{headers}{'cache-control'}, 'public, max-age=300', 'caching');
    is($answer->{headers}{'x-content-type-options'}, 'nosniff', 'no guesses');
    is($answer->{headers}{'content-length'}, length $answer->{body}, 'length');

    for my $plain (1, 0) {
        my $by = $plain ? Parley::Client->new(port => port(3), tls => 0)
                        : $client;
        my $over = $plain ? 'over HTTP' : 'over TLS';
        my $head = $by->send('HEAD', '/.well-known/jwks.json');

        is($head->{status}, 200, "HEAD $over");
        is($head->{body}, '', 'no body');
        is($head->{headers}{'content-length'}, length $answer->{body},
           'its length');

        is($by->send($_, '/.well-known/jwks.json', '{}')->{status}, 405,
           "$_ $over") for 'POST', 'PUT', 'DELETE';
        is($by->get('/.well-known/jwks.json', Authorization => 'Bearer x')
              ->{body}, $answer->{body}, 'a token is not looked at');
    }

    my $private = gateway_key()->{private};

    for my $kind ('rs256', 'es256', 'hs256') {
        my $other = from_json((tool('keygen', '--alg', $kind))[1]);

        for my $set ([$other], [$private, $other]) {
            spew("$dir/bad.jwk", jcs({ keys => $set }));

            my ($status, $said) = Parley::Nginx->check(
                http => "parley_signing_key $dir/bad.jwk;\n"
                        . "server { listen 127.0.0.1:%PORT_4%; $keys }");

            isnt($status, 0, "$kind is not published");
            like($said, qr/bad\.jwk" must hold a private Ed25519 key/, 'why');
            unlike($said, qr/\Q$_/, 'no secret')
                for $private->{d}, $other->{d} // $other->{k};
        }
    }

    my ($status, $said) = Parley::Nginx->check(
        http => "server { listen 127.0.0.1:%PORT_4%; $keys }");

    isnt($status, 0, 'without a key');
    like($said, qr/"parley_public_keys" needs "parley_signing_key" in/, 'why');
};


subtest 'OPS-09 a set that cannot sign is refused' => sub {
    my $public = public_jwk(gateway_key());
    my $private = gateway_key()->{private};
    my $message = qr/must hold .* a set of Ed25519 keys with a private/;

    for (['a public key first', [$public, idp()->{private}], $message],
         ['another kind', [$private, new_key('ES256', 'e')->{jwk}], $message],
         ['no key', [], $message],
         ['one key twice', [$private, $private], qr{/keys/1/kid}])
    {
        my ($name, $keys, $says) = @$_;

        spew("$dir/bad.jwk", jcs({ keys => $keys }));

        my ($status, $said) = Parley::Nginx->check(
            http => "parley_signing_key $dir/bad.jwk;");

        isnt($status, 0, $name);
        like($said, qr/bad\.jwk.*$says/, "$name: why");
        unlike($said, qr/\Q$private->{d}/, "$name: no secret");
    }
};


done_testing();

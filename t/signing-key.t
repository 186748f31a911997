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


subtest 'OPS-09 a set that cannot sign is refused' => sub {
    my $public = public_jwk(gateway_key());
    my $private = gateway_key()->{private};
    my $message = qr/must hold .* a set of Ed25519 keys whose first one is/;

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

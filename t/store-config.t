# parley_store: the words that "nginx -t" takes and refuses, and the key of a
# store.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(parley parley_try port slurp spew tmp_dir tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;

my $dir = tmp_dir();
my ($cert, $cert_key) = tls();

sub secret {
    my ($name, $text, $mode) = @_;

    unlink "$dir/$name";
    spew("$dir/$name", $text);
    chmod $mode // 0600, "$dir/$name" or die $!;

    return "$dir/$name";
}

my $key = secret('store.key', "0123456789abcdefABCDEF9876543210" x 2 . "\n");
my $password = secret('store.password', "pass word\n");
my $at = 'redis://127.0.0.1:' . port(4);


sub check {
    my ($words, %o) = @_;

    return Parley::Nginx->check(http => ($o{zone} // 'parley_zone agents:8m;')
                                . " parley_store $words;" . ($o{more} // ''));
}

sub takes {
    my ($words, %o) = @_;

    my ($status, $said) = check($words, %o);

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($status, 0, "$words is taken") || diag $said;

    return $said;
}

sub refuses {
    my ($words, $like, %o) = @_;

    my ($status, $said) = check($words, %o);

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    subtest "$words is refused" => sub {
        is($status, 1, 'nginx -t fails');
        like($said, $like, 'and names the fault and the cure');
    };

    return $said;
}


subtest 'GW-14 words that parley_store takes' => sub {
    takes("$at key=$key");
    takes("redis://localhost key=$key");
    takes("redis://127.0.0.1/ key=$key");
    takes("redis://[::1]:6379 key=$key");
    takes("unix:$dir/none.sock key=$key");
    takes("$at key=$key user=parley password=$password prefix=a.b:c-d_1 "
          . 'timeout=10ms lease=1s fallback=local');
    takes("$at key=$key password=$password timeout=1s lease=10m "
          . 'fallback=refuse');
    takes('rediss://localhost:' . port(5) . " key=$key trusted=$cert");
    takes("rediss://127.0.0.1 key=$key trusted=$cert name=localhost "
          . "certificate=$cert certificate_key=$cert_key");

    my $sentinel = 'sentinel://127.0.0.1:' . port(6);

    takes("$sentinel/parley key=$key");
    takes("$sentinel,localhost,[::1]:26379/a.B-c_1 key=$key user=parley "
          . "password=$password sentinel_user=x sentinel_password=$password");
    takes("$sentinel/parley key=$key tls=on trusted=$cert name=localhost "
          . "certificate=$cert certificate_key=$cert_key "
          . "sentinel_password=$password");
    takes("$sentinel/parley key=$key tls=off");

    # the order of the directives does not matter
    takes("$at key=$key", zone => '', more => 'parley_zone agents:8m;');
};


subtest 'GW-14 words that parley_store refuses' => sub {
    refuses("$at key=$key", qr/"parley_store" needs "parley_zone" in /,
            zone => '');
    refuses("$at key=$key", qr/"parley_store" directive is duplicate in /,
            more => "parley_store $at key=$key;");
    refuses($at, qr/needs key=, .*"parley keys store --out FILE"/);
    refuses("key=$key", qr/is not the address of a server; expected redis:/);
    refuses("$at prefix=x", qr/needs key=, .*"parley keys store --out FILE"/);
    refuses("$at key=$key key=$key", qr/"key=.*" is duplicate/);
    refuses("$at key=$key shared=near",
            qr/"shared=near" is unknown; expected key=, user=, .* fallback=/);
    refuses("$at key=", qr/"key=" is empty/);
    refuses("$at key=$key password=", qr/"password=" is empty/);
    refuses("sentinel://127.0.0.1/a key=$key sentinel_password=",
            qr/"sentinel_password=" is empty/);
    refuses("sentinel://127.0.0.1/a key=$key sentinel_user=x",
            qr/has sentinel_user= without sentinel_password=/);
    refuses("sentinel://127.0.0.1/a key=$key 'sentinel_user=a b'",
            qr/"sentinel_user=a b" is not a user; expected printable ASCII/);
    refuses("sentinel://127.0.0.1/a key=$key tls=yes",
            qr/"tls=yes" is not a mode; expected on or off/);
    refuses("sentinel://127.0.0.1/a key=$key tls=on",
            qr/uses TLS and needs trusted=/);
    refuses("sentinel://127.0.0.1/a key=$key trusted=$cert",
            qr/needs TLS; expected .* or sentinel:.* and tls=on/);
    refuses("$at key=$key user=", qr/"user=" is empty/);
    refuses("$at key=$key 'user=a b' password=$password",
            qr/"user=a b" is not a user; expected printable ASCII/);
    refuses("$at key=$key user=parley", qr/has user= without password=/);
    refuses("$at key=$key fallback=open",
            qr/"fallback=open" is not a mode; expected refuse or local/);
    refuses("$at key=$key timeout=9ms",
            qr/"timeout=9ms" is not in the range; expected 10ms to 1s/);
    refuses("$at key=$key timeout=2s",
            qr/"timeout=2s" is not in the range; expected 10ms to 1s/);
    refuses("$at key=$key lease=999ms",
            qr/"lease=999ms" is not in the range; expected 1s to 10m/);
    refuses("$at key=$key 'prefix={x}'",
            qr/"prefix=\{x\}" is not a prefix; expected 1 to 64 letters/);
    refuses("$at key=$key prefix=" . 'x' x 65, qr/is not a prefix/);
};


subtest 'CLU-04 how many logs gateways append to at once' => sub {
    my $submits = sub {
        return "parley_jwks $dir/jwks.json; parley_identities $dir/ids.json;"
               . ' server { listen 127.0.0.1:%PORT_1%; location = /in {'
               . " parley_jwt on; parley_submit channel $_[0]; } }";
    };

    spew("$dir/ids.json", '{"principals":[]}');
    spew("$dir/jwks.json", jwks(idp()));

    takes("$at key=$key", more => $submits->($_)) for '', 'max=256';
    refuses("$at key=$key", qr/"max=" is above 256, the largest number .* in .*:\d+/,
            more => $submits->('max=257'));
};


subtest 'CLU-03 shared= of parley_rate' => sub {
    my $without = qr/"parley_rate" has "shared=", which has no effect without /;

    for my $word (qw(near exact off)) {
        my $said = takes("$at key=$key",
                         more => "parley_rate 5r/s shared=$word;");

        unlike($said, $without);

        my ($status, $text) = Parley::Nginx->check(http =>
            "parley_zone agents:8m;\nparley_rate shared=$word;");

        is($status, 0);
        like($text, qr/$without"parley_store" in \S+:\d+/,
             "shared=$word without parley_store");
    }

    refuses("$at key=$key", qr/"shared=all" is not valid; expected shared=near, /,
            more => 'parley_rate 5r/s shared=all;');
};


subtest 'GW-14 addresses' => sub {
    my $form = qr/is not the address of a server; expected redis:\/\/HOST/;

    refuses("$_ key=$key", $form)
        for '127.0.0.1:6379', 'http://127.0.0.1', 'redis://', 'redis://:6379',
            'redis://[::1', 'unix:', 'unix:relative';

    refuses("redis://127.0.0.1:70000 key=$key",
            qr/"parley_store": address "127.0.0.1:70000": invalid port/);
    refuses("redis://none.invalid key=$key",
            qr/"parley_store": address "none.invalid": host not found/);
    refuses("redis://127.0.0.1/1 key=$key",
            qr/has the number of a database; .* prefix=/);
    refuses("redis://127.0.0.1,127.0.0.2 key=$key",
            qr/names several addresses; expected one, or those of Sentinels/);
    refuses("$at redis://127.0.0.2 key=$key",
            qr/"redis:\/\/127.0.0.2" is a second address/);

    refuses("sentinel://127.0.0.1$_ key=$key",
            qr/needs the name of the primary after its addresses/)
        for '', '/', '/a/b', '/a:b';
    refuses("sentinel://$_/parley key=$key", $form)
        for '', ',127.0.0.1', '127.0.0.1,', '127.0.0.1,,127.0.0.2', ':26379',
            '127.0.0.1,[::1';
    refuses("sentinel://127.0.0.1,none.invalid/parley key=$key",
            qr/"parley_store": address "none.invalid": host not found/);
    refuses("sentinel://127.0.0.1,127.0.0.1:70000/parley key=$key",
            qr/"parley_store": address "127.0.0.1:70000": invalid port/);
    refuses('sentinel://' . join(',', ('127.0.0.1') x 17) . "/parley key=$key",
            qr/has too many addresses; expected at most 16/);
    refuses("sentinel://127.0.0.1/parley $at key=$key",
            qr/"redis:.*" is a second address/);
    refuses("$at key=$key $_",
            qr/"$_" needs an address sentinel:\/\/HOST/)
        for 'tls=on', 'tls=off', 'sentinel_user=x';
    refuses("$at key=$key sentinel_password=$password",
            qr/"sentinel_password=.*" needs an address sentinel:/);

    my $said = refuses("redis://parley:hunter2\@127.0.0.1 key=$key",
                       qr/has a user or a password in its address; use user=/);
    unlike($said, qr/hunter2/, 'CLU-13 the error does not show the password');
};


subtest 'CLU-13 files of secrets' => sub {
    refuses("$at key=$dir/none", qr/open\(\) ".*none" failed/);
    refuses("$at key=$dir", qr/is not a file/);

    my @bad = ('', "\n", 'ab' x 31, 'ab' x 33, 'xy' x 32, 'ab' x 32 . "\n\n",
               "\1" x 32);

    for my $text (@bad) {
        my $file = secret('bad.key', $text);
        my $said = refuses("$at key=$file",
                           qr/"$file" must hold a line of 64 hexadecimal digits; "parley keys store/);

        unlike($said, qr/\Q$text\E/, 'without its content') if $text =~ /\w/;
    }

    for my $mode (0640, 0604, 0620, 0660, 0644) {
        my $file = secret('open.key', slurp($key), $mode);
        my $octal = sprintf '%03o', $mode;

        refuses("$at key=$file",
                qr/"$file" has mode $octal, .* run "chmod 600 $file"/);
        refuses("$at key=$key password=$file",
                qr/"$file" has mode $octal, .* run "chmod 600 $file"/);
        refuses("sentinel://127.0.0.1/a key=$key sentinel_password=$file",
                qr/"$file" has mode $octal, .* run "chmod 600 $file"/);
    }

    takes("$at key=" . secret('key.400', slurp($key), 0400));

    for my $text ('', "\n", "two\nlines\n", "x\0y", 'x' x 1025) {
        my $file = secret('bad.password', $text);

        refuses("$at key=$key password=$file",
                qr/"$file" must hold a line with the password/);
    }

    takes("$at key=$key password=" . secret('crlf', "word\r\n"));
};


subtest 'CLU-13 TLS' => sub {
    my $tls = 'rediss://localhost:' . port(5);

    refuses("$tls key=$key", qr/needs trusted=, the file with the certificates/);
    refuses("$tls key=$key trusted=$_",
            qr/"trusted=$_" cannot be used; .* in .*nginx\.conf:/)
        for "$dir/none", $key;
    refuses("$tls key=$key trusted=$cert certificate=$cert",
            qr/needs certificate= and certificate_key= together/);
    refuses("$tls key=$key trusted=$cert certificate_key=$cert_key",
            qr/needs certificate= and certificate_key= together/);
    refuses("$tls key=$key trusted=$cert certificate=$cert "
            . "certificate_key=$key",
            qr/store\.key.*certificate_key= cannot be used.* in .*\.conf:/s);

    refuses("$at key=$key $_", qr/needs TLS; expected an address rediss:/)
        for "trusted=$cert", 'name=localhost', "certificate=$cert",
            "certificate_key=$cert_key";
};


subtest 'CLU-13 parley keys store makes the key' => sub {
    unlink "$dir/made.key";

    my ($status, $out, $err) = parley_try('keys', 'store', '--out',
                                          "$dir/made.key");

    is($status, 0);
    is("$out$err", '', 'nothing is printed');
    like(slurp("$dir/made.key"), qr/\A[0-9a-f]{64}\n\z/);
    is((stat "$dir/made.key")[2] & 07777, 0600, 'the owner alone reads it');
    takes("$at key=$dir/made.key");

    ($status, $out, $err) = parley_try('keys', 'store', '--out',
                                       "$dir/made.key");
    is($status, 2, 'an existing file stays');
    like($err, qr/made\.key: File exists/);

    my $one = parley('keys', 'store');

    like($one, qr/\A[0-9a-f]{64}\n\z/, 'or it is printed');
    isnt($one, parley('keys', 'store'), 'each is new');
    is((parley_try('keys', 'store', 'FILE'))[0], 2);
};


subtest 'CLU-13 a zone keeps its secret' => sub {
    my $http = sub { "parley_zone $_[0]:1m; $_[1]" };
    my $nginx = Parley::Nginx->start(http => $http->('agents', ''));

    ok(!$nginx->reload(http => $http->('agents', "parley_store $at key=$key;")),
       'a zone that was made without the store is refused');
    like($nginx->error_log,
         qr/\[emerg\] .*parley_zone "agents" was made without "parley_store", or with another "key=" of it; give the zone another name/);

    ok($nginx->reload(http => $http->('shared', "parley_store $at key=$key;")),
       'with another name it begins empty');
    like($nginx->error_log,
         qr/\[error\] .*parley_zone "shared" of \d+ octets begins empty, in place of "agents"/);

    my $other = secret('other.key', 'ef' x 32);

    ok(!$nginx->reload(http => $http->('shared',
                                       "parley_store $at key=$other;")),
       'another key is refused');
    ok($nginx->reload(http => $http->('shared', "parley_store $at key=$key;")),
       'the same key is not');
    ok($nginx->reload(http => $http->('shared', '')),
       'nor a zone that loses its store');
};

done_testing();

# GW-02: a token in an argument is in no log, and is not forwarded.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port slurp);
use Parley::Gateway;
use Parley::H2;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $up = 'http://127.0.0.1:' . port(2);
my $jwt = 'parley_accept aee; parley_jwt on token=$arg_access_token;';

my $nginx = Parley::Nginx->start(http => "log_format all '\$request "
    . "\$request_uri \$args \$arg_access_token'; "
    . 'access_log %TMP%/all.log all; '
    . gateway_http(server =>
      location('/token', $jwt)
    . location('/down', $jwt, port(5))
    . location('/dry', "$jwt parley_dry_run on;")
    . location('/dry-all', "$jwt parley_dry_run all;")
    . location('/dry-all-header', "$jwt parley_dry_run all; "
               . 'proxy_set_header X-URI $request_uri;')
    . "location /as-it-came { $jwt proxy_pass $up\$request_uri; }\n"
    . "location /args { $jwt proxy_pass $up/args?\$args; }\n"
    . "location /rewritten { $jwt "
    . "rewrite ^ /r?access_token=\$arg_access_token&b=2? break; "
    . "proxy_pass $up; }\n"
    . "location /set { $jwt set \$args 'access_token=written'; "
    . "proxy_pass $up; }\n"
    . "location /falls { $jwt error_page 502 = \@next; "
    . 'proxy_pass http://127.0.0.1:' . port(5) . "; }\n"
    . "location \@next { parley_accept aee; parley_jwt on; "
    . "proxy_pass $up; }\n")
    . 'server { listen 127.0.0.1:%PORT_6% ssl http2; '
    . "ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%;\n"
    . location('/token', $jwt) . '}');
my $client = Parley::Client->new(port => port(1));
my $h2 = Parley::Client->new(port => port(6),
                             ssl => { SSL_alpn_protocols => ['h2'] });

my $token = bearer('alice') =~ s/^Bearer //r;
my $encoded = $token =~ s/e/%65/gr;


sub is_sent {
    my ($uri, $to, $what) = @_;

    $service->clear;

    my $answer = $client->raw(post($uri, aee(), token => 0));

    is($answer->{status}, 202, "$what: taken");
    is($service->count ? $service->last->{uri} : undef, $to, $what);
}


sub is_refused {
    my ($uri, $status, $what) = @_;

    is($client->raw(post($uri, aee(), token => 0))->{status}, $status, $what);
}


subtest 'GW-02 the service does not get the token' => sub {
    is_sent("/token?access_token=$token", '/token', 'alone');
    is_sent("/token?a=1&access_token=$token&b=%62", '/token?a=1&b=%62',
            'among others');
    is_sent("/token?access%5ftoken=$encoded#x", '/token', 'encoded');
    is_sent("/as-it-came?a=1&access_token=$token", '/as-it-came?a=1',
            '$request_uri');
    is_sent("/args?access_token=$token&a=1", '/args?a=1', '$args');
    is_sent("/rewritten?access_token=$token", '/r?b=2', 'rewritten');
    is_sent("/falls?access_token=$token&a=1", '/falls?a=1', 'a fallback');
};


subtest 'GW-02 a refused token is in no log either' => sub {
    is_refused("/token?access_token=$token&access_tok%65n=$encoded", 400,
               'twice');
    is_refused("/token?access_token[]=$token", 400, 'disguised');
    is_refused("/token?a=1;access_token=$token", 400, 'behind a ";"');
    is_refused("/token?access_token=${token}x", 401, 'not valid');
    is_refused("/down?access_token=$token", 502, 'no service');
    is($client->raw("PUT /token?access_token=$token HTTP/1.1\r\n"
                    . "Host: localhost\r\nConnection: close\r\n\r\n")
              ->{status}, 405, 'not sent with POST');
};


subtest 'GW-02 arguments in the configuration are kept' => sub {
    is_refused('/set', 401, 'a literal') for 1 .. 2;

    is_sent("$_?access_token=$token&a=1", "$_?access_token=$token&a=1",
            'a dry run of all')
        for '/dry-all', '/dry-all-header';
    is_sent("/dry?a=1&access_token=$token",
            '/dry?a=1&access_token=' . '*' x length $token, 'a dry run');
};


subtest 'GW-02 over HTTP/2' => sub {
    my $connection = $h2->connect;
    my $short = 'eyJ-and-some-more';

    $service->clear;
    $connection->write(h2_begin()
                       . h2_post(1, "/token?a=1&access_token=$short",
                                 jcs(aee())));
    ok($connection->expect(qr/E_TOKEN_INVALID/), 'refused');
    $connection->leave;
};


subtest 'GW-02 the logs' => sub {
    $nginx->stop;

    my $access = slurp(Parley::Env::tmp_dir() . '/all.log');
    my $error = $nginx->error_log;

    like($access, qr/POST \/token\?access_token=\*+ HTTP\/1\.1 \/token /,
         'overwritten');
    like($access, qr{POST /dry-all\S*\?access_token=\*+&a=1 HTTP/1\.1 },
         'overwritten in a dry run of all');
    like($access, qr/HTTP\/2\.0/, 'HTTP/2');
    like($error, qr/request: "POST \/token\?access_token=\*+x?/, 'in both');

    # the log line of a service that gets the token names it
    $error =~ s{, upstream: "\S+/dry-all\S+"}{}g;

    unlike($_, qr/eyJ|%65yJ/, 'no token') for $access, $error;
    is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');
};


done_testing;

# GW-30, GW-32: requests that change their location, tokens in arguments, and
# variables of a caller that is refused.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2), <<'EOT');
    $c->answer($q->{uri} =~ /status=(\d+)/ ? $1 : 200, [],
               "$q->{method} $q->{uri}");
EOT

my $dir = tmp_dir();

mkdir "$dir/files";
mkdir "$dir/files/sub";
spew("$dir/files/a.txt", 'the file');
spew("$dir/files/sub/index.html", 'the index');
spew("$dir/files/parts.html", '<!--#include virtual="/shown" -->');
spew("$dir/revocations.json", jcs({ principals => ['carol'], kids => [],
                                    tokens => [] }));

my $http = <<"EOT";
    parley_revocations $dir/revocations.json;
    log_format who '\$request|\$parley_principal|\$parley_verdict|'
                   '\$parley_error|\$args';
    access_log $dir/access.log who;
EOT

my $pass = 'proxy_pass http://127.0.0.1:%PORT_2%;';

my $server = <<"EOT";
        location /early {
            parley_jwt on;
            set \$seen "\$parley_principal \$parley_claim_scope";
            proxy_set_header X-Seen \$seen;
            error_page 401 = \@seen;
            $pass
        }
        location \@seen {
            parley_accept off;
            proxy_set_header X-Seen \$seen;
            proxy_set_header X-Now "\$parley_principal \$parley_error";
            $pass
        }
        location /argument/ {
            parley_jwt on token=\$arg_t;
            alias $dir/files/;
        }
        location /moved {
            parley_jwt on token=\$arg_t;
            set \$seen \$parley_principal;
            rewrite ^ /there last;
        }
        location /from-header {
            parley_jwt on;
            set \$seen \$parley_principal;
            rewrite ^ /there last;
        }
        location /tried {
            parley_jwt on token=\$arg_t;
            root $dir;
            try_files /none /there?\$args;
        }
        location /there {
            parley_jwt on token=\$arg_t;
            proxy_set_header X-Principal \$parley_principal;
            $pass
        }
        location /other-token {
            parley_jwt on token=\$arg_t;
            set \$seen \$parley_principal;
            rewrite ^ /there?t=e30.e30.e30? last;
        }
        location /first {
            parley_jwt on issuer=first;
            set \$seen \$parley_principal;
            rewrite ^ /second last;
        }
        location /second {
            parley_jwt on issuer=second;
            proxy_set_header X-Principal \$parley_principal;
            $pass
        }
        location /failing {
            parley_jwt on issuer=first;
            proxy_intercept_errors on;
            error_page 404 /second;
            error_page 410 \@second;
            $pass
        }
        location \@second { parley_jwt on issuer=second; $pass }
        location /either {
            satisfy any;
            deny all;
            parley_jwt on;
            parley_dry_run all;
            $pass
        }
        location /page {
            parley_jwt on;
            error_page 401 403 /pages/login;
            parley_allow principal=lead;
            $pass
        }
        location /pages/ { $pass }
        location /head/ { parley_jwt on; alias $dir/files/; }
        location /included/ { ssi on; alias $dir/files/; }
        location /including/ { parley_jwt on; ssi on; alias $dir/files/; }
        location /shown {
            parley_jwt on;
            proxy_set_header X-Principal \$parley_principal;
            $pass
        }
        location /mirrored { parley_jwt on; mirror /copy; $pass }
        location = /copy {
            internal;
            proxy_pass http://127.0.0.1:%PORT_2%/copy;
            proxy_set_header X-Principal \$parley_principal;
        }
        location /trying { root $dir; try_files /none \@guarded; }
        location \@guarded {
            parley_jwt on;
            proxy_set_header X-Principal \$parley_principal;
            $pass
        }
        location /dry {
            parley_accept aee;
            parley_jwt on;
            parley_dry_run all;
            proxy_intercept_errors on;
            error_page 404 = \@dry;
            $pass
        }
        location \@dry { parley_jwt on; parley_dry_run on; $pass }
EOT

# a server that reads a variable before the location is known
my $early = <<"EOT";
    server {
        listen 127.0.0.1:%PORT_4% ssl;
        ssl_certificate %TLS_CERT%;
        ssl_certificate_key %TLS_KEY%;
        parley_jwt on token=\$arg_t;
        set \$seen \$parley_principal;

        location / { proxy_set_header X-Seen \$seen; $pass }
        location /off {
            parley_accept off;
            proxy_set_header X-Seen \$seen;
            $pass
        }
    }
EOT

my $nginx = Parley::Nginx->start(
    http => gateway_http(server => $server, more => $http) . $early);
my $client = Parley::Client->new(port => port(1));
my $other = Parley::Client->new(port => port(4));


sub ask {
    my ($uri, $name, %claims) = @_;

    return $client->get($uri, defined $name
                              ? (Authorization => bearer($name, %claims)) : ());
}

# a query with the token of a principal
sub query { return '?t=' . (bearer(shift) =~ s/^Bearer //r) . '&x=1' }

sub seen { return $service->last->{headers}{$_[0]} }

sub logged {
    my $pattern = shift;

    for (1 .. 100) {
        return 1 if slurp("$dir/access.log") =~ $pattern;
        select undef, undef, undef, 0.05;
    }

    diag(slurp("$dir/access.log"));
    return 0;
}


subtest 'GW-32 an early variable of a refused caller' => sub {
    is(ask('/early', 'alice')->{status}, 200);
    is(seen('x-seen'), 'alice ops:run%20notes', 'proven');

    ask('/early', 'carol');
    is(seen('x-seen'), '', 'a revoked principal is empty');
    is(seen('x-now'), 'token-invalid', 'later, too; the code is known');
    ask('/early', 'alice', exp => time - 600);
    is(seen('x-seen'), '', 'an expired token');
    is(seen('x-now'), 'token-expired');
};


subtest 'GW-30 a token in an argument and a redirected request' => sub {
    my $query = query('alice');

    is($client->get("/argument/a.txt$query")->{body}, 'the file');
    is($client->get("/argument/sub/$query")->{body}, 'the index', 'an index');
    is($client->get('/argument/sub/')->{status}, 401, 'without a token');

    for my $uri (qw(/moved /from-header /tried /there)) {
        is($client->get($uri . $query)->{status}, 200, $uri);
        is(seen('x-principal'), 'alice', 'the principal');
        unlike($service->last->{uri}, qr/t=e/, 'the service gets no token');
        is($client->get("$uri?t=e30.e30.e30")->{status}, 401, 'forged');
        is($client->get($uri)->{status}, 401, 'without a token');
    }

    is($client->get("/other-token$query")->{status}, 401,
       'arguments with a token of their own');
    ok(logged(qr/ \/other-token.*\|refused\|token-invalid\|/), 'logged');
    unlike(slurp("$dir/access.log"), qr/eyJ/, 'no token in the log');
};


subtest 'GW-30 GW-32 a variable of the server, before the location' => sub {
    my $query = query('alice');

    is($other->get("/x$query")->{status}, 200);
    is(seen('x-seen'), 'alice', 'the early value');
    is($other->get("/off$query")->{status}, 200, 'parley_accept off');
    is($other->get('/off')->{status}, 200, 'without a token');
    is(seen('x-seen'), undef, 'no value');
    is($other->get('/x')->{status}, 401, 'a guarded location');
    ok(logged(qr/^GET \/off HTTP\S+\|-\|-\|-\|/m),
       'no code where nothing is refused');
    unlike(slurp("$dir/access.log"), qr/eyJ/, 'no token in the log');
};


subtest 'GW-30 another issuer after a redirect' => sub {
    my %first = (iss => 'first');
    my %second = (iss => 'second');

    is(ask('/first', 'alice', %first)->{status}, 401, 'rewrite');
    is(ask('/first', 'alice', %second)->{status}, 200, 'the last one decides');
    is(seen('x-principal'), 'alice');
    is(ask('/failing?status=404', 'alice', %first)->{status}, 401,
       'error_page');
    is(ask('/failing?status=410', 'alice', %first)->{status}, 401,
       'a named location');
    is(ask('/failing', 'alice', %first)->{status}, 200);
};


subtest 'GW-30 satisfy any and a dry run' => sub {
    is(ask('/either')->{status}, 403, 'deny decides about a stranger');
    is(ask('/either', 'carol')->{status}, 403, 'about a revoked principal');
    is(ask('/either', 'alice')->{status}, 200, 'a proven caller');
};


subtest 'GW-30 a message of a dry run at a location that proves' => sub {
    is($client->post('/dry?status=404', jcs(aee()))->{status}, 401,
       'error_page leads to a location that refuses strangers');
};


subtest 'GW-30 the log of a request that error_page answers' => sub {
    is(ask('/page/1')->{status}, 401);
    is(ask('/page/2', 'alice')->{status}, 403);
    ok(logged(qr/^GET \/page\/1 \S+\|-\|refused\|token-missing\|/m),
       'the verdict and the code stay');
    ok(logged(qr/^GET \/page\/2 \S+\|alice\|refused\|policy-refused\|/m),
       'the principal of a refusal by a rule');
};


subtest 'GW-30 subrequests are not checked, as for modules of nginx' => sub {
    $service->clear;

    is($client->get('/included/parts.html')->{body}, 'GET /shown',
       'SSI of a page for everyone');
    is(seen('x-principal'), undef, 'no principal');

    $service->clear;
    is($client->get('/including/parts.html')->{status}, 401,
       'a page for proven callers');
    is($client->get('/including/parts.html',
                    Authorization => 'Bearer e30.e30.e30')->{status}, 401,
       'a forged token');
    is($client->get('/mirrored')->{status}, 401, 'mirror');
    is($service->count, 0, 'no subrequest of a stranger');

    is(ask('/including/parts.html', 'alice')->{body}, 'GET /shown',
       'a proven caller');
    is(seen('x-principal'), 'alice', 'the principal of the main request');

    $service->clear;
    is(ask('/mirrored', 'alice')->{status}, 200);

    my ($copy);

    for (1 .. 100) {
        last if ($copy) = grep { $_->{uri} eq '/copy' } $service->requests;
        select undef, undef, undef, 0.05;
    }

    is($copy->{headers}{'x-principal'}, 'alice', 'the copy has it, too');
};


subtest 'GW-30 a named location proves by itself' => sub {
    $service->clear;

    is($client->get('/trying')->{status}, 401, 'try_files');
    is(ask('/trying', 'carol')->{status}, 401, 'a revoked principal');
    is($service->count, 0, 'the service gets nothing');
    is(ask('/trying', 'alice')->{status}, 200);
    is(seen('x-principal'), 'alice');
};


subtest 'GW-30 HEAD and OPTIONS tell a stranger nothing' => sub {
    my @heads = map { $client->send(HEAD => "/head/$_", undef) }
                    'a.txt', 'missing.txt';

    for (@heads) {
        is($_->{status}, 401, 'HEAD');
        is($_->{body}, '', 'without a body');
        delete @{ $_->{headers} }{qw(date parley-trace)};
    }

    is_deeply($heads[0]{headers}, $heads[1]{headers},
              'a file, and one that is missing');
    is($client->send(HEAD => '/head/a.txt', undef,
                     Authorization => bearer('alice'))
           ->{headers}{'content-length'}, 8, 'a proven caller');

    for my $uri ('/head/a.txt', '/shown') {
        my $answer = $client->send(OPTIONS => $uri, undef,
            Origin => 'https://elsewhere.example',
            'Access-Control-Request-Method' => 'GET',
            'Access-Control-Request-Headers' => 'authorization');

        is($answer->{status}, 401, 'a preflight');
        is($answer->{headers}{'access-control-allow-origin'}, undef,
           'nothing is allowed');
    }
};


done_testing();

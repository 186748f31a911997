# GW-30: a location without parley_accept proves its callers, for every method
# and content handler.  GW-32: variables of the token are proven when they are
# read.

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
    $c->answer(200, ['Content-Type' => 'text/plain', 'X-Own' => 'yes'],
               "$q->{method} $q->{uri}");
EOT

my $dir = tmp_dir();

mkdir "$dir/files";
spew("$dir/files/a.txt", 'the file');
spew("$dir/files/index.html", 'the index');

my $http = <<"EOT";
    parley_revocations $dir/revocations.json;
    parley_audit       $dir/audit.log;
    map \$parley_principal \$tier { default low; alice high; }
    limit_req_zone  \$parley_principal zone=each:1m rate=1r/m;
    limit_conn_zone \$parley_claim_tenant zone=tenants:1m;
    limit_req_status 490;
    log_format who '\$uri|\$parley_principal|\$parley_verdict|\$parley_error|'
                   '\$status';
    access_log $dir/access.log who;
EOT

my $server = <<"EOT";
        location /files/ {
            parley_jwt on;
            alias $dir/files/;
        }
        location = /status { allow 127.0.0.1; deny all; parley_status; }
        location /rules {
            parley_jwt on;
            parley_deny  principal=bob method=DELETE;
            parley_allow scope=ops:run method=GET|HEAD;
            parley_allow role=ops method=POST;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /rate {
            parley_jwt on;
            parley_rate 1r/m burst=1;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /rated-index/ {
            parley_jwt on;
            parley_rate 1r/m;
            alias $dir/files/;
        }
        location /dry {
            parley_jwt on;
            parley_dry_run on;
            parley_allow principal=lead;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /denied {
            deny all;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /any {
            satisfy any;
            allow 127.0.0.2;
            deny all;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /paged {
            parley_jwt on;
            error_page 401 = \@login;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location \@login {
            parley_accept off;
            add_header X-Reason \$parley_error always;
            return 499 "please log in";
        }
        location /limited {
            parley_jwt on;
            limit_req zone=each;
            limit_conn tenants 5;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /early {
            parley_jwt on;
            set \$seen "\$parley_principal \$parley_claim_tenant";
            if (\$parley_principal = bob) { return 498; }
            proxy_set_header X-Seen \$seen;
            proxy_set_header X-Tier \$tier;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /asked {
            parley_jwt on;
            auth_request /auth;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location = /auth {
            internal;
            parley_accept off;
            proxy_pass http://127.0.0.1:%PORT_2%/auth;
            proxy_pass_request_body off;
            proxy_set_header Content-Length "";
            proxy_set_header X-Principal \$parley_principal;
        }
        location /server/ { alias $dir/files/; }
EOT

# a server whose parley_jwt is inherited
my $inherits = <<"EOT";
    server {
        listen 127.0.0.1:%PORT_4% ssl;
        ssl_certificate %TLS_CERT%;
        ssl_certificate_key %TLS_KEY%;
        root $dir/files;
        parley_jwt on realm=here resource_metadata=https://here/meta;

        location /public { parley_accept off; alias $dir/files/; }
        location /open   { parley_jwt off; alias $dir/files/; }
        location = /message {
            parley_accept aee;
            parley_allow type=event;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /accel {
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /hidden/ { internal; alias $dir/files/; }
    }
EOT

spew("$dir/revocations.json", jcs({ principals => ['carol'], kids => [],
                                   tokens => [] }));

my $nginx = Parley::Nginx->start(
    http => gateway_http(server => $server, more => $http) . $inherits);
my $client = Parley::Client->new(port => port(1));
my $other = Parley::Client->new(port => port(4));

sub ask {
    my ($method, $uri, $name, @headers) = @_;

    return $client->send($method, $uri, undef,
                         defined $name ? (Authorization => bearer($name)) : (),
                         @headers);
}

sub logged {
    my $pattern = shift;

    for (1 .. 100) {
        return 1 if slurp("$dir/access.log") =~ $pattern;
        select undef, undef, undef, 0.05;
    }

    return 0;
}


subtest 'GW-30 a static file' => sub {
    my $a = ask(GET => '/files/a.txt', 'alice');

    is($a->{status}, 200);
    is($a->{body}, 'the file', 'the file itself');

    $a = ask(GET => '/files/a.txt');

    is($a->{status}, 401, 'without a token');
    like($a->{headers}{'www-authenticate'}, qr/^Bearer realm=/, 'challenged');
    is($a->{json}{code} // $a->{json}{error}{code}, 'token-missing',
       'the code') or diag($a->{body});
    unlike($a->{body}, qr/the file/, 'no octet of the file');

    is(ask(GET => '/files/a.txt', 'alice', Range => 'bytes=0-2')->{body},
       'the', 'a part of it');
    is(ask(GET => '/files/a.txt', undef,
           Authorization => 'Bearer e30.e30.e30')->{status}, 401, 'forged');
    is(ask(GET => '/files/a.txt', undef, Authorization =>
           bearer('alice', exp => time - 600))->{status}, 401, 'expired');
    is(ask(GET => '/files/a.txt', 'carol')->{status}, 401, 'revoked');
    is(ask(GET => '/files/missing', 'alice')->{status}, 404, 'no file');
    is(ask(GET => '/files/missing')->{status}, 401,
       'a stranger learns nothing');
};


subtest 'GW-30 every method' => sub {
    for my $method (qw(GET HEAD POST PUT PATCH DELETE OPTIONS PROPFIND)) {
        is(ask($method => "/asked/$method", 'alice')->{status}, 200,
           "$method passes");
        is(ask($method => "/asked/$method")->{status}, 401,
           "$method without a token");
    }
};


subtest 'GW-30 rules' => sub {
    is(ask(GET => '/rules/x', 'alice')->{body}, 'GET /rules/x', 'by scope');
    is(ask(POST => '/rules/x', 'alice')->{status}, 200, 'by role');
    is(ask(POST => '/rules/x', 'bob')->{status}, 403, 'not without the role');
    is(ask(DELETE => '/rules/x', 'bob')->{status}, 403, 'a method denied');
    is(ask(PUT => '/rules/x', 'alice')->{status}, 403, 'a method of no rule');

    my $a = $client->get('/rules/x',
                         Authorization => bearer('alice', scope => 'notes'));

    is($a->{status}, 403, 'a scope is missing');
    like($a->{headers}{'www-authenticate'},
         qr/error="insufficient_scope".*scope="ops:run"/, 'which one');
};


subtest 'GW-30 a rate' => sub {
    is(ask(GET => '/rate', 'lead')->{status}, 200);
    is(ask(GET => '/rate', 'lead')->{status}, 200);

    my $a = ask(GET => '/rate', 'lead');

    is($a->{status}, 429, 'the burst is used up');
    ok($a->{headers}{'retry-after'}, 'when to try again');
    is(ask(GET => '/rate', 'bob')->{status}, 200, 'another principal');

    is(ask(GET => '/rated-index/', 'alice')->{body}, 'the index',
       'an index counts once');
    is(ask(GET => '/rated-index/', 'alice')->{status}, 429, 'the next');
};


subtest 'GW-30 a dry run' => sub {
    is(ask(GET => '/dry', 'bob')->{status}, 200, 'a refused one passes');
    ok($nginx->wait_for(qr/dry run|policy-refused/, 1), 'it is logged');
    is(ask(GET => '/dry')->{status}, 401, 'not an unproven one');
};


subtest 'GW-23 access control of nginx comes first' => sub {
    my $a = ask(GET => '/denied', 'alice');

    is($a->{status}, 403);
    unlike($a->{body}, qr/"code"/, 'the page of nginx');

    $a = ask(GET => '/denied', undef, Authorization => 'Bearer e30.e30.e30');
    is($a->{status}, 403, 'a forged token, too');
};


subtest 'GW-30 satisfy any' => sub {
    is(ask(GET => '/any', 'alice')->{status}, 200, 'by the token');
    is(ask(GET => '/any')->{status}, 401, 'by neither');

    my $near = Parley::Client->new(port => port(1), from => '127.0.0.2');

    is($near->get('/any')->{status}, 200, 'by the address');
    is($near->get('/files/a.txt')->{status}, 401, 'satisfy all');
};


subtest 'GW-30 error_page' => sub {
    my $a = ask(GET => '/paged');

    is($a->{status}, 499, 'the page answers');
    is($a->{body}, 'please log in');
    like($a->{headers}{'www-authenticate'} // '', qr/^Bearer/, 'challenged');
    is(ask(GET => '/paged', 'alice')->{status}, 200);
};


subtest 'GW-30 inherited' => sub {
    my @token = (Authorization => bearer('alice'));

    is($other->get('/a.txt', @token)->{body}, 'the file', 'proven');

    my $a = $other->get('/a.txt');

    is($a->{status}, 401, 'unproven');
    like($a->{headers}{'www-authenticate'},
         qr{realm="here".*resource_metadata="https://here/meta"},
         'RFC 9728');
    is($other->get('/public/a.txt')->{body}, 'the file', 'parley_accept off');
    is($other->get('/open/a.txt')->{body}, 'the file', 'parley_jwt off');
    is($other->get('/open/a.txt', Authorization => 'Bearer x')->{body},
       'the file', 'no token is read');
    is($other->get('/')->{status}, 401, 'an index');
    is($other->get('/', @token)->{body}, 'the index', 'an index, proven');
    is($other->get('/hidden/a.txt', @token)->{status}, 404, 'internal');
    is($other->post('/message', jcs(aee()), @token)->{status}, 403,
       'a message takes all steps');
};


subtest 'GW-30 X-Accel-Redirect' => sub {
    $service->script('$c->answer(200, ["X-Accel-Redirect" => '
                     . '"/hidden/a.txt"], "");');

    is($other->get('/accel', Authorization => bearer('alice'))->{body},
       'the file', 'leads to the file');
    is($other->get('/accel')->{status}, 401, 'not for a stranger');

    $service->script('$c->answer($q->{uri} =~ /^.auth/ ? 403 : 200, [], '
                     . '"x");');
    is(ask(GET => '/asked', 'alice')->{status}, 403, 'auth_request refuses');
    $service->script('$c->answer(200, [], "x");');
};


subtest 'GW-32 limit_req and limit_conn by the principal' => sub {
    is(ask(GET => '/limited', 'alice')->{status}, 200);
    is(ask(GET => '/limited', 'alice')->{status}, 490, 'the same');
    is(ask(GET => '/limited', 'bob')->{status}, 200, 'another');
    is(ask(GET => '/limited')->{status}, 401, 'no token: no key');
    is(ask(GET => '/limited', undef, Authorization => 'Bearer e30.e30.e30')
           ->{status}, 401, 'a forged one: no key');
};


subtest 'GW-32 set, if and map' => sub {
    $service->clear;

    is(ask(GET => '/early', 'bob')->{status}, 498, 'if');
    is($client->get('/early', Authorization => bearer('alice', tenant => 't7'),
                    'Parley-Verified' => 'principal="lead"')->{status}, 200);

    my $headers = $service->last->{headers};

    is($headers->{'x-seen'}, 'alice t7', 'set');
    is($headers->{'parley-verified'}, undef, 'no header of the client');
    is($headers->{'x-tier'}, 'high', 'map');

    $service->clear;
    is($client->get('/early', Authorization => 'Bearer e30.e30.e30',
                    'X-Seen' => 'alice')->{status}, 401, 'a forged token');
    is($service->count, 0, 'goes nowhere');
};


subtest 'GW-32 auth_request sees the principal' => sub {
    $service->clear;
    is(ask(GET => '/asked', 'lead')->{status}, 200);

    my ($auth) = grep { $_->{uri} eq '/auth' } $service->requests;

    is($auth->{headers}{'x-principal'}, 'lead');
};


subtest 'GW-30 audit, metrics and the log' => sub {
    ask(GET => '/files/a.txt', 'alice');
    ask(GET => '/files/a.txt');

    ok(logged(qr/^\/files\/a\.txt\|alice\|passed\|-\|200$/m), 'passed');
    ok(logged(qr/^\/files\/a\.txt\|-\|refused\|token-missing\|401$/m),
       'refused');

    my @lines = map { JSON::XS->new->decode($_) }
                grep { /"principal":"alice"/ && /"type":"request"/ }
                split /\n/, slurp("$dir/audit.log");

    ok(@lines > 0, 'a line of the audit log') or return;
    is($lines[0]{verdict}, 'passed', 'its verdict');

    my $status = $client->get('/status')->{json};
    my $verdicts = $status->{requests}{verdicts};

    cmp_ok($verdicts->{passed}, '>', 5, 'requests that passed')
        or diag(explain($status->{requests}));
    cmp_ok($verdicts->{refused}, '>', 5, 'requests that were refused');
    is($status->{messages}{in_flight}, 0, 'no message is in flight');

    my $text = $client->get('/status', Accept => 'text/plain')->{body};

    like($text, qr/^parley_requests_total\{verdict="passed"\} \d+$/m,
         'Prometheus');
};


done_testing();

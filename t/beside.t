# Parley together with nginx's other modules.  Their access control runs first,
# and its refusals are unchanged.  Their subrequests carry no message.  The log
# says which module sent an answer.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(load_module nginx_binary port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $other = Parley::Upstream->start(port(4));
my $client = Parley::Client->new(port => port(1));
my $parley = 'parley_accept aee; parley_jwt on;';
my $modules = '/usr/lib/nginx/modules';

spew(tmp_dir() . '/htpasswd', "ann:{PLAIN}secret\n");


# Debian's modules fit only Debian's nginx
sub scripted {
    return load_module() ne '' && nginx_binary() eq 'nginx'
           && -e "$modules/ngx_http_lua_module.so"
           && -e "$modules/ngx_http_js_module.so";
}


my ($main, $http, $scripts) = ('', '', '');

if (scripted()) {
    $main = "load_module $modules/ndk_http_module.so;\n"
          . "load_module $modules/ngx_http_lua_module.so;\n"
          . "load_module $modules/ngx_http_js_module.so;\n";

    spew(tmp_dir() . '/beside.js', <<'EOT');
function refuse(r) { r.return(403, "no\n"); }
async function ask(r) {
    let reply = await r.subrequest('/service', { method: 'POST',
                                                 body: '{}' });
    r.return(200, String(reply.status));
}
export default { refuse, ask };
EOT

    $http = 'js_path ' . tmp_dir() . '; js_import beside from beside.js;';

    $scripts = location('/lua-no', "$parley access_by_lua_block "
                                 . '{ ngx.exit(403) }')
             . location('/lua-yes', "$parley access_by_lua_block "
                                  . '{ ngx.req.read_body() }')
             . location('/lua-429', "$parley access_by_lua_block "
                                  . '{ ngx.status = 429; ngx.say("slow") '
                                  . 'return ngx.exit(429) }')
             . location('/js-no', "$parley auth_request /js-refuse;")
             . 'location = /js-refuse { js_content beside.refuse; }'
             . 'location = /js-ask { js_content beside.ask; }'
             . 'location = /lua-ask { content_by_lua_block { '
             . 'local a = ngx.location.capture("/service", '
             . '{ method = ngx.HTTP_POST, body = "{}" }) '
             . 'ngx.say(a.status) } }'
             . "location /lua-exec { $parley content_by_lua_block "
             . '{ ngx.exec("/copy") } }'
             . 'location /lua-exec-in { content_by_lua_block '
             . '{ ngx.exec("/service") } }'
             . location('/lua-log', "$parley log_by_lua_block { ngx.log("
                                  . 'ngx.ERR, "lua saw ", '
                                  . 'ngx.var.parley_verdict) }');
}

spew(tmp_dir() . '/page.shtml', '<!--#include virtual="/service" -->|');

my $nginx = Parley::Nginx->start(main => $main, http => gateway_http(
    more => "$http\n"
          . 'log_format who "$uri $status $parley_verdict $parley_error"; '
          . 'access_log who.log who; '
          . 'limit_req_zone $uri zone=few:64k rate=1r/m; ',
    server => location('/service', $parley)
            . location('/deny', "$parley deny all;")
            . location('/basic', "$parley auth_basic here; auth_basic_user_file "
                               . tmp_dir() . '/htpasswd;')
            . location('/asked-no', "$parley auth_request /no;")
            . location('/asked-yes', "$parley auth_request /yes;")
            . location('/asked-service', "$parley auth_request /service;")
            . location('/any', 'satisfy any; deny all; auth_request /yes; '
                             . $parley)
            . location('/any-no', 'satisfy any; deny all; auth_request /no; '
                                . $parley)
            . location('/few', "$parley limit_req zone=few;")
            . location('/mirrored', "$parley mirror /copy;")
            . location('/mirrored-here', "$parley mirror /service;")
            . location('/tried', "$parley try_files \$uri \$uri/ =404;")
            . location('/small', "$parley client_max_body_size 100;")
            . location('/pages', "$parley error_page 403 /403.html; deny all;")
            . location('/returned', "$parley return 413;")
            . 'location = /403.html { internal; return 200 "a page"; }'
            . 'location = /no { return 403; }'
            . 'location = /yes { return 204; }'
            . 'location = /copy { internal; proxy_pass http://127.0.0.1:'
            . port(4) . '; }'
            . "location = /page.shtml { ssi on; default_type text/html; root "
            . tmp_dir() . '; }'
            . location('/page', 'ssi on;', port(4))
            . location('/gone', $parley, port(5))
            . $scripts));


sub lines {
    my ($uri) = @_;

    return grep { /^\Q$uri\E / }
           split /\n/, slurp($nginx->dir . '/who.log');
}


# Returns the last log line of a location, once it has n lines.
sub logged {
    my ($uri, $n) = @_;

    for (1 .. 100) {
        my @lines = lines($uri);
        return $lines[-1] if @lines >= ($n // 1);
        sleep 0.05;
    }

    return '';
}


# Checks that another module's refusal arrives unchanged.
sub foreign {
    my ($uri, $status, $message, %o) = @_;

    my $n = $service->count;
    my $answer = $client->raw(ref $message ? post($uri, $message, %o)
                                           : $message);

    is($answer->{status}, $status, "$uri: $status");
    is($answer->{json}, undef, 'no message of the gateway\'s');
    is($service->count, $n, 'not forwarded');
    like(logged($uri), qr/^\S+ $status nginx -$/, 'and logged as that');

    return $answer;
}


# Checks that the id was not recorded: another location accepts it.
sub unseen {
    my $message = shift;

    is($client->raw(post('/service', $message))->{status}, 202,
       'nothing of it was kept');
}


subtest 'GW-23 a refusal of nginx arrives unchanged' => sub {
    my $message = aee();

    foreign('/deny', 403, $message);
    my $answer = foreign('/basic', 401, $message, token => 'Basic eDp5');
    like($answer->{headers}{'www-authenticate'}, qr/^Basic realm="here"/);
    foreign('/asked-no', 403, $message);
    foreign('/any-no', 403, $message);
    unseen($message);
};


subtest 'GW-23 the message is not read before it' => sub {
    for ('/deny', '/asked-no') {
        my $connection = $client->connect;

        $connection->write("POST $_ HTTP/1.1\r\nHost: localhost\r\n"
                         . "Content-Type: application/json\r\n"
                         . "Content-Length: 1000\r\n\r\n");

        my $head = $connection->expect(qr/\r\n\r\n/, 5);

        like($head, qr/^HTTP\/1.1 403 /, "$_: not one octet of the body");
        $connection->leave;
    }
};


subtest 'GW-23 satisfy any: the caller may be admitted without a check, and Parley still checks everything' => sub {
    my $message = aee();

    is($client->raw(post('/any', $message, token => 0))->{status}, 401,
       'a token all the same');
    is($client->raw(post('/any', $message))->{status}, 202);
    is($client->raw(post('/any', $message))->{json}{payload}{code},
       'E_MESSAGE_DUPLICATE');
    is($client->raw(post('/any', '{'))->{status}, 400);
    is($client->raw(post('/asked-yes', aee()))->{status}, 202);
};


subtest 'GW-26 a refusal by a limit of nginx is reported as nginx\'s' => sub {
    my $n = $service->count;
    my $first = aee();
    my $connection = $client->connect;

    # both at once, since a minute may be too short on a busy machine

    $connection->write($client->request('POST', '/few', jcs($first),
                           Authorization => bearer('alice'),
                           Connection => 'keep-alive')
                       . post('/few', aee()));

    my $octets = '';
    1 while $connection->{socket}->sysread($octets, 65536, length $octets);

    # a request with an unread body is logged after its client left
    $connection->leave;

    my @status = $octets =~ m{HTTP/1\.1 (\d+) }g;

    is("@status", '202 503');
    unlike($octets =~ s/.*HTTP\/1.1 503//sr, qr/"v"/,
           'no message of the gateway\'s');
    is($service->count, $n + 1, 'not forwarded');
    like(logged('/few', 2), qr/^\S+ 503 nginx -$/, 'and logged as that');
};


subtest 'GW-26 the operator\'s error page is used as usual' => sub {
    my $answer = $client->raw(post('/pages', aee()));

    is($answer->{status}, 403);
    is($answer->{body}, 'a page');
};


subtest 'GW-26 the log says which answer was sent, and by which module' => sub {
    my $long = aee(payload => { text => 'x' x 200 });

    is($client->raw(post('/small', $long))->{json}{payload}{code},
       'E_MESSAGE_TOO_LARGE');
    is(logged('/small'), '/small 413 refused message-too-large');

    is($client->raw(post('/gone', aee()))->{status}, 502);
    is(logged('/gone'), '/gone 502 failed upstream-unavailable');

    $service->script('$c->answer(200, [], q({"x":1}))');
    is($client->raw(post('/aee', aee()))->{status}, 502);
    is(logged('/aee'), '/aee 502 failed upstream-invalid');
    $service->script;

    is($client->raw(post('/aee', aee(), token => 0))->{status}, 401);
    is(logged('/aee', 2), '/aee 401 refused token-missing');

    is($client->raw(post('/aee', aee()))->{status}, 202);
    is(logged('/aee', 3), '/aee 202 passed -');

    my $answer = $client->raw("POST /aee HTTP/1.1\r\nHost: localhost\r\n"
        . 'Authorization: ' . bearer('alice') . "\r\n"
        . "Transfer-Encoding: chunked\r\n\r\nno chunk\r\n");

    is($answer->{status}, 400, 'no HTTP');
    is(logged('/aee', 4), '/aee 400 nginx -');
};


subtest 'GW-26 a too large body without a length has a verdict too' => sub {
    my $answer = $client->raw("POST /small HTTP/1.1\r\nHost: localhost\r\n"
        . 'Authorization: ' . bearer('alice') . "\r\n"
        . "Content-Type: application/json\r\nConnection: close\r\n"
        . "Transfer-Encoding: chunked\r\n\r\nc8\r\n" . 'x' x 200
        . "\r\n0\r\n\r\n");

    is($answer->{json}{payload}{code}, 'E_MESSAGE_TOO_LARGE');
    is(logged('/small', 2), '/small 413 refused message-too-large');
};


subtest 'GW-26 a 413 that is not about the body is another module\'s' => sub {
    foreign('/returned', 413, aee());
};


subtest 'GW-26 a response that is not HTTP still has a status' => sub {
    my $message = aee();

    for my $octets ("garbage\r\n\r\n", jcs(result($message)), "\0\n\n") {
        $service->script('$c->out(pack q(H*), q(' . unpack('H*', $octets)
                         . '))');

        my $answer = $client->raw(post('/service', $message));

        is($answer->{status}, 502) or diag($answer->{raw});
        is($answer->{json}{payload}{code}, 'E_UPSTREAM_INVALID');
        like($answer->{headers}{'content-type'}, qr/json/);
    }

    like(logged('/service'), qr/^\S+ 502 failed upstream-invalid$/);

    $service->script;
    is($client->raw(post('/service', $message))->{status}, 202,
       'none of that was an answer');
};


subtest 'SEC-07 a subrequest into a Parley location is refused' => sub {
    my $n = $service->count;

    my $page = $client->get('/page.shtml');
    like($page->{body}, qr/403 Forbidden.*\|/s, 'include virtual');

    $other->script('$c->answer(200, ["Content-Type", "text/html"], '
                 . 'q(<!--#include virtual="/service" -->|))');
    $page = $client->raw(post('/page', aee()));
    $other->script;
    like($page->{body}, qr/403 Forbidden.*\|/s, 'of a POST with a token');

    is($client->raw(post('/asked-service', aee()))->{status}, 403,
       'auth_request');

    my $message = aee();
    is($client->raw(post('/mirrored-here', $message))->{status}, 202);
    is($service->count, $n + 1, 'mirror: it comes once');

    cmp_ok($nginx->logged(qr/subrequest "\/service" refused: /), '>=', 4,
           'logged');
};


subtest 'GW-23 mirror and try_files run later, and see the checked request' => sub {
    my $message = aee();
    my $n = $other->count;

    is($client->raw(post('/mirrored', $message,
                         headers => ['Parley-Verified' => 'forged']))->{status},
       202);
    ok($other->wait_for($n + 1), 'a copy');
    is($other->last->{body}, jcs($message));
    like($other->last->{headers}{'parley-verified'}, qr/^principal="?alice/);

    is($client->raw(post('/mirrored', $message, token => 0))->{status}, 401);
    is($client->raw(post('/mirrored', '{'))->{status}, 400);
    is($client->raw(post('/mirrored', $message))->{status}, 409);
    sleep 0.2;
    is($other->count, $n + 1, 'none of what was refused');

    is($client->raw(post('/tried', aee(), token => 0))->{status}, 401);
};


SKIP: {
    skip 'there are no modules of scripts for this nginx', 1 if !scripted();

    subtest 'GW-23 a script\'s refusal arrives unchanged' => sub {
        my $message = aee();

        foreign('/lua-no', 403, $message);
        foreign('/lua-429', 429, $message);
        foreign('/js-no', 403, $message);
        is($client->raw(post('/lua-yes', $message))->{status}, 202,
           'a script that reads the body');
        is($service->last->{body}, jcs($message));

        is($client->raw(post('/lua-log', aee()))->{status}, 202);
        ok($nginx->wait_for(qr/lua saw passed/), 'and sees the verdict');
    };

    subtest 'GW-24 a script cannot lead a message out of its location, or into one' => sub {
        my $n = $other->count;
        my $answer = $client->raw(post('/lua-exec', aee()));

        is($answer->{status}, 502);
        is($answer->{json}{payload}{code}, 'E_UPSTREAM_UNAVAILABLE');
        is($other->count, $n);

        $answer = $client->raw(post('/lua-exec-in', aee()));
        is($answer->{json}{payload}{code}, 'E_POLICY_REFUSED');
    };

    subtest 'SEC-07 a script\'s subrequest is refused' => sub {
        my $n = $service->count;

        is($client->raw(post('/lua-ask', aee()))->{body}, "403\n", 'lua');
        is($client->raw(post('/js-ask', aee()))->{body}, '403', 'njs');
        is($service->count, $n);
    };
}


subtest 'GW-29 100 and 103 before the answer do not block it' => sub {
    for my $interim ('100 Continue', '103 Early Hints') {
        for my $uri ('/aee', '/to-vcp') {
            $service->script("\$c->out(\"HTTP/1.1 $interim\\r\\n"
                . 'Link: </x>; rel=preload\r\n\r\n");'
                . '$c->pause(0.2); $c->take');

            my $n = () = lines($uri);
            my $from = time;
            my $answer = $client->raw(post($uri, $uri eq '/aee' ? aee()
                                                               : escalation()));
            cmp_ok(time - $from, '<', 5, "$interim, $uri: at once");

            if ($answer->{status} != 502) {
                is($answer->{status}, 202, 'this nginx skips it');
                next;
            }

            my $said = $answer->{json}{payload} // $answer->{json};
            like($said->{code}, qr/^(E_UPSTREAM_INVALID|upstream-invalid)$/);
            like(logged($uri, $n + 1), qr/ 502 failed upstream-invalid$/);
        }
    }

    $service->script;
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

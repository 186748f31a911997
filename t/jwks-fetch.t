# The request that fetches keys is independent of other requests.  The first
# requests wait for the one fetch, also if a client leaves, nginx reloads or a
# worker is killed.  The location behind it may be of any kind.

use strict;
use warnings;

use lib 't/lib';

use IO::Select;
use IO::Socket::INET;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(load_module nginx_binary port root slurp spew tls tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $provider = Parley::Upstream->start(port(4));
my $client = Parley::Client->new(port => port(3));
my $modules = '/usr/lib/nginx/modules';
my $key = new_key('ed25519', 'id-1');

my $set = jcs({ keys => [$key->{jwk}] });
spew(tmp_dir() . '/set.json', $set);

my $gives = '$c->answer(200, [], Parley::Env::slurp("' . tmp_dir()
          . '/set.json"))';


# Returns a gateway with keys from the given location.
sub gateway {
    my ($location, %o) = @_;

    http_config();

    my $directive = $o{directive} // '/_jwks interval=1s timeout=3s';
    my $more = $o{more} // '';
    my $server = $o{server} // '';
    my $listen = $o{listen} // 'backlog=1024';

    return <<"EOT";
    parley_zone          agents:8m;
    parley_identities    %TMP%/identities.json;
    parley_jwks_request  $directive;
    $more
    server {
        listen 127.0.0.1:%PORT_3% ssl $listen;
        ssl_certificate %TLS_CERT%;
        ssl_certificate_key %TLS_KEY%;
        $server
        $location
        location /aee {
            parley_accept aee;
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
    }
EOT
}


sub proxied {
    my $more = shift // '';

    return "location = /_jwks { internal; $more "
         . 'proxy_pass http://127.0.0.1:%PORT_4%/keys; }';
}


sub begin {
    my $who = shift // $key;

    return $client->begin('/aee', jcs(aee()), Authorization => 'Bearer '
                          . token($who, { sub => 'alice' }));
}


sub try { return begin(@_)->answer }


# Checks that nginx logged no serious error.
sub quiet {
    my $nginx = shift;

    my @lines = grep { /\[(?:alert|emerg|crit)\]/ } split /\n/,
                     $nginx->error_log;

    is(join("\n", @lines), '', 'nothing alarming');
    $nginx->stop;
}


subtest 'GW-02 cold start: all first requests wait for one fetch' => sub {
    $provider->script("\$c->pause(1); $gives");

    my $nginx = Parley::Nginx->start(workers => 2, http => gateway(proxied()));
    my @all = map { begin() } 1 .. 200;
    my %status;

    $status{$_->answer->{status}}++ for @all;

    is_deeply(\%status, { 202 => 200 }, 'all pass');
    is($provider->count, 1, 'fetched once, in two workers');
    is($provider->last->{headers}{authorization}, undef, 'nobody\'s');
    quiet($nginx);
};


subtest 'GW-02 a client that leaves does not end the fetch' => sub {
    $provider->clear;
    $provider->script("\$c->pause(1); $gives");

    my $nginx = Parley::Nginx->start(http => gateway(proxied()));

    my @all = map { begin() } 1 .. 20;
    ok($provider->wait_for(1), 'the fetch is under way');
    $all[$_]->leave for 0 .. 9;

    is($_->answer->{status}, 202) for @all[10 .. 19];
    is($provider->count, 1);

    # all clients leave
    $nginx->stop;
    $provider->clear;
    $nginx = Parley::Nginx->start(http => gateway(proxied()));
    @all = map { begin() } 1 .. 5;
    ok($provider->wait_for(1));
    $_->leave for @all;
    sleep 1.5;

    is(try()->{status}, 202, 'the fetch went on without them');
    is($provider->count, 1, 'and was the only one');
    quiet($nginx);
};


subtest 'GW-02 a provider that hangs is not waited for longer than timeout=' => sub {
    $provider->clear;
    $provider->script('$c->pause(20)');

    my $nginx = Parley::Nginx->start(http => gateway(proxied(),
        directive => '/_jwks interval=1s timeout=1s'));
    my $from = time;
    my $answer = try();

    is($answer->{status}, 503);
    is($answer->{json}{payload}{code}, 'E_CAPACITY');
    ok($answer->{headers}{'retry-after'}, 'Retry-After');
    cmp_ok(time - $from, '>', 0.9);
    cmp_ok(time - $from, '<', 5);
    ok($nginx->logged(qr/"\/_jwks" did not end in time/), 'logged');

    $provider->script($gives);
    sleep 1.1;
    is(try()->{status}, 202, 'and asked again');
    quiet($nginx);
};


subtest 'GW-02 shutdown: the fetch ends if no request waits for it, and continues if one does' => sub {
    $provider->clear;
    $provider->script('$c->pause(20)');

    my $nginx = Parley::Nginx->start(http => gateway(proxied(),
        directive => '/_jwks timeout=60s'));
    my $gone = begin();

    ok($provider->wait_for(1), 'under way');
    $gone->leave;
    sleep 0.2;

    my $from = time;
    kill 'QUIT', $nginx->pid;
    waitpid $nginx->pid, 0;
    cmp_ok(time - $from, '<', 3, 'ended at once');
    quiet($nginx);

    $provider->clear;
    $provider->script("\$c->pause(1); $gives");
    $nginx = Parley::Nginx->start(http => gateway(proxied()));

    my $waits = begin();
    ok($provider->wait_for(1), 'under way');
    ok($nginx->reload, 'a reload meanwhile');
    is($waits->answer->{status}, 202, 'it gets its answer');
    is(try()->{status}, 202, 'the new workers have the keys');
    quiet($nginx);
};


subtest 'GW-02 another worker repeats a killed worker\'s fetch' => sub {
    $provider->clear;
    $provider->script('$c->pause(20)');

    # the kernel distributes the connections, or one worker might get all
    my $nginx = Parley::Nginx->start(workers => 2, http => gateway(proxied(),
        directive => '/_jwks timeout=30s', listen => 'reuseport'));
    my @all = map { begin() } 1 .. 40;
    ok($provider->wait_for(1), 'under way');
    sleep 0.3;

    my ($fetcher) = map { $_->{pid} } grep { $_->{to} == port(4) } sockets();

    plan skip_all => 'it cannot be seen who fetches' if !$fetcher;

    $provider->script($gives);
    kill 'KILL', $fetcher;

    my $from = time;
    my %status;

    $status{$_->answer->{status}}++ for @all;
    ok(!$status{202} || $status{202} < 40, 'some were on that worker');
    ok($status{202}, 'and some were not');
    cmp_ok(time - $from, '<', 10, 'the others are not held');
    delete @status{0, 202};
    is_deeply(\%status, {}, 'and pass');
    is(try()->{status}, 202);

    $nginx->stop;
};


subtest 'GW-02 the next worker repeats a killed worker\'s fetch' => sub {
    $provider->clear;
    $provider->script('$c->pause(20)');

    my $nginx = Parley::Nginx->start(http => gateway(proxied(),
        directive => '/_jwks interval=60s timeout=30s'));

    ok($provider->wait_for(1), 'under way');

    my ($worker) = $nginx->error_log =~ /start worker process (\d+)/;

    $provider->script($gives);
    kill 'KILL', $worker;
    ok($nginx->wait_for(qr/start worker process \d+/, 2), 'another worker');
    is(try()->{status}, 202, 'the interval does not count');

    $nginx->stop;
};


subtest 'GW-02 keys of a replaced source are not trusted' => sub {
    my $other = Parley::Upstream->start(port(5), '$c->answer(500)');
    my $two = new_key('ed25519', 'id-2');
    my @to = map { gateway(proxied() . ' location = /_other { internal; '
                           . 'proxy_pass http://127.0.0.1:%PORT_5%; }',
                           directive => "/_$_ interval=1s timeout=5s") }
                 qw(jwks other);

    $provider->clear;
    $provider->script($gives);

    my $nginx = Parley::Nginx->start(workers => 2, http => $to[0]);

    is(try()->{status}, 202) for 1 .. 4;

    ok($nginx->reload(workers => 2, http => $to[1]), 'another location');
    is(try()->{status}, 503, 'no keys yet') for 1 .. 4;

    spew(tmp_dir() . '/two.json', jcs({ keys => [$two->{jwk}] }));
    (my $second = $gives) =~ s/set\.json/two.json/;
    $other->script($second);
    sleep 1.1;

    is(try($two)->{status}, 202, 'its keys are fetched');
    is(try()->{status}, 401, 'the old ones stay gone') for 1 .. 4;

    ok($nginx->reload(workers => 2, http => $to[0]), 'the first one again');
    is(try()->{status}, 202, 'is asked again');
    is(try($two)->{status}, 401) for 1 .. 4;

    # an old worker's fetch ends after the reload
    $provider->clear;
    sleep 1.1;
    $provider->script("\$c->pause(1.5); $gives");

    my $waits = begin(new_key('ed25519', 'asks'));

    ok($provider->wait_for(1), 'under way');
    ok($nginx->reload(workers => 2, http => $to[1]));
    is($waits->answer->{status}, 401);
    is(try($two)->{status}, 202);
    is(try()->{status}, 401, 'it brings nothing back') for 1 .. 4;

    $other->stop;
    quiet($nginx);
};


subtest 'GW-02 a reload with other changes keeps the keys' => sub {
    $provider->clear;
    $provider->script($gives);

    my $nginx = Parley::Nginx->start(http => gateway(proxied()));

    is(try()->{status}, 202);
    $provider->script('$c->answer(500)');
    ok($nginx->reload(http => gateway(proxied(), server => 'root /tmp;',
                          directive => '/_jwks interval=2s timeout=4s')));
    is(try()->{status}, 202);
    quiet($nginx);
};


# Returns established connections of nginx's workers: {pid, to}.
sub sockets {
    my @found;

    for my $line (split /\n/, slurp('/proc/net/tcp')) {
        my (undef, undef, $to, $state, @rest) = split ' ', $line;
        next if ($state // '') ne '01';

        my $inode = $rest[5];

        for my $fd (glob '/proc/[0-9]*/fd/*') {
            my $link = readlink $fd or next;
            next if $link ne "socket:[$inode]";
            my ($pid) = $fd =~ m{^/proc/(\d+)/};
            next if slurp("/proc/$pid/cmdline") !~ /nginx: worker/;
            push @found, { pid => $pid, to => hex((split /:/, $to)[1]) };
        }
    }

    return @found;
}


subtest 'GW-02 a refresh with a hanging provider affects no caller' => sub {
    $provider->clear;
    $provider->script($gives);

    my $nginx = Parley::Nginx->start(http => gateway(proxied(),
        directive => '/_jwks interval=1s refresh=1s timeout=3s'));

    is(try()->{status}, 202);
    $provider->script('$c->pause(20)');
    ok($provider->wait_for(2), 'refreshed by itself');

    # a request that waited for the fetch would be answered after its end

    my $late = qr/"\/_jwks" did not end in time/;
    my $meanwhile = 0;

    until ($nginx->logged($late)) {
        is(try()->{status}, 202);
        $meanwhile++ if !$nginx->logged($late);
        sleep 0.3;
    }

    ok($meanwhile, 'answered while it is under way');
    ok($nginx->wait_for(qr/"\/_jwks" did not end in time/), 'told');
    is(try()->{status}, 202, 'the last good keys are kept');
    quiet($nginx);
};


subtest 'GW-02 a token with a new key waits for the refresh in progress' => sub {
    my $two = new_key('ed25519', 'id-2');

    $provider->clear;
    $provider->script($gives);

    my $nginx = Parley::Nginx->start(http => gateway(proxied(),
        directive => '/_jwks interval=1s timeout=3s'));

    is(try()->{status}, 202);
    sleep 1.1;
    spew(tmp_dir() . '/both.json',
         jcs({ keys => [$key->{jwk}, $two->{jwk}] }));
    (my $both = $gives) =~ s/set\.json/both.json/;
    $provider->script("\$c->pause(0.5); $both");

    my @all = map { begin($two) } 1 .. 10;
    is($_->answer->{status}, 202) for @all;
    is($provider->count, 2, 'one fetch for all');
    quiet($nginx);
};


# Starts a name server that answers 127.0.0.1 to everything.
sub resolver {
    my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
                                       LocalPort => port(7), Proto => 'udp')
        or die "resolver: $!\n";

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        $SIG{$_} = 'DEFAULT' for qw(HUP INT TERM);
        my $parent = getppid;

        while (getppid == $parent) {
            IO::Select->new($socket)->can_read(1) or next;
            my $peer = $socket->recv(my $query, 512) // next;
            my ($id, $question) = unpack 'n x10 a*', $query;
            my $type = unpack 'n', substr $question, -4;
            my $is_a = $type == 1;

            $socket->send(pack('n6', $id, 0x8180, 1, $is_a, 0, 0) . $question
                . ($is_a ? pack('nnnNnC4', 0xc00c, 1, 1, 60, 4, 127, 0, 0, 1)
                         : ''), 0, $peer);
        }

        POSIX::_exit(0);
    }

    return $pid;
}


# possible locations of parley_jwks_request: name, location, options
my @kinds = (
    ['a file', 'location = /_jwks { internal; alias ' . tmp_dir()
               . '/set.json; }'],
    ['text', "location = /_jwks { internal; return 200 '$set'; }"],
    ['not buffered', proxied('proxy_buffering off;')],
    ['an upstream with keepalive',
     'location = /_jwks { proxy_http_version 1.1; proxy_set_header Connection '
     . '""; proxy_pass http://keys/keys; }',
     more => 'upstream keys { server 127.0.0.1:%PORT_4%; keepalive 2; }'],
    ['variables of a client that is none',
     proxied(join '', map { "proxy_set_header X-$_ \"\$$_\"; " }
             qw(remote_addr binary_remote_addr remote_port server_addr
                server_port server_name connection connection_requests host
                request_uri args https scheme request_time request_length
                request_id remote_user tcpinfo_rtt proxy_protocol_addr
                request_body content_length request body_bytes_sent
                parley_id parley_verdict parley_principal
                proxy_add_x_forwarded_for limit_rate hostname msec))],
    ['ip_hash', 'location = /_jwks { proxy_pass http://keys/keys; }',
     more => 'upstream keys { ip_hash; server 127.0.0.1:%PORT_4%; '
           . 'server 127.0.0.1:%PORT_4%; }'],
    ['the next peer', 'location = /_jwks { proxy_pass http://keys/keys; }',
     more => 'upstream keys { server 127.0.0.1:%PORT_9%; '
           . 'server 127.0.0.1:%PORT_4% backup; }'],
    ['TLS, verified',
     'location = /_jwks { proxy_pass https://localhost:%PORT_6%/; '
     . 'proxy_ssl_verify on; proxy_ssl_name localhost; '
     . 'proxy_ssl_server_name on; proxy_ssl_trusted_certificate %TLS_CERT%; }'],
    ['TLS with keepalive',
     'location = /_jwks { proxy_pass https://keys/; proxy_http_version 1.1; '
     . 'proxy_set_header Connection ""; }',
     more => 'upstream keys { server 127.0.0.1:%PORT_6%; keepalive 2; }'],
    ['TLS and a resolver',
     'resolver 127.0.0.1:%PORT_7%; set $idp id.example; '
     . 'location = /_jwks { proxy_pass https://$idp:%PORT_6%/; }'],
    ['a cache', 'location = /_jwks { proxy_cache keys; proxy_cache_valid 1h; '
     . 'proxy_pass http://127.0.0.1:%PORT_4%/keys; }',
     more => 'proxy_cache_path %TMP%/cache keys_zone=keys:1m; '],
    ['an error page', proxied('error_page 404 = @other; '
     . 'proxy_intercept_errors on; ')
     . ' location @other { proxy_pass http://127.0.0.1:%PORT_8%; }',
     script => '$c->answer(404)'],
    ['X-Accel-Redirect', proxied() . ' location = /real { internal; '
     . 'proxy_pass http://127.0.0.1:%PORT_8%/; }',
     script => '$c->answer(200, ["X-Accel-Redirect", "/real"], "")'],
    ['nested', 'location /keys { location = /keys/id { proxy_pass '
     . 'http://127.0.0.1:%PORT_8%/; } }', uri => '/keys/id'],
    ['rewritten', 'location = /_jwks { rewrite ^ /other last; } '
     . 'location = /other { proxy_pass http://127.0.0.1:%PORT_8%/; }'],
    ['a location that inherits parley_accept', proxied(),
     server => 'parley_accept aee; parley_jwt on;'],
    ['access control, which is for clients',
     proxied('deny all; auth_basic x; auth_basic_user_file /nowhere;')],
);

push @kinds, ['threads', 'location = /_jwks { aio threads; sendfile off; alias '
                         . tmp_dir() . '/set.json; }']
    if `@{[nginx_binary()]} -V 2>&1` =~ /--with-threads/;

# locations that give no keys: name, location, the log
my @failures = (
    ['too much', proxied('subrequest_output_buffer_size 10;'),
     qr/failed with status|did not end/],
    ['too much, not buffered', proxied('subrequest_output_buffer_size 10; '
     . 'proxy_buffering off;'), qr/failed with status|did not end/],
    ['a name that does not resolve', 'set $idp id.example; '
     . 'resolver 127.0.0.1:%PORT_9%; resolver_timeout 1s; '
     . 'location = /_jwks { proxy_pass http://$idp; }', qr/status 502/],
    ['TLS that does not verify', 'location = /_jwks { proxy_ssl_verify on; '
     . 'proxy_ssl_trusted_certificate %TLS_CERT%; '
     . 'proxy_pass https://127.0.0.1:%PORT_6%/; }', qr/status 502/],
    ['nobody there', 'location = /_jwks { '
     . 'proxy_pass http://127.0.0.1:%PORT_9%; }', qr/status 502/],
    ['a time-out of nginx\'s', proxied('proxy_read_timeout 500ms;'),
     qr/status 504/, script => '$c->pause(20)'],
    ['a set that breaks off', proxied(), qr/failed with status 200/,
     script => '$c->{keep} = 0; $c->answer(200, ["Content-Length", 100], '
             . 'q({"keys":[]}))'],
    ['a set that breaks off, in chunks', proxied('proxy_http_version 1.1;'),
     qr/failed with status 200/,
     script => '$c->{keep} = 0; $c->answer(200, ["Transfer-Encoding", '
             . '"chunked"], qq(b\r\n{"keys":[]}\r\n))'],
    ['the same, not buffered', proxied('proxy_http_version 1.1; '
     . 'proxy_buffering off;'), qr/failed with status 200/,
     script => '$c->{keep} = 0; $c->answer(200, ["Transfer-Encoding", '
             . '"chunked"], qq(b\r\n{"keys":[]}\r\n))'],
    ['a page', "location = /_jwks { return 200 '<html>'; }",
     qr/brought no key set/],
    ['a redirect', 'location = /_jwks { return 302 /x; }', qr/status 302/],
);


my $tls = 'server { listen 127.0.0.1:%PORT_6% ssl; '
        . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
        . 'location / { proxy_pass http://127.0.0.1:%PORT_4%; } }';
my $dns = resolver();
my $spare = Parley::Upstream->start(port(8), $gives);


subtest 'GW-02 any kind of location works' => sub {
    for (@kinds) {
        my ($name, $location, %o) = @$_;

        $provider->script($o{script} // $gives);
        $o{more} = ($o{more} // '') . $tls;

        my $nginx = eval { Parley::Nginx->start(http => gateway(
            $location, %o, directive => ($o{uri} // '/_jwks')
                                      . ' interval=1s refresh=1s')) };

        if (!ok($nginx, "$name: it starts")) {
            diag $@;
            next;
        }

        is(try()->{status}, 202, "$name: keys");
        sleep 1.3;
        is(try()->{status}, 202, "$name: again, refreshed");

        my @lines = grep { /\[(?:alert|emerg|crit|error)\]/ } split /\n/,
                         $nginx->error_log;
        is(join("\n", grep { !/Connection refused|connect\(\) failed/ }
                           @lines), '', "$name: no error");
        $nginx->stop;
    }
};


subtest 'GW-02 any failure of it is handled' => sub {
    for (@failures) {
        my ($name, $location, $log, %o) = @$_;

        $provider->script($o{script} // $gives);

        my $nginx = Parley::Nginx->start(http => gateway($location,
            more => $tls, directive => '/_jwks interval=1s timeout=2s'));

        is(try()->{status}, 503, "$name: no keys");
        like($nginx->error_log, $log, "$name: told");
        unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\]/,
               "$name: nothing alarming");
        $nginx->stop;
    }
};


kill 'KILL', $dns;
waitpid $dns, 0;


subtest 'GW-02 the server with the location is found' => sub {
    $provider->script($gives);

    my $nginx = Parley::Nginx->start(http => gateway(proxied())
        . 'server { listen 127.0.0.1:%PORT_5% ssl; '
        . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
        . location('/aee', 'parley_accept aee; parley_jwt on;') . '}');
    my $other = Parley::Client->new(port => port(5));
    my @post = ('/aee', jcs(aee()), Authorization => 'Bearer '
                . token($key, { sub => 'alice' }));

    is($other->post(@post)->{status}, 202, 'for another server, too');
    is(try()->{status}, 202);
    quiet($nginx);
};


SKIP: {
    skip 'there are no modules of scripts for this nginx', 1
        if load_module() eq '' || nginx_binary() ne 'nginx'
           || !-e "$modules/ngx_http_lua_module.so"
           || !-e "$modules/ngx_http_js_module.so";

    subtest 'GW-02 a location with a script' => sub {
        spew(tmp_dir() . '/keys.js',
             "function keys(r) { r.return(200, '$set'); }\n"
             . 'export default { keys };');

        $provider->script($gives);

        my $main = "load_module $modules/ndk_http_module.so;\n"
                 . "load_module $modules/ngx_http_lua_module.so;\n"
                 . "load_module $modules/ngx_http_js_module.so;\n";

        for (['lua', "content_by_lua_block { ngx.say('$set') }"],
             ['lua that sleeps', 'content_by_lua_block { ngx.sleep(0.2) '
                               . "ngx.say('$set') }"],
             ['lua over a cosocket', 'content_by_lua_block { '
              . 'local s = ngx.socket.tcp() '
              . 's:connect("127.0.0.1", %PORT_4%) '
              . 's:send("GET / HTTP/1.0\r\n\r\n") '
              . 'local all = s:receive("*a") '
              . 'ngx.print((all:gsub("^.-\r\n\r\n", ""))) }'],
             ['njs', 'js_content keys.keys;'])
        {
            my $nginx = Parley::Nginx->start(main => $main, http => gateway(
                "location = /_jwks { $_->[1] }",
                more => 'js_path %TMP%; js_import keys from keys.js;'));

            is(try()->{status}, 202, $_->[0]);
            quiet($nginx);
        }
    };
}


done_testing;

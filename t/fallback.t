# error_page with a named location continues a message.  All other ways out of
# a Parley location, or into one, do not.

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
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $spare = Parley::Upstream->start(port(4));
my $client = Parley::Client->new(port => port(1));

my $aee = 'parley_accept aee; parley_jwt on;';
my $both = 'parley_accept aee vcp; parley_jwt on;';
my $vcp = 'parley_vcp_context ctx|gateway; '
        . 'parley_vcp_constitution creed://ops.example/gateway@1;';
my $down = port(9);

spew(tmp_dir() . '/50x.html', "a page\n");
spew(tmp_dir() . '/here', "a file\n");


# Returns a location whose upstream is down, and its fallback.
sub falls {
    my ($path, $directives, $to, $code) = @_;

    $code //= '502 504 =';

    return location($path, "$directives error_page $code $to;", $down);
}


my $server = falls('/same', $aee, '@same')
    . location('@same', $aee, port(4))
    . falls('/unasked', $aee, '@trusts')
    . location('@trusts', 'parley_accept aee; parley_trusted on;', port(4))
    . falls('/plain', $aee, '@same', '502')
    . falls('/from-vcp', "$both parley_speak vcp; $vcp", '@as-aee')
    . location('@as-aee', "$both parley_speak aee;", port(4))
    . falls('/to-vcp-later', "$both parley_speak aee;", '@as-vcp')
    . location('@as-vcp', "$both parley_speak vcp; $vcp", port(4))
    . falls('/argument', 'parley_accept aee; parley_jwt on token=$arg_t;',
            '@same')
    . falls('/redacted', "$aee parley_redact /payload/secret;", '@redacts')
    . location('@redacts', "$aee parley_redact /payload/other mask;", port(4))
    . falls('/only-redacted', "$both parley_speak vcp; $vcp "
            . 'parley_redact /payload/secret;', '@as-aee')
    . falls('/capped', "$aee parley_cap priority=low;", '@capped')
    . location('@capped', "$aee parley_cap priority=high;", port(4))
    . falls('/denied', $aee, '@denies')
    . location('@denies', "$aee parley_deny intent=ops.backup.run; "
                        . 'parley_allow principal=**;', port(4))
    . falls('/denies', "$aee parley_deny intent=ops.backup.run; "
                     . 'parley_allow principal=**;', '@same')
    . falls('/other', "$both parley_speak aee;", '@only-vcp')
    . location('@only-vcp', 'parley_accept vcp; parley_jwt on;', port(4))
    . falls('/proven', $aee, '@unproven')
    . location('@unproven', 'parley_accept aee; parley_signature required;',
               port(4))
    . falls('/rated', "$aee parley_rate 1000r/s;", '@rated')
    . location('@rated', "$aee parley_rate 1r/h;", port(4))
    . falls('/file', "$both parley_speak vcp; $vcp "
                   . 'client_body_buffer_size 1k;', '@as-aee')
    . falls('/file-same', "$aee client_body_buffer_size 1k;", '@same')
    . falls('/signed', 'parley_accept vcp; parley_signature required;',
            '@signed')
    . location('@signed', 'parley_accept vcp; parley_signature required;',
               port(4))
    . falls('/both-down', $aee, '@down')
    . location('@down', "$aee error_page 502 = \@same;", $down)
    . falls('/chain', "$aee recursive_error_pages on;", '@chain')
    . location('@chain', "$aee recursive_error_pages on; "
                       . 'error_page 502 = @same;', $down)
    . location('/hangs', "$aee proxy_read_timeout 500ms; "
                       . 'error_page 504 = @same;')
    . location('/late', "$aee parley_cap timeout=500ms; "
                      . 'error_page 504 = @same;')
    . location('/intercepted', "$aee proxy_intercept_errors on; "
                             . 'error_page 404 503 = @same;')
    . location('/interim', "$aee proxy_read_timeout 2s; "
                         . "error_page 502 504 = \@same;")
    . falls('/page', $aee, '/50x.html')
    . falls('/page-ok', $aee, '/50x.html', '502 =200')
    . falls('/page-return', $aee, '/returns')
    . falls('/page-proxied', $aee, '/proxied')
    . falls('/page-parley', $aee, '/open')
    . falls('/named-page', $aee, '@page')
    . falls('/named-proxied', $aee, '@proxied')
    . falls('/away', $aee, 'https://elsewhere.example/')
    . location('/accel', $aee)
    . location('/tries', "$aee root " . tmp_dir() . '; '
                       . 'try_files /nothing @same;')
    . location('/tries-uri', "$aee root " . tmp_dir() . '; '
                           . 'try_files /nothing /proxied;')
    . location('/tries-file', "$aee root " . tmp_dir() . '; '
                            . 'try_files /here =404;')
    . falls('/dry', "$aee parley_dry_run on;", '@dry')
    . location('@dry', "$aee parley_dry_run on;", port(4))
    . falls('/dry-out', "$aee parley_dry_run on;", '@proxied')
    . falls('/dry-in', "$aee parley_dry_run on;", '@same')
    . falls('/dry-later', $aee, '@dry-denies')
    . location('@dry-denies', "$aee parley_dry_run on; "
                            . 'parley_deny type=task; '
                            . 'parley_allow principal=**;', port(4))
    . location('/after', "$aee post_action /same;")
    . 'location = /50x.html { internal; root ' . tmp_dir() . '; }'
    . 'location = /returns { return 200 "returned"; }'
    . location('/proxied', '', port(4))
    . location('@page', 'default_type text/html; return 200 "named";', $down)
    . location('@proxied', '', port(4))
    . 'location /in-uri { root ' . tmp_dir() . '; try_files /nothing /same; }'
    . 'location /in-named { root ' . tmp_dir()
    . '; try_files /nothing @same; }'
    . location('/in-accel', '')
    . location('/in-error', 'error_page 502 = @same;', $down)
    . location('/in-error-uri', 'error_page 502 = /same;', $down)
    . 'location /in-rewritten { rewrite ^ /aee last; }';

my $nginx = Parley::Nginx->start(http => gateway_http(server => $server,
    more => 'log_format who "$request_uri $status $parley_verdict $parley_error"; '
          . 'access_log who.log who;'));


# Checks the log line about the last request of its URI; the line is written
# after the answer.
sub logged_is {
    my $expected = shift;
    my ($uri) = split ' ', $expected;
    my $last = '';

    for (1 .. 100) {
        ($last) = grep { /^\Q$uri\E / }
                  reverse split /\n/, slurp($nginx->dir . '/who.log');
        last if ($last //= '') eq $expected;
        sleep 0.05;
    }

    is($last, $expected);
}


sub fresh { $_->clear, $_->script for $service, $spare }


# Sends a message; the spare service must get it once.
sub arrives {
    my ($uri, $m, %o) = @_;

    fresh();

    my $answer = $client->raw(post($uri, $m, %o));

    like($answer->{status}, qr/^20[02]$/, "$uri: taken");
    is($spare->count, 1, 'by the fallback, once');

    return $spare->last;
}


# Checks a refusal in AEE's form; the services get nothing.
sub refused {
    my ($uri, $m, $status, $code, %o) = @_;

    fresh();

    my $answer = $client->raw(post($uri, $m, %o));

    is($answer->{status}, $status, "$uri: $status");
    is($answer->{json}{payload}{code}, $code, $code);
    is($spare->count, 0, 'nothing arrives there');

    return $answer;
}


subtest 'GW-24 a message continues as it was accepted' => sub {
    my $m = aee();
    my $got = arrives('/same?x=1', $m, headers => ['X-Other' => 'kept']);

    is($got->{body}, jcs($m), 'octet for octet');
    is($got->{uri}, '/same?x=1');
    is($got->{headers}{'content-type'}, 'application/json');
    is($got->{headers}{'x-other'}, 'kept');
    like($got->{headers}{'parley-verified'}, qr/^principal="?alice/);
    is(scalar(() = grep { lc $_->[0] eq 'content-type' } @{ $got->{list} }),
       1, 'one type');
    is(scalar(() = grep { lc $_->[0] eq 'content-length' }
                        @{ $got->{list} }), 1, 'one length');
    logged_is('/same?x=1 202 passed -');
    is($client->raw(post('/same', $m))->{json}{payload}{code},
       'E_MESSAGE_DUPLICATE', 'settled');
};


subtest 'GW-24 GW-26 the status is that of the fallback\'s answer' => sub {
    arrives('/plain', aee());
    logged_is('/plain 202 passed -');
};


subtest 'GW-24 SEC-03 arguments are forwarded as the fallback decides' => sub {
    my $token = bearer('alice') =~ s/^Bearer //r;

    # one of the arguments was the token, which is for the gateway
    is(arrives("/argument?x=%31&%74=$token", aee(), token => 0)->{uri},
       '/argument?x=%31');
};


subtest 'GW-24 the translation is the fallback\'s' => sub {
    my $m = aee(type => 'event', intent => 'vcp.context_share',
                payload => vcp()->{payload});
    my $got = arrives('/from-vcp', $m);
    is($got->{body}, jcs($m), 'from the original, not from its translation');

    $got = arrives('/to-vcp-later', with($m, id => uuid4()));
    is_deeply($got->{json}{payload}, $m->{payload}, 'to VCP');
    ok($got->{json}{vcp_message});
    is($got->{headers}{'content-length'}, length $got->{body});

    my $v = vcp();
    fresh();
    my $answer = $client->raw(post('/from-vcp', $v));
    is($answer->{json}{status}, 'accepted', 'a VCP caller');
    is($spare->last->{json}{intent}, 'vcp.context_share', 'to AEE');
    is($client->raw(post('/from-vcp', $v))->{json}{status}, 'duplicate');
};


subtest 'GW-24 SEC-08 a reply without a request there is settled' => sub {
    my $m = result(aee());

    # without a translation, it may answer a message that took another way
    refused('/to-vcp-later', $m, 409, 'E_REPLY_UNMATCHED', as => 'bob');
    logged_is('/to-vcp-later 409 refused reply-unmatched');
    arrives('/same', $m, as => 'bob');
    refused('/to-vcp-later', $m, 409, 'E_MESSAGE_DUPLICATE', as => 'bob');
};


subtest 'GW-24 AEE-32 the redactions of both locations hold' => sub {
    my $m = aee(payload => { text => 't', secret => 's', other => 'o' });
    my $got = arrives('/redacted', $m);

    is_deeply($got->{json}{payload}, { text => 't', other => '[redacted]' });

    $got = arrives('/only-redacted', aee(type => 'event',
        intent => 'vcp.context_share',
        payload => { %{ vcp()->{payload} }, secret => 's' }));
    is($got->{json}{payload}{secret}, undef, 'the entry\'s alone');
    ok(keys %{ $got->{json}{payload} }, 'and nothing else');
};


subtest 'GW-24 AEE-28 caps are the fallback\'s' => sub {
    my $got = arrives('/capped', aee(priority => 'urgent'));
    is($got->{json}{priority}, 'high');
};


subtest 'GW-24 the fallback\'s rules hold, and the denies of the first location' => sub {
    my $m = aee();

    refused('/denied', $m, 403, 'E_POLICY_REFUSED');
    logged_is('/denied 403 refused policy-refused');
    arrives('/denied', aee(intent => 'ops.other'));
    refused('/denies', aee(), 403, 'E_POLICY_REFUSED');
    refused('/other', aee(), 415, 'E_PROTOCOL_UNSUPPORTED');
    arrives('/same', $m);
};


subtest 'GW-24 proof, age and limits are not checked again' => sub {
    arrives('/proven', aee());
    arrives('/rated', aee()) for 1 .. 3;
    arrives('/signed', vcp(), token => 0);
};


subtest 'GW-24 a body in a file' => sub {
    my $m = aee(payload => { text => 'x' x 20000 });

    is(arrives('/file-same', $m)->{body}, jcs($m));

    $m = aee(type => 'event', intent => 'vcp.context_share',
             payload => { %{ vcp()->{payload} }, context => 'x' x 9000 });
    is(arrives('/file', $m)->{body}, jcs($m));
};


subtest 'GW-24 if the fallback fails too the message may come again' => sub {
    my $m = aee();

    refused('/both-down', $m, 502, 'E_UPSTREAM_UNAVAILABLE');
    logged_is('/both-down 502 failed upstream-unavailable');
    arrives('/same', $m);
    arrives('/chain', aee());
};


subtest 'GW-24 an upstream that hangs or refuses has a fallback' => sub {
    my $m = aee();

    fresh();
    $service->script('$c->pause(3)');
    is($client->raw(post('/hangs', $m))->{status}, 202);
    is($service->count, 1);
    is($spare->last->{body}, jcs($m));

    for (404, 503) {
        fresh();
        $service->script("\$c->answer($_)");
        is($client->raw(post('/intercepted', aee()))->{status}, 202, "status $_");
        is($spare->count, 1);
    }

    fresh();
    $service->script('$c->answer(200, [], jcs(result($q->{json})))');
    is($client->raw(post('/intercepted', aee()))->{status}, 200);
    is($spare->count, 0, 'none is needed');

    # a newer nginx ignores the interim response, and waits for the answer
    fresh();
    $service->script('$c->out("HTTP/1.1 103 Early Hints\r\n\r\n"); $c->pause(1)');
    is($client->raw(post('/interim', aee()))->{status}, 202, 'interim');
};


subtest 'AEE-29 GW-24 a deadline that has passed is not extended' => sub {
    fresh();
    $service->script('$c->pause(3)');

    my $answer = $client->raw(post('/late', aee()));

    is($answer->{status}, 504);
    is($answer->{json}{payload}{code}, 'E_UPSTREAM_TIMEOUT');
    is($spare->count, 0);
};


subtest 'GW-24 GW-07 answers of the fallback' => sub {
    fresh();
    $spare->script('$c->events; $c->out("data: " . jcs(result($q->{json})) '
                 . '. "\n\n")');
    like($client->raw(post('/same', aee()))->{body}, qr/"type":"result"/);

    $spare->script('$c->answer(200, [], q({"x":1}))');
    is($client->raw(post('/same', aee()))->{json}{payload}{code},
       'E_UPSTREAM_INVALID');
};


subtest 'GW-24 SEC-15 events in a location without tokens' => sub {
    fresh();
    $spare->script('$c->events; $c->out("data: " . jcs(result($q->{json})) '
                 . '. "\n\n")');
    like($client->raw(post('/unasked', aee()))->{body}, qr/"type":"result"/,
         'the token that came before still ends them');
};


for (['/page', 'a page of the server'], ['/page-ok', 'with a status'],
     ['/page-return', 'a return'], ['/page-proxied', 'another upstream'],
     ['/page-parley', 'another Parley location'],
     ['/named-page', 'a named location without Parley'],
     ['/named-proxied', 'another upstream of that kind'])
{
    my ($uri, $what) = @$_;

    subtest "GW-24 error_page: $what is not for a message" => sub {
        my $m = aee();

        refused($uri, $m, 502, 'E_UPSTREAM_UNAVAILABLE');
        logged_is("$uri 502 failed upstream-unavailable");
        is($service->count, 0, 'nor there');
        arrives('/same', $m);
    };
}


subtest 'GW-24 X-Accel-Redirect is not an answer' => sub {
    for my $to ('/50x.html', '/proxied', '@proxied', '@same', '/open') {
        my $m = aee();

        fresh();
        $service->script("\$c->answer(200, ['X-Accel-Redirect', '$to'], '')");

        my $answer = $client->raw(post('/accel', $m));

        is($answer->{status}, 502, $to);
        is($answer->{json}{payload}{code}, 'E_UPSTREAM_INVALID');
        ok(!$answer->{json}{payload}{retryable}, 'not to be tried again');
        is($service->count, 1, 'it was there once');
        is($spare->count, 0);
        is($client->raw(post('/accel', $m))->{json}{payload}{code},
           'E_MESSAGE_DUPLICATE', 'which took it');
    }
};


subtest 'GW-24 SEC-07 try_files cannot lead to another location' => sub {
    my $m = aee();

    refused('/tries', $m, 502, 'E_UPSTREAM_UNAVAILABLE');
    refused('/tries-uri', $m, 502, 'E_UPSTREAM_UNAVAILABLE');
    is($service->count, 0);

    fresh();
    is($client->raw(post('/tries-file', $m))->{status}, 202,
       'a file that is there changes the URI alone');
    is($service->last->{body}, jcs($m));
};


subtest 'GW-24 SEC-07 a redirection cannot lead into a Parley location' => sub {
    fresh();
    $service->script(q($c->answer(200, ['X-Accel-Redirect', '/same'], '')));

    for ('/in-uri', '/in-named', '/in-accel', '/in-error', '/in-error-uri') {
        my $answer = $client->raw(post($_, aee()));

        is($answer->{status}, 403, $_);
        is($answer->{json}{payload}{code}, 'E_POLICY_REFUSED');
    }

    is($spare->count, 0);

    $service->script;
    is($client->raw(post('/in-rewritten', aee()))->{status}, 202,
       'rewrite is none');
    is($client->raw(post('/in-rewritten', aee(), token => 0))->{status}, 401);
};


subtest 'GW-24 SEC-20 a dry run holds for its own fallback only' => sub {
    my $m = aee(type => 'nope');

    is(arrives('/dry', $m)->{body}, jcs($m), 'as it came');
    is(arrives('/dry-out', $m)->{body}, jcs($m), 'without Parley, too');

    fresh();
    is($client->raw(post('/dry-in', $m))->{status}, 403,
       'where it would count as asked');
    is($spare->count, 0);

    refused('/dry-later', aee(), 403, 'E_POLICY_REFUSED');
};


subtest 'SEC-07 post_action into a Parley location has no effect' => sub {
    fresh();

    my $answer = $client->raw(post('/after', aee()));

    is($answer->{status}, 202);
    unlike($answer->{raw}, qr/HTTP\/1\.1 .*HTTP\/1\.1 /s, 'one answer');
    sleep 0.3;
    is($spare->count, 0);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

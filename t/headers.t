# Headers that only the gateway may set, and headers of a body that it
# replaces.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $beside = Parley::Upstream->start(port(4), '$c->answer(200)');

my $on = 'parley_accept aee vcp; parley_jwt on; '
       . 'parley_vcp_context "ctx|gateway";';

# a location that serves no messages
my $other = sub {
    "location = $_[0] { internal; $_[1] proxy_pass http://127.0.0.1:"
    . port(4) . '; }';
};

my $nginx = Parley::Nginx->start(http => gateway_http(
    more => 'underscores_in_headers on; ignore_invalid_headers off;',
    server => location('/as-aee', "$on parley_speak aee;")
            . location('/as-vcp', "$on parley_speak vcp;")
            . location('/dry', "$on parley_speak aee; parley_dry_run on;")
            . location('/mirrored', "$on parley_speak aee; mirror /beside; "
                                  . 'mirror_request_body on;')
            . location('/dry-mirrored', "$on parley_speak aee; "
                                      . 'parley_dry_run on; mirror /beside;')
            . location('/asked', "$on parley_speak aee; "
                               . 'auth_request /auth;')
            . location('/set', "$on parley_speak aee; "
                             . 'set $forged $http_parley_verified; '
                             . 'proxy_set_header X-Forged $forged;')
            . location('/length', "$on parley_speak aee; "
                                . 'proxy_set_header X-Length '
                                . '"$http_content_length $content_length";')
            . $other->('/beside', '')
            . $other->('/auth', 'proxy_pass_request_body off; '
                              . 'proxy_set_header Content-Length "";')
            . location('/named', "$on parley_speak aee; "
                               . 'add_header Parley-Of-The-Operator x always;')));

my $client = Parley::Client->new(port => port(1));

my @forged = qw(Parley-Verified parley-verified PARLEY-VERIFIED
                Parley_Verified parley_verified PARLEY_verified
                Parley-Verified_ Parley.Verified parley~verified
                Parley_Loss Parley-Anything parley_);


sub sent {
    my ($uri, $message, @o) = @_;

    $service->clear;
    $beside->clear;

    return $client->raw(post($uri, $message, @o));
}


# Returns the headers that an application could take for Parley-...
sub own {
    my $got = shift;

    return grep { (lc =~ s/[^a-z0-9]/-/gr) =~ /^parley-/ }
           map { $_->[0] } @{ $got->{list} };
}


for my $name (@forged) {
    my @o = (headers => [$name => 'principal="root"; token', 'X-Mine' => 1]);

    subtest "SEC-05 a client's $name" => sub {
        for my $uri ('/as-aee', '/mirrored', '/asked', '/set') {
            is(sent($uri, aee(), @o)->{status}, 202, "$uri: passed");

            my $got = $service->last;

            is_deeply([own($got)], ['Parley-Verified'], "$uri: the gateway's");
            is($got->{headers}{'parley-verified'}, 'principal="alice"; token');
            is($got->{headers}{'x-mine'}, 1, 'others pass');
            is($got->{headers}{'x-forged'}, undef, 'no variable has it');

            $beside->wait_for(1) if $uri =~ /asked|mirrored/;

            is_deeply([grep { $_ ne 'Parley-Verified' } own($_)], [],
                      "$uri: nor any beside it") for $beside->requests;
            isnt($_->{headers}{'parley-verified'}, 'principal="root"; token',
                 "$uri: or the gateway's") for $beside->requests;
        }

        is(sent('/as-vcp', aee(type => 'event', payload => vcp()->{payload},
                               intent => 'vcp.context_share'), @o)->{status},
           202, 'translated');
        is_deeply([own($service->last)], ['Parley-Verified'], 'translated');

        for my $uri ('/dry', '/dry-mirrored') {
            is(sent($uri, aee(), @o)->{status}, 202, "$uri: passed");
            is_deeply([own($service->last)], [], "$uri: none");
            is($service->last->{headers}{'x-mine'}, 1, 'others pass');

            is(sent($uri, aee(type => 'nope'), @o)->{status}, 202,
               "$uri: would be refused");
            is_deeply([own($service->last)], [], "$uri: none");

            $beside->wait_for(1) if $uri =~ /mirrored/;
            is_deeply([own($_)], [], "$uri: none beside it")
                for $beside->requests;
        }
    };
}


subtest 'SEC-05 nginx\'s own data about a request stays right' => sub {
    my $m = aee();
    my $n = length jcs($m);

    sent('/length', $m, headers => ['Parley-Verified' => 'x']);
    is($service->last->{headers}{'x-length'}, "$n $n", 'as it came');

    my @o = (headers => ['Parley-Verified' => 'x', map { ("X-$_" => $_) }
                                                       1 .. 60]);

    sent('/length', vcp(), @o);

    $n = length $service->last->{body};
    is($service->last->{headers}{'content-length'}, $n);
    is($service->last->{headers}{'x-length'}, "$n $n", 'translated');
    is($service->last->{headers}{"x-$_"}, $_, "X-$_") for 1, 20, 21, 60;
};


# answers

my $spoken = join ', ', map { "'$_' => 'principal=\"root\"'" } @forged;

subtest 'SEC-05 a Parley- header of a service is removed' => sub {
    my %kind = ('/as-aee' => '$c->answer(202, [%s])',
                '/dry' => '$c->answer(200, [%s], "{}")',
                '/as-vcp' => '$c->answer(200, [%s], jcs({ status => "accepted", '
                             . 'message_id => $q->{json}{message_id} }))');

    for my $uri (sort keys %kind) {
        $service->script(sprintf $kind{$uri}, "$spoken, 'X-Mine' => 1");

        my $answer = sent($uri, $uri eq '/as-vcp' ? vcp() : aee());

        like($answer->{status}, qr/^2/, $uri);
        is_deeply([grep { /^parley/i } keys %{ $answer->{headers} }], [],
                  "$uri: none");
        is($answer->{headers}{'x-mine'}, 1, 'others pass');
    }

    $service->script("\$c->answer(422, [$spoken], jcs(failure(\$q->{json})))");

    my $answer = sent('/as-aee', aee());

    is($answer->{status}, 422);
    is_deeply([grep { /^parley/i } keys %{ $answer->{headers} }], [],
              'nor with a failure');

    $service->script("\$c->answer(200, [$spoken], 'no JSON')");
    $answer = sent('/as-aee', aee());
    is($answer->{status}, 502);
    is_deeply([grep { /^parley/i } keys %{ $answer->{headers} }], [],
              'nor with what is told in its place');

    for my $m (aee(), vcp()) {
        $service->script('$c->{keep} = 0; $c->out("HTTP/1.1 200 OK\r\n"'
            . '. "Content-Type: text/event-stream\r\nConnection: close\r\n"'
            . '. join("", map { "$_: x\r\n" } qw(' . "@forged" . '))'
            . '. "X-Mine: 1\r\n\r\n");');
        $answer = sent('/as-aee', $m);
        is($answer->{status}, 200, 'events');
        is($answer->{headers}{'x-mine'}, 1, 'others pass');
        is_deeply([grep { /^parley/i && !/^parley-loss$/ }
                   keys %{ $answer->{headers} }], [], 'nor with events');
        isnt($answer->{headers}{'parley-loss'}, 'x');
    }

    $service->script(undef);
    is(sent('/named', aee())->{headers}{'parley-of-the-operator'}, 'x',
       'what the operator adds stays');
};


my %of_body = (
    'Location' => 'https://other.example/', 'Refresh' => '0; url=/x',
    'Content-Range' => 'bytes 0-1/2', 'Trailer' => 'X-Sum',
    'WWW-Authenticate' => 'Bearer realm="inner"', 'Content-Language' => 'de',
    'Content-Location' => '/x', 'Content-Disposition' => 'attachment',
    'ETag' => '"1"', 'Last-Modified' => 'Sun, 22 Nov 2026 00:00:00 GMT',
    'Accept-Ranges' => 'bytes', 'Digest' => 'sha-256=x',
    'Content-Digest' => 'sha-256=:x:', 'Repr-Digest' => 'sha-256=:x:',
    'Content-MD5' => 'x', 'Link' => '</x>; rel=next', 'Allow' => 'PUT',
    'Proxy-Authenticate' => 'Basic', 'Authentication-Info' => 'x',
    'Mcp-Session-Id' => 'inner', 'C2A-Session' => 'inner',
);

my %passes = ('Set-Cookie' => 'route=1', 'Cache-Control' => 'no-store',
              'X-Request-Id' => '1', 'Retry-After' => '7');

my $headers = join ', ', map { my ($n, $v) = @$_; "'$n' => '$v'" }
              map { my $h = $_; map { [$_, $h->{$_}] } sort keys %$h }
                  \%of_body, \%passes;

for my $case (['a translated answer', '/as-vcp', aee(type => 'event',
                   intent => 'vcp.context_share', payload => vcp()->{payload}),
               '200', 'jcs({ status => "accepted", '
                    . 'message_id => $q->{json}{message_id} })'],
              ['a translated failure', '/as-aee', escalation(), '401',
               'jcs(failure($q->{json}))'],
              ['a refusal in place of an answer', '/as-aee', aee(), '200',
               '"no JSON"'])
{
    my ($name, $uri, $m, $status, $body) = @$case;

    subtest "GW-07 $name has no header of the old body" => sub {
        $service->script("\$c->answer($status, [$headers], $body)");

        my $answer = sent($uri, $m);

        is($service->count, 1, "status $answer->{status}");
        is($answer->{headers}{lc $_}, undef, $_) for sort keys %of_body;
        is($answer->{headers}{lc $_}, $passes{$_}, $_) for sort keys %passes;
        is($answer->{headers}{'content-length'}, length $answer->{body});
    };
}

subtest 'GW-07 events that are translated have no header of the old body' =>
sub {
    $service->script('$c->{keep} = 0; my %h = (' . $headers . '); '
        . '$c->out("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"'
        . '. "Connection: close\r\n" . join("", map { "$_: $h{$_}\r\n" } '
        . 'keys %h) . "\r\n");');

    my $answer = sent('/as-aee', escalation());

    is($answer->{status}, 200);
    is($answer->{headers}{lc $_}, undef, $_) for sort keys %of_body;
    is($answer->{headers}{lc $_}, $passes{$_}, $_) for sort keys %passes;
};


subtest 'GW-07 an unchanged answer keeps its headers' => sub {
    $service->script("\$c->answer(200, [$headers], jcs(result(\$q->{json})))");

    my $answer = sent('/as-aee', aee());

    is($answer->{status}, 200);
    is($answer->{headers}{lc $_}, $of_body{$_}, $_)
        for qw(Content-Language Link Digest Mcp-Session-Id);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

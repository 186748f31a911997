# The body of a request, in every form of transfer.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tls tmp_dir slurp spew);
use Parley::Gateway;
use Parley::H2;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my ($cert, $key) = tls();

my $server = location('/file', 'parley_accept aee vcp; parley_speak aee; '
                             . 'parley_jwt on; client_body_buffer_size 1k;')
           . location('/only-file', 'parley_accept aee vcp; parley_speak aee; '
                                  . 'parley_jwt on; '
                                  . 'client_body_in_file_only clean;')
           . location('/streamed', 'parley_accept aee vcp; parley_speak aee; '
                                 . 'parley_jwt on; '
                                 . 'proxy_request_buffering off;')
           . location('/bounded', 'parley_accept aee; parley_jwt on; '
                                . 'client_max_body_size 4k;')
           . location('/two', 'parley_accept aee; parley_jwt on; '
                            . 'proxy_next_upstream error timeout http_502 '
                            . 'non_idempotent;')
           . location('/keepalive', 'parley_accept aee vcp; parley_speak aee; '
                                  . 'parley_jwt on; proxy_http_version 1.1; '
                                  . 'proxy_set_header Connection "";');

my $nginx = Parley::Nginx->start(http => gateway_http(server => $server)
    . "server { listen 127.0.0.1:%PORT_6% ssl http2; "
    . "ssl_certificate $cert; ssl_certificate_key $key; "
    . location('/aee', 'parley_accept aee; parley_jwt on;')
    . location('/to-aee', 'parley_accept aee vcp; parley_speak aee; '
                        . 'parley_jwt on; client_body_buffer_size 1k;')
    . location('/small', 'parley_accept aee; parley_jwt on; '
                       . 'parley_limits body=1k;')
    . '}');

my $client = Parley::Client->new(port => port(1));
my $large = 20_000;


sub big { aee(payload => { text => 'x' x $large, n => [1 .. 200] }, @_) }


# Returns a body in chunks of n octets.
sub chunked {
    my ($body, $n) = @_;

    return join('', map { sprintf "%x\r\n%s\r\n", length, $_ }
                    unpack "(a$n)*", $body) . "0\r\n\r\n";
}


sub auth { (Authorization => bearer('alice')) }


# Checks that the files of requests are gone; a request ends after its answer.
sub no_files {
    my $until = time + 10;
    my @files;

    do {
        @files = glob $nginx->dir . '/client_body_temp/*';
        return 1 if !@files;
        sleep 0.02;
    } while time < $until;

    diag("@files");

    return 0;
}


# Checks that the body arrived unchanged, once.
sub arrived {
    my ($body, $what) = @_;

    is($service->count, 1, 'forwarded once');
    ok(($service->last // {})->{body} eq $body, $what // 'octet for octet');
    is(($service->last // {})->{headers}{'content-length'}, length $body,
       'with its length');
    $service->clear;
}


for my $uri (qw(/file /only-file)) {
    subtest "GW-12 a body in a temporary file ($uri)" => sub {
        my $m = jcs(big());

        $service->clear;
        is($client->post($uri, $m, auth())->{status}, 202);
        arrived($m);
    };

    subtest "GW-12 a translated body in a temporary file ($uri)" => sub {
        my $m = with(vcp(), 'payload/context' => 'c' x $large);

        is($client->raw(post($uri, $m))->{json}{status}, 'accepted');
        is($service->last->{json}{payload}{context}, 'c' x $large);
        is($service->last->{headers}{'content-length'},
           length $service->last->{body});
        $service->clear;
    };
}


ok(no_files(), 'no file is left');


for my $n (1, 7, 4096) {
    subtest "GW-12 a chunked body, $n octets a chunk" => sub {
        my $m = jcs(aee(payload => { text => 'x' x 300 }));
        my $answer = $client->post('/aee', chunked($m, $n), auth(),
                                   'Transfer-Encoding' => 'chunked');

        is($answer->{status}, 202);
        arrived($m);
    };
}


subtest 'GW-12 a chunked body in a temporary file' => sub {
    my $m = jcs(big());

    is($client->post('/file', chunked($m, 999), auth(),
                     'Transfer-Encoding' => 'chunked')->{status}, 202);
    arrived($m);
};


subtest 'GW-12 a chunked body that is translated' => sub {
    my $m = jcs(sign_vcp(vcp(), person('alice')->{key}));

    for my $uri (qw(/to-aee /keepalive)) {
        my $m = jcs(sign_vcp(vcp(), person('alice')->{key}));

        is($client->post($uri, chunked($m, 50), auth(),
                         'Transfer-Encoding' => 'chunked')->{json}{status},
           'accepted');
        is($service->last->{headers}{'transfer-encoding'}, undef);
        is($service->last->{headers}{'content-length'},
           length $service->last->{body}, "the length is the new one: $uri");
    }

    $service->clear;
};


subtest 'GW-12 a chunked body above the limit' => sub {
    my $answer = $client->post('/aee', chunked('x' x 1_200_000, 9000), auth(),
                               'Transfer-Encoding' => 'chunked');

    is($answer->{status}, 413);
    is($answer->{json}{payload}{code}, 'E_MESSAGE_TOO_LARGE');
    is($service->count, 0);
};


subtest 'GW-12 a body above client_max_body_size is reported in AEE' => sub {
    for ([jcs(big())], [chunked(jcs(big()), 500), 'Transfer-Encoding',
                        'chunked'])
    {
        my ($body, @headers) = @$_;
        my $answer = $client->post('/bounded', $body, auth(), @headers);

        is($answer->{status}, 413);
        is($answer->{json}{payload}{code}, 'E_MESSAGE_TOO_LARGE');
    }

    is($service->count, 0);
};


subtest 'GW-12 Expect: 100-continue' => sub {
    my $m = jcs(big());
    my $connection = $client->connect;
    my ($head, $body) = $client->request('POST', '/aee', $m, auth(),
                                         Expect => '100-continue')
                        =~ /^(.*?\r\n\r\n)(.*)$/s;

    $connection->write($head);
    like($connection->expect(qr/\r\n\r\n/, 5) // '', qr/^HTTP\/1\.1 100 /,
         'the body is asked for');
    $connection->write($body);
    is($connection->answer->{status}, 202);
    arrived($m);
};


subtest 'GW-02 with Expect, the body of a request without a token is not requested' => sub {
    my $connection = $client->connect;
    my ($head) = $client->request('POST', '/aee', jcs(big()),
                                  Expect => '100-continue')
                 =~ /^(.*?\r\n\r\n)/s;

    $connection->write($head);

    my $said = $connection->expect(qr/\}$/, 5) // $connection->{buffer};

    unlike($said, qr/^HTTP\/1\.1 100 /);
    like($said, qr/^HTTP\/1\.1 401 .*E_TOKEN_MISSING/s);
};


subtest 'GW-12 a body in many small packets' => sub {
    my $m = jcs(aee(payload => { text => 'y' x 400 }));
    my $request = $client->request('POST', '/aee', $m, auth());
    my $connection = $client->connect;

    for (unpack '(a13)*', $request) {
        $connection->write($_);
        sleep 0.002;
    }

    is($connection->answer->{status}, 202);
    arrived($m);
};


subtest 'GW-12 a head in one packet, the body octet by octet' => sub {
    my $m = jcs(aee());
    my ($head, $body) = $client->request('POST', '/streamed', $m, auth())
                        =~ /^(.*?\r\n\r\n)(.*)$/s;
    my $connection = $client->connect;

    $connection->write($head);
    sleep 0.1;

    for (split //, $body) {
        $connection->write($_);
    }

    is($connection->answer->{status}, 202);
    arrived($m);
};


subtest 'GW-12 proxy_request_buffering off, translated' => sub {
    my $m = with(vcp(), 'payload/context' => 'c' x $large);

    is($client->raw(post('/streamed', $m))->{json}{status}, 'accepted');
    is($service->last->{headers}{'content-length'},
       length $service->last->{body});
    $service->clear;
};


subtest 'GW-12 several messages over one connection' => sub {
    my $connection = $client->connect;

    for (1 .. 5) {
        my $m = $_ % 2 ? jcs(aee()) : jcs(sign_vcp(vcp(),
                                              person('alice')->{key}));

        $connection->write($client->request('POST', '/to-aee', $m, auth(),
                                            Connection => 'keep-alive'));

        my $answer = $connection->answer;

        like($answer->{status}, qr/^20[02]$/, "message $_");
        $connection->{buffer} = '';
    }

    is($service->count, 5);
    $service->clear;
};


subtest 'GW-12 a refusal before the body keeps the connection usable' => sub {
    my $connection = $client->connect;

    $connection->write($client->request('POST', '/aee', jcs(aee()),
                                        Connection => 'keep-alive'));
    is($connection->answer->{status}, 401, 'no token');
    $connection->{buffer} = '';

    my $m = jcs(aee());

    $connection->write($client->request('POST', '/aee', $m, auth(),
                                        Connection => 'keep-alive'));
    is($connection->answer->{status}, 202, 'the next message');
    arrived($m);
};


subtest 'GW-12 two messages in one packet' => sub {
    my @m = (jcs(aee()), jcs(aee()));
    my $connection = $client->connect;

    $connection->write(join '', map {
        $client->request('POST', '/aee', $m[$_], auth(),
                         Connection => $_ ? 'close' : 'keep-alive')
    } 0, 1);

    $connection->expect(qr/HTTP\/1\.1 202.*HTTP\/1\.1 202/s, 5);
    is(() = $connection->{buffer} =~ /HTTP\/1\.1 202/g, 2);
    is_deeply([sort map { $_->{body} } $service->requests], [sort @m]);
    $service->clear;
};


sub h2 {
    my ($uri, $body, @more) = @_;

    my $file = spew(tmp_dir() . '/h2-body', $body);
    my $token = bearer('alice');
    my @command = (qw(curl -sk --http2 --max-time 20 -w),
                   '\n%{http_code} %{http_version}', '-H',
                   "Authorization: $token", '-H',
                   'Content-Type: application/json', '--data-binary',
                   "\@$file", @more,
                   'https://127.0.0.1:' . port(6) . $uri);

    open my $out, '-|', @command or die "curl: $!\n";

    local $/;
    my ($text, $status, $version) = <$out> =~ /^(.*)\n(\d+) (\S+)$/s;

    return { body => $text, status => $status, version => $version,
             json => scalar(eval { from_json($text) }) };
}


subtest 'GW-12 over HTTP/2' => sub {
    my $m = jcs(aee());
    my $answer = h2('/aee', $m);

    is($answer->{version}, 2);
    is($answer->{status}, 202);
    arrived($m);
};


subtest 'GW-12 over HTTP/2, in a temporary file' => sub {
    my $m = jcs(big());

    is(h2('/to-aee', $m)->{status}, 202);
    arrived($m);
};


subtest 'GW-12 over HTTP/2, translated both ways' => sub {
    $service->script('$c->answer(200, [], jcs(result($q->{json}, payload => '
                     . '{ text => "on it", context => "c" x 20000 })))');

    my $m = escalation(severity => 'critical', requires_ack => true);
    my $answer = h2('/to-aee', jcs(sign_vcp($m, person('alice')->{key})));

    is($answer->{json}{status}, 'accepted');
    is(length $answer->{json}{reply}{payload}{context}, 20000);
    $service->script(undef);
    $service->clear;
};


subtest 'GW-12 over HTTP/2 without Content-Length' => sub {
    my $m = jcs(aee());
    my $file = spew(tmp_dir() . '/h2-body', $m);
    my $answer = h2('/aee', $m, '-H', 'Content-Length:', '-H',
                    'Transfer-Encoding: chunked');

    is($answer->{status}, 202);
    arrived($m);
};


subtest 'GW-12 over HTTP/2 a refusal' => sub {
    my $answer = h2('/aee', jcs(aee(type => 'nope')));

    is($answer->{status}, 400);
    is($answer->{json}{payload}{field}, '/type');
};


subtest 'GW-12 over HTTP/2 a body above the limit' => sub {
    my $answer = h2('/small', jcs(big()));

    is($answer->{status}, 413);
    is($answer->{json}{payload}{code}, 'E_MESSAGE_TOO_LARGE');
    is($service->count, 0);
};


subtest 'GW-12 over HTTP/2 many messages on one connection' => sub {
    my $m = jcs(aee(type => 'nope'));
    my $file = spew(tmp_dir() . '/h2-load', $m);
    my $token = bearer('alice');
    my $said = `h2load -n 200 -c 2 -m 20 -d $file \\
        -H 'Authorization: $token' https://127.0.0.1:${\ port(6)}/aee 2>&1`;

    like($said, qr/status codes: 0 2xx, 0 3xx, 200 4xx, 0 5xx/,
         'each is answered');
};


# A client resets its request, or leaves, in the packet that ends the request.
for my $way ('takes a stream back', 'leaves') {
    subtest "GW-12 over HTTP/2 a client that $way at once" => sub {
        my @m = map { jcs(aee()) } 1 .. 3;
        my $c = Parley::Client->new(port => port(6), ssl => {
            SSL_alpn_protocols => ['h2'] })->connect;
        my $n = 0;
        my $octets = h2_begin();

        # the packet has several requests: the others are not affected

        for my $m (@m) {
            my $stream = 2 * $n++ + 1;
            $octets .= h2_post($stream, '/aee', $m);
            $octets .= h2_reset($stream)
                if $way ne 'leaves' && $n == 2;
        }

        $service->clear;
        $c->write($octets);

        if ($way eq 'leaves') {
            $c->leave;
            sleep 0.5;

        } else {
            ok($service->wait_for(2), 'those beside it arrive');
        }

        like(h2('/aee', $_)->{status}, qr/^(?:202|409)$/,
             'it is taken, or was') for @m;

        my %times;
        $times{$_->{body}}++ for $service->requests;

        ok(!(grep { !$times{$_} } @m), 'none is lost');
    };
}


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');
ok(no_files(), 'no file is left');

done_testing;

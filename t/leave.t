# Clients that leave, at any point of their message: no service gets it twice,
# and no service gets a part of it.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp spew tls tmp_dir);
use Parley::Gateway;
use Parley::H2;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(1));
my $plain = Parley::Client->new(port => port(3), tls => 0);
my ($cert, $key) = tls();
my $seen = tmp_dir() . '/seen';

my $aee = 'parley_accept aee; parley_jwt on;';

my $nginx = Parley::Nginx->start(http => gateway_http(
    more => 'log_format who "$uri $status $parley_verdict $parley_error"; '
          . 'access_log who.log who; '
          . "upstream kept { server 127.0.0.1:" . port(2) . '; keepalive 4; }',
    server => location('/ignored', "$aee proxy_ignore_client_abort on;")
            . location('/unbuffered', "$aee proxy_buffering off;")
            . location('/bounded', "$aee parley_cap timeout=2s;")
            . location('/slow', "$aee send_timeout 1s;")
            . location('/after', "$aee post_action /done;")
            . location('/limited', "$aee proxy_read_timeout 2s;")
            . location('/named', "$aee error_page 502 504 = \@other;")
            . "location /kept { $aee proxy_pass http://kept; "
            . 'proxy_http_version 1.1; proxy_set_header Connection ""; }'
            . 'location = /done { return 204; }'
            . 'location @other { return 503; }')
    . "server { listen 127.0.0.1:%PORT_6% ssl http2; "
    . "ssl_certificate $cert; ssl_certificate_key $key; "
    . location('/aee', $aee) . location('/slow', "$aee send_timeout 1s;")
    . '}');

my $h2 = Parley::Client->new(port => port(6),
                             ssl => { SSL_alpn_protocols => ['h2'] });


# Sets the service's script.  $done and $said make its answers; $wait waits for
# go() and records whether the gateway is still connected.
sub answers {
    $service->clear;
    unlink $seen, "$seen.go";

    $service->script("my \$seen = '$seen'; " . <<'EOT' . shift());
        use Socket qw(MSG_PEEK MSG_DONTWAIT);

        my $wait = sub {
            for (1 .. 400) { last if -e "$seen.go"; sleep 0.03 }

            my $n = recv($c->{socket}, my $octet, 1, MSG_PEEK | MSG_DONTWAIT);
            Parley::Env::spew($seen, defined $n && length $octet == 0
                                     ? 'alone' : 'awaited');
        };

        my $done = sub { jcs(result($q->{json}, @_)) };
        my $said = sub { jcs(aee(type => 'stream', from => $q->{json}{to},
            to => $q->{json}{from}, intent => $q->{json}{intent},
            corr => $q->{json}{corr}, payload => { text => @_ })) };
EOT
}


sub go { spew("$seen.go", '') }


# Lets the service continue; returns its record.
sub seen {
    go();

    for (1 .. 200) {
        return slurp($seen) if -e $seen && -s $seen;
        sleep 0.05;
    }

    return 'nothing';
}


sub logged {
    my ($uri, $n) = @_;

    for (1 .. 100) {
        my @lines = grep { /^\Q$uri\E / }
                         split /\n/, slurp($nginx->dir . '/who.log');
        return $lines[-1] if @lines >= ($n // 1);
        sleep 0.05;
    }

    return '';
}


sub forget { spew($nginx->dir . '/who.log', '') }


# Sends the message again; the answer is 409 with this code.
sub again {
    my ($m, $code, $why, $uri) = @_;

    my $answer = $client->raw(post($uri // '/aee', $m));
    is($answer->{json}{payload}{code}, $code, $why);
}


# Waits until a retry is accepted: the earlier attempt is settled.
sub settled {
    my ($m, $uri) = @_;

    for (1 .. 100) {
        my $answer = $client->raw(post($uri // '/aee', $m));
        my $code = $answer->{json}{payload}{code} // '';

        return $code || $answer->{status} if $code ne 'E_MESSAGE_IN_FLIGHT';
        sleep 0.05;
    }

    return 'E_MESSAGE_IN_FLIGHT';
}


# the ways to leave: name, code that begins, code that leaves
my @ways = (
    ['TLS', sub { begin($client, @_) }, sub { $_[0]->leave }],
    ['plain', sub { begin($plain, @_) }, sub { $_[0]->leave }],
    ['reset', sub { begin($plain, @_) }, sub {
        setsockopt $_[0]{socket}, Socket::SOL_SOCKET(), Socket::SO_LINGER(),
                   pack 'ii', 1, 0;
        $_[0]->leave }],
    ['HTTP/2 stream', sub { h2(@_) }, sub { $_[0]->write(h2_reset(1)) }],
    ['HTTP/2 connection', sub { h2(@_) }, sub { $_[0]->leave }],
);

sub begin {
    my ($who, $uri, $m) = @_;

    my $connection = $who->connect;
    $connection->write(post($uri, sign_aee($m, person('alice')->{key})));

    return $connection;
}

sub h2 {
    my ($uri, $m) = @_;

    my $connection = $h2->connect;
    $connection->write(h2_begin() . h2_post(1, $uri, jcs(sign_aee($m,
                                                person('alice')->{key}))));
    return $connection;
}


for (@ways) {
    my ($way, $begins, $leaves) = @$_;

    # before the answer, and in the middle of it
    for (['before the answer', '$wait->(); '
                               . '$c->answer(200, [], $done->());'],
         ['in the middle', 'my $body = $done->(); $c->out("HTTP/1.1 200 OK\r\n'
          . 'Content-Type: application/json\r\nContent-Length: " '
          . '. length($body) . "\r\n\r\n" . substr($body, 0, 20)); '
          . '$wait->(); $c->out(substr $body, 20);'])
    {
        my ($where, $script) = @$_;

        subtest "GW-21 $way: a client that leaves $where" => sub {
            answers($script);
            forget();

            my $m = aee();
            my $connection = $begins->('/aee', $m);

            ok($service->wait_for(1), 'it was forwarded');
            sleep 0.1;
            $leaves->($connection);
            sleep 0.1;

            again($m, 'E_MESSAGE_IN_FLIGHT', 'awaited');
            is(seen(), 'awaited', 'by the gateway');
            is(settled($m), 'E_MESSAGE_DUPLICATE', 'then taken');
            is($service->count, 1, 'delivered once');
            ok((grep { $_ eq '/aee 499 passed -' } split /\n/,
                     slurp($nginx->dir . '/who.log')), 'logged as that');
        };
    }
}


for my $uri ('/ignored', '/unbuffered', '/after', '/kept') {
    subtest "GW-21 the same at $uri" => sub {
        answers('$wait->(); '
              . '$c->answer(200, [], $done->());');

        my $m = aee();
        my $connection = $client->begin($uri, jcs($m),
                                        Authorization => bearer('alice'));

        ok($service->wait_for(1), 'it was forwarded');
        $connection->leave;
        again($m, 'E_MESSAGE_IN_FLIGHT', 'awaited', $uri);
        is(seen(), 'awaited', 'by the gateway');
        is(settled($m, $uri), 'E_MESSAGE_DUPLICATE', 'then taken');
        is($service->count, 1, 'delivered once');
    };
}


subtest 'GW-21 the connection to the upstream is kept' => sub {
    my $pids = tmp_dir() . '/pids';

    spew($pids, '');
    answers('$c->pause(0.3); { open my $f, ">>", "' . $pids . '"; '
          . 'print $f "$$\n"; } $c->answer(200, [], $done->());');

    my $m = aee();
    my $connection = $client->begin('/kept', jcs($m),
                                    Authorization => bearer('alice'));

    ok($service->wait_for(1));
    $connection->leave;
    go();
    is(settled($m, '/kept'), 'E_MESSAGE_DUPLICATE');
    is($client->raw(post('/kept', aee()))->{status}, 200);

    my @pids = split /\n/, slurp($pids);
    is($pids[0], $pids[1], 'and used again');
};


subtest 'GW-21 a client that leaves within its body has sent nothing' => sub {
    answers('$c->answer(200, [], $done->());');

    my $m = aee();
    my $octets = post('/aee', $m);
    my $connection = $client->connect;

    $connection->write(substr $octets, 0, length($octets) - 5);
    sleep 0.1;
    $connection->leave;

    $connection = $h2->connect;
    $connection->write(h2_begin() . h2_post(1, '/aee', jcs($m), open => 1));
    sleep 0.1;
    $connection->write(h2_reset(1));
    sleep 0.2;
    is($service->count, 0);
    is($client->raw(post('/aee', $m))->{status}, 200, 'it may come');
    is($service->count, 1);
};


# failures after the client left: name, uri, script
for (['an error', '/aee', '$wait->(); $c->answer(500);'],
     ['an answer that breaks off', '/aee', '$wait->(); $c->{keep} = 0; '
      . '$c->answer(200, ["Content-Length", 1000], "{");'],
     ['a time-out', '/limited', '$c->pause(8);'],
     ['a deadline', '/bounded', '$c->pause(8);'],
     ['a fallback', '/named', '$wait->(); $c->{keep} = 0;'])
{
    my ($name, $uri, $script) = @$_;

    subtest "GW-12 GW-21 $name after the client left: the message may come again" => sub {
        answers($script);

        my $m = aee();
        my $connection = $client->begin($uri, jcs($m),
                                        Authorization => bearer('alice'));

        ok($service->wait_for(1));
        $connection->leave;

        # only if the service alone ends the request
        if ($script =~ /wait/) {
            again($m, 'E_MESSAGE_IN_FLIGHT', 'awaited', $uri);
            seen();
        }

        answers('$c->answer(200, [], $done->());');
        is(settled($m, $uri), 200, 'a retry is served');
        is($service->count, 1);
    };
}


subtest 'AEE-29 GW-21 the deadline of the message ends the wait' => sub {
    answers('$c->pause(8);');

    my $m = aee(requires => { timeout_ms => 2000 });
    my $connection = $client->begin('/aee', jcs($m),
                                    Authorization => bearer('alice'));
    my $from = time;

    ok($service->wait_for(1));
    $connection->leave;
    again($m, 'E_MESSAGE_IN_FLIGHT', 'awaited');
    answers('$c->answer(200, [], $done->());');
    is(settled($m), 200, 'then it may come again');
    cmp_ok(time - $from, '<', 6);
};


for (@ways) {
    my ($way, $begins, $leaves) = @$_;

    subtest "GW-21 $way: an answer of events is read to its final event" => sub {
        answers('$c->events; $c->out("data: " . $said->("1") . "\n\n"); '
              . 'for (2 .. 5) { $c->pause(0.15); $c->out("data: " '
              . '. $said->($_) . "\n\n") } '
              . '$wait->(); $c->out("data: " . $done->() . "\n\n");');

        my $m = aee();
        my $connection = $begins->('/aee', $m);

        ok($service->wait_for(1), 'it was forwarded');
        sleep 0.2;
        $leaves->($connection);
        is(seen(), 'awaited', 'until the final event');
        is(settled($m), 'E_MESSAGE_DUPLICATE', 'taken');
        is($service->count, 1, 'delivered once');
    };
}


# a client that reads nothing of a long answer
for (['HTTP/1.1', sub { begin($client, @_) }],
     ['HTTP/2', sub { h2(@_) }])
{
    my ($way, $begins) = @$_;

    subtest "GW-21 $way: a client that stops reading counts as gone" => sub {
        answers('$c->events; for (1 .. 400) { last if !$c->out("data: " '
              . '. $said->("x" x 20000) . "\n\n") } '
              . '$wait->(); $c->out("data: " . $done->() . "\n\n");');

        my $m = aee();
        my $connection = $begins->('/slow', $m);

        ok($service->wait_for(1), 'it was forwarded');
        is(seen(), 'awaited', 'the service has said everything');
        is(settled($m, '/slow'), 'E_MESSAGE_DUPLICATE', 'taken');
        is($service->count, 1, 'delivered once');
        $connection->leave;
    };
}


subtest 'GW-21 many at once, and many retries: each message once' => sub {
    answers('$c->pause(rand 0.4); $c->answer(200, [], $done->());');

    my @m = map { aee() } 1 .. 120;
    my @open;

    for my $m (@m) {
        my $way = $ways[rand @ways];
        push @open, [$way->[2], $way->[1]->('/aee', $m)];

        if (@open > 12) {
            my ($leaves, $connection) = @{ splice @open, rand @open, 1 };
            $leaves->($connection);
        }
    }

    $_->[0]->($_->[1]) for @open;
    @open = ();

    my %end;
    $end{settled($_)}++ for @m;

    my %times;
    $times{$_->{json}{id}}++ for $service->requests;

    is_deeply([sort grep { !/^(200|E_MESSAGE_DUPLICATE)$/ } keys %end], [],
              'every retry is served, or told that it was taken');
    is_deeply([grep { $times{$_} != 1 } keys %times], [], 'none comes twice');
    is(scalar keys %times, 120, 'and none is lost');
};


subtest 'GW-15 GW-21 a reload does not end the wait' => sub {
    answers('$wait->(); $c->answer(200, [], $done->());');

    my $m = aee();
    my $connection = $client->begin('/aee', jcs($m),
                                    Authorization => bearer('alice'));

    ok($service->wait_for(1));
    $connection->leave;
    ok($nginx->reload);
    again($m, 'E_MESSAGE_IN_FLIGHT', 'awaited by the old worker');
    is(seen(), 'awaited');
    is(settled($m), 'E_MESSAGE_DUPLICATE', 'taken');
    is($service->count, 1);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

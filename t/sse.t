# Answers of events: each translated as it comes, unbuffered.

use strict;
use warnings;

use lib 't/lib';

use MIME::Base64 qw(decode_base64);
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(
    http => "log_format lost 'lost \$uri \$parley_loss';\n"
          . "access_log error.log lost;\n" . gateway_http(server =>
      location('/small', 'parley_accept aee; parley_jwt on; '
                       . 'parley_limits body=2k;')
    . location('/brief', 'parley_accept aee; parley_jwt on; '
                       . 'proxy_read_timeout 500ms;')
    . location('/deadline', 'parley_accept aee vcp; parley_speak aee; '
                          . 'parley_jwt on; parley_cap timeout=400ms;')
    . location('/chunked', 'parley_accept aee; parley_jwt on; '
                         . 'proxy_http_version 1.1;')
    . location('/to-c2a', 'parley_accept aee; parley_speak c2a; '
                        . 'parley_jwt on;')));
my $client = Parley::Client->new(port => port(1));


# Returns the script of a service that writes these octets.  $event makes a
# stream envelope, $done a result; for a C2A service $react makes a reaction,
# $said an answer.  With $chunk in the text the stream is chunked, and breaks
# off.
sub events {
    my $begin = $_[0] =~ /\$chunk/ ? <<'EOT' : "        \$c->events;\n";
        $c->{keep} = 0;
        $c->out("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                . "Transfer-Encoding: chunked\r\n\r\n");
EOT

    return <<'EOT' . $begin . $_[0];
        my $n = 0;
        my $event = sub { jcs(aee(type => 'stream', from => $q->{json}{to},
            to => $q->{json}{from}, intent => $q->{json}{intent},
            corr => $q->{json}{corr}, payload => { n => ++$n, @_ })) };
        my $done = sub { jcs(result($q->{json}, payload => { text => 'done',
            context => 'ctx', @_ })) };
        my $react = sub { jcs({ jsonrpc => '2.0', id => ++$n,
            method => 'tools/call', params => { name => 'chat.react',
            arguments => { inReplyTo => $q->{json}{params}{eventId},
                           signal => $_[0] // 'working' } } }) };
        my $said = sub { jcs({ jsonrpc => '2.0', id => $q->{json}{id},
            result => { accepted => true, disposition => 'responded',
            message => { target => { id => $q->{json}{params}{conversation}{id},
            kind => 'thread' }, idempotencyKey => 'a-1', visibility => 'thread',
            directedness => 'to_me', inReplyTo => $q->{json}{params}{eventId},
            text => $_[0] // 'done' } } }) };
        my $chunk = sub { $c->out(sprintf "%x\r\n%s\r\n", length $_[0],
                                  $_[0]) };
EOT
}


# Sends a message; returns the connection, whose stream is not read yet.
sub begin {
    my ($script, @post) = @_;

    $service->script(events($script));
    $service->clear;

    my $connection = $client->connect;
    $connection->write(post(@post));

    return $connection;
}


# Sends a message and reads the stream to its end; returns its status, headers
# and events.
sub stream {
    my $answer = begin(@_)->answer;

    return ($answer, parsed($answer->{body}));
}


# Returns a list of {event, id, retry, data, json}.
sub parsed {
    my @events;

    for my $block (split /\n\n+/, $_[0]) {
        my %e;

        for (split /\n/, $block) {
            next if /^:/;
            my ($name, $value) = /^(\w+): ?(.*)$/ or next;
            $e{$name} = defined $e{$name} && $name eq 'data'
                        ? "$e{data}\n$value" : $value;
        }

        next if !defined $e{data};
        $e{json} = eval { from_json($e{data}) };
        push @events, \%e;
    }

    return @events;
}


my $task = sub { constraint() };
my $as = [as => 'lead'];


subtest 'GW-07 AEE to AEE: each event is unchanged' => sub {
    my ($answer, @e) = stream(<<'EOT', '/aee', aee());
        $c->out('data: ' . $event->(a => "\x{e9}") . "\n\n");
        $c->out('data: ' . $event->() . "\n\n");
        $c->out('data: ' . $done->() . "\n\n");
EOT

    is($answer->{status}, 200);
    like($answer->{headers}{'content-type'}, qr{^text/event-stream});
    is($answer->{headers}{'content-length'}, undef);
    is(scalar @e, 3);
    is($e[0]{json}{payload}{a}, "\x{e9}");
    is($e[1]{json}{payload}{n}, 2);
    is($e[2]{json}{type}, 'result');
    ok($answer->{complete}, 'the end is told');
};


subtest 'GW-07 the first event arrives before the service sends the second' => sub {
    my $connection = begin(<<'EOT', '/aee', aee());
        $c->out('data: ' . $event->() . "\n\n");
        $c->pause(2);
        $c->out('data: ' . $event->() . "\n\n");
EOT
    my $from = time;

    ok($connection->expect(qr/"n":1/, 1.5), 'the first');
    cmp_ok(time - $from, '<', 1.5, 'at once');
    unlike($connection->{buffer}, qr/"n":2/);
    ok($connection->expect(qr/"n":2/, 5), 'the second');
};


subtest 'GW-07 also a translated event' => sub {
    my $connection = begin(<<'EOT', '/to-c2a', aee());
        $c->out('data: ' . $react->() . "\n\n");
        $c->pause(2);
EOT

    ok($connection->expect(qr/"type":"stream"/, 1.5),
       'before the stream has ended');
};


subtest 'GW-07 progress and the answer of a C2A service' => sub {
    my $m = aee();
    my ($answer, @e) = stream(<<'EOT', '/to-c2a', $m);
        $c->out('data: ' . $react->('seen') . "\n\n");
        $c->out('data: ' . $react->() . "\n\n");
        $c->out('data: ' . $said->('it is done') . "\n\n");
EOT

    is(scalar @e, 3);
    is($e[0]{json}{type}, 'stream');
    is($e[1]{json}{type}, 'stream');
    is($e[2]{json}{type}, 'result');
    is($e[2]{json}{reply_to}, $m->{id});
    is($e[2]{json}{payload}{text}, 'it is done');
    is($e[2]{json}{from}, $m->{to});

    my $sig = delete $e[2]{json}{sig};

    ok(verify(gateway_key(), jcs($e[2]{json}), decode_base64($sig->{value})),
       'signed by the gateway');
};


subtest 'GW-07 an event without an equivalent becomes a comment' => sub {
    my ($answer, @e) = stream(<<'EOT', '/to-c2a', aee());
        $c->out('data: ' . jcs({ jsonrpc => '2.0',
            method => 'notifications/message', params => {} }) . "\n\n");
        $c->out('data: ' . $said->() . "\n\n");
EOT

    is(scalar @e, 1, 'the other one arrives');
    like($answer->{body}, qr/^:/m);

    like($nginx->error_log, qr/cannot express it.*translation-unsupported/,
         'the log says why');
    ok($nginx->wait_for(qr{^lost /to-c2a .*answer=%22%22}m),
       'and $parley_loss that it was lost');
};


subtest 'GW-07 an AEE caller and a VCP service' => sub {
    my $m = aee(intent => 'vcp.escalation', to => 'agent.lead',
                priority => 'high', payload =>
                escalation(severity => 'critical', requires_ack => true)
                ->{payload});

    $service->script('$c->events; $c->out("data: " . jcs({ status => '
        . '"accepted", message_id => $q->{json}{message_id}, reply => '
        . 'vcp(type => "escalation", sender => $q->{json}{recipient}, '
        . 'recipient => $q->{json}{sender}, payload => { severity => '
        . '"critical", context => "c", requires_ack => false, reason => '
        . '"ACK:$q->{json}{message_id}" }) }) . "\n\n")');

    my $answer = $client->raw(post('/to-vcp', $m));
    my ($e) = parsed($answer->{body});

    is($e->{json}{type}, 'result');
    is($e->{json}{reply_to}, $m->{id});
    is($e->{json}{corr}, $m->{corr});
};


subtest 'GW-07 ids, names, retry and comments stay' => sub {
    my ($answer, @e) = stream(<<'EOT', '/aee', aee());
        $c->out(": keepalive\n\n");
        $c->out("id: 17\nevent: progress\nretry: 2500\ndata: "
                . $event->() . "\n\n");
        $c->out("data: " . $event->() . "\n\n");
EOT

    like($answer->{body}, qr/^: keepalive$/m);
    is($e[0]{id}, 17);
    is($e[0]{event}, 'progress');
    is($e[0]{retry}, 2500);
    is($e[1]{id}, undef, 'each of its own event');
};


subtest 'GW-07 ids of a translated event stay' => sub {
    my (undef, @e) = stream(<<'EOT', '/to-c2a', aee());
        $c->out("id: abc\nevent: ack\ndata: " . $react->() . "\n\n");
EOT

    is($e[0]{id}, 'abc');
    is($e[0]{event}, 'ack');
};


for (['CRLF', "\\r\\n"], ['CR', "\\r"]) {
    my ($name, $end) = @$_;

    subtest "GW-07 line ends of $name" => sub {
        my (undef, @e) = stream(<<"EOT", '/aee', aee());
            \$c->out("id: 1${end}data: " . \$event->() . "$end$end");
            \$c->out("data: " . \$event->() . "$end$end");
EOT

        is(scalar @e, 2);
        is($e[0]{id}, 1);
    };
}


subtest 'GW-07 CR and LF in two packets are one line end' => sub {
    my (undef, @e) = stream(<<'EOT', '/aee', aee());
        $c->out("data: " . $event->() . "\r"); $c->pause(0.1);
        $c->out("\n\r"); $c->pause(0.1);
        $c->out("\ndata: " . $event->() . "\r\n\r\n");
EOT

    is(scalar @e, 2);
};


subtest 'GW-07 data of several lines' => sub {
    my (undef, @e) = stream(<<'EOT', '/aee', aee());
        my $text = $event->(a => 1);
        $text =~ s/,/,\ndata:/;
        $text =~ s/("payload":)/\ndata:\ndata:  $1/;
        $c->out("data: $text\n\n");
EOT

    is(scalar @e, 1);
    is($e[0]{json}{payload}{a}, 1);
};


subtest 'GW-07 an event octet by octet' => sub {
    my (undef, @e) = stream(<<'EOT', '/aee', aee());
        for (split //, "id: 5\ndata: " . $event->(a => 2) . "\n\n") {
            $c->out($_);
        }
EOT

    is($e[0]{json}{payload}{a}, 2);
    is($e[0]{id}, 5);
};


subtest 'GW-07 many events in one packet' => sub {
    my (undef, @e) = stream(<<'EOT', '/to-c2a', aee());
        $c->out(join '', map { "id: $_\ndata: " . $react->() . "\n\n" }
                         1 .. 200);
EOT

    is(scalar @e, 200);
    is(join(' ', map { $_->{id} } @e), join(' ', 1 .. 200), 'in their order');
};


subtest 'GW-07 unknown fields and a missing last line end do no harm' => sub {
    my (undef, @e) = stream(<<'EOT', '/aee', aee());
        $c->out("what: x\ndata: " . $event->() . "\n\n");
        $c->out("data: " . $event->());
EOT

    is(scalar @e, 2);
    is($e[0]{json}{payload}{n}, 1);
    is($e[1]{event}, undef, 'an event that is whole needs no blank line');
    is($e[1]{json}{payload}{n}, 2);
};


subtest 'GW-10 an invalid event ends the stream with an error event' => sub {
    my $m = aee();
    my ($answer, @e) = stream(<<'EOT', '/aee', $m);
        $c->out('data: ' . $event->() . "\n\n");
        $c->pause(0.1);
        $c->out("data: {\"v\":\"1\"}\n\n");
        $c->pause(0.2);
        $c->out('data: ' . $event->(late => 1) . "\n\n");
        $c->pause(0.2);
EOT

    is($e[0]{json}{payload}{n}, 1, 'what came before arrives');
    is($e[1]{event}, 'error');
    is($e[1]{json}{type}, 'error');
    is($e[1]{json}{payload}{code}, 'E_UPSTREAM_INVALID');
    is($e[1]{json}{reply_to}, $m->{id});
    is(scalar @e, 2, 'and nothing after it');
    unlike($answer->{body}, qr/"late"/);
};


subtest 'GW-12 an invalid event commits the id' => sub {
    my $m = aee();
    my (undef, @e) = stream('$c->out("data: nothing\n\n");', '/aee', $m);

    is($e[0]{json}{payload}{code}, 'E_UPSTREAM_INVALID');
    ok(!$e[0]{json}{payload}{retryable}, 'to send it again is of no use');
    is($client->raw(post('/aee', $m))->{status}, 409);
};


subtest 'GW-12 a stream that breaks off releases the id' => sub {
    my $m = aee();
    my ($answer, @e) = stream(<<'EOT', '/chunked', $m);
        $chunk->('data: ' . $event->() . "\n\n");
EOT

    is($e[0]{json}{payload}{n}, 1, 'what came before arrives');
    is($e[1]{event}, 'error', 'the end is told');
    is($e[1]{json}{payload}{code}, 'E_UPSTREAM_INVALID');
    ok($e[1]{json}{payload}{retryable});
    $service->script(undef);
    is($client->raw(post('/aee', $m))->{status}, 202, 'it may come again');
};


for my $rest ("ZZZZ\\r\\n", "ffffffffffffffffff\\r\\nx") {
    subtest "GW-26 an invalid chunk: $rest" => sub {
        my $m = aee();
        my ($answer, @e) = stream(<<"EOT", '/chunked', $m);
        \$chunk->('data: ' . \$event->() . "\\n\\n");
        sleep 0.1;
        \$c->out("$rest");
EOT

        is($e[0]{json}{payload}{n}, 1, 'what came before arrives');
        is($e[1]{event}, 'error', 'the end is told');
        is($e[1]{json}{payload}{code}, 'E_UPSTREAM_INVALID');
        ok($answer->{complete});
        $service->script(undef);
        is($client->raw(post('/aee', $m))->{status}, 202, 'it may come again');
    };
}


subtest 'GW-12 a stream whose connection ends inside an event' => sub {
    my $m = aee();
    my ($answer, @e) = stream(<<'EOT', '/aee', $m);
        $c->out('data: ' . $event->() . "\n\ndata: " . substr $done->(), 0, 90);
EOT

    is($e[0]{json}{payload}{n}, 1, 'what came before arrives');
    is($e[1]{event}, 'error', 'the end is told');
    is($e[1]{json}{payload}{code}, 'E_UPSTREAM_INVALID');
    ok($e[1]{json}{payload}{retryable});
    $service->script(undef);
    is($client->raw(post('/aee', $m))->{status}, 202, 'it may come again');
};


subtest 'GW-12 a stream whose connection ends before its result' => sub {
    my $m = aee();
    my ($answer, @e) = stream(<<'EOT', '/aee', $m);
        $c->out('data: ' . $event->() . "\n\n");
EOT

    is(scalar @e, 1);
    is($client->raw(post('/aee', $m))->{status}, 409, 'it was taken');
    ok($nginx->logged(qr/\[warn\].*events may be incomplete/),
       'the log says that the events may be incomplete');
};


subtest 'GW-12 a stream that breaks off after the answer commits the id' => sub {
    my $m = aee();
    my ($answer, @e) = stream(<<'EOT', '/chunked', $m);
        $chunk->('data: ' . $done->() . "\n\n");
EOT

    is(scalar @e, 1);
    is($e[0]{json}{type}, 'result');
    ok($answer->{complete});
    is($client->raw(post('/aee', $m))->{status}, 409);
};


subtest 'GW-12 an error that may come again releases the id' => sub {
    my $m = aee();
    my ($answer, @e) = stream(<<'EOT', '/aee', $m);
        $c->out('data: ' . jcs(failure($q->{json}, retryable => true))
                . "\n\n");
EOT

    is($e[0]{json}{type}, 'error');
    $service->script(undef);
    is($client->raw(post('/aee', $m))->{status}, 202, 'it may come again');
};


subtest 'GW-12 another error commits the id' => sub {
    my $m = aee();

    stream('$c->out("data: " . jcs(failure($q->{json})) . "\n\n");', '/aee',
           $m);
    is($client->raw(post('/aee', $m))->{status}, 409);
};


subtest 'GW-12 a valid event commits the id' => sub {
    my $m = aee();

    stream('$c->out("data: " . $event->() . "\n\n");', '/aee', $m);
    is($client->raw(post('/aee', $m))->{status}, 409);
};


subtest 'GW-12 the message is not taken again during the stream' => sub {
    my $m = aee();
    my $connection = begin(<<'EOT', '/aee', $m);
        $c->out('data: ' . $event->() . "\n\n");
        $c->pause(2);
EOT

    $connection->expect(qr/"n":1/, 2);
    is($client->raw(post('/aee', $m))->{status}, 409);
};


subtest 'AEE-34 an event with another correlation is refused' => sub {
    my (undef, @e) = stream(<<'EOT', '/aee', aee());
        $c->out('data: ' . jcs(result($q->{json}, corr => uuid4())) . "\n\n");
EOT

    is($e[0]{event}, 'error');
    is($e[0]{json}{payload}{field}, '/corr');
};


subtest 'GW-10 an event above the limit ends the stream' => sub {
    my ($answer, @e) = stream(<<'EOT', '/small', aee());
        $c->out('data: ' . $event->(text => 'x' x 9000) . "\n\n");
EOT

    is($e[0]{event}, 'error');
    is($e[0]{json}{payload}{code}, 'E_UPSTREAM_INVALID');
};


subtest 'GW-10 a line without an end does not fill the memory' => sub {
    my ($answer, @e) = stream(<<'EOT', '/small', aee());
        $c->out(': ' . 'x' x 100_000);
        $c->pause(0.2);
EOT

    is($e[0]{event}, 'error');
};


subtest 'GW-07 the text of an event cannot forge a field' => sub {
    my (undef, @e) = stream(<<'EOT', '/to-c2a', aee());
        $c->out('data: ' . $said->("x\n\nevent: forged\ndata: {}") . "\n\n");
EOT

    is(scalar @e, 1);
    is($e[0]{event}, undef);
    like($e[0]{json}{payload}{text}, qr/x\n\nevent: forged/);
};


subtest 'GW-07 a stream without an event counts as taken' => sub {
    my $m = aee();
    my ($answer, @e) = stream('', '/aee', $m);

    is($answer->{status}, 200);
    is(scalar @e, 0);
    is($client->raw(post('/aee', $m))->{status}, 409);
};


subtest 'GW-07 compressed events are refused' => sub {
    $service->script('$c->{keep} = 0; $c->out("HTTP/1.1 200 OK\r\n'
        . 'Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n'
        . 'xx")');

    my $answer = $client->raw(post('/aee', aee()));

    is($answer->{status}, 502);
    is($answer->{json}{payload}{code}, 'E_UPSTREAM_INVALID');
};


subtest 'GW-07 an error status with events is not a stream' => sub {
    $service->script('$c->{keep} = 0; $c->answer(503, ["Content-Type", '
        . '"text/event-stream"], "data: x\n\n")');

    is($client->raw(post('/aee', aee()))->{json}{payload}{code},
       'E_CAPACITY');
};


subtest 'AEE-29 the deadline ends a stream' => sub {
    my $m = aee();
    my ($answer, @e) = stream(<<'EOT', '/deadline', $m);
        for (1 .. 8) {
            $c->out('data: ' . $event->() . "\n\n");
            $c->pause(0.15);
        }
EOT

    cmp_ok(scalar @e, '<', 6);
    is($e[0]{json}{payload}{n}, 1);
    is($e[-1]{event}, 'error', 'its last event says so');
    is($e[-1]{json}{payload}{code}, 'E_UPSTREAM_TIMEOUT');
    is($e[-1]{json}{reply_to}, $m->{id});
    ok($e[-1]{json}{payload}{retryable});
    ok($answer->{complete}, 'a whole response');
    $service->script(undef);
    is($client->raw(post('/aee', $m))->{status}, 202, 'it may come again');
};


subtest 'AEE-29 the deadline has no effect after the answer' => sub {
    my (undef, @e) = stream(<<'EOT', '/deadline', aee());
        $c->out('data: ' . $event->() . "\n\n");
        $c->out('data: ' . $done->() . "\n\n");
        $c->pause(0.6);
EOT

    is(scalar @e, 2);
    is($e[1]{json}{type}, 'result');
};


subtest 'GW-07 a client that leaves ends the stream of the service' => sub {
    my $connection = begin(<<'EOT', '/aee', aee());
        for (1 .. 100) {
            $c->out('data: ' . $event->() . "\n\n");
            $c->pause(0.05);
        }
EOT

    ok($connection->expect(qr/"n":3/, 3));
    $connection->leave;
    sleep 0.3;
    is($client->raw(post('/open', aee(), token => 0))->{status}, 200,
       'others are served');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

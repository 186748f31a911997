# WebSockets: their opening, and messages in both directions.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Websocket;

my $vcp = 'parley_vcp_context ctx|sockets;'
        . ' parley_vcp_constitution creed://acme/sockets@1;';

my $nginx = Parley::Nginx->start(workers => 2, http => http());


sub http {
    return streams_http(
        zone => 'sockets:128m', submit => 'vcp aee channel',
        identities => streams_identities(
            alice => { keys => [public_jwk(person('alice')->{key})] }),
        more => <<"EOT", locations => <<"EOT");
    parley_retain      count=1000 time=1h;
EOT
        location = /vcp/ws { parley_jwt on; parley_websocket vcp; $vcp }
        location /of/ { parley_jwt on; parley_websocket channel;
                        parley_allow type=subscribe principal=agent.bob
                                     to=agent.alice;
                        parley_allow type=agent_advisory;
                        parley_deny principal=agent.carol; }
        location = /small { parley_jwt on; parley_websocket vcp; $vcp
                            parley_limits body=1k; }
        location = /rated { parley_jwt on; parley_websocket vcp; $vcp
                            parley_rate 1r/s burst=4; }
        location = /signed { parley_jwt on; parley_websocket vcp; $vcp
                             parley_signature required; }
        location = /coarse { parley_jwt on; parley_websocket channel
                                                counts=coarse off=prefix; }
        location = /cookie { parley_jwt on token=\$cookie_token
                                        origin=https://console.example;
                             parley_websocket vcp; $vcp }
        location = /ticket { parley_jwt on tickets=30s; parley_websocket vcp;
                             $vcp }
        location = /vcp2 { parley_jwt on; parley_websocket vcp2; $vcp }
        location = /aee { parley_jwt on; parley_websocket aee; }
        location = /c2a { parley_jwt on; parley_websocket c2a; }
        location = /channel { parley_jwt on; parley_websocket channel; }
EOT
}


# Reads the messages that came while bob had no connection (VCP-33).
sub has_all_due {
    my $bob = websocket('bob');

    1 while $bob->message(0.3);
    $bob->leave;
}


# Returns the answer to a request that opens no WebSocket: [status, code].
sub refused {
    my $answer = websocket(@_)->answer or return [101];

    return [$answer->{status}, $answer->{json}{code}];
}


subtest 'VCP-20: the handshake' => sub {
    my $alice = websocket('alice', session => 's1');

    is($alice->status, 101);
    ok($alice->{accepted}, 'the key is answered');
    is(lc $alice->{headers}{upgrade}, 'websocket');
    is(lc $alice->{headers}{connection}, 'upgrade');
    is($alice->{headers}{'parley-session'}, 's1');
    is($alice->{headers}{'content-length'}, undef);
    is($alice->{headers}{'transfer-encoding'}, undef);
    like($alice->opened, qr/^[0-9a-f]{12}\.\d+$/, 'a place, by a ping');

    my $offers = websocket('alice', headers =>
        ['Sec-WebSocket-Extensions' => 'permessage-deflate',
         'Sec-WebSocket-Protocol' => 'vcp, chat']);

    is($offers->status, 101);
    is($offers->{headers}{"sec-websocket-$_"}, undef, "no $_")
        for qw(extensions protocol);

    is(websocket('alice', replace => { Connection => 'keep-alive, upgrade',
                                       Upgrade => 'WebSocket' })->status, 101);
};


subtest 'HUB-06: line breaks between tokens are unchanged' => sub {
    my $alice = websocket('alice', uri => '/channel');

    for my $break ("\n", "\r", "\r\n") {
        my $frame = frame('bob', 'alice', text => "a\r\nb\rc\nd");
        my $text = jcs($frame) =~ s/\A\{/{$break/r =~ s/\}\z/$break}/r;

        is(submit($frame, text => $text)->{status}, 200);
        is($alice->message->{text}, $text);
    }
};


subtest 'VCP-20: requests that open no WebSocket' => sub {
    for my $by (['no upgrade', Upgrade => undef],
                ['another', Upgrade => 'h2c'],
                ['no connection of it', Connection => 'close'],
                ['no version', 'Sec-WebSocket-Version' => undef],
                ['an older version', 'Sec-WebSocket-Version' => '8'],
                ['a newer version', 'Sec-WebSocket-Version' => '14'])
    {
        my ($name, $header, $value) = @$by;
        my $answer = websocket('alice', replace => { $header => $value })
                         ->answer;

        is($answer->{status}, 426, $name);
        is($answer->{headers}{'sec-websocket-version'}, '13');
        is($answer->{headers}{upgrade}, 'websocket');
        is($answer->{json}{code}, 'protocol-unsupported');
    }

    for my $key (undef, '', 'c2hvcnQ=', 'dGhlIHNhbXBsZSBub25jZSEh',
                 'dGhlIHNhbXBsZSBub25jZ!==')
    {
        is_deeply(refused('alice', replace => { 'Sec-WebSocket-Key' => $key }),
                  [400, 'field-invalid'], 'a key that is none');
    }

    is_deeply(refused('alice', method => 'POST'), [405, 'method-not-allowed']);
    is_deeply(refused('alice', method => 'DELETE'),
              [405, 'method-not-allowed'], 'it deletes nothing');
    is(websocket('alice', method => 'DELETE')->answer->{headers}{allow},
       'GET');
    is_deeply(refused('alice', token => 0), [401, 'token-missing'],
              'SEC-07 somebody has to be proven');
    is_deeply(refused('alice', token => bearer('alice', exp => time - 60)),
              [401, 'token-expired']);
    is_deeply(refused('alice', body => '{}'), [400, 'field-invalid']);
    is_deeply(refused('alice', session => 'a/b'), [400, 'field-invalid']);

    is_deeply(refused('alice', more => 'session=a&session=b'),
              [400, 'field-invalid'], 'SEC-03');
    is_deeply(refused('alice', filter => 'colour:red'),
              [400, 'filter-axis-unknown']);
    is_deeply(refused('carol', uri => '/of/~alice'),
              [403, 'scope-unauthorised']);
};


subtest 'VCP-18 VCP-20: a text is a message, and its answer is a text' => sub {
    my $alice = websocket('alice');
    my $bob = websocket('bob');
    my $message = share('alice', 'bob');

    is_deeply($alice->ask($message),
              { status => 'accepted', message_id => $message->{message_id} });
    is_deeply($bob->message->{json}, $message, 'as it was accepted');

    is_deeply($alice->ask($message),
              { status => 'duplicate', message_id => $message->{message_id} },
              'VCP-13');

    is(submit($message, as => 'alice')->{json}{status}, 'duplicate',
       'GW-18 by HTTP, too: it is one receiver');

    my $back = share('bob', 'alice');

    is($bob->ask($back)->{status}, 'accepted');
    is_deeply($alice->message->{json}, $back);

    my ($by_http) = send_to('alice', 1);

    is_deeply($alice->message->{json}, $by_http);
    is($bob->message(0.5), undef, 'none that is not for him');
};


subtest 'VCP-20: an invalid message is answered, and the WebSocket stays open' => sub {
    my $alice = websocket('alice');

    for my $by (['{', 'json-invalid'], ['', 'json-invalid'],
                ['[]', 'field-invalid'], ['{"a":1,"a":2}', 'json-invalid'],
                [jcs(without(share('alice', 'bob'), 'payload')),
                 'field-missing'],
                [jcs({ %{ share('alice', 'bob') }, mood => 1 }),
                 'field-unknown', 'VCP-01'],
                [jcs(share('alice', 'bob')) . ' {}', 'json-invalid',
                 'one envelope'],
                [jcs(share('bob', 'alice')), 'sender-identity-mismatch',
                 'GW-03'],
                [jcs({ %{ share('alice', 'bob') },
                       timestamp => timestamp(-600) }), 'message-stale',
                 'VCP-15'])
    {
        my ($text, $code, $rule) = @$by;
        my $answer = $alice->ask($text);

        is($answer->{status}, 'rejected', $rule // $code);
        is($answer->{code}, $code);
    }

    is($alice->ask(share('alice', 'bob'))->{status}, 'accepted',
       'and it goes on');

    my $signed = websocket('alice', uri => '/signed');
    my $message = share('alice', 'bob');

    is($signed->ask($message)->{code}, 'signature-missing', 'VCP-17');
    is($signed->ask(sign_vcp($message, person('alice')->{key}))->{status},
       'accepted', 'VCP-16');
};


subtest 'VCP-20: messages of one connection are taken in order' => sub {
    has_all_due();

    my $alice = websocket('alice');
    my $bob = websocket('bob');
    my @messages = map { share('alice', 'bob') } 1 .. 300;

    $alice->raw(join '', map { frame_of(jcs($_)) } @messages);

    my @answers = $alice->messages(300);

    is(scalar(grep { ($_->{json}{status} // '') eq 'accepted' } @answers), 300);
    is_deeply([ids(@answers)], [ids(@messages)], 'answered in order');
    is_deeply([ids($bob->messages(300))], [ids(@messages)],
              'HUB-01 VCP-23 and delivered in order, once each');
};


subtest 'VCP-20: octets after the request are read' => sub {
    my $message = share('alice', 'bob');
    my $alice = websocket('alice', behind => frame_of(jcs($message))
                                             . frame_of('hi', kind => 'ping'));

    is($alice->frame->{payload}, 'hi', 'a pong waits for no message');
    is_deeply($alice->message->{json},
              { status => 'accepted', message_id => $message->{message_id} });
};


subtest 'VCP-20: frames' => sub {
    my $text = jcs(share('alice', 'bob'));
    my $alice = websocket('alice');

    # in fragments, with a ping between them, octet by octet
    my $octets = frame_of(substr($text, 0, 10), fin => 0)
               . frame_of('between', kind => 'ping')
               . frame_of(substr($text, 10, 90), kind => 'more', fin => 0)
               . frame_of(substr($text, 100), kind => 'more');

    $alice->raw($_) for split //, $octets;

    my $pong = $alice->frame;

    is_deeply([@$pong{qw(kind payload)}], ['pong', 'between']);
    is($alice->message->{json}{status}, 'accepted');

    for my $by (
        ['not masked', 1002, frame_of($text, mask => '')],
        ['a reserved bit', 1002, frame_of($text, rsv => 4)],
        ['a reserved opcode', 1002, frame_of($text, kind => 3)],
        ['a length in more octets than it needs', 1002,
         frame_of('{}', bits => 16)],
        ['a long ping', 1002, frame_of('x' x 126, kind => 'ping')],
        ['a ping in parts', 1002, frame_of('x', kind => 'ping', fin => 0)],
        ['a part of nothing', 1002, frame_of('x', kind => 'more')],
        ['a text within one', 1002, frame_of('{', fin => 0) . frame_of('{}')],
        ['a close with half a code', 1002, frame_of("\3", kind => 'close')],
        ['a code that none may send', 1002,
         frame_of(pack('n', 1005), kind => 'close')],
        ['binary', 1003, frame_of($text, kind => 'binary')],
        ['no UTF-8', 1007, frame_of("\"\xff\"")],
        ['no UTF-8 at its end', 1007, frame_of("\xe2\x82")],
        ['2^62 octets', 1009, frame_of('x', announced => 2 ** 62)],
        ['2^62 octets, of which none comes', 1009,
         frame_of('', announced => 2 ** 62)])
    {
        my ($name, $code, $sent) = @$by;
        my $other = websocket('alice');

        $other->raw($sent);
        is(($other->closed // [0])->[0], $code, $name);

        # the client has closed too
        $other->close($code);
        $other->{connection}{socket}->shutdown(1);
        ok($other->ends(2), 'and the connection ends');
    }

    my $small = websocket('alice', uri => '/small');

    is($small->ask('"' . 'x' x 1022 . '"')->{code}, 'field-invalid',
       'as large as parley_limits lets it be');
    $small->text('"' . 'x' x 1023 . '"');
    is($small->closed->[0], 1009, 'and an octet more');

    $small = websocket('alice', uri => '/small');
    $small->send('x' x 600, fin => 0);
    $small->send('x' x 600, kind => 'more');
    is($small->closed->[0], 1009, 'in fragments, too');

    $small = websocket('alice', uri => '/small');
    $small->send('x' x 600, fin => 0);
    $small->raw(frame_of('', kind => 'more', announced => 600));
    is($small->closed->[0], 1009, 'as soon as it is known');
};


subtest 'ACH-20: its owner, and the streams that it may read' => sub {
    my $alice = websocket('alice', uri => '/of/~alice');
    my $bob = websocket('bob', uri => '/of/~alice');

    is($_->status, 101) for $alice, $bob;

    my $frame = frame('bob', 'alice');

    $bob->text(jcs($frame));

    # the answer and the delivered message, in any order
    my ($answer, $own) = sort { !$a->{delivered} <=> !$b->{delivered} }
                         map { $_->{json} } $bob->messages(2);

    cmp_ok($answer->{delivered}, '>=', 2);
    is_deeply($alice->message->{json}, $frame);
    is_deeply($own, $frame, 'he, too, by a rule');

    is_deeply(refused('dave', uri => '/of/~alice'),
              [403, 'scope-unauthorised']);
    is($bob->ask(frame('bob', 'alice', kind => 'agent_broadcast',
                       payload => { broadcast_text => 'merged',
                                    event_class => 'merged' }))->{code},
       'scope-unauthorised', 'rules are those of messages, too');
};


subtest 'GW-05 SEC-10: each message is counted' => sub {
    my $alice = websocket('carol', uri => '/rated');

    my @answers = map { $alice->ask(share('carol', 'bob')) } 1 .. 8;
    my @accepted = grep { $_->{status} eq 'accepted' } @answers;

    cmp_ok(scalar @accepted, '>=', 3);
    cmp_ok(scalar @accepted, '<=', 6);
    is($answers[-1]{code}, 'rate-limited');

    is_deeply(refused('carol', uri => '/rated'), [429, 'rate-limited'],
              'and so is who opens one');

    sleep 1.2;
    is($alice->ask(share('carol', 'bob'))->{status}, 'accepted');
};


subtest 'VCP-19: over TLS, and on a listener with HTTP/2' => sub {
    has_all_due();

    for my $port (4, 5) {
        my $alice = websocket('alice', port => port($port), tls => 1);
        my $bob = websocket('bob', port => port($port), tls => 1);

        is($alice->status, 101, "port($port)");

        my $message = sign_vcp(share('alice', 'bob',
                                     context => 'x' x 100_000),
                               person('alice')->{key});

        is($alice->ask($message)->{status}, 'accepted');
        is($alice->ask(share('alice', 'bob'))->{code}, 'signature-missing',
           'VCP-17 the token is of who sends, the message has to be signed');
        is_deeply($bob->message->{json}, $message);
        $alice->close(1000);
        is($alice->closed->[0], 1000);
        ok($alice->ends(2));
    }

    SKIP: {
        skip 'no curl with HTTP/2', 1
            if `curl --version 2>/dev/null` !~ /\bHTTP2\b/;

        my $url = 'https://localhost:' . port(5) . '/vcp/ws';
        my $token = bearer('alice');
        my $said = `curl -q -s -k --http2 --noproxy '*' -m 10 -i \\
            -H 'Authorization: $token' '$url'`;

        like($said, qr{^HTTP/2 426.*over HTTP/1\.1}s, 'HTTP/2 opens none');
        unlike($said, qr/^upgrade:/mi, 'and asks for no upgrade there');
    }
};


subtest 'GW-02: a page has its token in a cookie, or a ticket' => sub {
    my $token = bearer('alice') =~ s/^Bearer //r;
    my @cookie = (Cookie => "token=$token");
    my %o = (uri => '/cookie', token => 0);

    is(websocket('alice', %o, headers => [@cookie])->status, 101,
       'one that is no page');
    is(websocket('alice', %o, headers =>
                 [@cookie, Origin => 'http://localhost'])->status, 101,
       'its own');
    is(websocket('alice', %o, headers =>
                 [@cookie, Origin => 'https://console.example'])->status, 101,
       'one that is listed');

    my $alice = websocket('alice', %o, headers => [@cookie]);

    is($alice->ask(share('alice', 'bob'))->{status}, 'accepted',
       'its messages are proven by it');

    is_deeply(refused('alice', %o, headers =>
                      [@cookie, Origin => 'https://evil.example']),
              [403, 'policy-refused'], 'a page of another site');
    is_deeply(refused('alice', %o, headers => [@cookie, Origin => 'null']),
              [403, 'policy-refused']);

    my $answer = Parley::Client->new(port => port(1), tls => 0)
        ->post('/ticket', undef, Authorization => bearer('alice'),
               'Content-Length' => 0);

    is($answer->{status}, 200);

    my $ticket = $answer->{json}{ticket};
    my %by = (uri => '/ticket', token => 0, more => "ticket=$ticket");
    my $page = websocket('alice', %by);

    is($page->status, 101);
    is($page->ask(share('alice', 'bob'))->{status}, 'accepted')
        for 1 .. 2;
    is_deeply(refused('alice', %by), [401, 'token-invalid'], 'once');
};


subtest 'HUB-06: AEE, C2A and agent-channel by WebSockets' => sub {
    has_all_due();

    my $aee = websocket('alice', uri => '/aee');
    my $channel = websocket('bob', uri => '/channel');
    my $vcp_bob = websocket('bob');
    my $c2a = websocket('bob', uri => '/c2a');

    is($_->status, 101) for $aee, $channel, $vcp_bob, $c2a;

    my $event = aee(type => 'event', intent => 'ops.note',
                    payload => { text => 'it is late' });

    my $taken = $aee->ask($event);

    is_deeply([@$taken{qw(type to corr reply_to intent)}],
              ['stream', 'agent.alice', @$event{qw(corr id intent)}],
              'a frame tells that the event was taken');
    is($taken->{payload}{status}, 'accepted');
    is($taken->{payload}{delivered}, 2, 'and to how many: VCP has no such event');

    my $got = $channel->message->{json};

    is($got->{envelope_version}, '1.0', 'a frame to who reads frames');
    like(jcs($c2a->message->{json}), qr/"jsonrpc":"2\.0"/);

    my $frame = frame('bob', 'alice', text => 'by a socket');

    is_deeply($channel->ask($frame),
              { frame_id => $frame->{frame_id}, delivered => 1 });
    like($aee->message->{text}, qr/by a socket/, 'to who reads AEE');
    is($aee->ask({ %$event, v => '2' })->{payload}{code},
       'E_ENVELOPE_VERSION_UNSUPPORTED', 'what is refused is told, too');
    is($aee->ask($event)->{payload}{code}, 'E_MESSAGE_DUPLICATE',
       'as is a duplicate');

    my $answer = $channel->ask({ %$frame, frame_id => 'x' });
    ok($answer->{code}, 'refusals are of its protocol');

    my $coarse = websocket('bob', uri => '/coarse');

    $frame = frame('bob', 'alice');
    is($coarse->ask($frame)->{delivered}, 1);

    my $again = websocket('alice', uri => '/aee');

    for (aee(type => 'stream', payload => {}), aee(payload => {})) {
        my $said = $again->ask($_);

        is_deeply([@$said{qw(type reply_to)}], ['stream', $_->{id}],
                  "one of the type $_->{type}");
    }

    is(submit(aee(type => 'event'), as => 'alice')->{body}, '',
       'by HTTP the status says it');
};


subtest 'VCP-20: an agent should begin with its context' => sub {
    my $said = qr/is not "vcp\.context_share"/;
    my $before = $nginx->logged($said);

    websocket('alice')->ask(share('alice', 'bob'));
    is($nginx->logged($said), $before);

    my $alice = websocket('alice');

    is($alice->ask({ %{ announce() }, recipient => 'agent://ops.example/bob' })
           ->{status}, 'accepted') for 1 .. 2;
    ok($nginx->wait_for($said, $before + 1));
    is($nginx->logged($said), $before + 1, 'once');

    websocket('alice', uri => '/vcp2')
        ->ask(as_vcp2({ %{ announce() },
                        recipient => 'agent://ops.example/bob' }));
    ok($nginx->wait_for($said, $before + 2), 'by VCP 2.0, too');

    websocket('alice', uri => '/aee')->ask(aee());
    is($nginx->logged($said), $before + 2, 'AEE asks for none');
};


my $said = $nginx->error_log;

$nginx->stop;

unlike($said . $nginx->error_log, qr/\[(?:alert|emerg|crit)\](?!.*signal 9)/,
       'nothing is wrong');

done_testing;

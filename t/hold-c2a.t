# HUB-07, C2A-11, C2A-15: a request that is held for a stream reader is
# answered by a tool of C2A.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $client = Parley::Client->new(port => port(1), tls => 0);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    more => 'parley_retain count=1000 time=1h;', locations => <<'EOT'));
        location = /held { parley_jwt on; parley_submit aee c2a hold=8s; }
        location = /off { parley_jwt on;
                          parley_submit aee c2a channel hold=off; }
        location = /allowed { parley_jwt on; parley_submit aee c2a hold=off;
                              parley_allow to=agent.alice; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
        location /aee/ { parley_jwt on; parley_stream aee; }
EOT


# Begins a request of alice.
sub ask {
    return $client->begin('/held', jcs($_[0]),
                          Authorization => bearer('alice'),
                          'Content-Type' => 'application/json');
}


my $bob = listen_to('bob', session => 's1');

subtest 'HUB-07: a C2A question with a C2A answer gets a result' => sub {
    my $m = escalation(severity => 'critical', requires_ack => true);

    $m->{recipient} = 'agent://ops.example/bob';

    my $call = {
        jsonrpc => '2.0', id => 'call-1', method => 'chat/deliver',
        params => {
            eventId => $m->{message_id},
            reliability => { idempotencyKey => $m->{message_id} },
            source => { platform => 'vcp' },
            author => { kind => 'agent', id => 'alice' },
            conversation => { kind => 'dm', id => 'c1' },
            target => { recipient => 'agent:bob', directedness => 'to_me' },
            attention => { policy => 'must_respond', priority => 'high' },
            injection => { mode => 'immediate' },
            timing => { createdAt => $m->{timestamp} },
            content => [ { type => 'text', text => 'disk is full' },
                         { type => 'data', form => 'escalation', members => {},
                           mediaType => 'application/vnd.vcp+json',
                           data => $m->{payload} } ] } };

    my $request = ask($call);

    $bob->event;

    my $react = submit({
        jsonrpc => '2.0', id => 7, method => 'tools/call',
        params => { name => 'chat.react', arguments => {
            sender => 'agent:bob', target => 'agent:alice',
            recipient => 'agent:alice', inReplyTo => $m->{message_id},
            signal => 'agree', idempotencyKey => uuid4() } } },
        as => 'bob', uri => '/off');

    is($react->{status}, 200, 'bob agrees') or diag $react->{body};

    my $answer = $request->answer;

    is($answer->{status}, 200);
    is($answer->{json}{id}, 'call-1', 'the response to the request');
    ok($answer->{json}{result}{accepted}, 'a result');
    ok(!exists $answer->{json}{method}, 'no request');
};


subtest 'HUB-07 C2A-15: "agree" in C2A answers a question in AEE' => sub {
    my $own = listen_to('bob', uri => '/c2a/', session => 'c2a');
    my $task = aee(intent => 'vcp.escalation', priority => 'high',
                   payload => { severity => 'critical', requires_ack => true,
                                reason => 'disk is full', context => 'ctx' });
    my $request = ask($task);
    my $id = $own->event->{json}{params}{eventId};

    my $react = submit(Parley::Matrix::react('agree', inReplyTo => $id,
        sender => 'agent:bob', target => 'agent:alice',
        recipient => 'agent:alice', idempotencyKey => uuid4()),
        as => 'bob', uri => '/off');

    is($react->{status}, 200, 'bob agrees') or diag $react->{body};

    my $answer = $request->answer;

    is($answer->{status}, 200);
    is($answer->{json}{type}, 'result', 'an acknowledgment, no progress');
    is($answer->{json}{reply_to}, $task->{id});
    ok($answer->{json}{payload}{approved});
    $own->leave;
    $bob->event;
};


# in C2A the conversation decides where a message goes

subtest 'HUB-07 C2A-11 an answer to the conversation of two goes to the asker' =>
sub {
    my $own = listen_to('bob', uri => '/c2a/', session => 'c2a');
    my $task = aee();
    my $request = ask($task);
    my $params = $own->event->{json}{params};
    my %target = (kind => 'dm', id => $params->{conversation}{id});
    my $say = sub {
        return submit(Parley::Matrix::say(
            inReplyTo => $params->{eventId}, sender => 'agent:bob',
            idempotencyKey => uuid4(), @_), as => 'bob', uri => '/off');
    };

    is($params->{conversation}{kind}, 'dm');
    is($say->(target => { %target, id => 'another' })->{status}, 409,
       'none to another');
    is($say->(target => { %target, kind => 'channel' })->{status}, 409,
       'none to a channel');

    my $astray = $say->(target => { kind => 'thread', id => 'elsewhere',
                                      recipient => 'agent:alice' });

    is($astray->{status}, 409, 'SEC-08: none in another conversation');
    is($astray->{json}{error}{data}{field}, '/params/arguments/target/id')
        or diag $astray->{body};

    my $said = $say->(target => \%target);

    is($said->{status}, 200, 'bob answers') or diag $said->{body};

    my $answer = $request->answer->{json};

    is($answer->{type}, 'result');
    is($answer->{reply_to}, $task->{id});
    is($answer->{to}, 'agent.alice');
    is($answer->{corr}, $task->{corr});
    $own->leave;
    $bob->event;
};


# for every protocol in which the sender listens, and the rules for it
subtest 'HUB-06 C2A-11 SEC-04 the answer names the asker as its recipient' => sub {
    my $own = listen_to('bob', uri => '/c2a/', session => 'c2a');
    my %of = (aee => listen_to('alice', uri => '/aee/', session => 'aee'),
              channel => listen_to('alice', session => 'channel'));

    my %asks = (
        aee => sub { aee() },
        channel => sub {
            frame('alice', 'bob', kind => 'agent_query', payload => {
                query_id => uuid4(), query_text => 'Is it blocked?',
                response_scope => '~alice/*', timeout_ms => 60000 })
        },
        c2a => sub {
            Parley::Matrix::say(sender => 'agent:alice', target => {
                kind => 'dm', id => 'conv-1', recipient => 'agent:bob' })
        });

    for my $asks (sort keys %asks) {
        my $asked = submit($asks{$asks}->(), as => 'alice', uri => '/off');

        like($asked->{status}, qr/^20[02]$/, "asked in $asks")
            or diag $asked->{body};

        my $got = $own->event->{json}{params};
        my $call = $got->{arguments};
        my $id = $call ? $call->{target}{id} : $got->{conversation}{id};
        my $key = $call ? $call->{idempotencyKey} : $got->{eventId};
        my $said = submit(Parley::Matrix::say(
            inReplyTo => $key, sender => 'agent:bob',
            idempotencyKey => uuid4(), target => { kind => 'dm', id => $id }),
            as => 'bob', uri => '/allowed');

        is($said->{json}{result}{delivered}, 2, 'it may go, and goes to all')
            or diag $said->{body};

        my ($aee, $frame) = map { $of{$_}->event(5) } qw(aee channel);

        is($aee->{json}{to}, 'agent.alice');
        is($frame->{json}{recipient_handle}, '~alice');
        $bob->event;
    }

    $_->leave for $own, values %of;
};


$nginx->stop;

done_testing;

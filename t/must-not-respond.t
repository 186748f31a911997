# C2A-13: an event that must not be answered, from C2A to C2A.  A message is
# refused and a reaction passes, with a service and with published messages.
# Readers of agent-channel cannot answer it either.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port tmp_dir);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Websocket;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    more => <<'HTTP', locations => <<'SERVER'));
    server {
        listen 127.0.0.1:%PORT_6%;
        default_type application/json;
        location / {
            return 200 '{"jsonrpc":"2.0","id":"call-1","result":{}}';
        }
    }
HTTP
        location = /service { parley_accept c2a; parley_jwt on;
                              proxy_pass http://127.0.0.1:%PORT_6%; }
        location = /hub { parley_jwt on; parley_submit c2a aee hold=off; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location = /ws { parley_jwt on; parley_websocket c2a; }
SERVER

my %conversation = (kind => 'dm', id => 'D-1');


sub event {
    my ($policy, %params) = @_;

    return Parley::Matrix::deliver(
        conversation => { %conversation },
        target => { recipient => 'agent:bob', directedness => 'to_me' },
        attention => { policy => $policy, priority => 'normal' },
        injection => { mode => 'tool_mailbox' }, %params);
}


# Returns the call with the id that the service answers.
sub called { return { %{ $_[0] }, id => 'call-1' } }


sub words {
    my ($id, $who, %other) = @_;

    return called(Parley::Matrix::say(
        inReplyTo => $id, sender => "agent:$who",
        target => { %conversation, recipient => 'agent:alice' }, %other,
        idempotencyKey => uuid4()));
}


sub reaction {
    my ($id, $signal, $who, %other) = @_;

    return called(Parley::Matrix::react(
        $signal, inReplyTo => $id, sender => "agent:$who",
        target => { %conversation, recipient => 'agent:alice' },
        idempotencyKey => uuid4(), %other));
}


sub is_mute {
    my ($answer, $name) = @_;

    my $error = $answer->{json}{error} // $answer->{error} // {};

    is($error->{data}{code}, 'policy-refused', $name)
        or diag $answer->{body} // jcs($answer);
    is($error->{data}{field}, '/params/arguments/inReplyTo', 'its member');
}


sub passes {
    my ($answer, $name) = @_;

    like($answer->{status}, qr/^20[02]$/, $name);
    ok(!$answer->{json}{error}, 'without an error') or diag $answer->{body};
}


my %at = ('a service' => '/service', 'the hub' => '/hub');

# An event of a reader that names the event which it answers.
sub answering {
    my ($id, $who, %params) = @_;

    return Parley::Matrix::deliver(
        inReplyTo => $id, author => { id => $who, kind => 'agent' },
        conversation => { %conversation },
        target => { recipient => 'agent:alice', directedness => 'to_me' },
        attention => { policy => 'may_respond', priority => 'normal' },
        injection => { mode => 'tool_mailbox' }, %params);
}


for my $where (sort keys %at) {
    my @at = (uri => $at{$where});

    subtest "C2A-13: $where: a message as an answer is refused" => sub {
        my $event = event('must_not_respond');
        my $id = $event->{params}{eventId};

        passes(submit($event, as => 'alice', @at), 'the event');
        is_mute(submit(words($id, 'bob'), as => 'bob', @at),
                'words to its sender');
        is_mute(submit(words($id, 'bob', target => 'agent:alice'),
                       as => 'bob', @at), 'to its sender by name');
        is_mute(submit(words($id, 'bob'), as => 'bob', @at), 'again');
    };

    subtest "C2A-13: $where: a reaction passes" => sub {
        for my $signal (qw(seen agree unclear blocked)) {
            my $event = event('must_not_respond');
            my $id = $event->{params}{eventId};

            passes(submit($event, as => 'alice', @at), 'the event');
            passes(submit(reaction($id, $signal, 'bob'), as => 'bob', @at),
                   $signal);
            is_mute(submit(words($id, 'bob'), as => 'bob', @at),
                    "words after $signal");
        }
    };

    subtest "C2A-13: $where: a message of another principal" => sub {
        my $event = event('must_not_respond',
            target => { recipient => 'agent:bob',
                        directedness => 'to_other' });

        passes(submit($event, as => 'alice', @at), 'the event');
        is_mute(submit(words($event->{params}{eventId}, 'dave'),
                       as => 'dave', @at), 'of a reader');
    };

    subtest "C2A-13: $where: an event that answers it" => sub {
        my $event = event('must_not_respond');
        my $id = $event->{params}{eventId};

        passes(submit($event, as => 'alice', @at), 'the event');

        for my $policy (qw(may_respond ack_only must_not_respond)) {
            my $said = submit(answering($id, 'bob', attention => {
                policy => $policy, priority => 'normal' }), as => 'bob', @at);
            my $error = $said->{json}{error} // {};

            is($error->{data}{code}, 'policy-refused', $policy)
                or diag $said->{body};
            is($error->{data}{field}, '/params/inReplyTo', 'its member');
        }

        # a service may read the id in it
        for my $other ([$id], { eventId => $id }) {
            my $said = submit(answering($other, 'bob'), as => 'bob', @at);
            my $data = ($said->{json}{error} // {})->{data} // {};

            is($data->{code}, 'field-invalid', 'not a string')
                or diag $said->{body};
            is($data->{field}, '/params/inReplyTo', 'its member');
        }

        passes(submit(answering(undef, 'bob'), as => 'bob', @at),
               'an event that answers nothing');
        passes(submit(answering(uuid4(), 'bob'), as => 'bob', @at),
               'an event that answers an unknown one');
        passes(submit(answering($id, 'bob', target => {
                   recipient => 'agent:carol', directedness => 'to_me' },
                   conversation => { kind => 'dm', id => 'D-2' }),
                      as => 'bob', @at), 'an event to another');

        for my $policy (qw(may_respond ack_only)) {
            my $other = event($policy);

            passes(submit($other, as => 'alice', @at), $policy);
            passes(submit(answering($other->{params}{eventId}, 'bob'),
                          as => 'bob', @at), 'an event that answers it');
        }
    };
}


subtest 'C2A-13: a service: an event of a channel' => sub {
    my %channel = (kind => 'channel', id => 'ops');
    my $event = event('must_not_respond', conversation => { %channel },
                      target => { directedness => 'ambient' });
    my $id = $event->{params}{eventId};
    my @at = (uri => '/service');

    passes(submit($event, as => 'alice', @at), 'the event');

    for my $who (qw(bob dave)) {
        is_mute(submit(words($id, $who, target => { %channel }), as => $who,
                       @at), "$who in the channel");
        passes(submit(reaction($id, 'agree', $who, target => { %channel }),
                      as => $who, @at), 'a reaction');
    }
};


subtest 'C2A-13: a service: other policies, and other conversations' => sub {
    my @at = (uri => '/service');

    for my $policy (qw(may_respond ack_only must_respond)) {
        my $event = event($policy);

        passes(submit($event, as => 'alice', @at), $policy);
        passes(submit(words($event->{params}{eventId}, 'bob'), as => 'bob',
                      @at), 'words');
    }

    my $event = event('must_not_respond');
    my $id = $event->{params}{eventId};

    passes(submit($event, as => 'alice', @at), 'must_not_respond');
    passes(submit(words($id, 'bob', target => { kind => 'dm', id => 'D-2',
                                                recipient => 'agent:carol' }),
                  as => 'bob', @at), 'one of that id, elsewhere');
    passes(submit(words(uuid4(), 'bob'), as => 'bob', @at),
           'one that nobody sent');
    passes(submit(reaction($id, 'seen', 'dave'), as => 'dave', @at),
           'a reaction of a reader');
};


subtest 'C2A-13: the hub: other policies' => sub {
    my @at = (uri => '/hub');
    my $alice = listen_to('alice', uri => '/c2a/', session => 'open');
    my $bob = listen_to('bob', uri => '/c2a/', session => 'open');

    for my $policy (qw(may_respond ack_only must_respond)) {
        for my $target ('agent:alice', { %conversation }) {
            for my $answer (\&words, sub {
                my ($id, @o) = @_;
                return reaction($id, 'seen', @o);
            }) {
                my $event = event($policy);

                passes(submit($event, as => 'alice', @at), $policy);

                my $id = $bob->event->{json}{params}{eventId};
                my $said = $answer->($id, 'bob', target => $target);

                passes(submit($said, as => 'bob', @at), 'is answered');

                my $got = $alice->event(5);

                is($got->{json}{params}{arguments}{inReplyTo} // '', $id,
                   'and its sender has the answer') or diag explain $got;
            }
        }
    }

    # only by its reader, and once

    my $event = event('may_respond');

    passes(submit($event, as => 'alice', @at), 'may_respond');

    my $id = $bob->event->{json}{params}{eventId};

    is(submit(words($id, 'dave'), as => 'dave', @at)->{status}, 409,
       'not by another');
    passes(submit(words($id, 'bob'), as => 'bob', @at), 'by its reader');
    is(submit(words($id, 'bob'), as => 'bob', @at)->{status}, 409, 'once');
    $_->leave for $alice, $bob;
};


subtest 'C2A-13: the hub: a C2A reader with a stream' => sub {
    my $bob = listen_to('bob', uri => '/c2a/', session => 'c2a');
    my $alice = listen_to('alice', uri => '/c2a/', session => 'c2a');
    my $event = event('must_not_respond');

    passes(submit($event, as => 'alice', uri => '/hub'), 'the event');

    my $params = $bob->event->{json}{params};

    is($params->{attention}{policy}, 'must_not_respond', 'bob has it');
    is_mute(submit(words($params->{eventId}, 'bob'), as => 'bob',
                   uri => '/hub'), 'words');
    passes(submit(reaction($params->{eventId}, 'agree', 'bob'), as => 'bob',
                  uri => '/hub'), 'a reaction');

    my $got = $alice->event(5);

    is($got->{json}{params}{arguments}{signal} // '', 'agree',
       'which alice has') or diag explain $got;
    $_->leave for $alice, $bob;
};


subtest 'C2A-13: the hub: a reader of agent-channel' => sub {
    my $alice = listen_to('alice', uri => '/c2a/', session => 'channel');
    my $bob = listen_to('bob', session => 'channel');

    for my $policy (qw(must_not_respond may_respond)) {
        passes(submit(event($policy), as => 'alice', uri => '/hub'), $policy);

        my $id = $bob->event(5)->{json}{frame_id};
        my $response = sub {
            my ($from, $to, @more) = @_;

            return submit(frame($from, $to, kind => 'agent_response',
                payload => { query_id => $id, responder_session_id => 's1',
                             response_text => 'done', @more }));
        };

        if ($policy eq 'may_respond') {
            passes($response->('bob', 'alice'), 'an answer');
            next;
        }

        for my $said ($response->('bob', 'alice'), $response->('bob', 'alice'),
                      $response->('dave', 'alice'),
                      $response->('bob', 'alice',
                                  response_text => 'error E_BUSY: later'))
        {
            is($said->{status}, 403, 'no answer') or diag $said->{body};
            is($said->{json}{field}, '/payload/query_id', 'its member');
        }

        passes($response->('bob', 'carol'), 'to another who did not send it');
        passes(submit(frame('bob', 'alice')), 'words that answer nothing');
        like($alice->event(5)->{data}, qr/about to edit/,
             'and nothing else came');
    }

    like($alice->event(5)->{data}, qr/"done"/, 'the answer came');
    $_->leave for $alice, $bob;
};


subtest 'C2A-13: the hub: an event that has the id of a query' => sub {
    my $dave = listen_to('dave', session => 'queries');

    for my $first (0, 1) {
        my $query = frame('alice', 'dave', kind => 'agent_query', payload => {
            query_id => uuid4(), query_text => 'who has it?',
            response_scope => 'org:~acme/members/*', timeout_ms => 60000 });
        my $id = $query->{payload}{query_id};
        my $event = event('must_not_respond', eventId => $id,
                          author => { id => 'bob', kind => 'agent' },
                          conversation => { kind => 'channel', id => 'acme' },
                          target => { directedness => 'ambient' });

        passes(submit($query), 'a query') if !$first;
        passes(submit($event, as => 'bob', uri => '/hub'), 'an event');
        passes(submit($query), 'a query') if $first;
        passes(submit(frame('dave', 'acme', kind => 'agent_response',
                            payload => { query_id => $id,
                                         responder_session_id => 's1',
                                         response_text => 'I' }),
                      scope => 'org:~acme/members/*'),
               'an answer to the query');
    }

    $dave->leave;
};


subtest 'C2A-13: the hub: a reader with a WebSocket' => sub {
    my $bob = websocket('bob', uri => '/ws');
    my $event = event('must_not_respond');

    passes(submit($event, as => 'alice', uri => '/hub'), 'the event');

    my $params = $bob->message->{json}{params};

    is($params->{eventId}, $event->{params}{eventId}, 'bob has it');
    $bob->text(jcs(words($params->{eventId}, 'bob')));
    is_mute($bob->message, 'words');
    $bob->leave;
};

$nginx->stop;

done_testing;

# Messages of other protocols in the mailbox of a host of chat: a task of AEE, an
# escalation of VCP and a query of agent-channel.  They are events in the form of
# docs/mapping/c2a.md.  An answer goes back to their sender.

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

# bob and carl send to ada; ada is the parent of bob, and lee that of ada
my %parents = (ada => 'lee', bob => 'ada');

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => [
        (map { { sub => $_, handle => "~$_", c2a => "agent:$_",
                 aee => "agent.$_", vcp => "agent://ops.example/$_",
                 instrument => "~cc-$_\@1.0",
                 $parents{$_} ? (parent => $parents{$_}) : () } }
             qw(ada bob carl lee)),
        { sub => 'will', handle => '~will', c2a => 'human:will',
          accounts => ['web/main/will'] },
        { sub => 'web', handle => '~web', c2a => 'service:web',
          surface => ['web/main'] },
    ] }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on; parley_host c2a keepalive=20s quiet=0; }
        location = /denied {
            parley_jwt on; parley_host c2a keepalive=20s quiet=0;
            parley_deny principal=ada intent=ops.secret;
            parley_allow principal=**;
        }
        location = /in { parley_jwt on; parley_submit aee vcp c2a channel; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
        location /vcp/ {
            parley_jwt on; parley_stream vcp;
            parley_vcp_context ctx|deliver;
            parley_vcp_constitution creed://a/b@1;
        }
EOT

my $k = 0;


sub says {
    my ($who, $doc, $uri) = @_;

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post($uri // '/chat', jcs($doc),
                               Authorization => bearer($who));

    $answer->{json} = eval { from_json($answer->{body}) };

    return $answer;
}

# Calls a tool of ada; returns the result, with isError for a refusal.
sub calls {
    my ($tool, %args) = @_;

    my $answer = says('ada', { jsonrpc => '2.0', id => ++$k,
                               method => 'tools/call',
                               params => { name => "chat.$tool",
                                           arguments => \%args } });

    is($answer->{status}, 200) or diag($answer->{body});

    return $answer->{json}{result};
}

sub acks {
    my ($id, %error) = @_;

    return says('ada', { jsonrpc => '2.0', id => $id,
                         %error ? (error => \%error)
                                : (result => { accepted => true }) })->{status};
}

# Waits until a condition holds; returns its value.
sub waits {
    my ($condition) = @_;

    my $until = time + 20;

    while (time < $until) {
        my $value = $condition->();
        return $value if $value;
        sleep 0.05;
    }

    return undef;
}

# Returns the events of ada's mailbox, and the number that is pending.
sub listed {
    my $result = calls('list_events', limit => 100, @_);

    return wantarray ? @{ $result->{structuredContent}{events} }
                     : $result->{_meta}{'c2a/mailbox'}{pending};
}

# Returns ada's stream, and its next event.
sub mailbox { return listen_to('ada', uri => $_[0] // '/chat') }
sub next_of { my $e = $_[0]->event // return; return from_json($e->{data}) }

sub id_of { return $_[0]{id} // $_[0]{message_id} // $_[0]{payload}{query_id} }

sub task { return aee(from => 'agent.bob', to => 'agent.ada', @_) }

sub escalates {
    my $m = escalation(severity => 'critical', requires_ack => true, @_);

    return { %$m, sender => 'agent://ops.example/bob',
             recipient => 'agent://ops.example/ada' };
}

sub query {
    return frame('bob', 'ada', kind => 'agent_query',
                 payload => { query_text => 'is it open?',
                              query_id => uuid4(), response_scope => '~bob',
                              timeout_ms => 60000, @_ });
}

# streams by which the senders read the answers
my %reads;

sub reads {
    %reads = (aee => listen_to('bob', uri => '/aee/'),
              vcp => listen_to('bob', uri => '/vcp/'),
              channel => listen_to('bob'),
              carl => listen_to('carl', uri => '/aee/'));
}

# Reloads, and opens the streams again when the old workers have left.
sub reloads {
    my %old = map { ($_ => 1) } $nginx->workers;

    $nginx->reload;
    waits(sub { !grep { $old{$_} } $nginx->workers });
    reads();
}

sub sends {
    my ($m, $as) = @_;

    my $answer = submit($m, as => $as // 'bob', uri => '/in');

    like($answer->{status}, qr/^20[02]$/) or diag($answer->{body});

    return $m;
}

reads();

my %kinds = (aee => \&task, vcp => \&escalates, channel => \&query);


subtest 'HUB-06 GW-06 each is on the stream, until it is acknowledged' => sub {
    my $stream = mailbox();
    my %sent = map { ($_ => sends($kinds{$_}->())) } sort keys %kinds;
    my %got = map { my $e = next_of($stream); ($e->{params}{source}{platform} => $e) }
              keys %sent;

    is_deeply([sort keys %got], [qw(aee channel vcp)], 'all three come');

    for my $proto (sort keys %got) {
        my $params = $got{$proto}{params};

        is($got{$proto}{method}, 'chat/deliver', $proto);
        like($got{$proto}{id}, qr/^\Q$params->{eventId}\E#1\.[0-9a-f]{8}$/,
             'with the id of an offer');
        is_deeply($params->{author}, { kind => 'agent', id => 'bob' });
        is($params->{attention}{policy}, 'must_respond');
        is($params->{attention}{reason},
           $proto eq 'vcp' ? 'urgent' : 'direct_message', 'its own reason');
        is($params->{injection}{mode},
           $proto eq 'vcp' ? 'immediate' : 'buffered');
        is($params->{target}{recipient}, 'agent:ada');
        is($params->{reliability}{idempotencyKey},
           "$params->{eventId}:agent:ada");
        is($params->{content}[1]{reference}{verified}{principal}, 'bob',
           'with the whole message');
    }

    is($got{aee}{params}{eventId}, $sent{aee}{id}, 'the id of the task');
    is($got{vcp}{params}{eventId}, $sent{vcp}{message_id});
    is(listed(), 3, 'they are pending');
    is_deeply([map { $_->{event}{source}{platform} } listed()],
              [qw(aee channel vcp)], 'and listed');

    $stream->leave;
    reloads();
    $stream = mailbox();
    is_deeply([map { next_of($stream)->{id} } 1 .. 3],
              [map { $got{$_}{id} } qw(aee channel vcp)],
              'they come again after a reload');

    is(acks($got{aee}{id}), 202);
    is(listed(), 2, 'an acknowledgment');
    is(acks($got{aee}{id} =~ s/.$/x/r), 202);
    is(acks($sent{channel}{payload}{query_id}), 202);
    is(listed(), 2, 'another id acknowledges nothing');

    $stream->leave;
    $stream = mailbox();
    is(next_of($stream)->{id}, $got{channel}{id},
       'the stream begins after the acknowledged one');
    is(next_of($stream)->{id}, $got{vcp}{id});

    is(acks($got{channel}{id}, code => -31500, message => 'broken'), 202);
    is(listed(), 1, 'an error is the outcome, too');

    is_deeply([map { $_->{disposition} } listed(eventId =>
                    $got{channel}{params}{eventId})], ['failed'],
              'the disposition');

    is(listed(ackThrough => (listed())[-1]{place}), 0, 'ackThrough');
    is_deeply([listed()], [], 'nothing is left');
    $stream->leave;

    is_deeply([map { $_->{event}{eventId} }
               listed(eventId => $sent{aee}{id})], [$sent{aee}{id}],
              'eventId finds an acknowledged one');

    my ($first) = listed(eventId => $sent{aee}{id});

    is_deeply([map { $_->{event}{source}{platform} }
               listed(after => $first->{place})], [qw(channel vcp)], 'after');
};


subtest 'HUB-06 they stand among the messages of chat, in their order' => sub {
    my $stream = mailbox();
    my $n = 0;
    my $chat = sub {
        my $id = 'm' . ++$n;

        is(says('web', { jsonrpc => '2.0', id => $id, method => 'chat/deliver',
            params => { eventId => $id,
                source => { platform => 'web', workspaceId => 'main' },
                conversation => { id => "D$n", kind => 'dm' },
                author => { id => 'will', kind => 'human' },
                target => { recipient => 'agent:ada' },
                content => [{ type => 'text', text => 'ok?' }] } })->{status}, 200);

        return $id;
    };
    my @ids = ($chat->(), sends(task())->{id}, $chat->(), sends(task())->{id});
    my @got = map { next_of($stream) } 1 .. 4;

    is_deeply([map { $_->{params}{eventId} } @got], \@ids, 'on the stream');
    is_deeply([map { $_->{event}{eventId} } listed()], \@ids, 'listed');
    is_deeply([map { $_->{event}{eventId} } listed(policy => 'must_respond')],
              \@ids, 'with a filter');

    acks($got[1]{id});
    is(listed(), 3);
    $stream->leave;
    $stream = mailbox();
    is(next_of($stream)->{params}{eventId}, $ids[0],
       'the cursor stays before an open one');
    $stream->leave;

    acks($got[0]{id});
    $stream = mailbox();
    is(next_of($stream)->{params}{eventId}, $ids[2], 'and then passes both');
    acks($got[$_]{id}) for 2, 3;
    is(listed(), 0);
    $stream->leave;
};


subtest 'HUB-06 equal ids of two senders are two events' => sub {
    my $stream = mailbox();
    my $first = sends(task());

    sends(aee(%$first, from => 'agent.carl', corr => uuid4()), 'carl');

    my @got = map { next_of($stream) } 1, 2;

    is($got[0]{params}{eventId}, $got[1]{params}{eventId});
    isnt($got[0]{id}, $got[1]{id}, 'with tags of their own');
    acks($got[1]{id});
    is(listed(), 1, 'one acknowledgment is for one');
    acks($got[0]{id});
    is(listed(), 0);
    $stream->leave;
};


subtest 'C2A-07 an event without attention is only in the list' => sub {
    my $stream = mailbox();
    my $event = sends(task(type => 'event', intent => 'ops.noted'));
    my $task = sends(task());
    my $got = next_of($stream);

    is($got->{params}{eventId}, $task->{id}, 'the stream has the task alone');
    is(listed(), 1, 'it needs no acknowledgment');
    is_deeply([map { $_->{event}{eventId} } listed()],
              [$event->{id}, $task->{id}], 'the list has both');
    acks($got->{id});
    $stream->leave;

    my $other = listen_to('ada', uri => '/c2a/');
    my $last = sends(task(type => 'event', intent => 'ops.noted'));

    is(next_of($other)->{id}, $last->{id},
       'a stream that is not of the host is as before');
    $other->leave;
    is(listed(ackThrough => (listed())[-1]{place}), 0);
};


subtest 'C2A-33 the rules and the scope of the mailbox count' => sub {
    my $secret = sends(task(intent => 'ops.secret'));
    my $open = sends(task());
    my $list = sub {
        my $answer = says('ada', { jsonrpc => '2.0', id => ++$k,
            method => 'tools/call', params => { name => 'chat.list_events',
                                                arguments => {} } }, $_[0]);

        return map { $_->{event}{eventId} }
               @{ $answer->{json}{result}{structuredContent}{events} };
    };

    is_deeply([$list->('/denied')], [$open->{id}], 'a rule denies one');

    my $stream = mailbox('/denied');

    is(next_of($stream)->{params}{eventId}, $open->{id}, 'on the stream too');
    $stream->leave;
    is_deeply([$list->('/chat')], [$secret->{id}, $open->{id}]);

    is(listed(ackThrough => (listed())[-1]{place}), 0);

    submit(frame('bob', 'ada', text => 'one session'), as => 'bob',
           uri => '/in', scope => '~ada/cc-ada/s1');
    is_deeply([listed()], [], 'a frame to one session is not in the mailbox');
};


subtest 'C2A-31 a call waits for them' => sub {
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $waiting = $client->begin('/chat', jcs({ jsonrpc => '2.0', id => ++$k,
        method => 'tools/call', params => { name => 'chat.list_events',
            arguments => { waitMs => 20000 } } }),
        Authorization => bearer('ada'));

    sleep 0.3;

    my $from = time;
    my $task = sends(task());
    my $answer = from_json($waiting->answer->{body});

    is($answer->{result}{structuredContent}{events}[0]{event}{eventId},
       $task->{id}, 'it ends with the event');
    cmp_ok(time - $from, '<', 15, 'before its time');
    is(listed(ackThrough =>
              $answer->{result}{structuredContent}{events}[0]{place}), 0);
};


# ---- answers

# Returns the first message that a sender reads and that fits.
sub answered {
    my ($stream, $fits) = @_;

    my $until = time + 20;

    while (time < $until) {
        my $event = $stream->event($until - time) // last;
        return $event->{json} if $fits->($event->{json});
    }

    return undef;
}

# Sends a message to ada, and returns it with the event that ada gets.
sub asked {
    my ($m) = @_;

    my %known = map { $_->{place} => 1 } listed();

    sends($m);

    my $event = waits(sub { (grep { !$known{$_->{place}} } listed())[-1] });

    return ($m, $event->{event});
}

sub answers {
    my ($event, %args) = @_;

    return calls('send_message', inReplyTo => $event->{eventId},
                 idempotencyKey => 'k' . ++$k, target => {
                     map { ($_ => $event->{conversation}{$_}) }
                     grep { defined $event->{conversation}{$_} } qw(id kind) },
                 visibility => 'dm', directedness => 'to_me', text => 'yes',
                 %args);
}

sub code_of { return $_[0]{isError} ? $_[0]{structuredContent}{code} : 'taken' }


subtest 'HUB-07 GW-06 an AEE task gets its result' => sub {
    my ($task, $event) = asked(task());
    my %answer = (idempotencyKey => 'first', text => 'It is done.');
    my $result = answers($event, %answer);
    my $structure = $result->{structuredContent};

    is(code_of($result), 'taken') or diag(explain($result));
    like($structure->{eventId}, qr/^a-[0-9a-f]{16}$/);
    is($structure->{disposition}, 'responded');
    is_deeply($structure->{conversation}, $event->{conversation});
    is($result->{_meta}{'c2a/mailbox'}{pending}, 0, 'it is acknowledged');

    my $came = answered($reads{aee}, sub { ($_[0]{reply_to} // '') eq $task->{id} });

    is($came->{type}, 'result', 'bob gets the result');
    is($came->{from}, 'agent.ada');
    is($came->{corr}, $task->{corr});
    is($came->{payload}{text}, 'It is done.');

    my $again = answers($event, %answer);

    is_deeply($again->{structuredContent}, $structure,
              'C2A-12 the key again has the first result');

    for my $other ({ %answer, text => 'No.' }, { idempotencyKey => 'second' }) {
        my $refused = answers($event, %$other);

        is(code_of($refused), 'message-duplicate', 'C2A-17 one answer');
        is($refused->{structuredContent}{field},
           '/params/arguments/idempotencyKey');
        is($refused->{structuredContent}{eventId}, $structure->{eventId})
            if !$other->{text};
    }

    for my $tool (['react', signal => 'declined'], ['resolve'],
                  ['defer', reason => 'busy']) {
        my ($name, @args) = @$tool;

        is(code_of(calls($name, inReplyTo => $event->{eventId}, @args)),
           'message-duplicate', $name);
    }

    my ($next, $other) = asked(task());

    answers($other);
    is(answered($reads{aee}, sub { $_[0]{reply_to} })->{reply_to}, $next->{id},
       'bob got none of these');
};


subtest 'HUB-07 VCP-25 a VCP escalation is acknowledged' => sub {
    for my $answer (['send_message'], ['react', signal => 'agree'],
                    ['react', signal => 'done'], ['resolve']) {
        my ($tool, @args) = @$answer;
        my ($m, $event) = asked(escalates());
        my $result = $tool eq 'send_message'
                     ? answers($event)
                     : calls($tool, inReplyTo => $event->{eventId}, @args);

        is(code_of($result), 'taken', "@$answer") or diag(explain($result));

        my $came = answered($reads{vcp}, sub {
            jcs($_[0]) =~ /\Q$m->{message_id}\E/ });

        ok($came, 'bob gets the acknowledgment');
        is($came->{sender}, 'agent://ops.example/ada');
        is(code_of(answers($event)), 'message-duplicate', 'one answer');
    }
};


subtest 'HUB-07 GW-06 an agent_query gets its agent_response' => sub {
    my ($frame, $event) = asked(query());

    reloads();

    my $result = answers($event, text => 'It is open.');

    is($result->{structuredContent}{disposition}, 'responded');

    my $came = answered($reads{channel}, sub {
        ($_[0]{payload}{query_id} // '') eq $frame->{payload}{query_id} });

    is($came->{kind}, 'agent_response', 'bob gets it');
    like($came->{payload}{response_text}, qr/^It is open\./);
    is(code_of(answers($event)), 'message-duplicate', 'one answer');
};


subtest 'C2A-15 signals that end a task, and signals that do not' => sub {
    my ($task, $event) = asked(task());
    my $of = sub { ($_[0]{corr} // '') eq $task->{corr} };

    for my $signal (qw(seen working queued)) {
        is(code_of(calls('react', inReplyTo => $event->{eventId},
                         signal => $signal)), 'taken', $signal);
        is(answered($reads{aee}, $of)->{type}, 'stream', 'bob gets progress');
    }

    my $result = calls('defer', inReplyTo => $event->{eventId},
                       reason => 'busy', eta => 'later');

    is($result->{structuredContent}{disposition}, 'deferred')
        or diag(explain($result));
    is(answered($reads{aee}, $of)->{type}, 'stream');

    is(answers($event)->{structuredContent}{disposition}, 'responded',
       'and then the answer');
    is(answered($reads{aee}, $of)->{type}, 'result');

    ($task, $event) = asked(task());
    $result = calls('react', inReplyTo => $event->{eventId},
                    signal => 'declined', reason => 'not mine');
    is($result->{structuredContent}{disposition}, 'ignored');
    is(answered($reads{aee}, $of)->{type}, 'error', 'declined is an error');
    is(code_of(answers($event)), 'message-duplicate');

    ($task, $event) = asked(task());
    $result = calls('resolve', inReplyTo => $event->{eventId});
    is($result->{structuredContent}{resolved}{by}, 'agent:ada')
        or diag(explain($result));
    is(answered($reads{aee}, $of)->{type}, 'result', 'resolve is a result');
};


subtest 'C2A-24 progress goes to the sender, and ends nothing' => sub {
    my $reports = sub {
        my ($event, $done, %o) = @_;

        return says('ada', { jsonrpc => '2.0', %o,
            method => 'notifications/progress', params => {
                progressToken => $event->{eventId}, progress => $done,
                total => 5, message => 'nearly' } });
    };
    my ($task, $event) = asked(task());
    my $of = sub { ($_[0]{corr} // '') eq $task->{corr} };
    my $before = listed();

    for my $done (1, 2) {
        my $answer = $reports->($event, $done);

        is($answer->{status}, 202) or diag($answer->{body});
        is($answer->{body}, '');

        my $came = answered($reads{aee}, $of);

        is($came->{type}, 'stream', 'bob gets progress');
        is($came->{payload}{progress}, $done);
    }

    is($reports->($event, 2)->{status}, 202, 'equal progress');
    is(scalar(listed()), $before, 'the event is pending');
    is(answers($event)->{structuredContent}{disposition}, 'responded');
    is(answered($reads{aee}, $of)->{type}, 'result', 'and then the answer');
    is($reports->($event, 3)->{status}, 409, 'none after it');

    ($task, $event) = asked(escalates());
    is($reports->($event, 1)->{json}{error}{data}{code},
       'translation-unsupported', 'an escalation has no progress');
    is($reports->({ eventId => uuid4() }, 1)->{json}{error}{data}{code},
       'reply-unmatched', 'an unknown event');
};


subtest 'HUB-07 AEE-29 silence is an error of the task' => sub {
    my ($task, $event) = asked(task(requires => { timeout_ms => 1500 }));
    my $error = answered($reads{aee},
                         sub { ($_[0]{reply_to} // '') eq $task->{id} });

    is($event->{attention}{deadlineMs}, 1500, 'the event has the deadline');
    is($error->{type}, 'error');
    is($error->{payload}{code}, 'E_TIMEOUT');

    my $late = answers($event);

    is(code_of($late), 'reply-unmatched', 'a late answer is refused');
    is($late->{structuredContent}{field}, '/params/arguments/inReplyTo');
    is(scalar(grep { $_->{event}{eventId} =~ /:(reminder|escalated)/ } listed()),
       0, 'the host reminds nobody');

    my $lead = says('lee', { jsonrpc => '2.0', id => ++$k,
        method => 'tools/call', params => { name => 'chat.list_events',
                                            arguments => {} } });

    unlike($lead->{body}, qr/\Q$task->{id}\E/, 'and tells no lead');
    is(listed(ackThrough => (listed())[-1]{place}), 0);
};


subtest 'refusals name the member, and lose nothing' => sub {
    my ($m, $event) = asked(escalates());

    for my $signal (qw(seen working)) {
        my $refused = calls('react', inReplyTo => $event->{eventId},
                            signal => $signal);

        is(code_of($refused), 'translation-unsupported', "VCP has no $signal");
        is($refused->{structuredContent}{field}, '/params/arguments/signal');
    }

    my $refused = calls('defer', inReplyTo => $event->{eventId},
                        reason => 'busy');

    is(code_of($refused), 'translation-unsupported', 'nor defer');
    is($refused->{structuredContent}{field}, '/params/name');

    $refused = answers($event, target => { id => 'elsewhere', kind => 'dm' });

    is(code_of($refused), 'reply-unmatched', 'in another conversation');

    $refused = calls('claim', inReplyTo => $event->{eventId});
    is(code_of($refused), 'translation-unsupported', 'a claim');
    is($refused->{structuredContent}{field}, '/params/name');
    is(listed(), 1, 'the event is still pending');
    is(code_of(answers($event)), 'taken', 'and can be answered');

    (undef, $event) = asked(task(type => 'event', intent => 'ops.noted'));
    $refused = answers($event);
    is(code_of($refused), 'policy-refused', 'an event without an answer');
    is($refused->{structuredContent}{field}, '/params/arguments/inReplyTo');

    my $unknown = calls('react', inReplyTo => uuid4(), signal => 'seen');
    is(code_of($unknown), 'reply-unmatched', 'an unknown one');
};


subtest 'C2A-20 an id with a form of the host is an id like others' => sub {
    for my $end (qw(:reminder :free :failed :unconfirmed :escalated:1)) {
        my $id = 'task-' . ++$k;
        my ($first, $second) = map { sends(task(id => $_)) } "$id$end", $id;
        my ($event) = map { $_->{event} } listed(eventId => $id);

        is(code_of(answers($event)), 'taken', $id);

        my $stream = mailbox();
        my $offer = next_of($stream);

        is($offer->{params}{eventId}, "$id$end",
           'the other one is open, and comes again');
        is(code_of(answers($offer->{params})), 'taken', 'and is answered');
        $stream->leave;
        is(listed(), 0, 'nothing is pending');
    }

    my $id = 'digest:ada:1764184800000';
    my $stream = mailbox();

    sends(task(id => $id));

    my $offer = next_of($stream);

    is($offer->{params}{eventId}, $id);
    is(acks($offer->{id}), 202);
    is(listed(), 0, 'acknowledged');
    is(code_of(answers($offer->{params})), 'taken', 'answered');
    $stream->leave;
};


done_testing;

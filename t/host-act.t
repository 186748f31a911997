# The tools by which agents act at a host of chat: send_message, react, claim,
# defer and resolve; and the mailbox of the surface, which shows their acts.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);
use Time::Local qw(timegm);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } }
         qw(ada bo dee)),
    { sub => 'eve', handle => '~eve', c2a => 'agent:eve', parent => 'dee' },
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_",
             roles => ['backend'] } } qw(cy di)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'mute', c2a => 'service:mute', surface => ['mute/main'] },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on;
                           parley_host c2a quiet=0 claim=1s keepalive=20s; }
EOT

my ($n, $k) = (0, 0);


# Returns an event of a surface.
sub event {
    my %o = (id => 'm' . ++$n, source => [qw(web main)], @_);

    return {
        jsonrpc => '2.0', id => 'call-' . ++$k, method => 'chat/deliver',
        params => {
            eventId => $o{id},
            source => { platform => $o{source}[0],
                        workspaceId => $o{source}[1] },
            conversation => $o{conversation} // { id => "D$n", kind => 'dm' },
            author => { id => 'will', kind => 'human' },
            content => [{ type => 'text', text => $o{text} // "words $n" }],
            %{ $o{params} // {} },
        },
    };
}

sub to { my $to = shift; return event(params => { target => { recipient => $to } }, @_) }


sub says {
    my ($who, $doc) = @_;

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post('/chat', jcs($doc), Authorization => bearer($who));

    $answer->{json} = eval { from_json($answer->{body}) };

    return $answer;
}


# Calls a tool; returns the result, or {code, ...} with isError.
sub calls {
    my ($who, $tool, %args) = @_;

    my $answer = says($who, { jsonrpc => '2.0', id => ++$k,
                              method => 'tools/call',
                              params => { name => "chat.$tool",
                                          arguments => \%args } });

    is($answer->{status}, 200) or diag($answer->{body});

    return $answer->{json}{result};
}

sub sends {
    my ($who, %args) = @_;

    my $at = ref $args{target} ? $args{target}{kind} // 'channel' : 'dm';

    return calls($who, 'send_message', idempotencyKey => 'k' . ++$k,
                 target => { id => 'D1', kind => 'dm' },
                 visibility => $at eq 'dm' ? 'dm' : 'channel', directedness => 'to_me', text => 'yes',
                 %args);
}

sub delivers { my ($event) = @_; my $a = says(web => $event);
               is($a->{status}, 200) or diag($a->{body}); return $event->{params} }

my $shown;
sub shown { my $e = from_json($shown->event->{data});
            says(web => { jsonrpc => '2.0', id => $e->{id},
                          result => { accepted => true } });
            return $e->{params} }

sub at { my ($p) = @_; return { id => $p->{conversation}{id},
                                kind => $p->{conversation}{kind} } }

$shown = listen_to('web', uri => '/chat');

# Returns the seconds of a time.
sub seconds {
    my ($y, $m, $d, $H, $M, $s) = $_[0] =~
        /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):([\d.]+)Z$/;

    return timegm(0, $M, $H, $d, $m - 1, $y) + $s;
}

# Adds readers to a channel.
sub adds {
    my ($id, @names) = @_;
    my $answer = says(web => { jsonrpc => '2.0', id => ++$k,
        method => 'chat/members', params => {
            source => { platform => 'web', workspaceId => 'main' },
            conversation => { id => $id, kind => 'channel' },
            add => \@names, remove => [] } });

    is_deeply($answer->{json}{result}{added}, \@names)
        or diag($answer->{body});
}

adds('C1', 'agent:cy', 'agent:di');


subtest 'C2A-11 an answer of an agent comes to the surface, once for one key' => sub {
    my $m = delivers(to('agent:ada'));
    my %answer = (inReplyTo => $m->{eventId}, idempotencyKey => 'first',
                  target => at($m), text => 'No, it passed.');
    my $result = sends('ada', %answer);
    my $structure = $result->{structuredContent};

    like($structure->{eventId}, qr/^a-[0-9a-f]{16}$/);
    is_deeply({ %$structure, eventId => undef }, {
        accepted => true, eventId => undef, disposition => 'responded',
        conversation => at($m) });
    is($result->{_meta}{'c2a/mailbox'}{pending}, 0,
       'the call acknowledges the event');

    my $shown = shown();

    is($shown->{author}{id}, 'ada');
    is($shown->{target}{inReplyTo}, $m->{eventId});
    is_deeply($shown->{content}, [{ type => 'text', text => 'No, it passed.' }]);
    is($shown->{reliability}{idempotencyKey}, 'first', 'with the key of its sender');
    is_deeply($shown->{conversation}, at($m));

    my $again = sends('ada', %answer);

    is($again->{structuredContent}{eventId}, $structure->{eventId},
       'C2A-12: the key again has the first result');

    my $other = sends('ada', %answer, text => 'Yes.');

    is($other->{isError}, true);
    is($other->{structuredContent}{code}, 'message-duplicate');
    is($other->{structuredContent}{field}, '/params/arguments/idempotencyKey',
       'the key with another text');

    $other = sends('ada', %answer, idempotencyKey => 'second');
    is($other->{structuredContent}{code}, 'message-duplicate');
    is($other->{structuredContent}{eventId}, $structure->{eventId},
       'C2A-17: another key for the same event: one slot');

    my $later = delivers(to('agent:ada'));

    sends('ada', inReplyTo => $later->{eventId}, target => at($later));
    is(shown()->{target}{inReplyTo}, $later->{eventId},
       'and none of these was shown');
};


subtest 'C2A-33 only a reader of an event answers it' => sub {
    my $m = delivers(to('agent:ada'));

    for my $who (qw(bo cy)) {
        my $unknown = sends($who, inReplyTo => 'none', target => at($m));
        my $foreign = sends($who, inReplyTo => $m->{eventId}, target => at($m));

        is($unknown->{structuredContent}{code}, 'reply-unmatched');
        is($unknown->{structuredContent}{retryable}, true);
        is_deeply($foreign, $unknown,
                  "$who: an unreadable event is like an unknown one");
    }

    for my $tool (qw(react claim defer resolve)) {
        my %args = (inReplyTo => $m->{eventId},
                    $tool eq 'react' ? (signal => 'done')
                    : $tool eq 'defer' ? (reason => 'busy') : ());
        my $foreign = calls('bo', $tool, %args);
        my $unknown = calls('bo', $tool, %args, inReplyTo => 'none');

        is($foreign->{structuredContent}{code}, 'reply-unmatched');
        is_deeply($foreign, $unknown, $tool);
    }

    my $result = sends('ada', inReplyTo => $m->{eventId},
                       target => { id => 'D9999', kind => 'dm' });

    is($result->{structuredContent}{field}, '/params/arguments/target/id',
       'the target must be the conversation of the event');
    $result = sends('ada', target => { id => 'D9999', kind => 'dm' });
    is($result->{structuredContent}{code}, 'reply-unmatched',
       'an unknown conversation');
};


subtest 'C2A-05 C2A-13 the policy of an event limits its answers' => sub {
    my $m = delivers(event(
        conversation => { id => 'C1', kind => 'channel' },
        params => { target => { mentions => ['agent:ada'] },
                    attention => { reason => 'thanks' } }));

    my $long = sends('ada', inReplyTo => $m->{eventId}, target => at($m),
                     text => 'x' x 141);

    is($long->{structuredContent}{code}, 'policy-refused', 'ack_only, 141 characters');
    is($long->{structuredContent}{field}, '/params/arguments/inReplyTo');
    is(sends('ada', inReplyTo => $m->{eventId}, target => at($m),
             text => "\x{e4}" x 140)->{structuredContent}{accepted}, true,
       '140 characters');
    is(shown()->{target}{inReplyTo}, $m->{eventId});

    $m = delivers(event(
        conversation => { id => 'C1', kind => 'channel' },
        params => { target => { mentions => ['agent:ada'] },
                    attention => { policy => 'must_not_respond' } }));
    is(sends('ada', inReplyTo => $m->{eventId}, target => at($m))
       ->{structuredContent}{code}, 'policy-refused', 'must_not_respond');
};


subtest 'C2A-18 C2A-19 one agent owns the claim of an event for a role' => sub {
    my $m = delivers(event(
        conversation => { id => 'C1', kind => 'channel' },
        text => 'the database is slow',
        params => { target => { mentions => ['role:backend'] } }));

    my $got = calls('cy', 'claim', inReplyTo => $m->{eventId}, ttlMs => 60000);
    my $claim = $got->{structuredContent};

    is($claim->{claimed}, true);
    is($claim->{owner}, 'agent:cy');
    is($claim->{generation}, 1);
    is_deeply($claim->{event}{content},
              [{ type => 'text', text => 'the database is slow' }],
              'with the whole event');
    like($got->{content}[0]{text}, qr/C2A EVENT.*the database is slow/s);

    my $shown = shown();

    is($shown->{reaction}{signal}, 'claimed', 'the surface shows the claim');
    is($shown->{author}{id}, 'cy');

    my $held = calls('di', 'claim', inReplyTo => $m->{eventId});

    is($held->{isError}, true);
    is($held->{structuredContent}{code}, 'claim-held');
    is($held->{structuredContent}{owner}, 'agent:cy');
    is($held->{structuredContent}{until}, $claim->{until});
    is($nginx->logged(qr/\[warn\] .*claim-held/), 0,
       'claims of several agents cause no warning');

    my $answer = sends('di', inReplyTo => $m->{eventId}, target => at($m));

    is($answer->{structuredContent}{code}, 'claim-held', 'nor answers another');

    $got = calls('cy', 'claim', inReplyTo => $m->{eventId}, ttlMs => 120000);
    is($got->{structuredContent}{generation}, 1, 'the owner prolongs its claim');
    isnt($got->{structuredContent}{until}, $claim->{until});

    sends('cy', inReplyTo => $m->{eventId}, target => at($m), text => 'mine');
    is(shown()->{content}[0]{text}, 'mine', 'and answers');

    $m = delivers(event(conversation => { id => 'C1', kind => 'channel' },
                        params => { target => { mentions => ['role:backend'] } }));
    calls('di', 'claim', inReplyTo => $m->{eventId}, ttlMs => 1);
    is(shown()->{reaction}{signal}, 'claimed');

    $got = sends('cy', inReplyTo => $m->{eventId}, target => at($m));
    is($got->{structuredContent}{accepted}, true, 'a claim ends with its time');
    shown();

    my $late = sends('di', inReplyTo => $m->{eventId}, target => at($m));
    is($late->{structuredContent}{code}, 'claim-held',
       'an answer claims its event, too');

    sleep 1.2;

    for ($late = sends('di', inReplyTo => $m->{eventId}, target => at($m)),
         calls('di', 'claim', inReplyTo => $m->{eventId}))
    {
        is($_->{structuredContent}{code}, 'claim-held',
           'and keeps it after the time of the claim');
        is($_->{structuredContent}{owner}, 'agent:cy');
        is($_->{structuredContent}{until}, undef, 'without an end');
    }

    $m = delivers(event(conversation => { id => 'C1', kind => 'channel' },
                        params => { target => { mentions => ['role:backend'] } }));

    my $before = time;

    $got = calls('cy', 'claim', inReplyTo => $m->{eventId});
    shown();

    my $until = seconds($got->{structuredContent}{until});

    cmp_ok($until, '>', $before + 0.99, 'a claim without ttlMs lasts claim=,');
    cmp_ok($until, '<', time + 1.01, 'not longer');

    sleep 1.2;
    $got = calls('di', 'claim', inReplyTo => $m->{eventId});
    is($got->{structuredContent}{owner}, 'agent:di',
       'and then another agent has it, as nothing was answered');
    shown();

    $m = delivers(event(
        conversation => { id => 'C1', kind => 'channel' },
        params => { target => { mentions => ['agent:ada', 'agent:bo'] } }));
    $held = calls('bo', 'claim', inReplyTo => $m->{eventId});
    is($held->{structuredContent}{code}, 'claim-held',
       'an event that obliges another agent');
    is($held->{structuredContent}{owner}, 'agent:ada');
};


subtest 'C2A-19 an answer to a mention of a role ends the knocks of others' => sub {
    my $di = listen_to('di', uri => '/chat');
    my $m = delivers(event(conversation => { id => 'C1', kind => 'channel' },
                           params => { target => { mentions => ['role:backend'] } }));
    my $knock;

    do { $knock = from_json($di->event->{data}) }
        until ($knock->{params}{eventId} // '') eq $m->{eventId};

    my $sent = sends('cy', inReplyTo => $m->{eventId}, target => at($m));

    is($sent->{structuredContent}{accepted}, true) or diag(jcs($sent));
    shown();

    my $cancelled;

    do { $cancelled = from_json($di->event->{data}) }
        until $cancelled->{method} eq 'notifications/cancelled';

    is_deeply($cancelled->{params},
              { requestId => $knock->{id}, reason => 'superseded' });
    $di->leave;

    my ($listed) = @{ calls('di', 'list_events', eventId => $m->{eventId})
                      ->{structuredContent}{events} };

    is($listed->{disposition}, 'ignored', 'C2A-14');
};


# Waits for an event in a mailbox, and returns it.
sub waits_for {
    my ($who, $id) = @_;

    for (1 .. 200) {
        my ($listed) = @{ calls($who, 'list_events', eventId => $id)
                          ->{structuredContent}{events} };

        return $listed->{event} if $listed;
        sleep 0.1;
    }

    fail("$id does not come");
    return {};
}

sub has { my ($who, $id) = @_;
          return scalar @{ calls($who, 'list_events', eventId => $id)
                           ->{structuredContent}{events} } }

subtest 'C2A-18 the knock comes again after a claim without an answer' => sub {
    my %role = (conversation => { id => 'C1', kind => 'channel' },
                text => 'the disk is full',
                params => { target => { mentions => ['role:backend'] } });
    my $answered = delivers(event(%role));

    # long enough for a slow machine to answer in time

    calls('cy', 'claim', inReplyTo => $answered->{eventId}, ttlMs => 6000);
    is(shown()->{reaction}{signal}, 'claimed');
    sends('cy', inReplyTo => $answered->{eventId}, target => at($answered));
    is(shown()->{target}{inReplyTo}, $answered->{eventId});

    my $m = delivers(event(%role));

    calls('cy', 'claim', inReplyTo => $m->{eventId}, ttlMs => 6000);
    is(shown()->{reaction}{signal}, 'claimed');

    my $free = waits_for('di', "$m->{eventId}:free");

    is($free->{of}, $m->{eventId});
    is($free->{attention}{reason}, 'claim_ended');
    is($free->{attention}{policy}, 'may_respond');
    is($free->{knock}{topic}, 'a claim ended without an answer');
    unlike(jcs($free), qr/the disk is full/, 'without content');
    is(has('cy', "$m->{eventId}:free"), 0, 'not to the owner of the claim');
    is(has('di', "$answered->{eventId}:free"), 0, 'nor after an answer');

    my $got = calls('di', 'claim', inReplyTo => $free->{eventId});

    is($got->{structuredContent}{owner}, 'agent:di', 'another agent claims it');
    is($got->{structuredContent}{event}{content}[0]{text}, 'the disk is full');
    is(shown()->{reaction}{of}, $m->{eventId});

    $free = waits_for('cy', "$m->{eventId}:free");
    is($free->{of}, $m->{eventId}, 'and then it is free for the first one');

    my $sent = sends('cy', inReplyTo => $free->{eventId}, target => at($m),
                     text => 'at last');

    is($sent->{structuredContent}{accepted}, true) or diag(jcs($sent));
    is(shown()->{target}{inReplyTo}, $m->{eventId});

    says(web => event(id => 'erase', conversation => { id => 'C1', kind => 'channel' },
                      params => { change => { of => $m->{eventId},
                                              kind => 'edit' } }));
    is(has('di', "$m->{eventId}:free"), 0, 'C2A-25: an edit erases it, too');
};


subtest 'C2A-15 each signal has its disposition, and is shown' => sub {
    for (['seen', undef], ['agree', undef], ['working', 'claimed'],
         ['queued', 'deferred'], ['claimed', 'claimed'], ['done', 'responded'],
         ['declined', 'ignored'], ['blocked', 'deferred'], ['unclear', undef])
    {
        my ($signal, $disposition) = @$_;
        my $m = delivers(to('agent:ada'));
        my $result = calls('ada', 'react', inReplyTo => $m->{eventId},
                           signal => $signal);

        is($result->{structuredContent}{disposition}, $disposition, $signal);

        my $shown = shown();

        is($shown->{reaction}{of}, $m->{eventId});
        is($shown->{reaction}{signal}, $signal);

        if ($signal eq 'declined') {
            $shown = shown();
            is($shown->{author}{id}, 'parley', 'C2A-23: nobody is left for it');
            is($shown->{reaction}{reason}, 'undelivered') or diag(jcs($shown));
        }

        my $again = calls('ada', 'react', inReplyTo => $m->{eventId},
                          signal => $signal);

        is_deeply($again->{structuredContent}, $result->{structuredContent},
                  'the same call again has no other effect');
    }

    my $m = delivers(to('agent:ada', params => {
        target => { recipient => 'agent:ada' },
        attention => { reason => 'approval' } }));

    is(calls('ada', 'react', inReplyTo => $m->{eventId}, signal => 'agree')
       ->{structuredContent}{disposition}, 'acknowledged',
       'agree ends what asked for an approval');
    is(shown()->{reaction}{signal}, 'agree');
    is(calls('ada', 'react', inReplyTo => $m->{eventId}, signal => 'declined')
       ->{structuredContent}{disposition}, 'acknowledged',
       'the first disposition that decides is final');
    shown();
};


subtest 'C2A-16 a reaction of a person reaches the agent' => sub {
    my $m = delivers(to('agent:ada'));
    my $sent = sends('ada', inReplyTo => $m->{eventId}, target => at($m));

    shown();

    for (['done', 'notify', 'may_respond'],
         ['seen', 'tool_mailbox', 'must_not_respond'])
    {
        my ($signal, $mode, $policy) = @$_;
        my $reaction = event(params => {
            conversation => $m->{conversation},
            reaction => { of => $sent->{structuredContent}{eventId},
                          signal => $signal } });

        delete $reaction->{params}{content};

        my $answer = says(web => $reaction);

        is_deeply($answer->{json}{result}{addressed},
                  [{ to => 'agent:ada', row => 'reaction',
                     directedness => 'to_me', policy => $policy,
                     mode => $mode }], $signal) or diag($answer->{body});

        my ($got) = @{ calls('ada', 'list_events',
                             eventId => $reaction->{params}{eventId})
                       ->{structuredContent}{events} };

        is($got->{event}{attention}{policy}, $policy);
        is($got->{event}{reaction}{of}, $sent->{structuredContent}{eventId});
    }
};


subtest 'C2A-17 defer and resolve' => sub {
    my $m = delivers(to('agent:ada'));
    my $result = calls('ada', 'defer', inReplyTo => $m->{eventId},
                       reason => 'busy', eta => 'after lunch');

    is($result->{structuredContent}{disposition}, 'deferred');

    my $shown = shown();

    is_deeply({ map { $_ => $shown->{reaction}{$_} } qw(signal reason eta) },
              { signal => 'queued', reason => 'busy', eta => 'after lunch' });

    $result = calls('ada', 'resolve', inReplyTo => $m->{eventId});
    is($result->{structuredContent}{disposition}, 'responded');
    is(shown()->{reaction}{signal}, 'done');
    is($result->{structuredContent}{resolved}{by}, 'agent:ada');
};


subtest 'C2A-18 C2A-17 a thread is claimed and resolved' => sub {
    my $t = { id => 'C3', kind => 'thread', threadId => 'T1' };
    my $code = sub { calls(@_)->{structuredContent}{code} };
    my $in = sub { event(conversation => $t, @_) };
    my $rows = sub {
        my $answer = says(web => $in->());
        return { map { ($_->{to} => $_->{row}) }
                 @{ $answer->{json}{result}{addressed} } };
    };

    adds('C3', 'agent:ada', 'agent:bo');

    my $one = delivers($in->());
    my $unknown = calls('dee', 'claim', target => { %$t, id => 'C9' });

    is($unknown->{structuredContent}{code}, 'reply-unmatched');
    is_deeply(calls('dee', 'claim', target => $t), $unknown,
              'C2A-33: a foreign thread is like an unknown one');
    is_deeply(calls('dee', 'resolve', target => $t), $unknown);

    for my $tool (qw(claim resolve)) {
        is($code->('ada', $tool, target => { %$t, threadId => 'T9' }),
           'reply-unmatched', "$tool of a thread without messages");
        is($code->('ada', $tool, target => { id => 'C3', kind => 'channel' }),
           'field-missing', 'nor of a whole channel');
        is($code->('ada', $tool, target => 'thread:T9'), 'reply-unmatched',
           'nor of an unknown thread by its name');
    }

    is($code->('ada', 'claim', inReplyTo => $one->{eventId}, target => $t),
       undef, 'inReplyTo counts before the target');
    is(shown()->{reaction}{of}, $one->{eventId});
    is($code->('bo', 'claim', target => $t, ttlMs => 1), undef,
       'so the thread is free');
    is(shown()->{author}{id}, 'bo');

    my $got = calls('ada', 'claim', target => $t, ttlMs => 60000);
    my $claim = $got->{structuredContent};

    is($claim->{claimed}, true, 'a claim of a thread ends with its time');
    is($claim->{owner}, 'agent:ada');
    is($claim->{generation}, 2);
    is($claim->{event}, undef, 'no event belongs to it');
    like($got->{content}[0]{text}, qr/^claimed until /);

    # the first claim by ada was shown for this message

    for my $tool (qw(claim resolve)) {
        my $held = calls('bo', $tool, target => $t)->{structuredContent};

        is($held->{code}, 'claim-held', "$tool by another agent");
        is($held->{owner}, 'agent:ada');
        is($held->{until}, $claim->{until});
    }

    $got = calls('ada', 'claim', target => $t, ttlMs => 120000);
    is($got->{structuredContent}{generation}, 2, 'the owner prolongs it');
    isnt($got->{structuredContent}{until}, $claim->{until});

    is_deeply($rows->(), { 'agent:ada' => 'part' },
              'the owner gets the messages of the thread');

    my $two = "m$n";
    my %message = (target => $t, visibility => 'thread');

    is(sends('bo', %message, text => 'me too')->{structuredContent}{accepted},
       true);
    is(shown()->{content}[0]{text}, 'me too');
    is_deeply($rows->(), { 'agent:ada' => 'part', 'agent:bo' => 'part' });

    my $three = "m$n";

    is(sends('bo', %message, inReplyTo => $three)->{structuredContent}{code},
       'claim-held', 'another agent does not answer in the thread');
    is($code->('bo', 'claim', inReplyTo => $three), 'claim-held');
    is($code->('bo', 'react', inReplyTo => $three, signal => 'working'),
       'claim-held');

    my $before = delivers($in->(params => { target => {
        mentions => ['agent:bo'] } }));
    my $answer = sends('bo', %message, inReplyTo => $before->{eventId},
                       text => 'I was asked');

    is($answer->{structuredContent}{accepted}, true,
       'except to a message that is for it') or diag(jcs($answer));
    is(shown()->{content}[0]{text}, 'I was asked');

    $got = sends('ada', %message, inReplyTo => $two, text => 'the owner');
    is($got->{structuredContent}{accepted}, true, 'the owner answers');
    is(shown()->{content}[0]{text}, 'the owner');

    my $newest = $got->{structuredContent}{eventId};
    my $done = calls('ada', 'resolve', target => $t)->{structuredContent};

    is($done->{resolved}{by}, 'agent:ada') or diag(jcs($done));
    cmp_ok(abs(seconds($done->{resolved}{at}) - time), '<', 60);

    my $shown = shown();

    is($shown->{reaction}{signal}, 'done', 'the surface shows it');
    is($shown->{reaction}{of}, $newest, 'at the newest message');
    is($shown->{conversation}{threadId}, 'T1');

    for ([$two, 'responded'], [$three, 'responded']) {
        my $event = calls('ada', 'list_events', eventId => $_->[0])
            ->{structuredContent}{events}[0];

        is($event->{disposition}, $_->[1], 'an open event of the caller ends');
    }

    my $open = calls('bo', 'list_events', eventId => $three)
        ->{structuredContent}{events}[0];

    is($open->{disposition}, undef, 'that of another agent does not');

    my $read = calls('bo', 'read_thread', target => $t)->{structuredContent};

    is_deeply($read->{resolved}, $done->{resolved}, 'each reader sees the mark');
    is_deeply(calls('ada', 'resolve', target => $t)->{structuredContent}{resolved},
              $done->{resolved}, 'which a repeated call does not change');
    is_deeply(calls('bo', 'resolve', target => $t)->{structuredContent}{resolved},
              $done->{resolved}, 'nor does another agent');
    is(shown()->{author}{id}, 'bo', 'a repeated call is not shown again');

    $got = calls('bo', 'claim', target => $t);
    is($got->{structuredContent}{generation}, 3,
       'the resolution has ended the claim');
    is(shown()->{reaction}{signal}, 'claimed');

    delivers($in->());
    $read = calls('bo', 'read_thread', target => $t)->{structuredContent};
    is($read->{resolved}, undef, 'the next message clears the mark');
};


subtest 'C2A-23 the lead answers, and the event is over for its first reader' => sub {
    my $m = delivers(to('agent:eve', params => {
        target => { recipient => 'agent:eve' },
        attention => { deadlineMs => 3000 } }));
    my $up = "$m->{eventId}:escalated:1";

    for (1 .. 200) {
        last if grep { $_->{event}{eventId} eq $up }
            @{ calls('dee', 'list_events')->{structuredContent}{events} };
        sleep(0.1);
    }

    is(shown()->{reaction}{reason}, 'escalated', 'the author is told');
    is(calls('bo', 'react', inReplyTo => $up, signal => 'done')
       ->{structuredContent}{code}, 'reply-unmatched',
       'only the lead may act on it');

    my $sent = sends('dee', inReplyTo => $up, target => at($m), text => 'done');

    is($sent->{structuredContent}{disposition}, 'responded')
        or diag(jcs($sent));

    my $shown = shown();

    is($shown->{content}[0]{text}, 'done');
    is($shown->{target}{inReplyTo}, $m->{eventId},
       'the answer names the event that the surface knows');
    is(calls('eve', 'react', inReplyTo => $m->{eventId}, signal => 'done')
       ->{structuredContent}{disposition}, 'superseded',
       'the first reader is too late');
    shown();
};


subtest 'C2A-17 a message between agents is in the conversation of the two' => sub {
    my $bo = listen_to('bo', uri => '/chat');
    my $result = sends('ada', target => 'agent:bo', text => 'Are you there?');

    is($result->{structuredContent}{accepted}, true)
        or diag(jcs($result));

    my $event;

    do { $event = from_json($bo->event->{data}) }
        until ($event->{params}{content}[0]{text} // '') eq 'Are you there?';

    is($event->{params}{author}{id}, 'ada');
    is($event->{params}{attention}{policy}, 'must_respond');

    my $answer = sends('bo', inReplyTo => $event->{params}{eventId},
                       target => $event->{params}{conversation}, text => 'Yes.');

    is($answer->{structuredContent}{disposition}, 'responded')
        or diag(jcs($answer));
    $bo->leave;

    for my $to ('agent:none', 'agent:ada') {
        my $result = sends('ada', target => $to);

        is($result->{structuredContent}{code}, 'identity-unmappable', $to)
            or diag(jcs($result));
    }
};


subtest 'C2A-33 an agent writes where it may read' => sub {
    my %target = (target => { id => 'C2', kind => 'channel' },
                  visibility => 'channel', directedness => 'ambient');
    my $refused = sends('ada', %target);

    is($refused->{structuredContent}{code}, 'reply-unmatched');
    is_deeply(sends('ada', %target, target => { id => 'C9', kind => 'channel' }),
              $refused, 'a foreign conversation is like an unknown one');
    is_deeply(sends('ada', %target, target => {
                  id => 'C2', kind => 'channel',
                  source => { platform => 'web', workspaceId => 'main' } }),
              $refused, 'also with its source');

    adds('C2', 'agent:ada');

    my $sent = sends('ada', %target, text => 'hello all');

    is($sent->{structuredContent}{accepted}, true) or diag(jcs($sent));

    my $shown = shown();

    is($shown->{content}[0]{text}, 'hello all');
    is($shown->{conversation}{id}, 'C2');
    is($shown->{source}{platform}, 'web');
};


subtest 'a surface without a mailbox shows nothing, so nothing is sent to it' => sub {
    my $answer = says(mute => to('agent:ada', source => [qw(mute main)]));

    is($answer->{status}, 200) or diag($answer->{body});

    my $result = sends('ada', inReplyTo => "m$n", target => { id => "D$n",
                                                             kind => 'dm' });

    is($result->{structuredContent}{code}, 'identity-unmappable')
        or diag(jcs($result));
};


$shown->leave;
$nginx->stop;

done_testing();

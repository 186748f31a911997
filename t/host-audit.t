# The audit log of a host of chat (parley_host): a line for each step of an event,
# with ids and fixed words, and without a text.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port slurp tmp_dir);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Tool ();
use Parley::Upstream;

my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $url = 'https://127.0.0.1:' . port(2);
my $log = tmp_dir() . '/audit.jsonl';

$peer->script('$c->pause(30)');

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_", parent => 'lee' } }
         qw(ada bo fay)),
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_",
             roles => ['backend'] } } qw(cy di)),
    { sub => 'lee', handle => '~lee', c2a => 'agent:lee', human => 'will' },
    { sub => 'solo', handle => '~solo', c2a => 'agent:solo' },
    { sub => 'slow', handle => '~slow', c2a => 'agent:slow' },
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will', 'web/two/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'hook', handle => '~hook', c2a => 'service:hook',
      surface => ['web/two'], deliver => "$url/hook", speaks => 'c2a' },
);

sub http { return streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:8m',
    more => "parley_audit $log checkpoint=1s; parley_retain count=1000 time=1h; "
            . 'parley_deliver /_deliver hosts=127.0.0.1:' . port(2) . ';',
    locations => deliver_location() . <<"EOT") }
        location = /chat { parley_jwt on; parley_host c2a $_[0]; }
        location = /few { parley_jwt on; parley_host c2a $_[0];
                          parley_rate 2r/m burst=2; }
EOT

my $nginx = Parley::Nginx->start(workers => 2, http => http('quiet=0'));


# Returns the lines of the event "chat" about an id, in the order of the log.
sub lines {
    my ($id) = @_;

    return grep { $_->{event} eq 'chat' && $_->{id} eq $id }
           map { from_json($_) } grep { /^\{.*\}$/ } split /\n/, slurp($log);
}

# Waits for lines with these words in "what"; returns all lines of the id.
sub steps {
    my ($id, @wanted) = @_;

    my $until = time + 30;

    while (1) {
        my @lines = lines($id);
        my %seen = map { $_->{what} => 1 } @lines;

        return @lines if !(grep { !$seen{$_} } @wanted) || time > $until;
        sleep 0.1;
    }
}

# Waits for a line with this word in "what", and returns the last one.  With a
# store, the line of an append can come after that of its reader's act.
sub last_of {
    my ($id, $what) = @_;

    return (grep { $_->{what} eq $what } steps($id, $what))[-1];
}

# Returns the members of a line that are about chat.
sub facts {
    my ($line) = @_;

    return { map { $_ => $line->{$_} }
             grep { exists $line->{$_} }
             qw(what id actor reader row policy mode disposition) };
}

sub delivers {
    my ($event, $who) = @_;

    my $answer = says($who // 'web', $event);

    is($answer->{status}, 200) or diag($answer->{body});

    return $event->{params};
}

my $k = 0;

sub answers {
    my ($who, $m, %args) = @_;

    return tool($who, 'chat.send_message', {
        idempotencyKey => 'secret-key-' . ++$k, target => $m->{conversation},
        inReplyTo => $m->{eventId}, visibility => 'dm', directedness => 'to_me',
        text => 'SECRET ANSWER', %args });
}

# Returns the next offer of an event on a stream.
sub offer {
    my ($stream, $id, $seconds) = @_;

    while (my $event = $stream->event($seconds // 30)) {
        my $request = from_json($event->{data});

        return $request if ($request->{params}{eventId} // '') eq $id;
    }

    return undef;
}

sub refuses {
    my ($who, $request) = @_;

    return says($who, { jsonrpc => '2.0', id => $request->{id}, error => {
        code => -32000, message => 'SECRET REASON' } })->{status};
}

my %dm = (what => 'addressed', row => 'dm', policy => 'must_respond',
          mode => 'buffered');


subtest 'C2A-27 accepted and addressed' => sub {
    my $m = delivers(to('agent:ada', text => 'SECRET TEXT', params => {
        target => { recipient => 'agent:ada' },
        author => { id => 'will', kind => 'human',
                    displayName => 'SECRET NAME' } }));
    my $id = $m->{eventId};

    is_deeply([map { facts($_) } steps($id, 'addressed')],
              [{ what => 'accepted', id => $id, actor => 'will' },
               { %dm, id => $id, reader => 'ada' }]);

    # an account that no principal lists
    $m = delivers(to('agent:ada', author => 'pat'));
    is((steps($m->{eventId}, 'addressed'))[0]{actor}, 'web.main.pat');

    # a repeated event is no other step
    is(says(web => event(id => $id, conversation => $m->{conversation}))
       ->{status}, 409, 'other content');
    is(scalar lines($id), 2, 'a refusal has a verdict only');
};


subtest 'C2A-27 each reader has a line, and an event for no mailbox none' => sub {
    my %place = (conversation => { id => 'C1', kind => 'channel' });

    is(members(web => $place{conversation},
               add => ['agent:cy', 'agent:di', 'human:will'])->{status}, 200);

    my $m = delivers(event(%place, params => {
        target => { mentions => ['role:backend'] } }));

    is_deeply([map { facts($_) } grep { $_->{what} eq 'addressed' }
               steps($m->{eventId}, 'addressed')],
              [map { { what => 'addressed', id => $m->{eventId}, reader => $_,
                       row => 'role', policy => 'may_respond',
                       mode => 'notify' } } qw(cy di)]);

    my $ambient = delivers(event(%place));

    is_deeply([map { $_->{what} } steps($ambient->{eventId}, 'accepted')],
              ['accepted']);

    # the claim, its owner, and the end for the other reader
    my $id = $m->{eventId};

    is(tool(cy => 'chat.claim', { inReplyTo => $id })->{status}, 200);
    is(structured(tool(di => 'chat.claim', { inReplyTo => $id }))->{code},
       'claim-held');
    is_deeply([map { facts($_) } grep { $_->{what} eq 'claimed' }
               steps($id, 'claimed')],
              [{ what => 'claimed', id => $id, actor => 'cy' }],
              'one owner, once');

    is(structured(answers(cy => $m, visibility => 'channel',
                          directedness => 'to_my_role'))->{disposition},
       'responded');

    my @ends = map { "$_->{reader} $_->{disposition}" }
               grep { $_->{what} eq 'disposed' } steps($id, 'disposed');

    is_deeply(\@ends, ['cy claimed', 'cy responded', 'di ignored']);
};


subtest 'C2A-27 acknowledged: by a response, a place, or a call' => sub {
    my $stream = mailbox('bo');
    my $m = delivers(to('agent:bo'));
    my $request = offer($stream, $m->{eventId});

    is(acks(bo => $request->{id}), 202) for 1, 2;
    is_deeply([map { facts($_) } grep { $_->{what} eq 'acknowledged' }
               steps($m->{eventId}, 'acknowledged')],
              [{ what => 'acknowledged', id => $m->{eventId},
                 reader => 'bo' }], 'once');
    $stream->leave;

    my $place = delivers(to('agent:bo'));
    my $list = structured(tool(bo => 'chat.list_events'));

    is(tool(bo => 'chat.list_events',
            { ackThrough => $list->{events}[-1]{place} })->{status}, 200);
    is(last_of($place->{eventId}, 'acknowledged')->{reader}, 'bo');

    my $named = delivers(to('agent:bo'));

    is(tool(bo => 'chat.react', { inReplyTo => $named->{eventId},
                                  signal => 'seen' })->{status}, 200);
    is_deeply([map { $_->{what} } steps($named->{eventId}, 'acknowledged')],
              [qw(accepted addressed acknowledged)], 'seen ends nothing here');
};


subtest 'C2A-27 sent and disposed' => sub {
    my $m = delivers(to('agent:bo'));
    my $sent = structured(answers(bo => $m));
    my @lines = steps($sent->{eventId}, 'addressed');

    is_deeply(facts($lines[0]), { what => 'sent', id => $sent->{eventId},
                                  actor => 'bo' });
    is_deeply([sort map { $_->{reader} } grep { $_->{what} eq 'addressed' }
               @lines], [qw(web will)], 'for the author and the surface');
    is_deeply(facts(last_of($m->{eventId}, 'disposed')),
              { what => 'disposed', id => $m->{eventId}, reader => 'bo',
                disposition => 'responded' });

    my $deferred = delivers(to('agent:bo'));
    my $reaction = structured(tool(bo => 'chat.defer', {
        inReplyTo => $deferred->{eventId}, reason => 'SECRET EXCUSE',
        eta => 'SECRET TIME' }));

    is((steps($reaction->{eventId}, 'sent'))[0]{actor}, 'bo', 'a reaction too');
    is(last_of($deferred->{eventId}, 'disposed')->{disposition}, 'deferred');
};


subtest 'C2A-27 failed, and escalated at once' => sub {
    my $stream = mailbox('ada');
    my $m = delivers(to('agent:ada'));
    my $id = $m->{eventId};

    is(refuses(ada => offer($stream, $id)), 202);
    is_deeply(facts(last_of($id, 'failed')),
              { what => 'failed', id => $id, reader => 'ada',
                disposition => 'failed' });
    is_deeply(facts((steps("$id:escalated:1", 'escalated'))[0]),
              { %dm, what => 'escalated', id => "$id:escalated:1",
                actor => 'ada', reader => 'lee' }, 'the lead gets it');
    $stream->leave;
};


subtest 'C2A-27 reminded, escalated twice, superseded' => sub {
    my $stream = mailbox('ada');
    my $m = delivers(to('agent:ada', author => 'pat', params => {
        target => { recipient => 'agent:ada' },
        attention => { deadlineMs => 3000 } }));
    my $id = $m->{eventId};

    is(acks(ada => offer($stream, $id)->{id}), 202);
    is_deeply(facts(last_of($id, 'reminded')),
              { what => 'reminded', id => $id, reader => 'ada' });

    my ($human) = steps("$id:escalated:2", 'escalated');

    is_deeply(facts($human), { what => 'escalated', id => "$id:escalated:2",
        actor => 'lee', reader => 'will', row => 'dm', policy => 'may_respond',
        mode => 'notify' }, 'the human of the agent');

    is(structured(answers(ada => $m))->{disposition}, 'responded',
       'the agent answers late');
    is(last_of("$id:escalated:1", 'disposed')->{disposition}, 'superseded');
    $stream->leave;
};


subtest 'C2A-27 undelivered' => sub {
    my $m = delivers(to('agent:solo', params => {
        target => { recipient => 'agent:solo' },
        attention => { deadlineMs => 1000 } }));

    is_deeply(facts(last_of($m->{eventId}, 'undelivered')),
              { what => 'undelivered', id => $m->{eventId}, reader => 'solo' });
};


subtest 'C2A-27 a surface that refuses, or does not answer' => sub {
    my $web = mailbox('web');
    my $m = delivers(to('agent:bo'));
    my $sent = structured(answers(bo => $m));

    is(refuses(web => offer($web, $sent->{eventId})), 202);
    is_deeply(facts(last_of($sent->{eventId}, 'failed')),
              { what => 'failed', id => $sent->{eventId}, reader => 'web',
                disposition => 'failed' });
    $web->leave;

    my $two = delivers(to('agent:slow', source => [qw(web two)]), 'hook');
    my $late = structured(answers(slow => $two));

    is_deeply(facts(last_of($late->{eventId}, 'undelivered')),
              { what => 'undelivered', id => $late->{eventId},
                reader => 'hook' });
};


subtest 'C2A-27 offered again' => sub {
    my $stream = mailbox('fay');
    my $m = delivers(to('agent:fay'));

    is_deeply(facts(last_of($m->{eventId}, 'again')),
              { what => 'again', id => $m->{eventId}, reader => 'fay' });
    is(scalar(grep { $_->{what} eq 'acknowledged' } lines($m->{eventId})), 0,
       'written octets are not an acknowledgment');
    $stream->leave;
};


subtest 'C2A-27 replies of an agent are limited' => sub {
    my @m = map { delivers(to('agent:bo')) } 1 .. 4;
    my @answers = map {
        says(bo => { jsonrpc => '2.0', id => "few-$_", method => 'tools/call',
                     params => { name => 'chat.send_message', arguments => {
            idempotencyKey => "few-$_", target => $m[$_]{conversation},
            inReplyTo => $m[$_]{eventId}, visibility => 'dm',
            directedness => 'to_me', text => 'SECRET ANSWER' } } },
             uri => '/few')
    } 0 .. 3;

    is_deeply([map { $_->{status} } @answers], [200, 200, 200, 429],
              'the fourth in a row');

    my $refused = $answers[3];

    is_deeply(error($refused), [429, -31429, 'rate-limited', undef]);
    like($refused->{headers}{'retry-after'} // '', qr/^\d+$/, 'Retry-After');

    # the event is open, and the key is free
    my $list = structured(tool(bo => 'chat.list_events',
                               { eventId => $m[3]{eventId} }));

    is($list->{events}[0]{disposition}, undef);
    is(scalar(grep { $_->{what} ne 'accepted' && $_->{what} ne 'addressed' }
              lines($m[3]{eventId})), 0, 'nothing was done');
    is(says(di => { jsonrpc => '2.0', id => 'other', method => 'ping' },
            uri => '/few')->{status}, 200, 'another agent has its own rate');
    is(structured(answers(bo => $m[3], idempotencyKey => 'few-3'))
       ->{disposition}, 'responded', 'the answer can be sent later');
};


subtest 'C2A-27 events of a surface are limited' => sub {
    my @events = map { to('agent:ada', author => 'ann') } 1 .. 4;
    my @answers = map { says(web => $_, uri => '/few') } @events;

    is_deeply([map { $_->{status} } @answers], [200, 200, 200, 429]);
    is_deeply(error($answers[3]), [429, -31429, 'rate-limited', undef]);
    is(scalar lines($events[3]{params}{eventId}), 0, 'it is not stored');
    is(says(web => $events[3])->{status}, 200,
       'the id is free: it can be sent later');
};


subtest 'OPS-06 C2A-27 ids are escaped' => sub {
    for my $id ("say \"x\",{\"audit\":1}", "\x{202e}right\\", "\x{1F600}") {
        my $m = delivers(to('agent:ada', id => $id));
        my ($line) = steps($id, 'addressed');

        is($line->{id}, $id, 'read as it was');
    }

    is(says(web => to('agent:ada', id => "a\nb"))->{status}, 400, 'a line end');

    my $octets = slurp($log);

    unlike($octets, qr/[^\n\x20-\x7e]/, 'the log is ASCII');
    is(scalar(grep { !/^\{"audit":1,"chain":.*\}$/ } split /\n/, $octets), 0,
       'each line is a line of the log');

    my $long = 'x' x 256;

    delivers(to('agent:ada', id => $long));
    is(scalar(grep { $_->{cut} } steps($long, 'addressed')), 0, '256 octets');
};


subtest 'OPS-06 C2A-27 no text, name or secret is in the log' => sub {
    my $octets = slurp($log);

    unlike($octets, qr/SECRET/, 'no text, displayName, reason or eta');
    unlike(join('', grep { /"event":"chat"/ } split /^/, $octets),
           qr/secret-key/, 'no idempotencyKey');
    unlike($octets, qr/words \d/, 'no other text');
    unlike($octets, qr/eyJ/, 'no token');
};


subtest 'OPS-06 C2A-27 the verdict comes first, and the chains are whole' => sub {
    my $m = delivers(to('agent:ada'));
    my ($accepted) = steps($m->{eventId}, 'addressed');
    my ($verdict) = grep { $_->{event} eq 'verdict'
                           && ($_->{id} // '') eq $m->{eventId} }
                    map { from_json($_) } grep { /^\{/ }
                    split /\n/, slurp($log);

    is($verdict->{chain}, $accepted->{chain}, 'in the chain of its worker');
    cmp_ok($verdict->{seq}, '<', $accepted->{seq});

    $nginx->stop;

    my ($status, $out, $err) = Parley::Tool::tool('audit', 'verify', $log);

    is($status, 0, 'parley audit verify') or diag("$out$err");
};


subtest 'C2A-09 C2A-27 the fragments of a turn, and its readers' => sub {
    $nginx = Parley::Nginx->start(workers => 2, http => http('quiet=1s'));

    my $status = Parley::Status->new(port => port(1));
    my %place = (conversation => { id => 'turn', kind => 'dm' });
    my @m = map { delivers(to('agent:ada', id => $_, %place)) } qw(t1 t2);

    is_deeply([map { facts($_) } steps('t1', 'disposed')],
              [{ what => 'accepted', id => 't1', actor => 'will' },
               { what => 'disposed', id => 't1', reader => 'ada',
                 disposition => 'superseded' }], 'the older fragment');
    is_deeply([map { facts($_) } steps('t2', 'addressed')],
              [{ what => 'accepted', id => 't2', actor => 'will' },
               { %dm, id => 't2', reader => 'ada' }], 'the turn');
    is($status->metric('parley_chat_events_total{row="dm"}'), 1,
       'it counts once');
    is($status->metric('parley_chat_obligations'), 1);
    is(structured(answers(ada => $m[0]))->{disposition}, 'responded');
    is($status->metric('parley_chat_obligations'), 0);
    $nginx->stop;
};


done_testing;

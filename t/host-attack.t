# An authenticated agent attacks the host of chat: foreign events and
# conversations, keys of other messages, many calls at once.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } qw(lee max)),
    { sub => 'dee', handle => '~dee', c2a => 'agent:dee', parent => 'max' },
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_", parent => 'lee' } }
         qw(ada bo eve)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main', 'web/two'] },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on; parley_host c2a quiet=0 keepalive=20s; }
        location = /ruled { parley_jwt on; parley_host c2a quiet=0 keepalive=20s;
                            parley_allow type=subscribe to=bus.web.main.RULED;
                            parley_deny to=agent:max; parley_allow to=**; }
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


our $uri = '/chat';

sub says {
    my ($who, $doc) = @_;

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post($uri, jcs($doc), Authorization => bearer($who));

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

    return calls($who, 'send_message', idempotencyKey => 'k' . ++$k,
                 target => { id => 'D1', kind => 'dm' },
                 visibility => 'dm', directedness => 'to_me', text => 'yes',
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

# Waits until the mailbox of an agent has an event.
sub until_in {
    my ($who, $id) = @_;

    for (1 .. 200) {
        return if jcs(calls($who, 'list_events', limit => 100)) =~ /"\Q$id\E"/;
        sleep 0.1;
    }

    fail("$id does not come");
}


subtest 'C2A-12: another text under a key, one octet longer' => sub {
    my $m = delivers(to('agent:ada'));

    for (['t1', 't10'], ['ty', 'tyx'], ['1111', '01111'],
         ['11111111', '011111111'], ['0' x 15, '0' x 16])
    {
        my ($one, $other) = @$_;
        my %message = (target => at($m), idempotencyKey => "key $one");

        is(sends('ada', %message, text => $one)->{structuredContent}{accepted},
           true);
        is(sends('ada', %message, text => $other)->{structuredContent}{code},
           'message-duplicate', "$one and $other");
        is(shown()->{content}[0]{text}, $one);
    }
};


subtest 'C2A-17: many calls under different keys: one answer' => sub {
    my $m = delivers(to('agent:ada'));
    my @calls = map {
        Parley::Client->new(port => port(1), tls => 0)->begin('/chat', jcs({
            jsonrpc => '2.0', id => ++$k, method => 'tools/call', params => {
                name => 'chat.send_message', arguments => {
                    inReplyTo => $m->{eventId}, target => at($m),
                    idempotencyKey => "many $_", text => "answer $_",
                    visibility => 'dm', directedness => 'to_me' } } }),
            Authorization => bearer('ada'))
    } 1 .. 20;
    my @all = map { from_json($_->answer->{body})->{result} } @calls;
    my @accepted = grep { $_->{structuredContent}{accepted} } @all;

    is(scalar @accepted, 1, 'one is accepted')
        or diag(jcs([map { $_->{structuredContent} } @all]));
    is(shown()->{target}{inReplyTo}, $m->{eventId});

    my $next = delivers(to('agent:ada'));

    calls('ada', 'react', inReplyTo => $next->{eventId}, signal => 'seen');
    is(shown()->{reaction}{of}, $next->{eventId}, 'and one is shown');
};


subtest 'C2A-36: many equal reactions at once are one' => sub {
    for my $round (1 .. 5) {
        my $m = delivers(to('agent:ada'));
        my %args = (inReplyTo => $m->{eventId}, signal => 'seen');
        my @calls = map {
            Parley::Client->new(port => port(1), tls => 0)->begin('/chat', jcs({
                jsonrpc => '2.0', id => ++$k, method => 'tools/call', params => {
                    name => 'chat.react', arguments => \%args } }),
                Authorization => bearer('ada'))
        } 1 .. 16;
        my @all = map {
            from_json($_->answer->{body})->{result}{structuredContent}
        } @calls;
        my %codes = map { ($_->{code} // 'accepted' => 1) } @all;

        ok($codes{accepted}, 'one is accepted') or diag(jcs(\@all));
        delete @codes{qw(accepted message-in-flight capacity)};
        is_deeply(\%codes, {}, 'the others too, or they are to come again');

        my $again;

        for (1 .. 150) {
            $again = calls('ada', 'react', %args)->{structuredContent};
            last if $again->{accepted};
            sleep 0.1;
        }

        is($again->{eventId}, (grep { $_->{accepted} } @all)[0]{eventId},
           'a later call has the same answer');
        is(shown()->{reaction}{of}, $m->{eventId});
    }

    my $next = delivers(to('agent:ada'));

    calls('ada', 'react', inReplyTo => $next->{eventId}, signal => 'seen');
    is(shown()->{reaction}{of}, $next->{eventId}, 'and each is shown once');
};


subtest 'C2A-23: the reader of an escalated event answers it, and nobody else' => sub {
    adds('C1', 'agent:bo');

    my $m = delivers(event(conversation => { id => 'C1', kind => 'channel' },
                           params => { target => { mentions => ['agent:ada'] } }));

    calls('ada', 'react', inReplyTo => $m->{eventId}, signal => 'declined');
    is(shown()->{reaction}{signal}, 'declined');
    is(shown()->{reaction}{reason}, 'escalated');

    my $id = "$m->{eventId}:escalated:1";
    my %acts = (react => { signal => 'done' }, claim => {}, resolve => {},
                defer => { reason => 'busy' },
                send_message => { target => at($m), idempotencyKey => 'up',
                                  visibility => 'channel', text => 'I answer.',
                                  directedness => 'to_me' });

    until_in('lee', $id);

    for my $who (qw(ada bo eve)) {
        for my $tool (sort keys %acts) {
            my %args = %{ $acts{$tool} };

            is_deeply(calls($who, $tool, %args, inReplyTo => $id),
                      calls($who, $tool, %args, inReplyTo => 'none'),
                      "$who $tool");
        }
    }

    my $claim = calls('lee', 'claim', inReplyTo => $id);

    is($claim->{structuredContent}{owner}, 'agent:lee') or diag(jcs($claim));
    is(shown()->{reaction}{of}, $m->{eventId}, 'the surface knows this id');

    my $sent = calls('lee', 'send_message', %{ $acts{send_message} },
                     inReplyTo => $id);

    is($sent->{structuredContent}{disposition}, 'responded') or diag(jcs($sent));

    my $shown = shown();

    is($shown->{content}[0]{text}, 'I answer.');
    is($shown->{target}{inReplyTo}, $m->{eventId});
    is(calls('lee', 'list_events')->{structuredContent}{pending}, 0);
};


subtest 'C2A-33: the event of another source with the id of an escalated one' => sub {
    for (['ada', 'main'], ['dee', 'two']) {
        my ($to, $workspace) = @$_;

        delivers(to("agent:$to", id => 'twin', source => ['web', $workspace],
                    conversation => { id => "D $workspace", kind => 'dm' }));
        calls($to, 'react', inReplyTo => 'twin', signal => 'declined');
        shown() for 1, 2;
    }

    for (['lee', 'main'], ['max', 'two']) {
        my ($lead, $workspace) = @$_;

        until_in($lead, 'twin:escalated:1');

        my $sent = sends($lead, inReplyTo => 'twin:escalated:1', target => {
            id => "D $workspace", kind => 'dm' });

        is($sent->{structuredContent}{accepted}, true) or diag(jcs($sent));

        my $shown = shown();

        is_deeply([$shown->{source}{workspaceId}, $shown->{conversation}{id}],
                  [$workspace, "D $workspace"],
                  "$lead answers the event that it has");
    }
};


subtest 'C2A-33: an act on an event does not open its direct messages' => sub {
    my $m = delivers(to('agent:ada', text => 'secret of ada'));
    my $asks = delivers(event(conversation => at($m), params => { target => {
        recipient => 'agent:ada', mentions => ['agent:bo'] } }));
    my $unknown = calls('bo', 'read_thread',
                        target => { id => 'none', kind => 'dm' });

    for (['react', signal => 'seen'], ['react', signal => 'unclear'],
         ['defer', reason => 'busy'])
    {
        my ($tool, %args) = @$_;
        my $done = calls('bo', $tool, %args, inReplyTo => $asks->{eventId});

        is($done->{isError}, undef) or diag(jcs($done));
        shown();
        is_deeply(calls('bo', 'read_thread', target => {
                      %{ at($m) }, source => { platform => 'web',
                                               workspaceId => 'main' } }),
                  $unknown, "$tool");
    }

    my $sent = sends('bo', inReplyTo => $asks->{eventId}, target => at($m));

    is($sent->{structuredContent}{accepted}, true) or diag(jcs($sent));
    shown();
    is_deeply(calls('bo', 'read_thread', target => at($m)), $unknown,
              'nor does an answer');
    unlike(jcs(calls('bo', 'list_events', limit => 100)), qr/secret of ada/);
    like(jcs(calls('ada', 'read_thread', target => at($m))), qr/secret of ada/,
         'its recipient reads it');
};


subtest 'C2A-33: every form of a foreign event, and of a conversation' => sub {
    adds('SEC', 'agent:ada', 'agent:bo');

    my $m = delivers(event(text => 'secret of the channel',
        conversation => { id => 'SEC', kind => 'channel', threadId => 'ST',
                          streamId => 'SS' },
        params => { target => { mentions => ['agent:ada'] } }));
    my $dm = sends('ada', target => 'agent:bo', text => 'secret of two')
             ->{structuredContent};
    my ($place) = map { $_->{place} }
                  @{ calls('ada', 'list_events')->{structuredContent}{events} };
    my %two = (id => $dm->{conversation}{id},
               source => { platform => 'parley', workspaceId => 'main' });
    my %acts = (react => { signal => 'seen' }, claim => {}, resolve => {},
                defer => { reason => 'x' },
                send_message => { target => at($m), visibility => 'channel',
                                  idempotencyKey => 'forms', text => 'x',
                                  directedness => 'to_me' },
                map { +"list_events" . $_->[0] => $_->[1] }
                    ['', {}], [' sent', { sent => true }],
                    [' place', { after => $place }],
                    [' cursor', { ackThrough => $place }],
                    [' stream', { streamId => 'SS' }],
                    [' channel', { conversation => { id => 'SEC' } }],
                    [' two', { conversation => \%two }]);

    for my $form ('%s', '%s:reminder', '%s:escalated:1', '%s:escalated:2',
                  '%s:escalated:1:reminder', '%s:failed', '%s:unconfirmed',
                  '%s:free', '%s#1.5f0c77aa')
    {
        for my $id ($m->{eventId}, $dm->{eventId}) {
            my @different = grep {
                my ($tool) = /^(\w+)/;
                my $name = $tool eq 'list_events' ? 'eventId' : 'inReplyTo';
                my ($one, $other) = map {
                    jcs(calls('eve', $tool, %{ $acts{$_->[0]} },
                              $name => sprintf $form, $_->[1]))
                } [$_, $id], [$_, 'none'];

                $one ne $other;
            } sort keys %acts;

            is_deeply(\@different, [], sprintf $form, $id);
        }
    }

    for my $target ({ threadId => 'ST' }, { id => 'SEC', threadId => 'ST' },
                    'thread:ST', 'channel:SEC', 'SEC', \%two, $two{id},
                    "dm:$two{id}")
    {
        my $unknown = from_json(jcs([$target])
                                =~ s/\b(?:ST|SEC)\b|\Q$two{id}\E/NONE/gr)->[0];

        for my $tool (qw(read_thread resolve claim)) {
            is_deeply(calls('eve', $tool, target => $target),
                      calls('eve', $tool, target => $unknown),
                      "$tool " . jcs([$target]));
        }
    }

    my $uri = 'parley/main/' . $two{id} =~ s/([^A-Za-z0-9])/
                                             sprintf '%%%02X', ord $1/egr;
    my %status = map { my $who = $_; map {
        my $stream = listen_to($who, uri => "/chat?conversation=$_");

        $stream->leave if $stream->status == 200;
        ("$who $_" => $stream->status) } $uri, 'web/main/SEC', 'web/main/NONE'
    } qw(ada eve);

    is_deeply(\%status, { "ada $uri" => 200, 'ada web/main/SEC' => 200,
                          'ada web/main/NONE' => 403,
                          map { ("eve $_" => 403) } $uri, 'web/main/SEC',
                                                    'web/main/NONE' },
              'streams of its readers alone') or diag(jcs(\%status));
    unlike(jcs(calls('eve', 'list_events', limit => 100)), qr/secret|SEC/,
           'nothing of it is in the mailbox');
};


subtest 'C2A-33: a thread and a conversation under a name of another one' => sub {
    adds('N1', 'agent:ada');
    delivers(event(conversation => { id => 'N1', kind => 'channel',
                                     threadId => 'NT' }));

    my %thread = (target => 'thread:NT', visibility => 'thread', text => 'yes');
    my $sent = sends('ada', %thread)->{structuredContent};

    is($sent->{conversation}{id}, 'N1', 'one conversation has the thread')
        or diag(jcs($sent));
    is(shown()->{content}[0]{text}, 'yes');

    # eve begins a thread of this name in the messages of the two

    my $two = sends('eve', target => 'agent:ada')->{structuredContent}
              {conversation};

    is(sends('eve', target => { %$two, threadId => 'NT', source => {
           platform => 'parley', workspaceId => 'main' } })
           ->{structuredContent}{accepted}, true);

    my $refused = sub {
        my ($who, $tool, $member, %args) = @_;
        my $error = calls($who, $tool, %args)->{structuredContent};

        is_deeply([@$error{qw(code field)}],
                  ['field-invalid', "/params/arguments/$member"], $tool)
            or diag(jcs($error));
    };

    $refused->('ada', $_, 'target', target => 'thread:NT')
        for qw(claim resolve read_thread);
    $refused->('ada', 'send_message', 'target', %thread, text => 'secret',
               idempotencyKey => 'name 1', directedness => 'to_me');

    # a foreign surface adds ada to a channel of this id

    my %foreign = (platform => 'web', workspaceId => 'two');
    my $answer = says(web => { jsonrpc => '2.0', id => ++$k,
        method => 'chat/members', params => {
            source => \%foreign, conversation => { id => 'N1',
            kind => 'channel' }, add => ['agent:ada'], remove => [] } });

    is_deeply($answer->{json}{result}{added}, ['agent:ada']);

    my %channel = (target => { id => 'N1', kind => 'channel' }, text => 'secret',
                   visibility => 'channel');

    $refused->('ada', 'send_message', 'target', %channel,
               idempotencyKey => 'name 2', directedness => 'to_me');
    $refused->('ada', 'list_events', 'conversation',
               conversation => $channel{target});

    unlike(jcs(calls($_, 'list_events', limit => 100)), qr/"secret"/,
           "$_ reads nothing") for qw(eve web);

    for my $source ({ %foreign, workspaceId => 'main' }, \%foreign) {
        $sent = sends('ada', %channel, target => { %{ $channel{target} },
                                                   source => $source });
        is($sent->{structuredContent}{accepted}, true) or diag(jcs($sent));
        is_deeply(shown()->{source}, $source, 'with its source');
    }
};


subtest 'C2A-33: a channel that its reader by a rule says is a DM' => sub {
    my %place = (id => 'RULED', source => { platform => 'web',
                                            workspaceId => 'main' });
    my $unknown = calls('eve', 'list_events', conversation => { %place,
                                                                id => 'none' });
    {
        local $uri = '/ruled';
        my $sent = sends('eve', target => { %place, kind => 'dm' });

        is($sent->{structuredContent}{accepted}, true) or diag(jcs($sent));
        is(shown()->{content}[0]{text}, 'yes');
        is(calls('eve', 'list_events', conversation => \%place)->{isError},
           undef, 'a reader where the rule counts');
    }

    is_deeply(calls('eve', 'list_events', conversation => \%place), $unknown,
              'and not elsewhere');
};


subtest 'SEC-04 C2A-33: rules name recipients, and a conversation has any id' => sub {
    local $uri = '/ruled';

    my $dm = sends('eve', target => 'agent:ada')->{structuredContent}
             {conversation};
    my %two = (%$dm, source => { platform => 'parley', workspaceId => 'main' });

    is(sends('eve', target => \%two)->{structuredContent}{accepted}, true,
       'the direct messages of two agents');

    for my $id ('!room:example.org', 'a b', 'agent:max', " agent:max", '%61') {
        my %channel = (id => $id, kind => 'channel');

        delivers(event(conversation => \%channel));
        adds($id, 'agent:ada', 'agent:max');

        my $sent = sends('ada', visibility => 'channel',
                         mentions => ['agent:max'],
                         target => { %channel, source => { platform => 'web',
                                                  workspaceId => 'main' } });

        is($sent->{structuredContent}{accepted}, true) or diag(jcs($sent));
        is(shown()->{conversation}{id}, $id, "the channel $id");
    }

    is(sends('eve', target => 'agent:max')->{structuredContent}{code},
       'policy-refused', 'a denied recipient');
    is_deeply(calls('max', 'list_events')->{structuredContent}{events}, [],
              'gets nothing by a mention');
};


subtest 'C2A-33: an event with the id of another source\'s' => sub {
    my %at = (id => 'same', conversation => { id => 'DS', kind => 'dm' });
    my @sources = map { { platform => 'web', workspaceId => $_ } } qw(main two);

    delivers(to('agent:bo', %at, source => ['web', $_])) for qw(main two);

    my %acts = (react => { signal => 'seen' }, claim => {}, resolve => {},
                defer => { reason => 'secret' },
                send_message => { visibility => 'dm', directedness => 'to_me',
                                  target => $at{conversation}, text => 'secret',
                                  idempotencyKey => 'same id' });

    for my $tool (sort keys %acts) {
        my %args = (%{ $acts{$tool} }, inReplyTo => 'same');
        my $error = calls('bo', $tool, %args)->{structuredContent};

        is_deeply([@$error{qw(code field)}],
                  ['field-invalid', '/params/arguments/inReplyTo'],
                  "$tool is for none") or diag(jcs($error));
    }

    for my $source (@sources) {
        my %place = (%{ $at{conversation} }, source => $source);
        my $done = calls('bo', 'react', inReplyTo => 'same', signal => 'seen',
                         target => \%place);

        is($done->{isError}, undef) or diag(jcs($done));
        is_deeply(shown()->{source}, $source, 'a reaction with its source');

        my $sent = sends('bo', inReplyTo => 'same', target => \%place);

        is($sent->{structuredContent}{disposition}, 'responded')
            or diag(jcs($sent));
        is_deeply(shown()->{source}, $source, 'and an answer');
    }
};


$shown->leave;
$nginx->stop;

done_testing();

# Streams: the principals that may open one, its events, and its end.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 2,
    http => streams_http(
        more => 'parley_retain count=1000 time=1h;',
        locations => <<'EOT'));
        location = /mine { parley_jwt on; parley_stream channel; }
        location /ruled/ {
            parley_jwt on;
            parley_stream channel;
            parley_allow type=subscribe principal=agent.bob to=agent.alice;
            parley_allow type=subscribe protocol=channel to=~acme;
            parley_deny intent=channel.agent_broadcast;
        }
        location /broad/ {
            parley_jwt on;
            parley_stream channel;
            parley_allow principal=** to=**;
            parley_allow type=*;
        }
        location /aged/ { parley_jwt on; parley_stream channel age=2s; }
        location /quick/ { parley_jwt on;
                           parley_stream channel keepalive=1s retry=700ms; }
        location /cookie/ { parley_jwt on token=$cookie_token;
                            parley_stream channel; }
        location /argument/ { parley_jwt on token=$arg_token;
                              parley_stream channel; }
EOT

my $status = Parley::Status->new(port => port(1));


# Returns the number of messages that are counted, in any protocol.
sub messages {
    my $all = $status->metrics;
    my $n = 0;

    $n += $all->{$_} for grep { /^parley_messages_total\{/ } keys %$all;

    return $n;
}


# Returns the refusal of a stream: [status, code, field].
sub refused {
    my $stream = listen_to(@_);
    my $answer = $stream->answer;

    return [$stream->status] if !$answer;
    return [$answer->{status}, $answer->{json}{code}, $answer->{json}{field}];
}


# Publishes a frame and reads it: all earlier events have arrived then.
sub settled {
    my ($stream, $to, %o) = @_;

    my $text = 'settled ' . rand;

    submit(frame('bob', $to // 'alice', text => $text), %o);

    while (my $event = $stream->event) {
        return 1 if ($event->{data} // '') =~ /\Q$text/;
        push @{ $stream->{before} }, $event;
    }

    return 0;
}


subtest 'ACH-20: a stream for each handle and session, with ids' => sub {
    my $one = listen_to('alice', session => 's1');
    my $two = listen_to('alice', session => 's2');
    my $bob = listen_to('bob');

    is($one->status, 200);
    is($one->{headers}{'content-type'}, 'text/event-stream');
    is($one->{headers}{'cache-control'}, 'no-store');
    is($one->{headers}{'parley-session'}, 's1');
    like($bob->{headers}{'parley-session'}, qr/^[0-9a-f]{32}$/,
         'one that was not named has a name that nobody guesses');
    like($one->opened->{id}, qr/^[0-9a-f]+\.\d+$/, 'a place before any event');
    is($one->opened->{retry}, 2000);
    is_deeply($one->opened->{json}, { retention => { count => 1000,
                                                     ms => 3_600_000 } },
              'ACH-28: how much is retained, and for how long');

    my $frame = frame('bob', 'alice');
    my $answer = submit($frame);

    is($answer->{status}, 200);
    is($answer->{json}{frame_id}, $frame->{frame_id});
    is($answer->{json}{delivered}, 2, 'ACH-19: and not to bob');

    for my $stream ($one, $two) {
        my $event = $stream->event;

        is_deeply($event->{json}, $frame, 'as it was accepted');
        like($event->{id}, qr/^[0-9a-f]+\.\d+$/);
    }

    is(submit(frame('alice', 'bob'))->{json}{delivered}, 1);
    ok($bob->event);
};


subtest 'HUB-06: line breaks between tokens, and none in strings' => sub {
    my $alice = listen_to('alice');

    for my $break ("\n", "\r", "\r\n", "\r\n\r\n", "\n\r") {
        my $frame = frame('bob', 'alice', text => "a\r\nb\rc\nd");
        my $text = jcs($frame) =~ s/\A\{/{$break/r =~ s/\}\z/$break}/r;

        is(submit($frame, text => $text)->{status}, 200);

        my $event = $alice->event;

        is($event->{data}, $text =~ s/\r\n?/\n/gr, 'each is one line feed');
        is_deeply($event->{json}, $frame, 'and strings are as they were');
    }
};


subtest 'ACH-20: the path has the owner of the stream' => sub {
    my $mine = listen_to('alice', uri => '/mine');

    is($mine->status, 200, 'one\'s own where it names nobody');
    ok(settled($mine));

    is_deeply(refused('alice', of => '~bob'), [403, 'scope-unauthorised', undef],
              'another\'s needs a rule');
    is_deeply(refused('alice', of => '~nobody'),
              [403, 'scope-unauthorised', undef], 'whether he is there or not');
    is(refused("alice", of => "no handle")->[0], 400);
    is_deeply(refused('alice', uri => '/ruled/~bob'),
              [403, 'scope-unauthorised', undef]);
    is_deeply(refused('carol', uri => '/ruled/~alice'),
              [403, 'scope-unauthorised', undef]);
    is_deeply(refused('bob', uri => '/broad/~alice'),
              [403, 'scope-unauthorised', undef],
              'a rule for messages, of any type, is none for listening');

    my $by_rule = listen_to('bob', uri => '/ruled/~alice', session => 's1');
    my $own = listen_to('alice', session => 's1');

    is($by_rule->status, 200, 'who a rule names may listen');
    is(submit(frame('bob', 'alice'))->{json}{delivered}, 3,
       'his session is none of hers: neither replaces the other');
    ok($own->event && $by_rule->event);

    is(submit(frame('bob', 'alice'), scope => '~alice/x@s1')
           ->{json}{delivered}, 0, 'and no frame is addressed to it');

    is(listen_to('dave', uri => '/ruled/~acme')->status, 200,
       'an organisation\'s own');
};


subtest 'HUB-06: a record that a rule denies a reader is left out' => sub {
    my $denied = listen_to('alice', uri => '/ruled/~alice');
    my $other = listen_to('alice');

    submit(frame('bob', 'alice', kind => 'agent_broadcast',
                 payload => { broadcast_text => 'merged',
                              event_class => 'merged' }));
    submit(frame('bob', 'alice', text => 'after'));

    is(($other->event // {})->{json}{kind}, 'agent_broadcast');
    is(($denied->event // {})->{json}{payload}{advisory_text}, 'after');
};


subtest 'GW-02: a stream without a token is refused' => sub {
    is(refused('alice', token => '')->[0], 401);
    is(refused('alice', token => 'Bearer x')->[0], 401);
    is(refused('alice', token => bearer('alice', exp => time - 1000))->[1],
       'token-expired');

    my $raw = listen_to('alice', token => '');

    like($raw->answer->{headers}{'www-authenticate'}, qr/Bearer/);

    my $token = bearer('alice') =~ s/^Bearer //r;
    my $cookie = listen_to('alice', uri => '/cookie/~alice', token => 0,
                           headers => [Cookie => "token=$token"]);

    is($cookie->status, 200, 'by a cookie');

    my $argument = listen_to('alice', uri => "/argument/~alice?token=$token",
                             token => 0);

    is($argument->status, 200, 'by an argument, where that is said');

    $_->leave for $cookie, $argument;
};


subtest 'method, arguments and bodies of a request for a stream' => sub {
    is(refused('alice', method => 'POST', body => '{}')->[0], 405);
    is(refused('alice', method => 'HEAD')->[0], 405);
    is_deeply(refused('alice', filter => 'colour:red'),
              [400, 'filter-axis-unknown', 'filter'], 'ACH-22');
    like(listen_to('alice', filter => 'colour:red')->answer->{json}{message},
         qr/expected kind, sender, content_type, tool or org/,
         'the refusal names those that there are');
    is_deeply(refused('alice', filter => 'kind:agent_qurey'),
              [400, 'filter-value-invalid', 'filter'], 'ACH-22');
    is_deeply(refused('alice', filter => 'sender:alice'),
              [400, 'filter-value-invalid', 'filter'], 'ACH-22');
    is_deeply(refused('alice', session => 'a b'),
              [400, 'field-invalid', 'session']);
    is_deeply(refused('alice', session => 'bob/s1'),
              [400, 'field-invalid', 'session']);
    is_deeply(refused('alice', instrument => 'x' x 129),
              [400, 'field-invalid', 'instrument']);
    is_deeply(refused('alice', uri => '/channel/stream/~alice?session=a'
                                      . '&session=b'),
              [400, 'field-invalid', 'session'], 'twice');
    is(refused('alice', headers => ['Content-Length' => 2], body => '{}')->[0],
       400, "a body");
};


subtest 'ACH-22: a misspelt request opens no stream' => sub {
    for my $asked (['fliter=kind:agent_query', 'fliter'],
                   ['filters=kind:agent_query', 'filters'],
                   ['session=s1&lastEventId=3f09c2a1b47e.17', 'lastEventId'],
                   ['?session=s1', '?session'], ['filter%5F=x', 'filter%5F'],
                   ['x;y=1', 'x'], ['=x', undef], ['event=1', 'event'],
                   ['ticket=x', 'ticket'],
                   ['%22%0Aparley', '%22%0Aparley'],
                   ['a' x 200, 'a' x 63])
    {
        my ($query, $field) = @$asked;
        my %uri = (uri => "/channel/stream/~alice?$query");

        is_deeply(refused('alice', %uri), [400, 'field-invalid', $field],
                  $query);
        is(listen_to('alice', %uri)->answer->{json}{message},
           'the argument ' . ($field // '') . ' is unknown, expected one of '
           . 'filter, session, instrument, last_event_id', 'the refusal names those there are');
    }

    my $stream = listen_to('alice', uri => '/channel/stream/~alice?&'
                           . 'FILTER=kind:agent_query&_=1732500000&');

    is($stream->status, 200, 'a name that begins with "_" is the caller\'s');

    is_deeply(refused('alice', uri => '/channel/stream/~alice?all=1&ids=x',
                      method => 'DELETE'),
              [400, 'field-invalid', 'ids'], 'nor deletes it anything');
};


subtest 'SEC-09: filters of one principal are limited in all workers' => sub {
    my $long = join ',', map { "tool:$_" } ('x' x 120) x 60;
    my @streams;

    for my $i (1 .. 8) {
        my $stream = listen_to('alice', filter => "$long,tool:y$i");

        is($stream->status, 200, "filter $i");
        push @streams, $stream;
    }

    my $more = listen_to('alice', filter => "$long,tool:more");

    is($more->status, 503, 'one more');
    is($more->answer->{json}{code}, 'capacity', 'capacity');
    like($more->answer->{json}{message}, qr/too many different filters/,
         'which says so');

    push @streams, listen_to('alice');
    is($streams[-1]->status, 200, 'without a filter');

    ok(settled($streams[-1]), 'and gets what comes');

    $_->leave for @streams;
};


subtest 'ACH-22: every clause of a filter holds' => sub {
    my %of = (kind => listen_to('alice', filter => 'kind:agent_broadcast'),
              sender => listen_to('alice', filter => 'sender:~bob'),
              both => listen_to('alice',
                          filter => 'sender:~bob,kind:agent_broadcast'),
              tool => listen_to('alice', filter => 'tool:cc-bob'),
              org => listen_to('alice', filter => 'org:~acme'),
              type => listen_to('alice', filter => 'content_type:text'),
              all => listen_to('alice'));

    my @broadcast = (kind => 'agent_broadcast',
                     payload => { broadcast_text => 'merged',
                                  event_class => 'merged' });

    submit(frame('carol', 'alice', @broadcast));
    submit(frame('bob', 'alice', text => 'by bob'));
    submit(frame('bob', 'alice', @broadcast));
    submit(frame('bob', 'acme', text => 'to acme'),
           scope => 'org:~acme/members/*');

    # the next frame to all comes after all earlier ones
    is(submit(frame('bob', 'alice', text => 'last', kind => 'agent_broadcast',
                    payload => { broadcast_text => 'last',
                                 event_class => 'merged' }),
              scope => '~alice')->{json}{delivered}, 5);

    my @kinds = map { $_->{json}{kind} } $of{kind}->events(3);

    is_deeply(\@kinds, [('agent_broadcast') x 3], 'kind');
    is(scalar(my @sender = $of{sender}->events(4)), 4, 'sender');
    is(scalar(my @both = $of{both}->events(2)), 2, 'both');
    is(scalar(my @tool = $of{tool}->events(4)), 4, 'tool');
    is(scalar(my @all = $of{all}->events(5)), 5, 'without one');

    my @org = $of{org}->events(1);

    is_deeply([texts(@org)], ['to acme'], 'org');
    is($of{type}->event(0.3), undef, 'what no frame has matches none');
};


subtest 'ACH-21, HUB-02: a stream that resumes misses nothing' => sub {
    my $first = listen_to('alice', session => 'r');

    submit(frame('bob', 'alice', text => "n$_")) for 1 .. 3;

    my @seen = $first->events(2);
    my $last = $seen[1]{id};

    $first->leave;

    submit(frame('bob', 'alice', text => "n$_")) for 4 .. 5;

    my $again = listen_to('alice', session => 'r', last => $last);

    is($again->opened->{id}, undef, 'it begins where it was');

    my @rest = $again->events(3);

    is_deeply([texts(@rest)], [qw(n3 n4 n5)]);

    my $argument = listen_to('alice', last_event_id => $seen[0]{id});

    is_deeply([texts($argument->events(4))], [qw(n2 n3 n4 n5)],
              'by the argument');

    my $newer = listen_to('alice', last_event_id => $seen[0]{id},
                          last => $rest[1]{id});

    is_deeply([texts($newer->events(1))], ['n5'],
              'the header is newer than a URL');

    my ($epoch) = $last =~ /^([0-9a-f]+)\./;
    my $gone = listen_to('alice', last => '0123456789ab.7');
    my $gap = $gone->event;

    is($gap->{event}, 'gap', 'another epoch: what was before is gone');
    like($gap->{json}{first}, qr/^\Q$epoch\E\.\d+$/, 'and what there is');
};


# An EventSource would repeat a refused request for ever.  The last event of
# such a client is unknown, so its stream begins at the end (channel 7.2).

subtest 'HUB-02: an invalid event id is a gap, and not refused' => sub {
    my $all = listen_to('carol', session => 'all');

    submit(frame('bob', 'carol', text => 'before'));
    my $at = $all->event->{id};
    my ($epoch, $offset) = split /\./, $at;

    for my $case ([last => 'yesterday'], [last => '17'], [last => "\xc3\xa4"],
                  [last => 'x' x 2000], [last => "$epoch."],
                  [last_event_id => 'none'])
    {
        my $stream = listen_to('carol', session => 'one', @$case);
        my ($name) = substr join('=', @$case), 0, 40;

        is($stream->status, 200, $name);

        my $gap = $stream->event;

        is($gap->{event}, 'gap', 'is told so');
        is($gap->{id}, $at, 'where the stream is now');
        is($gap->{json}{first}, "$epoch." . ($offset + 1));
        $stream->leave;
    }

    my $stream = listen_to('carol', session => 'one', last => 'yesterday');

    submit(frame('bob', 'carol', text => 'after'));
    is_deeply([texts(($stream->events(2))[1])], ['after'],
              'and goes on from there');
};


subtest 'HUB-02: an id that no event has had is invalid' => sub {
    my $all = listen_to('dave');
    my ($epoch, $offset) = split /\./, $all->opened->{id};
    my $stream = listen_to('dave', last => "$epoch." . ($offset + 50));

    is(submit(frame('bob', 'dave', text => 'first'))->{json}{delivered}, 2);

    my ($gap, @events) = $stream->events(2);

    is($gap->{event}, 'gap', 'is told');
    is_deeply([texts(@events)], ['first'], 'and nothing is passed over');
};


subtest 'ACH-20: a session has one stream' => sub {
    my $old = listen_to('alice', session => 'only');
    my $new = listen_to('alice', session => 'only');

    ok($old->ends, 'the second ends the first');
    ok(settled($new));

    my $carol = listen_to('carol', session => 'only');

    ok(settled($new), 'another principal\'s does not');
};


subtest 'ACH-20: comments keep it open, and its maximum age ends it' => sub {
    my $quick = listen_to('alice', uri => '/quick/~alice');

    is($quick->opened->{retry}, 700);
    ok($quick->comment);

    my $aged = listen_to('alice', uri => '/aged/~alice');

    ok($aged->ends, 'age=');
};


subtest 'SEC-15: a stream ends with its token' => sub {
    my $short = listen_to('alice', token => bearer('alice',
                                                   exp => int(time) + 2));
    my $long = listen_to('alice');

    is($short->status, 200);
    ok($short->ends);
    ok(settled($long));
};


subtest 'a stream over TLS, and over HTTP/2' => sub {
    my $tls = listen_to('alice', port => port(4), tls => 1);

    is($tls->status, 200);

    my $token = bearer('alice');
    my $port = port(5);
    my $pid = open my $curl, '-|', 'curl', '-skN', '--http2', '-H',
              "Authorization: $token", '-m', 15,
              "https://127.0.0.1:$port/channel/stream/~alice"
        or die "curl: $!";

    like(scalar(<$curl>), qr/^id: /, 'it is open');
    is(submit(frame('bob', 'alice', text => 'both'))->{json}{delivered} >= 2,
       1);

    is_deeply([texts($tls->events(1))], ['both']);

    my $got = '';

    while (my $line = <$curl>) {
        $got .= $line;
        last if $line =~ /both/;
    }

    like($got, qr/"both"/);
    kill 'TERM', $pid;
    close $curl;
};


subtest 'OPS-02: the counters' => sub {
    my $before = messages();
    my $stream = listen_to('dave', session => 'counted');

    my $refused = $status->refused('scope-unauthorised');

    is(listen_to('dave', of => '~bob')->status, 403);
    is(messages(), $before, 'who opens a stream sends no message');
    is($status->refused('scope-unauthorised'), $refused + 1,
       'though he may be refused');
    submit(frame('dave', 'alice'));
    is(messages(), $before + 1, 'a frame is one');

    ok(settled($stream, 'dave'));

    my $until = time + 20;
    my $open = 0;

    # each worker reports once a second
    until ($open > 0 || time > $until) {
        $open = $status->metric('parley_subscribers');
        sleep 0.1;
    }

    cmp_ok($open, '>', 0, 'open');
    cmp_ok($status->metric('parley_published_total'), '>', 0);
    cmp_ok($status->metric('parley_emitted_total'), '>', 0);
    cmp_ok($status->metric('parley_delivered_total'), '>', 0);
    cmp_ok($status->metric('parley_subscriptions_ended_total{why="expired"}'),
           '>', 0);
    cmp_ok($status->metric('parley_subscriptions_ended_total{why="replaced"}'),
           '>', 0);
};


$nginx->stop;

is_deeply([grep { /\[(?:alert|crit|emerg|error)\]/ } split /^/m,
                $nginx->error_log], [], 'nothing is amiss');
unlike($nginx->error_log . slurp($nginx->dir . '/access.log'),
       qr/eyJ[A-Za-z0-9_-]+\.eyJ/, 'GW-02: no token in a log');

done_testing();

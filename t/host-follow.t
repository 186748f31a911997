# The host of chat (parley_host) follows what it obliges an agent to: it offers an
# event again, reminds once, and escalates to one principal at the deadline.

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
use Parley::Upstream;

my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $url = 'https://127.0.0.1:' . port(2);

sub agent {
    my ($sub, %more) = @_;

    return { sub => $sub, handle => "~$sub", c2a => "agent:$sub",
             instrument => "~cc-$sub\@1.0", %more };
}

my @principals = (
    agent('lee', human => 'will', accounts => ['web/main/lee']),
    (map { agent($_, parent => 'lee', human => 'will') }
         qw(ada cy dee eve fay gus hal)),
    agent('bo', human => 'will'),
    agent('solo'),
    (map { agent($_, parent => 'lee', deliver => "$url/$_", speaks => 'c2a') }
         qw(uma una ulf ute uri udo ubu)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'hook', handle => '~hook', c2a => 'service:hook',
      surface => ['web/two'], deliver => "$url/hook", speaks => 'c2a' },
);

sub http {
    my ($retain) = @_;

    return streams_http(
        identities => jcs({ principals => \@principals }),
        zone => 'streams:8m',
        more => "parley_retain $retain; parley_deliver /_deliver "
                . 'hosts=127.0.0.1:' . port(2) . ';',
        locations => deliver_location()
                     . 'location = /chat { parley_jwt on; parley_host c2a quiet=0; }');
}

my $nginx = Parley::Nginx->start(workers => 2,
                                 http => http('count=1000 time=1h'));
my ($n, $k) = (0, 0);


sub says {
    my ($who, $doc, %o) = @_;

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post('/chat', jcs($doc),
                               Authorization => bearer($who));

    $answer->{json} = eval { from_json($answer->{body}) };

    return $answer;
}

# Delivers a direct message; returns its id.  Options: deadline (ms), author,
# kind, surface and source (its workspace).
sub sends {
    my ($to, %o) = @_;

    my $id = "m" . ++$n;
    my $answer = says($o{surface} // 'web', {
        jsonrpc => '2.0', id => 'call-' . ++$k, method => 'chat/deliver',
        params => {
            eventId => $id,
            source => { platform => 'web', workspaceId => $o{source} // 'main' },
            conversation => { id => "D$n", kind => 'dm' },
            author => { id => $o{author} // 'pat', kind => $o{kind} // 'human' },
            content => [{ type => 'text', text => "secret words $n" }],
            target => { recipient => "agent:$to" },
            attention => { deadlineMs => $o{deadline} // 3000 },
        } });

    is($answer->{status}, 200, "$id for $to") or diag($answer->{body});

    return $id;
}

sub mailbox { my ($who) = @_; return listen_to($who, uri => '/chat') }

# Returns the next request of a stream with an event that the test accepts.
sub next_of {
    my ($stream, $wanted, $seconds) = @_;

    while (my $event = $stream->event($seconds // 30)) {
        my $json = from_json($event->{data});

        return $json if !$wanted || $wanted->($json->{params});
    }

    return undef;
}

sub about { my $id = shift; return sub { $_[0]{eventId} eq $id } }

# Accepts a request.
sub acks {
    my ($who, $request) = @_;

    return says($who, { jsonrpc => '2.0', id => $request->{id},
                        result => { accepted => \1 } })->{status};
}

# Returns the events of a mailbox, by its tool.
sub list {
    my ($who) = @_;

    my $answer = says($who, {
        jsonrpc => '2.0', id => 'tool-' . ++$k, method => 'tools/call',
        params => { name => 'chat.list_events', arguments => { limit => 100 } } });

    return map { $_->{event} }
               @{ $answer->{json}{result}{structuredContent}{events} };
}

# Returns the events of a mailbox that one matches, after at least one came.
sub listed {
    my ($who, $pattern, $seconds) = @_;

    my $until = time + ($seconds // 30);

    while (1) {
        my @events = grep { $_->{eventId} =~ $pattern } list($who);

        return @events if @events || time > $until;
        sleep 0.1;
    }
}

# Returns the reactions of the gateway that tell of an event.
sub told {
    my ($id) = @_;

    my $until = time + 30;

    while (1) {
        my @told = grep { ($_->{reaction}{of} // '') eq $id } list('web');

        return @told if @told || time > $until;
        sleep 0.1;
    }
}


subtest 'C2A-23 C2A-34: a reminder, the lead, then the human' => sub {
    my $ada = mailbox('ada');
    my $lee = mailbox('lee');
    my $id = sends('ada', deadline => 4000);
    my $begun = time;
    my $first = next_of($ada, about($id));

    is(acks(ada => $first), 202, 'accepted');

    my $reminder = next_of($ada);
    my $params = $reminder->{params};

    is($params->{eventId}, "$id:reminder");
    is($params->{of}, $id);
    cmp_ok(time - $begun, '>', 1.8, 'at a half of the deadline');
    is_deeply($params->{attention}{reason}, 'reminder');
    is($params->{attention}{policy}, 'must_respond');
    cmp_ok($params->{attention}{deadlineMs}, '<=', 2100, 'the time that is left');
    cmp_ok($params->{attention}{deadlineMs}, '>', 0);
    is($params->{injection}{mode}, 'notify');
    is($params->{knock}{topic}, 'reminder: no answer yet');
    unlike(jcs($reminder), qr/secret/, 'without content');
    is(acks(ada => $reminder), 202);

    my $up = next_of($lee, about("$id:escalated:1"));

    cmp_ok(time - $begun, '>', 3.8, 'at the deadline');
    is($up->{params}{escalatedFrom}, 'agent:ada');
    is($up->{params}{attention}{policy}, 'must_respond');
    is($up->{params}{attention}{reason}, 'escalated');
    is($up->{params}{attention}{deadlineMs}, 4000, 'the same time again');
    unlike(jcs($up), qr/secret/, 'C2A-33: the lead is no party of the DM');

    my ($told) = told($id);

    is_deeply([@{ $told->{reaction} }{qw(signal reason to)}],
              ['blocked', 'escalated', 'agent:lee'], 'the author is told');
    is($told->{author}{kind}, 'service', 'by the gateway') or diag(jcs($told));

    is(acks(lee => $up), 202);
    is(next_of($lee, sub { $_[0]{eventId} =~ /:reminder$/ })->{params}{eventId},
       "$id:escalated:1:reminder", 'the lead is reminded too');

    my ($human, @more) = listed(will => qr/^$id:escalated/);

    is($human->{eventId}, "$id:escalated:2");
    is($human->{attention}{policy}, 'may_respond');
    ok(!exists $human->{attention}{deadlineMs}, 'without a deadline');
    is($human->{escalatedFrom}, 'agent:ada');
    is(scalar @more, 0, 'once');

    is(scalar(grep { $_->{eventId} =~ /^$id:/ } list('lee')), 1,
       'the lead has it once, and its reminder is accepted')
        or diag(join ' ', map { $_->{eventId} } list('lee'));
    $ada->leave;
    $lee->leave;
};


subtest 'C2A-23: the next principal, if one is missing or is the author' => sub {
    my $direct = sends('bo', deadline => 1000);
    my $author = sends('dee', deadline => 1000, author => 'lee', kind => 'agent');
    my $none = sends('solo', deadline => 1000);

    my ($up) = listed(will => qr/^$direct:/);

    is($up->{eventId}, "$direct:escalated:1", 'no lead: the human');
    is($up->{attention}{policy}, 'may_respond');

    ($up) = listed(will => qr/^$author:/);
    is($up->{eventId}, "$author:escalated:1", 'the lead is the author');

    my @told = told($none);

    is_deeply([map { [@{ $_->{reaction} }{qw(signal reason to)}] } @told],
              [['blocked', 'undelivered', undef]], 'nobody is left');
    ok($nginx->logged(qr/event was not answered, and no principal above "solo"/),
       'the log says so');

    my @lead = grep { ($_->{reaction}{of} // '') eq $author } list('lee');

    is(scalar @lead, 1, 'an agent is told in its own mailbox');
};


subtest 'C2A-33: a lead that may read the channel gets the content' => sub {
    my %place = (source => { platform => 'web', workspaceId => 'main' },
                 conversation => { id => 'C1', kind => 'channel' });

    is(says(web => { jsonrpc => '2.0', id => 'add', method => 'chat/members',
                     params => { %place, add => ['agent:lee', 'agent:ada'] } })
       ->{status}, 200);

    my $lee = mailbox('lee');
    my $id = 'm' . ++$n;

    is(says(web => { jsonrpc => '2.0', id => 'c1', method => 'chat/deliver',
                     params => {
        %place, eventId => $id, author => { id => 'pat', kind => 'human' },
        content => [{ type => 'text', text => 'for the channel' }],
        target => { mentions => ['agent:ada'] },
        attention => { deadlineMs => 1000 } } })->{status}, 200);

    my $up = next_of($lee, about("$id:escalated:1"));

    is($up->{params}{content}[0]{text}, 'for the channel');
    is($up->{params}{attention}{policy}, 'must_respond');
    is($up->{params}{of}, $id);
    $lee->leave;
};


subtest 'C2A-23 C2A-33: a reader that loses the permission' => sub {
    my %place = (source => { platform => 'web', workspaceId => 'main' },
                 conversation => { id => 'C2', kind => 'channel' });
    my $members = sub {
        my (%change) = @_;
        my $answer = says(web => { jsonrpc => '2.0', id => 'm' . ++$n,
                                   method => 'chat/members',
                                   params => { %place, %change } });
        is($answer->{status}, 200) or diag($answer->{body});
    };
    my $mention = sub {
        my $id = 'm' . ++$n;
        my $answer = says(web => { jsonrpc => '2.0', id => 'c' . $n,
            method => 'chat/deliver', params => {
                %place, eventId => $id, author => { id => 'pat', kind => 'human' },
                content => [{ type => 'text', text => 'for hal' }],
                target => { mentions => ['agent:hal'] },
                attention => { deadlineMs => 600000 } } });
        is($answer->{status}, 200) or diag($answer->{body});
        return $id;
    };

    $members->(add => ['agent:hal', 'agent:gus']);

    my ($done, $open) = ($mention->(), $mention->());

    is(says(hal => { jsonrpc => '2.0', id => 'r' . ++$n, method => 'tools/call',
                     params => { name => 'chat.resolve',
                                 arguments => { inReplyTo => $done } } })
       ->{status}, 200);

    $members->(remove => ['agent:gus']);
    $members->(remove => ['agent:hal']);
    $members->(remove => ['agent:hal']);

    my ($up) = listed(lee => qr/^$open:/);

    is($up->{eventId}, "$open:escalated:1", 'escalates at once');
    is($up->{escalatedFrom}, 'agent:hal');
    is_deeply([map { $_->{reaction}{reason} } told($open)], ['escalated'],
              'and its author is told');

    # a later event of the lead comes after all that the removal made

    my $next = sends('lee', deadline => 600000);

    listed(lee => qr/^$next$/);
    is(scalar(my @all = grep { $_->{eventId} =~ /^$open:/ } list('lee')), 1,
       'once');
    is_deeply([grep { $_->{eventId} =~ /^$done:/ } list('lee')], [],
              'but not an event that was decided');
};


subtest 'C2A-14: a failure escalates at once, and once' => sub {
    my $cy = mailbox('cy');
    my $id = sends('cy', deadline => 600000);
    my $request = next_of($cy, about($id));

    is(says(cy => { jsonrpc => '2.0', id => $request->{id},
                    error => { code => -32000, message => 'no' } })->{status},
       202);
    is(says(cy => { jsonrpc => '2.0', id => $request->{id},
                    error => { code => -32000, message => 'no' } })->{status},
       202, 'twice');

    my ($up) = listed(lee => qr/^$id:/);

    is($up->{eventId}, "$id:escalated:1");
    is_deeply([map { $_->{reaction}{reason} } told($id)], ['failed']);
    sleep 1;
    is(scalar(my @all = listed(lee => qr/^$id:/)), 1);
    $cy->leave;
};


subtest 'C2A-22: no reconnect resets the deadline' => sub {
    my $id = sends('eve', deadline => 3000);
    my $begun = time;
    my $reader;

    while (time - $begun < 2.5) {
        $reader = mailbox('eve');
        is(next_of($reader, about($id))->{params}{attention}{policy},
           'must_respond') if !$reader->{seen}++;
        $reader->leave;
        sleep 0.4;
    }

    ok(listed(lee => qr/^$id:escalated:1$/), 'it went up');

    $reader = mailbox('eve');
    my $late = next_of($reader, about($id));

    is($late->{params}{attention}{policy}, 'may_respond',
       'past the deadline it obliges no longer');
    $reader->leave;
};


sub workers { return $nginx->workers }

subtest 'C2A-34: reloads and killed workers lose no deadline' => sub {
    my $gus = mailbox('gus');
    my $reloaded = sends('gus', deadline => 6000);

    acks(gus => next_of($gus, about($reloaded)));
    $nginx->reload;

    my $killed = sends('hal', deadline => 6000);
    my $before = time;

    kill KILL => workers();

    ok(listed(gus => qr/^$reloaded:reminder$/), 'the reminder came');
    kill KILL => workers();

    ok(listed(lee => qr/^$reloaded:escalated:1$/), 'it went up');
    ok(listed(lee => qr/^$killed:escalated:1$/), 'so did the other');
    cmp_ok(time - $before, '<', 60);
    sleep 1;
    is(scalar(my @all = listed(lee => qr/^($reloaded|$killed):escalated:1$/)), 2,
       'each of them once');
    is(scalar(my @told = grep { $_->{reaction}{to} eq 'agent:lee' }
                          told($reloaded)), 1, 'the author is told once');
    $gus->leave;
};


subtest 'C2A-31: an open stream gets it again' => sub {
    my $fay = mailbox('fay');
    my $id = sends('fay', deadline => 300000);
    my $first = next_of($fay, about($id));
    my $again = next_of($fay, about($id), 40);

    is($again->{params}{reliability}{attempt}, 2);
    like($again->{id}, qr/^$id#2\./);
    is($again->{id} =~ s/.*\.//r, $first->{id} =~ s/.*\.//r, 'the same tag');
    is($again->{params}{reliability}{idempotencyKey},
       $first->{params}{reliability}{idempotencyKey}, 'and the same key');
    is(acks(fay => $again), 202, 'its answer accepts the event');

    my @open = grep { $_->{eventId} eq $id } list('fay');

    $fay->leave;
    $fay = mailbox('fay');
    ok(!$fay->event(1), 'which does not come again');
    $fay->leave;
};


# The peer's answers, by the path: the first request, the second, and so on; the
# last one is for all later requests.
$peer->script(<<'EOT');
    my $ok = sub { $c->answer(200, ['Content-Type', 'application/json'],
                              jcs({ jsonrpc => '2.0', id => $q->{json}{id},
                                    result => { accepted => \1 } })) };
    my $error = sub { my ($code, %data) = @_;
                      $c->answer(200, ['Content-Type', 'application/json'],
                                 jcs({ jsonrpc => '2.0', id => $q->{json}{id},
                                       error => { code => $code, message => 'no',
                                                  data => \%data } })) };
    my %do = (
        uma => [$ok],
        una => [sub { $error->(-32000) }],
        ulf => [sub { $error->(-32601) }],
        ute => [sub { $error->(-31503, retryable => \1) },
                sub { $c->answer(202) }, $ok],
        uri => [sub { $c->pause(6); $ok->() }, $ok],
        ubu => [(map { my $id = $_;
                       sub { $c->answer(200, [], jcs({
                           jsonrpc => '2.0', id => $id,
                           result => { accepted => \1 } })) } }
                     'other#1.5f0c77aa', 7, undef), $ok],
        udo => [sub { $c->pause(30) }],
        hook => [$ok],
    );
    my ($path) = $q->{uri} =~ m{^/(\w+)};
    open my $in, '<', "$c->{service}{dir}/requests";
    my $n = grep { m{"uri":"/$path\b} } <$in>;
    ($do{$path}[$n - 1] // $do{$path}[-1])->();
EOT

# Returns the requests of a path about an event, after at least that many.
sub posted {
    my ($path, $id, $least) = @_;

    my $until = time + 30;

    while (1) {
        my @posted = grep { $_->{uri} eq "/$path"
                            && $_->{json}{params}{eventId} =~ /^$id/ }
                          $peer->requests;

        return @posted if @posted >= $least || time > $until;
        sleep 0.1;
    }
}


subtest 'C2A-20 C2A-31: the URL of a reader without a stream' => sub {
    my %id = map { $_ => sends($_, deadline => /^u(?:bu|ri|te)/ ? 60000 : 6000) }
             qw(uma una ulf ute uri udo ubu);
    my ($first) = posted(uma => $id{uma}, 1);

    is($first->{json}{method}, 'chat/deliver');
    like($first->{json}{id}, qr/^$id{uma}#1\./);
    is($first->{json}{params}{attention}{policy}, 'must_respond');
    is($first->{json}{params}{reliability}{idempotencyKey},
       "$id{uma}:agent:uma", 'the view of the reader');

    my @posts = posted(ute => $id{ute}, 3);

    is(scalar @posts, 3, 'a retryable error and a 202 are not answers');
    is(scalar(my @two = posted(uri => $id{uri}, 2)), 2, 'nor is one too late');
    is(scalar(my @four = posted(ubu => $id{ubu}, 4)), 4,
       'nor is a result with the id of another request');

    ok(listed(lee => qr/^$id{una}:escalated:1$/), 'an error is a failure');
    is((told($id{una}))[0]{reaction}{reason}, 'failed');
    ok(listed(lee => qr/^$id{ulf}:escalated:1$/), '-32601: at the deadline');
    is((told($id{ulf}))[0]{reaction}{reason}, 'escalated');
    is(scalar(my @one = posted(ulf => $id{ulf}, 1)), 1, 'and no more attempts');

    ok(listed(lee => qr/^$id{udo}:escalated:1$/), 'no answer at all: as well');

    is_deeply([map { $_->{json}{params}{eventId} } posted(uma => $id{uma}, 2)],
              [$id{uma}, "$id{uma}:reminder"], 'the reminder goes there, too');
    is(scalar(grep { $_->{eventId} eq $id{uma} } list('uma')), 0,
       'an answer accepts the event');
    is(scalar(my @all = posted(una => $id{una}, 1)), 1,
       'a refused one does not come again');
};


subtest 'C2A-23: a surface with a URL tells the author' => sub {
    my $id = sends('solo', deadline => 1000, surface => 'hook', source => 'two');
    my ($told) = posted(hook => 'e-', 1);

    is_deeply($told->{json}{params}{reaction},
              { of => $id, signal => 'blocked', glyph => "\x{1F6A7}",
                reason => 'undelivered' });
    is($told->{json}{params}{conversation}{id}, "D$n");
};


subtest 'C2A-31: a URL gets nothing while the stream is open' => sub {
    my $uma = mailbox('uma');
    my $id = sends('uma');

    is(acks(uma => next_of($uma, about($id))), 202);

    my $after = sends('una', deadline => 60000);

    posted(una => $after, 1);
    is(scalar(grep { ($_->{json}{params}{eventId} // '') eq $id }
              $peer->requests), 0);
    $uma->leave;
};


subtest 'C2A-31: -32601 on the stream ends the attempts, not the deadline' => sub {
    my $hal = mailbox('hal');
    my $id = sends('hal', deadline => 14000);
    my $request = next_of($hal, about($id));

    is(says(hal => { jsonrpc => '2.0', id => $request->{id},
                     error => { code => -32601, message => 'no' } })->{status},
       202);
    ok(grep({ $_->{eventId} eq $id } list('hal')), 'it stays pullable');
    ok(listed(lee => qr/^$id:escalated:1$/), 'it goes up at the deadline');
    ok(!$hal->event(0.1), 'and was not offered again');
    $hal->leave;
};


subtest 'C2A-23: a reader that leaves the directory' => sub {
    my $id = sends('fay', deadline => 600000);

    @principals = grep { $_->{sub} ne 'fay' } @principals;
    $nginx->reload(http => http('count=1000 time=1h'));

    my ($up) = listed(lee => qr/^$id:/);

    is($up->{eventId}, "$id:escalated:1", 'goes up to the lead that it had');
    is($up->{escalatedFrom}, 'agent:fay');
    is($up->{attention}{policy}, 'must_respond');
    is_deeply([map { [@{ $_->{reaction} }{qw(reason to)}] } told($id)],
              [['escalated', 'agent:lee']], 'and the author is told');
};


$nginx->stop;
$nginx = Parley::Nginx->start(workers => 2, http => http('count=2 time=2s'));

subtest 'C2A-34: no deadline is lost with a record that the logs drop' => sub {
    my $ada = mailbox('ada');
    my $id = sends('ada', deadline => 9000);

    acks(ada => next_of($ada, about($id)));
    sends('ada', deadline => 60000) for 1 .. 4;

    ok(!grep({ $_->{eventId} eq $id } list('ada')), 'the log has dropped it');

    my $reminder = next_of($ada, about("$id:reminder"));

    ok($reminder, 'the reminder comes') or return;
    is($reminder->{params}{of}, $id);
    ok(listed(lee => qr/^$id:escalated:1$/), 'and it goes up');
    $ada->leave;
};


done_testing();

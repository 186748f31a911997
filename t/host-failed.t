# A message of an agent that its surface refuses for good, or does not confirm, at
# a host of chat (parley_host).

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

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_", human => 'will',
             $_ eq 'lee' ? () : (parent => 'lee') } }
         qw(ada bo cy lee)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'hook', handle => '~hook', c2a => 'service:hook',
      surface => ['web/two'], deliver => "$url/hook", speaks => 'c2a' },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h; parley_deliver /_deliver '
            . 'hosts=127.0.0.1:' . port(2) . ';',
    locations => deliver_location()
                 . 'location = /chat { parley_jwt on; parley_host c2a quiet=0; }'));

my ($n, $k) = (0, 0);


sub says {
    my ($who, $doc) = @_;

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post('/chat', jcs($doc), Authorization => bearer($who));

    $answer->{json} = eval { from_json($answer->{body}) };

    return $answer;
}

# Delivers a direct message; returns its params.
sub delivers {
    my ($to, %o) = @_;

    my $event = {
        jsonrpc => '2.0', id => 'call-' . ++$k, method => 'chat/deliver',
        params => {
            eventId => 'm' . ++$n,
            source => { platform => 'web', workspaceId => $o{source} // 'main' },
            conversation => { id => "D$n", kind => 'dm' },
            author => { id => 'will', kind => 'human' },
            content => [{ type => 'text', text => "words $n" }],
            target => { recipient => "agent:$to" },
            attention => { deadlineMs => $o{deadline} // 600000 },
        } };
    my $answer = says($o{surface} // 'web', $event);

    is($answer->{status}, 200) or diag($answer->{body});

    return $event->{params};
}

sub calls {
    my ($who, $tool, %args) = @_;

    my $answer = says($who, { jsonrpc => '2.0', id => ++$k,
                              method => 'tools/call',
                              params => { name => "chat.$tool",
                                          arguments => \%args } });

    is($answer->{status}, 200) or diag($answer->{body});

    return $answer->{json}{result};
}

# Answers an event; returns the structured content of the result.
sub answers {
    my ($who, $m, $key, $text) = @_;

    my $result = calls($who, 'send_message', idempotencyKey => $key,
                       target => $m->{conversation}, inReplyTo => $m->{eventId},
                       visibility => 'dm', directedness => 'to_me',
                       text => $text);

    return { %{ $result->{structuredContent} },
             refused => $result->{isError} ? 1 : 0 };
}

sub list {
    my ($who) = @_;

    return @{ calls($who, 'list_events', limit => 100)
              ->{structuredContent}{events} };
}

# Returns the events of a mailbox with this id, after at least one came.
sub listed {
    my ($who, $id) = @_;

    my $until = time + 30;

    while (1) {
        my @events = grep { $_->{event}{eventId} eq $id } list($who);

        return @events if @events || time > $until;
        sleep 0.1;
    }
}

sub disposition {
    my ($who, $id) = @_;

    return calls($who, 'list_events', eventId => $id)
           ->{structuredContent}{events}[0]{disposition};
}

my $shown = listen_to('web', uri => '/chat');

# Returns the next request to the surface.
# Returns the next event of the surface: a reaction of the gateway with this
# reason, or without a reason an event of an agent.  The gateway's reactions come
# when a deadline is over, between others.
sub next_shown {
    my ($reason) = @_;

    for (1 .. 50) {
        my $request = from_json($shown->event->{data});
        my $p = $request->{params};
        my $own = $p->{author}{id} eq 'parley';

        return $request if $reason ? $own && $p->{reaction}{reason} eq $reason
                                   : !$own;
    }

    return;
}

sub refuses {
    my ($request, %error) = @_;

    return says(web => { jsonrpc => '2.0', id => $request->{id}, error => {
        code => -32000, message => 'the channel is archived', %error } })
           ->{status};
}

sub accepts {
    my ($request) = @_;

    return says(web => { jsonrpc => '2.0', id => $request->{id},
                         result => { accepted => true } })->{status};
}


subtest 'C2A-35 a refused answer frees the slot, and its sender is told' => sub {
    my $m = delivers('ada');
    my $sent = answers('ada', $m, 'one', 'Yes.');
    my $request = next_shown();

    is($request->{params}{eventId}, $sent->{eventId});
    is(answers('ada', $m, 'two', 'No.')->{code}, 'message-duplicate',
       'the slot is taken while nothing is confirmed');
    is(refuses($request), 202);

    my ($told) = listed('ada', "$sent->{eventId}:failed");
    my $event = $told->{event};

    is($event->{of}, $sent->{eventId});
    is($event->{attention}{reason}, 'send_failed');
    is($event->{attention}{policy}, 'may_respond');
    is($event->{injection}{mode}, 'notify');
    is($event->{knock}{topic}, 'your message was not delivered');
    is($event->{knock}{from}, 'service:web');
    is($event->{content}, undef, 'without content');

    is(disposition('ada', $m->{eventId}), undef, 'the slot is free');

    my $again = answers('ada', $m, 'one', 'Yes.');

    is($again->{refused}, 1, 'the key again');
    is($again->{code}, 'send-failed');
    is($again->{eventId}, $sent->{eventId});
    is(answers('ada', $m, 'one', 'Other.')->{code}, 'message-duplicate',
       'the key with another text');

    my $second = answers('ada', $m, 'two', 'No.');

    is($second->{disposition}, 'responded', 'other text under another key');
    $request = next_shown();
    is($request->{params}{eventId}, $second->{eventId});
    is($request->{params}{content}[0]{text}, 'No.');
    is(accepts($request), 202);
    is(answers('ada', $m, 'three', 'Yes.')->{code}, 'message-duplicate',
       'one answer again');
    is(answers('ada', $m, 'one', 'Yes.')->{code}, 'send-failed');
    is(disposition('ada', $m->{eventId}), 'responded');
};


subtest 'C2A-35 only a permanent error of an offer frees the slot' => sub {
    my $m = delivers('bo');
    my $sent = answers('bo', $m, 'one', 'Yes.');
    my $request = next_shown();

    is(refuses($request, data => { retryable => true }), 202);
    is(refuses($request, code => -32601), 202);
    is(refuses({ id => $request->{id} =~ s/\.[0-9a-f]+$/.00000000/r }), 202,
       'another tag');
    is(says(bo => { jsonrpc => '2.0', id => $request->{id}, error => {
        code => -32000, message => 'no' } })->{status}, 202,
       'not the surface');
    is(accepts($request), 202);
    is(refuses($request), 202, 'an error after the acceptance');
    sleep 1;

    is(answers('bo', $m, 'one', 'Yes.')->{eventId}, $sent->{eventId});
    is(answers('bo', $m, 'two', 'No.')->{code}, 'message-duplicate');
    is(scalar(grep { $_->{event}{eventId} =~ /:failed$/ } list('bo')), 0);
};


subtest 'C2A-35 a refused reaction frees nothing' => sub {
    my $m = delivers('bo');

    calls('bo', 'react', inReplyTo => $m->{eventId}, signal => 'done');
    is(refuses(next_shown()), 202);
    sleep 1;
    is(disposition('bo', $m->{eventId}), 'responded');
    is(scalar(grep { $_->{event}{eventId} =~ /:failed$/ } list('bo')), 0);
};


subtest 'C2A-35 a message that answers nothing' => sub {
    my $m = delivers('bo');
    my %send = (idempotencyKey => 'free', target => $m->{conversation},
                visibility => 'dm', directedness => 'to_me', text => 'Hello.');
    my $sent = calls('bo', 'send_message', %send)->{structuredContent};

    is(refuses(next_shown()), 202);
    is(scalar(my @told = listed('bo', "$sent->{eventId}:failed")), 1);
    is(calls('bo', 'send_message', %send)->{structuredContent}{code},
       'send-failed');
    is(disposition('bo', $m->{eventId}), undef);
};


subtest 'C2A-14 C2A-35 the obligation is followed again, one deadline' => sub {
    my $m = delivers('cy', deadline => 4000);
    my $sent = answers('cy', $m, 'first', 'Yes.');
    my $request = next_shown();

    sleep 2;
    is(refuses($request), 202);

    my $begun = time;

    listed('cy', "$sent->{eventId}:failed");

    my ($up) = listed('lee', "$m->{eventId}:escalated:1");

    ok($up, 'without another answer it goes up');
    cmp_ok(time - $begun, '>', 3.5, 'one deadline after the failure');
    ok(next_shown('escalated'), 'the author is told');
    sleep 1;
    is(scalar(my @all = listed('lee', "$m->{eventId}:escalated:1")), 1, 'once');
};


subtest 'C2A-14 C2A-35 the second failure of an event escalates' => sub {
    my $m = delivers('cy');

    for my $key ('second-a', 'second-b') {
        my $sent = answers('cy', $m, $key, "Text $key.");
        my $request = next_shown();

        is($request->{params}{eventId}, $sent->{eventId});
        is(refuses($request), 202);
        is(scalar(my @told = listed('cy', "$sent->{eventId}:failed")), 1, $key);
    }

    ok(listed('lee', "$m->{eventId}:escalated:1"));
    is(disposition('cy', $m->{eventId}), 'failed');
    ok(next_shown('failed'), 'the author is told');
};


subtest 'C2A-14 an author lists its events, and what became of them' => sub {
    my $m = delivers('ada', deadline => 1500);

    ok(listed('lee', "$m->{eventId}:escalated:1"));

    my $sent = calls('will', 'list_events', sent => true, limit => 100)
               ->{structuredContent}{events};
    my ($mine) = grep { $_->{event}{eventId} eq $m->{eventId} } @$sent;

    is_deeply($mine->{readers}, [
        { to => 'agent:ada', policy => 'must_respond', accepted => false,
          disposition => undef },
        { to => 'agent:lee', policy => 'must_respond', accepted => false,
          disposition => undef } ]) or diag(jcs($mine));
    is($mine->{event}{content}[0]{text}, "words $n");
    is(scalar(grep { $_->{event}{author}{id} ne 'will' } @$sent), 0,
       'its own events only');

    my $answer = answers('ada', $m, 'listed', 'Yes.');

    accepts(next_shown());
    ($mine) = @{ calls('ada', 'list_events', sent => true,
                       conversation => { id => $m->{conversation}{id} })
                 ->{structuredContent}{events} };
    is($mine->{event}{eventId}, $answer->{eventId});
    is_deeply([grep { $_->{to} eq 'service:web' } @{ $mine->{readers} }],
              [{ to => 'service:web', policy => 'may_respond',
                 accepted => true, disposition => undef }]);
    is_deeply(calls('bo', 'list_events', sent => true, eventId => $m->{eventId})
              ->{structuredContent}{events}, [], 'C2A-33: not those of others');
    is(calls('bo', 'list_events', sent => true, after => 'x')
       ->{structuredContent}{field}, '/params/arguments/after');
};


sub workers { return $nginx->workers }

subtest 'C2A-35 killed workers lose no failure and repeat none' => sub {
    my (@sent, @requests);

    for (1 .. 6) {
        my $m = delivers('bo');

        push @sent, answers('bo', $m, "kill-$_", 'Yes.')->{eventId};
        push @requests, next_shown();
    }

    for my $i (0 .. 5) {
        is(refuses($requests[$i]), 202);
        kill KILL => workers() if $i == 2 || $i == 5;
        sleep 0.1 while !grep { kill 0, $_ } workers();
    }

    for my $id (@sent) {
        is(scalar(my @told = listed('bo', "$id:failed")), 1, $id);
    }

    sleep 1;
    is(scalar(my @told = grep { my $e = $_->{event}{eventId};
                                grep { $e eq "$_:failed" } @sent } list('bo')),
       6, 'each of them once');
};

$shown->leave;


# The peer does not answer.
$peer->script(<<'EOS');
    $c->answer(202);
EOS

subtest 'C2A-35 a surface that does not answer confirms nothing' => sub {
    my $m = delivers('ada', surface => 'hook', source => 'two');
    my $sent = answers('ada', $m, 'hook-one', 'Yes.');
    my ($told) = listed('ada', "$sent->{eventId}:unconfirmed");

    is($told->{event}{of}, $sent->{eventId});
    is($told->{event}{attention}{reason}, 'send_unconfirmed');
    is($told->{event}{attention}{policy}, 'may_respond');
    is($told->{event}{knock}{from}, 'service:hook');
    is(answers('ada', $m, 'hook-two', 'No.')->{code}, 'message-duplicate',
       'the slot stays');
    is(answers('ada', $m, 'hook-one', 'Yes.')->{eventId}, $sent->{eventId});

    my $hook = listen_to('hook', uri => '/chat');
    my $request;

    do { $request = from_json($hook->event->{data}) }
        until $request->{params}{eventId} eq $sent->{eventId};

    is(says(hook => { jsonrpc => '2.0', id => $request->{id}, error => {
        code => -32000, message => 'no' } })->{status}, 202,
       'it comes again, and may be refused later');
    is(scalar(my @failed = listed('ada', "$sent->{eventId}:failed")), 1);
    is(answers('ada', $m, 'hook-two', 'No.')->{disposition}, 'responded');
    $hook->leave;
};


$nginx->stop;

done_testing();

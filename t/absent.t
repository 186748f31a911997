# A VCP peer without a URL that is between two connections: accepted messages
# wait for its next connection, and are reported if none comes in time.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port tmp_dir slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Websocket;

my $dir = tmp_dir();
my $vcp = 'parley_vcp_context ctx|absent;'
        . ' parley_vcp_constitution creed://a/b@1;';
my $retain = 'parley_retain count=1000 time=1h;';

# carol is the parent of alice, and alice the parent of bob; dave has no parent

sub http {
    return streams_http(
        submit => 'vcp aee channel',
        identities => streams_identities(
            alice => { parent => 'carol' }, bob => { parent => 'alice' }),
        more => "parley_audit $dir/audit.jsonl; @_",
        locations => <<"EOT");
        location = /vcp/ws { parley_jwt on; parley_websocket vcp; $vcp }
        location /vcp/stream/ { parley_jwt on; parley_stream vcp; $vcp }
        location /aee/stream/ { parley_jwt on; parley_stream aee; }
        location /watch/ { parley_jwt on; parley_stream aee;
                           parley_allow type=subscribe to=agent.bob; }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());
my $status = Parley::Status->new(port => port(1));


sub ended { $status->metric(qq(parley_jobs_ended_total{how="$_[0]"})) }

sub until_is {
    my ($f, $is, $name) = @_;

    my $until = time + 10;
    my $got;

    sleep 0.02 while ($got = $f->()) ne $is && time < $until;

    is($got, $is, $name);
}

sub workers { return $nginx->workers }

# Waits until all deliveries have ended.
sub settled {
    until_is(sub { $status->json->{jobs}{pending} }, 0,
             $_[0] // 'nothing is due any more');
}

sub say_to {
    my ($from, $to, %other) = @_;

    my $m = with(share($from, $to), %other);

    $m->{recipient} = 'broadcast' if $to eq 'broadcast';

    my $answer = submit($m, as => $from);

    is($answer->{status}, 200, "$from to $to") or diag $answer->{body};
    is(from_json($answer->{body})->{status}, 'accepted');

    return $m;
}

# Opens a stream with the interface of a WebSocket.
sub stream_of {
    my ($who, %o) = @_;

    my $stream = listen_to($who, uri => "/vcp/stream/", %o);

    is($stream->status, 200) or diag $stream->answer->{body};

    return $stream;
}

sub next_of {
    my ($from, $n, $seconds) = @_;

    return $from->can('messages')
           ? ids($from->messages($n, $seconds))
           : map { $_->{json}{message_id} // $_->{event} }
                 $from->events($n, $seconds);
}

for my $by (['a WebSocket', \&websocket], ['a stream', \&stream_of]) {
    my ($name, $open) = @$by;

    subtest "VCP-33 $name gets the waiting messages once, oldest first" => sub {
        my $bob = $open->('bob');

        my @live = map { say_to('alice', 'bob') } 1 .. 2;

        is_deeply([next_of($bob, 2)], [ids(@live)], 'live');
        settled();
        $bob->leave;

        my @sent = (say_to('alice', 'bob'), say_to('dave', 'bob'),
                    say_to('carol', 'bob'), say_to('alice', 'bob'));

        is(from_json(submit($sent[0], as => 'alice')->{body})->{status},
           'duplicate', 'another try');

        my $delivered = ended('delivered');
        my $again = $open->('bob');

        is_deeply([next_of($again, 4)], [ids(@sent)]);
        settled();
        is(ended('delivered') - $delivered, 4, 'each is counted');

        my $last = say_to('alice', 'bob');

        is_deeply([next_of($again, 1)], [$last->{message_id}],
                  'and then what comes');
        $again->leave;
        settled();

        my $third = $open->('bob');

        $last = say_to('dave', 'bob');
        is_deeply([next_of($third, 1)], [$last->{message_id}],
                  'what it had comes to no other connection');
        $third->leave;
        settled();
    };
}


subtest 'VCP-33 a peer that was never connected, in another protocol' => sub {
    my @sent = map { say_to($_, 'dave') } qw(alice carol);
    my $dave = listen_to('dave', uri => '/aee/stream/');

    is_deeply([map { $_->{json}{id} } $dave->events(2)], [ids(@sent)]);
    settled();
    $dave->leave;
};


subtest 'VCP-33 each of several absent peers' => sub {
    my $m = say_to('dave', 'broadcast');
    my $carol = websocket('carol');

    is_deeply([next_of($carol, 1)], [$m->{message_id}], 'its peer');
    settled();
    $carol->leave;
};


subtest 'VCP-33 a message that is not owed does not wait' => sub {
    my $answer = submit(frame('alice', 'bob'));

    is(from_json($answer->{body})->{delivered}, 0, 'a frame');
    is(submit(aee(type => 'event', from => 'agent.alice', to => 'agent.bob',
                  intent => 'vcp.context_share', payload =>
                  share('alice', 'bob')->{payload}), as => 'alice')->{status},
       202, 'an AEE event');

    my $m = say_to('alice', 'bob');
    my $bob = stream_of('bob');

    is_deeply([next_of($bob, 1)], [$m->{message_id}]);

    $m = say_to('alice', 'bob');
    is_deeply([next_of($bob, 1)], [$m->{message_id}], 'and nothing else');
    settled();
    $bob->leave;
};


subtest 'VCP-33 a reader by a rule does not end the wait' => sub {
    my $m = say_to('alice', 'bob');
    my $watcher = listen_to('dave', uri => '/watch/agent.bob');

    is($watcher->status, 200);

    my $live = say_to('alice', 'bob');
    my $bob = stream_of('bob');

    is_deeply([next_of($bob, 2)], [ids($m, $live)]);
    settled();
    $_->leave for $watcher, $bob;
};


subtest 'VCP-33 a filter takes only the messages that it admits' => sub {
    my $m = say_to('alice', 'bob');
    my $none = stream_of('bob', filter => 'sender:~carol');
    my $of = say_to('carol', 'bob');

    is_deeply([next_of($none, 1)], [$of->{message_id}]);
    until_is(sub { $status->json->{jobs}{pending} }, 1,
             'what it does not admit is due');

    my $bob = stream_of('bob');

    is_deeply([next_of($bob, 1)], [$m->{message_id}]);
    settled();
    $_->leave for $none, $bob;
};


subtest 'VCP-33 filters that take from the middle of the waiting messages' => sub {
    my @from = ((('alice') x 5), (('dave') x 5), (('carol', 'alice') x 5));
    my %sent;

    for my $who (@from) {
        push @{ $sent{$who} }, say_to($who, 'bob');
    }

    my $due = @from;

    for my $who (qw(dave carol alice)) {
        my $some = stream_of('bob', filter => "sender:~$who");
        my @sent = @{ $sent{$who} };

        is_deeply([next_of($some, scalar @sent)], [ids(@sent)], $who);
        $due -= @sent;
        until_is(sub { $status->json->{jobs}{pending} }, $due,
                 'the others stay due');
        $some->leave;
    }
};


subtest 'VCP-35 a parent that only posts' => sub {
    my $m = with(constraint(), sender => 'agent://ops.example/alice',
                 recipient => 'agent://ops.example/bob');
    my $began = time;
    my $answer = submit($m, as => 'alice');

    is($answer->{status}, 200) or diag $answer->{body};
    is(from_json($answer->{body})->{status}, 'accepted');
    cmp_ok(time - $began, '<', 5, 'at once');

    my $bob = websocket('bob');

    is_deeply([next_of($bob, 1)], [$m->{message_id}], 'the child gets it');
    $bob->leave;
    settled();
};


subtest 'VCP-33 VCP-34 the message that ends a suspension' => sub {
    my $alarm = with(escalation(severity => 'emergency', requires_ack => true),
                     sender => 'agent://ops.example/bob',
                     recipient => 'agent://ops.example/alice');

    is(submit($alarm, as => 'bob')->{status}, 200);
    is(submit(share('bob', 'alice'), as => 'bob')->{status}, 403, 'suspended');

    my $m = say_to('alice', 'bob');

    is(submit(share('bob', 'alice'), as => 'bob')->{status}, 200, 'resumed');

    my $bob = stream_of('bob');

    is_deeply([next_of($bob, 1)], [$m->{message_id}], 'and it knows');
    $bob->leave;

    # neither the parent nor the grandparent was connected
    my $alice = websocket('alice');

    is((next_of($alice, 1))[0], $alarm->{message_id}, 'the emergency');
    $alice->leave;

    my $carol = stream_of('carol');

    is((next_of($carol, 1))[0], $alarm->{message_id}, 'also to who is above');

    # it is raised once more after the deadline
    $carol->leave;
};


subtest 'VCP-33 VCP-21 a message that is not taken in time is undelivered' => sub {
    my $before = ended('given_up');
    my $old = timestamp(-296);
    my $m = say_to('carol', 'dave', timestamp => $old);
    my $alarm = with(escalation(severity => 'critical', requires_ack => true),
                     sender => 'agent://ops.example/bob',
                     recipient => 'agent://ops.example/alice',
                     timestamp => $old);

    is(submit($alarm, as => 'bob')->{status}, 200);

    for my $of (['dave', 'carol', $m], ['alice', 'bob', $alarm]) {
        my ($to, $from, $sent) = @$of;

        ok($nginx->wait_for(qr/\[error\].* parley: undelivered, given up: no connection of the recipient took the message in time, to "$to", from "$from", id "$sent->{message_id}"/),
           "to $to: logged");
    }

    until_is(sub { ended('given_up') - $before }, 2, 'counted');

    my ($line) = grep { $_->{event} eq 'delivery'
                        && $_->{id} eq $m->{message_id} }
                 map { from_json($_) } split /\n/, slurp("$dir/audit.jsonl");

    is_deeply([@$line{qw(principal recipient outcome)}],
              ['carol', 'dave', 'given-up'], 'OPS-06 in the audit log');

    # alice, the parent of the alarm's sender

    my $alice = stream_of('alice');
    my $told = ($alice->events(1))[0]{json};

    like($told->{payload}{reason}, qr/^undelivered: critical $alarm->{message_id} of /, 'told to the parent when it comes');
    $alice->leave;

    my $dave = stream_of('dave');
    my $next = say_to('carol', 'dave');

    is_deeply([next_of($dave, 1)], [$next->{message_id}],
              'what is too late comes no more');
    $dave->leave;

    # the alarm was not acknowledged: it waits for the grandparent too

    my $carol = stream_of('carol');
    my $id;

    do { ($id) = next_of($carol, 1) } while $id && $id ne $alarm->{message_id};

    is($id, $alarm->{message_id}, 'VCP-24 it goes up');
    settled();
    $carol->leave;
};


subtest 'HUB-05 VCP-33 reloads and killed workers lose nothing' => sub {
    my $bob = websocket('bob');

    ok($nginx->reload(workers => 2, http => http()), 'reloaded');

    my @sent = map { say_to('alice', 'bob') } 1 .. 3;

    kill KILL => workers();
    push @sent, say_to('dave', 'bob');

    my $again = websocket('bob');
    my %got = map { $_ => 1 } next_of($bob, 3, 0.2);
    my @rest = grep { !$got{$_} } ids(@sent);
    my @new;

    # a worker that was killed may have written a message that it did not record

    while (@new < @rest) {
        my ($id) = next_of($again, 1) or last;

        push @new, $id if !$got{$id};
    }

    is_deeply(\@new, \@rest, 'the rest, in order');
    settled();
    $again->leave;
};


subtest 'HUB-01 VCP-33 a reader that resumes gets each message once' => sub {
    ok($nginx->reload(workers => 2, http => http($retain)), 'reloaded');

    my $bob = stream_of('bob');
    my $first = say_to('alice', 'bob');
    my ($event) = $bob->events(1);

    is($event->{json}{message_id}, $first->{message_id});
    $bob->leave;
    settled();

    my @sent = map { say_to('alice', 'bob') } 1 .. 3;
    my $resumed = stream_of('bob', last => $event->{id});
    my $live = say_to('alice', 'bob');

    is_deeply([next_of($resumed, 4)], [ids(@sent, $live)]);
    settled();
    $resumed->leave;

    my $new = stream_of('bob');

    $live = say_to('alice', 'bob');
    is_deeply([next_of($new, 1)], [$live->{message_id}], 'and no more');
    $new->leave;
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\](?!.*exited on signal 9)/), 0,
   'no alert');

done_testing;

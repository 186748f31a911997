# HUB-07: a request to a principal with only a stream is held until its answer
# is published.  Or it is answered at once, and the answer comes by the
# caller's own stream.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir spew);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;

my $dir = tmp_dir();
my $client = Parley::Client->new(port => port(1), tls => 0);

sub revoked { jcs({ principals => [@_], kids => [], tokens => [] }) }

sub revoke {
    spew("$dir/revoked.json.new", revoked(@_));
    rename "$dir/revoked.json.new", "$dir/revoked.json" or die;
}


sub http {
    my $hold = shift // '8s';

    spew("$dir/revoked.json", revoked());

    return streams_http(
        more => "parley_retain count=1000 time=1h;"
                . " parley_revocations $dir/revoked.json;",
        locations => <<"EOT");
        location = /held { parley_jwt on;
                           parley_submit aee vcp c2a channel hold=$hold; }
        location = /short { parley_jwt on;
                            parley_submit aee vcp c2a hold=1s; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=$hold; }
        location = /off { parley_jwt on; parley_submit aee vcp c2a hold=off; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /watched/ {
            parley_jwt on;
            parley_stream aee;
            parley_allow type=subscribe principal=agent.dave to=agent.alice;
            parley_deny intent=secret.**;
        }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|streams;
                         parley_vcp_constitution creed://acme/streams\@1; }
        location /roster/ { parley_jwt on; parley_roster channel; }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());


# Begins a request of alice.
sub ask {
    my ($message, %o) = @_;

    return $client->begin($o{uri} // '/held', jcs($message),
        Authorization => $o{token} // bearer($o{as} // 'alice'),
        'Content-Type' => 'application/json');
}


# Returns bob's answer to a query that he got.
sub answer {
    my ($query, %payload) = @_;

    return frame('bob', 'alice', kind => 'agent_response', payload => {
        query_id => $query->{payload}{query_id},
        responder_session_id => 's1', response_text => 'done', %payload });
}


sub reply {
    my $query = shift;

    is(submit(answer($query, @_))->{status}, 200, 'bob answers');
}


# Waits until alice has no streams.
sub alone {
    my $until = time + 20;

    while (time < $until) {
        my $roster = $client->get('/roster/~alice',
                                  Authorization => bearer('alice'));

        return 1 if $roster->{json} && $roster->{json}{count} == 0;
        sleep 0.05;
    }

    return 0;
}


my $bob = listen_to('bob', session => 's1');

subtest 'HUB-07: an AEE task gets its result from a stream reader' => sub {
    my $task = aee();
    my $request = ask($task);
    my $query = $bob->event->{json};

    is($query->{kind}, 'agent_query', 'delivered');
    ok(!$request->{buffer}, 'nothing is said yet');

    reply($query);

    my $answer = $request->answer;

    is($answer->{status}, 200);
    is($answer->{json}{type}, 'result');
    is($answer->{json}{reply_to}, $task->{id});
    is($answer->{json}{corr}, $task->{corr});
    is($answer->{json}{from}, 'agent.bob');
    is($answer->{json}{to}, 'agent.alice');
    like($answer->{body}, qr/"done"/);

    is(submit(answer($query))->{json}{code}, 'reply-unmatched',
       'SEC-08: one answer');
};


subtest 'HUB-07: the same with any two workers' => sub {
    my @all = map { my $task = aee(); [$task, ask($task)] } 1 .. 12;
    my %of = map { $_->[0]{id} => $_->[1] } @all;
    my %pids;

    reply($_->{json}, response_text => "to $_->{json}{payload}{query_id}")
        for $bob->events(12);

    for my $one (@all) {
        my $answer = $one->[1]->answer;

        is($answer->{json}{reply_to}, $one->[0]{id}, 'each its own');
    }
};


# in VCP's binding the response says accepted, and the acknowledgment is a
# message
subtest 'HUB-07: a VCP escalation gets its acknowledgment' => sub {
    my $alice = listen_to('alice', uri => '/vcp/', session => 'v');
    my $message = vcp(type => 'escalation', payload => {
        severity => 'critical', reason => 'disk is full',
        context => 'ctx|work', requires_ack => Parley::Message::true });
    my $from = time;
    my $request = ask($message);
    my $frame = $bob->event->{json};

    is($frame->{kind}, 'peer_diagnostic_request');
    is(submit(frame('bob', 'alice', kind => 'peer_diagnostic_response',
                    payload => {
        diagnostic_id => $frame->{payload}{diagnostic_id},
        finding => 'I am on it' }))->{status}, 200);

    my $answer = $request->answer;

    is($answer->{status}, 200);
    is($answer->{json}{status}, 'accepted');
    cmp_ok(time - $from, '<', 4, 'as soon as it is acknowledged');

    my $ack = $alice->event->{json};

    is($ack->{type}, 'escalation');
    is($ack->{sender}, 'agent://ops.example/bob');
    like($ack->{payload}{reason}, qr/\AACK:$message->{message_id}/);
    $alice->leave;
};


subtest 'VCP-18 HUB-07: the response of VCP has the form of its HTTP binding' => sub {
    my $own = listen_to('bob', uri => '/vcp/');
    my $m = escalation(severity => 'critical', requires_ack => true);

    $m->{recipient} = 'agent://ops.example/bob';

    my $request = ask($m);

    is($own->event->{json}{message_id}, $m->{message_id}, 'delivered');
    $bob->event;

    my $ack = escalation(severity => 'critical',
                         reason => "ACK:$m->{message_id}");

    @$ack{qw(sender recipient)} = @$m{qw(recipient sender)};
    is(submit($ack, as => 'bob', uri => '/off')->{status}, 200, 'bob answers');

    my $answer = $request->answer;

    is($answer->{status}, 200);
    is($answer->{json}{status}, 'accepted', 'it was accepted');
    is($answer->{json}{message_id}, $m->{message_id}, 'of it');
    is_deeply($answer->{json}{reply}, $ack, 'and acknowledged');
    $own->leave;
};


subtest 'HUB-07: a C2A call gets its result' => sub {
    my $request = ask(Parley::Matrix::say());
    my $query = $bob->event->{json};

    is($query->{kind}, 'agent_query');
    reply($query, response_text => 'it is not');

    my $answer = $request->answer;

    is($answer->{status}, 200);
    is($answer->{json}{id}, 7);
    like($answer->{body}, qr/it is not/);
};


subtest 'HUB-07: a reader in the asker\'s protocol answers in it' => sub {
    my $own = listen_to('bob', uri => '/aee/agent.bob', session => 'own');
    my $task = aee();
    my $request = ask($task);

    is_deeply($own->event->{json}, $task);

    my $result = aee(type => 'result', from => 'agent.bob',
                     to => 'agent.alice', corr => $task->{corr},
                     reply_to => $task->{id}, payload => { text => 'ready' });

    is(submit($result, uri => '/held', as => 'bob')->{status}, 202);

    my $answer = $request->answer;

    is($answer->{status}, 200);
    is_deeply($answer->{json}, $result, 'as it is');
    like($answer->{headers}{'content-type'}, qr/json/);
    $own->leave;
    $bob->event;
};


# an AEE agent, whose stream has the translations of other protocols
subtest 'HUB-07: a reader in a third protocol answers in it' => sub {
    my $own = listen_to('bob', uri => '/aee/agent.bob', session => 'own');

    my $result = sub {
        my ($task, %other) = @_;

        return submit(aee(type => 'result', from => 'agent.bob',
                          to => 'agent.alice', corr => $task->{corr},
                          intent => $task->{intent},
                          reply_to => $task->{id},
                          payload => { text => 'it is not' }, %other),
                      uri => '/held', as => 'bob');
    };

    # a C2A call, which is held
    my $request = ask(Parley::Matrix::say());
    my $task = $own->event->{json};

    $bob->event;
    is($task->{type}, 'task');

    my $forged = submit(aee(type => 'result', from => 'agent.dave',
                            to => 'agent.alice', corr => $task->{corr},
                            reply_to => $task->{id}), uri => '/held',
                        as => 'dave');

    is($forged->{json}{payload}{code}, 'E_REPLY_UNMATCHED',
       'SEC-08: not another');
    is($result->($task)->{status}, 202);

    my $answer = $request->answer;

    is($answer->{json}{id}, 7);
    like($answer->{body}, qr/it is not/);
    is($result->($task)->{json}{payload}{code}, 'E_REPLY_UNMATCHED',
       'SEC-08: one answer');

    # an agent_query, whose answers come by a stream
    my $alice = listen_to('alice', session => 's1');
    my $query = frame('alice', 'bob', kind => 'agent_query', payload => {
        query_id => uuid4(), query_text => 'Is it blocked?',
        response_scope => '~alice/*', timeout_ms => 60000 });

    is(submit($query, uri => '/held')->{status}, 200);
    $bob->event;
    is($result->($own->event->{json})->{status}, 202);

    my $response = $alice->event->{json};

    is($response->{kind}, 'agent_response');
    is($response->{payload}{query_id}, $query->{payload}{query_id});
    like($response->{payload}{response_text}, qr/it is not/);

    $alice->leave;
    $own->leave;
};


subtest 'SEC-08, HUB-07: a principal outside a group cannot answer for it' => sub {
    my $request = ask(Parley::Matrix::say(target => 'room:acme'));
    my $query = $bob->event->{json};

    is($query->{kind}, 'agent_query');

    my $forged = submit(frame('dave', 'alice', kind => 'agent_response',
        payload => { query_id => $query->{payload}{query_id},
                     responder_session_id => 's1',
                     response_text => 'forged' }));

    is($forged->{json}{code}, 'reply-unmatched');
    reply($query, response_text => 'from a member');
    like($request->answer->{body}, qr/from a member/);

    # the answer to a question to one may not be published to many
    $request = ask(aee());
    $query = $bob->event->{json};

    my $wide = submit({ %{ answer($query) }, recipient_handle => '~acme' },
                      scope => 'org:~acme/members/*');

    is($wide->{json}{code}, 'reply-unmatched');
    reply($query);
    is($request->answer->{status}, 200);
};


subtest 'SEC-08: a failure that names another question' => sub {
    my $alice = listen_to('alice', uri => '/aee/agent.alice', session => 'a');
    my $task = aee();
    my $request = ask($task);
    my $query = $bob->event->{json};

    for my $type (qw(error stream)) {
        my $forged = submit(aee(type => $type, from => 'agent.dave',
                                to => 'agent.alice', corr => $task->{corr},
                                reply_to => $task->{id},
                                payload => { code => 'E_TOOL',
                                             message => 'no' }),
                            uri => '/held', as => 'dave');

        is($forged->{json}{payload}{code}, 'E_REPLY_UNMATCHED', $type);
    }

    reply($query);
    is($request->answer->{status}, 200);
    is($alice->event->{json}{from}, 'agent.bob', 'nothing else came');
    $alice->leave;
};


subtest 'HUB-07: deny rules hold for the translation of an answer' => sub {
    my $dave = listen_to('dave', uri => '/watched/agent.alice');
    my $request = ask(aee(intent => 'secret.plan'));

    is($dave->status, 200);
    reply($bob->event->{json}, response_text => 'hidden');
    is($request->answer->{status}, 200);
    ok(!$dave->event(1), 'nothing of its intent');

    $request = ask(aee());
    reply($bob->event->{json});
    is($request->answer->{status}, 200);
    is($dave->event->{json}{type}, 'result', 'others come');
    $dave->leave;
};


subtest 'HUB-07: answered requests use no place of held ones' => sub {
    my $status = Parley::Status->new(port => port(1));
    my @open;

    for (1 .. 20) {
        # one more octet, so that the connection lingers
        my $request = ask(aee());

        $request->write('x');
        reply($bob->event->{json});
        is($request->answer->{status}, 200);
        push @open, $request;
    }

    my $until = time + 10;

    sleep 0.1 while $status->metric('parley_held') > 0 && time < $until;
    is($status->metric('parley_held'), 0);
    cmp_ok($status->metric('parley_subscribers'), '>=', 1);
    $_->leave for @open;
};


subtest 'HUB-07: a failure' => sub {
    my $request = ask(aee());

    reply($bob->event->{json}, response_text => 'E_TOOL: no disk');

    my $answer = $request->answer;

    is($answer->{status}, 200);
    like($answer->{body}, qr/no disk/);
};


subtest 'HUB-07: no answer in time: accepted, and answered later by the stream' => sub {
    my $alice = listen_to('alice', uri => '/aee/agent.alice', session => 'a');
    my $task = aee();
    my $from = time;
    my $request = ask($task, uri => '/short');
    my $query = $bob->event->{json};
    my $answer = $request->answer;

    is($answer->{status}, 202);
    cmp_ok(time - $from, '>', 0.9, 'held');
    cmp_ok(time - $from, '<', 6, 'not for ever');

    reply($query);

    my $late = $alice->event->{json};

    is($late->{type}, 'result', 'in her protocol');
    is($late->{reply_to}, $task->{id});
    is($late->{corr}, $task->{corr});
    is($late->{from}, 'agent.bob');
    $alice->leave;
};


subtest 'HUB-07: hold=off answers at once, and later by the stream' => sub {
    ok(alone());

    my $none = submit(aee(), uri => '/off', as => 'alice');

    is($none->{status}, 503, 'without a stream');
    is($none->{json}{payload}{code}, 'E_CAPACITY');
    ok(!$bob->event(0.5), 'nothing was published');

    my $alice = listen_to('alice', uri => '/aee/agent.alice', session => 'a');
    my $task = aee();
    my $answer = submit($task, uri => '/off', as => 'alice');

    is($answer->{status}, 202, 'at once');
    reply($bob->event->{json});
    is($alice->event->{json}{reply_to}, $task->{id});

    $bob->event(0.3);
    $alice->leave;
};


subtest 'HUB-07: a request without a recipient is answered at once' => sub {
    my $from = time;
    my $answer = submit(aee(to => 'agent.dave'), uri => '/held',
                        as => 'alice');

    is($answer->{status}, 202);
    cmp_ok(time - $from, '<', 3);
};


subtest 'HUB-07: a held request is not a stream' => sub {
    ok(alone());

    my $request = ask(aee());
    my $query = $bob->event->{json};

    is(submit(frame('bob', 'alice'))->{json}{delivered}, 0, 'not counted');
    ok(alone(), 'not in the roster');

    submit(frame('dave', 'alice', kind => 'agent_response', payload => {
        query_id => $query->{payload}{query_id},
        responder_session_id => 's1', response_text => 'forged' }));

    reply($query, response_text => 'true');
    like($request->answer->{body}, qr/"true"/, 'SEC-08: not another\'s answer');
};


subtest 'HUB-07: a client that leaves, and its retry' => sub {
    my $task = aee();
    my $request = ask($task);
    my $query = $bob->event->{json};

    $request->leave;
    sleep 0.3;

    my $again = ask($task)->answer;

    isnt($again->{status}, 200, 'it is a duplicate, and not held');
    reply($query);
    ok(!$bob->event(0.3), 'delivered once');

    my $other = ask(aee());

    reply($bob->event->{json});
    is($other->answer->{status}, 200, 'others go on');
};


subtest 'HUB-07: over TLS' => sub {
    my $tls = Parley::Client->new(port => port(4), tls => 1);
    my $request = $tls->begin('/held', jcs(aee()),
                              Authorization => bearer('alice'),
                              'Content-Type' => 'application/json');

    reply($bob->event->{json}, response_text => 'secretly');
    like($request->answer->{body}, qr/"secretly"/);
};


subtest 'GW-15, HUB-07: a worker with held requests is killed' => sub {
    my $alice = listen_to('alice', uri => '/aee/agent.alice', session => 'a');
    my $task = aee();
    my $request = ask($task);
    my $query = $bob->event->{json};

    kill 'KILL', $nginx->error_log =~ /start worker process (\d+)/g;
    ok(!$request->answer->{status}, 'the connection is gone');
    ok($nginx->wait_for(qr/start worker process \d+/, 4), 'others come');

    isnt(ask($task)->answer->{status}, 200, 'it was taken: a duplicate');

    # an accepted request is answered later, and its sender resumes
    $bob = listen_to('bob', session => 's1');
    reply($query, response_text => 'late');

    my $late = listen_to('alice', uri => '/aee/agent.alice', session => 'a',
                         last => $alice->opened->{id});
    my $event = $late->event;

    is($event->{json}{reply_to}, $task->{id});
    like($event->{data}, qr/"late"/);
    $late->leave;
};


subtest 'HUB-07: at most 16 of a principal in a worker' => sub {
    ok(alone());

    my @requests = map { ask(aee()) } 1 .. 40;
    my %status;

    $bob->events(40, 2);
    $status{ ($_->answer)->{status} // 0 }++ for @requests;

    cmp_ok($status{503} // 0, '>=', 8, 'the others are capacity');
    is(($status{202} // 0) + ($status{503} // 0), 40);
};


subtest 'SEC-16: a revocation ends a held request' => sub {
    my $from = time;
    my $request = ask(aee(from => 'agent.carol', to => 'agent.bob'),
                      as => 'carol');

    $bob->event;
    revoke('carol');

    is($request->answer->{status}, 202);
    cmp_ok(time - $from, '<', 5);
};


subtest 'SEC-16: a revoked asker does not get an earlier answer' => sub {
    revoke();
    sleep 1.2;

    my $call = $client->begin('/mcp', jcs({
        jsonrpc => '2.0', id => 1, method => 'tools/call',
        params => { name => 'agent_query', arguments => {
            recipient_handle => '~bob', payload => { query_text => '?' } } } }),
        Authorization => bearer('carol'));
    my $query = $bob->event->{json};

    is(submit({ %{ answer($query, response_text => 'unheard') },
                recipient_handle => '~carol' })->{status}, 200, 'bob answers');
    revoke('carol');

    my $result = $call->answer->{json}{result};

    is_deeply($result->{structuredContent}{responses}, [], 'no responses');
    is($result->{structuredContent}{delivered}, 1, 'it was taken');
    unlike($result->{content}[0]{text}, qr/unheard/);
};


subtest 'HUB-07: a leaving worker answers its held requests' => sub {
    my $from = time;
    my $request = ask(aee());

    ok($bob->event, 'delivered');
    ok($nginx->reload, 'reload');
    is($request->answer->{status}, 202);
    cmp_ok(time - $from, '>=', 7.5, 'when its time is over');
};


subtest 'invalid times' => sub {
    for my $word (qw(0 61s 10x on)) {
        my ($rc, $said) = Parley::Nginx->check(http => http($word));

        like($said, qr/"hold=$word" is not (?:a time|in the range); /);
        like($said, qr/; expected 1s to 60s or off in /);
    }
};

is(join("\n", grep { /\[(?:alert|emerg|crit)\]/ && !/exited on signal 9/ }
            split /\n/, $nginx->error_log), '', 'nothing alarming');

$nginx->stop;

done_testing;

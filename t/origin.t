# A later reply, a request of its own, reaches the sender of its message.

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
use Parley::Upstream;

my $aee = Parley::Upstream->start(port(4));     # an AEE service
my $vcp = Parley::Upstream->start(port(6));     # a VCP service

my $context = 'parley_vcp_context ctx|gateway; '
            . 'parley_vcp_constitution creed://ops.example/gateway@1;';

my $server = location('/service', 'parley_accept vcp aee; parley_speak aee; '
                                . 'parley_jwt on; ', port(4))
           . location('/peer', 'parley_accept aee vcp; parley_speak vcp; '
                             . "parley_jwt on; $context", port(6))
           . location('/nobody', 'parley_accept vcp; parley_speak aee; '
                               . 'parley_jwt on;', port(5));

my $http = gateway_http(server => $server);
my $nginx = Parley::Nginx->start(workers => 2, http => $http);
my $client = Parley::Client->new(port => port(1));


sub try { my @post = @_; return $client->raw(post(@post)) }
sub code { my $j = $_[0]{json} // {}; $j->{payload}{code} // $j->{code} // '' }


# Sends alice's escalation to lead, which the AEE service accepts; returns (it,
# the task).
sub escalated {
    my ($o, %payload) = @_;

    my $uri = delete $o->{uri} // '/service';

    $aee->script(delete $o->{script});
    $aee->clear;

    my $m = escalation(severity => 'warning', requires_ack => true,
                       %payload);

    $m = { %$m, %$o };

    my $answer = try($uri, $m);

    return ($m, scalar($aee->last) && $aee->last->{json}, $answer);
}


# Sends bob's escalation to lead, which is not known to be bob's parent.
sub from_bob {
    $aee->script(undef);
    $aee->clear;

    my $m = { %{ escalation(severity => 'critical', requires_ack => true) },
              sender => person('bob')->{vcp} };

    is(try('/service', $m, as => 'bob')->{status}, 200, 'escalated');

    return ($m, $aee->last->{json});
}


# Sends lead's reply to the location of VCP.
sub reply {
    my ($message, %o) = @_;

    $vcp->script(undef);
    $vcp->clear;

    return try('/peer', $message, as => 'lead', %o);
}


sub unmatched {
    my ($answer, $what) = @_;

    is($answer->{status}, 409, $what // 'refused');
    is(code($answer), 'E_REPLY_UNMATCHED');
    is($answer->{json}{payload}{field}, '/reply_to');
    is($answer->{json}{payload}{retryable}, false);
    is($vcp->count, 0, 'and not forwarded');
}


subtest 'GW-06 a later result becomes the acknowledgment' => sub {
    my ($m, $task, $taken) = escalated({});

    is($taken->{json}{status}, 'accepted', 'the escalation was taken');
    is($task->{type}, 'task', 'as a task');
    is($task->{to}, 'agent.lead');

    my $answer = reply(result($task));

    is($answer->{status}, 202, 'the result is taken') or diag $answer->{raw};
    is($vcp->count, 1);

    my $ack = $vcp->last->{json};

    is($ack->{type}, 'escalation');
    is($ack->{sender}, person('lead')->{vcp});
    is($ack->{recipient}, person('alice')->{vcp});
    is($ack->{payload}{severity}, 'warning', 'of the same severity');
    like($ack->{payload}{reason}, qr/^ACK:\Q$m->{message_id}\E/);
    is($ack->{payload}{requires_ack}, false);
    ok(verify(gateway_key(), jcs(without($ack, 'signature')),
              MIME::Base64::decode_base64($ack->{signature}
                                          =~ s/^base64://r)),
       'signed by the gateway');
};


subtest 'GW-06 a result without a request is refused' => sub {
    unmatched(reply(result(aee(from => 'agent.alice', to => 'agent.lead',
                               intent => 'vcp.escalation'))));
};


subtest 'GW-06 a result for an unknown UUIDv7 is refused' => sub {
    unmatched(reply(result(aee(id => uuid7(), from => 'agent.alice',
                               to => 'agent.lead',
                               intent => 'vcp.escalation'))));
};


subtest 'GW-06 an error without a request is forwarded' => sub {
    my $task = aee(from => 'agent.lead', to => 'agent.alice');

    is(reply(failure($task, message => 'the pager is broken'),
             as => 'alice')->{status}, 202);

    my $got = $vcp->last->{json};

    is($got->{type}, 'escalation', 'as an escalation of its own');
    like($got->{payload}{reason}, qr/the pager is broken/);
    unlike($got->{payload}{reason}, qr/^ACK:/, 'which acknowledges nothing');
};


subtest 'GW-06 the conversation must be the same' => sub {
    my ($m, $task) = escalated({});

    unmatched(reply(result($task, corr => uuid4())), 'another corr');
    is(reply(result($task))->{status}, 202, 'its own');
};


subtest 'GW-06 only a principal that was asked may reply' => sub {
    my ($m, $task) = from_bob();

    unmatched(reply(result($task, from => 'agent.alice'), as => 'alice'),
              'somebody else');
    unmatched(reply(result($task, from => 'agent.bob'), as => 'bob'),
              'the sender itself');
    is(reply(result($task))->{status}, 202);
};


subtest 'GW-06 a reply goes only to the asker' => sub {
    my ($m, $task) = escalated({});

    unmatched(reply(result($task, to => 'agent.bob')));
    is(reply(result($task))->{status}, 202);
};


subtest 'GW-06 a refused reply may come again' => sub {
    my ($m, $task) = escalated({});
    my $result = result($task);

    unmatched(reply({ %$result, corr => uuid4() }));
    is(reply($result)->{status}, 202);
};


subtest 'GW-12 the VCP peer fails: the reply may come again' => sub {
    my ($m, $task) = escalated({});
    my $result = result($task);

    $vcp->script('$c->answer(503, [], "")');
    $vcp->clear;
    is(try('/peer', $result, as => 'lead')->{status}, 503);
    is(reply($result)->{status}, 202, 'the origin is still known');
};


subtest 'GW-12 a message to an upstream that failed cannot be answered' => sub {
    for my $script ('$c->answer(503, [], "")', '$c->answer(200, [], "{}")',
                    '$c->{keep} = 0')
    {
        my ($m, $task, $answer) = escalated({ script => $script });

        like($answer->{status}, qr/^50\d$/, $script);
        unmatched(reply(result($task)));
    }
};


subtest 'GW-12 a message that reached no upstream cannot be answered' => sub {
    my ($m, undef, $answer) = escalated({ uri => '/nobody' });

    is($answer->{status}, 502);

    # the task would have had this id, which is valid in AEE too
    unmatched(reply(result(aee(id => $m->{message_id},
                               corr => $m->{message_id},
                               from => 'agent.alice', to => 'agent.lead',
                               intent => 'vcp.escalation'))));
};


subtest 'GW-12 after an accepted retry it can be answered' => sub {
    $aee->script('$c->answer(503, [], "")');
    $aee->clear;

    my $m = escalation(severity => 'critical', requires_ack => true);

    is(try('/service', $m)->{status}, 503);

    $aee->script(undef);
    is(try('/service', $m)->{status}, 200);

    my $task = $aee->last->{json};

    is(try('/service', $m)->{json}{status}, 'duplicate');
    is(reply(result($task))->{status}, 202);
};


subtest 'GW-06 an escalation without a request for acknowledgment is not recorded' => sub {
    my ($m, $task) = escalated({}, severity => 'info',
                               requires_ack => false);

    is($task->{type}, 'event');
    unmatched(reply(result($task)));
};


subtest 'VCP-30 GW-06 a later error of the parent is not an escalation' => sub {
    my ($m, $task) = escalated({});
    my $answer = reply(failure($task, message => 'the pager is broken'));

    is($answer->{status}, 422);
    is(code($answer), 'E_TRANSLATION_UNSUPPORTED');
    is($vcp->count, 0, 'nothing forwarded');
};


subtest 'GW-06 an error of AEE, acknowledged in VCP' => sub {
    my ($m, $task) = from_bob();

    is(reply(failure($task))->{status}, 202);

    my $got = $vcp->last->{json};
    my $ack = { %{ escalation(severity => $got->{payload}{severity},
                              requires_ack => false,
                              reason => "ACK:$got->{message_id} I see") },
                sender => person('bob')->{vcp} };

    $aee->clear;

    my $answer = try('/service', $ack, as => 'bob');

    is($answer->{json}{status}, 'accepted') or diag $answer->{raw};

    my $result = $aee->last->{json};

    is($result->{type}, 'result');
    is($result->{to}, 'agent.lead');
    is($result->{corr}, $task->{corr}, 'of the same conversation');
};


subtest 'GW-06 each member of a group may reply' => sub {
    my $m = escalation(severity => 'critical', requires_ack => true);

    $aee->script(undef);
    $aee->clear;
    is(try('/service', { %$m, recipient => 'broadcast',
                         sender => person('bob')->{vcp} }, as => 'bob')
       ->{status}, 200);

    my $task = $aee->last->{json};

    is(reply(result($task, from => 'agent.alice'), as => 'alice')->{status},
       202);
    is($vcp->last->{json}{recipient}, person('bob')->{vcp});
};


subtest 'GW-06 another message with the same id does not replace it' => sub {
    my ($m, $task) = escalated({});
    my $theirs = escalation(requires_ack => true, severity => 'warning');

    is(try('/service', { %$theirs, message_id => $m->{message_id},
                         sender => person('bob')->{vcp} }, as => 'bob')
       ->{status}, 200, 'an id is one sender\'s own');

    $aee->script('$c->answer(503, [], "")');
    is(try('/service', { %$theirs, message_id => $m->{message_id},
                         sender => person('lead')->{vcp},
                         recipient => person('bob')->{vcp} },
           as => 'lead')->{status}, 503, 'and one that is not taken');

    is(reply(result($task))->{status}, 202, 'the reply to the first is one');

    my $ack = $vcp->last->{json};

    is($ack->{recipient}, person('alice')->{vcp});
    is($ack->{payload}{severity}, 'warning', 'of its severity');
};


subtest 'GW-10 an acknowledgment without an escalation, in VCP' => sub {
    my $ack = { %{ escalation(severity => 'critical', requires_ack => false,
                              reason => 'ACK:' . uuid7() . ' seen') },
                sender => person('lead')->{vcp},
                recipient => person('alice')->{vcp} };

    $aee->clear;

    my $answer = try('/service', $ack, as => 'lead');

    is($answer->{status}, 409);
    is(code($answer), 'reply-unmatched');
    is($answer->{json}{field}, '/payload/reason');
    is($answer->{json}{status}, 'rejected');
    is($answer->{json}{message_id}, $ack->{message_id});
    is($aee->count, 0);
};


subtest 'GW-06 without translation a reply needs no request' => sub {
    $aee->script(undef);
    $aee->clear;

    is(try('/service', result(aee(from => 'agent.bob', to => 'agent.alice'),
                              from => 'agent.alice', to => 'agent.bob'))
       ->{status}, 202);
    is($aee->count, 1);
};


# Sends alice's task, which the AEE service accepts without an answer, or with
# the script's answer.
sub task {
    my ($script, %other) = @_;

    $aee->script($script);
    $aee->clear;

    my $m = aee(%other);

    like(try('/service', $m)->{status}, qr/^20/, 'the task is taken');

    $aee->script(undef);
    $aee->clear;

    return $m;
}


# Sends a later result to the location of AEE.
sub late {
    my ($as, $message) = @_;

    my $answer = try('/service', $message, as => $as);

    return $answer->{status} if $answer->{status} < 300;
    return "$answer->{status} " . code($answer);
}


subtest 'SEC-08 without translation a task has one final answer too' => sub {
    my $m = task();

    is(late(bob => result($m)), 202, 'the first');
    is(late(bob => result($m)), '409 E_REPLY_UNMATCHED', 'the second');
    is(late(bob => failure($m)), '409 E_REPLY_UNMATCHED', 'nor an error');
    is($aee->count, 1);

    $m = task('$c->answer(200, [], jcs(result($q->{json})))');

    is(late(bob => result($m)), '409 E_REPLY_UNMATCHED',
       'after that of the response');
    is($aee->count, 0);
};


subtest 'SEC-08 without translation only a principal that was asked may answer' => sub {
    my $m = task();

    is(late(lead => result($m, from => 'agent.lead')),
       '409 E_REPLY_UNMATCHED', 'somebody else');
    is(late(bob => result($m, to => 'agent.lead')),
       '409 E_REPLY_UNMATCHED', 'nor to somebody else');
    is($aee->count, 0);
    is(late(bob => result($m)), 202, 'it is open still');
};


subtest 'SEC-08 each reader of a bus has one final answer' => sub {
    my $m = task(undef, to => 'bus.ops');

    is(late(bob => result($m, from => 'agent.bob')), 202);
    is(late(lead => result($m, from => 'agent.lead')), 202);
    is(late(bob => result($m, from => 'agent.bob')),
       '409 E_REPLY_UNMATCHED', 'but one');
    is(late(lead => failure({ %$m, to => 'agent.lead' })),
       '409 E_REPLY_UNMATCHED', 'nor an error');
    is($aee->count, 2);
};


subtest 'SEC-08 a question is closed at its deadline' => sub {
    for my $to (qw(agent.bob bus.ops)) {
        my $m = task(undef, to => $to, requires => { timeout_ms => 300 });

        sleep 0.6;
        is(late(bob => result($m, from => 'agent.bob')),
           '409 E_REPLY_UNMATCHED', "$to: what comes later is for nobody");
        is($aee->count, 0);
    }

    my ($m, $task) = escalated({ uri => '/service' }, severity => 'warning');

    is(reply(result($task))->{status}, 202, 'one without a deadline is open');
};


subtest 'GW-12 a task that was not taken cannot be answered' => sub {
    my $m = aee();

    $aee->script('$c->answer(503)');
    is(try('/service', $m)->{status}, 503);
    $aee->script(undef);
    $aee->clear;

    is(try('/service', $m)->{status}, 202, 'its retry is taken');
    is(late(bob => result($m)), 202, 'and has an answer');
    is(late(bob => result($m)), '409 E_REPLY_UNMATCHED', 'one');
};


subtest 'GW-06 extremely long names are not recorded' => sub {
    my $answer = try('/service', { %{ escalation(requires_ack => true) },
        sender => person('bob')->{vcp},
        recipient => 'agent://ops.example/' . 'x' x 5000 }, as => 'bob');

    is($answer->{status}, 413);
    is(code($answer), 'message-too-large');
};


subtest 'GW-15 a reload keeps waiting questions' => sub {
    my @waiting = map { [escalated({})] } 1 .. 4;

    ok($nginx->reload, 'reloaded');

    for (@waiting) {
        my ($m, $task) = @$_;

        is(reply(result($task))->{status}, 202);
        like($vcp->last->{json}{payload}{reason},
             qr/^ACK:\Q$m->{message_id}\E/);
    }
};


subtest 'GW-06 all workers know all questions' => sub {
    my @waiting = map { [escalated({})] } 1 .. 20;

    $vcp->script(undef);
    $vcp->clear;

    my @all = map {
        my $c = $client->connect;
        $c->write(post('/peer', result($_->[1]), as => 'lead'));
        $c
    } @waiting;

    is(join(' ', map { $_->answer->{status} } @all), join ' ', (202) x 20);

    my @acks = sort map { $_->{json}{payload}{reason} =~ /^ACK:(\S{36})/ }
               $vcp->requests;

    is_deeply(\@acks, [sort map { $_->[0]{message_id} } @waiting]);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0,
   'nothing alarming was logged');

# this is last: the emergency suspends alice
subtest 'VCP-25 each severity has its own acknowledgment' => sub {
    for my $severity (qw(warning critical emergency)) {
        my ($m, $task) = escalated({}, severity => $severity);

        is(reply(result($task))->{status}, 202);
        is($vcp->last->{json}{payload}{severity}, $severity);
    }
};


done_testing;

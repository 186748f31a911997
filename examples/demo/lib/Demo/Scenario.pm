package Demo::Scenario;

# The scenario.  agent.ops and agent.watch speak AEE, worker-7 and kitchen speak
# VCP.  Behind the gateway are agent.backup, an AEE service, and
# agent://home.example/parent, which speaks VCP.

use strict;
use warnings;
use utf8;

use Encode qw(encode_utf8);
use Exporter 'import';

use Demo::Chat qw(chat);
use Demo::Escalations qw(escalations);
use Demo::Http qw(now uuid4 uuid7);
use Demo::Listener;
use Demo::Moq qw(moq);
use Demo::Setup qw(%demo slurp);
use Demo::Show qw(title note block check pretty);
use Demo::Step qw(step told aee vcp sign member channel came);

our @EXPORT_OK = qw(play);

my $backup = '/agents/backup';
my $home = '/agents/home';
my $vcp = '/.well-known/vcp/messages';

my @ops = (type => 'task', from => 'agent.ops', to => 'agent.backup',
           intent => 'ops.backup.audit');
my @watch = (from => 'agent.watch', to => 'agent.home');
my @worker = (sender => 'agent://ops.example/worker-7',
              recipient => 'agent://ops.example/backup');
my @kitchen = (sender => 'agent://home.example/kitchen',
               recipient => 'agent://home.example/parent');

my $context = encode_utf8('⏰☀️|📍🏢|👥👔');
my $state = qq[{"context":"$context","constitution_ref":]
            . '"creed://home.example/safe.guide@1.2.0"}';


sub play {
    same_protocol();
    vcp_to_aee();
    aee_to_vcp();
    failing_service();
    refused_callers();
    refused_signatures();
    refused_repeats();
    refused_messages();
    refused_by_policy();
    streams();
    escalations();
    chat();
    moq();
    seen();
}


sub escalation {
    my ($severity, $reason, $more) = @_;

    $more //= '';

    return qq[{"severity":"$severity","reason":"$reason",]
           . qq["context":"$context",$more"requires_ack":true}];
}


sub audit { aee(@ops, payload => '{"volumes":["vm-1","vm-2"]}', @_) }


sub same_protocol {
    my $task = audit(payload => '{"volumes":["vm-1"],"password":"hunter2"}',
                     more => '"requires":{"timeout_ms":600000}');

    step(
        title  => 'An AEE task reaches an AEE service and is answered',
        why    => "The gateway removes a password from the payload "
                  . "(parley_redact) and\ncaps the timeout (parley_cap).",
        path   => $backup, token => 'ops', body => $task,
        got    => { '/id' => member($task, '/id'),
                    '/payload/volumes' => '["vm-1"]',
                    '/payload/password' => undef,
                    '/requires/timeout_ms' => 30000 },
        expect => { status => 200, '/type' => 'result',
                    '/corr' => member($task, '/corr'),
                    '/reply_to' => member($task, '/id'),
                    '/payload/volumes' => 3 },
    );

    $task = audit();

    step(
        title   => 'The same task, answered by a stream of events',
        path    => $backup, token => 'ops', body => $task,
        headers => ['Accept: text/event-stream'],
        got     => { '/id' => member($task, '/id') },
        expect  => { status => 200, 'Content-Type' => qr{^text/event-stream},
                     body => qr/(?:data:[^\n]+"type":"stream".*){3}
                                data:[^\n]+"type":"result"/xs },
    );

    my $share = sign('kitchen', vcp(
        @kitchen, type => 'context_share',
        payload => $state));

    step(
        title  => 'A signed VCP message reaches a VCP service',
        why    => 'Its octets are unchanged, and it keeps the signature of '
                  . 'the sender.',
        path   => $vcp, token => 'kitchen', body => $share,
        got    => { '/message_id' => member($share, '/message_id'),
                    '/signature' => member($share, '/signature') },
        expect => { status => 200, '/status' => 'accepted',
                    '/message_id' => member($share, '/message_id') },
    );
}


sub vcp_to_aee {
    my $m = sign('worker-7', vcp(
        @worker, type => 'escalation',
        payload => escalation('critical', 'the archive disk fails',
                              '"blocked_action":"restore vm-2",')));

    my $id = member($m, '/message_id');

    step(
        title  => 'A VCP escalation reaches the AEE service, as a task',
        why    => "The signature is verified with the key of worker-7 and "
                  . "replaced by the\ngateway's.  The result comes back as "
                  . 'an acknowledgment in VCP.',
        path   => $backup, token => 'worker-7', body => $m,
        got    => { '/type' => 'task', '/intent' => 'vcp.escalation',
                    '/from' => 'agent.worker-7', '/to' => 'agent.backup',
                    '/priority' => 'high', '/requires/timeout_ms' => 5000,
                    '/payload/reason' => 'the archive disk fails',
                    '/sig/kid' => 'gateway-1' },
        expect => { status => 200, '/status' => 'accepted',
                    '/message_id' => $id,
                    '/reply/type' => 'escalation',
                    '/reply/recipient' => $worker[1],
                    '/reply/payload/severity' => 'critical',
                    '/reply/payload/reason' => qr/^ACK:$id/ },
    );
}


sub aee_to_vcp {
    my $event = aee(
        @watch, type => 'event', intent => 'vcp.context_share',
        more => '"requires":{"evidence":true}',
        payload => $state);

    step(
        title  => 'An AEE event reaches the VCP service',
        why    => 'VCP has no member for "requires": Parley-Loss names it as '
                  . 'lost.',
        path   => $home, token => 'watch', body => $event,
        got    => { '/vcp_message' => '1.2', '/type' => 'context_share',
                    '/sender' => 'agent://ops.example/watch',
                    '/recipient' => 'agent://home.example/parent',
                    '/payload/context' => member($event,
                                                 '/payload/context') },
        expect => { status => 202, 'Parley-Loss' => qr{/requires} },
    );

    my $task = aee(@watch, type => 'task', intent => 'vcp.escalation',
                   priority => 'high',
                   payload => escalation('critical', 'nobody answers'));

    step(
        title  => 'An AEE task reaches the VCP service as an escalation',
        why    => 'Its acknowledgment comes back as the result of the task.',
        path   => $home, token => 'watch', body => $task,
        got    => { '/type' => 'escalation',
                    '/payload/severity' => 'critical' },
        expect => { status => 200, '/type' => 'result',
                    '/corr' => member($task, '/corr'),
                    '/reply_to' => member($task, '/id'),
                    '/from' => 'agent.home', '/to' => 'agent.watch' },
    );

    step(
        title  => 'An AEE error reaches the VCP service as an escalation',
        why    => 'VCP requires a context, and AEE has none: it comes from '
                  . 'parley_vcp_context.',
        path   => $home, token => 'watch',
        body   => aee(@watch, type => 'error', intent => 'ops.restore',
                      reply_to => 'task-0815',
                      payload => '{"code":"E_NO_SPACE","message":'
                                 . '"the archive is full",'
                                 . '"retryable":true}'),
        got    => { '/type' => 'escalation',
                    '/payload/severity' => 'warning',
                    '/payload/reason' => qr/the archive is full/ },
        expect => { status => 202 },
    );
}


sub failing_service {
    my $task = audit(payload => '{"fail":"once"}');

    step(
        title  => 'The service fails',
        path   => $backup, token => 'ops', body => $task,
        got    => { '/id' => member($task, '/id') },
        expect => { status => 503, '/type' => 'error',
                    '/payload/code' => 'E_CAPACITY',
                    '/payload/retryable' => 'true' },
    );

    step(
        title  => 'The same message again: it was not accepted, so it passes',
        path   => $backup, token => 'ops', body => $task,
        got    => { '/id' => member($task, '/id') },
        expect => { status => 200, '/type' => 'result' },
    );
}


sub refused_callers {
    step(
        title  => 'No token',
        why    => "The gateway does not read the body, and does not know "
                  . "its protocol\nyet.",
        path   => $backup, body => audit(),
        expect => { status => 401, '/code' => 'token-missing',
                    'WWW-Authenticate' => qr/^Bearer/ },
    );

    step(
        title  => 'A token that expired a minute ago',
        path   => $backup, token => 'ops-expired', body => audit(),
        expect => { status => 401, '/code' => 'token-expired' },
    );

    step(
        title  => 'A token with "alg": "none"',
        path   => $backup, token => 'ops-none', body => audit(),
        expect => { status => 401, '/code' => 'token-invalid' },
    );

    step(
        title  => 'A sender other than that of the token',
        path   => $backup, token => 'watch', body => audit(),
        expect => { status => 403, '/type' => 'error',
                    '/payload/code' => 'E_SENDER_IDENTITY_MISMATCH' },
    );
}


sub refused_signatures {
    my $message = vcp(@worker, type => 'escalation',
                      payload => escalation('warning', 'a disk is slow'));

    my $changed = sign('worker-7', $message);
    $changed =~ s/a disk is slow/a disk is slew/;

    step(
        title  => 'One character changed after signing',
        path   => $backup, token => 'worker-7', body => $changed,
        expect => { status => 403, '/status' => 'rejected',
                    '/code' => 'signature-invalid',
                    '/message_id' => member($message, '/message_id') },
    );

    step(
        title  => 'A VCP message without a signature',
        path   => $backup, token => 'worker-7', body => $message,
        expect => { status => 403, '/status' => 'rejected',
                    '/code' => 'signature-missing' },
    );
}


sub refused_repeats {
    my $message = sign('worker-7', vcp(
        @worker, type => 'escalation',
        payload => escalation('warning', 'a disk is slow')));

    step(
        title  => 'A VCP message',
        path   => $backup, token => 'worker-7', body => $message,
        got    => { '/intent' => 'vcp.escalation' },
        expect => { status => 200, '/status' => 'accepted' },
    );

    step(
        title  => 'The same VCP message again: a duplicate is not an error',
        path   => $backup, token => 'worker-7', body => $message,
        expect => { status => 200, '/status' => 'duplicate',
                    '/message_id' => member($message, '/message_id') },
    );

    my $task = audit();

    step(
        title  => 'An AEE task',
        path   => $backup, token => 'ops', body => $task,
        got    => { '/id' => member($task, '/id') },
        expect => { status => 200, '/type' => 'result' },
    );

    step(
        title  => 'The same AEE task again: a conflict',
        path   => $backup, token => 'ops', body => $task,
        expect => { status => 409, '/type' => 'error',
                    '/payload/code' => 'E_MESSAGE_DUPLICATE',
                    '/reply_to' => member($task, '/id') },
    );

    step(
        title  => 'A task that is ten minutes old',
        path   => $backup, token => 'ops', body => audit(ts => now(-600)),
        expect => { status => 422, '/payload/code' => 'E_MESSAGE_STALE' },
    );
}


sub refused_messages {
    step(
        title  => 'A VCP message with an unknown member',
        path   => $backup, token => 'worker-7',
        body   => vcp(@worker, type => 'escalation',
                      payload => escalation('info', 'all is well',
                                            '"mood":"fine",')),
        expect => { status => 400, '/status' => 'rejected',
                    '/code' => 'field-unknown',
                    '/field' => '/payload/mood' },
    );

    step(
        title  => 'A duplicate member',
        path   => $backup, token => 'ops',
        body   => audit(more => '"priority":"urgent"'),
        expect => { status => 400, '/code' => 'json-invalid',
                    '/field' => '/priority' },
    );

    step(
        title  => 'A task that VCP cannot express',
        path   => $home, token => 'watch',
        body   => aee(@watch, type => 'task', intent => 'ops.backup.audit',
                      payload => '{}'),
        expect => { status => 422, '/type' => 'error',
                    '/payload/code' => 'E_TRANSLATION_UNSUPPORTED' },
    );
}


sub refused_by_policy {
    step(
        title  => 'An intent that no rule allows',
        path   => $backup, token => 'ops',
        body   => audit(intent => 'billing.refund'),
        expect => { status => 403, '/payload/code' => 'E_INTENT_REFUSED' },
    );

    my $urgent = audit(priority => 'urgent');

    step(
        title  => 'An urgent task',
        path   => $backup, token => 'ops', body => $urgent,
        got    => { '/priority' => 'urgent' },
        expect => { status => 200, '/type' => 'result' },
    );

    step(
        title  => 'Another urgent task: the limit is six per minute',
        path   => $backup, token => 'ops', body => audit(priority => 'urgent'),
        expect => { status => 429, '/payload/code' => 'E_RATE_LIMITED',
                    '/payload/retryable' => 'true',
                    'Retry-After' => qr/^\d+$/ },
    );
}


# Opens two streams, one for frames and one for AEE, and sends a frame to both.
sub streams {
    title('Two agents open streams, each in its own protocol',
          "~ops receives frames of agent-channel, agent.watch receives AEE.  "
          . "Both are\nmembers of ~crew.");

    my $ops = Demo::Listener->listen('ops', '/channel/stream/~ops?session=s1');
    my $watch = Demo::Listener->listen('watch', '/aee/stream/agent.watch');

    note("~ops at $ops->{last}, agent.watch at $watch->{last}");

    step(
        title  => 'A frame to all members of ~crew',
        why    => 'The answer comes when the logs of all members have the '
                  . "frame,\nand counts the members.",
        path   => '/channel/frames?scope=org:~crew/members/*',
        token  => 'ops', body => advisory('about to restore vm-2'),
        expect => { status => 200, '/delivered' => 2 },
    );

    came('the stream of ~ops', ($ops->events(1))[0],
         '/payload/advisory_text' => 'about to restore vm-2');
    came('the stream of agent.watch', ($watch->events(1))[0],
         '/type' => 'event', '/intent' => 'channel.agent_advisory',
         '/from' => 'agent.ops');

    title('All workers are killed',
          'Their streams break off.  The clients resume with the id of the last'
          . ' event.');

    kill KILL => workers();
    note('killed with all their connections; the clients reconnect');

    for my $text ('vm-2 is back', 'vm-3 is next') {
        step(
            title  => "A frame while the clients reconnect: $text",
            path   => '/channel/frames?scope=org:~crew/members/*',
            token  => 'ops', body => advisory($text),
            expect => { status => 200 },
        );
    }

    my $n = 3;

    for my $listener ($ops, $watch) {
        my @events = $listener->events($n);

        note("$listener->{who} has opened its stream $listener->{opened} "
             . 'times and has ' . @events . " of $n events");
        check($listener->{opened} > 1, 'the client has reconnected',
              $listener->{opened});
        check(@events == $n, 'no event is lost or repeated',
              scalar @events);
        $listener->leave;
    }
}


sub advisory {
    return channel('ops', 'crew', kind => 'agent_advisory',
                   payload => qq[{"advisory_text":"$_[0]"}]);
}


# Returns the workers.
sub workers {
    my $master = slurp("$demo{dir}/nginx.pid");
    chomp $master;

    return grep { stat_of($_) =~ /\) \S $master / }
           map { m{^/proc/(\d+)$} ? $1 : () } glob '/proc/[0-9]*';
}


# Returns the status of a process, or '' if it has ended.
sub stat_of { eval { slurp("/proc/$_[0]/stat") } // '' }


# Checks that the status page has all of this.
sub seen {
    title('The status of the gateway',
          'parley_status, which is also a page for browsers');

    my $told = told();
    my (%verdict, %pair);

    for (@{ $told->{messages}{verdicts} || [] }) {
        $verdict{$_->{verdict}} += $_->{n};
        $pair{"$_->{accepted} to $_->{spoken}"} += $_->{n}
            if $_->{verdict} eq 'passed';
    }

    my @refused = sort { $b->{n} <=> $a->{n} || $a->{code} cmp $b->{code} }
                  @{ $told->{refusals}{codes} || [] };

    note(join ', ', map { "$verdict{$_} $_" } sort keys %verdict);
    note("passed: " . join ', ', map { "$pair{$_} $_" } sort keys %pair);
    note(sprintf '%3d  %s, by the %s', @{$_}{qw(n code by)}) for @refused;

    check(($verdict{passed} // 0) > 0 && ($verdict{refused} // 0) > 0,
          'passed and refused messages are counted',
          join ' ', %verdict);
    check(exists $pair{'aee to vcp'} && exists $pair{'vcp to aee'},
          'both directions of translation are counted',
          join ', ', sort keys %pair);

    my %ended = %{ $told->{deadlines}{ended} // {} };

    note('escalations and deadlines: '
         . join ', ', map { "$_ $ended{$_}" } sort keys %ended);
    check(($ended{raised} // 0) == 2, 'two escalations went up',
          $ended{raised});

    for my $code (qw(agent-suspended token-expired token-invalid
                     signature-invalid message-duplicate rate-limited
                     intent-refused))
    {
        check((grep { $_->{code} eq $code } @refused) == 1,
              "$code is counted", join ' ', map { $_->{code} } @refused);
    }
}


1;

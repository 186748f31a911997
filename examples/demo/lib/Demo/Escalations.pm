package Demo::Escalations;

# Escalations that no parent acknowledges.  worker-9 speaks VCP over a
# WebSocket.  No server listens at the URL of its parent, the foreman.
# agent.ops is the foreman's parent and has an AEE stream.

use strict;
use warnings;
use utf8;

use Encode qw(encode_utf8);
use Exporter 'import';
use Time::HiRes qw(sleep time);

use Demo::Listener;
use Demo::Show qw(title note block check pretty);
use Demo::Step qw(step told came aee vcp sign member);
use Demo::Websocket;

our @EXPORT_OK = qw(escalations);

my $messages = '/messages';

my %name = map { $_ => "agent://ops.example/$_" } qw(worker-9 foreman ops);
my $context = encode_utf8('⏰☀️|📍🏢|👥👔');


sub escalations {
    title('A child, and the parent of its parent',
          "worker-9 speaks VCP over a WebSocket.  Its parent, the foreman, is "
          . "down: its\nURL refuses connections.  agent.ops, the foreman's "
          . 'parent, has an AEE stream.');

    my $child = Demo::Websocket->open('worker-9', '/vcp/ws');
    my $ops = Demo::Listener->listen('ops', '/aee/stream/agent.ops');

    says($child, context_share('worker-9', 'foreman'), 'accepted');

    unacknowledged($child, $ops);
    emergency($child, $ops);
    suspended($child);
    resumed($child);

    $ops->leave;
    $child->leave;
}


sub unacknowledged {
    my ($child, $ops) = @_;

    title('The child sends a critical escalation, and its parent is down',
          'Without an acknowledgment within five seconds, it goes to the '
          . "parent's\nparent, as an AEE task.");

    my $m = escalation('critical', 'the tape robot is stuck');
    my $from = time;

    says($child, $m, 'accepted');

    my $task = ($ops->events(1))[0];
    my $took = time - $from;

    note(sprintf "the escalation goes up after %.1f s\n", $took);
    check($took > 4.5 && $took < 15,
          'the escalation goes up after five seconds', $took);

    came('the stream of agent.ops', $task,
         '/type' => 'task', '/intent' => 'vcp.escalation',
         '/from' => 'agent.worker-9', '/to' => 'agent.foreman',
         '/payload/severity' => 'critical',
         '/payload/reason' => 'the tape robot is stuck');

    acknowledged($child, $m, $task);
}


# Acknowledges the escalation by the result of a task that agent.ops received.
sub acknowledged {
    my ($child, $m, $task) = @_;

    my $id = member($m, '/message_id');

    step(
        title  => "The parent's parent acknowledges it, by an AEE result",
        path   => $messages, token => 'ops',
        body   => aee(type => 'result', from => 'agent.ops',
                      to => 'agent.worker-9', intent => 'vcp.escalation',
                      corr => member($task // '{}', '/corr') // '',
                      reply_to => member($task // '{}', '/id') // '',
                      payload => '{"text":"a technician goes there"}'),
        expect => { status => qr/^20[02]$/ },
    );

    came('the WebSocket of worker-9', $child->text, '/type' => 'escalation',
         '/sender' => $name{ops}, '/recipient' => $name{'worker-9'},
         '/payload/reason' => qr/^ACK:$id/);
}


sub emergency {
    my ($child, $ops) = @_;

    title('The child reports an emergency',
          "It goes to the parent's parent at once, and the child is "
          . "suspended until its own\nparent resumes it.");

    my $m = escalation('emergency', 'smoke in the tape room');

    says($child, $m, 'accepted');

    my $task = ($ops->events(2))[1];

    came('the stream of agent.ops', $task, '/intent' => 'vcp.escalation',
         '/priority' => 'urgent', '/payload/severity' => 'emergency');
    acknowledged($child, $m, $task);
}


sub suspended {
    my $child = shift;

    title('The child is suspended', 'All of its messages are refused.');
    says($child, context_share('worker-9', 'foreman'), 'rejected',
         '/code' => 'agent-suspended');

    my $told = told();
    my ($one) = @{ $told->{suspended}{list} // [] };
    my $jobs = $told->{jobs};

    note(sprintf 'the page: %s is %s since %s, by %s', map { $_ // '-' }
         @{ $one // {} }{qw(sub state since message_id)});
    note("deliveries: $jobs->{pending} pending, because the foreman's URL is "
         . 'tried repeatedly');

    check(($one->{sub} // '') eq 'worker-9'
          && ($one->{state} // '') eq 'suspended',
          'the page names the suspended child', $one->{sub});
    check(($jobs->{pending} // 0) > 0, 'deliveries wait', $jobs->{pending});
}


sub resumed {
    my $child = shift;

    # Timestamps have whole seconds here.
    sleep 1.1;

    my $m = sign('foreman', vcp(
        type => 'constraint_propagate', sender => $name{foreman},
        recipient => $name{'worker-9'},
        payload => '{"constraints":[{"type":"room","value":"stay out",'
                   . '"source_constitution_ref":'
                   . '"creed://ops.example/safe.guide@1.2.0"}],'
                   . '"propagation_mode":"merge"}'));

    step(
        title  => 'The parent returns, and resumes the child',
        why    => 'By a constraint_propagate that is later than the emergency.',
        path   => $messages, token => 'foreman', body => $m,
        expect => { status => 200, '/status' => 'accepted' },
    );

    came('the WebSocket of worker-9', $child->text,
         '/type' => 'constraint_propagate',
         '/message_id' => member($m, '/message_id'));

    title('The child continues', 'No principal is suspended.');
    says($child, context_share('worker-9', 'foreman'), 'accepted');

    my $list = told()->{suspended}{list} // [];

    check(@$list == 0, 'the page lists no suspended principal', scalar @$list);
}


# Sends a signed message of the child over its WebSocket, and checks the answer.
sub says {
    my ($child, $m, $status, %wanted) = @_;

    block(request => '>', 'by the WebSocket of worker-9', pretty($m));
    $child->say($m);

    my $answer = $child->text;

    came('the WebSocket of worker-9', $answer, '/status' => $status,
         '/message_id' => member($m, '/message_id'), %wanted);
}


sub message {
    my ($type, $payload) = @_;

    return sign('worker-9', vcp(type => $type, sender => $name{'worker-9'},
                                recipient => $name{foreman},
                                payload => $payload));
}


sub escalation {
    my ($severity, $reason) = @_;

    return message('escalation', qq[{"severity":"$severity",]
                   . qq["reason":"$reason","context":"$context",]
                   . '"requires_ack":true}');
}


sub context_share {
    return message('context_share', qq[{"context":"$context",]
                   . '"constitution_ref":'
                   . '"creed://ops.example/safe.guide@1.2.0"}');
}


1;

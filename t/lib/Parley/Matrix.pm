package Parley::Matrix;

# All protocols against all protocols.  Principals have a name in each
# protocol.  There is a location for each protocol of a service, and each
# location accepts all protocols.  There are messages and services' answers in
# each protocol.
#
#     alice   an agent, an instrument of lead's; has a key
#     bob     an agent, an instrument of lead's; has a key
#     lead    the human that both act for; has a key
#     solo    an agent with a name in AEE alone
#     taken   has the names that ~cc-taken would have, and another handle

use strict;
use warnings;

use Exporter 'import';

use Parley::Env qw(tmp_dir port tls spew);
use Parley::Gateway;
use Parley::Message;

our @EXPORT = qw(matrix submit deliver ambient knock call say react
                 notice frame query advisory broadcast diagnostic command
                 protocol took answered failed refused events done
                 reply_frame);

my %protocols = map { $_ => 1 } qw(aee vcp vcp2 c2a channel moq);


sub principals {
    my %o = (
        alice => { c2a => 'agent:alice', handle => '~cc-alice',
                   instrument => '~cc-alice@1.0', parent => 'lead' },
        bob   => { c2a => 'agent:bob', handle => '~cc-bob',
                   instrument => '~cc-bob@2', parent => 'lead' },
        lead  => { c2a => 'human:lead', handle => '~lead',
                   instrument => '~cc-lead' },
    );

    return (
        (map { { sub => $_, aee => person($_)->{aee},
                 vcp => person($_)->{vcp},
                 keys => [public_jwk(person($_)->{key})], %{ $o{$_} } } }
         sort keys %o),
        { sub => 'solo', aee => 'agent.solo' },
        { sub => 'bare', aee => 'agent.bare', handle => '~bare',
          parent => 'lead' },
        { sub => 'taken', aee => 'agent.cc-taken', vcp => 'cc-taken',
          c2a => 'agent:cc-taken', handle => '~cc-else' });
}


# Returns arguments of with_gateway().  The locations are /to-aee, /to-vcp,
# /to-vcp2, /to-c2a, /to-channel and /to-moq.  Each has variants: -bare (no
# parley_vcp_context), -strict (parley_loss reject), -own (the VCP directives
# of an operator), -redact (redacts the reason of C2A), -capped (priority
# normal, 1 s) and -deny (refuses messages to agent.bob).
sub matrix {
    my $http = http_config();
    my ($cert, $key) = tls();
    my $context = 'parley_vcp_context ctx|gateway; '
                . 'parley_vcp_constitution creed://ops.example/gateway@1;';
    my $server = '    listen 127.0.0.1:' . port(1) . " ssl;\n"
               . "    ssl_certificate $cert;\n    ssl_certificate_key $key;\n";

    spew(tmp_dir() . '/identities.json', jcs({ principals => [principals()] }));

    for my $speak (sort keys %protocols) {
        my $all = 'parley_accept aee vcp vcp2 c2a channel moq; '
                . "parley_speak $speak; parley_jwt on;";

        $server .= location("/to-$speak", "$all $context")
                 . location("/to-$speak-bare", $all)
                 . location("/to-$speak-strict",
                            "$all $context parley_loss reject;")
                 . location("/to-$speak-redact",
                            "$all $context "
                            . 'parley_redact /params/reason mask;')
                 . location("/to-$speak-capped",
                            "$all $context "
                            . 'parley_cap priority=normal timeout=1s;')
                 . location("/to-$speak-own",
                            "$all $context parley_vcp_broadcast bus.ops; "
                            . 'parley_vcp_severity E_BROKEN=critical '
                            . 'E_BLOCKED=info;')
                 . location("/to-$speak-deny",
                            "$all $context parley_deny to=agent:bob; "
                            . 'parley_allow protocol=*;');
    }

    return (http => $http, server => $server, @_);
}


# Returns an agent-channel submission: the scope is a query argument.
sub submit {
    my ($uri, $scope, $frame, @o) = @_;

    $scope =~ s/([^A-Za-z0-9~.-])/sprintf '%%%02X', ord $1/ge;

    return post("$uri?scope=$scope", $frame, @o);
}


# Returns a C2A event from alice to bob that must be answered.
sub deliver {
    my %params = @_;
    my $id = delete $params{eventId} // 'evt-' . uuid4();

    return {
        jsonrpc => '2.0', id => 'call-1', method => 'chat/deliver',
        params => {
            eventId => $id,
            source => { platform => 'chat' },
            conversation => { id => 'C-ops-1234', kind => 'dm' },
            author => { id => 'alice', kind => 'agent' },
            target => { recipient => 'agent:bob', directedness => 'to_me' },
            content => [{ type => 'text', text => 'Is it blocked?' }],
            timing => { createdAt => timestamp() },
            attention => { policy => 'must_respond', priority => 'high',
                           deadlineMs => 30000 },
            injection => { mode => 'buffered' },
            reliability => { idempotencyKey => "$id:agent:bob" }, %params },
    };
}


# Returns an event of a channel that must not be answered.
sub ambient {
    return deliver(conversation => { id => 'ops', kind => 'channel' },
                   target => { directedness => 'ambient' },
                   attention => { policy => 'must_not_respond',
                                  priority => 'normal' },
                   injection => { mode => 'tool_mailbox' }, @_);
}


sub knock {
    my $m = ambient(target => { directedness => 'to_my_role' },
                    attention => { policy => 'may_respond' },
                    injection => { mode => 'notify' });

    delete $m->{params}{content};
    $m->{params}{knock} = { from => 'agent:alice', where => 'channel:ops',
                            directedness => 'to_my_role',
                            policy => 'may_respond', priority => 'normal',
                            topic => 'a question about the rollback',
                            pullWith => 'chat.read_thread', @_ };

    return $m;
}


# Returns a call of a tool.
sub call {
    my ($tool, %arguments) = @_;

    return { jsonrpc => '2.0', id => 7, method => 'tools/call',
             params => { name => $tool, arguments => \%arguments } };
}


sub say {
    return call('chat.send_message', target => 'agent:bob',
                idempotencyKey => 'send-' . uuid4(), visibility => 'thread',
                directedness => 'to_me', text => 'Is it blocked?', @_);
}


sub react {
    my ($signal, %other) = @_;

    return call('chat.react', inReplyTo => 'evt-' . uuid4(),
                signal => $signal, %other);
}


sub notice {
    my ($method, %params) = @_;

    return { jsonrpc => '2.0', method => "notifications/$method",
             params => \%params };
}


# Returns a frame to bob from alice, whose session belongs to lead.
sub frame {
    my ($kind, $payload, %other) = @_;

    return { envelope_version => '1.0', frame_id => uuid4(), kind => $kind,
             sender_handle => '~cc-alice', recipient_handle => '~cc-bob',
             created_at => timestamp(), payload => $payload,
             acted_by => '~lead', drafted_with => '~cc-alice@1.0',
             provenance_compute_location => 'server-active',
             provenance_method => ['session-context'],
             provenance_context_check => 'passed',
             provenance_basis => 'agent-channel', %other };
}


sub query {
    my %o = @_;
    my ($sender) = ($o{sender_handle} // '') =~ /^(~[a-z-]+)$/;

    $sender //= '~cc-alice';

    return frame('agent_query', { query_text => 'who has the branch?',
                                  query_id => uuid4(), timeout_ms => 30000,
                                  response_scope => "$sender/*" }, %o);
}


sub advisory {
    return frame('agent_advisory', { advisory_text => 'editing README' }, @_);
}


sub broadcast {
    return frame('agent_broadcast', { broadcast_text => 'merged',
                                      event_class => 'merged' }, @_);
}


sub diagnostic {
    my ($severity, %other) = @_;

    return frame('peer_diagnostic_request',
                 { symptom => 'tests hang', diagnostic_id => uuid4(),
                   severity => $severity }, recipient_handle => '~lead',
                 %other);
}


# Returns a MoQ command of alice; the query argument recipient names its
# recipient.
sub command {
    my ($action, %other) = @_;

    return { action => $action, session_id => uuid4(),
             payload => { text => 'do it' }, %other };
}


# ---- answers of a service to the message $q, in the message's protocol

sub protocol {
    my $m = shift;

    return exists $m->{vcp_message} ? 'vcp' : exists $m->{jsonrpc} ? 'c2a'
         : exists $m->{envelope_version} ? 'channel'
         : exists $m->{action} ? 'moq' : 'aee';
}


# Returns the answer in the VCP version of the message that it answers.
sub alike {
    my ($m, $answer) = @_;

    return $m->{vcp_message} eq '2.0' ? as_vcp2($answer) : $answer;
}


sub respond {
    my ($c, $status, $value) = @_;

    return $c->answer($status, [], jcs($value));
}


# The service accepts the message.
sub took {
    my ($c, $q) = @_;

    my $m = $q->{json};
    my $p = protocol($m);

    return respond($c, 202, aee(type => 'stream', from => $m->{to},
                                to => $m->{from}, intent => $m->{intent},
                                corr => $m->{corr},
                                payload => { status => 'accepted' }))
        if $p eq 'aee';
    return respond($c, 200, { status => 'accepted',
                              message_id => $m->{message_id} })
        if $p eq 'vcp';
    return respond($c, 200, { jsonrpc => '2.0', id => $m->{id},
                              result => { accepted => true,
                                          disposition => 'claimed' } })
        if $p eq 'c2a';
    return respond($c, 200, { frame_id => $m->{frame_id}, delivered => 2 })
        if $p eq 'channel';
    return respond($c, 200, { action => $m->{action},
                              session_id => $m->{session_id},
                              status => 'accepted' });
}


# Returns the service's message that the request was carried out.
sub done {
    my ($m, $text) = @_;

    my $p = protocol($m);

    return result($m, payload => { text => $text }) if $p eq 'aee';
    return alike($m, vcp(
               type => 'escalation', sender => $m->{recipient},
               recipient => $m->{sender},
               payload => { severity => $m->{payload}{severity} // 'warning',
                            reason => "ACK:$m->{message_id} $text",
                            context => 'ctx|service',
                            requires_ack => false }))
        if $p eq 'vcp';
    return { target => { id => $m->{params}{conversation}{id},
                         kind => 'thread' },
             idempotencyKey => 'answer-1', visibility => 'thread',
             directedness => 'to_me', text => $text,
             inReplyTo => $m->{params}{eventId} }
        if $p eq 'c2a';
    return reply_frame($m, $text) if $p eq 'channel';
    return { action => $m->{action}, session_id => $m->{session_id},
             status => 'approved', payload => { text => $text } };
}


# Returns an agent_response to a query, a peer_diagnostic_response to a
# diagnostic.
sub reply_frame {
    my ($m, $text) = @_;

    my $payload = $m->{payload};
    my %back = (sender_handle => $m->{recipient_handle},
                recipient_handle => $m->{sender_handle},
                acted_by => '~lead', drafted_with => '~cc-bob@2');

    return frame('peer_diagnostic_response',
                 { diagnostic_id => $payload->{diagnostic_id},
                   finding => $text }, %back)
        if $m->{kind} eq 'peer_diagnostic_request';

    return frame('agent_response',
                 { query_id => $payload->{query_id} // $m->{frame_id},
                   responder_session_id => 's-2', response_text => $text },
                 %back);
}


# The service answers in the same exchange.
sub answered {
    my ($c, $q, $text) = @_;

    my $m = $q->{json};
    my $p = protocol($m);
    my $done = done($m, $text // 'it is done');

    return respond($c, 200, { status => 'accepted',
                              message_id => $m->{message_id},
                              reply => $done })
        if $p eq 'vcp';
    return respond($c, 200, { jsonrpc => '2.0', id => $m->{id},
                              result => { accepted => true,
                                          disposition => 'responded',
                                          message => $done } })
        if $p eq 'c2a';

    return respond($c, 200, $done);
}


# The service answers that it did not carry out the request: C2A by a reaction,
# VCP by an escalation.  agent-channel has no frame for that, so its service
# replies with a text.
sub failed {
    my ($c, $q) = @_;

    my $m = $q->{json};
    my $p = protocol($m);

    return respond($c, 200, failure($m)) if $p eq 'aee';
    return respond($c, 200, { status => 'accepted',
                              message_id => $m->{message_id},
                              reply => alike($m, vcp(
                                  type => 'escalation',
                                  sender => $m->{recipient},
                                  recipient => $m->{sender},
                                  payload => { severity => 'warning',
                                               reason => 'it broke',
                                               context => 'ctx|service',
                                               requires_ack => false })) })
        if $p eq 'vcp';
    return respond($c, 200, { jsonrpc => '2.0', id => $m->{id},
                              result => { accepted => true,
                                          disposition => 'failed',
                                          message => {
                                   inReplyTo => $m->{params}{eventId},
                                   signal => 'blocked',
                                   reason => 'it broke' } } })
        if $p eq 'c2a';
    return respond($c, 200, { action => $m->{action},
                              session_id => $m->{session_id},
                              status => 'error', error_code => 500,
                              payload => { text => 'it broke' } })
        if $p eq 'moq';

    return respond($c, 200, reply_frame($m, 'it broke'));
}


# The service refuses, with a code of its own.
sub refused {
    my ($c, $q, $status, $code) = @_;

    my $m = $q->{json};
    my $p = protocol($m);

    $status //= 403;
    $code //= 'policy-refused';

    if ($p eq 'aee') {
        (my $word = "E_\U$code") =~ tr/-/_/;

        return respond($c, $status, failure($m, code => $word,
                                            message => 'not now'));
    }

    return respond($c, $status, { status => 'rejected',
                                  message_id => $m->{message_id},
                                  code => $code, field => '/type',
                                  message => 'not now' })
        if $p eq 'vcp';
    return respond($c, $status, { jsonrpc => '2.0', id => $m->{id},
                                  error => { code => -31403,
                                             message => 'not now',
                                             data => { code => $code } } })
        if $p eq 'c2a';
    return respond($c, $status, { action => $m->{action},
                                  session_id => $m->{session_id},
                                  status => 'denied', error_code => $status,
                                  payload => { text => 'not now' } })
        if $p eq 'moq';

    return respond($c, $status, { code => $code, message => 'not now' });
}


# The service answers with a stream of events: progress, if its protocol has
# such a message, and then the result.
sub events {
    my ($c, $q) = @_;

    my $m = $q->{json};
    my $p = protocol($m);
    my $done = done($m, 'it is done');
    my $now = $p eq 'aee'
            ? aee(type => 'stream', from => $m->{to}, to => $m->{from},
                  intent => $m->{intent}, corr => $m->{corr},
                  payload => { text => 'half' })
            : $p eq 'c2a'
            ? notice('progress', progressToken => $m->{params}{eventId},
                     progress => 1, total => 2, message => 'half')
            : $p eq 'channel'
            ? frame('agent_advisory', { advisory_text => 'half' },
                    sender_handle => $m->{recipient_handle},
                    recipient_handle => $m->{sender_handle},
                    drafted_with => '~cc-bob@2')
            : undef;

    $done = { jsonrpc => '2.0', id => $m->{id},
              result => { accepted => true, disposition => 'responded',
                          message => $done } }
        if $p eq 'c2a';

    $c->events;
    $c->out('data: ' . jcs($_) . "\n\n") for grep { defined } $now, $done;
}


# scripts of services can call all of these functions
{
    package Parley::Upstream::Script;

    Parley::Matrix->import;
}


1;

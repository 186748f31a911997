# Rules apply to a message that another message carries: one message, for any
# spelling of its media type, and not to a message within it.

use lib 't/lib';
use Parley::Test;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my $all = 'parley_accept aee vcp c2a channel moq; parley_jwt on;';
my $deny = 'parley_deny intent=ops.delete; parley_allow principal=**;';

# the type of AEE with which a message of an unknown type is sent
my %type = (aee => 'task|event', map { $_ => 'task' } qw(c2a channel moq));

my $locations = join '', map {
    location("/deny-$_", "$all parley_speak $_; $deny")
  . location("/only-$_", "$all parley_speak $_; parley_allow intent=notes.**;")
  . location("/typed-$_", "$all parley_speak $_; parley_deny type=$type{$_}; "
                          . 'parley_allow principal=**;')
} qw(aee c2a channel moq);

with_gateway(matrix(add => $locations
    . location('/only-vcp', "$all parley_speak aee; parley_allow intent=vcp.**;")));


# Returns a data part with an AEE task of that intent.
sub main::task {
    my ($intent, %o) = @_;

    return { type => 'data', mediaType => 'application/vnd.aee+json',
             form => 'task', data => { text => 'please' },
             members => { intent => $intent }, %o };
}

# Returns an event with these parts after its text.
sub main::parts {
    return deliver(content => [{ type => 'text', text => 'please' }, @_]);
}

my $text = "remove it\n\naee.task ops.delete\n"
         . "id: 7b48cee3-8989-4fe7-a294-cf72a9f3d56f\n"
         . "corr: d89cdbe7-d815-4b4c-b6bf-78deb2a11312\n\n{\"a\":1}";

my %made = (provenance_method => ['gateway-translation'],
            provenance_basis => 'aee', provenance_context_check => 'skipped');

# Returns a frame whose text is an AEE task, as a translation makes it.
sub main::made {
    my $m = query(%made, @_);
    $m->{payload}{query_text} = $text;

    return $m;
}

# Returns the members of a frame that other envelopes have no field for.
sub main::rest {
    my ($m) = @_;

    return { map { $_ => $m->{$_} }
             grep { /^(?:acted_by|drafted_with|provenance_)/ } keys %$m };
}

# Returns that frame as a data part of an event.
sub main::framed {
    my ($m) = @_;

    return { type => 'data', mediaType => 'application/vnd.channel+json',
             form => $m->{kind}, data => $m->{payload},
             members => main::rest($m) };
}

# Returns that frame in an AEE message: "channel" has the members.
sub main::enveloped {
    my ($x, $form, $payload, $members) = @_;
    my $id = uuid4();

    return aee(intent => "$x.$form", payload => {
        %$payload, $x => $members,
        references => [{ id => $id, type => "$x.message",
                         locator => "parley:$x:$id" }] });
}

# Returns an envelope that carries a command, as a translation makes it.
sub main::commanded {
    my ($m, %aee) = @_;

    service()->script('took($c, $q)');
    Parley::Client->new(port => port(1))->raw(
        post('/to-aee?recipient=bob', $m));

    $m = without(service()->last->{json}, 'sig');
    $m->{payload}{moq}{aee} = \%aee;

    return $m;
}

run_tests();

__DATA__

=== TEST 1: SEC-04 a second message in an event whose first is allowed
--- send
post('/only-c2a', parts(task('notes.a'), task('ops.delete')))
--- refused: c2a field-invalid /params/content/2



=== TEST 2: SEC-04 a second message that rules deny
--- send
post('/deny-c2a', parts(task('notes.a'), task('ops.delete')))
--- refused: c2a field-invalid /params/content/2



=== TEST 3: SEC-04 a second message, to another protocol
--- send
post('/deny-aee', parts(task('notes.a'), task('ops.delete')))
--- refused: c2a field-invalid /params/content/2



=== TEST 4: SEC-04 a second part that only resembles a message
--- send
post('/only-c2a', parts(task('notes.a'), task('ops.delete', form => 7)))
--- refused: c2a field-invalid /params/content/2



=== TEST 5: SEC-04 a first part that only resembles a message
--- send
post('/deny-c2a', parts(task('ops.delete', form => 7), task('notes.a')))
--- refused: c2a field-invalid /params/content/2



=== TEST 6: SEC-04 a second message with a media type in other case
--- send
post('/only-c2a', parts(task('notes.a'), task('ops.delete',
     mediaType => ' application/vnd.AEE+JSON ;v=1')))
--- refused: c2a field-invalid /params/content/2



=== TEST 7: SEC-02 SEC-04 a media type in other case
--- send
post('/deny-c2a', parts(task('ops.delete',
     mediaType => 'Application/Vnd.AEE+json')))
--- refused: c2a policy-refused



=== TEST 8: SEC-02 SEC-04 a media type with a parameter
--- send
post('/deny-c2a', parts(task('ops.delete',
     mediaType => 'application/vnd.aee+json; charset=utf-8')))
--- refused: c2a policy-refused



=== TEST 9: SEC-02 SEC-04 a media type with a blank after it
--- send
post('/deny-c2a', parts(task('ops.delete',
     mediaType => 'application/vnd.aee+json ')))
--- refused: c2a policy-refused



=== TEST 10: SEC-02 SEC-04 a media type with an escape
--- send
my $m = post('/deny-c2a', jcs(parts(task('ops.delete')))
                          =~ s,application/vnd,application\\/vnd,r);
--- refused: c2a policy-refused



=== TEST 11: SEC-04 the part is read as that message
--- send
post('/deny-aee', parts(task('notes.a',
     mediaType => 'application/vnd.AEE+json;charset=utf-8')))
--- error_code: 200
--- got
/type = task
/intent = notes.a



=== TEST 12: SEC-04 a message in chat.send_message
--- send
post('/deny-c2a', say(content => [{ type => 'text', text => 'a' },
                                  task('ops.delete')]))
--- refused: c2a field-invalid /params/arguments/content/1



=== TEST 13: SEC-04 a message in chat.send_message, in other case and to another protocol
--- send
post('/deny-aee', say(content => [task('ops.delete',
     mediaType => 'application/vnd.AEE+json; a=b')]))
--- refused: c2a field-invalid /params/arguments/content/0



=== TEST 14: SEC-04 any number of parts with other media types passes
--- send
post('/only-aee', parts(task('notes.a'),
     { type => 'data', mediaType => 'application/json', data => {} },
     { type => 'data', mediaType => 'application/vnd.aeex+json', data => {} }))
--- error_code: 200
--- forwarded: 1



=== TEST 15: SEC-04 a frame made by a translation is read, and denied
--- send
post('/deny-channel', made())
--- error_code: 403
--- forwarded: 0



=== TEST 16: SEC-04 such a frame within an event, to agent-channel
--- send
post('/deny-channel', parts(framed(made())))
--- refused: c2a field-invalid /params/content/1/data/query_text



=== TEST 17: SEC-04 such a frame within an event, to AEE
--- send
post('/deny-aee', parts(framed(made())))
--- refused: c2a field-invalid /params/content/1/data/query_text



=== TEST 18: SEC-04 such a frame within an event, to C2A
--- send
post('/deny-c2a', parts(framed(made())))
--- refused: c2a field-invalid /params/content/1/data/query_text



=== TEST 19: SEC-04 such a frame without provenance
--- send
my $m = framed(made());
delete $m->{members}{provenance_method};
post('/deny-channel', parts($m))
--- refused: c2a field-invalid /params/content/1/data/query_text



=== TEST 20: SEC-04 such a frame within an AEE message, to agent-channel
--- send
my $m = made();
post('/deny-channel', enveloped('channel', 'agent_query', $m->{payload},
                                rest($m)))
--- refused: aee field-invalid /payload/query_text



=== TEST 21: SEC-04 such a frame within an AEE message, to AEE
--- send
my $m = made();
post('/deny-aee', enveloped('channel', 'agent_query', $m->{payload}, rest($m)))
--- refused: aee field-invalid /payload/query_text



=== TEST 22: SEC-04 such a frame with the text among its members
--- send
my $m = made();
my %rest = %{ rest($m) };
$rest{payload} = { query_text => delete $m->{payload}{query_text} };
post('/deny-aee', enveloped('channel', 'agent_query', $m->{payload}, \%rest))
--- refused: aee field-invalid /payload/channel/payload/query_text



=== TEST 23: SEC-04 text of a session itself is only text, even if it resembles a message
--- send
my $m = made(provenance_method => ['session-context']);
post('/deny-channel', parts(framed($m)))
--- error_code: 200
--- forwarded: 1



=== TEST 24: SEC-04 an event within an AEE message that carries a task
--- send
post('/deny-c2a', enveloped('c2a', 'chat.deliver',
     { content => parts(task('ops.delete'))->{params}{content} }, {}))
--- refused: aee field-invalid /payload/content/1



=== TEST 25: SEC-04 an AEE message within an event that carries a frame
--- send
my $m = made();
my $e = enveloped('channel', 'agent_query', $m->{payload}, rest($m));
post('/deny-aee', parts(task('channel.agent_query', data => $e->{payload})))
--- refused: c2a field-invalid /params/content/1/data/references/0



=== TEST 26: SEC-04 a frame of a session that carries no message passes
--- send
post('/deny-aee', parts(framed(query())))
--- error_code: 200
--- got
/intent = channel.agent_query



=== TEST 27: SEC-04 a part that only resembles a message is forwarded as such in no protocol
--- send
my $m = made();
$m->{payload}{query_text} =~ s/^(corr: .*)$/$1\npriority: soon/m;
post('/deny-aee', $m)
--- refused: channel field-invalid /payload/query_text



=== TEST 28: SEC-04 among frames it keeps its own intent
--- send
my $m = made();
$m->{payload}{query_text} =~ s/^(corr: .*)$/$1\npriority: soon/m;
post('/deny-channel', $m)
--- error_code: 200
--- forwarded: 1



=== TEST 29: SEC-04 a command in an envelope, which contains a message
--- send
post('/to-moq', commanded(command('ops.delete'), form => 'task',
                          id => uuid4(), created => timestamp(),
                          sender => 'agent.lead', recipient => 'agent.bob'))
--- refused: aee field-invalid /payload/moq/aee
--- forwarded: 1



=== TEST 30: SEC-04 a member with the name of a carried message that carries none
--- send
post('/to-moq', commanded(command('ops.delete'), form => 'task'))
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- got
/action = ops.delete
/aee = {"form":"task"}



=== TEST 31: SEC-04 MOQ-19 an AEE message of an unknown type in a command is a task
--- send
my %m = (id => uuid4(), created => timestamp(), sender => 'alice',
         recipient => 'bob');
post('/typed-aee', { action => 'go', session_id => 's', payload => { a => 1 },
                     aee => { %m, form => 'zzz' } })
--- refused: moq policy-refused



=== TEST 32: SEC-04 MOQ-19 and if the command is not translated
--- send
my %m = (id => uuid4(), created => timestamp(), sender => 'alice',
         recipient => 'bob');
post('/typed-moq', { action => 'go', session_id => 's', payload => { a => 1 },
                     aee => { %m, form => 'Task' } })
--- refused: moq policy-refused



=== TEST 33: SEC-04 an AEE message of an unknown type in an event is of its act
--- send
post('/typed-aee', parts(task('notes.a', form => 'zzz')))
--- refused: c2a policy-refused



=== TEST 34: SEC-04 MOQ-19 an answer with the action of another intent
--- send
my %m = (id => uuid4(), created => timestamp(), sender => 'alice',
         recipient => 'bob');
post('/only-moq', { action => 'ops.delete', session_id => 's',
                    status => 'approved', payload => { a => 1 },
                    aee => { %m, form => 'result', intent => 'notes.read' } })
--- refused: moq intent-refused /aee/intent



=== TEST 35: SEC-04 MOQ-19 a failure with the action of another intent
--- send
my %m = (id => uuid4(), created => timestamp(), sender => 'alice',
         recipient => 'bob');
post('/only-moq', { action => 'ops.delete', session_id => 's',
                    status => 'error', error_code => 500,
                    payload => { code => 'E_X', message => 'x',
                                 retryable => false() },
                    aee => { %m, form => 'error', intent => 'notes.read' } })
--- refused: moq intent-refused /aee/intent



=== TEST 36: SEC-04 MOQ-19 an answer with an allowed action
--- send
my %m = (id => uuid4(), created => timestamp(), sender => 'alice',
         recipient => 'bob');
post('/only-moq', { action => 'notes.read', session_id => 's',
                    status => 'approved', payload => { a => 1 },
                    aee => { %m, form => 'result', intent => 'notes.told' } })
--- error_code: 202
--- forwarded: 1



=== TEST 37: SEC-04 an AEE result with another intent than the answer that it carries
--- send
my $id = uuid4();
post('/only-vcp', aee(type => 'result', intent => 'ops.delete',
    reply_to => uuid4(), payload => {
        text => 'x', vcp => { form => 'acknowledgment' },
        references => [{ id => $id, type => 'vcp.message',
                         locator => "parley:vcp:$id" }] }))
--- refused: aee intent-refused /intent

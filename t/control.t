# SEC-01: ids, handles, intents and all other names have no control characters
# (C0, DEL, C1), in any protocol.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my %o = matrix();
my $nginx = Parley::Nginx->start(http => "$o{http} server {\n$o{server}\n}\n");
my $client = Parley::Client->new(port => port(1));


sub sent {
    my ($uri, $message, @o) = @_;

    $service->clear;

    return $client->raw(post($uri, $message, @o));
}


# a message, and the names in it that a sender may choose
my @named = (
    ['/to-aee', sub { aee(references => 1) },
     qw(/id /from /to /intent /corr)],
    ['/to-aee', sub { result({ %{ aee() }, id => uuid4() }) }, '/reply_to'],
    ['/to-aee', sub { aee(trace => { trace_id => 'a', span_id => 'b' }) },
     qw(/trace/trace_id /trace/span_id)],
    ['/to-aee', sub { aee(payload => { references => [{ id => 'x',
                          type => 'aee.ext.x', corr => 'c', hash => 'h',
                          locator => 'l' }] }) },
     map { "/payload/references/0/$_" } qw(id corr hash locator)],
    ['/to-vcp', sub { vcp() }, qw(/sender /recipient /message_id)],
    ['/to-vcp', sub { constraint() }, '/payload/constraints/0/type'],
    ['/to-c2a', sub { deliver(conversation => { id => 'C', kind => 'thread',
                                  threadId => 'T', streamId => 'S' },
                              author => { id => 'alice', kind => 'agent',
                                          displayName => 'A' },
                              target => { recipient => 'agent:bob',
                                          directedness => 'to_me',
                                          mentions => ['agent:bob'] }) },
     qw(/id /method /params/eventId /params/conversation/id
        /params/conversation/threadId /params/conversation/streamId
        /params/author/id /params/author/kind /params/author/displayName
        /params/target/recipient /params/target/mentions/0
        /params/reliability/idempotencyKey)],
    ['/to-c2a', sub { call('chat.send_message', target => 'agent:bob',
                           inReplyTo => 'e', idempotencyKey => 'k',
                           visibility => 'dm', directedness => 'to_me',
                           text => 'x') },
     qw(/params/name /params/arguments/target /params/arguments/inReplyTo
        /params/arguments/idempotencyKey)],
    ['/to-c2a', sub { notice('cancelled', requestId => 'r') },
     '/params/requestId'],
    ['/to-c2a', sub { notice('progress', progressToken => 'r', progress => 1) },
     '/params/progressToken'],
    ['/to-channel', sub { advisory() },
     qw(/frame_id /sender_handle /recipient_handle /acted_by /drafted_with
        /provenance_basis /provenance_method/0)],
    ['/to-channel', sub { frame('agent_advisory', { advisory_text => 'x',
                              file_refs => ['f'], worktree => 'w',
                              branch => 'b' }) },
     map { "/payload/$_" } qw(worktree branch file_refs/0)],
    ['/to-channel', sub { frame('agent_handover', { previous_session_id => 'p',
                              next_session_id => 'n', handover_body => 'h',
                              pointer_refs => ['x'] }) },
     map { "/payload/$_" } qw(previous_session_id next_session_id
                              pointer_refs/0)],
    ['/to-channel', sub { frame('agent_response', { query_id => uuid4(),
                              responder_session_id => 's',
                              response_text => 'x', refs => ['r'] }) },
     map { "/payload/$_" } qw(query_id responder_session_id refs/0)],
    ['/to-channel', sub { query() }, '/payload/response_scope'],
    ['/to-moq', sub { command('backup.run', track_name => 't',
                              subscriber_id => 's', track_url => 'u',
                              status => 'x', payload => { text => 'x' }) },
     qw(/action /session_id /track_name /subscriber_id /track_url /status)],
);

my %control = ('CR LF' => "\r\n", 'tab' => "\t", 'NUL' => "\0",
               'ESC' => "\e", 'U+001F' => "\x1f", 'DEL' => "\x7f",
               'U+0080' => "\x{80}", 'NEL' => "\x{85}", 'CSI' => "\x{9b}",
               'U+009F' => "\x{9f}");


# Returns a copy with characters inserted into the text at a pointer.
sub spoiled {
    my ($m, $pointer, $text) = @_;

    my $copy = from_json(jcs($m));
    my @steps = split m{/}, substr $pointer, 1;
    my $last = pop @steps;
    my $at = $copy;

    $at = ref $at eq 'ARRAY' ? $at->[$_] : $at->{$_} for @steps;

    if (ref $at eq 'ARRAY') {
        substr $at->[$last], 1, 0, $text;

    } else {
        die "$pointer\n" if !defined $at->{$last};
        substr $at->{$last}, 1, 0, $text;
    }

    return $copy;
}


for my $case (@named) {
    my ($uri, $make, @pointers) = @$case;

    for my $pointer (@pointers) {
        subtest "SEC-01 $uri $pointer" => sub {
            my @names = $pointer eq '/id' && $uri eq '/to-aee'
                        ? sort keys %control : ('CR LF', 'NUL', 'NEL');

            for my $name (@names) {
                my $answer = sent($uri, spoiled($make->(), $pointer,
                                                $control{$name}));

                my $json = $answer->{json} // {};
                my $field = $json->{field} // $json->{error}{data}{field}
                            // $json->{payload}{field} // $json->{detail};

                is($answer->{status}, 400, "$name: $answer->{body}");
                like($field // $answer->{body}, qr/\Q$pointer\E\b/,
                     "$name: named") if $uri ne '/to-moq';
                is($service->count, 0, "$name: nothing went on");
            }
        };
    }
}


subtest 'SEC-01 other characters may be in a name' => sub {
    for my $text ("\x{a0}", "\x{ad}", "\x{e9}", "\x{2028}", "\x{1f600}", ' ',
                  '"', '\\', '<')
    {
        for my $pointer (qw(/id /corr /intent)) {

            # it ends a line in a text
            next if $pointer eq '/intent' && $text eq "\x{2028}";

            is(sent('/to-aee', spoiled(aee(), $pointer, $text))->{status},
               202, "$pointer: " . sprintf 'U+%04X', ord $text);
        }
    }
};


# answers, complete and in events

for my $name (qw(id intent from)) {
    my $bad = '{ %{ result($q->{json}) }, ' . $name
            . ' => "agent.bob\\r\\nX: 1" }';

    subtest "SEC-01 an answer whose $name has control characters" => sub {
        $service->script("\$c->answer(200, [], jcs($bad))");

        my $answer = sent('/to-aee', aee());

        is($answer->{status}, 502, 'of the service\'s own protocol');
        is($answer->{json}{payload}{code}, 'E_UPSTREAM_INVALID');

        $answer = sent('/to-aee', deliver());
        is($answer->{json}{error}{data}{code}, 'upstream-invalid',
           'translated') or diag $answer->{body};

        $service->script('$c->{keep} = 0; $c->out("HTTP/1.1 200 OK\r\n"'
            . '. "Content-Type: text/event-stream\r\nConnection: close\r\n"'
            . '. "\r\ndata: " . jcs(' . $bad . ') . "\n\n");');

        $answer = sent('/to-aee', aee());
        unlike($answer->{body}, qr/agent\.bob\\r/, 'in events');
        like($answer->{body}, qr/E_UPSTREAM_INVALID/, 'told so');
    };
}

$service->script(undef);


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;

# A member in other case than the protocol's: another reader may take it for
# the member that was checked, so every protocol refuses it.

use strict;
use warnings;

use lib 't/lib';

use Encode ();
use Test::More;

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2),
                                      '$c->answer(202, [], "")');

my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
    locations => join '', map { <<"EOT" }
        location = /$_ {
            parley_jwt on; parley_accept $_; parley_freshness past=300s;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location = /open/$_ {
            parley_jwt on; parley_accept $_ case=open;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location = /aee/$_ {
            parley_jwt on; parley_accept $_; parley_speak aee;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT
    qw(aee c2a channel vcp vcp2)) =~ s/accept (channel|vcp) case=open/accept $1/gr
                                  =~ s/accept aee; parley_speak/accept aee; #/gr);


# Returns a copy of a message with one more member, beside the member at a
# pointer.
sub beside {
    my ($m, $pointer, $name, $value) = @_;

    my $copy = from_json(jcs($m));
    my ($object, $last) = ($copy, undef);
    my @path = split m{/}, substr $pointer, 1;

    $last = pop @path;
    $object = ref $object eq 'ARRAY' ? $object->[$_] : $object->{$_} for @path;
    $object->{$name} = $value // $object->{$last} // 'x';

    return $copy;
}


sub refused {
    my ($uri, $m, $where, $name) = @_;

    $service->clear;

    my $answer = submit($m, as => 'alice', uri => $uri);

    cmp_ok($answer->{status}, '>=', 400, "$name: $where at $uri")
        or diag $answer->{body};
    like($answer->{body}, qr/field-unknown|E_FIELD_UNKNOWN/, 'as unknown');
    like($answer->{body}, qr/\Q$where\E"/, 'with its pointer');
    is(scalar $service->requests, 0, 'the service gets nothing');
}


sub passes {
    my ($uri, $m, $name) = @_;

    $service->clear;

    submit($m, as => 'alice', uri => $uri);
    is(scalar(my ($got) = $service->requests), 1, "$name at $uri");

    return $got;
}


sub fresh { Parley::Matrix::deliver(@_) }

my @event = (
    ['/params/author', 'Author', { id => 'bob', kind => 'agent' }],
    ['/params/author', 'AUTHOR'], ['/params/target', 'Target'],
    ['/params/eventId', 'EventId'], ['/params/eventId', 'eventid'],
    ['/params/conversation', 'Conversation'], ['/params/content', 'Content'],
    ['/params/knock', 'Knock', {}], ['/params/injection', 'Injection'],
    ['/params/author/id', 'Id', 'bob'], ['/params/author/kind', 'Kind', 'human'],
    ['/params/author/displayName', 'displayname'],
    ['/params/target/recipient', 'Recipient', 'agent:lead'],
    ['/params/target/mentions', 'Mentions', ['agent:lead']],
    ['/params/conversation/id', 'ID', 'C-other'],
    ['/params/conversation/threadId', 'threadID'],
    ['/params/timing/createdAt', 'createdat', '2020-01-01T00:00:00Z'],
    ['/params/attention/policy', 'Policy', 'must_not_respond'],
    ['/params/reliability/idempotencyKey', 'idempotencykey'],
);

for (@event) {
    my ($pointer, $name, $value) = @$_;
    my $where = $pointer =~ s{[^/]+$}{$name}r;

    refused($_, beside(fresh(), $pointer, $name, $value), $where,
            'SEC-01 C2A event')
        for '/c2a', '/aee/c2a';
}

my @call = (
    ['/params/name', 'Name', 'chat.claim'], ['/params/arguments', 'Arguments'],
    ['/params/arguments/target', 'Target', 'agent:lead'],
    ['/params/arguments/inReplyTo', 'inreplyto', 'evt-other'],
    ['/params/arguments/idempotencyKey', 'IdempotencyKey', 'k'],
    ['/params/arguments/target/recipient', 'Recipient', 'agent:lead'],
    ['/params/arguments/target/id', 'Id', 'C-other'],
);

for (@call) {
    my ($pointer, $name, $value) = @$_;
    my $where = $pointer =~ s{[^/]+$}{$name}r;
    my $m = { jsonrpc => '2.0', id => 3, method => 'tools/call', params => {
        name => 'chat.send_message', arguments => {
            target => { id => 'C-ops-1', recipient => 'agent:bob' },
            idempotencyKey => 'send-' . uuid4(), visibility => 'dm',
            directedness => 'to_me', text => 'x' } } };

    refused('/c2a', beside($m, $pointer, $name, $value), $where,
            'SEC-01 C2A call');
}

refused('/c2a', { jsonrpc => '2.0', id => 4, method => 'tools/call',
                  params => { name => 'grep', Name => 'rm', arguments => {} } },
        '/params/Name', 'SEC-01 a call of another tool');
refused('/c2a', { jsonrpc => '2.0', method => 'notifications/cancelled',
                  params => { requestId => 3, RequestId => 4 } },
        '/params/RequestId', 'SEC-01 a notification of MCP');


# Methods and tools in other case are unknown, and no service gets them: a
# service could take them for known ones, and the rules would not apply.

sub unknown {
    my ($m, $field, $code) = @_;

    for my $uri ('/c2a', '/aee/c2a') {
        $service->clear;

        my $answer = submit($m, as => 'alice', uri => $uri);
        my $error = $answer->{json}{error} // {};
        my $name = jcs($m->{params}{name} // $m->{method});

        is($error->{code}, $code, "SEC-01 $name at $uri")
            or diag $answer->{body};
        is($error->{data}{code}, 'kind-unknown', 'is unknown');
        is($error->{data}{field}, $field, 'by the member');
        is(scalar $service->requests, 0, 'the service gets nothing');
    }

    passes('/open/c2a', $m, 'with case=open');
}

for my $method ('Chat/Deliver', 'CHAT/DELIVER', 'chat/Deliver', 'Tools/Call',
                'Initialize', 'tools/List', 'notifications/Cancelled',
                "notif\x{131}cations/cancelled")
{
    my $m = { %{ fresh() }, method => $method, id => 7 };

    unknown($m, '/method', -32601);
}

for my $tool (qw(Chat.send_message chat.Send_Message CHAT_SEND_MESSAGE
                 Chat_React chat.REACT), "chat.re\x{17F}olve")
{
    unknown({ jsonrpc => '2.0', id => 3, method => 'tools/call', params => {
        name => $tool, arguments => {
            target => { id => 'C-ops-1', recipient => 'agent:bob' },
            idempotencyKey => 'send-' . uuid4(), visibility => 'dm',
            directedness => 'to_me', text => 'x' } } },
        '/params/name', -32602);
}

for my $other ('chat/delivers', 'Chat/Other', 'x/Chat/Deliver')
{
    passes('/c2a', { %{ fresh() }, method => $other, id => 7 },
           "C2A: $other");
}


# Unicode ignores the case between these letters and ASCII ones: U+0130,
# U+0131, U+017F, U+212A

for (['/c2a', fresh(), '/params/author', "\x{212A}ind", 'human', 'kind'],
     ['/c2a', fresh(), '/params', "\x{17F}ource", {}, 'source'],
     ['/c2a', fresh(), '/params', "T\x{131}ming", {}, 'timing'],
     ['/c2a', fresh(), '/params', "attent\x{130}on", {}, 'attention'],
     ['/aee', aee(), '', "t\x{17F}", 'x', 'ts'],
     ['/vcp2', vcp2(), '', "\x{17F}ender", 'agent://ops.example/bob',
      'sender'])
{
    my ($uri, $m, $object, $name, $value, $of) = @$_;
    my $where = Encode::encode_utf8("$object/$name");

    refused($uri, beside($m, "$object/x", $name, $value), $where,
            "SEC-01 beside $of");
}


# a similar name is another member

my $free = fresh();

$free->{params}{authors} = 'x';
$free->{params}{author}{name_} = 'x';
$free->{params}{content}[0]{Text} = 'not of the envelope';
$free->{params}{source}{Platform} = 'of the platform';

is_deeply(passes('/c2a', $free, 'C2A: other members')->{json}, $free,
          'as they are');
passes('/c2a', { jsonrpc => '2.0', id => 4, method => 'tools/call', params => {
    name => 'grep', arguments => { Target => 1, target => 2, Name => 3 } } },
       'C2A: what another tool takes');
passes('/open/c2a', beside(fresh(), '/params/author', 'Author'),
       'C2A: with case=open');




# open envelopes, and closed ones

refused('/aee', { %{ aee() }, From => 'agent.bob' }, '/From', 'AEE-08 AEE');
refused('/vcp2', vcp2(Sender => 'agent://ops.example/bob'), '/Sender',
        'VCP-01 VCP 2.0');

for (['vcp', vcp(Sender => 'agent://ops.example/bob'), '/Sender'],
     ['vcp', beside(vcp(), '/payload/context', 'Context', 'x'),
      '/payload/Context'],
     ['channel', { %{ frame('alice', 'bob') }, Sender_Handle => '~bob' },
      '/Sender_Handle'],
     ['channel', beside(frame('alice', 'bob'), '/payload/advisory_text',
                        'Advisory_Text', 'x'), '/payload/Advisory_Text'])
{
    refused("/$_->[0]", $_->[1], $_->[2], "SEC-01 $_->[0] is closed");
}

done_testing();

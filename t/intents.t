# parley_intents: payloads are validated by the schemas of their intents.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Test::More;

plan 'no_plan';

my $folders = 0;

# Makes a folder with these files.
sub folder {
    my %file = @_;

    my $dir = tmp_dir() . '/intents-' . ++$folders;

    mkdir $dir or die "$dir: $!\n";

    for (sort keys %file) {
        mkdir "$dir/$1" if m{^(.*)/} && !-d "$dir/$1";
        spew("$dir/$_", $file{$_});
    }

    return $dir;
}

my $intents = folder(
    'ops.backup.run.task.schema.json' =>
        '{"$schema": "https://json-schema.org/draft/2020-12/schema",
          "type": "object", "required": ["target"],
          "properties": {"target": {"$ref": "names.task.schema.json"},
                         "keep": {"type": "integer", "maximum": 30},
                         "paths": {"type": "array",
                                   "items": {"type": "string"}}},
          "additionalProperties": false}',
    'ops.backup.run.result.schema.json' =>
        '{"required": ["octets"], "properties": {"octets":
          {"type": "integer"}}}',
    'ops.backup.run.error.schema.json' =>
        '{"required": ["code", "message", "volume"]}',
    'names.task.schema.json' => '{"type": "string", "pattern": "^[a-z]+$"}',
    'deep/ops.restore.run.task.schema.json' => '{"required": ["from"]}',
    'vcp.escalation.task.schema.json' =>
        '{"properties": {"reason": {"maxLength": 20}}}',
    'aee.status.ping.task.schema.json' => '{"maxProperties": 0}',
    'README.md' => 'not JSON',
    'ops.backup.run.schema.json' => 'not that of a payload',
    'ops.backup.run.task.schema.json.orig' => '{',
    '.task.schema.json' => '{',
);

# Runs "nginx -t" with such a folder; returns (status, output).
sub check {
    my $dir = folder(@_);

    return Parley::Nginx->check(http => "parley_intents $dir;\n"
                                      . "server { listen 127.0.0.1:"
                                      . port(7) . '; }');
}

sub wrong {
    my ($what, $file, $line, $why, %file) = @_;

    my ($status, $said) = check($file => $file{text}, %{ $file{more} // {} });

    is($status, 1, "GW-11 $what");
    like($said, qr{\[emerg\] "/\S+/\Q$file\E\S*" line $line(?:, column \d+)?: $why}m,
         'the file, the line and the reason');
    like($said, qr/nginx\.conf:\d+/, 'and where it is named');
}

wrong('a stray comma', 'a.b.task.schema.json', '2, column 10',
      ' ?a member name was expected', text => qq({"type":\n"object",}));
wrong('a byte order mark', 'a.b.task.schema.json', '1, column 1',
      ' ?byte order mark', text => "\xef\xbb\xbf{}");
wrong('a schema that is no JSON', 'a.b.task.schema.json', 3, '.',
      text => "{\n  \"type\":\n  object\n}\n");
wrong('a schema that ends early', 'a.b.result.schema.json', 1, '.',
      text => '{"type": "object"');
wrong('an empty file', 'a.b.task.schema.json', 1, '.', text => '');
wrong('a schema of no type', 'a.b.error.schema.json', 2, '/type',
      text => "{\n\"type\": \"objekt\"}");
wrong('a pattern that is none', 'a.b.task.schema.json', 3,
      '/properties/x/pattern',
      text => qq[{"properties":\n{"x":\n{"pattern": "("}}}]);
wrong('a reference to nothing', 'a.b.task.schema.json', 2, '/\$ref',
      text => qq({\n"\$ref": "other.task.schema.json"}));
wrong('a format that is not supported, where formats are asserted',
      'a.b.task.schema.json', 3, '/properties/a/format',
      text => qq({"\$schema": "urn:x:asserting", "properties": {\n)
            . qq("a": {\n"format": "email"}}}),
      more => { 'asserting.task.schema.json' => '{"$id": "urn:x:asserting",
          "$vocabulary": {
              "https://json-schema.org/draft/2020-12/vocab/core": true,
              "https://json-schema.org/draft/2020-12/vocab/applicator": true,
              "https://json-schema.org/draft/2020-12/vocab/format-assertion":
                  true }}' });
wrong('a file that is a list', 'a.b.task.schema.json', 1, '.', text => '[]');
wrong('two files for one intent', 'a.b.task.schema.json', 1, '.',
      text => '{}', more => { 'sub/a.b.task.schema.json' => '{}' });

{
    my ($status, $said) = check('a.b.task.schema.json' => '{}',
                                'sub/A.B.task.schema.json' => '{}');

    is($status, 1, 'SEC-04 two files for one intent in other letters');
    like($said, qr{"/\S+/a\.b\.task\.schema\.json\S*" line 1: .*case}i,
         'the one is named');
    like($said, qr{case from "/\S+/a\.b\.task\.schema\.json"}i,
         'and the other');

    ($status, $said) = check('a.b.task.schema.json' => '{}',
                             'A.B.result.schema.json' => '{}');
    is($status, 0, 'SEC-04 of a task and of what answers it they may be');
}

{
    my ($status, $said) = check('README' => 'x');
    is($status, 0, 'GW-11 a folder without schemas');

    my $file = spew(tmp_dir() . '/no-folder', '{}');

    for ($file, tmp_dir() . '/nowhere') {
        ($status, $said) = Parley::Nginx->check(http => "parley_intents $_;");
        is($status, 1, 'GW-11 no folder');
        like($said, qr/"\Q$_\E" is not a folder.* in \S+nginx\.conf:\d+/);
    }

    ($status, $said) = Parley::Nginx->check(http =>
                           "parley_intents $intents; parley_intents $intents;");
    is($status, 1, 'GW-11 two folders');
    like($said, qr/"parley_intents" directive is duplicate/);

    ($status, $said) = Parley::Nginx->check(http => 'server { parley_intents '
                                                  . "$intents; }");
    is($status, 1, 'GW-11 elsewhere than in http');
    like($said, qr/"parley_intents" directive is not allowed here/);

    my $dir = folder('a.b.task.schema.json' => '{}');
    truncate "$dir/a.b.task.schema.json", 65 * 1024 * 1024;

    ($status, $said) = Parley::Nginx->check(http => "parley_intents $dir;");
    is($status, 1, 'GW-11 a file beyond all measure');
    like($said, qr/"\Q$dir\E\S+" is not a file, or is larger than 64m/);
}

with_gateway(more => "parley_intents $intents;",
    add => location('/redacted', 'parley_accept aee; parley_jwt on;
                                  parley_redact /payload/target;')
         . location('/mve5', 'parley_accept aee-mve5; parley_jwt on;')
         . location('/to-c2a', 'parley_accept aee; parley_speak c2a;
                                parley_jwt on;')
         . location('/to-moq', 'parley_accept aee; parley_speak moq;
                                parley_jwt on;')
         . location('/late', 'parley_accept aee c2a; parley_speak aee;
                              parley_jwt on;')
         . location('/dry', 'parley_accept aee; parley_jwt on;
                             parley_dry_run on;'));

run_tests();

__DATA__

=== TEST 1: AEE-33 a payload that is valid for its intent
--- send
post('/aee', aee(payload => { target => 'db', keep => 7, paths => ['a'] }))
--- error_code: 202
--- got_same



=== TEST 2: AEE-33 a missing member
--- send
post('/aee', aee(payload => { keep => 7 }))
--- refused: aee field-missing /payload/target



=== TEST 3: AEE-33 an unknown member
--- send
post('/aee', aee(payload => { target => 'db', colour => 'red' }))
--- refused: aee field-unknown /payload/colour



=== TEST 4: AEE-33 a value that is too large
--- send
post('/aee', aee(payload => { target => 'db', keep => 31 }))
--- refused: aee field-invalid /payload/keep
--- answer
/payload/message ~ keep



=== TEST 5: AEE-33 an error at a nested value
--- send
post('/aee', aee(payload => { target => 'db', paths => ['a', 'b', 3] }))
--- refused: aee field-invalid /payload/paths/2



=== TEST 6: AEE-33 schemas refer to each other by their files
--- send
post('/aee', aee(payload => { target => 'DB' }))
--- refused: aee field-invalid /payload/target



=== TEST 7: AEE-33 schemas in folders within the folder
--- send
post('/aee', aee(intent => 'ops.restore.run', payload => {}))
--- refused: aee field-missing /payload/from



=== TEST 8: AEE-33 without a schema every payload passes
--- send
post('/aee', aee(intent => 'ops.unheard.of', payload => { any => 1 }))
--- error_code: 202
--- got_same



=== TEST 9: AEE-33 a schema is for the exact intent
--- send
post('/aee', aee(intent => 'ops.backup.run.fast', payload => { any => 1 }))
--- error_code: 202
--- got_same



=== TEST 10: AEE-33 the schema of a task is not used for an event
--- send
post('/aee', aee(type => 'event', payload => { any => 1 }))
--- error_code: 202
--- got_same



=== TEST 11: AEE-33 a result that is sent as a message
--- send
post('/aee', aee(type => 'result', reply_to => 'some-task-1',
                 payload => { octets => 'many' }))
--- refused: aee field-invalid /payload/octets



=== TEST 12: AEE-33 an error that is sent as a message
--- send
post('/aee', aee(type => 'error', reply_to => 'some-task-1',
                 payload => { code => 'E_X', message => 'x' }))
--- refused: aee field-missing /payload/volume



=== TEST 13: AEE-33 a message of another protocol, by its intent
--- send
post('/vcp', escalation(requires_ack => true,
                        reason => 'longer than twenty characters'))
--- refused: vcp field-invalid /payload/reason



=== TEST 14: AEE-33 the id of a refused message is not recorded
--- send
my $m = aee(payload => {});
[post('/aee', $m), post('/aee', { %$m, payload => { target => 'db' } })]
--- error_code: 202
--- forwarded: 1



=== TEST 15: AEE-33 the payload is checked before it is redacted
--- send
post('/redacted', aee(payload => { target => 'db', keep => 7 }))
--- error_code: 202
--- got
! /payload/target
/payload/keep = 7



=== TEST 16: AEE-33 a log record has no payload
--- send
post('/mve5', { v => '1', id => uuid4(), type => 'task',
                intent => 'ops.backup.run', from => 'agent.alice' })
--- error_code: 202
--- got_same



=== TEST 17: AEE-33 in a dry run an invalid payload is forwarded
--- send
post('/dry', aee(payload => {}))
--- error_code: 202
--- forwarded: 1
--- got_same
--- error_log
field-missing /payload/target



=== TEST 18: AEE-33 an intent of the gateway may have a schema
--- send
post('/aee', aee(to => 'service.parley', intent => 'aee.status.ping',
                 payload => { loud => true }))
--- refused: aee field-invalid /payload



=== TEST 19: AEE-33 a valid result
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => { octets => 7 })))
--- send
post('/aee', aee(payload => { target => 'db' }))
--- error_code: 200
--- answer
/payload/octets = 7



=== TEST 20: AEE-33 a result with a missing member
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => { text => 'done' })))
--- send
post('/aee', aee(payload => { target => 'db' }))
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- answer
/payload/message ~ octets



=== TEST 21: AEE-33 an error with a missing member
--- service
$c->answer(200, [], jcs(failure($q->{json})))
--- send
post('/aee', aee(payload => { target => 'db' }))
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 22: AEE-33 a valid error
--- service
$c->answer(422, [], jcs(failure($q->{json}, volume => 'v1')))
--- send
post('/aee', aee(payload => { target => 'db' }))
--- error_code: 422
--- answer
/payload/volume = v1



=== TEST 23: AEE-33 GW-12 an invalid answer commits the id
--- service
$c->answer(200, [], jcs(result($q->{json},
    payload => $q->{json}{priority} eq 'low' ? { octets => 1 } : {})))
--- send
my $m = aee(payload => { target => 'db' });
[post('/aee', $m), post('/aee', { %$m, priority => 'low' })]
--- error_code: 409
--- forwarded: 1
--- each: ^(?:502|409)$



=== TEST 24: AEE-33 events of an answer are checked too
--- service
$c->events;
$c->out("data: " . jcs(result($q->{json}, payload => {})) . "\n\n");
--- send
post('/aee', aee(payload => { target => 'db' }))
--- error_code: 200
--- forwarded: 1
--- response_body_like: E_UPSTREAM_INVALID



=== TEST 25: AEE-33 a result with another intent counts as a result of its task
--- service
$c->answer(200, [], jcs(result($q->{json}, intent => 'ops.other.thing',
                               payload => { text => 'done' })))
--- send
post('/aee', aee(payload => { target => 'db' }))
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- answer
/payload/message ~ octets



=== TEST 26: AEE-33 an answer of another protocol keeps the task's intent, and its schema
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id}, result => {
    content => [{ type => 'text', text => 'done' }] } }))
--- send
post('/to-c2a', aee(payload => { target => 'db' }))
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- answer
/payload/message ~ octets



=== TEST 27: AEE-33 a valid answer of another protocol
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
                          result => { octets => 5 } }))
--- send
post('/to-c2a', aee(payload => { target => 'db' }))
--- answer
/type = result
/payload/octets = 5



=== TEST 28: AEE-33 an error of another protocol is checked too
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id}, result => {
    content => [{ type => 'text', text => 'no' }],
    isError => JSON::PP::true } }))
--- send
post('/to-c2a', aee(payload => { target => 'db' }))
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- answer
/payload/message ~ volume



=== TEST 29: AEE-33 errors of another protocol in events
--- service
$c->events;
$c->out('data: ' . jcs({ jsonrpc => '2.0', id => 1, method => 'tools/call',
    params => { name => 'chat.react', arguments => { signal => 'working',
    inReplyTo => $q->{json}{params}{eventId} } } }) . "\n\n");
$c->out('data: ' . jcs({ jsonrpc => '2.0', id => $q->{json}{id},
    result => { octets => 'many' } }) . "\n\n");
--- send
post('/to-c2a', aee(payload => { target => 'db' }))
--- events
/0/type = stream
/1/type = error
/1/payload/code = E_UPSTREAM_INVALID
! /2



=== TEST 30: AEE-33 an acceptance is not a result
--- service
$c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id},
                          result => { accepted => JSON::PP::true } }))
--- send
post('/to-c2a', aee(payload => { target => 'db' }))
--- error_code: 202



=== TEST 31: AEE-33 a later answer of another protocol
--- send
my $m = aee(to => 'agent.bob', payload => { target => 'db' });
[post('/to-c2a', $m),
 post('/late', { jsonrpc => '2.0', id => 7, method => 'tools/call',
                 params => { name => 'chat.react', arguments => {
                     inReplyTo => $m->{id}, signal => 'done' } } },
      as => 'bob')]
--- service
$c->answer(202);
--- refused: c2a field-missing
--- forwarded: 1
--- answer
/error/message ~ octets



=== TEST 32: AEE-33 a later result with another intent counts as a result of its task
--- send
my $m = aee(to => 'agent.bob', payload => { target => 'db' });
[post('/aee', $m),
 post('/late', result($m, intent => 'ops.other.run', payload => {}),
      as => 'bob')]
--- service
$c->answer(202);
--- refused: aee field-missing
--- forwarded: 1



=== TEST 33: AEE-33 a later error with another intent counts as an error of its task
--- send
my $m = aee(to => 'agent.bob', payload => { target => 'db' });
[post('/aee', $m),
 post('/late', { %{ failure($m) }, intent => 'ops.other.run' }, as => 'bob')]
--- service
$c->answer(202);
--- refused: aee field-missing
--- forwarded: 1



=== TEST 34: AEE-33 a later result with another intent, forwarded in AEE from elsewhere
--- send
my $m = aee(to => 'agent.bob', payload => { target => 'db' });
[post('/to-c2a', $m),
 post('/late', result($m, intent => 'ops.other.run', payload => {}),
      as => 'bob')]
--- service
$c->answer(202);
--- refused: aee field-missing
--- forwarded: 1



=== TEST 35: SEC-04 AEE-33 an intent in other case has the same schema
--- send
post('/aee', aee(intent => 'OPS.Backup.run', payload => { keep => 7 }))
--- refused: aee field-missing /payload/target



=== TEST 36: SEC-04 AEE-33 an answer to an intent in other case has the same schema
--- service
$c->answer(200, [], jcs(result($q->{json}, payload => { text => 'done' })))
--- send
post('/aee', aee(intent => 'ops.backup.RUN', payload => { target => 'db' }))
--- refused: aee upstream-invalid taken
--- forwarded: 1
--- answer
/payload/message ~ octets



=== TEST 37: SEC-04 AEE-33 a result with its intent in other case has the same schema
--- service
$c->answer(200, [], jcs(result($q->{json}, intent => 'OPS.backup.run',
                               payload => { text => 'done' })))
--- send
post('/aee', aee(payload => { target => 'db' }))
--- refused: aee upstream-invalid taken
--- forwarded: 1



=== TEST 38: SEC-04 AEE-33 a result that is sent as a message, in other letters
--- send
my $m = result(aee(), payload => { text => 'done' },
               intent => 'Ops.Backup.Run');
$m->{from} = 'agent.alice'; $m->{to} = 'agent.bob';
post('/aee', $m)
--- refused: aee field-missing /payload/octets



=== TEST 39: AEE-33 SEC-04 a service of MoQ has two names for an intent
--- send
post('/to-moq', aee(intent => 'moq.cmd.ops.backup.run', payload => { keep => 7 }))
--- refused: aee field-missing /payload/target



=== TEST 40: AEE-33 SEC-04 for another service the second name is another intent
--- send
post('/aee', aee(intent => 'moq.cmd.ops.backup.run', payload => { keep => 7 }))
--- error_code: 202

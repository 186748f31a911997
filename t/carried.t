# Rules see what a message carries: one message, however its media type is
# spelt, and none within that.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my $all = 'parley_accept aee vcp c2a channel moq; parley_jwt on;';
my $deny = 'parley_deny intent=ops.delete; parley_allow principal=**;';

with_gateway(matrix(add => join '', map {
    location("/deny-$_", "$all parley_speak $_; $deny")
  . location("/only-$_", "$all parley_speak $_; parley_allow intent=notes.**;")
} qw(aee c2a channel moq)));


# a data part with an AEE task of that intent
sub main::task {
    my ($intent, %o) = @_;

    return { type => 'data', mediaType => 'application/vnd.aee+json',
             form => 'task', data => { text => 'please' },
             members => { intent => $intent }, %o };
}

# an event with these parts behind its text
sub main::parts {
    return deliver(content => [{ type => 'text', text => 'please' }, @_]);
}

run_tests();

__DATA__

=== TEST 1: SEC-04 a second message in an event, where the first is allowed
--- send
post('/only-c2a', parts(task('notes.a'), task('ops.delete')))
--- refused: c2a field-invalid /params/content/2



=== TEST 2: SEC-04 where the second is denied
--- send
post('/deny-c2a', parts(task('notes.a'), task('ops.delete')))
--- refused: c2a field-invalid /params/content/2



=== TEST 3: SEC-04 to another protocol
--- send
post('/deny-aee', parts(task('notes.a'), task('ops.delete')))
--- refused: c2a field-invalid /params/content/2



=== TEST 4: SEC-04 a second that only looks like a message
--- send
post('/only-c2a', parts(task('notes.a'), task('ops.delete', form => 7)))
--- refused: c2a field-invalid /params/content/2



=== TEST 5: SEC-04 a first that only looks like one
--- send
post('/deny-c2a', parts(task('ops.delete', form => 7), task('notes.a')))
--- refused: c2a field-invalid /params/content/2



=== TEST 6: SEC-04 a second in other letters
--- send
post('/only-c2a', parts(task('notes.a'), task('ops.delete',
     mediaType => ' application/vnd.AEE+JSON ;v=1')))
--- refused: c2a field-invalid /params/content/2



=== TEST 7: SEC-02 SEC-04 a media type in other letters
--- send
post('/deny-c2a', parts(task('ops.delete',
     mediaType => 'Application/Vnd.AEE+json')))
--- refused: c2a policy-refused



=== TEST 8: SEC-02 SEC-04 with a parameter
--- send
post('/deny-c2a', parts(task('ops.delete',
     mediaType => 'application/vnd.aee+json; charset=utf-8')))
--- refused: c2a policy-refused



=== TEST 9: SEC-02 SEC-04 with a blank behind it
--- send
post('/deny-c2a', parts(task('ops.delete',
     mediaType => 'application/vnd.aee+json ')))
--- refused: c2a policy-refused



=== TEST 10: SEC-02 SEC-04 with an escape
--- send
my $m = post('/deny-c2a', jcs(parts(task('ops.delete')))
                          =~ s,application/vnd,application\\/vnd,r);
--- refused: c2a policy-refused



=== TEST 11: SEC-04 it is read as that message
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



=== TEST 13: SEC-04 the same, in other letters and to another protocol
--- send
post('/deny-aee', say(content => [task('ops.delete',
     mediaType => 'application/vnd.AEE+json; a=b')]))
--- refused: c2a field-invalid /params/arguments/content/0



=== TEST 14: SEC-04 data of other types passes, as many as there are
--- send
post('/only-aee', parts(task('notes.a'),
     { type => 'data', mediaType => 'application/json', data => {} },
     { type => 'data', mediaType => 'application/vnd.aeex+json', data => {} }))
--- error_code: 200
--- forwarded: 1

# parley_dry_run: all checks run, nothing is changed, and a proven caller is
# not refused.

use lib 't/lib';
use Parley::Test;
use Parley::Gateway;
use Parley::Message;

plan 'no_plan';

my $dry = 'parley_dry_run on; add_header X-Verdict $parley_verdict always; '
        . 'add_header X-Error $parley_error always; '
        . 'add_header X-Loss $parley_loss always;';

with_gateway(add =>
    location('/dry', "parley_accept aee vcp; parley_speak aee; parley_jwt on; $dry")
  . location('/dry-vcp', "parley_accept aee vcp; parley_speak vcp; parley_jwt on; $dry")
  . location('/dry-rate', "parley_accept aee; parley_jwt on; parley_rate 1r/h; $dry")
  . location('/dry-redact', "parley_accept aee; parley_jwt on; parley_redact /payload/secret; "
                          . "parley_cap priority=low; $dry")
  . location('/dry-signed', "parley_accept aee; parley_signature required; "
                          . 'parley_deny intent=ops.secret; '
                          . "parley_allow principal=**; $dry")
  . location('/dry-open', "parley_accept aee; parley_trusted on; $dry")
  . location('/dry-all', "parley_accept aee; parley_jwt on; "
                       . ($dry =~ s/parley_dry_run on/parley_dry_run all/r)));

run_tests();

__DATA__

=== TEST 1: SEC-05 dry run: a valid message is forwarded unchanged, without Parley- headers
--- service
$c->answer(200, ['Content-Type' => 'text/plain'], 'whatever')
--- send
post('/dry', aee(), headers => ['Parley-Other' => 'x', 'X-Other' => 'x'])
--- got_same
--- response_body: whatever
--- answer_headers
X-Verdict: dry-passed
! X-Error
Content-Type: text/plain
--- got_headers
X-Other: x
! Parley-Other
! Parley-Verified



=== TEST 2: dry run: a message is not translated
--- service
$c->answer(200, [], '{}')
--- send
post('/dry', vcp())
--- got_same
--- response_body: {}
--- answer_headers
X-Verdict: dry-passed



=== TEST 3: dry run: a message to refuse is forwarded, and reported
--- service
$c->answer(200, [], '{}')
--- send
post('/dry', aee(type => 'nope'))
--- got_same
--- answer_headers
X-Verdict: dry-refused
X-Error: field-invalid
--- error_log
parley: would refuse, field-invalid /type



=== TEST 4: SEC-20 dry run: a request without a token is refused
--- send
post('/dry', aee(), token => 0)
--- refused: problem token-missing
--- answer_headers
X-Verdict: refused



=== TEST 5: dry run: invalid JSON is forwarded
--- service
$c->answer(200, [], '{}')
--- send
post('/dry', 'hello')
--- got_same
--- answer_headers
X-Error: json-invalid



=== TEST 6: dry run: a PUT is forwarded
--- service
$c->answer(200, [], '{}')
--- send
Parley::Client->new->request('PUT', '/dry', undef,
                             Authorization => bearer('alice'))
--- answer_headers
X-Error: method-not-allowed



=== TEST 7: dry run: a duplicate
--- service
$c->answer(200, [], '{}')
--- send
my $m = aee();
[post('/dry', $m), post('/dry', $m)]
--- got_same
--- forwarded: 2
--- answer_headers
X-Verdict: dry-refused
X-Error: message-duplicate



=== TEST 8: dry run: the id of a message to refuse is not recorded
--- send
my $m = aee(type => 'nope');
[post('/dry', $m), post('/dry', { %$m, type => 'task' })]
--- error_code: 202
--- forwarded: 2
--- answer_headers
X-Verdict: dry-passed



=== TEST 9: dry run: a translation that would fail is reported
--- service
$c->answer(200, [], '{}')
--- send
post('/dry-vcp', aee())
--- got_same
--- answer_headers
X-Verdict: dry-refused
X-Error: translation-unsupported



=== TEST 10: dry run: a rate
--- service
$c->answer(200, [], '{}')
--- send
[post('/dry-rate', aee()), post('/dry-rate', aee())]
--- got_same
--- forwarded: 2
--- answer_headers
X-Error: rate-limited



=== TEST 11: dry run: nothing is redacted or capped
--- send
post('/dry-redact', aee(priority => 'urgent', payload => { secret => 1 }))
--- error_code: 202
--- got_same
--- answer_headers
X-Verdict: dry-passed



=== TEST 12: dry run: the answer of the service is not checked
--- service
$c->answer(500, ['Content-Type' => 'text/html'], '<h1>Oops</h1>')
--- send
post('/dry', aee())
--- error_code: 500
--- response_body: <h1>Oops</h1>



=== TEST 13: dry run: a body above the limit passes
--- service
$c->answer(200, [], '{}')
--- send
post('/dry', 'x' x 1_500_000)
--- got_same
--- answer_headers
X-Error: message-too-large



=== TEST 14: SEC-20 dry run: an impersonation is refused
--- send
post('/dry', aee(from => 'agent.bob'))
--- refused: aee sender-identity-mismatch /from



=== TEST 15: SEC-20 dry run: an expired token is refused
--- send
post('/dry', aee(), token => bearer('alice', exp => time - 60))
--- refused: problem token-expired



=== TEST 16: SEC-20 dry run: a GET without a token is refused for the missing token
--- send
Parley::Client->new->request('GET', '/dry')
--- error_code: 401
--- forwarded: 0



=== TEST 17: SEC-20 dry run: a signature that does not verify is refused
--- send
post('/dry', vcp(signature => 'base64:' . 'A' x 86 . '=='), sign => 0)
--- refused: vcp signature-invalid /signature



=== TEST 18: SEC-20 dry run: an unsigned VCP message is refused
--- send
post('/dry', vcp(), sign => 0)
--- refused: vcp signature-missing /signature



=== TEST 19: SEC-20 dry run: with proof by signatures, a body that is not a message proves no sender
--- send
post('/dry-signed', 'hello', token => 0)
--- refused: aee json-invalid



=== TEST 20: SEC-20 dry run: an unsigned message proves no sender either
--- send
post('/dry-signed', aee(), token => 0)
--- refused: aee signature-missing /sig



=== TEST 21: SEC-20 dry run: a compressed message proves no sender either
--- send
post('/dry-signed', aee(), token => 0, headers => ['Content-Encoding' => 'gzip'])
--- refused: aee protocol-unsupported



=== TEST 22: SEC-20 dry run: a signed message is forwarded
--- service
$c->answer(200, [], '{}')
--- send
post('/dry-signed', aee(intent => 'ops.secret'), token => 0, sign => 'alice')
--- got_same
--- answer_headers
X-Error: policy-refused



=== TEST 23: SEC-20 dry run: with parley_trusted no proof is needed
--- service
$c->answer(200, [], '{}')
--- send
post('/dry-open', 'hello', token => 0)
--- got_same
--- answer_headers
X-Error: json-invalid



=== TEST 24: SEC-20 dry run all: no token
--- service
$c->answer(200, [], '{}')
--- send
post('/dry-all', aee(), token => 0)
--- got_same
--- answer_headers
X-Verdict: dry-refused
X-Error: token-missing



=== TEST 25: SEC-20 dry run all: an impersonation is reported
--- service
$c->answer(200, [], '{}')
--- send
post('/dry-all', aee(from => 'agent.bob'))
--- got_same
--- answer_headers
X-Error: sender-identity-mismatch



=== TEST 26: SEC-20 dry run all: a forged signature
--- service
$c->answer(200, [], '{}')
--- send
post('/dry-all', aee(), sign => 'bob')
--- got_same
--- answer_headers
X-Error: key-unknown

# parley_dry_run: everything is asked, nothing is refused or changed.

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
                          . "parley_cap priority=low; $dry"));

run_tests();

__DATA__

=== TEST 1: SEC-05 dry run: a good message goes on as it came, without Parley- headers
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



=== TEST 2: dry run: a message that would be translated is not
--- service
$c->answer(200, [], '{}')
--- send
post('/dry', vcp())
--- got_same
--- response_body: {}
--- answer_headers
X-Verdict: dry-passed



=== TEST 3: dry run: what would be refused goes on, and is told
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



=== TEST 4: dry run: no token
--- service
$c->answer(200, [], '{}')
--- send
post('/dry', aee(), token => 0)
--- got_same
--- answer_headers
X-Verdict: dry-refused
X-Error: token-missing



=== TEST 5: dry run: no JSON
--- service
$c->answer(200, [], '{}')
--- send
post('/dry', 'hello')
--- got_same
--- answer_headers
X-Error: json-invalid



=== TEST 6: dry run: GET is no message, and passes
--- service
$c->answer(200, [], '{}')
--- send
Parley::Client->new->request('GET', '/dry', undef,
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



=== TEST 8: dry run: a message that was refused dry is not seen
--- send
my $m = aee(type => 'nope');
[post('/dry', $m), post('/dry', { %$m, type => 'task' })]
--- error_code: 202
--- forwarded: 2
--- answer_headers
X-Verdict: dry-passed



=== TEST 9: dry run: a translation that would fail
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



=== TEST 12: dry run: the answer of the service is not looked at
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



=== TEST 14: dry run: an impersonation is told
--- service
$c->answer(200, [], '{}')
--- send
post('/dry', aee(from => 'agent.bob'))
--- got_same
--- answer_headers
X-Error: sender-identity-mismatch

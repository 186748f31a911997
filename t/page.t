# The page of parley_status, in Debian's Chromium.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Browser;
use Parley::Client;
use Parley::Env qw(port root slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Upstream;

use constant TAB => "\x{E004}";

my $browser = Parley::Browser->start(port => port(9));

plan skip_all => 'there is no chromium, or no chromedriver' if !$browser;

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(workers => 2, http => gateway_http(
    server => 'location /status { parley_status suspended=2; '
              . 'allow 127.0.0.1; deny all; }'));
my $client = Parley::Client->new(port => port(1));
my $url = 'http://127.0.0.1:' . port(3) . '/status';

sub try { return $client->raw(post(@_))->{status} }

# Return the text of an element; whether the text of an element matches.
sub text { return $browser->run('return document.querySelector(arguments[0])'
                                . '.innerText', @_) }

sub shows {
    my ($element, $pattern, $name) = @_;

    ok($browser->wait_for("return new RegExp('$pattern').test("
                          . "document.querySelector('$element').innerText)"),
       $name) or diag(text($element));
}


my $answer = Parley::Status->new(port => port(3))
             ->get('/status', Accept => 'text/html');


subtest 'OPS-04 one file that loads nothing else' => sub {
    my $policy = $answer->{headers}{'content-security-policy'};

    like($policy, qr/^default-src 'none'; /);
    like($policy, qr/(?:^|; )$_(?:;|$)/, $_)
        for qr/script-src 'sha256-[A-Za-z0-9+\/]{43}='/,
            qr/style-src 'sha256-[A-Za-z0-9+\/]{43}='/,
            qr/connect-src 'self'/, qr/base-uri 'none'/,
            qr/form-action 'none'/, qr/frame-ancestors 'none'/;
    unlike($policy, qr/unsafe|\*|https?:/);
    unlike($answer->{content}, qr{https?://|\bsrc=|\@import|url\(},
           'nothing foreign');
    unlike($answer->{content}, qr/innerHTML|insertAdjacent|document\.write/,
           'and nothing becomes markup');
};


$browser->size(1280, 900);
$browser->scheme('light');
$browser->open($url);


subtest 'OPS-04 the health of the gateway' => sub {
    shows('#say', '^Healthy$', 'says so');
    is($browser->run('return document.querySelector("#verdict").dataset.state'),
       'good');
    shows('#refusals', 'Nothing was refused yet', 'nothing is refused');
    shows('#more', 'Nothing counted yet: this page was opened \\\\d+ s ago; '
                   . 'totals are under .since the start',
          'nothing came since it was opened, and no minute is over');
};


subtest 'OPS-04 counters change when messages pass' => sub {
    is(try('/aee', aee()), 202);
    shows('#more', '^1 message in the last', 'one message is one');
    is(try('/aee', aee()), 202) for 2 .. 7;
    is(try('/to-aee', escalation()), 200);

    shows('#n-passed', '^8$', 'passed');
    shows('#pairs tr:nth-child(1)', 'aee\\\\s+7', 'a pair of protocols');
    shows('#pairs tr:nth-child(2)', 'vcp\\\\s+1', 'and another');
    cmp_ok(text('#rate'), '>', 0, 'a rate');
    ok($browser->wait_for('return document.querySelector("#spark-passed")'
                          . '.getAttribute("d").length > 10'), 'a line');
    shows('#upstream-text', '^half within', 'times');
};


subtest 'OPS-04 a refusal appears with its reason' => sub {
    is(try('/aee', aee(priority => 'critical')), 400);
    is(try('/aee', aee(), token => 0), 401);
    is(try('/aee', aee(), token => 0), 401);

    shows('#refusals tr:nth-child(1)',
          'token-missing\\\\s+gateway\\\\s+2\\\\s+2\\\\s+.*bearer token',
          'the most frequent first, and what it means');
    shows('#refusals tr:nth-child(2)',
          'field-invalid\\\\s+gateway\\\\s+1\\\\s+1', 'the other');
    shows('#refusals tr:nth-child(2)', 'Correct the named member', 'what to do');
    shows('#most', 'token-missing, by the gateway', 'on the first screen');
    shows('#more', '11 messages .* 3 refused or failed', 'in a sentence');
};


subtest 'OPS-04 a failing service is shown' => sub {
    $service->script('$c->answer(200, [], "no JSON")');
    is(try('/aee', aee()), 502) for 1 .. 3;
    $service->script;

    shows('#verdict', 'services fail: 3 of', 'it is worth a look');
    shows('#refusals', 'upstream-invalid\\\\s+upstream\\\\s+3', 'by whom');
};


subtest 'OPS-04 text is shown as text' => sub {
    is(try('/aee', aee(priority => '<img src=x>')), 400);
    shows('#refusals', 'field-invalid\\\\s+gateway\\\\s+2', 'counted');
    is($browser->run('return document.querySelectorAll("img").length'), 0);
};


subtest 'OPS-04 usable with the keyboard' => sub {
    my $name = 'const n = (e) => e.id ? "#" + e.id : e.getAttribute("href")'
             . ' || e.getAttribute("aria-labelledby");';
    my $wanted = $browser->run("$name return [...document.querySelectorAll("
        . '"a[href], button, input:checked, [tabindex]")]'
        . '.filter((e) => !e.closest("[hidden]")).map(n)');

    cmp_ok(@$wanted, '>=', 5, 'there is something to reach');

    $browser->run('document.activeElement.blur(); scrollTo(0, 0)');

    my @reached = map {
        $browser->press(TAB);
        $browser->run("$name return n(document.activeElement)");
    } @$wanted;

    is_deeply(\@reached, $wanted, 'in the order of the page');

    is($browser->run('document.querySelector("#pause").focus();'
       . 'return getComputedStyle(document.querySelector("#pause"))'
       . '.outlineStyle'), 'solid', 'and seen');

    # selects the other time span, without a mouse
    $browser->run('document.querySelector("#span-minute").focus()');
    $browser->press("\x{E014}");
    is($browser->run('return document.querySelector("input:checked").value'),
       'all');
    shows('#h-why + table caption', 'since the start', 'it counts all');
    $browser->press("\x{E012}");

    $browser->run('document.querySelector("#pause").focus()');
    $browser->press(' ');
    is($browser->run('return document.querySelector("#pause")'
                     . '.getAttribute("aria-pressed")'), 'true', 'a pause');
    $browser->press(' ');
    is(text('#pause'), 'Pause', 'and its end');
};


subtest 'OPS-04 usable with a screen reader' => sub {
    is($browser->run('return document.querySelectorAll('
        . '"section:not([aria-labelledby]):not(#verdict)").length'), 0,
       'every section has a name');
    is($browser->run('return [...document.querySelectorAll("table")]'
        . '.filter(t => !t.caption).length'), 0, 'every table a caption');
    is($browser->run('return document.querySelector("#say")'
        . '.getAttribute("aria-live")'), 'polite', 'what changes is told');
    is($browser->run('return document.documentElement.lang'), 'en');
};


subtest 'OPS-04 dark and light' => sub {
    my $ground = 'return getComputedStyle(document.body).backgroundColor';
    my %seen;

    for my $scheme (qw(light dark)) {
        $browser->scheme($scheme);
        $seen{$scheme} = $browser->run($ground);
    }

    is($seen{light}, 'rgb(246, 247, 249)');
    is($seen{dark}, 'rgb(16, 20, 24)');
};


# Returns an emergency of alice, in AEE, with an id of hers.
sub emergency {
    my ($id) = @_;

    return aee(id => $id, to => 'agent.lead', intent => 'vcp.escalation',
               priority => 'urgent',
               payload => escalation(severity => 'emergency',
                                     requires_ack => true)->{payload});
}


subtest 'OPS-04 ten refusals, and all on request' => sub {
    my $m = aee();

    try('/aee', $_) for $m, $m, aee(v => '2'), aee(ts => '2020-01-01T00:00:00Z'),
        aee(from => 'agent.bob'), without(aee(), 'corr'), '{', '[]',
        with(aee(), sig => { alg => 'ed25519', kid => 'x', sig => 'AAAA' }),
        aee(intent => 'aee.nothing'), vcp();
    try('/vcp', vcp());
    try('/aee', aee(), token => 'Bearer none');
    try('/aee', with(aee(), 'ID' => 'x'));
    try('/aee', aee(payload => { text => 'x' x 2_000_000 }));

    my $rows = 'return document.querySelectorAll("#refusals tr").length';

    ok($browser->wait_for('return !document.querySelector("#more-refusals")'
                          . '.hidden'), 'there are more than ten');
    is($browser->run($rows), 10, 'ten are shown');
    shows('#all-refusals', '^Show all 1[0-9]$', 'the others are there');

    $browser->run('document.querySelector("#all-refusals").click()');
    cmp_ok($browser->run($rows), '>', 10, 'all are shown');
    shows('#all-refusals', '^Show the first 10$', 'and said to be');
    is($browser->run('return document.querySelector("#all-refusals")'
                     . '.getAttribute("aria-expanded")'), 'true');

    sleep 2.5;
    cmp_ok($browser->run($rows), '>', 10, 'the next answer changes nothing');
    $browser->run('document.querySelector("#all-refusals").click()');
    is($browser->run($rows), 10, 'ten again');
};


subtest 'OPS-04 VCP-26 the suspended principals, with the time and the reason' => sub {
    my $markup = '<img src=x onerror=alert(1)>';

    shows('#d-held', '^None', 'nobody');
    is(try('/to-vcp', emergency($markup)), 202, 'an emergency');

    shows('#notes', '1 principal is suspended', 'it is worth a look');
    shows('#d-held', '^1 principal is suspended, until', 'how many');
    shows('#held tr:nth-child(1)',
          '^alice\\\\s+suspended\\\\s+\\\\d\\\\S* m?s ago\\\\s+<img',
          'who, since when, by which message');
    is(text('#held td.id'), $markup, 'as it is');
    is($browser->run('return document.querySelectorAll("img").length'), 0,
       'text is text');

    for my $width (320, 1280) {
        $browser->size($width, 900);
        cmp_ok($browser->run('return document.documentElement.scrollWidth'),
               '<=', $width, "$width px: nothing to scroll sideways");
    }

    is(try('/vcp', constraint(), as => 'lead'), 200, 'her parent resumes her');
    shows('#d-held', '^None', 'and nobody is any more');
    is($browser->run('return document.querySelector("#held-table").hidden'),
       1, 'nothing is listed');
};


subtest 'OPS-04 jobs' => sub {
    shows('#jobs', "$_\\\\s+0", $_)
        for 'pending', 'in progress', 'delivered', 'refused by recipients',
            'given up';
};


subtest 'OPS-04 VCP-32 peers with a WebSocket' => sub {
    shows('#peers', "$_\\\\s+0", $_)
        for 'connected', 'connecting', 'waiting for the next attempt',
            'failed attempts', 'messages sent again',
            'messages refused by peers';
};


subtest 'OPS-04 escalations and timeouts' => sub {
    shows('#deadlines', "$_\\\\s+0", $_)
        for 'answered in time', 'raised', 'tasks timed out', 'lost';

    # the emergency above
    shows('#deadlines', 'not acknowledged\\\\s+[1-9]', 'and by nobody');
};


subtest 'OPS-04 a host of chat' => sub {
    shows('#chat', "$_\\\\s+0", $_)
        for 'open obligations', 'events', 'decided in time', 'reminders',
            'escalated', 'undelivered';
};


subtest 'OPS-04 a width of 320 px' => sub {
    for my $width (320, 375, 768, 1920) {
        $browser->size($width, 800);

        cmp_ok($browser->run('return document.documentElement.scrollWidth'),
               '<=', $width, "$width px: nothing to scroll sideways");
        cmp_ok($browser->run('return Math.max(...[...document.querySelectorAll('
                             . '"caption, .note")].map((e) => '
                             . 'e.getBoundingClientRect().right))'),
               '<=', $width, "$width px: what a table is about is read whole");
        cmp_ok($browser->run('return Math.max(...[...document.querySelectorAll('
                             . '"th, td, dd")].map((e) => '
                             . 'e.getBoundingClientRect().right))'),
               '<=', $width, "$width px: no column is cut");
    }
};


subtest 'OPS-04 the content security policy holds' => sub {
    is_deeply([ $browser->console ], [], 'nothing in the console');

    $browser->run('const s = document.createElement("script");'
        . 's.textContent = "window.injected = 1"; document.body.append(s)');

    is($browser->run('return window.injected ?? 0'), 0, 'nothing else runs');
    like(join("\n", $browser->console), qr/Content Security Policy/);
};


subtest 'OPS-04 the page says that the gateway is down' => sub {
    $nginx->stop;

    shows('#say', '^No answer for', 'it does');
    is($browser->run('return document.querySelector("#verdict").dataset.state'),
       'bad');

    ok($nginx = Parley::Nginx->start(workers => 1, http => gateway_http(
        server => 'location /status { parley_status; }')), 'another one');
    shows('#say', '^Healthy$', 'and is there again');
    shows('#n-passed', '^0$', 'counting from zero');
};


done_testing;

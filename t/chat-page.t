# The chat page of the demo (examples/demo/chat) in Debian's Chromium: two people
# in two windows, by keyboard alone.  The test plays the agents.

use strict;
use warnings;
use utf8;

use lib 't/lib';

use Test::More;

use Parley::Browser;
use Parley::Env qw(port root slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

use constant { TAB => "\x{E004}", ENTER => "\x{E007}", SHIFT => "\x{E008}",
               ESCAPE => "\x{E00C}", END_KEY => "\x{E010}", HOME => "\x{E011}",
               UP => "\x{E013}", DOWN => "\x{E015}", DELETE => "\x{E017}",
               BACKSPACE => "\x{E003}" };

binmode Test::More->builder->$_, ':encoding(UTF-8)'
    for qw(output failure_output todo_output);

my $browser = Parley::Browser->start(port => port(9));

plan skip_all => 'there is no chromium, or no chromedriver' if !$browser;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_", parent => 'cleo',
             roles => $_ eq 'dot' ? [] : ['backend'] } } qw(ada bo dot)),
    { sub => 'cleo', handle => '~cleo', c2a => 'agent:cleo' },
    (map { { sub => $_, c2a => "human:$_", accounts => ["web/demo/$_"] } }
         qw(will mia)),
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/demo'] },
);
my $cookie = bearer('web') =~ s/^Bearer //r;
# a person types through WebDriver, which is slow on a busy machine
my $host = 'parley_host c2a quiet=4s max=60s';
my $page = tmp_dir() . '/page';

# a worker has no permission to read in the home of root
mkdir $page or die "$page: $!\n";
spew("$page/" . (split m{/})[-1], slurp($_))
    for glob root() . '/examples/demo/chat/*';

sub http {
    return streams_http(
        identities => jcs({ principals => \@principals }), zone => 'streams:4m',
        more => 'parley_retain count=1000 time=1h;', locations => <<"EOT");
        location = /chat { parley_jwt on; $host; }
        location = /chat/host {
            parley_jwt on token=\$cookie_surface;
            $host;
        }
        location /chat/ {
            types { text/html html; text/css css; text/javascript js; }
            alias $page/;
            add_header Set-Cookie
                       "surface=$cookie; Path=/chat/; HttpOnly; SameSite=Strict";
        }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());
my $base = 'http://127.0.0.1:' . port(1) . '/chat/';
my %window;
my $key = 0;


# Opens the page of a person.
sub opens {
    my ($who, %o) = @_;

    $browser->open("$base?as=$who" . ($o{query} // ''));
    $window{$who} = $browser->window;
    ok($browser->wait_for('return document.querySelector("#say").textContent'
                          . ' === "Connected."'), "the window of $who")
        or diag($browser->run('return document.body.innerText'),
                $browser->console);
}

# Gives the window of a person the focus.
sub at { $browser->to_window($window{ $_[0] }) }

# Runs an expression in the window of a person.
sub in {
    my ($who, $expression, @args) = @_;

    at($who);

    return $browser->run("return $expression", @args);
}

# Waits until the window of a person has the last message with this text in this
# state, with these glyphs.
sub shows {
    my ($who, $text, $state, @glyphs) = @_;

    my $last = 'const li = [...document.querySelectorAll("#list > li")].reverse()'
             . '.find((li) => li.querySelector(".text").textContent === '
             . jcs([$text]) . '[0]);';
    my $parts = 'return li && [...li.querySelectorAll(".foot > *")]'
              . '.map((e) => e.textContent)';
    my $wanted = [defined $state ? $state : (), @glyphs];

    utf8::decode($last);
    at($who);
    $browser->wait_for("$last $parts.join() === '" . join(',', @$wanted) . "'");
    is_deeply($browser->run("$last $parts"), $wanted,
              "$who: " . substr($text, 0, 30) . ': ' . ($state // ''));
}

sub both { shows($_, @_) for qw(will mia) }

sub said_by {
    return in($_[0], '[...document.querySelectorAll("#list .text")]'
                     . '.map((e) => e.textContent)');
}

# Types into the text field of a person.
sub types {
    my ($who, $text) = @_;

    at($who);
    $browser->type(ESCAPE) if focus() ne 'text';
    is(focus(), 'text', "$who types") if focus() ne 'text';
    $browser->type($text);
}

sub focus { return $browser->run('return document.activeElement.id') }

# Selects a recipient by its first letters.
sub picks {
    my ($who, $letters) = @_;

    types($who, SHIFT . TAB);
    is(focus(), 'to', "$who chooses the recipient");
    $browser->type($letters);
    $browser->type(TAB);
}

# Selects the message that is n places before the last one.
sub selects {
    my ($who, $n) = @_;

    types($who, SHIFT . TAB);
    $browser->type(SHIFT . TAB);
    $browser->press(END_KEY);
    $browser->press(UP) for 1 .. $n;
}

# Returns the params of the next request of a stream that is not a knock.
sub next_of {
    my ($stream, $who) = @_;

    while (my $event = $stream->event(30)) {
        my $json = from_json($event->{data});

        next if !defined $json->{id} || $json->{params}{knock};
        acks($who, $json->{id});

        return $json->{params};
    }

    return {};
}

# Answers an event; returns the answer.
sub answers {
    my ($who, $id, $text) = @_;

    return tool($who, 'chat.send_message', {
        inReplyTo => $id, idempotencyKey => 'k' . ++$key, text => $text,
        visibility => 'channel', directedness => 'ambient',
        target => { id => 'team', kind => 'channel',
                    source => { platform => 'web', workspaceId => 'demo' } } });
}

sub reacts {
    my ($who, $id, $signal) = @_;

    my $answer = tool($who, 'chat.react', { inReplyTo => $id,
                                            signal => $signal });

    ok(structured($answer)->{accepted}, "$who: $signal")
        or diag($answer->{body});
}


$browser->size(900, 800);
opens('will', query => '&deadline=100');
$browser->new_window;
$browser->size(320, 640);
opens('mia', query => '&deadline=3');

my %stream = map { $_ => mailbox($_) } qw(ada dot cleo);


subtest 'C2A-09 C2A-15: four pieces, one answer' => sub {
    my @pieces = ('is the', 'deploy', 'ok?', 'I hope');

    picks(will => 'ada');

    # all but the last piece begin within the time of a turn, as the person types
    for (@pieces[0 .. 2]) {
        types(will => $_ . ENTER . 'x');
        types(will => BACKSPACE) if $_ ne 'ok?';
    }

    at('mia');
    ok($browser->wait_for('return document.querySelector("#typing").textContent'
                          . ' === "Will is typing …"'), 'mia sees the typing');
    types(will => BACKSPACE . $pieces[3] . ENTER);

    my $turn = next_of($stream{ada}, 'ada');
    my $id = $turn->{eventId};

    is_deeply([map { $_->{text} } @{ $turn->{content} }], \@pieces, 'one event');
    is(scalar @{ $turn->{merged} }, 4);
    is_deeply(said_by('mia'), \@pieces, 'mia sees each piece');
    at('mia');
    ok($browser->wait_for('return document.querySelector("#typing").textContent'
                          . ' === ""'), 'and no typing afterwards');

    both($_, 'waiting for ada') for @pieces;
    reacts(ada => $id, 'seen');
    both($pieces[3], 'seen by ada', '👀 ada: seen');
    both($_) for @pieces[0 .. 2];
    reacts(ada => $id, 'working');
    both($pieces[3], 'claimed by ada', '👀 ada: seen', '🔧 ada: working');

    is(says(ada => { jsonrpc => '2.0', method => 'notifications/progress',
                     params => { progressToken => $id, progress => 2, total => 5,
                                 message => '<b>building</b>' } })->{status},
       202);
    both($pieces[3], 'claimed by ada', 'ada: 2 of 5: <b>building</b>',
         '👀 ada: seen', '🔧 ada: working');

    is(structured(answers(ada => $id, 'Yes, it is.'))->{disposition},
       'responded');
    both($pieces[3], 'answered by ada', '👀 ada: seen', '🔧 ada: working');
    both('Yes, it is.');
    is_deeply(said_by($_), [@pieces, 'Yes, it is.'], "$_ sees one answer")
        for qw(will mia);
};


subtest 'C2A-18: claimed by one of two agents' => sub {
    picks(mia => 'backend');
    types(mia => 'Why is it slow?' . ENTER);
    both('Why is it slow?', 'waiting for backend');

    my ($knock) = grep { ($_->{knock}{topic} // '') eq 'role mention' }
                  map { from_json($_->{data})->{params} } $stream{ada}->events(1);
    my $id = $knock->{eventId};

    ok(structured(tool(bo => 'chat.claim', { inReplyTo => $id }))->{claimed},
       'bo claims it');
    both('Why is it slow?', 'claimed by bo', '✋ bo: claimed');
    is(structured(answers(ada => $id, 'I know.'))->{code}, 'claim-held',
       'ada is too late');
    answers(bo => $id, 'A backup runs.');
    both('Why is it slow?', 'answered by bo', '✋ bo: claimed');
    is_deeply([grep { /know|backup/ } @{ said_by('will') }], ['A backup runs.'],
              'one answer');
};


subtest 'C2A-22: escalated' => sub {
    picks(mia => 'dot');
    types(mia => 'Are you there?' . ENTER);
    next_of($stream{dot}, 'dot');
    picks(mia => 'the');
    types(mia => 'By the way' . ENTER);
    both('By the way');
    both('Are you there?', 'escalated to cleo');

    my $up = next_of($stream{cleo}, 'cleo');

    is($up->{escalatedFrom}, 'agent:dot');
    answers(cleo => $up->{eventId}, 'dot is out.');
    both('Are you there?', 'answered by cleo');
    both('dot is out.');
};


subtest 'C2A-25: an edit' => sub {
    picks(will => 'ada');
    types(will => 'Restart vm-2' . ENTER);
    both('Restart vm-2', 'waiting for ada');
    next_of($stream{ada}, 'ada');

    types(will => UP);
    is($browser->run('return document.querySelector("#text").value'),
       'Restart vm-2', 'the last message');
    $browser->type(' and vm-3' . ENTER);
    both('Restart vm-2 and vm-3', 'waiting for ada');

    my $again = next_of($stream{ada}, 'ada');

    is($again->{content}[0]{text}, 'Restart vm-2 and vm-3');
    is($again->{attention}{reason}, 'edited_before_response');
    reacts(ada => $again->{eventId}, 'seen');
    both('Restart vm-2 and vm-3', 'seen by ada', '👀 ada: seen');
    answers(ada => $again->{eventId}, 'Both run.');
    both('Restart vm-2 and vm-3', 'answered by ada', '👀 ada: seen');

    for my $who (qw(will mia)) {
        is(scalar(grep { $_ eq 'Restart vm-2' } @{ said_by($who) }), 0,
           "$who: the old text is gone");
        is(in($who, 'getComputedStyle(document.querySelector(".edited"), '
                    . '"::after").content'), '" (edited)"', 'and says so');
    }

    types(will => UP . 'never sent');
    $browser->type(ESCAPE);
    is($browser->run('return document.querySelector("#text").value'), '',
       'Escape leaves an edit');
};


subtest 'C2A-15 C2A-16: glyphs of people' => sub {
    selects(will => 0);
    $browser->press('1');
    both('Both run.', '👍 Will: agree');

    selects(mia => 0);
    $browser->press('5');
    both('Both run.', '👍 Will: agree', '❤️ Mia');

    my ($told) = grep { ($_->{attention}{reason} // '') eq 'reaction' }
                 map { from_json($_->{data})->{params} // {} }
                 $stream{ada}->events(1);

    is($told->{reaction}{signal}, 'agree', 'the agent learns of it');

    selects(will => 0);
    $browser->press('1');
    both('Both run.', '❤️ Mia');

    # by the buttons
    selects(will => 0);
    $browser->type(TAB);
    is($browser->run('return document.activeElement.ariaLabel'), 'agree');
    $browser->press(' ');
    both('Both run.', '❤️ Mia', '👍 Will: agree');
    is(in('will', 'document.activeElement.ariaPressed'), 'true');
};


subtest 'C2A-25: a deletion' => sub {
    picks(will => 'the');
    types(will => 'a secret' . ENTER);
    both('a secret');
    selects(will => 0);
    $browser->press(DELETE);
    both('deleted');

    for my $who (qw(will mia)) {
        unlike(in($who, 'document.documentElement.outerHTML'), qr/a secret/,
               "$who: the text is gone");
    }

    selects(will => 0);
    $browser->press($_) for DELETE, 'e', '1';
    is(in('will', 'document.querySelector("#say").textContent'), 'Delivered.',
       'a deleted message takes no more acts');
    both('deleted');
};


subtest 'SEC-01: foreign text is never markup' => sub {
    my $markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';

    picks(will => 'ada');
    types(will => $markup . ENTER);
    both($markup, 'waiting for ada');

    my $event = next_of($stream{ada}, 'ada');

    answers(ada => $event->{eventId}, "<b>$markup</b>");
    both("<b>$markup</b>");

    for my $who (qw(will mia)) {
        is(in($who, 'document.querySelectorAll("img, #list script, #list b b")'
                    . '.length'), 0, "$who: no element");
    }

    my $script = slurp("$page/chat.js");

    unlike($script, qr/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
    unlike($script . slurp("$page/index.html") . slurp("$page/chat.css"),
           qr{https?://|\bon\w+="|\bstyle=|\@import|url\(},
           'nothing foreign, nothing inline');
};


subtest 'a new window has the messages before' => sub {
    my $wanted = said_by('will');
    my $states = '[...document.querySelectorAll("#list .state")]'
               . '.map((e) => e.textContent)';
    my $before = in('will', $states);

    at('mia');
    opens('mia', query => '&deadline=100');
    $wanted = [grep { $_ ne 'deleted' } @$wanted];
    $browser->wait_for('return document.querySelectorAll("#list > li").length'
                       . " >= @{[ scalar @$wanted ]}");
    is_deeply(said_by('mia'), $wanted);
    is_deeply(in('mia', $states), $before, 'and their states');
};


subtest 'C2A-20: each effect is acknowledged, by one window at a time' => sub {
    is(pending(tool(web => 'chat.list_events')), 0, 'the mailbox is empty');

    at('will');
    $browser->close_window;
    picks(mia => 'ada');
    types(mia => 'Still there?' . ENTER);
    answers(ada => next_of($stream{ada}, 'ada')->{eventId}, 'I am.');
    shows(mia => 'I am.');
    ok(waits_for(sub { pending(tool(web => 'chat.list_events')) == 0 }),
       'the other window has taken the mailbox');

    my $new = $browser->new_window;

    $browser->size(900, 800);
    opens('will', query => '&deadline=100');
};


sub waits_for {
    my $is = shift;

    for (1 .. 100) {
        return 1 if $is->();
        select undef, undef, undef, 0.2;
    }

    return 0;
}


subtest 'by keyboard alone' => sub {
    my $name = 'const e = document.activeElement; return e.id || e.ariaLabel'
             . ' || e.className.replace("mine ", "") || e.tagName';

    at('will');
    $browser->run('document.querySelector("#other").focus()');

    my @reached = map { $browser->press(TAB); $browser->run($name) } 1 .. 3;

    is_deeply(\@reached, ['SUMMARY', 'first', 'agree'],
              'the list is one stop, then the buttons of the message');
    $browser->press(HOME);
    like($browser->run('return document.activeElement.innerText'), qr/is the/,
         'the first message');
    $browser->press(DOWN);
    like($browser->run('return document.activeElement.innerText'), qr/deploy/,
         'the next one');
    is($browser->run('return getComputedStyle(document.activeElement)'
                     . '.outlineStyle'), 'solid', 'which is marked');
    $browser->press(ESCAPE);
    is(focus(), 'text', 'back to the text field');

    is($browser->run('return document.querySelector("#log").role'), 'log');
    is($browser->run('return [...document.querySelectorAll("button, select, '
        . 'textarea")].filter((e) => !(e.ariaLabel || e.textContent)).length'),
       0, 'each control has a name');
};


subtest 'dark and light, from 320 px' => sub {
    # the smallest contrast of texts, as WCAG 2.1 computes it
    my $contrast = <<'EOT';
        const parts = (c) => c.match(/[\d.]+/g).map(Number);
        const light = (c) => parts(c).slice(0, 3).map((v) => v / 255)
            .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const ground = (e) => {
            const c = getComputedStyle(e).backgroundColor;
            return parts(c)[3] === 0 ? ground(e.parentElement) : c;
        };
        return Math.min(...[...document.querySelectorAll(
            'h1, a, summary, .head, .text, .state, .glyph, label, select, '
            + 'textarea, button, #say')].map((e) => {
                const [a, b] = [light(getComputedStyle(e).color),
                                light(ground(e))].sort((x, y) => y - x);
                return (a + 0.05) / (b + 0.05);
            }));
EOT
    my %ground;

    at('will');

    for my $scheme (qw(light dark)) {
        $browser->scheme($scheme);
        $ground{$scheme} = $browser->run('return getComputedStyle(document.body)'
                                         . '.backgroundColor');
        cmp_ok($browser->run($contrast), '>=', 4.5, "$scheme: contrast");

        for my $width (320, 375, 1280) {
            $browser->size($width, 700);
            cmp_ok($browser->run('return document.documentElement.scrollWidth'),
                   '<=', $width, "$scheme, $width px: no horizontal scroll");
            cmp_ok($browser->run('return Math.max(...[...document.'
                    . 'querySelectorAll("body *")].map((e) => '
                    . 'e.getBoundingClientRect().right))'),
                   '<=', $width, 'and nothing is cut');
        }

        $browser->size(320, 700);
        selects(will => 1);
        cmp_ok($browser->run('return Math.min(...[...document.querySelectorAll('
                . '"li:focus-within .tools button")].map((e) => '
                . 'e.getBoundingClientRect().left))'),
               '>=', 0, 'the buttons of a message fit');
        $browser->picture(tmp_dir() . "/chat-$scheme.png");
    }

    isnt($ground{light}, $ground{dark}, 'two schemes');
};


subtest 'the console is empty, and the content security policy holds' => sub {
    is_deeply([$browser->console], [], 'nothing in the console');

    at('will');
    $browser->run('const s = document.createElement("script");'
        . 's.textContent = "window.injected = 1"; document.body.append(s)');
    is($browser->run('return window.injected ?? 0'), 0, 'no inline script');
    like(join("\n", $browser->console), qr/Content Security Policy/);
};


subtest 'GW-15: the gateway stops, and another one starts' => sub {
    $_->leave for values %stream;
    $nginx->stop;
    at('will');
    ok($browser->wait_for('return /connection is lost/.test('
                          . 'document.querySelector("#say").textContent)'),
       'the page says so');

    $nginx = Parley::Nginx->start(workers => 1, http => http());
    ok($browser->wait_for('return document.querySelector("#say").textContent'
                          . ' === "Connected."'), 'it is connected again');
    %stream = (ada => mailbox('ada'));
    picks(will => 'ada');
    types(will => 'once more' . ENTER);
    answers(ada => next_of($stream{ada}, 'ada')->{eventId}, 'Fine.');
    shows(will => 'once more', 'answered by ada');
    shows(will => 'Fine.');
    $_->leave for values %stream;
};


done_testing();

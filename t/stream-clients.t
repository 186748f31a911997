# Streams to foreign clients: npm's "eventsource", curl, Python's standard
# library, and Debian's Chromium.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use File::Copy qw(copy);

use Parley::Browser;
use Parley::Env qw(port tmp_dir root);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::StreamClient;
use Parley::Streams;

use constant MEANWHILE => 50;

my $dir = tmp_dir() . '/pages';
my $token = bearer('alice');
my $cookie = $token =~ s/^Bearer //r;

mkdir $_ or die "$_: $!\n" for $dir, "$dir/page";
copy(root() . '/examples/demo/sessions.html', "$dir/page/index.html")
    or die "copy: $!\n";

my $nginx = Parley::Nginx->start(workers => 2, http => http());


sub http {
    return streams_http(more => 'parley_retain count=1000 time=1h;',
                        locations => <<"EOT");
        location /page/ {
            root $dir;
            add_header Set-Cookie
                       "token=$cookie; Path=/web/; HttpOnly; SameSite=Strict";
        }
        location = /favicon.ico { return 204; }
        location = /web/frames {
            parley_jwt on token=\$cookie_token;
            parley_submit channel;
        }
        location /web/stream/ {
            parley_jwt on token=\$cookie_token;
            parley_stream channel;
        }
EOT
}


# all accepted texts, in their order
my @sent;

sub publish {
    my ($name, $n) = @_;

    my @refused;

    for my $text (map { "$name $_" } 1 .. $n) {
        my $answer = submit(frame('bob', 'alice', text => $text));

        push @sent, $text;
        push @refused, $answer if $answer->{status} != 200;
    }

    is_deeply(\@refused, [], "$n frames are accepted");
}


# Kills every worker, and waits until they are gone.
sub kill_workers {
    my $log = $nginx->error_log;
    my %gone = map { $_ => 1 } $log =~ /worker process (\d+) exited/g;
    my @alive = grep { !$gone{$_} } $log =~ /start worker process (\d+)/g;
    my $killed = $nginx->logged(qr/exited on signal 9/);

    kill 'KILL', @alive;

    ok($nginx->wait_for(qr/exited on signal 9/, $killed + @alive),
       @alive . ' workers are killed');
}


my @clients = Parley::StreamClient->all(token => $token, url => sub {
    my ($scheme, $n, $session) = @_;
    return "$scheme://localhost:" . port($n)
           . "/channel/stream/~alice?session=$session";
});

sub start {
    for my $c (grep { !$_->{without} } @_) {
        $c->{client} = Parley::StreamClient->start(%$c, from => scalar @sent);
    }
}


# Runs a check for each client, in a test of its own.
sub each_client {
    my ($name, $check, @of) = @_;

    for my $c (@of ? @of : @clients) {
        subtest "$name: $c->{name}" => sub {
            plan skip_all => $c->{without} if $c->{without};
            $check->($c->{client});
        };
    }
}


# since the last call
sub is_open { ok($_[0]->opened, 'it is open') }


sub has_all {
    my $client = shift;

    my @wanted = @sent[$client->{from} .. $#sent];

    is_deeply($client->texts(scalar @wanted), \@wanted,
              'each frame once, in order');
    is(scalar(grep { ($_->{event} // '') eq 'gap' } @{ $client->{events} }),
       0, 'and no gap');
}


# A stream begins with an id without data.  By HTML's standard (9.2.6) a client
# resumes from it; the package eventsource uses ids of events only.
my @by_standard = grep { !$_->{ids_of_events} } @clients;

start(@by_standard);
each_client('ACH-20: opened', \&is_open, @by_standard);

kill_workers();
publish('early', MEANWHILE);
each_client('ACH-21, HUB-02, GW-15: cut off before anything came', sub {
    is_open(@_);
    has_all(@_);
}, @by_standard);

my @others = grep { $_->{ids_of_events} } @clients;

start(@others);
each_client('ACH-20: opened', \&is_open, @others);

publish('first', 5);
each_client('ACH-20: what another submits', \&has_all);

kill_workers();
publish('killed', MEANWHILE);
each_client('ACH-21, HUB-02, HUB-05, GW-15: cut off by a killed worker', sub {
    is_open(@_);
    has_all(@_);
});

ok($nginx->reload(http => http(), workers => 2), 'a reload');
publish('reloaded', MEANWHILE);
each_client('ACH-21, HUB-02, HUB-05, GW-15: cut off by a reload', sub {
    is_open(@_);
    has_all(@_);
});

publish('last', 1);
each_client('ACH-21: nothing comes twice', \&has_all);

$_->{client} && $_->{client}->leave for @clients;


# ---- Chromium: over plain HTTP, and over TLS, with HTTP/2

SKIP: {
    my $browser = Parley::Browser->start(port => port(9), insecure => 1)
        or skip 'there is no chromium, or no chromedriver', 8;

    for my $page (['HTTP/1.1', 'http/1.1', 'http://127.0.0.1:' . port(1)],
                  ['HTTP/2', 'h2', 'https://localhost:' . port(5)])
    {
        my ($by, $protocol, $base) = @$page;

        subtest "ACH-20: Chromium, $by, two sessions of one handle" => sub {
            $browser->open("$base/page/?as=~alice");
            opened($browser, 1);
            is($browser->run('return performance.getEntriesByType('
                             . '"navigation")[0].nextHopProtocol'),
               $protocol, $by);
            is($browser->run('return document.cookie'), '',
               'no script has the token');

            press($browser, 's1', 'all', 'for both');
            press($browser, 's1', 'other', 'for s2');
            press($browser, 's2', 'other', 'for s1');
            press($browser, 's2', 'all', 'the last');

            shows($browser, 's1', 'for both', 'for s1', 'the last');
            shows($browser, 's2', 'for both', 'for s2', 'the last');
        };

        subtest "SEC-01: Chromium, $by, a text that changes direction is shown" => sub {
            $browser->open("$base/page/?as=~alice");
            opened($browser, 1);
            $browser->run('document.querySelector("#s1 input").value = '
                          . '"a\\u202eb\\u0085c";'
                          . 'document.querySelector("#s1 .all").click()');
            shows($browser, $_, 'a\\u{202E}b\\u{0085}c') for 's1', 's2';
        };

        subtest "ACH-20: Chromium, $by, one session asks, and both answer" => sub {
            $browser->open("$base/page/?as=~alice");
            opened($browser, 1);

            press($browser, 's1', 'ask', 'is it done?');
            shows($browser, $_, 'is it done?') for 's1', 's2';
            press($browser, 's1', 'li button:first-child');
            press($browser, 's2', 'li button:last-child');

            is($browser->wait_for('const said = document.querySelector('
                                  . '"#s1 .answers").textContent;'
                                  . 'return said.includes(",") && said'),
               's1: yes, s2: no', 'the answers to its question');
            is($browser->run('return document.querySelector("#s2 .answers")'
                             . '.textContent'), 'none', 'which s2 did not ask');
        };

        subtest "ACH-21, HUB-02, HUB-05, GW-15: Chromium, $by" => sub {
            # cut off before any event
            $browser->open("$base/page/?as=~alice");
            opened($browser, 1);
            @sent = ();

            kill_workers();
            publish('killed', MEANWHILE);
            opened($browser, 2);
            shows($browser, $_, @sent) for 's1', 's2';

            ok($nginx->reload(http => http(), workers => 2), 'a reload');
            publish('reloaded', MEANWHILE);
            opened($browser, 3);
            publish('last', 1);
            shows($browser, $_, @sent) for 's1', 's2';
        };
    }
}


# Waits until both are open, for the n-th time.
sub opened {
    my ($browser, $n) = @_;

    ok($browser->wait_for('return Object.values(sources).every((s) => '
                          . "s.readyState === 1 && s.opened >= $n)"),
       "both are open: $n");
}


# Presses a button in the part of a session, with a text.
sub press {
    my ($browser, $session, $button, $text) = @_;

    my $selector = $button =~ / / ? "#$session $button" : "#$session .$button";

    $browser->run('document.getElementById("answer").textContent = "";'
                  . "document.querySelector('#$session input').value = '"
                  . ($text // '') . "';"
                  . "document.querySelector('$selector').click()");
    like($browser->wait_for('return document.getElementById("answer")'
                            . '.textContent'), qr/^200 /,
         "pressed: $session, $button");
}


# Checks the final texts of a session.
sub shows {
    my ($browser, $session, @texts) = @_;

    my $n = @texts;

    $browser->wait_for("return texts('$session').length >= $n");
    is_deeply($browser->run("return texts('$session')"), \@texts,
              "what $session shows");
}


$nginx->stop;

is_deeply([grep { /\[(?:alert|crit|emerg|error)\]/
                  && !/exited on signal 9/ } split /^/m, $nginx->error_log],
          [], 'nothing is amiss');

done_testing();

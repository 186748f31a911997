# Streams to foreign clients: npm's "eventsource", curl, Python's standard
# library, and Debian's Chromium.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use File::Copy qw(copy);

use Parley::Browser;
use Parley::Env qw(port tmp_dir root tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

use constant MEANWHILE => 50;

my $dir = tmp_dir() . '/clients';
my $node = $ENV{PARLEY_NODE} // 'node';
my $token = bearer('alice');
my $cookie = $token =~ s/^Bearer //r;
my ($cert, $key) = tls();

mkdir $dir or die "$dir: $!\n";
mkdir "$dir/page" or die "$dir/page: $!\n";
copy(root() . "/$_->[0]", "$dir/$_->[1]") or die "copy: $!\n"
    for ['t/stream-clients/eventsource.mjs', 'eventsource.mjs'],
        ['examples/demo/sessions.html', 'page/index.html'];
symlink root() . '/build/mcp/node_modules', "$dir/node_modules"
    or die "node_modules: $!\n";

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


# Returns the clients: name; command (for the last id); again: the test runs
# the command again when it ends; without: the reason if it is missing;
# ids_of_events: ignores an id without data.
sub clients {
    my $url = sub {
        my ($scheme, $n, $session) = @_;
        return "$scheme://localhost:" . port($n)
               . "/channel/stream/~alice?session=$session";
    };

    my $npm = system("$node --version > /dev/null 2>&1") != 0
              ? 'no node: install nodejs'
            : !-e root() . '/build/mcp/installed'
              ? 'no eventsource: tools/install-deps test gets it by npm' : '';
    my $curl = `curl --version 2>/dev/null` // '';
    my $python = system('python3 --version > /dev/null 2>&1') != 0
                 ? 'no python3' : '';

    my $by_curl = sub {
        my ($session, $scheme, $port, @options) = @_;

        return { name => "curl @options", again => 1, command => sub {
                     return (qw(curl -q -s -N -g --noproxy * --cacert), $cert,
                             @options, '-H', "Authorization: $token",
                             defined $_[0] ? ('-H', "Last-Event-ID: $_[0]")
                                           : (),
                             $url->($scheme, $port, $session)) } };
    };

    return (
        { name => 'eventsource', without => $npm, ids_of_events => 1,
          command => sub {
              return ($node, "$dir/eventsource.mjs",
                      $url->('http', 1, 'npm'), $token) } },
        { name => 'eventsource, TLS', without => $npm, ids_of_events => 1,
          command => sub {
              return ($node, "$dir/eventsource.mjs",
                      $url->('https', 4, 'npm-tls'), $token) } },
        map({ +{ %$_, without => $curl ? '' : 'no curl' } }
            $by_curl->('curl', 'http', 1, '--http1.1'),
            $by_curl->('curl-tls', 'https', 4, '--http1.1', '--tlsv1.2')),
        { %{ $by_curl->('curl-h2', 'https', 5, '--http2') },
          without => $curl =~ /\bHTTP2\b/ ? '' : 'no curl with HTTP/2' },
        { name => 'python3', without => $python, command => sub {
              return ('python3', root() . '/t/stream-clients/listen.py',
                      $url->('http', 1, 'python'), $token, $cert) } },
        { name => 'python3, TLS', without => $python, command => sub {
              return ('python3', root() . '/t/stream-clients/listen.py',
                      $url->('https', 4, 'python-tls'), $token, $cert) } },
    );
}


$ENV{NODE_EXTRA_CA_CERTS} = $cert;

my @clients = clients();

sub start {
    for my $c (grep { !$_->{without} } @_) {
        $c->{client} = Client->start(%$c, from => scalar @sent);
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


package Client;

use IO::Select;
use Time::HiRes qw(time);

use constant PATIENCE => 60;


sub start {
    my ($class, %o) = @_;

    my $self = bless { %o, events => [], runs => 0, open => 0,
                       seen => 0, owner => $$ }, $class;

    $self->run;

    return $self;
}


sub run {
    my $self = shift;

    my @command = $self->{command}->($self->{last});

    $self->{text} = '';
    $self->{runs}++;
    $self->{pid} = open($self->{out}, '-|', @command)
        // die "$command[0]: $!\n";
}


# Reads the available output, for at most that many seconds.
sub fill {
    my ($self, $seconds) = @_;

    return if !IO::Select->new($self->{out})->can_read($seconds);

    if (!sysread $self->{out}, $self->{text}, 65536, length $self->{text}) {
        close $self->{out};
        die "$self->{name} ended\n" if !$self->{again};
        return $self->run;
    }

    while ($self->{text} =~ s/\A(.*?)\n\n//s) {
        my $block = $1;
        my $event = Parley::Streams::Stream::parse($block);

        print STDERR "$self->{name}: $block\n" if $ENV{PARLEY_TEST_VERBOSE};

        # curl prints only the stream, so its runs are counted at the beginning
        if ($self->{again} ? $self->{open} < $self->{runs}
                           : $block eq ': open')
        {
            $self->{open}++;
        }

        next if !$event;

        $self->{last} = $event->{id} if defined $event->{id};
        push @{ $self->{events} }, $event;
    }
}


# Waits until a condition is true; returns whether it is.
sub until {
    my ($self, $what) = @_;

    my $until = time + PATIENCE;

    while (!$what->()) {
        return 0 if time > $until;
        $self->fill(0.2);
    }

    return 1;
}


# Returns whether the stream was opened since the last call.
sub opened {
    my $self = shift;

    return 0 if !$self->until(sub { $self->{open} > $self->{seen} });

    $self->{seen} = $self->{open};

    return 1;
}


# Returns the texts of frames, once there are n.
sub texts {
    my ($self, $n) = @_;

    my $texts = sub {
        return map { $_->{json}{payload}{advisory_text} // () }
               grep { ref $_->{json} eq 'HASH' } @{ $self->{events} };
    };

    $self->until(sub { $texts->() >= $n });

    return [$texts->()];
}


sub leave {
    my $self = shift;

    my $pid = delete $self->{pid} or return;

    return if $self->{owner} != $$;

    local ($?, $!);

    kill 'TERM', $pid;
    close $self->{out};
}


sub DESTROY { $_[0]->leave }

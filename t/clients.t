# examples/clients: the listeners and the services run behind the gateway, with
# the location of examples/existing-streams.conf.

use strict;
use warnings;

use lib 't/lib';

use IO::Socket::INET;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Browser;
use Parley::Client;
use Parley::Env qw(port root slurp spew tmp_dir tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;

use constant PATIENCE => 60;

my $dir = tmp_dir();
my $clients = root() . '/examples/clients';
my $node = $ENV{PARLEY_NODE} // 'node';
my ($cert) = tls();

# interpreter, the reason why it is missing, name of the files
my @languages = (
    [ 'Node', $node, system("$node --version > /dev/null 2>&1") != 0
                     ? 'no node: install nodejs' : '', 'mjs' ],
    [ 'Python', 'python3', system('python3 --version > /dev/null 2>&1') != 0
                           ? 'no python3' : '', 'py' ],
);

# a worker has no permission to read in the home of root
spew("$dir/listen.html", slurp("$clients/listen.html"));

$ENV{NODE_EXTRA_CA_CERTS} = $cert;
$ENV{SSL_CERT_FILE} = $cert;

# a login page, which sets the cookie; its process signs with the same key
idp();

my $login = Parley::Upstream->start(port(3), login('alice', 600));

# The location of the example, with other names and places.
my ($channel) = slurp(root() . '/examples/existing-streams.conf')
                =~ m{(        location /channel \{.*?\n        \}\n)}s
    or die "existing-streams.conf has no location /channel\n";

$channel =~ s/ issuer=\S+ audience=\S+//;
$channel =~ s/\b9001\b/port(2)/ge;

my $nginx = Parley::Nginx->start(workers => 2, http => http());
my $client = Parley::Client->new(port => port(4), tls => 1);


sub http {
    return streams_http(more => 'proxy_http_version 1.1; '
                              . 'proxy_set_header Connection "";',
                        locations => <<"EOT");
$channel
        location = /listen.html { root $dir; }
        location = /login { proxy_pass http://127.0.0.1:@{[port(3)]}; }
EOT
}


# Returns the script of a login page, whose tokens expire after that many
# seconds.
sub login {
    my ($name, $seconds) = @_;

    return "\$c->answer(204, ['Set-Cookie' => 'token='
            . (Parley::Gateway::bearer('$name', exp => time + $seconds)
               =~ s/^Bearer //r)
            . '; Path=/channel; Secure; HttpOnly; SameSite=Strict'], '')";
}


sub program {
    my ($out, @command) = @_;

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>>', $out or POSIX::_exit(126);
        open STDERR, '>>', "$out.err" or POSIX::_exit(126);
        exec @command or POSIX::_exit(127);
    }

    return $pid;
}


sub end {
    my $pid = shift or return;

    local $?;

    kill TERM => $pid;
    waitpid $pid, 0;
}


sub until_true {
    my $what = shift;

    my $until = time + PATIENCE;

    while (time < $until) {
        return 1 if $what->();
        sleep 0.05;
    }

    return 0;
}


# Starts a service, and waits until it listens.
sub service {
    my ($run, $file) = @_;

    my $pid = program("$dir/service", $run, "$clients/service.$file", port(2));

    my $to = '127.0.0.1:' . port(2);

    until_true(sub { IO::Socket::INET->new(PeerAddr => $to) })
        or die "the service does not start: " . slurp("$dir/service.err");

    return $pid;
}


# Sends advisories of bob through the gateway.
sub send_texts {
    my @texts = @_;

    for my $text (@texts) {
        my $answer = $client->raw(post('/channel',
            jcs(frame('bob', 'alice', text => $text)), as => 'bob'));

        return $answer if $answer->{status} != 200;
    }

    return { status => 200 };
}


# Returns the texts that a listener has printed.
sub printed {
    my $out = shift;

    return map { from_json($_)->{payload}{advisory_text} }
           grep { /\n\z/ } -e $out ? slurp($out) =~ /.*\n?/g : ();
}


sub shows {
    my ($out, @texts) = @_;

    until_true(sub { printed($out) >= @texts });
    is_deeply([printed($out)], \@texts, 'each message once, in order')
        or diag(slurp("$out.err"));
}


sub opens {
    my ($out, $n) = @_;

    ok(until_true(sub { -e "$out.err"
                        && (() = slurp("$out.err") =~ /^open$/mg) >= $n }),
       "open: $n");
}


my $number = 0;

for my $service (@languages) {
    my ($of, $run, $without, $file) = @$service;

    SKIP: {
        skip $without, 1 if $without;

        my $pid = service($run, $file);

        for my $listener (@languages) {
            my ($by, $command, $lacks, $suffix) = @$listener;

            subtest "GW-33 a service in $of, a listener in $by" => sub {
                plan skip_all => $lacks if $lacks;
                listens($command, $suffix);
            };
        }

        subtest "GW-33 a service in $of, a page in Chromium" => \&browses;

        subtest "GW-33 a service in $of decides nothing about callers" => sub {
            is($client->raw(post('/channel', jcs(frame('bob', 'alice')),
                                     token => 0))->{status}, 401);
            is($client->raw(post('/channel', jcs(frame('bob', 'alice')),
                                     as => 'alice'))->{status}, 403,
               'in the name of another');
            is($client->raw(post('/channel/~bob', undef, method => 'GET',
                                     as => 'alice'))->{status}, 403,
               'the stream of another');
        };

        end($pid);
    }
}


# A listener over TLS: a reload of the gateway, then a token that expires.
sub listens {
    my ($command, $suffix) = @_;

    my $out = "$dir/listener-" . ++$number;
    my $file = "$dir/token-$number";
    my $long = bearer('alice') =~ s/^Bearer //r;

    spew($file, "$long\n");

    my $pid = program($out, $command, "$clients/listen.$suffix",
                      'https://localhost:' . port(4) . '/channel/~alice', $file);

    opens($out, 1);
    is(send_texts(map { "$number first $_" } 1 .. 5)->{status}, 200, 'sent');

    my @texts = map { "$number first $_" } 1 .. 5;

    shows($out, @texts);

    # old workers end with their connections
    kill 'KILL', children($nginx->pid);
    opens($out, 2);

    push @texts, map { "$number killed $_" } 1 .. 5;
    is(send_texts(@texts[5 .. 9])->{status}, 200, 'after killed workers');
    shows($out, @texts);

    spew("$file.new", bearer('alice', exp => time + 3) =~ s/^Bearer //r);
    rename "$file.new", $file or die $!;
    kill 'KILL', children($nginx->pid);

    ok(until_true(sub { slurp("$out.err") =~ /token-expired/ }),
       'a token that expires');
    push @texts, "$number away";
    is(send_texts($texts[-1])->{status}, 200, 'while it is away');

    spew("$file.new", $long);
    rename "$file.new", $file or die $!;
    shows($out, @texts);

    end($pid);
}


sub children {
    my $pid = shift;

    return slurp("/proc/$pid/task/$pid/children") =~ /(\d+)/g;
}


# The page: its cookie expires, and it gets another one.
sub browses {
    my $browser = Parley::Browser->start(port => port(9), insecure => 1)
        or plan skip_all => 'there is no chromium, or no chromedriver';

    my $n = ++$number;
    my $shown = 'return [...document.querySelectorAll("#messages li")]'
              . '.map((li) => li.textContent)';
    my $open = 'return document.getElementById("state")?.textContent === "open"';

    $login->script(login('alice', 6));
    $login->clear;
    $browser->open('https://localhost:' . port(4) . '/listen.html?as=~alice');
    ok($browser->wait_for($open), 'it has a cookie, and is open');
    is($browser->run('return document.cookie'), '', 'which no script can read');
    ok($login->count >= 1, 'by the login page');

    is(send_texts("$n one")->{status}, 200, 'sent');
    ok($browser->wait_for("$shown.length >= 1"), 'shown');

    $login->script(login('alice', 600));

    my $logins = $login->count;

    ok(until_true(sub {
        $login->count > $logins }), 'the token expires, and the page renews it');
    is(send_texts("$n two", "$n three\x{202e}")->{status}, 200, 'sent');
    ok($browser->wait_for("$shown.length >= 3"), 'shown');
    is_deeply($browser->run($shown),
              ["~bob: $n one", "~bob: $n two", "~bob: $n three\\u{202E}"],
              'each message once, in order');

    kill 'KILL', children($nginx->pid);
    is(send_texts_again("$n four")->{status}, 200, 'after killed workers');
    ok($browser->wait_for("$shown.length >= 4"), 'shown');

    $browser->run('document.getElementById("to").value = "~alice";'
                . 'document.getElementById("text").value = "by myself";'
                . 'document.querySelector("button").click()');
    like($browser->wait_for('return document.getElementById("answer")'
                            . '.textContent'), qr/^200 .*"delivered": ?[1-9]/, 'sends');
    ok($browser->wait_for("$shown.length >= 5"), 'shown');
    is_deeply([@{ $browser->run($shown) }[3, 4]],
              ["~bob: $n four", '~alice: by myself'], 'each once');
}


# Sends a text; the new workers may not be there yet.
sub send_texts_again {
    my @texts = @_;
    my $answer;

    until_true(sub { $answer = eval { send_texts(@texts) } });

    return $answer // { status => 0 };
}


subtest 'a listener that is refused ends' => sub {
    for (grep { !$_->[2] } @languages) {
        my ($by, $run, undef, $file) = @$_;

        spew("$dir/token", bearer('bob') =~ s/^Bearer //r);

        my $pid = program("$dir/refused-$file", $run, "$clients/listen.$file",
                          'https://localhost:' . port(4) . '/channel/~alice',
                          "$dir/token");

        waitpid $pid, 0;
        is($? >> 8, 1, "$by: its status");
        like(slurp("$dir/refused-$file.err"), qr/403 .*scope-unauthorised/,
             "$by: the reason");
        like(`$run $clients/listen.$file 2>&1`, qr/^usage: listen\.$file URL/,
             "$by: how to call it");
    }
};


$nginx->stop;

is_deeply([grep { /\[(?:alert|crit|emerg|error)\]/
                  && !/exited on signal 9/ } split /^/m, $nginx->error_log],
          [], 'nothing is amiss');

done_testing();

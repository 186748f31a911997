# WebSockets to foreign clients: npm's "ws", Python's "websockets", and
# Debian's Chromium.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Encode ();
use File::Copy qw(copy);

use Parley::Browser;
use Parley::Env qw(port tmp_dir root spew tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Websocket qw(share send_to);

my $dir = tmp_dir() . '/clients';
my $node = $ENV{PARLEY_NODE} // 'node';
my $token = bearer('alice');
my $cookie = $token =~ s/^Bearer //r;
my ($cert) = tls();

mkdir $dir or die "$dir: $!\n";
mkdir "$dir/page" or die "$dir/page: $!\n";
copy(root() . '/t/websocket-clients/peer.mjs', "$dir/peer.mjs")
    or die "copy: $!\n";
symlink root() . '/build/mcp/node_modules', "$dir/node_modules"
    or die "node_modules: $!\n";
spew("$dir/page/index.html", "<!DOCTYPE html><title>an agent</title>\n");

my $vcp = 'parley_vcp_context ctx|sockets;'
        . ' parley_vcp_constitution creed://acme/sockets@1;';

my $nginx = Parley::Nginx->start(workers => 2, http => http());


sub http {
    return streams_http(
        submit => 'vcp', more => 'parley_retain count=1000 time=1h;',
        identities => streams_identities(map {
            ($_ => { keys => [public_jwk(person($_)->{key})] })
        } qw(alice bob)),
        locations => <<"EOT");
        location = /vcp/ws { parley_jwt on; parley_websocket vcp; $vcp }
        location = /page/ws { parley_jwt on token=\$cookie_token;
                              parley_websocket vcp; $vcp }
        location /page/ {
            root $dir;
            add_header Set-Cookie
                       "token=$cookie; Path=/page/; HttpOnly; SameSite=Strict";
        }
        location = /favicon.ico { return 204; }
EOT
}


sub url {
    my ($scheme, $port, $session) = @_;

    return "$scheme://localhost:" . port($port) . "/vcp/ws?session=$session";
}


# Debian's Python, because only it has Debian's packages
my $python = (grep { -x && system("$_ -c 'import websockets' 2>/dev/null") == 0 }
                  '/usr/bin/python3')[0];
my $no_npm = system("$node --version > /dev/null 2>&1") != 0
             ? 'no node: install nodejs'
           : !-e root() . '/build/mcp/node_modules/ws'
             ? 'no ws: tools/install-deps test gets it by npm' : '';
my $no_python = $python ? '' : 'no python3-websockets';

$ENV{NODE_EXTRA_CA_CERTS} = $cert;

my @clients = (
    (map { { name => "ws, $_->[0]", without => $no_npm, pings => 1,
             command => [$node, "$dir/peer.mjs",
                         url($_->[1], $_->[2], "npm-$_->[1]$_->[2]"),
                         $token] } }
         ['HTTP', 'ws', 1], ['TLS', 'wss', 4],
         ['TLS beside HTTP/2', 'wss', 5]),
    (map { { name => "websockets, $_->[0]", without => $no_python,
             command => [$python,
                         root() . '/t/websocket-clients/peer.py',
                         url($_->[1], $_->[2], "py-$_->[1]$_->[2]"), $token,
                         $cert] } }
         ['HTTP', 'ws', 1], ['TLS', 'wss', 4],
         ['TLS beside HTTP/2', 'wss', 5]),
);

$_->{client} = Client->start(%$_) for grep { !$_->{without} } @clients;


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


# all accepted messages, in their order
my @sent;

sub publish { push @sent, map { $_->{message_id} } send_to('alice', $_[0]) }

sub has_all {
    my $client = shift;

    is_deeply($client->ids(scalar @sent), \@sent, 'each once, in order');
}

sub signed { return sign_vcp(share('alice', 'bob', @_), person('alice')->{key}) }


each_client('VCP-20 opened', sub { ok($_[0]->opened(1), 'it is open') });

publish(5);
each_client('VCP-20 what another sends', \&has_all);

each_client('VCP-18 VCP-20 what it sends', sub {
    my $client = shift;
    my $message = signed();

    $client->send(jcs($message));
    is_deeply($client->answer(1), { status => 'accepted',
                                    message_id => $message->{message_id} });
    $client->send(jcs($message));
    is($client->answer(2)->{status}, 'duplicate');
    $client->send('{"vcp_message":"1.2"}');
    is($client->answer(3)->{status}, 'rejected');

    # longer than a frame's short lengths, and than a piece
    $message = signed(context => 'x' x 200_000);
    $client->send(jcs($message));
    is($client->answer(4)->{status}, 'accepted');
});

ok($nginx->reload(http => http(), workers => 2), 'a reload');
publish(20);
each_client('GW-15 HUB-05 a reload', sub {
    my $client = shift;

    ok($client->opened(2), 'it is open again');
    is($client->{closes}[0][0], 1001, 'it was told');
    like($client->{closes}[0][1], qr/^last_event_id=/);
    has_all($client);
});

# clients that read the places in pings can resume after any end
kill_workers();
publish(20);
each_client('GW-15 a worker that is killed', sub {
    ok($_[0]->opened(3), 'it is open again');
    has_all($_[0]);
}, grep { $_->{pings} } @clients);

$_->{client} && $_->{client}->leave for @clients;


# Kills every worker, and waits until they are gone.
sub kill_workers {
    my $log = $nginx->error_log;
    my %gone = map { $_ => 1 } $log =~ /worker process (\d+) exited/g;
    my @alive = grep { !$gone{$_} } $log =~ /start worker process (\d+)/g;
    my $killed = $nginx->logged(qr/exited on signal 9/);

    kill 'KILL', @alive;
    ok($nginx->wait_for(qr/exited on signal 9/, $killed + @alive), 'killed');
}


# ---- Chromium: over plain HTTP, and over TLS, with HTTP/2

SKIP: {
    my $browser = Parley::Browser->start(port => port(9), insecure => 1)
        or skip 'there is no chromium, or no chromedriver', 2;

    for my $page (['HTTP/1.1', 'http', 'ws', 1], ['HTTP/2', 'https', 'wss', 5])
    {
        my ($by, $scheme, $ws, $port) = @$page;
        my $host = 'localhost:' . port($port);

        subtest "VCP-20 GW-02 Chromium, a page by $by" => sub {
            $browser->open("$scheme://$host/page/");
            is($browser->run('return document.cookie'), '',
               'no script has the token');

            $browser->run(<<"EOT");
                window.got = []; window.ended = null;
                window.socket = new WebSocket('$ws://$host/page/ws?session=b');
                socket.onmessage = (e) => got.push(e.data);
                socket.onclose = (e) => { ended = [e.code, e.reason]; };
EOT
            ok($browser->wait_for('return socket.readyState === 1'), 'open');
            is($browser->run('return socket.protocol + socket.extensions'), '',
               'no subprotocol, no extension');

            my $text = jcs(signed());

            $browser->run('socket.send(arguments[0])', $text);
            is(from_json($browser->wait_for('return got[0]'))->{status},
               'accepted');

            my ($message) = send_to('alice', 1);

            is_deeply(from_json($browser->wait_for('return got[1]')),
                      $message);

            ok($nginx->reload(http => http(), workers => 2), 'a reload');
            is($browser->wait_for('return ended && ended[0]'), 1001);
            like($browser->run('return ended[1]'), qr/^last_event_id=/);

            ($message) = send_to('alice', 1);

            $browser->run(<<"EOT");
                window.got = [];
                window.socket = new WebSocket(
                    '$ws://$host/page/ws?session=b&' + ended[1]);
                socket.onmessage = (e) => got.push(e.data);
EOT
            is_deeply(from_json($browser->wait_for('return got[0]')),
                      $message, 'it comes back, and misses nothing');

            # a page of another origin
            $browser->open("$scheme://127.0.0.1:" . port($port) . '/page/');
            $browser->run(<<"EOT");
                window.ended = null;
                window.socket = new WebSocket('$ws://$host/page/ws');
                socket.onclose = (e) => { ended = [e.code, e.reason]; };
EOT
            is($browser->wait_for('return ended && ended[0]'), 1006,
               'a page of another site opens none');
        };
    }
}


$nginx->stop;

is_deeply([grep { /\[(?:alert|crit|emerg|error)\]/
                  && !/exited on signal 9/ } split /^/m, $nginx->error_log],
          [], 'nothing is amiss');

done_testing();


package Client;

use IO::Select;
use IPC::Open2;
use Time::HiRes qw(time);

use constant PATIENCE => 30;


sub start {
    my ($class, %o) = @_;

    my $self = bless { %o, texts => [], answers => [], closes => [], had => {},
                       open => 0, text => '', owner => $$ }, $class;

    $self->{pid} = open2($self->{out}, $self->{in}, @{ $o{command} });

    return $self;
}


sub send {
    my ($self, $text) = @_;

    print { $self->{in} } "$text\n";
    $self->{in}->flush;
}


# Reads the available output, for at most that many seconds.
sub fill {
    my ($self, $seconds) = @_;

    return if !IO::Select->new($self->{out})->can_read($seconds);

    sysread $self->{out}, $self->{text}, 65536, length $self->{text}
        or die "$self->{name} ended\n";

    while ($self->{text} =~ s/\A(.*?)\n//s) {
        my $said = Parley::Message::from_json($1);

        $self->{open}++ if $said->{open};
        push @{ $self->{closes} }, $said->{close} if $said->{close};

        next if !defined $said->{text};

        my $json = Parley::Message::from_json(
                       Encode::encode_utf8($said->{text}));

        if ($json->{vcp_message}) {
            # a receiver recognises duplicates itself (VCP 5.1)
            push @{ $self->{texts} }, $json
                if !$self->{had}{$json->{message_id}}++;
            next;
        }

        push @{ $self->{answers} }, $json;
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


# Waits for the n-th opening.
sub opened {
    my ($self, $n) = @_;

    return $self->until(sub { $self->{open} >= $n });
}


sub ids {
    my ($self, $n) = @_;

    $self->until(sub { @{ $self->{texts} } >= $n });

    return [map { $_->{message_id} } @{ $self->{texts} }];
}


sub answer {
    my ($self, $n) = @_;

    $self->until(sub { @{ $self->{answers} } >= $n });

    return $self->{answers}[$n - 1] // {};
}


sub leave {
    my $self = shift;

    my $pid = delete $self->{pid} or return;

    return if $self->{owner} != $$;

    local ($?, $!);

    kill 'TERM', $pid;
    close $self->{$_} for qw(in out);
    waitpid $pid, 0;
}


sub DESTROY { $_[0]->leave }

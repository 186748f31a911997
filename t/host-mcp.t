# The official clients of MCP at a host of chat: with a handler of its requests,
# without one, and by tools alone.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use File::Copy qw(copy);
use JSON::PP ();
use Time::HiRes qw(sleep);

use Parley::Env qw(port root tmp_dir);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $node = $ENV{PARLEY_NODE} // 'node';

plan skip_all => 'no node: install nodejs'
    if system("$node --version > /dev/null 2>&1") != 0;
plan skip_all => 'no MCP packages: tools/install-deps test gets them by npm'
    if !-e root() . '/build/mcp/installed';

my $dir = tmp_dir() . '/mcp';

mkdir $dir;
symlink root() . '/build/mcp/node_modules', "$dir/node_modules"
    or die "node_modules: $!\n";
copy(root() . "/t/mcp/$_", "$dir/$_") or die "$_: $!\n"
    for qw(client.mjs package.json);

my @agents = map { my $generation = $_;
                   map { "$_$generation" } qw(handles plain again) }
             qw(1 2 modern);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => [
        (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } @agents),
        { sub => 'will', handle => '~will', c2a => 'human:will',
          accounts => ['web/main/will'] },
        { sub => 'web', handle => '~web', c2a => 'service:web',
          surface => ['web/main'] },
    ] }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on;
                           parley_host c2a quiet=0 keepalive=20s retry=1s; }
EOT


# Starts a client; returns a function that returns the result of each step.
sub client {
    my ($generation, $who, @steps) = @_;

    open(my $out, '-|', $node, "$dir/client.mjs", $generation,
         'http://localhost:' . port(1) . '/chat', bearer($who), @steps)
        or die "node: $!\n";

    return sub {
        my $text = do { local $/; <$out> };
        close $out;

        my $results = eval { JSON::PP->new->utf8->decode($text) } // [];

        is(scalar @$results, scalar @steps, 'all steps') or diag($text);

        return @$results;
    };
}

sub calls { my ($name, %args) = @_;
            return 'call=' . jcs({ name => $name, arguments => \%args }) }

sub waits { my ($n, $file) = @_;
            return 'wait=' . jcs({ events => $n, $file ? (file => $file) : () }) }

sub await_file {
    my ($file) = @_;

    for (1 .. 400) {
        return 1 if -e $file;
        sleep(0.05);
    }

    return 0;
}

sub posted { my $a = says(web => $_[0]); is($a->{status}, 200) or diag($a->{body});
             return $_[0]{params} }


for my $generation (qw(1 2)) {
    subtest "MCP-01 MCP-04 C2A-20 C2A-21 a client of generation $generation with a "
            . 'handler' => sub {
        my $who = "handles$generation";
        my $first = posted(to("agent:$who"));
        my $file = "$dir/$who";
        my $done = client($generation, $who,
            'connect={"chat":true,"handles":true}', waits(1, "$file.1"),
            calls('chat_send_message', inReplyTo => $first->{eventId},
                  idempotencyKey => 'k', visibility => 'dm',
                  directedness => 'to_me', target => $first->{conversation},
                  text => 'Yes.'),
            waits(2, "$file.2"), waits(3, "$file.3"), 'heard', 'close');

        ok(await_file("$file.2"), 'the first event came');

        my $second = posted(to("agent:$who"));

        ok(await_file("$file.3"), 'a second one came');
        $nginx->reload;

        my $third = posted(to("agent:$who"));
        my ($hello, $one, $sent, $two, $three, $heard) = $done->();

        ok($hello->{session}, 'it has a session');
        is_deeply($one, [$first->{eventId}]);
        is($sent->{structuredContent}{disposition}, 'responded')
            or diag(jcs($sent));
        is_deeply($three, [map { $_->{eventId} } $first, $second, $third],
                  'each event once, in order, also after a reload');
        is($heard->{events}[0]{attention}{policy}, 'must_respond');

        # the client may end before it has answered the third one

        is_deeply([grep { $_ ne $third->{eventId} }
                   @{ listed(tool($who => 'chat.list_events')) }], [],
                  'its handler acknowledged them');
    };

    subtest "MCP-03 C2A-31 a client of generation $generation without a "
            . 'handler' => sub {
        my $who = "plain$generation";
        my $event = posted(to("agent:$who"));
        my ($hello, $list, $claim, $left) = client($generation, $who,
            'connect={"chat":true}', calls('chat_list_events'),
            calls('chat_resolve', inReplyTo => $event->{eventId}),
            calls('chat_list_events'), 'close')->();

        is_deeply([map { $_->{event}{eventId} }
                   @{ $list->{structuredContent}{events} }],
                  [$event->{eventId}], 'its tools list the event')
            or diag(jcs($list));
        is($claim->{structuredContent}{disposition}, 'responded');
        is_deeply($left->{structuredContent}{events}, [], 'and end it');
    };
}


subtest 'MCP-03 C2A-36 a client without a session reads and acts by tools' => sub {
    my $event = posted(to('agent:plainmodern'));
    my ($hello, $tools, $list, $react, $unread) = client('modern',
        'plainmodern', 'connect', 'tools', calls('chat_list_events'),
        calls('chat_react', inReplyTo => $event->{eventId}, signal => 'queued'),
        calls('chat_react', inReplyTo => 'none', signal => 'queued'),
        'close')->();

    ok(!$hello->{session}, 'no session');
    is(scalar @$tools, 7, 'seven tools');

    my %hints = map { $_->{name} => $_->{annotations} } @$tools;

    ok($hints{chat_read_thread}{readOnlyHint});
    ok($hints{$_}{idempotentHint}, $_) for sort keys %hints;

    is($list->{structuredContent}{events}[0]{event}{eventId},
       $event->{eventId});
    like($list->{content}[0]{text}, qr/^C2A EVENT$/m, 'C2A-26: as text, too');
    is($react->{structuredContent}{disposition}, 'deferred');
    ok($unread->{isError}, 'a refusal that the model reads');
    is($unread->{structuredContent}{code}, 'reply-unmatched');
};


subtest 'MCP-04 a client that begins again has the name of the first' => sub {
    my $who = 'again1';
    my $event = posted(to("agent:$who"));
    my $file = "$dir/$who";
    my $first = client(1, $who, 'connect={"chat":true,"handles":true}',
                       waits(1), waits(2, "$file.1"), 'heard');

    ok(await_file("$file.1"), 'the first client has the stream');

    my $second = client(1, $who, 'connect={"chat":true,"handles":true}',
                        waits(1, "$file.2"), 'heard');

    ok(await_file("$file.2"), 'the second one connected');
    sleep(0.5);

    my $later = posted(to("agent:$who"));
    my ($hello, $one) = $second->();

    is_deeply($one, [$later->{eventId}], 'the second client gets the next event');

    posted(to("agent:$who", id => 'unread'));
    ($hello, $one) = $first->();
    is_deeply($one, [$event->{eventId}], 'the first got its own');
};


$nginx->stop;

done_testing();

# docs/messages.md: the gateway of "make run" accepts each message, as curl,
# Python and Node send it.

use strict;
use warnings;

use lib 't/lib';

use File::Path qw(make_path);
use POSIX ();
use Test::More;

use Parley::Env qw(root build_dir tmp_dir slurp spew);
use Parley::Pages;
use Parley::Tool ();

# its own directory: another run may be active
my $build = tmp_dir() . '/build';

make_path($build);
symlink build_dir() . "/$_", "$build/$_"
    for grep { -e build_dir() . "/$_" }
        qw(parley nginx ngx_http_parley_module.so);

my $said = tmp_dir() . '/demo';
my $demo = fork // die "fork: $!\n";

if ($demo == 0) {
    $ENV{PARLEY_BUILD} = $build;
    delete $ENV{ONCE};
    open STDOUT, '>', $said;
    open STDERR, '>&', \*STDOUT;
    exec root() . '/examples/demo/run' or POSIX::_exit(127);
}

END {
    if ($demo) {
        local $?;
        kill INT => $demo;
        waitpid $demo, 0;
    }
}

for (1 .. 900) {
    last if -e $said && slurp($said) =~ /Ctrl-C ends it/;
    waitpid($demo, POSIX::WNOHANG()) == 0
        or BAIL_OUT("the demo ended:\n" . slurp($said));
    select undef, undef, undef, 0.1;
}

my ($gateway) = slurp($said) =~ m{(https://localhost:\d+)};

ok($gateway, 'the demo runs') or BAIL_OUT(slurp($said));

$ENV{DEMO} = "$build/demo";
$ENV{GATEWAY} = $gateway;

# the answer, in every language
my %answer = (
    'aee'        => qr/^\{(?=.*"type":"result")(?=.*"from":"agent\.backup")/,
    'vcp'        => qr/^\{"status":"accepted".*"reason":"ACK:/,
    'vcp-signed' => qr/^\{"status":"accepted".*"recipient":"[^"]+worker-7"/,
    'c2a'        => qr/^\{"jsonrpc":"2\.0","id":"call-1",(?=.*"responded")/,
    'channel'    => qr/^\{"frame_id":"[^"]+","delivered":1\}/,
    'moq'        => qr/^\{"action":"backup\.run".*"status":"approved"/,
);


subtest 'docs/messages.md: curl' => sub {
    my @blocks = blocks('messages.md', 'sh');
    my @names = qw(start aee vcp vcp-signed c2a channel moq explain);

    is(@blocks, @names, 'blocks');

    # the reader's text, except for the place of the demo
    $blocks[0]{text} =~ s/^DEMO=.*/DEMO='$ENV{DEMO}'/m or die;
    $blocks[0]{text} =~ s/^GATEWAY=.*/GATEWAY='$gateway'/m or die;
    $blocks[0]{text} =~ s/^PATH=.*/PATH='$build':\$PATH/m or die;

    my @steps = steps(root(), {}, map { $_->{text} } @blocks);

    for my $i (0 .. $#names) {
        is($steps[$i]{status}, 0, "$names[$i]: status")
            or diag($steps[$i]{err});
        like($steps[$i]{out}, $answer{$names[$i]}, "$names[$i]: the answer")
            if $answer{$names[$i]};
    }

    like($steps[-1]{err}, qr/^policy +passed/m, 'explain: its steps');
    like($steps[-1]{out}, qr/"intent": "ops\.backup\.audit"/,
         'explain: the message that goes on');
};


subtest 'the message that the demo publishes is accepted in AEE too' => sub {
    my ($step) = steps(root(), {}, <<"EOT");
PATH='$build':\$PATH
curl -sS --cacert $ENV{DEMO}/tls/server.crt -w '%{http_code}' \\
    -H "Authorization: Bearer \$(cat $ENV{DEMO}/tokens/ops.jwt)" \\
    -H 'Content-Type: application/json' --data-binary \@- \\
    $gateway/channel/frames <<END
{"v": "1", "id": "\$(parley uuid)", "ts": "\$(date -u +%FT%TZ)",
 "type": "event", "from": "agent.ops", "to": "agent.watch",
 "intent": "ops.note", "corr": "published-1", "priority": "normal",
 "payload": {"text": "a disk is slow"}}
END
EOT

    is($step->{status}, 0, 'status') or diag($step->{err});
    like($step->{out}, qr/20[0-9]$/, 'taken');
};


for (['Python', 'python3', 'send.py'], ['Node', 'node', 'send.mjs']) {
    my ($language, $run, $file) = @$_;

    subtest "docs/messages.md: $language" => sub {
        plan skip_all => "no $run here"
            if system("command -v $run >/dev/null") != 0;

        my $program = root() . "/examples/messages/$file";

        for my $name (sort keys %answer) {
            my $out = `cd @{[ root() ]} && $run '$program' $name 2>&1`;

            is($?, 0, "$name: status");
            like($out =~ s/^200 //r, $answer{$name}, "$name: the answer");
        }

        my $closed = tmp_dir() . "/closed-$file";

        system("cd @{[ root() ]} && { sleep 0.3; exec $run '$program' aee "
               . "2>'$closed'; } | true");
        is(slurp($closed), '', 'nobody reads the answer');

        my $out = `$run '$program' smtp 2>&1`;
        isnt($?, 0, 'what it does not know');
        like($out, qr/usage: $file aee\|/, 'how to call it');
    };
}


done_testing();

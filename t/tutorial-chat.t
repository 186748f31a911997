# OPS-10: the commands of docs/tutorial-chat.md run unchanged, in one shell,
# with their own nginx.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(build_dir load_module nginx_binary port tmp_dir slurp);
use Parley::Pages;

plan skip_all => 'the module is part of this nginx' if load_module() eq '';

my $dir = tmp_dir() . '/newcomer';
mkdir $dir or die "$dir: $!\n";
mkdir "$dir/bin" or die "$dir/bin: $!\n";

# the nginx under test, with the name that the reader uses
my $nginx = nginx_binary();
chomp($nginx = `PATH=\$PATH:/usr/sbin command -v nginx`) if $nginx !~ m{/};
symlink $nginx, "$dir/bin/nginx";

my $port = port(1);
my @blocks = blocks('tutorial-chat.md', 'sh');

for (@blocks) {
    $_->{text} =~ s/\b8443\b/$port/g;
    $_->{text} =~ s{^MODULE=.*}{MODULE=@{[ load_module() ]}}m;
    $_->{text} =~ s/^sleep 12$/sleep 15/m;   # the machine may be busy
}

# stops nginx, regardless of the step that failed
END {
    if (defined $dir) {
        local $?;
        my $pid = "$dir/first-host/nginx.pid";

        kill QUIT => $1 if -e $pid && slurp($pid) =~ /(\d+)/;
    }
}

my @steps = steps($dir, { PATH => "$dir/bin:" . build_dir() . ":$ENV{PATH}" },
                  map { $_->{text} } @blocks);

# the output of a step, by its heading and its number below the heading
my %says = (
    '2. The host 1' => [err => qr/nginx\.conf test is successful/],
    '3. The surface posts a message 2' =>
        [out => qr/"eventId":"m1","addressed":\[\{"to":"agent:ada","row":"dm",
                   "directedness":"to_me","policy":"must_respond",
                   "mode":"buffered"\}\]/x],
    '4. The agent reads it 1' =>
        [out => qr/^data:\ \{"jsonrpc":"2\.0","id":"m1\#1\.[0-9a-f]{8}",
                   "method":"chat\/deliver",.*Is\ the\ deploy\ done\?/mx],
    '4. The agent reads it 2' =>
        [out => qr/\A\n.*"accepted":true,"eventId":"a-.*
                   "disposition":"responded"/x],
    '4. The agent reads it 3' =>
        [out => qr/"author":\{"id":"ada","kind":"agent"\},"target":
                   \{"inReplyTo":"m1".*Yes,\ an\ hour\ ago\./x],
    '5. The author edits and deletes 1' =>
        [out => qr/"eventId":"m2".*\n.*"eventId":"m3","addressed":\[\]/],
    '6. A message without an answer 1' =>
        [out => qr/"eventId":"m4:escalated:1","of":"m4","escalatedFrom":
                   "agent:ada".*\n.*parley:\ an\ event\ was\ not\ answered\ and
                   \ goes\ up\ to\ "will",\ from\ "human:web\.main\.guest",\ id
                   \ "m4"/x],
);

my (%number, %said);

for my $i (0 .. $#blocks) {
    my $name = $blocks[$i]{heading};
    $name .= ' ' . ++$number{$name};

    is($steps[$i]{status}, 0, "OPS-10 GW-11 C2A-01 the tutorial, $name")
        or diag($steps[$i]{out}, $steps[$i]{err});

    my $says = $says{$name} or next;
    like($steps[$i]{ $says->[0] }, $says->[1], "$name: the output");
    $said{$name} = 1;
}

is_deeply([ sort keys %said ], [ sort keys %says ], 'no step is left out');

unlike($steps[2]{err}, qr/\[warn\]/, 'nginx -t has no warning');

my $log = slurp("$dir/first-host/error.log");
unlike($log, qr/\[(?:alert|emerg|crit|error)\]/, 'no error in the log');
ok(!-e "$dir/first-host/nginx.pid" || do { sleep 2;
       !-e "$dir/first-host/nginx.pid" }, 'nginx has ended');

done_testing();

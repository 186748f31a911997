# OPS-10: the commands of docs/tutorial.md run unchanged, in one shell, with
# their own nginx.  t/package.t runs the commands that install.

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

my ($gateway, $service) = (port(1), port(2));
my @blocks = grep { !installs($_) } blocks('tutorial.md', 'sh');

for (@blocks) {
    $_->{text} =~ s/\b8443\b/$gateway/g;
    $_->{text} =~ s/\b9001\b/$service/g;
    $_->{text} =~ s{^MODULE=.*}{MODULE=@{[ load_module() ]}}m;
    $_->{text} =~ s/^sleep 1$/sleep 4/m;     # the machine may be busy
}

# removes everything, regardless of the step that failed
END {
    if (defined $dir) {
        local $?;
        my $pid = "$dir/first-gateway/nginx.pid";

        kill QUIT => $1 if -e $pid && slurp($pid) =~ /(\d+)/;

        for my $process (glob '/proc/[0-9]*') {
            open my $in, '<', "$process/cmdline" or next;
            kill TERM => $process =~ /(\d+)/
                if (<$in> // '') =~ /^python3\x00service\.py\x00$service\x00/;
        }
    }
}

my @steps = steps($dir, { PATH => "$dir/bin:" . build_dir() . ":$ENV{PATH}" },
                  map { $_->{text} } @blocks);

# the output of a step, by its heading and its number below the heading
my %says = (
    '4. The gateway 2'   => [err => qr/nginx\.conf test is successful/],
    '5. A token and a message 2' =>
        [out => qr/"type":\ ?"result".*"status":\ ?"ok"/],
    '6. A message that is refused 1' =>
        [out => qr/"code":"E_MESSAGE_DUPLICATE","message":"a\ message\ with\ this
                   \ id\ was\ taken\ already"/x],
    '6. A message that is refused 2' =>
        [out => qr/"code":"E_INTENT_REFUSED","message":"no\ rule\ grants\ this
                   \ intent;\ rule\ 1\ grants\ others".*"field":"\/intent"/x],
    '7. Why it was refused 1' =>
        [out => qr/parley:\ refused,\ message-duplicate:\ .*principal\ "auditor"
                   .*\n.*parley:\ refused,\ intent-refused\ \/intent:/x],
    '7. Why it was refused 2' =>
        [err => qr/^policy\s+refused\s+intent-refused\ \/intent:.*\n
                   \s+by\ "parley_allow"\ in\ nginx\.conf:36\n
                   answer\s+HTTP\ 403\ application\/json/mx],
    '8. A second protocol 2' => [err => qr/nginx\.conf test is successful/],
    '8. A second protocol 3' =>
        [out => qr/"status":"accepted".*"type":"escalation".*"reason":"ACK:/],
    '8. A second protocol 4' =>
        [out => qr/"type":"task".*"intent":"vcp\.escalation"/],
);

my (%number, %said);

for my $i (0 .. $#blocks) {
    my $name = $blocks[$i]{heading};
    $name .= ' ' . ++$number{$name};

    # the explained message is refused, as the page says
    is($steps[$i]{status}, $name eq '7. Why it was refused 2' ? 1 : 0,
       "OPS-10 GW-11 the tutorial, $name")
        or diag($steps[$i]{out}, $steps[$i]{err});

    my $says = $says{$name} or next;
    like($steps[$i]{ $says->[0] }, $says->[1], "$name: what it says");
    $said{$name} = 1;
}

is_deeply([ sort keys %said ], [ sort keys %says ], 'nothing is left out');

my $log = slurp("$dir/first-gateway/error.log");
unlike($log, qr/\[(?:alert|emerg|crit)\]/, 'nginx had nothing to complain of');
ok(!-e "$dir/first-gateway/nginx.pid" || do { sleep 2;
       !-e "$dir/first-gateway/nginx.pid" }, 'and has ended');

done_testing();

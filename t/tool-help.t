# The manual and the completion of the command line tool say what it has.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root build_dir tmp_dir slurp spew);
use Parley::Tool;

my $manual = root() . '/docs/parley.1';
my $completion = root() . '/tools/parley.bash-completion';

my @commands = tool_ok('--help') =~ /^  ([a-z]+(?: [a-z]+)?)  /mg;
my %options = map {
    my $text = tool_ok(split(/ /), '--help');
    $_ => [ $text =~ /^ +(?:-[a-z], )?(--[a-z0-9-]+)/mg ]
} @commands;


subtest 'GW-16 the manual names every command and option' => sub {
    my $text = slurp($manual);

    for my $command (@commands) {
        like($text, qr/^\.It Nm Cm \Q$command\E\b/m, $command);

        for my $option (@{ $options{$command} }) {
            my $name = $option =~ s/^-//r;
            like($text, qr/(?:^|[ ,])\Q$name\E(?:$|[ ,])/m,
                 "$command $option");
        }
    }

    my %known = map { $_ => 1, map { $_ => 1 } @{ $options{$_} } } @commands;
    my @named = map { "-$_" } $text =~ /(?:Fl|,) (-[a-z-]+)/g;

    is_deeply([ grep { !$known{$_} && $_ ne '--version' } @named ], [],
              'and none that there is not');
};


subtest 'GW-16 what is said of explain names each of its options' => sub {
    my ($item) = slurp($manual) =~ /^(\.It Nm Cm explain .*?)^\.It Nm Cm /ms;

    for my $option (grep { $_ ne '--help' } @{ $options{explain} }) {
        my $name = $option =~ s/^-//r;
        like($item, qr/(?:^|[ ,])\Q$name\E(?:$|[ ,])/m, $option);
    }
};


subtest 'GW-16 the manual is well-formed' => sub {
    plan skip_all => 'no man' if system('man --version >/dev/null 2>&1') != 0;

    my $said = `LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -E UTF-8 \\
                -l '$manual' 2>&1 >/dev/null`;

    is($said, '', 'man has no warnings');
};


# what bash would offer behind these words, the last of which is begun
sub complete {
    my @words = @_;

    my $list = join ' ', map { "'$_'" } 'parley', @words;
    my $last = @words;

    my $said = tmp_dir() . '/completed';
    my $script = spew(tmp_dir() . '/complete.bash', <<"END");
set -u
PATH=@{[ build_dir() ]}:\$PATH
. '$completion'
complete -p parley | grep -q -- '-F _parley' || exit 1
COMP_WORDS=($list)
COMP_CWORD=$last
_parley parley "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]+"\${COMPREPLY[@]}"}"
END

    my $out = `bash --norc '$script' 2>$said`;

    is($? . slurp($said), '0', "parley @words: no complaint");

    return [ sort split /\n/, $out ];
}


subtest 'GW-16 completion of commands' => sub {
    plan skip_all => 'no bash' if system('bash -c : 2>/dev/null') != 0;

    my %first = map { s/ .*//r => 1 } @commands;

    is_deeply(complete(''), [ sort keys %first, qw(help --help --version) ],
              'all of them');
    is_deeply(complete('v'), [qw(validate verify)], 'begun');
    is_deeply(complete('x'), [], 'none');
    is_deeply(complete('token', ''), [qw(inspect mint verify)],
              'the second word');
    is_deeply(complete('token', 'm'), ['mint'], 'begun');
    is_deeply(complete('help', 'tok'), ['token'], 'help');
    is_deeply(complete('help', 'token', 'v'), ['verify'], 'help of two words');
};


subtest 'GW-16 completion of options' => sub {
    plan skip_all => 'no bash' if system('bash -c : 2>/dev/null') != 0;

    for my $command (@commands) {
        is_deeply(complete(split(/ /, $command), '--'),
                  [ sort @{ $options{$command} } ], $command);
    }

    is_deeply(complete('validate', '--as', 'c'), [qw(c2a channel)],
              'protocols');
    is_deeply(complete('translate', '--loss', 're'), [qw(reject report)],
              'words');
    is_deeply(complete('frame', 'encode', '--type', 'd'), ['data'], 'types');
    is_deeply(complete('keygen', '--alg', 'es2'), ['es256'], 'algorithms');

    spew(tmp_dir() . '/a file.json', '');
    is_deeply(complete('validate', tmp_dir() . '/a f'),
              [ tmp_dir() . '/a file.json' ], 'files');
};


done_testing();

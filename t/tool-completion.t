# Completions of bash, zsh and fish for the words of a command line.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root build_dir tmp_dir slurp spew);
use Parley::Tool;

my $files = root() . '/tools/completion';

my @commands = tool_ok('--help') =~ /^  ([a-z]+(?: [a-z]+)?)  /mg;
my %options = map {
    my $text = tool_ok(split(/ /), '--help');
    $_ => [ $text =~ /^ +(?:-[a-z], )?(--[a-z0-9-]+)/mg ]
} @commands;

my @algorithms = qw(es256 es384 es512);

my %offers = (bash => \&bash, zsh => \&zsh, fish => \&fish);


# Returns the script's lines; dies if it prints an error.
sub run {
    my ($shell, $options, $script) = @_;

    my $said = tmp_dir() . '/said';
    my $file = spew(tmp_dir() . "/complete.$shell", $script);
    my $out = `$shell $options '$file' 2>$said </dev/null`;

    is($? . slurp($said), '0', "$shell does not complain");

    return split /\n/, $out;
}


sub bash {
    my @words = @_;

    my $list = join ' ', map { "'$_'" } 'parley', @words;
    my $last = @words;

    return run('bash', '--norc', <<"END");
set -u
PATH=@{[ build_dir() ]}:\$PATH
. '$files/parley.bash'
complete -p parley | grep -q -- '-F _parley' || exit 1
COMP_WORDS=($list)
COMP_CWORD=$last
_parley parley "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]+"\${COMPREPLY[@]}"}"
END
}


# Runs zsh in a terminal, which shows what it would insert.  Only its lists are
# tested, since zsh itself selects from them.
sub zsh {
    my @words = @_;

    my $list = join ' ', map { "'$_'" } 'parley', @words;
    my $last = @words + 1;
    my $cur = $words[-1];

    my @found = run('zsh', '-f', <<"END");
PATH=@{[ build_dir() ]}:\$PATH
_describe()
{
    while [[ \$1 = -[to] ]]; do [[ \$1 = -t ]] && shift; shift; done
    print -rl -- \${\${(P)2}%%:*}
}
_files() { [[ \$1 = -/ ]] && print -rl -- \$words[CURRENT]*(/) ||
               print -rl -- \$words[CURRENT]*(N) }
_message() { : }
words=($list)
CURRENT=$last
. '$files/_parley'
END

    return grep { substr($_, 0, length $cur) eq $cur } @found;
}


sub fish {
    my @words = @_;

    s/ /\\ /g for @words;

    return map { s/\t.*//r } run('fish', '--no-config', <<"END");
set -gx PATH @{[ build_dir() ]} \$PATH
set -gx HOME @{[ tmp_dir() ]}
source '$files/parley.fish'
complete -C 'parley @words'
END
}


for my $shell (sort keys %offers) {
    my $offers = sub {
        my ($words, $want, $name) = @_;

        is_deeply([ sort $offers{$shell}->(@$words) ], [ sort @$want ],
                  "$shell: $name");
    };

    subtest "GW-16 $shell completes the words of parley" => sub {
        plan skip_all => "no $shell"
            if system("$shell -c : >/dev/null 2>&1") != 0;

        my %first = map { s/ .*//r => 1 } @commands;

        $offers->([''], [ keys %first, qw(help --help --version -V) ],
                  'all commands');
        $offers->(['v'], [qw(validate verify)], 'a command');
        $offers->(['qq'], [], 'none');
        $offers->(['token', ''], [qw(inspect mint verify)],
                  'the second word');
        $offers->(['token', 'm'], ['mint'], 'begun');
        $offers->(['help', 'tok'], ['token'], 'help');
        $offers->(['help', 'token', 'v'], ['verify'], 'help of two words');

        for my $command (@commands) {
            $offers->([ split(/ /, $command), '--' ], $options{$command},
                      "options of $command");
        }

        $offers->(['validate', '--as', 'c'], [qw(c2a channel)], 'protocols');
        $offers->(['translate', '--loss', 're'], [qw(reject report)],
                  'words');
        $offers->(['frame', 'encode', '--type', 'd'], ['data'], 'types');
        $offers->(['keygen', '--alg', 'es'], \@algorithms, 'algorithms');
        $offers->(['token', 'mint', '--exp', 'x'], [], 'a value of its own');

        my $dir = tmp_dir() . "/$shell";

        mkdir $dir;
        mkdir "$dir/sub";
        spew("$dir/a-file.json", '');

        $offers->(['validate', "$dir/a-"], ["$dir/a-file.json"], 'a file');
        $offers->(['explain', '--conf', "$dir/a-"], ["$dir/a-file.json"],
                  'the file of an option');

        my @folders = $offers{$shell}->('validate', '--intents', "$dir/");
        is("@folders" =~ s{/( |$)}{$1}gr, "$dir/sub", "$shell: a folder");
    };
}


done_testing();

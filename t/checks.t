# The checks of rooms, calls, prose and machine code find faults in a small tree.

use strict;
use warnings;

use lib 't/lib';

use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use Test::More;

use Parley::Env qw(root tmp_dir spew slurp);

my $root = root();
my $tree = tmp_dir() . '/tree';

make_path("$tree/tools", "$tree/core", "$tree/gate");

for my $tool (qw(Rooms.pm Usage.pm check-layers check-calls check-names
                 check-prose same-code))
{
    copy("$root/tools/$tool", "$tree/tools/$tool") or die "$tool: $!\n";
    chmod 0755, "$tree/tools/$tool";
}

my %clean = (
    'sources' => "core/low.c\ngate/high.c\ngate/next.c\n",
    'tools/rooms.tsv' => "core\t0\t\ngate\t1\tcore\n",
    'core/low.h' => "int low(int n);\n",
    'core/low.c' => <<~'END',
        #include "low.h"
        static int twice(int n) { return 2 * n; }
        int low(int n) { return twice(n) + 1; }
        END
    'gate/high.h' => "int high(int n);\nint next(int n);\n",
    'gate/high.c' => <<~'END',
        #include "high.h"
        #include "low.h"
        static const char *const names[] = { "one", "two" };
        const char *name(int n) { return names[n & 1]; }
        int high(int n) { return low(n) + next(n); }
        END
    'gate/next.c' => <<~'END',
        #include "high.h"
        int next(int n) { return n + 3; }
        END
);

restore();


subtest 'includes' => sub {
    is(tool('check-layers'), '0 ', 'those that go down pass');

    change('core/low.c', sub { "#include \"high.h\"\n" . shift });
    is(tool('check-layers'),
       "1 core/low.c:1: high.h: core does not know gate\n",
       'one that goes up is found');

    change('core/low.c', sub { "#include \"gate/high.h\"\n" . shift });
    like(tool('check-layers'), qr/^1 core\/low.c:1: gate\/high.h: core does/,
         'as is one that says its room');

    spew("$tree/tools/rooms.tsv",
         "core\t0\tgate/high.h\ngate\t1\tcore\n");
    is(tool('check-layers'), '0 ', 'a file that the row names may be used');

    spew("$tree/tools/rooms.tsv", "core\t0\tgate\ngate\t1\tcore\n");
    is(tool('check-layers'), "1 tools/rooms.tsv:1: gate is not below core\n",
       'a room of a higher floor may not');

    restore();
    spew("$tree/tools/rooms.tsv", "core\t0\t\ngate\t2\t*\n"
         . "gate/one\t1\t* !core\n");
    make_path("$tree/gate/one");
    spew("$tree/gate/one/part.c", "#include \"low.h\"\n");
    is(tool('check-layers'),
       "1 gate/one/part.c:1: low.h: gate/one does not know core\n",
       'a row below a row is a room of its own, which may leave a room out');

    spew("$tree/tools/rooms.tsv", "core\t0\t\ngate\t1\tcore gate/*\n"
         . "gate/*\t1\tcore gate\n");
    make_path("$tree/gate/two");
    spew("$tree/gate/one/part.h", '');
    spew("$tree/gate/two/part.c", "#include \"low.h\"\n"
         . "#include \"one/part.h\"\n");
    is(tool('check-layers'),
       "1 gate/two/part.c:2: one/part.h: gate/two does not know gate/one\n",
       'the rooms of "gate/*" do not know each other');

    spew("$tree/tools/rooms.tsv", "core\t0\t\n");
    make_path("$tree/core");
    spew("$tree/core/low.c", "int low(void) { return printf(\"\"); }\n");
    is(tool('check-layers'), "1 core/low.c:1: printf(): core is pure\n",
       'what is not pure is found');

    system 'rm', '-r', "$tree/gate";
    make_path("$tree/gate");
    restore();
};


subtest 'calls' => sub {
    like(tool('check-calls'),
         qr/^1 .*no object of core\/low.c in build: "make module"$/m,
         'nothing is said without objects');

    compile();
    is(tool('check-calls --lower'), '0 ', 'the first table');
    is(slurp("$tree/tools/circles.tsv") =~ s/^#.*\n//mgr,
       "core\t-\t1\ngate\t-\t2\n", 'has the numbers of its day');
    is(tool('check-calls'), '0 ', 'calls that go down pass');

    change('core/low.c', sub { "int high(int n);\n" . shift =~ s/\+ 1/+ high(1)/r });
    compile();
    like(tool('check-calls'), qr{^1\ core/low\.c:1:\ high\(\)\ is\ in\ gate/high\.c:
                                 \ core\ does\ not\ call\ gate$}mx,
         'one that goes up is found without its include');
    restore();

    change('gate/next.c', sub { shift =~ s/n \+ 3/n ? high(n - 1) : 3/r });
    compile();
    is(tool('check-calls'),
       "1 tools/circles.tsv: gate has circles of 2 files, limit -;"
       . " tools/check-calls --circles gate lists them\n",
       'a circle of files is found');
    is(tool('check-calls --circles gate'), "0 2: gate/high.c gate/next.c\n",
       'and listed');

    tool('check-calls --lower');
    like(slurp("$tree/tools/circles.tsv"), qr/^gate\t-\t/m,
         '--lower does not raise a limit');

    spew("$tree/tools/circles.tsv", "core\t-\t1\ngate\t3\t2\n");
    is(tool('check-calls'), "0 tools/circles.tsv: limits of gate can be"
       . " lowered: tools/check-calls --lower\n",
       'a smaller one passes, with a word about the limit');

    tool('check-calls --lower');
    like(slurp("$tree/tools/circles.tsv"), qr/^gate\t2\t2$/m,
         '--lower writes it');

    spew("$tree/tools/circles.tsv", "core\t-\t1\ngate\t2\t1\n");
    is(tool('check-calls'),
       "1 tools/circles.tsv: the median file of gate includes 2 headers,"
       . " limit 1; tools/check-calls --headers gate lists them\n",
       'more headers than the limit are found');
    restore();

    ring(11);
    compile();
    spew("$tree/tools/circles.tsv", "core\t-\t1\ngate\t10\t2\n");
    like(tool('check-calls'), qr/^1 .* circles of 11 files, limit 10;/,
         'one file more does not pass');

    spew("$tree/tools/circles.tsv", "core\t-\t1\ngate\t11\t2\n");
    is(tool('check-calls'), '0 ', 'as many do');

    spew("$tree/tools/circles.tsv", "core\t-\t1\ngate\t6 5\t2\n");
    like(tool('check-calls'), qr/^1 .* circles of 11 files, limit 6 5;/,
         'two circles do not become one');

    unlink glob "$tree/gate/ring*";
    restore();
};


subtest 'names' => sub {
    make_path(map { "$tree/$_" } qw(docs tools gate/steps ngx_module));
    spew("$tree/tools/rooms.tsv", "core\t0\t\ngate/steps\t1\tcore\n"
         . "gate\t2\t*\nngx_module\t3\t*\ntools\t3\t*\n");
    spew("$tree/docs/architecture.md", <<~'END');
        | room | content | names begin with |
        |---|---|---|
        | tools/ | the tool | `tool_` and a word |
        | gate/ | the gate | `high`, `gate_end` |
        | gate/steps | steps | `gate`: all others |
        | core/ | the rest | `low`, `low_number` |
        END

    my %named = (
        'core/low.c' => ['parley_low', 'static', 'parley_low_number_add'],
        'gate/high.c' => ['parley_gate_end_well', '', 'parley_high'],
        'gate/next.c' => ['parley_high_next'],
        'gate/steps/one.c' => ['parley_gate_token', 'static',
                               'parley_gate_ended'],
        'ngx_module/two.c' => ['ngx_http_parley_low'],
        'tools/tool.c' => ['main', 'static', 'tool_high'],
    );

    for my $file (sort keys %named) {
        my ($first, $static, $second) = @{$named{$file}};

        spew("$tree/$file", "int\n$first(int n)\n{\n    return n;\n}\n"
             . ($second ? "\n\n$static int\n$second(int n)\n{\n}\n" : ''));
    }

    is(tool('check-names'), '0 ', 'words of the own room pass');
    is(tool('check-names --list gate/steps'),
       "0 parley_gate_token\nparley_gate_ended\n", 'a room is listed');

    for my $case (
        ['core/low.c', 'parley_low_number_add', 'parley_high_add',
         'docs/architecture.md has its first word in gate'],
        ['core/low.c', 'parley_low_number_add', 'parley_lower',
         'the first words of core in docs/architecture.md do not include it'],
        ['gate/steps/one.c', 'parley_gate_ended', 'parley_gate_end_it',
         'docs/architecture.md has its first word in gate'],
    ) {
        my ($file, $old, $new, $text) = @$case;

        change($file, sub { shift =~ s/$old/$new/r });
        is(tool('check-names'), "1 $file:9: $new(): $text\n",
           "$new is found in $file");
        change($file, sub { shift =~ s/$new/$old/r });
    }

    for my $case (['tools/tool.c', 'tool_high', 'high_tool', 'tool_'],
                  ['ngx_module/two.c', 'ngx_http_parley_low', 'parley_low',
                   'ngx_http_parley_'],
                  ['gate/next.c', 'parley_high_next', 'high_next', 'parley_'])
    {
        my ($file, $old, $new, $prefix) = @$case;

        change($file, sub { shift =~ s/$old/$new/r });
        like(tool('check-names'),
             qr/^1 \Q$file\E:\d+: $new\(\) does not begin with "$prefix"\n$/,
             "$new of $file has another prefix");
        change($file, sub { shift =~ s/$new/$old/r });
    }

    unlink "$tree/tools/tool.c";
    remove_tree(map { "$tree/$_" } qw(gate/steps ngx_module docs));
    restore();
};


subtest 'prose' => sub {
    my $tools = (tool('check-prose --print') =~ /(^tools\t.*\n)/m)[0];
    my $plain = "/* Returns the next number of the list and counts it. */\n";

    change('core/low.c', sub { $plain x 10 . shift });
    change('gate/next.c', sub { $plain x 10 . shift });
    spew("$tree/tools/prose.tsv", "folder\t5.0\npage\t8.0\ncore\t0.0\n$tools");
    is(tool('check-prose'), '0 ', 'plain sentences pass');

    change('gate/next.c', sub { "/* Whoever stands here is no caller. */\n"
                                . shift() . "int whoever;\n" });
    is(tool('check-prose'),
       "1 gate: 28.3 hard constructions in 1000 words, limit 5.0;"
       . " tools/check-prose --list gate shows them\n",
       'hard ones are found');
    is(tool('check-prose --list gate'),
       "0 " . "gate/next.c:1: Whoever stands here is no caller. \n" x 3,
       'and listed, those of comments only');

    spew("$tree/tools/prose.tsv", "gate\t28.0\n$tools");
    is(tool('check-prose'), '0 ', 'a third of a match more passes');

    spew("$tree/tools/prose.tsv", "gate\t27.0\n$tools");
    like(tool('check-prose'), qr/^1 gate: 28.3/, 'one match more does not');

    tool('check-prose --lower');
    like(slurp("$tree/tools/prose.tsv"), qr/^gate\t27.0$/m,
         '--lower does not raise a limit');

    spew("$tree/tools/prose.tsv", "gate\t40.0\n$tools");
    is(tool('check-prose'), "0 tools/prose.tsv: limits of gate can be lowered:"
       . " tools/check-prose --lower\n", 'a limit that is too high is named');

    tool('check-prose --lower');
    like(slurp("$tree/tools/prose.tsv"), qr/^gate\t28.4$/m,
         '--lower writes the number of today');

    spew("$tree/page.md", "Of what is closed, nobody stands.\n" . "word " x 90);
    like(tool('check-prose'), qr/^1 page.md: 41.7 .* limit 8.0;/,
         'a page without a row has a limit');

    unlink "$tree/page.md";
    restore();
};


SKIP: {
    skip 'git is not installed', 1 if system('git --version > /dev/null 2>&1');

    subtest 'machine code' => sub {
        git('init -q');
        spew("$tree/.gitignore", "build/\n");
        git('add .');
        git('-c user.name=test -c user.email=test@localhost'
            . ' commit -q -m "A tree"');

        my $same = "functions and tables, 0 differ\n";

        like(tool('same-code HEAD'), qr/^0 same-code: \d+ $same/,
             'the same tree has the same code');

        # moved to another file, no longer static, in another order, commented
        change('core/low.c', sub { <<~'END' });
            /* Returns an odd number. */
            #include "low.h"

            int twice(int n);

            int low(int n)
            {
                return twice(n) + 1;
            }
            END
        spew("$tree/core/twice.c", <<~'END');
            int twice(int n);
            int twice(int n) { return 2 * n; }
            const char *second(void);
            const char *second(void) { return "second"; }
            END
        spew("$tree/sources", "core/twice.c\n$clean{sources}");
        like(tool('same-code HEAD'),
             qr{^1\ core/twice\.c:\ second\(\)\ is\ new\n
                same-code:\ \d+\ functions\ and\ tables,\ 1\ differ$}x,
             'a move is none, a function more is found');

        change('core/twice.c', sub { shift =~ s/const.*//sr });
        like(tool('same-code HEAD'), qr/^0 same-code: \d+ $same/,
             'a move alone is nothing');

        spew("$tree/core/twice.c", "int twofold(int n);\n"
             . "int twofold(int n) { return 2 * n; }\n");
        change('core/low.c', sub { shift =~ s/twice/twofold/gr });
        like(tool('same-code HEAD'),
             qr/low\(\) differs\n(?s:.*)twice\(\) is missing\n(?s:.*)/,
             'another name differs');
        spew("$tree/renames", "# old, new\ntwice\ttwofold\n");
        like(tool('same-code --renames renames HEAD'),
             qr/^0 same-code: \d+ $same/,
             'but for the table of names');
        restore();

        change('gate/high.c', sub { shift =~ s/"two"/"2"/r });
        is(tool('same-code HEAD'),
           "1 gate/high.c: names differs\n"
           . "same-code: 6 functions and tables, 1 differ\n",
           'another text in a table is found');
        restore();

        change('gate/next.c', sub { shift =~ s/3/4/r });
        like(tool('same-code --diff HEAD'),
             qr{^1\ gate/next\.c:\ next\(\)\ differs\n---.*^-[^\n]*0x3\b
                .*^\+[^\n]*0x4\b}xms,
             'another number is found, and shown');
        restore();
    };
}


for my $tool (qw(check-layers check-calls check-names check-prose
                 same-code))
{
    like(tool("$tool --help"), qr{^0 tools/$tool .*--help}s, "$tool --help");
    like(tool("$tool --no-such"), qr{^2 }, "$tool knows its options");
}


done_testing;


sub restore {
    for my $file (sort keys %clean) {
        spew("$tree/$file", $clean{$file});
    }
}


sub change {
    my ($file, $how) = @_;

    spew("$tree/$file", $how->(slurp("$tree/$file")));
}


# Makes a circle of files of gate/.
sub ring {
    my $n = shift;

    for my $i (0 .. $n - 1) {
        my $next = ($i + 1) % $n;

        spew("$tree/gate/ring$i.c", "#include \"high.h\"\n"
             . "#include \"low.h\"\nint ring$next(void);\n"
             . "int ring$i(void) { return ring$next(); }\n");
    }

    spew("$tree/sources", $clean{sources}
         . join '', map { "gate/ring$_.c\n" } 0 .. $n - 1);
}


# Returns the status of a tool, and its output.
sub tool {
    my $said = qx{cd $tree && tools/$_[0] 2>&1};

    return ($? >> 8) . " $said";
}


sub git {
    system("cd $tree && git $_[0]") == 0 or die "git $_[0] failed\n";
}


# Compiles objects as a build of the module does.
sub compile {
    for my $file (slurp("$tree/sources") =~ /(\S+)\.c/g) {
        my $object = "$tree/build/obj/$file.o";

        make_path($object =~ m{(.*)/});
        system("cd $tree && gcc -O1 -Icore -Igate -c -o $object $file.c") == 0
            or die "$file.c does not compile\n";
    }
}

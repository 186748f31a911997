package Parley::Ajv;

# Compiles the input schemas of tools with Ajv and its defaults, as clients of
# MCP do before they call a tool.
#
#     compiles($answer->{json}{result});    # of tools/list

use strict;
use warnings;

use Exporter 'import';
use File::Copy qw(copy);
use Test::More;

use Parley::Env qw(root tmp_dir spew);
use Parley::Message;

our @EXPORT = qw(compiles);


sub compiles {
    my $listed = shift;

    my $node = $ENV{PARLEY_NODE} // 'node';
    my $dir = tmp_dir() . '/ajv';

    SKIP: {
        skip 'no node, or no MCP packages', 1
            if !-e root() . '/build/mcp/installed'
               || system("$node --version > /dev/null 2>&1") != 0;

        mkdir $dir;
        symlink root() . '/build/mcp/node_modules', "$dir/node_modules";
        copy(root() . '/t/mcp/ajv.mjs', "$dir/ajv.mjs") or die "ajv.mjs: $!\n";
        spew("$dir/tools.json", jcs($listed));

        # Ajv warns of union types and accepts them
        my @lines = split /\n/,
            `$node $dir/ajv.mjs $dir/tools.json 2> /dev/null`;

        # in both drafts for which Ajv has a class

        is_deeply(\@lines, [map { ("$_->{name} compiles") x 2 }
                            @{ $listed->{tools} }], 'Ajv compiles them')
            or diag(join "\n", @lines);
    }
}


1;

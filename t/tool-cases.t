# parley validate agrees with the library for every case of t/cases/<protocol>:
# valid, or the code and the wrong member; in files and as lines.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root section slurp);
use Parley::Tool;


# Returns the cases of a protocol, with or without the option of log records.
sub cases {
    my ($protocol, $partial) = @_;

    return grep {
        -e "$_/in.json"
        && !!$partial == (section($_, 'opts') =~ /^mve5=1$/m ? 1 : 0)
    } glob root() . "/t/cases/$protocol/*";
}


# Returns "code field" of a case, or "" for a valid one.
sub wanted {
    my $case = shift;

    return section($case, 'error') =~ s/\s+\z//r;
}


sub got {
    my $said = shift;

    return $said->{ok} ? '' : join ' ', grep { defined } @$said{qw(code field)};
}


for my $protocol (qw(aee vcp vcp2 c2a channel moq)) {
    subtest "GW-16 GW-10 validate --as $protocol" => sub {
        for my $partial (0, 1) {
            my @cases = cases($protocol, $partial) or next;
            my @words = ('validate', '--json', '--as', $protocol,
                         $partial ? '--partial' : ());

            my ($status, $out, $err)
                = tool(@words, map { "$_/in.json" } @cases);
            my @said = map { json($_) } split /\n/, $out;

            is(scalar @said, scalar @cases, 'one line for each');

            for my $i (0 .. $#cases) {
                my ($name) = $cases[$i] =~ m{([^/]+)$};
                is(got($said[$i]), wanted($cases[$i]), $name);
            }

            # the cases that fit on a line, as NDJSON

            my @lines = grep { slurp("$_/in.json") =~ /^[^\n]*\n?\z/
                               && slurp("$_/in.json") =~ /\S/ } @cases;
            my $in = join '', map { slurp("$_/in.json") =~ s/\n?\z/\n/r }
                              @lines;

            ($status, $out, $err) = tool({ in => $in }, @words, '-n');
            @said = map { json($_) } split /\n/, $out;

            is_deeply([ map { got($_) } @said ],
                      [ map { wanted($_) } @lines ], 'the same as lines');
            like($err, qr/^parley: @{[ scalar @lines ]} messages?, /m,
                 'with a summary') if @lines;
        }
    };
}


done_testing();

package Rooms;

# The rooms of tools/rooms.tsv, and the files of C in them.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = qw(load_rooms room_of may_use files_of_rooms includes_of
                    resolve code_of slurp);

my $table = 'tools/rooms.tsv';

my (%floor, %uses, %line, %rooms, %files, %by_name, %code);


# Reads the table and finds the files.  Returns the errors of the table, as
# file:line: text.
sub load_rooms {
    my @wrong;

    open my $in, '<', $table or die "$table: $!\n";

    while (my $row = <$in>) {
        chomp $row;
        next if $row =~ /^#|^$/;

        my ($room, $floor, $uses) = split /\t/, $row, -1;

        if (!defined $uses || $floor !~ /^\d+(?:\.\d+)?$/
            || exists $floor{$room})
        {
            push @wrong, "$table:$.: not a new room, its floor and what it"
                         . ' may use';
            next;
        }

        $floor{$room} = $floor;
        $uses{$room} = [ split ' ', $uses ];
        $line{$room} = $.;
    }

    find_files();
    return @wrong, map { wrong_uses($_) } sort keys %uses;
}


sub wrong_uses {
    my $room = shift;
    my @wrong;

    for my $use (@{$uses{$room}}) {
        (my $name = $use) =~ s/^!//;

        if ($name eq '*' || $name =~ /\.\w+$/ && -f $name) {
            next;

        } elsif (!exists $floor{$name}) {
            push @wrong, "$table:$line{$room}: \"$name\" is not a room and not"
                         . ' a file';

        } elsif ($floor{$name} >= $floor{$room} && !is_family($room, $name)) {
            push @wrong, "$table:$line{$room}: $name is not below $room";
        }
    }

    return @wrong;
}


# Whether two rows are "a" and "a/*" on the same floor.
sub is_family {
    my ($one, $other) = @_;

    return $floor{$one} == $floor{$other}
           && ("$one/*" eq $other || $one eq "$other/*");
}


sub find_files {
    my %top = map { m{^([^/]+)} ? ($1 => 1) : () } keys %floor;

    for my $file (split /\n/, `find @{[sort keys %top]} -name '*.[ch]' \\
                               -o -name '*.def'`)
    {
        $files{$file} = 1;
        push @{$by_name{$1}}, $file if $file =~ m{([^/]+)$};
    }
}


sub files_of_rooms {
    return sort keys %files;
}


# Returns the row of the table for a folder, or undef.
sub row_of {
    my $dir = shift;

    for (my $at = $dir; $at; $at =~ s{/?[^/]*$}{}) {
        return $at if exists $floor{$at};

        (my $each = $at) =~ s{[^/]+$}{*};
        return $each if exists $floor{$each};
    }

    return;
}


# Returns the room of a file, or undef.  For the row "a/*" it is the folder.
sub room_of {
    my ($dir) = shift =~ m{(.*)/};

    return if !defined $dir;

    my $row = $rooms{$dir} //= row_of($dir) // '';

    return if $row eq '';
    return $row if $row !~ m{^(.*)/\*$};
    return $dir =~ m{^(\Q$1\E/[^/]+)} ? $1 : undef;
}


# Whether a file of one room may use a file of another.
sub may_use {
    my ($from, $to) = @_;

    my ($room, $other) = (room_of($from), room_of($to));

    return 1 if $room eq $other;

    my ($row, $other_row) = map { row_of($_) } $room, $other;
    my @uses = @{$uses{$row}};

    return 0 if grep { $_ eq "!$other_row" } @uses;
    return 1 if grep { $_ eq $other_row } @uses
        and $row ne $other_row;
    return 1 if grep { $_ eq '*' } @uses
        and $floor{$other_row} < $floor{$row};

    (my $header = $to) =~ s/\.c$/.h/;

    return scalar grep { $_ eq $to || $_ eq $header } @uses;
}


# Returns the includes of a file of C, each as [ line, name ].
sub includes_of {
    my @found;
    my $n = 0;

    for (split /\n/, code_of(shift)) {
        $n++;
        push @found, [ $n, $1 ] if /^\s*#\s*include\s*[<"]([^>"]+)[>"]/;
    }

    return @found;
}


# Returns the file that an include of a file refers to, or undef if it is
# outside the rooms.
sub resolve {
    my ($from, $name) = @_;

    my ($dir, $base) = ($from =~ m{(.*)/}, $name =~ m{([^/]+)$});

    for my $path ("$dir/$name", $name) {
        return $path if $files{$path};
    }

    my @same = grep { m{(?:^|/)\Q$name\E$} } @{$by_name{$base} // []};

    return $same[0];
}


# Returns the text of a file without comments, with the same line numbers.
sub code_of {
    my $file = shift;

    return $code{$file} if defined $code{$file};

    my $text = slurp($file);

    $text =~ s{("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(/\*.*?\*/|//[^\n]*)}
              {defined $1 ? $1 : $2 =~ tr/\n//cdr}gse;

    return $code{$file} = $text;
}


sub slurp {
    my $file = shift;

    open my $in, '<', $file or die "$file: $!\n";
    local $/;

    return <$in> // '';
}


1;

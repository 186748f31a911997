package Bench::Callgrind;

# Instruction counts: of the library alone, and of an nginx that serves
# requests.

use strict;
use warnings;

use Exporter 'import';

use Bench::Client qw(load);
use Bench::Files qw(%bench output slurp);
use Bench::Gateway;
use IO::Socket::INET;
use List::Util qw(sum);

our @EXPORT_OK = qw(count_pure count_requests count_each count_whole
                    count_parts called);

# requests that fill the caches (and that LuaJIT compiles), and counted requests
my %requests = (warm => 300, counted => 500);

# requests for a gateway that serves many kinds of requests, one after another
my %each = (warm => 50, short => 20, long => 220);

# simulated caches: octets, ways, octets of a line
my %cache = (I1 => '32768,8,64', D1 => '32768,8,64', LL => '262144,8,64');
my $line = 64;


# Returns name => { count, octets }, the user instructions of one run of each
# case.  Callgrind writes a file whenever bench_counted() ends.
sub count_pure {
    my $out = "$bench{dir}/pure.callgrind";
    unlink glob "$out*";

    my @lines = split "\n", output(
        qw(valgrind --tool=callgrind -q --toggle-collect=bench_counted),
        '--dump-after=bench_counted', "--callgrind-out-file=$out",
        "$bench{dir}/bench_pure", $bench{dir}, 'count');

    my %counts;

    for my $i (0 .. $#lines) {
        my ($name, $times, $octets) = split ' ', $lines[$i];

        $counts{$name} = { octets => $octets,
                           count => total("$out." . ($i + 1)) / $times };
    }

    return \%counts;
}


# Returns the user instructions of one request: the difference of a long and a
# short run, over one connection, so that the start does not count.
sub count_requests {
    my ($kind, $path, %o) = @_;

    my $warm = delete $o{warm} // $requests{warm};
    my $counted = delete $o{counted} // $requests{counted};

    my $short = serve($kind, $path, %o, requests => $warm);
    my $long = serve($kind, $path, %o, requests => $warm + $counted);

    return ($long - $short) / $counted;
}


# As count_requests(), for many kinds of requests, { name, path, options of
# load() }, with one gateway.  Returns name => instructions.
sub count_each {
    my ($kind, @requests) = @_;

    my $files = dump_each($kind, [], @requests);

    return map { $_ => per_request(total($files->{$_}{long})
                                   - total($files->{$_}{short})) }
               keys %$files;
}


# Counts one kind of request, { path, options of load() }, over one connection
# and over 32.  Returns name => { count }.  Code is the octets of the module's
# lines that are executed in at least half of the requests.  Code and misses are
# those of 32 connections: between two requests of one connection, the caches
# lose more.
sub count_whole {
    my ($kind, @request) = @_;

    my $files = dump_each($kind,
        [ qw(--dump-instr=yes --compress-strings=no --compress-pos=no),
          '--cache-sim=yes', map { "--$_=$cache{$_}" } sort keys %cache ],
        [ one => @request ], [ many => @request, connections => 32 ]);

    my %one = map { $_ => read_dump($files->{one}{$_}) } qw(short long);
    my %many = map { $_ => read_dump($files->{many}{$_}) } qw(short long);

    my %counts = (
        'request' => events(\%one, 'Ir'),
        'request-code' => executed(map { $many{$_}{lines} } qw(long short)),
        'request-i1' => events(\%many, 'I1mr'),
        'request-d1' => events(\%many, qw(D1mr D1mw)),
        'request-ll-code' => events(\%many, 'ILmr'),
        'request-ll-data' => events(\%many, qw(DLmr DLmw)),
    );

    return { map { $_ => { count => $counts{$_} } } keys %counts };
}


# Returns name => { instructions, code } of the parts of one kind of request, as
# count_whole(), over one connection.  A part is a folder of the module, nginx
# or a library.  A function belongs to the part of its file, with all that is
# inlined into it.  Code is the octets that are executed in at least half of the
# requests.
sub count_parts {
    my ($kind, @request) = @_;

    my $files = dump_each($kind,
        [ qw(--dump-instr=yes --compress-strings=no --compress-pos=no) ],
        [ one => @request ]);

    my ($long, $short) = map { read_dump($files->{one}{$_})->{parts} }
                         qw(long short);

    return { map {
        my ($of, $before) = ($long->{$_},
                             $short->{$_} // { count => 0, lines => {} });

        $_ => { instructions => per_request($of->{count} - $before->{count}),
                code => executed($of->{lines}, $before->{lines}) };
    } keys %$long };
}


# Returns the module's functions that run in at least half of the requests of
# one kind, in the order of their calls.
sub called {
    my ($kind, @request) = @_;

    my $files = dump_each($kind,
        [ qw(--compress-strings=no --compress-pos=no) ], [ one => @request ]);

    my ($long, $short) = map { read_calls($files->{one}{$_}) } qw(long short);
    my (%seen, %runs, @names);

    for my $caller (keys %{ $long->{calls} }) {
        $runs{$_} += $long->{calls}{$caller}{$_}
                     - ($short->{calls}{$caller}{$_} // 0)
            for keys %{ $long->{calls}{$caller} };
    }

    my $walk;
    $walk = sub {
        my $caller = shift;

        return if $seen{$caller}++ || per_request($runs{$caller} // 0) < 0.5;

        push @names, $caller if $long->{ours}{$caller};
        $walk->($_) for @{ $long->{order}{$caller} || [] };
    };

    $walk->('ngx_http_core_run_phases');
    $walk->($_) for sort keys %{ $long->{order} };

    # the compiler's names of parts and copies of a function
    my %names;

    return grep { !$names{$_}++ } map { s/['.].*//sr } @names;
}


# Returns { ours: functions of the module; calls: caller => called => number;
# order: caller => functions in the order of its code }.
sub read_calls {
    my $file = shift;

    my (%ours, %calls, %order, $object, $caller, $called);

    open my $in, '<', $file or die "$file: $!\n";

    while (my $text = <$in>) {
        if ($text =~ /^ob=(.*)/) {
            $object = $1;

        } elsif ($text =~ /^fn=(.*)/) {
            $caller = $1;
            $ours{$caller} = 1 if $object eq $bench{module}
                                  && $caller =~ /^[a-z]/;

        } elsif ($text =~ /^cfn=(.*)/) {
            $called = $1;

        } elsif ($text =~ /^calls=(\d+)/) {
            push @{ $order{$caller} }, $called
                if !$calls{$caller}{$called};
            $calls{$caller}{$called} += $1;
        }
    }

    return { ours => \%ours, calls => \%calls, order => \%order };
}


# Returns the octets of the lines that are executed in at least half of the
# requests.
sub executed {
    my ($lines, $before) = @_;

    return $line * grep { per_request($lines->{$_} - ($before->{$_} // 0))
                          >= 0.5 } keys %$lines;
}


sub events {
    my ($runs, @names) = @_;

    return per_request(sum(map { $runs->{long}{events}{$_}
                                 - $runs->{short}{events}{$_} } @names));
}


sub per_request { return $_[0] / ($each{long} - $each{short}) }


# Serves each request with one gateway; the option "with" is a function that
# sends requests instead of load().  Returns name => { short, long }, the
# names of callgrind's files.  Callgrind writes a file when the worker answers a
# request to /mark, which calls this function of nginx.
sub dump_each {
    my ($kind, $options, @requests) = @_;

    my $out = "$bench{dir}/$kind-each.callgrind";
    my ($marks, %files) = 0;

    unlink glob "$out*";

    my $gateway = callgrind($kind, $out, @$options,
                            '--dump-before=ngx_http_send_response');

    for my $request (@requests) {
        my ($name, $path, %o) = @$request;
        my $send = delete $o{with} // \&load;

        for my $run (qw(warm short long)) {
            $send->($gateway, $path, %o, requests => $each{$run});
            mark($gateway);
            $marks++;

            $files{$name}{$run} = "$out.$marks";
        }
    }

    $gateway->stop;

    return \%files;
}


# Reads a file with instructions.  Returns { events: name => total count; lines:
# address of a line of the module's code => count of its most executed
# instruction; parts: name => { count of instructions, lines } }.
sub read_dump {
    my $file = shift;

    my (@events, %events, %lines, %parts, $object, $source, $part, $call);

    open my $in, '<', $file or die "$file: $!\n";

    while (my $text = <$in>) {
        if ($text =~ /^0x([0-9a-f]+) \S+ (\d+)/) {

            # The line after "calls=" has the cost of the called function.
            if (!$call) {
                my $at = int(hex($1) / $line);

                $part->{count} += $2;

                for my $of ($part->{lines},
                            $object eq $bench{module} ? \%lines : ()) {
                    $of->{$at} = $2 if $2 > ($of->{$at} // 0);
                }
            }

            $call = 0;

        } elsif ($text =~ /^ob=(.*)/) {
            $object = $1;

        } elsif ($text =~ /^f[lie]=(.*)/) {
            $source = $1;

        } elsif ($text =~ /^fn=/) {
            $part = $parts{part_name($object, $source)} //= { count => 0,
                                                            lines => {} };

        } elsif ($text =~ /^calls=/) {
            $call = 1;

        } elsif ($text =~ /^events: (.*)/) {
            @events = split ' ', $1;

        } elsif ($text =~ /^(?:totals|summary): (.*)/) {
            @events{@events} = split ' ', $1;
        }
    }

    die "bench: $file has no total\n" if !%events;

    return { events => \%events, lines => \%lines, parts => \%parts };
}


# Returns the part of a function: the folder of its file, if it is the module's,
# else the name of the program or library.
sub part_name {
    my ($object, $source) = @_;

    return $1 if $object eq $bench{module}
                 && $source =~ m{\.\./\.\./([a-z_]+)/};

    return $object =~ m{([^/]+?)(?:\.so.*)?$} ? $1 : $object;
}


sub mark {
    my $gateway = shift;

    my $socket = IO::Socket::INET->new(
        PeerAddr => "127.0.0.1:$gateway->{port}") or die "bench: $!\n";

    print $socket "GET /mark HTTP/1.0\r\n\r\n";
    1 while <$socket>;
}


sub callgrind {
    my ($kind, $out, @options) = @_;

    return Bench::Gateway->start($kind, single => 1,
        by => [ qw(valgrind --tool=callgrind -q), @options,
                "--callgrind-out-file=$out" ]);
}


sub serve {
    my ($kind, $path, %o) = @_;

    my $out = "$bench{dir}/$kind.callgrind";

    my $gateway = callgrind($kind, $out);

    load($gateway, $path, %o);
    $gateway->stop;

    return total($out);
}


sub total {
    my $file = shift;

    my ($total) = slurp($file) =~ /^(?:totals|summary): (\d+)$/m
        or die "bench: $file has no total\n";

    return $total;
}


1;

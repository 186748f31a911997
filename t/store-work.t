# The functions of the store have bounds of work and of memory: many large frames
# of one tenant stop no gateway.

use strict;
use warnings;

use lib 't/lib';

use IO::Socket::UNIX;
use List::Util qw(min);
use Test::More;

use Parley::Env qw(root slurp);
use Parley::Redis;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

use constant LARGE => 1_000_000;        # octets; a frame has at most 1 MB
use constant MINUTE => 60_000;

my $redis = Parley::Redis->start(0);
my $engine = IO::Socket::UNIX->new(Peer => $redis->socket) or die $!;


sub octets {
    my $len = shift;

    read $engine, my $octets, $len + 2 or die "no reply\n";

    return substr $octets, 0, $len;
}

sub reply {
    my $line = <$engine> // die "no reply\n";
    my ($type, $rest) = $line =~ /^(.)(.*)\r\n/;

    return [map { reply() } 1 .. $rest] if $type eq '*';
    return octets($rest) if $type eq '$' && $rest >= 0;
    die "$rest\n" if $type eq '-';
    return $rest;
}

# Runs a command, which can have more octets than an argument of a program.
sub does {
    my @words = @_;

    print $engine '*' . @words . "\r\n",
        map { '$' . length($_) . "\r\n$_\r\n" } @words;

    return reply();
}

sub function {
    my ($name, @words) = @_;
    return does('FCALL', $name, 1, '{work}', @words);
}

# Returns the microseconds that the engine has spent on functions.
sub spent {
    return (does('INFO', 'commandstats')
            =~ /^cmdstat_fcall:calls=\d+,usec=(\d+)/m)[0];
}

# Returns the microseconds of a page after a number: the least of ten.
sub page_time {
    my $known = shift;
    my @took;

    for (1 .. 10) {
        my $before = spent();

        function('p1_feed', $known);
        push @took, spent() - $before;
    }

    return min(@took);
}


does('FUNCTION', 'LOAD', slurp(root() . '/state/store/parley_store.lua'));
does('SET', '{work}g', 1);


subtest 'CLU-04 a page of large steps' => sub {
    my $large = 'x' x LARGE;
    my @numbers = map { function('p1_say', $large, MINUTE, 1e9, '') } 1 .. 40;
    my ($known, @got) = (0);

    while (@got < 200) {
        my $page = function('p1_feed', $known);

        push @got, map { $page->[4 * $_] } 1 .. $#$page / 4;
        $known = $page->[0];
        last if $page->[3] eq '0';
    }

    is_deeply(\@got, \@numbers, 'all steps come in pages');
    is($known, $numbers[-1]);
    cmp_ok(page_time(0), '<', 6 * page_time($numbers[-3]),
           'a page before many steps takes as long as one before two');
};


subtest 'CLU-04 pages of small steps' => sub {
    my @numbers = map { function('p1_say', "x$_", MINUTE, 1e9, '') } 1 .. 130;

    for my $from (0, 1, 2, 63, 64, 65, 66, 127, 128, 129) {
        my ($known, $pages, @got) = ($numbers[$from], 0);

        while ($pages++ < 10) {
            my $page = function('p1_feed', $known);

            push @got, map { $page->[4 * $_] } 1 .. $#$page / 4;
            $known = $page->[0];
            last if $page->[3] eq '0';
            cmp_ok($#$page / 4, '>=', 64, 'a whole page') if $pages == 1;
        }

        is_deeply(\@got, [@numbers[$from + 1 .. $#numbers]], "after $from");
    }
};


subtest 'CLU-12 a large step takes the room of many small ones' => sub {
    my $room = 2 * LARGE;

    does('DEL', map { "{work}$_" } qw(f q o b));
    function('p1_say', 'y' x 20, 10 * MINUTE, $room, '') for 1 .. 20_000;
    is(does('GET', '{work}o'), 400_000, 'small steps');

    for (1 .. 30) {
        function('p1_say', 'x' x LARGE, 10 * MINUTE, $room, '');
    }

    cmp_ok(does('GET', '{work}o'), '<=', $room, 'octets of all steps');
    is(does('XLEN', '{work}f'), does('LLEN', '{work}q'),
       'as many steps as sizes');
    is(does('XLEN', '{work}f'), 2);
};


subtest 'CLU-12 steps that have ended are removed' => sub {
    does('DEL', map { "{work}$_" } qw(f q o b));
    function('p1_say', 'y' x 20, 1, 1e9, '') for 1 .. 3;
    function('p1_say', 'y' x 20, MINUTE, 1e9, '');
    select undef, undef, undef, 0.05;
    function('p1_say', 'y' x 20, MINUTE, 1e9, '') for 1 .. 16;
    is(does('XLEN', '{work}f'), 17, 'those that have not ended stay');
    is(does('GET', '{work}o'), 340);
};

done_testing();

# ACH-28: to delete, a worker holds a page of a log in memory, not all of it.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(is_sanitized port slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

# 24 MB
use constant {
    MESSAGES => 400,
    OCTETS   => 60_000,
};

my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
    zone => 'streams:128m share=90%',
    more => 'parley_retain count=1000 time=1h; client_body_buffer_size 1m;',
    locations => 'location = /aee { parley_jwt on; parley_submit aee; }'));
my $client = Parley::Client->new(port => port(1), tls => 0);


# Returns the largest memory of the only worker, in KB.
sub most {
    my $master = $nginx->pid;
    my ($worker) = split ' ', slurp("/proc/$master/task/$master/children");
    my ($kb) = slurp("/proc/$worker/status") =~ /^VmHWM:\s+(\d+)/m;

    return $kb;
}


sub erased {
    my ($who) = @_;

    return $client->send('DELETE', '/channel/stream/~bob?all=1', '',
                         Authorization => bearer($who))->{json}{erased};
}


my $taken = 0;

for (1 .. MESSAGES) {
    my $note = aee(type => 'event', intent => 'ops.note',
                   payload => { text => 'x' x OCTETS });

    $taken += submit($note, uri => '/aee', as => 'alice')->{status} == 202;
}

is($taken, MESSAGES, 'the log is long');

my $before = most();

is(erased('dave'), 0, 'ACH-28 who may delete none of it');
is(erased('alice'), MESSAGES, 'ACH-28 who deletes all of it');

my $kb = most() - $before;

note("the worker grew by $kb KB");

SKIP: {
    skip 'memory is not measured under sanitizers', 1 if is_sanitized();
    cmp_ok($kb, '<', 8 * 1024, 'ACH-28 the worker held a page at a time');
}

$nginx->stop;

done_testing;

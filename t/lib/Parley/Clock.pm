package Parley::Clock;

# A monotonic clock of nginx that a test sets forward, for times of minutes and
# hours.  The wall clock does not change.
#
#     my $clock = Parley::Clock->new;
#     my $nginx = $clock->start(http => $http);
#     $clock->forward(2400);
#
# A worker sees the new time when something wakes it.

use strict;
use warnings;

use Parley::Env qw(tmp_dir spew);
use Parley::Nginx;

my $source = <<'EOT';
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *forward;

__attribute__((constructor)) static void
forward_open(void)
{
    int    fd;
    void  *p;

    fd = open(getenv("PARLEY_CLOCK"), O_RDONLY);
    p = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);

    if (p != MAP_FAILED) {
        forward = p;
    }

    close(fd);
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
    int  rc;

    rc = (int) syscall(SYS_clock_gettime, id, ts);

    if (rc == 0 && forward
        && (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_COARSE))
    {
        ts->tv_sec += *forward;
    }

    return rc;
}
EOT


sub new {
    my $class = shift;

    my $self = bless { file => tmp_dir() . '/clock', now => 0,
                       object => tmp_dir() . '/clock.so' }, $class;

    spew(tmp_dir() . '/clock.c', $source);
    spew($self->{file}, pack('q', 0));

    system($ENV{CC} // 'cc', '-shared', '-fPIC', '-o', $self->{object},
           tmp_dir() . '/clock.c') == 0 or die "cc fails\n";

    return $self;
}


# Starts nginx with this clock.
sub start {
    my ($self, %conf) = @_;

    local $ENV{PARLEY_CLOCK} = $self->{file};
    local $ENV{LD_PRELOAD} = join ':', grep { defined }
                                       $ENV{LD_PRELOAD}, $self->{object};

    return Parley::Nginx->start(%conf);
}


sub forward {
    my ($self, $seconds) = @_;

    $self->{now} += $seconds;

    open my $out, '+<', $self->{file} or die "$self->{file}: $!\n";
    syswrite $out, pack('q', $self->{now});
    close $out;
}


1;

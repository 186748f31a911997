package Parley::Sandbox;

# A shell as root on this machine's files, with processes of its own.  It
# changes copies of the files in memory, which end with it, so a test can
# install and remove packages.  It needs root and mount namespaces.

use strict;
use warnings;

use Exporter 'import';

use Parley::Env qw(root tmp_dir spew);

our @EXPORT = qw(sandbox);


# Returns the command of the shell, which takes sh's arguments, or () if this
# machine does not allow it.  Inside, the test's directory is the real one.
sub sandbox {
    my ($root, $tmp) = (root(), tmp_dir());

    spew("$tmp/sandbox.sh", <<"EOT");
set -e
mkdir -p $tmp/memory
mount -t tmpfs -o mode=755 tmpfs $tmp/memory
cd $tmp/memory
mkdir changed work project project-work new
mount -t overlay -o lowerdir=/,upperdir=changed,workdir=work overlay new
mkdir -p new$root new$tmp
mount -t overlay -o lowerdir=$root,upperdir=project,workdir=project-work \\
    overlay new$root
mount --bind $tmp new$tmp
mount --rbind /dev new/dev
mount -t proc proc new/proc
mount -t tmpfs tmpfs new/run
exec chroot new sh "\$@"
EOT

    my @command = (qw(unshare -m -p -f --kill-child sh), "$tmp/sandbox.sh");

    return if $> != 0;
    return if system("@command -c 'test -x /usr/bin/dpkg' 2> /dev/null") != 0;
    return @command;
}


1;

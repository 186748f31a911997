# Sourced by tools/check-package and tools/with-quic.  Makes a root of another
# Debian suite by debootstrap, from the mirror that this machine uses, and runs
# commands in it.  The caller sets $root, the folder of the root, and $name, its
# own name for messages.


inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
        DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS=nocheck \
        chroot "$root" "$@"
}


step() {
    echo "$name: $*"
}


# the mirror from which this machine gets its packages
mirror() {
    {
        sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/*.sources
        sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\) .*/\2/p' \
            /etc/apt/sources.list /etc/apt/sources.list.d/*.list
    } 2> /dev/null | grep -m 1 '/debian/*$'
}


# make_root SUITE COMMAND [ARGUMENT...]: makes the root unless it exists.  The
# command, run here or by "inside", installs packages into the new root.
make_root() {
    [ ! -e "$root/.parley-made" ] || return 0

    suite=$1
    shift

    step "debootstrap"
    rm -rf "$root"
    mkdir -p "$root"

    debootstrap --variant=minbase "$suite" "$root" "$(mirror)" \
        > "$root.log" 2>&1 || return 1

    # only the scripts start daemons in the root
    printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    cp /etc/resolv.conf "$root/etc/resolv.conf"

    step "packages"
    "$@" >> "$root.log" 2>&1 || return 1

    touch "$root/.parley-made"
}


# copies the sources into a folder of the root; what was built there is kept
copy_sources() {
    rm -rf "$root$1.new"
    mkdir -p "$root$1.new"
    (cd "$ROOT" && tar -c --exclude=./build --exclude=./.git .) \
        | tar -x -C "$root$1.new" || return 1

    if [ -d "$root$1/build" ]; then
        mv "$root$1/build" "$root$1.new/build"
    fi

    rm -rf "${root:?}$1"
    mv "$root$1.new" "$root$1"
}

# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Bare systems for the tests of packages: made once by debootstrap, and entered as a copy that is thrown away, with the
# network closed. Sourced with $root set to the top of the tree.
: "${root:?}"

roots=${GPUSTREAM_TEST_ROOTS:-$root/build/package/roots}

# make_root NAME SUITE PACKAGES...: a minimal system; nothing but these packages is added. 1 if it cannot be made here.
make_root() {
    local name=$1 suite=$2 packages
    shift 2
    packages=$(IFS=,; echo "$*")
    [[ ! -f $roots/$name.made ]] || return 0
    [[ $(id -u) -eq 0 ]] && has debootstrap || return 1
    mkdir -p "$roots"
    debootstrap --variant=minbase ${packages:+--include="$packages"} "$suite" "$roots/$name" http://deb.debian.org/debian \
        >"$roots/$name.log" 2>&1 || {
        tail -n 5 "$roots/$name.log"
        return 1
    }
    touch "$roots/$name.made"
}

# make_foreign_root NAME SUITE ARCHITECTURE PACKAGES...: the files of a system for another processor, unpacked and not
# installed: what one program of it needs, run by qemu.
make_foreign_root() {
    local name=$1 suite=$2 architecture=$3 packages deb
    shift 3
    packages=$(IFS=,; echo "$*")
    [[ ! -f $roots/$name.made ]] || return 0
    [[ $(id -u) -eq 0 ]] && has debootstrap || return 1
    mkdir -p "$roots"
    debootstrap --foreign --arch="$architecture" --variant=minbase --include="$packages" "$suite" "$roots/$name" \
        http://deb.debian.org/debian >"$roots/$name.log" 2>&1 || return 1
    for deb in "$roots/$name"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$deb" "$roots/$name"; done
    touch "$roots/$name.made"
}

# in_root NAME SHARED COMMAND...: runs in a copy of the root with SHARED read-only at /packages. All mounts are of a
# namespace that ends with the command, and so does what was written; the only network is a loopback that is down.
in_root() {
    local name=$1 shared=$2
    shift 2
    # shellcheck disable=SC2016  # expanded by the inner shell
    unshare --mount --net --pid --fork bash -c '
        set -e
        root=$1 shared=$2
        shift 2
        work=$(mktemp -d)
        mount -t tmpfs tmpfs "$work"
        mkdir "$work/upper" "$work/work" "$work/root"
        mount -t overlay overlay -o "lowerdir=$root,upperdir=$work/upper,workdir=$work/work" "$work/root"
        cd "$work/root"
        mkdir -p packages
        mount --bind -o ro "$shared" packages
        mount -t proc proc proc
        mount --rbind /dev dev
        mount -t tmpfs tmpfs dev/shm
        mount -t tmpfs tmpfs tmp
        exec chroot . /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
            GPUSTREAM_BACKEND=host DEBIAN_FRONTEND=noninteractive "$@"
    ' in_root "$roots/$name" "$shared" "$@"
}

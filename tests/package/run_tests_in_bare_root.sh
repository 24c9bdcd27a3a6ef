#!/bin/sh
# Clones this repository's last commit into a root where nothing is installed, and runs `./run tests` there. As root,
# with debootstrap and the network for packages:
#   tests/package/run_tests_in_bare_root.sh [CTEST_OPTIONS]
# BARE_ROOT names a folder with a bare Debian 12, which is copied instead of made. BARE_CCACHE names a compiler cache to
# share; the clone lies where this repository does, so that the cache knows its files. BARE_LOG names the file that all is
# written to (default: build/bare-root.log). Ends with ./run's exit status.
set -eu
source=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
log=${BARE_LOG:-$source/build/bare-root.log}
mkdir -p "$(dirname "$log")"
work=$(mktemp -d)
root=$work/root

if [ -n "${BARE_ROOT:-}" ]; then cp -a "$BARE_ROOT" "$root"; else
    debootstrap --variant=minbase bookworm "$root" >"$log"
fi
mkdir -p "$(dirname "$root$source")"
git clone -q --no-hardlinks "$source" "$root$source"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cache=
if [ -n "${BARE_CCACHE:-}" ]; then
    mkdir -p "$root/root/.cache/ccache"
    cache=$root/root/.cache/ccache
fi

# Mounts of its own, which go with the processes in it: nothing of the root can be left running or mounted.
status=0
unshare --mount --pid --fork --kill-child sh -eu -c '
    root=$1 cache=$2 shared=$3 clone=$4
    shift 4
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o size=64m tmpfs "$root/dev"
    for device in null zero full random urandom tty; do
        : >"$root/dev/$device"
        mount --bind "/dev/$device" "$root/dev/$device"
    done
    mkdir "$root/dev/shm" "$root/dev/pts"
    mount -t tmpfs tmpfs "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
    ln -s pts/ptmx "$root/dev/ptmx"
    ln -s /proc/self/fd "$root/dev/fd"
    [ -z "$cache" ] || mount --bind "$shared" "$cache"
    exec chroot "$root" /usr/bin/env -i HOME=/root USER=root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        "$clone/run" tests "$@"
' sh "$root" "$cache" "${BARE_CCACHE:-}" "$source" "$@" >>"$log" 2>&1 || status=$?
tail -n 15 "$log"
printf '%s\n' "./run tests in a bare Debian 12 ended with $status; $log says more"
rm -rf --one-file-system "$work"
exit "$status"

#!/bin/sh
# Installs the packages where nothing else is, uses them and removes them again. As root, with debootstrap and Xvfb:
#   tests/package/check_in_bare_root.sh build/package/packages/*.deb build/package/packages/*.tar.gz
# Needs the network for the root (BARE_ROOT names a folder with one, which is copied) and for what the .deb depends on.
set -eu
deb=$1
tar=$2
work=$(mktemp -d)
display=:77

say() { printf '%s\n' "check: $*"; }
fail() { printf '%s\n' "check failed: $*" >&2; exit 1; }
in_root() { root=$1; shift; chroot "$work/$root" env -i HOME=/home/ada USER=ada LANG=C.UTF-8 DISPLAY=$display \
    PATH="/opt/headroom/bin:/usr/bin:/bin:/usr/sbin:/sbin" "$@"; }

if [ -n "${BARE_ROOT:-}" ]; then cp -a "$BARE_ROOT" "$work/bare"; else
    debootstrap --variant=minbase bookworm "$work/bare" >"$work/log"
fi
mkdir -p "$work/bare/home/ada"
cp -a "$work/bare" "$work/other"
# Nothing of this machine but /proc: what is removed at the end is in the folder alone.
for root in bare other; do mount --bind /proc "$work/$root/proc"; done
Xvfb $display -ac -screen 0 1600x1000x24 >/dev/null 2>&1 &
xvfb=$!
trap 'kill $xvfb; umount "$work/bare/proc" "$work/other/proc" && rm -rf --one-file-system "$work"' EXIT

# use ROOT SHARE: the doctor, the demo study in a few steps with its figures, the window.
use() {
    in_root "$1" headroom --version
    in_root "$1" headroom doctor | tee "$work/doctor"
    grep -q 'Ready to train' "$work/doctor" || fail "the doctor finds something missing"
    in_root "$1" headroom doctor --report | grep -q 'installed *yes' || fail "it takes itself for a build"
    mkdir -p "$work/$1/home/ada/demo"
    sed -e 's/"steps": 1000/"steps": 20/' -e 's/"warmup_steps": 100/"warmup_steps": 5/' -e 's/"steps": 150/"steps": 5/' \
        -e 's/: 250/: 10/g' -e 's/: 50,/: 10,/' "$work/$1/$2/demo/study.json" >"$work/$1/home/ada/demo/study.json"
    in_root "$1" headroom study run /home/ada/demo
    for figure in loss architecture probe similarity-of-heads attention; do
        [ -s "$work/$1/home/ada/demo/figures/$figure.pdf" ] || fail "the figure $figure was not drawn"
    done
    in_root "$1" headroom-studio /home/ada/demo --screenshot /home/ada/window.png --after-ms 4000 2>"$work/said"
    grep -q 'OpenGL' "$work/said" && fail "the window says: $(cat "$work/said")"
    [ "$(wc -c <"$work/$1/home/ada/window.png")" -gt 20000 ] || fail "the window shows nothing"
    cp "$work/$1/home/ada/window.png" "${SCREENSHOTS:-$work}/$1.png"
}

files_of_headroom() { (cd "$work/bare" && find etc usr opt var/lib/dpkg/info -iname '*headroom*' | sort); }

cp "$deb" "$work/bare/tmp/headroom.deb"
cp /etc/resolv.conf "$work/bare/etc/resolv.conf"
in_root bare apt-get -q update >"$work/log"
in_root bare env DEBIAN_FRONTEND=noninteractive apt-get -q install -y /tmp/headroom.deb >>"$work/log" 2>&1 ||
    { tail -20 "$work/log"; fail "the .deb does not install"; }
say "the .deb is installed"
use bare usr/share/headroom
for file in usr/share/man/man1/headroom.1.gz usr/share/applications/org.headroom.Studio.desktop; do
    [ -f "$work/bare/$file" ] || fail "$file is not there"
done
in_root bare env DEBIAN_FRONTEND=noninteractive apt-get -q purge -y headroom >>"$work/log" 2>&1
rm "$work/bare/tmp/headroom.deb"
[ -z "$(files_of_headroom)" ] || fail "left behind: $(files_of_headroom)"
say "the .deb is removed, and nothing of it is left"

mkdir -p "$work/other/opt"
tar -C "$work/other/opt" -xf "$tar"
mv "$work"/other/opt/headroom-* "$work/other/opt/headroom"
cp /etc/resolv.conf "$work/other/etc/resolv.conf"
in_root other headroom-studio 2>"$work/log" && fail "the studio opened without OpenGL"
grep -q '^error: .*libgl1-mesa-dri' "$work/log" || fail "the studio does not say that OpenGL is missing"
in_root other apt-get -q update >"$work/log"
in_root other apt-get -q install -y --no-install-recommends libgl1-mesa-dri libglx-mesa0 >>"$work/log" 2>&1
use other opt/headroom/share/headroom
say "both packages do what they should"

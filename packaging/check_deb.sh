#!/usr/bin/env bash
# Installs dist/jaxscope_*.deb with its dependencies in a clean Debian and runs its self-test there.
# Needs root and debootstrap. SUITE and MIRROR choose the Debian, ROOT_FOLDER says where it is kept for the next time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

suite=${SUITE:-bookworm}
folder=${ROOT_FOLDER:-$PWD/build/clean-$suite}
deb=$(ls -t dist/jaxscope_*.deb 2>/dev/null | head -n 1)
[ -n "$deb" ] || { echo "there is no dist/jaxscope_*.deb; run make package first" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "a clean Debian can only be made by root; run it with sudo" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "debootstrap is missing; install it with: apt-get install debootstrap" >&2; exit 1; }

if [ ! -f "$folder/etc/debian_version" ]; then
  echo "making a clean Debian $suite in $folder"
  debootstrap --variant=minbase "$suite" "$folder" ${MIRROR:+"$MIRROR"} >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2; exit 1; }
fi
mountpoint -q "$folder/proc" || mount -t proc proc "$folder/proc"
mountpoint -q "$folder/dev" || mount --bind /dev "$folder/dev"
trap 'umount "$folder/proc" "$folder/dev" 2>/dev/null || true; rm -f "$folder/tmp/jaxscope.deb"' EXIT
cp /etc/resolv.conf "$folder/etc/resolv.conf"
cp "$deb" "$folder/tmp/jaxscope.deb"

inside() { chroot "$folder" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update -qq
inside apt-get purge -qq --yes jaxscope >/dev/null 2>&1 || true
inside apt-get install -qq --yes --no-install-recommends /tmp/jaxscope.deb >/dev/null
inside jaxscope --version
inside jaxscope selftest
inside jaxscope demo --screenshot /tmp/jaxscope-demo.png
cp "$folder/tmp/jaxscope-demo.png" "dist/jaxscope-demo-$suite.png"
echo "$deb: installed in a clean Debian $suite; its self-test passed, and its window was drawn"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the last commit, and runs the quick tests, in a bare root of another Debian release:
#
#   tests/releases/debian.sh SUITE     trixie is Debian 13
#
# The root is build/root-SUITE, and is removed at the end. It begins with git, make and CA certificates; `make test` brings the rest. It has
# separate mounts and processes, and is entered by pivot_root, because bubblewrap does not work in a chroot. Its network is this machine's.
# Exit status 77: it cannot be made here, and the output says why.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=$1
root=$PWD/build/root-$suite

skip() {
  echo "SKIPPED: $1"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "only root can make a root of $suite: sudo make soak TESTS=releases"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed; \`make deps\` brings it"
unshare --mount --pid --fork true 2>/dev/null || skip "this machine allows no mounts (unshare): run it outside of the container"

remove() {
  rm -rf --one-file-system "$root"
}
remove
trap remove EXIT
mkdir -p "$root"
mmdebstrap --quiet --variant=minbase --include=git,make,ca-certificates --format=directory "$suite" "$root"

# The network as this machine reaches it: names, proxies, certificates.
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
apt-config dump 2>/dev/null | grep '^Acquire::' >"$root/etc/apt/apt.conf.d/90machine" || true
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
cp -r /usr/local/share/ca-certificates "$root/usr/local/share/" 2>/dev/null || true
cp /etc/npmrc "$root/etc/" 2>/dev/null || true
cp ~/.npmrc "$root/root/" 2>/dev/null || true
git clone -q --no-hardlinks . "$root/root/lectern"

# shellcheck disable=SC2016
setpriv --pdeathsig KILL unshare --mount --propagation private --pid --fork --kill-child bash -euc '
  mount --bind "$1" "$1"
  cd "$1"
  mkdir -p mnt
  mount -t proc proc proc
  for folder in sys dev; do mount --rbind "/$folder" "$folder"; done
  mount -t tmpfs tmpfs tmp
  pivot_root . mnt
  umount -l /mnt
  cd /root/lectern
  export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
  unset "${!LECTERN_@}" TESTS CI TMPDIR XDG_CACHE_HOME XDG_RUNTIME_DIR
  make test' bash "$root"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The libraries of another architecture, for cross-compiling, and its Python and kernel, for the tests: build/ARCH/sysroot, unpacked
# from the packages of this machine's own apt sources. apt keeps its state in build/ARCH, so that nothing is installed, the machine's
# own package lists stay as they are, and any user may run it. It takes no time if the sysroot has these packages.
#
#   cmake/sysroot.sh ARCH      a name of Debian's, such as arm64
#
# Its status is 75 if apt cannot get the packages now.
set -euo pipefail
cd "$(dirname "$0")/.."

arch=${1:?usage: cmake/sysroot.sh ARCH}
top=$PWD/build/$arch root=$PWD/build/$arch/sysroot apt=$PWD/build/$arch/apt
read -ra packages <<<"$(cmake/deps.sh --libraries) python3 linux-image-cloud-$arch"
[ "$(cat "$root/packages" 2>/dev/null)" != "${packages[*]}" ] || exit 0

for tool in apt-get dpkg-deb; do
  command -v $tool >/dev/null || {
    echo "sysroot: $tool is missing; the libraries for $arch come from Debian's packages" >&2
    exit 75
  }
done

rm -rf "$root" "$apt"
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$root/usr/lib"
: >"$apt/status"
# Nothing counts as installed; sources, keys and proxies are the machine's.
cat >"$apt/conf" <<CONF
#clear APT::Update;
#clear DPkg;
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
CONF
from_apt() {
  LC_ALL=C.UTF-8 apt-get -qq -y -c "$apt/conf" "$@" >"$top/apt.log" 2>&1 || {
    tail -n 20 "$top/apt.log" >&2
    echo "sysroot: apt-get $* failed for $arch" >&2
    exit 75
  }
}
from_apt update
from_apt install --download-only "${packages[@]}"

# As on an installed system: /lib is /usr/lib. Absolute links are made relative, because they lead out of the sysroot otherwise.
ln -s usr/lib "$root/lib"
for package in "$apt"/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$package" |
    tar -x -C "$root" --keep-directory-symlink --no-same-owner --wildcards \
      --exclude='./lib/modules' --exclude='./usr/share' --exclude='./var' --exclude='./etc'
done
find "$root" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
  ln -sfn --relative "$root$target" "$link"
done
# What the packages' alternatives would do when they are installed.
for library in "$root"/usr/lib/*/{blas,lapack}/lib*.so.3; do
  ln -s --relative "$library" "${library%/*}/.."
done
rm -rf "$apt"
echo "${packages[*]}" >"$root/packages"

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The sandbox's image, for the Docker daemon at DOCKER_HOST. No registry is asked: the base is made by mmdebstrap from the package
# sources that this machine's apt has, and goes to the daemon over its API, by curl.
#
#   build.sh [SHARE [IMAGE]]
#
#   SHARE   the folder with the runner, interpreter.py and the rest (default: this script's, else build/release/share)
#   IMAGE   its name (default: lectern-sandbox:VERSION)
#
# Environment: DOCKER_HOST (unix:///PATH or tcp://HOST:PORT, default unix:///var/run/docker.sock), DOCKER_CERT_PATH with
# DOCKER_TLS_VERIFY for a daemon behind TLS, LECTERN_BASE for a base image of one's own: Debian with the packages below.
#
# With nothing changed it takes no time: each image carries the hash of what it was made from. `docker image rm` of the base makes
# the next run take the newest packages.
set -eu

packages="python3 python3-numpy python3-pandas python3-networkx python3-scipy python3-tabulate python3-matplotlib fonts-droid-fallback libseccomp2"
files="runner fork.so doors.so interpreter.py guard.py door_rules.py door_arrays.py private_names.py report.py zygote.py hints.py values.py plots.py moved.py code_helpers.py policy.json
    policy.py policy_calls.py policy_meaning.py policy_names.py"

fail() {
    echo "image: $*" >&2
    exit 1
}

say() {
    echo "==> $*"
}

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in
-*) sed -n 's/^#   //p' "$0"; exit 2 ;;
esac
share=${1:-$here}
# Installed, this script stands beside the runner; in the sources, `runner` is a folder.
[ -n "${1:-}" ] || [ -f "$share/runner" ] || share=$here/../build/release/share
for file in $files Dockerfile; do
    [ -f "$share/$file" ] || fail "$share/$file is missing; build first: make build"
done
image=${2:-lectern-sandbox:$("$share/runner" --version)}

command -v curl >/dev/null || fail "curl is missing; install it: apt-get install curl"

host=${DOCKER_HOST:-unix:///var/run/docker.sock}
case $host in
unix://*) set -- --unix-socket "${host#unix://}" && url=http://localhost ;;
tcp://*)
    set -- && url=http://${host#tcp://}
    if [ -n "${DOCKER_TLS_VERIFY:-}" ]; then
        certs=${DOCKER_CERT_PATH:-$HOME/.docker}
        set -- --cacert "$certs/ca.pem" --cert "$certs/cert.pem" --key "$certs/key.pem"
        url=https://${host#tcp://}
    fi
    ;;
*) fail "DOCKER_HOST is $host; it wants unix:///PATH or tcp://HOST:PORT" ;;
esac
curl -fsS --max-time 5 "$@" "$url/_ping" >/dev/null 2>&1 ||
    fail "no Docker daemon answers at $host; start it, or set DOCKER_HOST"

# The image holds a runner of this machine, so it needs a daemon of the same architecture.
case $(uname -m) in
x86_64) own=amd64 ;;
aarch64) own=arm64 ;;
*) own=$(uname -m) ;;
esac
arch=$(curl -fsS --max-time 5 "$@" "$url/version" | tr ',{' '\n' | sed -n 's/^"Arch":"\([^"]*\)".*/\1/p' | tail -n 1)
[ -z "$arch" ] || [ "$arch" = "$own" ] ||
    fail "the Docker daemon at $host is for $arch, and this machine is $own; use a daemon of a $own machine"

work=$(mktemp -d "${TMPDIR:-/tmp}/lectern-image.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

hash_of() {
    sha256sum | cut -c 1-16
}

# What a URL's query does not take as it is, of what stands in names and JSON.
encode() {
    sed 's/%/%25/g; s/{/%7B/g; s/}/%7D/g; s/"/%22/g; s/:/%3A/g; s/,/%2C/g; s/+/%2B/g; s/&/%26/g; s/#/%23/g; s/ /%20/g'
}

# label IMAGE KEY: the label's value, or nothing where there is no such image.
label() {
    name=$1 key=$2
    shift 2
    curl -fsS --max-time 20 "$@" "$url/images/$name/json" 2>/dev/null | tr ',{' '\n' | sed -n "s/^\"$key\":\"\([^\"]*\)\".*/\1/p" |
        head -n 1
}

# The daemon tells of a failure inside a stream of JSON lines whose status was 200.
check_answer() {
    grep -q '"errorDetail"' "$1" || return 0
    sed -n 's/.*"error":"\(.*\)"}.*/\1/p' "$1" >&2
    fail "the daemon could not $2"
}

# This machine's own sources for its own release, without those of third parties: one-line style, and deb822.
list_sources() {
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -r "$file" ] || sed 's/#.*//' "$file"
    done |
        awk -v name="$codename" '$1 == "deb" {
            place = 2
            if ($2 ~ /^\[/) { while ($place !~ /\]$/) place++; place++ }
            split($(place + 1), suite, /[-\/]/)
            if (suite[1] == name) print }'
}

stanza_sources() {
    # awk's paragraph mode: a stanza a record
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -r "$file" ] && cat "$file" && echo
    done | awk -v name="$codename" 'BEGIN { RS = ""; FS = "\n"; ORS = "\n\n" } {
        for (i = 1; i <= NF; i++) {
            count = split($i, words, " ")
            if (words[1] != "Suites:") continue
            for (j = 2; j <= count; j++) { split(words[j], suite, /[-\/]/); if (suite[1] == name) { print; next } }
        } }'
}

# What is left of the system is Python and the libraries: no shell, no tool, nothing setuid, no documentation, no tests.
strip_hook() {
    cat <<'HOOK'
set -eu
root=$1
find "$root/usr/bin" "$root/usr/sbin" -mindepth 1 ! -name 'python3*' -delete
for folder in usr/share/doc usr/share/man usr/share/info usr/share/locale usr/share/perl5 usr/share/bash-completion \
    usr/share/lintian usr/share/common-licenses usr/share/zsh usr/share/debconf usr/share/python-wheels \
    usr/lib/apt usr/lib/systemd usr/lib/init usr/lib/udev usr/lib/git-core usr/libexec var/lib/apt var/cache var/log \
    var/lib/dpkg/info etc/systemd etc/cron.d etc/cron.daily home media mnt opt srv tmp var/tmp root boot; do
    rm -rf "${root:?}/$folder"
done
# scipy's package brings a whole compiler with it
rm -rf "$root/usr/include" "$root/usr/lib/gcc" "$root/usr/lib/python3/dist-packages/pythran" "$root"/usr/share/perl* \
    "$root"/usr/lib/python3.*/config-* "$root"/usr/lib/*-linux-gnu/perl* "$root"/usr/lib/*-linux-gnu/gconv
find "$root/usr/lib" -type f \( -name '*.a' -o -name '*.o' -o -name 'libasan.so*' -o -name 'libtsan.so*' -o -name 'liblsan.so*' \
    -o -name 'libhwasan.so*' -o -name 'libubsan.so*' -o -name 'libperl.so*' -o -name 'libpython3*.so*' \) -delete
find "$root/usr/lib/python3/dist-packages" "$root"/usr/lib/python3.* -depth -type d \
    \( -name tests -o -name idlelib -o -name lib2to3 -o -name ensurepip -o -name turtledemo \) -exec rm -rf {} +
find "$root" -xdev -type f -perm /6000 -exec chmod a-s {} +
mkdir -m 1777 "$root/tmp"
mkdir -p "$root/opt"
HOOK
}

# ---- the base ----

base=${LECTERN_BASE:-}
if [ -z "$base" ]; then
    # shellcheck disable=SC1091
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    [ -n "$codename" ] || fail "/etc/os-release names no release; give a base image: LECTERN_BASE"
    list_sources >"$work/base.list"
    stanza_sources >"$work/base.sources"
    [ -s "$work/base.list" ] || [ -s "$work/base.sources" ] ||
        fail "apt has no source for $codename here; give a base image: LECTERN_BASE"
    strip_hook >"$work/strip"
    base_hash=$({ echo "$packages" && cat "$work/strip" "$work/base.list" "$work/base.sources"; } | hash_of)
    base=lectern-base:$base_hash
    if [ -z "$(label "$base" lectern.base "$@")" ]; then
        command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing; install it: apt-get install mmdebstrap"
        # How apt reaches its sources on this machine: proxies, certificates, retries.
        apt-config dump | grep -E '^Acquire::(https?::|Retries|Check-)' >"$work/aptopt" || true
        say "The base, $base: $packages (a minute or two)"
        found=
        for file in base.list base.sources; do
            [ ! -s "$work/$file" ] || found="$found $work/$file"
        done
        # shellcheck disable=SC2086
        mmdebstrap --variant=essential --include="$(echo "$packages" | tr ' ' ',')" --aptopt="$work/aptopt" \
            --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
            --dpkgopt='path-exclude=/usr/share/locale/*' \
            --customize-hook="sh $work/strip \"\$1\"" --skip=cleanup/apt \
            "$codename" "$work/base.tar" $found 2>"$work/log" ||
            { tail -n 20 "$work/log" >&2; fail "mmdebstrap could not make the base"; }
        say "To the daemon: $(du -h "$work/base.tar" | cut -f 1)"
        curl -fsS "$@" -X POST -T "$work/base.tar" -H 'Content-Type: application/x-tar' \
            "$url/images/create?fromSrc=-&repo=lectern-base&tag=$base_hash&changes=LABEL%20lectern.base=$base_hash" \
            >"$work/answer" || fail "the daemon did not take the base"
        check_answer "$work/answer" "take the base"
        rm "$work/base.tar"
    fi
fi

# ---- the image ----

# shellcheck disable=SC2086
content=$({ echo "$base" && cd "$share" && cat Dockerfile && cat $files; } | hash_of)
if [ "$(label "$image" lectern.content "$@")" = "$content" ]; then
    say "$image is there, made from just this"
    exit 0
fi
say "The image, $image, on $base"
mkdir "$work/context"
cp "$share/Dockerfile" "$work/context/"
for file in $files; do
    install -m "$([ "$file" = runner ] && echo 0555 || echo 0444)" "$share/$file" "$work/context/"
done
tar -C "$work/context" --owner=0 --group=0 -cf "$work/context.tar" .
args=$(printf '{"BASE":"%s"}' "$base" | encode)
labels=$(printf '{"lectern.image":"sandbox","lectern.content":"%s"}' "$content" | encode)
curl -fsS "$@" -X POST -T "$work/context.tar" -H 'Content-Type: application/x-tar' \
    "$url/build?rm=1&t=$(printf %s "$image" | encode)&buildargs=$args&labels=$labels" >"$work/answer" ||
    fail "the daemon did not take the build"
check_answer "$work/answer" "build the image"
[ "$(label "$image" lectern.content "$@")" = "$content" ] || fail "the daemon built something else; its words: $(tail -c 500 "$work/answer")"
say "$image is ready"

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The sandbox's image, for the Docker daemon at DOCKER_HOST; `lectern image build` calls it. No registry is asked: the base is the
# folder of the pinned Python, which goes to the daemon over its API, by curl.
#
#   build.sh SHARE IMAGE PYTHON
#
#   SHARE    the folder with the runner, interpreter.py and the rest
#   IMAGE    the image's name
#   PYTHON   the folder of the pinned Python: lectern sandbox fetch
#
# Environment: DOCKER_HOST (unix:///PATH or tcp://HOST:PORT, default unix:///var/run/docker.sock), DOCKER_CERT_PATH with
# DOCKER_TLS_VERIFY for a daemon behind TLS.
#
# With nothing changed it takes no time: each image carries the hash of its content.
set -eu
umask 022

fail() {
    echo "image: $*" >&2
    exit 1
}

say() {
    echo "==> $*"
}

if [ $# -ne 3 ]; then
    sed -n 's/^#   //p' "$0" >&2
    exit 2
fi
share=$1 image=$2 python=$3
[ -z "${LECTERN_BASE:-}" ] ||
    fail "LECTERN_BASE is no longer read, because the image has the same Python as the other engines: unset LECTERN_BASE"

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

# ---- the base ----

# The folder has usr and etc. The links are for programs that Docker starts without the runner.
mkdir "$work/root" && cd "$work/root"
mkdir proc sys dev && mkdir -m 1777 tmp
ln -s usr/lib lib && ln -s usr/lib64 lib64
cd "$OLDPWD"
base_hash=$({ basename "$python" && find "$work/root" -mindepth 1 -printf '%P %y %m %l\n' | LC_ALL=C sort; } | hash_of)
base=lectern-base:$base_hash
if [ -z "$(label "$base" lectern.base "$@")" ]; then
    say "The base, $base: $(du -sh "$python" | cut -f 1) to the daemon"
    tar --owner=0 --group=0 -cf - -C "$python" usr etc -C "$work/root" proc sys dev tmp lib lib64 |
        curl -fsS "$@" -X POST -T - -H 'Content-Type: application/x-tar' \
            "$url/images/create?fromSrc=-&repo=lectern-base&tag=$base_hash&changes=LABEL%20lectern.base=$base_hash" \
            >"$work/answer" || fail "the daemon did not take the base"
    check_answer "$work/answer" "take the base"
fi

# ---- the image ----

mkdir -p "$work/context/lectern"
cp "$share/Dockerfile" "$work/context/"
for file in "$share"/*.py "$share"/*.so "$share/policy.json" "$share/runner"; do
    [ -f "$file" ] || fail "$file is missing; build first: make build"
    install -m "$([ "$file" = "$share/runner" ] && echo 0555 || echo 0444)" "$file" "$work/context/lectern/"
done
content=$({ echo "$base" && cd "$work/context" && cat Dockerfile lectern/*; } | hash_of)
if [ "$(label "$image" lectern.content "$@")" = "$content" ]; then
    say "$image is there, made from just this"
    exit 0
fi
say "The image, $image, on $base"
tar -C "$work/context" --owner=0 --group=0 -cf "$work/context.tar" .
args=$(printf '{"BASE":"%s"}' "$base" | encode)
labels=$(printf '{"lectern.image":"sandbox","lectern.content":"%s"}' "$content" | encode)
curl -fsS "$@" -X POST -T "$work/context.tar" -H 'Content-Type: application/x-tar' \
    "$url/build?rm=1&t=$(printf %s "$image" | encode)&buildargs=$args&labels=$labels" >"$work/answer" ||
    fail "the daemon did not take the build"
check_answer "$work/answer" "build the image"
[ "$(label "$image" lectern.content "$@")" = "$content" ] || fail "the daemon built something else; its words: $(tail -c 500 "$work/answer")"
say "$image is ready"

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A Docker daemon of its own for the tests, apart from any that the machine runs: own data, own socket, no registry needed.
#
#   dockerd.sh start FOLDER    prints DOCKER_HOST=unix://FOLDER/docker.sock when it answers; a running one is kept
#   dockerd.sh stop FOLDER     the data stays in FOLDER for the next start
#   dockerd.sh kill FOLDER     at once, as a crash would
#   dockerd.sh running FOLDER  whether there is one
#
# LECTERN_DOCKERD_ARGS: more of dockerd's own arguments, words without blanks ("-H tcp://127.0.0.1:2376 --tlsverify").
# Needs root. Installs docker.io where it is missing, mounts what cgroup controllers the machine has not mounted.
set -eu

usage() {
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}

fail() {
    echo "dockerd.sh: $*" >&2
    exit 1
}

# True while the process of that pid file lives, zombies not counted.
alive() {
    [ -s "$1" ] || return 1
    state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$(cat "$1")/status" 2>/dev/null) || return 1
    [ -n "$state" ] && [ "$state" != Z ]
}

running() {
    alive "$folder/pid"
}

answers() {
    curl -fsS --max-time 2 --unix-socket "$folder/docker.sock" http://localhost/_ping >/dev/null 2>&1
}

install_docker() {
    command -v dockerd >/dev/null 2>&1 && return
    command -v apt-get >/dev/null 2>&1 || fail "dockerd is not installed"
    apt-get install -y --no-install-recommends docker.io iptables >&2
}

# Machines that nobody has set up for containers come without controllers, and dockerd does not start there.
mount_cgroups() {
    [ -e /sys/fs/cgroup/cgroup.controllers ] && return
    mountpoint -q /sys/fs/cgroup || mount -t tmpfs -o mode=755 cgroup /sys/fs/cgroup
    awk '!/^#/ && $4 == 1 { print $1 }' /proc/cgroups | while read -r controller; do
        path=/sys/fs/cgroup/$controller
        grep -qE " cgroup [^ ]*\b$controller\b" /proc/mounts && continue
        mkdir -p "$path"
        mount -t cgroup -o "$controller" "$controller" "$path" 2>/dev/null || rmdir "$path"
    done
}

start() {
    [ "$(id -u)" = 0 ] || fail "starting a Docker daemon needs root"
    mkdir -p "$folder"
    if ! { running && answers; }; then
        install_docker
        mount_cgroups
        rm -f "$folder/pid"
        # A zombie of it would make the new daemon wait for the old one's containerd.
        alive "$folder/exec/containerd/containerd.pid" || rm -f "$folder/exec/containerd/containerd.pid"
        # shellcheck disable=SC2086 # words
        setsid dockerd ${LECTERN_DOCKERD_ARGS:-} --data-root "$folder/data" --exec-root "$folder/exec" --pidfile "$folder/pid" \
            -H "unix://$folder/docker.sock" --bridge=none --iptables=false \
            >"$folder/log" 2>&1 </dev/null &
        tries=0
        until answers; do
            tries=$((tries + 1))
            if [ "$tries" -gt 600 ]; then
                tail -n 20 "$folder/log" >&2
                fail "the daemon did not answer within a minute; its log is $folder/log"
            fi
            sleep 0.1
        done
    fi
    echo "DOCKER_HOST=unix://$folder/docker.sock"
}

stop() {
    ! running || kill "-$1" "$(cat "$folder/pid")" 2>/dev/null || true
    tries=0
    while running && [ "$tries" -lt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    ! running || fail "the daemon does not end"
    # A killed daemon leaves its data folder mounted upon itself.
    while mountpoint -q "$folder/data" && umount "$folder/data"; do :; done
}

[ $# -eq 2 ] || usage
case $2 in
/*) folder=$2 ;;
*) folder=$PWD/$2 ;;
esac
case $1 in
start) start ;;
stop) stop TERM ;;
kill) stop KILL ;;
running) running ;;
*) usage ;;
esac

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs a command with a Docker daemon and a sandbox image of the tests' own.
#
#   with_docker.sh COMMAND...    DOCKER_HOST, LECTERN_IMAGE and LECTERN_SANDBOX=docker are set for it
#   with_docker.sh --start       starts the daemon and leaves it running, for several commands
#   with_docker.sh --stop        stops it
#
# Environment: LECTERN_BUILD (the folder with share/), LECTERN_DOCKERD (the daemon's folder, default lectern-dockerd in the
# temporary folder; what it holds is used again). Needs root to start a daemon: without, exit status 77, but with CI=true 1.
set -eu

if [ $# -eq 0 ] || [ -z "${LECTERN_BUILD:-}" ]; then
    sed -n 's/^#   //p' "$0" >&2
    exit 2
fi
here=$(dirname "$0")
export LECTERN_DOCKERD="${LECTERN_DOCKERD:-${TMPDIR:-/tmp}/lectern-dockerd}"
export LECTERN_IMAGE=lectern-sandbox:test LECTERN_SANDBOX=docker

if [ "$(id -u)" != 0 ]; then
    echo "SKIPPED: starting a Docker daemon of the tests' own needs root: sudo make test"
    [ "${CI:-}" = true ] && exit 1
    exit 77
fi
mkdir -p "$LECTERN_DOCKERD"
# One test at a time has it.
exec 9>"$LECTERN_DOCKERD/lock"
flock -w 900 9

# shellcheck disable=SC2317 # reached by the trap
stop() {
    "$here/dockerd.sh" stop "$LECTERN_DOCKERD" 9>&-
}
if [ "$1" = --stop ]; then
    stop
    exit
fi
[ "$1" = --start ] || "$here/dockerd.sh" running "$LECTERN_DOCKERD" || trap stop EXIT
started=$("$here/dockerd.sh" start "$LECTERN_DOCKERD" 9>&-)
export "${started?}"
"$LECTERN_BUILD/lectern" image build 9>&-
[ "$1" != --start ] || exit 0
status=0
"$@" 9>&- || status=$?
exit "$status"

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The tests of the Docker engine, with a daemon and an image of their own.
#
#   docker_tests.sh PROGRAMS    the folder with test_sandbox and test_docker
#
# Environment: LECTERN_BUILD (the folder with share/), LECTERN_DOCKERD (the daemon's folder, default lectern-dockerd in the
# temporary folder; what it holds is used again). Needs root to start a daemon: without, exit status 77, but with CI=true 1.
set -eu

[ $# -eq 1 ] && [ -n "${LECTERN_BUILD:-}" ] || {
    sed -n 's/^#   //p' "$0" >&2
    exit 2
}
here=$(dirname "$0")
folder=${LECTERN_DOCKERD:-${TMPDIR:-/tmp}/lectern-dockerd}
export LECTERN_IMAGE=lectern-sandbox:test

if [ "$(id -u)" != 0 ]; then
    echo "SKIPPED: starting a Docker daemon needs root"
    [ "${CI:-}" = true ] && exit 1
    exit 77
fi
mkdir -p "$folder"
# One test run at a time has it.
exec 9>"$folder/lock"
flock -w 600 9

stop() {
    "$here/dockerd.sh" stop "$folder" 9>&-
}
trap stop EXIT
started=$("$here/dockerd.sh" start "$folder" 9>&-)
export "${started?}"
"$here/../../image/build.sh" "$LECTERN_BUILD/share" "$LECTERN_IMAGE" 9>&-
status=0
"$1/test_sandbox" docker 9>&- || status=1
"$1/test_docker" "$folder" 9>&- || status=1
exit "$status"

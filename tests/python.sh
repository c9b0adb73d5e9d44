#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a script in the sandbox's Python, with the tests of CPython in the folder LECTERN_CPYTHON_TESTS:
#
#   tests/python.sh LECTERN SCRIPT ARGUMENT...
#
# LECTERN is the program; it brings both if they are not there. The Python's own loader starts it, because that of this machine belongs to
# another libc.
set -euo pipefail
lectern=$1
shift
folder() { # of a lock file, which stands in the folder of --share
  "$lectern" sandbox fetch "$@" | sed 's/^[^:]*: //'
}
python=$(folder)
LECTERN_CPYTHON_TESTS=$(folder --share "$(dirname "$0")")/usr/lib/python3.11/test
export LECTERN_CPYTHON_TESTS
loader=$(echo "$python"/usr/lib/*/ld-linux-*.so.*)
exec "$loader" --inhibit-cache --library-path "$(dirname "$loader")" "$python/usr/bin/python3.11" -B -E -s "$@"

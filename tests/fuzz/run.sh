#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the fuzzer of THING and lets it run for a moment, on what it once found and on what becomes of that.
#
#   tests/fuzz/run.sh THING [SECONDS]
#
# Environment: LECTERN_FUZZ_SECONDS (5), and LECTERN_FUZZ_IMPORT_SECONDS (the same) for the readers of imports.
set -euo pipefail
cd "$(dirname "$0")/../.."
thing=$1
seconds=${LECTERN_FUZZ_SECONDS:-5}
[[ $thing != import_* ]] || seconds=${LECTERN_FUZZ_IMPORT_SECONDS:-$seconds}
seconds=${2:-$seconds}
if ! command -v clang >/dev/null; then
  echo "SKIPPED: clang is not installed; \`make deps\` brings it"
  exit 77
fi
mkdir -p build/fuzz
# One build at a time; the fuzzers themselves run side by side.
exec 9>build/fuzz/lock
flock 9
[ -f build/fuzz/build.ninja ] || cmake --preset fuzz >build/fuzz/configure.log || {
  cat build/fuzz/configure.log >&2
  exit 1
}
cmake --build --preset fuzz --target "fuzz_$thing" 9>&-
exec 9>&-

corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
words=()
case $thing in
  token | issuer) words=(-dict=tests/fuzz/sign_in.dict) ;;
  import_*) words=(-rss_limit_mb=4096) ;;
  model_stream | run_input) words=("-dict=tests/fuzz/$thing.dict") ;;
  validator) words=(-dict=tests/fuzz/python.dict) ;;
esac
# Its own status for what it finds, 77, would say that it was skipped.
build/fuzz/tests/fuzz/"fuzz_$thing" -error_exitcode=1 -max_len=4096 -max_total_time="$seconds" -artifact_prefix=build/fuzz/ "${words[@]}" "$corpus" \
  "tests/fuzz/regression/$thing"

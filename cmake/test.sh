#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what the tests need, builds, runs the tests and prints a report: what failed, what was skipped, and how long each took.
#
#   cmake/test.sh quick    the tests with the label quick: a few minutes, no Docker daemon, no browser (make test)
#   cmake/test.sh all      every test (make test-full)
#   cmake/test.sh rest     every test that is not quick, after make test (.ci/run); fuzzers for seconds instead of a minute
#   cmake/test.sh soak     the long form of each test that has one: kills, loads, fuzzing, every hostile program; hours (make soak)
#
# From the environment: TESTS (a regular expression of names), JOBS (tests at once; 2), and CI. With CI=true warnings are errors
# and a skipped test is a failure, except for want of the shared data, which is not part of the project.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/steps.sh

tier=${1:-}
case $tier in
  quick) packages=(build sandbox test) ;;
  all | rest | soak) packages=(build sandbox image page test test-full lint) ;;
  *)
    echo "usage: cmake/test.sh quick|all|rest|soak" >&2
    exit 2
    ;;
esac

step "Dependencies" cmake/deps.sh "${packages[@]}"
mkdir -p build
werror=OFF
[ "${CI:-}" != true ] || werror=ON
configure() {
  cmake --preset release -DLECTERN_WERROR=$werror >build/configure.log || {
    cat build/configure.log >&2
    return 1
  }
}
[ "$tier" = quick ] || step "The page" cmake/page.sh
step "Configure" configure
# Where they are installed, the chat's tests check each frame with them as well.
[ "$tier" = quick ] || step "npm packages of the chat's checks" env LECTERN_BUILD="$PWD/build/release" /usr/bin/python3 -B tests/contract/npm.py chat
# Where there is npm, the quick tests take in the conformance suite of MCP and the comparison with ts-fsrs, a few seconds once they are
# installed.
labels='^quick$'
if [ "$tier" != quick ] || command -v npm >/dev/null; then
  step "npm packages of the conformance suite and of ts-fsrs" env LECTERN_BUILD="$PWD/build/release" /usr/bin/python3 -B tests/contract/npm.py conformance reviews
  labels='^(quick|npm)$'
fi
step "Build" cmake --build --preset release
step "The sandbox's Python" build/release/lectern sandbox fetch
step "The tests of CPython" build/release/lectern sandbox fetch --share tests
[ "$tier" = quick ] || step "The page's types" cmake/page.sh --check

echo "==> Tests ($tier)"
# In an unprivileged container, for example, bubblewrap cannot work. In CI the tests fail there.
if [ "${CI:-}" != true ] && ! build/release/lectern doctor --sandbox local >build/doctor.log 2>&1; then
  echo "bubblewrap cannot make a sandbox here (build/doctor.log says why): the engine process takes the place of local"
  export LECTERN_INSTEAD_OF_LOCAL=process
fi
report=$PWD/build/tests.xml
case $tier in
  quick) select=(-L "$labels") ;;
  rest) select=(-LE "$labels") ;;
  all)
    select=()
    export LECTERN_FUZZ_SECONDS="${LECTERN_FUZZ_SECONDS:-60}"
    ;;
  soak)
    select=(-L '^soak$')
    # Each test says at its head what its variable does.
    export LECTERN_WHOLE=1 LECTERN_PAIRS=200 LECTERN_ROUNDS=10 LECTERN_KILLS=30 LECTERN_LONG=40 LECTERN_SIMULATED=1000
    export LECTERN_LOAD_SECONDS=60 LECTERN_LOAD_RUNS=1000 LECTERN_EDITORS_SECONDS=60 LECTERN_FUZZ_SECONDS=60
    export LECTERN_FUZZ_IMPORT_SECONDS=600
    ;;
esac
[ -z "${TESTS:-}" ] || select+=(-R "$TESTS")
if ! grep -q 'Test *#' <<<"$(ctest --test-dir build/release -C "$tier" --show-only "${select[@]}")"; then
  echo "no $tier test matches TESTS='${TESTS:-}'; make test-full TESTS=REGEX searches all of them" >&2
  exit 1
fi
again=$PWD/build/tests-again.xml
failures=build/release/Testing/Temporary/LastTestsFailed.log
rm -f "$report" "$again" "$failures"
ctest --test-dir build/release -C "$tier" --output-on-failure --no-tests=error --test-output-size-passed 1048576 \
  --output-junit "$report" -j "${JOBS:-2}" "${select[@]}" || true
# A machine that stands still for seconds fails tests with a deadline. A few failures are repeated, each alone, and the report names both results.
if [ -f "$failures" ] && [ "$(wc -l <"$failures")" -le 3 ]; then
  echo "==> The tests that failed, again and each alone"
  ctest --test-dir build/release -C "$tier" --rerun-failed --output-on-failure --output-junit "$again" -j 1 || true
fi
[ "$labels" != '^quick$' ] || echo "NOT TESTED: MCP's conformance suite, because npm is not installed; \`make deps\` brings it, and make test-full runs it"
exec /usr/bin/python3 -B cmake/test_report.py "$report" build/release "$again"

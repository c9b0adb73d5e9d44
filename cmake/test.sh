#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make test`: brings what the tests need, builds the release preset, runs every test, and says at the end what passed, what
# failed and what was skipped for want of which part. With CI=true warnings are errors and a skip is a failure, except for the
# shared data, which is not part of the project.
# From the environment: TESTS (a regular expression of names), JOBS.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/steps.sh

step "Dependencies" cmake/deps.sh build sandbox image test
mkdir -p build
werror=OFF
[ "${CI:-}" != true ] || werror=ON
configure() {
  cmake --preset release -DLECTERN_WERROR=$werror >build/configure.log || {
    cat build/configure.log >&2
    return 1
  }
}
step "The page" cmake/page.sh --check
step "Configure" configure
step "Build" cmake --build --preset release

echo "==> Tests"
report=$PWD/build/tests.xml
rm -f "$report"
select=()
[ -z "${TESTS:-}" ] || select=(-R "$TESTS")
ctest --test-dir build/release --output-on-failure --no-tests=error --test-output-size-passed 1048576 \
  --output-junit "$report" -j "${JOBS:-2}" "${select[@]}" || true
exec /usr/bin/python3 -B cmake/test_report.py "$report"

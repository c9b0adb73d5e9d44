#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds for 64-bit ARM in build/arm64 and runs unit tests in an emulator: those of bytes, numbers, texts and files; all of them with
# LECTERN_WHOLE=1 (make soak), but for those that tests/unit/CMakeLists.txt leaves out.
set -euo pipefail
some=(buf cgroup compile digest encode facts find format frames graph json python_value query_graph seal text_change utf8 validator xml)

if ! command -v aarch64-linux-gnu-gcc >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
  echo "SKIPPED: the cross compiler or qemu-aarch64 is missing: cmake/deps.sh test-full"
  exit 77
fi
status=0
cmake/sysroot.sh arm64 || status=$?
if [ $status = 75 ]; then
  echo "SKIPPED: the libraries for arm64 cannot be downloaded now; try again: cmake/sysroot.sh arm64"
  exit 77
fi
[ $status = 0 ] || exit $status

cmake --preset arm64 -DLECTERN_WERROR="${LECTERN_WERROR:-OFF}" >build/arm64/configure.log || {
  cat build/arm64/configure.log
  exit 1
}
targets=()
select=()
if [ -z "${LECTERN_WHOLE:-}" ]; then
  targets=(--target lectern runner share_files "${some[@]/#/test_}")
  select=(-R "^unit[.]($(IFS='|'; echo "${some[*]}"))\$")
fi
cmake --build --preset arm64 "${targets[@]}" >build/arm64/build.log || {
  tail -n 60 build/arm64/build.log
  exit 1
}
ctest --test-dir build/arm64 --output-on-failure --no-tests=error -j 2 "${select[@]}"

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds for 64-bit ARM in build/arm64 and runs the unit tests in an emulator. tests/unit/CMakeLists.txt lists those left out.
set -euo pipefail

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
cmake --build --preset arm64 >build/arm64/build.log || {
  tail -n 60 build/arm64/build.log
  exit 1
}
ctest --test-dir build/arm64 --output-on-failure --no-tests=error -j 2

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make lint`: layout, static analysis of C, static analysis of shell. Fails on the first kind that finds something, after
# it has shown all that it found.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/steps.sh

step "Dependencies" cmake/deps.sh build lint
mkdir -p build
mapfile -t c_files < <(git ls-files '*.c' '*.h')
mapfile -t units < <(git ls-files '*.c')
mapfile -t shell_files < <(git ls-files '*.sh' .ci/run)

step "Layout (clang-format)" clang-format --dry-run -Werror "${c_files[@]}"
step "Habits (cmake/lint.py)" cmake/lint.py
[ -f build/dev/build.ninja ] || step "Configure" cmake --preset dev
tidy() { printf '%s\0' "${units[@]}" | xargs -0 -n 4 -P "$(nproc)" clang-tidy -p build/dev --quiet; }
step "Static analysis (clang-tidy)" tidy
step "The page's types (tsc)" cmake/page.sh --check
step "Shell scripts (shellcheck)" shellcheck -x "${shell_files[@]}"

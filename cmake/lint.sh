#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Layout, habits of the project, static analysis of C and of shell scripts, and the page's types.
#
#   cmake/lint.sh                 all steps (make lint), up to the first that finds something
#   cmake/lint.sh STEP...         some of them, without installing anything: layout habits analysis types shell
#
# From the environment: LECTERN_LINT_EVERY (1): the analysis takes one of so many files, from one that LECTERN_SEED draws.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/steps.sh

mkdir -p build
mapfile -t c_files < <(find mcp validator executor helpers image tests -name '*.[ch]' -not -path '*/node_modules/*' | sort)
mapfile -t shell_files < <(find . -name build -prune -o -name node_modules -prune -o -name '*.sh' -print)

layout() { clang-format --dry-run -Werror "${c_files[@]}"; }
habits() { cmake/lint.py; }
types() { cmake/page.sh --check; }
shell() { shellcheck -x "${shell_files[@]}" .ci/run; }
analysis() {
  local every=${LECTERN_LINT_EVERY:-1} first units=()
  mapfile -t units < <(printf '%s\n' "${c_files[@]}" | grep '\.c$')
  if [ "$every" -gt 1 ]; then
    first=${LECTERN_SEED:-$RANDOM}
    echo "one of each $every files, LECTERN_SEED=$first; make lint takes them all"
    mapfile -t units < <(printf '%s\n' "${units[@]}" | awk -v every="$every" -v first="$first" 'NR % every == first % every')
  fi
  [ -f build/dev/build.ninja ] || cmake --preset dev >build/configure.log || return
  printf '%s\0' "${units[@]}" | xargs -0 -n 4 -P "$(nproc)" clang-tidy -p build/dev --quiet
}

if [ $# -eq 0 ]; then
  step "Dependencies" cmake/deps.sh build lint
  set -- layout habits analysis types shell
fi
for name; do
  case $name in
    layout) step "Layout (clang-format)" layout ;;
    habits) step "Habits (cmake/lint.py)" habits ;;
    analysis) step "Static analysis (clang-tidy)" analysis ;;
    types) step "The page's types (tsc)" types ;;
    shell) step "Shell scripts (shellcheck)" shell ;;
    *)
      echo "usage: cmake/lint.sh [layout|habits|analysis|types|shell]..." >&2
      exit 2
      ;;
  esac
done

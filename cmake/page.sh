#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page's packages, and its files as a C table.
#
#   cmake/page.sh                   brings the page's packages into build/page by npm; quick when they are there. Where npm is
#                                   missing or fails it says so in one line and goes on: the server is then built without its
#                                   page. With CI=true it fails
#   cmake/page.sh --check           and checks the types of the sources, by the contract.ts of the last build
#   cmake/page.sh --table FOLDER    makes FOLDER/page_files.c, for the build: of the page with FOLDER/contract.ts, or of the reason
#                                   why there is none
#
# build/page/missing.txt holds that reason, and is empty where all is there. It is only written when it changes, as the build goes by it.
set -euo pipefail
cd "$(dirname "$0")/.."
place=build/page
lists=(mcp/ui/package.json mcp/ui/package-lock.json)

note() {
  mkdir -p $place
  if [ ! -f $place/missing.txt ] || [ "$(cat $place/missing.txt)" != "$1" ]; then
    printf '%s' "$1" >$place/missing.txt
  fi
}

empty_table() {
  local reason=${1//\\/\\\\}
  printf '/* Made by cmake/page.sh. */\n#include "mcp/transport/http/page_files.h"\n\nconst struct page_file page_files[1];\n' >"$2"
  printf 'const size_t page_file_count = 0;\nconst char *const page_files_missing = "%s";\n' "${reason//\"/\\\"}" >>"$2"
}

if [ "${1:-}" = --table ]; then
  out=${2:?"usage: cmake/page.sh --table FOLDER"}
  mkdir -p "$out"
  missing="its packages have not been installed"
  [ ! -f $place/missing.txt ] || missing=$(cat $place/missing.txt)
  if [ -z "$missing" ] && ! command -v node >/dev/null; then
    missing="node is not installed; make deps installs it"
    echo "The page is not built: $missing" >&2
  fi
  if [ -n "$missing" ]; then
    empty_table "$missing" "$out/page_files.c"
  else
    cmp -s "$out/contract.ts" $place/contract.ts || cp "$out/contract.ts" $place/
    node mcp/ui/build.mjs --packages $place --out "$out"
  fi
  exit
fi

installed() { [ -f $place/installed.json ] && cmp -s $place/installed.json mcp/ui/package-lock.json; }

install() { # $why says what went wrong
  why="npm and node are not installed; make deps installs them"
  command -v npm >/dev/null && command -v node >/dev/null || return
  why="npm could not install its packages (log: build/page/npm.log)"
  echo "The page's packages: npm ci"
  rm -f $place/installed.json
  cp "${lists[@]}" $place/
  (cd $place && timeout -k 5 300 npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-retry-mintimeout=1000 \
    >npm.log 2>&1 </dev/null) || return
  cp mcp/ui/package-lock.json $place/installed.json
}

mkdir -p $place
ln -sfn ../../mcp/ui/src $place/src
ln -sfn ../../mcp/ui/tsconfig.json $place/tsconfig.json
if installed; then
  note ""
elif install; then
  : >$place/missing.txt # also where it was empty: the page is to be built anew, with what has come
else
  note "$why"
  echo "The page is not built: $why" >&2
  [ "${CI:-}" = true ] || exit 0
  [ ! -s $place/npm.log ] || tail -n 5 $place/npm.log >&2
  exit 1
fi
if [ "${1:-}" = --check ]; then
  if [ ! -f $place/contract.ts ]; then
    echo "$place/contract.ts is missing: make build writes it" >&2
    exit 1
  fi
  (cd $place && node node_modules/typescript/bin/tsc --preserveSymlinks -p .)
fi

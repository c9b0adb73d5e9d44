#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make coverage`: the share of the product's lines and branches that the unit tests run, by folder: build/coverage.txt, and by file
# build/coverage/index.html. The program itself runs in other tests, mostly in processes that a signal ends, so these are not counted.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/steps.sh

step "Dependencies" cmake/deps.sh build sandbox test coverage
mkdir -p build/coverage
[ -f build/cov/build.ninja ] || step "Configure" cmake --preset cov
mapfile -t units < <(cd tests/unit && printf '%s\n' test_*.c | sed 's/\.c$//')
step "Build" cmake --build --preset cov --target "${units[@]}" lectern share_files
find build/cov -name '*.gcda' -delete
# A test that fails here fails in `make test` as well.
step "Unit tests" ctest --test-dir build/cov -R '^unit\.' -j "${JOBS:-2}" --output-log build/coverage/tests.log -Q || echo "    some failed: build/coverage/tests.log"
filters=(--filter mcp/ --filter validator/ --filter executor/ --filter helpers/ --filter image/)
step "Report" gcovr --gcov-ignore-parse-errors --root . "${filters[@]}" --exclude-unreachable-branches --json-summary build/coverage/summary.json \
  --html-details build/coverage/index.html -o build/coverage/index.html build/cov
/usr/bin/python3 -B - build/coverage/summary.json <<'END' | tee build/coverage.txt
import collections
import json
import sys

folders = collections.defaultdict(lambda: [0] * 4)
for file in json.load(open(sys.argv[1]))["files"]:
    parts = file["filename"].split("/")
    for folder in ("/".join(parts[:2]) if len(parts) > 2 else parts[0], "all"):
        for place, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
            folders[folder][place] += file[key]
print("%-24s %7s %7s" % ("folder", "lines", "branches"))
for folder, (lines, all_lines, branches, all_branches) in sorted(folders.items(), key=lambda item: (item[0] == "all", item[0])):
    print("%-24s %6.1f%% %6.1f%%" % (folder, 100 * lines / max(all_lines, 1), 100 * branches / max(all_branches, 1)))
END

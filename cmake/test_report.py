# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of `make test`: what passed, failed and was skipped, from ctest's JUnit report.

A test that cannot do a part of its work for want of something prints a line "SKIPPED: what, and the command that brings it".
With CI=true such a line is a failure, unless it speaks of the shared data.
"""
import os
import re
import sys
import xml.etree.ElementTree as xml


def main(path):
    try:
        cases = xml.parse(path).getroot().findall("testcase")
    except (OSError, xml.ParseError) as error:
        print(f"ctest left no report: {error}", file=sys.stderr)
        return 1
    strict = os.environ.get("CI") == "true"
    failed, wanting, skipped, skips = [], [], [], []
    for case in cases:
        name, output = case.get("name"), case.findtext("system-out") or ""
        lines = re.findall(r"^.*\bSKIPPED: *(.+?)\s*$", output, re.MULTILINE)
        lines = lines or re.findall(r"^\[ +SKIPPED +\] (\w+)$", output, re.MULTILINE)  # cmocka's own words
        lines = [line.rstrip("'\"") for line in lines]  # unittest puts a reason in quotes
        whole = case.find("skipped") is not None
        if whole and not lines:
            lines = [case.find("skipped").get("message") or "no reason given"]
        skips += [(name, line) for line in lines]
        if case.get("status") == "fail" or case.find("failure") is not None:
            failed.append(name)
        elif strict and any("shared" not in line for line in lines):
            wanting.append(name)
        elif whole:
            skipped.append(name)
    if skips:
        print("\n==> NOT TESTED for want of a part:")
        for name, line in skips:
            print(f"    {name}: {line}")
    if failed or wanting:
        print("\n==> FAILED: " + ", ".join(failed + [f"{name} (skipped, and CI=true)" for name in wanting]))
    bad = len(failed) + len(wanting)
    print(f"\n{len(cases) - bad - len(skipped)} passed, {bad} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

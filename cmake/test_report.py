# SPDX-License-Identifier: GPL-3.0-or-later
"""The report at the end of a test run, from ctest's JUnit file and its labels: durations, what was skipped, what failed.

usage: test_report.py REPORT BUILD_FOLDER [REPORT_OF_FAILED_TESTS_RUN_AGAIN]

A test that cannot do part of its work because something is missing prints "SKIPPED: what is missing, and the command that
supplies it". With CI=true such a line is a failure, unless it is about the shared data. Quick tests that take longer than
SLOW_SECONDS are named, because they may belong to the full tests. They do not fail: one machine takes four times as long as another.
A test that failed and passed when it ran again, alone, is named and does not fail.
"""
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

SHOWN = 20  # durations printed
SLOW_SECONDS = 5


def labels(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    found = {}
    for test in json.loads(listing.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        found[test["name"]] = properties.get("LABELS", [])
    return found


def slow_tests(build, durations):
    over = [name for name, seconds in durations.items() if seconds > SLOW_SECONDS]
    tiers = labels(build) if over else {}
    return [name for name in over if "quick" in tiers.get(name, [])]


def skip_reasons(case):
    output = case.findtext("system-out") or ""
    lines = re.findall(r"^.*\bSKIPPED: *(.+?)\s*$", output, re.MULTILINE)
    lines = lines or re.findall(r"^\[ +SKIPPED +\] (\w+)$", output, re.MULTILINE)  # cmocka's format
    if not lines and case.find("skipped") is not None:
        lines = [case.find("skipped").get("message") or "no reason given"]
    return [line.rstrip("'\"") for line in lines]  # unittest quotes a reason


def has_failed(case):
    return case.get("status") == "fail" or case.find("failure") is not None


def lacks_a_part(case):
    return any("shared" not in line for line in skip_reasons(case))


def passed_again(path):
    """The tests of the second report, if there is one, that passed whole."""
    cases = xml.parse(path).getroot().findall("testcase") if os.path.exists(path) else []
    return {case.get("name") for case in cases if case.get("status") == "run" and not has_failed(case) and not lacks_a_part(case)}


def main(path, build, again=""):
    try:
        cases = xml.parse(path).getroot().findall("testcase")
    except (OSError, xml.ParseError) as error:
        print(f"ctest left no report: {error}", file=sys.stderr)
        return 1
    strict = os.environ.get("CI") == "true"
    durations = {case.get("name"): float(case.get("time") or 0) for case in cases}
    failed, skipped, reasons, alone = [], [], [], []
    second_time = passed_again(again)
    for case in cases:
        name, lines = case.get("name"), skip_reasons(case)
        reasons += [(name, line) for line in lines]
        if has_failed(case):
            (alone if name in second_time else failed).append(name)
        elif strict and lacks_a_part(case):
            failed.append(f"{name} (skipped, and CI=true)")
        elif case.find("skipped") is not None:
            skipped.append(name)

    print("\n==> Slowest tests")
    for name, seconds in sorted(durations.items(), key=lambda item: -item[1])[:SHOWN]:
        print(f"    {seconds:7.1f} s  {name}")
    print(f"    {sum(durations.values()):7.1f} s  all {len(cases)}")
    if reasons:
        print("\n==> NOT TESTED, because a part is missing:")
        for name, line in reasons:
            print(f"    {name}: {line}")
    slow = slow_tests(build, durations)
    if slow:
        print(f"\n==> Quick tests that took longer than {SLOW_SECONDS} s: " + ", ".join(slow))
    if alone:
        print("\n==> FAILED BESIDE OTHERS, passed when run again alone: " + ", ".join(alone))
    if failed:
        print("\n==> FAILED: " + ", ".join(failed))
    print(f"\n{len(cases) - len(failed) - len(skipped)} passed, {len(failed)} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

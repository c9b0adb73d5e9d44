# SPDX-License-Identifier: GPL-3.0-or-later
"""The report at the end of a test run, from ctest's JUnit file and its labels: durations, what was skipped, what failed.

usage: test_report.py REPORT BUILD_FOLDER [SECONDS]

A test that cannot do part of its work because something is missing prints "SKIPPED: what is missing, and the command that
supplies it". With CI=true such a line is a failure, unless it is about the shared data. A quick test that takes longer than
SECONDS (5) is run once more, alone; if it is still too slow, the run fails, so that `make test` stays quick. On a slow machine it
may take as much longer as a loop of a fixed length does. On a machine that is busy with other work nothing is concluded.
"""
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

SHOWN = 20  # durations printed
LOOP = 3_000_000
LOOP_SECONDS = 0.3  # of a machine of 2026
OTHER_CORES = 0.25  # that other work may keep busy meanwhile


def labels(build):
    listing = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True)
    found = {}
    for test in json.loads(listing.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        found[test["name"]] = properties.get("LABELS", [])
    return found


def machine_seconds():
    """Processor time of everything on this machine since it started, stolen time included."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def measure(build, name):
    """How many seconds the test takes alone, and how many cores other work kept busy meanwhile."""
    started, machine, own = time.monotonic(), machine_seconds(), os.times()
    subprocess.run(["ctest", "--test-dir", build, "-R", f"^{re.escape(name)}$"], stdout=subprocess.DEVNULL, check=False)
    seconds, end = time.monotonic() - started, os.times()
    its = end.children_user + end.children_system - own.children_user - own.children_system
    return seconds, (machine_seconds() - machine - its) / seconds


def slowness():
    """How many times longer than usual this machine takes at present; at least 1."""
    started = time.monotonic()
    for number in range(LOOP):
        number * number % 7
    return max(1.0, (time.monotonic() - started) / LOOP_SECONDS)


def too_slow(build, durations, limit):
    over = [name for name, seconds in durations.items() if seconds > limit]
    tiers = labels(build) if over else {}
    slow = []
    for name in over:
        if "quick" in tiers.get(name, []):
            factor = slowness()
            seconds, others = measure(build, name)
            if seconds <= limit * max(factor, slowness()):
                continue
            if others > OTHER_CORES:
                print(f"\n==> Not measured: {name} took {seconds:.1f} s while other work kept {others:.1f} cores busy")
            else:
                slow.append(f"{name} ({seconds:.1f} s; a quick test may take {limit} s)")
    return slow


def skip_reasons(case):
    output = case.findtext("system-out") or ""
    lines = re.findall(r"^.*\bSKIPPED: *(.+?)\s*$", output, re.MULTILINE)
    lines = lines or re.findall(r"^\[ +SKIPPED +\] (\w+)$", output, re.MULTILINE)  # cmocka's format
    if not lines and case.find("skipped") is not None:
        lines = [case.find("skipped").get("message") or "no reason given"]
    return [line.rstrip("'\"") for line in lines]  # unittest quotes a reason


def main(path, build, limit="5"):
    try:
        cases = xml.parse(path).getroot().findall("testcase")
    except (OSError, xml.ParseError) as error:
        print(f"ctest left no report: {error}", file=sys.stderr)
        return 1
    strict = os.environ.get("CI") == "true"
    durations = {case.get("name"): float(case.get("time") or 0) for case in cases}
    failed, skipped, reasons = [], [], []
    for case in cases:
        name, lines = case.get("name"), skip_reasons(case)
        reasons += [(name, line) for line in lines]
        if case.get("status") == "fail" or case.find("failure") is not None:
            failed.append(name)
        elif strict and any("shared" not in line for line in lines):
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
    bad = failed + too_slow(build, durations, float(limit))
    if bad:
        print("\n==> FAILED: " + ", ".join(bad))
    print(f"\n{len(cases) - len(bad) - len(skipped)} passed, {len(bad)} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    return 1 if bad or not cases else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The load of contract.load for as long as it takes to see growth: 32 callers for two minutes in each isolation, then 10,000 runs of
four sessions; in Docker, and in the local engine. Ends with status 1 where an answer was wrong, a caller starved or the server grew."""
import os
import pathlib
import subprocess
import sys

LOAD = pathlib.Path(__file__).resolve().parents[1] / "contract/test_load.py"


def main():
    environment = dict(os.environ)
    environment.setdefault("LECTERN_LOAD_SECONDS", "120")
    environment.setdefault("LECTERN_LOAD_RUNS", "10000")
    failed = [engine for engine in ("docker", "local") if subprocess.run(
        [sys.executable, "-B", str(LOAD)], env=dict(environment, LECTERN_SANDBOX=engine), check=False).returncode != 0]
    sys.exit("failed: %s" % ", ".join(failed) if failed else 0)


if __name__ == "__main__":
    main()

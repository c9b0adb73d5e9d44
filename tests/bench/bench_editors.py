# SPDX-License-Identifier: GPL-3.0-or-later
"""The editors of contract.editors for a minute, then twenty rounds of contract.kill9. Status 1 where one of them fails."""
import os
import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1] / "contract"
LONGER = {"LECTERN_EDITORS_SECONDS": "60", "LECTERN_KILLS": "20"}


def main():
    failed = [name for name in ("test_editors.py", "test_kill9.py") if subprocess.run(
        [sys.executable, "-B", str(TESTS / name)], env={**LONGER, **os.environ}, check=False).returncode != 0]
    sys.exit("failed: %s" % ", ".join(failed) if failed else 0)


if __name__ == "__main__":
    main()

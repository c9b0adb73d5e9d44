# SPDX-License-Identifier: GPL-3.0-or-later
"""mcp/learner/ as a program, its database at another time, and the random choices of its tests. LECTERN_SEED selects other ones."""
import contextlib
import json
import os
import random
import sqlite3
import subprocess

import harness

CASES = 2000
SEED = int(os.environ.get("LECTERN_SEED", "20261128"))


def draws(test):
    """Random numbers for one test; its seed is SEED and its name."""
    return random.Random(f"{SEED} {test}")


def compute(lines, command=(harness.BUILD / "tests/learner_driver",), seconds=harness.ANSWER_SECONDS):
    """Each line as JSON, answered by a program with a line of JSON."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, timeout=seconds, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def shift(path, days):
    """Everything in this database of learners was that many days earlier. A server may have it open."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=harness.ANSWER_SECONDS)) as database:
        database.execute("BEGIN IMMEDIATE")
        triggers = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            database.execute("DROP TRIGGER " + name)
        for table in ("submission", "evidence", "hint"):
            database.execute("UPDATE %s SET time = time - ?" % table, (days * 86400,))
        for _, trigger in triggers:
            database.execute(trigger)
        database.execute("COMMIT")

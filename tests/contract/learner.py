# SPDX-License-Identifier: GPL-3.0-or-later
"""mcp/learner/ as a program, and the random choices of its tests. LECTERN_SEED selects other ones."""
import json
import os
import random
import subprocess

import harness

CASES = 2000
SEED = int(os.environ.get("LECTERN_SEED", "20261128"))


def draws(test):
    """Random numbers for one test; its seed is SEED and its name."""
    return random.Random(f"{SEED} {test}")


def compute(lines, command=(harness.BUILD / "tests/learner_driver",)):
    """Each line as JSON, answered by a program with a line of JSON."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, timeout=harness.ANSWER_SECONDS, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]

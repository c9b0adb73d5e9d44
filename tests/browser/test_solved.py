# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer by roles in the page: the switch, the step under way, the chart under the answer with two attempts side by side, and the same
after a reload."""
import sys
import unittest

import chromium
import harness

sys.path.insert(0, str(harness.ROOT / "tests/parts"))
from role_model import KEY, Case, Roles  # noqa: E402

SECONDS = 300
QUESTION = "How many nodes does this curriculum have?"
COUNT = "import json\nfrom code_helpers import get_nodes\nprint(json.dumps(len(get_nodes())))"


class Solved(unittest.TestCase):
    def walk(self, size):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        workspace.run("demo")
        case = Case(QUESTION, "number", COUNT, ["import time\ntime.sleep(4)\nprint(1 / 0)", "print(2 / 0)"], key="nodes")
        with Roles([case]) as model:
            chromium.run("solved.test.mjs", workspace, SECONDS, size, LECTERN_MODEL=model.url, LECTERN_MODEL_KEY=KEY)
            model.check()
            self.assertEqual({role: book.requests for role, book in model.ledger.items()},
                             {"planner": 1, "coder": 1, "debugger": 2, "answer": 1})

    def test_wide(self):
        self.walk("wide")

    def test_narrow(self):
        self.walk("narrow")


if __name__ == "__main__":
    unittest.main(verbosity=2)

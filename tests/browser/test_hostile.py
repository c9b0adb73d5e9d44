# SPDX-License-Identifier: GPL-3.0-or-later
"""A curriculum, tool outputs and answers whose every text wants to run, call home or give orders: the page shows them, and no more."""
import json
import pathlib
import unittest

import chromium
import curricula
import harness


class Hostile(unittest.TestCase):
    def test_nothing_runs(self):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        path = pathlib.Path(workspace.data) / "hostile.json"
        path.write_text(json.dumps(curricula.hostile()), encoding="utf-8")
        sid = workspace.load(path)
        markup = pathlib.Path(workspace.data) / "markup.json"
        markup.write_text(json.dumps({"texts": [*curricula.MARKUP, curricula.ORDERS], "sid": sid}), encoding="utf-8")
        chromium.run("hostile.test.mjs", workspace, 240, str(path), str(markup))


if __name__ == "__main__":
    unittest.main(verbosity=2)

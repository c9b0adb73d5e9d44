# SPDX-License-Identifier: GPL-3.0-or-later
"""The graph of a made-up curriculum of 6,500 nodes and 17,000 relationships, drawn and moved in software GL. It prints what was
measured; its bounds only say that it works at all, as the machine has other work to do. tests/bench/bench_page.py holds the figures."""
import json
import pathlib
import unittest

import chromium
import curricula
import harness

NODES, LINKS = 6500, 17000


def measure(rounds=1):
    """The figures of each round: milliseconds to the graph's first whole frame, and the longest gap between frames while it moves."""
    workspace = harness.Workspace()
    try:
        path = pathlib.Path(workspace.data) / "large.json"
        path.write_text(json.dumps(curricula.large(NODES, LINKS)), encoding="utf-8")
        workspace.load(path)
        output = chromium.run("graph.test.mjs", workspace, 120, str(rounds))
        return [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    finally:
        workspace.close()


class Graph(unittest.TestCase):
    def test_large(self):
        figures, = measure()
        print("%(nodes)d nodes, %(edges)d edges: drawn %(drawn)d ms after navigation; longest gap while panning %(gap)d ms" % figures)
        self.assertEqual((figures["nodes"], figures["edges"]), (NODES, LINKS))
        self.assertLess(figures["drawn"], 30000)
        self.assertLess(figures["gap"], 5000)


if __name__ == "__main__":
    unittest.main(verbosity=2)

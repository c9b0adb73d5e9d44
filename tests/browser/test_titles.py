# SPDX-License-Identifier: GPL-3.0-or-later
"""What a curriculum larger than the demo shows at first view: titles, names of chapters, and each of its kinds of links in the legend."""
import json
import pathlib
import unittest

import chromium
import harness

LESSONS = 48


def curriculum():
    """A chain of three chapters, as a textbook is, with links of kinds that the page has no words for."""
    nodes = [{"node_id": "T%03d" % i, "title": "Lesson %d of fractions" % i, "chapter": "%d Part" % (i // 16 + 1)} for i in range(LESSONS)]
    links = [(i, i + 1, "PREREQUISITE") for i in range(LESSONS - 1)] + [(0, 5, "CONTAINS"), (0, 6, "CONTAINS"), (3, 40, "SEE_ALSO")]
    return {"meta": {"title": "A textbook"}, "nodes": nodes, "relationships": [
        {"from_node_id": nodes[a]["node_id"], "to_node_id": nodes[b]["node_id"], "relationship_type": kind} for a, b, kind in links]}


class Titles(unittest.TestCase):
    def test_first_view(self):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        path = pathlib.Path(workspace.data) / "textbook.json"
        path.write_text(json.dumps(curriculum()), encoding="utf-8")
        workspace.load(path)
        self.assertIn("48 titles", chromium.run("titles.test.mjs", workspace, 120, "wide"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

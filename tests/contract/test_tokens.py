# SPDX-License-Identifier: GPL-3.0-or-later
"""What a model pays for the tools before it has asked anything: the listing, counted in tokens."""
import json
import unittest

import harness
import tokens

EDITOR, READER = 1950, 1000  # tokens of the whole listing, for who may edit and for who may read


class Listing(unittest.TestCase):
    def listing(self):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        client = harness.Stdio(workspace)
        client.initialize()
        listed = client.request("tools/list")["result"]["tools"]
        self.assertEqual(client.close(), 0)
        return listed

    def test_its_tokens(self):
        listed = self.listing()
        counts = tokens.count([json.dumps(tool, separators=(",", ":"), ensure_ascii=False) for tool in listed])
        table = "\n".join("%5d %s" % (count, tool["name"]) for count, tool in zip(counts, listed))
        reading = sum(count for count, tool in zip(counts, listed) if tool.get("annotations", {}).get("readOnlyHint"))
        print("\n%s\n%5d in all, %d for a reader" % (table, sum(counts), reading))
        self.assertLess(sum(counts), EDITOR, table)
        self.assertLess(reading, READER, table)


if __name__ == "__main__":
    unittest.main(verbosity=2)

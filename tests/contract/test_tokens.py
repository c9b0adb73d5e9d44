# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of the tools before a model has asked anything: the parts of the listing that a model sees, counted in tokens. Clients keep the
annotations for themselves."""
import json
import re
import unittest

import harness
import tokens

SEEN = ("name", "description", "inputSchema")
EDITOR, READER, TUTOR, SOLVE = 2060, 1000, 1300, 600  # tokens of the listing, for an editor, a reader, a tutor and a solver


class Listing(unittest.TestCase):
    def listing(self, *words):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        client = harness.Stdio(workspace, *words)
        client.initialize()
        listed = client.request("tools/list")["result"]["tools"]
        self.assertEqual(client.close(), 0)
        return listed

    def count(self, listed):
        """(tokens of each tool, a table of them)."""
        counts = tokens.count([json.dumps({part: tool[part] for part in SEEN}, separators=(",", ":"), ensure_ascii=False) for tool in listed])
        return counts, "\n".join("%5d %s" % (count, tool["name"]) for count, tool in zip(counts, listed))

    def test_its_tokens(self):
        listed = self.listing()
        counts, table = self.count(listed)
        reading = sum(count for count, tool in zip(counts, listed) if tool["annotations"]["readOnlyHint"])
        print("\n%s\n%5d in all, %d for a reader" % (table, sum(counts), reading))
        self.assertLess(sum(counts), EDITOR, table)
        self.assertLess(reading, READER, table)

    def test_the_tokens_of_a_tutor(self):
        listed = self.listing("--toolset", "tutor")
        counts, table = self.count(listed)
        print("\n%s\n%5d in all" % (table, sum(counts)))
        self.assertEqual(len(listed), 9)
        self.assertLess(sum(counts), TUTOR, table)

    def test_the_tokens_of_solve(self):
        listed = self.listing("--toolset", "solve")
        counts, table = self.count(listed)
        self.assertEqual([tool["name"] for tool in listed], ["solve"])
        self.assertLess(sum(counts), SOLVE, table)

    def test_schemas_are_taken_everywhere(self):
        """Gemini refuses all tools if one object has no properties; strict modes know no bounds."""
        def check(schema, place):
            if schema.get("type") == "object":
                self.assertTrue(schema.get("properties"), place)
            self.assertFalse({"minimum", "maximum", "minLength", "maxLength", "pattern", "$ref", "oneOf", "allOf"} & set(schema), place)
            for name, member in schema.get("properties", {}).items():
                check(member, place + "." + name)
            for part in schema.get("anyOf", []) + ([schema["items"]] if "items" in schema else []):
                check(part, place)

        for tool in self.listing("--toolset", "all"):
            check(tool["inputSchema"], tool["name"])

    def test_operations_name_their_members(self):
        """Those that models called with guessed members: the listing alone must say which they are."""
        schema = next(tool["inputSchema"] for tool in self.listing() if tool["name"] == "change_curriculum")
        operation = schema["properties"]["operations"]["items"]
        for name, members in [("create_node", ("title", "fields")), ("split_node", ("components", "new_node_id", "title")),
                              ("merge_nodes", ("into_node_id",))]:
            said = re.search(name + r" ([^;.]*)", operation["description"])
            self.assertTrue(said, name)
            self.assertIn(name, operation["properties"]["op"]["enum"])
            for member in members:
                self.assertIn(member, re.findall(r"\w+", said.group(1)), name)
                self.assertIn(member, operation["properties"])

    def test_annotations_are_complete(self):
        listed = {tool["name"]: tool["annotations"] for tool in self.listing()}
        for name, annotations in listed.items():
            self.assertEqual(set(annotations), {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}, name)
            self.assertTrue(annotations["title"])
        self.assertEqual({name for name, given in listed.items() if given["readOnlyHint"]}, {"find", "history", "execute_code", "query_graph"})
        self.assertEqual({name for name, given in listed.items() if given["destructiveHint"]},
                         {"edit_component", "delete_component", "change_curriculum", "undo"})


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations that cannot be done: told what to send instead, and nothing is half done, whatever stands before them in the call."""
import json
import pathlib
import re
import unittest

import harness
import tasks
import tokens

LESSON, OTHER, PLACES = "N010", "N011", [1, 2, 3, 4, 5, 6, 7]
RENAME = {"op": "rename_node", "node_id": LESSON, "title": "Ratios"}
GOOD = [RENAME, {"op": "replace_text", "find": "fraction", "replace": "quotient"}]  # stand before each bad operation
LONG = 1 << 20
TERM, COMPONENTS, TOKENS = "polynomial", 358, 300  # a call that replaces it in so many components


def replace(find, new, **more):
    return {"op": "replace_text", "find": find, "replace": new, **more}


def move(**more):
    return {"op": "move_components", "node_id": LESSON, "into_node_id": OTHER, **more}


def split(**more):
    return {"op": "split_node", "node_id": LESSON, "new_node_id": "N099", "title": "More", **more}


BAD = (
    (move(components=[1], into_node_id=LESSON), "reorder_components changes their order"),
    (move(components=[]), r"send the places of 1 to 500 components, such as \[2, 3\]"),
    (move(components=[1, 1]), "names a component that is there before it"),
    (move(components=[8]), "it has 7, counted from 1"),
    (move(components=[1], position=99), "so send 1 to 9"),
    ({"op": "merge_nodes", "node_id": LESSON, "into_node_id": LESSON}, "send another node"),
    (split(components=PLACES), "leave one at least"),
    (split(components=[]), "send the places of 1 to 500"),
    (split(components=[7], new_node_id=OTHER), "in use in this session, choose another"),
    (split(components=[7], relationships=["N040"]), "send its id, or the node at its other end"),
    ({"op": "copy_node", "node_id": LESSON, "new_node_id": LESSON, "title": "Again"}, "choose another"),
    ({"op": "reorder_components", "node_id": LESSON, "order": [1, 1, 2, 3, 4, 5, 6]}, "1 is there twice"),
    ({"op": "delete_node", "node_id": "$7"}, "there is no node"),
    (replace("", "x"), "send the words to look for"),
    (replace("ratio", "ratio"), "same as find"),
    (replace("x" * LONG, "x"), "send 500 at most"),
    (replace("ratio", "x" * LONG), "send 2000 at most"),
    (replace("ratio", "\0"), "NUL"),
    (replace("Direct proportion", ""), 'N034 "Direct proportion": title: must not be empty'),
    (replace("ratio", "mean", expected_places=1), r"it would be \d+; a dry run lists them"),
    (replace("zebra", "horse"), "is in no text there; expected_places 0 accepts that"),
    (replace("warning", "notice"), "is in no text there"),  # the style of a box
    (replace("svg", "png"), "is in no text there"),
)


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.sid = self.workspace.run("demo").stdout.decode().strip()
        self.client = harness.Stdio(self.workspace)
        self.client.initialize()
        self.addCleanup(self.client.close)

    def state(self):
        return self.workspace.run("export", self.sid).stdout, self.client.good("history", session_id=self.sid)

    def refused(self, says, *operations, **more):
        is_error, text = self.client.call("change_curriculum", session_id=self.sid, operations=list(operations), **more)
        self.assertTrue(is_error, text)
        self.assertRegex(text, says)
        self.assertLess(len(text), 2000)


class Bad(Case):
    def test_nothing_is_half_done(self):
        before = self.state()
        for operation, says in BAD:
            with self.subTest(operation={name: str(value)[:40] for name, value in operation.items()}):
                self.refused(says, operation)
                self.refused(says, *GOOD, operation)
                self.assertEqual(self.state()[1], before[1])
        self.assertEqual(self.state(), before)

    def test_too_many_operations(self):
        before = self.state()
        for count in (501, 10000):
            self.refused("%d are too many at once, send 500 at most" % count, *[RENAME] * count)
            self.refused("send 500 at most", *[RENAME] * count, keep_going=True)
            self.refused("send 500 at most", *[RENAME] * count, dry_run=True)
        self.assertEqual(self.state(), before)

    def test_the_good_ones_alone(self):
        text = self.client.good("change_curriculum", operations=[*GOOD, *(bad for bad, _ in BAD)], keep_going=True)
        self.assertIn("Did 2 of %d operations, %d bad ones left out" % (len(GOOD) + len(BAD), len(BAD)), text)
        self.client.good("undo")
        self.assertIn("no difference", self.client.good("history", action="difference", version=1))


class Links(Case):
    def link(self, **more):
        return {"op": "create_relationship", "from_node_id": LESSON, "to_node_id": "Use ratio language", "to_session": tasks.FRAMEWORK,
                "relationship_type": "exactMatchOf", **more}

    def test_to_what_is_not_there_or_is_deleted(self):
        path = pathlib.Path(self.workspace.data, "framework.json")
        path.write_text(json.dumps(tasks.framework(["Use ratio language"])), encoding="utf-8")
        other = self.workspace.load(path)
        before = self.state()
        for bad, says in ((self.link(to_node_id="Use ratios language"), "did you mean .*Use ratio language"),
                          (self.link(to_session="State standard"), "there is no curriculum 'State standard'; did you mean 'State standards'"),
                          (self.link(relationship_type="exactMatch"), "did you mean '?exactMatchOf")):
            with self.subTest(bad=bad):
                self.refused(says, bad)
                self.refused(says, *GOOD, bad)
        self.assertEqual(self.state(), before)
        self.client.good("change_curriculum", session_id=self.sid, operations=[self.link()])
        linked = self.state()
        self.workspace.run("delete", "--yes", other)
        self.refused("there is no curriculum 'State standards'; the store has 1", *GOOD, self.link())
        self.assertEqual(self.state(), linked)
        read = self.client.request("resources/read", {"uri": "lectern://curriculum/%s/node/%s" % (self.sid, LESSON)})
        self.assertRegex(read["result"]["contents"][0]["text"], "Use ratio language.*deleted")


class Everywhere(unittest.TestCase):
    def test_one_call_for_a_large_curriculum(self):
        with tasks.World(tasks.ALGEBRA) as world:
            before = {node_id: list(tasks.prose(node)) for node_id, node in world.nodes().items()}
            call = {"operations": [replace(TERM, "multinomial")]}
            said = world.edit("change_curriculum", **call)
            self.assertIn("in %d components" % COMPONENTS, said)
            self.assertFalse([text for node in world.nodes().values() for _, text in tasks.prose(node)
                              if re.search(r"(?i)\b%ss?\b" % TERM, text)])
            undone = world.edit("undo")
            self.assertEqual({node_id: list(tasks.prose(node)) for node_id, node in world.nodes().items()}, before)
        counts = tokens.count([json.dumps(call) + said, undone])
        print("one call for %d components: %d tokens; its undo: %d" % (COMPONENTS, *counts))
        self.assertLess(max(counts), TOKENS)


if __name__ == "__main__":
    unittest.main(verbosity=2)

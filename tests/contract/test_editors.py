# SPDX-License-Identifier: GPL-3.0-or-later
"""Many concurrent editors of one session: no acknowledged edit is lost or duplicated, all are in the log, and every client of /mcp-sync
receives them; a hundred undos restore exactly the state before a hundred edits.

LECTERN_EDITORS_SECONDS: duration (8); `make bench` takes 60.
"""
import bisect
import collections
import json
import os
import time
import unittest

import editors
import harness
from session_api.history import without

SECONDS = float(os.environ.get("LECTERN_EDITORS_SECONDS", "8"))
EDITORS = 200
WATCHERS = 40
PAUSE = 0.6             # between an editor's edits, on average
TOLD_SECONDS = 5.0      # after the answer, at the latest
UNDONE = 100
PAGE = 200
GOES_ON = {"revision", "last_modified", "version"}


class Editing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.server = harness.Server(cls.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")

    @classmethod
    def tearDownClass(cls):
        status = cls.server.close()
        cls.workspace.close()
        assert status == 0, status

    def setUp(self):
        self.sid = self.good("POST", "/session/create")["session_id"]
        editors.make_nodes(self.server, self.sid)
        self.path = "/session/" + self.sid

    def good(self, method, path, body=None):
        status, answer, _ = self.server.http(method, path, body)
        self.assertEqual(status, 200, answer)
        return answer

    def version(self):
        return self.good("GET", self.path + "/history?limit=1")["version"]

    def changes_since(self, version):
        """All change sets after it, newest first, page by page."""
        found, before = [], ""
        while True:
            page = self.good("GET", "%s/history?since=%d&limit=%d%s" % (self.path, version, PAGE, before))["changes"]
            found += page
            if len(page) < PAGE:
                return found
            before = "&before=%d" % (min(entry["version"] for entry in page[-1]["entries"]) - 1)

    def content(self):
        """All that is there, but for what goes on."""
        lists = [self.good("GET", self.path + "/" + name) for name in ("nodes", "relationships", "positions", "components")]
        exported = json.loads(self.workspace.run("export", self.sid).stdout)
        return without([lists, exported], GOES_ON)

    def test_all_at_once(self):
        begin = self.version()
        other = self.good("POST", "/session/create")["session_id"]
        watchers = editors.Watchers(WATCHERS, self.server.port, self.sid)
        strangers = editors.Watchers(2, self.server.port, other)
        for crowd in (watchers, strangers):
            crowd.start()
            crowd.ready.wait(harness.ANSWER_SECONDS)
            self.assertIsNone(crowd.failure)
        crowd, stop = editors.start(EDITORS, self.server.port, self.sid, PAUSE)
        time.sleep(SECONDS)
        editors.finish(crowd, stop)
        self.server.connection.close()  # it was idle so long that the server may have closed it; a new one is made when needed
        time.sleep(1)
        watchers.close()
        strangers.close()
        done = [edit for editor in crowd for edit in editor.done]
        print("%d edits by %d editors in %g s" % (len(done), EDITORS, SECONDS))
        self.assertTrue(all(editor.done for editor in crowd), "an editor came to nothing")
        editors.compare(self, self.server, self.sid, crowd)
        self.check_log(begin, done)
        self.check_told(watchers, done)
        self.assertEqual(strangers.told, [[], []])

    def check_log(self, begin, done):
        """Each acknowledged edit is one change set, and there is no other."""
        changes = self.changes_since(begin)
        self.assertEqual(len(changes), len(done))
        self.assertEqual(len({change["change_set"] for change in changes}), len(done))
        logged = collections.Counter((entry["entity_id"], entry["node_id"]) for change in changes for entry in change["entries"]
                                     if entry["entity"] == "component")
        for place, count in collections.Counter((edit.component_id, edit.node) for edit in done).items():
            self.assertGreaterEqual(logged[place], count)

    def check_told(self, watchers, done):
        """Each client heard of each edit: something about its components came after it was asked for, and soon."""
        for told in watchers.told:
            times = collections.defaultdict(list)
            for when, message in told:
                message = json.loads(message)
                if message.get("type") == "refresh_ui":
                    self.assertIn(message["target"], ("components", "nodes", "relationships"))
                    times[message["node_id"]].append(when)
            for edit in done:
                heard = times[edit.node]
                at = bisect.bisect_left(heard, edit.started)
                self.assertLess(at, len(heard), "nothing was told after an edit of " + edit.node)
                self.assertLess(heard[at], edit.ended + TOLD_SECONDS)

    def test_a_hundred_undos(self):
        crowd, stop = editors.start(20, self.server.port, self.sid, 0)
        time.sleep(1)
        editors.finish(crowd, stop)
        before, version = self.content(), self.version()
        made = 0
        crowd = [editors.Editor(1000 + number, door, self.server.port, self.sid, stop, 0)
                 for number, door in enumerate((editors.Rest, editors.Mcp) * 10)]
        while made < UNDONE:
            for editor in crowd[:UNDONE - made]:
                connected = editor.door(self.server.port, self.sid)
                editor.make(connected, editor.next_edit())
                connected.close()
                made += 1
        self.assertNotEqual(self.content(), before)
        for change in self.changes_since(version)[:UNDONE]:
            self.good("POST", self.path + "/undo", {"change_set": change["change_set"]})
        self.assertEqual(self.content(), before)
        self.assertGreaterEqual(self.version(), version + 2 * UNDONE)


if __name__ == "__main__":
    unittest.main(verbosity=2)

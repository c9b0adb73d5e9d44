# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 at random moments during edits: each acknowledged edit is stored once; a call without an answer is repeated with its key and
applied once; the database is intact, and the index of the search is what it would be if it were made from nothing.

LECTERN_KILLS: rounds (5); `make bench` takes 20. LECTERN_SEED: seed of the moments.
"""
import os
import pathlib
import random
import sqlite3
import time
import unittest

import editors
import harness
import search_index

KILLS = int(os.environ.get("LECTERN_KILLS", "5"))
SEED = int(os.environ.get("LECTERN_SEED", "0")) or random.randrange(1 << 32)
EDITORS = 30
MOMENT = (0.05, 1.2)    # seconds after the editors' start
SERVE = ("--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")


class KillNine(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.server = harness.Server(self.workspace, *SERVE)
        self.sid = self.server.http("POST", "/session/create")[1]["session_id"]
        editors.make_nodes(self.server, self.sid)

    def tearDown(self):
        self.assertEqual(self.server.close(), 0)
        self.workspace.close()

    def check_database(self):
        """With SQLite's own eyes, before any of our code opens it again."""
        files = list(pathlib.Path(self.workspace.data).rglob("lectern.db"))
        self.assertEqual(len(files), 1)
        with sqlite3.connect(files[0]) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
        database.close()
        search_index.check(self, files[0])

    def test_acknowledged_once(self):
        moments = random.Random(SEED)
        everyone, done, doubts = [], 0, 0
        for kill in range(KILLS):
            crowd, stop = editors.start(EDITORS, self.server.port, self.sid, 0, first=kill * EDITORS)
            time.sleep(moments.uniform(*MOMENT))
            self.server.kill()
            editors.finish(crowd, stop)
            self.check_database()
            self.server = harness.Server(self.workspace, *SERVE)
            doubts += sum(editor.doubt is not None for editor in crowd)
            for editor in crowd:
                editor.settle(self.server.port)
            everyone += crowd
            done += sum(len(editor.done) for editor in crowd)
            with self.subTest(kill=kill, seed=SEED):
                editors.compare(self, self.server, self.sid, everyone)
        print("%d edits in %d rounds, %d of them made again after a crash; seed %d" % (done, KILLS, doubts, SEED))
        self.assertGreater(doubts, 0, "no round killed the server in the middle of a call")


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The index of the search, as a database has it, beside the one that is made from nothing."""
import os
import pathlib
import sqlite3
import subprocess
import tempfile

import harness

ROWS = ("SELECT search.rowid, head, term, search.words, search_row.words FROM search JOIN search_row ON row = search.rowid"
        " ORDER BY search.rowid")


def rows(database):
    database.execute("INSERT INTO search (search) VALUES ('integrity-check')")
    assert database.execute("SELECT count(*) FROM search_stale").fetchall() == [(0,)], "a row is still stale"
    return database.execute(ROWS).fetchall()


def check(case, path):
    """path: a database that may be in use, with a session in it."""
    with tempfile.TemporaryDirectory(prefix="lectern-test-") as folder:
        copy = pathlib.Path(folder) / "copy.db"
        used, ours = sqlite3.connect(path), sqlite3.connect(copy)
        used.backup(ours)
        used.close()
        kept = rows(ours)
        sid, title = ours.execute("SELECT session_id, title FROM session").fetchone()
        ours.execute("UPDATE search_form SET version = 0")
        ours.execute("DELETE FROM search_row")
        ours.commit()
        ours.close()
        subprocess.run([harness.LECTERN, "rename", sid, title or "a title", "--store", "sqlite:%s" % copy], check=True, capture_output=True,
                       env=dict(os.environ, LECTERN_DATA=folder, HOME=folder, XDG_CONFIG_HOME=folder))
        ours = sqlite3.connect(copy)
        anew = rows(ours)
        ours.close()
    case.assertGreater(len(kept), 0)
    case.assertEqual(kept, anew)

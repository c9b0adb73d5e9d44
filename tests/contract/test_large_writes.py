# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes that take long: they are made on a copy of their session, so edits of other sessions go on, and their changes are then applied,
those of an import in slices."""
import contextlib
import json
import pathlib
import sqlite3
import subprocess
import threading
import time
import unittest

import harness
import test_curricula

PARAGRAPHS = 8000
LATER = ("last_modified", "modified", "revision")  # an undo counts as a change too


def without_times(value):
    if isinstance(value, dict):
        return {name: without_times(member) for name, member in value.items() if name not in LATER}
    return [without_times(item) for item in value] if isinstance(value, list) else value


class Editor(threading.Thread):
    """Renames a lesson without pause."""

    def __init__(self, server, path, node_id):
        super().__init__(daemon=True)
        self.client = harness.Client(server.port)
        self.path, self.over, self.answers = path + "/nodes/" + node_id, threading.Event(), []

    def run(self):
        while not self.over.is_set():
            status, answer, _ = self.client.http("PUT", self.path, {"title": "Name %d" % len(self.answers)})
            self.answers.append((status, answer.get("title")))
            time.sleep(0.002)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join(60)
        self.client.connection.close()


class LargeWrites(test_curricula.RowsCase):
    def setUp(self):
        super().setUp()
        self.small, self.large = self.add("small", 5)[0], self.add("large", PARAGRAPHS)[0]
        self.sid = self.large.removeprefix("/session/")
        self.lesson = self.first_lesson(self.large)

    def first_lesson(self, path):
        return self.server.http("GET", path + "/nodes")[1]["nodes"][0]["node_id"]

    def whole(self):
        return without_times(json.loads(self.workspace.run("export", self.sid, "--format", "json").stdout))

    def change(self, *operations, **more):
        return self.server.good("change_curriculum", session_id=self.sid, operations=list(operations), **more)

    def copy(self, node_id):
        return {"op": "copy_node", "node_id": self.lesson, "new_node_id": node_id, "title": "Copy"}

    def file(self):
        return contextlib.closing(sqlite3.connect("file:%s/lectern.db?mode=ro" % self.workspace.data, uri=True))

    def check_file(self):
        with self.file() as file:
            self.assertEqual(file.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(file.execute("PRAGMA foreign_key_check").fetchall(), [])

    def last_keys(self):
        """The last key that each table has given, and the last that it has."""
        with self.file() as file:
            return {table: (file.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()[0],
                            file.execute("SELECT max(key) FROM %s" % table).fetchone()[0])
                    for table in ("node", "component", "change")}

    def test_each_kind_and_its_undo(self):
        """Its content is right, its undo restores what was there, and another session's edits do not wait for it."""
        texts = ["word"] * PARAGRAPHS
        cases = {
            "copy": ([self.copy("N900")], {self.lesson: texts, "N900": texts}),
            "replace": ([{"op": "replace_text", "find": "word", "replace": "term"}], {self.lesson: ["term"] * PARAGRAPHS}),
            "delete": ([{"op": "delete_node", "node_id": self.lesson}], {}),
        }
        for name, (operations, expected) in cases.items():
            with self.subTest(name):
                before = self.whole()
                with Editor(self.server, self.small, self.first_lesson(self.small)) as editor:
                    self.change(*operations)
                    beside = len(editor.answers)
                    after, then = self.whole(), len(editor.answers)
                    self.server.good("undo", session_id=self.sid)
                    beside += len(editor.answers) - then
                self.assertEqual({node["node_id"]: [component["parameters"]["text"] for component in node["components"]]
                                  for node in after["nodes"]}, expected)
                self.assertEqual(self.whole(), before)
                self.assertEqual({status for status, _ in editor.answers}, {200})
                self.assertGreater(beside, 10, "one or two would wait for each write")
        self.check_file()

    def test_an_edit_of_its_own_session_is_kept(self):
        """The write is made again on what the edits have made of the session."""
        self.change({"op": "create_node", "node_id": "N800", "title": "Other"})
        with Editor(self.server, self.large, "N800") as editor:
            time.sleep(0.1)
            self.change(self.copy("N900"))
        self.assertEqual({status for status, _ in editor.answers}, {200})
        nodes = {node["node_id"]: node for node in self.whole()["nodes"]}
        self.assertEqual(len(nodes["N900"]["components"]), PARAGRAPHS)
        self.assertEqual(nodes["N800"]["title"], "Name %d" % (len(editor.answers) - 1))
        history = self.server.http("GET", self.large + "/history?limit=100")[1]
        self.assertEqual([change["version"] for change in history["changes"]], sorted((change["version"] for change in history["changes"]), reverse=True))

    def test_a_key_makes_it_once(self):
        def call(answers):
            with contextlib.closing(harness.Client(self.server.port).connection) as connection:
                client = harness.Client(self.server.port)
                client.connection = connection
                answers.append(client.http("POST", self.large + "/changes", {"operations": [self.copy("N900")]}, Idempotency_Key="once"))
        answers = []
        threads = [threading.Thread(target=call, args=(answers,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual([status for status, _, _ in answers], [200] * 3, answers)
        # A repeat that comes while the first one's effect is computed has null there.
        self.assertEqual(len({json.dumps(dict(body, effect=None), sort_keys=True) for _, body, _ in answers}), 1, answers)
        self.assertEqual([node["node_id"] for node in self.whole()["nodes"]], [self.lesson, "N900"])

    def test_a_kill_leaves_all_or_nothing(self):
        before = self.whole()
        for wait in (0.1, 0.3, 0.6):
            thread = threading.Thread(target=self.try_copy)
            thread.start()
            time.sleep(wait)
            self.server.kill()
            thread.join(60)
            self.check_file()
            after = self.whole()
            self.server = self.start()
            if after != before:
                self.assertEqual(len(after["nodes"][-1]["components"]), PARAGRAPHS)
                self.assertEqual(self.server.http("POST", self.large + "/undo")[0], 200)
                self.assertEqual(self.whole(), before)

    def try_copy(self):
        client = harness.Client(self.server.port)
        with contextlib.suppress(OSError, harness.http.client.HTTPException):
            client.http("POST", self.large + "/changes", {"operations": [self.copy("N900")]})
        client.connection.close()

    def test_keys_that_it_did_not_need_are_given_back(self):
        self.change(self.copy("N900"))
        for table, (given, last) in self.last_keys().items():
            self.assertEqual(given, last, table)

    def test_what_it_refuses_leaves_nothing(self):
        before, rows = self.whole(), self.rows()
        failed, said = self.server.call("change_curriculum", session_id=self.sid, operations=[
            self.copy("N900"), {"op": "delete_node", "node_id": "N777"}])
        self.assertTrue(failed)
        self.assertIn("N777", said)
        self.assertEqual(self.whole(), before)
        self.assertEqual(self.rows()[:4], rows[:4])


class LargeImports(test_curricula.RowsCase):
    """They are written in slices, between which others write, and are seen when they are complete."""
    text = "# Note\n\n" + "\n\n".join(["word"] * 30000)

    def start_import(self):
        """A thread with the answer, and a client of its session."""
        client = harness.Client(self.server.port)
        client.initialize()
        other = harness.Client(self.server.port)
        other.session, other.version = client.session, client.version
        message = {"jsonrpc": "2.0", "id": 77, "method": "tools/call",
                   "params": {"name": "import_curriculum", "arguments": {"text": self.text, "title": "large"}}}
        answers = []

        def run():
            with contextlib.suppress(Exception):  # a call that is ended has no answer
                answers.append(client.exchange(message)["result"])
            client.connection.close()
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(other.connection.close)
        return thread, answers, other

    def wait_for_some(self, before):
        """Until a slice is in the store."""
        deadline = time.monotonic() + 60
        while self.rows()[2] <= before[2] and time.monotonic() < deadline:
            time.sleep(0.005)
        self.assertGreater(self.rows()[2], before[2])

    def titles(self):
        return [(session["title"], session["nodes"]) for session in self.server.http("GET", "/sessions")[1]["sessions"]
                if session["title"] != "Demo curriculum"]

    def test_others_write_and_see_all_or_nothing(self):
        small = self.add("small", 5)[0]
        node_id = self.server.http("GET", small + "/nodes")[1]["nodes"][0]["node_id"]
        with Editor(self.server, small, node_id) as editor:
            thread, answers, _ = self.start_import()
            seen = set()
            while thread.is_alive():
                seen.add(tuple(self.titles()))
        self.assertFalse(answers[0].get("isError"), answers)
        self.assertLessEqual(seen, {(("small", 1),), (("small", 1), ("large", 1))})
        self.assertGreater(len(editor.answers), 30)
        self.assertEqual({status for status, _ in editor.answers}, {200})
        sid = answers[0]["content"][0]["text"].split("session ")[1].split(":")[0]
        exported = json.loads(self.workspace.run("export", sid, "--format", "json").stdout)
        self.assertEqual([component["parameters"]["text"] for component in exported["nodes"][0]["components"]], ["word"] * 30000)
        self.assertIn("(+29999)", self.server.good("find", session_id=sid, text="word"))

    def test_others_write_beside_an_import_over_rest(self):
        """The writer neither reads the file nor writes it in one."""
        small = self.add("small", 5)[0]
        node_id = self.server.http("GET", small + "/nodes")[1]["nodes"][0]["node_id"]
        rows = ["Id,Title,Prerequisites"] + ["L%d,Lesson %d,%s" % (n, n, ";".join("Lesson %d" % need for need in range(max(n - 5, 0), n))) for n in range(8000)]
        with Editor(self.server, small, node_id) as editor:
            status, answer, _ = self.server.http("POST", "/session/import", {"title": "large", "files": [{"name": "plan.csv", "text": "\n".join(rows)}]})
        self.assertEqual((status, answer["nodes"], answer["relationships"]), (200, 8000, 39985))
        self.assertEqual({status for status, _ in editor.answers}, {200})
        self.assertGreater(len(editor.answers), 30)
        self.assertEqual(sorted(self.titles()), [("large", 8000), ("small", 1)])

    def test_a_kill_leaves_nothing_of_it(self):
        before = self.rows()
        thread, _, _ = self.start_import()
        self.wait_for_some(before)
        self.server.kill()
        thread.join(60)
        self.assertGreater(self.rows()[2], before[2], "the kill came before the last slice")
        self.assertEqual(self.workspace.run("sessions").stdout.count(b"large"), 0)
        self.server = self.start()
        self.assertEqual(self.titles(), [])
        self.wait_for(before)

    def test_a_cancel_leaves_nothing_of_it(self):
        before = self.rows()
        thread, answers, other = self.start_import()
        self.wait_for_some(before)
        other.notify("notifications/cancelled", {"requestId": 77})
        thread.join(60)
        self.assertFalse(any(not answer.get("isError") for answer in answers), answers)
        self.wait_for(before)

    def test_an_end_of_the_server_leaves_nothing_of_it(self):
        before = self.rows()
        thread, answers, _ = self.start_import()
        self.wait_for_some(before)
        self.assertEqual(self.server.close(), 0)
        thread.join(60)
        self.server = self.start()
        if answers and not answers[0].get("isError"):  # it came to its end before the server
            self.assertEqual(self.titles(), [("large", 1)])
        else:
            self.wait_for(before)


class ImportCommand(LargeImports):
    """`lectern import` does the same beside a server, from a process of its own."""
    test_a_cancel_leaves_nothing_of_it = test_an_end_of_the_server_leaves_nothing_of_it = None

    def start_import(self):
        path = pathlib.Path(self.workspace.data) / "large.json"
        components = [{"type": "paragraph", "order": place, "parameters": {"text": "word"}} for place in range(1, 30001)]
        path.write_text(json.dumps({"nodes": [{"node_id": "N001", "title": "Note", "components": components}], "relationships": []}))
        process = subprocess.Popen([str(harness.LECTERN), "import", "--title", "large", str(path)], env=self.workspace.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        return process

    def test_others_write_and_see_all_or_nothing(self):
        small = self.add("small", 5)[0]
        node_id = self.server.http("GET", small + "/nodes")[1]["nodes"][0]["node_id"]
        with Editor(self.server, small, node_id) as editor:
            process, seen = self.start_import(), set()
            while process.poll() is None:
                seen.add(tuple(self.titles()))
        self.assertEqual(process.returncode, 0)
        self.assertLessEqual(seen, {(("small", 1),), (("small", 1), ("large", 1))})
        self.assertGreater(len(editor.answers), 30)
        self.assertEqual({status for status, _ in editor.answers}, {200})
        sid = process.stdout.read().decode().strip()
        self.assertIn("(+29999)", self.server.good("find", session_id=sid, text="word"))

    def test_a_kill_leaves_nothing_of_it(self):
        before = self.rows()
        process = self.start_import()
        self.wait_for_some(before)
        process.kill()
        process.wait()
        self.assertEqual(self.titles(), [])
        self.server.close()
        self.server = self.start()
        self.wait_for(before)


if __name__ == "__main__":
    unittest.main(verbosity=2)

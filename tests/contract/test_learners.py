# SPDX-License-Identifier: GPL-3.0-or-later
"""lectern learner: its commands, what a deletion leaves in the files, that nothing else of the server contains learner data, and that a
kill loses no submission and grades none twice. LECTERN_KILLS: rounds (10); LECTERN_SEED: seed of the moments."""
import contextlib
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import time
import unittest

import harness

KILLS = int(os.environ.get("LECTERN_KILLS", "10"))
SEED = int(os.environ.get("LECTERN_SEED", "0")) or random.randrange(1 << 32)
DRIVER = harness.BUILD / "tests/learners_driver"
UNKNOWN = "0" * 32
NAME, NOTE, CODE = "Adalbertine", "notemarkerxyzzy", "codemarkerplugh"


class LearnerCase(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.file = pathlib.Path(self.workspace.data, "learners.db")

    def tearDown(self):
        self.workspace.close()

    def run_json(self, *words):
        return json.loads(self.workspace.run(*words, "--json").stdout)

    def add(self, name, *words):
        return self.workspace.run("learner", "add", name, *words).stdout.decode().strip()

    def fails(self, status, said, *words):
        done = self.workspace.run(*words, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(said, done.stderr.decode())
        return done

    def database(self):
        return sqlite3.connect(self.file)

    def fill(self, learner):
        """Notes and code of a learner, in each table enough for several pages."""
        with self.database() as database:
            key, = database.execute("SELECT key FROM learner WHERE learner_id = ?", (learner,)).fetchone()
            for i in range(60):
                self.insert(database, key, i, f"# {CODE} {i}\n" * (i * i + 1), f"{NOTE} {i}", {"message": f"{CODE} {i}"} if i % 3 else None)
            database.execute("INSERT INTO hint (learner, session_id, item, level, time) VALUES (?, 's', 'i', 2, 7)", (key,))
        database.close()

    def fill_between(self, learner, other):
        """Short rows of two learners in turns, so that a deletion of one moves those of the other between pages."""
        with self.database() as database:
            key_of = dict(database.execute("SELECT learner_id, key FROM learner"))
            for i in range(3000):
                size = random.Random(i).randrange(1, 20)
                self.insert(database, key_of[learner], i, f"{CODE} " * size, f"{NOTE} " * size, None)
                self.insert(database, key_of[other], i, "print(6)\n" * size, "read " * size, None)
        database.close()

    def insert(self, database, key, i, text, note, result):
        database.execute("INSERT INTO submission (learner, session_id, node_id, item, text, digest, hints, time, result)"
                         " VALUES (?, 's', 'n', 'i', ?, ?, 0, ?, ?)", (key, text, str(i), i, json.dumps(result) if result else None))
        database.execute("INSERT INTO evidence (learner, session_id, node_id, kind, item, hints, note, time)"
                         " VALUES (?, 's', 'n', 'read', NULL, 0, ?, ?)", (key, note, i))

    def bytes_in(self, *paths):
        """The markers that files contain. Another process reads them: closing a file here would release the locks of this process's own
        connections."""
        return {(path.name, marker) for path in paths for marker in (NAME, NOTE, CODE)
                if subprocess.run(["grep", "-qaF", marker, path], check=False).returncode == 0}

    def files(self):
        return sorted(pathlib.Path(self.workspace.data).glob("learners.db*"))


class Commands(LearnerCase):
    def test_gaps(self):
        """The lessons of the demo without a graded exercise, also beside a file of exercises."""
        self.workspace.run("demo")
        gaps = {row["node_id"]: row["why"] for row in self.run_json("learner", "gaps")}
        self.assertEqual((len(gaps), gaps["N001"], gaps["N017"], "N003" in gaps), (22, "no exercises", "only open questions", False))
        self.assertIn("22 of 40 lessons", self.workspace.run("learner", "gaps").stdout.decode())
        path = os.path.join(self.workspace.data, "exercises.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"exercises": [{"node_id": "N001", "component_id": "factors-1", "type": "question",
                                      "parameters": {"prompt": "Is 6 a factor of 12?", "kind": "choice", "options": ["yes", "no"], "answer": "yes"}}]}, file)
        self.assertEqual(set(gaps) - {row["node_id"] for row in self.run_json("learner", "gaps", "--exercises", path)}, {"N001"})
        self.fails(2, "send: lectern learner gaps", "learner", "gaps", "N001")
        self.fails(1, "there is no store at", "learner", "gaps", "--store", "sqlite:" + os.path.join(self.workspace.data, "other.db"))

    def test_add_list_show(self):
        self.assertEqual(self.run_json("learner", "list"), [])
        self.assertEqual(self.workspace.run("learner", "list").stdout, b"")
        ada = self.add(NAME, "--session", "s-1", "--goal", "area", "--tier", "small")
        self.assertRegex(ada, "^[0-9a-f]{32}$")
        grace = self.run_json("learner", "add", "Grace")["learner_id"]
        self.assertEqual([learner["learner_id"] for learner in self.run_json("learner", "list")], [ada, grace])
        shown = self.run_json("learner", "show", ada)
        self.assertLess(abs(shown.pop("created") - time.time()), 3600)
        self.assertEqual(shown, {"learner_id": ada, "name": NAME, "goal_session_id": "s-1", "goal_node_id": "area", "tier": "small",
                                 "evidence": 0, "submissions": 0, "pending": 0})
        self.fill(ada)
        text = self.workspace.run("learner", "show", ada).stdout.decode()
        self.assertIn("area in session s-1", text)
        self.assertIn("60, 20 of them not graded yet", text)
        self.assertRegex(self.workspace.run("learner", "list").stdout.decode(), rf"{ada} +\d{{4}}-\d\d-\d\d +60 +{NAME}\n")
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)

    def test_errors(self):
        for words in (("show", UNKNOWN), ("export", UNKNOWN), ("delete", UNKNOWN, "--yes")):
            self.fails(1, "lectern learner add NAME", "learner", *words)
        for name, said in (("ada@example.org", "an e-mail address"), ("+49 171 2345678", "a telephone number"), ("x" * 101, "at most 100")):
            done = self.fails(1 if len(name) > 100 else 2, said, "learner", "add", name)
            self.assertNotIn(name, done.stderr.decode())
        self.fails(2, "send both", "learner", "add", "Ada", "--goal", "area")
        self.add("Ada")
        for words in (("show", UNKNOWN), ("export", UNKNOWN), ("delete", UNKNOWN, "--yes")):
            self.fails(1, "lectern learner list", "learner", *words)
        self.fails(2, "lectern learner list", "learner")
        self.fails(2, "did you mean 'export'", "learner", "exprot", UNKNOWN)
        self.fails(2, "send: lectern learner show ID", "learner", "show")
        self.fails(2, "send: lectern learner add NAME", "learner", "add", "Ada", "Lovelace")

    def test_no_database_until_a_learner_is_added(self):
        """A data folder of an earlier version."""
        self.workspace.run("demo")
        with contextlib.closing(harness.Server(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")) as server:
            self.assertEqual(server.http("GET", "/sessions")[0], 200)
        for words in (("list",), ("show", UNKNOWN), ("export", UNKNOWN), ("delete", UNKNOWN, "--yes"), ("add", "a@b")):
            self.workspace.run("learner", *words, check=False)
        self.fails(1, "lectern learner add NAME", "backup", "--learners", self.workspace.data + "/copy.db")
        self.assertEqual(self.files(), [])

    def test_reads_while_a_server_writes(self):
        ada = self.add("Ada")
        with subprocess.Popen([DRIVER, f"sqlite:{self.file}", ada, "0"], stdout=subprocess.PIPE) as writer:
            try:
                for _ in range(8):
                    writer.stdout.readline()
                    before = self.run_json("learner", "show", ada)["submissions"]
                    export = self.workspace.run("learner", "export", ada)
                    self.assertGreaterEqual(len(json.loads(export.stdout)["submissions"]), before)
            finally:
                writer.kill()
        self.assertGreater(before, 0)


class Privacy(LearnerCase):
    def test_export(self):
        ada = self.add(NAME, "--tier", "small")
        self.fill(ada)
        other = self.add("Grace")
        data = json.loads(self.workspace.run("learner", "export", ada).stdout)
        self.assertEqual((data["learner"]["name"], data["learner"]["tier"]), (NAME, "small"))
        self.assertEqual([row["note"] for row in data["evidence"]], [f"{NOTE} {i}" for i in range(60)])
        self.assertEqual(data["submissions"][1]["text"], f"# {CODE} 1\n" * 2)
        self.assertEqual(data["submissions"][1]["result"], {"message": f"{CODE} 1"})
        self.assertIsNone(data["submissions"][0]["result"])
        self.assertEqual([row["digest"] for row in data["submissions"]], [str(i) for i in range(60)])
        self.assertEqual(data["hints"], [{"session_id": "s", "item": "i", "level": 2, "time": 7}])
        self.assertEqual(json.loads(self.workspace.run("learner", "export", other).stdout)["evidence"], [])

    def test_deletion_leaves_no_byte(self):
        other = self.add("Grace")
        reader = self.database()  # keeps the write-ahead log until it is closed; reads nothing while the learner is deleted
        self.assertEqual(reader.execute("SELECT count(*) FROM learner").fetchone(), (1,))
        ada = self.add(NAME)
        self.fill(ada)
        self.fill_between(ada, other)
        older, later = (pathlib.Path(self.workspace.data, name) for name in ("older.db", "later.db"))
        self.workspace.run("backup", "--learners", str(older))
        self.assertEqual(len(self.bytes_in(older)), 3)
        log = pathlib.Path(self.workspace.data, "learners.db-wal")
        self.assertEqual(len(self.bytes_in(log)), 3)
        self.assertNotIn(NAME, self.fails(2, "add --yes", "learner", "delete", ada).stderr.decode())
        answer = self.workspace.run("learner", "delete", ada, "--yes").stdout.decode()
        self.assertIn(str(older), answer)
        self.assertIn("look for copies of the file learners.db", answer)
        self.assertTrue(log.exists())
        self.assertEqual(self.bytes_in(*self.files()), set())
        reader.close()
        self.workspace.run("backup", "--learners", str(later))
        self.assertEqual(self.bytes_in(later, *self.files()), set())
        self.fails(1, "lectern learner list", "learner", "show", ada)
        self.assertEqual(self.run_json("learner", "show", other)["name"], "Grace")
        older.unlink()
        self.assertEqual(self.run_json("learner", "delete", other, "--yes")["backups"], [str(later)])

    def test_deletion_while_somebody_reads(self):
        """It is reported, and repeating it removes the bytes."""
        ada = self.add(NAME)
        self.fill(ada)
        reader = self.database()
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM learner").fetchone()
        self.fails(1, "delete the same id again", "learner", "delete", ada, "--yes")
        self.assertEqual(self.run_json("learner", "list"), [])
        self.assertNotEqual(self.bytes_in(*self.files()), set())
        reader.close()
        self.workspace.run("learner", "delete", ada, "--yes")
        self.assertEqual(self.bytes_in(*self.files()), set())
        self.fails(1, "lectern learner list", "learner", "delete", ada, "--yes")

    def test_nothing_else_contains_learner_data(self):
        sid = self.workspace.run("demo").stdout.decode().split()[-1]
        ada = self.add(NAME, "--session", sid, "--goal", "area")
        self.fill(ada)
        with contextlib.closing(harness.Server(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0", "--log", "debug")) as server:
            answers = [str(server.http("GET", path)) for path in ("/metrics", "/sessions", f"/session/{sid}/history")]
        answers += server.lines
        self.workspace.run("backup", self.workspace.data + "/copy.db")
        self.workspace.run("export", "-o", self.workspace.data + "/copy.json", sid)
        answers.append(self.workspace.run("learner", "delete", ada, "--yes", "--log", "debug").stderr.decode())
        for text in answers + [path.read_bytes().decode(errors="replace") for path in pathlib.Path(self.workspace.data).iterdir() if path.is_file()]:
            for secret in (NAME, NOTE, CODE):
                self.assertNotIn(secret, text)

    def test_the_database_keeps_the_log(self):
        """Not even another program can change or remove evidence, or the result of a submission."""
        ada = self.add("Ada")
        self.fill(ada)
        database = self.database()
        for statement in ("UPDATE evidence SET kind = 'graded_right'", "DELETE FROM evidence", "UPDATE submission SET result = '{}'"):
            with self.subTest(statement), self.assertRaisesRegex(sqlite3.IntegrityError, "append-only|graded once"):
                database.execute(statement)
        database.close()


class Kills(LearnerCase):
    def acknowledged(self, kind, lines):
        """The digests of complete lines."""
        return {line.split()[1] for line in lines if line.startswith(kind + " ") and line.endswith("\n")}

    def test_acknowledged_once(self):
        moments, lines, ada = random.Random(SEED), [], self.add("Ada")
        url = f"sqlite:{self.file}"
        for kill in range(KILLS):
            with subprocess.Popen([DRIVER, url, ada, str(kill * 1000000)], stdout=subprocess.PIPE, text=True) as writer:
                lines.append(writer.stdout.readline())
                time.sleep(moments.uniform(0, 0.3))
                writer.kill()
                lines += writer.stdout.readlines()
            self.check(lines, all_graded=False)
        done = subprocess.run([DRIVER, url], stdout=subprocess.PIPE, check=True, text=True)
        lines += done.stdout.splitlines(keepends=True)
        self.check(lines, all_graded=True)
        print("%d submissions in %d rounds, %d graded after the last kill; seed %d"
              % (len(self.acknowledged("submitted", lines)), KILLS, done.stdout.count("\n"), SEED))

    def test_two_writers_at_the_same_time(self):
        """Of the same submissions: each is stored and graded once."""
        ada = self.add("Ada")
        writers = [subprocess.Popen([DRIVER, f"sqlite:{self.file}", ada, "0"], stdout=subprocess.PIPE, text=True) for _ in range(2)]
        lines = [writer.stdout.readline() for writer in writers for _ in range(100)]
        for writer in writers:
            writer.kill()
            lines += writer.stdout.readlines()
            writer.stdout.close()
            writer.wait()
        self.assertLess(len(self.acknowledged("submitted", lines)), sum(line.startswith("submitted") for line in lines))
        self.check(lines, all_graded=False)

    def test_a_killed_deletion(self):
        """The learner is still there, or repeating it removes the bytes."""
        moments, other, reader = random.Random(SEED), self.add("Grace"), self.database()
        self.assertEqual(reader.execute("SELECT count(*) FROM learner").fetchone(), (1,))  # keeps the write-ahead log
        for kill in range(KILLS):
            ada = self.add(NAME)
            self.fill(ada)
            command = [str(harness.LECTERN), "learner", "delete", "--yes", ada]
            with subprocess.Popen(command, env=self.workspace.environment(), stdout=subprocess.DEVNULL) as deletion:
                time.sleep(moments.uniform(0, 0.08))
                deletion.kill()
            again = self.workspace.run("learner", "delete", "--yes", ada, check=False)
            with self.subTest(kill=kill, seed=SEED):
                if again.returncode != 0:  # it had ended
                    self.assertIn(b"no learner has this id", again.stderr)
                self.assertEqual(self.bytes_in(*self.files()), set())
                self.assertEqual([learner["learner_id"] for learner in self.run_json("learner", "list")], [other])
        reader.close()

    def check(self, lines, all_graded):
        database = self.database()
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
        stored = dict(database.execute("SELECT digest, count(*) FROM submission GROUP BY digest"))
        graded = dict(database.execute("SELECT digest, count(*) FROM evidence JOIN submission ON submission.key = evidence.submission"
                                       " GROUP BY digest"))
        results = {digest for digest, in database.execute("SELECT digest FROM submission WHERE result IS NOT NULL")}
        evidence, = database.execute("SELECT count(*) FROM evidence").fetchone()
        database.close()
        self.assertGreater(len(stored), 0, SEED)
        self.assertEqual(set(stored.values()) | set(graded.values()), {1}, SEED)
        self.assertEqual(self.acknowledged("submitted", lines) - set(stored), set(), SEED)
        self.assertEqual(self.acknowledged("graded", lines) - set(graded), set(), SEED)
        self.assertEqual((set(graded), len(graded)), (results, evidence), SEED)
        if all_graded:
            self.assertEqual(set(graded), set(stored), SEED)


if __name__ == "__main__":
    unittest.main(verbosity=2)

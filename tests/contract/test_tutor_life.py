# SPDX-License-Identifier: GPL-3.0-or-later
"""The tutor over time: kills, an engine that is away, curricula that change, services that fail, reviews and ends.

LECTERN_KILLS: rounds, with 50 learners (3, with 8). LECTERN_SEED: seed of the moments.
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

import cms
import harness
from fault_server import FaultServer
from learner import shift
from test_shutdown import END_SECONDS
from test_solutions import NOWHERE

KILLS = int(os.environ.get("LECTERN_KILLS", "3"))
LEARNERS = 50 if "LECTERN_KILLS" in os.environ else 8
SEED = int(os.environ.get("LECTERN_SEED", "0")) or random.randrange(1 << 32)
MOMENT = (0.3, 1.5)  # seconds after the learners' start
WARM = ("--warm", "bare=1,data=0,plot=0")
ENGINE = ("--sandbox", os.environ.get("LECTERN_SANDBOX", harness.LOCAL), *WARM)
RIGHT = "def double(n):\n    return n * 2\n"
WRONG = "def double(n):\n    return n + 2\n"
RANDOM = """
import time
time.sleep(0.7)
factor = 2 + time.time_ns() // 1000 % 2
def double(n):
    return factor * n
"""
PATIENCE = 1  # seconds that a request to the service may take
COURSE_SERVICE_S = 60  # mcp/tutor/course.h
HANGING = "def double(n):\n    while True:\n        pass\n"


def code_exercise(seconds=1):
    return {"type": "exercise-code", "parameters": {
        "prompt": "Write double(n).", "time_s": seconds,
        "cases": [{"call": "double", "args": [2], "expect": 4}, {"call": "double", "args": [7], "expect": 14, "hidden": True}]}}


def question(answer=6):
    return {"type": "question", "parameters": {"prompt": "How much?", "kind": "number", "answer": answer}}


OPEN = {"type": "question", "parameters": {"prompt": "Why?", "kind": "open", "criteria": ["It says why."]}}


def lesson(node_id, *components):
    return {"node_id": node_id, "title": "Lesson " + node_id, "components": list(components)}


def edge(before, after, kind="PREREQUISITE"):
    return {"from_node_id": before, "to_node_id": after, "relationship_type": kind}


class Case(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.file = pathlib.Path(self.workspace.data, "learners.db")

    def serve(self, *words):
        server = harness.Server(self.workspace, "--no-demo", "--toolset", "all", *(words or ENGINE))
        self.addCleanup(self.end, server)
        server.initialize()
        return server

    def end(self, server):
        if server.process.returncode is None:
            self.assertEqual(server.close(), 0, server.lines)

    def load(self, nodes, relationships=()):
        """The session's id, and the ids of the components by lesson."""
        path = pathlib.Path(self.workspace.data, "curriculum.json")
        path.write_text(json.dumps({"title": "A course", "nodes": nodes, "relationships": list(relationships)}), encoding="utf-8")
        return self.workspace.load(path)

    def items(self, server, sid, node_id):
        """The ids of the components of a lesson."""
        status, answer, _ = server.http("GET", "/session/%s/nodes/%s/components" % (sid, node_id))
        self.assertEqual(status, 200, answer)
        return [component["component_id"] for component in answer["components"]]

    def register(self, server, goal=None, name="Ada"):
        text = server.good("register_learner", name=name, **({"goal": goal} if goal else {}))
        return re.search("learner_id: ([0-9a-f]{32})", text)[1]

    def submit(self, server, learner, item, code=RIGHT):
        return json.loads(server.good("submit_code", learner_id=learner, exercise_id=item, code=code))

    def answer(self, server, learner, item, response="6"):
        return server.good("assess_response", learner_id=learner, exercise_id=item, response=response)

    def state(self, server, learner, node_id=None, **more):
        return server.good("get_learner_state", learner_id=learner, **({"node_id": node_id} if node_id else {}), **more)

    def rows(self, statement, *parameters):
        with contextlib.closing(sqlite3.connect(self.file, timeout=harness.ANSWER_SECONDS)) as database:
            return database.execute(statement, parameters).fetchall()

    def pending(self):
        return self.rows("SELECT count(*) FROM submission WHERE result IS NULL")[0][0]

    def wait_for(self, condition, what):
        until = time.monotonic() + 2 * harness.ANSWER_SECONDS
        while not condition():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.05)

    def check_graded_once(self):
        """Each submission has one result, and each result one piece of evidence with the same verdict."""
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])
        self.assertEqual(self.rows("PRAGMA foreign_key_check"), [])
        self.assertEqual(self.rows(
            "SELECT submission.key, result, count(evidence.key) FROM submission LEFT JOIN evidence ON evidence.submission = submission.key"
            " GROUP BY submission.key HAVING count(evidence.key) <> (result IS NOT NULL)"), [])
        self.assertEqual(self.rows(
            "SELECT kind, json_extract(result, '$.status') FROM evidence JOIN submission ON submission.key = evidence.submission"
            " WHERE (kind LIKE '%_right') <> (json_extract(result, '$.status') = 'pass')"), [])


class Engine(Case):
    """A server without a sandbox stores what learners hand in, and a later one grades it."""

    def setUp(self):
        super().setUp()
        self.sid = self.load([lesson("A", code_exercise(), question())])

    def hand_in(self, server, learner, *programs):
        item = self.items(server, self.sid, "A")[0]
        for program in programs:
            is_error, text = server.call("submit_code", learner_id=learner, exercise_id=item, code=program)
            self.assertTrue(is_error)
            self.assertIn("is stored, and is graded as soon as a sandbox works", text)
            self.assertIn("get_learner_state", text)

    def test_graded_by_the_next_server(self):
        server = self.serve(*NOWHERE, *WARM)
        ada, grace = self.register(server), self.register(server)
        programs = [WRONG.replace("2", str(i)) for i in range(10, 17)]
        self.hand_in(server, ada, *programs, programs[0])  # the same one again is the same one
        self.hand_in(server, grace, RIGHT)
        self.assertIn("practising", self.answer(server, ada, self.items(server, self.sid, "A")[1]))
        self.assertEqual(self.pending(), 8)
        self.end(server)
        server = self.serve()
        self.wait_for(lambda: self.pending() == 0, "the submissions are not graded")
        self.check_graded_once()
        self.assertEqual(self.rows("SELECT kind, count(*) FROM evidence GROUP BY kind ORDER BY kind"), [("graded_right", 2), ("graded_wrong", 7)])
        self.assertIn("graded_right", self.state(server, grace, "A"))
        again = self.submit(server, ada, self.items(server, self.sid, "A")[0], programs[0])
        self.assertEqual((again["status"], again["attempt"]), ("fail", False))

    def test_two_servers(self):
        """On one database of learners: both find the same submissions."""
        server = self.serve(*NOWHERE, *WARM)
        learner = self.register(server)
        self.hand_in(server, learner, *[WRONG.replace("2", str(i)) for i in range(10, 30)])
        self.end(server)
        both = [self.serve(), self.serve()]
        self.wait_for(lambda: self.pending() == 0, "the submissions are not graded")
        self.check_graded_once()
        item = self.items(both[0], self.sid, "A")[0]
        answers = [None, None]

        def hand_in(number):
            client = harness.Client(both[number].port)
            client.initialize()
            answers[number] = [client.call("submit_code", learner_id=learner, exercise_id=item, code=WRONG.replace("2", str(i)))[1]
                               for i in range(40, 60)]
            client.connection.close()

        threads = [threading.Thread(target=hand_in, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.wait_for(lambda: self.pending() == 0, "the submissions are not graded")
        self.check_graded_once()
        self.assertEqual(self.rows("SELECT count(*) FROM evidence"), [(40,)])
        for text in answers[0] + answers[1]:
            self.assertTrue('"status":"fail"' in text.replace(" ", "") or "is stored" in text, text)

    def test_the_first_result_counts(self):
        """Two servers grade the same program at the same time, and its result is random: both answer with the one that is stored."""
        both = [self.serve(), self.serve()]
        item = self.items(both[0], self.sid, "A")[0]
        learners = [self.register(both[0]) for _ in range(8)]
        statuses = [{}, {}]

        def hand_in(number, learner):
            client = harness.Client(both[number].port)
            client.initialize()
            statuses[number][learner] = self.submit(client, learner, item, RANDOM)["status"]
            client.connection.close()

        threads = [threading.Thread(target=hand_in, args=(number, learner)) for learner in learners for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.check_graded_once()
        stored = dict(self.rows("SELECT learner_id, json_extract(result, '$.status') FROM submission JOIN learner ON learner.key = learner"))
        self.assertEqual(statuses, [stored, stored])

    def test_a_result_of_any_size(self):
        """The largest one that a learner can cause is stored: 200 cases that print."""
        cases = [{"call": "f", "args": [i], "expect": i} for i in range(200)]
        sid = self.load([lesson("A", {"type": "exercise-code", "parameters": {"prompt": "Write f(n).", "cases": cases, "time_s": 5}})])
        server = self.serve()
        client = harness.Client(server.port)
        self.addCleanup(client.connection.close)
        client.initialize()
        learner = self.workspace.run("learner", "add", "Ada", "--session", sid, "--goal", "A").stdout.decode().strip()
        code = "def f(n):\n    print('\\x01' * 499)\n    raise ValueError('\\x01' * 3000)\n"
        is_error, text = client.call("submit_code", learner_id=learner, exercise_id=self.items(server, sid, "A")[0], code=code)
        self.assertFalse(is_error, text)
        self.assertEqual(sum(test["message"] is not None for test in json.loads(text)["tests"]), 5)
        self.assertEqual(self.pending(), 0)
        self.check_graded_once()


class Student(threading.Thread):
    """Hands in programs and answers, each only once, until it is stopped or the server is gone."""

    def __init__(self, number, learner, items):
        self.number, self.learner, self.items = number, learner, items
        self.random = random.Random("%d %d" % (SEED, number))
        self.count = 0
        self.given = {}  # the status of each acknowledged grade by its text; None: it is stored, and will be graded
        self.sent = set()
        self.failure = None

    def start(self, port):
        super().__init__(daemon=True)
        self.port, self.stop = port, threading.Event()
        super().start()

    def run(self):
        client = harness.Client(self.port)
        try:
            client.initialize()
            while not self.stop.is_set():
                self.work(client)
        except (OSError, http.client.HTTPException):
            pass
        except Exception as failure:  # the test's thread raises it
            self.failure = failure
        finally:
            client.connection.close()

    def finish(self):
        self.stop.set()
        self.join()
        if self.failure:
            raise self.failure

    def work(self, client):
        self.count += 1
        mark = (self.number + 1) * 1000000 + self.count  # a wrong answer to the question
        right = self.random.random() < 0.5
        code, number, opened = self.items
        kind = self.random.choices((code, number, opened), (4, 2, 1))[0]
        if kind == code:
            text = "def double(n):\n    return n * %d + 0 * %d\n" % (2 if right else 3, mark)
        else:
            text = str(mark)
        self.sent.add(text)
        if kind == code:
            is_error, answer = client.call("submit_code", learner_id=self.learner, exercise_id=code, code=text)
            if is_error:
                assert "is stored, and is graded as soon as" in answer, answer
                self.given[text] = None
            else:
                self.given[text] = json.loads(answer)["status"]
        else:
            scores = {"scores": [right]} if kind == opened else {}
            client.good("assess_response", learner_id=self.learner, exercise_id=kind, response=text, **scores)
            self.given[text] = "pass" if right and kind == opened else "fail"


class Kills(Case):
    def setUp(self):
        super().setUp()
        self.sid = self.load([lesson("A", code_exercise(), question(), OPEN)])
        self.server = self.serve(*ENGINE, "--log", "debug")
        items = self.items(self.server, self.sid, "A")
        # Names without many digits, of which none is part of another.
        names = ["Adalbertine" + "abcdefghij"[i // 10] + "abcdefghij"[i % 10] for i in range(LEARNERS)]
        self.students = [Student(i, self.register(self.server, "A", name), items) for i, name in enumerate(names)]

    def again(self):
        self.server = self.serve(*ENGINE, "--log", "debug")

    def load_on(self):
        for student in self.students:
            student.start(self.server.port)

    def check(self):
        self.check_graded_once()
        stored = {}
        for text, result in self.rows("SELECT text, json_extract(result, '$.status') FROM submission"):
            self.assertNotIn(text, stored)
            stored[text] = result
        for student in self.students:
            self.assertLessEqual({text for text, status in student.given.items() if status is None}, set(stored))
            kept = {text: stored.get(text) for text, status in student.given.items() if status}
            self.assertEqual(kept, {text: status for text, status in student.given.items() if status}, SEED)
        self.assertLessEqual(set(stored), set().union(*(student.sent for student in self.students)))
        return stored

    def test_acknowledged_once(self):
        moments, later, warm = random.Random(SEED), 0, 0
        for kill in range(KILLS):
            with self.subTest(kill=kill, seed=SEED):
                self.load_on()
                time.sleep(moments.uniform(*MOMENT))
                sandboxes = harness.descendants(self.server.process.pid)
                self.server.kill()
                for student in self.students:
                    student.finish()
                self.check()
                warm += bool(sandboxes)
                self.wait_for(lambda: not any(map(harness.is_interpreter, sandboxes)), "a sandbox is left")
                waiting = self.pending()
                later += waiting
                self.again()
                self.wait_for(lambda: self.pending() == 0, "%d submissions are not graded" % waiting)
                self.assertNotIn(None, self.check().values())
        graded, = self.rows("SELECT count(*) FROM evidence")[0]
        print("%d grades in %d rounds, %d of them after a kill; seed %d" % (graded, KILLS, later, SEED))
        self.assertGreater(warm, 0, "no round killed the server while it had sandboxes")
        self.assertGreater(later, 0, "no round killed the server while it graded")
        self.check_privacy()

    def secrets_of(self, student):
        """Name, note, and a program."""
        name, = self.rows("SELECT name FROM learner WHERE learner_id = ?", student.learner)[0]
        note, mark = "notemarker%06dxyzzy" % student.number, "codemarker%06dplugh" % student.number
        self.server.good("update_progress", learner_id=student.learner, node_id="A", event="read", note=note)
        self.submit(self.server, student.learner, student.items[0], "def double(n):\n    %s = n * 2\n    return %s\n" % (mark, mark))
        return name, note, mark

    def check_privacy(self):
        """Export and deletion by both ways, while the others work."""
        first, second, *self.students = self.students
        secrets = {student: self.secrets_of(student) for student in (first, second)}
        self.load_on()
        exported = {first: json.dumps(self.server.http("GET", "/learners/" + first.learner)[1]),
                    second: self.workspace.run("learner", "export", second.learner).stdout.decode()}
        for student, words in secrets.items():
            for word in words:
                self.assertIn(word, exported[student])
        deleted = [lambda: self.server.http("DELETE", "/learners/" + first.learner)[0] == 200,
                   lambda: self.workspace.run("learner", "delete", second.learner, "--yes", check=False).returncode == 0]
        for delete in deleted:
            self.wait_for(delete, "a learner is not deleted")
        self.workspace.run("backup", self.workspace.data + "/copy.db")
        self.workspace.run("export", "-o", self.workspace.data + "/copy.json", self.sid)
        seen = "".join(self.server.lines) + str(self.server.http("GET", "/metrics")[1])
        for words in secrets.values():
            for word in words:
                self.assertNotIn(word, seen)
                self.assertEqual(subprocess.run(["grep", "-rlaF", word, self.workspace.data], capture_output=True, check=False).stdout, b"", word)
        for student in self.students:
            student.finish()
        self.check()


class Ends(Case):
    """A server that ends while it grades."""

    def setUp(self):
        super().setUp()
        self.sid = self.load([lesson("A", code_exercise(5))])
        self.programs = [HANGING + "# %d" % i for i in range(2)] + [HANGING.replace("True", str(i)) for i in range(2, 5)] + [RIGHT]

    def check_next(self):
        server = self.serve()
        self.wait_for(lambda: self.pending() == 0, "the submissions are not graded")
        self.end(server)
        self.check_graded_once()
        self.assertEqual(self.rows("SELECT kind, count(*) FROM evidence GROUP BY kind ORDER BY kind"), [("graded_right", 1), ("graded_wrong", 4)])

    def test_a_signal(self):
        server = self.serve()
        learner, item = self.register(server), self.items(server, self.sid, "A")[0]
        clients = []
        for program in self.programs:
            clients.append(harness.Client(server.port))
            clients[-1].initialize()
            message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                       "params": {"name": "submit_code", "arguments": {"learner_id": learner, "exercise_id": item, "code": program}}}
            clients[-1].connection.request("POST", "/mcp", json.dumps(message), {
                "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                "Mcp-Session-Id": clients[-1].session, "MCP-Protocol-Version": clients[-1].version})
        self.wait_for(lambda: self.rows("SELECT count(*) FROM submission") == [(5,)], "the submissions are not stored")
        began = time.monotonic()
        self.assertEqual(server.close(), 0, server.lines)
        self.assertLess(time.monotonic() - began, END_SECONDS)
        for client in clients:
            client.connection.close()
        self.assertGreater(self.pending(), 0)
        self.check_next()

    def test_the_end_of_the_input(self):
        client = harness.Stdio(self.workspace, "--toolset", "all", "--session", self.sid, *ENGINE)
        client.initialize()
        learner = self.register(client)
        item = re.search(r"exercise_id: (\S+)", client.good("get_exercises", learner_id=learner, node_id="A"))[1]
        for number, program in enumerate(self.programs):
            client.send({"jsonrpc": "2.0", "id": "s%d" % number, "method": "tools/call",
                         "params": {"name": "submit_code", "arguments": {"learner_id": learner, "exercise_id": item, "code": program}}})
        began = time.monotonic()
        self.assertEqual(client.close(), 0)
        self.assertLess(time.monotonic() - began, END_SECONDS)
        answers = {message["id"] for message in iter(client.lines.get, None) if "id" in message}
        self.assertEqual({"s%d" % number for number in range(len(self.programs))} - answers, set())
        self.check_next()


class ServiceCase(Case):
    """Curricula of another server (--store http://...)."""
    words = ("--exercises",)  # it stores the two types

    def setUp(self):
        super().setUp()
        self.service = cms.Cms(*self.words)
        self.addCleanup(self.service.close)
        self.between = FaultServer(self.service.port)
        self.addCleanup(self.between.close)

    def start(self, *words, patience=PATIENCE):
        self.server = self.serve(*(words or ENGINE), "--store", self.between.url, "--store-timeout", str(patience), *self.more())

    def more(self):
        """Options of the server."""
        return ()

    def make(self, prefix, *components):
        """A session with the lessons prefix1 and prefix2 of which the second needs the first."""
        sid = self.good("POST", "/session/create", {})["session_id"]
        for node_id in (prefix + "1", prefix + "2"):
            self.good("POST", "/session/%s/nodes" % sid, {"node_id": node_id, "title": "Lesson " + node_id, "raw_content": "", "chapter_id": None})
        for component in components:
            self.good("POST", "/session/%s/nodes/%s1/components/insert" % (sid, prefix), component)
        self.good("POST", "/session/%s/relationships" % sid, dict(edge(prefix + "1", prefix + "2"), explanation=""))
        learner = self.workspace.run("learner", "add", "Ada", "--session", sid, "--goal", prefix + "2").stdout.decode().strip()
        return sid, learner

    def good(self, method, path, body=None):
        status, answer, _ = self.server.http(method, path, body)
        self.assertEqual(status, 200, "%s %s: %s" % (method, path, answer))
        return answer

    def work(self, learner, lesson_id):
        """A whole lesson: from the first exercise to mastery."""
        items = re.findall(r"exercise_id: (\S+) \(new; (hand in|answer)", self.server.good("get_exercises", learner_id=learner, node_id=lesson_id))
        self.assertEqual([kind for _, kind in items], ["hand in", "answer"])
        self.assertEqual(self.submit(self.server, learner, items[0][0], WRONG)["status"], "fail")
        self.assertEqual(self.submit(self.server, learner, items[0][0])["status"], "pass")
        self.answer(self.server, learner, items[1][0])
        shift(self.file, 1)
        self.submit(self.server, learner, items[0][0])
        self.assertIn("mastered", self.state(self.server, learner, lesson_id))

    def requests(self, work):
        """Those to the service during this work."""
        before = len(self.between.seen)
        work()
        return self.between.seen[before:]


class Service(ServiceCase):
    def test_a_lesson_of_the_service(self):
        self.start()
        _, learner = self.make("X", code_exercise(), question())
        self.work(learner, "X1")
        self.assertRegex(self.state(self.server, learner), 'Next:\n1. X2 "Lesson X2"')
        self.check_graded_once()
        # A course is kept: a call about the learner needs nothing of the service.
        self.assertEqual(self.requests(lambda: self.state(self.server, learner)), [])

    def test_a_service_that_fails(self):
        self.start()
        _, learner = self.make("X", question())
        for mode in ("silent", "503", "garbage", "refuse"):
            with self.subTest(mode):
                self.between.set(mode)
                is_error, text = self.server.call("get_learner_state", learner_id=learner)
                self.assertTrue(is_error)
                self.assertIn("Say so to the learner, and call this again in a minute", text)
                self.between.set("pass")
        self.assertIn("X2", self.state(self.server, learner))

    def test_others_while_a_course_is_read(self):
        """The learners of a course that is kept go on."""
        self.start(patience=harness.ANSWER_SECONDS)
        _, ada = self.make("X", question())
        _, grace = self.make("Y", question())
        self.state(self.server, grace)
        self.between.set("held")
        waiting = [threading.Thread(target=self.ask_alone, args=(ada,), daemon=True) for _ in range(2)]
        for thread in waiting:
            thread.start()
        self.between.wait_for(1)
        self.assertRegex(self.state(self.server, grace), 'Next:\n1. Y1')
        self.assertIn("How much?", self.server.good("get_exercises", learner_id=grace, node_id="Y1"))
        self.assertGreater(self.between.holding, 0)
        self.between.set("pass")
        for thread in waiting:
            thread.join()
        self.assertIn("X2", self.state(self.server, ada))

    def ask_alone(self, learner):
        client = harness.Client(self.server.port)
        client.initialize()
        client.call("get_learner_state", learner_id=learner)
        client.connection.close()

    def test_graded_when_the_service_answers_again(self):
        """Submissions whose exercise cannot be read are not withdrawn, and do not keep the others waiting."""
        self.start(*NOWHERE, *WARM)
        sid, ada = self.make("X", code_exercise())
        other, grace = self.make("Y", code_exercise())
        programs = [(ada, sid, "X1", WRONG.replace("2", str(i))) for i in range(10, 15)] + [(grace, other, "Y1", RIGHT)]
        for learner, session, node_id, program in programs:
            item = self.items(self.server, session, node_id)[0]
            self.assertIn("is stored", self.server.call("submit_code", learner_id=learner, exercise_id=item, code=program)[1])
        self.end(self.server)
        self.between.set("503", about=[sid])
        self.start()
        self.wait_for(lambda: self.pending() == 5, "the submission behind those is not graded")
        self.between.set("pass")
        self.wait_for(lambda: self.pending() == 0, "the submissions are not graded")
        self.check_graded_once()
        self.assertEqual(self.rows("SELECT kind, count(*) FROM evidence GROUP BY kind ORDER BY kind"), [("graded_right", 1), ("graded_wrong", 5)])


class Edits(ServiceCase):
    """Of a course that is kept: they are there after COURSE_SERVICE_S at the latest."""

    def test_an_edit_is_there_in_time(self):
        self.start()
        sid, learner = self.make("X", question())
        item = self.items(self.server, sid, "X1")[0]
        self.answer(self.server, learner, item, "60")
        self.service.connection.close()
        status, answer, _ = self.service.http("PUT", "/session/%s/nodes/X1/components/1" % sid, dict(question(60), order=1, confidence=1))
        self.assertEqual(status, 200, answer)
        time.sleep(COURSE_SERVICE_S)
        self.server.connection.close()  # one that idled may be closed there
        self.answer(self.server, learner, item, "60.0")
        self.assertEqual([kind for kind, in self.rows("SELECT kind FROM evidence ORDER BY key")], ["graded_wrong", "graded_right"])


class Refusing(Service):
    """A service that refuses the two types: a file holds the exercises."""
    words = ()

    def more(self):
        path = pathlib.Path(self.workspace.data, "exercises.json")
        rows = [dict(component, node_id=node_id, component_id="%s-%s" % (component["type"], node_id))
                for node_id in ("X1", "Y1") for component in (code_exercise(), question())]
        path.write_text(json.dumps({"exercises": rows}), encoding="utf-8")
        return "--exercises", str(path)

    def make(self, prefix, *components):
        made = super().make(prefix)
        for component in components:
            self.assertEqual(self.server.http("POST", "/session/%s/nodes/%s1/components/insert" % (made[0], prefix), component)[0], 422)
        return made

    def items(self, server, sid, node_id):
        return ["exercise-code-" + node_id, "question-" + node_id]


class Reviews(Case):
    """Time is moved in the database: what was done is shifted into the past."""

    def test_a_lesson_is_reviewed(self):
        sid = self.load([lesson("A", code_exercise(), question()), lesson("B", question())], [edge("A", "B")])
        server = self.serve()
        learner = self.register(server, "B")
        code, number = self.items(server, sid, "A")
        self.assertTrue(self.submit(server, learner, code)["attempt"])
        self.answer(server, learner, number)
        self.assertIn("practising", self.state(server, learner, "A"))
        self.assertFalse(self.submit(server, learner, code)["attempt"], "the same program in a sitting")
        self.assertFalse(self.submit(server, learner, code, "# again\n" + RIGHT)["attempt"], "the same program with a comment")
        self.assertIn("counts once", self.answer(server, learner, number))
        self.assertEqual(self.rows("SELECT count(*) FROM evidence"), [(2,)])
        shift(self.file, 1)
        self.assertTrue(self.submit(server, learner, code)["attempt"], "the same program on another day")
        self.assertIn("mastered", self.state(server, learner, "A"))
        self.assertIn("B", self.state(server, learner))
        shift(self.file, 60)
        text = self.state(server, learner)
        self.assertIn("1 review", text)
        self.assertRegex(text, 'Next:\n1. A "Lesson A": .*review')
        self.assertNotIn("locked", text)  # a review that is due locks nothing
        self.assertTrue(self.submit(server, learner, code)["attempt"])
        self.assertIn("mastered", self.state(server, learner, "A"))
        shift(self.file, 365)
        self.assertEqual(self.submit(server, learner, code, WRONG)["status"], "fail")
        self.assertRegex(self.state(server, learner, "A"), 'A "Lesson A": practising')
        self.assertTrue(self.submit(server, learner, code)["attempt"])
        self.assertRegex(self.state(server, learner, "A"), 'A "Lesson A": mastered')
        self.check_triggers()

    def check_triggers(self):
        """The database is as before the shifts."""
        with contextlib.closing(sqlite3.connect(self.file)) as database, self.assertRaisesRegex(sqlite3.IntegrityError, "append-only"):
            database.execute("UPDATE evidence SET time = 0")


class CourseCase(Case):
    """A curriculum that changes while a learner has evidence."""
    words = (*NOWHERE, *WARM)

    def setUp(self):
        super().setUp()
        self.sid = self.load([lesson("A", question(), question(7), code_exercise()), lesson("B", question(8)), lesson("C", question(9))],
                             [edge("A", "B"), edge("B", "C")])
        self.server = self.serve(*self.words)
        self.learner = self.register(self.server, "C")
        self.first, self.second, self.code = self.items(self.server, self.sid, "A")
        self.answer(self.server, self.learner, self.first, "6")
        self.answer(self.server, self.learner, self.second, "7")

    def change(self, *operations):
        return self.server.good("change_curriculum", session_id=self.sid, operations=list(operations))

    def undo(self):
        self.server.good("undo", session_id=self.sid)

    def log(self):
        return self.rows("SELECT * FROM evidence ORDER BY key")

    def evidence(self, node_id):
        """The items of its evidence, in order."""
        return re.findall(r"graded_right (\S+)", self.state(self.server, self.learner, node_id))


class Courses(CourseCase):
    def everything(self):
        return [self.state(self.server, self.learner, detail="full")] + [self.state(self.server, self.learner, node) for node in "ABC"]

    def test_the_standing_follows_an_exercise(self):
        before, log = self.everything(), self.log()
        self.assertEqual(self.evidence("A"), [self.first, self.second])
        both = [self.first, self.second]
        for operations, found in (
                ([{"op": "move_components", "node_id": "A", "components": [1], "into_node_id": "B", "position": 1}],
                 {"A": [self.second], "B": [self.first]}),
                ([{"op": "merge_nodes", "node_id": "A", "into_node_id": "B"}], {"B": both}),
                ([{"op": "split_node", "node_id": "A", "new_node_id": "D", "title": "Part", "components": [2]}],
                 {"A": [self.first], "D": [self.second]}),
                ([{"op": "copy_node", "node_id": "A", "new_node_id": "D", "title": "Copy"}], {"A": both, "D": []}),
                ([{"op": "edit_component", "node_id": "A", "component_order": 1, "new_parameters": {"answer": 60}}], {"A": both}),
                # Evidence of an exercise that was deleted stays with its lesson.
                ([{"op": "delete_component", "node_id": "A", "component_order": 1}], {"A": both}),
                ([{"op": "delete_node", "node_id": "A"}], {"B": []})):
            with self.subTest(operations):
                self.change(*operations)
                self.assertEqual({node: self.evidence(node) for node in found}, found)
                self.assertEqual(self.log(), log)
                self.undo()
                self.assertEqual(self.everything(), before)

    def test_a_goal_that_is_deleted(self):
        self.change({"op": "delete_node", "node_id": "C"})
        self.assertIn("Goal: none", self.state(self.server, self.learner))
        self.undo()
        self.assertIn('Goal: C "Lesson C"', self.state(self.server, self.learner))

    def test_the_session_is_deleted(self):
        log = self.log()
        status, answer, _ = self.server.http("DELETE", "/session/" + self.sid)
        self.assertEqual(status, 200, answer)
        is_error, text = self.server.call("get_learner_state", learner_id=self.learner)
        self.assertTrue(is_error)
        self.assertIn("lectern stdio --session", text)
        self.assertEqual(self.log(), log)
        # Another curriculum takes its place, and nothing of the deleted one counts there.
        self.load([lesson("A", question())])
        self.assertIn('Goal: none', self.state(self.server, self.learner))
        self.assertIn("No evidence yet", self.state(self.server, self.learner, "A"))
        self.server.good("update_progress", learner_id=self.learner, node_id="A", event="goal")
        self.assertIn('Goal: A "Lesson A"', self.state(self.server, self.learner))
        self.assertEqual(self.log(), log)

    def test_a_cycle_is_one_group(self):
        self.change({"op": "create_relationship", "from_node_id": "C", "to_node_id": "B", "relationship_type": "PREREQUISITE"})
        for node in "BC":
            self.assertIn("locked", self.state(self.server, self.learner, node))
            is_error, text = self.server.call("get_exercises", learner_id=self.learner, node_id=node)
            self.assertTrue(is_error)
            self.assertIn('unlocked by: A "Lesson A"', text)
        shift(self.file, 1)
        self.answer(self.server, self.learner, self.first, "6")
        self.assertIn("mastered", self.state(self.server, self.learner, "A"))
        for node in "CB":
            self.assertIn("ready", self.state(self.server, self.learner, node))
            self.assertIn("How much?", self.server.good("get_exercises", learner_id=self.learner, node_id=node))

    def test_the_order_of_a_course_without_prerequisites(self):
        sid = self.load([lesson("A", question()), lesson("B", question())], [edge("A", "B", "LEADS_TO"), edge("B", "A", "ENRICHMENT")])
        learner = self.workspace.run("learner", "add", "Grace", "--session", sid, "--goal", "B").stdout.decode().strip()
        self.assertIn("locked", self.state(self.server, learner, "B"))
        self.assertRegex(self.state(self.server, learner), 'Next:\n1. A "Lesson A"')


class Waiting(CourseCase):
    """Submissions without a result, whose curriculum changes."""

    def test_submissions_without_an_exercise(self):
        """Each is withdrawn, also by a server without a sandbox."""
        other = self.load([lesson("A", code_exercise())])
        bound = self.workspace.run("learner", "add", "Grace", "--session", other, "--goal", "A").stdout.decode().strip()
        for learner, item in ((self.learner, self.code), (bound, self.items(self.server, other, "A")[0])):
            self.assertIn("is stored", self.server.call("submit_code", learner_id=learner, exercise_id=item, code=RIGHT)[1])
        self.assertEqual(self.pending(), 2)
        self.change({"op": "delete_component", "node_id": "A", "component_id": self.code})
        self.assertEqual(self.server.http("DELETE", "/session/" + other)[0], 200)
        self.end(self.server)
        self.server = self.serve(*self.words)
        self.wait_for(lambda: self.pending() == 0, "the submissions are not withdrawn")
        self.assertEqual(self.rows("SELECT count(*) FROM submission"), [(2,)])
        self.check_graded_once()

    def test_an_exercise_that_was_moved(self):
        """Its submissions, from before and after the merge, are graded and count for its new lesson."""
        for i in range(6):
            self.server.call("submit_code", learner_id=self.learner, exercise_id=self.code, code=WRONG.replace("2", str(i)))
        self.change({"op": "merge_nodes", "node_id": "A", "into_node_id": "B"})
        self.server.call("submit_code", learner_id=self.learner, exercise_id=self.code, code=RIGHT)
        self.end(self.server)
        self.server = self.serve()
        self.wait_for(lambda: self.pending() == 0, "the submissions are not graded")
        self.check_graded_once()
        self.assertIn(self.code, self.evidence("B"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

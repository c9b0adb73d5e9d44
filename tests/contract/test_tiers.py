# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiers of learners: their file and its reading again on SIGHUP, the command, and the routes of learners, with what a deletion and a log
contain."""
import json
import pathlib
import signal
import subprocess
import time
import unittest

import harness
import test_learners
from test_learners import CODE, NAME, NOTE, UNKNOWN

FREE, PAID = {"name": "free", "chapters": ["Numbers"], "attempts_a_day": 5}, {"name": "paid", "url": "https://example.org/?l={learner}"}
SECONDS = 20  # for what happens soon


class TierCase(test_learners.LearnerCase):
    def setUp(self):
        super().setUp()
        self.tiers = pathlib.Path(self.workspace.data, "tiers.json")
        self.write(FREE, PAID)
        self.ada = self.add(NAME)

    def write(self, *tiers):
        self.tiers.write_text(json.dumps({"tiers": tiers}), encoding="utf-8")

    def tier(self, learner=None):
        return self.run_json("learner", "show", learner or self.ada)["tier"]


class Command(TierCase):
    def test_tier(self):
        for words in ((), ("--tiers", str(self.tiers))):
            for name in ("paid", "free"):
                for _ in range(2):
                    self.assertEqual(self.run_json("learner", "tier", self.ada, name, *words), {"learner_id": self.ada, "tier": name})
                    self.assertEqual(self.tier(), name)
        self.assertEqual(self.workspace.run("learner", "tier", self.ada, "paid").stdout, b"")
        self.assertEqual(self.tier(self.add("Grace", "--tier", "free", "--tiers", str(self.tiers))), "free")

    def test_errors(self):
        self.fails(2, "send one of free, paid", "learner", "tier", self.ada, "gold", "--tiers", str(self.tiers))
        self.fails(2, "send one of free, paid", "learner", "add", "Grace", "--tier", "gold", "--tiers", str(self.tiers))
        self.fails(1, "no learner has this id", "learner", "tier", UNKNOWN, "free")
        self.fails(1, "at most 40", "learner", "tier", self.ada, "x" * 41)
        self.fails(2, "send: lectern learner tier ID NAME", "learner", "tier", self.ada)
        self.assertIsNone(self.tier())
        self.assertEqual(len(self.run_json("learner", "list")), 1)

    def test_a_server_without_the_tutor(self):
        for command in ("serve", "stdio"):
            self.fails(1, "lectern serve --toolset tutor --tiers %s" % self.tiers, command, "--tiers", str(self.tiers))
        self.tiers.write_text("{", encoding="utf-8")
        self.fails(1, "--tiers %s" % self.tiers, "serve", "--toolset", "tutor", "--port", "0", "--tiers", str(self.tiers))


class Served(TierCase):
    words = ("--toolset", "tutor")

    def setUp(self):
        super().setUp()
        self.server = harness.Server(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0", "--no-demo", "--log", "debug",
                                     "--tiers", str(self.tiers), *self.words)
        self.addCleanup(self.end)

    def end(self):
        if self.server.process.returncode is None:
            self.assertEqual(self.server.close(), 0)

    def ask(self, method, below="", body=None, learner=None):
        return self.server.http(method, "/learners/" + (learner or self.ada) + below, body)[:2]

    def set_tier(self, name, learner=None):
        return self.ask("POST", "/tier", {"tier": name}, learner)


class Reload(Served):
    def hang_up(self, said):
        """Sends SIGHUP and waits for its line in the log."""
        before = len(self.server.lines)
        self.server.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + SECONDS
        while not any(said in line for line in self.server.lines[before:]):
            self.assertLess(time.monotonic(), end, self.server.lines)
            time.sleep(0.02)

    def test_good_and_bad_files(self):
        self.assertEqual(self.set_tier("gold")[0], 422)
        self.write(FREE, PAID, {"name": "gold"})
        self.assertEqual(self.set_tier("gold")[0], 422)  # not before the signal
        self.hang_up("--tiers was read again")
        self.assertEqual(self.set_tier("gold")[0], 200)
        for text in ("", "{", "[]", '{"tiers": []}', '{"tiers": [{"name": "free", "url": "http://example.org"}]}', None):
            if text is None:
                self.tiers.unlink()
            else:
                self.tiers.write_text(text, encoding="utf-8")
            self.hang_up("error tutor: the tiers stay as they were: --tiers %s" % self.tiers)
            self.assertEqual(self.set_tier("gold")[0], 200)
        self.write(FREE)
        self.hang_up("--tiers was read again")
        status, answer = self.set_tier("gold")
        self.assertEqual((status, answer["detail"][0]["msg"]), (422, "there is no tier of this name: send one of free"))
        self.assertEqual(self.tier(), "gold")  # the learner keeps it, and it counts as the lowest

    def test_stdio(self):
        command = [str(harness.LECTERN), "stdio", "--toolset", "tutor", "--tiers", str(self.tiers), "--sandbox", harness.LOCAL, "--log", "info"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.workspace.environment()) as process:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n")
            process.stdin.flush()
            self.assertIn('"id":1', process.stdout.readline())
            self.write(PAID)
            process.send_signal(signal.SIGHUP)
            self.assertTrue(any("--tiers was read again" in line for line in process.stderr))
            process.stdin.close()
            self.assertEqual(process.wait(SECONDS), 0)


class Routes(Served):
    def test_read(self):
        self.fill(self.ada)
        status, answer = self.ask("GET")
        self.assertEqual((status, answer), (200, json.loads(self.workspace.run("learner", "export", self.ada).stdout)))
        self.assertEqual(len(answer["submissions"]), 60)
        self.server.connection.request("HEAD", "/learners/" + self.ada)
        with self.server.connection.getresponse() as head:
            self.assertEqual((head.status, head.read()), (200, b""))
        for learner in (UNKNOWN, "x", self.ada.upper(), self.ada + "0", "%61" * 32):
            self.assertEqual(self.ask("GET", learner=learner)[0], 404, learner)
        for below in ("/x", "/tier/x"):
            self.assertEqual(self.ask("GET", below)[0], 404, below)
        for path in ("/learners", "/learners/"):
            self.assertEqual(self.server.http("GET", path)[0], 404)

    def test_methods(self):
        for below, allowed in (("", "GET, HEAD, DELETE, OPTIONS"), ("/tier", "POST, OPTIONS")):
            for method, status in (("PUT", 405), ("PATCH", 405), ("OPTIONS", 204)):
                answered, _, headers = self.server.http(method, "/learners/" + self.ada + below)
                self.assertEqual((answered, headers["Allow"]), (status, allowed))
        self.assertEqual(self.ask("POST")[0], 405)
        self.assertEqual(self.ask("DELETE", "/tier")[0], 405)
        self.assertEqual(self.ask("GET")[0], 200)

    def test_set_tier(self):
        """The same call again gives the same answer."""
        for name in ("paid", "paid", "free", "paid"):
            self.assertEqual(self.set_tier(name), (200, {"learner_id": self.ada, "tier": name}))
            self.assertEqual(self.tier(), name)
        for body, said in (({}, "tier"), ({"tier": ""}, "must not be empty"), ({"tier": 7}, "must be text"), ({"tier": None}, "tier"),
                           ({"teir": "free"}, "did you mean 'tier'?"), ([], '{"tier": "NAME"}'), ({"tier": "x" * 41}, "40"),
                           ({"tier": "gold"}, "send one of free, paid")):
            status, answer = self.ask("POST", "/tier", body)
            self.assertEqual((status, answer["detail"][0]["loc"][0]), (422, "body"), body)
            self.assertIn(said, json.dumps(answer).replace('\\"', '"'))
        self.assertEqual(self.server.http("POST", "/learners/%s/tier" % self.ada)[0], 400)
        self.assertEqual(self.server.http("POST", "/learners/%s/tier" % self.ada, {"tier": "free"}, **{"Content-Type": "text/plain"})[0], 415)
        self.assertEqual(self.ask("POST", "/tier", {"tier": "free", "x": "y" * 5000})[0], 413)
        self.assertEqual(self.tier(), "paid")
        self.assertEqual(self.set_tier("paid", UNKNOWN)[0], 404)


class Deletion(Served):
    def test_deletion_leaves_no_byte(self):
        """In the files, the log and the metrics."""
        other = self.add("Grace")
        self.fill(self.ada)
        older = pathlib.Path(self.workspace.data, "older.db")
        self.workspace.run("backup", "--learners", str(older))
        self.assertEqual({marker for _, marker in self.bytes_in(*self.files())}, {NAME, NOTE, CODE})
        status, answer = self.ask("DELETE")
        self.assertEqual((status, answer["deleted"], answer["backups"]), (200, self.ada, [str(older)]))
        self.assertIn("look for copies of the file learners.db", answer["other_copies"])
        self.assertEqual(self.bytes_in(*self.files()), set())
        for method, below, body in (("GET", "", None), ("DELETE", "", None), ("POST", "/tier", {"tier": "free"})):
            self.assertEqual(self.ask(method, below, body)[0], 404, method)
        self.assertEqual(self.ask("GET", learner=other)[1]["learner"]["name"], "Grace")
        metrics = self.server.http("GET", "/metrics")[1]
        self.end()
        for text in ["".join(self.server.lines), str(metrics)]:
            for secret in (NAME, NOTE, CODE, self.ada[:7], other[:7]):
                self.assertNotIn(secret, text)

    def test_deletion_while_somebody_reads(self):
        self.fill(self.ada)
        reader = self.database()
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM learner").fetchone()
        status, answer = self.ask("DELETE")
        self.assertEqual((status, "delete the same id again" in answer["detail"]), (503, True))
        reader.close()
        self.assertEqual(self.ask("DELETE")[0], 200)
        self.assertEqual(self.bytes_in(*self.files()), set())


class WithoutTiers(unittest.TestCase):
    def test_routes(self):
        """Without the tutor the routes are not there; without the file there is one tier."""
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        learner = workspace.run("learner", "add", "Ada").stdout.decode().strip()
        for toolset, statuses in (("editor", (404, 404, 404)), ("all", (200, 422, 200))):
            server = harness.Server(workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0", "--no-demo", "--toolset", toolset)
            path = "/learners/" + learner
            answers = [server.http("GET", path), server.http("POST", path + "/tier", {"tier": "paid"}), server.http("DELETE", path)]
            self.assertEqual(server.close(), 0)
            self.assertEqual(tuple(answer[0] for answer in answers), statuses)
            self.assertIn("lectern serve --toolset tutor" if toolset == "editor" else "without --tiers FILE", json.dumps(answers[1][1]))


if __name__ == "__main__":
    unittest.main(verbosity=2)

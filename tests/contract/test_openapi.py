# SPDX-License-Identifier: GPL-3.0-or-later
"""/openapi.json checked by third-party tools: redocly's recommended rules, and prism, a proxy between the contract test and the server that
compares each request and answer with the description."""
import json
import socket
import subprocess
import tempfile
import time
import unittest

import harness
import npm
from session_api.target import Case, Target, directly
from test_session_api import cases

PLACE = harness.BUILD / "judges"
NODE = PLACE / npm.NODE
START_SECONDS = 60
PRISM_PROBLEM = "application/problem+json"
# The contract itself has two paths that could mean the same, were a session called "validate".
OF_THE_CONTRACT = "Found two ambiguous paths: `/session/validate/{sid}` and `/session/{sid}/"
# Bytes that are no JSON, which a proxy that reads JSON does not pass on; and many at once, where it adds nothing but its slowness.
LEFT_OUT = {"Bodies", "Races"}
# A request that the description does not allow: the proxy refuses it and the server never sees it.
NOT_PASSED_ON = ("#UNPROCESSABLE_ENTITY", "#NO_PATH_MATCHED_ERROR", "#NO_METHOD_MATCHED_ERROR", "#INVALID_CONTENT_TYPE")


def run_node(script, *words, **options):
    return subprocess.Popen([str(NODE), str(PLACE / "node_modules" / script), *words], stdin=subprocess.DEVNULL,
                            stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.STDOUT, cwd=PLACE, **options)


class Proxy:
    """prism proxy --errors in front of a server."""

    def __init__(self, description, port):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = tempfile.TemporaryFile()
        self.process = run_node("@stoplight/prism-cli/dist/index.js", "proxy", description, "http://127.0.0.1:%d" % port,
                                "--errors", "--port", str(self.port), "--host", "127.0.0.1", stdout=self.log)
        deadline = time.monotonic() + START_SECONDS
        while b"Prism is listening" not in self.read():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("prism does not start: " + self.read().decode())
            time.sleep(0.1)

    def read(self):
        self.log.seek(0)
        return self.log.read()

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=harness.ANSWER_SECONDS)
        self.log.close()


def judged(case, method, path, body, headers):
    """What the server answers, by way of prism. What prism refuses to pass on must be wrong, so the server refuses it too."""
    status, answer, answered = case.api.http(method, path, body, **headers)
    if not answered.get("Content-Type", "").startswith(PRISM_PROBLEM):
        return status, answer, answered
    problem = json.loads(answer)
    if not problem["type"].endswith(NOT_PASSED_ON):
        raise AssertionError("%s %s: the answer is not the described one: %s" % (method, path, answer.decode()))
    status, answer, answered = case.behind.http(method, path, body, **headers)
    if status < 400:
        raise AssertionError("%s %s: served, but not described: %s" % (method, path, problem))
    return status, answer, answered


class Description(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        npm.folder("judges")
        cls.target = Target("lectern")
        status, description, _ = harness.Client(cls.target.port).http("GET", "/openapi.json")
        assert status == 200, status
        cls.file = tempfile.NamedTemporaryFile("w", suffix=".json")
        json.dump(description, cls.file)
        cls.file.flush()

    @classmethod
    def tearDownClass(cls):
        cls.file.close()
        cls.target.close()

    def test_lint(self):
        process = run_node("@redocly/cli/bin/cli.js", "lint", "--extends", "recommended", "--format", "json", self.file.name,
                           env={"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "PATH": "/usr/bin:/bin"})
        said = process.communicate(timeout=harness.ANSWER_SECONDS)[0].decode()
        findings = json.loads(said[said.index("{"):said.rindex("}") + 1])
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(findings["totals"]["ignored"], 0)
        self.assertEqual([problem["message"] for problem in findings["problems"] if OF_THE_CONTRACT not in problem["message"]], [])

    def test_every_write_says_who(self):
        """Each write is described with X-Editor, and takes it; no read is."""
        with open(self.file.name, encoding="utf-8") as file:
            description = json.load(file)
        named = {"#/components/parameters/" + key for key, one in description["components"]["parameters"].items()
                 if (one["in"], one["name"]) == ("header", "X-Editor")}
        writes = 0
        client = harness.Client(self.target.port)
        self.addCleanup(client.connection.close)
        for path, methods in description["paths"].items():
            for method, operation in methods.items():
                found = [one for one in operation.get("parameters", ()) if one.get("$ref") in named]
                wanted = method != "get" and path != "/execute" and not path.startswith("/learners/")  # these change no curriculum
                self.assertEqual(len(found), 1 if wanted else 0, (method, path))
                if wanted:
                    writes += 1
                    concrete = path.replace("{order}", "1").replace("{id}", "1").replace("{", "").replace("}", "")
                    status, answer, _ = client.http(method.upper(), concrete, {}, **{"X-Editor": "%FF"})
                    self.assertEqual(status, 422, (method, path))
                    self.assertIn("X-Editor", answer["detail"])
                    self.assertIn("422", operation["responses"])
        self.assertGreater(writes, 15)

    def test_contract_through_prism(self):
        proxy = Proxy(self.file.name, self.target.port)
        Case.target, Case.port, Case.way = self.target, proxy.port, judged
        try:
            result = unittest.TextTestRunner(verbosity=1).run(cases(__name__, LEFT_OUT))
        finally:
            Case.way = directly
            proxy.close()
        self.assertGreater(result.testsRun, 50)
        self.assertTrue(result.wasSuccessful())


if __name__ == "__main__":
    unittest.main(verbosity=2)

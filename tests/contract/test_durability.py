# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 during edits: every acknowledged edit is stored, the file is intact, and the next start works."""
import http.client
import json
import os
import threading
import time
import unittest

import harness

WRITERS = 3
SECONDS = 2.0


class KillNine(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.sid = self.workspace.run("demo").stdout.decode().strip()

    def tearDown(self):
        self.workspace.close()

    def write_on(self, port, writer, acknowledged):
        """Appends components until the server is gone; notes each that was acknowledged."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        for number in range(100000):
            text = "edit %d of %d" % (number, writer)
            body = json.dumps({"type": "paragraph", "parameters": {"text": text}})
            try:
                connection.request("POST", "/session/%s/nodes/N00%d/components/insert" % (self.sid, writer + 1), body,
                                   {"Content-Type": "application/json"})
                response = connection.getresponse()
                answer = response.read()
            except (OSError, http.client.HTTPException):
                return
            if response.status != 200:
                raise AssertionError((response.status, answer))
            acknowledged.append(text)

    def test_acknowledged_edits_survive(self):
        for _ in range(3):
            server = harness.Server(self.workspace, "--sandbox", os.environ.get("LECTERN_SANDBOX", "auto"))
            acknowledged = [[] for _ in range(WRITERS)]
            threads = [threading.Thread(target=self.write_on, args=(server.port, writer, acknowledged[writer]))
                       for writer in range(WRITERS)]
            for thread in threads:
                thread.start()
            time.sleep(SECONDS)
            server.kill()
            for thread in threads:
                thread.join()
            export = json.loads(self.workspace.run("export", self.sid).stdout)
            nodes = {node["node_id"]: node for node in export["nodes"]}
            for writer, texts in enumerate(acknowledged):
                components = nodes["N00%d" % (writer + 1)]["components"]
                there = {component["parameters"].get("text") for component in components}
                self.assertGreater(len(texts), 0)
                self.assertEqual([text for text in texts if text not in there], [])
                self.assertEqual([component["order"] for component in components], list(range(1, len(components) + 1)))
        server = harness.Server(self.workspace)
        self.assertEqual(server.http("GET", "/health")[0], 200)
        self.assertEqual(server.close(), 0)

    @unittest.skipUnless(os.environ.get("LECTERN_SANDBOX") == "docker", "only where Docker runs the code")
    def test_no_container_is_left(self):
        server = harness.Server(self.workspace)
        server.initialize()
        server.good("execute_code", code="print(1)")
        server.kill()
        server = harness.Server(self.workspace)
        server.initialize()
        server.good("execute_code", code="print(1)")
        self.assertEqual(server.close(), 0)
        deadline = time.monotonic() + 20
        left = "?"
        while left and time.monotonic() < deadline:
            left = harness.containers()
            time.sleep(0.5)
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What one session's heavy calls cost another session, on a curriculum of 15,000 nodes and 80,000 relationships: a small graph query
behind graph queries whose clients have left, the same query with another limit, and a write beside a dry run of 500 deletions.

Environment: LECTERN_BUILD, the build to measure; run it with an older build for a comparison.
"""
import json
import pathlib
import random
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402

NODES, EDGES, DELETIONS = 15000, 80000, 500
TYPES = ("PREREQUISITE", "LEADS_TO", "PREREQUISITE_FOR", "ENRICHMENT")
ALL_TYPES = "&".join("types=" + name for name in TYPES)
CALL_SECONDS = 600


def curriculum(nodes, edges):
    rng = random.Random(3)
    pairs = set()
    while len(pairs) < edges:
        pairs.add(tuple(rng.sample(range(nodes), 2)))
    return {"nodes": [{"node_id": "N%05d" % i, "title": "Node %d" % i, "components": []} for i in range(nodes)],
            "relationships": [{"from_node_id": "N%05d" % a, "to_node_id": "N%05d" % b, "relationship_type": TYPES[i % len(TYPES)]}
                              for i, (a, b) in enumerate(sorted(pairs))]}


class Waiting(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        path = pathlib.Path(self.workspace.data, "file.json")
        path.write_text(json.dumps(curriculum(NODES, EDGES)), encoding="utf-8")
        self.large = self.workspace.load(path)
        path.write_text(json.dumps(curriculum(5, 4)), encoding="utf-8")
        self.small = self.workspace.load(path)
        self.server = harness.Server(self.workspace, "--sandbox", "local")
        self.addCleanup(self.server.close)

    def timed(self, method, path, body=None):
        client = harness.Client(self.server.port)
        client.connection.timeout = CALL_SECONDS
        began = time.monotonic()
        status, answer, _ = client.http(method, path, body)
        seconds = time.monotonic() - began
        client.connection.close()
        self.assertEqual(status, 200, answer)
        return seconds

    def leave(self, count):
        """Clients that ask for bottlenecks with different limits, and leave."""
        clients = []
        for number in range(count):
            client = socket.create_connection(("127.0.0.1", self.server.port))
            client.sendall(("GET /session/%s/graph/bottlenecks?%s&limit=%d HTTP/1.1\r\nHost: localhost\r\n\r\n" %
                            (self.large, ALL_TYPES, 100 * count + number)).encode())
            clients.append(client)
        time.sleep(0.3)
        for client in clients:
            client.close()

    def test_waiting(self):
        order = "/session/%s/graph/order" % self.small
        bottlenecks = "/session/%s/graph/bottlenecks?%s&limit=%%d" % (self.large, ALL_TYPES)
        self.timed("GET", order)
        for count in (1, 6):
            self.leave(count)
            print("order of another session behind %d abandoned queries: %.3f s" % (count, self.timed("GET", order)))
        print("bottlenecks: %.2f s; with another limit: %.3f s" % (self.timed("GET", bottlenecks % 5), self.timed("GET", bottlenecks % 6)))
        changes = {"dry_run": True, "operations": [{"op": "delete_node", "node_id": "N%05d" % i} for i in range(DELETIONS)]}
        took = []
        dry = threading.Thread(target=lambda: took.append(self.timed("POST", "/session/%s/changes" % self.large, changes)))
        dry.start()
        time.sleep(0.3)
        write = self.timed("PUT", "/session/%s/positions" % self.small, {"positions": {"N00000": {"x": 1, "y": 2}}})
        dry.join()
        print("write of another session beside a dry run of %d deletions: %.3f s; the dry run: %.2f s" % (DELETIONS, write, took[0]))
        changes["dry_run"] = False
        print("the same deletions: %.2f s" % self.timed("POST", "/session/%s/changes" % self.large, changes))


if __name__ == "__main__":
    unittest.main()

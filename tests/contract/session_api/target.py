# SPDX-License-Identifier: GPL-3.0-or-later
"""What the contract test talks to, and the words its cases say it with.

SESSION_API_TARGET: lectern (our server on SQLite, the default), mirror (our server in front of the FastAPI service) or service
(the FastAPI service itself). A target lacks what its row does not name; cases of that are skipped, and say so.
"""
import os
import unittest
import urllib.parse

import cms
import harness

OURS = {"history", "changes", "idempotency", "revisions", "openapi"}
CAPABILITIES = {"lectern": OURS | {"renaming", "exercises"}, "mirror": OURS, "service": {"openapi"}}
NO_SANDBOX = ("--sandbox", "local", "--warm", "bare=0,data=0,plot=0")     # no analysis is run here
NAME = os.environ.get("SESSION_API_TARGET", "lectern")


class Target:
    """The processes of one target; every case of a run shares them, each in sessions of its own."""

    def __init__(self, name=NAME):
        self.name = name
        self.cms = cms.Cms() if name != "lectern" else None
        self.server = None
        self.workspace = None
        if name != "service":
            store = ["--store", self.cms.url] if self.cms else []
            self.workspace = harness.Workspace()
            self.server = harness.Server(self.workspace, *NO_SANDBOX, *store)
        self.port = (self.server or self.cms).port

    def close(self):
        if self.server:
            status = self.server.close()
            self.workspace.close()
            assert status == 0, status
        if self.cms:
            self.cms.close()


def directly(case, method, path, body, headers):
    return case.api.http(method, path, body, **headers)


class Case(unittest.TestCase):
    """One session of its own on the target."""

    target = None   # set by the test's entry
    port = None     # of the target, or of what stands in front of it
    way = directly  # how a request gets there

    def setUp(self):
        self.api = harness.Client(self.port)
        self.behind = harness.Client(self.target.port)
        self.sid = self.new_session()

    def tearDown(self):
        self.api.connection.close()
        self.behind.connection.close()

    def need(self, capability):
        if capability not in CAPABILITIES[self.target.name]:
            self.skipTest("the target %s has no %s" % (self.target.name, capability))

    # ---- asking ----

    def ask(self, method, path, body=None, **headers):
        """(status, body, headers); a path that starts with ~ is one of the session."""
        return self.way(method, path.replace("~", "/session/" + self.sid, 1), body, headers)

    def good(self, method, path, body=None, **headers):
        status, answer, _ = self.ask(method, path, body, **headers)
        self.assertEqual(status, 200, "%s %s: %s" % (method, path, answer))
        return answer

    def bad(self, expected, method, path, body=None, **headers):
        """The detail of a refusal, which has FastAPI's shape."""
        status, answer, _ = self.ask(method, path, body, **headers)
        self.assertEqual(status, expected, "%s %s: %s" % (method, path, str(answer)[:500]))
        detail = answer["detail"]
        if expected == 422:
            self.assertIsInstance(detail, list)
            for fault in detail:
                self.assertEqual({"loc", "msg", "type"} - set(fault), set(), fault)
                self.assertIn(fault["loc"][0], ("body", "path", "query", "header"))
                self.assertIsInstance(fault["msg"], str)
        else:
            self.assertIsInstance(detail, str)
            self.assertTrue(detail)
        return detail

    def places(self, method, path, body):
        """Where the faults of a 422 are, each once: {"components.1"}."""
        return {".".join(str(part) for part in fault["loc"][1:]) for fault in self.bad(422, method, path, body)}

    def tag(self, path):
        """The strong ETag of what is there now."""
        status, _, headers = self.ask("GET", path)
        self.assertEqual(status, 200)
        self.assertRegex(headers["ETag"] or "", r'^"[^"]+"$')
        return headers["ETag"]

    # ---- making ----

    def new_session(self):
        status, answer, _ = self.api.http("POST", "/session/create", {})
        self.assertEqual(status, 200, answer)
        return answer["session_id"]

    def paragraphs(self, nid, *texts):
        self.good("POST", "~/nodes/%s/components" % nid, {"node_id": nid, "components": [
            paragraph(text, order) for order, text in enumerate(texts, 1)], "suggested_template": None,
            "overall_confidence": 1.0})

    def texts(self, nid):
        """The texts of a node's paragraphs, in order; the order is dense."""
        answer = self.good("GET", "~/nodes/%s/components" % nid)
        components = answer["components"]
        self.assertEqual([component["order"] for component in components], list(range(1, len(components) + 1)))
        self.assertEqual(answer["total_components"], len(components))
        return [component["parameters"]["text"] for component in components]

    def node(self, nid):
        return next((node for node in self.good("GET", "~/nodes")["nodes"] if node["node_id"] == nid), None)

    def relate(self, source, to, kind="LEADS_TO"):
        self.good("POST", "~/relationships", {"from_node_id": source, "to_node_id": to, "relationship_type": kind})
        return next(found for found in self.relationships()
                    if (found["from_node_id"], found["to_node_id"], found["relationship_type"]) == (source, to, kind))

    def relationships(self):
        return self.good("GET", "~/relationships")["relationships"]


def paragraph(text, order=1, **further):
    return {"type": "paragraph", "order": order, "parameters": {"text": text}, "confidence": 0.9, **further}


def quoted(segment):
    return urllib.parse.quote(segment, safe="")

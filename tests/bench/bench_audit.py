# SPDX-License-Identifier: GPL-3.0-or-later
"""How long others wait beside the most expensive legal call of each tool and each route. On a store with a curriculum of 10,000 lessons,
60,000 relationships and two lessons of 9,999 components, each call is made again and again for a second (a write that cannot be repeated:
once), while three clients of another session send a ping, a small graph query and a rename without pause.

Prints the 99th percentile of each wait in milliseconds and the longest of an edit, then those with the longest waits first, and marks
percentiles above 250 ms. Fails where a tool or a route has
no call here, or a call is refused. Arguments: words; only calls whose names contain one of them are made.
"""
import json
import multiprocessing
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402

LESSONS, RELATIONSHIPS, COMPONENTS = 10000, 60000, 9999
TYPES = ("PREREQUISITE", "LEADS_TO", "PREREQUISITE_FOR", "ENRICHMENT")
CALL_SECONDS, REPEAT_SECONDS = 600, 1.0
BOUND_MS = 250
PROBES = ("ping", "query", "edit")


def lesson(number):
    return "N%05d" % number


def component(number):
    return {"type": "paragraph", "order": number + 1, "parameters": {"text": "Measure %d of a scale: a weight is measured in grams." % number}}


def curriculum(lessons, relationships, components):
    """Relationships lead from earlier to later lessons, so there is an order; the first two lessons have the components."""
    rng = random.Random(3)
    pairs = set()
    while len(pairs) < relationships:
        pairs.add(tuple(sorted(rng.sample(range(lessons), 2))))
    return {"nodes": [{"node_id": lesson(i), "title": "Lesson %d" % i,
                       "components": [component(k) for k in range(components if i < 2 else 1)]} for i in range(lessons)],
            "relationships": [{"from_node_id": lesson(a), "to_node_id": lesson(b), "relationship_type": TYPES[i % len(TYPES)]}
                              for i, (a, b) in enumerate(sorted(pairs))]}


# ---- the waits of others ----

def probe(port, session, pipe):
    """Runs in a process of its own. Sends, for each probe, the seconds of its requests between two messages of the pipe."""
    def requests(name):
        client = harness.Client(port)
        client.connection.timeout = CALL_SECONDS
        if name == "ping":
            client.initialize()
            return lambda: client.request("ping")
        path = "/session/%s" % session
        if name == "query":
            return lambda: client.http("GET", path + "/graph/neighbours?node_id=" + lesson(1))
        return lambda: client.http("PUT", "%s/nodes/%s" % (path, lesson(1)), {"title": "Lesson %d" % time.monotonic_ns()})
    send = {name: requests(name) for name in PROBES}

    def run(name, over, waits):
        while not over.is_set():
            began = time.monotonic()
            send[name]()
            waits.append(time.monotonic() - began)
    while pipe.recv():
        over, waits = threading.Event(), {name: [] for name in PROBES}
        threads = [threading.Thread(target=run, args=(name, over, waits[name])) for name in PROBES]
        for thread in threads:
            thread.start()
        pipe.recv()
        over.set()
        for thread in threads:
            thread.join()
        pipe.send(waits)


def percentile(waits):
    return sorted(waits)[len(waits) * 99 // 100] * 1000


# ---- the calls, for each tool and each route. {large} stands for the session. An inner list contains calls that are made once, in its
# order, and then undone ----

RENAMES = [{"op": "rename_node", "node_id": lesson(i), "title": "Unit %d" % i} for i in range(500)]
DELETIONS = [{"op": "delete_node", "node_id": lesson(i)} for i in range(2, 502)]
REPLACE = [{"op": "replace_text", "find": "weight", "replace": "mass", "node_ids": [lesson(0), lesson(1)]}]
COPIES = [{"op": "copy_node", "node_id": lesson(0), "new_node_id": "C%d" % i, "title": "Copy %d" % i} for i in range(3)]
MERGE = [{"op": "merge_nodes", "node_id": lesson(0), "into_node_id": lesson(5)}]
MARKDOWN = "# Course\n" + "".join("\n## Lesson %d\n" % i + "".join("\nA paragraph of lesson %d.\n" % i for _ in range(20)) for i in range(900))
WORDS = "# Words\n" + ("\n" + "four words of it " * 6 + "\n") * 8000
PROGRAM = "from code_helpers import get_nodes\nprint(sum(len(str(node)) for node in get_nodes()))"
L = "/session/{large}"
BIG = L + "/nodes/" + lesson(0)
HEAVY_QUERIES = ("outline", "counts", "order", "pace", "levels", "longest_chain", "cycles", "bottlenecks", "hubs", "unlocks", "redundant",
                 "starting_points", "end_points")
NODE_QUERIES = ("neighbours", "needs", "needed_by", "unreachable")


def batch(count):
    return [{"type": "paragraph", "parameters": {"text": "Added %d " % i + "x" * 1000}} for i in range(count)]


def queries():
    for name in HEAVY_QUERIES:
        yield name, {"types": ["all"], "limit": 500, **({"parts": 500} if name == "pace" else {}),
                     **({"words": True} if name in ("outline", "order", "levels", "pace") else {})}
    for name in NODE_QUERIES:
        yield name, {"types": ["all"], "limit": 500, "node_id": lesson(9000)}
    for name in "path", "common_needs":
        yield name, {"types": ["all"], "limit": 500, "from_node_id": lesson(1), "to_node_id": lesson(9990)}


TOOLS = {  # name: [(case, arguments)]
    "find": [("words", {"text": "measure scale weight grams lesson", "limit": 200}), ("without", {"without": "heading", "limit": 200}),
             ("order", {"sort": "order", "limit": 200}), ("a lesson", {"node_id": lesson(7), "in": "all"})],
    "add_component": [("first place", {"node_id": lesson(0), "component_type": "paragraph", "position": 1, "parameters": {"text": "x" * 100000}})],
    "edit_component": [("long text", {"node_id": lesson(0), "component_order": 5000, "new_parameters": {"text": "x" * 100000}})],
    "delete_component": [("first place", {"node_id": lesson(0), "component_order": 1})],
    "create_relationship": [[("one", {"from_node_id": lesson(0), "to_node_id": lesson(9999), "relationship_type": "ENRICHMENT", "explanation": "x" * 1000})]],
    "batch_add_components": [("500", {"node_id": lesson(0), "components": [
        {"component_type": entry["type"], "parameters": entry["parameters"]} for entry in batch(500)]})],
    "change_curriculum": [("dry run of deletions", {"operations": DELETIONS, "dry_run": True}),
                          [("500 renames", {"operations": RENAMES}), ("500 deletions", {"operations": DELETIONS})],
                          [("replace_text", {"operations": REPLACE}), ("copies of 9,999 components", {"operations": COPIES})],
                          [("merge", {"operations": MERGE})]],
    "import_curriculum": [("18,000 components", {"text": MARKDOWN}), ("8,000 components of 24 words", {"text": WORDS})],
    "history": [("all", {"limit": 200}), ("difference", {"version": 1})],
    "undo": [],  # each inner list is undone
    "execute_code": [("reads everything", {"code": PROGRAM})],
    "query_graph": [(name, {"query": name, **arguments}) for name, arguments in queries()],
}
SAME = []  # the same work as a tool, or as another route
ROUTES = {  # method and path: [(case, path, body)]
    "GET /health": [("", "/health", None)],
    "GET /openapi.json": [("", "/openapi.json", None)],
    "GET /metrics": [("", "/metrics", None)],
    "GET /sessions": [("", "/sessions", None)],
    "POST /session/create": [("", "/session/create", None)],
    "PUT /session/{sid}": [("", L, {"title": "x" * 2000})],
    "DELETE /session/{sid}": [[("", L, None)]],
    "GET /session/validate/{sid}": [("", "/session/validate/{large}", None)],
    "GET /session/{sid}/nodes": [("", L + "/nodes", None)],
    "POST /session/{sid}/nodes": [[("1 MB", L + "/nodes", {"node_id": "NEW", "title": "New", "raw_content": "word " * 200000})]],
    "PUT /session/{sid}/nodes/{nid}": [("1 MB", BIG, {"raw_content": "word " * 200000})],
    "DELETE /session/{sid}/nodes/{nid}": [[("9,999 components", BIG, None)]],
    "GET /session/{sid}/nodes/{nid}/content": [("", BIG + "/content", None)],
    "POST /session/{sid}/nodes/{nid}/content": SAME,
    "GET /session/{sid}/positions": [("", L + "/positions", None)],
    "PUT /session/{sid}/positions": [("5,000", L + "/positions", {"positions": {lesson(i): {"x": i, "y": i} for i in range(5000)}})],
    "GET /session/{sid}/relationships": [("60,000", L + "/relationships", None)],
    "POST /session/{sid}/relationships": SAME,
    "POST /session/{sid}/relationships/bulk": [[("5,000", L + "/relationships/bulk", {"relationships": [
        {"from_node_id": lesson(i + 5000), "to_node_id": lesson(i), "relationship_type": "ENRICHMENT"} for i in range(4999)]})]],
    "PUT /session/{sid}/relationships/{id}": SAME,
    "DELETE /session/{sid}/relationships/{id}": SAME,
    "GET /session/{sid}/components": [("all", L + "/components?limit=0", None)],
    "GET /session/{sid}/nodes/{nid}/components": [("9,999", BIG + "/components", None)],
    "POST /session/{sid}/nodes/{nid}/components": SAME,
    "PUT /session/{sid}/nodes/{nid}/auto-save": SAME,
    "POST /session/{sid}/nodes/{nid}/components/insert": SAME,
    "POST /session/{sid}/nodes/{nid}/components/reorder": [
        ("9,999", L + "/nodes/%s/components/reorder" % lesson(1), {"order": [COMPONENTS] + list(range(1, COMPONENTS))})],
    "PUT /session/{sid}/nodes/{nid}/components/{order}": SAME,
    "DELETE /session/{sid}/nodes/{nid}/components/{order}": SAME,
    "GET /nodes/{nid}/components": SAME,
    "POST /nodes/{nid}/components": SAME,
    "POST /nodes/{nid}/components/insert": SAME,
    "POST /nodes/{nid}/components/reorder": SAME,
    "PUT /nodes/{nid}/components/{order}": SAME,
    "DELETE /nodes/{nid}/components/{order}": SAME,
    "POST /session/{sid}/changes": SAME,
    "GET /session/{sid}/graph": [("", L + "/graph", None)],
    "GET /session/{sid}/graph/{query}": SAME,
    "GET /session/{sid}/history": [("with texts", L + "/history?limit=500&texts=true", None)],
    "GET /session/{sid}/difference": [("", L + "/difference?from=1", None)],
    "POST /session/{sid}/undo": SAME,
    "POST /session/{sid}/restore": [[("the first version", L + "/restore", {"version": 1})]],
    "GET /session/{sid}/find": SAME,
    "POST /execute": SAME,
}


class Audit:
    def __init__(self, workspace):
        path = pathlib.Path(workspace.data, "file.json")
        path.write_text(json.dumps(curriculum(LESSONS, RELATIONSHIPS, COMPONENTS)), encoding="utf-8")
        self.large = workspace.load(path)
        path.write_text(json.dumps(curriculum(5, 4, 2)), encoding="utf-8")
        self.small = workspace.load(path)
        self.server = harness.Server(workspace, "--sandbox", "local")
        self.server.connection.timeout = CALL_SECONDS
        self.server.initialize()
        self.pipe, other = multiprocessing.Pipe()
        self.prober = multiprocessing.Process(target=probe, args=(self.server.port, self.small, other), daemon=True)
        self.prober.start()
        self.rows, self.refused = [], []

    def close(self):
        self.pipe.send(False)
        self.prober.join()
        self.server.close()

    def send_tool(self, name, arguments):
        session = {} if name == "import_curriculum" else {"session_id": self.large}
        failed, text = self.server.call(name, **session, **arguments)
        return None if not failed else text

    def send_route(self, method, path, body):
        status, answer, _ = self.server.http(method, path.replace("{large}", self.large), body)
        return None if status < 300 else "%d %s" % (status, answer)

    def measure(self, name, once, send, *request):
        """Makes the call beside the probes, and adds a row."""
        self.pipe.send(True)
        time.sleep(0.05)
        began, count, refusal = time.monotonic(), 0, None
        while refusal is None and (count == 0 or (not once and time.monotonic() - began < REPEAT_SECONDS)):
            refusal = send(*request)
            count += 1
        took = (time.monotonic() - began) / count
        self.pipe.send(True)
        waits = self.pipe.recv()
        if refusal is not None:
            self.refused.append("%s: %s" % (name, refusal[:300]))
        row = (name, took * 1000, *(percentile(waits[kind]) for kind in PROBES), max(waits["edit"]) * 1000)
        self.rows.append(row)
        print(self.line(row), flush=True)

    @staticmethod
    def line(row):
        return "%-64s %9.0f %8.0f %8.0f %8.0f %8.0f%s" % (*row, " *" if max(row[2:-1]) > BOUND_MS else "")

    def make(self, name, calls, send, undo):
        """send: gets the elements of a call after its case. undo: as the same editor."""
        for call in calls:
            if not isinstance(call, list):
                self.measure("%s %s" % (name, call[0]), False, send, *call[1:])
                continue
            for one in call:
                self.measure("%s %s" % (name, one[0]), True, send, *one[1:])
            for one in reversed(call):
                if name != "DELETE /session/{sid}":  # it cannot be undone
                    self.measure("undo of %s %s" % (name, one[0]), True, undo)


def wanted(name):
    return len(sys.argv) < 2 or any(word in name for word in sys.argv[1:])


def main():
    workspace = harness.Workspace()
    audit = Audit(workspace)
    try:
        tools = [tool["name"] for tool in audit.server.request("tools/list")["result"]["tools"]]
        routes = ["%s %s" % (method.upper(), path) for path, methods in audit.server.http("GET", "/openapi.json")[1]["paths"].items()
                  for method in methods]
        missing = (set(tools) ^ set(TOOLS)) | (set(routes) ^ set(ROUTES))
        print("%-64s %9s %8s %8s %8s %8s" % ("milliseconds", "the call", *PROBES, "longest"))
        for name in filter(wanted, TOOLS):
            audit.make(name, TOOLS[name], lambda arguments, name=name: audit.send_tool(name, arguments), lambda: audit.send_tool("undo", {}))
        for name in sorted(filter(wanted, ROUTES), key=lambda name: name == "DELETE /session/{sid}"):
            audit.make(name, ROUTES[name], lambda path, body, name=name: audit.send_route(name.split()[0], path, body),
                       lambda: audit.send_route("POST", L + "/undo", None))
    finally:
        audit.close()
        workspace.close()
    print("\nLongest waits first:")
    for row in sorted(audit.rows, key=lambda row: -max(row[2:-1])):
        print(audit.line(row))
    for refusal in audit.refused:
        print("refused: " + refusal)
    if missing or audit.refused:
        sys.exit("refused: %d; without a call, or gone: %s" % (len(audit.refused), ", ".join(sorted(missing)) or "none"))


if __name__ == "__main__":
    main()

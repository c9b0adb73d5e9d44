# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo curriculum for the scripts: a data folder with it, and what its file says, reckoned here a second time."""
import json

import chromium  # noqa: F401  (finds the contract tests' harness)
import harness

FILE = harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json"


def without_prerequisites(curriculum):
    """Ids of the nodes that no prerequisite leads to."""
    ends = {link["to_node_id"] for link in curriculum["relationships"] if "PREREQUISITE" in link["relationship_type"]}
    return [node["node_id"] for node in curriculum["nodes"] if node["node_id"] not in ends]


def facts(sid):
    """For demo.mjs: the session, the nodes with their components, and which have no prerequisites."""
    with open(FILE, encoding="utf-8") as file:
        curriculum = json.load(file)
    answer = without_prerequisites(curriculum)
    assert 1 < len(answer) < len(curriculum["nodes"])
    return json.dumps({"sid": sid, "answer": answer, "nodes": [{"id": node["node_id"], "title": node["title"], "components": [
        {"type": component["type"], "parameters": component["parameters"]} for component in node["components"]]}
        for node in curriculum["nodes"]]})


def run(script, seconds, *words):
    """Runs it on the demo in a data folder of its own."""
    workspace = harness.Workspace()
    try:
        sid = workspace.run("demo").stdout.decode().split()[-1]
        return chromium.run(script, workspace, seconds, *words, LECTERN_FACTS=facts(sid))
    finally:
        workspace.close()

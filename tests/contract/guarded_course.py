# SPDX-License-Identifier: GPL-3.0-or-later
"""A small curriculum whose secrets have unique marks, for the tests of what the tools of the tutor keep to themselves.

Lessons: N1 with an exercise of each kind; N2, locked behind N1; N3, of a higher tier; N4, without exercises.
"""
import json
import pathlib
import re

import harness

MARKS = ("zqsolution", "zqanswer", "zqcriterion", "zqhidden")  # each secret has one of them
HINTS = ("zqnudge", "zqerrorhint", "zqworked")  # of the levels 1 to 3
LOCKED = ("zqlocked", "zqpaid")  # texts of lessons that a new learner may not read
NUMBERS = ("718293", "604512")  # the answer of the number, and the result of a hidden case
CODE, CHOICE, NUMBER, TEXT, OPEN, LOCKED_CODE, PAID_CODE, ADDED = "e-code", "e-choice", "e-number", "e-text", "e-open", "e-locked", "e-paid", "e-added"
RIGHT = "def twice(x):\n    return x + x\n"
WRONG = ("def twice(x):\n    return x\n", "def twice(x):\n    return 3 * x\n", "def twice(x):\n    return None\n")
TIERS = {"tiers": [{"name": "free", "chapters": ["Free"]}, {"name": "paid", "url": "https://example.org/buy?learner={learner}"}]}
TWO_A_DAY = {"tiers": [dict(TIERS["tiers"][0], attempts_a_day=2), TIERS["tiers"][1]]}


def component(ident, of_type, order, **parameters):
    return {"id": ident, "type": of_type, "order": order, "parameters": parameters}


def hints():
    return ["First, %s the learner." % HINTS[0], "Look again: %s." % HINTS[1], "A similar task: %s." % HINTS[2]]


def exercise(ident, order, other=""):
    """An exercise-code; `other` is part of each of its secrets."""
    return component(
        ident, "exercise-code", order, prompt="Write twice(x), which doubles x.", starter="def twice(x):\n    pass\n",
        cases=[{"name": "small", "call": "twice", "args": [2], "expect": 4}, {"call": "twice", "args": ["ab"], "expect": "abab"},
               {"name": "zqhiddenname" + other, "call": "twice", "args": ["zqhiddenargument" + other], "expect": ("zqhiddenargument" + other) * 2, "hidden": True},
               {"call": "twice", "args": [302256], "expect": 604512, "hidden": True}],
        solution="def twice(x):  # zqsolution%s\n    return x + x\n" % other, hints=hints(), time_s=1)


def write(folder, other="", choice=1, added=None):
    """The path of the file. Its secrets contain `other`; `choice` is the right one of three options. added: the parameters of an
    exercise-code that N4 has then."""
    options = ["red", "green", "blue"]
    nodes = [
        ("N1", "Doubling", "Free", [
            component("c-doubling", "paragraph", 1, text="Doubling adds a number to itself. " * 3),
            component("c-long", "paragraph", 2, text="\n\n".join("Paragraph %d is about doubling. " % place * 20 for place in range(30))),
            exercise(CODE, 3, other),
            component(CHOICE, "question", 4, prompt="Which colour?", kind="choice", options=options, answer=options[choice], hints=hints()),
            component(NUMBER, "question", 5, prompt="How many?", kind="number", answer=718293, tolerance=0.25, hints=hints()),
            component(TEXT, "question", 6, prompt="Which word?", kind="text", answer=["zqanswer" + other, "zqanswers" + other], hints=hints()),
            component(OPEN, "question", 7, prompt="Why double?", kind="open", criteria=["It names the zqcriterion%s." % other, "It has an example."], hints=hints())]),
        ("N2", "Tripling", "Free", [component("c-tripling", "paragraph", 1, text="Text of a lesson that is zqlocked."), exercise(LOCKED_CODE, 2, other)]),
        ("N3", "Squares", "Paid", [component("c-squares", "paragraph", 1, text="Text of a lesson that is zqpaid."), exercise(PAID_CODE, 2, other)]),
        ("N4", "Talk", "Free", [component("c-talk", "paragraph", 1, text="Talk about numbers.")]
         + ([component(ADDED, "exercise-code", 2, **added)] if added else []))]
    path = pathlib.Path(folder, "guarded.json")
    path.write_text(json.dumps({
        "meta": {"title": "Guarded"},
        "nodes": [{"node_id": ident, "title": title, "chapter": chapter, "chapter_id": 1 + (chapter == "Paid"), "content_category": "explanation",
                   "node_type": "core", "raw_content": "", "components": components} for ident, title, chapter, components in nodes],
        "relationships": [{"from_node_id": "N1", "to_node_id": "N2", "relationship_type": "PREREQUISITE", "explanation": "first"}]}), encoding="utf-8")
    return path


def load(workspace, tiers=TIERS, **named):
    """Imports it; (session id, path of the file of tiers, ids of the exercises by their names here)."""
    file = pathlib.Path(workspace.data, "tiers.json")
    file.write_text(json.dumps(tiers), encoding="utf-8")
    sid = workspace.load(write(workspace.data, **named))
    editor = harness.Stdio(workspace)
    editor.initialize()
    texts = [editor.request("resources/read", {"uri": "lectern://curriculum/%s/node/%s" % (sid, node)})["result"]["contents"][0]["text"]
             for node in ("N1", "N2", "N3", "N4")]
    editor.close()
    return sid, str(file), dict(re.findall(r'"id":"(e-[^"]+)","component_id":"([^"]+)"', "".join(texts)))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo curriculum follows the contract's rules and shows every feature that it should.

The rules are repeated here on purpose, so that the server's table does not check the server's own file. The last tests break the demo in
one place each and expect the finding, to test that the checks detect it.
"""
import copy
import json
import re
import unittest
import urllib.parse
import xml.etree.ElementTree as xml
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "mcp/curriculum/demo/demo_curriculum.json"

CATEGORIES = {"explanation", "real_world_example", "textbook_content", "memory_trick", None}
RELATIONSHIPS = {"LEADS_TO", "PREREQUISITE_FOR", "PREREQUISITE", "ENRICHMENT"}
TEXTS = {  # types whose parameters are texts, all of them needed
    "heading": ["text"],
    "paragraph": ["text"],
    "memory-trick": ["text"],
    "definition": ["term", "definition"],
    "worked-example": ["problem", "solution", "answer"],
}
CALLOUTS = {"tip", "warning", "important", "info"}
PICTURES = {"two-pictures": 2, "three-pictures": 3, "four-pictures": 4}
VISUALS = {"text", "image", "pie-chart", "bar-chart", "fraction-circle", "svg"}
BACKGROUNDS = {"purple", "blue", "green", "orange", "red", "dark", "light"}
CHARTS = {
    "pie-chart": ("numerator", "denominator"),
    "fraction-circle": ("numerator", "denominator"),
    "bar-chart": ("current", "maximum"),
}
QUESTIONS = {"choice", "number", "text", "open"}
TYPES = {*TEXTS, *PICTURES, "step-sequence", "callout-box", "hero-number", "three-svgs", "exercise-code", "question"}


def text(value):
    return isinstance(value, str) and value.strip() != ""


def svg_fault(source):
    """What is wrong with an inline picture, or None."""
    try:
        root = xml.fromstring(source)
    except (xml.ParseError, TypeError) as error:
        return f"is no XML: {error}"
    if root.tag != "{http://www.w3.org/2000/svg}svg" or "viewBox" not in root.attrib:
        return "is no <svg> with a viewBox"
    for element in root.iter():
        if element.tag.endswith(("}script", "}foreignObject")):
            return "holds active content"
        if any(name.startswith("on") or name.endswith("href") for name in element.attrib):
            return "holds a handler or a link"
    return None


def picture_faults(pictures, count):
    if not isinstance(pictures, dict):
        return ["pictures is no object"]
    faults = []
    for place in range(1, count + 1):
        drawn, linked = pictures.get(f"svg{place}"), pictures.get(f"image{place}")
        if (drawn is None) == (linked is None):
            faults.append(f"picture {place} must be either svg{place} or image{place}")
            continue
        picture = drawn or linked
        if not (text(picture.get("title")) and text(picture.get("body"))):
            faults.append(f"picture {place} has no title or body")
        if drawn:
            fault = svg_fault(picture.get("svgCode"))
        else:
            fault = url_fault(picture.get("imageUrl")) if text(picture.get("imagePath")) else "has no imagePath"
        if fault:
            faults.append(f"picture {place} {fault}")
    if len(pictures) != count:
        faults.append(f"{len(pictures)} pictures instead of {count}")
    return faults


def url_fault(url):
    head = "data:image/svg+xml,"
    if not (text(url) and url.startswith(head)):
        return "is not carried along as a data URL"
    return svg_fault(urllib.parse.unquote(url[len(head):]))


def hero_faults(parameters):
    faults = []
    visual, content = parameters.get("visual_type"), parameters.get("visual_content")
    if visual not in VISUALS:
        faults.append(f"visual_type {visual!r}")
    if not text(content):
        faults.append("no visual_content")
    if parameters.get("background_style", "light") not in BACKGROUNDS:
        faults.append(f"background_style {parameters['background_style']!r}")
    if visual == "svg" and svg_fault(content):
        faults.append(f"visual_content {svg_fault(content)}")
    if visual == "image" and url_fault(content):
        faults.append(f"visual_content {url_fault(content)}")
    if visual in CHARTS:
        part, whole = (parameters.get("chart_data", {}).get(name) for name in CHARTS[visual])
        if not all(isinstance(value, (int, float)) and value > 0 for value in (part, whole)) or part > whole:
            faults.append(f"chart_data wants {' and '.join(CHARTS[visual])}")
    return faults


def case_fault(case):
    """What is wrong with a case of a code exercise, or None."""
    if "call" in case and (("expect" in case) == ("raises" in case) or {"stdin", "stdout"} & set(case)):
        return "has call without one of expect and raises"
    if "call" not in case and (not isinstance(case.get("stdout"), str) or {"args", "kwargs", "expect", "raises"} & set(case)):
        return "has neither call nor stdout"
    unknown = set(case) - {"name", "call", "args", "kwargs", "expect", "raises", "stdin", "stdout", "hidden"}
    return f"has {unknown}" if unknown else None if text(case.get("name")) else "has no name"


def exercise_faults(parameters):
    faults = [f"no {name}" for name in ("prompt", "starter", "solution") if not text(parameters.get(name))]
    faults += [f"case {i} {case_fault(case)}" for i, case in enumerate(parameters.get("cases", []), 1) if case_fault(case)]
    if not parameters.get("cases"):
        faults.append("no cases")
    if parameters.get("compare", "exact") not in {"exact", "unordered", "approximate"}:
        faults.append(f"compare {parameters['compare']!r}")
    if not 0.1 <= parameters.get("time_s", 1) <= 5:
        faults.append(f"time_s {parameters['time_s']}")
    return faults + hint_faults(parameters)


def question_faults(parameters):
    kind, answer, options = (parameters.get(name) for name in ("kind", "answer", "options"))
    faults = [] if text(parameters.get("prompt")) else ["no prompt"]
    if kind not in QUESTIONS:
        faults.append(f"kind {kind!r}")
    if kind == "choice" and not (len(set(options or [])) >= 2 and answer in options):
        faults.append("the answer is no option")
    if kind != "choice" and options:
        faults.append("options without a choice")
    if kind == "number" and not isinstance(answer, (int, float)):
        faults.append("the answer is no number")
    if kind == "text" and not (answer and all(map(text, [answer] if isinstance(answer, str) else answer))):
        faults.append("the answer is no text")
    if kind == "open" and not (parameters.get("criteria") and all(map(text, parameters["criteria"]))):
        faults.append("no criteria")
    return faults + hint_faults(parameters)


def hint_faults(parameters):
    hints = parameters.get("hints", [])
    return [] if len(hints) <= 3 and all(map(text, hints)) else ["hints are not at most three texts"]


def component_faults(kind, parameters):
    if kind in TEXTS:
        return [f"no {name}" for name in TEXTS[kind] if not text(parameters.get(name))]
    if kind == "step-sequence":
        steps = parameters.get("steps")
        good = isinstance(steps, list) and len(steps) >= 2 and all(text(step) for step in steps)
        return [] if good else ["steps is no list of two or more texts"]
    if kind == "callout-box":
        faults = [] if text(parameters.get("text")) else ["no text"]
        return faults + ([] if parameters.get("style", "info") in CALLOUTS else ["unknown style"])
    if kind in PICTURES:
        return picture_faults(parameters.get("pictures"), PICTURES[kind])
    if kind == "hero-number":
        return hero_faults(parameters)
    if kind == "exercise-code":
        return exercise_faults(parameters)
    if kind == "question":
        return question_faults(parameters)
    if kind == "three-svgs":
        faults = [f"no {name}{i}" for name in ("title", "description") for i in (1, 2, 3)
                  if not text(parameters.get(f"{name}{i}"))]
        return faults + [f"svg{i} {fault}" for i in (1, 2, 3) if f"svg{i}" in parameters
                         for fault in [svg_fault(parameters[f"svg{i}"])] if fault]
    return [f"unknown type {kind!r}"]


def cycle(relationships):
    sorter = TopologicalSorter()
    for edge in relationships:
        sorter.add(edge["to_node_id"], edge["from_node_id"])
    try:
        sorter.prepare()
    except CycleError as error:
        return error.args[1]
    return None


def faults_of(curriculum):
    """Every breach of the contract, one line each."""
    faults = []
    nodes, relationships = curriculum["nodes"], curriculum["relationships"]
    for node_id, count in Counter(node["node_id"] for node in nodes).items():
        if count > 1 or not re.fullmatch(r"N\d{3}", node_id):
            faults.append(f"{node_id}: not unique, or not of the form N001")
    for node in nodes:
        here = node["node_id"]
        if not text(node.get("title")) or not text(node.get("raw_content")):
            faults.append(f"{here}: no title or raw_content")
        if node.get("content_category") not in CATEGORIES or not isinstance(node.get("chapter_id"), int):
            faults.append(f"{here}: content_category or chapter_id")
        if [component["order"] for component in node["components"]] != list(range(1, len(node["components"]) + 1)):
            faults.append(f"{here}: component orders are not 1, 2, 3, …")
        for component in node["components"]:
            for fault in component_faults(component["type"], component["parameters"]):
                faults.append(f"{here} component {component['order']} {component['type']}: {fault}")
    known, seen = {node["node_id"] for node in nodes}, set()
    for edge in relationships:
        key = edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]
        here = " ".join(key)
        if not {*key[:2]} <= known:
            faults.append(f"{here}: dangles")
        if key in seen or key[0] == key[1]:
            faults.append(f"{here}: repeats, or leads to itself")
        if key[2] not in RELATIONSHIPS:
            faults.append(f"{here}: unknown type")
        if not text(edge.get("explanation")) or len(edge["explanation"]) < 25:
            faults.append(f"{here}: no explanation that says why")
        if edge.get("created_by") != "Lectern" or not 0 <= edge.get("confidence_score", -1) <= 1:
            faults.append(f"{here}: created_by or confidence_score")
        seen.add(key)
    if cycle(relationships):
        faults.append(f"cycle: {' '.join(cycle(relationships))}")
    return faults


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.demo = json.loads(DEMO.read_text(encoding="utf-8"))

    def test_keeps_the_contract(self):
        self.assertEqual(faults_of(self.demo), [])

    def test_says_what_it_is(self):
        self.assertTrue(text(self.demo["meta"]["title"]))
        self.assertIn("CC BY 4.0", self.demo["meta"]["licence"])
        self.assertIn("Lectern", self.demo["meta"]["author"])

    def test_shows_every_type_more_than_once(self):
        used = Counter(component["type"] for node in self.demo["nodes"] for component in node["components"])
        self.assertEqual(set(used), TYPES)
        self.assertGreaterEqual(min(used.values()), 3)
        edges = Counter(edge["relationship_type"] for edge in self.demo["relationships"])
        self.assertEqual(set(edges), RELATIONSHIPS)
        self.assertGreaterEqual(min(edges.values()), 3)
        visuals = {component["parameters"]["visual_type"] for node in self.demo["nodes"]
                   for component in node["components"] if component["type"] == "hero-number"}
        self.assertEqual(visuals, VISUALS)

    def test_has_something_worth_asking_about(self):
        nodes = {node["node_id"]: node for node in self.demo["nodes"]}
        self.assertTrue(32 <= len(nodes) <= 40)
        needs = {node_id: set() for node_id in nodes}
        for edge in self.demo["relationships"]:
            if "PREREQUISITE" in edge["relationship_type"]:
                needs[edge["to_node_id"]].add(edge["from_node_id"])
        order = list(TopologicalSorter(needs).static_order())
        above, depth, chains = {}, {}, {}
        for node_id in order:
            above[node_id] = set().union(*({need} | above[need] for need in needs[node_id]))
            deepest = max((depth[need] for need in needs[node_id]), default=0)
            depth[node_id] = deepest + 1
            chains[node_id] = sum(chains[need] for need in needs[node_id] if depth[need] == deepest) or 1
        longest = max(depth.values())
        redundant = [(need, node_id) for node_id in nodes for need in needs[node_id]
                     if any(need in above[other] for other in needs[node_id])]
        resting = Counter(need for node_id in nodes for need in above[node_id])
        self.assertGreaterEqual(sum(not need for need in needs.values()), 3, "starting points")
        self.assertEqual(sorted(redundant), [("N004", "N025"), ("N024", "N026")])
        self.assertEqual(sum(chains[node_id] for node_id in nodes if depth[node_id] == longest), 2)
        thin = {node_id for node_id in nodes if len(nodes[node_id]["components"]) < 4}
        self.assertEqual(thin, {"N013", "N021", "N023"})
        self.assertGreaterEqual(resting["N013"], 10, "much rests on a thin node")


class ChecksCanFail(unittest.TestCase):
    """Each breach, made in a copy of the demo, must be found."""

    def broken(self, change):
        demo = json.loads(DEMO.read_text(encoding="utf-8"))
        change(demo)
        return faults_of(demo)

    @staticmethod
    def first(demo, kind):
        return next(component for node in demo["nodes"] for component in node["components"]
                    if component["type"] == kind)

    def test_breaches_are_found(self):
        edge = dict(from_node_id="N036", to_node_id="N001", relationship_type="PREREQUISITE", created_by="Lectern",
                    explanation="It closes a circle of prerequisites.", confidence_score=1.0)
        first = self.first
        breaches = {
            "dangles": lambda d: d["relationships"][0].update(to_node_id="N999"),
            "repeats": lambda d: d["relationships"].append(copy.deepcopy(d["relationships"][0])),
            "unknown type": lambda d: d["relationships"][0].update(relationship_type="NEEDS"),
            "says why": lambda d: d["relationships"][0].update(explanation=""),
            "cycle": lambda d: d["relationships"].append(edge),
            "not unique": lambda d: d["nodes"][1].update(node_id="N001"),
            "orders": lambda d: d["nodes"][0]["components"].pop(0),
            "no answer": lambda d: first(d, "worked-example")["parameters"].pop("answer"),
            "unknown style": lambda d: first(d, "callout-box")["parameters"].update(style="loud"),
            "two or more": lambda d: first(d, "step-sequence")["parameters"].update(steps="one"),
            "either svg": lambda d: first(d, "two-pictures")["parameters"]["pictures"].pop("svg1"),
            "is no XML": lambda d: first(d, "two-pictures")["parameters"]["pictures"]["svg1"].update(svgCode="<svg>"),
            "chart_data": lambda d: first(d, "hero-number")["parameters"].pop("chart_data"),
            "no title2": lambda d: first(d, "three-svgs")["parameters"].pop("title2"),
            "has call without": lambda d: first(d, "exercise-code")["parameters"]["cases"][0].pop("expect"),
            "has neither call": lambda d: first(d, "exercise-code")["parameters"]["cases"][0].pop("call"),
            "compare 'loosely'": lambda d: first(d, "exercise-code")["parameters"].update(compare="loosely"),
            "time_s 6": lambda d: first(d, "exercise-code")["parameters"].update(time_s=6),
            "the answer is no option": lambda d: first(d, "question")["parameters"].update(answer="another"),
            "the answer is no number": lambda d: first(d, "question")["parameters"].update(kind="number"),
            "no criteria": lambda d: first(d, "question")["parameters"].update(kind="open"),
            "hints": lambda d: first(d, "question")["parameters"]["hints"].append("A fourth."),
            "unknown type 'poem'": lambda d: first(d, "heading").update(type="poem"),
        }
        for finding, change in breaches.items():
            with self.subTest(finding):
                self.assertTrue(any(finding in fault for fault in self.broken(change)))

    def test_active_pictures_are_found(self):
        head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"'
        self.assertIsNone(svg_fault(head + "/>"))
        for hostile in (head + "><script/></svg>", head + ' onload="f()"/>', head + '><a href="x"/></svg>'):
            self.assertIsNotNone(svg_fault(hostile))


if __name__ == "__main__":
    unittest.main()

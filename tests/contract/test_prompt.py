# SPDX-License-Identifier: GPL-3.0-or-later
"""The claims of the chat's system prompt: its size is within the limit, every program in it runs over the demo curriculum in each profile
with the same result as the curriculum's file, and the helpers have the arguments that it lists."""
import ast
import json
import re
import subprocess
import unittest

import harness

TOKENS = 3000
BYTES_A_TOKEN = 3.5  # the strict measure
PROFILES = {"minimal": 3, "data-science": 4, "visualization": 4}  # and how many programs are shown
DEMO = json.loads((harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json").read_text())
TITLES = {node["node_id"]: node["title"] for node in DEMO["nodes"]}
HELPERS = harness.BUILD / "share/code_helpers.py"


def prompt(profile):
    done = subprocess.run([str(harness.BUILD / "tests/prompt_driver"), profile, "Demo curriculum"], capture_output=True,
                          timeout=harness.ANSWER_SECONDS, check=True)
    return done.stdout.decode()


def programs(text):
    """Each fenced program, by what it imports of the helpers."""
    found = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return {re.search(r"^from code_helpers import (.*)$", code, re.MULTILINE)[1]: code for code in found}


class Prompt(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.sid = cls.workspace.run("demo").stdout.decode().split()[-1]

    @classmethod
    def tearDownClass(cls):
        cls.workspace.close()

    def output(self, profile, code):
        done = self.workspace.run("exec", "--session", self.sid, "--profile", profile, "-", stdin=code.encode(), check=False)
        self.assertEqual(done.returncode, 0, code + done.stdout.decode() + done.stderr.decode())
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().splitlines()

    def without_prerequisites(self, lines):
        later = {edge["to_node_id"] for edge in DEMO["relationships"] if "PREREQUISITE" in edge["relationship_type"]}
        self.assertEqual(lines, ["%s %s | %s" % (node["node_id"], node["title"], node["chapter"]) for node in DEMO["nodes"]
                                 if node["node_id"] not in later])

    def without_examples(self, lines):
        wanted = {node["node_id"] for node in DEMO["nodes"]
                  if all(component["type"] != "worked-example" for component in node["components"])}
        self.assertTrue(wanted)
        self.assertEqual(lines[-1], "%d in all" % len(wanted))
        self.assertEqual(len(lines), min(len(wanted), 15) + 1)
        self.assertLessEqual({line.split()[0] for line in lines[:-1]}, wanted)
        counts = [int(line.rsplit(" ", 1)[1]) for line in lines[:-1]]
        self.assertEqual(counts, sorted(counts, reverse=True))
        self.assertGreater(counts[0], 0)

    def where_a_word_stands(self, lines):
        wanted = sorted((node["node_id"], place) for node in DEMO["nodes"]
                        for place, component in enumerate(node["components"], 1) for text in component["parameters"].values()
                        if isinstance(text, str) and re.search(r"\bproportion", text, re.IGNORECASE))
        self.assertGreater(len(wanted), 5)
        self.assertEqual(sorted((line.split()[0], int(line.split()[1])) for line in lines), wanted)

    def most_between(self, lines):
        self.assertEqual(len(lines), 5)
        for line in lines:
            node_id, rest = line.split(" ", 1)
            self.assertEqual(rest.rsplit(" ", 1)[0], TITLES[node_id])
            self.assertGreater(float(line.rsplit(" ", 1)[1]), 0)

    def test_every_program_runs_and_is_right(self):
        checks = {"get_nodes, get_relationships": self.without_prerequisites, "get_all_content, query_graph": self.without_examples,
                  "get_all_content": self.where_a_word_stands, "analyze_graph": self.most_between}
        for profile, count in PROFILES.items():
            shown = programs(prompt(profile))
            self.assertEqual(len(shown), count, profile)
            for imports, code in shown.items():
                with self.subTest(profile=profile, program=imports):
                    checks[imports](self.output(profile, code))

    def test_it_is_small(self):
        for profile in PROFILES:
            self.assertLess(len(prompt(profile).encode()), TOKENS * BYTES_A_TOKEN)

    def test_the_helpers_are_as_it_tells(self):
        functions = {node.name: [argument.arg for argument in node.args.args if argument.arg != "session_id"]
                     for node in ast.walk(ast.parse(HELPERS.read_text())) if isinstance(node, ast.FunctionDef)}
        public = next(ast.literal_eval(node.value) for node in ast.parse(HELPERS.read_text()).body
                      if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        told = {name: [argument.split("=")[0].strip() for argument in arguments.split(",") if argument]
                for name, arguments in re.findall(r"^- (\w+)\((.*?)\) -> ", prompt("data-science"), re.MULTILINE)}
        self.assertEqual(told, {name: functions[name] for name in public})

    def test_query_graph_documents_every_query(self):
        listed = self.workspace.run("graph", "--help").stdout.decode()
        queries = re.findall(r"^  (\w+)(?: \S+)*  ", listed[listed.index("Queries"):listed.index("Options:")], re.MULTILINE)
        text = next(ast.get_docstring(node) for node in ast.walk(ast.parse(HELPERS.read_text()))
                    if isinstance(node, ast.FunctionDef) and node.name == "query_graph")
        documented = re.findall(r"\w+", " ".join(line.split(": ")[1] for line in text.splitlines() if line.startswith("of ")))
        self.assertGreater(len(queries), 10)
        self.assertEqual(sorted(documented), sorted(queries))


if __name__ == "__main__":
    unittest.main()

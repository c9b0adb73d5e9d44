# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks at run time: the programs of tests/data/evasions, without the policy, and the shared ones, which both policies accept. None
reaches its goal; with the doors not armed, each of ours does. Every row of door_rules.py names a function that exists in this machine's
libraries."""
import ast
import importlib.util
import pathlib
import re
import shutil
import sys
import tempfile
import types
import unittest

import sandbox

sys.path.insert(0, str(sandbox.ROOT / "tests/data"))
import corpus  # noqa: E402

LIBRARIES = ("/usr/lib/python3/dist-packages", "/usr/lib/python3.11")
PROGRAMS = corpus.programs("evasions")
UNNAMED = {ast.Lambda: "<lambda>", ast.SetComp: "<setcomp>", ast.ListComp: "<listcomp>"}
MARK = "REACHED|Zen of Python"  # the second: the module `this` was imported
ROOMY = dict(kind="plot", preload=sandbox.PLOT_PRELOAD, memory_mb=512, bwrap=True)


def load_rules():
    spec = importlib.util.spec_from_file_location("door_rules", sandbox.ROOT / "image/python/door_rules.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Guarded(unittest.TestCase):
    def test_none_reaches_what_it_is_after(self):
        with sandbox.Session(policy=False, **ROOMY) as box:
            for program in PROGRAMS:
                with self.subTest(program.id):
                    outcome = box.run(program.code.decode(), profile=program.profile, timeout_ms=20000)
                    told = "%s\n%s" % (outcome.text, outcome.result.get("error"))
                    self.assertNotRegex(outcome.text, MARK)
                    self.assertIn(" ".join(word for word in program.words if word != "held"), told)
            self.assertEqual(box.run("print(1 + 1)").text, "2\n")

    def test_the_shared_ones(self):
        with sandbox.Session(**ROOMY) as box:
            for path in sorted(sandbox.shared("corpus/evasions").glob("*.py")):
                with self.subTest(path.name):
                    outcome = box.run(path.read_text(), profile="visualization", timeout_ms=20000)
                    self.assertNotIn("PWN", outcome.text)
                    self.assertNotEqual(outcome.status, "ok", outcome.text)
            self.assertEqual(box.run("print(1 + 1)").text, "2\n")


class Open(unittest.TestCase):
    def test_each_reaches_it_where_the_doors_are_open(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="lectern-doors-"))
        self.addCleanup(shutil.rmtree, folder)
        shutil.copytree(sandbox.WITHOUT_POLICY, folder, dirs_exist_ok=True)
        folder.chmod(0o755)
        text = (folder / "interpreter.py").read_text()
        for line in ("    parts.doors.arm()\n", "    parts.doors.freeze_classes("):
            self.assertEqual(text.count(line), 1, line)
        text = text.replace("    parts.doors.arm()\n", "").replace("    parts.doors.freeze_classes(", "    frozenset(")
        (folder / "interpreter.py").write_text(text)
        with sandbox.Session(interpreter=folder / "interpreter.py", **ROOMY) as box:
            for program in PROGRAMS:
                with self.subTest(program.id):
                    outcome = box.run(program.code.decode(), profile=program.profile, timeout_ms=20000)
                    if "held" not in program.words:
                        self.assertRegex(outcome.text, MARK, outcome.result.get("error"))


class Rules(unittest.TestCase):
    rules = load_rules()

    @staticmethod
    def functions(path):
        """The qualified names of the functions of a file."""
        found = set()

        def walk(node, prefix):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, *UNNAMED)):
                    name = prefix + getattr(child, "name", UNNAMED.get(type(child)))
                    found.add(name)
                    walk(child, name + ("." if isinstance(child, ast.ClassDef) else ".<locals>."))
                else:
                    walk(child, prefix)

        walk(ast.parse(path.read_text()), "")
        return found

    def test_each_row_names_a_function(self):
        rows = {*self.rules.ATTRIBUTES, *self.rules.FRAMES, *self.rules.TEXTS, *self.rules.MODULES, *self.rules.PUBLIC}
        for row in sorted(rows):
            with self.subTest(row):
                file, name = row.rsplit(":", 1)
                if file.startswith("<frozen "):
                    file = file[len("<frozen "):-1].replace(".", "/") + ".py"
                paths = [path for folder in LIBRARIES if (path := pathlib.Path(folder, file)).exists()]
                self.assertTrue(paths, file)
                self.assertIn(name, self.functions(paths[0]))

    def test_patterns_match_what_libraries_write_and_nothing_else(self):
        texts = self.rules.TEXTS
        pattern = texts["collections/__init__.py:namedtuple"]
        self.assertTrue(pattern.fullmatch("lambda _cls, x, y: _tuple_new(_cls, (x, y,))"))
        self.assertFalse(pattern.fullmatch("lambda _cls, x, y=print(1): _tuple_new(_cls, (x, y,))"))

        pattern = texts["dataclasses.py:_create_fn"]
        text = "def __create_fn__():\n def __eq__(self,other):\n  if other.__class__ is self.__class__:\n   return (self.%s,)==(other.x,)\n" \
               "  return NotImplemented\n return __eq__"
        self.assertTrue(pattern.fullmatch(text % "x"))
        for name in ("x,print()", "x.y", "__dict__", "x()", "x\n  print()"):
            self.assertFalse(pattern.fullmatch(text % name), name)
        pattern = texts["networkx/utils/decorators.py:argmap.compile"]
        text = "def argmap_density_1(G, *, b, **c):\n \n G = argmap_f_2(G)\n return argmap_density_3(%s, b = b, **c)#"
        self.assertTrue(pattern.fullmatch(text % "G"))
        for argument in ("print(G)", "G.x", "G)\n print(G"):
            self.assertFalse(pattern.fullmatch(text % argument), argument)

    def test_types_have_the_attributes(self):
        for kind, names, _ in self.rules.INTERPRETER:
            for name in names:
                self.assertIn(name, kind.__dict__, kind)
        self.assertIn(types.FrameType, [kind for kind, _, _ in self.rules.INTERPRETER])

    def test_no_library_keeps_a_name_of_its_own_for_what_is_replaced(self):
        """`get = getattr` in a module would pass the doors by, if it came before them."""
        kept = re.compile(r"^\s*\w+ *= *(?:builtins\.)?(?:getattr|setattr|delattr|eval|exec|compile)\s*(?:#.*)?$", re.M)
        found = []
        for package in ("pandas", "numpy", "networkx", "scipy", "matplotlib"):
            for path in pathlib.Path(LIBRARIES[0], package).rglob("*.py"):
                if "/tests/" not in str(path) and kept.search(path.read_text(errors="replace")):
                    found.append(str(path))
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()

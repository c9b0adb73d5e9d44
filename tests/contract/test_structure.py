# SPDX-License-Identifier: GPL-3.0-or-later
"""The structure of the sources, measured from their text: sizes, circles between files, functions that only one other file calls, and
the files that one would change for a new tool, query, route, component type or option. All of them are signs, which are reported; circles
alone have a bound.

    test_structure.py --report [--root DIR]      prints the figures as a table of docs/benchmarks.md, of another checkout too
    test_structure.py --circles [--root DIR]     prints the circles with the names that close them

Comments and strings do not count, except for the names of EXAMPLES.
"""
import collections
import functools
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCT = ("mcp", "validator", "executor", "helpers", "image")
SUFFIXES = (".c", ".h", ".ts", ".tsx", ".mjs", ".py", ".sh", ".css")

# The circles that are allowed.
CIRCLES = 1  # the parser of Python, whose grammar is recursive across its files

# Of each kind one that exists, by all names it has; a file that has one of them would change for another of the kind.
EXAMPLES = {
    "tool": r"(?:tool_)?batch_add_components\w*",
    "graph query": r"(?:graph_query_)?common_needs",
    "REST route": r"rest_positions_write|writePositions|PositionsChange",
    "component type": r"(?:\"definition\"|definition(?=:))",
    "option": r"store[-_]timeout\w*",
}

# Files that work without a new one of the kind: a graph query may have a plan by rule, and needs none.
OPTIONAL = {"graph query": ("mcp/agent/plan_rules.c",)}

COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
IMPORT = re.compile(r'^(?:import|export)\b(?!\s+type\b)[^;"]*?"(\.[^"]+)"', re.MULTILINE)
# A definition as clang-format lays it out: the name and its parameters, then a brace at the beginning of a line.
DEFINITION = re.compile(r"^(?!static\b|typedef\b|struct \w+$|extern\b)[A-Za-z_][\w \t*]*?\b(\w+)\((?:[^;{}()]|\([^;{}()]*\))*\)\n\{", re.MULTILINE)
STATIC = re.compile(r"^static\b[^;{=]*?\b(\w+)\(", re.MULTILINE)
WORD = re.compile(r"\b[A-Za-z_]\w*")
TAG = re.compile(r"\b(?:struct|union|enum)\s+\w+") # a type may have the name of a function


def stripped(text, strings=False):
    """Without comments, and without the text of strings unless these are to stay."""
    return COMMENT_OR_STRING.sub(lambda found: " " if found.group()[0] == "/" else found.group() if strings else '""', text)


def components(edges):
    """The strongly connected components of more than one node. edges: node -> nodes."""
    order, seen = [], set()

    def walk(start, following, leave):
        stack = [(start, iter(following(start)))]
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            step = next((item for item in rest if item not in seen), None)
            if step is None:
                stack.pop()
                leave(node)
            else:
                seen.add(step)
                stack.append((step, iter(following(step))))

    for node in sorted(edges):
        if node not in seen:
            walk(node, lambda item: sorted(edges.get(item, ())), order.append)
    back = collections.defaultdict(set)
    for node, targets in edges.items():
        for target in targets:
            back[target].add(node)
    found = []
    seen = set()
    for node in reversed(order):
        if node not in seen:
            group = []
            walk(node, lambda item: sorted(back[item]), group.append)
            if len(group) > 1:
                found.append(sorted(group))
    return sorted(found)


class Sources:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = {}
        for folder in (*PRODUCT, "tests", "cmake"):
            for path in sorted((self.root / folder).rglob("*")):
                name = path.relative_to(self.root).as_posix()
                if path.suffix in SUFFIXES and path.is_file() and "node_modules" not in name and "/regression/" not in name:
                    self.texts[name] = path.read_text(encoding="utf-8", errors="replace")
        self.product = {name: text for name, text in self.texts.items() if name.startswith(PRODUCT)}
        self.code = {name: stripped(text) for name, text in self.product.items() if name.endswith((".c", ".h"))}

    def lines(self):
        return sum(text.count("\n") for name, text in self.product.items() if ".test." not in name)

    def headers(self):
        return sum(name.endswith(".h") for name in self.code)

    @functools.cached_property
    def exported(self):
        """The file of each function that is not static; a name that two files define (main) is left out."""
        found = collections.defaultdict(list)
        for name, text in self.code.items():
            if name.endswith(".c"):
                for function in DEFINITION.findall(text):
                    found[function].append(name)
        return {function: files[0] for function, files in found.items() if len(files) == 1}

    @functools.cached_property
    def uses(self):
        """(file, exported function of another file) -> the file that defines it."""
        found = {}
        for name, text in self.code.items():
            if name.endswith(".c"):
                own = set(STATIC.findall(text))
                for word in set(WORD.findall(TAG.sub("", text))) - own:
                    if self.exported.get(word, name) != name:
                        found[name, word] = self.exported[word]
        return found

    def one_caller(self):
        callers = collections.Counter(function for _, function in self.uses)
        return round(100 * sum(callers[function] == 1 for function in self.exported) / len(self.exported), 1)

    def circles(self):
        """Of calls between C files, of includes between headers, of imports in the page."""
        edges = collections.defaultdict(set)
        for (user, _), owner in self.uses.items():
            edges[user].add(owner)
        for name in self.code:
            if name.endswith(".h"):
                edges[name].update(set(INCLUDE.findall(self.product[name])) & set(self.code))
        for name, text in self.product.items():
            if name.endswith((".ts", ".tsx")) and ".test." not in name:
                for path in IMPORT.findall(text):
                    base = os.path.normpath(os.path.join(os.path.dirname(name), path))
                    edges[name].update({base, base + ".ts", base + ".tsx"} & set(self.product))
        return components(edges)

    def closing(self, circle):
        """The calls inside a circle."""
        return sorted("%s calls %s of %s" % (user, word, owner) for (user, word), owner in self.uses.items()
                      if user in circle and owner in circle)

    def naming(self, kind):
        pattern = re.compile(r"(?<![\w-])(?:%s)(?![\w-])" % EXAMPLES[kind])
        return sorted(name for name, text in self.product.items() if pattern.search(text) and pattern.search(stripped(text, strings=True))
                      and ".test." not in name and name not in OPTIONAL.get(kind, ()))

    def figures(self):
        return {"product lines": self.lines(), "headers": self.headers(), "circles": len(self.circles()),
                "exported functions that one other file calls, %": self.one_caller(),
                **{"files for a%s %s" % ("n" if kind == "option" else "", kind): len(self.naming(kind)) for kind in EXAMPLES}}

    def report(self):
        yield "| figure | value |"
        yield "|---|---|"
        for name, value in self.figures().items():
            yield "| %s | %s |" % (name, value)
        yield ""
        for kind in EXAMPLES:
            yield "- %s: %s" % (kind, ", ".join("`%s`" % name for name in self.naming(kind)))


class Structure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sources = Sources(ROOT)

    def test_circles(self):
        circles = self.sources.circles()
        self.assertLessEqual(len(circles), CIRCLES, "\n".join(line for circle in circles for line in self.sources.closing(circle)))


class MeasuresCanFail(unittest.TestCase):
    """The same measures on a tree with what they look for."""

    def measured(self, files):
        sources = Sources(ROOT / "no such folder")
        sources.texts.update(files)
        sources.product.update(files)
        sources.code.update({name: stripped(text) for name, text in files.items()})
        return sources

    def test_a_circle_of_calls_is_found(self):
        files = {"mcp/a.c": "int a(void)\n{\n    return b();\n}\n", "mcp/b.c": "int b(void)\n{\n    return c();\n}\n",
                 "mcp/c.c": "int c(void)\n{\n    return a();\n}\nint d(void)\n{\n    return 0;\n}\n"}
        self.assertEqual(self.measured(files).circles(), [["mcp/a.c", "mcp/b.c", "mcp/c.c"]])
        self.assertEqual(self.measured(files).one_caller(), 75)
        for harmless in ("/* a() */", 'puts("a()")', "static int a(void);\nint x = a()", "struct a *x;"):
            self.assertEqual(self.measured({**files, "mcp/c.c": "int c(void)\n{\n    return 0;\n}\n" + harmless}).circles(), [])

    def test_a_circle_of_includes_is_found(self):
        files = {"mcp/a.h": '#include "mcp/b.h"\n', "mcp/b.h": '#include "mcp/a.h"\n', "mcp/c.h": '#include "mcp/a.h"\n'}
        self.assertEqual(self.measured(files).circles(), [["mcp/a.h", "mcp/b.h"]])

    def test_names_are_whole_words(self):
        files = {"mcp/a.c": '"store-timeout"', "mcp/b.c": "restore_timeout", "mcp/c.c": "int store_timeout_ms;"}
        self.assertEqual(self.measured(files).naming("option"), ["mcp/a.c", "mcp/c.c"])


class Symbols(unittest.TestCase):
    """No function of the C library is defined by the program: it would replace that of all libraries of the process."""

    @staticmethod
    def defined(*words):
        """The functions; data such as stdout is copied into each program by the linker."""
        done = subprocess.run(["nm", "--defined-only", *words], check=True, capture_output=True, text=True)
        rows = [line.split() for line in done.stdout.splitlines()]
        return {row[-1].split("@")[0] for row in rows if len(row) == 3 and row[1] in "TWi"} - {"_init", "_fini"}

    def test_none_of_libc_is_redefined(self):
        program = pathlib.Path(os.environ["LECTERN_BUILD"], "lectern")
        linked = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
        libc = self.defined("-D", re.search(r"libc\.so\.6 => (\S+)", linked).group(1))
        self.assertLessEqual({"recv", "send", "epoll_ctl", "malloc"}, libc)
        own = self.defined(str(program))
        self.assertIn("main", own)
        self.assertEqual(own & libc, set())


def main(words):
    root = pathlib.Path(words[words.index("--root") + 1]) if "--root" in words else ROOT
    sources = Sources(root)
    if "--report" in words:
        print("\n".join(sources.report()))
    for circle in sources.circles():
        print("\ncircle of %d: %s" % (len(circle), ", ".join(circle)))
        if "--circles" in words:
            print("\n".join("    " + call for call in sources.closing(circle)))


if __name__ == "__main__":
    if "--report" in sys.argv or "--circles" in sys.argv:
        main(sys.argv[1:])
    else:
        unittest.main()

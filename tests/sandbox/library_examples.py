# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the examples in the docstrings of the libraries of the pinned Python, and in guides, as analyses, and lists each refusal with its
reason. Each docstring is one program.

    LECTERN_BUILD=build/release /usr/bin/python3 -B tests/sandbox/library_examples.py [--profile P] [--engine E] [--guides FOLDER] [--list CATEGORY]

  --profile   minimal, data-science or visualization (default)
  --engine    local (default), process or docker
  --guides    a folder with HTML pages, such as that of Debian's python-pandas-doc or python-scipy-doc, unpacked
  --list      the programs of a category: refused, failed, or a part of a reason

Ends with a table: programs that ran, that the validator refused, by rule, and that failed when they ran, by error. Not a test, because
examples also show files, networks and mistakes; a reader decides whether a reason is right.
"""
import argparse
import ast
import collections
import doctest
import html
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import sandbox  # noqa: E402

PRELUDES = {"numpy": "import numpy as np", "pandas": "import numpy as np\nimport pandas as pd", "networkx": "import networkx as nx",
            "scipy": "import numpy as np", "matplotlib": "import numpy as np\nimport matplotlib.pyplot as plt"}
PARSER = doctest.DocTestParser()
RULE = re.compile(r"^line \d+: (.*)", re.MULTILINE)
ERROR = re.compile(r"^(\w+(?:\.\w+)*(?:Error|Exception|Warning|Iteration|Exit|Interrupt))\b:? ?(.*)", re.MULTILINE)


def program(text):
    """The examples in that text as one program, without those that show an error; "" if there is none."""
    try:
        examples = PARSER.get_examples(text)
    except ValueError:
        return ""
    return "".join(example.source for example in examples if not example.exc_msg and doctest.SKIP not in example.options)


def docstrings(library):
    """(name, program) of each docstring with examples."""
    folder = sandbox.PINNED / "usr/lib/python3/dist-packages" / library
    for path in sorted(folder.rglob("*.py")):
        try:
            tree = ast.parse(path.read_text())
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                code = program(ast.get_docstring(node) or "")
                if code:
                    yield "%s:%s" % (path.relative_to(folder.parent), getattr(node, "name", "")), code


def with_prelude(code):
    """A page's program with the imports that its guide makes at the beginning, as far as it uses them."""
    names = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot"}
    return "".join("import %s as %s\n" % (module, name) for name, module in names.items() if re.search(r"\b%s\." % name, code)) + code


def pages(folder):
    """(name, program) of each page of a guide: its inputs, by the prompts of Python or IPython."""
    for path in sorted(folder.rglob("*.html")):
        parts = []
        for block in re.findall(r"<pre>(.*?)</pre>", path.read_text(errors="replace"), re.DOTALL):
            text = html.unescape(re.sub(r"<[^>]*>", "", block))
            text = re.sub(r"^In \[\d+\]: ", ">>> ", text, flags=re.MULTILINE)
            text = re.sub(r"^ *\.\.\.+: ?", "... ", text, flags=re.MULTILINE)
            parts.append(program(text))
        code = "".join(parts)
        if code:
            yield path.name, code


def classify(failed, text):
    """(category, reason): the first sentence of the validator, or the error's name and the beginning of its text without numbers."""
    if not failed:
        return "ran", ""
    if "blocked" in text.split("\n", 1)[0]:
        rule = RULE.search(text)
        return "refused", re.split(r"(?<!\.)\. |$", rule.group(1))[0] if rule else text[:90]
    errors = ERROR.findall(text)
    return "failed", "%s: %s" % (errors[-1][0], re.sub(r"\d+", "…", errors[-1][1])[:70]) if errors else text[-90:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", default="visualization")
    parser.add_argument("--engine", default="local")
    parser.add_argument("--guides", type=pathlib.Path)
    parser.add_argument("--list")
    options = parser.parse_args()
    programs = [("guide", name, with_prelude(code)) for name, code in pages(options.guides)] if options.guides else [
        (library, name, PRELUDES[library] + "\n" + code) for library in PRELUDES for name, code in docstrings(library)]
    workspace = harness.Workspace()
    try:
        workspace.run("demo")
        server = harness.Server(workspace, "--sandbox", options.engine, "--profile", options.profile, "--timeout", "20")
        try:
            server.initialize()
            counts, reasons = collections.defaultdict(collections.Counter), collections.Counter()
            for number, (library, name, code) in enumerate(programs):
                if number % 200 == 0:
                    print("%d of %d" % (number, len(programs)), file=sys.stderr)
                category, reason = classify(*server.call("execute_code", code=code))
                counts[library][category] += 1
                reasons[category, reason] += 1
                if options.list and options.list in (category, reason):
                    print("---- %s: %s\n%s" % (name, reason, code))
        finally:
            server.close()
    finally:
        workspace.close()
    for library, found in counts.items():
        print("%-12s %s" % (library, ", ".join("%s %d" % pair for pair in sorted(found.items()))))
    for (category, reason), count in reasons.most_common():
        if category != "ran":
            print("%6d  %-8s %s" % (count, category, reason))


if __name__ == "__main__":
    main()

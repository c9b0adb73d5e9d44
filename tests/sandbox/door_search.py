# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches the sources of the libraries for doors: calls that evaluate a text, import, or use an attribute by a name that is computed.

    /usr/bin/python3 tests/sandbox/door_search.py    prints each call with what decides about it

The libraries are those that the widest profile loads: all files of each package, and the loaded files of Python's own library. Calls of
guarded functions need no row: the guard decides wherever they are, and what a function may do beyond that is a row of door_rules.py. The
others pass the guards by. Where the source does not show that they are harmless, tests/data/doors.txt must say so.

Compiled modules call these functions where no guard stands. What runs code or imports makes an event of the audit hook, which decides; the
functions of Python's that run code without one are listed, and no module may use them. For names there is the source of some modules, in
Cython: each computed one needs a row. Of the others only the attributes of the interpreter's objects are guarded, wherever they are read.
"""
import ast
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("LECTERN_BUILD", ROOT / "build" / "dev"))
TABLE = ROOT / "tests/data/doors.txt"
FOLDERS = tuple(map(pathlib.Path, ("/usr/lib/python3/dist-packages", "/usr/lib/python3.11")))
UNLOADED = frozenset(("tests", "conftest.py", "setup.py", "distutils", "f2py"))  # parts of paths; Search checks it

TEXTS = frozenset(("eval", "exec", "compile"))
IMPORTS = frozenset(("__import__", "import_module"))
# Place of the name among the arguments.
BY_NAME = {"getattr": 1, "setattr": 1, "delattr": 1, "attrgetter": 0, "methodcaller": 0}
PAST_THE_GUARD = {"__getattribute__": -1, "__setattr__": -2, "__delattr__": -1}  # from the end: the object may come first
MAKERS = frozenset(("FunctionType", "CodeType", "Unpickler", "load_module", "exec_module", "run_module", "run_path"))
DOORS = TEXTS | IMPORTS | MAKERS | set(BY_NAME) | set(PAST_THE_GUARD)
BUILTIN = TEXTS | {"__import__", "getattr", "setattr", "delattr"}  # as attributes of other objects they are something else: re.compile
WORD = re.compile(r"\b(?:%s)\s*\(" % "|".join(sorted(DOORS)))
FORWARDS = re.compile(r"\b__(?:getattr|getattribute|setattr|delattr)__$")
COMPREHENSIONS = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>", ast.DictComp: "<dictcomp>", ast.GeneratorExp: "<genexpr>"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

Call = collections.namedtuple("Call", "place door node inside")  # place: "FILE:QUALIFIED NAME"; inside: whether it is in a function


def allowed_modules():
    profiles = json.loads((BUILD / "share/policy.json").read_text())["profiles"]
    return [name for name in profiles["visualization"] if name != "code_helpers"]


def loaded_files(modules):
    """The files that a plain interpreter has loaded after these imports."""
    code = ("import importlib, json, sys, warnings\nwarnings.simplefilter('ignore')\n"
            "for name in %r: importlib.import_module(name)\n"
            "print(json.dumps([str(module.__file__) for module in list(sys.modules.values()) if getattr(module, '__file__', None)]))"
            % (modules,))
    return list(map(pathlib.Path, json.loads(subprocess.run(["/usr/bin/python3", "-I", "-c", code], check=True, stdout=subprocess.PIPE).stdout)))


def sources(loaded):
    """{name in the rules: path}."""
    found = {}
    for path in loaded:
        if FOLDERS[0] in path.parents:
            package = FOLDERS[0] / path.relative_to(FOLDERS[0]).parts[0]
            for one in package.rglob("*.py") if package.is_dir() else [path]:
                found[str(one.relative_to(FOLDERS[0]))] = one
        elif FOLDERS[1] in path.parents:
            found[str(path.relative_to(FOLDERS[1]))] = path
    return {name: path for name, path in found.items() if path.suffix == ".py" and UNLOADED.isdisjoint(name.split("/"))}


def door_of(call):
    if isinstance(call.func, ast.Name):
        return call.func.id if call.func.id in DOORS else None
    name = call.func.attr if isinstance(call.func, ast.Attribute) else None
    owner = call.func.value.id if name in BUILTIN and isinstance(call.func.value, ast.Name) else None
    return name if name in DOORS and (name not in BUILTIN or owner in ("builtins", "bltns")) else None


def calls(name, tree):
    """The calls of a file, with the name of the function that makes each."""
    def walk(node, prefix, inside):
        if isinstance(node, ast.Call) and door_of(node):
            yield Call("%s:%s" % (name, prefix.removesuffix(".").removesuffix(".<locals>")), door_of(node), node, inside)
        if isinstance(node, FUNCTIONS):
            for child in (*getattr(node, "decorator_list", ()), node.args):
                yield from walk(child, prefix, inside)
            for child in node.body if isinstance(node.body, list) else [node.body]:
                yield from walk(child, "%s%s.<locals>." % (prefix, getattr(node, "name", "<lambda>")), True)
            return
        if isinstance(node, ast.ClassDef):
            prefix = "%s%s." % (prefix, node.name)
        elif type(node) in COMPREHENSIONS:
            prefix = "%s%s.<locals>." % (prefix, COMPREHENSIONS[type(node)])
        for child in ast.iter_child_nodes(node):
            yield from walk(child, prefix, inside)

    return walk(tree, "", False)


def search(files):
    for name, path in sorted(files.items()):
        text = path.read_text(encoding="utf-8", errors="replace")
        if WORD.search(text):
            yield from calls(name, ast.parse(text))


# ---- what decides about a call ----

def is_constant(call):
    names = call.node.args
    if call.door in PAST_THE_GUARD:
        names = names[PAST_THE_GUARD[call.door]:][:1]
    elif call.door in BY_NAME:
        names = names[BY_NAME[call.door]:]
        names = names if call.door == "attrgetter" else names[:1]
    return bool(names) and all(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in names[:1 if call.door != "attrgetter" else None])


def derive(call, rules):
    """What decides about a call, or None where only a row can tell."""
    if not call.inside:
        return "harmless: runs only while importing"
    if call.door in TEXTS:
        return "guarded: text-as-code%s" % (", with the texts of its row" if call.place in rules.TEXTS else "")
    if call.door in IMPORTS:
        return "guarded: import-by-name%s" % (", with the modules of its row" if call.place in rules.MODULES else "")
    if call.door in MAKERS:
        return None
    if is_constant(call):
        return "harmless: the name is a constant"
    if call.door in BY_NAME:
        return "guarded: attribute-by-name%s" % (", with the names of its row" if call.place in rules.ATTRIBUTES else
                                                 ", private names too" if call.place in rules.PUBLIC else "")
    return "harmless: passes on the name that is asked for" if FORWARDS.search(call.place) else None


def rows():
    """{"FILE:FUNCTION DOOR": reason} of tests/data/doors.txt."""
    found, reason = {}, None
    for line in TABLE.read_text().splitlines():
        if line.startswith("= "):
            reason = line[2:]
        elif line and not line.startswith("#"):
            assert reason and line not in found, line
            found[line] = reason
    return found


# ---- compiled modules ----

# Functions that run code, or make some, without the event "exec".
SILENT = re.compile(r"PyEval_EvalCode\w*|_?PyEval_EvalFrame\w*|PyFunction_New\w*|PyImport_ExecCode\w+|PyImport_ImportFrozen\w+|PyMarshal_Read\w+")
COMPUTED = re.compile(r"\b(?:(?:getattr|setattr|delattr)\s*\((?![^,()]*,\s*(?:\"\w+\"|'\w+'))|(?:eval|exec|__import__|import_module)\s*\()[^#\n]*")


def used_symbols(loaded):
    """{compiled module: the functions of the interpreter that it uses}. Of packages all, of Python's own the loaded ones."""
    paths = {path for path in loaded if path.suffix == ".so"}
    for package in {path.relative_to(FOLDERS[0]).parts[0] for path in loaded if FOLDERS[0] in path.parents}:
        paths.update(FOLDERS[0].joinpath(package).rglob("*.so"))
    return {path: set(subprocess.run(["nm", "-D", "--undefined-only", path], check=True, stdout=subprocess.PIPE).stdout.decode().split())
            for path in paths if UNLOADED.isdisjoint(path.parts)}


def computed_in_cython(loaded):
    """"FILE CALL" of each call with a computed name in the sources of compiled modules."""
    for package in sorted({path.relative_to(FOLDERS[0]).parts[0] for path in loaded if FOLDERS[0] in path.parents}):
        for path in sorted(one for kind in ("*.pyx", "*.pxi", "*.in") for one in FOLDERS[0].joinpath(package).rglob(kind)):
            if UNLOADED.isdisjoint(path.parts):
                for found in COMPUTED.findall(path.read_text(encoding="utf-8", errors="replace")):
                    yield "%s %s" % (path.relative_to(FOLDERS[0]), found.strip())


def load_rules():
    sys.path.insert(0, str(ROOT / "image/python"))
    try:
        return __import__("door_rules")
    finally:
        sys.path.pop(0)


if __name__ == "__main__":
    table, rules = rows(), load_rules()
    for one in search(sources(loaded_files(allowed_modules()))):
        key = "%s %s" % (one.place, one.door)
        print("%s\t%s" % (key, derive(one, rules) or table.get(key, "NO ROW")))

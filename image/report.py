# SPDX-License-Identifier: GPL-3.0-or-later
"""How a run failed, in words for who wrote it: the code's own traceback lines, the error, and a hint for the
frequent mistakes. Paths of the sandbox's files are left out."""
import ast
import os
import re
import sys
import traceback
import warnings

NAMES_LISTED = 30
SNIPPETS = 60  # characters of an expression that is quoted
KIND_NAME = type.__dict__["__name__"].__get__

KINDS = (  # what the helpers' dicts are, by the fields that tell
    ("component", ("parameters", "order_index")),
    ("relationship", ("from_node_id", "to_node_id")),
    ("node's content", ("node_id", "components")),
    ("node", ("node_id", "title")),
)


def names(items):
    items = [str(item) for item in items]
    more = len(items) - NAMES_LISTED
    return ", ".join(items[:NAMES_LISTED]) + (", and %d more" % more if more > 0 else "")


class Place:
    """The innermost of the code's own frames that an exception went through."""

    def __init__(self, trace, tree):
        self.frame = trace.tb_frame
        self.line = trace.tb_lineno
        self.tree = tree
        positions = list(trace.tb_frame.f_code.co_positions())
        index = trace.tb_lasti // 2
        self.position = positions[index] if index < len(positions) else None

    def node(self, *types):
        """The syntax node of one of these types that was being evaluated, or None."""
        if self.tree is None or self.position is None:
            return None
        for node in ast.walk(self.tree):
            if isinstance(node, types) and self.position == (node.lineno, node.end_lineno, node.col_offset,
                                                             node.end_col_offset):
                return node
        return None

    def value(self, node):
        """What a plain name or a subscript of plain containers stands for; nothing of the code is called."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            scope = self.frame.f_locals
            return scope.get(node.id, self.frame.f_globals.get(node.id))
        if isinstance(node, ast.Subscript):
            container, key = self.value(node.value), self.value(node.slice)
            if type(container) in (dict, list, tuple) and type(key) in (str, int):
                return container[key]
        return None


def hint_key(error, place):
    node = place.node(ast.Subscript)
    if node is None:
        return None
    container = place.value(node.value)
    key = error.args[0] if error.args else None
    text = ast.unparse(node.value)[:SNIPPETS]
    pandas = sys.modules.get("pandas")
    if pandas is not None and type(container) is pandas.DataFrame:
        return "the columns of %s are: %s" % (text, names(container.columns))
    if type(container) is not dict:
        return None
    what = next((kind for kind, fields in KINDS if all(field in container for field in fields)), "dict")
    advice = "the %s %s has the fields: %s" % (what, text, names(container)) if container else "%s is empty" % text
    inner = container.get("parameters")
    if type(inner) is dict:
        if key in inner:
            advice += "; %r is in %s[\"parameters\"]" % (key, text)
        else:
            advice += "; its parameters are: %s" % names(inner)
    return advice + "; .get(%r) gives None where a field is absent" % (key,)


def hint_none(error, _place):
    if "NoneType" in str(error):
        return "a title, text or category may be None; write (value or \"\") before you use it"
    return None


def hint_attribute(error, _place):
    found = re.search(r"'(dict|list|NoneType)' object has no attribute '(\w+)'", str(error))
    if not found:
        return None
    kind, name = found.groups()
    if kind == "dict":
        return "nodes, relationships and components are dicts: write value[\"%s\"], not value.%s" % (name, name)
    if kind == "list":
        return "get_nodes(), get_relationships() and \"components\" are lists: loop over them"
    return hint_none(error, _place)


def hint_name(error, _place):
    helper = sys.modules.get("code_helpers")
    name = getattr(error, "name", None)
    if name in getattr(helper, "__all__", ()):
        return "from code_helpers import %s" % name
    if name in ("pd", "np", "nx"):
        return {"pd": "import pandas as pd", "np": "import numpy as np", "nx": "import networkx as nx"}[name]
    return None


def hint_recursion(_error, _place):
    return "it called itself without end, or %d calls deep; write it as a loop with a list of what is left to do" \
        % sys.getrecursionlimit()


def hint_import(error, _place):
    if "matplotlib" in str(error):
        return "write import matplotlib.pyplot as plt at the top; it needs the profile visualization"
    return None


HINTS = (  # the first row whose type fits
    (KeyError, hint_key),
    (ImportError, hint_import),
    (AttributeError, hint_attribute),
    (TypeError, hint_none),
    (NameError, hint_name),
    (RecursionError, hint_recursion),
)


class Reporter:
    def __init__(self, filename, folders, memory_mb):
        self.filename = filename
        self.memory_mb = memory_mb
        self.tree = None
        # Longest first, so that no rest of a longer path stays.
        roots = {os.path.abspath(path) + "/" for path in [*sys.path, *folders, sys.prefix + "/lib"] if path}
        self.paths = re.compile("|".join(re.escape(root) for root in sorted(roots, key=len, reverse=True)))

    @staticmethod
    def kind(error):
        """The name of its type; a metaclass is the code's own and is not asked."""
        return KIND_NAME(type(error))

    def scrub(self, text):
        return self.paths.sub("", text)

    def own_frames(self, trace):
        own = []
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.filename:
                own.append(trace)
            trace = trace.tb_next
        return own

    def keep_own(self, summary, seen):
        """The traceback of an exception and of those it came from, without anybody else's lines."""
        if summary is None or id(summary) in seen:
            return
        seen.add(id(summary))
        summary.stack[:] = [frame for frame in summary.stack if frame.filename == self.filename]
        for link in ("__cause__", "__context__"):
            earlier = getattr(summary, link)
            self.keep_own(earlier, seen)
            if earlier is not None and not earlier.stack:  # a library's own affair
                setattr(summary, link, None)
        for inner in getattr(summary, "exceptions", None) or ():
            self.keep_own(inner, seen)

    def hint(self, error, own):
        if not own:
            return None
        try:
            place = Place(own[-1], self.tree)
            return next((make(error, place) for kind, make in HINTS if isinstance(error, kind)), None)
        except Exception:  # a hint is a courtesy; the values it looks at are the code's own and may do anything
            return None

    def failed(self, error, namespace):
        """The members of the result for an exception."""
        kind = self.kind(error)
        own = self.own_frames(error.__traceback__)
        line = own[-1].tb_lineno if own else getattr(error, "lineno", None)
        if isinstance(error, MemoryError):
            return self.out_of_memory(error, namespace, line)
        summary = traceback.TracebackException(type(error), error, error.__traceback__, lookup_lines=False,
                                               compact=True)
        self.keep_own(summary, set())
        text = "".join(summary.format()).rstrip("\n")
        hint = self.hint(error, own)
        if hint:
            text += "\nHint: " + hint
        return {"error": self.scrub(text), "error_type": kind, "line": line if isinstance(line, int) else None}

    def out_of_memory(self, error, namespace, line):
        traceback.clear_frames(error.__traceback__)
        namespace.clear()
        where = " at line %d" % line if isinstance(line, int) else ""
        return {"error": "MemoryError: the code needed more than the %d MB of memory it may use%s; keep less at a "
                         "time" % (self.memory_mb, where), "error_type": "MemoryError", "line": line}

    def timeout(self, frame, seconds):
        """The members of the result for a run that the deadline caught in this frame."""
        own = []
        while frame is not None:
            if frame.f_code.co_filename == self.filename:
                own.append((frame, frame.f_lineno))
            frame = frame.f_back
        text = "TimeoutError: the code ran for %g s, the longest it may, and was ended" % seconds
        if own:
            stack = traceback.StackSummary.extract(reversed(own), lookup_lines=True)
            text += "; it was at\n" + "".join(stack.format()).rstrip("\n")
        text += "\nHint: what it printed until then is kept; do less in one run, or look for a loop that does not end"
        return {"error": self.scrub(text), "error_type": "TimeoutError", "line": own[0][1] if own else None}

    def exited(self, end):
        """The arguments of finish() for sys.exit and its like."""
        code = SystemExit.code.__get__(end)
        if code is None:
            return (0,)
        if issubclass(type(code), int):
            if int.__eq__(code, 0):
                return (0,)
            status = int.__and__(code, 0xff) or 1
            return status, None, "SystemExit: the code ended itself with exit status %d" % status, "SystemExit"
        try:
            text = self.scrub(str(code))
        except BaseException:  # the text is made by the code's own method
            text = "(its text could not be made)"
        return 1, None, "SystemExit: %s" % text, "SystemExit"

    def show_warning(self, message, category, filename, lineno, _file=None, _line=None):
        where = "%s:%d: " % (filename, lineno) if filename == self.filename else ""
        sys.stderr.write("%s%s: %s\n" % (where, category.__name__, self.scrub(str(message))))


def make_reporter(filename, folders, memory_mb):
    warnings.filterwarnings("default", module="__main__")
    return Reporter(filename, folders, memory_mb)

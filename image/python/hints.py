# SPDX-License-Identifier: GPL-3.0-or-later
"""Hints on what to write instead, for frequent mistakes with the dicts of code_helpers, with pandas and with networkx.

A hint is optional. The values it examines belong to the code, so it reads them only by their exact types and calls none of their methods.
"""
import ast
import difflib
import re
import sys

NAMES_LISTED = 30
SNIPPETS = 60  # characters of a quoted expression
NAMES_COMPARED = 20000  # maximum number of names compared to find the nearest
LOOPS = 3  # loops reported after a timeout

KINDS = (  # types of the helpers' dicts, recognized by their fields
    ("component", ("parameters", "order_index")),
    ("relationship", ("from_node_id", "to_node_id")),
    ("node's content", ("node_id", "components")),
    ("node", ("node_id", "title")),
)


def names(items):
    items = list(items)
    more = len(items) - NAMES_LISTED
    return ", ".join(str(item) for item in items[:NAMES_LISTED]) + (", and %d more" % more if more > 0 else "")


def nearest(wrong, right):
    """The candidate most similar to the misspelt name, or None."""
    if type(wrong) is not str:
        return None
    texts = [text for _, text in zip(range(NAMES_COMPARED), right) if type(text) is str]
    folded = {text.lower().replace("_", ""): text for text in texts}
    same = folded.get(wrong.lower().replace("_", ""))
    found = [same] if same is not None else difflib.get_close_matches(wrong, texts, 1, 0.7)
    return found[0] if found and found[0] != wrong else None


def is_of(value, module, *types):
    """Whether its exact type is one of these types of a library."""
    library = sys.modules.get(module)
    return library is not None and any(type(value) is getattr(library, name, None) for name in types)


def is_frame(value):
    return is_of(value, "pandas", "DataFrame")


def is_graph(value):
    return is_of(value, "networkx", "Graph", "DiGraph", "MultiGraph", "MultiDiGraph")


class Place:
    """The innermost frame of the analysis code that an exception passed through."""

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
        """The value of a plain name or of a subscript of plain containers; calls no method of the code."""
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

    def root(self):
        """(name, value) at the beginning of the expression: df in df.groupby("a")["b"]."""
        node = self.node(ast.Subscript, ast.Call, ast.Attribute, ast.BinOp, ast.Compare)
        while isinstance(node, (ast.Subscript, ast.Call, ast.Attribute)):
            node = node.func if isinstance(node, ast.Call) else node.value
        return (node.id, self.value(node)) if isinstance(node, ast.Name) else (None, None)

    def first_argument(self):
        """The value of the call's first argument, if it is plain, and its source text."""
        node = self.node(ast.Call)
        if node is None or not node.args:
            return None, ""
        return self.value(node.args[0]), ast.unparse(node.args[0])[:SNIPPETS]


def did_you_mean(wrong, right):
    near = nearest(wrong, right)
    return "; did you mean %r?" % near if near is not None else ""


# ---- keys, indexes, attributes, names ----

def hint_frame_key(key, name, frame):
    wrong = re.search(r"'([^']+)'", key).group(1) if type(key) is str and "'" in key else key
    if type(wrong) is str and wrong.startswith("Column not found: "):
        wrong = wrong.partition(": ")[2]
    return "the columns of %s are: %s%s" % (name, names(frame.columns), did_you_mean(wrong, frame.columns))


def hint_graph_key(key, name, graph):
    if graph.has_node(key):
        return "%s has the node %r; what is kept with it, or with its edge, may lack the field: use .get(...)" % (name, key)
    known = list(graph.nodes)
    for node, kept in zip(known, graph.nodes.values()):
        if key in kept:
            return ".get(%r): not all nodes of %s have it" % (key, name)
    return "%s has no node %r; its %d nodes are: %s%s" % (name, key, len(known), names(known), did_you_mean(key, known))


def hint_dict_key(key, text, container):
    what = next((kind for kind, fields in KINDS if all(field in container for field in fields)), "dict")
    if not container:
        return "%s is empty" % text
    advice = "the %s %s has the fields: %s%s" % (what, text, names(container), did_you_mean(key, container))
    inner = container.get("parameters")
    if type(inner) is dict:
        if key in inner:
            advice += "; %r is in %s[\"parameters\"]" % (key, text)
        else:
            advice += "; its parameters are: %s%s" % (names(inner), did_you_mean(key, inner))
    elif what == "node" and key in ("components", "parameters"):
        advice += "; components come with get_node_content(%s[\"node_id\"])" % text
    elif what == "node's content" and key in ("parameters", "component_type"):
        advice += "; loop over %s[\"components\"]" % text
    return advice + "; .get(%r) gives None where a field is absent" % (key,)


def hint_key(error, place):
    key = error.args[0] if error.args else None
    node = place.node(ast.Subscript)
    container = place.value(node.value) if node is not None else None
    if type(container) is dict:
        return hint_dict_key(key, ast.unparse(node.value)[:SNIPPETS], container)
    if node is not None and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name) and \
            node.value.func.id in getattr(sys.modules.get("code_helpers"), "__all__", ()):
        return "the dict that %s gives has no %r; print(list(%s)) shows its keys" \
            % (node.value.func.id, key, ast.unparse(node.value)[:SNIPPETS])
    name, value = place.root()
    if is_frame(value):
        return hint_frame_key(key, name, value)
    if is_graph(value):
        return hint_graph_key(key, name, value)
    if is_of(value, "pandas", "Series"):
        return "the index of %s is: %s%s" % (name, names(value.index[:NAMES_LISTED]), did_you_mean(key, value.index))
    return None


def hint_index(_error, place):
    node = place.node(ast.Subscript)
    container = place.value(node.value) if node is not None else None
    if type(container) not in (list, tuple, str):
        return None
    text = ast.unparse(node.value)[:SNIPPETS]
    if not container:
        return "%s is empty; ask if %s: first" % (text, text)
    return "%s has %d items, from 0 to %d" % (text, len(container), len(container) - 1)


def attributes_of(value):
    """The public names of its type, without calling any of its methods."""
    found = set()
    for base in type.__dict__["__mro__"].__get__(type(value)):
        found.update(type.__dict__["__dict__"].__get__(base))
    return sorted(name for name in found if type(name) is str and name[:1] != "_")


def hint_attribute(error, _place):
    found = re.search(r"'(dict|list|NoneType|str)' object has no attribute '(\w+)'", str(error))
    kind, name = found.groups() if found else (None, getattr(error, "name", None))
    value = getattr(error, "obj", None)
    if kind == "NoneType":
        return hint_none(error, _place)
    if is_frame(value) or is_of(value, "pandas", "Series"):
        columns = list(value.columns) if is_frame(value) else []
        return "the columns are: %s%s" % (names(columns), did_you_mean(name, [*columns, *attributes_of(value)])) if columns \
            else did_you_mean(name, attributes_of(value))[2:] or None
    near = nearest(name, value.__dict__ if type(value) is type(sys) else attributes_of(value))
    if near is not None and near[:1] != "_":
        return "did you mean .%s?" % near
    if kind == "dict":
        return "nodes, relationships and components are dicts: write value[\"%s\"], not value.%s" % (name, name)
    if kind == "list":
        return "get_nodes(), get_relationships() and \"components\" are lists: loop over them"
    if kind == "str" and name in ("get", "items", "keys", "values"):
        return DICT_KEYS
    return None


def hint_name(error, place):
    helper = sys.modules.get("code_helpers")
    name = getattr(error, "name", None)
    if name in getattr(helper, "__all__", ()):
        return "from code_helpers import %s" % name
    if name in ("pd", "np", "nx", "plt"):
        return {"pd": "import pandas as pd", "np": "import numpy as np", "nx": "import networkx as nx",
                "plt": "import matplotlib.pyplot as plt"}[name]
    if isinstance(error, UnboundLocalError):
        return "the function binds it somewhere, so it is the function's own and had no value yet; give it one first, or " \
               "pass it as an argument"
    near = nearest(name, [*place.frame.f_locals, *place.frame.f_globals, *getattr(helper, "__all__", ())])
    return "did you mean %s?" % near if near is not None else None


def hint_import(error, _place):
    if "matplotlib" in str(error):
        return "write import matplotlib.pyplot as plt at the top; it needs the profile visualization"
    return None


def hint_none(error, _place):
    if "NoneType" in str(error):
        return NONE
    return None


def hint_node_id(_error, place):
    value, text = place.first_argument()
    if type(value) is list:
        return "it takes one id: [get_node_content(n[\"node_id\"]) for n in %s], or get_all_content() for all nodes" % text
    if type(value) is dict and "node_id" in value:
        return "give it the id: get_node_content(%s[\"node_id\"])" % text
    return "give it the id: get_node_content(node[\"node_id\"])"


def hint_json(_error, place):
    value, text = place.first_argument()
    if type(value) in (dict, list):
        return "%s is a %s already; leave json.loads away" % (text, type(value).__name__)
    return NOT_TEXT


def hint_no_json(_error, place):
    value, text = place.first_argument()
    if type(value) is str and not value.strip():
        return "%s is empty" % text
    return NOT_TEXT


def hint_graph_node(error, place):
    node = place.node(ast.Call)
    values = [(ast.unparse(one), place.value(one)) for one in node.args] if node is not None else []
    name, graph = next(((text, value) for text, value in values if is_graph(value)), place.root())
    if not is_graph(graph):
        return None
    known = list(graph.nodes)
    wrong = next((value for _, value in values if type(value) in (str, int) and value not in graph), None)
    if wrong is None and any(type(value) is dict for _, value in values):
        return "nodes of %s are ids: write node[\"node_id\"]" % name
    return "%s has the nodes: %s%s; ask if n in %s: first" % (name, names(known), did_you_mean(wrong, known), name)


# ---- the tables ----

NONE = 'a title, text or category may be None; write (value or "") before you use it, or leave out what is None: ' \
       '[n for n in nodes if n["title"] is not None]'
DICT_KEYS = 'it is text, not a dict: a loop over a dict gives its keys; loop over content["components"], or over d.items()'
NOT_TEXT = "json.loads takes text of JSON; nodes, contents and their parameters are dicts already"
EMPTY = "the list may be empty: write sum(xs) / len(xs) if xs else 0"
CONDITION = "write (a > 1) & (b < 2) with brackets, | for or, ~ for not; if it is one question: .any(), .all() or .empty"
CYCLE = "it has cycles, which have no order: nx.find_cycle(g) shows one; the tool query_graph lists them with query=\"cycles\""
SORT = 'say by what: sorted(nodes, key=lambda n: n["title"] or "")'
CONNECTED = "take a connected part: g.subgraph(max(nx.weakly_connected_components(g), key=len)); for an undirected graph " \
            "nx.connected_components(g)"

# type's name | pattern of the text | the hint, or the function that makes it. The first row that matches the exception's type or one
# of its bases, and gives a hint, is used. Types are given by name because the libraries may not be loaded.
HINTS = tuple((kind, re.compile(pattern), hint) for kind, pattern, hint in (
    ("KeyError", "", hint_key),
    ("IndexError", "list|tuple|string index", hint_index),
    ("IndexError", "single positional indexer", "there are fewer rows; ask len(df) first, or use df.head(n)"),
    ("AttributeError", "", hint_attribute),
    ("ImportError", "", hint_import),
    ("NameError", "", hint_name),
    ("RecursionError", "", lambda _error, _place: "it called itself without end, or %d calls deep; write it as a loop with a "
                                                  "list of what is left to do" % sys.getrecursionlimit()),
    ("TypeError", "^node_id must be text", hint_node_id),
    ("TypeError", "JSON object must be str", hint_json),
    ("TypeError", "not JSON serializable", "write json.dumps(value, default=str), or int(x) and float(x) of numpy's numbers and "
                                           "sorted(s) of sets"),
    ("TypeError", "not supported between instances of '(NoneType' and|.*' and 'NoneType)",
     'None has no order: sort by key=lambda n: n["title"] or "", compare (value or 0) > 1'),
    ("TypeError", "NoneType", NONE),
    ("TypeError", "not supported between instances of 'dict' and 'dict'", SORT),
    ("TypeError", "not supported between instances of", "the values are of different types; convert them first: int(x), "
                                                        "float(x), or sort by key=str"),
    ("TypeError", "unhashable type: 'dict'", 'a dict cannot be a key or a member of a set; take its id: node["node_id"]'),
    ("TypeError", "unhashable type: '(list|set)'", "a list cannot be a key or a member of a set; take tuple(xs)"),
    ("TypeError", "^(list|tuple) indices must be integers or slices, not str",
     'it is a list: loop over it, for x in xs: x["title"], or take one, xs[0]["title"]'),
    ("TypeError", "indices must be integers.*not float", "divide by //: xs[len(xs) // 2]"),
    ("TypeError", "^string indices must be integers", DICT_KEYS),
    ("TypeError", "object is not callable", "square brackets take items, d[key]; or a name of a function was given to a value "
                                            "(list = ..., sum = ...): give the value another name"),
    ("TypeError", r"can only concatenate str|unsupported operand type.* '(str' and|.*' and 'str)",
     'write text with values in it as f"{name}: {count}", and turn text into numbers with int(x) or float(x)'),
    ("TypeError", "expected str instance", 'write ", ".join(str(x) for x in xs)'),
    ("JSONDecodeError", "", hint_no_json),
    ("ValueError", "truth value of a (Series|DataFrame)", CONDITION),
    ("ValueError", "truth value of an array", "write np.any(a) or np.all(a); conditions on arrays go with &, | and ~ in brackets"),
    ("ValueError", "trying to merge on", 'bring both columns to one type first: df["id"] = df["id"].astype(str)'),
    ("ValueError", "columns overlap but no suffix", 'say suffixes: a.join(b, lsuffix="_a", rsuffix="_b")'),
    ("MergeError", "", "name the common column: a.merge(b, left_on=\"node_id\", right_on=\"from_node_id\")"),
    ("ValueError", r"^(max|min)\(\) .*empty", "the list is empty; write max(xs, default=0)"),
    ("ValueError", "same length|does not match length", "the columns differ in length; build the frame of one list of dicts: "
                                                        "pd.DataFrame(rows)"),
    ("ValueError", "values to unpack", "the number of names on the left differs from that of the items; g.edges(data=True) and "
                                       "enumerate(zip(a, b)) give (a, b, data) and (i, (a, b))"),
    ("ValueError", r"could not convert string to float|invalid literal for int", "the text is not a number; ask text.isdigit() first, "
                                                                                 "or pd.to_numeric(s, errors=\"coerce\")"),
    ("ValueError", "is not in list|x not in list|substring not found", "ask if x in xs: first"),
    ("ZeroDivisionError", "", EMPTY),
    ("StatisticsError", "at least two|two data points", "write statistics.stdev(xs) if len(xs) > 1 else 0"),
    ("StatisticsError", "", "the list may be empty: write statistics.mean(xs) if xs else 0"),
    ("StopIteration", "", "write next(iterator, None)"),
    ("RuntimeError", "changed size during iteration", "loop over a copy: for key in list(d):"),
    ("NetworkXNoPath", "", "ask nx.has_path(g, a, b) first"),
    ("NetworkXUnfeasible", "cycle|acyclic", CYCLE),
    ("NetworkXUnfeasible", "", CYCLE),
    ("HasACycle", "", CYCLE),
    ("NodeNotFound", "", hint_graph_node),
    ("NetworkXNotImplemented", "directed", "write g.to_undirected() for what wants an undirected graph, nx.DiGraph(g) for a directed"),
    ("NetworkXNotImplemented", "multigraph", "write nx.DiGraph(g): of parallel edges one stays"),
    ("NetworkXPointlessConcept", "", "the graph has no nodes; ask len(g) first"),
    ("PowerIterationFailedConvergence", "", "give it more rounds: max_iter=1000, or take nx.pagerank(g)"),
    ("NetworkXError", "not (strongly |weakly )?connected", CONNECTED),
    ("NetworkXError", "acyclic|cycle", CYCLE),
    ("NetworkXError", "is not in the (di)?graph", hint_graph_node),
))
BASE_NAME = type.__dict__["__name__"].__get__


def ancestry(error):
    """The names of the exception's type and its bases, without calling any of its methods."""
    return [BASE_NAME(base) for base in type.__dict__["__mro__"].__get__(type(error))]


def hint(error, trace, tree):
    """Advice on an exception that passed through this frame of the code, or None."""
    try:
        place, kinds, text = Place(trace, tree), ancestry(error), str(error)
        for kind, pattern, advice in HINTS:
            if kind in kinds and pattern.search(text):
                found = advice if isinstance(advice, str) else advice(error, place)
                if found:
                    return found
    except Exception:  # the hint is optional, and the values it examines belong to the code and may do anything
        return None
    return None


# ---- progress at a timeout ----

def told(value):
    """A loop variable's value in a few words, or None if its type is not a plain one."""
    if type(value) in (int, float):
        return repr(value)
    if type(value) is str:
        return repr(value[:SNIPPETS])
    if type(value) is dict and type(value.get("node_id")) is str:
        return "the node %s" % value["node_id"][:SNIPPETS]
    return None


def progress(frame, line, tree):
    """The state of the loops around this line: "n = 120 (line 3), word = 'x' (line 4)"; None if no plain value is known."""
    try:
        found = []
        for node in ast.walk(tree):
            if isinstance(node, ast.For) and node.lineno <= line <= node.end_lineno:
                for target in ast.walk(node.target):
                    value = told(frame.f_locals.get(target.id)) if isinstance(target, ast.Name) else None
                    if value is not None:
                        found.append("%s = %s (line %d)" % (target.id, value, node.lineno))
        return ", ".join(found[:LOOPS]) or None
    except Exception:  # see above
        return None

# SPDX-License-Identifier: GPL-3.0-or-later
"""The second check: applies the validator's policy to CPython's tree of the bytes that will run.

The server runs only what its validator accepted, so a finding here is a bug in one of the two. This file has no tables: load() reads them
from policy.json, the output of `lectern validate --dump-policy` when the image was built. The policy's rules on bytes and letters
(encodings, control characters, look-alike alphabets) and the messages are left to the validator.

It visits the nodes once, with a table of types and without recursion, because a tree may be deeper than Python's stack. Nested scopes are
deferred until the enclosing scope is complete. Only then is the meaning of a name known, so uses of names are collected and checked at the
end.
"""
import ast
import copy
import importlib.util
import json
import os
import re
from operator import attrgetter


def load_neighbour(name):
    """Loads a file of this folder without adding it to sys.modules, where the code could find it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


names, calls, meaning = map(load_neighbour, ("policy_names", "policy_calls", "policy_meaning"))

# ---- the tables ----

NAMES_AND_DOTS = re.compile(r"[A-Za-z0-9_.]*\Z")
SETS = ("readers", "reader_keywords", "reader_refused", "buffers", "path_keywords", "query_keywords", "storable", "item_storable",
        "evaluated_settings", "private_names", "dunder_texts")
PLACES = ("asked_for", "indexed", "base", "decorator", "wrapper")


class Module:
    """A row of the policy's modules."""

    def __init__(self, name, row, patterns, inner):
        self.name = name
        self.importable = row["importable"]
        self.profile = row["profile"]
        self.kind = row["kind"]
        self.listed = frozenset(row["attributes"]) if "attributes" in row else None
        if self.listed is not None:
            return
        own = [pattern[len(name) + 1:] for pattern in patterns if pattern.startswith(name + ".")]
        self.refused = inner.union(row.get("refused_attributes", ()), (one for one in own if one[-1] != "*"))
        self.begins = ("_", *(one[:-1] for one in own if one[-1] == "*"))

    def without(self, patterns):
        """The same, but refuses attributes of these patterns too."""
        own = [pattern[len(self.name) + 1:] for pattern in patterns if pattern.rpartition(".")[0] == self.name]
        if not own or self.listed is not None:
            return self
        module = copy.copy(self)
        module.refused = self.refused.union(one for one in own if one[-1] != "*")
        module.begins = (*self.begins, *(one[:-1] for one in own if one[-1] == "*"))
        return module

    def allows(self, attribute):
        if self.listed is not None:
            return attribute in self.listed
        return attribute not in self.refused and not attribute.startswith(self.begins)


class Policy:
    """The dumped tables for one profile, as sets."""

    def __init__(self, dump, modules, reach, without=None, builtin=None):
        self.python_modules = frozenset(dump["python_modules"])
        self.kind = "bare" if len(reach) == 1 else "data"
        charts = "visualization" in reach
        patterns = () if charts else dump["chart_attributes"]
        self.modules = {module.name: module.without(patterns) for module in modules
                        if module.profile in reach and module.name != without}
        for name in SETS:
            setattr(self, name, frozenset(dump[name]))
        roles = {}
        for name, its in dump["names"].items():
            for role in its:
                roles.setdefault(role, set()).add(name)
        self.names = frozenset(roles["name"]) - {builtin}
        self.attributes = frozenset(roles["attribute"])
        self.writers = frozenset(roles["writer"])
        self.queries = frozenset(roles["query"])
        self.getters = frozenset(roles["getter"])
        self.by_name = frozenset(roles["by_name"])
        self.methods_by_name = self.by_name | frozenset(roles["method_by_name"])
        self.formats = frozenset(roles["format"])
        self.keywords = frozenset(roles["keyword"])
        self.options = frozenset(roles["option"])
        self.evaluated = frozenset(roles["evaluated"])
        self.places = {place: frozenset(roles[place]) for place in PLACES}
        self.no_bases = frozenset(roles["no_base"])
        self.of_place = self.no_bases.union(*self.places.values())
        self.types = frozenset(roles["type"])
        self.methods = self.attributes | self.writers | self.queries  # refused if a method is named by text
        self.uncalled = self.attributes | self.writers | self.queries | self.getters
        self.watched_names = self.names | self.getters | self.of_place | self.types
        self.stores, self.own_stores, self.item_stores, self.memory = (
            frozenset(roles[role]) for role in ("store", "own_store", "item_store", "memory"))
        self.charts = frozenset() if charts else frozenset(roles["chart"])
        self.checks = frozenset(roles["check"])
        self.of_arrays = self.stores | self.own_stores | self.item_stores | self.memory | self.charts
        self.reader_names = frozenset(name.rpartition(".")[2] for name in self.readers)
        self.watched_attributes = self.uncalled | self.of_place | self.of_arrays
        self.watched_calls = self.writers | self.queries | self.getters | self.methods_by_name | self.types | self.options
        self.dunders = frozenset(dump["dunder_methods"])
        self.dunder_pieces = self.dunder_texts.union(dump["dunder_pieces"])
        commands = dump["command_texts"]
        self.commands = frozenset(one for one in commands if "*" not in one)
        self.command_begins = tuple(one[:-1] for one in commands if one[-1] == "*")
        self.command_parts = tuple(one[1:] for one in commands if one[0] == "*")

    def adding(self, names):
        """The same, with further modules. Those above them are reached and not imported."""
        above = {".".join(parts[:length]) for parts in (name.split(".") for name in names) for length in range(1, len(parts))}
        row = {"importable": True, "profile": None, "kind": self.kind}
        policy = copy.copy(self)
        policy.modules = {**{name: Module(name, {**row, "importable": False, "attributes": ()}, (), self.python_modules) for name in above},
                          **{name: Module(name, row, (), self.python_modules) for name in names}, **self.modules}
        return policy

    @staticmethod
    def is_dunder(text):
        return text[:2] == "__" == text[-2:] and len(text) > 4

    def is_private(self, text):
        return text[:1] == "_" and not self.is_dunder(text) and text not in self.private_names

    def is_command(self, text):
        """Whether a library interprets the text as a command, or it is a name that leads out of the program."""
        if text in self.commands or text.startswith(self.command_begins) or any(one in text for one in self.command_parts):
            return True
        return "__" in text and NAMES_AND_DOTS.match(text) is not None and not self.dunder_texts.isdisjoint(text.split("."))


def load(path):
    """{profile: its Policy}."""
    with open(path, encoding="utf-8") as file:
        dump = json.load(file)
    inner, ranks = frozenset(dump["inner_modules"]), dump["ranks"]
    modules = [Module(name, row, dump["refused_attributes"], inner) for name, row in dump["modules"].items()]
    variants = {profile: Policy(dump, modules, ranks[:ranks.index(row["of"]) + 1], row["without"], row["builtin"])
                for profile, row in dump["variants"].items()}
    return {**variants, **{profile: Policy(dump, modules, ranks[:rank]) for rank, profile in enumerate(ranks, 1)}}


# ---- the walk ----


class Scope:
    __slots__ = ("kind", "parent", "bound", "counts", "values", "outer", "modules", "foreign", "statement", "first")

    def __init__(self, kind, parent, statement):
        self.kind = kind
        self.parent = parent
        self.statement = statement  # number of the current statement of the module's body
        self.bound = set()
        self.counts = {}  # name: number of its bindings
        self.values = {}  # name: what is assigned to it, if nothing else is
        self.first = None  # first parameter, of a method
        self.outer = {}  # name: "global" or "nonlocal"
        self.modules = {}  # name: Module, for imports
        self.foreign = set()  # names imported from modules

    def bind(self, name):
        self.bound.add(name)
        self.counts[name] = self.counts.get(name, 0) + 1


class Walk:
    def __init__(self, policy, tree):
        self.policy = policy
        self.tree = tree
        self.found = []  # (line, code)
        self.stack = []
        self.put_off = []  # deferred: (scope, nodes, inside a call that takes methods by name)
        self.by_name = 0
        self.root = self.scope = Scope("module", None, 0)
        self.uses = []  # (Name, its chain of Attributes from the inside or None, scope, statement)
        self.doubts = []  # (Attribute, its index in its chain, the Name at the root or None, called)
        self.imports = []  # (name, Module, scope, statement or None if not a statement of the module's body, line)
        self.shared = set()  # names of the module that an inner scope declares global
        self.of_classes = set()  # attributes that classes of the program have, or that methods store on their first parameter
        self.own = set()  # attributes that the program stores or its classes have
        self.classes = []  # their scopes
        self.foreign = []  # (name, scope), imported from a module
        self.members = []  # (name, scope, Module, attribute), likewise
        self.declared = []  # (name, scope), global or nonlocal
        self.readers = {}  # id of an Attribute: the Call of it, if it may be a function that reads a buffer
        self.paths = []  # for each call of a method that writes: [(possible path or None, line)]
        self.arrays = False  # a library with arrays is imported
        self.type_calls = []  # lines of type(x)(1, 2), where x is not the first parameter of a method
        self.item_stores = set()  # ids of the nodes whose items are stored
        self.places = {}  # id of a Name or Attribute: the kinds of place where it is
        self.types = []  # (name, scope, line) of type as a value
        self.queries = []  # (variable in the text of a query, line)
        self.writers = []  # lines of names of methods that write
        self.takes_methods = False  # some call takes methods by name
        self.formats = False  # the program fills in templates
        self.pieces = []  # lines of texts that may be pieces of a template
        self.run_together = set()  # ids of strings that were checked together with their neighbours

    def find(self, code, line):
        self.found.append((line, code))

    def run(self):
        for number, statement in enumerate(self.tree.body):
            self.root.statement = number
            self.walk([statement])
        while self.put_off:
            self.scope, nodes, self.by_name = self.put_off.pop()
            self.walk(nodes)
        meaning.check_uses(self)
        return sorted(set(self.found))

    def walk(self, stack):
        self.stack = stack
        pop, handlers, parts = stack.pop, HANDLERS, PARTS
        while stack:
            node = pop()
            kind = type(node)
            handle = handlers.get(kind)
            if handle is not None:
                handle(self, node)
                continue
            get = parts.get(kind)
            if get is not None:
                stack += get(node)
            elif kind is list:
                stack += node
            elif kind not in LEAVES:
                self.find("syntax", getattr(node, "lineno", 0))  # a type of node that this file does not know

    def later(self, kind, nodes):
        scope = Scope(kind, self.scope, self.scope.statement)
        self.put_off.append((scope, nodes, self.by_name))
        if kind == "class":
            self.classes.append(scope)
        return scope

    def check_name(self, text, line):
        if text[:2] == "__" and self.policy.is_dunder(text):
            self.find("dunder", line)
        elif text in self.policy.names:
            self.find("forbidden-name", line)

    text_of = staticmethod(calls.text_of)
    places_of = names  # for the handlers of another file


HANDLERS = {**names.HANDLERS, **calls.HANDLERS}
# The fields to visit of nodes without a handler.
FIELDS = (
    (ast.Delete, "targets"),
    (ast.Return, "value"), (ast.For, "target", "iter", "body", "orelse"),
    (ast.AsyncFor, "target", "iter", "body", "orelse"), (ast.While, "test", "body", "orelse"),
    (ast.With, "items", "body"), (ast.AsyncWith, "items", "body"),
    (ast.Raise, "exc", "cause"), (ast.Try, "body", "handlers", "orelse", "finalbody"),
    (ast.TryStar, "body", "handlers", "orelse", "finalbody"), (ast.Assert, "test", "msg"),
    (ast.Match, "subject", "cases"), (ast.match_case, "pattern", "guard", "body"), (ast.MatchValue, "value"),
    (ast.MatchSequence, "patterns"), (ast.MatchOr, "patterns"),
    (ast.BoolOp, "values"), (ast.UnaryOp, "operand"), (ast.IfExp, "test", "body", "orelse"),
    (ast.Set, "elts"), (ast.List, "elts"), (ast.Tuple, "elts"), (ast.Starred, "value"), (ast.Await, "value"),
    (ast.Yield, "value"), (ast.YieldFrom, "value"),
    (ast.FormattedValue, "value", "format_spec"), (ast.Slice, "lower", "upper", "step"),
    (ast.comprehension, "target", "iter", "ifs"),
)


def getter(fields):
    if len(fields) > 1:
        return attrgetter(*fields)
    get = attrgetter(*fields)
    return lambda node: (get(node),)


PARTS = {kind: getter(fields) for kind, *fields in FIELDS}
LEAVES = frozenset((type(None), ast.Pass, ast.Break, ast.Continue, ast.MatchSingleton))


def check(tree, policy):
    """What the policy refuses in a module's tree: [(line, code)], sorted; empty if everything is allowed."""
    return Walk(policy, tree).run()

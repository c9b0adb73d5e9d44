# SPDX-License-Identifier: GPL-3.0-or-later
"""The second check: the validator's policy over CPython's own tree of the very bytes that will run.

The server runs only what its validator accepted, so a finding here is a bug of one of the two. There is no table in
this file: load() takes all from policy.json, which is what `lectern validate --dump-policy` prints. What the policy
says of bytes and letters (encodings, control characters, alphabets that look alike) is left to the validator; so are
the messages.

One pass over the nodes, by a table of types, without recursion: a tree may be deeper than Python's stack. Scopes are
put off until the scope around them is done. What a name means is known only then, so uses of names are kept for the end.
"""
import ast
import importlib.util
import os
from operator import attrgetter


def load_neighbour(name):
    """A file beside this one, without a place in sys.modules, where the code that runs later could find it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


names, calls, meaning, places, buffers = map(
    load_neighbour, ("policy_names", "policy_calls", "policy_meaning", "policy_places", "policy_buffers"))
load = load_neighbour("policy_tables").load


class Scope:
    __slots__ = ("kind", "parent", "bound", "counts", "values", "outer", "modules", "foreign", "statement", "first")

    def __init__(self, kind, parent, statement):
        self.kind = kind
        self.parent = parent
        self.statement = statement  # of the module's body: its number
        self.bound = set()
        self.counts = {}  # name: how often it is bound
        self.values = {}  # name: what is assigned to it alone
        self.first = None  # parameter, of a method
        self.outer = {}  # name: "global" or "nonlocal"
        self.modules = {}  # name: Module, of imports
        self.foreign = set()  # names that were imported from modules


    def bind(self, name):
        self.bound.add(name)
        self.counts[name] = self.counts.get(name, 0) + 1


class Walk:
    def __init__(self, policy, tree):
        self.policy = policy
        self.tree = tree
        self.found = []  # (line, code)
        self.stack = []
        self.put_off = []  # (scope, nodes, inside a call that takes methods by name)
        self.by_name = 0
        self.root = self.scope = Scope("module", None, 0)
        self.uses = []  # (Name, its chain of Attributes from the inside or None, scope, statement)
        self.doubts = []  # (Attribute, its number in its chain, the Name at the root or None, called)
        self.imports = []  # (name, Module, scope, statement or None where it is none of the module's own, line)
        self.shared = set()  # names of the module's that an inner scope declares global
        self.of_classes = set()  # attributes that its classes have, or their methods store on their first parameter
        self.own = set()  # attributes that the program stores or its classes have
        self.classes = []  # their scopes
        self.patterns = []  # (keyword of a class pattern that begins with "_", line)
        self.foreign = []  # (name, scope), imported from a module
        self.members = []  # (name, scope, Module, attribute), likewise
        self.declared = []  # (name, scope), global or nonlocal
        self.readers = {}  # id of an Attribute: the Call of it, where it may be a function that reads a buffer
        self.paths = []  # of each call of a method that writes: [(what may be a path or None, line)]
        self.arrays = False  # a library with arrays is imported
        self.type_calls = []  # lines of type(x)(1, 2), where x is no first parameter of a method
        self.item_stores = set()  # ids of what items are stored in
        self.places = {}  # id of a Name or Attribute: the places where it stands
        self.types = []  # (name, scope, line) of type as a value
        self.queries = []  # (variable in the text of a query, line)
        self.writers = []  # lines of names of methods that write
        self.takes_methods = False  # by their names
        self.formats = False  # fills in templates
        self.pieces = []  # lines of texts that may be pieces of one
        self.run_together = set()  # ids of strings that were checked with their neighbours

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
                self.find("syntax", getattr(node, "lineno", 0))  # no node that this was written for

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
    places_of = places  # for the handlers of other files
    buffers_of = buffers


HANDLERS = {**places.HANDLERS, **names.HANDLERS, **calls.HANDLERS}
# The fields to go on with, of nodes that ask for nothing else.
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
    """What the policy refuses of a module's tree: [(line, code)], sorted; empty where it allows all."""
    return Walk(policy, tree).run()

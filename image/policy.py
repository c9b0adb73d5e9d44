# SPDX-License-Identifier: GPL-3.0-or-later
"""The second judgement: the validator's policy over CPython's own tree of the very bytes that will run.

The server runs only what its validator accepted, so a finding here is a bug of one of the two. There is no table in
this file: load() takes all from policy.json, which is what `lectern validate --dump-policy` prints. What the policy
says of bytes and letters (encodings, control characters, alphabets that look alike) is left to the validator; so are
the messages.

One pass over the nodes, by a table of types, without recursion: a tree may be deeper than Python's stack. Scopes are
put off until the scope around them is done. What a name means is known only then, so uses of names are kept for the end.
"""
import ast
import json
import re
import unicodedata
from operator import attrgetter

MODULE, CLASS, FUNCTION, COMPREHENSION = range(4)
NEVER = 1 << 30
FIELD = "\ufffd"  # stands for an f-string's field in its text
REACHES = re.compile(r"\{[^{}]*\.__")  # a format field that reaches for a dunder
FIELDS_OF = re.compile(r"\{([^{}!:]*)")
NAMES_OF = re.compile(r"\.([^.\[\]]*)")
PIECE = re.compile(r"[A-Za-z0-9_.{}\[\]!:]*\Z")
SEPARATORS = re.compile(r"[.{}\[\]!:]")
DOTTED = re.compile(r"[A-Za-z0-9_.]*\Z")
WORD = "[A-Za-z0-9_\x80-\U0010ffff]"
BLANK = r"[ \t\r\n\f\\]*"
QUERY_FAULTS = re.compile(r"(?<!%s)__|\.%s_|@%s%s+%s[.(\[]|[\ud800-\udfff]" % (WORD, BLANK, BLANK, WORD, BLANK))
QUERY_VARIABLES = re.compile(r"@%s(%s+)" % (BLANK, WORD))
OPTION = re.compile(r"[A-Za-z0-9_.]*\Z")
PLOTTING_OPTIONS = ("plotting.backend", "plotting.matplotlib.register_converters")
QUERY_METHODS = re.compile(r"\.%s(%s+)" % (BLANK, WORD))


class Module:
    """A row of the policy's modules."""

    def __init__(self, name, row, patterns, inner):
        self.name = name
        self.importable = row["importable"]
        self.profile = row["profile"]
        self.listed = frozenset(row["attributes"]) if "attributes" in row else None
        if self.listed is not None:
            return
        own = [pattern[len(name) + 1:] for pattern in patterns if pattern.startswith(name + ".")]
        self.refused = inner.union(row.get("refused_attributes", ()), (one for one in own if one[-1] != "*"))
        self.begins = ("_", *(one[:-1] for one in own if one[-1] == "*"))

    def allows(self, attribute):
        if self.listed is not None:
            return attribute in self.listed
        return attribute not in self.refused and not attribute.startswith(self.begins)


MAPPERS = frozenset(("apply", "applymap", "filter", "groupby", "isinstance", "issubclass", "map"))
PLACES = ("asked_for", "indexed", "base", "decorator")


class Policy:
    """The dump's tables for one profile, as sets."""

    def __init__(self, dump, modules, reach):
        self.modules = {module.name: module for module in modules if module.profile in reach}
        roles = {}
        for name, its in dump["names"].items():
            for role in its:
                roles.setdefault(role, set()).add(name)
        self.names = frozenset(roles["name"])
        self.attributes = frozenset(roles["attribute"])
        self.writers = frozenset(roles["writer"])
        self.queries = frozenset(roles["query"])
        self.getters = frozenset(roles["getter"])
        self.by_name = frozenset(roles["by_name"])
        self.methods_by_name = self.by_name | frozenset(roles["method_by_name"])
        self.formats = frozenset(roles["format"])
        self.types = frozenset(roles["type"])
        self.keywords = frozenset(roles["keyword"])
        self.options = frozenset(roles["option"])
        self.places = {place: frozenset(roles[place]) for place in PLACES}
        self.of_place = frozenset().union(*self.places.values())
        self.methods = self.attributes | self.writers | self.queries  # refused where a method is named by text
        self.watched_names = self.names | self.getters | self.of_place | self.types
        self.watched_attributes = self.attributes | self.writers | self.queries | self.getters | self.of_place
        self.watched_calls = self.writers | self.queries | self.getters | self.methods_by_name | self.types | self.options
        self.dunders = frozenset(dump["dunder_methods"])
        self.path_keywords = frozenset(dump["path_keywords"])
        self.query_keywords = frozenset(dump["query_keywords"])
        self.private_names = frozenset(dump["private_names"])
        self.dunder_texts = frozenset(dump["dunder_texts"])
        self.dunder_pieces = self.dunder_texts.union(dump["dunder_pieces"])
        commands = dump["command_texts"]
        self.commands = frozenset(one for one in commands if "*" not in one)
        self.command_parts = tuple(one[1:] for one in commands if one[0] == "*")
        self.evaluated = frozenset(roles["evaluated"])
        self.evaluated_settings = frozenset(dump["evaluated_settings"])
        self.item_storable = frozenset(dump["item_storable"])
        self.command_begins = tuple(one[:-1] for one in commands if one[-1] == "*")
        self.storable = frozenset(dump["storable"])


    def is_private(self, text):
        return text[:1] == "_" and not is_dunder(text) and text not in self.private_names

    def is_bad_text(self, text):
        """Whether a format field in it reaches for what is forbidden, or it is a name or a command itself."""
        if "{" in text:
            if REACHES.search(text):
                return True
            for field in FIELDS_OF.findall(text):
                if "." in field and not self.attributes.isdisjoint(NAMES_OF.findall(field)):
                    return True
        if text in self.commands or text.startswith(self.command_begins) or any(
                part in text for part in self.command_parts):
            return True
        return "__" in text and DOTTED.match(text) is not None and not self.dunder_texts.isdisjoint(text.split("."))


def load(path):
    """{profile: its Policy}."""
    with open(path, encoding="utf-8") as file:
        dump = json.load(file)
    inner, ranks = frozenset(dump["inner_modules"]), dump["ranks"]
    modules = [Module(name, row, dump["refused_attributes"], inner) for name, row in dump["modules"].items()]
    return {profile: Policy(dump, modules, ranks[:rank]) for rank, profile in enumerate(ranks, 1)}


class Scope:
    __slots__ = ("kind", "parent", "bound", "outer", "modules", "foreign", "statement")

    def __init__(self, kind, parent, statement):
        self.kind = kind
        self.parent = parent
        self.statement = statement  # of the module's body: its number
        self.bound = set()
        self.outer = {}  # name: "global" or "nonlocal"
        self.modules = {}  # name: Module, of imports
        self.foreign = set()  # names that were imported from modules


def is_dunder(text):
    return text[:2] == "__" == text[-2:] and len(text) > 4


def text_of(node):
    """The text of a str constant or an f-string, or None."""
    if type(node) is ast.Constant:
        return node.value if type(node.value) is str else None
    if type(node) is ast.JoinedStr:
        return "".join(part.value if type(part) is ast.Constant else FIELD for part in node.values)
    return None


def is_super_call(node):
    return type(node) is ast.Call and type(node.func) is ast.Name and node.func.id == "super"


def is_type_call(node):
    return type(node) is ast.Call and type(node.func) is ast.Name and node.func.id == "type"


class Walk:
    def __init__(self, policy, tree):
        self.policy = policy
        self.tree = tree
        self.found = []  # (line, code)
        self.stack = []
        self.put_off = []  # (scope, nodes, inside a call that takes methods by name)
        self.by_name = 0
        self.root = self.scope = Scope(MODULE, None, 0)
        self.uses = []  # (Name, its chain of Attributes from the inside or None, scope, statement)
        self.doubts = []  # (Attribute, its number in its chain, the Name at the root or None, called)
        self.imports = []  # (name, Module, scope, statement or None where it is none of the module's own, line)
        self.own = set()  # attributes that the program stores or its classes have
        self.classes = []
        self.queries = []  # (variable in the text of a query, line)
        self.writers = []  # lines of names of methods that write
        self.takes_methods = False
        self.formats = False  # the program fills in templates
        self.pieces = []  # lines of texts that may be pieces of one
        self.types = []  # (line, scope) of type as a value
        self.places = {}  # id of a Name or Attribute: where it stands, of PLACES
        self.item_stores = set()  # ids of what items are stored in
        self.foreign = []  # (name, scope), imported from a module
        self.patterns = []  # (keyword of a class pattern that begins with "_", line)
        self.declared = set()  # names in global and nonlocal statements
        self.run_together = set()  # ids of strings that were judged with their neighbours

    def find(self, code, line):
        self.found.append((line, code))

    def run(self):
        for number, statement in enumerate(self.tree.body):
            self.root.statement = number
            self.walk([statement])
        while self.put_off:
            self.scope, nodes, self.by_name = self.put_off.pop()
            self.walk(nodes)
        self.judge_uses()
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
        if kind == CLASS:
            self.classes.append(scope)
        self.put_off.append((scope, nodes, self.by_name))
        return scope

    # ---- names ----

    def judge_name(self, text, line):
        if text[:2] == "__" and is_dunder(text):
            self.find("dunder", line)
        elif text in self.policy.names:
            self.find("forbidden-name", line)

    def stands(self, place, nodes):
        for node in nodes:
            if type(node) in (ast.Name, ast.Attribute):
                self.places.setdefault(id(node), set()).add(place)

    def stands_inside(self, place, node):
        """In brackets, too."""
        nodes = [node]
        while nodes:
            node = nodes.pop()
            if type(node) in (ast.Tuple, ast.List):
                nodes += node.elts
            else:
                self.stands(place, (node,))

    def decorated(self, decorators):
        for node in decorators:
            if type(node) is ast.Call and not node.args and all(one.arg for one in node.keywords):
                node = node.func
            self.stands("decorator", (node,))

    def judge_place(self, text, places, line):
        for place in PLACES:
            if text in self.policy.places[place] and place not in (places or ()):
                self.find("forbidden-name", line)

    def bind(self, text, line):
        self.judge_name(text, line)
        self.scope.bound.add(text)

    def name(self, node, called=False):
        text = node.id
        if text in self.policy.watched_names or text[:2] == "__":
            self.judge_name(text, node.lineno)
            if text in self.policy.getters and not called:
                self.find("name-by-text", node.lineno)
            if text in self.policy.types and not called and type(node.ctx) is ast.Load:
                if not self.places.get(id(node), set()) & {"asked_for", "mapped"}:
                    self.types.append((text, self.scope, node.lineno))
            if text in self.policy.of_place and type(node.ctx) is ast.Load:
                self.judge_place(text, self.places.get(id(node)), node.lineno)
        if type(node.ctx) is ast.Load:
            self.uses.append((node, None, self.scope, self.scope.statement))
        else:
            self.scope.bound.add(text)

    def declare(self, node):
        word = "global" if type(node) is ast.Global else "nonlocal"
        for text in node.names:
            self.judge_name(text, node.lineno)
            self.scope.outer[text] = word
            self.declared.add(text)

    def walrus(self, node):
        self.judge_name(node.target.id, node.target.lineno)
        scope = self.scope
        while scope.kind == COMPREHENSION:
            scope = scope.parent
        scope.bound.add(node.target.id)
        self.stack.append(node.value)

    def augmented(self, node):
        if type(node.target) is ast.Name:  # read, too
            self.uses.append((node.target, None, self.scope, self.scope.statement))
        self.stack += (node.target, node.value)

    def handler(self, node):
        if node.name is not None:
            self.bind(node.name, node.type.end_lineno)
        self.stack += (node.type, node.body)

    def keyword(self, node):
        if node.arg is not None:
            self.judge_name(node.arg, node.lineno)
            if node.arg in self.policy.keywords:
                self.find("forbidden-name", node.lineno)
            if node.arg in self.policy.evaluated:
                self.judge_setting(node.value)
        elif type(node.value) is ast.Dict:
            for key in node.value.keys:
                if key is not None and text_of(key) in self.policy.keywords:
                    self.find("forbidden-name", key.lineno)
        self.stack.append(node.value)

    def condition(self, node):
        if not self.is_main_guard(node.test):
            self.stack.append(node.test)
        self.stack += (node.body, node.orelse)

    @staticmethod
    def is_main_guard(test):
        if type(test) is not ast.Compare or len(test.ops) != 1 or type(test.ops[0]) is not ast.Eq:
            return False
        for name, other in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
            if type(name) is ast.Name and name.id == "__name__":
                return type(other) is ast.Constant and type(other.value) is str
        return False

    def capture(self, node):
        """MatchAs, MatchStar."""
        if node.name is not None:
            self.bind(node.name, node.end_lineno)
        if type(node) is ast.MatchAs:
            self.stack.append(node.pattern)

    def match_mapping(self, node):
        if node.rest is not None:
            self.bind(node.rest, node.end_lineno)
        self.stack += (node.keys, node.patterns)

    def judge_setting(self, value):
        if text_of(value) is not None:
            self.find("text-method", value.lineno)

    def dict(self, node):
        for key, value in zip(node.keys, node.values):
            if key is not None and text_of(key) in self.policy.evaluated_settings:
                self.judge_setting(value)
            elif key is None and type(value) is ast.Dict:
                for inner in value.keys:
                    if inner is not None and text_of(inner) in self.policy.keywords:
                        self.find("forbidden-name", inner.lineno)
        self.stack += (node.keys, node.values)

    def assign(self, node):
        if any(type(one) is ast.Subscript and text_of(one.slice) in self.policy.evaluated_settings for one in node.targets):
            self.judge_setting(node.value)
        self.stack += (node.targets, node.value)

    def compare(self, node):
        self.stands("asked_for", (node.left, *node.comparators))
        self.stack += (node.left, node.comparators)

    def subscript(self, node):
        self.stands("asked_for", (node.value,))
        self.stands_inside("asked_for", node.slice)
        if text_of(node.slice) is None:
            self.stands("indexed", (node.value,))
        if type(node.ctx) is not ast.Load:
            base = node.value
            while type(base) is ast.Subscript:
                base = base.value
            self.item_stores.add(id(base))
        self.stack += (node.value, node.slice)

    def annotated(self, node):
        self.stands("asked_for", (node.annotation,))
        self.stack += (node.target, node.annotation, node.value)

    def match_class(self, node):
        self.stands("asked_for", (node.cls,))
        for text, pattern in zip(node.kwd_attrs, node.kwd_patterns):
            if is_dunder(text):
                self.find("dunder", pattern.lineno)
            elif text in self.policy.attributes:
                self.find("forbidden-attribute", pattern.lineno)
            elif self.policy.is_private(text):
                self.patterns.append((text, pattern.lineno))
        self.stack += (node.cls, node.patterns, node.kwd_patterns)

    # ---- scopes ----

    def parameters(self, args, scope):
        """Names into the function's scope; defaults and annotations belong to the one around it."""
        for one in (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg):
            if one is not None:
                self.judge_name(one.arg, one.lineno)
                scope.bound.add(one.arg)
                self.stands("asked_for", (one.annotation,))
                self.stack.append(one.annotation)
        self.stack += (args.defaults, args.kw_defaults)

    def function(self, node):
        self.scope.bound.add(node.name)
        if not (self.scope.kind == CLASS and node.name in self.policy.dunders):
            self.judge_name(node.name, node.lineno)
        self.stands("asked_for", (node.returns,))
        self.decorated(node.decorator_list)
        self.stack += (node.decorator_list, node.returns)
        self.parameters(node.args, self.later(FUNCTION, list(node.body)))

    def lambda_(self, node):
        self.parameters(node.args, self.later(FUNCTION, [node.body]))

    def class_(self, node):
        self.bind(node.name, node.lineno)
        self.stands("base", node.bases)
        for one in (*node.bases, *(one.value for one in node.keywords if one.arg == "metaclass")):
            if is_type_call(one):
                self.find("forbidden-name", one.func.lineno)
        self.decorated(node.decorator_list)
        self.stack += (node.decorator_list, node.bases, node.keywords)
        self.later(CLASS, list(node.body))

    def comprehension(self, node):
        first = node.generators[0]
        self.stack.append(first.iter)
        nodes = [first.target, first.ifs, node.generators[1:]]
        nodes += (node.key, node.value) if type(node) is ast.DictComp else (node.elt,)
        self.later(COMPREHENSION, nodes)

    # ---- imports ----

    def note_import(self, name, module, node, line):
        if name[0] == "_" and "__" in name:  # in a class Python reads it as another
            self.find("forbidden-name", line)
        direct = self.scope is self.root and self.tree.body[self.scope.statement] is node
        self.imports.append((name, module, self.scope, self.scope.statement if direct else None, line))

    def judge_module(self, name, line):
        module = self.policy.modules.get(name)
        if module is None or not module.importable:
            self.find("import-not-allowed", line)
            return None
        return module

    def judge_bound(self, text, line):
        if is_dunder(text) or text in self.policy.names:
            self.find("forbidden-name", line)

    def bind_alias(self, alias, name):
        self.scope.bound.add(name)
        if alias.name in self.policy.getters and name != alias.name:  # known here by its own name
            self.find("name-by-text", alias.end_lineno)
        if alias.name in self.policy.of_place and name != alias.name:
            self.find("forbidden-name", alias.lineno)

    def import_(self, node):
        for alias in node.names:
            module = self.judge_module(alias.name, alias.lineno)
            first = alias.name.partition(".")[0]
            if alias.asname is not None:
                self.judge_bound(alias.asname, alias.end_lineno)
            else:
                module = module and self.policy.modules.get(first)
            self.bind_alias(alias, alias.asname or first)
            if module is not None:
                line = alias.lineno if alias.asname is None else alias.end_lineno
                self.note_import(alias.asname or first, module, node, line)

    def import_from(self, node):
        if node.level or node.module is None:
            self.find("import-not-allowed", node.lineno)
            module = None
        else:
            module = self.judge_module(node.module, node.lineno)
        for alias in node.names:
            if alias.name == "*":
                self.find("import-star", alias.lineno)
                continue
            self.bind_alias(alias, alias.asname or alias.name)
            if module is not None:
                self.member(module, alias, node)

    def member(self, module, alias, node):
        name = alias.asname or alias.name
        self.judge_bound(name, alias.end_lineno)
        inner = self.policy.modules.get("%s.%s" % (module.name, alias.name))
        if inner is not None:
            self.note_import(name, inner, node, alias.end_lineno)
        elif not module.allows(alias.name):
            self.find("import-not-allowed", alias.lineno)
        elif "%s.%s" % (module.name, alias.name) not in self.policy.item_storable:
            self.foreign.append((name, self.scope))

    # ---- attributes and calls ----

    def attribute(self, node, called=False):
        watched = self.policy.watched_attributes
        chain, doubts = [], []
        while type(node) is ast.Attribute:
            chain.append(node)
            if node.attr in self.policy.methods_by_name:
                self.takes_methods = True
            if node.attr in self.policy.formats:
                self.formats = True
            if type(node.ctx) is ast.Store:
                self.own.add(node.attr)
            if node.attr in watched or node.attr[:1] == "_":
                doubts.append((node, len(chain), called))
                if node.attr in self.policy.of_place and type(node.ctx) is ast.Load:
                    place = self.places.get(id(node)) if len(chain) == 1 else ("asked_for",)
                    self.judge_place(node.attr, place, node.end_lineno)
            called = False
            node = node.value
        root = None
        if type(node) is ast.Name:
            root = node
            chain.reverse()
            self.uses.append((node, chain, self.scope, self.scope.statement))
            if node.id in self.policy.watched_names or node.id[:2] == "__":
                self.judge_name(node.id, node.lineno)
                if node.id in self.policy.getters:
                    self.find("name-by-text", node.lineno)
                if node.id in self.policy.of_place:
                    self.judge_place(node.id, ("asked_for",), node.lineno)
        else:
            self.stack.append(node)
        for attribute, back, was_called in doubts:
            self.doubts.append((attribute, len(chain) - back, root, was_called))

    def judge_attribute(self, node, called):
        """One that is watched, and no step of a module's chain."""
        policy, text = self.policy, node.attr
        if is_dunder(text):
            allowed = (called and text in policy.dunders and is_super_call(node.value) and not (
                text == "__new__" and (node.value.args or node.value.keywords))) or (
                text == "__name__" and type(node.ctx) is ast.Load and is_type_call(node.value))
            told = type(node.value) is ast.Attribute and node.value.attr == "__class__"  # one mistake
            if not (allowed or told):
                self.find("dunder", node.end_lineno)
        elif text in policy.attributes or (text not in self.own and policy.is_private(text)):
            self.find("forbidden-attribute", node.end_lineno)

    def judge_uncalled(self, node):
        policy, text = self.policy, node.attr
        if text in policy.writers:
            self.find("file-method", node.end_lineno)
        if text in policy.queries:
            self.find("text-method", node.end_lineno)
        if text in policy.getters:
            self.find("name-by-text", node.end_lineno)

    def call(self, node):
        function = node.func
        kind = type(function)
        if kind is ast.Name and function.id in ("isinstance", "issubclass"):
            for one in node.args:
                self.stands_inside("asked_for", one)
        if kind is ast.Call and is_type_call(function) and len(node.args) + len(node.keywords) == 3:
            arguments = [*node.args, *node.keywords]
            if type(arguments[1]) is ast.Tuple:
                self.find("forbidden-name", function.func.lineno)
        mapper = function.attr if kind is ast.Attribute else function.id if kind is ast.Name else None
        if mapper in MAPPERS and len(node.args) <= 2 and not node.keywords:
            if not any(type(one) is ast.Starred for one in node.args):
                self.stands("mapped", node.args)
        if kind is ast.Attribute:
            text = function.attr
            self.attribute(function, True)
        elif kind is ast.Name:
            text = function.id
            self.name(function, True)
        else:
            text = None
            self.stack.append(function)
        if text in self.policy.watched_calls:
            self.judge_call(node, text, kind is ast.Attribute, function.end_lineno)
        self.stack += node.args
        self.stack += node.keywords

    def judge_call(self, node, text, is_attribute, line):
        policy = self.policy
        if is_attribute and text in policy.writers:
            self.judge_writer(node)
        if is_attribute and text in policy.queries:
            self.judge_query(node)
        if text in policy.getters and not self.is_plain_getter(node, text):
            self.find("name-by-text", line)
        if not is_attribute and text in policy.types:
            odd = node.keywords or any(type(one) is ast.Starred for one in node.args)
            if odd or len(node.args) > 1:
                self.find("forbidden-name", line)
        if text in policy.options:
            self.judge_options(node)
        if text in (policy.methods_by_name if is_attribute else policy.by_name):
            self.by_name += 1
            self.stack.append(self.by_name)  # an int: where it comes up again, the call is done

    def leave_call(self, _number):
        self.by_name -= 1

    def judge_writer(self, node):
        for one in node.args:
            if not (type(one) is ast.Constant and one.value is None):
                self.find("file-method", one.lineno)
                return
        for one in node.keywords:
            if one.arg is None:
                self.find("file-method", one.lineno)
                return
            if one.arg in self.policy.path_keywords and not (
                    type(one.value) is ast.Constant and one.value.value is None):
                self.find("file-method", one.value.lineno)
                return

    def judge_options(self, node):
        for one in (*node.args[::2], *(one.value for one in node.keywords if one.arg == "pat")):
            text = text_of(one)
            if text is None:
                continue
            pattern = OPTION.match(text) and re.compile(text, re.IGNORECASE | re.ASCII)
            if not pattern or any(map(pattern.search, PLOTTING_OPTIONS)):
                self.find("text-method", one.lineno)

    def judge_query(self, node):
        arguments = [(None, one, one.lineno) for one in node.args]
        arguments += [(one.arg or "**", one.value, one.lineno) for one in node.keywords]
        for number, (keyword, value, line) in enumerate(arguments):
            if keyword in self.policy.query_keywords or keyword == "**":
                self.find("text-method", line)
                return
            if number > 0 and keyword != "expr":
                continue
            text = text_of(value)
            if text is None or self.has_query_fault(text):
                self.find("text-method", value.lineno)
                return
            self.queries += ((name, value.lineno) for name in QUERY_VARIABLES.findall(text))

    def has_query_fault(self, text):
        return QUERY_FAULTS.search(text) or not self.policy.methods.isdisjoint(
            QUERY_METHODS.findall(text)) or unicodedata.normalize("NFKC", text) != text

    def is_plain_getter(self, node, text):
        names = node.args[:1] if text == "methodcaller" else node.args
        if (node.keywords and (text != "methodcaller" or not node.args)) or any(type(one) is ast.Starred for one in names):
            return False
        return all(self.is_plain_path(one) for one in names)

    def is_plain_path(self, node):
        text = text_of(node)
        if text is None or FIELD in text:
            return False
        return all(step and step[0] != "_" and step not in self.policy.methods and step not in self.policy.names
                   for step in text.split("."))

    # ---- strings ----

    def judge_text(self, text, line):
        if self.policy.is_bad_text(text):
            self.find("name-by-text", line)
        elif "__" in text and PIECE.match(text):
            if not self.policy.dunder_pieces.isdisjoint(SEPARATORS.split(text)):
                self.pieces.append(line)

    def constant(self, node):
        text = node.value
        if type(text) is not str:
            return
        if text[:2] == "to" and text in self.policy.methods:
            self.writers.append(node.lineno)
        if self.by_name and ((text[:2] == "__" and len(text) > 2) or text in self.policy.methods):
            self.find("name-by-text", node.lineno)
        if id(node) not in self.run_together:
            self.judge_text(text, node.lineno)

    def joined(self, node):
        if id(node) not in self.run_together:
            self.judge_text(text_of(node), node.lineno)
        self.run_together.update(map(id, node.values))
        self.stack += node.values

    def binary(self, node):
        """a + b + c as the list it is written as: strings side by side in it are one text."""
        if type(node.op) is not ast.Add:
            self.stands("asked_for", (node.left, node.right))
            self.stack += (node.left, node.right)
            return
        operands = []
        while type(node) is ast.BinOp and type(node.op) is ast.Add:
            operands.append(node.right)
            node = node.left
        operands.append(node)
        self.stands("asked_for", operands)
        self.stack += operands
        run = []
        for one in reversed(operands):
            if text_of(one) is not None:
                run.append(one)
                continue
            self.judge_run(run)
            run = []
        self.judge_run(run)

    def judge_run(self, run):
        if len(run) > 1:
            self.run_together.update(map(id, run))
            self.judge_text("".join(map(text_of, run)), run[0].lineno)

    # ---- what names mean ----

    def judge_foreign(self):
        """Nothing is stored to what was imported."""
        for name, scope in self.foreign:
            self.plain_scope(name, scope).foreign.add(name)
        names = {name for name, _ in self.foreign}
        for node, chain, scope, _ in self.uses:
            if node.id in names and node.id in self.plain_scope(node.id, scope).foreign:
                last = chain[-1] if chain else node
                if type(last.ctx) is not ast.Load or id(last) in self.item_stores:
                    self.find("module-store", node.lineno)

    def judge_uses(self):
        if self.formats:
            for line in self.pieces:
                self.find("name-by-text", line)
        if self.takes_methods:
            for line in self.writers:
                self.find("name-by-text", line)
        modules = {row[0] for row in self.imports}
        for name, line in self.queries:
            if name in modules:
                self.find("text-method", line)
        for text, scope, line in self.types:
            if text not in self.plain_scope(text, scope).bound:
                self.find("forbidden-name", line)
        self.judge_foreign()
        for scope in self.classes:
            self.own.update(scope.bound.difference(scope.outer))
        for text, line in self.patterns:
            if text not in self.own:
                self.find("forbidden-attribute", line)
        steps = {}  # id of a Name: attributes behind it that were judged as the module's
        if self.imports:
            names = self.place_imports()
            given_away = self.find_given_away(names)
            for node, chain, scope, statement in self.uses:
                if node.id in names:
                    module = self.meaning(node.id, scope, statement, given_away)
                    if module is not None:
                        steps[id(node)] = self.judge_module_use(node, chain, module)
        for node, number, root, called in self.doubts:
            if number >= steps.get(id(root), 0):
                self.judge_attribute(node, called)
            if not called:
                self.judge_uncalled(node)

    def binding_scope(self, name, scope):
        """The scope whose binding of the name is meant in this one; the module's for what nothing binds."""
        around = scope
        while around is not None:
            if around.kind != CLASS or around is scope:
                declared = around.outer.get(name)
                if declared == "global":
                    return self.root
                # Before a class has bound its name, the module's is seen: both are meant.
                if declared is None and name in around.bound:
                    return around if around.kind != CLASS or name in around.modules else self.root
            around = around.parent
        return self.root

    def plain_scope(self, name, scope):
        """The scope whose binding of the name is meant in this one; the module's for what nothing binds."""
        around = scope
        while around is not None:
            if around.kind != CLASS or around is scope:
                declared = around.outer.get(name)
                if declared == "global":
                    return self.root
                if declared is None and name in around.bound:
                    return around
            around = around.parent
        return self.root

    def place_imports(self):
        """Puts each import into the scope it binds in; the names of all."""
        for name, module, scope, _, line in sorted(self.imports, key=lambda row: row[4]):
            declared = scope.outer.get(name)
            if declared == "global":
                scope = self.root
            elif declared == "nonlocal":
                scope = self.binding_scope(name, scope)
            if scope.modules.setdefault(name, module) is not module:
                self.find("import-twice", line)
            if scope.kind == CLASS:  # it becomes the class's attribute
                self.find("module-as-value", line)
        return {row[0] for row in self.imports}

    def find_given_away(self, names):
        """{name: the module's own statement behind which it is no module any more}."""
        last = {}
        for name, _, scope, statement, _ in self.imports:
            if scope is self.root or scope.outer.get(name) == "global":
                last[name] = max(last.get(name, -1), NEVER if statement is None else statement)
        given_away = {}
        for number, statement in enumerate(self.tree.body):
            for name in bound_for_certain(statement):
                if name in names and name not in self.declared and last.get(name, NEVER) < number:
                    given_away.setdefault(name, number)
        return given_away

    def meaning(self, name, scope, statement, given_away):
        """The Module that a name means, or None."""
        where = self.binding_scope(name, scope)
        if where is self.root and statement > given_away.get(name, NEVER):
            return None
        return where.modules.get(name)

    def judge_module_use(self, node, chain, module):
        """The number of attributes that were judged."""
        if chain is None:
            self.find("module-as-value", node.lineno)
            return 0
        for number, attribute in enumerate(chain, 1):
            inner = self.policy.modules.get("%s.%s" % (module.name, attribute.attr))
            if inner is not None:
                module = inner
                continue
            if not module.allows(attribute.attr):
                self.find("module-attribute", attribute.end_lineno)
            elif (type(chain[-1].ctx) is not ast.Load or id(chain[-1]) in self.item_stores) and (
                    type(attribute.ctx) is not ast.Load or "%s.%s" % (module.name, attribute.attr) not in (
                        self.policy.storable if number < len(chain) else self.policy.item_storable)):
                self.find("module-store", node.lineno)
            return number
        self.find("module-as-value", chain[-1].end_lineno)
        return len(chain)


def bound_for_certain(statement):
    kind = type(statement)
    if kind is ast.Assign:
        return [target.id for target in statement.targets if type(target) is ast.Name]
    if kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
        return [statement.name]
    if kind is ast.ImportFrom:  # of a module it is one of the imports, and the last
        return [alias.asname or alias.name for alias in statement.names]
    return ()


HANDLERS = {
    ast.Name: Walk.name, ast.Attribute: Walk.attribute, ast.Call: Walk.call, ast.Constant: Walk.constant,
    ast.JoinedStr: Walk.joined, ast.BinOp: Walk.binary, ast.keyword: Walk.keyword, ast.NamedExpr: Walk.walrus,
    ast.Lambda: Walk.lambda_, ast.ListComp: Walk.comprehension, ast.SetComp: Walk.comprehension,
    ast.DictComp: Walk.comprehension, ast.GeneratorExp: Walk.comprehension, ast.FunctionDef: Walk.function,
    ast.AsyncFunctionDef: Walk.function, ast.ClassDef: Walk.class_, ast.Import: Walk.import_,
    ast.ImportFrom: Walk.import_from, ast.Global: Walk.declare, ast.Nonlocal: Walk.declare, ast.If: Walk.condition,
    ast.AugAssign: Walk.augmented, ast.ExceptHandler: Walk.handler, ast.MatchAs: Walk.capture,
    ast.MatchStar: Walk.capture, ast.Compare: Walk.compare, ast.Dict: Walk.dict,
    ast.Assign: Walk.assign, ast.Subscript: Walk.subscript, ast.AnnAssign: Walk.annotated,
    ast.MatchMapping: Walk.match_mapping, ast.MatchClass: Walk.match_class,
    int: Walk.leave_call,
}
# The fields to go on with, of nodes that ask for nothing else.
FIELDS = (
    (ast.Delete, "targets"),
    (ast.Expr, "value"), (ast.Return, "value"), (ast.For, "target", "iter", "body", "orelse"),
    (ast.AsyncFor, "target", "iter", "body", "orelse"), (ast.While, "test", "body", "orelse"),
    (ast.With, "items", "body"), (ast.AsyncWith, "items", "body"), (ast.withitem, "context_expr", "optional_vars"),
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


def judge(tree, policy):
    """What the policy refuses of a module's tree: [(line, code)], sorted; empty where it allows all."""
    return Walk(policy, tree).run()

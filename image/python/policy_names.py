# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers for statements and bindings: names in every role except reading, scopes and imports; names that are allowed only in certain
places; settings with text keys; and stores to items. A handler gets the visitor (policy.py) and a node; it checks the node and pushes its
children on the visitor's stack. A node's place is set by its parent, which is visited first."""
import ast

MAPPERS = frozenset(("apply", "applymap", "filter", "groupby", "isinstance", "issubclass", "map"))


def declare(walk, node):
    word = "global" if type(node) is ast.Global else "nonlocal"
    for text in node.names:
        walk.check_name(text, node.lineno)
        walk.scope.outer[text] = word
        walk.declared.append((text, walk.scope))
        if word == "global" and walk.scope is not walk.root:
            walk.shared.add(text)


def walrus(walk, node):
    target, scope = node.target, walk.scope
    walk.check_name(target.id, target.lineno)
    if target.id in walk.policy.getters:
        walk.find("name-by-text", target.lineno)
    while scope.kind == "comprehension":
        scope = scope.parent
    scope.bind(target.id)
    walk.stack.append(node.value)


def augmented(walk, node):
    if type(node.target) is ast.Name:  # read, too
        walk.uses.append((node.target, None, walk.scope, walk.scope.statement))
    walk.stack += (node.target, node.value)


def with_item(walk, node):
    note_assigned(walk, (node.optional_vars,), node.context_expr)
    walk.stack += (node.context_expr, node.optional_vars)


def handler(walk, node):
    if node.name is not None:
        bind(walk, node.name, node.type.end_lineno)
    walk.stack += (node.type, node.body)


def keyword(walk, node):
    if node.arg is not None:
        walk.check_name(node.arg, node.lineno)
        if node.arg in walk.policy.keywords:
            walk.find("forbidden-name", node.lineno)
        if node.arg in walk.policy.checks and not (type(node.value) is ast.Constant and node.value.value is True):
            walk.find("forbidden-name", node.lineno)
        if node.arg in walk.policy.evaluated:
            check_setting(walk, node.value)
    elif type(node.value) is ast.Dict:
        check_keys(walk, node.value)
    walk.stack.append(node.value)


def condition(walk, node):
    text = guarding_text(node.test)  # only this part of the guard is checked
    walk.stack.append(node.test if text is None else text)
    walk.stack += (node.body, node.orelse)


def guarding_text(test):
    """The node of the text in __name__ == "TEXT", in either order; else None."""
    if type(test) is not ast.Compare or len(test.ops) != 1 or type(test.ops[0]) is not ast.Eq:
        return None
    for name, other in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
        if type(name) is ast.Name and name.id == "__name__":
            return other if type(other) is ast.Constant and type(other.value) is str else None
    return None


def capture(walk, node):
    """MatchAs, MatchStar."""
    if node.name is not None:
        bind(walk, node.name, node.end_lineno)
    if type(node) is ast.MatchAs:
        walk.stack.append(node.pattern)


def match_mapping(walk, node):
    if node.rest is not None:
        bind(walk, node.rest, node.end_lineno)
    walk.stack += (node.keys, node.patterns)


def match_class(walk, node):
    for text, pattern in zip(node.kwd_attrs, node.kwd_patterns):
        if walk.policy.is_dunder(text):
            walk.find("dunder", pattern.lineno)
        elif text in walk.policy.uncalled or walk.policy.is_private(text):
            walk.find("forbidden-attribute", pattern.lineno)
    stands(walk, "asked_for", (node.cls,))
    walk.stack += (node.cls, node.patterns, node.kwd_patterns)


def bind(walk, text, line):
    walk.check_name(text, line)
    walk.scope.bind(text)


def parameters(walk, args, scope):
    """Adds the parameters to the function's scope; defaults and annotations belong to the enclosing scope."""
    for one in (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg):
        if one is not None:
            if scope.first is None and scope.kind == "function" and walk.scope.kind == "class":
                scope.first = one.arg
            walk.check_name(one.arg, one.lineno)
            scope.bind(one.arg)
            stands(walk, "asked_for", (one.annotation,))
            walk.stack.append(one.annotation)
    walk.stack += (args.defaults, args.kw_defaults)


def function(walk, node):
    walk.scope.bind(node.name)
    if not (walk.scope.kind == "class" and node.name in walk.policy.dunders):
        walk.check_name(node.name, node.lineno)
    stands(walk, "asked_for", (node.returns,))
    decorated(walk, node.decorator_list)
    walk.stack += (node.decorator_list, node.returns)
    parameters(walk, node.args, walk.later("function", list(node.body)))


def lambda_(walk, node):
    parameters(walk, node.args, walk.later("lambda", [node.body]))


def class_(walk, node):
    bind(walk, node.name, node.lineno)
    place_bases(walk, node)
    decorated(walk, node.decorator_list)
    walk.stack += (node.decorator_list, node.bases, node.keywords)
    walk.later("class", list(node.body))


def comprehension(walk, node):
    first = node.generators[0]
    walk.stack.append(first.iter)
    nodes = [first.target, first.ifs, node.generators[1:]]
    nodes += (node.key, node.value) if type(node) is ast.DictComp else (node.elt,)
    walk.later("comprehension", nodes)


def note_import(walk, name, module, node, line):
    if name[0] == "_" and "__" in name and len(name) > 2:  # in a class, Python mangles it
        walk.find("forbidden-name", line)
    direct = walk.scope is walk.root and walk.tree.body[walk.scope.statement] is node
    walk.imports.append((name, module, walk.scope, walk.scope.statement if direct else None, line))


def check_module(walk, name, line):
    module = walk.policy.modules.get(name)
    if module is None or not module.importable:
        walk.find("import-not-allowed", line)
        return None
    walk.arrays = walk.arrays or module.kind != "bare"
    return module


def check_bound(walk, text, line):
    if walk.policy.is_dunder(text) or text in walk.policy.names:
        walk.find("forbidden-name", line)


def bind_alias(walk, alias, name):
    walk.scope.bind(name)
    if alias.name in walk.policy.getters and name != alias.name:  # only its own name is recognized here
        walk.find("name-by-text", alias.end_lineno)
    if alias.name in walk.policy.of_place and name != alias.name:
        walk.find("forbidden-name", alias.lineno)


def import_(walk, node):
    for alias in node.names:
        module = check_module(walk, alias.name, alias.lineno)
        first = alias.name.partition(".")[0]
        if alias.asname is not None:
            check_bound(walk, alias.asname, alias.end_lineno)
        else:
            module = module and walk.policy.modules.get(first)
        bind_alias(walk, alias, alias.asname or first)
        if module is not None:
            line = alias.lineno if alias.asname is None else alias.end_lineno
            note_import(walk, alias.asname or first, module, node, line)


def import_from(walk, node):
    if node.level or node.module is None:
        walk.find("import-not-allowed", node.lineno)
        module = None
    else:
        module = check_module(walk, node.module, node.lineno)
    for alias in node.names:
        if alias.name == "*":
            walk.find("import-star", alias.lineno)
            continue
        bind_alias(walk, alias, alias.asname or alias.name)
        if module is not None:
            member(walk, module, alias, node)


def member(walk, module, alias, node):
    name = alias.asname or alias.name
    check_bound(walk, name, alias.end_lineno)
    inner = walk.policy.modules.get("%s.%s" % (module.name, alias.name))
    if inner is not None:
        note_import(walk, name, inner, node, alias.end_lineno)
    elif not module.allows(alias.name):
        walk.find("import-not-allowed", alias.lineno)
    elif "%s.%s" % (module.name, alias.name) not in walk.policy.item_storable:
        walk.foreign.append((name, walk.scope))
        walk.members.append((name, walk.scope, module, alias.name))


# ---- places ----

def stands(walk, place, nodes):
    for node in nodes:
        if type(node) in (ast.Name, ast.Attribute):
            walk.places.setdefault(id(node), set()).add(place)


def stands_inside(walk, place, node):
    """Sets the place, also for the elements of tuples and lists."""
    nodes = [node]
    while nodes:
        node = nodes.pop()
        if type(node) in (ast.Tuple, ast.List):
            nodes += node.elts
        else:
            stands(walk, place, (node,))


def decorated(walk, decorators):
    for node in decorators:
        if type(node) is ast.Call and not node.args and all(one.arg for one in node.keywords):
            node = node.func
        stands(walk, "decorator", (node,))


def check_place(walk, text, places, line):
    for place, names in walk.policy.places.items():
        if text in names and place not in places:
            walk.find("forbidden-name", line)
    if text in walk.policy.no_bases and "base" in places:
        walk.find("forbidden-name", line)


def is_type_call(node):
    return type(node) is ast.Call and type(node.func) is ast.Name and node.func.id == "type"


def is_unpacked(argument):
    return type(argument) is ast.Starred or (type(argument) is ast.keyword and argument.arg is None)


def metaclasses(node):
    """Of a class, or of a call, whose function may pass its keywords on: class C(**keywords)."""
    return (one.value for one in node.keywords if one.arg == "metaclass")


def check_types(walk, nodes):
    """None of the nodes is a call of type."""
    for one in filter(is_type_call, nodes):
        walk.find("forbidden-name", one.func.lineno)


def place_bases(walk, node):
    """Of a class."""
    stands(walk, "base", node.bases)
    check_types(walk, (*node.bases, *metaclasses(node)))


def place_arguments(walk, node):
    """Of a call."""
    check_types(walk, metaclasses(node))
    function = node.func
    kind = type(function)
    if kind is ast.Call:
        arguments = [*node.args, *node.keywords]
        if is_type_call(function) and len(arguments) == 3 and type(arguments[1]) is ast.Tuple:
            walk.find("forbidden-name", function.func.lineno)
        elif is_type_call(function) and (len(arguments) > 1 or any(map(is_unpacked, arguments))):
            what = function.args[0] if function.args else None
            if not (type(what) is ast.Name and walk.scope.first == what.id):
                walk.type_calls.append(function.func.lineno)
        return
    text = function.id if kind is ast.Name else function.attr if kind is ast.Attribute else None
    if not node.keywords and len(node.args) <= (1 if text == "wraps" else 2) and not any(map(is_unpacked, node.args)):
        stands(walk, "wrapper", (function,))
    if text not in MAPPERS:
        return
    if kind is ast.Name and text in ("isinstance", "issubclass"):
        for one in node.args:
            stands_inside(walk, "asked_for", one)
    if len(node.args) <= 2 and not node.keywords and not any(type(one) is ast.Starred for one in node.args):
        stands(walk, "mapped", node.args)


def check_setting(walk, value):
    if walk.text_of(value) is not None:
        walk.find("text-method", value.lineno)


def check_keys(walk, dictionary):
    """Of f(**{"key": value})."""
    for key in dictionary.keys:
        if key is not None and walk.text_of(key) in walk.policy.keywords:
            walk.find("forbidden-name", key.lineno)


def dictionary(walk, node):
    for key, value in zip(node.keys, node.values):
        if key is not None and walk.text_of(key) in walk.policy.evaluated_settings:
            check_setting(walk, value)
        elif key is None and type(value) is ast.Dict:
            check_keys(walk, value)
    walk.stack += (node.keys, node.values)


def assign(walk, node):
    settings = walk.policy.evaluated_settings
    note_assigned(walk, node.targets, node.value)
    if any(type(one) is ast.Subscript and walk.text_of(one.slice) in settings for one in node.targets):
        check_setting(walk, node.value)
    walk.stack += (node.targets, node.value)


def compare(walk, node):
    stands(walk, "asked_for", (node.left, *node.comparators))
    walk.stack += (node.left, node.comparators)


def subscript(walk, node):
    stands(walk, "asked_for", (node.value,))
    stands_inside(walk, "asked_for", node.slice)
    if walk.text_of(node.slice) is None:
        stands(walk, "indexed", (node.value,))
    if type(node.ctx) is not ast.Load:
        base = node.value
        while type(base) is ast.Subscript:
            base = base.value
        walk.item_stores.add(id(base))
    walk.stack += (node.value, node.slice)


def expression(walk, node):
    stands(walk, "asked_for", (node.value,))
    walk.stack.append(node.value)


def annotated(walk, node):
    stands(walk, "asked_for", (node.annotation,))
    walk.stack += (node.target, node.annotation, node.value)


def note_assigned(walk, targets, value):
    """NAME = value, with value as NAME."""
    for one in targets:
        if type(one) is ast.Name:
            walk.scope.values.setdefault(one.id, []).append(value)


HANDLERS = {
    ast.keyword: keyword, ast.NamedExpr: walrus, ast.Lambda: lambda_, ast.ListComp: comprehension,
    ast.SetComp: comprehension, ast.DictComp: comprehension, ast.GeneratorExp: comprehension, ast.FunctionDef: function,
    ast.AsyncFunctionDef: function, ast.ClassDef: class_, ast.Import: import_, ast.ImportFrom: import_from,
    ast.Global: declare, ast.Nonlocal: declare, ast.If: condition, ast.AugAssign: augmented, ast.withitem: with_item,
    ast.ExceptHandler: handler,
    ast.MatchAs: capture, ast.MatchStar: capture, ast.MatchMapping: match_mapping, ast.MatchClass: match_class,
    ast.Dict: dictionary, ast.Assign: assign, ast.Compare: compare, ast.Subscript: subscript, ast.AnnAssign: annotated,
    ast.Expr: expression,
}

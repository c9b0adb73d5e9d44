# SPDX-License-Identifier: GPL-3.0-or-later
"""Where names stand that are allowed in their own places only, settings under keys that are text, and what items are stored
in. Handlers, as in policy_names.py; a node is placed by its parent, which comes before it."""
import ast

MAPPERS = frozenset(("apply", "applymap", "filter", "groupby", "isinstance", "issubclass", "map"))


def stands(walk, place, nodes):
    for node in nodes:
        if type(node) in (ast.Name, ast.Attribute):
            walk.places.setdefault(id(node), set()).add(place)


def stands_inside(walk, place, node):
    """In brackets, too."""
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


def place_bases(walk, node):
    """Of a class."""
    stands(walk, "base", node.bases)
    for one in (*node.bases, *(one.value for one in node.keywords if one.arg == "metaclass")):
        if is_type_call(one):
            walk.find("forbidden-name", one.func.lineno)


def place_arguments(walk, node):
    """Of a call."""
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
    walk.buffers_of.note_assigned(walk, node.targets, node.value)
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


HANDLERS = {
    ast.Dict: dictionary, ast.Assign: assign, ast.Compare: compare, ast.Subscript: subscript, ast.AnnAssign: annotated,
    ast.Expr: expression,
}

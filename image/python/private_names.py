# SPDX-License-Identifier: GPL-3.0-or-later
"""Lets each access of the program to a private attribute ask whether the object is its own: obj._x becomes own(obj, "_x", True)._x, where
own() is that of door_private.c, behind a name that no program can write. Programs without such attributes are compiled once, as they are."""
import ast
import types

OWN = "<own>"


def is_private(name):
    return name[:1] == "_" and not (name[:2] == "__" == name[-2:] and len(name) > 4)


def has_private(code):
    return any(map(is_private, code.co_names)) or any(has_private(one) for one in code.co_consts if isinstance(one, types.CodeType))


def accesses(tree):
    """(Attribute, the class in whose body it is or None), without recursion. The class of a class pattern must stay as it is: it is only
    compared with."""
    stack = [(tree, None)]
    while stack:
        node, owner = stack.pop()
        if type(node) is ast.Attribute and is_private(node.attr):
            yield node, owner
        for field, value in ast.iter_fields(node):
            if type(node) is ast.MatchClass and field == "cls":
                continue
            inside = node.name if type(node) is ast.ClassDef and field == "body" else owner
            stack += ((one, inside) for one in (value if isinstance(value, list) else (value,)) if isinstance(one, ast.AST))


def mangled(name, owner):
    """The name that Python uses for __x in the body of a class."""
    if owner is None or name[:2] != "__" or not owner.strip("_"):
        return name
    return "_%s%s" % (owner.lstrip("_"), name)


def compile_guarded(tree, compile_tree):
    """What compile_tree(tree) gives, code or None each, with the questions in it. The tree is afterwards as it was."""
    made = compile_tree(tree)
    if not any(code is not None and has_private(code) for code in made):
        return made
    found = list(accesses(tree))
    values = [node.value for node, _ in found]
    for node, owner in found:
        question = ast.Call(ast.Name(OWN, ast.Load()), [node.value, ast.Constant(mangled(node.attr, owner)),
                                                            ast.Constant(type(node.ctx) is ast.Load)], [])
        node.value = ast.fix_missing_locations(ast.copy_location(question, node.value))
    try:
        return compile_tree(tree)
    finally:
        for (node, _), value in zip(found, values):
            node.value = value

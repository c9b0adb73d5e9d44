# SPDX-License-Identifier: GPL-3.0-or-later
"""What CPython 3.11 sees in a program, in the form of validator_facts."""
import ast
import warnings

warnings.simplefilter("ignore")


def _imports(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return ["." * node.level + (node.module or "") + ":" + alias.name for alias in node.names]
    return []


# The fields of each kind of node that hold one of the other names, or a list of them.
OTHER = {
    ast.FunctionDef: "name", ast.AsyncFunctionDef: "name", ast.ClassDef: "name", ast.arg: "arg", ast.keyword: "arg",
    ast.alias: "asname", ast.Global: "names", ast.Nonlocal: "names", ast.ExceptHandler: "name", ast.MatchAs: "name",
    ast.MatchStar: "name", ast.MatchMapping: "rest", ast.MatchClass: "kwd_attrs",
}


def _others(node):
    value = getattr(node, OTHER.get(type(node), ""), None)
    return value if isinstance(value, list) else [value] if value else []


def _has_surrogate(text):
    return any("\ud800" <= character <= "\udfff" for character in text)


def facts_of(tree):
    imports, names, attributes, other, strings = set(), set(), set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                strings.add(node.value)
            elif isinstance(node.value, bytes):
                strings.add(node.value.decode("latin-1"))
        else:
            imports.update(_imports(node))
            other.update(_others(node))
    return {"imports": sorted(imports), "names": sorted(names), "attributes": sorted(attributes), "other": sorted(other),
            "strings": None if any(map(_has_surrogate, strings)) else sorted(strings)}


def read(data):
    """(facts, None), or (None, why) where CPython refuses the bytes."""
    try:
        return facts_of(ast.parse(data)), None
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError) as error:
        return None, "%s: %s" % (type(error).__name__, error)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Handlers for expressions, as in policy_names.py: names that are read, attributes, calls by the role of the function, and strings. The
meaning of a name is known only at the end, so uses are collected for policy_meaning.py."""
import ast
import re
import unicodedata

FIELD = "\ufffd"  # placeholder for an f-string's field in its text
REACHES = re.compile(r"\{[^{}]*\.__")  # a format field that reads a dunder
FIELDS_OF = re.compile(r"\{([^{}!:]*)")
NAMES_OF = re.compile(r"\.([^.\[\]]*)")
PIECE = re.compile(r"[A-Za-z0-9_.{}\[\]!:]*\Z")
SEPARATORS = re.compile(r"[.{}\[\]!:]")
WORD = "[A-Za-z0-9_\x80-\U0010ffff]"
BLANK = r"[ \t\r\n\f\\]*"
QUERY_FAULTS = re.compile(r"(?<!%s)__|\.%s_|@%s%s+%s[.(\[]|[\ud800-\udfff]" % (WORD, BLANK, BLANK, WORD, BLANK))
QUERY_VARIABLES = re.compile(r"@%s(%s+)" % (BLANK, WORD))
QUERY_METHODS = re.compile(r"\.%s(%s+)" % (BLANK, WORD))
OPTION = re.compile(r"[A-Za-z0-9_.]*\Z")
PLOTTING_OPTIONS = ("plotting.backend", "plotting.matplotlib.register_converters")


def text_of(node):
    """The text of a str constant or an f-string, or None."""
    if type(node) is ast.Constant:
        return node.value if type(node.value) is str else None
    if type(node) is ast.JoinedStr:
        return "".join(part.value if type(part) is ast.Constant else FIELD for part in node.values)
    return None


def name(walk, node, called=False):
    text = node.id
    if text in walk.policy.watched_names or text[:2] == "__":
        walk.check_name(text, node.lineno)
        if text in walk.policy.getters and not called:
            walk.find("name-by-text", node.lineno)
        if type(node.ctx) is ast.Load:
            places = walk.places.get(id(node), ())
            if text in walk.policy.of_place:
                walk.places_of.check_place(walk, text, places, node.lineno)
            if text in walk.policy.types and not called and "asked_for" not in places and "mapped" not in places:
                walk.types.append((text, walk.scope, node.lineno))
    if type(node.ctx) is ast.Load:
        walk.uses.append((node, None, walk.scope, walk.scope.statement))
    else:
        walk.scope.bind(text)


def attribute(walk, node, called=False):
    watched = walk.policy.watched_attributes
    chain, doubts = [], []
    while type(node) is ast.Attribute:
        chain.append(node)
        if node.attr in walk.policy.methods_by_name:
            walk.takes_methods = True
        if node.attr in walk.policy.formats:
            walk.formats = True
        if type(node.ctx) is ast.Store:
            walk.own.add(node.attr)
            if type(node.value) is ast.Name and node.value.id == walk.scope.first:
                walk.of_classes.add(node.attr)
        if node.attr in watched or node.attr[:1] == "_":
            doubts.append((node, len(chain), called))
            if node.attr in walk.policy.of_place and type(node.ctx) is ast.Load:
                places = walk.places.get(id(node), ()) if len(chain) == 1 else ("asked_for",)
                walk.places_of.check_place(walk, node.attr, places, node.end_lineno)
        called = False
        node = node.value
    root = None
    if type(node) is ast.Name:
        root = node
        chain.reverse()
        walk.uses.append((node, chain, walk.scope, walk.scope.statement))
        if node.id in walk.policy.watched_names or node.id[:2] == "__":
            walk.check_name(node.id, node.lineno)
            if node.id in walk.policy.getters:
                walk.find("name-by-text", node.lineno)
            if node.id in walk.policy.of_place:
                walk.places_of.check_place(walk, node.id, ("asked_for",), node.lineno)
    else:
        walk.stack.append(node)
    for attribute, back, was_called in doubts:
        walk.doubts.append((attribute, len(chain) - back, root, was_called))


def call(walk, node):
    function = node.func
    kind = type(function)
    walk.places_of.place_arguments(walk, node)
    if kind is ast.Attribute:
        text = function.attr
        attribute(walk, function, True)
        if text in walk.policy.reader_names:
            walk.readers[id(function)] = node
    elif kind is ast.Name:
        text = function.id
        name(walk, function, True)
    else:
        text = None
        walk.stack.append(function)
    if text in walk.policy.watched_calls:
        check_call(walk, node, text, kind is ast.Attribute, function.end_lineno)
    walk.stack += node.args
    walk.stack += node.keywords


def check_call(walk, node, text, is_attribute, line):
    policy = walk.policy
    if is_attribute and text in policy.writers:
        check_writer(walk, node)
    if is_attribute and text in policy.queries:
        check_query(walk, node)
    if text in policy.getters and not is_plain_getter(walk, node, text):
        walk.find("name-by-text", line)
    if not is_attribute and text in policy.types:
        odd = node.keywords or any(type(one) is ast.Starred for one in node.args)
        if odd or len(node.args) > 1:
            walk.find("forbidden-name", line)
    if text in policy.options:
        check_options(walk, node)
    if text in (policy.methods_by_name if is_attribute else policy.by_name):
        walk.by_name += 1
        walk.stack.append(walk.by_name)  # an int: when it is popped, the call is complete


def leave_call(walk, _number):
    walk.by_name -= 1


def check_writer(walk, node):
    paths = [(one, one.lineno) for one in node.args]
    for one in node.keywords:
        if one.arg is None:
            paths.append((None, one.lineno))
        elif one.arg in walk.policy.path_keywords:
            paths.append((one.value, one.value.lineno))
    walk.paths.append([row for row in paths if not (type(row[0]) is ast.Constant and row[0].value is None)])


def check_query(walk, node):
    arguments = [(None, one, one.lineno) for one in node.args]
    arguments += [(one.arg or "**", one.value, one.lineno) for one in node.keywords]
    for number, (keyword, value, line) in enumerate(arguments):
        if keyword in walk.policy.query_keywords or keyword == "**":
            walk.find("text-method", line)
            return
        if number > 0 and keyword != "expr":
            continue
        text = text_of(value)
        if text is None or has_query_fault(walk, text):
            walk.find("text-method", value.lineno)
            return
        walk.queries += ((name, value.lineno) for name in QUERY_VARIABLES.findall(text))


def has_query_fault(walk, text):
    return (QUERY_FAULTS.search(text) or not walk.policy.methods.isdisjoint(QUERY_METHODS.findall(text))
            or unicodedata.normalize("NFKC", text) != text)


def check_options(walk, node):
    for one in (*node.args[::2], *(one.value for one in node.keywords if one.arg == "pat")):
        text = text_of(one)
        if text is None:
            continue
        pattern = OPTION.match(text) and re.compile(text, re.IGNORECASE | re.ASCII)
        if not pattern or any(map(pattern.search, PLOTTING_OPTIONS)):
            walk.find("text-method", one.lineno)


def is_bad_template(walk, text):
    """Whether one of its format fields reads something forbidden."""
    if "{" not in text:
        return False
    return REACHES.search(text) or any("." in field and not walk.policy.attributes.isdisjoint(NAMES_OF.findall(field))
                                       for field in FIELDS_OF.findall(text))


def check_text(walk, text, line):
    if is_bad_template(walk, text) or walk.policy.is_command(text):
        walk.find("name-by-text", line)
    elif "__" in text and PIECE.match(text) and not walk.policy.dunder_pieces.isdisjoint(SEPARATORS.split(text)):
        walk.pieces.append(line)


def is_plain_getter(walk, node, text):
    names = node.args[:1] if text == "methodcaller" else node.args
    if (node.keywords and (text != "methodcaller" or not node.args)) or any(type(one) is ast.Starred for one in names):
        return False
    return all(is_plain_path(walk, one) for one in names)


def is_plain_path(walk, node):
    text = text_of(node)
    if text is None or type(node) is ast.JoinedStr and any(type(part) is not ast.Constant for part in node.values):
        return False
    return all(step and step[0] != "_" and step not in walk.policy.methods and step not in walk.policy.names
               for step in text.split("."))


def constant(walk, node):
    text = node.value
    if type(text) is not str:
        return
    if text[:2] == "to" and text in walk.policy.methods:
        walk.writers.append(node.lineno)
    if walk.by_name and ((text[:2] == "__" and len(text) > 2) or text in walk.policy.methods):
        walk.find("name-by-text", node.lineno)
    if id(node) not in walk.run_together:
        check_text(walk, text, node.lineno)


def joined(walk, node):
    if id(node) not in walk.run_together:
        check_text(walk, text_of(node), node.lineno)
    walk.run_together.update(map(id, node.values))
    walk.stack += node.values


def is_sum(node):
    return type(node) is ast.BinOp and type(node.op) is ast.Add


def binary(walk, node):
    """Visits the operands of a sum from left to right, regardless of parentheses: adjacent strings form one text."""
    if type(node.op) is not ast.Add:
        walk.places_of.stands(walk, "asked_for", (node.left, node.right))
        walk.stack += (node.left, node.right)
        return
    left, run = [node], []
    while left:
        one = left.pop()
        if is_sum(one):
            left += (one.right, one.left)
            continue
        walk.stack.append(one)
        walk.places_of.stands(walk, "asked_for", (one,))
        if text_of(one) is not None:
            run.append(one)
        else:
            check_run(walk, run)
            run = []
    check_run(walk, run)


def check_run(walk, run):
    if len(run) > 1:
        walk.run_together.update(map(id, run))
        check_text(walk, "".join(map(text_of, run)), run[0].lineno)


HANDLERS = {
    ast.Name: name, ast.Attribute: attribute, ast.Call: call, ast.Constant: constant, ast.JoinedStr: joined,
    ast.BinOp: binary, int: leave_call,
}

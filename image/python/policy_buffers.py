# SPDX-License-Identifier: GPL-3.0-or-later
"""Buffers in memory, which stand for files: io.StringIO(text), io.BytesIO(data), and variables that are bound to nothing
else. Functions that read one, and methods that write to one, may be given what is a buffer for certain. Checked at the end
of the walk (policy_meaning.py), when what names mean is known."""
import ast


def note_assigned(walk, targets, value):
    """NAME = value, with value as NAME."""
    for one in targets:
        if type(one) is ast.Name:
            walk.scope.values.setdefault(one.id, []).append(value)


def is_dotted(walk, module, attribute, words):
    return module is not None and "%s.%s" % (module.name, attribute) in words


class Buffers:
    """What is a buffer, by the end of the walk."""

    def __init__(self, walk, meaning_of, scope_of):
        self.walk = walk
        self.meaning_of = meaning_of  # (name, scope, statement): its Module or None
        self.scope_of = scope_of  # (name, scope): the scope that binds it
        self.places = {id(node): (scope, statement) for node, _, scope, statement in walk.uses}
        self.imported = {}  # (scope, name): the imports of it that give a buffer's class
        for name, scope, module, attribute in walk.members:
            if is_dotted(walk, module, attribute, walk.policy.buffers):
                where = scope_of(name, scope), name
                self.imported[where] = self.imported.get(where, 0) + 1
        self.spoiled = {(scope_of(name, scope), name) for name, scope in walk.declared}
        self.known = {}  # (scope, name): whether it is bound to buffers alone

    def is_bound_to(self, scope, name, count):
        return 0 < count == scope.counts.get(name, 0) and (scope, name) not in self.spoiled

    def makes(self, node):
        if type(node) is not ast.Call:
            return False
        function = node.func
        if type(function) is ast.Name:
            where = self.scope_of(function.id, self.places[id(function)][0])
            return self.is_bound_to(where, function.id, self.imported.get((where, function.id), 0))
        if type(function) is not ast.Attribute or type(function.value) is not ast.Name:
            return False
        module = self.meaning_of(function.value.id, *self.places[id(function.value)])
        return is_dotted(self.walk, module, function.attr, self.walk.policy.buffers)

    def has(self, node):
        if type(node) is not ast.Name:
            return self.makes(node)
        where = self.scope_of(node.id, self.places[id(node)][0])
        if (where, node.id) not in self.known:
            values = where.values.get(node.id, ())
            self.known[where, node.id] = (where.kind != "class" and self.is_bound_to(where, node.id, len(values))
                                          and all(map(self.makes, values)))
        return self.known[where, node.id]

    def reads(self, attribute):
        """Whether the reader is called with a buffer; what else it is given is checked then."""
        call = self.walk.readers.get(id(attribute))
        if call is None or len(call.args) > 2 or any(type(one) is ast.Starred for one in call.args):
            return False
        policy = self.walk.policy
        sources = [*call.args[:1], *(one.value for one in call.keywords if one.arg in policy.reader_keywords)]
        if len(sources) != 1 or any(one.arg is None for one in call.keywords) or not self.has(sources[0]):
            return False
        for one in call.keywords:
            if one.arg in policy.reader_refused or (
                    one.arg == "engine" and self.walk.text_of(one.value) not in ("c", "python")):
                self.walk.find("file-method", one.lineno)
        return True


def check_paths(walk, buffers):
    """The first argument of each method that writes that may be a path."""
    for values in walk.paths:
        for value, line in values:
            if value is None or not buffers.has(value):
                walk.find("file-method", line)
                break

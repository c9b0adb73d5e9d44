# SPDX-License-Identifier: GPL-3.0-or-later
"""The meaning of names, by Python's scoping, and the checks that depend on it. Modules: what is reached through them, that nothing is
stored on them, and that they are not used as values. Buffers in memory that take the place of files: io.StringIO(text), io.BytesIO(data),
and variables that are bound only to these; functions that read and methods that write may get only what is certainly a buffer. Runs at the
end of the visit (policy.py), on the collected uses."""
import ast

NEVER = 1 << 30


def is_super_call(node):
    return type(node) is ast.Call and type(node.func) is ast.Name and node.func.id == "super"


def is_type_call(node):
    return type(node) is ast.Call and type(node.func) is ast.Name and node.func.id == "type"


def check_kept(walk):
    """Checks what could not be checked before the whole program was visited."""
    for scope in walk.classes:
        walk.own.update(scope.bound.difference(scope.outer))
    walk.of_classes.update(*(scope.bound.difference(scope.outer) for scope in walk.classes))
    if walk.arrays:
        for line in walk.type_calls:
            walk.find("forbidden-name", line)
    for line in (*(walk.pieces if walk.formats else ()), *(walk.writers if walk.takes_methods else ())):
        walk.find("name-by-text", line)
    modules = {row[0] for row in walk.imports}
    for name, line in walk.queries:
        if name in modules:
            walk.find("text-method", line)
    for name, scope, line in walk.types:
        if name not in plain_scope(walk, name, scope).bound:
            walk.find("forbidden-name", line)


def check_foreign(walk, of_modules):
    """Refuses stores to imported objects. Names that mean a module are checked elsewhere."""
    for name, scope in walk.foreign:
        plain_scope(walk, name, scope).foreign.add(name)
    names = {name for name, _ in walk.foreign}
    for node, chain, scope, _ in walk.uses:
        if node.id in names and id(node) not in of_modules and node.id in plain_scope(walk, node.id, scope).foreign:
            last = chain[-1] if chain else node  # a plain name is only rebound, which does not change the imported object
            if (chain and type(last.ctx) is not ast.Load) or id(last) in walk.item_stores:
                walk.find("module-store", node.lineno)


def check_uses(walk):
    check_kept(walk)
    steps = {}  # id of a Name: number of attributes after it that were checked as the module's
    names = place_imports(walk)
    given_away = find_given_away(walk, names) if names else {}
    buffers = None
    if walk.readers or any(walk.paths):
        buffers = Buffers(walk, given_away)
        check_paths(walk, buffers)
    if names:
        for node, chain, scope, statement in walk.uses:
            if node.id in names:
                module = meaning(walk, node.id, scope, statement, given_away)
                if module is not None:
                    steps[id(node)] = check_module_use(walk, node, chain, module, buffers)
    check_foreign(walk, steps)
    for node, number, root, called in walk.doubts:
        if number >= steps.get(id(root), 0):
            check_attribute(walk, node, called)
            if walk.arrays:
                check_array(walk, node)
        if not called:
            check_uncalled(walk, node)


def check_attribute(walk, node, called):
    """Checks a collected attribute that is not part of a module's chain."""
    policy, text = walk.policy, node.attr
    if policy.is_dunder(text):
        allowed = (called and text in policy.dunders and is_super_call(node.value) and not (
            text == "__new__" and (node.value.args or node.value.keywords))) or (
            text == "__name__" and type(node.ctx) is ast.Load and is_type_call(node.value))
        told = type(node.value) is ast.Attribute and node.value.attr == "__class__"  # report one mistake once
        if not (allowed or told):
            walk.find("dunder", node.end_lineno)
    elif text in policy.attributes or (text not in walk.own and policy.is_private(text)):
        walk.find("forbidden-attribute", node.end_lineno)


def check_array(walk, node):
    """Checks an attribute that reaches the memory of arrays, or loads matplotlib."""
    policy, text = walk.policy, node.attr
    own = text in walk.of_classes
    stored = type(node.ctx) is not ast.Load
    if text in policy.memory or (text in policy.charts and not own):
        walk.find("forbidden-attribute", node.end_lineno)
    elif own and text in policy.own_stores:
        return
    elif (stored and (text in policy.stores or text in policy.own_stores)) or (
            text in policy.item_stores and id(node) in walk.item_stores):
        walk.find("forbidden-attribute", node.end_lineno)


def check_uncalled(walk, node):
    policy, text = walk.policy, node.attr
    if text in policy.writers:
        walk.find("file-method", node.end_lineno)
    if text in policy.queries:
        walk.find("text-method", node.end_lineno)
    if text in policy.getters:
        walk.find("name-by-text", node.end_lineno)


def plain_scope(walk, name, scope):
    """The scope that binds the name for this one; that of the module if nothing binds it."""
    around = scope
    while around is not None:
        if around.kind != "class" or around is scope:
            declared = around.outer.get(name)
            if declared == "global":
                return walk.root
            if declared is None and name in around.bound:
                return around
        around = around.parent
    return walk.root


def binding_scope(walk, name, scope):
    """The same, except that before a class body has bound a name, Python uses the module's."""
    where = plain_scope(walk, name, scope)
    return walk.root if where.kind == "class" and name not in where.modules else where


def place_imports(walk):
    """Assigns each import to the scope in which it binds; returns the names of all."""
    for name, module, scope, _, line in sorted(walk.imports, key=lambda row: row[4]):
        declared = scope.outer.get(name)
        if declared == "global":
            scope = walk.root
        elif declared == "nonlocal":
            scope = binding_scope(walk, name, scope)
        if scope.modules.setdefault(name, module) is not module:
            walk.find("import-twice", line)
        if scope.kind == "class":  # it becomes an attribute of the class
            walk.find("module-as-value", line)
    return {row[0] for row in walk.imports}


def find_given_away(walk, names):
    """{name: the statement of the module's body after which it no longer means a module}."""
    last = {}
    for name, _, scope, statement, _ in walk.imports:
        if scope is walk.root or scope.outer.get(name) == "global":
            last[name] = max(last.get(name, -1), NEVER if statement is None else statement)
    given_away = {}
    for number, statement in enumerate(walk.tree.body):
        for name in bound_for_certain(statement):
            if name in names and name not in walk.shared and last.get(name, NEVER) < number:
                given_away.setdefault(name, number)
    return given_away


def meaning(walk, name, scope, statement, given_away):
    """The Module that a name refers to, or None."""
    where = binding_scope(walk, name, scope)
    if where is walk.root and statement > given_away.get(name, NEVER):
        return None
    return where.modules.get(name)


def check_module_use(walk, node, chain, module, buffers):
    """Returns the number of attributes that were checked."""
    if chain is None:
        walk.find("module-as-value", node.lineno)
        return 0
    for number, attribute in enumerate(chain, 1):
        inner = walk.policy.modules.get("%s.%s" % (module.name, attribute.attr))
        if inner is not None:
            module = inner
            continue
        if not module.allows(attribute.attr):
            if number == len(chain) and "%s.%s" % (module.name, attribute.attr) in walk.policy.readers and (
                    buffers is not None and buffers.reads(attribute)):
                return number
            walk.find("module-attribute", attribute.end_lineno)
        elif (type(chain[-1].ctx) is not ast.Load or id(chain[-1]) in walk.item_stores) and (
                type(attribute.ctx) is not ast.Load or "%s.%s" % (module.name, attribute.attr) not in (
                    walk.policy.storable if number < len(chain) else walk.policy.item_storable)):
            walk.find("module-store", node.lineno)
        return number
    walk.find("module-as-value", chain[-1].end_lineno)
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


# ---- buffers ----

def is_dotted(walk, module, attribute, words):
    return module is not None and "%s.%s" % (module.name, attribute) in words


class Buffers:
    """Which names are buffers, at the end of the visit."""

    def __init__(self, walk, given_away):
        self.walk = walk
        self.given_away = given_away
        self.places = {id(node): (scope, statement) for node, _, scope, statement in walk.uses}
        self.imported = {}  # (scope, name): its imports that give a buffer's class
        for name, scope, module, attribute in walk.members:
            if is_dotted(walk, module, attribute, walk.policy.buffers):
                where = plain_scope(walk, name, scope), name
                self.imported[where] = self.imported.get(where, 0) + 1
        self.spoiled = {(plain_scope(walk, name, scope), name) for name, scope in walk.declared}
        self.known = {}  # (scope, name): whether it is bound only to buffers

    def is_bound_to(self, scope, name, count):
        return 0 < count == scope.counts.get(name, 0) and (scope, name) not in self.spoiled

    def makes(self, node):
        if type(node) is not ast.Call:
            return False
        function = node.func
        if type(function) is ast.Name:
            where = plain_scope(self.walk, function.id, self.places[id(function)][0])
            return self.is_bound_to(where, function.id, self.imported.get((where, function.id), 0))
        if type(function) is not ast.Attribute or type(function.value) is not ast.Name:
            return False
        module = meaning(self.walk, function.value.id, *self.places[id(function.value)], self.given_away)
        return is_dotted(self.walk, module, function.attr, self.walk.policy.buffers)

    def has(self, node):
        if type(node) is not ast.Name:
            return self.makes(node)
        where = plain_scope(self.walk, node.id, self.places[id(node)][0])
        if (where, node.id) not in self.known:
            values = where.values.get(node.id, ())
            self.known[where, node.id] = (where.kind != "class" and self.is_bound_to(where, node.id, len(values))
                                          and all(map(self.makes, values)))
        return self.known[where, node.id]

    def reads(self, attribute):
        """Whether the reader is called with a buffer; its other arguments are then checked."""
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
    """Checks the first argument of each method that writes and may get a path."""
    for values in walk.paths:
        for value, line in values:
            if value is None or not buffers.has(value):
                walk.find("file-method", line)
                break

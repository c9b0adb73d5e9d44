# SPDX-License-Identifier: GPL-3.0-or-later
"""Restricts what analysis code may do inside the interpreter: an import list, builtins that refuse, and an audit hook.

This is the innermost layer, and the one with clear error messages. It is in the same process as the code, so code that breaks the
interpreter also breaks this layer; Landlock and seccomp do not depend on it.
"""
import copy
import dis
import os
import sys
import types

REFUSED_BUILTINS = {
    "open": "files are out of reach; read the curriculum with the functions of code_helpers",
    "exec": "write the code itself",
    "eval": "write the expression itself; for literals use json.loads",
    "compile": "write the code itself",
    "input": "nobody is there to answer; put the values into the code",
    "breakpoint": "there is no debugger; print what you want to see",
    "help": "print what you want to see",
    "exit": "let the code run to its end",
    "quit": "let the code run to its end",
}

IMPORT_NAME = dis.opmap["IMPORT_NAME"]
# What C functions of allowed modules load: strptime, the number and date types of numpy and pandas, ...
IMPLIED_MODULES = frozenset((
    "_strptime", "copyreg", "warnings", "locale", "numbers", "abc", "zoneinfo", "pytz", "dateutil", "dateutil.tz",
    "dateutil.parser", "numexpr", "bottleneck", "_decimal", "_operator", "_collections_abc",
))


def refusal(name, advice):
    def refused(*_args, **_keywords):
        raise PermissionError("%s() is not allowed here: %s" % (name, advice))

    refused.__name__ = refused.__qualname__ = name
    return refused


def parents(names):
    found = set()
    for name in names:
        while "." in name:
            name = name.rpartition(".")[0]
            found.add(name)
    return found


def make_import(real_import, find_spec, allowed):
    """An __import__ for analysis code only: libraries keep the original one in their builtins.

    A C function of a library has no frame, so its imports appear here as if the code had made them. An import statement is recognized by
    its instruction; any other caller may load what belongs to an allowed package.
    """
    listed = ", ".join(sorted(allowed))
    allowed = frozenset(allowed)
    reachable = allowed | parents(allowed)
    frame_at = sys._getframe

    def is_statement(frame):
        return frame.f_code.co_code[frame.f_lasti] == IMPORT_NAME

    def is_implied(name):
        return name in IMPLIED_MODULES or name.partition(".")[0] in reachable

    def is_there(name):
        return name in sys.modules or find_spec(name) is not None

    def installed():
        return ", ".join(sorted(name for name in allowed if "." not in name and is_there(name)))

    def check_items(module, name, items):
        for item in items:
            if isinstance(getattr(module, item, None), types.ModuleType):
                dotted = "%s.%s" % (name, item)
                if dotted not in reachable:
                    raise ImportError("Import '%s' is not allowed. Allowed: %s" % (dotted, listed))

    def checked_import(name, globals=None, locals=None, fromlist=(), level=0):
        if level:
            raise ImportError("Relative imports have no package here. Allowed: %s" % listed)
        statement = is_statement(frame_at(1))
        if name not in allowed and (statement or not is_implied(name)):
            raise ImportError("Import '%s' is not allowed. Allowed: %s" % (name, listed))
        try:
            module = real_import(name, globals, locals, fromlist, 0)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("%s is not installed in this sandbox. Installed: %s" % (error.name, installed()),
                                      name=error.name) from None
        if fromlist and statement:
            check_items(module, name, fromlist)
        return module

    checked_import.__name__ = checked_import.__qualname__ = "__import__"
    return checked_import


def make_builtins(builtins, allowed):
    """A copy of the builtins for the code's namespace, so replacements affect only the code."""
    from importlib.util import find_spec
    own = dict(vars(builtins))
    for name, advice in REFUSED_BUILTINS.items():
        own[name] = refusal(name, advice)
    own["__import__"] = make_import(builtins.__import__, find_spec, allowed)
    return own


def guard_copy(copy):
    """A memo tells deepcopy() what stands for an object, so one that the program made could put anything into a library's object."""
    real, memos = copy.deepcopy, []

    def deepcopy(x, memo=None, _nil=[]):
        if memo is None:
            memo = {}
        elif not any(memo is one for one in memos):
            raise PermissionError("deepcopy() makes its own memo (rule: copied-state)")
        memos.append(memo)
        try:
            return real(x, memo)
        finally:
            memos.pop()

    copy.deepcopy = deepcopy


# Libraries read these folders and this file besides their own files.
DATA = tuple(sys.prefix + path for path in ("/share/zoneinfo", "/share/matplotlib/mpl-data", "/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf"))
# Roles of names in the policy that refuse them as attributes, also by a computed name.
ATTRIBUTE_ROLES = frozenset(("attribute", "writer", "query"))


def install(doors, rules, filename, own, folders, policy):
    """Passes the rules to the module doors, before any library is loaded. own: files whose functions are not restricted; folders: where
    libraries are."""
    below = tuple(sorted((os.path.abspath(folder).rstrip("/") + "/" for folder in folders if folder), key=len, reverse=True))
    doors.install(
        filename=filename, own=frozenset(own), folders=below, readable=(*below, *(path + "/" for path in DATA)),
        names=frozenset(name for name, roles in policy["names"].items() if not ATTRIBUTE_ROLES.isdisjoint(roles)),
        private=frozenset(policy["private_names"]), attributes=rules.ATTRIBUTES, public=rules.PUBLIC, members=rules.MEMBERS.union(policy["dunder_methods"]), memory=rules.MEMORY,
        frames=rules.FRAMES, functions=rules.FUNCTIONS, texts=rules.TEXTS, modules=rules.MODULES, events=rules.EVENTS,
        families=rules.FAMILIES, harmless=rules.HARMLESS_EVENTS, listing=rules.LISTING_EVENTS, looking=rules.LOOKING_EVENTS)
    guard_copy(copy)
    for kind, attributes, frames in rules.INTERPRETER:
        for name in attributes:
            doors.guard_attribute(kind, name, frames)

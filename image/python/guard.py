# SPDX-License-Identifier: GPL-3.0-or-later
"""Restricts what analysis code may do inside the interpreter: an import list, builtins that refuse, and an audit hook.

This is the layer with clear error messages, and no boundary: it is in the same process as the code, which can go around it. The boundary is
the kernel's (Landlock, seccomp), which does not depend on it.
"""
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
# Roles of names in the policy that refuse them as attributes.
ATTRIBUTE_ROLES = frozenset(("attribute", "writer", "query"))
# The namespaces of these are the interpreter's own.
INTERPRETER_TYPES = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)
# Libraries read these folders and this file besides their own files.
DATA = tuple(sys.prefix + path for path in ("/share/zoneinfo", "/share/matplotlib/mpl-data", "/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf"))
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
WRITE_LETTERS = frozenset("wax+")
# Audit events that are refused, by the word before the first dot.
FAMILIES = frozenset(("_posixsubprocess", "ctypes", "fcntl", "glob", "mmap", "os", "pty", "resource", "shutil", "signal", "socket", "subprocess",
                      "tempfile"))
HARMLESS_EVENTS = frozenset(("builtins.id", "os.putenv", "os.unsetenv"))  # the first: deepcopy() raises it several times for each object
LISTING_EVENTS = frozenset(("os.listdir", "os.scandir", "os.walk", "os.fwalk"))


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


def plain(name):
    """The text itself: the methods of a subclass of str could show a dictionary another one."""
    return str.__str__(name) if isinstance(name, str) else name


def attribute_builtins(builtins, policy):
    """getattr() and the like, which refuse names that the policy refuses as attributes. hasattr() refuses those that are no text either."""
    refused = frozenset(name for name, roles in policy["names"].items() if not ATTRIBUTE_ROLES.isdisjoint(roles))
    public, hidden, frame_at = frozenset(policy["private_names"]), frozenset(policy["dunder_texts"]), sys._getframe

    def check(name, is_refused):
        name = plain(name)
        if isinstance(name, str) and is_refused(name):
            raise PermissionError("attribute '%s' is out of reach by its name (rule: attribute-by-name)" % name)
        return name

    def is_special(name):
        return name in refused or name[:1] == "_" and name not in public

    def make(name, is_refused):
        real = getattr(builtins, name)

        def checked(object, name, /, *value):
            return real(object, check(name, is_refused), *value)

        checked.__name__ = checked.__qualname__ = name
        return checked

    def vars(*of):
        if not of:
            return frame_at(1).f_locals
        if isinstance(of[0], INTERPRETER_TYPES):
            raise PermissionError("attribute '__dict__' is the interpreter's own (rule: interpreter-object)")
        return builtins.vars(*of)

    vars.__qualname__ = "vars"
    return {"vars": vars, "hasattr": make("hasattr", hidden.__contains__),
            **{name: make(name, is_special) for name in ("getattr", "setattr", "delattr")}}


def make_builtins(builtins, allowed, policy):
    """A copy of the builtins for the code's namespace, so replacements affect only the code."""
    from importlib.util import find_spec
    own = {**vars(builtins), **attribute_builtins(builtins, policy)}
    for name, advice in REFUSED_BUILTINS.items():
        own[name] = refusal(name, advice)
    own["__import__"] = make_import(builtins.__import__, find_spec, allowed)
    return own


def add_hook(folders):
    """Refuses files and folders outside the libraries, writing, processes, sockets, signals and ctypes, from now on. folders: of libraries."""
    readable = tuple(os.path.abspath(folder).rstrip("/") + "/" for folder in (*folders, *DATA) if folder)
    fsdecode, frame_at = os.fsdecode, sys._getframe

    def is_readable(path):
        if isinstance(path, int):
            return False
        text = fsdecode(path) + "/"
        return text.startswith(readable) and "/../" not in text

    def is_importing():
        frame = frame_at(2)
        while frame is not None and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
            frame = frame.f_back
        return frame is not None

    def hook(event, args):
        if event in HARMLESS_EVENTS:
            return
        if event == "open":
            path, mode, flags = args
            if flags & WRITE_FLAGS or not WRITE_LETTERS.isdisjoint(mode or "") or not is_readable(path):
                raise PermissionError("files are out of reach; use the functions of code_helpers (rule: file)")
        elif event in LISTING_EVENTS:
            if not is_readable(args[0]):
                raise PermissionError("folders are out of reach (rule: file)")
        elif event.partition(".")[0] in FAMILIES:
            # The imports of numpy and scipy bind C functions with ctypes.
            if event[:7] != "ctypes." or not is_importing():
                raise PermissionError("%s is not allowed in analysis code (rule: event)" % event)

    sys.addaudithook(hook)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the code is told it may not do: an import list, builtins that refuse, and an audit hook.

This is the innermost layer, and the one that gives clear messages. It stands in the same process as the code, so
code that breaks the interpreter breaks it too; Landlock and seccomp outside of it do not depend on it.
"""
import dis
import functools
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

# Families of audit events, by the word before the first dot.
REFUSED_FAMILIES = frozenset((
    "socket", "subprocess", "_posixsubprocess", "mmap", "fcntl", "resource", "pty", "shutil", "tempfile", "urllib",
    "http", "ftplib", "smtplib", "poplib", "imaplib", "nntplib", "telnetlib", "sqlite3", "syslog", "signal",
    "webbrowser", "gc", "cpython", "pickle", "setopencodehook", "os", "ctypes", "glob", "ensurepip",
))
REFUSED_EVENTS = frozenset((
    "sys.addaudithook", "sys.settrace", "sys.setprofile", "sys._current_frames", "sys._current_exceptions",
    "builtins.input", "builtins.breakpoint",
))
ALLOWED_EVENTS = frozenset(("os.putenv", "os.unsetenv"))
LISTING_EVENTS = frozenset(("os.listdir", "os.scandir", "os.walk", "os.fwalk"))
# Refused where the code's own frame does it; libraries need them, imports of compiled files too.
INNER_EVENTS = frozenset(("object.__getattr__", "object.__setattr__", "object.__delattr__", "code.__new__"))


IMPORT_NAME = dis.opmap["IMPORT_NAME"]
# What C functions of allowed modules load by themselves: strptime, numpy's and pandas' number and date types, ...
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
    """An __import__ for the code alone: libraries have the real one in their own builtins.

    But a library's C function has no frame, so what it imports comes here too, as if the code had called for it. An
    import statement is told by its instruction; anything else may load what belongs to an allowed package."""
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
    """The builtins of the code's namespace, a copy: what is replaced in it is replaced for the code alone."""
    from importlib.util import find_spec
    own = dict(vars(builtins))
    for name, advice in REFUSED_BUILTINS.items():
        own[name] = refusal(name, advice)
    own["__import__"] = make_import(builtins.__import__, find_spec, allowed)
    return own


DATA_FOLDERS = ("/usr/share/zoneinfo", "/usr/share/matplotlib/mpl-data")  # that libraries read besides their own files


def make_arm(filename, folders):
    """What arms, made before there is a job. Once called, and for good: what opens, starts, connects or looks into the
    interpreter is refused.

    Libraries may go on importing lazily: reading below `folders` stays open to them."""
    below = tuple(os.path.abspath(folder).rstrip("/") + "/" for folder in (*folders, *DATA_FOLDERS) if folder)
    abspath, frame_at, bootstrap = os.path.abspath, sys._getframe, "<frozen importlib._bootstrap>"
    fsdecode = os.fsdecode
    write_flags = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def within(path):
        if isinstance(path, int):
            return False
        path = abspath(fsdecode(path))
        return (path + "/").startswith(below)

    def importing():
        """Whether a library is being imported now, seen from the code's own frames inwards."""
        frame = frame_at(3)
        while frame is not None and frame.f_code.co_filename != filename:
            if frame.f_code.co_filename == bootstrap:
                return True
            frame = frame.f_back
        return False

    def check(event, args):
        if event in INNER_EVENTS:
            if frame_at(2).f_code.co_filename == filename:
                raise PermissionError("%s is the interpreter's own and out of reach" % (args[1],))
        elif event == "open":
            path, mode, flags = args
            reads = not flags & write_flags and (mode is None or not set(mode) & set("wax+"))
            if not (reads and within(path)):
                raise PermissionError("files are out of reach; use the functions of code_helpers")
        elif event in LISTING_EVENTS:
            if args[0] is None or not within(args[0]):
                raise PermissionError("folders are out of reach")
        elif event in REFUSED_EVENTS or event.partition(".")[0] in REFUSED_FAMILIES:
            # numpy's and scipy's own import binds C functions by ctypes
            if event not in ALLOWED_EVENTS and not (event.startswith("ctypes.") and importing()):
                raise PermissionError("%s is not allowed in analysis code" % event)

    judging = False

    def hook(event, args):
        nonlocal judging
        if judging:  # an event of the hook's own making: looking at a frame is one
            return
        judging = True
        try:
            check(event, args)
        finally:
            judging = False

    return functools.partial(sys.addaudithook, hook)

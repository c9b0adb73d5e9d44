# SPDX-License-Identifier: GPL-3.0-or-later
"""Describes how a run failed, for the author of the code: the traceback lines of the code, the error, and a hint for frequent mistakes.
Paths of the sandbox's files are removed."""
import importlib.util
import io
import linecache
import os
import re
import sys
import traceback
import warnings

KIND_NAME = type.__dict__["__name__"].__get__


def load_neighbour(name):
    """Loads a file of this folder without adding it to sys.modules, where the code could find it."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hints = load_neighbour("hints")


class Reporter:
    def __init__(self, filename, folders, memory_mb):
        self.filename = filename
        self.memory_mb = memory_mb
        self.code = ""
        self.tree = None
        # Longest first, so that nothing of a longer path remains.
        roots = {os.path.abspath(path) + "/" for path in [*sys.path, *folders, sys.prefix + "/lib"] if path}
        self.paths = re.compile("|".join(re.escape(root) for root in sorted(roots, key=len, reverse=True)))

    @staticmethod
    def kind(error):
        """The name of its type. A metaclass belongs to the code and is not called."""
        return KIND_NAME(type(error))

    def show_lines(self):
        """Lets tracebacks show the lines of the code."""
        linecache.cache[self.filename] = (len(self.code), None, list(io.StringIO(self.code, None)), self.filename)

    def scrub(self, text):
        return self.paths.sub("", text)

    def own_frames(self, trace):
        own = []
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.filename:
                own.append(trace)
            trace = trace.tb_next
        return own

    def keep_own(self, summary, seen):
        """The traceback of an exception and of its causes, with only the lines of the code."""
        if summary is None or id(summary) in seen:
            return
        seen.add(id(summary))
        summary.stack[:] = [frame for frame in summary.stack if frame.filename == self.filename]
        for link in ("__cause__", "__context__"):
            earlier = getattr(summary, link)
            self.keep_own(earlier, seen)
            if earlier is not None and not earlier.stack:  # raised entirely inside a library
                setattr(summary, link, None)
        for inner in getattr(summary, "exceptions", None) or ():
            self.keep_own(inner, seen)

    def failed(self, error, namespace):
        """The members of the result for an exception."""
        self.show_lines()
        kind = self.kind(error)
        own = self.own_frames(error.__traceback__)
        line = own[-1].tb_lineno if own else getattr(error, "lineno", None)
        if isinstance(error, MemoryError):
            return self.out_of_memory(error, namespace, line)
        summary = traceback.TracebackException(type(error), error, error.__traceback__, lookup_lines=False,
                                               compact=True)
        self.keep_own(summary, set())
        text = "".join(summary.format()).rstrip("\n")
        hint = hints.hint(error, own[-1], self.tree) if own else None
        if hint:
            text += "\nHint: " + hint
        return {"error": self.scrub(text), "error_type": kind, "line": line if isinstance(line, int) else None}

    def out_of_memory(self, error, namespace, line):
        traceback.clear_frames(error.__traceback__)
        namespace.clear()
        where = " at line %d" % line if isinstance(line, int) else ""
        return {"error": "MemoryError: the code needed more than the %d MB of memory that it may use together with the "
                         "interpreter and the libraries%s; keep less at a time" % (self.memory_mb, where), "error_type": "MemoryError", "line": line}

    def timeout(self, frame, seconds):
        """The members of the result for a run that was in this frame at the deadline."""
        own = []
        while frame is not None:
            if frame.f_code.co_filename == self.filename:
                own.append((frame, frame.f_lineno))
            frame = frame.f_back
        text = "TimeoutError: the code ran for %g s, the longest it may, and was ended" % seconds
        if own:
            self.show_lines()
            stack = traceback.StackSummary.extract(reversed(own), lookup_lines=True)
            text += "; it was at\n" + "".join(stack.format()).rstrip("\n")
            progress = hints.progress(own[0][0], own[0][1], self.tree)
            text += "\nIt had come to " + progress if progress else ""
        text += "\nHint: what it printed until then is kept; do less in one run, or look for a loop that does not end"
        return {"error": self.scrub(text), "error_type": "TimeoutError", "line": own[0][1] if own else None}

    def exited(self, end):
        """The arguments of finish() for sys.exit and similar."""
        code = SystemExit.code.__get__(end)
        if code is None:
            return (0,)
        if issubclass(type(code), int):
            if int.__eq__(code, 0):
                return (0,)
            status = int.__and__(code, 0xff) or 1
            return status, None, "SystemExit: the code ended itself with exit status %d" % status, "SystemExit"
        try:
            text = self.scrub(str(code))
        except BaseException:  # the text comes from a method of the code
            text = "(its text could not be made)"
        return 1, None, "SystemExit: %s" % text, "SystemExit"

    def show_warning(self, message, category, filename, lineno, _file=None, _line=None):
        where = "%s:%d: " % (filename, lineno) if filename == self.filename else ""
        sys.stderr.write("%s%s: %s\n" % (where, category.__name__, self.scrub(str(message))))


def make_reporter(filename, folders, memory_mb):
    warnings.filterwarnings("default", module="__main__")
    return Reporter(filename, folders, memory_mb)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of warming (image/python/fork.c): the interpreter confines itself for the job, or, in a session, it becomes a zygote, which runs
no job and is cloned for each (image/runner/zygote.h)."""
import os
import sys


def load(folder, ruleset):
    """Returns the function that does it, and returns confined. ruleset: for a zygote, else None. Then it returns only in the copies. It
    includes Python's part of a fork, which reseeds `random`; numpy's generator is reseeded here. All copies share the hash secret and
    the memory layout."""
    before = set(sys.modules)
    import ctypes
    library = ctypes.PyDLL(os.path.join(folder, "fork.so"))
    serve, narrow = library.zygote_serve, library.narrow
    serve.restype = None
    begin, end = ctypes.pythonapi.PyOS_BeforeFork, ctypes.pythonapi.PyOS_AfterFork_Child
    begin.restype = end.restype = None
    if ruleset is not None and library.zygote_prepare() < 0:
        raise SystemExit(1)
    numpy = sys.modules.get("numpy")
    for name in set(sys.modules) - before:  # the code must not find modules that it would not find in a new interpreter
        del sys.modules[name]

    def confine():
        if narrow() < 0:
            raise SystemExit(1)

    def become_copy():
        begin()
        serve(int(ruleset))
        end()
        if numpy is not None:
            numpy.random.seed(int.from_bytes(os.urandom(4), "big"))

    return confine if ruleset is None else become_copy

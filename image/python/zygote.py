# SPDX-License-Identifier: GPL-3.0-or-later
"""The interpreter of a session: it warms up, runs no job, and is cloned for each job (image/runner/zygote.h)."""
import os
import sys


def load(folder, ruleset):
    """Returns the function that becomes a clean copy of this process (image/python/fork.c). It returns only in the copies, already
    confined. It includes Python's part of a fork, which reseeds `random`; numpy's generator is reseeded here. All copies share the hash
    secret and the memory layout."""
    before = set(sys.modules)
    import ctypes
    library = ctypes.PyDLL(os.path.join(folder, "fork.so"))
    serve = library.zygote_serve
    serve.restype = None
    begin, end = ctypes.pythonapi.PyOS_BeforeFork, ctypes.pythonapi.PyOS_AfterFork_Child
    begin.restype = end.restype = None
    if library.zygote_prepare() < 0:
        raise SystemExit(1)
    numpy = sys.modules.get("numpy")
    for name in set(sys.modules) - before:  # the code must not find modules that it would not find in a new interpreter
        del sys.modules[name]

    def become_copy():
        begin()
        serve(ruleset)
        end()
        if numpy is not None:
            numpy.random.seed(int.from_bytes(os.urandom(4), "big"))

    return become_copy

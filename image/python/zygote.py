# SPDX-License-Identifier: GPL-3.0-or-later
"""The interpreter of a session: it warms up, runs nothing, and is copied for each job (image/runner/zygote.h)."""
import os
import sys


def load(folder, ruleset):
    """The function that becomes a clean copy of this process (image/python/fork.c): it returns in each copy, already
    confined, and never here. Python's own half of a fork is around it, by which `random` begins anew; numpy's numbers
    do so here. What the copies share: the secret of hashes, and where things lie in memory."""
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
    for name in set(sys.modules) - before:  # the code shall not find what it would not find otherwise
        del sys.modules[name]

    def become_copy():
        begin()
        serve(ruleset)
        end()
        if numpy is not None:
            numpy.random.seed(int.from_bytes(os.urandom(4), "big"))

    return become_copy

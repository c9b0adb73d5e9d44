# SPDX-License-Identifier: GPL-3.0-or-later
"""Replaces image/python/guard.py in tests of the layers around the process: it allows every import, every builtin and every event."""


def make_builtins(builtins, _allowed, policy):  # the caller names it
    return dict(vars(builtins))


def add_hook(_folders):
    pass

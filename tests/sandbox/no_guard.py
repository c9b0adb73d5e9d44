# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for image/python/guard.py where a test looks at the layers around the process: every import and every builtin, and the
doors get no rules, so that they guard nothing and no audit hook is there."""


def make_builtins(builtins, _allowed):
    return dict(vars(builtins))


def install(*_arguments):
    pass

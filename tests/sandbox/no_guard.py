# SPDX-License-Identifier: GPL-3.0-or-later
"""Stands in for image/python/guard.py where a test looks at the walls around the process: every import, every builtin, no audit hook."""


def make_builtins(builtins, _allowed):
    return dict(vars(builtins))


def make_arm(_filename, _folders):
    return lambda: None  # nothing is watched

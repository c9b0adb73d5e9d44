# SPDX-License-Identifier: GPL-3.0-or-later
"""Replaces image/python/policy.py in tests of the layers behind it: refuses nothing."""


def load(_path):
    return dict.fromkeys(("minimal", "data-science", "visualization"))


def check(_tree, policy):
    return policy or []

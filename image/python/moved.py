# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of data in Debian's packages, where Python is not in /usr: without a root of its own, the pinned Python is in another folder.

Some libraries read /usr/share while they are imported, so a setting after the import would be too late. Their code gets other constants.
"""
import importlib.machinery
import os
import sys
import types

PACKAGED = "/usr"
NAMES = frozenset(("dateutil.tz.tz", "matplotlib", "pytz", "pytz.tzfile"))
ZONES = sys.prefix + "/share/zoneinfo"


def move(value):
    if type(value) is str and (value == PACKAGED or value.startswith(PACKAGED + "/share/")):
        return sys.prefix + value[len(PACKAGED):]
    if type(value) is tuple:
        return tuple(map(move, value))
    if type(value) is types.CodeType:
        return value.replace(co_consts=move(value.co_consts))
    return value


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if name in NAMES else None
        if spec:
            read = spec.loader.get_code
            spec.loader.get_code = lambda name: move(read(name))
        return spec


def prepare():
    """Before any library is imported."""
    if sys.prefix != PACKAGED:
        os.environ["PYTHONTZPATH"] = ZONES
        sys.meta_path.insert(0, Finder)

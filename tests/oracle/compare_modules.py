#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds the policy's table of modules against the libraries of the sandbox's Python: nothing that a program may reach through a
module is a module itself, or could become one when something imports it, unless the table has a row for it.

    compare_modules.py LECTERN

LECTERN is the program, whose `validate --dump-policy` is read. Modules that are not there are counted and left out, but networkx,
numpy and pandas must be there. Exit status 0 when all holds.
"""
import importlib
import os
import pathlib
import pkgutil
import subprocess
import sys
import tempfile
import types
import warnings

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "image/python"))
warnings.simplefilter("ignore")

import moved  # noqa: E402
import policy  # noqa: E402

WANTED = ("networkx", "numpy", "pandas")


def read_policy(lectern):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(subprocess.run([lectern, "validate", "--dump-policy"], stdout=subprocess.PIPE, check=True).stdout)
        file.flush()
        return policy.load(file.name)["visualization"]


def find(name):
    """The module, which may be known only as an attribute of another: networkx.bipartite. None."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
            for part in parts[count:]:
                found = getattr(found, part)
            return found
        except (ImportError, AttributeError):
            continue
    return None


def inner_modules(module):
    """Names of attributes that are modules, or are once they are imported."""
    names = {name for name in dir(module) if isinstance(getattr(module, name, None), types.ModuleType)}
    for row in pkgutil.iter_modules(getattr(module, "__path__", ())):
        value = getattr(module, row.name, None)
        if value is None or isinstance(value, types.ModuleType):
            names.add(row.name)
    return names


def main():
    moved.prepare()
    os.environ["MATPLOTLIBRC"] = sys.prefix + "/share/matplotlib/mpl-data/matplotlibrc"  # not that of the machine
    rows = read_policy(sys.argv[1]).modules
    found = {name: find(name) for name in rows}  # all first: imports add attributes to other modules
    missing = sorted(name for name, module in found.items() if module is None)
    wrong = ["%s.%s" % (name, inner) for name, module in found.items() if module is not None
             for inner in sorted(inner_modules(module))
             if "%s.%s" % (name, inner) not in rows and rows[name].allows(inner)]
    for name in wrong:
        print("%s is a module, and may be reached" % name)
    print("%d modules, %d not there, %d faults" % (len(rows), len(missing), len(wrong)))
    return 1 if wrong or any(name in missing for name in WANTED) else 0


if __name__ == "__main__":
    sys.exit(main())

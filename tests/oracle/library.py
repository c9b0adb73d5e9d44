# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of CPython's own library and of its tests. python.sh brings both."""
import os

LIBRARY = os.path.dirname(os.__file__)
TESTS = os.environ["LECTERN_CPYTHON_TESTS"]


def python_files(package=None):
    """Of a package of the library; by default of the whole library and its tests."""
    roots = (os.path.join(LIBRARY, package),) if package else (LIBRARY, TESTS)
    paths = (os.path.join(folder, name) for root in roots for folder, _, names in os.walk(root) for name in names)
    return sorted(path for path in paths if path.endswith(".py") and os.path.exists(path))  # a link may lead to a file that is left out

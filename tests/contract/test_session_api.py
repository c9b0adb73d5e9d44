# SPDX-License-Identifier: GPL-3.0-or-later
"""The session API's contract: every endpoint, error and edge case, on the target that SESSION_API_TARGET names (session_api/target.py).
SESSION_API_MODULE selects one part, for targets on which all parts together take long."""
import os
import unittest

from session_api import components, editing, history, nodes, relationships, sessions
from session_api.target import Case, Target

MODULES = (sessions, nodes, components, relationships, editing, history)


def setUpModule():
    Case.target = Target()
    Case.port = Case.target.port


def tearDownModule():
    Case.target.close()


def cases(module_name, left_out=(), part=""):
    """All of them but those classes; the setUpModule of the module of that name holds for them."""
    suite = unittest.TestSuite()
    for module in (module for module in MODULES if module.__name__.endswith(part)):
        for name in sorted(vars(module)):
            case = getattr(module, name)
            if isinstance(case, type) and issubclass(case, Case) and case is not Case and name not in left_out:
                case.__module__ = module_name
                suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    return suite


def load_tests(_loader, _tests, _pattern):
    return cases(__name__, part=os.environ.get("SESSION_API_MODULE", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the test classes of a script for CMakeLists.txt, which makes each of them a test. A test class has test methods and derives
from a class whose name ends in "Case", both also through classes of the same script. The script is only parsed, since what it
imports need not be installed where the project is built."""
import ast
import sys


def main(path):
    with open(path, encoding="utf-8") as file:
        classes = {item.name: item for item in ast.parse(file.read()).body if isinstance(item, ast.ClassDef)}

    def bases(item):
        return [base.id for base in item.bases if isinstance(base, ast.Name)]

    def is_case(name):
        item = classes.get(name)
        if not item:
            return name.endswith("Case")
        return any(base.attr.endswith("Case") for base in item.bases if isinstance(base, ast.Attribute)) or any(map(is_case, bases(item)))

    def has_tests(name):
        return name in classes and (any(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and part.name.startswith("test_") for part in classes[name].body)
                                    or any(map(has_tests, bases(classes[name]))))

    print(";".join(name for name in classes if is_case(name) and has_tests(name)), end="")


if __name__ == "__main__":
    main(sys.argv[1])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a learner's program against the cases of an exercise.

The server sends a case when its turn comes, and never the expected result: it compares the values itself, in the form of
mcp/exercise/python_value.h. A value is written by its exact type, so an object that calls itself equal to everything is only an object of
another type. The program can forge the results that are sent from here, but to forge a right one it must know it.
"""
import collections
import io
import math

OUTPUT_CHARS = 65536  # of one case
TYPES = 4  # of an exception
TEXT_CHARS = 2000  # of an exception's report
VALUE_ITEMS = 20000  # values in one result
VALUE_CHARS = 65536  # of its texts
DEPTH = 60
INT_BITS = 14000  # CPython refuses to print longer ones
DICTS = (dict, collections.Counter, collections.OrderedDict, collections.defaultdict)  # equal if their items are
INTEGERS = range(-2 ** 63, 2 ** 63)


class TooLarge(Exception):
    """The value has more parts than a result may have."""


class Output(io.TextIOBase):
    """Standard output of a case: its beginning is kept, the rest is dropped."""

    def __init__(self):
        super().__init__()
        self.parts, self.room = [], OUTPUT_CHARS

    def writable(self):
        return True

    def write(self, text):
        if self.room > 0:
            part = str(text)[:self.room]
            self.parts.append(part)
            self.room -= len(part)
        return len(text)

    def text(self):
        return "".join(self.parts)


def make_input(text):
    """input() over the lines of a text. Like Python's, it prints its prompt."""
    lines = iter(text.splitlines())

    def input(prompt="", /):
        print(prompt, end="")
        for line in lines:
            return line
        raise EOFError("the program asks for more input than there is")

    input.__qualname__ = "input"
    return input


def writer():
    """Returns the function that writes a value; it raises TooLarge."""
    items, chars = VALUE_ITEMS, VALUE_CHARS

    def text(value):
        nonlocal chars
        chars -= len(value)
        if chars < 0:
            raise TooLarge
        return value

    def of_str(value, _):
        text(value)
        try:
            value.encode()
        except UnicodeEncodeError:
            return {"str": [ord(char) for char in value]}
        return value

    def of_int(value, _):
        if value in INTEGERS:
            return value
        if value.bit_length() > INT_BITS:
            raise TooLarge
        return {"int": text(str(value))}

    def of_float(value, _):
        return value if math.isfinite(value) else {"float": "nan" if value != value else "inf" if value > 0 else "-inf"}

    def of_list(value, depth):
        return [write(item, depth + 1) for item in value]

    def tagged(name):
        return lambda value, depth: {name: of_list(value, depth)}

    kinds = {
        type(None): lambda value, _: None, bool: lambda value, _: value, str: of_str, int: of_int, float: of_float, list: of_list,
        tuple: tagged("tuple"), set: tagged("set"), frozenset: tagged("frozenset"),
        **dict.fromkeys(DICTS, lambda value, depth: {"dict": [of_list(pair, depth) for pair in dict.items(value)]}),
        bytes: lambda value, _: {"bytes": text(value.hex())},
        complex: lambda value, _: {"complex": [of_float(value.real, 0), of_float(value.imag, 0)]},
    }

    def write(value, depth=0):
        nonlocal items
        items -= 1
        if items < 0 or depth > DEPTH:
            raise TooLarge
        kind = kinds.get(type(value))
        return kind(value, depth) if kind else {"other": type.__getattribute__(type(value), "__name__")[:100]}

    return write


READERS = {
    "int": int, "float": float, "bytes": bytes.fromhex, "str": lambda points: "".join(map(chr, points)),
    "complex": lambda parts: complex(read(parts[0]), read(parts[1])),
    "tuple": lambda items: tuple(map(read, items)), "set": lambda items: set(map(read, items)),
    "frozenset": lambda items: frozenset(map(read, items)), "dict": lambda pairs: {read(key): read(value) for key, value in pairs},
}


def read(value):
    """The value of Python that the JSON stands for."""
    if type(value) is list:
        return [read(item) for item in value]
    if type(value) is dict:
        (tag, content), = value.items()
        return READERS[tag](content)
    return value


class Program:
    """The learner's program: a namespace in which it has run once, for the calls, and a new one for each case that runs it as a whole."""

    def __init__(self, code, make_namespace, describe, swap_output):
        self.code, self.make_namespace, self.describe, self.swap_output = code, make_namespace, describe, swap_output
        self.namespace = self.fault = None

    def run(self, stdin):
        namespace = self.make_namespace()
        namespace["__builtins__"] = {**namespace["__builtins__"], "input": make_input(stdin)}
        try:
            exec(self.code, namespace)
        except SystemExit:
            pass
        return namespace

    def load(self):
        """Runs the program once. Returns the report of its failure, or None."""
        if self.namespace is None and self.fault is None:
            try:
                self.namespace = self.run("")
            except BaseException as error:  # whatever the program raises
                self.fault = self.report(error)
        return self.fault

    def report(self, error):
        """types: one line of base classes, so that an exception of several classes counts as the first of them."""
        report, types, kind = self.describe(error), [], type(error)
        while kind is not None and len(types) < TYPES:
            types.append(type.__getattribute__(kind, "__name__")[:100])
            kind = type.__getattribute__(kind, "__base__")
        return {"types": types, "error": (report.get("error") or "")[:TEXT_CHARS], "line": report.get("line")}

    def call(self, case):
        names = case["call"].split(".")
        if names[0] not in self.namespace:
            return {"status": "missing"}
        function = self.namespace[names[0]]
        for name in names[1:]:
            function = getattr(function, name)
        value = function(*read(case["args"]), **{name: read(value) for name, value in case["kwargs"].items()})
        try:
            return {"status": "returned", "value": writer()(value)}
        except TooLarge:
            return {"status": "too-large"}

    def result(self, case):
        if "stdin" in case:
            self.run(case["stdin"])
            return {"status": "returned", "value": None}
        if "load" in case:
            fault = self.load()
            return {"status": "unloadable", **fault} if fault else {"status": "loaded"}
        return self.call(case)

    def test(self, case):
        """The result of one case: {"status": "returned", "value"} or "raised" with {"types", "error", "line"}, or "missing", "too-large".
        Of {"load": true}, which comes before the first call: "loaded", or "unloadable" like "raised". And "output", which was printed."""
        output = Output()
        restore = self.swap_output(output)
        try:
            result = self.result(case)
        except BaseException as error:  # whatever the program raises
            result = {"status": "raised", **self.report(error)}
        finally:
            restore()
        return {**result, "output": output.text()}


def grade(program, ask):
    """Tests case after case. ask(result) returns the next case, or None after the last."""
    result = None
    while (case := ask(result)) is not None:
        result = program.test(case)

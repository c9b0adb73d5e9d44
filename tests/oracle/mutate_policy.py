# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutants for compare_policy.py: programs whose statements, names and expressions were exchanged, over CPython's tree."""
import ast
import copy
import io
import keyword
import random
import tokenize

SPECIAL_EXPRESSIONS = """
().__class__
super().__init__(1)
super().__class__
type(x).__name__
type(x, y, z)
type(*x)
"{0.__class__}".format(x)
"{0." + "__class__}"
x + "{0._" + "_class__}"
"{0.gi_frame}".format(x)
"{a b.c[.obj].f_back!r:{tb_frame.obj}}"
f"{{{x}.gi_frame}}"
"__globals__"
x + "__glo" + "bals__"
"a.__dict__"
"module://x"
f"cycler({x})"
x._y
[".__class__}", "__init__", "__root__"]
"{0.%s}".format(x) % "__class__"
str.format
x.filter("to_csv", "__x")
filter(x, ["to_csv"])
type
[type, x]
map(type, x)
map(type, x, y, z)
x.apply(type, axis=1)
type(x)("a", (y,), {})
type(x)(1, 2, 3)
type | x[type]
x._replace(_y=1)
_x._y.z
f"{x}{{0.__dict__}}"
f"{{{x}.__y}}"
x.agg("__len__")
x.agg(["to_csv", f"{y}", lambda r: r["__a__"]])
x.apply(len)
apply("mro")
x.to_csv
x.to_csv()
x.to_csv("path")
x.to_csv(index=False)
x.to_csv(path_or_buf=None)
x.to_csv(path_or_buf=y)
x.to_csv(*y)
x.to_csv(**y)
x.query
x.query("a > 1")
x.query("a.__b > 1")
x.query("@y.z > 1")
x.query("a._b")
x.query("a.to_csv")
x.query("a. to_csv")
x.query("a .\t_x")
x.query("@ x .y")
x.query("@np")
x.query("(@ np)")
x.query("größe > 1")
x.query("a.ｔofile")
x.query(f"@{x}.y")
["to_csv", "to_x"]
f(x.agg)
x.query(y)
x.query("a", engine="python")
x.query("a", level=2)
x.query(expr="a")
x.query("a", **y)
attrgetter("a.b")
attrgetter("a", "__b__")
attrgetter(x)
attrgetter
operator.attrgetter("_a")
operator.methodcaller("upper", "__x__")
operator.methodcaller("to_csv")
namedtuple("A", "b __c__")
np.ndarray((1,), x, y)
isinstance(x, np.ndarray)
isinstance(x, (list, ndarray))
ndarray | np.ndarray
[np.ndarray, ndarray]
np.ndarray.sum
x == ndarray
x[y, [ndarray, (type, z)], ndarray:1]
[ndarray][0](x, metaclass=type(y))
isinstance(x, [(ndarray, y), [type]])
TypedDict("X", {"a": y})
dataclass(x)
dataclass(order=True)
dataclasses.dataclass
np.r_["a,b"]
np.r_[x, y]
r_[f"{x}"]
x.plot(backend="a")
x(**{"backend": 1, **{"usetex": 2}, "prop_cycle": "x"})
{"backend": 1, "axes.prop_cycle": f"{x}", **{"call": 1}}
x(prop_cycle="x", axes="y")
x(prop_cycle=y)
":file=x" + y
x(usetex=True)
pd.set_option("display.max_rows", 3)
pd.set_option("display.width", 3, "Lotting.back", y)
set_option(f"x.{y}", 1)
x.option_context(y, "plotting", "mode.x", pat="|")
super(A, x).__new__(x)
super(A, x).__init__()
[np for np in x]
[np.array for y in x]
(np := 3)
[(np := y) for y in x]
lambda np: np
lambda x=np: x
np
np.random
np.random.rand
np.linalg.norm(x)
np.lib.x
np.load("x")
np.array([1]).ctypes
pd.options.display.max_rows
re.compile("x")
math.nothing
json.codecs
getattr(x, "y")
x(open=1)
(attrgetter := x)
attrgetter("\ufffd")
x + ("{0." + "__class__}")
("{0._" + "_a") + ("b}" + x)
x(__class__=1)
x.strides
x.data.y
x.flags["W"]
x.cast("B")
x.plot.hist(y)
type(x)(y, z)
type(self)(y, *z)
type(x)(**y)
x(verify_integrity=False, fastpath=y, strides=1)
x(verify_integrity=True)
wraps(x)
functools.wraps(x, y)
update_wrapper(x, y)
functools.update_wrapper(x, y, z)
update_wrapper
io.StringIO(x)
StringIO(x)
pd.read_csv(io.StringIO(x))
pd.read_csv(x)
pd.read_csv(StringIO(x), y, engine="python")
pd.read_csv(io.BytesIO(x), compression="zip", engine=y)
pd.read_json(filepath_or_buffer=x, sep=y)
pd.read_csv
pd.read_csv(StringIO(x), **y)
x.to_csv(y, io.StringIO())
x.to_json(buf, path_or_buf=StringIO())
nx.draw(x)
x.readinto(y)
__name__ == "__main__"
""".strip().splitlines()

SPECIAL_STATEMENTS = """
import os
import numpy as np
import numpy.linalg
import numpy.linalg as la
import pandas as np
import math, json
import json as eval
import matplotlib.pyplot as plt
import networkx.algorithms.community
import scipy.nothing
from numpy import random
from numpy import random as np
from numpy import array as np
import io
import io as np, networkx as nx, pandas as pd
from io import StringIO
from io import BytesIO as StringIO
from networkx import draw
x.strides = x.data = y.dtype = x.flags.writeable = 1
x.data[0] = x.flags["W"] = y
class C:\\n    def f(self):\\n        self.data = self.plot = 1\\n        return type(self)(1, 2)
class C:\\n    hist: int\\n    dtype = lambda self: type(self)(1, 2)
for x.strides in y: pass
del x.data[0], x.strides
x.strides += 1
with io.StringIO(y) as x: pd.read_csv(x)
if y:\\n    x = z = io.StringIO("a")\\n    pd.read_csv(x)
if y:\\n    x = StringIO(y)\\n    x = z\\n    pd.read_csv(x)
def f():\\n    global x\\n    x = io.StringIO()\\n    y.to_csv(x)
def f():\\n    x = io.StringIO()\\n    def g():\\n        nonlocal x\\n        y.to_csv(x)\\n    z = StringIO()\\n    y.to_csv(z)
class C:\\n    x = io.StringIO()\\n    y.to_csv(x)
@functools.wraps(x)\\ndef f(): pass
@wraps(x, y)\\ndef f(): pass
@wraps(*x)\\ndef f(): pass
from numpy import load
from datetime import datetime
from numpy import ndarray as x
from numpy import ndarray, zeros
from typing import TypedDict
from string import Template
def f():\\n    global np\\n    from numpy import zeros as np\\n    np.x = 1
class C:\\n    from numpy import zeros as np\\n    np.x = 1\\n    del np[0]
class C:\\n    np = 1\\n    np.x = 1
def f(np):\\n    np.x = 1\\n    np[0][1] = 2
class C(x, metaclass=type): pass
def f(type):\\n    return type
def f():\\n    x = type\\n    def g(): return type
class C:\\n    type: str\\n    x = type
type = x
for type in y: print(type)
x: type = type
@dataclass\\nclass C(x): pass
@dataclasses.dataclass(order=True)\\nclass C: pass
@dataclass(x)\\nclass C: pass
@dataclass(**x)\\nclass C: pass
@x(dataclass)\\n@dataclass\\ndef f(): pass
class C(type(x), metaclass=type(y)): pass
class C(TypedDict, ndarray): pass
class C(matrix, np.matrix, metaclass=np.matrix): pass
x: ndarray = ndarray
def f(x: ndarray = ndarray) -> ndarray: pass
match x:\\n    case np.ndarray(): pass
zeros.x = 1
zeros.x[0] = 1
zeros[0][1] = 2
zeros().x = 1
del zeros[0].x, Template[0]
np.x.y[0][1] += 1
pd.options = 1
pd.options.display["x"] = 1
plt.rcParams = 1
plt.rcParams.x["y"] = 1
plt.rcParams["axes.prop_cycle"] = "x"
x["prop_cycle"] = np[y] = f"{y}"
x["prop_cycle"], y = "x"
plt.rcParams["x"]["y"] = 1
from matplotlib.pyplot import rcParams, figure
rcParams["a"] = figure["b"] = 1
rcParams.a = figure.b = 1
from operator import attrgetter, methodcaller as call
from json import *
from . import x
from .json import loads
from networkx.algorithms import community as np
from collections import abc
np = 3
np = np.array([1])
np += 1
np: int = 3
np: int
a, np = x
np.x = 1
np.x += 1
np.x: int = 1
np.x[0] = 1
np.random = 1
del np.x
del np
pd.options.display.max_rows = 5
plt.rcParams["a"] = 1
for np in x: pass
for np.x in x: pass
with x as np: pass
with x as (a, np.x): pass
try: pass\\nexcept E as np: print(np)
try: pass\\nexcept* E as open: pass
def np(): return np
def f(np): return np
def f(a=np): np = 3; return np
def f(): global np; np = 3
def f():\\n    import numpy as np\\n    return np.array
def f():\\n    global np\\n    import numpy as np
def f():\\n    np = 1\\n    def g():\\n        nonlocal np\\n        import json as np\\n    return np
class np: pass
class C:\\n    np = 3\\n    x = np\\n    def f(self): return np
def f(np):\\n    class C:\\n        x = np\\n        np = 3
def f():\\n    np = 1\\n    def g():\\n        nonlocal np\\n        np = 2
import json as __
import json as _C__x
import json as __x__
class C:\\n    global np\\n    import numpy as np
class C:\\n    time: str\\n    json: int = 3
class C:\\n    import numpy as np\\n    x = np.array
class C:\\n    def __init__(self): super().__init__()\\n    def __class__(self): pass\\n    if x:\\n        def __len__(self): return 0
class C(np.ndarray, metaclass=np): pass
class C(type): __slots__ = ()
def __len__(x): pass
async def f(np):\\n    async for x in np: await x\\n    async with np as y: pass
match x:\\n    case np: print(np)
match x:\\n    case np.pi | np.x: pass
match x:\\n    case object(__class__=c, mro=d, to_csv=e): pass
match x:\\n    case {"a": b, **open}: pass
match x:\\n    case [a, *np]: pass
match x:\\n    case {"{0.__a}": b}: pass
if __name__ == "__main__": pass
if "__main__" == __name__: pass
if __name__ == x: pass
if __name__ != "__main__": pass
if x: pass\\nelif __name__ == "__main__": pass
if x: np = 3
while np: pass
global np
eval = 3
def f(open, *exec, vars=1, **dir): pass
x.__dict__ = 3
x.mro = 3
type(x).__name__ = 3
return_ = [x for x in np if np]
x = y = np = 3
(np) = 3
[np] = x
print(np)
""".strip().splitlines()

NEW_NAMES = ("np", "pd", "nx", "json", "math", "re", "time", "x", "df", "i", "self", "string", "statistics", "plt", "datetime")


def parse(source):
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class Mutator:
    def __init__(self, trees, dump, rng):
        self.trees = trees
        self.rng = rng
        self.words = [*dump["names"], *dump["dunder_methods"][:12], "__class__", "__name__", "__dict__", *NEW_NAMES]
        self.expressions = [ast.parse(text, mode="eval").body for text in SPECIAL_EXPRESSIONS]
        self.statements = [ast.parse(text.replace("\\n", "\n")).body[0] for text in SPECIAL_STATEMENTS]
        changes = (self.rename, self.exchange, self.insert, self.remove, self.move, self.wrap, self.replace)
        self.changes = changes + (self.insert, self.replace, self.insert)

    def body(self, tree):
        """One of the lists of statements."""
        bodies = [value for node in ast.walk(tree) for name in ("body", "orelse", "finalbody")
                  if isinstance(value := getattr(node, name, None), list) and value]
        return self.rng.choice(bodies) if bodies else None

    def statement(self):
        if self.rng.random() < 0.6:
            return self.rng.choice(self.statements)
        body = self.body(self.rng.choice(self.trees))
        return self.rng.choice(body) if body else ast.Pass()

    def insert(self, tree):
        body = self.body(tree)
        if body is not None:
            body.insert(self.rng.randint(0, len(body)), copy.deepcopy(self.statement()))

    def remove(self, tree):
        body = self.body(tree)
        if body is not None and len(body) > 1:
            del body[self.rng.randrange(len(body))]

    def move(self, tree):
        body, other = self.body(tree), self.body(tree)
        if body is not None and len(body) > 1:
            other.insert(self.rng.randint(0, len(other)), copy.deepcopy(body[self.rng.randrange(len(body))]))

    def exchange(self, tree):
        body = self.body(tree)
        if body is not None and len(body) > 1:
            self.rng.shuffle(body)

    def wrap(self, tree):
        """Some statements into a function, a class, a branch or a loop."""
        body = self.body(tree)
        if body is None:
            return
        begin = self.rng.randrange(len(body))
        end = self.rng.randint(begin + 1, len(body))
        head = self.rng.choice(("def f(x, np=1): pass", "class C: pass", "if x: pass", "for np in x: pass", "while x: pass",
                                "def np(): pass", "with x as y: pass", "async def g(): pass"))
        outer = ast.parse(head).body[0]
        outer.body = body[begin:end]
        body[begin:end] = [outer]

    def rename(self, tree):
        """One name, or all of that name, in any role."""
        places = []
        for node in ast.walk(tree):
            for field in ("id", "attr", "arg", "name", "asname", "rest"):
                if isinstance(getattr(node, field, None), str):
                    places.append((node, field))
        if not places:
            return
        node, field = self.rng.choice(places)
        old, new = getattr(node, field), self.rng.choice(self.words)
        if self.rng.random() < 0.3:
            new = getattr(*self.rng.choice(places)).partition(".")[0]
        for other, kind in places if self.rng.random() < 0.4 else [(node, field)]:
            if getattr(other, kind) == old and old != "*":
                setattr(other, kind, new)

    def replace(self, tree):
        """An expression that is read by another."""
        places = []
        for node in ast.walk(tree):
            for field, value in ast.iter_fields(node):
                values = value if isinstance(value, list) else [value]
                places += [(node, field, number) for number, one in enumerate(values)
                           if isinstance(one, ast.expr) and isinstance(getattr(one, "ctx", ast.Load()), ast.Load)]
        if not places:
            return
        node, field, number = self.rng.choice(places)
        new = self.rng.choice(self.expressions)
        if self.rng.random() < 0.4:
            other = [one for one in ast.walk(self.rng.choice(self.trees)) if isinstance(one, ast.expr)
                     and isinstance(getattr(one, "ctx", ast.Load()), ast.Load)]
            new = self.rng.choice(other) if other else new
        if isinstance(getattr(node, field), list):
            getattr(node, field)[number] = copy.deepcopy(new)
        else:
            setattr(node, field, copy.deepcopy(new))

    def mutant(self):
        try:
            tree = copy.deepcopy(self.rng.choice(self.trees))
            for _ in range(self.rng.randint(1, 4)):
                self.rng.choice(self.changes)(tree)
            source = ast.unparse(ast.fix_missing_locations(tree))
            source.encode()
        except (ValueError, AttributeError, TypeError, RecursionError, UnicodeError):
            return None  # no tree of a program, or one too deep to be copied
        return source if len(source) < 60000 and parse(source) is not None else None


def tokens_of(source):
    try:
        return list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return []


def rewrite(source, mutator, rng):
    """The program as it was written, with words exchanged, line ends where they may be, and names in brackets: what a tree
    that is written out again does not have."""
    tokens, lines, depth, edits = tokens_of(source), source.splitlines(keepends=True), 0, []
    share = rng.choice((0.02, 0.1))
    for one in tokens:
        depth += (one.string in ("(", "[", "{")) - (one.string in (")", "]", "}")) if one.type == tokenize.OP else 0
        if one.start[0] != one.end[0] or rng.random() > share:
            continue
        if one.type == tokenize.NAME and not keyword.iskeyword(one.string):
            edits.append((one, rng.choice((rng.choice(mutator.words), "(%s)" % one.string, one.string + " \\\n "))))
        elif one.type == tokenize.OP and depth > 0 and one.string in ("(", "[", ",", ".", "+", "="):
            edits.append((one, one.string + rng.choice(("\n", "  # note\n  ", " \\\n"))))
    for one, text in reversed(edits):
        row = one.start[0] - 1
        lines[row] = lines[row][:one.start[1]] + text + lines[row][one.end[1]:]
    return "".join(lines)


def mutants(sources, dump, count, seed):
    """[(name, bytes)] of that many programs that CPython parses: a third of them changed as they are written, the others by
    their tree."""
    trees = [tree for tree in map(parse, sources) if tree is not None and len(list(ast.walk(tree))) < 3000]
    mutator, made = Mutator(trees or [ast.parse("import numpy as np\nprint(np.array([1]))")], dump, random.Random(seed)), []
    texts = [source.decode("utf-8", "replace") for source in sources if parse(source) is not None]
    while len(made) < count:
        by_text = texts and len(made) % 3 == 0
        source = rewrite(mutator.rng.choice(texts), mutator, mutator.rng) if by_text else mutator.mutant()
        if source is not None and len(source) < 60000 and parse(source) is not None:
            made.append(("mutant %d" % len(made), source.encode() + b"\n"))
    return made

# SPDX-License-Identifier: GPL-3.0-or-later
"""CPython's tree of a program in the form of the validator's (validator/syntax/ast.h), as nested lists: [kind, name, op, flags,
children...]. What the two cannot both say (brackets around an expression, elif beside else with if) is left out."""
import ast
import re

# enum op and enum keyword of validator/syntax/tokenizer.h, by their place there.
BINARY = {"Add": 43, "Sub": 45, "Mult": 42, "Div": 47, "Mod": 37, "MatMult": 64, "BitAnd": 38, "BitOr": 124, "BitXor": 94, "Pow": 128,
          "FloorDiv": 129, "LShift": 130, "RShift": 131}
AUGMENTED = {"Add": 139, "Sub": 140, "Mult": 141, "Div": 142, "Mod": 143, "BitAnd": 144, "BitOr": 145, "BitXor": 146, "MatMult": 147,
             "Pow": 148, "FloorDiv": 149, "LShift": 150, "RShift": 151}
WORD = 1 << 12
COMPARE = {"Lt": (60, 0), "Gt": (62, 0), "Eq": (132, 0), "NotEq": (133, 0), "LtE": (134, 0), "GtE": (135, 0), "In": (23, WORD),
           "NotIn": (27, WORD), "Is": (24, WORD), "IsNot": (24, WORD)}
OPERATORS = {"Lt": "<", "Gt": ">", "Eq": "==", "NotEq": "!=", "LtE": "<=", "GtE": ">=", "In": "in", "NotIn": "not in", "Is": "is",
             "IsNot": "is not"}
UNARY = {"UAdd": 43, "USub": 45, "Invert": 126, "Not": 27}
CONSTANTS = {None: 2, True: 3, False: 1, ...: 138}
CONTEXTS = {"Load": 0, "Store": 1, "Del": 2}
ASYNC, STAR, AS, BYTES = 1 << 0, 1 << 1, 1 << 2, 1 << 10
COMPARED_FLAGS = ASYNC | STAR | AS | BYTES | WORD | 0x3F0 # and those that say which children are there


def node(kind, *children, name="", op=0, flags=0):
    return [kind, name, op, flags, *children]


def each(rows):
    return [tree(row) for row in rows]


def context(row):
    return CONTEXTS[type(row.ctx).__name__]


def block(rows, kind="BLOCK"):
    return [node(kind, *each(rows))] if rows else []


def maybe(row):
    return [tree(row)] if row is not None else []


def parameters(row):
    defaults = [None] * (len(row.posonlyargs) + len(row.args) - len(row.defaults)) + row.defaults

    def one(arg, kind, default=None):
        return [node("PARAMETER", *maybe(arg.annotation), *maybe(default), name=arg.arg, op=kind,
                     flags=(arg.annotation is not None) << 4 | (default is not None) << 5)] if arg else []
    found = []
    for arg, default in zip(row.posonlyargs + row.args, defaults):
        found += one(arg, 0 if arg in row.posonlyargs else 1, default)
    found += one(row.vararg, 2)
    for arg, default in zip(row.kwonlyargs, row.kw_defaults):
        found += one(arg, 3, default)
    return node("PARAMETERS", *found, *one(row.kwarg, 4))


def arguments(args, keywords):
    rows = sorted(args + keywords, key=lambda row: (row.lineno, row.col_offset))
    return each(rows)


def decorators(row):
    return [node("DECORATOR", tree(expression)) for expression in row.decorator_list]


def function(row, flags=0):
    return node("FUNCTION", *decorators(row), parameters(row.args), *block([row.returns] if row.returns else [], "RETURNS"), *block(row.body),
                name=row.name, flags=flags)


def loop(row, flags=0):
    return node("FOR", tree(row.target), tree(row.iter), *block(row.body), *block(row.orelse, "ELSE"), flags=flags)


def with_(row, flags=0):
    items = [node("WITH_ITEM", tree(item.context_expr), *maybe(item.optional_vars)) for item in row.items]
    return node("WITH", *items, *block(row.body), flags=flags)


def try_(row, flags=0):
    handlers = [node("HANDLER", *maybe(handler.type), *block(handler.body), name=handler.name or "", flags=(handler.type is not None) << 6)
                for handler in row.handlers]
    return node("TRY", *block(row.body), *handlers, *block(row.orelse, "ELSE"), *block(row.finalbody, "FINALLY"), flags=flags)


def alias(row, whole):
    bound = row.asname or (row.name.split(".")[0] if whole else row.name)
    return node("ALIAS", *([] if row.name == "*" else [node("BINDING", name=bound, flags=AS if row.asname else 0)]), name=row.name)


def comprehensions(kind, row, *elements):
    return node(kind, *elements, *[node("COMPREHENSION", tree(one.target), tree(one.iter), *each(one.ifs), flags=ASYNC if one.is_async else 0)
                                   for one in row.generators])


def dictionary(row):
    found = []
    for key, value in zip(row.keys, row.values):
        found += [tree(key), tree(value)] if key is not None else [node("DOUBLE_STARRED", tree(value))]
    return node("DICT", *found)


def constant(row):
    if isinstance(row.value, str):
        return node("STRING", name="?" if any("\ud800" <= c <= "\udfff" for c in row.value) else row.value)
    if isinstance(row.value, bytes):
        return node("STRING", name=row.value.decode("latin-1"), flags=BYTES)
    if row.value is None or row.value is ... or isinstance(row.value, bool):
        return node("CONSTANT", op=CONSTANTS[row.value])
    return node("NUMBER")


def field(row):
    return node("FIELD", tree(row.value), *([tree(row.format_spec)] if row.format_spec and row.format_spec.values else []),
                op=max(row.conversion, 0))


def mapping(row):
    found = []
    for key, pattern in zip(row.keys, row.patterns):
        found += [tree(key), tree(pattern)]
    return node("MATCH_MAPPING", *found, *([node("MATCH_STAR", name=row.rest)] if row.rest else []))


def slice_(row):
    return node("SLICE", *maybe(row.lower), *maybe(row.upper), *maybe(row.step),
                flags=(row.lower is not None) << 7 | (row.upper is not None) << 8 | (row.step is not None) << 9)


def compare(row):
    op, flags = COMPARE[type(row.ops[0]).__name__]
    return node("COMPARE", tree(row.left), *each(row.comparators), name=" ".join(OPERATORS[type(one).__name__] for one in row.ops), op=op,
                flags=flags)


TREES = {
    "Module": lambda n: node("MODULE", *each(n.body)), "FunctionDef": function, "AsyncFunctionDef": lambda n: function(n, ASYNC),
    "ClassDef": lambda n: node("CLASS", *decorators(n), *arguments(n.bases, n.keywords), *block(n.body), name=n.name),
    "Return": lambda n: node("RETURN", *maybe(n.value)), "Delete": lambda n: node("DELETE", *each(n.targets)),
    "Assign": lambda n: node("ASSIGN", *each(n.targets), tree(n.value)),
    "AugAssign": lambda n: node("AUGMENTED", tree(n.target), tree(n.value), op=AUGMENTED[type(n.op).__name__]),
    "AnnAssign": lambda n: node("ANNOTATED", tree(n.target), tree(n.annotation), *maybe(n.value)), "For": loop,
    "AsyncFor": lambda n: loop(n, ASYNC), "While": lambda n: node("WHILE", tree(n.test), *block(n.body), *block(n.orelse, "ELSE")),
    "If": lambda n: node("IF", tree(n.test), *block(n.body), *block(n.orelse, "ELSE")), "With": with_, "AsyncWith": lambda n: with_(n, ASYNC),
    "Match": lambda n: node("MATCH", tree(n.subject), *[node("CASE", tree(case.pattern), *(
        [node("GUARD", tree(case.guard))] if case.guard else []), *block(case.body)) for case in n.cases]),
    "Raise": lambda n: node("RAISE", *maybe(n.exc), *maybe(n.cause)), "Try": try_, "TryStar": lambda n: try_(n, STAR),
    "Assert": lambda n: node("ASSERT", tree(n.test), *maybe(n.msg)), "Import": lambda n: node("IMPORT", *[alias(a, True) for a in n.names]),
    "ImportFrom": lambda n: node("IMPORT_FROM", *[alias(a, False) for a in n.names], name=n.module or "", op=min(n.level, 255)),
    "Global": lambda n: node("GLOBAL", *[node("BINDING", name=name) for name in n.names]),
    "Nonlocal": lambda n: node("NONLOCAL", *[node("BINDING", name=name) for name in n.names]),
    "Expr": lambda n: node("EXPRESSION", tree(n.value)), "Pass": lambda n: node("PASS"), "Break": lambda n: node("BREAK"),
    "Continue": lambda n: node("CONTINUE"),
    "BoolOp": lambda n: node("BOOLEAN", *each(n.values), op=4 if isinstance(n.op, ast.And) else 28),
    "NamedExpr": lambda n: node("WALRUS", tree(n.target), tree(n.value)),
    "BinOp": lambda n: node("BINARY", tree(n.left), tree(n.right), op=BINARY[type(n.op).__name__]),
    "UnaryOp": lambda n: node("UNARY", tree(n.operand), op=UNARY[type(n.op).__name__]),
    "Lambda": lambda n: node("LAMBDA", parameters(n.args), tree(n.body)),
    "IfExp": lambda n: node("CONDITIONAL", tree(n.body), tree(n.test), tree(n.orelse)), "Dict": dictionary,
    "Set": lambda n: node("SET", *each(n.elts)), "ListComp": lambda n: comprehensions("LIST_COMPREHENSION", n, tree(n.elt)),
    "SetComp": lambda n: comprehensions("SET_COMPREHENSION", n, tree(n.elt)),
    "DictComp": lambda n: comprehensions("DICT_COMPREHENSION", n, tree(n.key), tree(n.value)),
    "GeneratorExp": lambda n: comprehensions("GENERATOR", n, tree(n.elt)), "Await": lambda n: node("AWAIT", tree(n.value)),
    "Yield": lambda n: node("YIELD", *maybe(n.value)), "YieldFrom": lambda n: node("YIELD_FROM", tree(n.value)), "Compare": compare,
    "Call": lambda n: node("CALL", tree(n.func), *arguments(n.args, n.keywords)),
    "keyword": lambda n: node("KEYWORD", tree(n.value), name=n.arg) if n.arg else node("DOUBLE_STARRED", tree(n.value)),
    "FormattedValue": field, "JoinedStr": lambda n: node("JOINED", *each(n.values)), "Constant": constant,
    "Attribute": lambda n: node("ATTRIBUTE", tree(n.value), name=n.attr, op=context(n)),
    "Subscript": lambda n: node("SUBSCRIPT", tree(n.value), tree(n.slice), op=context(n)),
    "Starred": lambda n: node("STARRED", tree(n.value), op=context(n)), "Name": lambda n: node("NAME", name=n.id, op=context(n)),
    "List": lambda n: node("LIST", *each(n.elts), op=context(n)), "Tuple": lambda n: node("TUPLE", *each(n.elts), op=context(n)),
    "Slice": slice_, "MatchValue": lambda n: node("MATCH_VALUE", tree(n.value)),
    "MatchSingleton": lambda n: node("MATCH_VALUE", node("CONSTANT", op=CONSTANTS[n.value])),
    "MatchSequence": lambda n: node("MATCH_SEQUENCE", *each(n.patterns)), "MatchMapping": mapping,
    "MatchClass": lambda n: node("MATCH_CLASS", tree(n.cls), *each(n.patterns), *[
        node("MATCH_KEYWORD", tree(pattern), name=name) for name, pattern in zip(n.kwd_attrs, n.kwd_patterns)]),
    "MatchStar": lambda n: node("MATCH_STAR", name=n.name or ""),
    "MatchAs": lambda n: node("MATCH_AS", *maybe(n.pattern), name=n.name or ""), "MatchOr": lambda n: node("MATCH_OR", *each(n.patterns)),
}


def tree(row):
    return TREES[type(row).__name__](row)


# The validator's side.

def kinds(header):
    """The names of enum node_kind, in order."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    return re.findall(r"NODE_(\w+)", re.search(r"enum node_kind \{(.*?)\};", text, re.DOTALL).group(1))


def _else_with_if(rows):
    if rows and rows[0][0] == "ELIF":
        return [node("ELSE", ["IF", *rows[0][1:], *_else_with_if(rows[1:])])]
    return rows


def same_form(row, names):
    """A tree of the driver in the form of node(): kinds by name, elif as else with if, flags that CPython knows too."""
    kind, name, op, flags, *children = row
    kind, children = names[kind], [same_form(child, names) for child in children]
    if kind in ("IF", "ELIF"):
        children[2:] = _else_with_if(children[2:])
    return [kind, name, op, flags & COMPARED_FLAGS, *children]

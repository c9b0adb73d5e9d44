# SPDX-License-Identifier: GPL-3.0-or-later
"""Small changes to programs, by tokens and by characters. Deterministic by the random generator that is given."""
import re

from generate import Generator

TOKEN = re.compile(r"""
    (?P<comment>\#[^\n]*)
  | (?P<string>[A-Za-z]{0,2}(?:\"\"\"(?:[^\\]|\\.)*?\"\"\"|'''(?:[^\\]|\\.)*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
  | (?P<number>\.?[0-9][0-9A-Za-z_.]*)
  | (?P<name>[^\W\d]\w*)
  | (?P<newline>\n[ \t]*)
  | (?P<blank>[ \t\f]+|\\\n)
  | (?P<op>\*\*=|//=|>>=|<<=|\.\.\.|!=|->|:=|[-+*/%@&|^=<>]=|\*\*|//|>>|<<|.)
""", re.VERBOSE | re.DOTALL)

WORDS = """False None True and as assert async await break class continue def del elif else except finally for from global if import in
is lambda nonlocal not or pass raise return try while with yield match case _ print exec type a b x self __debug__ not_in 𝐢f 𝐍one ｍatch ﬁ _x a_ ʰ ª á ℘""".split()
OPERATORS = "+ - * / // % @ ** << >> & | ^ ~ < > <= >= == != -> := = += -= *= **= //= . ... , : ; ! <> ? $ ` \\ !r * ** =".split()
BRACKETS = "( ) [ ] { } () [] {} (* (** [* {** {* *( **{".split()
NUMBERS = """0 1 00 0_0 01 1_000 0x_1F 0o17 0b1 0b2 1e5 1e 1.e-5 1. .5 5j 1_ 1__0 0xg 1if 1or 0xfor 1.e 1.5J 0777 1_000.0_1 1e+ 9e999
0_7 1jif 0b1and 1.real 1..real 1else 0xelse""".split()
STRINGS = """'a'  "b"  b'c'  r'\\d'  f'{x}'  f'{x!r:>{w}}'  rf'{x}\\n'  '''t'''  f'{{}}'  f'{x=}'  u'u'  bR'\\x'  f'{a:{b}{c}}'  f'{x:%d}'
'\\N{BULLET}'  f'{(lambda: 1)}'  f'{x!z}'  f''  '\\x4'  b'é'  f'{*a}'  f'{yield}'  f'{a["b"]}'  f'{x:=5}'  f'{(x:=5)}'  f'{a!=b}'  f'{ }'
f'{'  f'}'  '\\ud800'  f'{f"{x}"}'  f'{x # y}'  f'{a,}'  f'{a;b}'  f'{a.b()[1]}'  f'{x:{y:{z}}}'  f'{"a" "b"}'  f'{a if b else c}'
f'{not a}'  f'{lambda x: 1}'  f'{x = !r:^20}'  f'{ x = }'  f'{x!r }'  f'{x! r}'  f'{{x}}{y}'  f'\\{x}'  f'\\N{BULLET}{x}'  f'{a["b":c]}'
f'{x:\\n}'  f'{x:{{}}}'  f'{x:a{y}b}'  '\\\n'  f'{x\n}'  f'''{\nx\n}'''  f'''{x:\n}'''  '\\400'  b'\\777'  f'{1_000j!s}'  f'{await x}'
f'{**a}'  f'{a=b}'  f'{a<=b}'  f'{a:=b}'  f'{a->b}'  f'{a if b}'  f'{:x}'  f'{!r}'  f'{x:{y!r}}'  f'{x:{y:>3}}'  F"{'x' f'{y}'}"
"""
STRINGS = [text for text in re.split("  |(?<=[\"'])\n", STRINGS) if text]
CHARACTERS = " \t\n\f\r\\'\"()[]{}#0_.eEjJxXoObBrRfFuUnN!=<>:;,@$?~*/+-%^&|é½х\u00b5\ufb01\u2028\xa0\ufeff\x00\x1a"


def tokens(text):
    """[(kind, text)]; joined they give the text again."""
    return [(match.lastgroup, match.group()) for match in TOKEN.finditer(text)]


def _pick(rng, row, kind=None):
    places = [i for i, token in enumerate(row) if token[0] != "blank" and (kind is None or token[0] == kind)]
    return rng.choice(places) if places else None


def _swap(rng, row, _):
    a, b = _pick(rng, row), _pick(rng, row)
    row[a], row[b] = row[b], row[a]


def _swap_neighbours(rng, row, _):
    places = [i for i, token in enumerate(row) if token[0] != "blank"]
    if len(places) > 1:
        i = rng.randrange(len(places) - 1)
        a, b = places[i], places[i + 1]
        row[a], row[b] = row[b], row[a]


def _delete(rng, row, _):
    at = _pick(rng, row)
    del row[at:at + rng.choice((1, 1, 1, 2, 3, 5))]


def _double(rng, row, _):
    at = _pick(rng, row)
    row[at:at] = row[at:at + rng.choice((1, 1, 2, 3, 6))]


def _from_elsewhere(rng, row, other):
    source = tokens(other)
    if source:
        at, start = _pick(rng, row), rng.randrange(len(source))
        row[at:at + rng.choice((0, 1, 1))] = source[start:start + rng.choice((1, 1, 2, 4, 8))]


def _same_kind(rng, row, _):
    at = _pick(rng, row)
    kind = row[at][0]
    table = {"name": WORDS, "number": NUMBERS, "string": STRINGS, "op": OPERATORS + BRACKETS}.get(kind, WORDS)
    row[at] = (kind, rng.choice(table))


def _insert(rng, row, _):
    at = _pick(rng, row)
    word = rng.choice(rng.choice((WORDS, OPERATORS, BRACKETS, NUMBERS, STRINGS)))
    row.insert(at + rng.randrange(2), ("new", " " + word + " " if rng.random() < 0.7 else word))


def _generated(rng, row, _):
    """A part made from the grammar in the place of a name, number or string."""
    at = _pick(rng, row, rng.choice(("name", "name", "number", "string")))
    if at is not None:
        generator = Generator(rng)
        generator.left = rng.choice((2, 4, 8))
        part = rng.choice((generator.expr, generator.expr, generator.expr, generator.operand, generator.group, generator.strings,
                           generator.target, generator.target_list, generator.slices, generator.star_or, generator.named,
                           generator.values, generator.pattern, generator.parameters, generator.argument, generator.simple))()
        row[at] = ("new", rng.choice(("%s", "%s", "(%s)", " %s ")) % part)


LAYOUT = (" \\\n ", "\\\n  ", "\t", "\f", " ", "  \f ", "\\\r\n", " # c\n", "\n", "\r", "\v", "\n\n", "\n# c\n", "\n    # c\n", ";", "; ",
          "\n\\\n", "\\\n\\\n", "\xa0")


def _layout(rng, row, _):
    """Blanks, joined lines and comments between tokens."""
    row.insert(_pick(rng, row) + rng.randrange(2), ("blank", rng.choice(LAYOUT)))


def _indentation(rng, row, _):
    at = _pick(rng, row, "newline")
    if at is not None:
        row[at] = ("newline", rng.choice((row[at][1] + rng.choice((" ", "    ", "\t")), row[at][1][:-1] or "\n", "\n",
                                          row[at][1][:-4] or "\n", "\r\n" + row[at][1][1:], "\\" + row[at][1], " ", "; ",
                                          "\n\n" + row[at][1][1:], "\f" + row[at][1], row[at][1] + "\f ", "\n\\" + row[at][1])))


def _wrap(rng, row, _):
    a, b = sorted((_pick(rng, row), _pick(rng, row)))
    opening, closing = rng.choice(("()", "[]", "{}", ("(*", ")"), ("f'{", "}'"), ("lambda: ", ""), ("(yield ", ")"), ("await ", ""),
                                   ("*", ""), ("not ", ""), ("(x := ", ")"), ("[x for x in ", "]"), ("(", ",)"), ("-", "")))
    row.insert(b + 1, ("new", closing))
    row.insert(a, ("new", opening))


TOKEN_CHANGES = (_swap, _swap_neighbours, _delete, _delete, _double, _from_elsewhere, _from_elsewhere, _same_kind, _same_kind,
                 _insert, _insert, _indentation, _wrap, _generated, _generated, _generated, _generated, _layout, _layout)


def by_tokens(rng, text, other):
    row = tokens(text)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4))):
        if _pick(rng, row) is None:
            break
        rng.choice(TOKEN_CHANGES)(rng, row, other)
    return "".join(token[1] for token in row)


def by_characters(rng, text, other):
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:at] + text[at + rng.randint(1, 3):]
        elif kind == 1:
            text = text[:at] + text[at:at + 1] + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(CHARACTERS) + text[at:]
        elif kind == 3:
            text = text[:at] + rng.choice(CHARACTERS) + text[at + 1:]
        else:
            start = rng.randrange(len(other) + 1)
            text = text[:at] + other[start:start + rng.randint(1, 12)] + text[at:]
    return text


def _each_line(before, indent):
    return lambda text: before + indent + text.replace("\n", "\n" + indent)


def _around(before, after):
    return lambda text: before + text.strip() + after


WHOLE = (
    lambda text: text.replace("\n", "\r\n"), lambda text: text.replace("\n", "\r"), lambda text: text.rstrip("\n"),
    lambda text: text.replace("    ", "\t"), lambda text: "\ufeff" + text, lambda text: "\f" + text, lambda text: text + "\\",
    lambda text: text + "    ", lambda text: text + "\n    # c", _each_line("def f():\n", "    "), _each_line("async def f():\n", "\t"),
    _each_line("if 1:\n  pass\nelse:\n", " "), _each_line("", " "), _around("(", ")"), _around("[", "]"), _around("{", "}"),
    _around("f'{", "}'"), _around('f"{', '!r}"'), _around("f'''{", ":}'''"), _around("f'{", "=}'"), _around("f'{x:{", "}}'"),
    _around("match x:\n case ", ": pass"), _around("match ", ":\n case _: pass"), _around("with ", ": pass"), _around("with (", "): pass"),
    _around("def f(", "): pass"), _around("f(", ")"), _around("a[", "]"), _around("lambda ", ": 0"), _around("for ", " in x: pass"),
    _around("for x in ", ": pass"), _around("del ", ""), _around("", " = 1"), _around("", " += 1"), _around("", ": int = 1"),
    _around("x: ", ""), _around("@", "\nclass A: pass"), _around("class A(", "): pass"), _around("return ", ""), _around("yield ", ""),
    _around("[x for ", " in y]"), _around("[x for x in ", "]"), _around("from . import ", ""), _around("import ", ""),
    _around("try: pass\nexcept ", ": pass"), _around("try: pass\nexcept* ", ": pass"), _around("global ", ""), _around("raise ", ""),
    _around("(x := ", ")"), _around("(", " := 1)"), _around("print(f(x) for x in ", ")"), _around("assert ", ""), _around("if ", ": pass"))


def mutate(rng, text, other):
    """Mostly some tokens or characters; at times the whole is put into another surrounding too."""
    if rng.random() < 0.9:
        text = (by_tokens if rng.random() < 0.8 else by_characters)(rng, text, other)
    if rng.random() < 0.1:
        text = rng.choice(WHOLE)(text)
    return text

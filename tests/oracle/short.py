# SPDX-License-Identifier: GPL-3.0-or-later
"""Very short programs: a few tokens at random in a surrounding that gives them a meaning, or a few characters in a string.
What a parser takes or refuses wrongly has a short example mostly, and there are not so many short programs."""
from mutate import WHOLE

TOKENS = """x y 1 's' f'{x}' b'' 1j -1 None True ... _ ( ) [ ] { } () [] {} , , : : = = * ** . := -> @ ; - + ~ | / < == += lambda lambda:0 if else
for in not is await yield async and or import from as del return match case def class with while try except finally raise pass global
assert print x.y x[0] f() (x) (x,) *a **a a=1 a:1 x:=1 a.b. 1.5 'a''b' not_in type ~- x,y x,""".split() + ["not in", "is not", "for x in y",
                                                                                                         "if x else", "yield from", "\n", " \\\n"]
CHARACTERS = ["{", "}", "{", "}", "x", "x", ":", "!", "r", "=", "'", '"', " ", "\\", "(", ")", "[", "]", "#", "\n", ",", "{{", "}}", "!r", "1",
              "{x}", "{x", "\\N{", "\\N{BULLET}", "\\x41", "\\u", "<", ">", ".", "*", "é", "lambda", "lambda x:", "f", "b'", "==", "!=", "\r", "\t",
              "\\\n", "\\{", "\\}", "$", "`", "yield", "await", ":=", "a[1:2]", "'''", '"""', "\f", "\v", "0", "\\8", "\\777", "\\ud800", "%"]
PREFIXES = ("f", "f", "f", "rf", "F", "fR", "", "b", "r", "u", "Rb", "bu", "ff")
PLACES = (
    "%s", "%s\n", "x = %s\n", "%s = 1\n", "%s += 1\n", "%s: int\n", "x: %s\n", "(%s)\n", "[%s]\n", "{%s}\n", "f(%s)\n", "a[%s]\n", "del %s\n",
    "return %s\n", "for %s in y: 0\n", "for x in %s: 0\n", "with %s: 0\n", "with (%s): 0\n", "with (%s) as x: 0\n", "if %s: 0\n", "while %s: 0\n",
    "match %s:\n case _: 0\n", "match x:\n case %s: 0\n", "match x:\n case [%s]: 0\n", "match x:\n case {%s}: 0\n", "match x:\n case A(%s): 0\n",
    "match x:\n case %s if y: 0\n", "match x:\n case (%s): 0\n", "match %s\n", "match(%s)\n", "match[%s]: 0\n", "case %s\n", "print %s\n",
    "def f(%s): 0\n", "def f(x, %s): 0\n", "lambda %s: 0\n", "def f() -> %s: 0\n", "class A(%s): 0\n", "class A%s: 0\n", "@%s\ndef f(): 0\n",
    "import %s\n", "from a import %s\n", "from %s import a\n", "from a import (%s)\n", "from . import %s\n", "try: 0\nexcept %s: 0\n",
    "try: 0\nexcept* %s: 0\n", "try: 0\n%s: 0\n", "raise %s\n", "assert %s\n", "global %s\n", "async %s\n", "async def f(): %s\n", "[x %s]\n",
    "[x for x in %s]\n", "[%s for x in y]\n", "{%s for x in y}\n", "f(x for x in %s)\n", "f(x %s)\n", "a[x, %s]\n", "x if %s else y\n", "x = yield %s\n",
    "(yield %s)\n", "{x: %s}\n", "{**x, %s}\n", "%s\n else: 0\n", "if x: 0\n%s: 0\n", "if x:\n %s\n", "if x:\n  y\n %s\n", "for x in y: %s\n",
    "x %s y\n", "not %s\n", "-%s\n", "await %s\n", "*%s\n", "x = *%s\n", "(*%s)\n", "f(*%s)\n", "f(**%s)\n", "a[*%s]\n", "(x := %s)\n", "f'{%s}'\n",
    "f'{x:{%s}}'\n", 'f"{%s!r}"\n', 'f"{%s=}"\n', "%s # c\n", "\\\n%s\n", "x; %s\n", "with x as %s: 0\n", "with (x as %s): 0\n", "with x, %s: 0\n")


def _literal(rng):
    body = "".join(rng.choice(CHARACTERS) for _ in range(rng.choice((1, 2, 3, 3, 4, 4, 5, 6, 7, 8))))
    if rng.random() < 0.5:
        body = "{" + body + "}"
    quote = rng.choice(('"', "'", '"""', "'''"))
    return rng.choice(PREFIXES) + quote + body + quote


def program(rng):
    if rng.random() < 0.35:
        text = rng.choice(("", "", "x = ", "x ")) + " ".join(_literal(rng) for _ in range(rng.choice((1, 1, 1, 2)))) + rng.choice(("", "\n"))
    else:
        words = [rng.choice(TOKENS) for _ in range(rng.choice((1, 2, 2, 3, 3, 3, 4, 4, 5, 6)))]
        text = rng.choice(PLACES).replace("%s", rng.choice((" ", " ", "")).join(words))
    return rng.choice(WHOLE)(text) if rng.random() < 0.03 else text


INDENTS = ("", "", "", " ", "  ", "    ", "        ", "\t", "\t\t", " \t", "\t ", "    \t", "  \f", "\f", "\f  ", "\\\n", "  \\\n", "\\\n  ", " \\\n    ",
           "\t\\\n", "       ", "         ", "\t        ", "            ", "\v", "\xa0", "\r")
LINES = ("pass", "pass", "x", "if x:", "if x:", "if x:", "if x: pass", "else:", "elif y:", "# c", "", "x = (", ")", "'''", "x \\", "\\", "def f():", "class A:",
         "match x:", "case _:", "try:", "except:", "except* y:", "finally: pass", "while x:", "for x in y:", "with x:", "async def f():", "@x", ";", "x; y",
         "x;", "if x: # c", "(", "[\n]", "return", "if x:\\", "#", "  ", "lambda:", "x:", ":", "if x: if y: pass", "if x: y; z", "case x: y", "match x: pass",
         "match x:\n case y: z", "match:", "type X = int", "else", "\f")
ENDS = ("\n", "\n", "\n", "\n", "\n", "\n", "\r\n", "\r", "", " \n", "\\\n", "\n\n", "\n# c\n", " # c\n", "\n\f\n", "\n    \n", "\n\t# c\n")


PLAIN = ("pass", "x", "if x:", "for x in y:", "def f():", "if x: pass", "# c", "", "x; y", "while x:", "match x:\n    case _:")


def lines(rng):
    """Lines of random indentation."""
    text, indents = "", [""]
    for _ in range(rng.choice((1, 2, 3, 3, 4, 5, 6, 8, 10))):
        line = rng.choice(PLAIN if rng.random() < 0.8 else LINES)
        indent = indents[-1] if rng.random() < 0.9 else rng.choice(INDENTS)
        text += indent + line + (rng.choice(ENDS) if rng.random() < 0.3 else "\n")
        if line.endswith(":"):
            indents.append(indents[-1] + rng.choice(("    ", " ", "\t", "  ", "        ", " \t", "\t ", "\f ")))
        elif line[:1] not in ("", "#"):
            del indents[rng.randint(1, len(indents)):]
    return text

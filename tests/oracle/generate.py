# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs from Python 3.11's grammar: its rarer forms come as often as its common ones. Here and there a part of
another kind stands where it must not, so that what is nearly right comes too. Deterministic by the generator given."""
import re

NAMES = ("a b c x y self cls f match case _ type print é ﬁ µ async_ await1 None1 soft T np df i j k "
         "x1 _x __x__ str int object Point").split()
NUMBERS = "0 1 2 7 00 1_000 0xFF 0X_ff 0b1 0B_0 0o7 0O_17 1. .5 1.5e3 1e-3 1E+3 5j 1.5J 0_0 00.5 0777.5 0e0 1_0.0_1e1_0".split()
PREFIXES = ("", "", "", "r", "R", "u", "U", "b", "B", "rb", "Rb", "bR", "f", "f", "F", "rf", "Fr", "fR")
TEXT_PREFIXES = tuple(p for p in PREFIXES if "b" not in p.lower())
BYTES_PREFIXES = tuple(p for p in PREFIXES if "b" in p.lower())
BODIES = ("", "a", "a b", "\\n", "\\x41", "\\101", "\\u00e9", "\\N{BULLET}", "{{", "}}", "%s", "#", "\\\\", "\\'", "\\q", "é", "\\ud83d",
          "\\\n", "{", "}", ":", "!")
BINARY = "+ - * / // % @ ** << >> & | ^".split()
COMPARE = ("<", ">", "==", "!=", "<=", ">=", "in", "not in", "is", "is not")
AUGMENTED = tuple(o + "=" for o in BINARY)
WRONG = 0.012  # how often a part of another kind is put


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.left = 60  # parts that may still nest

    def pick(self, *choices):
        return self.rng.choice(choices)()

    def some(self, part, least, most, joint=", "):
        return joint.join(part() for _ in range(self.rng.randint(least, most)))

    def maybe(self, text, chance=0.5):
        return (text() if callable(text) else text) if self.rng.random() < chance else ""

    def name(self):
        return self.rng.choice(NAMES)

    def trailing(self):
        return self.maybe(",", 0.25)

    # Expressions.

    def atom(self):
        return self.rng.choice((self.name, self.name, self.name, lambda: self.rng.choice(NUMBERS), self.strings,
                                lambda: self.rng.choice(("None", "True", "False", "...", "()", "[]", "{}"))))()

    def expr(self):
        self.left -= 1
        if self.left < 0 or self.rng.random() < 0.3:
            return self.atom()
        if self.rng.random() < WRONG:
            return self.pick(self.star, self.pattern, self.slices, self.parameters, self.simple, lambda: self.name() + "=1",
                             lambda: "yield " + self.atom(), lambda: "**" + self.atom(), lambda: self.name() + " := 1")
        return self.pick(self.binary, self.unary, self.compare, self.boolean, self.conditional, self.lambda_, self.call, self.call,
                         self.attribute, self.subscript, self.subscript, self.list_, self.tuple_, self.set_, self.dict_,
                         self.comprehension, self.comprehension, self.walrus, self.group, self.yield_, self.await_, self.strings)

    def operand(self):
        """An expression that mostly stands in brackets where an operator would take it apart."""
        text = self.expr()
        return "(%s)" % text if " " in text and self.rng.random() < 0.7 else text

    def group(self):
        return "(" + self.maybe("\n", 0.1) + self.expr() + self.maybe(" # c\n", 0.05) + ")"

    def binary(self):
        return "%s %s %s" % (self.operand(), self.rng.choice(BINARY), self.operand())

    def unary(self):
        return self.rng.choice(("-", "+", "~", "not ", "--", "not not ", "-~")) + self.operand()

    def compare(self):
        return self.operand() + "".join(" %s %s" % (self.rng.choice(COMPARE), self.operand()) for _ in range(self.rng.randint(1, 2)))

    def boolean(self):
        return self.some(self.operand, 2, 3, self.rng.choice((" and ", " or ")))

    def conditional(self):
        return "%s if %s else %s" % (self.operand(), self.operand(), self.operand())

    def lambda_(self):
        return "lambda%s: %s" % (self.maybe(lambda: " " + self.parameters(False)), self.expr())

    def attribute(self):
        return self.operand() + "." + self.name()

    def star(self):
        return "*" + self.expr()

    def star_or(self):
        return self.star() if self.rng.random() < 0.2 else self.named()

    def named(self):
        return "%s := %s" % (self.name(), self.expr()) if self.rng.random() < 0.1 else self.expr()

    def walrus(self):
        return "(%s := %s)" % (self.name(), self.expr())

    def yield_(self):
        return "(%s)" % self.rng.choice(("yield", "yield " + self.expr(), "yield from " + self.expr(), "yield *a, b"))

    def await_(self):
        return "await " + self.operand()

    def list_(self):
        return "[%s%s]" % (self.some(self.star_or, 1, 3), self.trailing())

    def tuple_(self):
        return "(%s,%s)" % (self.star_or(), self.maybe(lambda: " " + self.some(self.star_or, 1, 2) + self.trailing()))

    def set_(self):
        return "{%s%s}" % (self.some(self.star_or, 1, 3), self.trailing())

    def dict_(self):
        def item():
            return "**" + self.expr() if self.rng.random() < 0.2 else "%s: %s" % (self.expr(), self.expr())
        return "{%s%s}" % (self.some(item, 1, 3), self.trailing())

    def comprehension(self):
        opening, closing = self.rng.choice(("()", "[]", "{}"))
        element = self.named() if self.rng.random() < 0.8 or opening != "{" else "%s: %s" % (self.expr(), self.expr())
        return opening + element + self.clauses() + closing

    def clauses(self):
        return "".join("%s for %s in %s%s" % (self.maybe(" async", 0.15), self.target_list(), self.expr(),
                                              "".join(" if " + self.expr() for _ in range(self.rng.choice((0, 0, 1, 2)))))
                       for _ in range(self.rng.choice((1, 1, 2))))

    def call(self):
        if self.rng.random() < 0.12:
            return "%s(%s%s)" % (self.operand(), self.named(), self.clauses())
        return "%s(%s%s)" % (self.operand(), self.arguments(4), self.trailing())

    def arguments(self, most):
        """Mostly in an order that Python takes."""
        rows = [self.argument() for _ in range(self.rng.randint(0, most))]
        if self.rng.random() < 0.85:
            rows.sort(key=lambda row: (row.startswith("**"), row.partition("=")[0] in NAMES))
        return ", ".join(rows)

    def argument(self):
        return self.pick(self.expr, self.named, self.star, lambda: "**" + self.expr(), lambda: "%s=%s" % (self.name(), self.expr()),
                         lambda: "%s=%s" % (self.name(), self.expr()))

    def subscript(self):
        return "%s[%s]" % (self.operand(), self.slices())

    def slices(self):
        return self.some(self.slice, 1, 3) + self.trailing()

    def slice(self):
        def part():
            return self.maybe(self.expr)
        return self.pick(self.expr, self.star_or, lambda: "%s:%s" % (part(), part()), lambda: "%s:%s:%s" % (part(), part(), part()))

    # Strings.

    def strings(self):
        kinds = PREFIXES if self.rng.random() < 0.05 else TEXT_PREFIXES if self.rng.random() < 0.8 else BYTES_PREFIXES
        return self.rng.choice((" ", "", " ", "\\\n")).join(self.string(kinds) for _ in range(self.rng.choice((1, 1, 1, 2, 3))))

    def string(self, kinds=PREFIXES):
        prefix, quote = self.rng.choice(kinds), self.rng.choice(("'", '"', "'''", '"""'))
        body = "".join(self.rng.choice(BODIES) for _ in range(self.rng.randint(0, 3)))
        if "b" in prefix.lower() and self.rng.random() < 0.95:
            body = body.replace("é", "e")
        if "f" in prefix.lower():
            body = "".join(self.rng.choice((self.field, self.field, lambda: self.rng.choice(BODIES[:14])))()
                           for _ in range(self.rng.randint(0, 3)))
            if self.rng.random() < 0.8:
                body = re.sub(r"\{[^{}]*\\[^{}]*\}", "{x}", body)
            if len(quote) == 1:
                body = body.replace("\n", " ")
            if self.rng.random() < 0.9:
                body = body.replace(quote[0], "\"'"[quote[0] == '"'])
        return prefix + quote + body + quote

    def field(self, nested=False):
        self.left -= 3
        inside = self.maybe(" ", 0.2) + (self.expr() if self.left > 0 else self.name()) + self.maybe(" ", 0.2)
        if self.rng.random() < 0.1:
            inside = self.rng.choice(("yield", "*a, b", "a, b", "x for x in y", " lambda: 1", "(lambda: 1)", "a:=1", "(a:=1)", "await a"))
        spec = self.maybe(":", 0.3)
        if spec and not nested:
            spec += "".join(self.rng.choice((lambda: ">", lambda: "10", lambda: self.field(True), lambda: "%d", lambda: "\\n"))()
                            for _ in range(self.rng.randint(0, 3)))
        return "{%s%s%s%s}" % (inside, self.maybe("=", 0.15) + self.maybe(" ", 0.03), self.maybe(self.rng.choice(("!r", "!s", "!a")), 0.15),
                               spec)

    # Targets and parameters.

    def target(self):
        if self.rng.random() < WRONG:
            return self.expr()
        return self.pick(self.name, self.name, lambda: self.atom() + "." + self.name(), lambda: "%s[%s]" % (self.atom(), self.slices()),
                         lambda: "(%s)" % self.name(), lambda: "(%s)" % self.target_list(), lambda: "[%s]" % self.target_list(),
                         lambda: "%s(%s).x" % (self.name(), self.argument()))

    def target_list(self):
        def one():
            return self.maybe("*", 0.15) + self.target()
        return self.target() if self.rng.random() < 0.6 else self.some(one, 1, 3) + self.trailing()

    def parameters(self, annotated=True):
        def one(default=True):
            return (self.name() + (self.maybe(lambda: ": " + self.expr(), 0.3) if annotated else "") +
                    (self.maybe(lambda: "=" + self.expr(), 0.4) if default else ""))
        parts = [one(self.rng.random() < 0.5) for _ in range(self.rng.randint(0, 2))]
        if parts and self.rng.random() < 0.3:
            parts.append("/")
            parts += [one() for _ in range(self.rng.randint(0, 2))]
        if self.rng.random() < 0.4:
            star = self.rng.choice(("*", "*" + one(False), "*args: *Ts" if annotated else "*args"))
            parts += [star] + [one() for _ in range(self.rng.randint(star == "*", 2))]
        if self.rng.random() < 0.25:
            parts.append("**" + one(False))
        if self.rng.random() < 0.05:
            self.rng.shuffle(parts)
        return ", ".join(parts) + (self.trailing() if parts else "")

    # Patterns.

    def pattern(self):
        self.left -= 1
        if self.left < 0:
            return self.rng.choice(("_", "x", "1", "None"))
        return self.pick(self.closed, self.closed, lambda: self.some(self.closed, 2, 3, " | "),
                         lambda: "%s as %s" % (self.closed(), self.name()))

    def closed(self):
        def number():
            return self.maybe("-") + self.rng.choice(NUMBERS)
        return self.pick(
            self.name, number, lambda: "%s %s %s" % (number(), self.rng.choice("+-"), self.rng.choice(NUMBERS)), self.string, self.strings,
            lambda: self.rng.choice(("None", "True", "False", "_")), lambda: "%s.%s" % (self.name(), self.name()),
            lambda: "(%s)" % self.pattern(), lambda: "[%s]" % self.pattern_list(), lambda: "(%s)" % self.pattern_list(),
            self.mapping, self.class_pattern)

    def pattern_list(self):
        def one():
            return "*" + self.name() if self.rng.random() < 0.2 else self.pattern()
        return self.some(one, 0, 3) + self.trailing()

    def mapping(self):
        def item():
            return "%s: %s" % (self.pick(self.string, lambda: self.rng.choice(NUMBERS), lambda: "-1", lambda: "a.b", lambda: "None",
                                         lambda: "1+2j"), self.pattern())
        return "{%s%s%s}" % (self.some(item, 0, 2), self.maybe(lambda: ", **" + self.name(), 0.2), self.trailing())

    def class_pattern(self):
        def one():
            return self.pick(self.pattern, lambda: "%s=%s" % (self.name(), self.pattern()))
        return "%s(%s%s)" % (self.rng.choice(("a", "a.b", "a.b.c")), self.some(one, 0, 3), self.trailing())

    # Statements.

    def values(self):
        return self.pick(self.expr, self.expr, lambda: self.some(self.star_or, 2, 3) + self.trailing(), lambda: "*a,", lambda: "yield",
                         lambda: "yield " + self.expr())

    def simple(self):
        return self.pick(
            self.values, lambda: "".join(self.target_list() + " = " for _ in range(self.rng.randint(1, 2))) + self.values(),
            lambda: "%s %s %s" % (self.target(), self.rng.choice(AUGMENTED), self.values()),
            lambda: "%s: %s%s" % (self.target(), self.expr(), self.maybe(lambda: " = " + self.values())),
            lambda: "return " + self.maybe(self.values), lambda: "raise" + self.maybe(lambda: " %s%s" % (
                self.expr(), self.maybe(lambda: " from " + self.expr()))), lambda: "del " + self.target_list(),
            lambda: "assert %s%s" % (self.expr(), self.maybe(lambda: ", " + self.expr())), self.import_, self.import_,
            lambda: self.rng.choice(("global ", "nonlocal ")) + self.some(self.name, 1, 2),
            lambda: self.rng.choice(("pass", "break", "continue", "...")))

    def import_(self):
        def dotted():
            return self.some(self.name, 1, 3, ".")

        def alias(what):
            return what() + self.maybe(lambda: " as " + self.name(), 0.4)
        if self.rng.random() < 0.4:
            return "import " + self.some(lambda: alias(dotted), 1, 2)
        names = self.some(lambda: alias(self.name), 1, 3)
        return "from %s import %s" % (self.rng.choice((dotted(), "." + dotted(), "... " + dotted(), ".", "..", "....", ". . a")),
                                      self.rng.choice((names, "(%s%s)" % (names, self.trailing()), "*", "(\n%s\n)" % names)))

    def line(self):
        return self.some(self.simple, 1, 1 + (self.rng.random() < 0.15), "; ") + self.maybe(";", 0.04) + self.maybe(
            lambda: self.rng.choice((" # type: ignore", " # type: int", " # c")), 0.05) + "\n"

    def block(self, indent):
        self.left -= 2
        if self.rng.random() < 0.2:
            return " " + self.line()
        inner = indent + self.rng.choice(("    ", "  ", "\t", " "))
        return "\n" + "".join(inner + self.statement(inner) for _ in range(self.rng.choice((1, 1, 2))))

    def statement(self, indent=""):
        if self.left < 10 or self.rng.random() < 0.4:
            return self.line()
        return self.rng.choice((self.if_, self.while_, self.for_, self.with_, self.try_, self.function, self.function, self.class_,
                                self.match_, self.match_))(indent)

    def else_(self, indent, chance=0.3):
        return indent + "else:" + self.block(indent) if self.rng.random() < chance else ""

    def if_(self, indent):
        return "if %s:%s" % (self.named(), self.block(indent)) + "".join(
            "%selif %s:%s" % (indent, self.named(), self.block(indent)) for _ in range(self.rng.choice((0, 0, 1)))) + self.else_(indent)

    def while_(self, indent):
        return "while %s:%s" % (self.named(), self.block(indent)) + self.else_(indent)

    def for_(self, indent):
        return "%sfor %s in %s:%s" % (self.maybe("async ", 0.2), self.target_list(), self.values(), self.block(indent)) + self.else_(indent)

    def with_(self, indent):
        def item():
            return self.expr() + self.maybe(lambda: " as " + self.target(), 0.6)
        items = self.some(item, 1, 3)
        if self.rng.random() < 0.5:
            items = "(%s%s)" % (items, self.trailing()) + self.maybe(lambda: self.rng.choice((" as x", ", y", ".a", "[0] as b", "()")), 0.15)
        return "%swith %s:%s" % (self.maybe("async ", 0.2), items, self.block(indent))

    def try_(self, indent):
        star = self.maybe("*", 0.3)
        text = "try:" + self.block(indent)
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            text += "%sexcept%s%s:%s" % (indent, star, self.maybe(lambda: " " + self.expr() + self.maybe(lambda: " as " + self.name()), 0.8),
                                         self.block(indent))
        text += self.else_(indent, 0.2)
        return text + (indent + "finally:" + self.block(indent) if self.rng.random() < 0.4 else "")

    def decorators(self, indent):
        return "".join("@%s\n%s" % (self.named(), indent) for _ in range(self.rng.choice((0, 0, 0, 1, 2))))

    def function(self, indent):
        return "%s%sdef %s(%s)%s:%s" % (self.decorators(indent), self.maybe("async ", 0.2), self.name(), self.parameters(),
                                        self.maybe(lambda: " -> " + self.expr(), 0.3), self.block(indent))

    def class_(self, indent):
        return "%sclass %s%s:%s" % (self.decorators(indent), self.name(), self.maybe(
            lambda: "(%s%s)" % (self.arguments(2), self.trailing())), self.block(indent))

    def match_(self, indent):
        inner = indent + "    "
        subject = self.pick(self.named, self.named, lambda: self.star() + ",", lambda: self.some(self.star_or, 2, 3))
        cases = "".join("%scase %s%s:%s" % (inner, self.pick(self.pattern, self.pattern, self.pattern_list),
                                            self.maybe(lambda: " if " + self.named(), 0.3), self.block(inner))
                        for _ in range(self.rng.randint(1, 3)))
        return "match %s:\n%s" % (subject, cases)


def program(rng):
    """A program of one to three statements."""
    generator = Generator(rng)
    text = ""
    for _ in range(rng.choice((1, 1, 2, 3))):
        generator.left = rng.choice((8, 20, 40, 60))
        text += generator.statement()
    return text


def part(rng):
    """An expression, a pattern, ... without a statement around it."""
    generator = Generator(rng)
    generator.left = 8
    return rng.choice((generator.expr, generator.expr, generator.pattern, generator.pattern_list, generator.target, generator.target_list,
                       generator.parameters, generator.slices, generator.values, generator.field, generator.strings, generator.named,
                       generator.star_or, lambda: generator.arguments(4), generator.simple))()

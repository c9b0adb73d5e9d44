# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are not left to chance: all names of characters, and constructs nested or repeated up to and past the limits."""
import unicodedata

NAMES_A_PROGRAM = 500
DEPTHS = (1, 2, 19, 20, 21, 50, 92, 99, 100, 101, 198, 199, 200, 201, 255, 256, 257, 990, 1000, 1490, 1500, 2000, 2900, 2980, 3000, 4299, 4300, 4301, 6000)
BLOCK_DEPTHS = (1, 2, 19, 20, 21, 49, 50, 51, 98, 99, 100, 101)

NESTED = (
    lambda n:'('*n+'x'+')'*n,
    lambda n:'['*n+'x'+']'*n,
    lambda n:'{1:'*n+'x'+'}'*n,
    lambda n:'{'*n+'x'+'}'*n,
    lambda n:'('*n+'x'+',)'*n,
    lambda n:'f('*n+'x'+')'*n,
    lambda n:'f(a='*n+'x'+')'*n,
    lambda n:'f(*'*n+'x'+')'*n,
    lambda n:'a['*n+'x'+']'*n,
    lambda n:'a[:'*n+'x'+']'*n,
    lambda n:'-'*n+'x',
    lambda n:'not '*n+'x',
    lambda n:'~'*n+'x',
    lambda n:'lambda:'*n+'x',
    lambda n:'lambda a='*n+'x'+':x'*n,
    lambda n:'x if x else '*n+'x',
    lambda n:'x**'*n+'x',
    lambda n:'x**-'*n+'x',
    lambda n:'x+'*n+'x',
    lambda n:'(x+'*n+'x'+')'*n,
    lambda n:'x*'*n+'x',
    lambda n:'x and '*n+'x',
    lambda n:'x<'*n+'x',
    lambda n:'x'+'.a'*n,
    lambda n:'x'+'()'*n,
    lambda n:'x'+'[0]'*n,
    lambda n:'(a:='*n+'x'+')'*n,
    lambda n:'await '*n+'x',
    lambda n:'await ('*n+'x'+')'*n,
    lambda n:'(yield '*n+'x'+')'*n,
    lambda n:'[*'*n+'x'+']'*n,
    lambda n:'[x for x in '*n+'x'+']'*n,
    lambda n:'['*n+'x'+' for x in y]'*n,
    lambda n:'[x for x in y if '*n+'x'+']'*n,
    lambda n:'[x'+' for x in y'*n+']',
    lambda n:'if x:pass\n'+'elif x:pass\n'*n,
    lambda n:'x='*n+'1',
    lambda n:'('*n+'x'+',)'*n+'=1',
    lambda n:'['*n+'x'+']'*n+'=1',
    lambda n:'for '+'('*n+'x'+',)'*n+' in y:pass',
    lambda n:'del '+'('*n+'x'+',)'*n,
    lambda n:'match x:\n case '+'['*n+'x'+']'*n+':pass',
    lambda n:'match x:\n case '+'('*n+'x'+')'*n+':pass',
    lambda n:'match x:\n case '+'A('*n+'x'+')'*n+':pass',
    lambda n:'match x:\n case '+'A(k='*n+'x'+')'*n+':pass',
    lambda n:'match x:\n case '+'{1:'*n+'x'+'}'*n+':pass',
    lambda n:'match x:\n case '+'1|'*n+'x'+':pass',
    lambda n:'match x:\n case '+'('*n+'x'+' as y)'*n+':pass',
    lambda n:'match x:\n case a'+'.b'*n+':pass',
    lambda n:'"a" '*n+'"b"',
    lambda n:'f"'+'{x}'*n+'"',
    lambda n:'f"{'+'('*n+'x'+')'*n+'}"',
    lambda n:'@x\n'*n+'def f():pass',
    lambda n:'from '+'.'*n+' import x',
    lambda n:'import a'+'.b'*n,
    lambda n:'x'*n,
    lambda n:'1'*n,
    lambda n:'0x'+'1'*n,
    lambda n:'1'*n+'.5',
    lambda n:'1'*n+'j',
    lambda n:'1_'*n+'1',
    lambda n:'f('+'a,'*n+')',
    lambda n:'def f('+','.join('a%d'%i for i in range(n))+'):pass',
    lambda n:'global '+'a,'*n+'a',
    lambda n:'x:'+'('*n+'x'+')'*n,
    lambda n:'('*n+'x'+')'*n+':int',
    lambda n:'a['*n+'x'+']'*n+'=1',
    lambda n:'(lambda:'*n+'x'+')'*n,
    lambda n:'{lambda:'*n+'x'+'}'*n,
    lambda n:'(x if x else '*n+'x'+')'*n,
    lambda n:'(x if '*n+'x'+' else y)'*n,
    lambda n:''+'('*n+'x'+' if y else y)'*n,
    lambda n:'(x not in '*n+'x'+')'*n,
    lambda n:'class C('+'A('*n+'x'+')'*n+'):pass',
    lambda n:'@'+'f('*n+'x'+')'*n+'\ndef g():pass',
    lambda n:'return '+'('*n+'x'+')'*n,
    lambda n:'raise '+'('*n+'x'+')'*n,
    lambda n:'('*n+'x y'+')'*n,
    lambda n:'{1:'*n+'x y'+'}'*n,
    lambda n:'with '+'('*n+'x'+')'*n+':pass',
    lambda n:'with '+'('*n+'x as y'+')'*n+':pass',
    lambda n:'f"{'+'f(a,*b,c='*n+'x'+')'*n+'}"',
    lambda n:'[{(f(a['*n+'x'+']))}]'*n,
)
BLOCKS = (
    lambda n:''.join(' '*i+'if x:\n' for i in range(n))+' '*n+'x',
    lambda n:''.join(' '*i+'def f():\n' for i in range(n))+' '*n+'x',
    lambda n:''.join(' '*i+'try:\n' for i in range(n))+' '*n+'x\n'+''.join(' '*i+'finally:pass\n' for i in reversed(range(n))),
    lambda n:''.join(' '*i+'with (x):\n' for i in range(n))+' '*n+'x',
    lambda n:''.join(' '*(2*i)+'match x:\n'+' '*(2*i+1)+'case _:\n' for i in range(n))+' '*(2*n)+'x',
)


LONG = ("x" * 70000, "import " + "a" * 70000, "x." + "b" * 65535 + "; x." + "b" * 65536 + "c; x." + "b" * 65536 + "d", "import a" + ".b" * 40000,
        "é" * 40000, "ﬁ" * 30000 + " = 1", "x." + "ﬀ" * 40000, "from a" + ".b" * 40000 + " import " + "c" * 70000, "def " + "f" * 66000 + "(): pass",
        "'" + "s" * 200000 + "'", "f'" + "s" * 200000 + "{x}'", "# " + "c" * 200000, " " * 70000 + "\n" + "x")


def deep():
    for text in LONG:
        yield (text + "\n").encode()
    for make in NESTED:
        for depth in DEPTHS:
            yield (make(depth) + "\n").encode()
    for make in BLOCKS:
        for depth in BLOCK_DEPTHS:
            yield (make(depth) + "\n").encode()


def _names():
    found = (unicodedata.name(chr(character), None) for character in range(0x110000))
    return [name for name in found if name]


# Aliases, which unicodedata does not list, and names that are none.
OTHERS = """NULL|NUL|LINE FEED|NEW LINE|END OF LINE|LF|NL|EOL|TAB|HT|BEL|ALERT|ESC|DELETE|DEL|NEL|NEXT LINE|PADDING CHARACTER|PAD|APC|SS2|SINGLE-SHIFT-2|
PRIVATE USE TWO|PU2|BOM|BYTE ORDER MARK|ZWNBSP|SHY|NBSP|CGJ|VS1|VS16|VS17|VS256|ZWJ|WEIERSTRASS ELLIPTIC FUNCTION|LATIN SMALL LETTER GHA|LINE FEED (LF)|
BELL|KEYCAP DIGIT ONE|CJK UNIFIED IDEOGRAPH-04E00|CJK UNIFIED IDEOGRAPH-4e00|CJK UNIFIED IDEOGRAPH-9FFF|CJK UNIFIED IDEOGRAPH-A000|CJK UNIFIED IDEOGRAPH-|
CJK UNIFIED IDEOGRAPH-2A6E0|CJK UNIFIED IDEOGRAPH-3134A|CJK UNIFIED IDEOGRAPH-3134B|HANGUL SYLLABLE |HANGUL SYLLABLE A|HANGUL SYLLABLE GAX|
HANGUL SYLLABLE ga|U+0041|BULLET |  BULLET| BULLET|bullet|Bullet|BUL LET|BULLE|LATIN_SMALL_LETTER_A|TIBETAN MARK BSKA- SHOG GI MGO RGYAN|TIBETAN LETTER -A|
HANGUL JUNGSEONG O-E|HANGUL JUNGSEONG OE|CJK COMPATIBILITY IDEOGRAPH-F900|TANGUT IDEOGRAPH-17000|NUSHU CHARACTER-1B170|
KAWI LETTER A|GARAY CAPITAL LETTER CA|CJK UNIFIED IDEOGRAPH-31350|CJK UNIFIED IDEOGRAPH-2EBF0""".replace("|\n", "|").split("|")


def names():
    """All names in a few programs; then a program for each of the rest."""
    known = _names()
    for start in range(0, len(known), NAMES_A_PROGRAM):
        yield "".join("'\\N{%s}'\n" % name for name in known[start:start + NAMES_A_PROGRAM]).encode()
    for name in OTHERS + [name.lower() for name in known[::499]] + [name[:-1] for name in known[::499]] + [name + "S" for name in known[::999]]:
        yield ("'\\N{%s}'\n" % name).encode()

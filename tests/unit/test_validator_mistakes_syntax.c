/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mistakes that models make, each with the one message it must give: texts, characters, brackets,
 * indentation, and what other tools take.
 */
#include "tests/unit/mistakes.h"

/* Other tools, languages and versions. */
static const struct mistake mistakes_tools[] = {
    {"print 'hello'\n", "syntax", 1, 1, "print is a function: print(value)."},
    {"```python\nprint(1)\n```\n", "syntax", 1, 1,
     "'`' is no operator of Python. Leave the Markdown code marks away, and send the program "
     "alone."},
    {"function f(x) {\n}\n", "syntax", 1, 1,
     "This is another language's keyword. In Python write def NAME(...): for a function, and NAME "
     "= VALUE for a variable."},
    {"!pip install pandas\nimport pandas as pd\nprint(pd.DataFrame())\n", "syntax", 1, 1,
     "Lines with '!' are a notebook's. Delete the line: nothing can be installed, and the allowed "
     "modules are there."},
    {"import json\n!pip install networkx\nprint(json.dumps(1))\n", "syntax", 2, 1,
     "Lines with '!' are a notebook's. Delete the line: nothing can be installed, and the allowed "
     "modules are there."},
    {"%timeit f()\n", "syntax", 1, 1, "Lines with '%' are a notebook's. Delete the line."},
    {"%%time\nx = 1\n", "syntax", 1, 1, "Lines with '%' are a notebook's. Delete the line."},
    {"pip install pandas\nimport pandas as pd\n", "syntax", 1, 1,
     "This is a command of a shell. Delete the line: nothing can be installed, and the allowed "
     "modules are there."},
    {"print \"hello\"\n", "syntax", 1, 1, "print is a function: print(value)."},
    {"x = `1`\n", "syntax", 1, 5,
     "'`' is no operator of Python. Leave the Markdown code marks away, and send the program "
     "alone."},
    {"Here is the code:\nimport json\nprint(json.dumps(1))\n", "syntax", 1, 1,
     "This line is no Python. If it is prose, delete it or put '#' before it."},
    {"print(1)\nThis prints one.\n", "syntax", 2, 1,
     "This line is no Python. If it is prose, delete it or put '#' before it."},
    {"// count nodes\nx = 1\n", "syntax", 1, 1, "A comment begins with '#', on each of its lines."},
    {"x = 1 // count nodes\n", "syntax", 1, 7,
     "A comment begins with '#', not with '//'. If '//' divides, an operator is missing behind its "
     "value."},
    {"/* count */\nx = 1\n", "syntax", 1, 1, "A comment begins with '#', on each of its lines."},
    {"if a:\n    pass\nelse if b:\n    pass\n", "syntax", 3, 6,
     "'else if' is written elif in Python."},
    {"if a:\n    pass\nelseif b:\n    pass\n", "syntax", 3, 1,
     "This is another language's keyword. In Python write if, elif, else, for and while, each with "
     "':' at the end."},
    {"if a:\n    pass\nelsif b:\n    pass\n", "syntax", 3, 1,
     "This is another language's keyword. In Python write if, elif, else, for and while, each with "
     "':' at the end."},
    {"if (x > 3) {\n    print(x)\n}\n", "syntax", 1, 12,
     "Python has no braces around blocks. End the line with ':' and indent the lines that belong "
     "to it."},
    {"for (let i = 0; i < 3; i++) {\n    print(i);\n}\n", "syntax", 1, 1,
     "for goes over values, without brackets: for i in range(10):."},
    {"function f(x) {\n    return x;\n}\n", "syntax", 1, 1,
     "This is another language's keyword. In Python write def NAME(...): for a function, and NAME "
     "= VALUE for a variable."},
    {"x = new Foo()\n", "syntax", 1, 5, "Python has no 'new'. Call the class: NAME(...)."},
    {"if x then\n    print(x)\n", "syntax", 1, 6,
     "Python has no such word. End the condition with ':'."},
    {"while x do\n    print(x)\n", "syntax", 1, 9,
     "Python has no such word. End the condition with ':'."},
    {"try:\n    x = 1\ncatch Exception as e:\n    print(e)\n", "syntax", 3, 1,
     "This is another language's keyword. In Python write except Exception as e:."},
    {"throw ValueError(\"x\")\n", "syntax", 1, 1,
     "This is another language's keyword. In Python write raise ValueError(TEXT)."},
    {"throw new Error(\"x\")\n", "syntax", 1, 1,
     "This is another language's keyword. In Python write raise ValueError(TEXT)."},
    {"for (i = 0; i < 3; i++):\n    print(i)\n", "syntax", 1, 1,
     "for goes over values, without brackets: for i in range(10):."},
    {"do {\n    x += 1\n} while (x < 3)\n", "syntax", 1, 1,
     "Python has no do loop. Write while True: and leave it with if CONDITION: break."},
    {"def f[T](x: T) -> T:\n    return x\n", "syntax", 1, 6,
     "Type parameters in '[]' came with Python 3.12. Leave them away."},
    {"type Point = tuple[int, int]\n", "syntax", 1, 1,
     "The statement 'type' came with Python 3.12. Write NAME = list[int]."},
    {"class A[T]:\n    pass\n", "syntax", 1, 8,
     "Type parameters in '[]' came with Python 3.12. Leave them away."},
    {"class A extends B:\n    pass\n", "syntax", 1, 9,
     "Write class NAME(BASE):, with the base class in brackets."},
};

/* Texts. */
static const struct mistake mistakes_string[] = {
    {"print('hello)\n", "syntax", 1, 7,
     "This string is not closed on its line. Close it with ', or use ''' for a text of several "
     "lines."},
    {"x = '''abc\n", "syntax", 1, 5, "This string is never closed. Close it with '''."},
    {"p = 'C:\\Users\\x'\n", "syntax", 1, 8,
     "\\U wants eight hexadecimal digits. For a backslash write \\\\, or put r before the string."},
    {"x = ur\"abc\"\n", "syntax", 1, 5,
     "These letters are no prefix of a text. Write \"...\", r\"...\", f\"...\" or b\"...\"."},
    {"print(\"hello)\nx = 1\n", "syntax", 1, 7,
     "This string is not closed on its line. Close it with \", or use \"\"\" for a text of several "
     "lines."},
    {"print('it's here')\n", "syntax", 1, 11,
     "The text ends at the quotation mark before this place. Put a text with an apostrophe in "
     "double quotes: \"it's\"; else an operator is missing."},
    {"x = 'don't'\n", "syntax", 1, 10,
     "The text ends at the quotation mark before this place. Put a text with an apostrophe in "
     "double quotes: \"it's\"; else an operator is missing."},
    {"x = \"\"\"abc\ndef\nprint(x)\n", "syntax", 1, 5,
     "This string is never closed. Close it with \"\"\"."},
    {"def f():\n    \"\"\"Doc\n    return 1\nprint(f())\n", "syntax", 2, 5,
     "This string is never closed. Close it with \"\"\"."},
    {"x = \"abc\"\"\n", "syntax", 1, 10,
     "This string is not closed on its line. Close it with \", or use \"\"\" for a text of several "
     "lines."},
    {"x = 1 + \\ \n    2\n", "syntax", 1, 9,
     "A backslash outside a string must be the last character of its line. Delete it, or what "
     "follows it."},
    {"x = 1 + \\  # c\n    2\n", "syntax", 1, 9,
     "A backslash outside a string must be the last character of its line. Delete it, or what "
     "follows it."},
    {"x = \"\\x4\"\n", "syntax", 1, 6,
     "\\x wants two hexadecimal digits: \\x41. For a backslash write \\\\, or put r before the "
     "string."},
    {"x = \"C:\\Users\\x\"\n", "syntax", 1, 8,
     "\\U wants eight hexadecimal digits. For a backslash write \\\\, or put r before the string."},
    {"x = b\"\xC3\xA9\"\n", "syntax", 1, 7,
     "A bytes literal holds ASCII characters only. Write \"...\".encode() or an escape such as "
     "\\xe9."},
};

/* F-strings. */
static const struct mistake mistakes_fstring[] = {
    {"print(f'{d['title']}')\n", "syntax", 1, 11,
     "A string or bracket inside the braces of this f-string is not closed. In Python 3.11 a "
     "string in there cannot use the quotes of the f-string itself: write f\"{d['key']}\"."},
    {"print(f\"{chr(10).join(x)} {'\\n'.join(x)}\")\n", "syntax", 1, 29,
     "Python 3.11 allows no backslash inside the braces of an f-string. Put that part into a "
     "variable before, or use chr(10) for a line end."},
    {"print(f'{}')\n", "syntax", 1, 9,
     "An empty pair of braces in an f-string. Write an expression in it, or '{{}}' for the "
     "characters themselves."},
    {"print(f'a } b')\n", "syntax", 1, 11,
     "A single '}' in an f-string. Write '}}' for the character itself."},
    {"print(f'{x')\n", "syntax", 1, 9,
     "A field of this f-string lacks its '}': f\"{x:.2f}\". Write '{{' for the character '{' "
     "itself."},
    {"print(f'{x!z}')\n", "syntax", 1, 12, "Behind '!' in an f-string stands r, s or a: {name!r}."},
    {"print(f\"{d[\"title\"]}\")\n", "syntax", 1, 11,
     "A string or bracket inside the braces of this f-string is not closed. In Python 3.11 a "
     "string in there cannot use the quotes of the f-string itself: write f\"{d['key']}\"."},
    {"print(f\"{'\\n'.join(x)}\")\n", "syntax", 1, 11,
     "Python 3.11 allows no backslash inside the braces of an f-string. Put that part into a "
     "variable before, or use chr(10) for a line end."},
    {"print(f\"{x\")\n", "syntax", 1, 9,
     "A field of this f-string lacks its '}': f\"{x:.2f}\". Write '{{' for the character '{' "
     "itself."},
    {"print(f\"{x}}\")\n", "syntax", 1, 12,
     "A single '}' in an f-string. Write '}}' for the character itself."},
    {"print(f\"{}\")\n", "syntax", 1, 9,
     "An empty pair of braces in an f-string. Write an expression in it, or '{{}}' for the "
     "characters themselves."},
    {"print(f\"{x # c}\")\n", "syntax", 1, 12,
     "Python 3.11 allows no '#' inside the braces of an f-string. Put that part into a variable "
     "before."},
    {"print(f\"{x!t}\")\n", "syntax", 1, 12,
     "Behind '!' in an f-string stands r, s or a: {name!r}."},
    {"print(f\"{x if y}\")\n", "syntax", 1, 16,
     "Expected 'else', as in A if CONDITION else B, here, not the end of the field."},
    {"print(f\"{\", \".join(x)}\")\n", "syntax", 1, 9,
     "This f-string ends inside of its braces. In Python 3.11 a string in there cannot use the "
     "quotes of the f-string itself: write f\"{', '.join(xs)}\". For the character '{' write "
     "'{{'."},
    {"$x = 3\n", "syntax", 1, 1,
     "'$' is no operator of Python. Delete it; in an f-string write {name}, without '$'."},
    {"x = $y\n", "syntax", 1, 5,
     "'$' is no operator of Python. Delete it; in an f-string write {name}, without '$'."},
    {"print(f\"{'a' if x == \"b\" else 'c'}\")\n", "syntax", 1, 7,
     "A text inside the braces of an f-string cannot use the f-string's own quotes in Python 3.11: "
     "write f\"{d['key']}\"."},
};

/* Characters that are no Python. */
static const struct mistake mistakes_character[] = {
    {"if !a:\n    pass\n", "syntax", 1, 4,
     "'!' is no operator of Python. Write 'not' before a condition, '!=' between values."},
    {"x = a ? b : c\n", "syntax", 1, 7,
     "'?' is no operator of Python. Write 'A if CONDITION else B'; for a key that may be missing "
     "d.get(\"key\")."},
    {"print(\xE2\x80\x9Chello\xE2\x80\x9D)\n", "syntax", 1, 7,
     "The character '\xE2\x80\x9C' (U+201C) cannot stand here: it is no letter, digit or operator "
     "of Python. Write straight quotes: \"."},
    {"x = \xE2\x80\x98"
     "a\xE2\x80\x99\n",
     "syntax", 1, 5,
     "The character '\xE2\x80\x98' (U+2018) cannot stand here: it is no letter, digit or operator "
     "of Python. Write straight quotes: '."},
    {"x = \"a \xE2\x80\x9C"
     "b\xE2\x80\x9D c\"\ny = d[\xE2\x80\x9C"
     "a\xE2\x80\x9D]\n",
     "syntax", 2, 7,
     "The character '\xE2\x80\x9C' (U+201C) cannot stand here: it is no letter, digit or operator "
     "of Python. Write straight quotes: \"."},
    {"if x \xE2\x89\xA4 3:\n    print(x)\n", "syntax", 1, 6,
     "The character '\xE2\x89\xA4' (U+2264) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '<='."},
    {"if x \xE2\x89\xA0 3:\n    pass\n", "syntax", 1, 6,
     "The character '\xE2\x89\xA0' (U+2260) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '!='."},
    {"def f(x) \xE2\x86\x92 int:\n    return x\n", "syntax", 1, 10,
     "The character '\xE2\x86\x92' (U+2192) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '->'."},
    {"x = 3 \xC3\x97 4\n", "syntax", 1, 7,
     "The character '\xC3\x97' (U+00D7) cannot stand here: it is no letter, digit or operator of "
     "Python. Write '*'."},
    {"x = 5 \xE2\x80\x93 3\n", "syntax", 1, 7,
     "The character '\xE2\x80\x93' (U+2013) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '-'."},
    {"x = 5 \xE2\x80\x94 3\n", "syntax", 1, 7,
     "The character '\xE2\x80\x94' (U+2014) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '-', or put '#' before prose."},
    {"x = 5 \xE2\x88\x92 3\n", "syntax", 1, 7,
     "The character '\xE2\x88\x92' (U+2212) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '-'."},
    {"print\xEF\xBC\x88\"a\"\xEF\xBC\x89\n", "syntax", 1, 6,
     "The character '\xEF\xBC\x88' (U+FF08) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '('."},
    {"x = [1\xEF\xBC\x8C"
     "2]\n",
     "syntax", 1, 7,
     "The character '\xEF\xBC\x8C' (U+FF0C) cannot stand here: it is no letter, digit or operator "
     "of Python. Write ','."},
    {"if x\xEF\xBC\x9A\n    pass\n", "syntax", 1, 5,
     "The character '\xEF\xBC\x9A' (U+FF1A) cannot stand here: it is no letter, digit or operator "
     "of Python. Write ':'."},
    {"x =\xE3\x80\x80"
     "3\n",
     "syntax", 1, 4,
     "The character '\xE3\x80\x80' (U+3000) cannot stand here: it is no letter, digit or operator "
     "of Python. It is an ideographic space: write an ordinary one."},
    {"x\xE2\x80\x8B = 3\n", "syntax", 1, 2,
     "The character '\xE2\x80\x8B' (U+200B) cannot stand here: it is no letter, digit or operator "
     "of Python. It is invisible: delete it."},
    {"x = [1, \xE2\x80\xA6]\n", "syntax", 1, 9,
     "The character '\xE2\x80\xA6' (U+2026) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '...'."},
    {"\xE2\x80\xA2 print(1)\n", "syntax", 1, 1,
     "The character '\xE2\x80\xA2' (U+2022) cannot stand here: it is no letter, digit or operator "
     "of Python. Delete it, or put '#' before prose."},
    {"x = a ? 1 : 2\n", "syntax", 1, 7,
     "'?' is no operator of Python. Write 'A if CONDITION else B'; for a key that may be missing "
     "d.get(\"key\")."},
    {"if x ! = y:\n    pass\n", "syntax", 1, 6,
     "'!' is no operator of Python. Write 'not' before a condition, '!=' between values."},
    {"x =\xC2\xA0"
     "3\n",
     "syntax", 1, 4,
     "The character '\xC2\xA0' (U+00A0) cannot stand here: it is no letter, digit or operator of "
     "Python. It is a no-break space: write an ordinary one."},
    {"if True:\n\xC2\xA0\xC2\xA0\xC2\xA0\xC2\xA0print(1)\n", "syntax", 2, 1,
     "The character '\xC2\xA0' (U+00A0) cannot stand here: it is no letter, digit or operator of "
     "Python. It is a no-break space: write an ordinary one."},
    {"x = 'a'\xE2\x80\x8D\n", "syntax", 1, 8,
     "The character '\xE2\x80\x8D' (U+200D) cannot stand here: it is no letter, digit or operator "
     "of Python. It is invisible: delete it."},
    {"x = 3\xE3\x80\x82\n", "syntax", 1, 6,
     "The character '\xE3\x80\x82' (U+3002) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '.'."},
    {"x \xEF\xBC\x9D 3\n", "syntax", 1, 3,
     "The character '\xEF\xBC\x9D' (U+FF1D) cannot stand here: it is no letter, digit or operator "
     "of Python. Write '='."},
};

/* Indentation. */
static const struct mistake mistakes_indent[] = {
    {"x = 1\n  y = 2\n", "syntax", 2, 3,
     "This line is indented more than the one before, which opens no block. Indent both alike."},
    {"for n in nodes:\nprint(n)\n", "syntax", 1, 15,
     "Behind this ':' an indented block must follow. Indent the next lines by four spaces, or "
     "write pass; a comment alone is no block."},
    {"if x:\n        a = 1\n    b = 2\n", "syntax", 3, 5,
     "This line is indented by 4 columns, which matches no block around it (the nearest has 0). "
     "Indent it like the other lines of its block."},
    {"if x:\n        a = 1\n\tb = 2\n", "syntax", 3, 2,
     "Tabs and spaces are mixed in this indentation. Indent with spaces only, four a level."},
    {"match x:\ncase 1:\n    print(1)\n", "syntax", 1, 1,
     "A match statement is match VALUE: with indented case lines below it."},
    {"match x\n    case 1:\n        print(1)\n", "syntax", 1, 1,
     "A match statement is match VALUE: with indented case lines below it."},
    {"def f():\nx = 1\n", "syntax", 1, 8,
     "Behind this ':' an indented block must follow. Indent the next lines by four spaces, or "
     "write pass; a comment alone is no block."},
    {"x = 1\n    y = 2\n", "syntax", 2, 5,
     "This line is indented more than the one before, which opens no block. Indent both alike."},
    {"    x = 1\n    y = 2\n", "syntax", 1, 5,
     "The first line is indented. Begin it, and all lines of its level, without blanks."},
    {"def f():\n        x = 1\n    return x\n", "syntax", 3, 5,
     "This line is indented by 4 columns, which matches no block around it (the nearest has 0). "
     "Indent it like the other lines of its block."},
    {"if x:\n    a = 1\n\tb = 2\n", "syntax", 3, 2,
     "Tabs and spaces are mixed in this indentation. Indent with spaces only, four a level."},
    {"if x:\n    a = 1\n    else:\n        b = 2\n", "syntax", 3, 5,
     "This clause has no statement before it that it could belong to. Indent it like its if, for, "
     "while, try or match, with nothing between them."},
    {"if x:\n    a = 1\nb = 2\nelse:\n    c = 3\n", "syntax", 4, 1,
     "This clause has no statement before it that it could belong to. Indent it like its if, for, "
     "while, try or match, with nothing between them."},
    {"for x in y:\n    if x:\n        print(1)\n  else:\n        print(2)\n", "syntax", 4, 3,
     "This line is indented by 2 columns, which matches no block around it (the nearest has 0). "
     "Indent it like the other lines of its block."},
    {"try:\n    x = 1\n  except Exception:\n    pass\n", "syntax", 3, 3,
     "This line is indented by 2 columns, which matches no block around it (the nearest has 0). "
     "Indent it like the other lines of its block."},
    {"# a\n  x = 1\n", "syntax", 2, 3,
     "The first line is indented. Begin it, and all lines of its level, without blanks."},
    {"df = x\n    .groupby(\"a\")\n    .sum()\n", "syntax", 2, 5,
     "A line cannot begin with '.'. Put the whole chain in brackets: x = (df.head() and the next "
     "lines)."},
};

/* Brackets. */
static const struct mistake mistakes_bracket[] = {
    {"print(len(nodes)\nx = 1\n", "syntax", 1, 6, "This '(' is never closed. Add the missing ')'."},
    {"print(len(nodes)))\n", "syntax", 1, 18,
     "This ')' closes nothing. Delete it, or add the opening bracket."},
    {"x = [1, 2)\n", "syntax", 1, 10,
     "')' cannot close the '[' of line 1. Close that with ']' first."},
    {"print(len(x)\ny = 2\n", "syntax", 1, 6, "This '(' is never closed. Add the missing ')'."},
    {"print((1)))\n", "syntax", 1, 11,
     "This ')' closes nothing. Delete it, or add the opening bracket."},
    {"x = (1, 2]\n", "syntax", 1, 10,
     "']' cannot close the '(' of line 1. Close that with ')' first."},
};

static void test_tools(void **state)
{
    (void)state;
    check_mistakes(mistakes_tools, sizeof mistakes_tools / sizeof *mistakes_tools, "data-science");
}

static void test_string(void **state)
{
    (void)state;
    check_mistakes(mistakes_string, sizeof mistakes_string / sizeof *mistakes_string,
                   "data-science");
}

static void test_fstring(void **state)
{
    (void)state;
    check_mistakes(mistakes_fstring, sizeof mistakes_fstring / sizeof *mistakes_fstring,
                   "data-science");
}

static void test_character(void **state)
{
    (void)state;
    check_mistakes(mistakes_character, sizeof mistakes_character / sizeof *mistakes_character,
                   "data-science");
}

static void test_indent(void **state)
{
    (void)state;
    check_mistakes(mistakes_indent, sizeof mistakes_indent / sizeof *mistakes_indent,
                   "data-science");
}

static void test_bracket(void **state)
{
    (void)state;
    check_mistakes(mistakes_bracket, sizeof mistakes_bracket / sizeof *mistakes_bracket,
                   "data-science");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tools),   cmocka_unit_test(test_string),
        cmocka_unit_test(test_fstring), cmocka_unit_test(test_character),
        cmocka_unit_test(test_indent),  cmocka_unit_test(test_bracket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

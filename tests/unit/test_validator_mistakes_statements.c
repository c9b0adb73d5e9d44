/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mistakes that models make, each with the one message it must give: statements and expressions.
 */
#include "tests/unit/mistakes.h"

/* Headers, clauses and imports. */
static const struct mistake mistakes_header[] = {
    {"for n in nodes\n    print(n)\n", "syntax", 1, 15,
     "A ':' is missing at the end of this line."},
    {"if x == 1\n    print(x)\n", "syntax", 1, 10, "A ':' is missing at the end of this line."},
    {"try:\n    x = 1\nexcept ValueError, e:\n    pass\n", "syntax", 3, 1,
     "Put several exceptions in parentheses, and the name behind 'as': except (A, B) as e:"},
    {"try:\n    x = 1\nprint(x)\n", "syntax", 1, 1,
     "This try has neither except nor finally. Add: except Exception as e: print(e)."},
    {"from math\n", "syntax", 1, 10,
     "This import statement is not complete: write from MODULE import NAME."},
    {"from math import sqrt,\n", "syntax", 1, 23,
     "This import statement is not complete: a name must follow. Delete a comma at the end, or put "
     "the names in parentheses."},
    {"from code-helpers import get_nodes\nprint(get_nodes(session_id))\n", "syntax", 1, 6,
     "A module's name is one word with '_' in it and no '-': from code_helpers import get_nodes."},
    {"from code helpers import get_nodes\n", "syntax", 1, 6,
     "A module's name is one word with '_' in it and no '-': from code_helpers import get_nodes."},
    {"try:\n    x = 1\nexcept Exception, e:\n    print(e)\n", "syntax", 3, 1,
     "Put several exceptions in parentheses, and the name behind 'as': except (A, B) as e:"},
    {"for i in range(3) print(i)\n", "syntax", 1, 19,
     "A ':' is missing before this place; behind it the statement begins."},
    {"if x == 1 print(x)\n", "syntax", 1, 11,
     "A ':' is missing before this place; behind it the statement begins."},
    {"for i in range(3);\n    print(i)\n", "syntax", 1, 18,
     "Write ':' here; ';' ends a statement."},
    {"f = lambda x x + 1\n", "syntax", 1, 14,
     "A ':' is missing behind the lambda's parameters: lambda x: VALUE."},
    {"for x of y:\n    print(x)\n", "syntax", 1, 7,
     "Write for NAME in VALUES:; the word 'in' is missing before this place."},
    {"for each x in y:\n    print(x)\n", "syntax", 1, 10,
     "Write for NAME in VALUES:; the word 'in' is missing before this place."},
    {"match x:\n    case 1:\n        print(1)\n    default:\n        print(2)\n", "syntax", 4, 5,
     "Write case _: for all other values."},
    {"x = 3:\n    print(x)\n", "syntax", 1, 6,
     "This ':' opens no block. Delete it, or begin the line with if, for, while, def, class, with "
     "or the like."},
    {"print(\"a\"):\n", "syntax", 1, 11,
     "This ':' opens no block. Delete it, or begin the line with if, for, while, def, class, with "
     "or the like."},
    {"import numpy as\n", "syntax", 1, 16,
     "This import statement is not complete: write import MODULE, or import MODULE as NAME."},
    {"import { get_nodes } from \"code_helpers\"\n", "syntax", 1, 8,
     "Write import MODULE or from MODULE import NAME, without braces, quotes or '*'."},
    {"import \"json\"\n", "syntax", 1, 8,
     "Write import MODULE or from MODULE import NAME, without braces, quotes or '*'."},
    {"from math import sqrt.x\n", "syntax", 1, 22,
     "A name behind import has no dots. Move what stands before the dot: from MODULE.INNER import "
     "NAME."},
    {"def f:\n    return 1\n", "syntax", 1, 6,
     "Brackets are missing behind the function's name: def NAME():."},
    {"def get-nodes():\n    pass\n", "syntax", 1, 5,
     "A function's name is one word: letters, digits and '_', no '-' or blanks."},
    {"def my func():\n    pass\n", "syntax", 1, 5,
     "A function's name is one word: letters, digits and '_', no '-' or blanks."},
    {"def f() => int:\n    return 1\n", "syntax", 1, 9,
     "The type of the result stands behind '->': def NAME(...) -> TYPE:."},
    {"try:\n    pass\nexcept* ValueError:\n    pass\nexcept TypeError:\n    pass\n", "syntax", 5, 1,
     "'except' and 'except*' cannot stand in one try. Write one kind."},
    {"x = [a for a in b if c else d]\n", "syntax", 1, 24,
     "A comprehension is [VALUE for NAME in VALUES if CONDITION]. A pair stands in brackets, (a, "
     "b), and A if CONDITION else B comes first."},
    {"x = [if a: b for a in c]\n", "syntax", 1, 6,
     "A comprehension is [VALUE for NAME in VALUES if CONDITION]. A pair stands in brackets, (a, "
     "b), and A if CONDITION else B comes first."},
    {"x = 1 + \\\n", "syntax", 1, 9,
     "The program ends behind this backslash. Delete it, or finish the line."},
    {"def f() - > int:\n    pass\n", "syntax", 1, 9,
     "The type of the result stands behind '->': def NAME(...) -> TYPE:."},
    {"import json import re\n", "syntax", 1, 13,
     "A second import begins here. Put it on a line of its own."},
    {"try:\n    x = 1\nelse:\n    y = 2\n", "syntax", 1, 1,
     "This try has neither except nor finally. Add: except Exception as e: print(e)."},
    {"try:\n    x = 1\nexcept:\n    pass\nexcept ValueError:\n    pass\n", "syntax", 3, 1,
     "'except:' without a type takes everything and must be the last one. Move it behind the "
     "others."},
};

/* Operators and assignments. */
static const struct mistake mistakes_operator[] = {
    {"if x = 1:\n    print(x)\n", "syntax", 1, 6,
     "'=' assigns; to compare in this condition write '=='."},
    {"x = [1 2]\n", "syntax", 1, 8,
     "Two values stand side by side here. An operator, a comma or a quotation mark is missing "
     "before this place."},
    {"f(a b)\n", "syntax", 1, 5,
     "Two values stand side by side here. An operator, a comma or a quotation mark is missing "
     "before this place."},
    {"x++\n", "syntax", 1, 2, "Python has no '++'. Write '+= 1'."},
    {"x = 2nd\n", "syntax", 1, 6,
     "A letter follows a number directly. A name begins with a letter or '_'; put an operator or a "
     "space between."},
    {"x = 10L\n", "syntax", 1, 7,
     "A letter follows a number directly. A name begins with a letter or '_'; put an operator or a "
     "space between."},
    {"d = {\n    \"a\": 1,\n    \"b\": 2\n    \"c\": 3,\n}\nprint(d)\n", "syntax", 3, 10,
     "Behind this value a comma or an operator is missing."},
    {"x = [\n    1,\n    2\n    3,\n]\n", "syntax", 3, 5,
     "Behind this value a comma or an operator is missing."},
    {"f = (x) => x + 1\n", "syntax", 1, 9,
     "Python has no '=>'. Write lambda x: VALUE for a small function, and '>=' to compare."},
    {"x = list(map(x => x + 1, y))\n", "syntax", 1, 16,
     "Python has no '=>'. Write lambda x: VALUE for a small function, and '>=' to compare."},
    {"if a === b:\n    pass\n", "syntax", 1, 6,
     "Python has no '===' and no '!=='. Write '==' or '!='."},
    {"if a !== b:\n    pass\n", "syntax", 1, 6,
     "Python has no '===' and no '!=='. Write '==' or '!='."},
    {"if a =< b:\n    pass\n", "syntax", 1, 6, "Write '<=': the '=' comes last."},
    {"if x = 3:\n    pass\n", "syntax", 1, 6,
     "'=' assigns; to compare in this condition write '=='."},
    {"x := 3\n", "syntax", 1, 3,
     "':=' cannot stand here. As a statement write '='; inside an expression put it in brackets: "
     "(n := len(x))."},
    {"if (self.x := 3):\n    pass\n", "syntax", 1, 12,
     "':=' cannot stand here. As a statement write '='; inside an expression put it in brackets: "
     "(n := len(x))."},
    {"f(x) = 3\n", "syntax", 1, 1,
     "Nothing can be assigned to a call. The left side is a name, an item or an attribute; to "
     "compare write '=='."},
    {"3 = x\n", "syntax", 1, 1,
     "Nothing can be assigned to a number. The left side is a name, an item or an attribute; to "
     "compare write '=='."},
    {"x + 1 = y\n", "syntax", 1, 3,
     "Nothing can be assigned to an expression with an operator. The left side is a name, an item "
     "or an attribute; to compare write '=='."},
    {"\"a\" = 3\n", "syntax", 1, 1,
     "Nothing can be assigned to a text. The left side is a name, an item or an attribute; to "
     "compare write '=='."},
    {"None = 3\n", "syntax", 1, 1,
     "Nothing can be assigned to a constant. The left side is a name, an item or an attribute; to "
     "compare write '=='."},
    {"True = 1\n", "syntax", 1, 1,
     "Nothing can be assigned to a constant. The left side is a name, an item or an attribute; to "
     "compare write '=='."},
    {"x == 3 = y\n", "syntax", 1, 3,
     "Nothing can be assigned to a comparison. The left side is a name, an item or an attribute; "
     "to compare write '=='."},
    {"x = y += 1\n", "syntax", 1, 7,
     "This assignment stands on a line of its own, behind one name: x += 1."},
    {"for i in 0..3:\n    print(i)\n", "syntax", 1, 12,
     "Python has no '..'. Write range(0, 3), a slice a[0:3], or an item a[0]."},
    {"for i in 1...3:\n    print(i)\n", "syntax", 1, 13,
     "Python has no '..'. Write range(0, 3), a slice a[0:3], or an item a[0]."},
    {"x->y = 3\n", "syntax", 1, 2,
     "Write '.' for an attribute: x.y. '->' stands only behind def NAME(...)."},
    {"def f():\n    return x = 3\n", "syntax", 2, 14,
     "'=' cannot stand here. Assign on a line of its own; to compare write '=='."},
    {"x + = 1\n", "syntax", 1, 3, "The two signs of an operator stand together: '==', '>=', '+='."},
    {"if x = = y:\n    pass\n", "syntax", 1, 6,
     "The two signs of an operator stand together: '==', '>=', '+='."},
    {"x = 1 y = 2\n", "syntax", 1, 7,
     "A second statement begins here. Put it on a line of its own, or add the operator that is "
     "missing before this place."},
    {"print(1) print(2)\n", "syntax", 1, 10,
     "A second statement begins here. Put it on a line of its own, or add the operator that is "
     "missing before this place."},
    {"def f():\n    global x = 3\n", "syntax", 2, 14,
     "'=' cannot stand here. Assign on a line of its own; to compare write '=='."},
    {"a, *b, *c = x\n", "syntax", 1, 8,
     "Two starred names stand in one assignment. Only one may have a star."},
};

/* Parameters and arguments. */
static const struct mistake mistakes_argument[] = {
    {"def f(a=1, b):\n    pass\n", "syntax", 1, 12,
     "A parameter without a default follows one with a default. Move it before."},
    {"f(a=1, 2)\n", "syntax", 1, 8,
     "A plain argument follows a named one. Put it before the named ones, or give it a name, too."},
    {"print(sep=\", \", x)\n", "syntax", 1, 17,
     "A plain argument follows a named one. Put it before the named ones, or give it a name, too."},
    {"f(\"a\"=1)\n", "syntax", 1, 6,
     "Before '=' in a call stands the plain name of an argument: f(a=1). To compare write '=='."},
    {"f(a.b=1)\n", "syntax", 1, 6,
     "Before '=' in a call stands the plain name of an argument: f(a=1). To compare write '=='."},
    {"f(x for x in y, 1)\n", "syntax", 1, 3,
     "A generator beside other arguments stands in brackets of its own: f((x for x in xs), y)."},
    {"sum(n[\"hours\"] for n in nodes, 0)\n", "syntax", 1, 5,
     "A generator beside other arguments stands in brackets of its own: f((x for x in xs), y)."},
    {"def f(\"a\"):\n    pass\n", "syntax", 1, 7, "A parameter is one plain name: def f(a, b=1):."},
    {"def f(self.x):\n    pass\n", "syntax", 1, 11,
     "A parameter is one plain name: def f(a, b=1):."},
    {"sorted(d.items(), key=lambda (k, v): v)\n", "syntax", 1, 30,
     "A parameter is one plain name. Take it apart inside: lambda kv: kv[1]."},
    {"def f((a, b)):\n    pass\n", "syntax", 1, 7,
     "A parameter is one plain name. Take it apart inside: lambda kv: kv[1]."},
};

/* Statements out of place. */
static const struct mistake mistakes_place[] = {
    {"x = 1\nreturn x\n", "syntax", 2, 1,
     "'return' stands outside a function. Write print(value) to answer, or put the code into a "
     "function and call it."},
    {"break\n", "syntax", 1, 1,
     "'break' stands outside a loop. Delete it, or put the code into a for or while loop."},
    {"from code_helpers import get_nodes\nnodes = await get_nodes(session_id)\nprint(nodes)\n",
     "syntax", 2, 9,
     "'await' stands outside an async function. Nothing here has to be awaited: call the function "
     "without await, or put the line into 'async def'."},
    {"def f():\n    return await g()\n", "syntax", 2, 12,
     "'await' stands outside an async function. Nothing here has to be awaited: call the function "
     "without await, or put the line into 'async def'."},
    {"for x in y:\n    pass\nasync for x in y:\n    pass\n", "syntax", 3, 7,
     "'async for' stands outside an async function. Write 'for' without async, or put it into "
     "'async def'."},
    {"from code_helpers import get_nodes\nnodes = get_nodes(session_id)\nif not nodes:\n    "
     "print(\"none\")\n    return\nprint(len(nodes))\n",
     "syntax", 5, 5,
     "'return' stands outside a function. Write print(value) to answer, or put the code into a "
     "function and call it."},
    {"yield 3\n", "syntax", 1, 1,
     "'yield' stands outside a function. Write print(value) to answer, or put the code into a "
     "function."},
    {"count = 0\ndef f():\n    print(count)\n    global count\n    count += 1\nf()\n", "syntax", 4,
     12,
     "'count' is used before this line says that it is global. Move 'global count' to the top of "
     "the function."},
    {"def f(x):\n    global x\n", "syntax", 2, 12,
     "'x' is a parameter and cannot be global too. Delete this line, or rename the parameter."},
    {"x = 1\ndef f():\n    nonlocal x\n    x = 2\n", "syntax", 3, 14,
     "No function around this one assigns 'x', so it cannot be nonlocal. Write 'global x' for a "
     "variable of the program, or assign it in the function around first."},
    {"nonlocal x\n", "syntax", 1, 10,
     "nonlocal cannot stand outside a function. Delete this line."},
    {"def f(x):\n    continue\n", "syntax", 2, 5,
     "'continue' stands outside a loop. Delete it, or put the code into a for or while loop."},
    {"x = 1\nfrom __future__ import annotations\n", "syntax", 2, 1,
     "from __future__ import must stand at the beginning of the program, before all other "
     "statements. Move it there."},
    {"f(a=1, a=2)\n", "syntax", 1, 8, "The argument 'a' is given twice here. Keep one of the two."},
    {"sorted(x, key=lambda n: n[\"a\"], reverse=True, key=len)\n", "syntax", 1, 47,
     "The argument 'key' is given twice here. Keep one of the two."},
    {"def f(a, a):\n    pass\n", "syntax", 1, 10,
     "There are two parameters 'a'. Give each its own name."},
    {"x = [await f(y) for y in z]\n", "syntax", 1, 5,
     "A comprehension with 'async for' or 'await' stands outside an async function. Write it "
     "without async and await, or put it into 'async def'."},
};

/* Others. */
static const struct mistake mistakes_other[] = {
    {"if a && b:\n    pass\n", "syntax", 1, 6, "Python has no '&&'. Write 'and'."},
    {"x = 007\n", "syntax", 1, 5,
     "A decimal number has no leading zeros. Drop them, or write 0o17 for an octal number."},
    {"class = 3\n", "syntax", 1, 1,
     "This word is part of the language and cannot be given a value. Choose another name."},
    {"raise ValueError, \"bad\"\n", "syntax", 1, 17,
     "Write raise ValueError(TEXT): the text stands in brackets."},
    {"if 1 <> 2:\n    print(1)\n", "syntax", 1, 6, "'<>' is Python 2. Write '!='."},
    {"x = 0777\n", "syntax", 1, 5,
     "A decimal number has no leading zeros. Drop them, or write 0o17 for an octal number."},
    {"f = lambda x: return x\n", "syntax", 1, 15,
     "A statement cannot stand inside an expression. A lambda holds one value; write def for "
     "more."},
    {"d = {\"a\" = 1}\n", "syntax", 1, 10,
     "In a dictionary ':' stands between key and value: {\"a\": 1}."},
    {"d = {a = 1, b = 2}\n", "syntax", 1, 8,
     "In a dictionary ':' stands between key and value: {\"a\": 1}."},
    {"from math import sqrt floor\n", "syntax", 1, 23, "A comma is missing between these names."},
    {"f(**a, *b)\n", "syntax", 1, 8, "'*' cannot follow '**' in a call. Put it before."},
    {"def f(a, *):\n    pass\n", "syntax", 1, 11,
     "A name must follow the '*': def f(a, *rest):. Or delete the '*'."},
    {"def class():\n    pass\n", "syntax", 1, 5,
     "This word is part of the language and is no name. Choose another one, such as with '_' "
     "behind it."},
    {"lambda = 3\n", "syntax", 1, 1,
     "This word is part of the language and cannot be given a value. Choose another name."},
    {"x.class = 3\n", "syntax", 1, 3,
     "This word is part of the language and is no name. Choose another one, such as with '_' "
     "behind it."},
    {"del f(x)\n", "syntax", 1, 5, "Not a call: del takes names, items and attributes: del x[0]."},
    {"a, b += 1, 2\n", "syntax", 1, 1,
     "Only a name, an item or an attribute can be changed in place. Write x = x + 1 for each."},
    {"f(x) += 1\n", "syntax", 1, 1,
     "Only a name, an item or an attribute can be changed in place. Write x = x + 1 for each."},
    {"x = 1_000_\n", "syntax", 1, 11,
     "A digit must follow here. In a number, '_' stands only between two digits."},
    {"x = 50%\n", "syntax", 1, 8,
     "The line ends in the middle of an expression. Finish it, or put all of it in brackets to go "
     "on in the next line."},
    {"x = [...a, ...b]\n", "syntax", 1, 6,
     "To take a list's items write '*', and '**' for a dictionary's: [*a, *b]."},
    {"x = {...a, \"b\": 1}\n", "syntax", 1, 6,
     "To take a list's items write '*', and '**' for a dictionary's: [*a, *b]."},
    {"@property\nx = 3\n", "syntax", 2, 1,
     "Expected def or class behind the decorator here, not 'x'."},
    {"x = [a in b if c]\n", "syntax", 1, 17,
     "Expected 'else', as in A if CONDITION else B, here, not ']'."},
    {"x = a if b\n", "syntax", 1, 11,
     "Expected 'else', as in A if CONDITION else B, here, not the end of the line."},
    {"print(\"a\" if x)\n", "syntax", 1, 15,
     "Expected 'else', as in A if CONDITION else B, here, not ')'."},
    {"x = a.\n", "syntax", 1, 7,
     "The line ends in the middle of an expression. Finish it, or put all of it in brackets to go "
     "on in the next line."},
    {"x = * 3\n", "syntax", 1, 5,
     "'*' cannot stand alone here. Write [*values] for a list, or values without the star."},
    {"x = a * / b\n", "syntax", 1, 9, "Expected a value here, not '/'."},
    {"if a and and b:\n    pass\n", "syntax", 1, 10, "Expected a value here, not 'and'."},
    {"if x not y:\n    pass\n", "syntax", 1, 6,
     "Write 'not in', 'is not' or '!=': 'not' alone joins no two values."},
    {"*x\n", "syntax", 1, 1,
     "'*' cannot stand alone here. Write [*values] for a list, or values without the star."},
    {"*a = [1]\n", "syntax", 1, 1,
     "A starred target must stand in a list or tuple. Write 'name = list(values)', or '*name, = "
     "values'."},
    {"x = \"a\" b\"b\"\n", "syntax", 1, 5,
     "Bytes and text stand side by side. Write all of them with b, or none."},
};

static void test_header(void **state)
{
    (void)state;
    check_mistakes(mistakes_header, sizeof mistakes_header / sizeof *mistakes_header,
                   "data-science");
}

static void test_operator(void **state)
{
    (void)state;
    check_mistakes(mistakes_operator, sizeof mistakes_operator / sizeof *mistakes_operator,
                   "data-science");
}

static void test_argument(void **state)
{
    (void)state;
    check_mistakes(mistakes_argument, sizeof mistakes_argument / sizeof *mistakes_argument,
                   "data-science");
}

static void test_place(void **state)
{
    (void)state;
    check_mistakes(mistakes_place, sizeof mistakes_place / sizeof *mistakes_place, "data-science");
}

static void test_other(void **state)
{
    (void)state;
    check_mistakes(mistakes_other, sizeof mistakes_other / sizeof *mistakes_other, "data-science");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),   cmocka_unit_test(test_operator),
        cmocka_unit_test(test_argument), cmocka_unit_test(test_place),
        cmocka_unit_test(test_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

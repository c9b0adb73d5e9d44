/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Verdicts: the mistakes that models make with the message each gives, hostile programs by family,
 * ordinary ones, and the shared corpora where they are there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "validator/policy/policy.h"
#include "validator/validator.h"

#define LINE_CAP ((size_t)1 << 20)

static struct verdict verdict;

static const struct verdict *judge(const char *source, size_t len, const char *profile)
{
    validator_check(source, len, validator_profile_find(profile), &verdict);
    return &verdict;
}

/* The first diagnostic of each: code, line, column, and how its text begins. */
static void test_mistakes(void **state)
{
    static const struct {
        const char *source, *code;
        size_t line, column;
        const char *text;
    } rows[] = {
        {"import os\nprint(os.getcwd())\n", "import-not-allowed", 1, 8,
         "Import 'os' is not allowed in the current security profile. Analysis code has no files, "
         "arguments or environment: read the curriculum with get_nodes(), get_relationships() and "
         "get_node_content() of code_helpers, and answer with print(). session_id is set."},
        {"import sys\nsid = sys.argv[1]\n", "import-not-allowed", 1, 8,
         "Import 'sys' is not allowed in the current security profile. Analysis code has no files, "
         "arguments or environment: read the curriculum with get_nodes(), get_relationships() and "
         "get_node_content() of code_helpers, and answer with print(). session_id is set."},
        {"import requests\n", "import-not-allowed", 1, 8,
         "Import 'requests' is not allowed in the current security profile. There is no network: "
         "read the curriculum with get_nodes(), get_relationships() and get_node_content() of "
         "code_helpers."},
        {"from sklearn.cluster import KMeans\n", "import-not-allowed", 1, 6,
         "Import 'sklearn.cluster' is not allowed in the current security profile. It is not "
         "installed. For texts use re and collections.Counter, for figures statistics, in the "
         "profile data-science also numpy, pandas and scipy."},
        {"import colections\n", "import-not-allowed", 1, 8,
         "Import 'colections' is not allowed in the current security profile. Did you mean "
         "'collections'?"},
        {"import code_helper\n", "import-not-allowed", 1, 8,
         "Import 'code_helper' is not allowed in the current security profile. The module with "
         "get_nodes() and the others is code_helpers."},
        {"from code_helpers import get_node\n", "import-not-allowed", 1, 26,
         "'get_node' cannot be imported from code_helpers. Did you mean 'get_nodes'?"},
        {"import code_helpers\ncode_helpers.get_relationship()\n", "module-attribute", 2, 14,
         "code_helpers.get_relationship is not allowed. Did you mean "
         "code_helpers.get_relationships?"},
        {"from code_helpers import list_everything\n", "import-not-allowed", 1, 26,
         "'list_everything' cannot be imported from code_helpers. It has: get_nodes "
         "get_relationships get_node_content get_all_content analyze_graph."},
        {"import pandas as pd\ndf = pd.read_csv('nodes.csv')\n", "module-attribute", 2, 9,
         "pandas.read_csv is not allowed. It reads files; use get_nodes(), get_relationships() and "
         "get_node_content() of code_helpers with pd.DataFrame(...)."},
        {"import pandas as pd\npd.DataFrame().to_csv('out.csv')\n", "file-method", 2, 23,
         "to_csv with a path writes a file, and there are none. Leave the path away and print the "
         "text: print(df.to_csv()); give other arguments by keyword."},
        {"df.to_excel('x.xlsx')\n", "forbidden-attribute", 1, 4,
         "The attribute 'to_excel' is not allowed. Analysis code has no files; read with "
         "get_nodes() and the other functions of code_helpers, answer with print()."},
        {"with open('a.txt') as f:\n    print(f.read())\n", "forbidden-name", 1, 6,
         "'open' is not allowed. Analysis code has no files; read with get_nodes() and the other "
         "functions of code_helpers, answer with print()."},
        {"x = eval('1+1')\n", "forbidden-name", 1, 5,
         "'eval' is not allowed. Text is not run as code here; write the expression itself, use "
         "json.loads() or int()/float() to read data, and for a DataFrame df[\"a\"] + 1."},
        {"exec('x = 1')\n", "forbidden-name", 1, 1,
         "'exec' is not allowed. Text is not run as code here; write the code itself."},
        {"v = getattr(node, 'title')\n", "forbidden-name", 1, 5,
         "'getattr' is not allowed. Write obj.name; for names that are data use a dictionary: "
         "d[name]."},
        {"setattr(node, 'title', 1)\n", "forbidden-name", 1, 1,
         "'setattr' is not allowed. Write obj.name = value; for names that are data use a "
         "dictionary."},
        {"globals()['x'] = 1\n", "forbidden-name", 1, 1,
         "'globals' is not allowed. Keep values in a dictionary of your own: d[name]."},
        {"name = input('?')\n", "forbidden-name", 1, 8,
         "'input' is not allowed. Nobody is there to answer; put the value into the program."},
        {"exit()\n", "forbidden-name", 1, 1,
         "'exit' is not allowed. Let the program run to its end, or return from a function."},
        {"print 'hello'\n", "syntax", 1, 1, "print is a function: print(value)."},
        {"for n in nodes\n    print(n)\n", "syntax", 1, 15,
         "A ':' is missing at the end of this line."},
        {"if x == 1\n    print(x)\n", "syntax", 1, 10, "A ':' is missing at the end of this line."},
        {"x = 1\n  y = 2\n", "syntax", 2, 3,
         "This line is indented more than the one before, which opens no block. Indent both "
         "alike."},
        {"for n in nodes:\nprint(n)\n", "syntax", 1, 15,
         "Behind this ':' an indented block must follow. Indent the next lines by four spaces, or "
         "write pass."},
        {"if x:\n        a = 1\n    b = 2\n", "syntax", 3, 5,
         "This line is indented by 4 columns, which matches no block around it (the nearest has "
         "0). Indent it like the other lines of its block."},
        {"if x:\n        a = 1\n\tb = 2\n", "syntax", 3, 2,
         "Tabs and spaces are mixed in this indentation. Indent with spaces only, four a level."},
        {"print(len(nodes)\nx = 1\n", "syntax", 1, 6,
         "This '(' is never closed. Add the missing ')'."},
        {"print(len(nodes)))\n", "syntax", 1, 18,
         "This ')' closes nothing. Delete it, or add the opening bracket."},
        {"x = [1, 2)\n", "syntax", 1, 10,
         "')' cannot close the '[' of line 1. Close that with ']' first."},
        {"print('hello)\n", "syntax", 1, 7,
         "This string is not closed on its line. Close it with ', or use ''' for a text of several "
         "lines."},
        {"x = '''abc\n", "syntax", 1, 5, "This string is never closed. Close it with '''."},
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
         "A field of this f-string lacks its '}'. Write '{{' for the character '{' itself."},
        {"print(f'{x!z}')\n", "syntax", 1, 12,
         "Behind '!' in an f-string stands r, s or a: {name!r}."},
        {"if x = 1:\n    print(x)\n", "syntax", 1, 1,
         "'=' assigns; to compare in this condition write '=='."},
        {"x = [1 2]\n", "syntax", 1, 8,
         "Two values stand side by side here. An operator, a comma or a quotation mark is missing "
         "before this place."},
        {"f(a b)\n", "syntax", 1, 5,
         "Two values stand side by side here. An operator, a comma or a quotation mark is missing "
         "before this place."},
        {"x++\n", "syntax", 1, 2, "Python has no '++'. Write '+= 1'."},
        {"if a && b:\n    pass\n", "syntax", 1, 6, "Python has no '&&'. Write 'and'."},
        {"if !a:\n    pass\n", "syntax", 1, 4,
         "'!' is no operator of Python. Write 'not' before a condition, '!=' between values."},
        {"x = a ? b : c\n", "syntax", 1, 7,
         "'?' is no operator of Python. Write 'A if CONDITION else B'."},
        {"print(\xE2\x80\x9Chello\xE2\x80\x9D)\n", "syntax", 1, 7,
         "The character '\xE2\x80\x9C' (U+201C) cannot stand here: it is no letter, digit or "
         "operator of Python. Write straight quotes: \"."},
        {"```python\nprint(1)\n```\n", "syntax", 1, 1,
         "'`' is no operator of Python. Leave the Markdown code marks away, and send the program "
         "alone."},
        {"x = 1\nreturn x\n", "syntax", 2, 1,
         "'return' stands outside a function. Write print(value) to answer, or put the code into a "
         "function and call it."},
        {"break\n", "syntax", 1, 1,
         "'break' stands outside a loop. Delete it, or put the code into a for or while loop."},
        {"try:\n    x = 1\nexcept ValueError, e:\n    pass\n", "syntax", 3, 1,
         "Put several exceptions in parentheses, and the name behind 'as': except (A, B) as e:"},
        {"try:\n    x = 1\nprint(x)\n", "syntax", 1, 1,
         "This try has neither except nor finally. Add: except Exception as e: print(e)."},
        {"x = 007\n", "syntax", 1, 5,
         "A decimal number has no leading zeros. Drop them, or write 0o17 for an octal number."},
        {"x = 2nd\n", "syntax", 1, 6,
         "A letter follows a number directly. A name begins with a letter or '_'; put an operator "
         "or a space between."},
        {"print(e.__class__.__name__)\n", "dunder", 1, 9,
         "'__class__' is not allowed here. Write type(x), and type(x).__name__ for its name."},
        {"print(n.__dict__)\n", "dunder", 1, 9,
         "'__dict__' is not allowed here. Keep the values in a dictionary, or use "
         "dataclasses.asdict(x)."},
        {"print(f.__name__)\n", "dunder", 1, 9,
         "'__name__' is not allowed here. It is allowed in if __name__ == \"__main__\": and as "
         "type(x).__name__."},
        {"from math import *\n", "import-star", 1, 18,
         "Star imports are not allowed. Name what you need: from math import NAME."},
        {"from .code_helpers import get_nodes\n", "import-not-allowed", 1, 6,
         "Relative imports are not allowed: the program is one file. Name the module: from "
         "code_helpers import get_nodes."},
        {"from math\n", "syntax", 1, 10,
         "This import statement is not complete: write from MODULE import NAME."},
        {"from math import sqrt,\n", "syntax", 1, 23,
         "This import statement is not complete: a name must follow. Delete a comma at the end, or "
         "put the names in parentheses."},
        {"import json\njson.load(f)\n", "module-attribute", 2, 6,
         "json.load is not allowed. It reads a file; json.loads(text) reads text, and the "
         "curriculum comes from get_nodes() and get_node_content()."},
        {"import numpy as np\nnp.load('x.npy')\n", "module-attribute", 2, 4,
         "numpy.load is not allowed. It reads a file; build the array with np.array([...])."},
        {"import networkx as nx\nnx.read_gml('x')\n", "module-attribute", 2, 4,
         "networkx.read_gml is not allowed. It reads a file; analyze_graph() of code_helpers gives "
         "the curriculum as a DiGraph, and add_edges_from(...) builds others."},
        {"import matplotlib.pyplot as plt\n", "import-not-allowed", 1, 8,
         "Import 'matplotlib.pyplot' is not allowed in the current security profile. It needs the "
         "profile visualization."},
        {"import matplotlib.pyplot as plt\nplt.savefig('x.png')\n", "module-attribute", 2, 5,
         "matplotlib.pyplot.savefig is not allowed. Figures that are open at the end are answered "
         "as PNG by themselves; leave the call away."},
        {"import json\nx = json\n", "module-as-value", 2, 5,
         "The module json is used as a value here. Write out what you use of it, such as "
         "json.NAME; if 'json' is a variable of yours, give it another name than the module's."},
        {"import string\nfor string in ['a']:\n    print(string)\n", "module-as-value", 3, 11,
         "The module string is used as a value here. Write out what you use of it, such as "
         "string.NAME; if 'string' is a variable of yours, give it another name than the "
         "module's."},
        {"import math\nmath.pi = 3\n", "module-store", 2, 1,
         "Nothing can be stored on a module or on what belongs to it. Assign to a variable of your "
         "own."},
        {"import math\nmath.squareroot(4)\n", "module-attribute", 2, 6,
         "math.squareroot is not allowed."},
        {"q = 'a > 1'\ndf.query(q)\n", "text-method", 2, 10,
         "The text of query() must be written out in the call: df.query(\"n > @limit\"). Or select "
         "rows with df[df[\"n\"] > limit]."},
        {"df.eval('a+1')\n", "forbidden-attribute", 1, 4,
         "The attribute 'eval' is not allowed. Text is not run as code here; write the expression "
         "itself, use json.loads() or int()/float() to read data, and for a DataFrame df[\"a\"] + "
         "1."},
        {"'{0.__class__}'.format(x)\n", "name-by-text", 1, 1,
         "A format field must not reach for names in double underscores. Format plain values: "
         "\"{}\".format(value), or an f-string."},
        {"def f(a=1, b):\n    pass\n", "syntax", 1, 12,
         "A parameter without a default follows one with a default. Move it before."},
        {"class = 3\n", "syntax", 1, 1,
         "This word is part of the language and cannot be given a value. Choose another name."},
        {"function f(x) {\n}\n", "syntax", 1, 1,
         "This is another language's keyword. In Python write def NAME(...): for a function, and "
         "NAME = VALUE for a variable."},
        {"p = 'C:\\Users\\x'\n", "syntax", 1, 8,
         "\\U wants eight hexadecimal digits. For a backslash write \\\\, or put r before the "
         "string."},
        {"T = type('T', (), {})\n", "forbidden-name", 1, 5,
         "type(...) with more than one argument makes a class from text. Write a class statement."},
        {"x = 1\n\x0C\ny = 2\n", "bytes", 2, 1,
         "U+000C, a form feed, is not allowed in a program. Delete it; inside a string write it as "
         "the escape \\u000c."},
        {"x = 1 # \xE2\x80\xAE\n", "bytes", 1, 9,
         "U+202E, a mark that changes the direction in which text is shown, is not allowed in a "
         "program. Delete it; inside a string write it as the escape \\u202e."},
        {"\xEF\xBB\xBFx = 1\n", "bytes", 1, 1,
         "U+FEFF, a byte order mark, is not allowed in a program. Delete it; inside a string write "
         "it as the escape \\ufeff."},
        {"# coding: latin-1\nx = 1\n", "encoding", 1, 11,
         "The encoding 'latin-1' is not allowed: programs are UTF-8. Delete this comment."},
        {"import subprocess\n", "import-not-allowed", 1, 8,
         "Import 'subprocess' is not allowed in the current security profile. One thread of one "
         "process runs: write it as a plain loop."},
        {"from pathlib import Path\n", "import-not-allowed", 1, 6,
         "Import 'pathlib' is not allowed in the current security profile. Analysis code has no "
         "files, arguments or environment: read the curriculum with get_nodes(), "
         "get_relationships() and get_node_content() of code_helpers, and answer with print(). "
         "session_id is set."},
        {"class A:\n    def __del__(self):\n        pass\n", "dunder", 2, 9,
         "'__del__' is not allowed here. A class may define methods such as __init__, __repr__, "
         "__eq__, __len__, __iter__ and call super().__init__(...); other names in double "
         "underscores are out of reach."},
        {"import logging\n", "import-not-allowed", 1, 8,
         "Import 'logging' is not allowed in the current security profile. Write print(...)."},
        {"from collections import Iterable\n", "import-not-allowed", 1, 25,
         "'Iterable' cannot be imported from collections. Import it from typing or "
         "collections.abc."},
        {"import datetime\nprint(datetime.now())\n", "module-attribute", 2, 16,
         "datetime.now is not allowed. It belongs to the class: from datetime import datetime, or "
         "datetime.datetime.NAME."},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool plot = strstr(rows[i].source, "savefig") != NULL;
        const struct diagnostic *first =
            judge(rows[i].source, strlen(rows[i].source), plot ? "visualization" : "data-science")
                ->diagnostics;

        assert_false(verdict.accepted);
        assert_string_equal(first->code, rows[i].code);
        assert_int_equal(first->line, rows[i].line);
        assert_int_equal(first->column, rows[i].column);
        if (strncmp(first->text, rows[i].text, strlen(rows[i].text)) != 0)
            fail_msg("%s: gave %s", rows[i].source, first->text);
    }
}

/* Programs that reach for what is not theirs, by the families of the design. */
static void test_hostile(void **state)
{
    static const char *const programs[] = {
        "import json, os\n",
        "if 1: import os\n",
        "import \\\n os\n",
        "from os.path import join\n",
        "import _json\n",
        "from code_helpers import sys\n",
        "import json\njson.codecs.open('x')\n",
        "import random\nrandom._os\n",
        "import re\nre.enum.sys\n",
        "import numpy.lib.npyio\n",
        "import numpy as np\nnp.lib.stride_tricks.as_strided(a)\n",
        "import pandas as pd\npd.io.common.os\n",
        "import networkx as nx\nnx.utils.open_file\n",
        "from networkx import lazy_imports\n",
        "import networkx as nx\nnx.algorithms.dag.nx\n",
        "import scipy.stats as st\nst.np\n",
        "import json\nm = json\n",
        "import json\nf(json)\n",
        "import json\n[json]\n",
        "import json\ndef f():\n    return json\n",
        "import json\ndef f(m=json):\n    return m\n",
        "import json\ndef f(json):\n    import json\n    return json\n",
        "import json\ndef f():\n    global json\n    x = json\n",
        "import json\nclass A:\n    json = 1\n    def f(self):\n        return json\n",
        "import json\ndef f():\n    class A:\n        json = 1\n    return json\n",
        "import json\n(lambda json=json: 1)\n",
        "import json\nmatch json:\n    case m: pass\n",
        "import json\nf'{json}'\n",
        "import json\ndef f(): return json.codecs\nfrom math import pi as json\n",
        "import json\n(json\n).codecs\n",
        "import json\nfor json.x in y: pass\n",
        "import json\njson.loads += 1\n",
        "import json\na, json.loads = 1, 2\n",
        "import json\n(json.loads, a) = 1, 2\n",
        "import json\njson.loads: int = 2\n",
        "import json\ndel json.loads\n",
        "import string\nstring.Template.delimiter = '#'\n",
        "x.__class__\n",
        "__builtins__\n",
        "f(__x__=1)\n",
        "def __foo__(): pass\n",
        "class A:\n    __eq__ = f\n",
        "class A:\n    def f(self):\n        def __init__(): pass\n",
        "super().__init__\n",
        "A.__init__(self)\n",
        "__name__ = 1\n",
        "type(x).__name__ = 1\n",
        "f'{x.__class__}'\n",
        "f'{x:{y.__class__}}'\n",
        "\xF0\x9D\x91\x92val('1')\n",
        "x.\xEF\xBC\xBF_class__\n",
        "\xD0\xB5val = 1\n",
        "a.eval = 1\n",
        "def f(open): pass\n",
        "def open(): pass\n",
        "import math as eval\n",
        "from re import compile\n",
        "for open in x: pass\n",
        "x.gi_frame\n",
        "match f:\n    case object(tb_frame=g): pass\n",
        "type('A', (), {})\n",
        "type(*x)\n",
        "'{0.__class__}'.format(1)\n",
        "'{0.\\x5f_class__}'.format(1)\n",
        "'{0.__cla' 'ss__}'.format(1)\n",
        "'{0.__cla' + 'ss__}'.format(1)\n",
        "f'{{0.__class__}}'.format(1)\n",
        "f'{\"{0.__class__}\".format(1)}' 'a'\n",
        "'{:{0.__class__}}'.format(1)\n",
        "'{0.\\N{LOW LINE}_class__}'\n",
        "from operator import attrgetter\nattrgetter('__class__')\n",
        "from operator import attrgetter\nattrgetter(x)\n",
        "from operator import attrgetter\nmap(attrgetter, x)\n",
        "import operator\noperator.methodcaller('to_csv', 'x')\n",
        "df.agg('__class__')\n",
        "df.agg({'a': ['to_pickle']})\n",
        "df.apply(func='__dir__')\n",
        "df.to_csv('x')\n",
        "df.to_csv(path_or_buf='x')\n",
        "df.to_csv(*x)\n",
        "df.to_csv(**x)\n",
        "w = df.to_csv\n",
        "df.pipe((D.to_csv, 's'))\n",
        "df.to_json('x')\n",
        "a.tofile('x')\n",
        "a.dump('x')\n",
        "df.query('@x.y')\n",
        "df.query('a.__class__')\n",
        "df.query(x)\n",
        "df.query('a', local_dict={})\n",
        "df.query('a.to_csv(\"x\")')\n",
        "df.query(expr=x)\n",
        "df.query('@f(1)')\n",
        "from typing import get_type_hints\n",
        "import string\nstring.Formatter()\n",
        "import functools\nfunctools.singledispatch(f)\n",
        "from pandas import *\n",
        "from . import x\n",
        "from ...os import x\n",
        "import matplotlib.pyplot as plt\nplt.savefig('x')\n",
        "# coding: utf-7\n",
        "\n# vim: fileencoding=latin-1\n",
        "x = 1\ry = 2\n",
        "x = '\xC2\x9B'\n",
        "x = '\xE2\x80\xAE'\n",
        "x = 1 # \xE2\x80\xA9 y\n",
        "\xEF\xBB\xBFx = 1\n",
        "x = '\xED\xA0\x80'\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (judge(programs[i], strlen(programs[i]), "data-science")->accepted)
            fail_msg("accepted: %s", programs[i]);
    assert_false(judge("x = 1\0y", 7, "minimal")->accepted);
}

static void test_ordinary(void **state)
{
    static const struct {
        const char *source, *kind;
    } rows[] = {
        {"", "bare"},
        {"print('caf\xC3\xA9')\n", "bare"},
        {"import re\nW = re.compile(r'\\w+')\nprint(W.findall('a b'))\n", "bare"},
        {"from code_helpers import get_nodes\nfor n in get_nodes(session_id):\n    "
         "print(n['title'])\n",
         "bare"},
        {"from code_helpers import analyze_graph\nG = analyze_graph()\n", "data"},
        {"import code_helpers as ch\nG = ch.analyze_graph(session_id)\n", "data"},
        {"from collections.abc import Iterable\nimport collections\ncollections.Counter('ab')\n",
         "bare"},
        {"import pandas as pd\npd.options.display.max_rows = 10\npd.set_option('display.width', "
         "100)\n",
         "data"},
        {"import pandas as pd\ndf = pd.DataFrame({'a': [1]})\nprint(df.to_csv(index=False), "
         "df.to_csv(None), df.to_string())\n",
         "data"},
        {"limit = 3\ndf.query('a > @limit and b == \"x\"')\ndf.query(f'a > {limit}', "
         "engine='python')\n",
         "bare"},
        {"df.agg({'a': 'mean', 'b': ['min', 'max']})\ndf['a'].apply(str.upper)\n", "bare"},
        {"import numpy as np\nm = np.eye(2)\nm[np.newaxis, i] = 1\nprint(np.linalg.norm(m), "
         "np.random.default_rng(1))\n",
         "data"},
        {"import networkx as nx\nfrom networkx.algorithms import "
         "community\nnx.community.louvain_communities(G)\n",
         "data"},
        {"from scipy import stats\nprint(stats.pearsonr(a, b))\n", "data"},
        {"import string\ndef count(string, n=1):\n    return len(string)\n", "bare"},
        {"import time\ndef f():\n    time = 3\n    return time + 1\nf(time=2)\nx.time\n", "bare"},
        {"import statistics\nstatistics = statistics.mean([1])\nprint(statistics)\n", "bare"},
        {"import datetime\nfrom datetime import datetime\nprint(datetime.now())\n", "bare"},
        {"class A(Base):\n    def __init__(self, x):\n        super().__init__(x)\n    if True:\n  "
         "      def __len__(self):\n            return 1\n",
         "bare"},
        {"if __name__ == '__main__':\n    print(type(x).__name__)\n", "bare"},
        {"from operator import attrgetter, itemgetter\nsorted(x, key=attrgetter('a.b', 'c'))\n",
         "bare"},
        {"d = {'__class__': 1, 'open': 2}\nprint(d['eval'] if 'eval' in d else None)\n", "bare"},
        {"x: int | None = None\ndef f(a, b=None, *c, d, **e): return None\n", "bare"},
        {"async def f():\n    async for x in y:\n        break\n    return 1\n", "bare"},
        {"match x:\n    case [a, *b] if a: pass\n    case {'k': v, **r}: pass\nmatch = "
         "1\nprint(match)\n",
         "bare"},
        {"print(f\"{d['k']!r:>{w}} {{literal}} {x=}\")\n", "bare"},
        {"x = [i for i in y if i] if z else lambda: 0\n", "bare"},
        {"try:\n    x = 1\nexcept (A, B) as e:\n    print(e)\nelse:\n    pass\nfinally:\n    "
         "pass\n",
         "bare"},
        {"print('{} {a.b} {0[k]}'.format(1, a=x))\n", "bare"},
        {"# coding: utf-8\n", "bare"},
        {"for x in y:\n    for z in x:\n        continue\n    else:\n        break\n", "bare"},
        {"def f(a, /, b=1, *, c): return a\n", "bare"},
        {"self._cache = {}\nself.__total += 1\n", "bare"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        judge(rows[i].source, strlen(rows[i].source), "data-science");
        if (!verdict.accepted)
            fail_msg("refused: %s: %s", rows[i].source, verdict.diagnostics[0].text);
        assert_string_equal(verdict.kind, rows[i].kind);
    }
}

static void test_profiles(void **state)
{
    static const char plot[] = "import matplotlib.pyplot as plt\nplt.plot([1])\n",
                      data[] = "import pandas\n";

    (void)state;
    assert_null(validator_profile_find("none"));
    assert_false(judge(data, strlen(data), "minimal")->accepted);
    assert_non_null(strstr(verdict.diagnostics[0].text, "It needs the profile data-science."));
    assert_true(judge(data, strlen(data), "data-science")->accepted);
    assert_int_equal(verdict.module_count, 1);
    assert_string_equal(verdict.modules[0], "pandas");
    assert_false(judge(plot, strlen(plot), "data-science")->accepted);
    assert_true(judge(plot, strlen(plot), "visualization")->accepted);
    assert_string_equal(verdict.kind, "plot");
}

/* The tables: sorted, and each profile's list is what the module table says. */
static void test_tables(void **state)
{
    static const char *const names[] = {"minimal", "data-science", "visualization"};

    (void)state;
    for (size_t i = 1; i < policy_module_count; i++)
        assert_true(strcmp(policy_modules[i - 1].name, policy_modules[i].name) < 0);
    for (size_t i = 1; i < policy_name_count; i++)
        assert_true(strcmp(policy_names[i - 1].name, policy_names[i].name) < 0);
    for (size_t i = 1; i < policy_inner_module_count; i++)
        assert_true(strcmp(policy_inner_modules[i - 1], policy_inner_modules[i]) < 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *const *modules = validator_profile_modules(validator_profile_find(names[i]));
        size_t listed = 0, allowed = 0;

        for (; modules[listed]; listed++) {
            const struct policy_module *row =
                policy_module_find(modules[listed], strlen(modules[listed]));

            assert_non_null(row);
            assert_true(row->importable && row->profile <= i);
        }
        for (size_t j = 0; j < policy_module_count; j++)
            allowed += policy_modules[j].importable && policy_modules[j].profile <= i;
        assert_int_equal(listed, allowed);
        assert_true(listed <= VALIDATOR_MODULES_CAP);
    }
}

static void test_explain(void **state)
{
    static const char source[] = "x = '\xC3\xA9\xC3\xA9' + eval('1')\n";
    struct buf BUF_AUTO text = {0};
    struct buf BUF_AUTO line = {0};
    json_auto_t *value = NULL;

    (void)state;
    buf_init(&text, 0);
    buf_init(&line, 0);
    validator_explain(judge(source, strlen(source), "minimal"), source, strlen(source), &text);
    assert_non_null(strstr(text.data, "line 1: 'eval' is not allowed."));
    assert_non_null(
        strstr(text.data, "    x = '\xC3\xA9\xC3\xA9' + eval('1')\n               ^\n"));
    buf_clear(&text);
    for (int i = 0; i < 300; i++)
        buf_adds(&line, "\xC3\xA9");
    buf_adds(&line, " = open\n");
    judge(line.data, line.len, "minimal");
    assert_int_equal(verdict.diagnostics[0].column, 304);
    validator_explain(&verdict, line.data, line.len, &text);
    assert_non_null(strstr(text.data, "    ...\xC3\xA9"));
    assert_non_null(strstr(text.data, " = open\n"));
    assert_true(text.len < 700);
    buf_clear(&text);
    validator_explain_json(&verdict, &text);
    value = json_read(text.data, text.len, "the verdict", NULL);
    assert_non_null(value);
    assert_false(json_is_true(json_object_get(value, "accepted")));
    assert_int_equal(json_array_size(json_object_get(value, "diagnostics")), 1);
    assert_string_equal(json_get_string(value, "kind"), "bare");
}

/* All problems at once, in the program's order, up to the cap. */
static void test_many(void **state)
{
    static const char source[] = "x = eval\nimport os\ny = '{0.__class__}'\nprint 'a'\n";
    struct buf BUF_AUTO text = {0};

    (void)state;
    judge(source, strlen(source), "minimal");
    assert_int_equal(verdict.diagnostic_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(verdict.diagnostics[i].line, i + 1);
    buf_init(&text, 0);
    for (int i = 0; i < 100; i++)
        buf_adds(&text, "open\n");
    judge(text.data, text.len, "minimal");
    assert_int_equal(verdict.diagnostic_count, VALIDATOR_DIAGNOSTICS_CAP);
    assert_int_equal(verdict.diagnostics_left_out, 100 - VALIDATOR_DIAGNOSTICS_CAP);
    buf_clear(&text);
    validator_explain(&verdict, "", 0, &text);
    assert_non_null(strstr(text.data, "... and 80 more problems."));
}

static void test_size(void **state)
{
    struct buf BUF_AUTO text = {0};

    (void)state;
    buf_init(&text, 0);
    while (text.len < VALIDATOR_SOURCE_CAP)
        buf_adds(&text, "x=1\n");
    assert_true(judge(text.data, VALIDATOR_SOURCE_CAP, "minimal")->accepted);
    buf_addc(&text, '\n');
    assert_false(judge(text.data, text.len, "minimal")->accepted);
    assert_string_equal(verdict.diagnostics[0].code, "too-long");
    assert_int_equal(verdict.diagnostics[0].line, 0);
}

static void test_dump(void **state)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *value = NULL;
    json_t *pandas;

    (void)state;
    buf_init(&text, 0);
    validator_dump_policy(&text);
    value = json_read(text.data, text.len, "the policy", NULL);
    assert_non_null(value);
    pandas = json_object_get(json_object_get(value, "modules"), "pandas");
    assert_string_equal(json_get_string(pandas, "kind"), "data");
    assert_true(json_array_size(json_object_get(pandas, "attributes")) > 50);
    assert_int_equal(json_object_size(json_object_get(value, "names")), policy_name_count);
}

/* What the fuzzer found or was led to: no crash, and the verdict's promises hold. */
static void test_regression(void **state)
{
    static char bytes[VALIDATOR_SOURCE_CAP + 2];
    DIR *folder = opendir("tests/fuzz/regression/validator");
    const struct dirent *entry;
    size_t count = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder))) { /* NOLINT(concurrency-mt-unsafe): one thread */
        char path[512];
        FILE *file;
        size_t len;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "tests/fuzz/regression/validator/%s", entry->d_name);
        file = fopen(path, "rb");
        assert_non_null(file);
        len = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        judge(bytes + 1, len - 1, "data-science");
        assert_true(verdict.accepted == (verdict.diagnostic_count == 0));
        count++;
    }
    closedir(folder);
    assert_true(count > 10);
}

struct tally {
    size_t cases, right;
};

/* One corpus: hostile cases of stage "static" should be refused, ordinary ones accepted. */
static struct tally score(const char *path, bool hostile)
{
    FILE *file = fopen(path, "r");
    char *line = malloc(LINE_CAP);
    struct tally tally = {0, 0};

    assert_non_null(file);
    assert_non_null(line);
    while (fgets(line, (int)LINE_CAP, file)) {
        json_auto_t *value = json_loads(line, JSON_ALLOW_NUL, NULL);
        const json_t *code = json_object_get(value, "code");
        const char *stage = json_get_string(value, "stage");

        if (!json_is_string(code) || (hostile && (!stage || strcmp(stage, "static") != 0)))
            continue;
        judge(json_string_value(code), json_string_length(code), json_get_string(value, "profile"));
        tally.cases++;
        tally.right += verdict.accepted != hostile;
        if (!hostile && !verdict.accepted)
            print_message("refused: %s: %s\n", json_get_string(value, "id"),
                          verdict.diagnostics[0].text);
    }
    free(line);
    fclose(file);
    return tally;
}

static void test_corpora(void **state)
{
    const char *shared = getenv("LECTERN_SHARED"); /* NOLINT(concurrency-mt-unsafe): one thread */
    char path[512];
    struct tally hostile, ordinary;

    (void)state;
    snprintf(path, sizeof path, "%s/corpus/malicious.jsonl", shared ? shared : "../shared");
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: no corpora at %s\n", path);
        skip();
    }
    hostile = score(path, true);
    snprintf(path, sizeof path, "%s/corpus/benign.jsonl", shared ? shared : "../shared");
    ordinary = score(path, false);
    print_message("hostile refused %zu/%zu, ordinary accepted %zu/%zu\n", hostile.right,
                  hostile.cases, ordinary.right, ordinary.cases);
    assert_int_equal(ordinary.right, ordinary.cases);
    assert_true(hostile.right * 100 >= hostile.cases * 96);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_ordinary), cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_tables),   cmocka_unit_test(test_explain),
        cmocka_unit_test(test_many),     cmocka_unit_test(test_size),
        cmocka_unit_test(test_dump),     cmocka_unit_test(test_regression),
        cmocka_unit_test(test_corpora),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mistakes that models make, each with the one message it must give: names, attributes and methods.
 */
#include "tests/unit/mistakes.h"

/* Names, attributes and methods that are not there. */
static const struct mistake mistakes_name[] = {
    {"import pandas as pd\npd.DataFrame().to_csv('out.csv')\n", "file-method", 2, 23,
     "to_csv with a path writes a file, and there are none. Leave the path away and print the "
     "text: print(df.to_csv()); give other arguments by keyword."},
    {"df.to_excel('x.xlsx')\n", "forbidden-attribute", 1, 4,
     "The attribute 'to_excel' is not allowed. Analysis code has no files; read with get_nodes() "
     "and the other functions of code_helpers, answer with print()."},
    {"with open('a.txt') as f:\n    print(f.read())\n", "forbidden-name", 1, 6,
     "'open' is not allowed. Analysis code has no files; read with get_nodes() and the other "
     "functions of code_helpers, answer with print()."},
    {"x = eval('1+1')\n", "forbidden-name", 1, 5,
     "'eval' is not allowed. Text is not run as code here; write the expression itself, use "
     "json.loads() or int()/float() to read data, and for a DataFrame df[\"a\"] + 1."},
    {"exec('x = 1')\n", "forbidden-name", 1, 1,
     "'exec' is not allowed. Text is not run as code here; write the code itself."},
    {"v = getattr(node, 'title')\n", "forbidden-name", 1, 5,
     "'getattr' is not allowed. Write obj.name; nodes are dictionaries: node.get(\"title\", "
     "default), and d[name] for any."},
    {"setattr(node, 'title', 1)\n", "forbidden-name", 1, 1,
     "'setattr' is not allowed. Write obj.name = value; for names that are data use a dictionary."},
    {"globals()['x'] = 1\n", "forbidden-name", 1, 1,
     "'globals' is not allowed. Keep values in a dictionary of your own: d[name]."},
    {"name = input('?')\n", "forbidden-name", 1, 8,
     "'input' is not allowed. Nobody is there to answer; put the value into the program."},
    {"exit()\n", "forbidden-name", 1, 1,
     "'exit' is not allowed. Let the program run to its end, or return from a function."},
    {"print(e.__class__.__name__)\n", "dunder", 1, 9,
     "'__class__' is not allowed here. Write type(x), and type(x).__name__ for its name."},
    {"print(n.__dict__)\n", "dunder", 1, 9,
     "'__dict__' is not allowed here. Keep the values in a dictionary, or use "
     "dataclasses.asdict(x)."},
    {"print(f.__name__)\n", "dunder", 1, 9,
     "'__name__' is not allowed here. It is allowed in if __name__ == \"__main__\": and as "
     "type(x).__name__; write a function's name as text."},
    {"q = 'a > 1'\ndf.query(q)\n", "text-method", 2, 10,
     "The text of query() must be written out in the call: df.query(\"n > @limit\"). Or select "
     "rows with df[df[\"n\"] > limit]."},
    {"df.eval('a+1')\n", "forbidden-attribute", 1, 4,
     "The attribute 'eval' is not allowed. Text is not run as code here; write the expression "
     "itself, use json.loads() or int()/float() to read data, and for a DataFrame df[\"a\"] + 1."},
    {"'{0.__class__}'.format(x)\n", "name-by-text", 1, 1,
     "A format field must not reach for names in double underscores. Format plain values: "
     "\"{}\".format(value), or an f-string."},
    {"T = type('T', (), {})\n", "forbidden-name", 1, 5,
     "type(...) with more than one argument makes a class from text. Write a class statement."},
    {"class A:\n    def __del__(self):\n        pass\n", "dunder", 2, 9,
     "'__del__' is not allowed here. A class may define methods such as __init__, __repr__, "
     "__eq__, __len__, __iter__ and call super().__init__(...); other names in double underscores "
     "are out of reach."},
    {"x = raw_input(\"?\")\n", "forbidden-name", 1, 5,
     "'raw_input' is not allowed. Nobody is there to answer; put the value into the program."},
    {"exec \"x = 1\"\n", "forbidden-name", 1, 1,
     "'exec' is not allowed. Text is not run as code here; write the code itself."},
    {"print(\"{0.__class__}\".format(1))\n", "name-by-text", 1, 7,
     "A format field must not reach for names in double underscores. Format plain values: "
     "\"{}\".format(value), or an f-string."},
    {"data = open(\"nodes.json\").read()\n", "forbidden-name", 1, 8,
     "'open' is not allowed. Analysis code has no files; read with get_nodes() and the other "
     "functions of code_helpers, answer with print()."},
    {"import pandas as pd\ndf = pd.DataFrame([])\ndf.to_csv(\"out.csv\", index=False)\n",
     "file-method", 3, 11,
     "to_csv with a path writes a file, and there are none. Leave the path away and print the "
     "text: print(df.to_csv()); give other arguments by keyword."},
    {"df.to_excel(\"x.xlsx\")\n", "forbidden-attribute", 1, 4,
     "The attribute 'to_excel' is not allowed. Analysis code has no files; read with get_nodes() "
     "and the other functions of code_helpers, answer with print()."},
    {"df.to_json(\"x.json\")\n", "file-method", 1, 12,
     "to_json with a path writes a file, and there are none. Leave the path away and print the "
     "text: print(df.to_json()); give other arguments by keyword."},
    {"x = eval(\"1 + 1\")\n", "forbidden-name", 1, 5,
     "'eval' is not allowed. Text is not run as code here; write the expression itself, use "
     "json.loads() or int()/float() to read data, and for a DataFrame df[\"a\"] + 1."},
    {"os = __import__(\"os\")\n", "dunder", 1, 6,
     "'__import__' is not allowed here. Write an import statement."},
    {"print(globals().keys())\n", "forbidden-name", 1, 7,
     "'globals' is not allowed. Keep values in a dictionary of your own: d[name]."},
    {"x = getattr(node, \"title\", None)\n", "forbidden-name", 1, 5,
     "'getattr' is not allowed. Write obj.name; nodes are dictionaries: node.get(\"title\", "
     "default), and d[name] for any."},
    {"setattr(node, \"a\", 1)\n", "forbidden-name", 1, 1,
     "'setattr' is not allowed. Write obj.name = value; for names that are data use a dictionary."},
    {"delattr(node, \"a\")\n", "forbidden-name", 1, 1,
     "'delattr' is not allowed. Write del obj.name."},
    {"print(vars(node))\n", "forbidden-name", 1, 7,
     "'vars' is not allowed. Nodes are dictionaries already: node.items(). For an object of a "
     "class write its attributes out, or use dataclasses.asdict(x)."},
    {"print(dir(node))\n", "forbidden-name", 1, 7,
     "'dir' is not allowed. Print the value itself; what code_helpers offers stands in the tool's "
     "description."},
    {"exit(0)\n", "forbidden-name", 1, 1,
     "'exit' is not allowed. Let the program run to its end, or return from a function."},
    {"help(print)\n", "forbidden-name", 1, 1,
     "'help' is not allowed. Print the value itself; what code_helpers offers stands in the tool's "
     "description."},
    {"breakpoint()\n", "forbidden-name", 1, 1,
     "'breakpoint' is not allowed. There is no debugger; print() what you want to see."},
    {"c = compile(\"1\", \"x\", \"eval\")\n", "forbidden-name", 1, 5,
     "'compile' is not allowed. Text is not run as code here; for regular expressions write "
     "re.compile(...)."},
    {"m = memoryview(b\"a\")\n", "forbidden-name", 1, 5,
     "'memoryview' is not allowed. Raw memory is out of reach; work on the array or the bytes "
     "themselves."},
    {"print(x.__class__.__name__)\n", "dunder", 1, 9,
     "'__class__' is not allowed here. Write type(x), and type(x).__name__ for its name."},
    {"print(x.__dict__)\n", "dunder", 1, 9,
     "'__dict__' is not allowed here. Keep the values in a dictionary, or use "
     "dataclasses.asdict(x)."},
    {"print(__doc__)\n", "dunder", 1, 7, "'__doc__' is not allowed here. Write the text itself."},
    {"print(__file__)\n", "dunder", 1, 7,
     "'__file__' is not allowed here. The program has no file."},
    {"def f():\n    pass\nprint(f.__name__)\n", "dunder", 3, 9,
     "'__name__' is not allowed here. It is allowed in if __name__ == \"__main__\": and as "
     "type(x).__name__; write a function's name as text."},
    {"try:\n    x = 1\nexcept Exception as e:\n    print(type(e).__name__, e.__traceback__)\n",
     "dunder", 4, 31, "'__traceback__' is not allowed here. Print the exception itself: print(e)."},
    {"__all__ = [\"f\"]\n", "dunder", 1, 1,
     "'__all__' is not allowed here. Leave it away; nothing imports this program."},
    {"class A:\n    __slots__ = (\"a\",)\n", "dunder", 2, 5,
     "'__slots__' is not allowed here. Leave it away; it changes nothing here."},
    {"class A:\n    def __getattr__(self, name):\n        return 1\n", "dunder", 2, 9,
     "'__getattr__' is not allowed here. A class may define methods such as __init__, __repr__, "
     "__eq__, __len__, __iter__ and call super().__init__(...); other names in double underscores "
     "are out of reach."},
    {"d.__len__()\n", "dunder", 1, 3,
     "'__len__' is not allowed here. Use the operator or function for it, such as len(x) or x == "
     "y; in a class call super().__init__(...)."},
    {"T = type(\"T\", (), {})\n", "forbidden-name", 1, 5,
     "type(...) with more than one argument makes a class from text. Write a class statement."},
    {"limit = 3\nq = \"n > 3\"\nprint(df.query(q))\n", "text-method", 3, 16,
     "The text of query() must be written out in the call: df.query(\"n > @limit\"). Or select "
     "rows with df[df[\"n\"] > limit]."},
    {"print(df.query(\"@cfg.limit < n\"))\n", "text-method", 1, 16,
     "The text of query() holds an attribute or a call of a variable. Work the value out before "
     "and write @name."},
    {"df.eval(\"c = a + b\")\n", "forbidden-attribute", 1, 4,
     "The attribute 'eval' is not allowed. Text is not run as code here; write the expression "
     "itself, use json.loads() or int()/float() to read data, and for a DataFrame df[\"a\"] + 1."},
    {"from operator import attrgetter\nf = attrgetter(\"__class__\")\n", "name-by-text", 2, 5,
     "attrgetter is only allowed as a call with plain names written out. Write a lambda: "
     "key=lambda x: x.name."},
    {"import operator\nf = operator.methodcaller(name)\n", "name-by-text", 2, 14,
     "methodcaller is only allowed as a call with plain names written out. Write a lambda: lambda "
     "x: x.upper()."},
    {"df.groupby(\"a\").agg(\"to_csv\")\n", "name-by-text", 1, 21,
     "'to_csv' as the name of a method is not allowed here. Give a function: lambda x: ..., or one "
     "of \"sum\", \"mean\", \"count\", \"min\", \"max\"."},
};

/* The same in the profile visualization. */
static const struct mistake mistakes_name_visualization[] = {
    {"import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nfig.savefig(\"x.png\", dpi=150)\n",
     "forbidden-attribute", 3, 5,
     "The attribute 'savefig' is not allowed. Figures that are open at the end are answered as PNG "
     "by themselves; leave the call away."},
};

/* Names that nothing binds. */
static const struct mistake mistakes_unknown[] = {
    {"nodes = get_nodes(session_id)\nprint(len(nodes))\n", "unknown-name", 1, 9,
     "'get_nodes' is not known here. Add at the top: from code_helpers import get_nodes."},
    {"nodes = get_node(session_id)\n", "unknown-name", 1, 9,
     "'get_node' is not known here. Did you mean get_nodes? Add at the top: from code_helpers "
     "import get_nodes."},
    {"from code_helpers import get_nodes\nnodes = get_nodes(session_id)\nfor n in nodes:\n    "
     "print(n[\"title\"], get_node_contents(n[\"id\"]))\n",
     "unknown-name", 4, 23,
     "'get_node_contents' is not known here. Did you mean get_node_content? Add at the top: from "
     "code_helpers import get_node_content."},
    {"from code_helpers import get_nodes\nprint(get_nodes(sessionId))\n", "unknown-name", 2, 17,
     "'sessionId' is not known here. Did you mean session_id? It is set already."},
    {"from code_helpers import get_nodes\nprint(len(get_nodes(SESSION_ID)))\n", "unknown-name", 2,
     21, "'SESSION_ID' is not known here. Did you mean session_id? It is set already."},
    {"nodes = code_helpers.get_nodes(session_id)\n", "unknown-name", 1, 9,
     "'code_helpers' is not known here. Add at the top: import code_helpers."},
    {"print(json.dumps({\"a\": 1}))\n", "unknown-name", 1, 7,
     "'json' is not known here. Add at the top: import json."},
    {"df = pd.DataFrame([])\n", "unknown-name", 1, 6,
     "'pd' is not known here. Add at the top: import pandas as pd."},
    {"x = np.mean([1, 2])\n", "unknown-name", 1, 5,
     "'np' is not known here. Add at the top: import numpy as np."},
    {"c = Counter([1, 2])\nprint(c.most_common(1))\n", "unknown-name", 1, 5,
     "'Counter' is not known here. Add at the top: from collections import Counter."},
    {"d = defaultdict(list)\n", "unknown-name", 1, 5,
     "'defaultdict' is not known here. Add at the top: from collections import defaultdict."},
    {"print(re.findall(r\"a\", \"b\"))\n", "unknown-name", 1, 7,
     "'re' is not known here. Add at the top: import re."},
    {"x = true\nprint(x)\n", "unknown-name", 1, 5, "'true' is not known here. Write True."},
    {"if x is undefined:\n    pass\n", "unknown-name", 1, 9,
     "'undefined' is not known here. Write None."},
    {"console.log(\"a\")\n", "unknown-name", 1, 1,
     "'console' is not known here. Answer with print(value)."},
    {"printf(\"%d\", 3)\n", "unknown-name", 1, 1,
     "'printf' is not known here. Answer with print(value)."},
    {"print(Math.max(1, 2))\n", "unknown-name", 1, 7,
     "'Math' is not known here. Add import math at the top and write math.NAME; max, min, abs and "
     "round are built in."},
    {"print(unicode(\"a\"))\n", "unknown-name", 1, 7, "'unicode' is not known here. Write str."},
    {"for i in xrange(3):\n    print(i)\n", "unknown-name", 1, 10,
     "'xrange' is not known here. Write range."},
    {"for i in x:\n    print(i)\nendfor\n", "unknown-name", 3, 1,
     "'endfor' is not known here. Delete it: a block ends with its indentation."},
    {"x = require(\"fs\")\n", "unknown-name", 1, 5,
     "'require' is not known here. Write import MODULE at the top."},
    {"sys.exit(1)\n", "unknown-name", 1, 1,
     "'sys' is not known here. Analysis code has neither files nor arguments: leave it away, "
     "answer with print()."},
    {"class A:\n    def f(self):\n        return this.x\n", "unknown-name", 3, 16,
     "'this' is not known here. Write self, the first parameter of each method."},
    {"prnt(\"hello\")\n", "unknown-name", 1, 1, "'prnt' is not known here. Did you mean print?"},
    {"pritn(\"hello\")\n", "unknown-name", 1, 1, "'pritn' is not known here. Did you mean print?"},
    {"x = none\n", "unknown-name", 1, 5, "'none' is not known here. Write None."},
    {"x = TRUE\n", "unknown-name", 1, 5, "'TRUE' is not known here. Write True."},
    {"from code_helpers import get_nodes\nprint(getRelationships(session_id))\n", "unknown-name", 2,
     7,
     "'getRelationships' is not known here. Did you mean get_relationships? Add at the top: from "
     "code_helpers import get_relationships."},
    {"nodes = get_all_nodes(session_id)\n", "unknown-name", 1, 9,
     "'get_all_nodes' is not known here. Did you mean get_nodes? Add at the top: from code_helpers "
     "import get_nodes."},
    {"edges = get_edges(session_id)\n", "unknown-name", 1, 9,
     "'get_edges' is not known here. Did you mean get_relationships? Add at the top: from "
     "code_helpers import get_relationships."},
    {"n = parseInt(\"3\")\n", "unknown-name", 1, 5,
     "'parseInt' is not known here. Write int(text)."},
    {"def f(xs: List[str]):\n    return xs\n", "unknown-name", 1, 11,
     "'List' is not known here. Add at the top: from typing import List."},
};

/* The memory of arrays, and charts. */
static const struct mistake mistakes_memory[] = {
    {"import numpy as np\na = np.zeros(3)\na.strides = (8,)\n", "forbidden-attribute", 3, 3,
     "The attribute 'strides' cannot be stored to: it reaches an array's memory. Take slices such "
     "as a[::2], or call a.reshape(...) or np.transpose(a)."},
    {"import numpy as np\na = np.zeros(3)\nfor x, a.data in []: pass\n", "forbidden-attribute", 3,
     10,
     "The attribute 'data' cannot be stored to: it reaches an array's memory. Write a[:] = values, "
     "or "
     "df[\"data\"] = values."},
    {"import numpy as np\na = np.zeros(3)\na.dtype = object\n", "forbidden-attribute", 3, 3,
     "The attribute 'dtype' cannot be stored to: it reaches an array's memory. Write a = "
     "a.astype(dtype)."},
    {"import numpy as np\na = np.zeros(3)\na.flags[\"W\"] = True\n", "forbidden-attribute", 3, 3,
     "The attribute 'flags' holds no items that can be stored: it reaches an array's memory. "
     "Change a copy: b = a.copy()."},
    {"import numpy as np\na = np.zeros(3)\nprint(a.data.cast(\"B\"))\n", "forbidden-attribute", 3,
     14, "The attribute 'cast' is not allowed: it reaches an array's memory."},
    {"import numpy as np\na = np.zeros(3)\nprint(type(a)((1,), object))\n", "forbidden-name", 3, 7,
     "type(x)(...) with more than one argument is only allowed as type(self)(...). Call the class "
     "by its name."},
    {"import numpy as np\nprint(sum(np.zeros(3).tolist(),\n    strides=2))\n", "forbidden-name", 3,
     5, "'strides' is not allowed. Take slices such as a[::2],"},
    {"import numpy as np\nf(1,\n  verify_integrity=False)\n", "forbidden-name", 3, 3,
     "'verify_integrity' is not allowed. Leave it away, or write True."},
    {"import numpy as np\nf(1,\n  fastpath=True)\n", "forbidden-name", 3, 3,
     "'fastpath' is not allowed. Leave it away: values are checked."},
    {"import numpy as np\nfrom functools import wraps\nw = wraps\n", "forbidden-name", 3, 5,
     "'wraps' is only called with functions: wraps(f), update_wrapper(wrapper, f)."},
    {"import numpy as np\nimport pandas as pd\npd.DataFrame().plot()\n", "forbidden-attribute", 3,
     16,
     "The attribute 'plot' is not allowed: charts need the profile visualization. Print a table "
     "instead."},
    {"import numpy as np\nimport io\nio.BytesIO(b\"\").readinto(b\"\")\n", "forbidden-attribute", 3,
     17, "The attribute 'readinto' is not allowed. Raw memory is out of reach; call read()."},
    {"import numpy as np\nclass Grid(np.matrix): pass\n", "forbidden-name", 2, 15,
     "'matrix' is no base of classes: keep the array in an attribute."},
    {"import pandas as pd\npd.DataFrame().to_xml(\n    stylesheet=\"x\")\n", "forbidden-name", 3, 5,
     "'stylesheet' is not allowed. It names a file; leave it away."},
    {"import pandas as pd\npd.DataFrame().to_xarray()\n", "forbidden-attribute", 2, 16,
     "The attribute 'to_xarray' is not allowed. xarray is not installed; print(df)."},
    {"import networkx as nx\nm = nx.to_scipy_sparse_array(nx.Graph())\nm.indices[0] = 9\n",
     "forbidden-attribute", 3, 3,
     "The attribute 'indices' holds no items that can be stored: it reaches an array's memory. "
     "Build a new matrix from its edges."},
};

/* Bytes and encodings. */
static const struct mistake mistakes_bytes[] = {
    {"x = 1\n\x0C\ny = 2\n", "bytes", 2, 1,
     "U+000C, a form feed, is not allowed in a program. Delete it; inside a string write it as the "
     "escape \\u000c."},
    {"x = 1 # \xE2\x80\xAE\n", "bytes", 1, 9,
     "U+202E, a mark that changes the direction in which text is shown, is not allowed in a "
     "program. Delete it; inside a string write it as the escape \\u202e."},
    {"\xEF\xBB\xBFx = 1\n", "bytes", 1, 1,
     "U+FEFF, a byte order mark, is not allowed in a program. Delete it; inside a string write it "
     "as the escape \\ufeff."},
    {"# coding: latin-1\nx = 1\n", "encoding", 1, 11,
     "The encoding 'latin-1' is not allowed: programs are UTF-8. Delete this comment."},
};

static void test_name(void **state)
{
    (void)state;
    check_mistakes(mistakes_name, sizeof mistakes_name / sizeof *mistakes_name, "data-science");
}

static void test_name_visualization(void **state)
{
    (void)state;
    check_mistakes(mistakes_name_visualization,
                   sizeof mistakes_name_visualization / sizeof *mistakes_name_visualization,
                   "visualization");
}

static void test_unknown(void **state)
{
    (void)state;
    check_mistakes(mistakes_unknown, sizeof mistakes_unknown / sizeof *mistakes_unknown,
                   "data-science");
}

static void test_memory(void **state)
{
    (void)state;
    check_mistakes(mistakes_memory, sizeof mistakes_memory / sizeof *mistakes_memory,
                   "data-science");
}

static void test_bytes(void **state)
{
    (void)state;
    check_mistakes(mistakes_bytes, sizeof mistakes_bytes / sizeof *mistakes_bytes, "data-science");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name),    cmocka_unit_test(test_name_visualization),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

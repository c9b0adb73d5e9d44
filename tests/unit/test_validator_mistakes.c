/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mistakes that models make, each with the one message it must give: imports, and what is reached
 * on modules.
 */
#include "tests/unit/mistakes.h"

/* Imports. */
static const struct mistake mistakes_import[] = {
    {"import os\nprint(os.getcwd())\n", "import-not-allowed", 1, 8,
     "Import 'os' is not allowed in the current security profile. Analysis code has no files, "
     "arguments or environment: read the curriculum with get_nodes(), get_relationships() and "
     "get_node_content() of code_helpers, and answer with print(). session_id is set."},
    {"import sys\nsid = sys.argv[1]\n", "import-not-allowed", 1, 8,
     "Import 'sys' is not allowed in the current security profile. Analysis code has no files, "
     "arguments or environment: read the curriculum with get_nodes(), get_relationships() and "
     "get_node_content() of code_helpers, and answer with print(). session_id is set."},
    {"import requests\n", "import-not-allowed", 1, 8,
     "Import 'requests' is not allowed in the current security profile. There is no network: read "
     "the curriculum with get_nodes(), get_relationships() and get_node_content() of "
     "code_helpers."},
    {"from sklearn.cluster import KMeans\n", "import-not-allowed", 1, 6,
     "Import 'sklearn.cluster' is not allowed in the current security profile. It is not "
     "installed. For texts use re and collections.Counter, for figures statistics, in the profile "
     "data-science also numpy, pandas and scipy."},
    {"import colections\n", "import-not-allowed", 1, 8,
     "Import 'colections' is not allowed in the current security profile. Did you mean "
     "'collections'?"},
    {"import code_helper\n", "import-not-allowed", 1, 8,
     "Import 'code_helper' is not allowed in the current security profile. The module with "
     "get_nodes() and the others is code_helpers: from code_helpers import get_nodes."},
    {"from code_helpers import get_node\n", "import-not-allowed", 1, 26,
     "'get_node' cannot be imported from code_helpers. Did you mean 'get_nodes'?"},
    {"from code_helpers import list_everything\n", "import-not-allowed", 1, 26,
     "'list_everything' cannot be imported from code_helpers. It has: get_nodes get_relationships "
     "get_node_content get_all_content analyze_graph query_graph."},
    {"from math import *\n", "import-star", 1, 18,
     "Star imports are not allowed. Name what you need: from math import NAME."},
    {"from .code_helpers import get_nodes\n", "import-not-allowed", 1, 6,
     "Relative imports are not allowed: the program is one file. Name the module: from "
     "code_helpers import get_nodes."},
    {"import matplotlib.pyplot as plt\n", "import-not-allowed", 1, 8,
     "Import 'matplotlib.pyplot' is not allowed in the current security profile. It needs the "
     "profile visualization. Charts are made with import matplotlib.pyplot as plt, in the profile "
     "visualization; a backend is set already."},
    {"import subprocess\n", "import-not-allowed", 1, 8,
     "Import 'subprocess' is not allowed in the current security profile. One thread of one "
     "process runs: write it as a plain loop."},
    {"from pathlib import Path\n", "import-not-allowed", 1, 6,
     "Import 'pathlib' is not allowed in the current security profile. Analysis code has no files, "
     "arguments or environment: read the curriculum with get_nodes(), get_relationships() and "
     "get_node_content() of code_helpers, and answer with print(). session_id is set."},
    {"import logging\n", "import-not-allowed", 1, 8,
     "Import 'logging' is not allowed in the current security profile. Write print(...)."},
    {"from collections import Iterable\n", "import-not-allowed", 1, 25,
     "'Iterable' cannot be imported from collections. Import it from typing or collections.abc."},
    {"from helpers import get_nodes\nnodes = get_nodes(session_id)\nprint(len(nodes))\n",
     "import-not-allowed", 1, 6,
     "Import 'helpers' is not allowed in the current security profile. The module with get_nodes() "
     "and the others is code_helpers: from code_helpers import get_nodes."},
    {"from codeHelpers import get_nodes\nprint(get_nodes(session_id))\n", "import-not-allowed", 1,
     6,
     "Import 'codeHelpers' is not allowed in the current security profile. Did you mean "
     "'code_helpers'?"},
    {"from code_helpers import getNodes\nprint(getNodes(session_id))\n", "import-not-allowed", 1,
     26, "'getNodes' cannot be imported from code_helpers. Did you mean 'get_nodes'?"},
    {"from code_helpers import get_nodes, get_edges\nprint(get_edges(session_id))\n",
     "import-not-allowed", 1, 37,
     "'get_edges' cannot be imported from code_helpers. Did you mean get_relationships?"},
    {"from code_helpers import get_nodes, session_id\nprint(len(get_nodes(session_id)))\n",
     "import-not-allowed", 1, 37,
     "'session_id' cannot be imported from code_helpers. session_id is set already: use it without "
     "an import."},
    {"from IPython.display import display\ndisplay(1)\n", "import-not-allowed", 1, 6,
     "Import 'IPython.display' is not allowed in the current security profile. There is no "
     "notebook: answer with print()."},
    {"import asyncio\nasync def main():\n    print(1)\nasyncio.run(main())\n", "import-not-allowed",
     1, 8,
     "Import 'asyncio' is not allowed in the current security profile. One thread of one process "
     "runs: write it as a plain loop."},
    {"import math.sqrt\n", "import-not-allowed", 1, 8,
     "Import 'math.sqrt' is not allowed in the current security profile. It is no module: write "
     "from math import sqrt."},
    {"import pandas.io.json\n", "import-not-allowed", 1, 8,
     "Import 'pandas.io.json' is not allowed in the current security profile. pandas' readers and "
     "writers are out of reach; use get_nodes(), get_relationships() and get_node_content() of "
     "code_helpers and pd.DataFrame(...)."},
    {"import collections.Counter\n", "import-not-allowed", 1, 8,
     "Import 'collections.Counter' is not allowed in the current security profile. It is no "
     "module: write from collections import Counter."},
    {"import datetime.datetime\n", "import-not-allowed", 1, 8,
     "Import 'datetime.datetime' is not allowed in the current security profile. It is no module: "
     "write from datetime import datetime."},
    {"from numpy import np\n", "import-not-allowed", 1, 19,
     "'np' cannot be imported from numpy. Use the public functions and classes of numpy."},
    {"from pandas.io.json import json_normalize\n", "import-not-allowed", 1, 6,
     "Import 'pandas.io.json' is not allowed in the current security profile. pandas' readers and "
     "writers are out of reach; use get_nodes(), get_relationships() and get_node_content() of "
     "code_helpers and pd.DataFrame(...)."},
    {"from typing import list\n", "import-not-allowed", 1, 20,
     "'list' cannot be imported from typing. Did you mean 'List'?"},
    {"from itertools import pairwise, batched\n", "import-not-allowed", 1, 33,
     "'batched' cannot be imported from itertools. It came with Python 3.12; write [xs[i:i + n] "
     "for i in range(0, len(xs), n)]."},
    {"import matplotlib as mpl\nmpl.use(\"Agg\")\n", "import-not-allowed", 1, 8,
     "Import 'matplotlib' is not allowed in the current security profile. Charts are made with "
     "import matplotlib.pyplot as plt, in the profile visualization; a backend is set already."},
    {"from sqlalchemy import create_engine\n", "import-not-allowed", 1, 6,
     "Import 'sqlalchemy' is not allowed in the current security profile. There is no database: "
     "read the curriculum with get_nodes(), get_relationships() and get_node_content() of "
     "code_helpers."},
    {"import psycopg2\n", "import-not-allowed", 1, 8,
     "Import 'psycopg2' is not allowed in the current security profile. There is no database: read "
     "the curriculum with get_nodes(), get_relationships() and get_node_content() of "
     "code_helpers."},
    {"import yaml\n", "import-not-allowed", 1, 8,
     "Import 'yaml' is not allowed in the current security profile. It is not there. Contents are "
     "text and dictionaries already: use json.loads(text) or re."},
    {"import openai\n", "import-not-allowed", 1, 8,
     "Import 'openai' is not allowed in the current security profile. There is no network: read "
     "the curriculum with get_nodes(), get_relationships() and get_node_content() of "
     "code_helpers."},
    {"from bs4 import BeautifulSoup\n", "import-not-allowed", 1, 6,
     "Import 'bs4' is not allowed in the current security profile. It is not there. Contents are "
     "text and dictionaries already: use json.loads(text) or re."},
    {"from pydantic import BaseModel\n", "import-not-allowed", 1, 6,
     "Import 'pydantic' is not allowed in the current security profile. Write the class with "
     "@dataclass of dataclasses."},
    {"from tqdm import tqdm\n", "import-not-allowed", 1, 6,
     "Import 'tqdm' is not allowed in the current security profile. Nobody watches the progress: "
     "loop over the values themselves."},
    {"import logging\nlogging.basicConfig(filename=\"x.log\")\nlogging.info(\"a\")\n",
     "import-not-allowed", 1, 8,
     "Import 'logging' is not allowed in the current security profile. Write print(...)."},
    {"import traceback\ntry:\n    x = 1\nexcept Exception:\n    traceback.print_exc()\n",
     "import-not-allowed", 1, 8,
     "Import 'traceback' is not allowed in the current security profile. Print the exception: "
     "except Exception as e: print(type(e).__name__, e)."},
    {"from contextlib import suppress\n", "import-not-allowed", 1, 6,
     "Import 'contextlib' is not allowed in the current security profile. Write try: with except "
     "...: pass below it."},
    {"from pprint import pprint\npprint({})\n", "import-not-allowed", 1, 6,
     "Import 'pprint' is not allowed in the current security profile. Print json.dumps(value, "
     "indent=2)."},
    {"import warnings\nwarnings.filterwarnings(\"ignore\")\n", "import-not-allowed", 1, 8,
     "Import 'warnings' is not allowed in the current security profile. Leave it out, and "
     "print(...) the text instead."},
    {"import locale\n", "import-not-allowed", 1, 8,
     "Import 'locale' is not allowed in the current security profile. Write f\"{n:,}\" for "
     "thousands."},
    {"import platform\n", "import-not-allowed", 1, 8,
     "Import 'platform' is not allowed in the current security profile. Python's own workings are "
     "out of reach; write plain functions and classes."},
    {"import uuid\n", "import-not-allowed", 1, 8,
     "Import 'uuid' is not allowed in the current security profile. The curriculum's ids are text "
     "already; use them as they are."},
    {"import hashlib\n", "import-not-allowed", 1, 8,
     "Import 'hashlib' is not allowed in the current security profile. The curriculum's ids are "
     "text already; use them as they are."},
    {"from zoneinfo import ZoneInfo\n", "import-not-allowed", 1, 6,
     "Import 'zoneinfo' is not allowed in the current security profile. Use datetime with "
     "datetime.timezone.utc."},
    {"import Levenshtein\n", "import-not-allowed", 1, 8,
     "Import 'Levenshtein' is not allowed in the current security profile. Compare words with "
     "sets, or count edits with a small function."},
    {"from fuzzywuzzy import fuzz\n", "import-not-allowed", 1, 6,
     "Import 'fuzzywuzzy' is not allowed in the current security profile. Compare words with sets, "
     "or count edits with a small function."},
    {"from abc import ABC, abstractmethod\n", "import-not-allowed", 1, 6,
     "Import 'abc' is not allowed in the current security profile. Write a plain class whose "
     "methods raise NotImplementedError."},
    {"from IPython import get_ipython\n", "import-not-allowed", 1, 6,
     "Import 'IPython' is not allowed in the current security profile. There is no notebook: "
     "answer with print()."},
    {"from code_helpers import *\nprint(get_nodes(session_id))\n", "import-star", 1, 26,
     "Star imports are not allowed. Name what you need: from code_helpers import NAME."},
    {"from . import code_helpers\n", "import-not-allowed", 1, 6,
     "Relative imports are not allowed: the program is one file. Name the module: from "
     "code_helpers import get_nodes."},
};

/* The same in the profile minimal. */
static const struct mistake mistakes_import_minimal[] = {
    {"import pandas as pd\ndf = pd.DataFrame()\n", "import-not-allowed", 1, 8,
     "Import 'pandas' is not allowed in the current security profile. It needs the profile "
     "data-science."},
};

/* The same in the profile visualization. */
static const struct mistake mistakes_import_visualization[] = {
    {"import matplotlib\nmatplotlib.use(\"Agg\")\nimport matplotlib.pyplot as plt\nplt.plot([1])\n",
     "import-not-allowed", 1, 8,
     "Import 'matplotlib' is not allowed in the current security profile. Charts are made with "
     "import matplotlib.pyplot as plt, in the profile visualization; a backend is set already."},
    {"import seaborn as sns\n", "import-not-allowed", 1, 8,
     "Import 'seaborn' is not allowed in the current security profile. It is not installed. Charts "
     "are made with matplotlib.pyplot in the profile visualization; else print tables."},
};

/* What is reached on modules. */
static const struct mistake mistakes_module[] = {
    {"import code_helpers\ncode_helpers.get_relationship()\n", "module-attribute", 2, 14,
     "code_helpers.get_relationship is not allowed. Did you mean code_helpers.get_relationships?"},
    {"import pandas as pd\ndf = pd.read_csv('nodes.csv')\n", "module-attribute", 2, 9,
     "pandas.read_csv is not allowed. There are no files in the sandbox. Read text with "
     "pd.read_csv(io.StringIO(text)), the curriculum with get_nodes(), get_relationships() and "
     "get_node_content() of code_helpers."},
    {"import json\njson.load(f)\n", "module-attribute", 2, 6,
     "json.load is not allowed. It reads a file; json.loads(text) reads text, and the curriculum "
     "comes from get_nodes() and get_node_content()."},
    {"import numpy as np\nnp.load('x.npy')\n", "module-attribute", 2, 4,
     "numpy.load is not allowed. It reads a file; build the array with np.array([...])."},
    {"import networkx as nx\nnx.read_gml('x')\n", "module-attribute", 2, 4,
     "networkx.read_gml is not allowed. It reads a file; analyze_graph() of code_helpers gives the "
     "curriculum as a DiGraph, and add_edges_from(...) builds others."},
    {"import json\nx = json\n", "module-as-value", 2, 5,
     "The module json is used as a value here. Write out what you use of it, such as json.NAME; if "
     "'json' is a variable of yours, give it another name than the module's."},
    {"import string\nfor string in ['a']:\n    print(string)\n", "module-as-value", 3, 11,
     "The module string is used as a value here. Write out what you use of it, such as "
     "string.NAME; if 'string' is a variable of yours, give it another name than the module's."},
    {"import math\nmath.pi = 3\n", "module-store", 2, 1,
     "Nothing can be stored on a module or on what belongs to it. Assign to a variable of your "
     "own."},
    {"import math\nmath.squareroot(4)\n", "module-attribute", 2, 6,
     "math.squareroot is not allowed. It has: acos acosh asin asinh atan atan2 atanh cbrt ceil "
     "comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1 fabs factorial floor fmod "
     "frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 "
     "log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau "
     "trunc ulp."},
    {"import datetime\nprint(datetime.now())\n", "module-attribute", 2, 16,
     "datetime.now is not allowed. It belongs to the class: from datetime import datetime, or "
     "datetime.datetime.NAME."},
    {"import pandas as pd\ndf = pd.read_csv(\"nodes.csv\")\n", "module-attribute", 2, 9,
     "pandas.read_csv is not allowed. There are no files in the sandbox. Read text with "
     "pd.read_csv(io.StringIO(text)), the curriculum with get_nodes(), get_relationships() and "
     "get_node_content() of code_helpers."},
    {"import pandas as pd\ndf = pd.read_json(\"nodes.json\")\n", "module-attribute", 2, 9,
     "pandas.read_json is not allowed. There are no files in the sandbox. Read text with "
     "pd.read_json(io.StringIO(text)), the curriculum with get_nodes(), get_relationships() and "
     "get_node_content() of code_helpers."},
    {"import io\nwith io.open(\"x\") as f: pass\n", "module-attribute", 2, 9,
     "io.open is not allowed. There are no files in the sandbox. Build text with "
     "io.StringIO(text), and bytes with io.BytesIO(data)."},
    {"from io import StringIO, TextIOWrapper\n", "import-not-allowed", 1, 26,
     "'TextIOWrapper' cannot be imported from io. There are no files in the sandbox. Build text "
     "with io.StringIO(text), and bytes with io.BytesIO(data)."},
    {"import io, pandas as pd\npd.read_csv(io.StringIO(\"a\"),\n    engine=1)\n", "file-method", 3,
     5, "'engine' is not allowed where text is read from a buffer. Leave it away."},
    {"import networkx as nx\nnx.draw(nx.path_graph(3))\n", "module-attribute", 2, 4,
     "networkx.draw is not allowed. Charts need the profile visualization; print a table instead."},
    {"import networkx as nx\nnx.GraphMLReader()(path=\"x\")\n", "module-attribute", 2, 4,
     "networkx.GraphMLReader is not allowed. It reads a file;"},
    {"import numpy as np\na = np.frombuffer(b\"ab\", dtype=np.uint8)\n", "module-attribute", 2, 8,
     "numpy.frombuffer is not allowed. It shares raw memory; write np.array(list(data), "
     "dtype=np.uint8)."},
    {"import pandas as pd\nprint(pd.__version__)\n", "module-attribute", 2, 10,
     "pandas.__version__ is not allowed. Leave it away: a module's names in double underscores are "
     "out of reach."},
    {"import numpy as np\nprint(np.__version__)\n", "module-attribute", 2, 10,
     "numpy.__version__ is not allowed. Leave it away: a module's names in double underscores are "
     "out of reach."},
    {"import pandas as pd\nx = pd.np.nan\n", "module-attribute", 2, 8,
     "pandas.np is not allowed. Write import numpy as np, and np.NAME."},
    {"import numpy as np\nx = np.load(\"a.npy\")\n", "module-attribute", 2, 8,
     "numpy.load is not allowed. It reads a file; build the array with np.array([...])."},
    {"import numpy as np\nnp.lib.stride_tricks.sliding_window_view([1], 1)\n", "module-attribute",
     2, 4,
     "numpy.lib is not allowed. numpy's inner modules are out of reach; the public functions are "
     "on np itself."},
    {"import pandas as pd\npd.Dataframe([])\n", "module-attribute", 2, 4,
     "pandas.Dataframe is not allowed. Did you mean pandas.DataFrame?"},
    {"import networkx as nx\nnx.read_gml(\"x\")\n", "module-attribute", 2, 4,
     "networkx.read_gml is not allowed. It reads a file; analyze_graph() of code_helpers gives the "
     "curriculum as a DiGraph, and add_edges_from(...) builds others."},
    {"import networkx as nx\nnx.write_graphml(nx.DiGraph(), \"x\")\n", "module-attribute", 2, 4,
     "networkx.write_graphml is not allowed. It writes a file; print nx.node_link_data(G) or the "
     "edges instead."},
    {"import math\nprint(math.squareroot(4))\n", "module-attribute", 2, 12,
     "math.squareroot is not allowed. It has: acos acosh asin asinh atan atan2 atanh cbrt ceil "
     "comb copysign cos cosh degrees dist e erf erfc exp exp2 expm1 fabs factorial floor fmod "
     "frexp fsum gamma gcd hypot inf isclose isfinite isinf isnan isqrt lcm ldexp lgamma log log10 "
     "log1p log2 modf nan nextafter perm pi pow prod radians remainder sin sinh sqrt tan tanh tau "
     "trunc ulp."},
    {"import math\nprint(math.mean([1]))\n", "module-attribute", 2, 12,
     "math.mean is not allowed. It is in statistics: statistics.mean(xs)."},
    {"import statistics\nprint(statistics.average([1]))\n", "module-attribute", 2, 18,
     "statistics.average is not allowed. Write statistics.mean(xs)."},
    {"import re\nre.match_all(\"a\", \"b\")\n", "module-attribute", 2, 4,
     "re.match_all is not allowed. Write re.findall(pattern, text)."},
    {"import json\nx = json.parse(\"1\")\n", "module-attribute", 2, 10,
     "json.parse is not allowed. Write json.loads(text)."},
    {"import json\nx = json.stringify({})\n", "module-attribute", 2, 10,
     "json.stringify is not allowed. Write json.dumps(value)."},
    {"import random\nrandom.randInt(1, 2)\n", "module-attribute", 2, 8,
     "random.randInt is not allowed. Did you mean random.randint?"},
    {"import itertools\nitertools.flatten([[1]])\n", "module-attribute", 2, 11,
     "itertools.flatten is not allowed. Write itertools.chain.from_iterable(lists)."},
    {"import collections\ncollections.counter([1])\n", "module-attribute", 2, 13,
     "collections.counter is not allowed. Did you mean collections.Counter?"},
    {"import string\nprint(string.letters)\n", "module-attribute", 2, 14,
     "string.letters is not allowed. Did you mean string.ascii_letters?"},
    {"import string\nprint(string.join([\"a\"], \",\"))\n", "module-attribute", 2, 14,
     "string.join is not allowed. Write \", \".join(words)."},
    {"import json\nprint(json)\n", "module-as-value", 2, 7,
     "The module json is used as a value here. Write out what you use of it, such as json.NAME; if "
     "'json' is a variable of yours, give it another name than the module's."},
    {"import numpy as np\nmod = np\n", "module-as-value", 2, 7,
     "The module numpy is used as a value here. Write out what you use of it, such as np.NAME; if "
     "'np' is a variable of yours, give it another name than the module's."},
    {"import time\ntimes = [1]\nfor time in times:\n    print(time)\n", "module-as-value", 4, 11,
     "The module time is used as a value here. Write out what you use of it, such as time.NAME; if "
     "'time' is a variable of yours, give it another name than the module's."},
    {"import math\nmath.tau2 = 3\n", "module-attribute", 2, 6,
     "math.tau2 is not allowed. Did you mean math.tau?"},
    {"import code_helpers\ncode_helpers._request(\"x\")\n", "module-attribute", 2, 14,
     "code_helpers._request is not allowed. Its functions are get_nodes, get_relationships, "
     "get_node_content, get_all_content, analyze_graph and query_graph."},
    {"import code_helpers as ch\nprint(ch.get_nods(session_id))\n", "module-attribute", 2, 10,
     "code_helpers.get_nods is not allowed. Did you mean code_helpers.get_nodes?"},
};

/* The same in the profile visualization. */
static const struct mistake mistakes_module_visualization[] = {
    {"import matplotlib.pyplot as plt\nplt.savefig('x.png')\n", "module-attribute", 2, 5,
     "matplotlib.pyplot.savefig is not allowed. Figures that are open at the end are answered as "
     "PNG by themselves; leave the call away."},
    {"import matplotlib.pyplot as plt\nplt.plot([1])\nplt.savefig(\"x.png\")\nplt.show()\n",
     "module-attribute", 3, 5,
     "matplotlib.pyplot.savefig is not allowed. Figures that are open at the end are answered as "
     "PNG by themselves; leave the call away."},
};

static void test_import(void **state)
{
    (void)state;
    check_mistakes(mistakes_import, sizeof mistakes_import / sizeof *mistakes_import,
                   "data-science");
}

static void test_import_minimal(void **state)
{
    (void)state;
    check_mistakes(mistakes_import_minimal,
                   sizeof mistakes_import_minimal / sizeof *mistakes_import_minimal, "minimal");
}

static void test_import_visualization(void **state)
{
    (void)state;
    check_mistakes(mistakes_import_visualization,
                   sizeof mistakes_import_visualization / sizeof *mistakes_import_visualization,
                   "visualization");
}

static void test_module(void **state)
{
    (void)state;
    check_mistakes(mistakes_module, sizeof mistakes_module / sizeof *mistakes_module,
                   "data-science");
}

static void test_module_visualization(void **state)
{
    (void)state;
    check_mistakes(mistakes_module_visualization,
                   sizeof mistakes_module_visualization / sizeof *mistakes_module_visualization,
                   "visualization");
}

/* Several mistakes in one program: each is told, in the program's order, and nothing else. */
static void test_several(void **state)
{
    static const char source[] = "import os\n"
                                 "from code_helpers import get_node\n"
                                 "if a && b:\n"
                                 "    print \"x\"\n"
                                 "x = “abc”\n"
                                 "y = [“a”, “b”]\n"
                                 "for n in nodes\n"
                                 "    print(n)\n"
                                 "print('it's here')\n"
                                 "z = eval(\"1\")\n"
                                 "try:\n"
                                 "    z = 5px\n"
                                 "  except ValueError:\n"
                                 "    getattr(z, 'a')\n"
                                 "w = [1, 2\n";
    static const size_t lines[] = {1, 2, 3, 4, 5, 7, 9, 10, 12, 13, 14, 15};
    const struct verdict *verdict = check(source, "data-science");

    (void)state;
    assert_int_equal(verdict->diagnostic_count, sizeof lines / sizeof *lines);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_int_equal(verdict->diagnostics[i].line, lines[i]);
}

/* What is left to another place to tell is told in the end, whoever was to tell it. */
static void test_untold(void **state)
{
    static const char *const programs[] = {
        "if x:\n    .foo()\n",        "try:\n    x = 1\ncatch x\n",
        "re.match(a)\ncase 1 2\n",    "exec 'x'\n",
        "x = 1\n\n.foo()\n",          "if x:\n\xC2\xA0\xC2\xA0y = 1\n",
        "x = 1\n  .a()\n  .b()\n",    "  .a()\n",
        "try:\n    x\ncatch E = 3\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (check(programs[i], "data-science")->diagnostic_count != 1)
            fail_msg("%s: gave %zu messages", programs[i],
                     check(programs[i], "data-science")->diagnostic_count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_import_minimal),
        cmocka_unit_test(test_import_visualization),
        cmocka_unit_test(test_module),
        cmocka_unit_test(test_module_visualization),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_untold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

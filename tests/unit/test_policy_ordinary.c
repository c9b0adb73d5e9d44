/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Analyses as they are written for curricula: all are accepted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "validator/validator.h"

static struct verdict verdict;

static const char *const programs[] = {
    /* Buffers, arrays and classes whose attributes are called as theirs */
    "import io\nimport pandas as pd\ntext = "
    "\"a,b\\n1,2\"\nprint(pd.read_csv(io.StringIO(text)).describe())\n",
    "from io import StringIO as S, BytesIO\nimport pandas\ndf = pandas.read_csv(S(\"a;b\"), \";\", "
    "engine=\"python\", parse_dates=[\"a\"])\nprint(pandas.read_json(BytesIO(b\"[]\"), "
    "lines=True).shape)\n",
    "import io\nimport pandas as pd\nbuffer = io.StringIO(\"a\")\nif len(buffer.getvalue()) > 1:\n "
    "   buffer = io.StringIO(\"b\")\ndf = pd.read_table(filepath_or_buffer=buffer, sep=None)\ndel "
    "df\n",
    "import io\nimport pandas as pd\ndef load(text):\n    with io.StringIO(text) as f, "
    "io.BytesIO(b\"\") as g:\n        return pd.read_csv(f), pd.read_csv(g)\nprint(load(\"a\"))\n",
    "from io import StringIO\nimport pandas as pd\nout = StringIO()\npd.DataFrame({\"a\": "
    "[1]}).to_csv(out, index=False)\npd.DataFrame({\"a\": "
    "[1]}).to_json(path_or_buf=out)\nprint(out.getvalue(), file=StringIO())\n",
    "import csv, io\nfor row in csv.DictReader(io.StringIO(\"a,b\")):\n    print(row)\nout = "
    "io.StringIO()\ncsv.writer(out).writerow([1, 2])\nprint(out.getvalue())\n",
    "import numpy as np\na = np.arange(6)\na.shape = (2, 3)\nprint(a.strides, a.dtype, "
    "a.flags.writeable, a.flags[\"OWNDATA\"], a.data, a.T.real)\na.flat[0] = 1\na = "
    "a.astype(object).view()\n",
    "import numpy as np\nclass Point:\n    def __init__(self, data, dtype):\n        self.data = "
    "data\n        self.dtype = dtype\n    def __add__(self, other):\n        return "
    "type(self)(self.data + other.data, dtype=self.dtype)\np = Point(np.zeros(2), \"f8\")\np.data "
    "= [1]\np.data[0] = 2\nprint(type(p)(\"3\"), type(1)(\"3\"))\n",
    "from dataclasses import dataclass\nimport pandas as pd\n@dataclass\nclass Node:\n    data: "
    "list\n    next: object = None\nnode = Node([1])\nnode.data = [2]\nnode.data[0] += "
    "1\nprint(pd.concat([], verify_integrity=True))\n",
    "class Layer:\n    pass\nlayer = Layer()\nlayer.strides = (1, 2)\nlayer.data = "
    "b\"\"\nlayer.flags[\"a\"] = layer.cast(1)\nlayer.plot()\n",
    "import numpy as np\nimport pandas as pd\nmatrix = np.matrix([[1, 2]])\nclass Board(list):\n"
    "    matrix = None\nprint(pd.DataFrame(matrix).to_xml(), pd.Series([1]).rolling(1).mean())\n",
    "import networkx as nx\nm = nx.to_scipy_sparse_array(nx.path_graph(3))\n"
    "print(m.indices, m.indptr[0], m.data.sum())\n",
    "import functools\nclass Memo:\n    def __init__(self, f):\n        "
    "functools.update_wrapper(self, f)\n"
    "        self.f = functools.wraps(f)(lambda x: f(x))\n",
    "import functools\nfrom functools import wraps\ndef logged(f):\n    @wraps(f)\n    def "
    "g(*args):\n        return f(*args)\n    @functools.wraps(g)\n    def h(*args):\n        "
    "return g(*args)\n    return h\n",

    /* Plain python */
    "from code_helpers import get_nodes, get_node_content\n"
    "import re\n"
    "from collections import Counter\n"
    "\n"
    "WORD = re.compile(r\"[A-Za-z']+\")\n"
    "counts = Counter()\n"
    "for node in get_nodes(session_id):\n"
    "    text = get_node_content(node[\"node_id\"]).get(\"text\", \"\")\n"
    "    counts.update(w.lower() for w in WORD.findall(text))\n"
    "for word, n in counts.most_common(20):\n"
    "    print(f\"{word:<20}{n:>6}\")\n",
    "import statistics as st\n"
    "from code_helpers import get_nodes\n"
    "lengths = [len(n[\"title\"]) for n in get_nodes()]\n"
    "print(st.mean(lengths), st.median(lengths), st.pstdev(lengths))\n"
    "print({\"max\": max(lengths), \"quartiles\": st.quantiles(lengths, n=4)})\n",
    "import json\n"
    "from code_helpers import get_nodes\n"
    "nodes = get_nodes()\n"
    "by_type = {}\n"
    "for n in nodes:\n"
    "    by_type.setdefault(n[\"node_type\"], []).append(n[\"title\"])\n"
    "print(json.dumps({k: len(v) for k, v in by_type.items()}, indent=2, sort_keys=True))\n",
    "from dataclasses import dataclass, field, asdict\n"
    "from typing import Optional, List, Dict\n"
    "\n"
    "@dataclass(order=True)\n"
    "class Lesson:\n"
    "    title: str\n"
    "    minutes: int = 0\n"
    "    parts: List[str] = field(default_factory=list)\n"
    "    parent: Optional[\"Lesson\"] = None\n"
    "\n"
    "    def total(self) -> int:\n"
    "        return self.minutes + sum(len(p) for p in self.parts)\n"
    "\n"
    "    def __str__(self):\n"
    "        return f\"{self.title} ({self.total()})\"\n"
    "\n"
    "lessons = [Lesson(\"a\", 3), Lesson(\"b\", 5, [\"x\"])]\n"
    "print(sorted(lessons), [asdict(x) for x in lessons])\n",
    "def main():\n"
    "    from collections import defaultdict\n"
    "    groups = defaultdict(list)\n"
    "    for i in range(10):\n"
    "        groups[i % 3].append(i)\n"
    "    for key in sorted(groups):\n"
    "        print(key, groups[key])\n"
    "\n"
    "if __name__ == \"__main__\":\n"
    "    main()\n",
    "if \"__main__\" == __name__:\n    print(1)\n",
    "x = 1\nif x > 1:\n    pass\nelif __name__ == \"__main__\":\n    print(1)\n",
    "class Stack(list):\n"
    "    def __init__(self, *items, limit=None):\n"
    "        super().__init__(items)\n"
    "        self.limit = limit\n"
    "\n"
    "    def push(self, item):\n"
    "        if self.limit is not None and len(self) >= self.limit:\n"
    "            raise OverflowError(\"full\")\n"
    "        self.append(item)\n"
    "\n"
    "    def __repr__(self):\n"
    "        return f\"{type(self).__name__}({super().__repr__()})\"\n"
    "\n"
    "    def __contains__(self, item):\n"
    "        return super().__contains__(item)\n"
    "\n"
    "s = Stack(1, 2, limit=3)\n"
    "s.push(3)\n"
    "try:\n"
    "    s.push(4)\n"
    "except OverflowError as e:\n"
    "    print(type(e).__name__, e)\n",
    "class Matrix:\n"
    "    def __init__(self, rows):\n"
    "        self._rows = rows\n"
    "\n"
    "    def __getitem__(self, at):\n"
    "        return self._rows[at[0]][at[1]]\n"
    "\n"
    "    def __matmul__(self, other):\n"
    "        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*other._rows)] for r in "
    "self._rows])\n"
    "\n"
    "    def __eq__(self, other):\n"
    "        return self._rows == other._rows\n"
    "\n"
    "    def __hash__(self):\n"
    "        return hash(str(self._rows))\n"
    "\n"
    "    def __len__(self):\n"
    "        return len(self._rows)\n"
    "\n"
    "    def __iter__(self):\n"
    "        return iter(self._rows)\n"
    "\n"
    "print((Matrix([[1, 2], [3, 4]]) @ Matrix([[1, 0], [0, 1]]))[0, 1])\n",
    "import datetime\n"
    "from datetime import datetime\n"
    "print(datetime.now().isoformat())\n"
    "start = datetime(2024, 1, 1)\n"
    "print((datetime.now() - start).days)\n",
    "import datetime as dt\ntoday = dt.date.today()\nprint(today + dt.timedelta(days=7), "
    "dt.datetime.now().strftime(\"%H:%M\"))\n",
    "import time\n"
    "t = time.perf_counter()\n"
    "total = sum(i * i for i in range(1000))\n"
    "print(f\"{time.perf_counter() - t:.3f}s\")\n",
    "import string\n"
    "def clean(text, string=None):\n"
    "    return \"\".join(c for c in text if c not in \"!?\")\n"
    "table = str.maketrans(\"\", \"\", string.punctuation)\n"
    "print(\"a.b\".translate(table))\n",
    "import random\n"
    "random.seed(3)\n"
    "sample = random.sample(range(100), k=5)\n"
    "random.shuffle(sample)\n"
    "print(sample)\n",
    "import itertools, functools, operator\n"
    "pairs = list(itertools.combinations(\"abcd\", 2))\n"
    "print(functools.reduce(operator.mul, [1, 2, 3]), len(pairs))\n"
    "rows = [{\"a\": 1, \"b\": 2}]\n"
    "print(sorted(rows, key=operator.itemgetter(\"a\", \"b\")))\n",
    "from functools import lru_cache, partial, wraps\n"
    "\n"
    "def logged(fn):\n"
    "    @wraps(fn)\n"
    "    def inner(*args, **kwargs):\n"
    "        print(\"call\", args)\n"
    "        return fn(*args, **kwargs)\n"
    "    return inner\n"
    "\n"
    "@logged\n"
    "@lru_cache(maxsize=None)\n"
    "def fib(n):\n"
    "    return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
    "\n"
    "print(partial(fib, 10)())\n",
    "from enum import Enum, auto\n"
    "class Kind(Enum):\n"
    "    UNIT = auto()\n"
    "    LESSON = \"lesson\"\n"
    "\n"
    "    @property\n"
    "    def label(self):\n"
    "        return self.name.title()\n"
    "\n"
    "print([k.label for k in Kind], Kind(\"lesson\"), Kind[\"UNIT\"].value)\n",
    "from collections import namedtuple, OrderedDict, deque, ChainMap\n"
    "Point = namedtuple(\"Point\", [\"x\", \"y\"])\n"
    "p = Point(1, 2)\n"
    "print(p._replace(x=3), p._asdict())\n"
    "match p:\n"
    "    case Point(x=0, y=y):\n"
    "        print(y)\n"
    "    case Point(x, y) if x == y:\n"
    "        print(\"diagonal\")\n"
    "    case _:\n"
    "        print(\"other\")\n",
    "def describe(value):\n"
    "    match value:\n"
    "        case {\"type\": \"text\", \"value\": str(v)}:\n"
    "            return v\n"
    "        case [first, *rest]:\n"
    "            return f\"{first} and {len(rest)}\"\n"
    "        case int() | float():\n"
    "            return \"number\"\n"
    "        case None:\n"
    "            return \"nothing\"\n"
    "    return \"?\"\n"
    "print(describe({\"type\": \"text\", \"value\": \"a\"}), describe([1, 2]))\n",
    "template = \"{name:<10}|{score:>6.2f}\"\n"
    "for name, score in [(\"a\", 1.5), (\"b\", 2)]:\n"
    "    print(template.format(name=name, score=score))\n"
    "print(\"{0[a]} {1.real}\".format({\"a\": 1}, 3))\n",
    "print(\"{\" + \"a\" + \"}\", \"__init__\" + \"x\", {\"__class__\": 1}, \"a.__b__\")\n",
    "def walk(node, depth=0, seen=None):\n"
    "    seen = seen or set()\n"
    "    if node in seen:\n"
    "        return\n"
    "    seen.add(node)\n"
    "    print(\"  \" * depth + str(node))\n"
    "    for child in children.get(node, []):\n"
    "        walk(child, depth + 1, seen)\n"
    "children = {\"a\": [\"b\", \"c\"], \"b\": [\"d\"]}\n"
    "walk(\"a\")\n",
    "text = \"\"\"line one\n"
    "line two\"\"\"\n"
    "lines = [l.strip() for l in text.splitlines() if l.strip()]\n"
    "longest = max(lines, key=len)\n"
    "print(*lines, sep=\"\\n\")\n"
    "print(f\"{longest!r} {len(longest) = }\")\n",
    "from heapq import heappush, heappop\n"
    "from math import inf\n"
    "def dijkstra(graph, start):\n"
    "    dist = {start: 0}\n"
    "    queue = [(0, start)]\n"
    "    while queue:\n"
    "        d, u = heappop(queue)\n"
    "        if d > dist.get(u, inf):\n"
    "            continue\n"
    "        for v, w in graph.get(u, {}).items():\n"
    "            if d + w < dist.get(v, inf):\n"
    "                dist[v] = d + w\n"
    "                heappush(queue, (d + w, v))\n"
    "    return dist\n"
    "print(dijkstra({\"a\": {\"b\": 1}}, \"a\"))\n",
    "import csv\n"
    "class Out:\n"
    "    def write(self, text):\n"
    "        print(text, end=\"\")\n"
    "w = csv.DictWriter(Out(), fieldnames=[\"a\", \"b\"])\n"
    "w.writeheader()\n"
    "w.writerows([{\"a\": 1, \"b\": 2}])\n",
    "try:\n"
    "    x = int(\"a\")\n"
    "except (ValueError, TypeError) as e:\n"
    "    print(\"bad:\", e)\n"
    "else:\n"
    "    print(x)\n"
    "finally:\n"
    "    print(\"done\")\n",
    "import math\n"
    "def entropy(values):\n"
    "    total = sum(values)\n"
    "    return -sum(v / total * math.log2(v / total) for v in values if v)\n"
    "print(round(entropy([1, 2, 3]), 3), math.isclose(0.1 + 0.2, 0.3))\n",
    "from fractions import Fraction\n"
    "from decimal import Decimal, getcontext, ROUND_HALF_UP\n"
    "getcontext().prec = 10\n"
    "print(Fraction(1, 3) + Fraction(1, 6), Decimal(\"1.005\").quantize(Decimal(\"0.01\"), "
    "rounding=ROUND_HALF_UP))\n",
    "import textwrap, unicodedata, bisect, copy, calendar\n"
    "print(textwrap.shorten(\"a b c\", 3), unicodedata.normalize(\"NFC\", \"\303\251\"))\n"
    "xs = [1, 3, 5]\n"
    "bisect.insort(xs, 4)\n"
    "ys = copy.deepcopy(xs)\n"
    "print(ys, calendar.monthrange(2024, 2), calendar.month_name[2])\n",
    "async def gather(items):\n"
    "    async for x in items:\n"
    "        yield x\n"
    "    return\n",
    "squares = {n: n ** 2 for n in range(5)}\n"
    "evens = {n for n in squares if not n % 2}\n"
    "gen = (a + b for a in evens for b in evens if a < b)\n"
    "print(sum(gen), any(n > 3 for n in evens))\n"
    "if (n := len(squares)) > 3:\n"
    "    print(n)\n",
    "def f(a, /, b, *args, c=1, **kwargs):\n"
    "    print(a, b, args, c, kwargs)\n"
    "f(1, 2, 3, c=4, d=5)\n"
    "print(*sorted({\"b\": 1, \"a\": 2}.items(), key=lambda kv: (-kv[1], kv[0])))\n",
    "counter = 0\n"
    "def bump():\n"
    "    global counter\n"
    "    counter += 1\n"
    "def outer():\n"
    "    n = 0\n"
    "    def inner():\n"
    "        nonlocal n\n"
    "        n += 1\n"
    "        return n\n"
    "    return inner\n"
    "bump()\n"
    "print(counter, outer()())\n",
    "self_check = {\"open\": 1, \"eval\": 2, \"to_csv\": 3}\n"
    "for key, value in self_check.items():\n"
    "    print(key, value)\n"
    "obj = {\"a\": 1}\n"
    "env = \"x\"\n"
    "print(obj[\"a\"], env)\n",
    "values = [3, 1, 2]\n"
    "values.sort(key=lambda v: -v)\n"
    "name, *others = values\n"
    "a = b = [0] * 3\n"
    "a[0], b[1] = 1, 2\n"
    "del a[2]\n"
    "assert len(a) == 2, \"length\"\n"
    "print(name, others, a, b, values[::-1], values[-1:])\n",

    "class Tree:\n"
    "    _count = 0\n"
    "    def __init__(self, parent=None):\n"
    "        self._parent, self.__root = parent, parent._root() if parent else self\n"
    "        self._seen: set = set()\n"
    "    def _root(self):\n"
    "        return self.__root\n"
    "    @property\n"
    "    def depth(self):\n"
    "        return 1 + self._parent.depth if self._parent else len(self._seen)\n"
    "print(Tree(Tree())._root().depth, Tree()._count)\n",
    "from collections import namedtuple\n"
    "from enum import Enum\n"
    "P = namedtuple(\"P\", \"a b\", defaults=[1])\n"
    "class Kind(Enum):\n"
    "    A = 1\n"
    "    @classmethod\n"
    "    def _missing_(cls, value):\n"
    "        return cls.A\n"
    "print(P._make([1, 2])._asdict(), P._fields, P._field_defaults, Kind(3)._value_)\n"
    "for _, x in enumerate([P(1)]):\n"
    "    print(_, x._replace(a=2))\n",
    "record = {\"__type__\": \"a\", \"__root__\": None, \"backend\": 1}\n"
    "print(\"{0[obj]} {1.real} {env}\".format({\"obj\": 1}, 2, env=\"{x: y.obj}\"))\n"
    "print('{\"url\": \"http://a.env\"}', \"No __import__ is needed, nor __dict__.\")\n",

    /* Helpers */
    "from code_helpers import get_nodes, get_relationships\n"
    "ids = {n[\"node_id\"] for n in get_nodes(session_id)}\n"
    "dangling = [r for r in get_relationships(session_id) if r[\"to_node_id\"] not in ids]\n"
    "print(len(dangling))\n",
    "import code_helpers\nfor node_id, parts in "
    "code_helpers.get_all_content(session_id).items():\n    print(node_id, len(parts))\n",
    "import code_helpers as ch, json\nnodes = ch.get_nodes()\nprint(json.dumps([n for n in nodes "
    "if not n.get(\"title\")], ensure_ascii=False))\n",

    /* Graphs */
    "from code_helpers import analyze_graph\n"
    "import networkx as nx\n"
    "G = analyze_graph(session_id)\n"
    "print(nx.is_directed_acyclic_graph(G), G.number_of_nodes())\n"
    "for n, r in sorted(nx.pagerank(G).items(), key=lambda x: -x[1])[:5]:\n"
    "    print(n, round(r, 4))\n",
    "import networkx as nx\n"
    "G = nx.DiGraph()\n"
    "G.add_edges_from([(\"a\", \"b\"), (\"b\", \"c\")])\n"
    "G.nodes[\"a\"][\"weight\"] = 3\n"
    "print(list(nx.topological_sort(G)), nx.dag_longest_path(G), list(nx.simple_cycles(G)))\n"
    "try:\n"
    "    print(nx.shortest_path(G, \"c\", \"a\"))\n"
    "except nx.NetworkXNoPath:\n"
    "    print(\"none\")\n"
    "except nx.exception.NodeNotFound as e:\n"
    "    print(e)\n",
    "import networkx as nx\n"
    "from networkx.algorithms import community\n"
    "from networkx.algorithms.community import greedy_modularity_communities\n"
    "G = nx.karate_club_graph()\n"
    "for c in greedy_modularity_communities(G):\n"
    "    print(sorted(c))\n"
    "print(community.modularity(G, community.label_propagation_communities(G)))\n"
    "print(nx.community.louvain_communities(G, seed=1))\n",
    "import networkx as nx\n"
    "G = nx.path_graph(5)\n"
    "centrality = {\"degree\": nx.degree_centrality(G), \"between\": "
    "nx.betweenness_centrality(G)}\n"
    "print(max(centrality[\"degree\"], key=centrality[\"degree\"].get))\n"
    "print(nx.algorithms.bipartite.is_bipartite(G), nx.density(G), "
    "nx.node_link_data(G)[\"nodes\"])\n"
    "components = [len(c) for c in nx.connected_components(G)]\n",
    "import networkx as nx\n"
    "import matplotlib.pyplot as plt\n"
    "fig, ax = plt.subplots(figsize=(8, 4))\n"
    "ax.bar([\"a\", \"b\"], [1, 2])\n"
    "ax.set_title(\"x\")\n"
    "plt.rcParams[\"font.size\"] = 8\n"
    "plt.tight_layout()\n"
    "plt.show()\n",

    /* Tables */
    "import pandas as pd\n"
    "from code_helpers import get_nodes\n"
    "df = pd.DataFrame(get_nodes(session_id))\n"
    "print(df.shape, df.columns.tolist())\n"
    "print(df[\"node_type\"].value_counts().to_string())\n"
    "print(df.groupby(\"node_type\")[\"title\"].agg([\"count\", "
    "\"nunique\"]).sort_values(\"count\", ascending=False))\n",
    "import pandas as pd\n"
    "df = pd.DataFrame({\"a\": [1, 2, 3], \"b\": [\"x\", \"y\", \"x\"]})\n"
    "df[\"c\"] = df[\"a\"].apply(lambda v: v * 2)\n"
    "df.loc[df[\"a\"] > 1, \"d\"] = \"big\"\n"
    "print(df.query(\"a > 1 and b == 'x'\"), df.query(\"a in [1, 2]\"))\n"
    "limit = 2\n"
    "print(df.query(\"a >= @limit\"))\n"
    "print(df.to_csv(index=False))\n"
    "print(df.to_markdown())\n"
    "print(df.to_json(orient=\"records\"))\n",
    "import pandas as pd\n"
    "import numpy as np\n"
    "df = pd.DataFrame({\"t\": pd.date_range(\"2024-01-01\", periods=4), \"v\": np.arange(4.0)})\n"
    "print(df.set_index(\"t\").resample(\"2D\").agg({\"v\": \"sum\"}))\n"
    "print(df.describe().T, df[\"v\"].rolling(2).mean(), df.corr(numeric_only=True))\n"
    "print(pd.pivot_table(df, values=\"v\", index=\"t\", aggfunc=\"mean\"))\n"
    "print(pd.crosstab(df[\"v\"] > 1, df[\"t\"].dt.day))\n"
    "print(np.percentile(df[\"v\"], [25, 75]), df[\"v\"].astype(int).tolist())\n",
    "import pandas as pd\n"
    "pd.set_option(\"display.max_rows\", 50)\n"
    "pd.options.display.width = 120\n"
    "pd.options.mode.chained_assignment = None\n"
    "a = pd.DataFrame({\"k\": [1], \"x\": [2]})\n"
    "b = pd.DataFrame({\"k\": [1], \"y\": [3]})\n"
    "m = a.merge(b, on=\"k\", how=\"left\").rename(columns={\"x\": \"X\"}).drop(columns=[\"y\"])\n"
    "print(pd.concat([a, b], axis=1), m.empty, m.isna().sum())\n",
    "import pandas as pd\n"
    "s = pd.Series([\"Ab\", \"cd\"]).str.lower().str.replace(\"a\", \"b\", regex=False)\n"
    "print(s.map({\"bb\": 1}).fillna(0), s.str.len().max(), s.unique())\n"
    "df = pd.DataFrame({\"a\": [1, 2]})\n"
    "total = df.agg(total=(\"a\", \"sum\"), top=(\"a\", \"max\"))\n"
    "print(total, df.transform(lambda c: c - c.mean()), df.apply(sum), df.pipe(len))\n"
    "for row in df.itertuples(index=False):\n"
    "    print(row.a)\n"
    "for i, row in df.iterrows():\n"
    "    print(i, row[\"a\"])\n",
    "import pandas as pd, numpy as np\n"
    "from scipy import stats\n"
    "from scipy.stats import pearsonr, spearmanr\n"
    "x, y = np.random.default_rng(0).normal(size=(2, 50))\n"
    "r, p = pearsonr(x, y)\n"
    "print(f\"r={r:.2f} p={p:.3f}\", stats.ttest_ind(x, y).pvalue, np.linalg.norm(x))\n"
    "z = (x - x.mean()) / x.std()\n"
    "print(z[:3].round(2), np.where(z > 0, 1, 0).sum())\n",
    "import numpy as np\n"
    "m = np.zeros((3, 3))\n"
    "m[0, 1:] = 1\n"
    "m[m > 0] *= 2\n"
    "print(m.sum(axis=0), np.linalg.eigvals(m), np.argsort(-m, axis=None)[:2], m @ m.T)\n"
    "print(np.histogram([1, 2, 2], bins=2)[0], np.corrcoef([1, 2], [2, 4])[0, 1])\n",
    "from scipy.cluster.hierarchy import linkage, fcluster\n"
    "from scipy.spatial.distance import pdist, squareform\n"
    "from scipy.optimize import minimize\n"
    "import numpy as np\n"
    "X = np.random.rand(5, 2)\n"
    "print(fcluster(linkage(pdist(X)), t=2, criterion=\"maxclust\"))\n"
    "print(minimize(lambda v: (v[0] - 1) ** 2, [0.0]).x)\n",

    "import pandas as pd\n"
    "import numpy as np\n"
    "import matplotlib.pyplot as plt\n"
    "from matplotlib.pyplot import rcParams\n"
    "for option in (\"display.max_rows\", \"display.max_columns\"):\n"
    "    pd.set_option(option, None)\n"
    "pd.set_option(\"max_colwidth\", 40)\n"
    "pd.set_option(\"display.precision\", 2, \"display.expand_frame_repr\", False)\n"
    "with pd.option_context(\"display.max_rows\", 5, \"mode.chained_assignment\", None):\n"
    "    print(pd.DataFrame({\"a\": [1]}))\n"
    "rcParams[\"figure.dpi\"] = 100\n"
    "plt.rcParams.update({\"font.size\": 9, \"axes.grid\": True})\n"
    "plt.rcParams[\"axes.prop_cycle\"] = plt.cycler(color=[\"r\", \"b\"])\n"
    "row = {\"backend\": \"x\", **{\"title\": 1}}\n"
    "colors = plt.rcParams[\"axes.prop_cycle\"].by_key()[\"color\"]\n"
    "pd.Series([1, 2]).plot(kind=\"bar\", color=colors)\n",
    "from numpy import ndarray\n"
    "from typing import Callable, Dict, Tuple\n"
    "import numpy as np\n"
    "def norm(a: np.ndarray, b: ndarray | None = None) -> np.ndarray:\n"
    "    if isinstance(a, (list, np.ndarray)) or isinstance(b, ndarray) or type(a) is ndarray:\n"
    "        return np.asarray(a)\n"
    "    return a\n"
    "def pair(a: Tuple[np.ndarray, int], f: Callable[[np.ndarray], float], k: Dict[str, type]):\n"
    "    return f(a[0])\n"
    "print(np.r_[1:4, 0, 4], np.c_[np.arange(2), np.arange(2)], norm([1]))\n",
    "from typing import TypedDict, List\n"
    "class Row(TypedDict, total=False):\n"
    "    title: str\n"
    "rows: List[Row] = [{\"title\": \"a\"}]\n"
    "print(list(filter(None, [\"query\", \"a\"])), rows)\n",
    "from collections import defaultdict, Counter\n"
    "from datetime import date\n"
    "Counter = Counter()\n"
    "def f(date):\n"
    "    date.x = 1\n"
    "    date[0] = 1\n"
    "groups = defaultdict(list)\n"
    "groups[\"a\"] = [1]\n"
    "class Base:\n"
    "    def __init__(self):\n"
    "        super(Base, self).__init__()\n"
    "        self.date = date.today()\n"
    "Base().date = None\n",

    "from collections import Counter\n"
    "print(Counter(map(type, [1, \"a\"])), \"{} {}\".format(1, 2))\n"
    "for type, n in Counter(\"abc\").items():\n"
    "    print(type, n, [type])\n",
    "import pandas as pd\n"
    "print(pd.Series([1, \"a\"]).apply(type).value_counts(), pd.Series([1]).map(type))\n"
    "def check(value, kind: type = None):\n"
    "    return type(value) == kind or type(value)(value) or isinstance(value, type)\n"
    "class Point:\n"
    "    def __init__(self, x, y, z=0):\n"
    "        self.x, self.y, self.z = x, y, z\n"
    "    def moved(self, by):\n"
    "        return type(self)(self.x + by, self.y, self.z)\n"
    "print(check(1), Point(1, 2).moved(3).x)\n",

    "import pandas as pd, json\n"
    "df = pd.DataFrame({\"gr\303\266\303\237e\": [1.5], \"title\": [\"A b\"], \"t\": [1]})\n"
    "names, limit = [\"a b\"], 2\n"
    "print(df.query(\"gr\303\266\303\237e > 0 and title.str.lower().isin(@names)\"))\n"
    "print(df.query(\"(t < @limit or t == 1.0) and title != 'x. y'\"), df.query(f\"t < "
    "{limit}\"))\n"
    "print(df.query(\"`t` in @names | t.between(1, @limit)\", engine=\"python\"))\n"
    "fields = [\"to_node\", \"query\", \"dump\", \"eval\"]\n"
    "print(df.agg(\"max\"), json.dumps(fields))\n",

    "import dataclasses\n"
    "@dataclasses.dataclass(frozen=True, order=True)\n"
    "class Unit:\n"
    "    title: str\n"
    "    tags: list = dataclasses.field(default_factory=list)\n"
    "print(list(dataclasses.asdict(Unit(\"a\"))), dataclasses.replace(Unit(\"a\"), title=\"b\"))\n",

    /* Statistics */
    "from statistics import mean, median, StatisticsError\n"
    "def safe_mean(values):\n"
    "    try:\n"
    "        return mean(values)\n"
    "    except StatisticsError:\n"
    "        return None\n"
    "print(safe_mean([]), safe_mean([1, 2]), median([1, 2, 3]))\n",
    "import statistics\nstatistics = {\"mean\": statistics.mean([1, "
    "2])}\nprint(statistics[\"mean\"])\n",
    "import statistics\n"
    "def report(values, statistics=None):\n"
    "    statistics = statistics or {}\n"
    "    statistics[\"n\"] = len(values)\n"
    "    return statistics\n"
    "print(report([1]), statistics.mode([1, 1]))\n",
    "import math\n"
    "def area(r, math=math.pi):\n"
    "    return math * r * r\n"
    "print(area(2))\n",
    "import operator\n"
    "time = 3\n"
    "def schedule(time, copy=1, json=None, re=0):\n"
    "    json = json or time\n"
    "    return json + re + copy\n"
    "print(schedule(time, copy=2), operator.add(1, 2))\n",
    "from code_helpers import get_nodes\n"
    "import re\n"
    "def find(re, text):\n"
    "    return re.search(text)\n"
    "print(find(re.compile(\"a\"), \"a\"))\n"
    "class Plan:\n"
    "    time: int = 3\n"
    "    def copy(self):\n"
    "        return Plan()\n"
    "plan = Plan()\n"
    "plan.time = 4\n"
    "plan.json = {\"a\": 1}\n"
    "print(plan.time, plan.copy().time, plan.json[\"a\"])\n",
    "import json\n"
    "import copy\n"
    "for copy in range(2):\n"
    "    pass\n"
    "data = [json.loads(s) for s in ('{\"a\": 1}', \"[]\") if s]\n"
    "print(data)\n",
};

/* Beside what loads matplotlib. */
static const char *const programs_without_charts[] = {
    "import networkx as nx\nprint(nx.spring_layout(nx.path_graph(3), seed=1), "
    "nx.parse_edgelist([\"a b\"]))\n",
    "import pandas as pd\nclass Chart:\n    style = \"plain\"\n    def __init__(self):\n        "
    "self.hist = {}\n    def plot(self):\n        return self.style\nchart = "
    "Chart()\nchart.hist[1] = 2\nprint(chart.plot(), chart.style)\n",
    "import numpy as np\ncounts, edges = np.histogram([1, 2, 2], bins=2)\nprint(counts)\n",
    "import scipy.spatial\nprint(scipy.spatial.ConvexHull([[0, 0], [0, 1], [1, 0]]).volume)\n",
};

static void test_without_charts(void **state)
{
    const size_t count = sizeof programs_without_charts / sizeof *programs_without_charts;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        validator_check(programs_without_charts[i], strlen(programs_without_charts[i]),
                        validator_profile_find("data-science"), &verdict);
        if (!verdict.accepted)
            fail_msg("refused: %s: %s", programs_without_charts[i], verdict.diagnostics[0].text);
    }
}

static void test_ordinary(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        validator_check(programs[i], strlen(programs[i]), validator_profile_find("visualization"),
                        &verdict);
        if (!verdict.accepted)
            fail_msg("refused: %s: %s", programs[i], verdict.diagnostics[0].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ordinary),
        cmocka_unit_test(test_without_charts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

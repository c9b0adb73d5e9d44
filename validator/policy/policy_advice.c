/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to write instead of modules and attributes that are not available.
 */
#include "validator/policy/policy.h"

#define SESSION "use get_nodes(), get_relationships() and get_node_content() of code_helpers"

#define SESSION_SET   "session_id is set already: use it without an import."
#define RELATIONSHIPS "Did you mean get_relationships?"
#define BUILTIN       "It is built in: call it without a module, as in max(xs)."
#define STATISTICS    "It is in statistics: statistics.mean(xs)."

#define DATETIME                                                                                   \
    "It belongs to the class: from datetime import datetime, or datetime.datetime.NAME."

#define READ_GRAPH                                                                                 \
    "It reads a file; analyze_graph() of code_helpers gives the c"                                 \
    "urriculum as a DiGraph, and add_edges_from(...) builds others."
#define WRITE_GRAPH "It writes a file; print nx.node_link_data(G) or the edges instead."
#define SYMPY       "It needs sympy, which is not installed."
#define GRAPHVIZ    "Graphviz is not installed; use nx.spring_layout(G) and the like."

#define NO_FILES "There are no files in the sandbox. "
#define BUFFER   "Build text with io.StringIO(text), and bytes with io.BytesIO(data)."
#define READ_TEXT(function)                                                                        \
    NO_FILES "Read text with pd." function                                                         \
             "(io.StringIO(text)), the curriculum with get_nodes(), "                              \
             "get_relationships() and get_node_content() of code_helpers."
#define CHART "Charts need the profile visualization; print a table instead."

const struct policy_advice policy_attribute_advice[] = {
    {"code_helpers._*", "Its functions are get_nodes, get_relationships, get_node_content, "
                        "get_all_content, analyze_graph, query_graph and find."},
    {"code_helpers.SESSION_ID", SESSION_SET},
    {"code_helpers.get_connections", RELATIONSHIPS},
    {"code_helpers.get_edges", RELATIONSHIPS},
    {"code_helpers.get_links", RELATIONSHIPS},
    {"code_helpers.get_session*", SESSION_SET},
    {"code_helpers.session*", SESSION_SET},
    {"collections.Callable", "Import it from typing or collections.abc."},
    {"collections.Iterable", "Import it from typing or collections.abc."},
    {"collections.Mapping", "Import it from typing or collections.abc."},
    {"dataclasses.Field", "Give a field its default by field(default_factory=list)."},
    {"dataclasses.fields", "Its names are the keys of dataclasses.asdict(x)."},
    {"dataclasses.make_dataclass", "Write the class with @dataclass."},
    {"datetime.fromisoformat", DATETIME},
    {"datetime.now", DATETIME},
    {"datetime.strptime", DATETIME},
    {"datetime.today", DATETIME},
    {"datetime.utcnow", DATETIME},
    {"functools.singledispatch*", "Write if isinstance(x, T): instead."},
    {"io.*", NO_FILES BUFFER},
    {"itertools.batched",
     "It came with Python 3.12; write [xs[i:i + n] for i in range(0, len(xs), n)]."},
    {"itertools.flatten", "Write itertools.chain.from_iterable(lists)."},
    {"json.dump", "It writes to a file; print(json.dumps(value)) instead."},
    {"json.load", "It reads a file; json.loads(text) reads text, and the curriculum comes from "
                  "get_nodes() and get_node_content()."},
    {"json.parse", "Write json.loads(text)."},
    {"json.stringify", "Write json.dumps(value)."},
    {"math.abs", BUILTIN},
    {"math.average", STATISTICS},
    {"math.max", BUILTIN},
    {"math.mean", STATISTICS},
    {"math.median", STATISTICS},
    {"math.min", BUILTIN},
    {"math.round", BUILTIN},
    {"math.std*", STATISTICS},
    {"math.sum", BUILTIN},
    {"matplotlib.pyplot.imread", "It reads a file; there are none."},
    {"matplotlib.pyplot.imsave",
     "It writes a file; figures that are open at the end are answered as PNG by themselves."},
    {"matplotlib.pyplot.rc_context",
     "It can read a file; set plt.rcParams[\"font.size\"] and the like instead."},
    {"matplotlib.pyplot.savefig",
     "Figures that are open at the end are answered as PNG by themselves; leave the call away."},
    {"networkx.GraphML*", READ_GRAPH},
    {"networkx.algorithms.bipartite.read_*", READ_GRAPH},
    {"networkx.algorithms.bipartite.write_*", WRITE_GRAPH},
    {"networkx.bipartite.read_*", READ_GRAPH},
    {"networkx.bipartite.write_*", WRITE_GRAPH},
    {"networkx.algorithms.chromatic_polynomial", SYMPY},
    {"networkx.algorithms.tutte_polynomial", SYMPY},
    {"networkx.chromatic_polynomial", SYMPY},
    {"networkx.from_agraph", GRAPHVIZ},
    {"networkx.from_graph6*", "Build the graph with add_edges_from(...)."},
    {"networkx.from_pydot", GRAPHVIZ},
    {"networkx.generate_graphml", WRITE_GRAPH},
    {"networkx.graphviz_layout", GRAPHVIZ},
    {"networkx.parse_graphml", READ_GRAPH},
    {"networkx.pydot_layout", GRAPHVIZ},
    {"networkx.pygraphviz_layout", GRAPHVIZ},
    {"networkx.read_*", READ_GRAPH},
    {"networkx.test", "The sandbox runs no tests of libraries; call the function itself."},
    {"networkx.to_agraph", GRAPHVIZ},
    {"networkx.to_pydot", GRAPHVIZ},
    {"networkx.tutte_polynomial", SYMPY},
    {"networkx.view_pygraphviz", GRAPHVIZ},
    {"networkx.write_*", WRITE_GRAPH},
    {"numpy.bmat", "It reads names from text; use np.block([[a, b]])."},
    {"numpy.chararray", "Write np.char.array([...])."},
    {"numpy.frombuffer", "It shares raw memory; write np.array(list(data), dtype=np.uint8)."},
    {"numpy.fromfile", "It reads a file; build the array with np.array([...])."},
    {"numpy.genfromtxt", "It reads a file; build the array with np.array([...])."},
    {"numpy.lib*",
     "numpy's inner modules are out of reach; the public functions are on np itself."},
    {"numpy.load*", "It reads a file; build the array with np.array([...])."},
    {"numpy.memmap", "It maps a file; build the array with np.array([...])."},
    {"numpy.save*", "It writes a file; print(a.tolist()) instead."},
    {"numpy.testing*", "Use np.allclose(a, b) or np.array_equal(a, b)."},
    {"operator.call", "Call the function itself."},
    {"pandas.ExcelFile", "It reads a file; use pd.DataFrame(get_nodes())."},
    {"pandas.ExcelWriter", "It writes a file; print(df) instead."},
    {"pandas.HDFStore", "It opens a file; print(df) instead."},
    {"pandas.core*", "pandas' inner modules are out of reach; the public names are on pd itself."},
    {"pandas.eval", "Text is not run as code here; write the expression itself."},
    {"pandas.io*",
     "pandas' readers and writers are out of reach; " SESSION " and pd.DataFrame(...)."},
    {"pandas.np", "Write import numpy as np, and np.NAME."},
    {"pandas.plotting*", "Charts need the profile visualization."},
    {"pandas.read_csv", READ_TEXT("read_csv")},
    {"pandas.read_json", READ_TEXT("read_json")},
    {"pandas.read_table", READ_TEXT("read_table")},
    {"pandas.read_*", READ_TEXT("read_csv")},
    {"pandas.testing*", "Use df1.equals(df2)."},
    {"pandas.to_pickle", "It writes a file; print(df) instead."},
    {"re.find_all", "Write re.findall(pattern, text)."},
    {"re.match_all", "Write re.findall(pattern, text)."},
    {"re.matchall", "Write re.findall(pattern, text)."},
    {"re.replace", "Write re.sub(pattern, new, text)."},
    {"statistics.average", "Write statistics.mean(xs)."},
    {"statistics.std", "Write statistics.stdev(xs)."},
    {"string.Formatter", "Use f-strings or str.format()."},
    {"string.join", "Write \", \".join(words)."},
    {"string.lower", "Write text.lower()."},
    {"string.split", "Write text.split(\",\")."},
    {"string.upper", "Write text.upper()."},
    {"typing.ForwardRef", "Write the type itself."},
    {"typing.get_type_hints", "It runs text as code; write the types out."},
    {NULL, NULL},
};

const struct policy_advice policy_chart_advice[] = {
    {"networkx.draw*", CHART},
    {"scipy.spatial.convex_hull_plot_2d", CHART},
    {"scipy.spatial.delaunay_plot_2d", CHART},
    {"scipy.spatial.voronoi_plot_2d", CHART},
    {NULL, NULL},
};

const char policy_helper_modules[] =
    "string_helpers helpers helper code_helper codehelpers codehelper lectern curriculum "
    "curriculum_helpers graph_helpers tools tool utils api mcp client server session session_id "
    "context";

const struct policy_advice policy_library_advice[] = {
    {"sklearn tensorflow torch keras nltk spacy gensim textblob transformers statsmodels polars "
     "sympy wordcloud",
     "For texts use re and collections.Counter, for figures statistics, in the profile "
     "data-science also numpy, pandas and scipy."},
    {"seaborn plotly bokeh altair graphviz pydot pygraphviz PIL",
     "Charts are made with matplotlib.pyplot in the profile visualization; else print tables."},
    {NULL, NULL},
};

const struct policy_advice policy_import_advice[] = {
    {"os sys pathlib _io shutil glob tempfile posix posixpath ntpath fileinput linecache zipfile "
     "tarfile gzip pickle shelve dbm "
     "marshal mmap configparser argparse optparse getopt click typer dotenv",
     "Analysis code has no files, arguments or environment: read the curriculum with get_nodes(), "
     "get_relationships() and "
     "get_node_content() of code_helpers, and answer with print(). session_id is set."},
    {"sqlite3 sqlalchemy psycopg psycopg2 pymysql mysql pymongo redis neo4j duckdb",
     "There is no database: read the curriculum with get_nodes(), get_relationships() and "
     "get_node_content() of code_helpers."},
    {"requests urllib urllib3 http httpx aiohttp socket ssl ftplib smtplib websocket websockets "
     "openai anthropic langchain boto3 google",
     "There is no network: read the curriculum with get_nodes(), get_relationships() and "
     "get_node_content() of code_helpers."},
    {"subprocess multiprocessing threading concurrent asyncio signal sched queue ctypes cffi "
     "_thread pty resource",
     "One thread of one process runs: write it as a plain loop."},
    {"importlib builtins inspect types gc ast code codeop dis runpy pdb bdb trace timeit "
     "imp pkgutil weakref tokenize symtable platform",
     "Python's own workings are out of reach; write plain functions and classes."},
    {"igraph",
     "For graphs use query_graph() of code_helpers, or networkx with its analyze_graph()."},
    {"matplotlib", "Charts are made with import matplotlib.pyplot as plt, in the profile "
                   "visualization; a backend is set already."},
    {"traceback", "Print the exception: except Exception as e: print(type(e).__name__, e)."},
    {"contextlib", "Write try: with except ...: pass below it."},
    {"abc", "Write a plain class whose methods raise NotImplementedError."},
    {"pydantic attr attrs marshmallow", "Write the class with @dataclass of dataclasses."},
    {"tqdm alive_progress", "Nobody watches the progress: loop over the values themselves."},
    {"IPython ipywidgets notebook", "There is no notebook: answer with print()."},
    {"xml lxml bs4 html yaml toml tomllib",
     "It is not there. Contents are text and dictionaries already: use json.loads(text) or re."},
    {"pytz zoneinfo dateutil tzdata", "Use datetime with datetime.timezone.utc."},
    {"locale", "Write f\"{n:,}\" for thousands."},
    {"get_nodes get_relationships get_node_content get_all_content analyze_graph query_graph find",
     "It is a function: from code_helpers import get_nodes."},
    {"tabulate prettytable rich", "Print tables with f-strings, f\"{name:<20}{n:>5}\", or in the "
                                  "profile data-science df.to_markdown()."},
    {"pprint", "Print json.dumps(value, indent=2)."},
    {"logging loguru", "Write print(...)."},
    {"warnings", "Leave it out, and print(...) the text instead."},
    {"hashlib secrets uuid base64 binascii struct",
     "The curriculum's ids are text already; use them as they are."},
    {"difflib Levenshtein fuzzywuzzy thefuzz rapidfuzz jellyfish",
     "Compare words with sets, or count edits with a small function."},
    {"typing_extensions", "Import the name from typing."},
    {policy_helper_modules,
     "The module with get_nodes() and the others is code_helpers: from code_helpers import "
     "get_nodes."},
    {"numbers", "Write isinstance(x, (int, float))."},
    {"array", "Use a list, or numpy in the profile data-science."},
    {NULL, NULL},
};

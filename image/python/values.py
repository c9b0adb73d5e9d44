# SPDX-License-Identifier: GPL-3.0-or-later
"""The value of a run as text: tables are shortened and show their shape, long lists are cut and show their length. And what print()
shows of a table.

Values are formatted only by their exact type: a subclass belongs to the code, and so do its methods. Objects of libraries are formatted by
their own methods; these may call objects inside, and if that fails, it is an error of the run.
"""
import collections
import sys

CHARS = 32000  # approximately; the interpreter truncates at its own cap
ROWS = 20
COLUMNS = 12
CELL_CHARS = 60
PRINTED_ROWS = 500  # of a longer table both ends; with 20 characters a row it is as long as what a model receives of an output
PRINTED_CELL_CHARS = 200  # a sentence; pandas makes each row as wide as the longest text of the column
NAMES = 30  # columns that are listed, in addition to those shown
ARRAY_ITEMS = 200  # of a larger array only the edges are shown
NODES = EDGES = 10
ATTRIBUTES = 4
DEPTH = 40
SHARE = 3  # a nested value may use all but a third of the remaining room


def number(count, one, many=None):
    return "{:,} {}".format(count, one if count == 1 else many or one + "s")


def clipped(text, limit):
    return text if len(text) <= limit else text[:limit - 3] + "..."


# ---- containers ----

def text_of(value, room):
    """A str, truncated before its repr is made."""
    if len(value) <= room:
        return repr(value)
    return "%r... (%s more)" % (value[:max(room, 0)], number(len(value) - max(room, 0), "character"))


def pieces(value, room, path):
    """The texts of the items of a list, a set or a dict, as many as fit; and the number that are missing."""
    shown, left, items = [], room, value.items() if isinstance(value, dict) else value
    for item in items:
        if left <= 0:
            break
        share = left - left // SHARE if len(value) > 1 else left
        if isinstance(value, dict):
            key = cut(item[0], share, path)
            text = "%s: %s" % (key, cut(item[1], share - len(key), path))
        else:
            text = cut(item, share, path)
        shown.append(text)
        left -= len(text) + 2
    return shown, max(len(value) - len(shown), 0)


def wrapped(value, shown, more):
    kind = type(value)
    if more:
        shown = [*shown, "... (%s more of %s)" % ("{:,}".format(more), "{:,}".format(len(value)))]
    inner = ", ".join(shown)
    if kind is tuple:
        return "(%s,)" % inner if len(value) == 1 else "(%s)" % inner
    if kind is list:
        return "[%s]" % inner
    if kind is frozenset:
        return "frozenset({%s})" % inner if inner else "frozenset()"
    if kind is set:
        return "{%s}" % inner if inner else "set()"
    if kind is collections.Counter:
        return "Counter({%s})" % inner if inner else "Counter()"
    if kind is collections.defaultdict:
        return "defaultdict(%r, {%s})" % (value.default_factory, inner)
    if kind is collections.deque:
        return "deque([%s]%s)" % (inner, "" if value.maxlen is None else ", maxlen=%d" % value.maxlen)
    return "{%s}" % inner


CONTAINERS = (list, tuple, set, frozenset, dict, collections.Counter, collections.defaultdict, collections.deque)
# Compared by identity: a class of the code may have a metaclass that claims to be equal to anything.
CONTAINER_IDS = frozenset(map(id, CONTAINERS))


def cut(value, room, path=()):
    """repr(value), but only as much of a container as fits."""
    kind = type(value)
    if kind is str:
        return text_of(value, room)
    if id(kind) not in CONTAINER_IDS or not value:
        return repr(value)
    if id(value) in path:
        return "..."
    if len(path) >= DEPTH:
        return "... (%s, deeper than is shown)" % number(len(value), "item")
    items = value
    if kind is collections.Counter:
        try:
            items = dict(value.most_common())
        except TypeError:  # counts that cannot be compared keep their order
            items = dict(value)
    shown, more = pieces(items, room, (*path, id(value)))
    return wrapped(value, shown, more)


# ---- tables of the libraries ----

def table(frame, rows, columns):
    head = frame.iloc[:ROWS, :COLUMNS]
    text = head.to_string(max_colwidth=CELL_CHARS)
    missing = []
    if rows > ROWS:
        missing.append(number(rows - ROWS, "row"))
    if columns > COLUMNS:
        names = [clipped(str(name), CELL_CHARS) for name in frame.columns[COLUMNS:COLUMNS + NAMES]]
        rest = columns - COLUMNS - len(names)
        missing.append("%s: %s%s" % (number(columns - COLUMNS, "column"), ", ".join(names),
                                     ", and %d more" % rest if rest > 0 else ""))
    return text + ("\n... and " + ", and ".join(missing) if missing else "")


def print_whole_tables(pandas):
    """By default pandas leaves out columns beyond 80 characters, and all but 10 rows of more than 60: sizes for a terminal."""
    pandas.set_option("display.max_columns", None, "display.expand_frame_repr", False, "display.max_rows", PRINTED_ROWS,
                      "display.min_rows", PRINTED_ROWS, "display.max_colwidth", PRINTED_CELL_CHARS)


def show_frame(frame):
    rows, columns = frame.shape
    return "DataFrame, %s x %s\n%s" % (number(rows, "row"), number(columns, "column"), table(frame, rows, columns))


def show_series(series):
    name = "" if series.name is None else " %s" % clipped(str(series.name), CELL_CHARS)
    text = "Series%s, %s of %s" % (name, number(len(series), "value"), series.dtype)
    if not len(series):
        return text
    lines = table(series.iloc[:ROWS + 1].to_frame(""), len(series), 1).split("\n")
    return "\n".join([text, *lines[1:]])  # without the line of the column's name


def show_array(array):
    numpy = sys.modules["numpy"]
    if array.size <= ARRAY_ITEMS:
        return repr(array)
    text = numpy.array2string(array, threshold=ARRAY_ITEMS, edgeitems=3, max_line_width=100)
    return "array of shape %s, %s\n%s" % (" x ".join(map(str, array.shape)), array.dtype, text)


def attributes_of(attributes):
    if type(attributes) is not dict or not attributes:
        return ""
    shown = ["%s=%s" % (clipped(str(name), CELL_CHARS), clipped(cut(attributes[name], CELL_CHARS), CELL_CHARS))
             for name in list(attributes)[:ATTRIBUTES]]
    more = len(attributes) - len(shown)
    return "  " + ", ".join(shown) + (", and %d more" % more if more else "")


def first(items, most):
    return [item for item, _ in zip(items, range(most))]


def show_graph(graph):
    nodes, edges = graph.number_of_nodes(), graph.number_of_edges()
    lines = ["%s with %s and %s" % (type(graph).__name__, number(nodes, "node"), number(edges, "edge"))]
    for name, attributes in first(graph.nodes(data=True), NODES):
        lines.append("  %s%s" % (clipped(cut(name, CELL_CHARS), CELL_CHARS), attributes_of(attributes)))
    if nodes > NODES:
        lines.append("  ... and %s" % number(nodes - NODES, "more node", "more nodes"))
    arrow = "->" if graph.is_directed() else "-"
    for start, end, attributes in first(graph.edges(data=True), EDGES):
        lines.append("  %s %s %s%s" % (clipped(cut(start, CELL_CHARS), CELL_CHARS), arrow,
                                       clipped(cut(end, CELL_CHARS), CELL_CHARS), attributes_of(attributes)))
    if edges > EDGES:
        lines.append("  ... and %s" % number(edges - EDGES, "more edge", "more edges"))
    return "\n".join(lines)


TABLES = (  # module, type, what shows it
    ("pandas", "DataFrame", show_frame),
    ("pandas", "Series", show_series),
    ("numpy", "ndarray", show_array),
    ("networkx", "Graph", show_graph),
    ("networkx", "DiGraph", show_graph),
    ("networkx", "MultiGraph", show_graph),
    ("networkx", "MultiDiGraph", show_graph),
)


def show(value):
    """The text of a run's value. Raises what the code's __repr__ raises."""
    kind = type(value)
    if kind is str:
        return repr(value)
    if id(kind) in CONTAINER_IDS:
        return cut(value, CHARS)
    for module, name, shower in TABLES:
        library = sys.modules.get(module)
        if library is not None and kind is getattr(library, name, None):
            return shower(value)
    return repr(value)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks arrays that compiled functions of libraries trust: those with which they index memory without looking at the bounds.

A program can change such an array after its library has checked it. So the check is made where the compiled function is called, when all
arguments are plain arrays and numbers, and nothing of the program runs until the function returns. An object that keeps such arrays for later
calls hands out copies (COPIED). close() is called whenever modules were loaded.
"""
import functools
import gc
import operator
import re
import sys
import types

# The arguments of a function, one word each; m, n, ... name sizes, and sizes may be products and sums ("A*R*C+B"). A trailing "..." leaves
# the rest alone.
#   m        a number that is not negative
#   i<=m     a number from -1 to m
#   A/m      row pointers of m rows: from 0 upwards; A is then the last of them, A# the number of rows. "A/": of any number of rows
#   A<n      an array of which the first A items are indices below n; "A~n": or negative ones from -n on
#   =A*n     an array of at least so many items; "X=": of any number, which is then X
#   _        a number or an array
ROWS, COLUMNS = "A/m A<n", "A/n A<m"  # csr, csc
BLOCKS = "m n R C A/m A<n =A*R*C"
SPARSE = {
    "%s_matvec": "m n {0} =A =n =m", "%s_matvecs": "m n v {0} =A =n*v =m*v", "%s_diagonal": "_ m n {0} =A _",
    "csr_matmat_maxnnz": "m n A/m A<B# B/ B<n", "csr_matmat": "m n A/m A<B# =A B/ B<n =B =m+1 _ _",
    "csc_matmat_maxnnz": "m n A/ A<m B/n B<A#", "csc_matmat": "m n A/ A<m =A B/n B<A# =B =n+1 _ _",
    "csr_tocsc": "m n A/m A<n =A =n+1 =A =A", "csc_tocsr": "m n A/n A<m =A =m+1 =A =A",
    "csr_tobsr": "m n R C A/m A<n =A _ _ _", "csr_count_blocks": "m n R C A/m A<n", "csr_todense": "m n A/m A<n =A =m*n",
    "csr_sort_indices": "m A/m =A =A", "csr_eliminate_zeros": "m n A/m =A =A", "csr_sum_duplicates": "m n A/m =A =A",
    "csr_has_sorted_indices": "m A/m =A", "csr_has_canonical_format": "m A/m =A", "expandptr": "m A/m =A",
    "csr_scale_rows": "m n A/m A<n =A =m", "csr_scale_columns": "m n A/m A<n =A =n",
    "get_csr_submatrix": "m n A/m A<n =A i<=m j<=m k<=n l<=n", "csr_row_index": "m m<A# A/ =A =A _ _",
    "csr_row_slice": "i<=A# j<=A# _ A/ =A =A _ _", "csr_column_index1": "k k<n m n A/m A<n =n =m+1",
    "csr_column_index2": "_ O= z z<O =z _ _", "csr_sample_values": "m n A/m A<n =A k k~m k~n =k",
    "csr_sample_offsets": "m n A/m A<n k k~m k~n =k", "cs_graph_components": "m A/m A<m =m",
    "coo_tocsr": "m n z z<m z<n =z =m+1 =z =z", "coo_todense": "m n z z<m z<n =z =m*n _", "coo_matvec": "z z<Y z<X =z X= Y=",
    "dia_matvec": "m n d L =d =d*L =n =m",
    "bsr_diagonal": "_ " + BLOCKS + " _", "bsr_tocsr": BLOCKS + " =m*R+1 =A*R*C =A*R*C", "bsr_scale_rows": BLOCKS + " =m*R",
    "bsr_scale_columns": BLOCKS + " =n*C", "bsr_sort_indices": BLOCKS, "bsr_transpose": BLOCKS + " =n+1 =A =A*R*C",
    "bsr_matvec": BLOCKS + " =n*C =m*R", "bsr_matvecs": "m n v R C A/m A<n =A*R*C =n*C*v =m*R*v",
    "bsr_matmat": "_ m n R C N A/m A<B# =A*R*N B/ B<n =B*N*C =m+1 _ _",
}
OPERATORS = ("eldiv", "elmul", "ge", "gt", "le", "lt", "maximum", "minimum", "minus", "ne", "plus")
SIZES = {
    "csr": "m n A/m A<n =A B/m B<n =B =m+1 =A+B =A+B", "csc": "m n A/n A<m =A B/n B<m =B =n+1 =A+B =A+B",
    "bsr": BLOCKS + " B/m B<n =B*R*C =m+1 =A+B =A*R*C+B*R*C",
}


def sparse_words():
    """{function of scipy.sparse._sparsetools: words}."""
    found = {}
    for name, words in SPARSE.items():
        if "%s" in name:
            found["csr" + name[2:]], found["csc" + name[2:]] = words.format(ROWS), words.format(COLUMNS)
        else:
            found[name] = words
    for kind, words in SIZES.items():
        found.update(("%s_%s_%s" % (kind, name, kind), words) for name in OPERATORS)
    return found


def refuse(what):
    raise PermissionError("%s (rule: index-array)" % what)


# ---- words ----

WORD = re.compile(r"(?P<name>\w+)?(?:(?P<kind><=|[/<~=])(?P<bound>[\w#*+]*))?")
ORDER = ("any", "number", "free", "/", "<=", "<", "~", "=")  # code of the program may convert numbers, so they come first; then names


def read_words(text):
    """[(kind, place, name, bound as sum of products)], so that each name comes before its use."""
    plan = []
    for place, word in enumerate(text.split()):
        found = WORD.fullmatch(word)
        kind = "any" if word == "_" else found["kind"] or "number"
        if kind == "=" and not found["bound"]:
            kind = "free"
        plan.append((kind, place, found["name"], tuple(tuple(part.split("*")) for part in (found["bound"] or "").split("+") if part)))
    return sorted(plan, key=lambda row: (ORDER.index(row[0]), row[1]))


def size_of(bound, names):
    total = 0
    for factors in bound:
        product = 1
        for factor in factors:
            product *= int(factor) if factor.isdigit() else names[factor]
        total += product
    return total


def read_pointers(array, rows, name, names):
    if rows is None:
        rows = max(array.size - 1, 0)
    if array.size < rows + 1 or array.dtype.kind not in "iu":
        refuse("row pointers do not fit the rows")
    part = array.ravel()[:rows + 1]
    if part[0] != 0 or (part[1:] < part[:-1]).any():
        refuse("row pointers do not ascend from 0")
    names[name], names[name + "#"] = int(part[-1]), rows


def check_indices(array, count, bound, lowest):
    if array.size < count or array.dtype.kind not in "iu":
        refuse("there are fewer indices than there should be")
    part = array.ravel()[:count]
    if count and (part.min() < lowest or part.max() >= bound):
        refuse("an index leads out of its array")


def check_words(plan, args, asarray, array_type):
    """The arguments, as plain numbers and arrays; or an exception. All are converted first, because that may run code of the program."""
    def plain(one):
        return operator.index(one) if hasattr(one, "__index__") and not isinstance(one, array_type) else asarray(one)

    names, args = {}, [*map(plain, args[:len(plan)]), *args[len(plan):]]
    for kind, place, name, bound in plan:
        if kind == "any":
            continue
        if kind in ("number", "<="):
            names[name] = operator.index(args[place])  # an array is refused
            if not (0 <= names[name] if kind == "number" else -1 <= names[name] <= size_of(bound, names)):
                refuse("a size is out of range")
            continue
        array = asarray(args[place])
        if kind == "free":
            names[name] = array.size
        elif kind == "/":
            read_pointers(array, size_of(bound, names) if bound else None, name, names)
        elif kind == "=":
            if array.size < size_of(bound, names):
                refuse("an array is too short")
        else:
            limit = size_of(bound, names)
            check_indices(array, names[name], limit, -limit if kind == "~" else 0)
    return args


# ---- functions with checks of their own ----

def check_hstack(args, asarray):
    """csr_hstack(blocks, rows, columns of each, pointers, indices, data, ...): one matrix after the other."""
    blocks, rows = operator.index(args[0]), operator.index(args[1])
    columns, pointers, indices = (asarray(one) for one in args[2:5])
    start = 0
    for block in range(blocks):
        names = {}
        read_pointers(pointers[block * (rows + 1):(block + 1) * (rows + 1)], rows, "A", names)
        check_indices(indices[start:], names["A"], int(columns[block]), 0)
        start += names["A"]
    if asarray(args[5]).size < start:
        refuse("an array is too short")
    return (blocks, rows, columns, pointers, indices, *args[5:])


def check_linkage(args, asarray):
    """The tree of a hierarchical clustering: each row joins two clusters from before it."""
    tree = asarray(args[0])
    if tree.ndim != 2 or tree.shape[1] < 3:
        refuse("a linkage has three or four columns")
    count = tree.shape[0] + 1
    for row in range(count - 1):
        if not (0 <= tree[row, 0] < count + row and 0 <= tree[row, 1] < count + row):
            refuse("a linkage joins a cluster that is not there")
    if tree.shape[1] > 3 and not ((tree[:, 3] >= 0) & (tree[:, 3] <= count)).all():
        refuse("a linkage counts more members than there are")
    return (tree, *args[1:])


def check_spline(args, asarray):
    """evaluate_spline(knots, coefficients, degree, x, derivative, extrapolate, out)"""
    degree, derivative, extrapolate = operator.index(args[2]), operator.index(args[4]), bool(args[5])
    knots, weights, points, out = (asarray(args[place]) for place in (0, 1, 3, 6))
    if not 0 <= degree < knots.size or weights.ndim != 2 or weights.shape[0] < knots.size - degree - 1 or knots.size < 2 * degree + 2 or (
            out.ndim != 2 or out.shape[0] < points.size or out.shape[1] != weights.shape[1]):
        refuse("the coefficients of a spline do not fit its knots")
    return (knots, weights, degree, points, derivative, extrapolate, out)


def check_fitpack(args, asarray):
    """_spl_(x, derivative, knots, coefficients, degree, extrapolate)"""
    derivative, degree, extrapolate = (operator.index(args[place]) for place in (1, 4, 5))
    points, knots, weights = (asarray(args[place], "d") for place in (0, 2, 3))
    check_knots(weights.size, (knots, degree))
    return (points, derivative, knots, weights, degree, extrapolate)


def check_knots(have, *axes):
    need = 1
    for knots, degree in axes:
        if not 0 <= degree <= 5 or knots.ndim != 1 or knots.size < 2 * degree + 2:
            refuse("a spline has too few knots")
        need *= knots.size - degree - 1
    if have < need:
        refuse("the coefficients of a spline do not fit its knots")


def check_surface(args, asarray):
    """_bispev(knots of x, of y, coefficients, degree of x, of y, ...)"""
    degrees, derivatives = tuple(map(operator.index, args[3:5])), tuple(map(operator.index, args[7:9]))
    first, second, weights, xs, ys = (asarray(args[place], "d") for place in (0, 1, 2, 5, 6))
    check_knots(weights.size, (first, degrees[0]), (second, degrees[1]))
    return (first, second, weights, *degrees, xs, ys, *derivatives)


def check_grid(args, asarray):
    """evaluate_linear_2d(values, indices, distances, grid, out)"""
    values, indices, grid = asarray(args[0]), asarray(args[1]), tuple(asarray(one) for one in args[3])
    if values.ndim != 2 or indices.ndim != 2 or len(grid) != 2 or values.shape != tuple(one.size for one in grid):
        refuse("the values do not fit the grid")
    for row, axis in zip(indices, grid):
        check_indices(row, row.size, max(axis.size - 1, 1), -1)
    return (values, indices, args[2], grid, args[4])


def check_regions(args, asarray):
    """sort_vertices_of_regions(triangles, [the triangles around a point])"""
    if type(args[1]) is not list or any(type(region) is not list for region in args[1]):
        refuse("a region is not a list")
    triangles, regions = asarray(args[0]), [[operator.index(one) for one in region] for region in args[1]]
    if any(not 0 <= one < triangles.shape[0] for region in regions for one in region):
        refuse("a region names a triangle that is not there")
    args[1][:] = regions  # they are sorted in place
    return (triangles, [*regions])


def check_solver(args, asarray):
    """lu_solve((factors, pivots), ...)"""
    factors, pivots = args[0]
    factors, pivots = asarray(factors), asarray(pivots).astype("i8")
    if factors.ndim != 2 or pivots.ndim != 1 or pivots.size != factors.shape[0]:
        refuse("the pivots do not fit the matrix")
    check_indices(pivots, pivots.size, factors.shape[0], 0)
    return ((factors, pivots), *args[1:])


# {module: {function: words or a check}}
CHECKED = {
    "scipy.sparse._sparsetools": {**sparse_words(), "csr_hstack": check_hstack},
    "scipy.sparse.linalg._dsolve._superlu": {"gssv": "n z =A A<n A/n", "gstrf": "n z =A A<n A/n"},
    "scipy.cluster._hierarchy": dict.fromkeys((
        "calculate_cluster_sizes", "cluster_dist", "cluster_in", "cluster_maxclust_dist", "cluster_maxclust_monocrit", "cluster_monocrit",
        "cophenetic_distances", "get_max_Rfield_for_each_cluster", "get_max_dist_for_each_cluster", "inconsistent", "leaders", "prelist",
    ), check_linkage),
    "scipy.interpolate._bspl": {"evaluate_spline": check_spline},
    "scipy.interpolate._fitpack": {"_spl_": check_fitpack, "_bispev": check_surface},
    "scipy.interpolate._rgi_cython": {"evaluate_linear_2d": check_grid},
    "scipy.spatial._voronoi": {"sort_vertices_of_regions": check_regions},
    "scipy.linalg._decomp_lu": {"lu_solve": check_solver},
}

# Modules whose functions take sparse matrices, and the words for the arrays of one.
GRAPHS = frozenset("scipy.sparse.csgraph._" + name for name in (
    "flow", "matching", "min_spanning_tree", "reordering", "shortest_path", "tools", "traversal"))
GRAPH = read_words("m n A/m A<n =A")


def guarded_graph(real, kind, numpy):
    """The function, which then gets a checked copy of each matrix: it converts other arguments of the program before it begins."""
    def own(one):
        if not isinstance(one, kind):
            return one
        one = type(one).tocsr(one, copy=True)
        if not isinstance(one, kind):
            refuse("a graph is not a sparse matrix")
        check_words(GRAPH, (*one.shape, one.indptr, one.indices, one.data), numpy.asarray, numpy.ndarray)
        return one

    @functools.wraps(real)
    def call(*args, **keywords):
        return real(*map(own, args), **{name: own(value) for name, value in keywords.items()})
    return call


def guarded(real, check, asarray, array_type):
    """The function behind a check of its arguments. The collector waits, because it could run code of the program in between."""
    plan = None

    def call(*args, **keywords):
        nonlocal plan
        if plan is None:
            plan = read_words(check) if isinstance(check, str) else ()
        collects = gc.isenabled()
        gc.disable()
        try:
            return real(*(check_words(plan, args, asarray, array_type) if plan else check(args, asarray)), **keywords)
        finally:
            if collects:
                gc.enable()

    for name in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(call, name, getattr(real, name, None))
    return call


# ---- objects that keep arrays ----

# Their getters hand out copies: (module, class, attributes).
COPIED = (("scipy.spatial._ckdtree", "cKDTree", ("indices",)), ("scipy.spatial._ckdtree", "cKDTreeNode", ("indices", "data_points")))
# A copy would have arrays of its own: (module, class).
UNCOPIED = (("scipy.spatial._ckdtree", "cKDTree"), ("scipy.spatial._ckdtree", "cKDTreeNode"))
# No class is derived from them, nor from those that are: the library reads memory by what a method or property answers.
SEALED = (("scipy.sparse._base", "spmatrix"), ("pandas.core.indexers.objects", "BaseIndexer"), ("numpy.random", "SeedSequence"),
          ("scipy.spatial._ckdtree", "cKDTree"), ("scipy.interpolate.interpnd", "NDInterpolatorBase"))
# None is made, nor of a class derived from them: they write a temporary file, and where they cannot, the process ends.
UNMADE = (("scipy.spatial._qhull", "_QhullUser"),)


def copied(getter, numpy):
    return property(lambda self: numpy.array(getter.__get__(self)))


def uncopied(self, *_protocol):
    raise TypeError("'%s' objects are not copied here; make another one from the same points" % type(self).__name__)


def unmade(self, *_points, **_options):
    raise NotImplementedError("%s is not available here: Qhull writes a temporary file, and the sandbox has none" % type(self).__name__)


def with_derived(kind):
    yield kind
    for one in kind.__subclasses__():
        yield from with_derived(one)


# ---- pandas and numpy ----

def check_codes(codes, count):
    if len(codes) and (codes.min() < -1 or codes.max() >= count):
        refuse("a code names a category or a level that is not there")


def check_multi(index):
    if len({*map(len, index._codes)}) > 1:
        refuse("the codes of the levels differ in length")
    for level, codes in zip(index._levels, index._codes):
        check_codes(codes, len(level))


def check_categorical(array):
    check_codes(array._ndarray, len(array.dtype.categories))


# Afterwards what was made is checked: (module, class, methods, check).
MADE = (
    ("pandas.core.indexes.multi", "MultiIndex", ("__new__", "_set_codes", "_set_levels"), check_multi),
    ("pandas.core.arrays.categorical", "Categorical", ("__init__",), check_categorical),
)


def checked_after(real, check):
    @functools.wraps(real)
    def method(self, *args, **keywords):
        made = real(self, *args, **keywords)
        check(self if made is None else made)
        return made
    return method


def check_strides(interface, base, numpy):
    """The description of an array over the memory of another, with plain numbers; or an exception."""
    size, shape = numpy.dtype(interface["typestr"]).itemsize, tuple(map(operator.index, interface["shape"]))
    strides = interface["strides"]
    if strides is None:  # one after the other
        strides = [size]
        for count in reversed(shape[1:]):
            strides.insert(0, strides[0] * count)
    strides = tuple(map(operator.index, strides))[:len(shape)]
    while isinstance(base, numpy.ndarray) and isinstance(base.base, numpy.ndarray):
        base = base.base
    low = high = interface["data"][0]
    for count, stride in zip(shape, strides, strict=True):
        low, high = low + min((count - 1) * stride, 0), high + max((count - 1) * stride, 0)
    first, last = numpy.byte_bounds(base)
    if 0 not in shape and (low < first or high + size > last):
        refuse("an array leads out of the memory of another")
    return dict(interface, shape=shape, strides=strides)


# ---- installing ----

def rows_of(rows, modules):
    """The rows whose module is among these, with its class instead of the two names."""
    return [(getattr(modules[module], name), *rest) for module, name, *rest in rows if module in modules]


def guard_classes(doors, modules, numpy):
    for kind, attributes in rows_of(COPIED, modules):
        for name in attributes:
            doors.replace(kind, name, copied(vars(kind)[name], numpy))
    for kind, in rows_of(UNMADE, modules):
        for one in with_derived(kind):
            one.__init__ = unmade
    for kind, in rows_of(UNCOPIED, modules):
        doors.replace(kind, "__reduce_ex__", uncopied)
    for kind, in rows_of(SEALED, modules):
        for one in with_derived(kind):
            doors.seal(one)
    for kind, methods, check in rows_of(MADE, modules):
        for name in methods:
            real = vars(kind)[name]
            setattr(kind, name, staticmethod(checked_after(real.__func__, check)) if name == "__new__" else checked_after(real, check))


def guard_functions(modules, numpy):
    """Puts the checks into every module that has the functions."""
    instead = {}  # id of a function: (function, the one behind its check)
    for name in CHECKED.keys() & modules.keys():
        for function, check in CHECKED[name].items():
            real = getattr(modules[name], function)
            instead[id(real)] = real, guarded(real, check, numpy.asarray, numpy.ndarray)
    for name in GRAPHS & modules.keys():
        for real in vars(modules[name]).values():
            if isinstance(real, types.BuiltinFunctionType) and getattr(real, "__module__", None) == name and real.__name__[0] != "_":
                instead[id(real)] = real, guarded_graph(real, sys.modules["scipy.sparse._base"].spmatrix, numpy)
    if instead:
        for module in [one for name, one in sys.modules.items() if name.startswith("scipy") and isinstance(one, types.ModuleType)]:
            for name, value in list(vars(module).items()):
                if id(value) in instead:
                    setattr(module, name, instead[id(value)][1])


def guard_strides(dummy, numpy):
    real = dummy.__init__

    def init(self, interface, base=None):
        real(self, check_strides(interface, base, numpy), base)

    dummy.__init__ = init


def make_close(doors):
    """Returns a function that guards what has been loaded since its last call."""
    done = set()

    def close():
        modules = {name: sys.modules[name] for name in NAMES.difference(done).intersection(sys.modules)}
        if "numpy" not in sys.modules or not modules:
            return
        numpy = sys.modules["numpy"]
        done.update(modules)
        guard_classes(doors, modules, numpy)
        guard_functions(modules, numpy)
        if STRIDES in modules:
            guard_strides(modules[STRIDES].DummyArray, numpy)

    return close


STRIDES = "numpy.lib.stride_tricks"
NAMES = {STRIDES, *CHECKED, *GRAPHS, *(row[0] for rows in (COPIED, UNCOPIED, SEALED, UNMADE, MADE) for row in rows)}

# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of doors.c: which functions of libraries may do what is otherwise refused, each with its reason.

A function is named by its file, relative to the folder of libraries, and its qualified name. tests/sandbox/test_doors.py searches the
libraries for code that evaluates texts, imports, or reads attributes by a computed name, and fails if a row names a function that does not
exist.
"""
import re
import types

# The attributes that update_wrapper copies. None of them leads to a namespace: the __dict__ is that of a function or an instance.
WRAPPED = frozenset(("__module__", "__name__", "__qualname__", "__doc__", "__dict__", "__annotations__"))

# Dangerous names that a function may compute.
DATACLASS = frozenset(("__dataclass_fields__", "__dataclass_params__", "__post_init__"))  # module constants of dataclasses
ORDERING = frozenset(("__lt__", "__le__", "__gt__", "__ge__"))
ATTRIBUTES = {
    "functools.py:update_wrapper": WRAPPED,
    "inspect.py:_signature_get_user_defined_method": frozenset(("__call__", "__new__", "__init__")),
    "functools.py:total_ordering": ORDERING, "functools.py:total_ordering.<locals>.<setcomp>": ORDERING,
    "typing.py:NamedTupleMeta.__new__": frozenset(("__module__", "__qualname__", "__doc__", "__orig_bases__", "__annotations__", "__init_subclass__")),
    "dataclasses.py:_set_new_attribute": frozenset((
        "__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__setattr__", "__delattr__", "__match_args__", "__hash__")),
    **{"dataclasses.py:" + name: DATACLASS for name in (
        "_process_class", "fields", "_asdict_inner", "_astuple_inner", "replace")},
    **{"matplotlib/artist.py:ArtistInspector.get_aliases" + inner: frozenset(("set_usetex", "set_file", "set_state"))
       for inner in ("", ".<locals>.<listcomp>")},  # setp: reads their documentation and calls none
    "matplotlib/backend_bases.py:FigureCanvasBase._switch_canvas_and_return_print_method": frozenset(("print_png",)),
}

# Functions that get names of attributes from analysis code. Private names are refused to them too.
PUBLIC = frozenset((
    "functools.py:update_wrapper",
    "pandas/core/apply.py:Apply.apply_str", "pandas/core/apply.py:Apply.transform_str_or_callable", "pandas/core/apply.py:Apply.agg_list_like",
    "pandas/core/apply.py:Apply._try_aggregate_string_function",
    "pandas/core/computation/expr.py:BaseExprVisitor.visit_Attribute", "pandas/core/groupby/groupby.py:GroupBy.__getattr__",
    "pandas/core/groupby/groupby.py:GroupBy.apply", "pandas/core/groupby/groupby.py:GroupBy.pct_change",
    "pandas/core/groupby/groupby.py:GroupBy._make_wrapper", "pandas/core/groupby/groupby.py:GroupBy._make_wrapper.<locals>.<lambda>",
    "pandas/core/groupby/generic.py:SeriesGroupBy.aggregate", "pandas/core/groupby/generic.py:SeriesGroupBy.filter.<locals>.<lambda>",
    "pandas/core/groupby/generic.py:DataFrameGroupBy._define_paths.<locals>.<lambda>",
    "pandas/core/groupby/generic.py:DataFrameGroupBy._define_paths.<locals>.<lambda>.<locals>.<lambda>",
    "pandas/core/resample.py:_GroupByMixin._apply.<locals>.func", "pandas/core/reshape/pivot.py:_compute_grand_margin",
    "pandas/core/window/rolling.py:Window._validate", "pandas/core/indexes/interval.py:IntervalIndex._maybe_cast_slice_bound",
    "pandas/core/apply.py:Apply.agg",
    "scipy/stats/_stats_py.py:_parse_kstest_args", "scipy/stats/_hypotests.py:cramervonmises", "scipy/stats/_morestats.py:_parse_dist_kw",
    "scipy/stats/_distn_infrastructure.py:_fit_determine_optimizer", "scipy/interpolate/_rbf.py:Rbf.__init__",
    "pandas/core/indexers/objects.py:BaseIndexer.__init__",
    "pandas/core/groupby/groupby.py:GroupBy._transform",
))

# The __names__ that classes of analysis code may define, in addition to the methods that the policy allows.
MEMBERS = frozenset((
    "__module__", "__qualname__", "__doc__", "__annotations__", "__classcell__", "__slots__", "__match_args__", "__orig_bases__",
    "__static_attributes__",
))
# numpy reads memory addresses from these, so no class may define them.
MEMORY = frozenset(("__array_interface__", "__array_struct__"))

# Functions that may read frames.
FRAMES = frozenset((
    "pandas/core/computation/scope.py:Scope.__init__",  # the variables of a query
    "pandas/util/_exceptions.py:find_stack_level",  # the line that a warning is about
    "inspect.py:getfile",  # likewise: gives the name of the file
    "matplotlib/_api/__init__.py:warn_external",  # likewise
    "typing.py:_caller",  # gives the name of the module
    "collections/__init__.py:namedtuple",  # likewise
    "enum.py:EnumType._create_", "enum.py:_make_class_unpicklable",
    "traceback.py:_walk_tb_with_full_positions",
    "traceback.py:StackSummary._extract_from_extended_frame_gen",
    "logging/__init__.py:currentframe", "logging/__init__.py:<lambda>", "logging/__init__.py:Logger.findCaller",
    "logging/__init__.py:_is_internal_frame",
    "traceback.py:walk_tb", "traceback.py:walk_stack", "traceback.py:clear_frames", "traceback.py:TracebackException.__init__",
    "traceback.py:_get_code_position",
))

# Functions that may change the attributes of functions that others made, after they were imported.
FUNCTIONS = frozenset((
    "collections/__init__.py:namedtuple", "typing.py:_make_nmtuple", "typing.py:NamedTuple",  # of the class they make
    "dataclasses.py:_set_qualname",  # of the methods that it wrote
    "contextlib.py:_BaseExitStack.callback",  # of a wrapper that it has just made
    "functools.py:total_ordering",  # writes the same name each time
    "networkx/utils/decorators.py:argmap._lazy_compile", "networkx/utils/decorators.py:argmap.compile",  # a decorated function, when first called
    "matplotlib/artist.py:Artist._update_set_signature_and_docstring",  # of a class that is being made
))

# Functions that may run texts as code: a pattern that the whole text must match, or True if they only run code from files.
TEXTS = {
    "<frozen importlib._bootstrap>:_call_with_frames_removed": True,  # runs the code of a module's file
    "<frozen importlib._bootstrap_external>:SourceLoader.source_to_code": True,  # compiles a module's file
}

NAME = r"(?!__\w*__\b)[^\W\d][\w\u0300-\u036f\u0483-\u1cff]*+"  # with the marks that letters of some scripts have
NAMES = r"(?:%s(?:, ?%s)*,? ?)?" % (NAME, NAME)


def filled(pattern, **parts):
    """A pattern in which each word in angle brackets stands for a part."""
    for word, part in {"NAME": NAME, **parts}.items():
        pattern = pattern.replace("<%s>" % word, part)
    return re.compile(pattern)


# Functions that dataclasses writes. The names of its fields can be changed after they were checked as annotations.
DATACLASS_TEXT = filled(
    r"def __create_fn__\((?:(?:<NAME>|__dataclass_builtins_object__)(?:, |(?=\))))*+\):\n"
    r" def (\w+)\((?:<SELF>|<NAME>)(?:,(?:\*|<NAME>(?::_type_<NAME>(?:=_dflt_<NAME>|=_HAS_DEFAULT_FACTORY)?)?))*+\)(?:->_return_type)?:\n"
    r"(?:  (?:pass|<SELF>\.<NAME>=<VALUE>|__dataclass_builtins_object__\.__setattr__\(<SELF>,'<NAME>',<VALUE>\)"
    r"|<SELF>\.__post_init__\((?:<NAME>(?:,|(?=\))))*+\)"
    r'|return self\.__class__\.__qualname__ \+ f"\((?:<NAME>=\{self\.<NAME>!r\}(?:, )?)*+\)"'
    r"|if type\(self\) is cls or name in \((?:'<NAME>',)*+\):"
    r'| raise FrozenInstanceError\(f"cannot (?:assign to|delete) field \{name!r\}"\)'
    r"|super\(cls, self\)\.(?:__setattr__\(name, value\)|__delattr__\(name\))"
    r"|if other\.__class__ is self\.__class__:| return <TUPLE>(?:==|<=?|>=?)<TUPLE>|return NotImplemented|return hash\(<TUPLE>\))\n)*+"
    r" return \1",
    SELF="(?:self|__dataclass_self__)", TUPLE=r"\((?:(?:self|other)\.%s,)*+\)" % NAME,
    VALUE=r"(?:%s(?:\(\)(?: if %s is _HAS_DEFAULT_FACTORY else %s)?)?)" % (NAME, NAME, NAME))
# Functions that networkx's decorators write around others: no attribute, and no call but of those.
ARGMAP_TEXT = filled(
    r"def argmap_\w+\(<ARGUMENTS>\):(?:\n *+(?:#?(?=\n|$)|try:|finally:|argmap_\w+\(\)#|<ARGUMENTS> = (?:argmap_\w+|list)\(<ARGUMENTS>\)"
    r"|return argmap_\w+\(<ARGUMENTS>\)#))*+",
    ARGUMENTS=r"[\w\u0300-\u036f\u0483-\u1cff ,*=/\[\]'-]*")
TEXTS.update({
    "collections/__init__.py:namedtuple": re.compile(r"lambda _cls, %s: _tuple_new\(_cls, \(%s\)\)" % (NAMES, NAMES)),
    "typing.py:ForwardRef.__init__": True,  # compiles an annotation; running it is refused
    "dataclasses.py:_create_fn": DATACLASS_TEXT,
    "networkx/utils/decorators.py:argmap.compile": ARGMAP_TEXT,
    "scipy/stats/_distn_infrastructure.py:rv_generic._attach_argparser_methods": re.compile(
        r"\ndef _parse_args\(self, {0}(?:, )?(?:loc=0, scale=1|loc=0)?\):\n    return \({0}\), [\w, =]*\n"
        r"\ndef _parse_args_rvs\(self, {0}(?:, )?[\w, =]*, size=None\):\n    return self\._argcheck_rvs\({0}[\w, ]*, size=size\)\n"
        r"\ndef _parse_args_stats\(self, {0}(?:, )?[\w, =]*, moments='mv'\):\n    return \({0}\), [\w, ]*, moments\n".format(r"[\w, ]*")),
})

# Functions that may import by a computed name: the names, or True for all.
MODULES = {
    "pandas/compat/_optional.py:import_optional_dependency": frozenset((
        "tabulate", "scipy", "scipy.stats", "scipy.signal", "matplotlib", "matplotlib.pyplot", "jinja2", "numexpr", "bottleneck")),
    "pandas/plotting/_core.py:_load_backend": frozenset(("pandas.plotting._matplotlib",)),
}

# Classes that their library modifies at run time: ("module", "class").
CHANGING = (
    ("matplotlib.mathtext", "MathTextParser"), ("matplotlib.path", "Path"), ("networkx.utils.decorators", "argmap"),
    ("pandas.core.dtypes.dtypes", "PandasExtensionDtype"),
    *(("scipy.interpolate._fitpack2", name) for name in ("UnivariateSpline", "InterpolatedUnivariateSpline", "LSQUnivariateSpline")),
    *(("scipy.integrate._ode", name) for name in ("IntegratorBase", "vode", "zvode", "lsoda", "dopri5", "dop853")),
)

# Functions written in C or Fortran that call back with arrays over memory which they free: ("module", "class" or "", "name").
HANDING = (
    *(("scipy.optimize._minpack", "", name) for name in ("_hybrd", "_hybrj", "_lmdif", "_lmder")),
    ("scipy.integrate._odepack", "", "odeint"), ("scipy.optimize._direct", "", "direct"), ("scipy.optimize._cobyla", "", "minimize"),
    *(("scipy.integrate._ode", name, "runner") for name in ("vode", "zvode", "lsoda", "dopri5", "dop853")),
)
# (type, attributes, whether only FRAMES may read them). Otherwise they are refused only to analysis code.
INTERPRETER = (
    (types.FrameType, ("f_back", "f_builtins", "f_code", "f_globals", "f_locals", "f_trace"), True),
    (types.TracebackType, ("tb_frame", "tb_lasti", "tb_next"), True),
    (types.GeneratorType, ("gi_frame", "gi_code", "gi_yieldfrom"), True),
    (types.CoroutineType, ("cr_frame", "cr_code", "cr_await", "cr_origin"), True),
    (types.AsyncGeneratorType, ("ag_frame", "ag_code", "ag_await"), True),
    (types.ModuleType, ("__dict__",), False),
    (types.FunctionType, ("__dict__", "__globals__", "__code__", "__closure__", "__builtins__", "__defaults__", "__kwdefaults__"), False),
    (types.BuiltinFunctionType, ("__self__",), False),
    (types.MethodType, ("__func__", "__self__"), False),
    (types.CellType, ("cell_contents",), False),
    (type, ("__bases__", "__base__", "__dict__", "__mro__", "__subclasses__", "mro"), False),
)

# Families of audit events that are refused: the word before the first dot.
FAMILIES = frozenset((
    "socket", "subprocess", "_posixsubprocess", "mmap", "fcntl", "resource", "pty", "shutil", "tempfile", "urllib",
    "http", "ftplib", "smtplib", "poplib", "imaplib", "nntplib", "telnetlib", "sqlite3", "syslog", "signal",
    "webbrowser", "cpython", "pickle", "setopencodehook", "os", "ctypes", "glob", "ensurepip",
))
EVENTS = frozenset((
    "sys.addaudithook", "sys.settrace", "sys.setprofile", "sys._current_frames", "sys._current_exceptions",
    "builtins.input", "builtins.breakpoint",
))
HARMLESS_EVENTS = frozenset(("os.putenv", "os.unsetenv"))
LISTING_EVENTS = frozenset(("os.listdir", "os.scandir", "os.walk", "os.fwalk"))
# Refused only to analysis code: libraries, and imports of compiled files, need them. pandas asks gc.get_referents before a column
# of a filtered table is set.
LOOKING_EVENTS = frozenset((
    "object.__getattr__", "object.__setattr__", "object.__delattr__", "code.__new__", "gc.get_objects", "gc.get_referrers", "gc.get_referents",
))

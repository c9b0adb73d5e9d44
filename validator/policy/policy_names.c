/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that are special everywhere, each with what to write instead.
 */
#include "validator/policy/policy.h"

#define FILES                                                                                      \
    "Analysis code has no files; read with get_nodes() and the other functions of code_helpers, "  \
    "answer with print()."
#define TEXT    "Text is not run as code here; write the code itself."
#define INNARDS "Python's own workings are out of reach; use the object's public methods."
#define FRAMES  "Frames and code objects are out of reach; pass the values as arguments."
#define STOP    "Let the program run to its end, or return from a function."
#define SCOPES  "Keep values in a dictionary of your own: d[name]."
#define BY_NAME                                                                                    \
    "Write obj.name; nodes are dictionaries: node.get(\"title\", default), and d[name] for any."
#define MEMORY "Raw memory is out of reach; work on the array or the bytes themselves."
#define WRITER NULL
#define FIGURE                                                                                     \
    "Figures that are open at the end are answered as PNG by themselves; leave the call away."
#define STYLER                                                                                     \
    "Templates are out of reach, and names that reach them; if it is an attribute of your own, "   \
    "give it another name."
#define LATEX "There is no LaTeX; text between $ signs is typeset without it."
#define OBJECT                                                                                     \
    "It reaches what an exception was about; if it is an attribute of your own, give it another "  \
    "name, such as item."

const struct policy_name policy_names[] = {
    {"ExcelWriter", ROLE_ATTRIBUTE, FILES},
    {"HDFStore", ROLE_ATTRIBUTE, FILES},
    {"NamedAgg", ROLE_BY_NAME, NULL},
    {"TypedDict", ROLE_BASE, NULL},
    {"__import__", ROLE_NAME | ROLE_ATTRIBUTE, "Write an import statement."},
    {"_agg_by_level", ROLE_ATTRIBUTE, INNARDS},
    {"_attach_argparser_methods", ROLE_ATTRIBUTE, INNARDS},
    {"_convert_", ROLE_ATTRIBUTE, INNARDS},
    {"_delegate_method", ROLE_ATTRIBUTE, INNARDS},
    {"_delegate_property_get", ROLE_ATTRIBUTE, INNARDS},
    {"_evaluate", ROLE_ATTRIBUTE, TEXT},
    {"_getframe", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"_make_wrapper", ROLE_ATTRIBUTE, INNARDS},
    {"_mgr", ROLE_ATTRIBUTE, INNARDS},
    {"_print_pil", ROLE_ATTRIBUTE, FIGURE},
    {"_reduce", ROLE_METHOD_BY_NAME, NULL},
    {"_switch_canvas_and_return_print_method", ROLE_ATTRIBUTE, FIGURE},
    {"_transform", ROLE_METHOD_BY_NAME, NULL},
    {"ag_await", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"ag_code", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"ag_frame", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"agg", ROLE_BY_NAME, NULL},
    {"aggregate", ROLE_BY_NAME, NULL},
    {"analyze_graph", ROLE_GRAPH, NULL},
    {"apply", ROLE_BY_NAME, NULL},
    {"as_strided", ROLE_NAME | ROLE_ATTRIBUTE, MEMORY},
    {"attrgetter", ROLE_GETTER, "Write a lambda: key=lambda x: x.name."},
    {"backend", ROLE_KEYWORD, "Leave it away; there is one backend."},
    {"bit_generator", ROLE_ATTRIBUTE, MEMORY},
    {"boxplot", ROLE_CHART, NULL},
    {"breakpoint", ROLE_NAME | ROLE_ATTRIBUTE,
     "There is no debugger; print() what you want to see."},
    {"c_", ROLE_INDEXED, NULL},
    {"call", ROLE_KEYWORD, "Leave it away; divisions by zero give inf and nan."},
    {"capsule", ROLE_ATTRIBUTE, MEMORY},
    {"cast", ROLE_MEMORY, MEMORY},
    {"cffi", ROLE_ATTRIBUTE, MEMORY},
    {"co_code", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"co_consts", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"compile", ROLE_NAME,
     "Text is not run as code here; for regular expressions write re.compile(...)."},
    {"construct_fast", ROLE_ATTRIBUTE,
     "It checks nothing; call the class itself, as in BSpline(t, c, k)."},
    {"copyright", ROLE_NAME, STOP},
    {"cr_await", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"cr_code", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"cr_frame", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"cr_origin", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"credits", ROLE_NAME, STOP},
    {"crosstab", ROLE_BY_NAME, NULL},
    {"ctypes", ROLE_NAME | ROLE_ATTRIBUTE, MEMORY},
    {"ctypeslib", ROLE_NAME | ROLE_ATTRIBUTE, MEMORY},
    {"data", ROLE_OWN_STORE | ROLE_ITEM_STORE, "Write a[:] = values, or df[\"data\"] = values."},
    {"dataclass", ROLE_DECORATOR, NULL},
    {"delattr", ROLE_NAME | ROLE_ATTRIBUTE, "Write del obj.name."},
    {"dir", ROLE_NAME,
     "Print the value itself; what code_helpers offers stands in the tool's description."},
    {"dtype", ROLE_OWN_STORE, "Write a = a.astype(dtype)."},
    {"dump", ROLE_WRITER, "Write print(json.dumps(value)), or a.tolist() for an array."},
    {"env", ROLE_ATTRIBUTE, STYLER},
    {"environment", ROLE_ATTRIBUTE, STYLER},
    {"eval", ROLE_NAME | ROLE_ATTRIBUTE,
     "Text is not run as code here; write the expression itself, use json.loads() or "
     "int()/float() to read data, and for a DataFrame df[\"a\"] + 1."},
    {"exec", ROLE_NAME | ROLE_ATTRIBUTE, TEXT},
    {"execfile", ROLE_NAME | ROLE_ATTRIBUTE, TEXT},
    {"exit", ROLE_NAME, STOP},
    {"f_back", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"f_builtins", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"f_code", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"f_globals", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"f_locals", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"f_trace", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"fastpath", ROLE_KEYWORD, "Leave it away: values are checked."},
    {"filter", ROLE_METHOD_BY_NAME, NULL},
    {"flags", ROLE_ITEM_STORE, "Change a copy: b = a.copy()."},
    {"format", ROLE_FORMAT, NULL},
    {"format_map", ROLE_FORMAT, NULL},
    {"from_custom_template", ROLE_ATTRIBUTE, STYLER},
    {"fromfile", ROLE_NAME | ROLE_ATTRIBUTE, FILES},
    {"func_code", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"func_globals", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"get_type_hints", ROLE_NAME | ROLE_ATTRIBUTE, TEXT},
    {"getattr", ROLE_NAME | ROLE_ATTRIBUTE, BY_NAME},
    {"getbuffer", ROLE_ATTRIBUTE, "Raw memory is out of reach; call getvalue()."},
    {"gi_code", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"gi_frame", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"gi_yieldfrom", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"globals", ROLE_NAME | ROLE_ATTRIBUTE, SCOPES},
    {"help", ROLE_NAME,
     "Print the value itself; what code_helpers offers stands in the tool's description."},
    {"hist", ROLE_CHART, NULL},
    {"indices", ROLE_OWN_STORE | ROLE_ITEM_STORE, "Build a new matrix from its edges."},
    {"indptr", ROLE_OWN_STORE | ROLE_ITEM_STORE, "Build a new matrix from its edges."},
    {"input", ROLE_NAME, "Nobody is there to answer; put the value into the program."},
    {"license", ROLE_NAME, STOP},
    {"loader", ROLE_ATTRIBUTE, STYLER},
    {"locals", ROLE_NAME | ROLE_ATTRIBUTE, SCOPES},
    {"make_dataclass", ROLE_NAME | ROLE_ATTRIBUTE, "Write the class with @dataclass."},
    {"matrix", ROLE_NO_BASE, NULL},
    {"memmap", ROLE_NAME | ROLE_ATTRIBUTE, FILES},
    {"memoryview", ROLE_NAME, MEMORY},
    {"methodcaller", ROLE_GETTER, "Write a lambda: lambda x: x.upper()."},
    {"mro", ROLE_ATTRIBUTE, INNARDS},
    {"namedtuple", ROLE_BY_NAME, NULL},
    {"ndarray", ROLE_ASKED_FOR, NULL},
    {"obj", ROLE_ATTRIBUTE, OBJECT},
    {"open", ROLE_NAME, FILES},
    {"option_context", ROLE_OPTION, NULL},
    {"pivot_table", ROLE_BY_NAME, NULL},
    {"plot", ROLE_CHART, NULL},
    {"plotting", ROLE_ATTRIBUTE, "Charts need the profile visualization, and matplotlib.pyplot."},
    {"print_eps", ROLE_ATTRIBUTE, FIGURE},
    {"print_figure", ROLE_ATTRIBUTE, FIGURE},
    {"print_jpeg", ROLE_ATTRIBUTE, FIGURE},
    {"print_jpg", ROLE_ATTRIBUTE, FIGURE},
    {"print_pdf", ROLE_ATTRIBUTE, FIGURE},
    {"print_pgf", ROLE_ATTRIBUTE, FIGURE},
    {"print_png", ROLE_ATTRIBUTE, FIGURE},
    {"print_ps", ROLE_ATTRIBUTE, FIGURE},
    {"print_raw", ROLE_ATTRIBUTE, FIGURE},
    {"print_rgba", ROLE_ATTRIBUTE, FIGURE},
    {"print_svg", ROLE_ATTRIBUTE, FIGURE},
    {"print_svgz", ROLE_ATTRIBUTE, FIGURE},
    {"print_tif", ROLE_ATTRIBUTE, FIGURE},
    {"print_tiff", ROLE_ATTRIBUTE, FIGURE},
    {"print_webp", ROLE_ATTRIBUTE, FIGURE},
    {"prop_cycle", ROLE_EVALUATED, NULL},
    {"query", ROLE_QUERY, NULL},
    {"quit", ROLE_NAME, STOP},
    {"r_", ROLE_INDEXED, NULL},
    {"raw_input", ROLE_NAME, "Nobody is there to answer; put the value into the program."},
    {"readinto", ROLE_ATTRIBUTE, "Raw memory is out of reach; call read()."},
    {"readinto1", ROLE_ATTRIBUTE, "Raw memory is out of reach; call read()."},
    {"refcheck", ROLE_KEYWORD, "Leave it away, or make a new array with np.resize()."},
    {"reset_option", ROLE_OPTION, NULL},
    {"save_figure", ROLE_ATTRIBUTE, FIGURE},
    {"savefig", ROLE_ATTRIBUTE, FIGURE},
    {"set_file", ROLE_ATTRIBUTE, FILES},
    {"set_option", ROLE_OPTION, NULL},
    {"set_state", ROLE_ATTRIBUTE, "Seed the generator: np.random.default_rng(1)."},
    {"set_usetex", ROLE_ATTRIBUTE, LATEX},
    {"setattr", ROLE_NAME | ROLE_ATTRIBUTE,
     "Write obj.name = value; for names that are data use a dictionary."},
    {"setflags", ROLE_ATTRIBUTE, MEMORY},
    {"strides", ROLE_STORE | ROLE_KEYWORD,
     "Take slices such as a[::2], or call a.reshape(...) or np.transpose(a)."},
    {"style", ROLE_CHART, "Print df.to_string(), or format values by f-strings."},
    {"stylesheet", ROLE_KEYWORD, "It names a file; leave it away."},
    {"tb_frame", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"tb_lasti", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"tb_next", ROLE_NAME | ROLE_ATTRIBUTE, FRAMES},
    {"template_html", ROLE_ATTRIBUTE, STYLER},
    {"template_html_style", ROLE_ATTRIBUTE, STYLER},
    {"template_html_table", ROLE_ATTRIBUTE, STYLER},
    {"template_latex", ROLE_ATTRIBUTE, STYLER},
    {"template_string", ROLE_ATTRIBUTE, STYLER},
    {"to_clipboard", ROLE_ATTRIBUTE, "There is no clipboard; print(df)."},
    {"to_csv", ROLE_WRITER, WRITER},
    {"to_excel", ROLE_ATTRIBUTE, FILES},
    {"to_feather", ROLE_ATTRIBUTE, FILES},
    {"to_gbq", ROLE_ATTRIBUTE, "There is no network; answer with print()."},
    {"to_hdf", ROLE_ATTRIBUTE, FILES},
    {"to_html", ROLE_WRITER, WRITER},
    {"to_json", ROLE_WRITER, WRITER},
    {"to_latex", ROLE_WRITER, WRITER},
    {"to_markdown", ROLE_WRITER, WRITER},
    {"to_orc", ROLE_ATTRIBUTE, FILES},
    {"to_parquet", ROLE_ATTRIBUTE, FILES},
    {"to_pickle", ROLE_NAME | ROLE_ATTRIBUTE, FILES},
    {"to_sql", ROLE_ATTRIBUTE, "There is no database to write to; answer with print()."},
    {"to_stata", ROLE_ATTRIBUTE, FILES},
    {"to_string", ROLE_WRITER, WRITER},
    {"to_xarray", ROLE_ATTRIBUTE, "xarray is not installed; print(df)."},
    {"to_xml", ROLE_WRITER, WRITER},
    {"tofile", ROLE_ATTRIBUTE, "Analysis code has no files; print(a.tolist())."},
    {"transform", ROLE_BY_NAME, NULL},
    {"type", ROLE_TYPE, NULL},
    {"update_wrapper", ROLE_WRAPPER, NULL},
    {"usetex", ROLE_KEYWORD, LATEX},
    {"vars", ROLE_NAME,
     "Nodes are dictionaries already: node.items(). For an object of a class write its attributes "
     "out, or use dataclasses.asdict(x)."},
    {"verify_integrity", ROLE_CHECK, "Leave it away, or write True."},
    {"wraps", ROLE_WRAPPER, NULL},
    {"write_png", ROLE_ATTRIBUTE, FIGURE},
    {"writeable", ROLE_STORE, "Change a copy: b = a.copy()."},
};

const size_t policy_name_count = sizeof policy_names / sizeof *policy_names;

const char policy_path_keywords[] = "path_or_buf path_or_buffer path buf file fname";

const char policy_readers[] = "pandas.read_csv pandas.read_json pandas.read_table";

const char policy_reader_keywords[] = "filepath_or_buffer path_or_buf";

const char policy_reader_refused[] = "compression dtype_backend memory_map storage_options";

const char policy_buffers[] = "io.BytesIO io.StringIO";

const char policy_query_keywords[] = "local_dict global_dict resolvers level target parser";

const char policy_private_names[] =
    "_adj _node _pred _succ _asdict _field_defaults _fields _make _replace "
    "_generate_next_value_ _ignore_ _member_map_ _member_names_ _missing_ _name_ _order_ "
    "_value2member_map_ _value_";

const char policy_dunder_texts[] =
    "__annotations__ __array_finalize__ __array_function__ __array_interface__ __array_prepare__ "
    "__array_struct__ __array_ufunc__ __array_wrap__ __base__ __bases__ __build_class__ "
    "__builtins__ __cached__ __cause__ __class_getitem__ __closure__ __code__ __context__ "
    "__dataclass_fields__ __debug__ __defaults__ __del__ __delattr__ __delete__ __dict__ __dir__ "
    "__forward_arg__ __forward_code__ __func__ __get__ __getattr__ __getattribute__ "
    "__getinitargs__ "
    "__getnewargs__ __getnewargs_ex__ __getstate__ __globals__ __import__ __init_subclass__ "
    "__instancecheck__ __kwdefaults__ __loader__ __mro__ __mro_entries__ __objclass__ __package__ "
    "__prepare__ __reduce__ __reduce_ex__ __self__ __set__ __set_name__ __setattr__ __setstate__ "
    "__slots__ __spec__ __subclasscheck__ __subclasses__ __subclasshook__ __traceback__ "
    "__weakref__ __wrapped__";

const char policy_dunder_pieces[] = "__call__ __class__ __init__ __module__ __new__";

const char policy_command_texts[] =
    "module://* *:file= WRITEABLE numba pyarrow *[pyarrow] text.usetex text.latex.preamble "
    "pgf.preamble pgf.texsystem usetex "
    "plotting.backend";

const char policy_evaluated_settings[] = "axes.prop_cycle prop_cycle";

const char policy_item_storable[] = "matplotlib.pyplot.rcParams";

const char policy_storable[] = "pandas.options";

const char policy_dunder_methods[] =
    "__init__ __new__ __post_init__ __repr__ __str__ __format__ __bytes__ __hash__ __bool__ "
    "__lt__ __le__ __eq__ __ne__ __gt__ __ge__ "
    "__len__ __length_hint__ __iter__ __next__ __reversed__ __contains__ __getitem__ __setitem__ "
    "__delitem__ __missing__ "
    "__call__ __enter__ __exit__ "
    "__add__ __sub__ __mul__ __matmul__ __truediv__ __floordiv__ __mod__ __divmod__ __pow__ "
    "__lshift__ __rshift__ "
    "__and__ __xor__ __or__ __radd__ __rsub__ __rmul__ __rmatmul__ __rtruediv__ __rfloordiv__ "
    "__rmod__ __rdivmod__ "
    "__rpow__ __rlshift__ __rrshift__ __rand__ __rxor__ __ror__ __iadd__ __isub__ __imul__ "
    "__imatmul__ __itruediv__ "
    "__ifloordiv__ __imod__ __ipow__ __ilshift__ __irshift__ __iand__ __ixor__ __ior__ "
    "__neg__ __pos__ __abs__ __invert__ __int__ __float__ __complex__ __index__ __round__ "
    "__trunc__ __floor__ __ceil__";

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The modules that code may use. For small modules the table lists what may be reached on them; for
 * the large libraries what may not. What is missing from a small module reads or writes files
 * (json.load), runs text (typing.get_type_hints, singledispatch on string annotations), builds
 * names from text (string.Formatter, dataclasses.make_dataclass), or changes the process
 * (time.tzset). The lists are those of CPython 3.11, pandas 1.5, numpy 1.24, networkx 2.8 and scipy
 * 1.10.
 */
#include "validator/policy/policy.h"

/* For pandas.offsets, under both of its names. */
#define OFFSETS                                                                                    \
    "BDay BMonthBegin BMonthEnd BQuarterBegin BQuarterEnd BYearBegin BYearEnd BaseOffset "         \
    "BusinessDay BusinessHour BusinessMonthBegin BusinessMonthEnd CBMonthBegin CBMonthEnd "        \
    "CDay CustomBusinessDay CustomBusinessHour CustomBusinessMonthBegin "                          \
    "CustomBusinessMonthEnd DateOffset Day Easter FY5253 FY5253Quarter Hour LastWeekOfMonth "      \
    "Micro Milli Minute MonthBegin MonthEnd Nano QuarterBegin QuarterEnd Second "                  \
    "SemiMonthBegin SemiMonthEnd Tick Week WeekOfMonth YearBegin YearEnd"

const struct policy_module policy_modules[] = {
    {"__future__", PROFILE_MINIMAL, IMPORT_LAST, REACH_LISTED,
     "absolute_import annotations barry_as_FLUFL division generator_stop generators nested_scopes "
     "print_function unicode_literals with_statement"},
    {"bisect", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "bisect bisect_left bisect_right insort insort_left insort_right"},
    {"calendar", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "Calendar FRIDAY February HTMLCalendar IllegalMonthError IllegalWeekdayError January MONDAY "
     "SATURDAY SUNDAY THURSDAY TUESDAY TextCalendar WEDNESDAY calendar day_abbr day_name "
     "firstweekday isleap leapdays month month_abbr month_name monthcalendar monthrange prcal "
     "prmonth setfirstweekday timegm weekday weekheader"},
    {"code_helpers", PROFILE_MINIMAL, IMPORT_FIRST, REACH_LISTED,
     "get_nodes get_relationships get_node_content get_all_content analyze_graph query_graph find"},
    {"collections", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "ChainMap Counter OrderedDict UserDict UserList UserString abc defaultdict deque namedtuple"},
    {"collections.abc", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection "
     "Container Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping "
     "MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized "
     "ValuesView"},
    {"copy", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED, "Error copy deepcopy"},
    {"csv", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "Dialect DictReader DictWriter Error QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC "
     "Sniffer excel excel_tab field_size_limit get_dialect list_dialects reader register_dialect "
     "unix_dialect unregister_dialect writer"},
    {"dataclasses", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "FrozenInstanceError InitVar KW_ONLY MISSING asdict astuple dataclass field is_dataclass "
     "replace"},
    {"datetime", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "MAXYEAR MINYEAR UTC date datetime time timedelta timezone tzinfo"},
    {"decimal", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "BasicContext Clamped Context ConversionSyntax Decimal DecimalException DecimalTuple "
     "DefaultContext DivisionByZero DivisionImpossible DivisionUndefined ExtendedContext "
     "FloatOperation HAVE_CONTEXTVAR HAVE_THREADS Inexact InvalidContext InvalidOperation "
     "MAX_EMAX MAX_PREC MIN_EMIN MIN_ETINY Overflow ROUND_05UP ROUND_CEILING ROUND_DOWN "
     "ROUND_FLOOR ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP Rounded Subnormal "
     "Underflow getcontext localcontext setcontext"},
    {"enum", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "CONFORM CONTINUOUS EJECT Enum EnumCheck Flag FlagBoundary IntEnum IntFlag KEEP NAMED_FLAGS "
     "ReprEnum STRICT StrEnum UNIQUE auto member nonmember property unique verify"},
    {"fractions", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED, "Fraction"},
    {"functools", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "cache cached_property cmp_to_key lru_cache partial partialmethod reduce total_ordering "
     "update_wrapper wraps"},
    {"heapq", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "heapify heappop heappush heappushpop heapreplace merge nlargest nsmallest"},
    {"io", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED, "BytesIO StringIO"},
    {"itertools", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile "
     "filterfalse groupby islice pairwise permutations product repeat starmap takewhile tee "
     "zip_longest"},
    {"json", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "JSONDecodeError JSONDecoder JSONEncoder dumps loads"},
    {"math", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "acos acosh asin asinh atan atan2 atanh cbrt ceil comb copysign cos cosh degrees dist e erf "
     "erfc exp exp2 expm1 fabs factorial floor fmod frexp fsum gamma gcd hypot inf isclose "
     "isfinite isinf isnan isqrt lcm ldexp lgamma log log10 log1p log2 modf nan nextafter perm pi "
     "pow prod radians remainder sin sinh sqrt tan tanh tau trunc ulp"},
    {"matplotlib", PROFILE_VISUALIZATION, IMPORT_NO, REACH_LISTED, "pyplot"},
    {"matplotlib.pyplot", PROFILE_VISUALIZATION, IMPORT_YES, REACH_UNLISTED,
     "savefig imread imsave switch_backend install_repl_displayhook uninstall_repl_displayhook "
     "rcParamsDefault rcParamsOrig show_config rcdefaults rc_context rc_file rc_file_defaults "
     "get_current_fig_manager new_figure_manager"},
    {"matplotlib.pyplot.cm", PROFILE_VISUALIZATION, IMPORT_NO, REACH_UNLISTED,
     "mpl register_cmap unregister_cmap"},
    {"networkx", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED,
     "all correlation drawing euler generic lazy_imports load nx_agraph nx_latex nx_pydot "
     "nx_pylab nx_shp product readwrite testing text utils weighted"},
    {"networkx.algorithms", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED,
     "all correlation euler generic load product weighted"},
    {"networkx.algorithms.approximation", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED,
     "dominating_set"},
    {"networkx.algorithms.assortativity", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED,
     "correlation"},
    {"networkx.algorithms.bipartite", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED,
     "matrix read_edgelist write_edgelist"},
    {"networkx.algorithms.centrality", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, "load"},
    {"networkx.algorithms.clique", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.cluster", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.coloring", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.community", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, ""},
    {"networkx.algorithms.components", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.connectivity", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.core", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.cycles", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.dag", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.distance_measures", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.dominating", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.flow", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.isomorphism", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.link_analysis", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.link_prediction", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.matching", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.operators", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED,
     "all product"},
    {"networkx.algorithms.shortest_paths", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED,
     "generic weighted"},
    {"networkx.algorithms.similarity", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.simple_paths", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.swap", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.tournament", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.traversal", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.algorithms.tree", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.approximation", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, "dominating_set"},
    {"networkx.bipartite", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED,
     "matrix read_edgelist write_edgelist"},
    {"networkx.centrality", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, "load"},
    {"networkx.community", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.components", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.cycles", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.dag", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.exception", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_LISTED,
     "AmbiguousSolution ExceededMaxIterations HasACycle NetworkXAlgorithmError NetworkXError "
     "NetworkXException NetworkXNoCycle NetworkXNoPath NetworkXNotImplemented "
     "NetworkXPointlessConcept NetworkXUnbounded NetworkXUnfeasible NodeNotFound "
     "PowerIterationFailedConvergence"},
    {"networkx.isomorphism", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.shortest_paths", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED,
     "generic weighted"},
    {"networkx.traversal", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"networkx.tree", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_UNLISTED, ""},
    {"numpy", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED,
     "DataSource Tester add_docstring add_newdoc add_newdoc_ufunc bmat deprecate "
     "deprecate_with_doc frompyfunc fromregex fromfile genfromtxt get_array_wrap get_include "
     "geterrcall geterrobj info load loadtxt lookfor matlib memmap nested_iters recfromcsv "
     "recfromtxt safe_eval save savetxt savez savez_compressed set_numeric_ops "
     "set_string_function setbufsize seterrcall seterrobj show_config show_runtime source test "
     "tracemalloc_domain who byte_bounds cast nbytes sctypeDict sctypes typecodes "
     "fastCopyAndTranspose from_dlpack rec recarray"},
    {"numpy.char", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_LISTED,
     "add array asarray capitalize center count decode encode endswith equal expandtabs find "
     "greater greater_equal index isalnum isalpha isdecimal isdigit islower isnumeric isspace "
     "istitle isupper join less less_equal ljust lower lstrip mod multiply not_equal partition "
     "replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith str_len "
     "strip swapcase title translate upper zfill"},
    {"numpy.fft", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_LISTED,
     "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn "
     "rfft rfft2 rfftfreq rfftn"},
    {"numpy.linalg", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_LISTED,
     "LinAlgError cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_power matrix_rank "
     "multi_dot norm pinv qr slogdet solve svd tensorinv tensorsolve"},
    {"numpy.polynomial", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_LISTED,
     "Chebyshev Hermite HermiteE Laguerre Legendre Polynomial"},
    {"numpy.random", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_LISTED,
     "Generator PCG64 PCG64DXSM RandomState SFC64 SeedSequence beta binomial bytes chisquare "
     "choice default_rng dirichlet exponential f gamma geometric get_state gumbel hypergeometric "
     "laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial "
     "noncentral_chisquare noncentral_f normal pareto permutation poisson power rand randint "
     "randn random random_integers random_sample ranf rayleigh sample seed shuffle "
     "standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular "
     "uniform vonmises wald weibull zipf"},
    {"operator", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "abs add and_ attrgetter concat contains countOf delitem eq floordiv ge getitem gt iadd iand "
     "iconcat ifloordiv ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ "
     "is_not isub itemgetter itruediv ixor le length_hint lshift lt matmul methodcaller mod mul "
     "ne neg not_ or_ pos pow rshift setitem sub truediv truth xor"},
    {"pandas", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_LISTED,
     "ArrowDtype BooleanDtype Categorical CategoricalDtype CategoricalIndex DataFrame DateOffset "
     "DatetimeIndex DatetimeTZDtype Flags Float32Dtype Float64Dtype Float64Index Grouper Index "
     "IndexSlice Int16Dtype Int32Dtype Int64Dtype Int64Index Int8Dtype Interval IntervalDtype "
     "IntervalIndex MultiIndex NA NaT NamedAgg Period PeriodDtype PeriodIndex RangeIndex Series "
     "SparseDtype StringDtype Timedelta TimedeltaIndex Timestamp UInt16Dtype UInt32Dtype "
     "UInt64Dtype UInt64Index UInt8Dtype array bdate_range concat crosstab cut date_range "
     "describe_option factorize from_dummies get_dummies get_option infer_freq interval_range "
     "isna isnull json_normalize lreshape melt merge merge_asof merge_ordered notna notnull "
     "option_context options period_range pivot pivot_table qcut reset_option "
     "set_eng_float_format set_option timedelta_range to_datetime to_numeric to_timedelta unique "
     "value_counts wide_to_long"},
    {"pandas.api", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_LISTED, "types"},
    {"pandas.api.types", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_LISTED,
     "CategoricalDtype DatetimeTZDtype IntervalDtype PeriodDtype infer_dtype is_array_like "
     "is_bool is_bool_dtype is_categorical is_categorical_dtype is_complex is_complex_dtype "
     "is_datetime64_any_dtype is_datetime64_dtype is_datetime64_ns_dtype is_datetime64tz_dtype "
     "is_dict_like is_dtype_equal is_extension_array_dtype is_extension_type is_file_like "
     "is_float is_float_dtype is_hashable is_int64_dtype is_integer is_integer_dtype is_interval "
     "is_interval_dtype is_iterator is_list_like is_named_tuple is_number is_numeric_dtype "
     "is_object_dtype is_period_dtype is_re is_re_compilable is_scalar is_signed_integer_dtype "
     "is_sparse is_string_dtype is_timedelta64_dtype is_timedelta64_ns_dtype "
     "is_unsigned_integer_dtype pandas_dtype union_categoricals"},
    {"pandas.errors", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_LISTED,
     "AbstractMethodError AccessorRegistrationWarning AttributeConflictWarning "
     "CategoricalConversionWarning ClosedFileError CSSWarning DatabaseError DataError "
     "DtypeWarning DuplicateLabelError EmptyDataError IncompatibilityWarning IntCastingNaNError "
     "InvalidColumnName InvalidIndexError IndexingError MergeError NullFrequencyError "
     "NumbaUtilError NumExprClobberingError OptionError OutOfBoundsDatetime OutOfBoundsTimedelta "
     "ParserError ParserWarning PerformanceWarning PossibleDataLossError PossiblePrecisionLoss "
     "SettingWithCopyError SettingWithCopyWarning SpecificationError UndefinedVariableError "
     "UnsortedIndexError UnsupportedFunctionCall ValueLabelTypeMismatch"},
    {"pandas.offsets", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_LISTED, OFFSETS},
    {"pandas.tseries", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_LISTED, "offsets"},
    {"pandas.tseries.offsets", PROFILE_DATA_SCIENCE, IMPORT_NO, REACH_LISTED, OFFSETS},
    {"random", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "Random SystemRandom betavariate choice choices expovariate gammavariate gauss getrandbits "
     "getstate lognormvariate normalvariate paretovariate randbytes randint random randrange "
     "sample seed setstate shuffle triangular uniform vonmisesvariate weibullvariate"},
    {"re", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "A ASCII DEBUG DOTALL I IGNORECASE L LOCALE M MULTILINE Match NOFLAG Pattern RegexFlag S U "
     "UNICODE VERBOSE X compile error escape findall finditer fullmatch match purge search split "
     "sub subn"},
    {"scipy", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED,
     "LowLevelCallable show_config test"},
    {"scipy.cluster", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "test LowLevelCallable"},
    {"scipy.cluster.hierarchy", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "bisect test"},
    {"scipy.cluster.vq", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "test"},
    {"scipy.integrate", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "test LowLevelCallable"},
    {"scipy.interpolate", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED,
     "LowLevelCallable polyint test"},
    {"scipy.linalg", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "test LowLevelCallable"},
    {"scipy.optimize", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED,
     "LowLevelCallable test zeros"},
    {"scipy.spatial", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "test LowLevelCallable"},
    {"scipy.spatial.distance", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "test"},
    {"scipy.special", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "test LowLevelCallable"},
    {"scipy.stats", PROFILE_DATA_SCIENCE, IMPORT_YES, REACH_UNLISTED, "test LowLevelCallable"},
    {"statistics", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "LinearRegression NormalDist StatisticsError correlation covariance fmean geometric_mean "
     "harmonic_mean linear_regression mean median median_grouped median_high median_low mode "
     "multimode pstdev pvariance quantiles stdev variance"},
    {"string", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "Template ascii_letters ascii_lowercase ascii_uppercase capwords digits hexdigits octdigits "
     "printable punctuation whitespace"},
    {"textwrap", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "TextWrapper dedent fill indent shorten wrap"},
    {"time", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "CLOCK_BOOTTIME CLOCK_MONOTONIC CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME "
     "CLOCK_TAI CLOCK_THREAD_CPUTIME_ID altzone asctime clock_getres clock_gettime "
     "clock_gettime_ns ctime daylight get_clock_info gmtime localtime mktime monotonic "
     "monotonic_ns perf_counter perf_counter_ns process_time process_time_ns sleep strftime "
     "strptime struct_time thread_time thread_time_ns time time_ns timezone tzname"},
    {"typing", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "AbstractSet Annotated Any AnyStr AsyncContextManager AsyncGenerator AsyncIterable "
     "AsyncIterator Awaitable BinaryIO ByteString Callable ChainMap ClassVar Collection "
     "Concatenate Container ContextManager Coroutine Counter DefaultDict Deque Dict Final "
     "FrozenSet Generator Generic Hashable IO ItemsView Iterable Iterator KeysView List Literal "
     "LiteralString Mapping MappingView Match MutableMapping MutableSequence MutableSet "
     "NamedTuple Never NewType NoReturn NotRequired Optional OrderedDict ParamSpec ParamSpecArgs "
     "ParamSpecKwargs Pattern Protocol Required Reversible Self Sequence Set Sized SupportsAbs "
     "SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt SupportsRound "
     "TYPE_CHECKING Text TextIO Tuple Type TypeAlias TypeGuard TypeVar TypeVarTuple TypedDict "
     "Union Unpack ValuesView assert_never assert_type cast dataclass_transform final get_args "
     "get_origin is_typeddict no_type_check overload reveal_type runtime_checkable"},
    {"unicodedata", PROFILE_MINIMAL, IMPORT_YES, REACH_LISTED,
     "UCD bidirectional category combining decimal decomposition digit east_asian_width "
     "is_normalized lookup mirrored name normalize numeric ucd_3_2_0 unidata_version"},
    {NULL, PROFILE_COUNT, IMPORT_NO, REACH_LISTED, NULL},
};

const size_t policy_module_count = sizeof policy_modules / sizeof *policy_modules - 1;

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of modules: Python's own, and those that the allowed libraries carry as attributes of their
 * modules. Names that the libraries also give to functions are not among them.
 */
#include "validator/policy/policy.h"

/* clang-format off */
const char *const policy_inner_modules[] = {
    "abc", "add_newdocs", "adjacency", "adjlist", "aifc", "algebraicconnectivity", "algorithms", "antigravity",
    "api", "approximation", "argparse", "array_api", "arrays", "assortativity", "ast", "astar", "asteroidal",
    "asyn_fluid", "asynchat", "asyncio", "asyncore", "atexit", "atlas", "attracting", "attrmatrix", "audioop",
    "base", "base64", "basic", "bdb", "bdf", "beamsearch", "beta_ufunc", "bethehessianmatrix", "betweenness",
    "betweenness_subset", "bezier", "biasedurn", "biconnected", "binary", "binascii", "binom_ufunc",
    "bipartite", "bit_generator", "blas", "bltns", "boundary", "boykovkolmogorov", "branchings",
    "breadth_first_search", "builtins", "bvls", "bz2", "cProfile", "calendar", "canonical_constraint",
    "capacityscaling", "cbook", "cc", "centrality", "cgi", "cgitb", "chains", "char", "chordal", "chunk",
    "ckdtree", "classes", "classic", "clique", "closeness", "cluster", "clustering_coefficient", "cm", "cmath",
    "cmd", "cobyla", "code", "codecs", "codeop", "coding", "cographs", "collections", "coloring", "colors",
    "colorsys", "common", "communicability_alg", "community", "community_utils", "compat", "compileall",
    "components", "concurrent", "configparser", "conftest", "connected", "connectivity", "constants",
    "contextlib", "contextvars", "contingency", "contraction", "convert", "convert_matrix", "copyreg", "core",
    "coreviews", "cosine_cdf", "covering", "crypt", "csv", "ctypes", "ctypeslib", "current_flow_betweenness",
    "current_flow_betweenness_subset", "current_flow_closeness", "curses", "cuts", "cycles", "cython_blas",
    "cython_lapack", "cython_optimize", "cython_special", "cytoscape", "d_separation", "dag", "dataclasses",
    "datasets", "datetime", "dbm", "decimal", "decoder", "decomp", "decomp_cholesky", "decomp_lu", "decomp_qr",
    "decomp_schur", "decomp_svd", "decomposition", "degree_alg", "degree_seq", "dense", "depth_first_search",
    "dfitpack", "difflib", "digraph", "dinitz_alg", "directed", "dis", "disjoint_paths", "distance",
    "distance_measures", "distance_regular", "distributions", "distutils", "doc", "doccer", "doctest", "dogbox",
    "dominance", "dominating", "dop", "dop853_coefficients", "drawing", "dual", "duplication",
    "edge_augmentation", "edge_kcomponents", "edgebfs", "edgedfs", "edgelist", "edmondskarp",
    "efficiency_measures", "ego", "eigenvector", "email", "emath", "encoder", "encodings", "ensurepip", "enum",
    "equality_constrained_sqp", "equitable_coloring", "errno", "errors", "exception", "expanders", "expn_asy",
    "extensions", "f2py", "faulthandler", "fcntl", "fft", "fftpack", "filecmp", "fileinput", "filters",
    "fitpack", "fitpack2", "flinalg", "flow", "flow_matrix", "fnmatch", "fractions", "frequencies", "ft2font",
    "ftplib", "function", "functools", "gammainc_asy", "gammainc_data", "gc", "generators", "genericpath",
    "geometric", "getopt", "getpass", "gettext", "gexf", "givens_elimination", "glob", "gml", "gomory_hu",
    "gpickle", "graph", "graph6", "graph_hashing", "graphical", "graphlib", "graphmatrix", "graphml",
    "graphviews", "greedy_coloring", "group", "grp", "gzip", "harmonic", "hashlib", "heapq", "helper",
    "hermite_e", "hierarchy", "hits_alg", "hmac", "hmn", "html", "http", "hybrid", "hypergeom_ufunc", "idlelib",
    "imaplib", "imghdr", "imp", "importlib", "indexers", "inspect", "integrate", "interchange",
    "internet_as_graphs", "interpnd", "interpolate", "interpolative", "invgauss_ufunc", "io", "ipaddress",
    "ismags", "isolate", "isomorph", "isomorphism", "isomorphvf2", "it", "itertools", "jit", "joint_degree_seq",
    "json", "json_graph", "katz", "kclique", "kcomponents", "kcutsets", "kde", "kdtree", "kernighan_lin",
    "keyword", "label_propagation", "lapack", "lapack_lite", "laplacianmatrix", "lattice", "layout",
    "lazy_imports", "lbfgsb", "leda", "levyst", "lgc", "lib", "lib2to3", "linalg", "line", "linecache",
    "linesearch", "link_analysis", "link_prediction", "locale", "logging", "louvain", "lowest_common_ancestors",
    "lsoda", "lukes", "lzma", "ma", "mailbox", "mailcap", "marshal", "matchhelpers", "matching", "matfuncs",
    "math", "matplotlib", "matrixlib", "maxcut", "maxflow", "mimetypes", "mincost",
    "minimize_trustregion_constr", "minors", "minpack", "minpack2", "mis", "misc", "mixing", "mlab", "mmap",
    "modularity_max", "modularitymatrix", "moduleTNC", "modulefinder", "moral", "morestats", "mp", "mpmath",
    "msilib", "mst", "mstats", "mstats_basic", "mstats_extras", "msvcrt", "mtrand", "multidigraph",
    "multigraph", "multiline_adjlist", "multiprocessing", "mvn", "mycielski", "nbinom_ufunc", "ncf_ufunc",
    "nct_ufunc", "ncx2_ufunc", "ndgriddata", "ndimage", "neighbor_degree", "netrc", "networksimplex", "nis",
    "nntplib", "node_classification", "node_link", "nonlin", "np", "nt", "ntpath", "nturl2path", "numbers",
    "numpy", "nx", "nx_agraph", "nx_pydot", "nx_pylab", "nx_shp", "odepack", "odr", "offsets", "opcode",
    "operations", "operator", "operators", "optimize", "optparse", "optzeros", "ordered", "orthogonal", "os",
    "ossaudiodev", "pagerank_alg", "pairs", "pajek", "pandas", "path", "pathlib", "pdb", "percolation",
    "pickle", "pickletools", "pipes", "pkgutil", "planar_drawing", "planarity", "platform", "plistlib",
    "plotting", "plt", "polynomial", "polynomials", "polyutils", "poplib", "posix", "posixpath", "pprint",
    "preflowpush", "profile", "projection", "projections", "pstats", "pty", "pwd", "py_compile", "pyclbr",
    "pydoc", "pydoc_data", "pyexpat", "pytest", "qhull", "qmc", "qp_subproblem", "quadpack", "quality", "queue",
    "quopri", "radau", "ramsey", "random", "random_clustered", "random_graphs", "rbf", "rcont", "rcsetup", "re",
    "reaching", "readline", "readwrite", "rec", "recognition", "redundancy", "regular", "relabel", "report",
    "reportviews", "reprlib", "resource", "richclub", "rk", "rlcompleter", "rotation", "runpy", "sampling",
    "sc", "scale", "scanner", "sched", "scipy", "scu", "second_order", "secrets", "selectors", "semiconnected",
    "setup", "sf_error", "shelve", "shlex", "shortest_paths", "shortestaugmentingpath", "shutil", "signal",
    "similarity", "simple_paths", "site", "skewnorm_ufunc", "slsqp", "small", "smallworld", "smetric", "smtpd",
    "smtplib", "sndhdr", "social", "socket", "socketserver", "sp", "sparse", "sparse6", "sparsifiers",
    "spatial", "spec", "specfun", "special", "special_matrices", "spectral", "spectrum", "spfun_stats", "sps",
    "spwd", "sqlite3", "sre_compile", "sre_constants", "sre_parse", "ssl", "stat", "statistics", "statlib",
    "stats", "stdlib_re", "steinertree", "stochastic", "stoerwagner", "string", "stringprep",
    "strongly_connected", "struct", "structuralholes", "struve_convergence", "style", "subgraph_alg",
    "subprocess", "sudoku", "summarization", "sunau", "swap", "sympy", "symtable", "sys", "sysconfig", "syslog",
    "tabnanny", "tarfile", "telnetlib", "tempfile", "temporalisomorphvf2", "termios", "testing", "tests",
    "textwrap", "this", "threading", "threshold", "ticker", "time", "timeit", "tkinter", "tnc", "token",
    "tokenize", "tomllib", "tournament", "tr_interior_point", "traceback", "tracemalloc", "transform",
    "transforms", "traveling_salesman", "traversal", "tree", "trees", "treewidth", "trf", "trf_linear",
    "triads", "triangulation", "trophic", "tseries", "tty", "turtle", "turtledemo", "types", "typing", "unary",
    "unicodedata", "unittest", "unuran_wrapper", "unweighted", "urllib", "util", "utils", "uu", "uuid", "venv",
    "version", "vertex_cover", "vf2", "vf2userfunc", "vitality", "vode", "voronoi", "voterank_alg", "warnings",
    "wave", "weakly_connected", "weakref", "webbrowser", "wiener", "winreg", "winsound", "wright_bessel_data",
    "wsgiref", "xdrlib", "xml", "xmlrpc", "zipapp", "zipfile", "zipimport", "zlib", "zoneinfo",
};
/* clang-format on */

const size_t policy_inner_module_count = sizeof policy_inner_modules / sizeof *policy_inner_modules;

const char policy_python_modules[] =
    "argparse ast asyncio atexit bdb builtins cProfile cgi cmd code codecs codeop compileall "
    "concurrent configparser copyreg ctypes dbm dis doctest ensurepip faulthandler fcntl fileinput "
    "ftplib gc getpass glob gzip http imaplib importlib inspect io linecache logging lzma "
    "marshal mmap multiprocessing netrc ntpath os pathlib pdb pickle pkgutil platform posix "
    "posixpath pty pwd py_compile pydoc queue resource runpy sched selectors shelve shlex shutil "
    "site smtplib socket socketserver sqlite3 ssl subprocess symtable sys sysconfig syslog tarfile "
    "telnetlib tempfile termios threading timeit tokenize traceback tracemalloc tty types unittest "
    "urllib uuid venv warnings weakref webbrowser xml xmlrpc zipapp zipfile zipimport zlib";

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to write instead of unbound names, and the builtin names of Python.
 */
#include "validator/policy/policy.h"

#include <stdio.h>
#include <string.h>

/* Of CPython 3.11, without those that begin with an underscore. */
/* clang-format off */
const char *const policy_builtins[] = {
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup",
    "BlockingIOError", "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError",
    "ConnectionAbortedError", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError",
    "DeprecationWarning", "EOFError", "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception",
    "ExceptionGroup", "False", "FileExistsError", "FileNotFoundError", "FloatingPointError", "FutureWarning",
    "GeneratorExit", "IOError", "ImportError", "ImportWarning", "IndentationError", "IndexError",
    "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt", "LookupError", "MemoryError",
    "ModuleNotFoundError", "NameError", "None", "NotADirectoryError", "NotImplemented", "NotImplementedError",
    "OSError", "OverflowError", "PendingDeprecationWarning", "PermissionError", "ProcessLookupError",
    "RecursionError", "ReferenceError", "ResourceWarning", "RuntimeError", "RuntimeWarning",
    "StopAsyncIteration", "StopIteration", "SyntaxError", "SyntaxWarning", "SystemError", "SystemExit",
    "TabError", "TimeoutError", "True", "TypeError", "UnboundLocalError", "UnicodeDecodeError",
    "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning",
    "ValueError", "Warning", "ZeroDivisionError", "abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool",
    "breakpoint", "bytearray", "bytes", "callable", "chr", "classmethod", "compile", "complex", "copyright",
    "credits", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec", "exit", "filter", "float",
    "format", "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input", "int",
    "isinstance", "issubclass", "iter", "len", "license", "list", "locals", "map", "max", "memoryview", "min",
    "next", "object", "oct", "open", "ord", "pow", "print", "property", "quit", "range", "repr", "reversed",
    "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "type",
    "vars", "zip",
};
/* clang-format on */
const size_t policy_builtin_count = sizeof policy_builtins / sizeof *policy_builtins;

/* Names that programs use without importing them. */
static const struct {
    const char *module, *names;
} members[] = {
    {"collections", "Counter OrderedDict defaultdict deque namedtuple"},
    {"dataclasses", "asdict dataclass"},
    {"datetime", "timedelta"},
    {"decimal", "Decimal"},
    {"enum", "Enum"},
    {"functools", "lru_cache partial reduce"},
    {"io", "BytesIO StringIO"},
    {"itertools", "accumulate chain combinations groupby islice permutations zip_longest"},
    {"math", "ceil floor sqrt"},
    {"statistics", "mean median stdev"},
    {"typing", "Any Callable Dict Iterable List Optional Set Tuple Union"},
};

static const char modules[] =
    "bisect calendar code_helpers collections copy csv dataclasses datetime decimal fractions "
    "functools heapq io itertools json math networkx numpy operator pandas random re statistics "
    "string textwrap time unicodedata";

/* Guessed names of functions of code_helpers. */
static const struct {
    const char *function, *names;
} guesses[] = {
    {"analyze_graph", "build_graph get_graph load_graph"},
    {"get_node_content", "get_content get_contents node_content"},
    {"get_nodes", "fetch_nodes find_nodes get_all_nodes list_nodes load_nodes"},
    {"get_relationships",
     "get_all_relationships get_edges get_links get_relations list_relationships"},
};

/* Names from other languages, and others. */
static const struct other {
    const char *name, *text;
    const char *import, *instead; /* where these are all that it takes, else NULL */
} others[] = {
    {"Array ArrayList", "Write list, or [].", NULL, NULL},
    {"Console System console cout display echo fmt printf println puts",
     "Answer with print(value).", NULL, NULL},
    {"FALSE false", "Write False.", NULL, "False"},
    {"HashMap Map", "Write dict, or {}.", NULL, NULL},
    {"JSON", "Add import json at the top; write json.dumps(value) and json.loads(text).", NULL,
     NULL},
    {"Math",
     "Add import math at the top and write math.NAME; max, min, abs and round are built in.", NULL,
     NULL},
    {"NONE NULL Null nil none null undefined", "Write None.", NULL, "None"},
    {"NaN nan", "Write float(\"nan\").", NULL, NULL},
    {"TRUE true", "Write True.", NULL, "True"},
    {"basestring unicode", "Write str.", NULL, "str"},
    {"done end endfor endif endwhile esac fi", "Delete it: a block ends with its indentation.",
     NULL, NULL},
    {"long", "Write int.", NULL, "int"},
    {"np", "Add at the top: import numpy as np.", "import numpy as np", NULL},
    {"nx", "Add at the top: import networkx as nx.", "import networkx as nx", NULL},
    {"os sys", "Analysis code has neither files nor arguments: leave it away, answer with print().",
     NULL, NULL},
    {"parseFloat", "Write float(text).", NULL, "float"},
    {"parseInt", "Write int(text).", NULL, "int"},
    {"pd", "Add at the top: import pandas as pd.", "import pandas as pd", NULL},
    {"plt", "Add at the top: import matplotlib.pyplot as plt.", "import matplotlib.pyplot as plt",
     NULL},
    {"require", "Write import MODULE at the top.", NULL, NULL},
    {"strlen", "Write len(x).", NULL, "len"},
    {"this", "Write self, the first parameter of each method.", NULL, NULL},
    {"typeof", "Write type(x).", NULL, "type"},
    {"unichr", "Write chr.", NULL, "chr"},
    {"xrange", "Write range.", NULL, "range"},
};

const char *policy_guessed_helper(const struct policy_module *module, const char *name, size_t len)
{
    if (strcmp(module->name, "code_helpers") != 0)
        return NULL;
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        if (policy_has_word(guesses[i].names, name, len))
            return guesses[i].function;
    return NULL;
}

bool policy_unknown_advice(const char *name, size_t len, struct policy_unknown *unknown)
{
    const size_t size = sizeof unknown->text, import_size = sizeof unknown->import;

    *unknown = (struct policy_unknown){.certain = true};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (policy_has_word(members[i].names, name, len)) {
            snprintf(unknown->import, import_size, "from %s import %.*s", members[i].module,
                     (int)len, name);
            return snprintf(unknown->text, size, "Add at the top: %s.", unknown->import) > 0;
        }
    if (policy_has_word(modules, name, len)) {
        snprintf(unknown->import, import_size, "import %.*s", (int)len, name);
        return snprintf(unknown->text, size, "Add at the top: %s.", unknown->import) > 0;
    }
    for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++)
        if (policy_has_word(guesses[i].names, name, len)) {
            unknown->instead = guesses[i].function;
            snprintf(unknown->import, import_size, "from code_helpers import %s",
                     guesses[i].function);
            return snprintf(unknown->text, size, "Did you mean %s? Add at the top: %s.",
                            guesses[i].function, unknown->import) > 0;
        }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (policy_has_word(others[i].name, name, len)) {
            unknown->certain = others[i].import || others[i].instead;
            unknown->instead = others[i].instead;
            snprintf(unknown->import, import_size, "%s", others[i].import ? others[i].import : "");
            return snprintf(unknown->text, size, "%s", others[i].text) > 0;
        }
    return false;
}

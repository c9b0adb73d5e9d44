/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Verdicts: hostile programs by family, ordinary ones, and the shared corpora where they are there.
 * The mistakes that models make, with the message each gives, are in tests/data/mistakes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "tests/unit/regression_inputs.h"
#include "validator/policy/policy.h"
#include "validator/validator.h"

#define LINE_CAP ((size_t)1 << 20)

static struct verdict verdict;

static const struct verdict *check(const char *source, size_t len, const char *profile)
{
    validator_check(source, len, validator_profile_find(profile), &verdict);
    return &verdict;
}

/* Programs that reach for what is not theirs, by the families of the design. */
static void test_hostile(void **state)
{
    static const char *const programs[] = {
        "import json, os\n",
        "if 1: import os\n",
        "import \\\n os\n",
        "from os.path import join\n",
        "import _json\n",
        "from code_helpers import sys\n",
        "import json\njson.codecs.open('x')\n",
        "import random\nrandom._os\n",
        "import re\nre.enum.sys\n",
        "import numpy.lib.npyio\n",
        "import numpy as np\nnp.lib.stride_tricks.as_strided(a)\n",
        "import pandas as pd\npd.io.common.os\n",
        "import networkx as nx\nnx.utils.open_file\n",
        "from networkx import lazy_imports\n",
        "import networkx as nx\nnx.algorithms.dag.nx\n",
        "import scipy.stats as st\nst.np\n",
        "import json\nm = json\n",
        "import json\nf(json)\n",
        "import json\n[json]\n",
        "import json\ndef f():\n    return json\n",
        "import json\ndef f(m=json):\n    return m\n",
        "import json\ndef f(json):\n    import json\n    return json\n",
        "import json\ndef f():\n    global json\n    x = json\n",
        "import json\nclass A:\n    json = 1\n    def f(self):\n        return json\n",
        "import json\ndef f():\n    class A:\n        json = 1\n    return json\n",
        "import json\n(lambda json=json: 1)\n",
        "import json\nmatch json:\n    case m: pass\n",
        "import json\nf'{json}'\n",
        "import json\ndef f(): return json.codecs\nfrom math import pi as json\n",
        "import json\n(json\n).codecs\n",
        "import json\nfor json.x in y: pass\n",
        "import json\njson.loads += 1\n",
        "import json\na, json.loads = 1, 2\n",
        "import json\n(json.loads, a) = 1, 2\n",
        "import json\njson.loads: int = 2\n",
        "import json\ndel json.loads\n",
        "import string\nstring.Template.delimiter = '#'\n",
        "x.__class__\n",
        "__builtins__\n",
        "f(__x__=1)\n",
        "def __foo__(): pass\n",
        "class A:\n    __eq__ = f\n",
        "class A:\n    def f(self):\n        def __init__(): pass\n",
        "super().__init__\n",
        "A.__init__(self)\n",
        "__name__ = 1\n",
        "type(x).__name__ = 1\n",
        "f'{x.__class__}'\n",
        "f'{x:{y.__class__}}'\n",
        "\xF0\x9D\x91\x92val('1')\n",
        "x.\xEF\xBC\xBF_class__\n",
        "\xD0\xB5val = 1\n",
        "a.eval = 1\n",
        "def f(open): pass\n",
        "def open(): pass\n",
        "import math as eval\n",
        "from re import compile\n",
        "for open in x: pass\n",
        "x.gi_frame\n",
        "match f:\n    case object(tb_frame=g): pass\n",
        "type('A', (), {})\n",
        "type(*x)\n",
        "'{0.__class__}'.format(1)\n",
        "'{0.\\x5f_class__}'.format(1)\n",
        "'{0.__cla' 'ss__}'.format(1)\n",
        "'{0.__cla' + 'ss__}'.format(1)\n",
        "f'{{0.__class__}}'.format(1)\n",
        "f'{\"{0.__class__}\".format(1)}' 'a'\n",
        "'{:{0.__class__}}'.format(1)\n",
        "'{0.\\N{LOW LINE}_class__}'\n",
        "from operator import attrgetter\nattrgetter('__class__')\n",
        "from operator import attrgetter\nattrgetter(x)\n",
        "from operator import attrgetter\nmap(attrgetter, x)\n",
        "import operator\noperator.methodcaller('to_csv', 'x')\n",
        "df.agg('__class__')\n",
        "df.agg({'a': ['to_pickle']})\n",
        "df.apply(func='__dir__')\n",
        "df.to_csv('x')\n",
        "df.to_csv(path_or_buf='x')\n",
        "df.to_csv(*x)\n",
        "df.to_csv(**x)\n",
        "w = df.to_csv\n",
        "df.pipe((D.to_csv, 's'))\n",
        "df.to_json('x')\n",
        "a.tofile('x')\n",
        "a.dump('x')\n",
        "df.query('@x.y')\n",
        "df.query('a.__class__')\n",
        "df.query(x)\n",
        "df.query('a', local_dict={})\n",
        "df.query('a.to_csv(\"x\")')\n",
        "df.query(expr=x)\n",
        "df.query('@f(1)')\n",
        "from typing import get_type_hints\n",
        "import string\nstring.Formatter()\n",
        "import functools\nfunctools.singledispatch(f)\n",
        "from pandas import *\n",
        "from . import x\n",
        "from ...os import x\n",
        "import matplotlib.pyplot as plt\nplt.savefig('x')\n",
        "# coding: utf-7\n",
        "\n# vim: fileencoding=latin-1\n",
        "x = 1\ry = 2\n",
        "x = '\xC2\x9B'\n",
        "x = '\xE2\x80\xAE'\n",
        "x = 1 # \xE2\x80\xA9 y\n",
        "\xEF\xBB\xBFx = 1\n",
        "x = '\xED\xA0\x80'\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (check(programs[i], strlen(programs[i]), "data-science")->accepted)
            fail_msg("accepted: %s", programs[i]);
    assert_false(check("x = 1\0y", 7, "minimal")->accepted);
}

static void test_ordinary(void **state)
{
    static const struct {
        const char *source, *kind;
    } rows[] = {
        {"", "bare"},
        {"print('caf\xC3\xA9')\n", "bare"},
        {"import re\nW = re.compile(r'\\w+')\nprint(W.findall('a b'))\n", "bare"},
        {"from code_helpers import get_nodes\nfor n in get_nodes(session_id):\n    "
         "print(n['title'])\n",
         "bare"},
        {"from code_helpers import analyze_graph\nG = analyze_graph()\n", "data"},
        {"import code_helpers as ch\nG = ch.analyze_graph(session_id)\n", "data"},
        {"from collections.abc import Iterable\nimport collections\ncollections.Counter('ab')\n",
         "bare"},
        {"import pandas as pd\npd.options.display.max_rows = 10\npd.set_option('display.width', "
         "100)\n",
         "data"},
        {"import pandas as pd\ndf = pd.DataFrame({'a': [1]})\nprint(df.to_csv(index=False), "
         "df.to_csv(None), df.to_string())\n",
         "data"},
        {"limit = 3\ndf.query('a > @limit and b == \"x\"')\ndf.query(f'a > {limit}', "
         "engine='python')\n",
         "bare"},
        {"df.agg({'a': 'mean', 'b': ['min', 'max']})\ndf['a'].apply(str.upper)\n", "bare"},
        {"import numpy as np\nm = np.eye(2)\nm[np.newaxis, i] = 1\nprint(np.linalg.norm(m), "
         "np.random.default_rng(1))\n",
         "data"},
        {"import networkx as nx\nfrom networkx.algorithms import "
         "community\nnx.community.louvain_communities(G)\n",
         "data"},
        {"import io\nprint(io.StringIO(\"a\").read())\n", "bare"},
        {"from scipy import stats\nprint(stats.pearsonr(a, b))\n", "data"},
        {"import string\ndef count(string, n=1):\n    return len(string)\n", "bare"},
        {"import time\ndef f():\n    time = 3\n    return time + 1\nf(time=2)\nx.time\n", "bare"},
        {"import statistics\nstatistics = statistics.mean([1])\nprint(statistics)\n", "bare"},
        {"import datetime\nfrom datetime import datetime\nprint(datetime.now())\n", "bare"},
        {"class A(Base):\n    def __init__(self, x):\n        super().__init__(x)\n    if True:\n  "
         "      def __len__(self):\n            return 1\n",
         "bare"},
        {"if __name__ == '__main__':\n    print(type(x).__name__)\n", "bare"},
        {"from operator import attrgetter, itemgetter\nsorted(x, key=attrgetter('a.b', 'c'))\n",
         "bare"},
        {"d = {'__class__': 1, 'open': 2}\nprint(d['eval'] if 'eval' in d else None)\n", "bare"},
        {"x: int | None = None\ndef f(a, b=None, *c, d, **e): return None\n", "bare"},
        {"async def f():\n    async for x in y:\n        break\n    return 1\n", "bare"},
        {"match x:\n    case [a, *b] if a: pass\n    case {'k': v, **r}: pass\nmatch = "
         "1\nprint(match)\n",
         "bare"},
        {"print(f\"{d['k']!r:>{w}} {{literal}} {x=}\")\n", "bare"},
        {"x = [i for i in y if i] if z else lambda: 0\n", "bare"},
        {"try:\n    x = 1\nexcept (A, B) as e:\n    print(e)\nelse:\n    pass\nfinally:\n    "
         "pass\n",
         "bare"},
        {"print('{} {a.b} {0[k]}'.format(1, a=x))\n", "bare"},
        {"# coding: utf-8\n", "bare"},
        {"for x in y:\n    for z in x:\n        continue\n    else:\n        break\n", "bare"},
        {"def f(a, /, b=1, *, c): return a\n", "bare"},
        {"self._cache = {}\nself.__total += 1\n", "bare"},
        {"try:\n    null\nexcept Exception:\n    null = None\n", "bare"},
        {"try:\n    f(true)\nexcept NameError:\n    pass\n", "bare"},
        {"try:\n    display(df)\nexcept Exception:\n    print(df)\n", "bare"},
        {"def f():\n    global pd\n    pd = 1\ndef g():\n    return pd\n", "bare"},
        {"def f():\n    xs: List[int] = []\n    return xs\n", "bare"},
        {"from __future__ import annotations\ndef f(x: List[int]) -> Dict:\n    return x\n",
         "bare"},
        {"def get_node(n):\n    return n\nprint(get_node(1))\n", "bare"},
        {"for true in [1]:\n    print(true)\n", "bare"},
        {"class A:\n    null = 1\n    b = null\n", "bare"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check(rows[i].source, strlen(rows[i].source), "data-science");
        if (!verdict.accepted)
            fail_msg("refused: %s: %s", rows[i].source, verdict.diagnostics[0].text);
        assert_string_equal(verdict.kind, rows[i].kind);
    }
}

static void test_profiles(void **state)
{
    static const char plot[] = "import matplotlib.pyplot as plt\nplt.plot([1])\n",
                      data[] = "import pandas\n";
    static const char *const charts[] = {
        "import networkx as nx\nnx.draw(nx.path_graph(3))\n",
        "from networkx import draw_spring\n",
        "import pandas as pd\npd.Series([1]).hist()\n",
    };

    (void)state;
    assert_null(validator_profile_find("none"));
    assert_false(check(data, strlen(data), "minimal")->accepted);
    assert_non_null(strstr(verdict.diagnostics[0].text, "It needs the profile data-science."));
    assert_true(check(data, strlen(data), "data-science")->accepted);
    assert_int_equal(verdict.module_count, 1);
    assert_string_equal(verdict.modules[0], "pandas");
    assert_false(check(plot, strlen(plot), "data-science")->accepted);
    assert_true(check(plot, strlen(plot), "visualization")->accepted);
    assert_string_equal(verdict.kind, "plot");
    for (size_t i = 0; i < sizeof charts / sizeof *charts; i++) {
        assert_false(check(charts[i], strlen(charts[i]), "data-science")->accepted);
        assert_true(check(charts[i], strlen(charts[i]), "visualization")->accepted);
        assert_string_equal(verdict.kind, "plot");
    }
}

/* A profile with further modules, whose parents are reached and not imported. */
static void test_added_modules(void **state)
{
    static const char *const modules[] = {"sympy", "sympy.stats", "nltk.stem.api", NULL};
    static const char *const wrong[][2] = {
        {"os.", NULL}, {"_io", NULL}, {"a b", NULL}, {"json", NULL}, {"matplotlib.colors", NULL}};
    static const struct validator_elsewhere elsewhere[] = {{"polars", "frames"}, {NULL, NULL}};
    static const struct {
        const char *source, *text; /* NULL: accepted */
    } programs[] = {
        {"import sympy.stats as s, pandas\nfrom sympy import stats, pi\nprint(s.E, pi)\n", NULL},
        {"import sympy\nprint(sympy.integrate(1), sympy.re(1))\n", NULL},
        {"import nltk.stem.api\nprint(nltk.stem.api.StemmerI)\n", NULL},
        {"import nltk\n", "No profile has it."},
        {"import nltk.stem.api\nnltk.data\n", "nltk.data is not allowed"},
        {"from nltk.stem import api\n", "Import 'nltk.stem' is not allowed"},
        {"import sympy\nsympy.os.getcwd()\n", "sympy.os is not allowed"},
        {"import sympy\nsympy._print\n", "sympy._print is not allowed"},
        {"import polars\n", "It needs the profile frames. Allowed modules: code_helpers"},
        {"import torch\n", "No profile has it. For texts use re"},
        {"import spammodule\n", "No profile has it. Allowed"},
        {"import matplotlib.pyplot\n", "It needs the profile visualization."},
    };
    const struct validator_profile *base = validator_profile_find("data-science");
    struct error err = {0};
    struct validator_profile *profile =
        validator_profile_create("own", base, modules, elsewhere, &err);

    (void)state;
    assert_non_null(profile);
    assert_string_equal(validator_profile_base(profile), "data-science");
    assert_string_equal(validator_profile_added(profile)[2], "nltk.stem.api");
    assert_true(validator_profile_allows(profile, "sympy.stats"));
    assert_false(validator_profile_allows(profile, "nltk.stem"));
    assert_true(validator_profile_within(base, profile));
    assert_false(validator_profile_within(profile, base));
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        validator_check(programs[i].source, strlen(programs[i].source), profile, &verdict);
        assert_int_equal(verdict.accepted, programs[i].text == NULL);
        if (programs[i].text)
            assert_non_null(strstr(verdict.diagnostics[0].text, programs[i].text));
        else
            assert_string_equal(verdict.profile, "own");
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(validator_profile_create("own", base, wrong[i], NULL, &err));
    validator_profile_destroy(profile);
}

/* The tables: sorted, and each profile's list is what the module table says. */
static void test_tables(void **state)
{
    static const char *const names[] = {"minimal", "data-science", "visualization"};
    struct policy_unknown unknown;

    (void)state;
    for (size_t i = 1; i < policy_module_count; i++)
        assert_true(strcmp(policy_modules[i - 1].name, policy_modules[i].name) < 0);
    for (size_t i = 1; i < policy_name_count; i++)
        assert_true(strcmp(policy_names[i - 1].name, policy_names[i].name) < 0);
    for (size_t i = 0; i < policy_builtin_count; i++)
        assert_false(
            policy_unknown_advice(policy_builtins[i], strlen(policy_builtins[i]), &unknown));
    for (size_t i = 1; i < policy_inner_module_count; i++)
        assert_true(strcmp(policy_inner_modules[i - 1], policy_inner_modules[i]) < 0);
    for (size_t i = 1; i < policy_builtin_count; i++)
        assert_true(strcmp(policy_builtins[i - 1], policy_builtins[i]) < 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct validator_profile *profile = validator_profile_find(names[i]);
        const char *module, *last = NULL;
        size_t listed = 0, allowed = 0;

        for (; (module = validator_profile_module(profile, listed)); listed++) {
            assert_true(validator_profile_allows(profile, module));
            last = module;
        }
        assert_string_equal(validator_profile_module(profile, 0), "code_helpers");
        assert_int_equal(strcmp(last, "__future__") == 0, i == 0);
        for (size_t j = 0; j < policy_module_count; j++)
            allowed += policy_modules[j].importable && policy_modules[j].profile <= i;
        assert_int_equal(listed, allowed);
        assert_true(listed <= VALIDATOR_MODULES_CAP);
    }
}

static void test_explain(void **state)
{
    static const char source[] = "x = '\xC3\xA9\xC3\xA9' + eval('1')\n";
    struct buf BUF_AUTO text = {0};
    struct buf BUF_AUTO line = {0};
    json_auto_t *value = NULL;

    (void)state;
    buf_init(&text, 0);
    buf_init(&line, 0);
    validator_explain(check(source, strlen(source), "minimal"), source, strlen(source), &text);
    assert_non_null(strstr(text.data, "line 1: 'eval' is not allowed."));
    assert_non_null(
        strstr(text.data, "    x = '\xC3\xA9\xC3\xA9' + eval('1')\n               ^\n"));
    buf_clear(&text);
    for (int i = 0; i < 300; i++)
        buf_adds(&line, "\xC3\xA9");
    buf_adds(&line, " = open\n");
    check(line.data, line.len, "minimal");
    assert_int_equal(verdict.diagnostics[0].column, 304);
    validator_explain(&verdict, line.data, line.len, &text);
    assert_non_null(strstr(text.data, "    ...\xC3\xA9"));
    assert_non_null(strstr(text.data, " = open\n"));
    assert_true(text.len < 700);
    value = validator_explain_json(&verdict);
    assert_non_null(value);
    assert_false(json_is_true(json_object_get(value, "accepted")));
    assert_int_equal(json_array_size(json_object_get(value, "diagnostics")), 1);
    assert_string_equal(json_get_string(value, "kind"), "bare");
}

/* All problems at once, in the program's order, up to the cap. */
static void test_many(void **state)
{
    static const char source[] = "x = eval\nimport os\ny = '{0.__class__}'\nprint 'a'\n";
    struct buf BUF_AUTO text = {0};

    (void)state;
    check(source, strlen(source), "minimal");
    assert_int_equal(verdict.diagnostic_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(verdict.diagnostics[i].line, i + 1);
    buf_init(&text, 0);
    for (int i = 0; i < 100; i++)
        buf_adds(&text, "open\n");
    check(text.data, text.len, "minimal");
    assert_int_equal(verdict.diagnostic_count, VALIDATOR_DIAGNOSTICS_CAP);
    assert_int_equal(verdict.diagnostics_left_out, 100 - VALIDATOR_DIAGNOSTICS_CAP);
    buf_clear(&text);
    validator_explain(&verdict, "", 0, &text);
    assert_non_null(strstr(text.data, "... and 80 more problems."));
}

static void test_size(void **state)
{
    struct buf BUF_AUTO text = {0};

    (void)state;
    buf_init(&text, 0);
    while (text.len < VALIDATOR_SOURCE_CAP)
        buf_adds(&text, "x=1\n");
    assert_true(check(text.data, VALIDATOR_SOURCE_CAP, "minimal")->accepted);
    buf_addc(&text, '\n');
    assert_false(check(text.data, text.len, "minimal")->accepted);
    assert_string_equal(verdict.diagnostics[0].code, "too-long");
    assert_int_equal(verdict.diagnostics[0].line, 0);
}

static void test_dump(void **state)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *value = NULL;
    json_t *pandas;

    (void)state;
    buf_init(&text, 0);
    validator_dump_policy(&text);
    value = json_read(text.data, text.len, "the policy", NULL);
    assert_non_null(value);
    pandas = json_object_get(json_object_get(value, "modules"), "pandas");
    assert_string_equal(json_get_string(pandas, "kind"), "data");
    assert_true(json_array_size(json_object_get(pandas, "attributes")) > 50);
    assert_int_equal(json_object_size(json_object_get(value, "names")), policy_name_count);
}

/* The first byte is the fuzzer's own: the profile. */
static void play(const uint8_t *bytes, size_t len)
{
    check((const char *)bytes + 1, len - 1, "data-science");
    assert_true(verdict.accepted == (verdict.diagnostic_count == 0));
}

/* What the fuzzer found or was led to: no crash, and the verdict's promises hold. */
static void test_regression(void **state)
{
    (void)state;
    replay_inputs("tests/fuzz/regression/validator", play);
}

struct tally {
    size_t cases, right;
};

/* One corpus: hostile cases of stage "static" should be refused, ordinary ones accepted. */
static struct tally score(const char *path, bool hostile)
{
    FILE *file = fopen(path, "r");
    char *line = malloc(LINE_CAP);
    struct tally tally = {0, 0};

    assert_non_null(file);
    assert_non_null(line);
    while (fgets(line, (int)LINE_CAP, file)) {
        json_auto_t *value = json_loads(line, JSON_ALLOW_NUL, NULL);
        const json_t *code = json_object_get(value, "code");
        const char *stage = json_get_string(value, "stage");

        if (!json_is_string(code) || (hostile && (!stage || strcmp(stage, "static") != 0)))
            continue;
        check(json_string_value(code), json_string_length(code), json_get_string(value, "profile"));
        tally.cases++;
        tally.right += verdict.accepted != hostile;
        if (!hostile && !verdict.accepted)
            print_message("refused: %s: %s\n", json_get_string(value, "id"),
                          verdict.diagnostics[0].text);
    }
    free(line);
    fclose(file);
    return tally;
}

static void test_corpora(void **state)
{
    const char *shared = getenv("LECTERN_SHARED"); /* NOLINT(concurrency-mt-unsafe): one thread */
    char path[512];
    struct tally hostile, ordinary;

    (void)state;
    snprintf(path, sizeof path, "%s/corpus/malicious.jsonl", shared ? shared : "../shared");
    if (access(path, R_OK) != 0) {
        print_message("SKIPPED: no corpora at %s\n", path);
        skip();
    }
    hostile = score(path, true);
    snprintf(path, sizeof path, "%s/corpus/benign.jsonl", shared ? shared : "../shared");
    ordinary = score(path, false);
    print_message("hostile refused %zu/%zu, ordinary accepted %zu/%zu\n", hostile.right,
                  hostile.cases, ordinary.right, ordinary.cases);
    assert_int_equal(ordinary.right, ordinary.cases);
    assert_true(hostile.right * 100 >= hostile.cases * 96);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile),  cmocka_unit_test(test_ordinary),
        cmocka_unit_test(test_profiles), cmocka_unit_test(test_added_modules),
        cmocka_unit_test(test_tables),   cmocka_unit_test(test_explain),
        cmocka_unit_test(test_many),     cmocka_unit_test(test_size),
        cmocka_unit_test(test_dump),     cmocka_unit_test(test_regression),
        cmocka_unit_test(test_corpora),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

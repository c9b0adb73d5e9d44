/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The way through: bytes, tree, facts, what the compiler refuses, rules, verdict. Every step runs
 * over what could be read, so that a program's problems are told at once.
 */
#include "validator/validator.h"

#include <string.h>

#include "validator/rule/compile.h"
#include "validator/rule/check.h"
#include "validator/source.h"
#include "validator/syntax/parser.h"

/* The order is the one a message shows them in. Everything importable in policy_modules; the tests
 * compare. */
#define MINIMAL_MODULES                                                                            \
    "code_helpers", "bisect", "calendar", "collections", "collections.abc", "copy", "csv",         \
        "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "heapq", "io",     \
        "itertools", "json", "math", "operator", "random", "re", "statistics", "string",           \
        "textwrap", "time", "typing", "unicodedata", "__future__"
#define DATA_SCIENCE_MODULES                                                                       \
    "networkx", "networkx.algorithms", "networkx.algorithms.community", "numpy", "numpy.fft",      \
        "numpy.linalg", "numpy.random", "pandas", "pandas.api.types", "scipy", "scipy.cluster",    \
        "scipy.cluster.hierarchy", "scipy.cluster.vq", "scipy.integrate", "scipy.interpolate",     \
        "scipy.linalg", "scipy.optimize", "scipy.spatial", "scipy.spatial.distance",               \
        "scipy.special", "scipy.stats"

static const char *const minimal_modules[] = {MINIMAL_MODULES, NULL};
static const char *const data_science_modules[] = {MINIMAL_MODULES, DATA_SCIENCE_MODULES, NULL};
static const char *const visualization_modules[] = {MINIMAL_MODULES, DATA_SCIENCE_MODULES,
                                                    "matplotlib.pyplot", NULL};

static const struct validator_profile profiles[PROFILE_COUNT] = {
    {"minimal", PROFILE_MINIMAL, minimal_modules},
    {"data-science", PROFILE_DATA_SCIENCE, data_science_modules},
    {"visualization", PROFILE_VISUALIZATION, visualization_modules},
};

const struct validator_profile *validator_profile_find(const char *name)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    return NULL;
}

const char *validator_profile_name(const struct validator_profile *profile)
{
    return profile->name;
}

const char *validator_profile_names(void)
{
    return "minimal, data-science, visualization";
}

const char *const *validator_profile_modules(const struct validator_profile *profile)
{
    return profile->modules;
}

/* Where there was no memory, not all has been seen. */
static bool check_tree(struct check *check, struct ast *ast, struct facts *facts)
{
    parser_parse(ast, check->report);
    if (ast->failed)
        return false;
    if (ast->nodes[0].height > VALIDATOR_RUN_DEPTH_CAP) {
        report_add(check->report, "limit", 0,
                   "This program nests more than %d levels deep, as a long chain of operators or "
                   "calls does. Work values out in steps, and put long lists of data in brackets "
                   "with commas.",
                   VALIDATOR_RUN_DEPTH_CAP);
        return true;
    }
    facts_init(facts, ast);
    if (facts->failed || (!ast->broken && !compile_check(facts, check->report)))
        return false;
    check_program(check);
    if (ast->broken && check->report->verdict->diagnostic_count == 0)
        report_add(check->report, "syntax", ast->unreported_at,
                   "This cannot be read as Python 3.11. Write the line anew.");
    return !check->failed;
}

bool validator_is_blank(const char *source, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (source[i] == '\0' || !strchr(" \t\n\r\f", source[i]))
            return false;
    }
    return true;
}

void validator_check(const char *source, size_t len, const struct validator_profile *profile,
                     struct verdict *verdict)
{
    struct report report = {.source = source, .len = len, .verdict = verdict};
    struct ast ast;
    struct facts facts = {0};
    struct check check = {.report = &report, .profile = profile, .ast = &ast, .facts = &facts};

    memset(verdict, 0, offsetof(struct verdict, diagnostics));
    verdict->module_count = 0;
    source_check(&report);
    if (verdict->diagnostic_count == 0) {
        ast_init(&ast, source, len);
        if (!check_tree(&check, &ast, &facts))
            report_add_whole(&report, "no-memory",
                             "There was no memory to judge the program. Send it again.");
        facts_finish(&facts);
        ast_finish(&ast);
    }
    verdict->kind = policy_kind_name(check.kind);
    verdict->profile = profiles[check.needs].name;
    report_finish(&report);
#ifdef LECTERN_TEST_WITHOUT_VALIDATOR
    verdict->accepted = true; /* a test looks at what stands behind it */
#endif
}

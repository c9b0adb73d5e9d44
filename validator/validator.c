/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The way through: bytes, tree, facts, what the compiler refuses, rules, verdict. Every step runs
 * over what could be read, so that a program's problems are reported at once.
 */
#include "validator/validator.h"

#include <string.h>

#include "validator/rule/compile.h"
#include "validator/rule/check.h"
#include "validator/source.h"
#include "validator/syntax/parser.h"

static const struct validator_profile profiles[PROFILE_COUNT] = {
    {PROFILE_MINIMAL}, {PROFILE_DATA_SCIENCE}, {PROFILE_VISUALIZATION}};

const struct validator_profile *validator_profile_find(const char *name)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (strcmp(policy_profile_name(profiles[i].rank), name) == 0)
            return &profiles[i];
    return NULL;
}

const char *validator_profile_name(const struct validator_profile *profile)
{
    return policy_profile_name(profile->rank);
}

const char *validator_profile_names(void)
{
    return "minimal, data-science, visualization";
}

bool validator_profile_within(const struct validator_profile *profile,
                              const struct validator_profile *limit)
{
    return profile->rank <= limit->rank;
}

const char *validator_profile_module(const struct validator_profile *profile, size_t index)
{
    return policy_profile_module(profile->rank, index);
}

bool validator_profile_allows(const struct validator_profile *profile, const char *module)
{
    const struct policy_module *row = policy_module_find(module, strlen(module));

    return row && row->importable && row->profile <= profile->rank;
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
                             "There was no memory to check the program. Send it again.");
        facts_finish(&facts);
        ast_finish(&ast);
    }
    verdict->kind = policy_kind_name(check.kind);
    verdict->profile = policy_profile_name(check.needs);
    report_finish(&report);
#ifdef LECTERN_TEST_WITHOUT_VALIDATOR
    verdict->accepted = true; /* a test looks at what stands behind it */
#endif
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One mistake and the one message that it must give: where, and how its text begins.
 */
#ifndef LECTERN_TEST_MISTAKES_H
#define LECTERN_TEST_MISTAKES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "validator/validator.h"

struct mistake {
    const char *source, *code;
    size_t line, column;
    const char *text;
};

static const struct verdict *check(const char *source, const char *profile)
{
    static struct verdict verdict;

    validator_check(source, strlen(source), validator_profile_find(profile), &verdict);
    return &verdict;
}

static void check_mistakes(const struct mistake *mistakes, size_t count, const char *profile)
{
    for (size_t i = 0; i < count; i++) {
        const struct mistake *row = &mistakes[i];
        const struct verdict *verdict = check(row->source, profile);
        const struct diagnostic *first = verdict->diagnostics;

        if (verdict->diagnostic_count != 1)
            fail_msg("%s: gave %zu messages", row->source, verdict->diagnostic_count);
        if (strncmp(first->text, row->text, strlen(row->text)) != 0)
            fail_msg("%s: gave %s", row->source, first->text);
        assert_string_equal(first->code, row->code);
        assert_int_equal(first->line, row->line);
        assert_int_equal(first->column, row->column);
    }
}

#endif

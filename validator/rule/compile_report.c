/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of compile_check share: names, reports, and two checks.
 */
#include "validator/rule/compile_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"

#define MESSAGE_CAP 512

struct compile_name compile_name(const struct compile *compile, uint32_t symbol)
{
    struct compile_name name;
    size_t len, cut;
    const char *text = symbols_text(&compile->ast->symbols, symbol, &len);

    cut = utf8_cut(text, len, sizeof name.text - 1);
    memcpy(name.text, text, cut);
    name.text[cut] = '\0';
    return name;
}

bool compile_name_is(const struct compile *compile, uint32_t symbol, const char *text)
{
    size_t len;
    const char *name = symbols_text(&compile->ast->symbols, symbol, &len);

    return len == strlen(text) && memcmp(name, text, len) == 0;
}

void compile_report(struct compile *compile, uint32_t node, const char *format, ...)
{
    char message[MESSAGE_CAP];
    va_list args;

    if (report_is_full(compile->report))
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    report_add(compile->report, "syntax", compile->nodes[node].at, "%s", message);
}

uint32_t *compile_stamps(struct compile *compile, enum stamps which)
{
    uint32_t **stamps = &compile->stamps[which];

    if (!*stamps)
        *stamps = calloc((size_t)compile->ast->symbols.count + 1, sizeof **stamps);
    compile->failed |= !*stamps;
    return *stamps;
}

/* ---- the stars of an unpacking: one at most, and not too far behind ---- */

void compile_unpacking(struct compile *compile, uint32_t target, bool match)
{
    const struct node *nodes = compile->nodes;
    unsigned star = match ? NODE_MATCH_STAR : NODE_STARRED;
    uint32_t before = 0, stars = 0;

    for (uint32_t child = nodes[target].child; child != NODE_NONE;
         child = nodes[child].next, before++) {
        bool skips = match && nodes[child].name == SYMBOL_NONE; /* *_ needs no place */

        if (nodes[child].kind != star)
            continue;
        if (++stars == 2)
            compile_report(compile, child,
                           "Two starred names stand in one %s. Only one may have a star.",
                           match ? "pattern" : "assignment");
        if (stars == 1 && before > VALIDATOR_TARGETS_CAP && !skips)
            compile_report(compile, child,
                           "More than %d names stand before the starred one. Take the values out "
                           "by index.",
                           VALIDATOR_TARGETS_CAP);
    }
}

/* ---- arguments given twice ---- */

bool compile_keywords(struct compile *compile, uint32_t call, bool reports)
{
    const struct node *nodes = compile->nodes;
    uint32_t *stamps = compile_stamps(compile, STAMPS_SCRATCH), set = ++compile->stamp;
    bool repeats = false;

    for (uint32_t child = nodes[call].child; stamps && child != NODE_NONE;
         child = nodes[child].next) {
        if (nodes[child].kind != NODE_KEYWORD)
            continue;
        if (reports && stamps[nodes[child].name] == set)
            compile_report(compile, child,
                           "The argument '%s' is given twice here. Keep one of the two.",
                           compile_name(compile, nodes[child].name).text);
        repeats |= stamps[nodes[child].name] == set;
        stamps[nodes[child].name] = set;
    }
    return repeats;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/rule/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "validator/rule/compile_internal.h"

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

static void survey(struct compile *compile)
{
    const struct ast *ast = compile->ast;

    for (uint32_t i = 0; i < ast->count; i++) {
        compile->has[ast->nodes[i].kind] = true;
        compile->has_async |= (ast->nodes[i].flags & NODE_ASYNC) != 0;
    }
}

static bool needs_names(const struct compile *compile)
{
    const bool *has = compile->has;

    return has[NODE_GLOBAL] || has[NODE_NONLOCAL] || (has[NODE_WALRUS] && has[NODE_COMPREHENSION]);
}

bool compile_check(const struct facts *facts, struct report *report)
{
    const struct ast *ast = facts->ast;
    struct compile compile = {.facts = facts, .ast = ast, .nodes = ast->nodes, .report = report};

    if (facts->failed || ast->failed)
        return false;
    survey(&compile);
    compile.debug = symbols_find(&ast->symbols, "__debug__", strlen("__debug__"));
    if (compile.has[NODE_IMPORT_FROM])
        compile_future(&compile);
    if (needs_names(&compile))
        compile_names(&compile);
    if (compile.has[NODE_NONLOCAL])
        compile_declared(&compile);
    compile_lists(&compile);
    compile_flow(&compile);
    for (int i = 0; i < STAMPS_COUNT; i++)
        free(compile.stamps[i]);
    return !compile.failed;
}

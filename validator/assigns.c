/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a program binds a name for itself: a question about its facts. A pure function.
 */
#include "validator/validator.h"

#include <stdlib.h>
#include <string.h>

#include "validator/facts/facts.h"
#include "validator/report.h"

bool validator_assigns(const char *source, size_t len, const char *name)
{
    struct verdict *verdict = calloc(1, sizeof *verdict);
    struct report report = {.source = source, .len = len, .verdict = verdict};
    struct ast ast;
    struct facts facts;
    bool found = false;

    if (!verdict || len > VALIDATOR_SOURCE_CAP) {
        free(verdict);
        return false;
    }
    ast_init(&ast, source, len);
    parser_parse(&ast, &report);
    facts_init(&facts, &ast);
    if (!ast.failed && !ast.broken && !facts.failed) {
        uint32_t symbol = symbols_find(&ast.symbols, name, strlen(name));

        for (uint32_t i = 0; symbol != SYMBOL_NONE && i < facts.binding_count; i++)
            found = found || (facts.bindings[i].symbol == symbol && facts.bindings[i].scope == 0);
    }
    facts_finish(&facts);
    ast_finish(&ast);
    free(verdict);
    return found;
}

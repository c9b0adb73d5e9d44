/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/syntax/ast.h"

#include <stdlib.h>
#include <string.h>

#include "validator/limits.h"

#define OWNED (UINT32_C(1) << 31)

void ast_init(struct ast *ast, const char *source, size_t len)
{
    memset(ast, 0, sizeof *ast);
    ast->source = source;
    ast->len = len;
    buf_init(&ast->values, VALIDATOR_PARSE_CAP * 4);
    symbols_init(&ast->symbols, source);
    ast->failed = ast->symbols.failed;
}

void ast_finish(struct ast *ast)
{
    if (!ast)
        return;
    free(ast->nodes);
    free(ast->texts);
    buf_finish(&ast->values);
    symbols_finish(&ast->symbols);
    memset(ast, 0, sizeof *ast);
}

const char *ast_text(const struct ast *ast, uint32_t node, size_t *len)
{
    const struct ast_text *text = &ast->texts[ast->nodes[node].name];

    *len = text->len & ~OWNED;
    return (text->len & OWNED ? ast->values.data : ast->source) + text->at;
}

const char *ast_name(const struct ast *ast, uint32_t node, size_t *len)
{
    return symbols_text(&ast->symbols, ast->nodes[node].name, len);
}

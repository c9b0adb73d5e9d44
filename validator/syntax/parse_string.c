/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * String literals: their values, and literals side by side joined to one.
 */
#include "validator/syntax/parse_string.h"

#include <stdlib.h>
#include <string.h>

#include "validator/limits.h"
#include "validator/syntax/literal.h"

#define OWNED       (UINT32_C(1) << 31)
#define FIRST_TEXTS 64

static uint32_t add_text(struct parser *p, uint32_t at, uint32_t len)
{
    struct ast *ast = p->ast;

    if (ast->text_count == ast->text_size) {
        uint32_t size = ast->text_size ? ast->text_size * 2 : FIRST_TEXTS;
        struct ast_text *texts = realloc(ast->texts, size * sizeof *texts);

        if (!texts) {
            ast->failed = true;
            return UINT32_MAX;
        }
        ast->texts = texts;
        ast->text_size = size;
    }
    ast->texts[ast->text_count] = (struct ast_text){at, len};
    return ast->text_count++;
}

/* Lone surrogates were written as three bytes: ED A0..BF. */
static bool holds_surrogate(const char *text, size_t len)
{
    const char *at = text;

    while (at && (at = memchr(at, 0xED, len - (size_t)(at - text))) != NULL) {
        at++;
        if (at < text + len && (unsigned char)*at >= 0xA0)
            return true;
    }
    return false;
}

static uint32_t new_string(struct parser *p, uint32_t at, uint32_t text, uint16_t flags)
{
    uint32_t node = text == UINT32_MAX ? NODE_NONE : parse_new(p, NODE_STRING, at);

    if (!node)
        return NODE_NONE;
    parse_node(p, node)->name = text;
    parse_node(p, node)->flags |= flags;
    return node;
}

uint32_t parse_owned_string(struct parser *p, uint32_t at, size_t from, uint16_t flags)
{
    size_t start = p->ast->values.len, len = p->value.len - from;

    buf_add(&p->ast->values, p->value.data ? p->value.data + from : "", len);
    if (p->value.failed || p->ast->values.failed) {
        p->ast->failed = true;
        return NODE_NONE;
    }
    if (!(flags & NODE_BYTES) && len && holds_surrogate(p->value.data + from, len))
        flags |= NODE_SURROGATE;
    p->value.len = from;
    return new_string(p, at, add_text(p, (uint32_t)start, (uint32_t)len | OWNED), flags);
}

bool parse_decode(struct parser *p, const struct token *token, size_t from, size_t to)
{
    const char *error = NULL;
    size_t error_at = 0;

    literal_decode(&p->value, p->ast->source, from, to, token->flags, &error, &error_at);
    if (!error)
        return true;
    parse_fail(p, error_at, "%s", error);
    return false;
}

/* Whether the value is the source's own bytes. A line end may stand in any literal, behind a
 * backslash. */
static bool is_plain(const char *text, size_t len, unsigned flags)
{
    return ((flags & TOKEN_RAW) || !memchr(text, '\\', len)) && !memchr(text, '\r', len);
}

/* The usual case: one literal that is no f-string. */
static uint32_t parse_single(struct parser *p)
{
    const struct token token = *parse_token(p);
    uint16_t flags = token.flags & TOKEN_BYTES ? NODE_BYTES : 0;
    size_t start, end, from = p->value.len;

    p->at++;
    literal_body(p->ast->source, &token, &start, &end);
    if (is_plain(p->ast->source + start, end - start, token.flags))
        return new_string(p, token.start, add_text(p, (uint32_t)start, (uint32_t)(end - start)),
                          flags);
    return parse_decode(p, &token, start, end) ? parse_owned_string(p, token.start, from, flags)
                                               : NODE_NONE;
}

/* Several literals, none an f-string. */
static uint32_t parse_plain_strings(struct parser *p, uint32_t end)
{
    uint32_t at = parse_token(p)->start;
    uint16_t flags = parse_token(p)->flags & TOKEN_BYTES ? NODE_BYTES : 0;
    size_t from = p->value.len, start, stop;

    for (; p->at < end; p->at++) {
        literal_body(p->ast->source, parse_token(p), &start, &stop);
        if (!parse_decode(p, parse_token(p), start, stop))
            return NODE_NONE;
    }
    return parse_owned_string(p, at, from, flags);
}

/* Nothing stands between this text and the next: a quote inside of one has cut it. */
static bool is_cut(const struct parser *p)
{
    const struct token *token = parse_token(p);

    return token[0].start + token[0].length == token[1].start;
}

uint32_t parse_strings(struct parser *p)
{
    uint32_t end = p->at, node;
    size_t from = p->value.len;
    unsigned all = p->tokens[p->at].flags, any = 0;

    for (; p->tokens[end].kind == TOKEN_STRING; end++) {
        any |= p->tokens[end].flags;
        all &= p->tokens[end].flags;
    }
    if ((any & TOKEN_BYTES) && (any & TOKEN_FORMATTED) && is_cut(p))
        return parse_fail(p, parse_token(p)->start,
                          "A text inside the braces of an f-string cannot use the f-string's own "
                          "quotes in Python 3.11: write f\"{d['key']}\".");
    if ((any & TOKEN_BYTES) && !(all & TOKEN_BYTES))
        return parse_fail(p, parse_token(p)->start,
                          "Bytes and text stand side by side. Write all of them with b, or none.");
    if (!(any & TOKEN_FORMATTED))
        return end == p->at + 1 ? parse_single(p) : parse_plain_strings(p, end);
    if (p->fstring_depth == VALIDATOR_FSTRING_CAP)
        return parse_fail(p, parse_token(p)->start,
                          "F-strings nest too deeply. Work the inner ones out before.");
    p->fstring_depth++;
    node = parse_fstring(p, end);
    p->fstring_depth--;
    p->value.len = from; /* after an error something is left */
    return node;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * String literals: their values, joining of adjacent literals, and f-strings, whose expressions are
 * parsed by the same rules as the rest of the program.
 */
#include "validator/syntax/parse_internal.h"

#include <stdlib.h>
#include <string.h>

#include "validator/limits.h"
#include "validator/syntax/literal.h"

/* The literals up to the token end, of which one at least is an f-string: JOINED. */
static uint32_t parse_fstring(struct parser *p, uint32_t end);

/* ---- string literals ---- */

#define OWNED (UINT32_C(1) << 31)

static uint32_t add_text(struct parser *p, uint32_t at, uint32_t len)
{
    struct ast *ast = p->ast;

    if (!ast_grow((void **)&ast->texts, ast->text_count, &ast->text_size, sizeof *ast->texts,
                  AST_FIRST_ROWS)) {
        ast->failed = true;
        return UINT32_MAX;
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

/* A STRING of the value at p->value.data + from, which is moved to the tree. */
static uint32_t parse_owned_string(struct parser *p, uint32_t at, size_t from, uint16_t flags)
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

/* Adds the value of source[from..to), part of this literal, to p->value. False after reporting. */
static bool parse_decode(struct parser *p, const struct token *token, size_t from, size_t to)
{
    const char *error = NULL;
    size_t error_at = 0;

    literal_decode(&p->value, p->ast->source, from, to, token->flags, &error, &error_at);
    if (!error)
        return true;
    return parse_fail(p, error_at, "%s", error);
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

/* ---- f-strings, and what stands beside them ---- */

#define LEVELS                                                                                     \
    (FSTRING_SPEC_LEVELS + 1) /* the whole, its formats, and those of fields in these              \
                               */

/* An f-string, or several literals of which one is one, while it is read. */
struct joining {
    size_t pending;   /* where the text that is being put together began in p->value */
    uint32_t text_at; /* byte of the source where it began */
    size_t level;     /* of what is being read: 0 for the whole, else for formats */
    struct {
        struct siblings parts;
        uint32_t field; /* read last; its format is the next level */
    } levels[LEVELS];
};

/* The text read so far becomes a part, where there is any. */
static bool flush(struct parser *p, struct joining *joining)
{
    uint32_t node;

    if (p->value.len == joining->pending)
        return true;
    node = parse_owned_string(p, joining->text_at, joining->pending, NODE_FORMATTED);
    if (!node)
        return false;
    parse_append(p, &joining->levels[joining->level].parts, node);
    return true;
}

/* Ends a format: the field that it belongs to gets it. */
static bool close_format(struct parser *p, struct joining *joining)
{
    struct siblings *parts = &joining->levels[joining->level].parts;
    uint32_t field = joining->levels[joining->level - 1].field, format;

    if (!flush(p, joining))
        return false;
    joining->level--;
    if (!parts->first)
        return true;
    format = parse_new(p, NODE_JOINED, parse_node(p, parts->first)->at);
    if (!format || !parse_adopt(p, format, parts))
        return false;
    parse_node(p, parse_node(p, field)->child)->next = format;
    if (parse_node(p, format)->height >= parse_node(p, field)->height)
        parse_node(p, field)->height = (uint16_t)(parse_node(p, format)->height + 1);
    return true;
}

/* Ends formats, or begins that of the last field, until pieces of this level can be added. */
static bool go_to_level(struct parser *p, struct joining *joining, size_t level)
{
    while (joining->level > level) {
        if (!close_format(p, joining))
            return false;
    }
    if (joining->level < level) {
        if (!flush(p, joining))
            return false;
        joining->level = level;
        joining->levels[level].parts = (struct siblings){0};
    }
    return true;
}

/* The expression of a field, read by the program's own rules. */
static uint32_t parse_field_expression(struct parser *p, const struct fstring_piece *piece)
{
    uint32_t at = p->at, count = p->count, node = NODE_NONE;
    struct tokenizer tokenizer;

    tokenizer_init_field(&tokenizer, p->ast->source, piece->start, piece->end, 1);
    p->at = count;
    if (!parse_add_tokens(p, &tokenizer))
        return NODE_NONE;
    if (p->tokens[p->count - 1].kind == TOKEN_ERROR)
        parse_fail(p, tokenizer.error_at, "%s", tokenizer.error);
    else
        node = parse_group_content(p, (uint32_t)piece->start);
    if (node && parse_token(p)->kind != TOKEN_END)
        node = parse_expected(p, "'}'");
    p->at = at;
    p->count = count;
    return node;
}

/* The text of `{x=}` up to where the value goes. */
static void add_shown_source(struct parser *p, struct joining *joining,
                             const struct fstring_piece *piece)
{
    const char *source = p->ast->source;
    size_t end = piece->end + 1, error_at; /* behind '=' */
    const char *error;                     /* none can be: nothing is escaped */

    while (source[end] && strchr(" \t\n\f\r\v", source[end]))
        end++;
    if (p->value.len == joining->pending)
        joining->text_at = (uint32_t)piece->start;
    literal_decode(&p->value, source, piece->start, end, TOKEN_RAW, &error, &error_at);
}

static bool add_field(struct parser *p, struct joining *joining, const struct fstring_piece *piece)
{
    uint32_t expression, field;

    if (piece->shows_source)
        add_shown_source(p, joining, piece);
    if (!flush(p, joining) || !parse_enter(p))
        return false;
    expression = parse_field_expression(p, piece);
    parse_leave(p);
    if (!expression || !(field = parse_wrap(p, NODE_FIELD, (uint32_t)piece->start, expression)))
        return false;
    parse_node(p, field)->op = (uint8_t)piece->conversion;
    parse_append(p, &joining->levels[joining->level].parts, field);
    joining->levels[joining->level].field = field;
    return true;
}

static bool join_text(struct parser *p, struct joining *joining, const struct token *token,
                      size_t start, size_t end)
{
    if (p->value.len == joining->pending)
        joining->text_at = (uint32_t)start;
    return parse_decode(p, token, start, end);
}

static bool add_literal(struct parser *p, struct joining *joining, const struct token *token)
{
    struct fstring fstring;
    struct fstring_piece piece;
    enum fstring_piece_kind kind;
    size_t start, end;

    if (!(token->flags & TOKEN_FORMATTED)) {
        literal_body(p->ast->source, token, &start, &end);
        return join_text(p, joining, token, start, end);
    }
    fstring_init(&fstring, p->ast->source, token);
    while ((kind = fstring_next(&fstring, &piece)) == FSTRING_FIELD || kind == FSTRING_TEXT) {
        if (!go_to_level(p, joining, piece.level))
            return false;
        if (kind == FSTRING_FIELD ? !add_field(p, joining, &piece)
                                  : !join_text(p, joining, token, piece.start, piece.end))
            return false;
    }
    if (kind == FSTRING_ERROR)
        return parse_fail(p, fstring.error_at, "%s", fstring.error);
    return go_to_level(p, joining, 0);
}

static uint32_t parse_fstring(struct parser *p, uint32_t end)
{
    struct joining joining = {.pending = p->value.len};
    uint32_t at = parse_token(p)->start, node;

    for (; p->at < end; p->at++) {
        const struct token token = *parse_token(p);

        if (!add_literal(p, &joining, &token))
            return NODE_NONE;
    }
    if (!flush(p, &joining) || !(node = parse_new(p, NODE_JOINED, at)))
        return NODE_NONE;
    return parse_adopt(p, node, &joining.levels[0].parts);
}

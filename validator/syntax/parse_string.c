/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * String literals: their values, literals side by side joined to one, and f-strings with the
 * expressions in them, which are read by the same rules as the rest of the program.
 */
#include "validator/syntax/parse.h"

#include <string.h>

#include <stdlib.h>

#include "validator/limits.h"
#include "validator/syntax/fstring.h"
#include "validator/syntax/literal.h"

#define OWNED       (UINT32_C(1) << 31)
#define FIRST_TEXTS 64

/* An f-string, or several literals of which one is one, while it is read. */
struct joining {
    uint32_t at;
    struct siblings parts; /* of the whole */
    uint32_t field;        /* the field whose format is being read, or NODE_NONE */
    struct siblings spec;  /* parts of that format */
    size_t pending;        /* where the text that is being put together began in p->value */
    uint32_t text_at;      /* byte where it began */
};

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

    while ((at = memchr(at, 0xED, len - (size_t)(at - text))) != NULL) {
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

/* A node of the value at p->value.data + from, which is moved to the tree. */
static uint32_t new_owned_string(struct parser *p, uint32_t at, size_t from, uint16_t flags)
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

/* Adds the value of source[from..to) to p->value. */
static bool decode(struct parser *p, const struct token *token, size_t from, size_t to)
{
    const char *error = NULL;
    size_t error_at = 0;

    literal_decode(&p->value, p->ast->source, from, to, token->flags, &error, &error_at);
    if (!error)
        return true;
    parse_fail(p, error_at, "%s", error);
    return false;
}

/* Whether the value is the source's own bytes. */
static bool is_plain(const char *text, size_t len, unsigned flags)
{
    return ((flags & TOKEN_RAW) || !memchr(text, '\\', len)) &&
           (!(flags & TOKEN_TRIPLE) || !memchr(text, '\r', len));
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
    return decode(p, &token, start, end) ? new_owned_string(p, token.start, from, flags)
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
        if (!decode(p, parse_token(p), start, stop))
            return NODE_NONE;
    }
    return new_owned_string(p, at, from, flags);
}

/* The text read so far becomes a part, where there is any. */
static bool flush(struct parser *p, struct joining *joining)
{
    uint32_t node;

    if (p->value.len == joining->pending)
        return true;
    node = new_owned_string(p, joining->text_at, joining->pending, NODE_FORMATTED);
    if (!node)
        return false;
    parse_append(p, joining->field ? &joining->spec : &joining->parts, node);
    return true;
}

/* Ends the format of a field. */
static bool close_spec(struct parser *p, struct joining *joining)
{
    uint32_t spec;

    if (!joining->field)
        return true;
    if (!flush(p, joining))
        return false;
    if (joining->spec.first) {
        spec = parse_new(p, NODE_JOINED, parse_node(p, joining->spec.first)->at);
        if (!spec || !parse_adopt(p, spec, &joining->spec))
            return false;
        parse_node(p, parse_node(p, joining->field)->child)->next = spec;
        if (parse_node(p, spec)->height >= parse_node(p, joining->field)->height)
            parse_node(p, joining->field)->height = (uint16_t)(parse_node(p, spec)->height + 1);
    }
    joining->field = NODE_NONE;
    joining->spec = (struct siblings){0};
    return true;
}

/* The expression of a field, read by the program's own rules. */
static uint32_t parse_field_expression(struct parser *p, const struct fstring_piece *piece)
{
    uint32_t at = p->at, count = p->count, node = NODE_NONE;
    struct tokenizer tokenizer;
    bool tuple_or_generator;

    tokenizer_init_field(&tokenizer, p->ast->source, piece->start, piece->end, 1);
    p->at = count;
    if (!parse_add_tokens(p, &tokenizer))
        return NODE_NONE;
    if (p->tokens[p->count - 1].kind == TOKEN_ERROR)
        parse_fail(p, tokenizer.error_at, "%s", tokenizer.error);
    else
        node = parse_group_content(p, (uint32_t)piece->start, &tuple_or_generator);
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
    size_t end = piece->end + 1; /* behind '=' */

    while (source[end] && strchr(" \t\n\f\r\v", source[end]))
        end++;
    if (p->value.len == joining->pending)
        joining->text_at = (uint32_t)piece->start;
    buf_add(&p->value, source + piece->start, end - piece->start);
}

static bool add_field(struct parser *p, struct joining *joining, const struct fstring_piece *piece)
{
    uint32_t expression, field;

    if (piece->level == 0 && !close_spec(p, joining))
        return false;
    if (piece->shows_source)
        add_shown_source(p, joining, piece);
    if (!flush(p, joining))
        return false;
    if (!parse_enter(p))
        return false;
    expression = parse_field_expression(p, piece);
    parse_leave(p);
    if (!expression || !(field = parse_wrap(p, NODE_FIELD, (uint32_t)piece->start, expression)))
        return false;
    parse_node(p, field)->op = (uint8_t)piece->conversion;
    if (piece->level > 0) {
        parse_append(p, &joining->spec, field);
        return true;
    }
    parse_append(p, &joining->parts, field);
    joining->field = field;
    return true;
}

static bool add_fstring(struct parser *p, struct joining *joining, const struct token *token)
{
    struct fstring fstring;
    struct fstring_piece piece;
    enum fstring_piece_kind kind;

    fstring_init(&fstring, p->ast->source, token);
    while ((kind = fstring_next(&fstring, &piece)) == FSTRING_FIELD || kind == FSTRING_TEXT) {
        if (kind == FSTRING_FIELD) {
            if (!add_field(p, joining, &piece))
                return false;
            continue;
        }
        if (piece.level == 0 && !close_spec(p, joining))
            return false;
        if (p->value.len == joining->pending)
            joining->text_at = (uint32_t)piece.start;
        if (!decode(p, token, piece.start, piece.end))
            return false;
    }
    if (kind == FSTRING_ERROR) {
        parse_fail(p, fstring.error_at, "%s", fstring.error);
        return false;
    }
    return close_spec(p, joining);
}

static uint32_t parse_joined(struct parser *p, uint32_t end)
{
    struct joining joining = {.at = parse_token(p)->start, .pending = p->value.len};
    size_t start, stop;
    uint32_t node;

    for (; p->at < end; p->at++) {
        const struct token token = *parse_token(p);

        if (token.flags & TOKEN_FORMATTED) {
            if (!add_fstring(p, &joining, &token))
                return NODE_NONE;
            continue;
        }
        literal_body(p->ast->source, &token, &start, &stop);
        if (p->value.len == joining.pending)
            joining.text_at = token.start;
        if (!decode(p, &token, start, stop))
            return NODE_NONE;
    }
    if (!flush(p, &joining) || !(node = parse_new(p, NODE_JOINED, joining.at)))
        return NODE_NONE;
    return parse_adopt(p, node, &joining.parts);
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
    if ((any & TOKEN_BYTES) && !(all & TOKEN_BYTES))
        return parse_fail(p, parse_token(p)->start,
                          "Bytes and text stand side by side. Write all of them with b, or none.");
    if (!(any & TOKEN_FORMATTED))
        return end == p->at + 1 ? parse_single(p) : parse_plain_strings(p, end);
    if (p->fstring_depth == VALIDATOR_FSTRING_CAP)
        return parse_fail(p, parse_token(p)->start,
                          "F-strings nest too deeply. Work the inner ones out before.");
    p->fstring_depth++;
    node = parse_joined(p, end);
    p->fstring_depth--;
    p->value.len = from; /* after an error something is left */
    return node;
}

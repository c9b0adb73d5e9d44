/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * F-strings, and what stands beside them, with the expressions in them, which are read by the same
 * rules as the rest of the program.
 */
#include "validator/syntax/parse_string.h"

#include <string.h>

#include "validator/syntax/fstring.h"
#include "validator/syntax/literal.h"

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

static bool add_text(struct parser *p, struct joining *joining, const struct token *token,
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
        return add_text(p, joining, token, start, end);
    }
    fstring_init(&fstring, p->ast->source, token);
    while ((kind = fstring_next(&fstring, &piece)) == FSTRING_FIELD || kind == FSTRING_TEXT) {
        if (!go_to_level(p, joining, piece.level))
            return false;
        if (kind == FSTRING_FIELD ? !add_field(p, joining, &piece)
                                  : !add_text(p, joining, token, piece.start, piece.end))
            return false;
    }
    if (kind == FSTRING_ERROR) {
        parse_fail(p, fstring.error_at, "%s", fstring.error);
        return false;
    }
    return go_to_level(p, joining, 0);
}

uint32_t parse_fstring(struct parser *p, uint32_t end)
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

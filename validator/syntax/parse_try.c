/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `try` and its handlers.
 */
#include "validator/syntax/parse.h"

#include <string.h>

/* Behind `except` or `except *`. */
static uint32_t parse_handler(struct parser *p, bool star)
{
    uint32_t node = parse_new(p, NODE_HANDLER, p->tokens[p->at - 1].start);
    struct siblings parts = {0};

    if (!node)
        return NODE_NONE;
    if (star || !parse_is_op(p, ':')) {
        if (!parse_append_part(p, &parts, parse_expression(p)))
            return NODE_NONE;
        parse_node(p, node)->flags |= NODE_HAS_TYPE;
        if (parse_is_op(p, ','))
            return parse_fail(p, parse_node(p, node)->at,
                              "Put several exceptions in parentheses, and the name behind 'as': "
                              "except (A, B) as e:");
        if (parse_take_keyword(p, KEYWORD_AS)) {
            if (!parse_is_name(p))
                return parse_expected(p, "a name behind 'as'");
            parse_node(p, node)->at = parse_token(p)->start;
            parse_node(p, node)->name = parse_symbol(p);
            if (!parse_node(p, node)->name)
                return NODE_NONE;
        }
    }
    return parse_append_block(p, &parts, NODE_BLOCK) ? parse_adopt(p, node, &parts) : NODE_NONE;
}

static bool append_handlers(struct parser *p, struct siblings *parts, bool *star)
{
    bool first = true;

    for (; parse_take_keyword(p, KEYWORD_EXCEPT); first = false) {
        bool starred = parse_take_op(p, '*');

        if (!first && starred != *star) {
            parse_fail(p, p->tokens[p->at - 1].start,
                       "'except' and 'except*' cannot stand in one try. Write one kind.");
            return false;
        }
        *star = starred;
        if (!parse_append_part(p, parts, parse_handler(p, starred)))
            return false;
    }
    return true;
}

static const char try_alone[] =
    "This try has neither except nor finally. Add: except Exception as e: print(e).";

/* catch E as e: tells itself, and the try before it needs no words. */
static bool at_catch(const struct parser *p)
{
    const struct token *token = parse_token(p);

    return token->kind == TOKEN_NAME && token->length == 5 &&
           memcmp(p->ast->source + token->start, "catch", 5) == 0 && token[1].kind == TOKEN_NAME;
}

uint32_t parse_try(struct parser *p)
{
    uint32_t start = parse_token(p)->start, node = parse_new(p, NODE_TRY, start), handlers;
    struct siblings parts = {0};
    bool star = false;

    p->at++;
    if (!node || !parse_append_block(p, &parts, NODE_BLOCK))
        return NODE_NONE;
    handlers = parts.last;
    if (!append_handlers(p, &parts, &star))
        return NODE_NONE;
    if (parts.last == handlers && parse_is_keyword(p, KEYWORD_ELSE))
        parse_fail(p, start, "%s", try_alone);
    if (!parse_append_clause(p, &parts, KEYWORD_ELSE, NODE_ELSE))
        return NODE_NONE;
    handlers = parts.last != handlers;
    if (parse_is_keyword(p, KEYWORD_FINALLY))
        handlers = 1;
    if (!parse_append_clause(p, &parts, KEYWORD_FINALLY, NODE_FINALLY))
        return NODE_NONE;
    if (!handlers && at_catch(p))
        parse_leave_unreported(p, start);
    else if (!handlers) /* the block was read: go on behind it */
        parse_fail(p, start, "%s", try_alone);
    p->quiet = false;
    if (star)
        parse_node(p, node)->flags |= NODE_STAR;
    return parse_adopt(p, node, &parts);
}

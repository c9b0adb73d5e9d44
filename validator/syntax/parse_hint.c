/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words for what is no Python: the mistake that is behind it, where the place shows which one
 * it is, else what was expected.
 */
#include "validator/syntax/hint.h"

#include <string.h>

#include "validator/syntax/keyword.h"

static const struct hint *const hint_tables[] = {
    hints_of_other_tools,
    hints_in_imports,
    hints_in_statements,
    hints_in_expressions,
};

bool hint_is_word(const struct place *place, const struct token *token, const char *words)
{
    const char *text = place->p->ast->source + token->start;
    size_t len = token->length;

    if (token->kind != TOKEN_NAME)
        return false;
    for (const char *word = words; *word;) {
        size_t size = strcspn(word, " ");

        if (size == len && memcmp(word, text, len) == 0)
            return true;
        word += size + (word[size] == ' ');
    }
    return false;
}

bool hint_begins_with(const struct place *place, const char *words)
{
    return hint_is_word(place, place->first, words);
}

bool hint_is_value(const struct token *token)
{
    return token->kind == TOKEN_NUMBER || token->kind == TOKEN_STRING ||
           (token->kind == TOKEN_NAME && token->id == KEYWORD_NONE);
}

bool hint_ends_value(const struct token *token)
{
    return hint_is_value(token) || hint_is_op(token, ')') || hint_is_op(token, ']') ||
           hint_is_op(token, '}') ||
           (token->kind == TOKEN_NAME && (token->id == KEYWORD_TRUE || token->id == KEYWORD_FALSE ||
                                          token->id == KEYWORD_NONE_VALUE));
}

bool hint_adjoin(const struct token *left, const struct token *right)
{
    return left->start + left->length == right->start;
}

/* The first token of the logical line. */
static const struct token *line_start(const struct parser *p, const struct token *here)
{
    while (here > p->tokens && here[-1].kind != TOKEN_NEWLINE && here[-1].kind != TOKEN_INDENT &&
           here[-1].kind != TOKEN_DEDENT && here[-1].kind != TOKEN_END &&
           here[-1].kind != TOKEN_ERROR)
        here--;
    return here;
}

static const struct token *open_bracket(const struct token *first, const struct token *here)
{
    unsigned closed = 0;

    for (int i = 0; here > first && i < HINT_LOOK_BACK; i++) {
        here--;
        if (hint_is_op(here, ')') || hint_is_op(here, ']') || hint_is_op(here, '}'))
            closed++;
        else if ((hint_is_op(here, '(') || hint_is_op(here, '[') || hint_is_op(here, '{')) &&
                 closed-- == 0)
            return here;
    }
    return NULL;
}

static const char *describe(const struct parser *p, const struct token *token, int *len)
{
    *len = -1;
    switch (token->kind) {
    case TOKEN_END: /* each f-string's field has an end of its own */
        return token->start < p->ast->len ? "the end of the field" : "the end of the program";
    case TOKEN_NEWLINE:
        return "the end of the line";
    case TOKEN_INDENT:
        return "a deeper indentation";
    case TOKEN_DEDENT:
        return "the end of the block";
    case TOKEN_STRING:
        return "a text";
    default:
        *len = token->length > 40 ? 40 : (int)token->length;
        return p->ast->source + token->start;
    }
}

/* Whether one of the tables knew it. */
static bool tell_hint(struct parser *p, const struct place *place)
{
    for (size_t i = 0; i < sizeof hint_tables / sizeof *hint_tables; i++) {
        for (const struct hint *hint = hint_tables[i]; hint->find; hint++) {
            const struct token *at = hint->find(place);

            if (!at)
                continue;
            if (hint->text)
                parse_fail(p, at->start, "%s", hint->text);
            else
                parse_leave_unreported(p, at->start);
            return true;
        }
    }
    return false;
}

uint32_t parse_expected(struct parser *p, const char *what)
{
    const struct token *here = parse_token(p);
    struct place place = {.p = p, .here = here, .first = line_start(p, here), .wanted = what};
    const char *found;
    int len;

    if (p->quiet || here->start >= p->unreadable || parse_tell_unreadable(p, here->start)) {
        p->ast->broken = true;
        return NODE_NONE;
    }
    if (p->report->verdict->diagnostic_count == VALIDATOR_DIAGNOSTICS_CAP) /* only counted */
        return parse_fail(p, here->start, "%s", what);
    place.open = open_bracket(place.first, here);
    if (tell_hint(p, &place))
        return NODE_NONE;
    found = describe(p, here, &len);
    if (len < 0)
        return parse_fail(p, here->start, "Expected %s here, not %s.", what, found);
    return parse_fail(p, here->start, "Expected %s here, not '%.*s'.", what, len, found);
}

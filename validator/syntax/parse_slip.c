/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words for what is no Python: what was expected, and, where the place shows which slip is
 * behind it, how to mend that. The slips are a table; each row looks at the tokens around the
 * place.
 */
#include "validator/syntax/parse.h"

#include <string.h>

#include "validator/syntax/keyword.h"

struct place {
    const struct parser *p;
    const struct token *here, *first; /* where it went wrong; the first token of its line */
};

static bool is_word(const struct place *place, const struct token *token, const char *words)
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

static bool is_op(const struct token *token, unsigned op)
{
    return token->kind == TOKEN_OP && token->id == op;
}

static bool is_value(const struct token *token)
{
    return token->kind == TOKEN_NUMBER || token->kind == TOKEN_STRING ||
           (token->kind == TOKEN_NAME && token->id == KEYWORD_NONE);
}

static bool ends_value(const struct token *token)
{
    return is_value(token) || is_op(token, ')') || is_op(token, ']') || is_op(token, '}') ||
           (token->kind == TOKEN_NAME && (token->id == KEYWORD_TRUE || token->id == KEYWORD_FALSE ||
                                          token->id == KEYWORD_NONE_VALUE));
}

static bool begins_with(const struct place *place, const char *words)
{
    return is_word(place, place->first, words);
}

static const struct token *print_statement(const struct place *place)
{
    const struct token *before = place->here - (place->here > place->first);

    return ends_value(place->here) && before != place->here && is_word(place, before, "print")
               ? before
               : NULL;
}

static const struct token *old_statement(const struct place *place)
{
    return place->here == place->first + 1 && is_value(place->here) &&
                   begins_with(place, "exec type")
               ? place->first
               : NULL;
}

static const struct token *other_language(const struct place *place)
{
    return place->here > place->first && is_value(place->here) &&
                   begins_with(place, "function func fn let const var public private static int "
                                      "string String void")
               ? place->first
               : NULL;
}

static const struct token *other_branch(const struct place *place)
{
    return place->here > place->first &&
                   begins_with(place, "elseif elsif switch foreach unless until")
               ? place->first
               : NULL;
}

static const struct token *assigned_in_condition(const struct place *place)
{
    return is_op(place->here, '=') && begins_with(place, "if elif while") ? place->first : NULL;
}

static const struct token *keyword_assigned(const struct place *place)
{
    const struct token *token = place->here;

    if (is_op(token, '=') && token > place->first)
        token--;
    return token->kind == TOKEN_NAME && token->id != KEYWORD_NONE && is_op(token + 1, '=') &&
                   (token == place->first || is_op(token - 1, '(') || is_op(token - 1, ','))
               ? token
               : NULL;
}

static const struct token *else_if(const struct place *place)
{
    return begins_with(place, "else") && place->here <= place->first + 1 &&
                   is_word(place, place->first + 1, "if")
               ? place->first + 1
               : NULL;
}

/* else and the like behind something on the same line. */
static const struct token *clause_in_line(const struct place *place)
{
    return place->here > place->first && is_word(place, place->here, "elif else except finally")
               ? place->here
               : NULL;
}

static const struct token *then_word(const struct place *place)
{
    return begins_with(place, "if elif while for") && is_word(place, place->here, "then do")
               ? place->here
               : NULL;
}

static const struct token *raise_comma(const struct place *place)
{
    return begins_with(place, "raise") && is_op(place->here, ',') ? place->here : NULL;
}

static const struct token *walrus_statement(const struct place *place)
{
    return is_op(place->here, OP_WALRUS) ? place->here : NULL;
}

static bool is_keyword(const struct token *token)
{
    return token->kind == TOKEN_NAME && token->id != KEYWORD_NONE;
}

static const struct token *keyword_as_name(const struct place *place)
{
    const struct token *before = place->here - 1;

    return is_keyword(place->here) && place->here > place->first &&
                   (is_op(before, '.') || is_word(place, before, "def class as global nonlocal"))
               ? place->here
               : NULL;
}

static const struct token *statement_as_value(const struct place *place)
{
    return place->here > place->first &&
                   is_word(place, place->here,
                           "return pass break continue raise assert del import global nonlocal "
                           "with while try def class") &&
                   !ends_value(place->here - 1) && place->here[-1].kind == TOKEN_OP
               ? place->here
               : NULL;
}

static const struct token *second_statement(const struct place *place)
{
    return place->here > place->first &&
                   is_word(place, place->here,
                           "return pass break continue raise assert del import from global "
                           "nonlocal with while try def class for if")
               ? place->here
               : NULL;
}

/* A value where the header's ':' must be. */
static const struct token *colon_in_line(const struct place *place)
{
    for (const struct token *token = place->first; token < place->here; token++)
        if (is_op(token, ':'))
            return NULL;
    return place->here > place->first + 1 && begins_with(place, "if elif while for with") &&
                   place->here[1].kind != TOKEN_NEWLINE && ends_value(place->here - 1) &&
                   place->here->kind == TOKEN_NAME && is_op(place->here + 1, '(')
               ? place->here
               : NULL;
}

static const struct token *stray_clause(const struct place *place)
{
    return place->here == place->first && begins_with(place, "elif else except finally case")
               ? place->first
               : NULL;
}

static const struct token *import_from(const struct place *place)
{
    return begins_with(place, "import") && is_word(place, place->here, "from") ? place->here : NULL;
}

static const struct token *import_incomplete(const struct place *place)
{
    return begins_with(place, "import") && place->here > place->first ? place->here : NULL;
}

static const struct token *from_incomplete(const struct place *place)
{
    return begins_with(place, "from") && place->here->kind == TOKEN_NEWLINE &&
                   !is_op(place->here - 1, ',')
               ? place->here
               : NULL;
}

static const struct token *from_comma(const struct place *place)
{
    return begins_with(place, "from") && place->here > place->first && is_op(place->here - 1, ',')
               ? place->here
               : NULL;
}

static const struct token *missing_colon(const struct place *place)
{
    bool header = begins_with(place, "if elif else for while def class with try except finally") ||
                  (begins_with(place, "match case async") && place->here > place->first + 1);

    return header && place->here->kind == TOKEN_NEWLINE && place->here > place->first ? place->here
                                                                                      : NULL;
}

static const struct token *brace_block(const struct place *place)
{
    return is_op(place->here, '{') && place->here > place->first &&
                   begins_with(place, "if elif else for while def class with try except finally")
               ? place->here
               : NULL;
}

static const struct token *side_by_side(const struct place *place)
{
    return place->here > place->first && ends_value(place->here - 1) && is_value(place->here)
               ? place->here
               : NULL;
}

static const struct token *third_sign(const struct place *place)
{
    return place->here > place->first && is_op(place->here, '=') &&
                   (is_op(place->here - 1, OP_EQUAL) || is_op(place->here - 1, OP_NOT_EQUAL))
               ? place->here - 1
               : NULL;
}

static const struct token *reversed_sign(const struct place *place)
{
    return (is_op(place->here, '>') || is_op(place->here, '<')) && place->here > place->first &&
                   is_op(place->here - 1, '=')
               ? place->here - 1
               : NULL;
}

static const struct token *line_ends_early(const struct place *place)
{
    return place->here->kind == TOKEN_NEWLINE && place->here > place->first &&
                   place->here[-1].kind == TOKEN_OP && !is_op(place->here - 1, ':')
               ? place->here
               : NULL;
}

/* The first row that fits. `find` gives the token to point at, or NULL. */
static const struct slip {
    const struct token *(*find)(const struct place *place);
    const char *text;
} slips[] = {
    {print_statement, "print is a function: print(value)."},
    {old_statement, "This is no statement of Python 3.11."},
    {other_language, "This is another language's keyword. In Python write def NAME(...): for a "
                     "function, and NAME = VALUE for a variable."},
    {other_branch, "This is another language's keyword. In Python write if, elif, else, for and "
                   "while, each with ':' at the end."},
    {assigned_in_condition, "'=' assigns; to compare in this condition write '=='."},
    {keyword_assigned,
     "This word is part of the language and cannot be given a value. Choose another name."},
    {else_if, "'else if' is written elif in Python."},
    {then_word, "Python has no such word. End the condition with ':'."},
    {raise_comma, "Write raise ValueError(TEXT): the text stands in brackets."},
    {walrus_statement, "':=' cannot stand here. As a statement write '='; inside an expression put "
                       "it in brackets: (n := len(x))."},
    {stray_clause, "This clause has no statement before it that it could belong to. Indent it like "
                   "its if, for, while, try or match, with nothing between them."},
    {import_from, "Write from MODULE import NAME."},
    {import_incomplete, "This import statement is not complete: write import MODULE, or import "
                        "MODULE as NAME."},
    {from_comma, "This import statement is not complete: a name must follow. Delete a comma at "
                 "the end, or put the names in parentheses."},
    {from_incomplete, "This import statement is not complete: write from MODULE import NAME."},
    {missing_colon, "A ':' is missing at the end of this line."},
    {brace_block, "Python has no braces around blocks. End the line with ':' and indent the lines "
                  "that belong to it."},
    {third_sign, "Python has no '===' and no '!=='. Write '==' or '!='."},
    {reversed_sign, "Write '>=' or '<='; '=' comes last."},
    {clause_in_line, "This clause begins a line of its own, indented like the statement it belongs "
                     "to. In an expression write A if CONDITION else B."},
    {keyword_as_name,
     "This word is part of the language and is no name. Choose another one, such as with '_' "
     "behind it."},
    {statement_as_value, "A statement cannot stand inside an expression. A lambda holds one value; "
                         "write def for more."},
    {second_statement, "A second statement begins here. Put it on a line of its own."},
    {colon_in_line, "A ':' is missing before this place; behind it the statement begins."},
    {side_by_side, "Two values stand side by side here. An operator, a comma or a quotation mark "
                   "is missing before this place."},
    {line_ends_early, "The line ends in the middle of an expression. Finish it, or put all of it "
                      "in brackets to go on in the next line."},
};

/* The first token of the logical line. */
static const struct token *line_start(const struct parser *p, const struct token *here)
{
    while (here > p->tokens && here[-1].kind != TOKEN_NEWLINE && here[-1].kind != TOKEN_INDENT &&
           here[-1].kind != TOKEN_DEDENT && here[-1].kind != TOKEN_END)
        here--;
    return here;
}

static const char *describe(const struct parser *p, const struct token *token, int *len)
{
    *len = -1;
    switch (token->kind) {
    case TOKEN_END:
        return "the end of the program";
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

uint32_t parse_expected(struct parser *p, const char *what)
{
    const struct token *here = parse_token(p);
    struct place place = {p, here, line_start(p, here)};
    const char *found;
    int len;

    if (p->quiet || here->start >= p->unreadable) {
        p->ast->broken = true;
        return NODE_NONE;
    }
    if (p->report->verdict->diagnostic_count == VALIDATOR_DIAGNOSTICS_CAP) /* only counted */
        return parse_fail(p, here->start, "%s", what);
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        const struct token *at = slips[i].find(&place);

        if (at)
            return parse_fail(p, at->start, "%s", slips[i].text);
    }
    found = describe(p, here, &len);
    if (len < 0)
        return parse_fail(p, here->start, "Expected %s here, not %s.", what, found);
    return parse_fail(p, here->start, "Expected %s here, not '%.*s'.", what, len, found);
}

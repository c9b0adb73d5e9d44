/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Mistakes in statements: imports, headers and their ':', clauses, words of the language out of
 * place.
 */
#include "validator/syntax/hint.h"

#include "validator/syntax/keyword.h"

/* ---- imports ---- */

static bool in_import(const struct place *place)
{
    return hint_begins_with(place, "import") && hint_is_behind(place, 1);
}

static bool in_from(const struct place *place)
{
    return hint_begins_with(place, "from") && hint_is_behind(place, 1);
}

/* Behind the word import of from MODULE import NAME. */
static bool in_members(const struct place *place)
{
    if (!in_from(place))
        return false;
    for (const struct token *token = place->first + 1;
         token < place->here && token < place->first + HINT_LOOK_BACK; token++)
        if (hint_is_word(place, token, "import"))
            return true;
    return false;
}

static const struct token *import_from(const struct place *place)
{
    return in_import(place) && hint_is_word(place, place->here, "from") ? place->here : NULL;
}

static const struct token *two_imports(const struct place *place)
{
    return (in_import(place) || in_members(place)) &&
                   hint_is_word(place, place->here, "import from")
               ? place->here
               : NULL;
}

static const struct token *quoted(const struct place *place)
{
    return (in_import(place) || in_from(place)) &&
                   (place->here->kind == TOKEN_STRING || hint_is_op(place->here, '{') ||
                    (in_import(place) && hint_is_op(place->here, '*')))
               ? place->here
               : NULL;
}

static const struct token *name_in_two(const struct place *place)
{
    return in_from(place) && !in_members(place) && hint_is_behind(place, 2) &&
                   (hint_is_op(place->here, '-') || hint_is_value(place->here))
               ? place->first + 1
               : NULL;
}

static const struct token *hyphen(const struct place *place)
{
    return in_import(place) && hint_is_op(place->here, '-') ? place->first + 1 : NULL;
}

static const struct token *comma_missing(const struct place *place)
{
    return (in_import(place) || in_members(place)) && hint_is_value(place->here) &&
                   hint_is_value(place->here - 1)
               ? place->here
               : NULL;
}

static const struct token *dotted_member(const struct place *place)
{
    return in_members(place) && hint_is_op(place->here, '.') ? place->here : NULL;
}

static const struct token *member_missing(const struct place *place)
{
    return in_from(place) && hint_is_op(place->here - 1, ',') ? place->here : NULL;
}

static const struct token *from_incomplete(const struct place *place)
{
    return in_from(place) && place->here->kind == TOKEN_NEWLINE ? place->here : NULL;
}

static const struct token *import_incomplete(const struct place *place)
{
    return in_import(place) ? place->here : NULL;
}

const struct hint hints_in_imports[] = {
    {import_from, "Write it the other way round: from MODULE import NAME."},
    {two_imports, "A second import begins here. Put it on a line of its own."},
    {quoted, "Write import MODULE or from MODULE import NAME, without braces, quotes or '*'."},
    {name_in_two, "A module's name is one word with '_' in it and no '-': from code_helpers import "
                  "get_nodes."},
    {hyphen, "A module's name is one word with '_' in it and no '-': import code_helpers."},
    {comma_missing, "A comma is missing between these names."},
    {dotted_member, "A name behind import has no dots. Move what stands before the dot: from "
                    "MODULE.INNER import NAME."},
    {member_missing, "This import statement is not complete: a name must follow. Delete a comma at "
                     "the end, or put the names in parentheses."},
    {from_incomplete, "This import statement is not complete: write from MODULE import NAME."},
    {import_incomplete, "This import statement is not complete: write import MODULE, or import "
                        "MODULE as NAME."},
    {NULL, NULL},
};

/* ---- other statements ---- */

#define HEADERS "if elif else for while def class with try except finally"

static bool is_keyword(const struct token *token)
{
    return token->kind == TOKEN_NAME && token->id != KEYWORD_NONE;
}

static bool is_layout(const struct token *token)
{
    return token->kind == TOKEN_NEWLINE || token->kind == TOKEN_INDENT ||
           token->kind == TOKEN_DEDENT;
}

/* The first token of the line before, or NULL. */
static const struct token *line_before(const struct place *place)
{
    const struct token *start = place->p->tokens, *token = place->first;

    while (token > start && is_layout(token - 1))
        token--;
    for (int i = 0; token > start && !is_layout(token - 1); i++, token--)
        if (i == HINT_LOOK_BACK)
            return NULL;
    return token < place->first ? token : NULL;
}

/* The INDENT follows a ':' and the line's end. */
static bool opens_block(const struct place *place, const struct token *indent)
{
    return indent - place->p->tokens >= 2 && indent[-1].kind == TOKEN_NEWLINE &&
           hint_is_op(indent - 2, ':');
}

/* A chain over several lines is told at the first of them, or with its indentation. */
static const struct token *chain_goes_on(const struct place *place)
{
    const struct token *before;

    if (place->here != place->first || !hint_is_op(place->here, '.') || !place->p->ast->broken)
        return NULL;
    if (place->first > place->p->tokens && place->first[-1].kind == TOKEN_INDENT)
        return opens_block(place, place->first - 1) ? NULL : place->here;
    before = line_before(place);
    return before && hint_is_op(before, '.') ? place->here : NULL;
}

static const struct token *chain_begins(const struct place *place)
{
    return place->here == place->first && hint_is_op(place->here, '.') ? place->here : NULL;
}

static const struct token *default_case(const struct place *place)
{
    return place->here == place->first && hint_begins_with(place, "default") ? place->here : NULL;
}

static const struct token *match_header(const struct place *place)
{
    return place->here == place->first + 1 && hint_begins_with(place, "match") &&
                   hint_is_value(place->here)
               ? place->first
               : NULL;
}

static const struct token *case_header(const struct place *place)
{
    return place->here == place->first + 1 && hint_begins_with(place, "case") &&
                   (hint_is_value(place->here) || is_keyword(place->here))
               ? place->first
               : NULL;
}

/* Below a match or case line that was told. */
static const struct token *case_of_told(const struct place *place)
{
    const struct token *start = place->p->tokens;

    if (!case_header(place) || !place->p->ast->broken)
        return NULL;
    for (const struct token *token = place->first - 1;
         token >= start && place->first - token < HINT_LOOK_BACK; token--)
        if ((token == start || is_layout(token - 1)) && hint_is_word(place, token, "match case"))
            return place->first;
    return NULL;
}

static const struct token *semicolon(const struct place *place)
{
    return hint_is_op(place->here, ';') && hint_begins_with(place, HEADERS) && !place->open
               ? place->here
               : NULL;
}

static const struct token *def_without_brackets(const struct place *place)
{
    return place->here == place->first + 2 && hint_begins_with(place, "def") &&
                   (hint_is_op(place->here, ':') || place->here->kind == TOKEN_NEWLINE)
               ? place->here
               : NULL;
}

static const struct token *def_name_in_two(const struct place *place)
{
    return place->here == place->first + 2 && hint_begins_with(place, "def") &&
                   (hint_is_op(place->here, '-') || hint_is_value(place->here))
               ? place->first + 1
               : NULL;
}

static const struct token *arrow_of_def(const struct place *place)
{
    return hint_begins_with(place, "def") && !place->open && hint_is_behind(place, 1) &&
                   ((hint_is_op(place->here, '=') && hint_is_op(place->here + 1, '>')) ||
                    (hint_is_op(place->here, '-') && hint_is_op(place->here + 1, '>')))
               ? place->here
               : NULL;
}

static const struct token *keyword_assigned(const struct place *place)
{
    const struct token *token = place->here;

    if (hint_is_op(token, '=') && token > place->first)
        token--;
    return is_keyword(token) && hint_is_op(token + 1, '=') &&
                   (token == place->first || hint_is_op(token - 1, '(') ||
                    hint_is_op(token - 1, ','))
               ? token
               : NULL;
}

static const struct token *raise_comma(const struct place *place)
{
    return hint_begins_with(place, "raise") && hint_is_op(place->here, ',') ? place->here : NULL;
}

static const struct token *assigned_in_statement(const struct place *place)
{
    return hint_is_op(place->here, '=') && !place->open && hint_is_behind(place, 1) &&
                   hint_begins_with(place, "return global nonlocal assert raise yield")
               ? place->here
               : NULL;
}

static const struct token *stray_clause(const struct place *place)
{
    return place->here == place->first && hint_begins_with(place, "elif else except finally case")
               ? place->first
               : NULL;
}

static const struct token *missing_colon(const struct place *place)
{
    bool header = hint_begins_with(place, HEADERS) ||
                  (hint_begins_with(place, "match case async") && hint_is_behind(place, 2));

    return header && !place->open && place->here->kind == TOKEN_NEWLINE &&
                   hint_is_behind(place, 1) &&
                   (place->here[-1].kind != TOKEN_OP || hint_ends_value(place->here - 1))
               ? place->here
               : NULL;
}

/* else print(x) */
static const struct token *colon_behind_word(const struct place *place)
{
    return place->here == place->first + 1 && hint_begins_with(place, "else try finally") &&
                   (hint_is_value(place->here) || is_keyword(place->here))
               ? place->here
               : NULL;
}

/* A value where the header's ':' must be. */
static const struct token *colon_in_line(const struct place *place)
{
    for (const struct token *token = place->first;
         token < place->here && token < place->first + HINT_LOOK_BACK; token++)
        if (hint_is_op(token, ':'))
            return NULL;
    return hint_is_behind(place, 2) && !place->open &&
                   hint_begins_with(place, "if elif while for with") &&
                   hint_ends_value(place->here - 1) &&
                   ((place->here->kind == TOKEN_NAME && hint_is_op(place->here + 1, '(')) ||
                    hint_is_word(place, place->here, "return pass break continue raise"))
               ? place->here
               : NULL;
}

static const struct token *needless_colon(const struct place *place)
{
    return hint_is_op(place->here, ':') && place->here[1].kind == TOKEN_NEWLINE && !place->open &&
                   hint_is_behind(place, 1) && !hint_begins_with(place, HEADERS)
               ? place->here
               : NULL;
}

static const struct token *for_without_in(const struct place *place)
{
    if (!hint_begins_with(place, "for") || !hint_is_behind(place, 2) || place->open ||
        !hint_is_value(place->here))
        return NULL;
    for (const struct token *token = place->first;
         token < place->here && token < place->first + HINT_LOOK_BACK; token++)
        if (hint_is_word(place, token, "in"))
            return NULL;
    return place->here;
}

static const struct token *clause_in_line(const struct place *place)
{
    return hint_is_behind(place, 1) && !place->open &&
                   hint_is_word(place, place->here, "elif else except finally")
               ? place->here
               : NULL;
}

static const struct token *keyword_as_name(const struct place *place)
{
    return hint_is_behind(place, 1) && is_keyword(place->here) &&
                   (hint_is_op(place->here - 1, '.') ||
                    hint_is_word(place, place->here - 1, "def class as global nonlocal"))
               ? place->here
               : NULL;
}

static const struct token *statement_as_value(const struct place *place)
{
    return hint_is_behind(place, 1) &&
                   hint_is_word(place, place->here,
                                "return pass break continue raise assert del import global "
                                "nonlocal with while try def class") &&
                   !hint_ends_value(place->here - 1) && place->here[-1].kind == TOKEN_OP
               ? place->here
               : NULL;
}

static const struct token *second_statement(const struct place *place)
{
    return hint_is_behind(place, 1) && !place->open &&
                   hint_is_word(place, place->here,
                                "return pass break continue raise assert del import from global "
                                "nonlocal with while try def class for if")
               ? place->here
               : NULL;
}

/* x = 1 y = 2 */
static const struct token *second_assignment(const struct place *place)
{
    return hint_is_behind(place, 1) && !place->open && place->here->kind == TOKEN_NAME &&
                   place->here->id == KEYWORD_NONE && hint_ends_value(place->here - 1) &&
                   !hint_adjoin(place->here - 1, place->here) &&
                   (hint_is_op(place->here + 1, '=') ||
                    (hint_is_op(place->here - 1, ')') && hint_is_op(place->here + 1, '(')))
               ? place->here
               : NULL;
}

const struct hint hints_in_statements[] = {
    {chain_goes_on, NULL},
    {chain_begins, "A line cannot begin with '.'. Put the whole chain in brackets: x = (df.head() "
                   "and the next lines)."},
    {default_case, "Write case _: for all other values."},
    {match_header, "A match statement is match VALUE: with indented case lines below it."},
    {case_of_told, NULL},
    {case_header, "A case stands in the block of match VALUE:, indented. Or write if and elif."},
    {semicolon, "Write ':' here; ';' ends a statement."},
    {def_without_brackets, "Brackets are missing behind the function's name: def NAME():."},
    {def_name_in_two, "A function's name is one word: letters, digits and '_', no '-' or blanks."},
    {arrow_of_def, "The type of the result stands behind '->': def NAME(...) -> TYPE:."},
    {keyword_assigned,
     "This word is part of the language and cannot be given a value. Choose another name."},
    {raise_comma, "Write raise ValueError(TEXT): the text stands in brackets."},
    {assigned_in_statement, "'=' cannot stand here. Assign on a line of its own; to compare write "
                            "'=='."},
    {stray_clause, "This clause has no statement before it that it could belong to. Indent it like "
                   "its if, for, while, try or match, with nothing between them."},
    {missing_colon, "A ':' is missing at the end of this line."},
    {colon_behind_word, "A ':' is missing before this place; behind it the statement begins."},
    {colon_in_line, "A ':' is missing before this place; behind it the statement begins."},
    {needless_colon, "This ':' opens no block. Delete it, or begin the line with if, for, while, "
                     "def, class, with or the like."},
    {for_without_in, "Write for NAME in VALUES:; the word 'in' is missing before this place."},
    {clause_in_line, "This clause begins a line of its own, indented like the statement it belongs "
                     "to. In an expression write A if CONDITION else B."},
    {keyword_as_name,
     "This word is part of the language and is no name. Choose another one, such as with '_' "
     "behind it."},
    {statement_as_value, "A statement cannot stand inside an expression. A lambda holds one value; "
                         "write def for more."},
    {second_statement, "A second statement begins here. Put it on a line of its own."},
    {second_assignment, "A second statement begins here. Put it on a line of its own, or add the "
                        "operator that is missing before this place."},
    {NULL, NULL},
};

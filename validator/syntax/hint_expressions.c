/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slips in expressions: signs, brackets, quotes, what stands side by side.
 */
#include "validator/syntax/hint.h"

#include <string.h>

#include "validator/syntax/keyword.h"

static bool is_equal_sign(const struct token *token)
{
    return hint_is_op(token, '=');
}

static bool holds_line_end(const struct place *place, const struct token *left,
                           const struct token *right)
{
    size_t from = left->start + left->length;

    return memchr(place->p->ast->source + from, '\n', right->start - from);
}

/* (x) => y; in a condition >= is meant. */
static const struct token *arrow(const struct place *place)
{
    const struct token *sign = place->here - hint_is_op(place->here, '>');

    return sign >= place->first && is_equal_sign(sign) && hint_is_op(sign + 1, '>') &&
                   hint_adjoin(sign, sign + 1)
               ? sign
               : NULL;
}

static const struct token *less_reversed(const struct place *place)
{
    const struct token *sign = place->here - hint_is_op(place->here, '<');

    return sign >= place->first && is_equal_sign(sign) && hint_is_op(sign + 1, '<') ? sign : NULL;
}

static const struct token *third_sign(const struct place *place)
{
    return hint_is_behind(place, 1) && is_equal_sign(place->here) &&
                   (hint_is_op(place->here - 1, OP_EQUAL) ||
                    hint_is_op(place->here - 1, OP_NOT_EQUAL))
               ? place->here - 1
               : NULL;
}

static const struct token *parted_sign(const struct place *place)
{
    const struct token *sign = place->here;

    if (!hint_is_behind(place, 1) || !is_equal_sign(sign))
        return NULL;
    if (is_equal_sign(sign + 1))
        return sign;
    return sign[-1].kind == TOKEN_OP && sign[-1].id < 128 && strchr("<>=+-*/%&|^:", sign[-1].id)
               ? sign - 1
               : NULL;
}

static const struct token *assigned_in_condition(const struct place *place)
{
    return is_equal_sign(place->here) && hint_begins_with(place, "if elif while") ? place->here
                                                                                  : NULL;
}

static const struct token *assigned_in_braces(const struct place *place)
{
    return is_equal_sign(place->here) && place->open && hint_is_op(place->open, '{') ? place->here
                                                                                     : NULL;
}

static const struct token *assigned_in_call(const struct place *place)
{
    return is_equal_sign(place->here) && place->open && place->open > place->first &&
                   hint_is_op(place->open, '(') && hint_ends_value(place->open - 1)
               ? place->here
               : NULL;
}

static const struct token *assigned_in_brackets(const struct place *place)
{
    return is_equal_sign(place->here) && place->open ? place->here : NULL;
}

static const struct token *changed_in_place(const struct place *place)
{
    return place->here->kind == TOKEN_OP && place->here->id >= OP_ASSIGN_FIRST &&
                   place->here->id <= OP_ASSIGN_LAST && hint_is_behind(place, 1)
               ? place->here
               : NULL;
}

static const struct token *walrus_statement(const struct place *place)
{
    return hint_is_op(place->here, OP_WALRUS) ? place->here : NULL;
}

static const struct token *attribute_arrow(const struct place *place)
{
    return hint_is_op(place->here, OP_ARROW) && !hint_begins_with(place, "def async") ? place->here
                                                                                      : NULL;
}

static const struct token *spread(const struct place *place)
{
    return hint_is_behind(place, 1) && place->open && hint_is_value(place->here) &&
                   hint_is_op(place->here - 1, OP_ELLIPSIS) &&
                   hint_adjoin(place->here - 1, place->here)
               ? place->here - 1
               : NULL;
}

/* 0..3, which is read as 0. and .3; and a.0 */
static const struct token *two_dots(const struct place *place)
{
    return hint_is_behind(place, 1) && place->here->kind == TOKEN_NUMBER &&
                   hint_byte(place, place->here) == '.' && hint_adjoin(place->here - 1, place->here)
               ? place->here
               : NULL;
}

static const struct token *tuple_parameter(const struct place *place)
{
    return hint_is_op(place->here, '(') && strcmp(place->wanted, "a parameter's name") == 0
               ? place->here
               : NULL;
}

static const struct token *star_alone(const struct place *place)
{
    return hint_is_op(place->here, ')') && strcmp(place->wanted, "a parameter's name") == 0
               ? place->here
               : NULL;
}

static const struct token *odd_parameter(const struct place *place)
{
    return hint_begins_with(place, "def") && place->open == place->first + 2 &&
                   (strcmp(place->wanted, "a parameter's name") == 0 ? !hint_is_op(place->here, ')')
                                                                     : hint_is_op(place->here, '.'))
               ? place->here
               : NULL;
}

static const struct token *lambda_colon(const struct place *place)
{
    const struct token *token = place->here - 1;

    if (!hint_is_behind(place, 2) || !hint_is_value(place->here))
        return NULL;
    for (int i = 0; i < 8 && token > place->first; i++, token--) {
        if (hint_is_word(place, token, "lambda"))
            return place->here;
        if (!hint_is_value(token) && !hint_is_op(token, ','))
            return NULL;
    }
    return NULL;
}

static const struct token *in_comprehension(const struct place *place)
{
    return place->open && hint_is_behind(place, 1) &&
                   hint_is_word(place, place->here, "for if else elif")
               ? place->here
               : NULL;
}

static const struct token *not_alone(const struct place *place)
{
    return hint_is_behind(place, 1) && hint_is_word(place, place->here, "not") &&
                   hint_ends_value(place->here - 1)
               ? place->here
               : NULL;
}

/* 'it's' */
static const struct token *apostrophe(const struct place *place)
{
    return hint_is_behind(place, 1) && place->here->kind == TOKEN_NAME &&
                   place->here[-1].kind == TOKEN_STRING && hint_adjoin(place->here - 1, place->here)
               ? place->here
               : NULL;
}

static const struct token *odd_prefix(const struct place *place)
{
    return hint_is_behind(place, 1) && place->here->kind == TOKEN_STRING &&
                   place->here[-1].kind == TOKEN_NAME && place->here[-1].length <= 2 &&
                   hint_adjoin(place->here - 1, place->here)
               ? place->here - 1
               : NULL;
}

static const struct token *comma_at_line_end(const struct place *place)
{
    return hint_is_behind(place, 1) && place->open && hint_ends_value(place->here - 1) &&
                   (hint_is_value(place->here) || hint_is_op(place->here, '{')) &&
                   holds_line_end(place, place->here - 1, place->here)
               ? place->here - 1
               : NULL;
}

static const struct token *side_by_side(const struct place *place)
{
    return hint_is_behind(place, 1) && hint_ends_value(place->here - 1) &&
                   hint_is_value(place->here)
               ? place->here
               : NULL;
}

static const struct token *line_ends_early(const struct place *place)
{
    return place->here->kind == TOKEN_NEWLINE && hint_is_behind(place, 1) &&
                   place->here[-1].kind == TOKEN_OP && !hint_is_op(place->here - 1, ':')
               ? place->here
               : NULL;
}

const struct hint hints_in_expressions[] = {
    {third_sign, "Python has no '===' and no '!=='. Write '==' or '!='."},
    {arrow, "Python has no '=>'. Write lambda x: VALUE for a small function, and '>=' to compare."},
    {less_reversed, "Write '<=': the '=' comes last."},
    {parted_sign, "The two signs of an operator stand together: '==', '>=', '+='."},
    {assigned_in_condition, "'=' assigns; to compare in this condition write '=='."},
    {assigned_in_braces, "In a dictionary ':' stands between key and value: {\"a\": 1}."},
    {assigned_in_call, "Before '=' in a call stands the plain name of an argument: f(a=1). To "
                       "compare write '=='."},
    {assigned_in_brackets, "'=' cannot stand in brackets. To compare write '==', to assign ':='."},
    {changed_in_place, "This assignment stands on a line of its own, behind one name: x += 1."},
    {walrus_statement, "':=' cannot stand here. As a statement write '='; inside an expression put "
                       "it in brackets: (n := len(x))."},
    {attribute_arrow, "Write '.' for an attribute: x.y. '->' stands only behind def NAME(...)."},
    {spread, "To take a list's items write '*', and '**' for a dictionary's: [*a, *b]."},
    {two_dots, "Python has no '..'. Write range(0, 3), a slice a[0:3], or an item a[0]."},
    {tuple_parameter, "A parameter is one plain name. Take it apart inside: lambda kv: kv[1]."},
    {star_alone, "A name must follow the '*': def f(a, *rest):. Or delete the '*'."},
    {odd_parameter, "A parameter is one plain name: def f(a, b=1):."},
    {lambda_colon, "A ':' is missing behind the lambda's parameters: lambda x: VALUE."},
    {in_comprehension, "A comprehension is [VALUE for NAME in VALUES if CONDITION]. A pair stands "
                       "in brackets, (a, b), and A if CONDITION else B comes first."},
    {not_alone, "Write 'not in', 'is not' or '!=': 'not' alone joins no two values."},
    {apostrophe, "The text ends at the quotation mark before this place. Put a text with an "
                 "apostrophe in double quotes: \"it's\"; else an operator is missing."},
    {odd_prefix, "These letters are no prefix of a text. Write \"...\", r\"...\", f\"...\" or "
                 "b\"...\"."},
    {comma_at_line_end, "Behind this value a comma or an operator is missing."},
    {side_by_side, "Two values stand side by side here. An operator, a comma or a quotation mark "
                   "is missing before this place."},
    {line_ends_early, "The line ends in the middle of an expression. Finish it, or put all of it "
                      "in brackets to go on in the next line."},
    {NULL, NULL},
};

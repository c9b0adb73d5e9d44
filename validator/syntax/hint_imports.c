/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slips in import statements.
 */
#include "validator/syntax/hint.h"

#include "validator/syntax/keyword.h"

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

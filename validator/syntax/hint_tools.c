/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Slips of who is used to another tool: notebooks and shells, Python 2 and 3.12, other languages,
 * and prose around the program.
 */
#include "validator/syntax/hint.h"

#include "validator/syntax/keyword.h"

static const struct token *shell_command(const struct place *place)
{
    return hint_begins_with(place, "pip pip3 conda apt npm") && hint_is_behind(place, 1) &&
                   hint_is_word(place, place->first + 1, "install uninstall get")
               ? place->first
               : NULL;
}

static const struct token *notebook_command(const struct place *place)
{
    return hint_is_op(place->first, '%') ? place->first : NULL;
}

static const struct token *prompt(const struct place *place)
{
    bool dots = hint_is_op(place->first, OP_ELLIPSIS) && place->here == place->first + 1 &&
                (hint_is_value(place->here) || place->here->kind == TOKEN_NAME);

    return dots || (place->here == place->first && hint_is_op(place->first, OP_SHIFT_RIGHT))
               ? place->first
               : NULL;
}

static const struct token *comment_line(const struct place *place)
{
    if (place->here != place->first && place->here != place->first + 1)
        return NULL;
    if (place->here == place->first && hint_is_op(place->first, OP_FLOOR_DIVIDE))
        return place->first;
    return (hint_is_op(place->first, '/') && hint_is_op(place->first + 1, '*')) ||
                   (hint_is_op(place->first, '*') && hint_is_op(place->first + 1, '/'))
               ? place->first
               : NULL;
}

static const struct token *comment_behind(const struct place *place)
{
    return hint_is_behind(place, 3) && hint_is_value(place->here) &&
                   hint_is_op(place->here - 2, OP_FLOOR_DIVIDE)
               ? place->here - 2
               : NULL;
}

static const struct token *tilde_fence(const struct place *place)
{
    return hint_is_op(place->first, '~') && hint_is_behind(place, 3) &&
                   hint_is_op(place->first + 1, '~') && hint_is_op(place->first + 2, '~')
               ? place->first
               : NULL;
}

static const struct token *print_statement(const struct place *place)
{
    return hint_is_behind(place, 1) && hint_ends_value(place->here) &&
                   hint_is_word(place, place->here - 1, "print")
               ? place->here - 1
               : NULL;
}

static const struct token *exec_statement(const struct place *place)
{
    return place->here == place->first + 1 && hint_is_value(place->here) &&
                   hint_begins_with(place, "exec")
               ? place->first
               : NULL;
}

static const struct token *type_statement(const struct place *place)
{
    return place->here == place->first + 1 && hint_is_value(place->here) &&
                   hint_begins_with(place, "type")
               ? place->first
               : NULL;
}

static const struct token *type_parameters(const struct place *place)
{
    return place->here == place->first + 2 && hint_is_op(place->here, '[') &&
                   hint_begins_with(place, "def class")
               ? place->here
               : NULL;
}

static const struct token *other_language(const struct place *place)
{
    return hint_is_behind(place, 1) && hint_is_value(place->here) &&
                   hint_begins_with(place, "function func fn let const var public private static "
                                           "int float double bool string String void using")
               ? place->first
               : NULL;
}

static const struct token *other_branch(const struct place *place)
{
    return hint_is_behind(place, 1) &&
                   hint_begins_with(place, "elseif elsif switch foreach unless until")
               ? place->first
               : NULL;
}

static const struct token *catch_clause(const struct place *place)
{
    return hint_is_behind(place, 1) && hint_begins_with(place, "catch rescue") ? place->first
                                                                               : NULL;
}

static const struct token *throw_statement(const struct place *place)
{
    return place->here == place->first + 1 && hint_is_value(place->here) &&
                   hint_begins_with(place, "throw")
               ? place->first
               : NULL;
}

static const struct token *new_object(const struct place *place)
{
    return hint_is_behind(place, 1) && hint_is_value(place->here) &&
                   hint_is_word(place, place->here - 1, "new")
               ? place->here - 1
               : NULL;
}

static const struct token *do_loop(const struct place *place)
{
    return place->here == place->first + 1 && hint_begins_with(place, "do") &&
                   (hint_is_op(place->here, '{') || hint_is_op(place->here, ':'))
               ? place->first
               : NULL;
}

static const struct token *counting_for(const struct place *place)
{
    return hint_begins_with(place, "for") && hint_is_behind(place, 3) &&
                   place->open == place->first + 1 &&
                   (hint_is_op(place->here, '=') || hint_is_value(place->here))
               ? place->first
               : NULL;
}

static const struct token *class_extends(const struct place *place)
{
    return place->here == place->first + 2 && hint_begins_with(place, "class") &&
                   hint_is_word(place, place->here, "extends implements")
               ? place->here
               : NULL;
}

static const struct token *else_if(const struct place *place)
{
    return hint_begins_with(place, "else") && place->here <= place->first + 1 &&
                   hint_is_word(place, place->first + 1, "if")
               ? place->first + 1
               : NULL;
}

static const struct token *then_word(const struct place *place)
{
    return hint_begins_with(place, "if elif while for") &&
                   hint_is_word(place, place->here, "then do")
               ? place->here
               : NULL;
}

static const struct token *brace_block(const struct place *place)
{
    return hint_is_op(place->here, '{') && hint_is_behind(place, 1) &&
                   hint_begins_with(place,
                                    "if elif else for while def class with try except finally")
               ? place->here
               : NULL;
}

/* Words in a row, as no statement has them. */
static const struct token *prose(const struct place *place)
{
    const struct token *token = place->first;
    unsigned words = 0;

    if (place->first->id != KEYWORD_NONE || place->first->kind != TOKEN_NAME ||
        !hint_is_behind(place, 1) || place->here->kind != TOKEN_NAME || place->open)
        return NULL;
    while (token->kind == TOKEN_NAME && words < 4) {
        token++;
        words++;
    }
    return words >= 3 && token > place->here ? place->first : NULL;
}

static const struct token *line_number(const struct place *place)
{
    return place->here == place->first + 1 && place->first->kind == TOKEN_NUMBER &&
                   (hint_is_op(place->here, ':') || hint_is_value(place->here))
               ? place->first
               : NULL;
}

const struct hint hints_of_other_tools[] = {
    {shell_command, "This is a command of a shell. Delete the line: nothing can be installed, and "
                    "the allowed modules are there."},
    {notebook_command, "Lines with '%' are a notebook's. Delete the line."},
    {prompt, "'>>>' and '...' belong to the prompt. Delete them at the start of each line."},
    {comment_line, "A comment begins with '#', on each of its lines."},
    {comment_behind, "A comment begins with '#', not with '//'. If '//' divides, an operator is "
                     "missing behind its value."},
    {tilde_fence, "Leave the Markdown code marks away, and send the program alone."},
    {print_statement, "print is a function: print(value)."},
    {exec_statement, NULL}, /* a name that is not allowed: told as such */
    {type_statement, "The statement 'type' came with Python 3.12. Write NAME = list[int]."},
    {type_parameters, "Type parameters in '[]' came with Python 3.12. Leave them away."},
    {counting_for, "for goes over values, without brackets: for i in range(10):."},
    {other_language, "This is another language's keyword. In Python write def NAME(...): for a "
                     "function, and NAME = VALUE for a variable."},
    {other_branch, "This is another language's keyword. In Python write if, elif, else, for and "
                   "while, each with ':' at the end."},
    {catch_clause, "This is another language's keyword. In Python write except Exception as e:."},
    {throw_statement,
     "This is another language's keyword. In Python write raise ValueError(TEXT)."},
    {new_object, "Python has no 'new'. Call the class: NAME(...)."},
    {do_loop, "Python has no do loop. Write while True: and leave it with if CONDITION: break."},
    {class_extends, "Write class NAME(BASE):, with the base class in brackets."},
    {else_if, "'else if' is written elif in Python."},
    {then_word, "Python has no such word. End the condition with ':'."},
    {brace_block, "Python has no braces around blocks. End the line with ':' and indent the lines "
                  "that belong to it."},
    {line_number, "This looks like a line number. Delete it; the program has none."},
    {prose, "This line is no Python. If it is prose, delete it or put '#' before it."},
    {NULL, NULL},
};

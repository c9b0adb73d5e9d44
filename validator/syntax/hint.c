/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hints for the syntax mistakes that models make, as tables: each row examines the tokens around
 * the place where parsing stopped; the first row that matches gives the place and the text. If none
 * matches, the report says what was expected.
 */
#include "validator/syntax/parse_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "validator/syntax/tokenizer.h"

/* Where the reading stopped for what the tokenizer could not read: reports that, and gives true. */
static bool report_unreadable(struct parser *p, size_t at)
{
    const struct unreadable *error = p->errors, *end = p->errors + p->error_count;

    while (error < end && error->token < p->at)
        error++;
    if (error == end || (parse_token(p)->kind != TOKEN_ERROR && error->at > at))
        return false;
    p->ast->broken = true;
    if (!p->quiet && *error->text && error->at < p->unreadable)
        parse_report_unreadable(p, error->at, error->text, error->edits, error->edit_count);
    p->quiet = true;
    return true;
}

void parse_leave_unreported(struct parser *p, uint32_t at)
{
    p->ast->broken = true;
    p->ast->unreported_at = at;
    p->quiet = true;
}

uint32_t parse_fail(struct parser *p, size_t at, const char *format, ...)
{
    char text[VALIDATOR_TEXT_CAP];
    va_list args;

    p->ast->broken = true;
    if (p->quiet || at >= p->unreadable || report_unreadable(p, at)) {
        p->report->last = NULL;
        return NODE_NONE;
    }
    p->report->last = NULL;
    p->quiet = true;
    if (report_is_full(p->report))
        return NODE_NONE;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    report_add(p->report, "syntax", at, "%s", text);
    return NODE_NONE;
}

#define HINT_LOOK_BACK 200 /* tokens looked at before the place, at most */

struct hint_place {
    const struct parser *p;
    const struct token *here, *first; /* where it went wrong; the first token of its line */
    const struct token *open;         /* the innermost open bracket of the line, or NULL */
    const char *wanted;               /* what was expected here */
};

struct hint {
    /* The token to point at, or NULL where this is not the mistake. */
    const struct token *(*find)(const struct hint_place *place);
    const char *text; /* NULL: it has been reported already, and nothing more is said */
};

/* A `find` that gives `found` where the condition holds. */
#define HINT_FIND(name, found, condition)                                                          \
    static const struct token *name(const struct hint_place *place)                                \
    {                                                                                              \
        const struct token *here = place->here, *first = place->first;                             \
                                                                                                   \
        (void)here;                                                                                \
        (void)first;                                                                               \
        return (condition) ? (found) : NULL;                                                       \
    }

static inline bool is_op(const struct token *token, unsigned op)
{
    return token->kind == TOKEN_OP && token->id == op;
}

/* The token stands `count` or more behind the first one of its line. */
static inline bool is_behind(const struct hint_place *place, unsigned count)
{
    return place->here >= place->first + count;
}

static inline char byte(const struct hint_place *place, const struct token *token)
{
    return (char)(token->length ? place->p->ast->source[token->start] : '\0');
}

static bool is_word(const struct hint_place *place, const struct token *token, const char *words)
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

static bool begins_with(const struct hint_place *place, const char *words)
{
    return is_word(place, place->first, words);
}

/* A number, a text or a name that is no keyword */
static bool is_value(const struct token *token)
{
    return token->kind == TOKEN_NUMBER || token->kind == TOKEN_STRING ||
           (token->kind == TOKEN_NAME && token->id == KEYWORD_NONE);
}

/* Likewise, and a closing bracket, None, True */
static bool ends_value(const struct token *token)
{
    return is_value(token) || is_op(token, ')') || is_op(token, ']') || is_op(token, '}') ||
           (token->kind == TOKEN_NAME && (token->id == KEYWORD_TRUE || token->id == KEYWORD_FALSE ||
                                          token->id == KEYWORD_NONE_VALUE));
}

/* Nothing between. */
static bool adjoin(const struct token *left, const struct token *right)
{
    return left->start + left->length == right->start;
}

/* Mistakes of who is used to another tool: notebooks and shells, Python 2 and 3.12, other
 * languages, and prose around the program. */

HINT_FIND(shell_command, first,
          begins_with(place, "pip pip3 conda apt npm") && is_behind(place, 1) &&
              is_word(place, first + 1, "install uninstall get"))

HINT_FIND(notebook_command, first, is_op(first, '%'))

static const struct token *prompt(const struct hint_place *place)
{
    bool dots = is_op(place->first, OP_ELLIPSIS) && place->here == place->first + 1 &&
                (is_value(place->here) || place->here->kind == TOKEN_NAME);

    return dots || (place->here == place->first && is_op(place->first, OP_SHIFT_RIGHT))
               ? place->first
               : NULL;
}

static const struct token *comment_line(const struct hint_place *place)
{
    if (place->here != place->first && place->here != place->first + 1)
        return NULL;
    if (place->here == place->first && is_op(place->first, OP_FLOOR_DIVIDE))
        return place->first;
    return (is_op(place->first, '/') && is_op(place->first + 1, '*')) ||
                   (is_op(place->first, '*') && is_op(place->first + 1, '/'))
               ? place->first
               : NULL;
}

HINT_FIND(comment_behind, here - 2,
          is_behind(place, 3) && is_value(here) && is_op(here - 2, OP_FLOOR_DIVIDE))

HINT_FIND(tilde_fence, first,
          is_op(first, '~') && is_behind(place, 3) && is_op(first + 1, '~') &&
              is_op(first + 2, '~'))

HINT_FIND(print_statement, here - 1,
          is_behind(place, 1) && ends_value(here) && is_word(place, here - 1, "print"))

HINT_FIND(exec_statement, first, here == first + 1 && is_value(here) && begins_with(place, "exec"))

HINT_FIND(type_statement, first, here == first + 1 && is_value(here) && begins_with(place, "type"))

HINT_FIND(type_parameters, here,
          here == first + 2 && is_op(here, '[') && begins_with(place, "def class"))

HINT_FIND(other_language, first,
          is_behind(place, 1) && is_value(here) &&
              begins_with(place, "function func fn let const var public private static "
                                 "int float double bool string String void using"))

HINT_FIND(other_branch, first,
          is_behind(place, 1) && begins_with(place, "elseif elsif switch foreach unless until"))

HINT_FIND(catch_clause, first, is_behind(place, 1) && begins_with(place, "catch rescue"))

HINT_FIND(throw_statement, first,
          here == first + 1 && is_value(here) && begins_with(place, "throw"))

HINT_FIND(new_object, here - 1,
          is_behind(place, 1) && is_value(here) && is_word(place, here - 1, "new"))

HINT_FIND(do_loop, first,
          here == first + 1 && begins_with(place, "do") && (is_op(here, '{') || is_op(here, ':')))

HINT_FIND(counting_for, first,
          begins_with(place, "for") && is_behind(place, 3) && place->open == first + 1 &&
              (is_op(here, '=') || is_value(here)))

HINT_FIND(class_extends, here,
          here == first + 2 && begins_with(place, "class") &&
              is_word(place, here, "extends implements"))

HINT_FIND(else_if, first + 1,
          begins_with(place, "else") && here <= first + 1 && is_word(place, first + 1, "if"))

HINT_FIND(then_word, here,
          begins_with(place, "if elif while for") && is_word(place, here, "then do"))

HINT_FIND(brace_block, here,
          is_op(here, '{') && is_behind(place, 1) &&
              begins_with(place, "if elif else for while def class with try except finally"))

/* Words in a row, as no statement has them. */
static const struct token *prose(const struct hint_place *place)
{
    const struct token *token = place->first;
    unsigned words = 0;

    if (place->first->id != KEYWORD_NONE || place->first->kind != TOKEN_NAME ||
        !is_behind(place, 1) || place->here->kind != TOKEN_NAME || place->open)
        return NULL;
    while (token->kind == TOKEN_NAME && words < 4) {
        token++;
        words++;
    }
    return words >= 3 && token > place->here ? place->first : NULL;
}

HINT_FIND(line_number, first,
          here == first + 1 && first->kind == TOKEN_NUMBER && (is_op(here, ':') || is_value(here)))

static const struct hint hints_of_other_tools[] = {
    {shell_command, "This is a command of a shell. Delete the line: nothing can be installed, and "
                    "the allowed modules are there."},
    {notebook_command, "Lines with '%' are a notebook's. Delete the line."},
    {prompt, "'>>>' and '...' belong to the prompt. Delete them at the start of each line."},
    {comment_line, "A comment begins with '#', on each of its lines."},
    {comment_behind, "A comment begins with '#', not with '//'. If '//' divides, an operator is "
                     "missing behind its value."},
    {tilde_fence, "Leave the Markdown code marks away, and send the program alone."},
    {print_statement, "print is a function: print(value)."},
    {exec_statement, NULL}, /* a name that is not allowed: reported as such */
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
    {prose, "This line is not Python. If it is prose, delete it or put '#' before it."},
    {NULL, NULL},
};

/* ---- imports ---- */

static bool in_import(const struct hint_place *place)
{
    return begins_with(place, "import") && is_behind(place, 1);
}

static bool in_from(const struct hint_place *place)
{
    return begins_with(place, "from") && is_behind(place, 1);
}

/* Behind the word import of from MODULE import NAME. */
static bool in_members(const struct hint_place *place)
{
    if (!in_from(place))
        return false;
    for (const struct token *token = place->first + 1;
         token < place->here && token < place->first + HINT_LOOK_BACK; token++)
        if (is_word(place, token, "import"))
            return true;
    return false;
}

HINT_FIND(import_from, here, in_import(place) && is_word(place, here, "from"))

HINT_FIND(two_imports, here,
          (in_import(place) || in_members(place)) && is_word(place, here, "import from"))

HINT_FIND(quoted, here,
          (in_import(place) || in_from(place)) && (here->kind == TOKEN_STRING || is_op(here, '{') ||
                                                   (in_import(place) && is_op(here, '*'))))

HINT_FIND(name_in_two, first + 1,
          in_from(place) && !in_members(place) && is_behind(place, 2) &&
              (is_op(here, '-') || is_value(here)))

HINT_FIND(hyphen, first + 1, in_import(place) && is_op(here, '-'))

HINT_FIND(comma_missing, here,
          (in_import(place) || in_members(place)) && is_value(here) && is_value(here - 1))

HINT_FIND(dotted_member, here, in_members(place) && is_op(here, '.'))

HINT_FIND(member_missing, here, in_from(place) && is_op(here - 1, ','))

HINT_FIND(from_incomplete, here, in_from(place) && here->kind == TOKEN_NEWLINE)

HINT_FIND(import_incomplete, here, in_import(place))

static const struct hint hints_in_imports[] = {
    {import_from, "Write it the other way round: from MODULE import NAME."},
    {two_imports, "A second import begins here. Put it on a separate line."},
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

/* ---- statements: headers and their ':', clauses, words of the language out of place ---- */

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
static const struct token *line_before(const struct hint_place *place)
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
static bool opens_block(const struct hint_place *place, const struct token *indent)
{
    return indent - place->p->tokens >= 2 && indent[-1].kind == TOKEN_NEWLINE &&
           is_op(indent - 2, ':');
}

/* A chain over several lines is reported at the first of them, or with its indentation. */
static const struct token *chain_goes_on(const struct hint_place *place)
{
    const struct token *before;

    if (place->here != place->first || !is_op(place->here, '.') || !place->p->ast->broken)
        return NULL;
    if (place->first > place->p->tokens && place->first[-1].kind == TOKEN_INDENT)
        return opens_block(place, place->first - 1) ? NULL : place->here;
    before = line_before(place);
    return before && is_op(before, '.') ? place->here : NULL;
}

HINT_FIND(chain_begins, here, here == first && is_op(here, '.'))

HINT_FIND(default_case, here, here == first && begins_with(place, "default"))

HINT_FIND(match_header, first, here == first + 1 && begins_with(place, "match") && is_value(here))

HINT_FIND(case_header, first,
          here == first + 1 && begins_with(place, "case") && (is_value(here) || is_keyword(here)))

/* Below a match or case line that was reported. */
static const struct token *case_of_reported(const struct hint_place *place)
{
    const struct token *start = place->p->tokens;

    if (!case_header(place) || !place->p->ast->broken)
        return NULL;
    for (const struct token *token = place->first - 1;
         token >= start && place->first - token < HINT_LOOK_BACK; token--)
        if ((token == start || is_layout(token - 1)) && is_word(place, token, "match case"))
            return place->first;
    return NULL;
}

HINT_FIND(semicolon, here, is_op(here, ';') && begins_with(place, HEADERS) && !place->open)

HINT_FIND(def_without_brackets, here,
          here == first + 2 && begins_with(place, "def") &&
              (is_op(here, ':') || here->kind == TOKEN_NEWLINE))

HINT_FIND(def_name_in_two, first + 1,
          here == first + 2 && begins_with(place, "def") && (is_op(here, '-') || is_value(here)))

HINT_FIND(arrow_of_def, here,
          begins_with(place, "def") && !place->open && is_behind(place, 1) &&
              ((is_op(here, '=') && is_op(here + 1, '>')) ||
               (is_op(here, '-') && is_op(here + 1, '>'))))

static const struct token *keyword_assigned(const struct hint_place *place)
{
    const struct token *token = place->here;

    if (is_op(token, '=') && token > place->first)
        token--;
    return is_keyword(token) && is_op(token + 1, '=') &&
                   (token == place->first || is_op(token - 1, '(') || is_op(token - 1, ','))
               ? token
               : NULL;
}

HINT_FIND(raise_comma, here, begins_with(place, "raise") && is_op(here, ','))

HINT_FIND(assigned_in_statement, here,
          is_op(here, '=') && !place->open && is_behind(place, 1) &&
              begins_with(place, "return global nonlocal assert raise yield"))

HINT_FIND(stray_clause, first, here == first && begins_with(place, "elif else except finally case"))

static const struct token *missing_colon(const struct hint_place *place)
{
    bool header = begins_with(place, HEADERS) ||
                  (begins_with(place, "match case async") && is_behind(place, 2));

    return header && !place->open && place->here->kind == TOKEN_NEWLINE && is_behind(place, 1) &&
                   (place->here[-1].kind != TOKEN_OP || ends_value(place->here - 1))
               ? place->here
               : NULL;
}

/* else print(x) */
HINT_FIND(colon_behind_word, here,
          here == first + 1 && begins_with(place, "else try finally") &&
              (is_value(here) || is_keyword(here)))

/* A value where the header's ':' must be. */
static const struct token *colon_in_line(const struct hint_place *place)
{
    for (const struct token *token = place->first;
         token < place->here && token < place->first + HINT_LOOK_BACK; token++)
        if (is_op(token, ':'))
            return NULL;
    return is_behind(place, 2) && !place->open && begins_with(place, "if elif while for with") &&
                   ends_value(place->here - 1) &&
                   ((place->here->kind == TOKEN_NAME && is_op(place->here + 1, '(')) ||
                    is_word(place, place->here, "return pass break continue raise"))
               ? place->here
               : NULL;
}

HINT_FIND(needless_colon, here,
          is_op(here, ':') && here[1].kind == TOKEN_NEWLINE && !place->open &&
              is_behind(place, 1) && !begins_with(place, HEADERS))

static const struct token *for_without_in(const struct hint_place *place)
{
    if (!begins_with(place, "for") || !is_behind(place, 2) || place->open || !is_value(place->here))
        return NULL;
    for (const struct token *token = place->first;
         token < place->here && token < place->first + HINT_LOOK_BACK; token++)
        if (is_word(place, token, "in"))
            return NULL;
    return place->here;
}

HINT_FIND(clause_in_line, here,
          is_behind(place, 1) && !place->open && is_word(place, here, "elif else except finally"))

HINT_FIND(keyword_as_name, here,
          is_behind(place, 1) && is_keyword(here) &&
              (is_op(here - 1, '.') || is_word(place, here - 1, "def class as global nonlocal")))

HINT_FIND(statement_as_value, here,
          is_behind(place, 1) &&
              is_word(place, here,
                      "return pass break continue raise assert del import global "
                      "nonlocal with while try def class") &&
              !ends_value(here - 1) && here[-1].kind == TOKEN_OP)

HINT_FIND(second_statement, here,
          is_behind(place, 1) && !place->open &&
              is_word(place, here,
                      "return pass break continue raise assert del import from global "
                      "nonlocal with while try def class for if"))

/* x = 1 y = 2 */
HINT_FIND(second_assignment, here,
          is_behind(place, 1) && !place->open && here->kind == TOKEN_NAME &&
              here->id == KEYWORD_NONE && ends_value(here - 1) && !adjoin(here - 1, here) &&
              (is_op(here + 1, '=') || (is_op(here - 1, ')') && is_op(here + 1, '('))))

static const struct hint hints_in_statements[] = {
    {chain_goes_on, NULL},
    {chain_begins, "A line cannot begin with '.'. Put the whole chain in brackets: x = (df.head() "
                   "and the next lines)."},
    {default_case, "Write case _: for all other values."},
    {match_header, "A match statement is match VALUE: with indented case lines below it."},
    {case_of_reported, NULL},
    {case_header, "A case stands in the block of match VALUE:, indented. Or write if and elif."},
    {semicolon, "Write ':' here; ';' ends a statement."},
    {def_without_brackets, "Brackets are missing behind the function's name: def NAME():."},
    {def_name_in_two, "A function's name is one word: letters, digits and '_', no '-' or blanks."},
    {arrow_of_def, "The type of the result stands behind '->': def NAME(...) -> TYPE:."},
    {keyword_assigned,
     "This word is part of the language and cannot be given a value. Choose another name."},
    {raise_comma, "Write raise ValueError(TEXT): the text stands in brackets."},
    {assigned_in_statement, "'=' cannot stand here. Assign on a separate line; to compare write "
                            "'=='."},
    {stray_clause, "This clause has no statement before it that it could belong to. Indent it like "
                   "its if, for, while, try or match, with nothing between them."},
    {missing_colon, "A ':' is missing at the end of this line."},
    {colon_behind_word, "A ':' is missing before this place; behind it the statement begins."},
    {colon_in_line, "A ':' is missing before this place; behind it the statement begins."},
    {needless_colon, "This ':' opens no block. Delete it, or begin the line with if, for, while, "
                     "def, class, with or the like."},
    {for_without_in, "Write for NAME in VALUES:; the word 'in' is missing before this place."},
    {clause_in_line, "This clause begins a new line, indented like the statement it belongs "
                     "to. In an expression write A if CONDITION else B."},
    {keyword_as_name,
     "This word is part of the language and cannot be a name. Choose another one, such as with '_' "
     "behind it."},
    {statement_as_value, "A statement cannot stand inside an expression. A lambda holds one value; "
                         "write def for more."},
    {second_statement, "A second statement begins here. Put it on a separate line."},
    {second_assignment, "A second statement begins here. Put it on a separate line, or add the "
                        "operator that is missing before this place."},
    {NULL, NULL},
};

/* ---- expressions: signs, brackets, quotes, what stands side by side ---- */

static bool is_equal_sign(const struct token *token)
{
    return is_op(token, '=');
}

static bool holds_line_end(const struct hint_place *place, const struct token *left,
                           const struct token *right)
{
    size_t from = left->start + left->length;

    return memchr(place->p->ast->source + from, '\n', right->start - from);
}

/* (x) => y; in a condition >= is meant. */
static const struct token *arrow(const struct hint_place *place)
{
    const struct token *sign = place->here - is_op(place->here, '>');

    return sign >= place->first && is_equal_sign(sign) && is_op(sign + 1, '>') &&
                   adjoin(sign, sign + 1)
               ? sign
               : NULL;
}

static const struct token *less_reversed(const struct hint_place *place)
{
    const struct token *sign = place->here - is_op(place->here, '<');

    return sign >= place->first && is_equal_sign(sign) && is_op(sign + 1, '<') ? sign : NULL;
}

HINT_FIND(third_sign, here - 1,
          is_behind(place, 1) && is_equal_sign(here) &&
              (is_op(here - 1, OP_EQUAL) || is_op(here - 1, OP_NOT_EQUAL)))

static const struct token *parted_sign(const struct hint_place *place)
{
    const struct token *sign = place->here;

    if (!is_behind(place, 1) || !is_equal_sign(sign))
        return NULL;
    if (is_equal_sign(sign + 1))
        return sign;
    return sign[-1].kind == TOKEN_OP && sign[-1].id < 128 && strchr("<>=+-*/%&|^:", sign[-1].id)
               ? sign - 1
               : NULL;
}

HINT_FIND(assigned_in_condition, here, is_equal_sign(here) && begins_with(place, "if elif while"))

HINT_FIND(assigned_in_braces, here, is_equal_sign(here) && place->open && is_op(place->open, '{'))

HINT_FIND(assigned_in_call, here,
          is_equal_sign(here) && place->open && place->open > first && is_op(place->open, '(') &&
              ends_value(place->open - 1))

HINT_FIND(assigned_in_brackets, here, is_equal_sign(here) && place->open)

HINT_FIND(changed_in_place, here,
          here->kind == TOKEN_OP && here->id >= OP_ASSIGN_FIRST && here->id <= OP_ASSIGN_LAST &&
              is_behind(place, 1))

HINT_FIND(walrus_statement, here, is_op(here, OP_WALRUS))

HINT_FIND(attribute_arrow, here, is_op(here, OP_ARROW) && !begins_with(place, "def async"))

HINT_FIND(spread, here - 1,
          is_behind(place, 1) && place->open && is_value(here) && is_op(here - 1, OP_ELLIPSIS) &&
              adjoin(here - 1, here))

/* 0..3, which is read as 0. and .3; and a.0 */
HINT_FIND(two_dots, here,
          is_behind(place, 1) && here->kind == TOKEN_NUMBER && byte(place, here) == '.' &&
              adjoin(here - 1, here))

HINT_FIND(tuple_parameter, here,
          is_op(here, '(') && strcmp(place->wanted, "a parameter's name") == 0)

HINT_FIND(star_alone, here, is_op(here, ')') && strcmp(place->wanted, "a parameter's name") == 0)

HINT_FIND(odd_parameter, here,
          begins_with(place, "def") && place->open == first + 2 &&
              (strcmp(place->wanted, "a parameter's name") == 0 ? !is_op(here, ')')
                                                                : is_op(here, '.')))

static const struct token *lambda_colon(const struct hint_place *place)
{
    const struct token *token = place->here - 1;

    if (!is_behind(place, 2) || !is_value(place->here))
        return NULL;
    for (int i = 0; i < 8 && token > place->first; i++, token--) {
        if (is_word(place, token, "lambda"))
            return place->here;
        if (!is_value(token) && !is_op(token, ','))
            return NULL;
    }
    return NULL;
}

HINT_FIND(in_comprehension, here,
          place->open &&is_behind(place, 1) && is_word(place, here, "for if else elif"))

HINT_FIND(not_alone, here,
          is_behind(place, 1) && is_word(place, here, "not") && ends_value(here - 1))

/* 'it's' */
HINT_FIND(apostrophe, here,
          is_behind(place, 1) && here->kind == TOKEN_NAME && here[-1].kind == TOKEN_STRING &&
              adjoin(here - 1, here))

HINT_FIND(odd_prefix, here - 1,
          is_behind(place, 1) && here->kind == TOKEN_STRING && here[-1].kind == TOKEN_NAME &&
              here[-1].length <= 2 && adjoin(here - 1, here))

HINT_FIND(comma_at_line_end, here - 1,
          is_behind(place, 1) && place->open && ends_value(here - 1) &&
              (is_value(here) || is_op(here, '{')) && holds_line_end(place, here - 1, here))

HINT_FIND(side_by_side, here, is_behind(place, 1) && ends_value(here - 1) && is_value(here))

HINT_FIND(line_ends_early, here,
          here->kind == TOKEN_NEWLINE && is_behind(place, 1) && here[-1].kind == TOKEN_OP &&
              !is_op(here - 1, ':'))

static const struct hint hints_in_expressions[] = {
    {third_sign, "Python has no '===' and no '!=='. Write '==' or '!='."},
    {arrow, "Python has no '=>'. Write lambda x: VALUE for a small function, and '>=' to compare."},
    {less_reversed, "Write '<=': the '=' comes last."},
    {parted_sign, "The two signs of an operator stand together: '==', '>=', '+='."},
    {assigned_in_condition, "'=' assigns; to compare in this condition write '=='."},
    {assigned_in_braces, "In a dictionary ':' stands between key and value: {\"a\": 1}."},
    {assigned_in_call, "Before '=' in a call stands the plain name of an argument: f(a=1). To "
                       "compare write '=='."},
    {assigned_in_brackets, "'=' cannot stand in brackets. To compare write '==', to assign ':='."},
    {changed_in_place, "This assignment is a separate statement, with one name before it: x += 1."},
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
    {odd_prefix, "These letters are not a string prefix. Write \"...\", r\"...\", f\"...\" or "
                 "b\"...\"."},
    {comma_at_line_end, "Behind this value a comma or an operator is missing."},
    {side_by_side, "Two values stand side by side here. An operator, a comma or a quotation mark "
                   "is missing before this place."},
    {line_ends_early, "The line ends in the middle of an expression. Finish it, or put all of it "
                      "in brackets to go on in the next line."},
    {NULL, NULL},
};

/* ---- corrections: the edits for the mistakes whose repair is certain ---- */

enum fix_kind {
    FIX_TOKENS,    /* replaces tokens */
    FIX_STATEMENT, /* likewise, where no bracket is open */
    FIX_BEHIND,    /* inserts behind a token, before blanks and a comment */
    FIX_JOIN,      /* removes what is between two tokens */
    FIX_WRAP,      /* replaces a token and what follows up to the next one with '(', and adds ')' at
                      the end of the statement */
    FIX_CALL,      /* likewise behind the token */
};

/* The first token is `from` behind the one at which the hint points. */
static const struct hint_fix {
    const struct token *(*find)(const struct hint_place *place);
    enum fix_kind kind;
    int from;
    unsigned tokens;
    const char *with;
} hint_fixes[] = {
    {shell_command, FIX_TOKENS, 0, 0, "# "},
    {notebook_command, FIX_TOKENS, 0, 0, "# "},
    {print_statement, FIX_CALL, 0, 1, NULL},
    {comment_line, FIX_TOKENS, 0, 1, "#"},
    {throw_statement, FIX_TOKENS, 0, 1, "raise"},
    {then_word, FIX_TOKENS, 0, 1, ":"},
    {two_imports, FIX_BEHIND, -1, 1, ";"},
    {comma_missing, FIX_BEHIND, -1, 1, ","},
    {def_without_brackets, FIX_BEHIND, -1, 1, "()"},
    {arrow_of_def, FIX_TOKENS, 0, 2, "->"},
    {lambda_colon, FIX_BEHIND, -1, 1, ":"},
    {parted_sign, FIX_JOIN, 0, 2, NULL},
    {new_object, FIX_TOKENS, 0, 1, ""},
    {else_if, FIX_TOKENS, -1, 2, "elif"},
    {raise_comma, FIX_WRAP, 0, 1, NULL},
    {member_missing, FIX_TOKENS, -1, 1, ""},
    {semicolon, FIX_TOKENS, 0, 1, ":"},
    {missing_colon, FIX_BEHIND, -1, 1, ":"},
    {colon_behind_word, FIX_BEHIND, -1, 1, ":"},
    {colon_in_line, FIX_BEHIND, -1, 1, ":"},
    {needless_colon, FIX_TOKENS, 0, 1, ""},
    {third_sign, FIX_TOKENS, 1, 1, ""},
    {less_reversed, FIX_TOKENS, 0, 2, "<="},
    {assigned_in_condition, FIX_TOKENS, 0, 1, "=="},
    {walrus_statement, FIX_STATEMENT, 0, 1, "="},
    {attribute_arrow, FIX_TOKENS, 0, 1, "."},
};

static inline size_t token_end(const struct token *token)
{
    return token->start + token->length;
}

/* The last token of the logical line, or NULL if it is not plain: it ends with a comma, or another
 * statement follows, or it goes to a file (print >>file, x). */
static const struct token *statement_end(const struct token *from)
{
    const struct token *token = from;

    if (is_op(from, OP_SHIFT_RIGHT))
        return NULL;
    while (token->kind != TOKEN_NEWLINE && token->kind != TOKEN_END && token->kind != TOKEN_ERROR &&
           !is_op(token, ';'))
        token++;
    return token->kind == TOKEN_NEWLINE && token > from && !is_op(token - 1, ',') ? token - 1
                                                                                  : NULL;
}

/* Adds the edit to the problem that was just reported at the token. */
static void correct_hint(const struct hint_place *place, const struct hint *hint,
                         const struct token *at)
{
    struct report *report = place->p->report;
    const struct hint_fix *fix = hint_fixes, *end = fix + sizeof hint_fixes / sizeof *hint_fixes;
    const struct token *token, *last;

    while (fix < end && fix->find != hint->find)
        fix++;
    if (fix == end || (fix->kind == FIX_STATEMENT && place->open))
        return;
    token = at + fix->from;
    if (fix->kind == FIX_BEHIND) {
        report_correct(report, token_end(token), 0, "%s", fix->with);
    } else if (fix->kind == FIX_JOIN) {
        report_correct(report, token_end(token), token[1].start - token_end(token), "%s", "");
    } else if (fix->kind == FIX_TOKENS || fix->kind == FIX_STATEMENT) {
        last = token + fix->tokens - 1;
        report_correct(report, token->start, fix->tokens ? token_end(last) - token->start : 0, "%s",
                       fix->with);
    } else if ((last = statement_end(token + 1))) {
        size_t from = fix->kind == FIX_CALL ? token_end(token) : token->start;

        report_correct(report, from, token[1].start - from, "(");
        report_correct(report, token_end(last), 0, ")");
    }
}

/* ---- the search ---- */

static const struct hint *const hint_tables[] = {
    hints_of_other_tools,
    hints_in_imports,
    hints_in_statements,
    hints_in_expressions,
};

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
        if (is_op(here, ')') || is_op(here, ']') || is_op(here, '}'))
            closed++;
        else if ((is_op(here, '(') || is_op(here, '[') || is_op(here, '{')) && closed-- == 0)
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
static bool report_hint(struct parser *p, const struct hint_place *place)
{
    for (size_t i = 0; i < sizeof hint_tables / sizeof *hint_tables; i++) {
        for (const struct hint *hint = hint_tables[i]; hint->find; hint++) {
            const struct token *at = hint->find(place);

            if (!at)
                continue;
            if (hint->text) {
                parse_fail(p, at->start, "%s", hint->text);
                correct_hint(place, hint, at);
            } else {
                parse_leave_unreported(p, at->start);
            }
            return true;
        }
    }
    return false;
}

uint32_t parse_expected(struct parser *p, const char *what)
{
    const struct token *here = parse_token(p);
    struct hint_place place = {.p = p, .here = here, .first = line_start(p, here), .wanted = what};
    const char *found;
    int len;

    if (p->quiet || here->start >= p->unreadable || report_unreadable(p, here->start)) {
        p->ast->broken = true;
        return NODE_NONE;
    }
    if (p->report->verdict->diagnostic_count == VALIDATOR_DIAGNOSTICS_CAP) /* only counted */
        return parse_fail(p, here->start, "%s", what);
    place.open = open_bracket(place.first, here);
    if (report_hint(p, &place))
        return NODE_NONE;
    found = describe(p, here, &len);
    if (len < 0)
        return parse_fail(p, here->start, "Expected %s here, not %s.", what, found);
    return parse_fail(p, here->start, "Expected %s here, not '%.*s'.", what, len, found);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of Python's grammar that shows without a tree: blocks and their indentation, headers
 * without a colon, values side by side without an operator, return and break where they cannot
 * stand. What it refuses Python refuses too; the rest is for the parser, and until then the
 * interpreter reports it.
 */
#include "validator/rule/check.h"

#include <string.h>

/* Operators in a row that nest to the right: prefixes, and powers of powers. CPython gives up not
 * far above. */
#define PREFIXES_CAP 2000
#define POWERS_CAP   1000

enum block { BLOCK_PLAIN, BLOCK_LOOP, BLOCK_FUNCTION, BLOCK_CLASS };

struct walk {
    struct check *check;
    enum block blocks[VALIDATOR_INDENT_CAP];
    size_t count;
    enum block header; /* of the statement that is being read */
    size_t depth;
    size_t prefixes, powers;
    size_t unclosed;    /* the first bracket that is never closed; slips behind it are its */
    bool colon_missing; /* said so: the indented lines behind are no news */
};

static void report(struct walk *walk, size_t index, const char *text)
{
    report_add(walk->check->report, "syntax", walk->check->list.tokens[index].start, "%s", text);
}

static bool is_value(const struct token *token)
{
    return token->kind == TOKEN_NUMBER || token->kind == TOKEN_STRING ||
           (token->kind == TOKEN_NAME && token->id == KEYWORD_NONE);
}

static bool is_text(const struct check *check, size_t index, const char *wanted)
{
    size_t len;
    const char *text = check_text(check, index, &len);

    return len == strlen(wanted) && memcmp(text, wanted, len) == 0;
}

/* match and case are names that begin statements. */
static bool is_soft_keyword(const struct check *check, size_t index)
{
    return check->list.tokens[index].kind == TOKEN_NAME && check_starts_statement(check, index) &&
           (is_text(check, index, "match") || is_text(check, index, "case"));
}

/* Two values side by side. */
static void check_neighbours(struct walk *walk, size_t index)
{
    const struct check *check = walk->check;
    const struct token *token = &check->list.tokens[index];
    size_t next = token_list_next(&check->list, index);
    const struct token *follower = &check->list.tokens[next];
    bool closes =
        token->kind == TOKEN_OP && (token->id == ')' || token->id == ']' || token->id == '}');

    if (index > walk->unclosed || !(is_value(token) || closes) || !is_value(follower) ||
        (token->kind == TOKEN_STRING && follower->kind == TOKEN_STRING) ||
        is_soft_keyword(check, index))
        return;
    if (token->kind == TOKEN_NAME && is_text(check, index, "print"))
        report(walk, index, "print is a function: print(value).");
    else if (token->kind == TOKEN_NAME &&
             (is_text(check, index, "exec") || is_text(check, index, "type")))
        report(walk, index, "This is no statement of Python 3.11.");
    else if (token->kind == TOKEN_NAME && check_starts_statement(check, index) &&
             (is_text(check, index, "function") || is_text(check, index, "func") ||
              is_text(check, index, "let") || is_text(check, index, "const") ||
              is_text(check, index, "var")))
        report(walk, index,
               "This is another language's keyword. In Python write def NAME(...): for a function, "
               "and "
               "NAME = VALUE for a variable.");
    else
        report(walk, next,
               "Two values stand side by side here. An operator, a comma or a quotation mark is "
               "missing "
               "before this place.");
}

/* Scans a header from its keyword. Gives the index of its colon, or of the NEWLINE. */
static size_t find_colon(const struct check *check, size_t index, bool *assigns, bool *comma,
                         bool *lambda)
{
    const struct token *tokens = check->list.tokens;

    while (index < check->list.count && tokens[index].kind != TOKEN_NEWLINE &&
           !check_is_op(check, index, ':')) {
        bool opens = check_is_op(check, index, '(') || check_is_op(check, index, '[') ||
                     check_is_op(check, index, '{');

        *assigns = *assigns || check_is_op(check, index, '=');
        *comma = *comma || check_is_op(check, index, ',');
        *lambda = *lambda || check_is_keyword(check, index, KEYWORD_LAMBDA);
        index = opens && tokens[index].match > index ? (size_t)tokens[index].match + 1
                                                     : token_list_next(&check->list, index);
    }
    return index;
}

/* def f(a=1, b): */
static void check_parameters(struct walk *walk, size_t open)
{
    const struct check *check = walk->check;
    struct argument argument;
    size_t cursor = open;
    bool defaulted = false;

    while (check_is_op(check, open, '(') && check_next_argument(check, open, &cursor, &argument)) {
        bool has_default = argument.keyword != NO_TOKEN;

        if (argument.starred)
            return;
        for (size_t at = argument.first; at < argument.end && !has_default;
             at = token_list_next(&check->list, at))
            has_default = check_is_op(check, at, '=');
        if (defaulted && !has_default && !check_is_op(check, argument.first, '/'))
            report(walk, argument.first,
                   "A parameter without a default follows one with a default. Move it before.");
        defaulted = defaulted || has_default;
    }
}

/* Behind the body of try must stand except or finally. */
static void check_try(struct walk *walk, size_t index, size_t colon)
{
    const struct check *check = walk->check;
    const struct token *tokens = check->list.tokens;
    size_t at = colon + 1;

    if (tokens[at].kind == TOKEN_NEWLINE && tokens[at + 1].kind == TOKEN_INDENT)
        at = (size_t)tokens[at + 1].match + 1;
    else {
        while (at < check->list.count && tokens[at].kind != TOKEN_NEWLINE)
            at++;
        at++;
    }
    if (at <= check->list.count && !check_is_keyword(check, at, KEYWORD_EXCEPT) &&
        !check_is_keyword(check, at, KEYWORD_FINALLY))
        report(walk, index,
               "This try has neither except nor finally. Add: except Exception as e: print(e).");
}

static void check_header(struct walk *walk, size_t index)
{
    const struct check *check = walk->check;
    enum keyword keyword = check->list.tokens[index].id;
    bool assigns = false, comma = false, lambda = false;
    size_t colon = find_colon(check, index, &assigns, &comma, &lambda);

    if (!check_is_op(check, colon, ':')) {
        if (colon < check->list.count && index < walk->unclosed) { /* else the text broke off */
            report(walk, colon, "A ':' is missing at the end of this line.");
            walk->colon_missing = true;
        }
        return;
    }
    if (assigns && !lambda &&
        (keyword == KEYWORD_IF || keyword == KEYWORD_ELIF || keyword == KEYWORD_WHILE))
        report(walk, index, "'=' assigns; to compare in this condition write '=='.");
    if (comma && keyword == KEYWORD_EXCEPT)
        report(
            walk, index,
            "Put several exceptions in parentheses, and the name behind 'as': except (A, B) as e:");
    if (keyword == KEYWORD_DEF)
        check_parameters(walk, index + 2);
    if (keyword == KEYWORD_TRY)
        check_try(walk, index, colon);
}

static bool inside(const struct walk *walk, enum block wanted)
{
    if (walk->header == wanted)
        return true;
    if (walk->header == BLOCK_FUNCTION || walk->header == BLOCK_CLASS)
        return false;
    for (size_t i = walk->count; i > 0; i--) {
        if (walk->blocks[i - 1] == wanted)
            return true;
        if (walk->blocks[i - 1] == BLOCK_FUNCTION || walk->blocks[i - 1] == BLOCK_CLASS)
            return false;
    }
    return false;
}

static void check_keyword(struct walk *walk, size_t index)
{
    const struct check *check = walk->check;
    enum keyword keyword = check->list.tokens[index].id;
    const struct token *before = index > 0 ? &check->list.tokens[index - 1] : NULL;
    bool starts = check_starts_statement(check, index) &&
                  !(before && before->kind == TOKEN_OP && before->id == ':');

    if (check_is_op(check, index + 1, '=') &&
        (starts ||
         (before && before->kind == TOKEN_OP && (before->id == '(' || before->id == ',')))) {
        report(
            walk, index,
            "This word is part of the language and cannot be given a value. Choose another name.");
        return;
    }
    if (walk->depth > 0)
        return;
    switch (keyword) {
    case KEYWORD_IF:
    case KEYWORD_ELIF:
    case KEYWORD_ELSE:
    case KEYWORD_TRY:
    case KEYWORD_EXCEPT:
    case KEYWORD_FINALLY:
    case KEYWORD_WITH:
        if (starts)
            check_header(walk, index);
        break;
    case KEYWORD_WHILE:
    case KEYWORD_FOR:
        if (starts ||
            (before && check_is_keyword(check, index - 1, KEYWORD_ASYNC) && walk->depth == 0)) {
            walk->header = BLOCK_LOOP;
            check_header(walk, index);
        }
        break;
    case KEYWORD_DEF:
    case KEYWORD_CLASS:
        walk->header = keyword == KEYWORD_DEF ? BLOCK_FUNCTION : BLOCK_CLASS;
        check_header(walk, index);
        break;
    case KEYWORD_RETURN:
        if (!inside(walk, BLOCK_FUNCTION))
            report(walk, index,
                   "'return' stands outside a function. Write print(value) to answer, or put the "
                   "code into a "
                   "function and call it.");
        break;
    case KEYWORD_BREAK:
    case KEYWORD_CONTINUE:
        if (!inside(walk, BLOCK_LOOP))
            report(
                walk, index,
                "This stands outside a loop. Delete it, or put the code into a for or while loop.");
        break;
    default:
        break;
    }
}

static void check_block(struct walk *walk, size_t index)
{
    const struct check *check = walk->check;
    const struct token *tokens = check->list.tokens;

    if (tokens[index].kind == TOKEN_INDENT) {
        bool expected = index >= 2 && tokens[index - 1].kind == TOKEN_NEWLINE &&
                        check_is_op(check, index - 2, ':');

        if (!expected && !walk->colon_missing)
            report(walk, index,
                   "This line is indented more than the one before, which opens no block. Indent "
                   "both alike.");
        if (walk->count < VALIDATOR_INDENT_CAP)
            walk->blocks[walk->count++] =
                expected || walk->colon_missing ? walk->header : BLOCK_PLAIN;
        walk->header = BLOCK_PLAIN;
        walk->colon_missing = false;
    } else if (tokens[index].kind == TOKEN_DEDENT) {
        walk->count -= walk->count > 0;
    } else {
        bool opened = index > 0 && check_is_op(check, index - 1, ':');

        if (opened && tokens[index + 1].kind != TOKEN_INDENT)
            report(walk, index - 1,
                   "Behind this ':' an indented block must follow. Indent the next lines by four "
                   "spaces, or "
                   "write pass.");
        if (tokens[index + 1].kind != TOKEN_INDENT) {
            walk->header = BLOCK_PLAIN;
            walk->colon_missing = false;
        }
        walk->depth = 0;
    }
}

/* Operators that nest to the right cost the interpreter's stack. */
static void check_chain(struct walk *walk, size_t index)
{
    const struct token *token = &walk->check->list.tokens[index];
    bool prefix = (token->kind == TOKEN_OP && strchr("-+~", token->id)) ||
                  (token->kind == TOKEN_NAME && token->id == KEYWORD_NOT);

    walk->prefixes = prefix ? walk->prefixes + 1 : 0;
    if (token->kind == TOKEN_OP && token->id == OP_POWER)
        walk->powers++;
    else if (token->kind == TOKEN_NEWLINE || (token->kind == TOKEN_OP && token->id == ','))
        walk->powers = 0;
    if (walk->prefixes == PREFIXES_CAP + 1 || walk->powers == POWERS_CAP + 1)
        report(walk, index, "Too many operators in a row. Work the value out in steps.");
}

static size_t find_unclosed(const struct check *check)
{
    for (size_t i = 0; i < check->list.count; i++) {
        const struct token *token = &check->list.tokens[i];

        if (token->kind == TOKEN_OP && check_opens(token) && token->match >= check->list.count)
            return i;
    }
    return check->list.count;
}

void check_syntax(struct check *check)
{
    struct walk walk = {.check = check, .unclosed = find_unclosed(check)};

    for (size_t i = 0; i < check->list.count; i++) {
        const struct token *token = &check->list.tokens[i];

        check_chain(&walk, i);
        check_neighbours(&walk, i);
        if (token->kind == TOKEN_INDENT || token->kind == TOKEN_DEDENT ||
            token->kind == TOKEN_NEWLINE)
            check_block(&walk, i);
        else if (token->kind == TOKEN_NAME && token->id != KEYWORD_NONE)
            check_keyword(&walk, i);
        else if (check_opens(token))
            walk.depth++;
        else if (check_closes(token))
            walk.depth -= walk.depth > 0;
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/syntax/token_list.h"

#include <stdlib.h>
#include <string.h>

#include "validator/syntax/fstring.h"
#include "validator/syntax/literal.h"
#include "validator/syntax/unicode.h"

#define FIRST_SIZE     1024
#define NAMES_CAP      (VALIDATOR_SOURCE_CAP * 20)
#define NESTED_STRINGS 8 /* f-strings in f-strings; 3.11 has four kinds of quotes, so four */
#define NO_MATCH       UINT32_MAX

static const struct token end_token = {.kind = TOKEN_END};

/* Keeps one more place for TOKEN_END. */
static bool append(struct token_list *list, const struct token *token)
{
    if (list->count + 2 > list->size) {
        size_t size = list->size ? list->size * 2 : FIRST_SIZE;
        struct token *tokens = realloc(list->tokens, size * sizeof *tokens);

        if (!tokens) {
            list->failed = true;
            return false;
        }
        list->tokens = tokens;
        list->size = size;
    }
    list->tokens[list->count++] = *token;
    list->tokens[list->count] = end_token;
    return true;
}

static void pair(struct token_list *list, size_t open, size_t close)
{
    list->tokens[open].match = (uint32_t)close;
    list->tokens[close].match = (uint32_t)open;
}

/* The normalised text of the last token, a name. */
static void normalise(struct token_list *list)
{
    struct token *token = &list->tokens[list->count - 1];

    token->match = (uint32_t)list->names.len;
    unicode_add_nfkc(&list->names, list->source + token->start, token->length);
    buf_addc(&list->names, '\0');
    if (list->names.failed)
        list->failed = true;
}

/* The brackets and indents that are open; both tokenizers bound how many there can be. */
struct open_tokens {
    uint32_t brackets[VALIDATOR_DEPTH_CAP];
    uint32_t indents[VALIDATOR_INDENT_CAP];
    size_t bracket_count, indent_count;
};

static void match(struct token_list *list, struct open_tokens *open, const struct token *token)
{
    uint32_t index = (uint32_t)(list->count - 1);
    bool opens =
        token->kind == TOKEN_OP && (token->id == '(' || token->id == '[' || token->id == '{');
    bool closes =
        token->kind == TOKEN_OP && (token->id == ')' || token->id == ']' || token->id == '}');

    list->tokens[index].match = opens || token->kind == TOKEN_INDENT ? NO_MATCH : index;
    if (opens)
        open->brackets[open->bracket_count++] = index;
    else if (closes)
        pair(list, open->brackets[--open->bracket_count], index);
    else if (token->kind == TOKEN_INDENT)
        open->indents[open->indent_count++] = index;
    else if (token->kind == TOKEN_DEDENT)
        pair(list, open->indents[--open->indent_count], index);
}

static int add_all(struct token_list *list, struct report *report, struct tokenizer *tokenizer,
                   size_t level);

/* The fields of the STRING token at `index`. -1 after an error, which is reported. */
static int add_fields(struct token_list *list, struct report *report, size_t index, size_t level)
{
    struct token string = list->tokens[index], field = {0};
    struct fstring fstring;
    struct fstring_piece piece;
    struct tokenizer inner;
    uint32_t line = string.line;
    size_t counted = string.start;

    fstring_init(&fstring, list->source, &string);
    while (fstring_next(&fstring, &piece) == FSTRING_FIELD || piece.kind == FSTRING_TEXT) {
        size_t open = list->count;

        if (piece.kind == FSTRING_TEXT)
            continue;
        for (; counted < piece.start; counted++)
            line += list->source[counted] == '\n' ||
                    (list->source[counted] == '\r' && list->source[counted + 1] != '\n');
        field.kind = TOKEN_FIELD_OPEN;
        field.start = (uint32_t)piece.start;
        field.line = line;
        if (!append(list, &field))
            return -1;
        tokenizer_init_field(&inner, list->source, piece.start, piece.end, line);
        if (add_all(list, report, &inner, level + 1) < 0)
            return -1;
        field.kind = TOKEN_FIELD_CLOSE;
        field.start = (uint32_t)piece.end;
        if (!append(list, &field))
            return -1;
        pair(list, open, list->count - 1);
        list->tokens[index].match = (uint32_t)(list->count - 1);
    }
    if (piece.kind != FSTRING_ERROR)
        return 0;
    report_add(report, "syntax", fstring.error_at, "%s", fstring.error);
    return -1;
}

/* What goes on behind a string's tokens, or -1. */
static int add_string(struct token_list *list, struct report *report, size_t level)
{
    size_t index = list->count - 1;

    list->tokens[index].match = (uint32_t)index;
    if (!(list->tokens[index].flags & TOKEN_FORMATTED))
        return 0;
    if (level == NESTED_STRINGS) {
        report_add(report, "syntax", list->tokens[index].start,
                   "F-strings nest too deeply. Work the inner ones out before.");
        return -1;
    }
    return add_fields(list, report, index, level);
}

static int add_all(struct token_list *list, struct report *report, struct tokenizer *tokenizer,
                   size_t level)
{
    struct open_tokens open = {.bracket_count = 0};
    struct token token;
    enum token_kind kind;

    while ((kind = tokenizer_next(tokenizer, &token)) != TOKEN_END && kind != TOKEN_ERROR) {
        if (!append(list, &token))
            return -1;
        match(list, &open, &token);
        if (kind == TOKEN_NAME && (token.flags & TOKEN_NON_ASCII))
            normalise(list);
        else if (kind == TOKEN_STRING && add_string(list, report, level) < 0)
            break;
    }
    if (kind == TOKEN_END)
        return 0;
    if (kind == TOKEN_ERROR)
        report_add(report, "syntax", tokenizer->error_at, "%s", tokenizer->error);
    /* What stayed open reaches to the end of what was read. */
    for (size_t i = 0; i < open.bracket_count; i++)
        list->tokens[open.brackets[i]].match = (uint32_t)list->count;
    for (size_t i = 0; i < open.indent_count; i++)
        list->tokens[open.indents[i]].match = (uint32_t)list->count;
    return -1;
}

void token_list_init(struct token_list *list, struct report *report)
{
    struct tokenizer tokenizer;

    memset(list, 0, sizeof *list);
    list->source = report->source;
    buf_init(&list->names, NAMES_CAP);
    tokenizer_init(&tokenizer, report->source, report->len);
    list->failed = !(list->tokens = calloc(list->size = FIRST_SIZE, sizeof *list->tokens));
    if (list->failed)
        return;
    add_all(list, report, &tokenizer, 0);
    /* A field that an error cut short has no CLOSE. */
    for (size_t i = 0; i < list->count; i++)
        if (list->tokens[i].kind == TOKEN_FIELD_OPEN && list->tokens[i].match == 0)
            list->tokens[i].match = (uint32_t)list->count;
}

void token_list_finish(struct token_list *list)
{
    if (!list)
        return;
    free(list->tokens);
    buf_finish(&list->names);
    memset(list, 0, sizeof *list);
}

const char *token_list_text(const struct token_list *list, size_t index, size_t *len)
{
    const struct token *token = &list->tokens[index];

    if (token->flags & TOKEN_NON_ASCII && token->kind == TOKEN_NAME) {
        *len = strlen(list->names.data + token->match);
        return list->names.data + token->match;
    }
    *len = token->length;
    return list->source + token->start;
}

size_t token_list_next(const struct token_list *list, size_t index)
{
    size_t next = index + 1;

    if (index < list->count && list->tokens[index].kind == TOKEN_STRING)
        next = (size_t)list->tokens[index].match + 1;
    return next < list->count ? next : list->count;
}

/* Behind a string with fields stands the CLOSE of its last one: back to the string, field by field.
 */
size_t token_list_previous(const struct token_list *list, size_t index)
{
    if (index == 0)
        return SIZE_MAX;
    index--;
    while (list->tokens[index].kind == TOKEN_FIELD_CLOSE)
        index = (size_t)list->tokens[index].match - 1;
    return index;
}

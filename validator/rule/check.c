/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the steps of a judgement ask of the tokens.
 */
#include "validator/rule/check.h"

#include <string.h>

#include "validator/syntax/fstring.h"
#include "validator/syntax/literal.h"

static const struct token *token_at(const struct check *check, size_t index)
{
    return &check->list.tokens[index < check->list.count ? index : check->list.count];
}

bool check_is_op(const struct check *check, size_t index, unsigned op)
{
    const struct token *token = token_at(check, index);

    return token->kind == TOKEN_OP && token->id == op;
}

bool check_is_keyword(const struct check *check, size_t index, enum keyword keyword)
{
    const struct token *token = token_at(check, index);

    return token->kind == TOKEN_NAME && token->id == keyword;
}

bool check_opens(const struct token *token)
{
    return token->kind == TOKEN_FIELD_OPEN ||
           (token->kind == TOKEN_OP && (token->id == '(' || token->id == '[' || token->id == '{'));
}

bool check_closes(const struct token *token)
{
    return token->kind == TOKEN_FIELD_CLOSE ||
           (token->kind == TOKEN_OP && (token->id == ')' || token->id == ']' || token->id == '}'));
}

/* Behind a colon too, as in "if x: import y": the callers ask only for words that stand nowhere
 * else behind one. */
bool check_starts_statement(const struct check *check, size_t index)
{
    const struct token *before;

    if (index == 0)
        return true;
    before = &check->list.tokens[index - 1];
    return before->kind == TOKEN_NEWLINE || before->kind == TOKEN_INDENT ||
           before->kind == TOKEN_DEDENT ||
           (before->kind == TOKEN_OP && (before->id == ';' || before->id == ':'));
}

bool check_is_attribute(const struct check *check, size_t index)
{
    return index > 0 && check_is_op(check, index - 1, '.');
}

const char *check_text(const struct check *check, size_t index, size_t *len)
{
    return token_list_text(&check->list, index, len);
}

bool check_string_value(struct check *check, size_t index)
{
    const struct token *token = token_at(check, index);
    const char *source = check->list.source, *error = NULL;
    size_t error_at = 0, start, end;
    struct fstring fstring;
    struct fstring_piece piece;

    buf_clear(&check->value);
    buf_add(&check->value, "", 0); /* so that data is there */
    if (!check->value.data)
        return false;
    if (!(token->flags & TOKEN_FORMATTED)) {
        literal_body(source, token, &start, &end);
        literal_decode(&check->value, source, start, end, token->flags, &error, &error_at);
        return !error;
    }
    fstring_init(&fstring, source, token);
    for (;;) {
        enum fstring_piece_kind kind = fstring_next(&fstring, &piece);

        if (kind == FSTRING_END || kind == FSTRING_ERROR)
            return true;
        if (piece.level > 0)
            continue;
        if (kind == FSTRING_FIELD)
            buf_adds(&check->value, "\xEF\xBF\xBD");
        else
            literal_decode(&check->value, source, piece.start, piece.end, token->flags, &error,
                           &error_at);
        if (error)
            return false;
    }
}

const struct binding *check_find_binding(const struct check *check, size_t index)
{
    size_t len;
    const char *text;

    if (check->binding_count == 0 || check->list.tokens[index].kind != TOKEN_NAME)
        return NULL;
    text = check_text(check, index, &len);
    for (size_t i = 0; i < check->binding_count; i++)
        if (check->bindings[i].len == len && memcmp(check->bindings[i].text, text, len) == 0)
            return &check->bindings[i];
    return NULL;
}

const struct binding *check_binding_at(const struct check *check, size_t index)
{
    const struct binding *binding = check_find_binding(check, index);

    if (!binding || (binding->rebound != NO_TOKEN && index > binding->rebound))
        return NULL;
    for (size_t i = 0; i < check->shadow_count; i++)
        if (&check->bindings[check->shadows[i].binding] == binding &&
            index >= check->shadows[i].from && index <= check->shadows[i].to)
            return NULL;
    return binding;
}

bool check_next_argument(const struct check *check, size_t open, size_t *cursor,
                         struct argument *argument)
{
    size_t close = check->list.tokens[open].match, at = *cursor + 1;

    if (close > check->list.count)
        close = check->list.count;
    if (at >= close)
        return false;
    memset(argument, 0, sizeof *argument);
    argument->keyword = NO_TOKEN;
    argument->starred = check_is_op(check, at, '*') || check_is_op(check, at, OP_POWER);
    if (token_at(check, at)->kind == TOKEN_NAME && check_is_op(check, at + 1, '=')) {
        argument->keyword = at;
        at += 2;
    }
    argument->first = at;
    while (at < close && !check_is_op(check, at, ',')) {
        const struct token *token = token_at(check, at);

        at = token->kind == TOKEN_OP && check_opens(token) && token->match > at
                 ? (size_t)token->match + 1
                 : token_list_next(&check->list, at);
    }
    argument->end = *cursor = at < close ? at : close;
    return true;
}

void check_add_module(struct check *check, const struct policy_module *module)
{
    struct verdict *verdict = check->report->verdict;

    if (module->kind > check->kind)
        check->kind = module->kind;
    if (!module->importable)
        return;
    for (size_t i = 0; i < verdict->module_count; i++)
        if (strcmp(verdict->modules[i], module->name) == 0)
            return;
    if (verdict->module_count == VALIDATOR_MODULES_CAP)
        return;
    strncpy(verdict->modules[verdict->module_count], module->name, VALIDATOR_MODULE_NAME_CAP - 1);
    verdict->modules[verdict->module_count++][VALIDATOR_MODULE_NAME_CAP - 1] = '\0';
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the name of an imported module means something else: parameters and local variables of
 * functions, and names that the main program gives away for certain. `import string` beside `def
 * count(string): ...` is ordinary code. Where that is not certain the name keeps meaning the
 * module, which refuses more and never less.
 */
#include "validator/rule/check.h"

struct scope {
    size_t from, to;
    bool is_function; /* else a class */
};

struct walk {
    struct check *check;
    struct scope scopes[VALIDATOR_INDENT_CAP];
    size_t count;
    size_t depth; /* open brackets */
};

static struct binding *find(struct check *check, size_t index)
{
    const struct binding *binding = check_find_binding(check, index);

    return binding ? &check->bindings[binding - check->bindings] : NULL;
}

static void add_shadow(struct check *check, const struct binding *binding, size_t from, size_t to)
{
    size_t index = (size_t)(binding - check->bindings);

    if (check->shadow_count == CHECK_SHADOWS_CAP || binding->declared)
        return;
    if (binding->last >= from && binding->first <= to)
        return; /* imported in there, too */
    check->shadows[check->shadow_count++] = (struct shadow){index, from, to};
}

/* The body of the def or class whose header goes on at `index`; false where there is none. */
static bool find_body(const struct check *check, size_t index, size_t *from, size_t *to)
{
    const struct token *tokens = check->list.tokens;

    while (index < check->list.count && tokens[index].kind != TOKEN_NEWLINE &&
           !check_is_op(check, index, ':')) {
        bool opens = check_is_op(check, index, '(') || check_is_op(check, index, '[') ||
                     check_is_op(check, index, '{');

        index = opens && tokens[index].match > index ? (size_t)tokens[index].match + 1
                                                     : token_list_next(&check->list, index);
    }
    if (!check_is_op(check, index, ':'))
        return false;
    *from = ++index;
    if (tokens[index].kind == TOKEN_NEWLINE && tokens[index + 1].kind == TOKEN_INDENT) {
        *from = index + 1;
        *to = tokens[index + 1].match;
        return true;
    }
    while (index < check->list.count && tokens[index].kind != TOKEN_NEWLINE)
        index++;
    *to = index;
    return true;
}

/* A name given away at the top level: behind this statement it is no module any more, unless an
 * import follows. */
static void note_rebound(struct walk *walk, struct binding *binding, size_t index)
{
    const struct token *tokens = walk->check->list.tokens;
    bool certain = walk->count == 0 && (index == 0 || tokens[index - 1].kind == TOKEN_NEWLINE ||
                                        tokens[index - 1].kind == TOKEN_DEDENT);

    if (!certain || binding->nested || binding->declared || index < binding->last ||
        binding->rebound != NO_TOKEN)
        return;
    while (index < walk->check->list.count && tokens[index].kind != TOKEN_NEWLINE)
        index++;
    binding->rebound = index;
}

static void read_header(struct walk *walk, size_t index, bool is_function)
{
    struct check *check = walk->check;
    struct binding *binding = find(check, index + 1);
    size_t open = index + 2, from, to, cursor = open;
    struct argument argument;

    if (binding && walk->count == 0)
        note_rebound(walk, binding, index);
    if (!find_body(check, index + 1, &from, &to) || to > check->list.count)
        return;
    if (walk->count < VALIDATOR_INDENT_CAP)
        walk->scopes[walk->count++] = (struct scope){from, to, is_function};
    if (!is_function || !check_is_op(check, open, '('))
        return;
    while (check_next_argument(check, open, &cursor, &argument)) {
        size_t name =
            argument.keyword != NO_TOKEN ? argument.keyword : argument.first + argument.starred;

        binding = name < argument.end ? find(check, name) : NULL;
        if (binding)
            add_shadow(check, binding, from, to);
    }
}

/* A statement of the innermost function that binds a local variable. */
static void read_local(struct walk *walk, size_t index)
{
    struct check *check = walk->check;
    bool target = check_is_op(check, index + 1, '=') && check_starts_statement(check, index);
    bool loop = index > 0 && check_is_keyword(check, index - 1, KEYWORD_FOR) &&
                check_starts_statement(check, index - 1);
    struct binding *binding;

    if (walk->depth > 0 || !(target || loop) || !(binding = find(check, index)))
        return;
    if (walk->count > 0 && walk->scopes[walk->count - 1].is_function)
        add_shadow(check, binding, walk->scopes[walk->count - 1].from,
                   walk->scopes[walk->count - 1].to);
    else if (target && walk->count == 0)
        note_rebound(walk, binding, index);
}

/* Members that a from-import binds under a module's name: from datetime import datetime. */
static void read_members(struct walk *walk, size_t index)
{
    struct check *check = walk->check;
    const struct token *tokens = check->list.tokens;
    size_t statement = index;

    while (index < check->list.count && tokens[index].kind != TOKEN_NEWLINE &&
           !check_is_keyword(check, index, KEYWORD_IMPORT))
        index++;
    for (; index < check->list.count && tokens[index].kind != TOKEN_NEWLINE; index++) {
        struct binding *binding = find(check, index);
        bool bound = check_is_op(check, index + 1, ',') || check_is_op(check, index + 1, ')') ||
                     tokens[index + 1].kind == TOKEN_NEWLINE;

        if (binding && bound && binding->last != index && binding->first != index)
            note_rebound(walk, binding, statement);
    }
}

static void note_declarations(struct check *check)
{
    for (size_t i = 0; i < check->list.count; i++) {
        if (!check_is_keyword(check, i, KEYWORD_GLOBAL) &&
            !check_is_keyword(check, i, KEYWORD_NONLOCAL))
            continue;
        for (; i < check->list.count && check->list.tokens[i].kind != TOKEN_NEWLINE; i++) {
            struct binding *binding = find(check, i);

            if (binding)
                binding->declared = true;
        }
    }
}

void check_shadows(struct check *check)
{
    struct walk walk = {.check = check};

    if (check->binding_count == 0)
        return;
    note_declarations(check);
    for (size_t i = 0; i < check->list.count; i++) {
        const struct token *token = &check->list.tokens[i];

        while (walk.count > 0 && i > walk.scopes[walk.count - 1].to)
            walk.count--;
        if (check_opens(token))
            walk.depth++;
        else if (check_closes(token))
            walk.depth -= walk.depth > 0;
        else if (token->kind == TOKEN_NAME && token->id == KEYWORD_NONE)
            read_local(&walk, i);
        else if (check_is_keyword(check, i, KEYWORD_DEF) ||
                 check_is_keyword(check, i, KEYWORD_CLASS))
            read_header(&walk, i, token->id == KEYWORD_DEF);
        else if (check_is_keyword(check, i, KEYWORD_FROM) && check_starts_statement(check, i))
            read_members(&walk, i);
    }
}

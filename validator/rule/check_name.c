/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every name of the program, in its role: forbidden ones, dunders, look-alikes, modules, and those
 * whose call is judged.
 */
#include "validator/rule/check.h"

#include <string.h>

#include "validator/syntax/unicode.h"

enum block { BLOCK_MODULE, BLOCK_CLASS, BLOCK_FUNCTION };

struct walk {
    struct check *check;
    enum block blocks[VALIDATOR_INDENT_CAP];
    size_t count;
    enum block next; /* of the block that the next INDENT opens */
    bool next_known;
};

static enum block current(const struct walk *walk)
{
    return walk->count ? walk->blocks[walk->count - 1] : BLOCK_MODULE;
}

static void enter(struct walk *walk)
{
    enum block block = walk->next_known ? walk->next : current(walk);

    if (walk->count < VALIDATOR_INDENT_CAP)
        walk->blocks[walk->count++] = block;
    walk->next_known = false;
}

/* The NAME token before the bracket that closes at index - 1, as super in super().x. NO_TOKEN for
 * none. */
static size_t called_before(const struct check *check, size_t index)
{
    size_t open;

    if (index < 2 || !check_is_op(check, index - 1, ')'))
        return NO_TOKEN;
    open = check->list.tokens[index - 1].match;
    if (open == 0 || check->list.tokens[open - 1].kind != TOKEN_NAME ||
        check_is_attribute(check, open - 1))
        return NO_TOKEN;
    return open - 1;
}

static bool is_text(const struct check *check, size_t index, const char *wanted)
{
    size_t len;
    const char *text;

    if (index >= check->list.count || check->list.tokens[index].kind != TOKEN_NAME)
        return false;
    text = check_text(check, index, &len);
    return len == strlen(wanted) && memcmp(text, wanted, len) == 0;
}

static bool is_assigned(const struct check *check, size_t index)
{
    const struct token *next = &check->list.tokens[index + 1];

    return next->kind == TOKEN_OP && (next->id == '=' || next->id == OP_WALRUS ||
                                      (next->id >= OP_ASSIGN_FIRST && next->id <= OP_ASSIGN_LAST));
}

static bool is_main_guard(const struct check *check, size_t index)
{
    if (check_is_keyword(check, index - 1, KEYWORD_IF))
        return check_is_op(check, index + 1, OP_EQUAL) &&
               check->list.tokens[index + 2].kind == TOKEN_STRING;
    return index > 1 && check_is_op(check, index - 1, OP_EQUAL) &&
           check->list.tokens[index - 2].kind == TOKEN_STRING && check_is_op(check, index + 1, ':');
}

static bool dunder_allowed(const struct walk *walk, size_t index, const char *text, size_t len)
{
    const struct check *check = walk->check;
    bool method = policy_has_word(policy_dunder_methods, text, len);
    bool is_name = len == 8 && memcmp(text, "__name__", 8) == 0;

    if (check_is_attribute(check, index)) {
        size_t called = called_before(check, index - 1);

        if (method)
            return is_text(check, called, "super") && check_is_op(check, index + 1, '(');
        return is_name && is_text(check, called, "type") && !is_assigned(check, index);
    }
    if (method)
        return index > 0 && check_is_keyword(check, index - 1, KEYWORD_DEF) &&
               current(walk) == BLOCK_CLASS;
    return is_name && index > 0 && is_main_guard(check, index);
}

static void refuse_dunder(struct check *check, size_t index, const char *text, size_t len)
{
    static const struct {
        const char *name, *advice;
    } hints[] = {
        {"__class__", "Write type(x), and type(x).__name__ for its name."},
        {"__name__", "It is allowed in if __name__ == \"__main__\": and as type(x).__name__."},
        {"__dict__", "Keep the values in a dictionary, or use dataclasses.asdict(x)."},
        {"__doc__", "Write the text itself."},
        {"__file__", "The program has no file."},
        {"__builtins__", "Call the function by its own name."},
        {"__slots__", "Leave it away; it changes nothing here."},
        {"__all__", "Leave it away; nothing imports this program."},
        {"__version__", "Leave it away."},
        {"__traceback__", "Print the exception itself: print(e)."},
        {"__annotations__", "Write the types out."},
    };
    const char *advice =
        "A class may define methods such as __init__, __repr__, __eq__, __len__, __iter__ and call "
        "super().__init__(...); other names in double underscores are out of reach.";

    if (report_is_full(check->report))
        return;
    if (check_is_attribute(check, index) && is_text(check, index - 2, "__class__"))
        return; /* refused there */
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strlen(hints[i].name) == len && memcmp(hints[i].name, text, len) == 0)
            advice = hints[i].advice;
    if (policy_has_word(policy_dunder_methods, text, len) && check_is_attribute(check, index))
        advice = "Use the operator or function for it, such as len(x) or x == y; in a class call "
                 "super().__init__(...).";
    report_add(check->report, "dunder", check->list.tokens[index].start,
               "'%.*s' is not allowed here. %s", (int)len, text, advice);
}

static void refuse_name(struct check *check, size_t index, const char *text, size_t len,
                        const char *advice, bool is_attribute)
{
    report_add(check->report, is_attribute ? "forbidden-attribute" : "forbidden-name",
               check->list.tokens[index].start, "%s'%.*s' is not allowed.%s%s",
               is_attribute ? "The attribute " : "", (int)len, text, advice ? " " : "",
               advice ? advice : "");
}

static void judge_name(struct walk *walk, size_t index)
{
    struct check *check = walk->check;
    size_t len;
    const char *text = check_text(check, index, &len);
    bool is_attribute = check_is_attribute(check, index);
    bool of_module = is_attribute && index <= check->chain_end;
    const struct policy_name *name = policy_name_find(text, len);
    const struct binding *binding;

    if ((check->list.tokens[index].flags & TOKEN_NON_ASCII) &&
        unicode_mixes_alphabets(check->list.source + check->list.tokens[index].start,
                                check->list.tokens[index].length)) {
        report_add(
            check->report, "look-alike", check->list.tokens[index].start,
            "The name '%.*s' mixes letters of two alphabets that look alike. Write it in one.",
            (int)len, text);
        return;
    }
    if (policy_is_dunder(text, len) && !of_module) {
        if (!dunder_allowed(walk, index, text, len))
            refuse_dunder(check, index, text, len);
        return;
    }
    if (name && !of_module && (name->roles & (is_attribute ? ROLE_ATTRIBUTE : ROLE_NAME))) {
        refuse_name(check, index, text, len, name->advice, is_attribute);
        return;
    }
    if (name)
        check_call(check, index, name, is_attribute);
    if (!is_attribute && (binding = check_binding_at(check, index)))
        check_module_use(check, index, binding);
}

static void note_block(struct walk *walk, size_t index)
{
    enum keyword keyword = walk->check->list.tokens[index].id;

    if (keyword != KEYWORD_CLASS && keyword != KEYWORD_DEF)
        return;
    if (keyword == KEYWORD_DEF && check_is_op(walk->check, index + 2, '(')) {
        walk->check->parameters_end = walk->check->list.tokens[index + 2].match;
        walk->check->parameters_depth = walk->check->depth + 1;
    }
    walk->next = keyword == KEYWORD_CLASS ? BLOCK_CLASS : BLOCK_FUNCTION;
    walk->next_known = true;
}

/* Import statements have been judged: gives the last token of the one at `index`, or `index` where
 * there is none. */
static size_t skip_import(const struct check *check, size_t index)
{
    const struct token *tokens = check->list.tokens;

    if (!check_is_keyword(check, index, KEYWORD_IMPORT) &&
        !(check_is_keyword(check, index, KEYWORD_FROM) && check_starts_statement(check, index)))
        return index;
    while (index + 1 < check->list.count && tokens[index + 1].kind != TOKEN_NEWLINE &&
           !check_is_op(check, index + 1, ';'))
        index++;
    return index;
}

void check_names(struct check *check)
{
    struct walk walk = {.check = check};

    for (size_t i = 0; i < check->list.count; i++) {
        const struct token *token = &check->list.tokens[i];

        if (token->kind == TOKEN_NAME && token->id == KEYWORD_NONE) {
            judge_name(&walk, i);
        } else if (token->kind == TOKEN_NAME) {
            note_block(&walk, i);
            i = skip_import(check, i);
        } else if (token->kind == TOKEN_INDENT) {
            enter(&walk);
        } else if (token->kind == TOKEN_DEDENT) {
            walk.count -= walk.count > 0;
        } else if (token->kind == TOKEN_NEWLINE) {
            if (check->list.tokens[i + 1].kind != TOKEN_INDENT)
                walk.next_known = false;
            check->depth = 0;
        } else if (check_opens(token)) {
            check->depth++;
        } else if (check_closes(token)) {
            check->depth -= check->depth > 0;
        }
    }
}

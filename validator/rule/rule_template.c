/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Templates of str.format() whose fields read dunders or forbidden attributes, "{0.__class__}", and
 * texts that are themselves such a name or a library's command. Strings joined by '+' are checked
 * as one.
 */
#include "validator/rule/check_internal.h"

#include <string.h>

#include "validator/syntax/tokenizer.h"

#define SHOWN_CAP 60 /* bytes of a text in a message */
#define WHOLE_CAP (VALIDATOR_SOURCE_CAP * 4)

struct template_walk {
    struct check *check;
    struct buf whole; /* the strings of a sum that stand side by side */
    bool formats;     /* the program fills in templates */
    uint32_t first;   /* the first of them; NODE_NONE while there is none */
};

static void walk_node(struct template_walk *walk, uint32_t node);

static bool reaches_for_dunder(const char *text, size_t len)
{
    for (size_t i = 0; i + 2 < len; i++) {
        const char *open = memchr(text + i, '{', len - i);
        size_t at;

        if (!open)
            return false;
        at = (size_t)(open - text) + 1;
        for (; at + 2 < len && text[at] != '}' && text[at] != '{'; at++)
            if (text[at] == '.' && text[at + 1] == '_' && text[at + 2] == '_')
                return true;
        i = at - 1;
    }
    return false;
}

/* strchr finds the NUL, too. */
static bool is_one_of(char byte, const char *set)
{
    return byte && strchr(set, byte);
}

/* From the byte behind '{' to the field's end: whether an attribute in it is a forbidden one. */
static bool names_forbidden(const char *text, size_t len)
{
    size_t start = len; /* of a name behind '.' */

    for (size_t i = 0; i <= len; i++) {
        if (i < len && !is_one_of(text[i], ".[]{}!:"))
            continue;
        if (start < i) {
            const struct policy_name *name = policy_name_find(text + start, i - start);

            if (name && (name->roles & ROLE_ATTRIBUTE))
                return true;
        }
        if (i < len && is_one_of(text[i], "{}!:"))
            return false;
        start = i < len && text[i] == '.' ? i + 1 : len;
    }
    return false;
}

static bool reaches_for_forbidden(const char *text, size_t len)
{
    const char *end = text + len;

    while ((text = memchr(text, '{', (size_t)(end - text)))) {
        text++;
        if (names_forbidden(text, (size_t)(end - text)))
            return true;
    }
    return false;
}

/* Names with nothing but these signs between, of which one is in the words. */
static bool holds_dunder(const char *text, size_t len, const char *signs, const char *words,
                         const char *more)
{
    size_t start = 0;
    bool found = false;

    for (size_t i = 0; i <= len; i++) {
        if (i < len && keyword_is_name_byte((unsigned char)text[i]))
            continue;
        if (i < len && !is_one_of(text[i], signs))
            return false;
        found = found || (policy_is_dunder(text + start, i - start) &&
                          (policy_has_word(words, text + start, i - start) ||
                           policy_has_word(more, text + start, i - start)));
        start = i + 1;
    }
    return found;
}

/* A text that a library takes for a command: policy_command_texts, and "a.__dict__". */
static bool is_command(const char *text, size_t len)
{
    for (const char *word = policy_command_texts; *word; word += *word == ' ') {
        size_t size = strcspn(word, " "), fixed = size - (word[size - 1] == '*');

        if (word[0] == '*'
                ? memmem(text, len, word + 1, size - 1) != NULL
                : (fixed < size ? len >= fixed : len == fixed) && memcmp(text, word, fixed) == 0)
            return true;
        word += size;
    }
    return holds_dunder(text, len, ".", policy_dunder_texts, "");
}

/* Bytes to show of a text: lone surrogates are no UTF-8. */
static int shown(const char *text, size_t len)
{
    size_t ascii = 0;

    while (ascii < len && ascii < SHOWN_CAP && (unsigned char)text[ascii] < 0x80)
        ascii++;
    return (int)ascii;
}

static void check_template(struct check *check, uint32_t node, const char *text, size_t len,
                           bool formats)
{
    if (reaches_for_dunder(text, len) || reaches_for_forbidden(text, len))
        check_report(check, "name-by-text", node,
                     "A format field must not reach for names in double underscores. Format plain "
                     "values: \"{}\".format(value), or an f-string.");
    else if (is_command(text, len) ||
             /* ".__class__}" */
             (formats &&
              holds_dunder(text, len, ".{}[]!:", policy_dunder_texts, policy_dunder_pieces)))
        check_report(
            check, "name-by-text", node,
            "The text '%.*s' is not allowed: a library may take it for a name or a command. "
            "If it is data of yours, write it otherwise.",
            shown(text, len), text);
}

static bool is_sum(const struct check *check, uint32_t node)
{
    const struct node *row = check_node(check, node);

    return row->kind == NODE_BINARY && row->op == '+';
}

static void end_run(struct template_walk *walk)
{
    if (walk->first)
        check_template(walk->check, walk->first, walk->whole.data, walk->whole.len, walk->formats);
    walk->first = NODE_NONE;
    buf_clear(&walk->whole);
}

/* The operands of a sum from the left to the right, whatever brackets are in it. */
static void read_sum(struct template_walk *walk, uint32_t node)
{
    uint32_t left = check_node(walk->check, node)->child;
    const char *text;
    size_t len;

    if (is_sum(walk->check, node)) {
        read_sum(walk, left);
        read_sum(walk, check_node(walk->check, left)->next);
        return;
    }
    text = check_text(walk->check, node, &len, NULL);
    if (!text) {
        end_run(walk);
        return;
    }
    walk->first = walk->first ? walk->first : node;
    buf_add(&walk->whole, text, len);
    walk->check->failed = walk->check->failed || walk->whole.failed;
}

static void walk_children(struct template_walk *walk, uint32_t node)
{
    for (uint32_t child = check_node(walk->check, node)->child; child && !walk->check->failed;
         child = check_node(walk->check, child)->next)
        walk_node(walk, child);
}

/* What stands inside the operands, once the sum itself has been read. */
static void walk_operands(struct template_walk *walk, uint32_t node)
{
    uint32_t left = check_node(walk->check, node)->child;
    enum node_kind kind = check_node(walk->check, node)->kind;

    if (is_sum(walk->check, node)) {
        walk_operands(walk, left);
        walk_operands(walk, check_node(walk->check, left)->next);
    } else if (kind == NODE_STRING || kind == NODE_JOINED) {
        walk_children(walk, node);
    } else {
        walk_node(walk, node);
    }
}

static void walk_node(struct template_walk *walk, uint32_t node)
{
    const struct node *row = check_node(walk->check, node);
    const char *text;
    size_t len;

    if (is_sum(walk->check, node)) {
        read_sum(walk, node);
        end_run(walk);
        walk_operands(walk, node);
        return;
    }
    if (row->kind == NODE_JOINED || (row->kind == NODE_STRING && !(row->flags & NODE_FORMATTED))) {
        text = check_text(walk->check, node, &len, NULL);
        if (text)
            check_template(walk->check, node, text, len, walk->formats);
    }
    walk_children(walk, node);
}

void rule_template(struct check *check)
{
    struct template_walk walk = {.check = check,
                                 .formats = check_has_attribute(check, ROLE_FORMAT)};

    if (check->facts->strings.count == 0)
        return;
    buf_init(&walk.whole, WHOLE_CAP);
    walk_node(&walk, 0);
    buf_finish(&walk.whole);
}

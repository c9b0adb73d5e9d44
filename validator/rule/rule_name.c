/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Refused names: forbidden ones and dunders in every role except as attributes (read, bound,
 * defined, passed as a keyword, declared, captured by a pattern), and those that mix two alphabets.
 */
#include "validator/rule/check_internal.h"
#include "validator/syntax/tokenizer.h"

/* What a pattern asks of its subject is an attribute that nothing calls. */
#define UNCALLED (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY | ROLE_GETTER)

static bool is_test(struct check *check, uint32_t node)
{
    uint32_t parent = check_parent(check, node);
    enum node_kind kind = parent == FACTS_NONE ? NODE_MODULE : check_node(check, parent)->kind;

    return (kind == NODE_IF || kind == NODE_ELIF) && check_node(check, parent)->child == node;
}

/* NAME == "text", either way round, is all that an if asks. */
static bool is_main_guard(struct check *check, const struct site *site)
{
    const struct node *test = check_node(check, site->parent), *other;
    uint32_t second;

    if (test->kind != NODE_COMPARE || test->op != OP_EQUAL ||
        !check_is_text(check, site->node, "__name__"))
        return false;
    second = check_node(check, test->child)->next;
    other = check_node(check, test->child == site->node ? second : test->child);
    if (check_node(check, second)->next || other->kind != NODE_STRING ||
        (other->flags & NODE_BYTES))
        return false;
    return is_test(check, site->parent);
}

static void refuse(struct check *check, uint32_t node, const char *code, const char *what)
{
    const char *advice = check_word(check, node)->name->advice;

    if (!advice)
        advice = "A pattern takes the method without a call: match the object, and call its "
                 "method in the case.";
    check_report(check, code, node, "%s'%.*s' is not allowed. %s", what, check_shown(check, node),
                 advice);
}

static bool is_true(const struct check *check, uint32_t node)
{
    return check_node(check, node)->kind == NODE_CONSTANT &&
           check_node(check, node)->op == KEYWORD_TRUE;
}

static bool is_method(const struct check *check, const struct site *site)
{
    return check_node(check, site->node)->kind == NODE_FUNCTION &&
           check->facts->scopes[site->scope].kind == SCOPE_CLASS &&
           (check_word(check, site->node)->flags & WORD_METHOD);
}

static void check_other(struct check *check, const struct site *site)
{
    const struct word *word = check_word(check, site->node);
    enum node_kind kind = check_node(check, site->node)->kind;

    if (kind == NODE_BINDING && check_node(check, site->parent)->kind == NODE_ALIAS)
        return; /* rule_import's */
    if (word->flags & WORD_DUNDER) {
        if (!is_method(check, site))
            check_refuse_dunder(check, site->node, false);
    } else if (kind == NODE_MATCH_KEYWORD) {
        if (word->roles & UNCALLED)
            refuse(check, site->node, "forbidden-attribute", "The attribute ");
    } else if (kind == NODE_KEYWORD && (word->roles & ROLE_CHECK)) {
        if (!is_true(check, check_node(check, site->node)->child))
            refuse(check, site->node, "forbidden-name", "");
    } else if (word->roles & (kind == NODE_KEYWORD ? ROLE_NAME | ROLE_KEYWORD : ROLE_NAME)) {
        refuse(check, site->node, "forbidden-name", "");
    }
}

void rule_name(struct check *check)
{
    const struct site_list *names = &check->facts->names, *other = &check->facts->other;

    if (!(check->flags & WORD_DUNDER) &&
        !(check->roles & (ROLE_NAME | ROLE_KEYWORD | ROLE_CHECK | UNCALLED)))
        return;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct site *site = &names->rows[i];
        const struct word *word = check_word(check, site->node);

        if (word->flags & WORD_DUNDER) {
            if (!is_main_guard(check, site))
                check_refuse_dunder(check, site->node, false);
        } else if (word->roles & ROLE_NAME) {
            refuse(check, site->node, "forbidden-name", "");
        }
    }
    for (uint32_t i = 0; i < other->count; i++)
        if (check_node(check, other->rows[i].node)->kind != NODE_MATCH_CLASS)
            check_other(check, &other->rows[i]);
}

/* ---- names that mix letters of two alphabets that look alike, as no language does. Each is
 * reported once, at the first place of its kind. ---- */

static void check_letters(struct check *check, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t node = list->rows[i].node;
        struct word *word = &check->words[check_node(check, node)->name];

        if (check_node(check, node)->kind == NODE_MATCH_CLASS || !(word->flags & WORD_MIXED))
            continue;
        word->flags &= (uint8_t)~WORD_MIXED;
        check_report(
            check, "look-alike", node,
            "The name '%.*s' mixes letters of two alphabets that look alike. Write it in one.",
            check_shown(check, node));
    }
}

/* An import's names: what is imported, and what it is called. */
static void check_imports(struct check *check)
{
    const struct site_list *imports = &check->facts->imports;

    for (uint32_t i = 0; i < imports->count; i++) {
        struct site names[2] = {{.node = imports->rows[i].node},
                                {.node = check_node(check, imports->rows[i].node)->child}};

        check_letters(check, &(struct site_list){.rows = names, .count = names[1].node ? 2 : 1});
    }
}

void rule_look_alike(struct check *check)
{
    if (!(check->flags & WORD_MIXED))
        return;
    check_letters(check, &check->facts->names);
    check_letters(check, &check->facts->attributes);
    check_letters(check, &check->facts->other);
    check_imports(check);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forbidden names and dunders in every role but that of an attribute: read, bound, defined, passed
 * as a keyword, declared, captured by a pattern.
 */
#include "validator/rule/judge.h"
#include "validator/syntax/keyword.h"

/* What a pattern asks of its subject is an attribute that nothing calls. */
#define UNCALLED (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY | ROLE_GETTER)

static bool is_test(struct judge *judge, uint32_t node)
{
    uint32_t parent = judge_parent(judge, node);
    enum node_kind kind = parent == FACTS_NONE ? NODE_MODULE : judge_node(judge, parent)->kind;

    return (kind == NODE_IF || kind == NODE_ELIF) && judge_node(judge, parent)->child == node;
}

/* NAME == "text", either way round, is all that an if asks. */
static bool is_main_guard(struct judge *judge, const struct site *site)
{
    const struct node *test = judge_node(judge, site->parent), *other;
    uint32_t second;

    if (test->kind != NODE_COMPARE || test->op != OP_EQUAL ||
        !judge_is_text(judge, site->node, "__name__"))
        return false;
    second = judge_node(judge, test->child)->next;
    other = judge_node(judge, test->child == site->node ? second : test->child);
    if (judge_node(judge, second)->next || other->kind != NODE_STRING ||
        (other->flags & NODE_BYTES))
        return false;
    return is_test(judge, site->parent);
}

static void refuse(struct judge *judge, uint32_t node, const char *code, const char *what)
{
    const char *advice = judge_word(judge, node)->name->advice;

    if (!advice)
        advice = "A pattern takes the method without a call: match the object, and call its "
                 "method in the case.";
    report_add(judge->report, code, judge_node(judge, node)->at, "%s'%.*s' is not allowed. %s",
               what, judge_shown(judge, node), advice);
}

static bool is_true(const struct judge *judge, uint32_t node)
{
    return judge_node(judge, node)->kind == NODE_CONSTANT &&
           judge_node(judge, node)->op == KEYWORD_TRUE;
}

static bool is_method(const struct judge *judge, const struct site *site)
{
    return judge_node(judge, site->node)->kind == NODE_FUNCTION &&
           judge->facts->scopes[site->scope].kind == SCOPE_CLASS &&
           (judge_word(judge, site->node)->flags & WORD_METHOD);
}

static void judge_other(struct judge *judge, const struct site *site)
{
    const struct word *word = judge_word(judge, site->node);
    enum node_kind kind = judge_node(judge, site->node)->kind;

    if (kind == NODE_BINDING && judge_node(judge, site->parent)->kind == NODE_ALIAS)
        return; /* rule_import's */
    if (word->flags & WORD_DUNDER) {
        if (!is_method(judge, site))
            judge_refuse_dunder(judge, site->node, false);
    } else if (kind == NODE_MATCH_KEYWORD) {
        if (word->roles & UNCALLED)
            refuse(judge, site->node, "forbidden-attribute", "The attribute ");
    } else if (kind == NODE_KEYWORD && (word->roles & ROLE_CHECK)) {
        if (!is_true(judge, judge_node(judge, site->node)->child))
            refuse(judge, site->node, "forbidden-name", "");
    } else if (word->roles & (kind == NODE_KEYWORD ? ROLE_NAME | ROLE_KEYWORD : ROLE_NAME)) {
        refuse(judge, site->node, "forbidden-name", "");
    }
}

void rule_name(struct judge *judge)
{
    const struct site_list *names = &judge->facts->names, *other = &judge->facts->other;

    if (!(judge->flags & WORD_DUNDER) &&
        !(judge->roles & (ROLE_NAME | ROLE_KEYWORD | ROLE_CHECK | UNCALLED)))
        return;
    for (uint32_t i = 0; i < names->count; i++) {
        const struct site *site = &names->rows[i];
        const struct word *word = judge_word(judge, site->node);

        if (word->flags & WORD_DUNDER) {
            if (!is_main_guard(judge, site))
                judge_refuse_dunder(judge, site->node, false);
        } else if (word->roles & ROLE_NAME) {
            refuse(judge, site->node, "forbidden-name", "");
        }
    }
    for (uint32_t i = 0; i < other->count; i++)
        if (judge_node(judge, other->rows[i].node)->kind != NODE_MATCH_CLASS)
            judge_other(judge, &other->rows[i]);
}

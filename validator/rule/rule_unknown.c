/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that nothing binds, where it is clear what was meant: a helper or a module that is not
 * imported, a misspelt function, a word of another language. Python raises NameError there, but
 * only when the place is reached: so names that may be meant to fail, or are never looked up, are
 * left alone, and so are all of which nothing better is known. Each name is told once.
 */
#include "validator/rule/judge.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/nearest.h"

#define NEAR_HELPER       2 /* edits */
#define NEAR_BUILTIN      1
#define SHORTEST_MISSPELT 4 /* letters; a shorter name is near too many */

static const char *const helpers[] = {
    "get_nodes",       "get_relationships", "get_node_content",
    "get_all_content", "analyze_graph",     "query_graph",
};

static bool mentions(const struct judge *judge, const char *name)
{
    return symbols_find(&judge->ast->symbols, name, strlen(name)) != SYMBOL_NONE;
}

/* Where names may be bound unseen, or their absence is counted on. */
static bool is_beyond(const struct judge *judge)
{
    return judge->ast->broken || mentions(judge, "*") || mentions(judge, "NameError") ||
           mentions(judge, "UnboundLocalError");
}

/* In a try that catches something, or in an annotation that Python may never look at. */
static bool is_spared(struct judge *judge, uint32_t node)
{
    bool lazy = mentions(judge, "annotations");

    for (uint32_t child = node, parent; (parent = judge_parent(judge, child)) != FACTS_NONE;
         child = parent) {
        const struct node *row = judge_node(judge, parent);

        if (row->kind == NODE_ANNOTATED ||
            (lazy && (row->kind == NODE_RETURNS || row->kind == NODE_PARAMETER)))
            return true;
        if (row->kind == NODE_TRY && row->child == child &&
            judge_node(judge, judge_node(judge, child)->next)->kind == NODE_HANDLER)
            return true;
    }
    return judge->failed;
}

/* The one of `count` names that is at most `edits` away, or NULL. */
static const char *nearest_of(const char *const *names, size_t count, const char *word,
                              size_t edits)
{
    for (size_t distance = 0; distance <= edits; distance++)
        for (size_t i = 0; i < count; i++)
            if (nearest_distance(word, names[i]) == distance)
                return names[i];
    return NULL;
}

/* The builtin that is one edit away, or NULL. */
static const char *near_builtin(const char *word)
{
    return nearest_of(policy_builtins, policy_builtin_count, word, NEAR_BUILTIN);
}

/* What to write instead; false where nothing is known. */
static bool find_advice(const struct judge *judge, const struct site *site, char *text, size_t size)
{
    char word[NEAREST_WORD_CAP];
    size_t len;
    const char *name = ast_name(judge->ast, site->node, &len), *found;

    if (policy_is_builtin(name, len) || len >= sizeof word)
        return false;
    found = policy_unknown_advice(name, len);
    if (found) {
        snprintf(text, size, "%s", found);
        return true;
    }
    if (len < SHORTEST_MISSPELT)
        return false;
    snprintf(word, sizeof word, "%.*s", (int)len, name);
    if (nearest_distance(word, "session_id") <= NEAR_HELPER) {
        snprintf(text, size, "Did you mean session_id? It is set already.");
        return true;
    }
    if (!judge_is_called(judge, site))
        return false;
    found = nearest_of(helpers, sizeof helpers / sizeof *helpers, word, NEAR_HELPER);
    if (found && strcmp(found, word) == 0)
        snprintf(text, size, "Add at the top: from code_helpers import %s.", found);
    else if (found)
        snprintf(text, size, "Did you mean %s? Add at the top: from code_helpers import %s.", found,
                 found);
    else if ((found = near_builtin(word)))
        snprintf(text, size, "Did you mean %s?", found);
    else
        return false;
    return true;
}

void rule_unknown(struct judge *judge)
{
    const struct site_list *names = &judge->facts->names;
    unsigned tried = 0;

    if (is_beyond(judge))
        return;
    for (uint32_t i = 0; i < names->count && tried < VALIDATOR_UNKNOWN_CAP; i++) {
        const struct site *site = &names->rows[i];
        const struct node *row = judge_node(judge, site->node);
        struct word *word = &judge->words[row->name];
        char text[NEAREST_WORD_CAP * 2];

        if (site->binding != FACTS_NONE || row->op != CONTEXT_LOAD || word->flags ||
            (word->roles & ROLE_NAME) || judge_is_text(judge, site->node, "session_id"))
            continue;
        word->flags |= WORD_UNKNOWN;
        tried++;
        if (!find_advice(judge, site, text, sizeof text) || is_spared(judge, site->node))
            continue;
        report_add(judge->report, "unknown-name", row->at, "'%.*s' is not known here. %s",
                   judge_shown(judge, site->node), text);
    }
}

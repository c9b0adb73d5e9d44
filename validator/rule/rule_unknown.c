/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Unbound names whose intended meaning is clear: a helper or a module that is not imported, a
 * misspelt function, a word of another language. Python raises NameError there, but only when the
 * place is reached. So names that may be meant to fail, or are never looked up, are ignored, and so
 * are names for which no better one is known. Each name is reported once.
 */
#include "validator/rule/check_internal.h"

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

static bool mentions(const struct check *check, const char *name)
{
    return symbols_find(&check->ast->symbols, name, strlen(name)) != SYMBOL_NONE;
}

/* Where names may be bound unseen, or their absence is counted on. */
static bool is_beyond(const struct check *check)
{
    return check->ast->broken || mentions(check, "*") || mentions(check, "NameError") ||
           mentions(check, "UnboundLocalError");
}

/* In a try that catches something, or in an annotation that Python may never look at. */
static bool is_spared(struct check *check, uint32_t node)
{
    bool lazy = mentions(check, "annotations");

    for (uint32_t child = node, parent; (parent = check_parent(check, child)) != FACTS_NONE;
         child = parent) {
        const struct node *row = check_node(check, parent);

        if (row->kind == NODE_ANNOTATED ||
            (lazy && (row->kind == NODE_RETURNS || row->kind == NODE_PARAMETER)))
            return true;
        if (row->kind == NODE_TRY && row->child == child &&
            check_node(check, check_node(check, child)->next)->kind == NODE_HANDLER)
            return true;
    }
    return check->failed;
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

/* What to write instead; false where nothing is known. */
static bool find_advice(const struct check *check, const struct site *site,
                        struct policy_unknown *unknown)
{
    const size_t size = sizeof unknown->text;
    char *text = unknown->text;
    char word[NEAREST_WORD_CAP];
    size_t len;
    const char *name = ast_name(check->ast, site->node, &len), *found;

    if (policy_is_builtin(name, len) || len >= sizeof word)
        return false;
    if (policy_unknown_advice(name, len, unknown))
        return true;
    if (len < SHORTEST_MISSPELT)
        return false;
    *unknown = (struct policy_unknown){.certain = true};
    snprintf(word, sizeof word, "%.*s", (int)len, name);
    if (nearest_distance(word, "session_id") <= NEAR_HELPER) {
        unknown->instead = "session_id";
        snprintf(text, size, "Did you mean session_id? It is set already.");
        return true;
    }
    if (!check_is_called(check, site))
        return false;
    found = nearest_of(helpers, sizeof helpers / sizeof *helpers, word, NEAR_HELPER);
    if (found)
        snprintf(unknown->import, sizeof unknown->import, "from code_helpers import %s", found);
    unknown->instead = found;
    if (found && strcmp(found, word) == 0)
        snprintf(text, size, "Add at the top: from code_helpers import %s.", found);
    else if (found)
        snprintf(text, size, "Did you mean %s? Add at the top: from code_helpers import %s.", found,
                 found);
    else if ((found = nearest_of(policy_builtins, policy_builtin_count, word, NEAR_BUILTIN)))
        snprintf(text, size, "Did you mean %s?", unknown->instead = found);
    else
        return false;
    return true;
}

/* The beginning of the line at which an import can be put in: the first one, or behind a docstring
 * and imports of __future__, which stay in front. */
static size_t import_at(struct check *check)
{
    uint32_t node = check_node(check, 0)->child;
    size_t at = 0;

    while (node) {
        const struct node *row = check_node(check, node);
        bool docstring =
            row->kind == NODE_EXPRESSION && check_node(check, row->child)->kind == NODE_STRING;
        const char *end;

        if (!docstring &&
            !(row->kind == NODE_IMPORT_FROM && check_is_text(check, node, "__future__")))
            break;
        node = row->next;
        if (!node)
            return check->ast->len;
        end = memrchr(check->ast->source, '\n', check_node(check, node)->at);
        at = end ? (size_t)(end - check->ast->source) + 1 : 0;
    }
    return at;
}

/* Whether the program binds the name somewhere itself, as with an import. */
static bool is_bound(const struct check *check, const char *name)
{
    const struct facts *facts = check->facts;
    uint32_t symbol = symbols_find(&check->ast->symbols, name, strlen(name));

    for (uint32_t i = 0; symbol != SYMBOL_NONE && i < facts->binding_count; i++)
        if (facts->bindings[i].symbol == symbol)
            return true;
    return false;
}

static void correct_unknown(struct check *check, uint32_t node,
                            const struct policy_unknown *unknown)
{
    size_t len;

    (void)ast_name(check->ast, node, &len);
    if (!unknown->certain)
        return;
    if (*unknown->import && !(unknown->instead && is_bound(check, unknown->instead)))
        report_correct(check->report, import_at(check), 0, "%s\n", unknown->import);
    if (unknown->instead)
        report_correct(check->report, check_node(check, node)->at, len, "%s", unknown->instead);
}

void rule_unknown(struct check *check)
{
    const struct site_list *names = &check->facts->names;
    unsigned tried = 0;

    if (is_beyond(check))
        return;
    for (uint32_t i = 0; i < names->count && tried < VALIDATOR_UNKNOWN_CAP; i++) {
        const struct site *site = &names->rows[i];
        const struct node *row = check_node(check, site->node);
        struct word *word = &check->words[row->name];
        struct policy_unknown unknown;

        if (site->binding != FACTS_NONE || row->op != CONTEXT_LOAD || word->flags ||
            (word->roles & ROLE_NAME) || check_is_text(check, site->node, "session_id"))
            continue;
        word->flags |= WORD_UNKNOWN;
        tried++;
        if (!find_advice(check, site, &unknown) || is_spared(check, site->node))
            continue;
        report_add(check->report, "unknown-name", row->at, "'%.*s' is not known here. %s",
                   check_shown(check, site->node), unknown.text);
        correct_unknown(check, site->node, &unknown);
    }
}

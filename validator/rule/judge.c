/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of rules, and what they ask of the program.
 */
#include "validator/rule/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "validator/syntax/keyword.h"

#define SHOWN_CAP 80 /* bytes of a name in a message */
#define TEXT_CAP  (VALIDATOR_SOURCE_CAP * 4)
#define FIELD     "\xEF\xBF\xBD"

#define RULE_ROW(name) {#name, rule_##name},
static const struct rule rules[] = {RULES(RULE_ROW)};
#undef RULE_ROW

static bool is_ascii_dunder(const char *text, size_t len)
{
    return len > 0 && text[0] == '_' && policy_is_dunder(text, len);
}

static bool fill_words(struct judge *judge)
{
    const struct symbols *symbols = &judge->ast->symbols;

    judge->words = malloc((size_t)(symbols->count + 1) * sizeof *judge->words);
    if (!judge->words)
        return false;
    judge->words[SYMBOL_NONE] = (struct word){.import = FACTS_NONE};
    for (uint32_t i = 1; i < symbols->count; i++) {
        struct word *word = &judge->words[i];
        size_t len;
        const char *text = symbols_text(symbols, i, &len);

        word->name = policy_name_find(text, len);
        word->import = FACTS_NONE;
        word->roles = word->name ? word->name->roles : 0;
        word->flags = symbols->rows[i].flags & SYMBOL_MIXED ? WORD_MIXED : 0;
        if (is_ascii_dunder(text, len))
            word->flags |=
                WORD_DUNDER | (policy_has_word(policy_dunder_methods, text, len) ? WORD_METHOD : 0);
        else if (len > 0 && text[0] == '_' && !policy_has_word(policy_private_names, text, len))
            word->flags |= WORD_PRIVATE;
        judge->roles |= word->roles;
        judge->flags |= word->flags;
    }
    return true;
}

void judge_program(struct judge *judge)
{
    buf_init(&judge->value, TEXT_CAP);
    if (!fill_words(judge)) {
        judge->failed = true;
        return;
    }
    if ((judge->roles & ROLE_GRAPH) && judge->kind < KIND_DATA)
        judge->kind = KIND_DATA;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !judge->failed; i++)
        rules[i].run(judge);
    judge->failed = judge->failed || judge->value.failed;
    buf_finish(&judge->value);
    free(judge->words);
    free(judge->meanings);
    free(judge->imported);
    free(judge->foreign);
    free(judge->of_module);
    free(judge->parents);
    judge_free_buffers(judge);
}

int judge_shown_len(const struct judge *judge, uint32_t node)
{
    size_t len;
    const char *text = ast_name(judge->ast, node, &len);

    return (int)utf8_cut(text, len, SHOWN_CAP);
}

const char *judge_shown_text(const struct judge *judge, uint32_t node)
{
    size_t len;

    return ast_name(judge->ast, node, &len);
}

bool judge_is_text(const struct judge *judge, uint32_t node, const char *name)
{
    size_t len;
    const char *text = ast_name(judge->ast, node, &len);

    return len == strlen(name) && memcmp(text, name, len) == 0;
}

bool judge_is_none(const struct judge *judge, uint32_t node)
{
    const struct node *row = judge_node(judge, node);

    return row->kind == NODE_CONSTANT && row->op == KEYWORD_NONE_VALUE;
}

const char *judge_text(struct judge *judge, uint32_t node, size_t *len, bool *has_fields)
{
    const struct node *row = judge_node(judge, node);
    bool fields = false;

    if (has_fields)
        *has_fields = false;
    if (row->kind == NODE_STRING)
        return row->flags & NODE_BYTES ? NULL : ast_text(judge->ast, node, len);
    if (row->kind != NODE_JOINED)
        return NULL;
    buf_clear(&judge->value);
    buf_adds(&judge->value, ""); /* so that data is there */
    for (uint32_t part = row->child; part; part = judge_node(judge, part)->next) {
        bool is_field = judge_node(judge, part)->kind == NODE_FIELD;
        size_t size = strlen(FIELD);
        const char *text = is_field ? FIELD : ast_text(judge->ast, part, &size);

        buf_add(&judge->value, text, size);
        fields = fields || is_field;
    }
    if (has_fields)
        *has_fields = fields;
    judge->failed = judge->failed || judge->value.failed;
    *len = judge->value.len;
    return judge->value.data;
}

/* Down to the children, else on to the sibling, else up to the next one's. */
static bool find_parents(struct judge *judge)
{
    const struct node *nodes = judge->ast->nodes;
    uint32_t *parents = malloc((size_t)judge->ast->count * sizeof *parents), node = 0;

    if (!parents)
        return false;
    parents[0] = FACTS_NONE;
    for (;;) {
        if (nodes[node].child) {
            parents[nodes[node].child] = node;
            node = nodes[node].child;
            continue;
        }
        while (node && !nodes[node].next)
            node = parents[node];
        if (!node)
            break;
        parents[nodes[node].next] = parents[node];
        node = nodes[node].next;
    }
    judge->parents = parents;
    return true;
}

uint32_t judge_parent(struct judge *judge, uint32_t node)
{
    if (!judge->parents && !find_parents(judge)) {
        judge->failed = true;
        return FACTS_NONE;
    }
    return judge->parents[node];
}

bool judge_is_storable(const struct judge *judge, const struct policy_module *module,
                       uint32_t attribute, const char *storable)
{
    size_t len;
    const char *text = ast_name(judge->ast, attribute, &len);

    return policy_has_dotted(storable, module, text, len);
}

bool judge_is_item_store(struct judge *judge, uint32_t node, uint32_t parent)
{
    while (parent != FACTS_NONE && judge_node(judge, parent)->kind == NODE_SUBSCRIPT &&
           judge_node(judge, parent)->child == node) {
        if (judge_node(judge, parent)->op != CONTEXT_LOAD)
            return true;
        node = parent;
        parent = judge_parent(judge, node);
    }
    return false;
}

bool judge_is_self(const struct judge *judge, uint32_t binding, uint32_t scope)
{
    const struct scope *method = &judge->facts->scopes[scope];

    return binding != FACTS_NONE && binding == method->first_binding &&
           method->kind == SCOPE_FUNCTION &&
           (judge->facts->bindings[binding].flags & BINDING_PARAMETER) &&
           judge->facts->scopes[method->parent].kind == SCOPE_CLASS;
}

struct step judge_step(struct judge *judge, const struct policy_module *from, uint32_t attribute)
{
    uint32_t symbol = judge_node(judge, attribute)->name;
    struct step *step =
        &judge->steps[((size_t)symbol * 5 + (size_t)(from - policy_modules)) & (JUDGE_STEPS - 1)];
    size_t len;
    const char *text;

    if (step->from == from && step->symbol == symbol)
        return *step;
    text = ast_name(judge->ast, attribute, &len);
    *step = (struct step){.from = from, .symbol = symbol};
    step->to = policy_module_step(from, text, len);
    if (step->to && step->to->profile > judge->profile->rank)
        step->to = NULL;
    step->allowed = !step->to && policy_attribute_allowed(from, text, len, judge->profile->rank);
    step->chart = step->allowed && policy_is_chart(from, text, len);
    return *step;
}

/* By the symbol: its site is not at hand. */
bool judge_names_self(const struct judge *judge, uint32_t name, uint32_t scope)
{
    uint32_t first = judge->facts->scopes[scope].first_binding;

    return judge_is_self(judge, first, scope) &&
           judge->facts->bindings[first].symbol == judge_node(judge, name)->name;
}

void judge_add_module(struct judge *judge, const struct policy_module *module)
{
    struct verdict *verdict = judge->report->verdict;

    if (module->kind > judge->kind)
        judge->kind = module->kind;
    judge->has_arrays = judge->has_arrays || module->kind >= KIND_DATA;
    if (module->profile > judge->needs)
        judge->needs = module->profile;
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the rules ask about the program.
 */
#include "validator/rule/check_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "validator/syntax/tokenizer.h"

/* ---- what to write instead of a name in double underscores ---- */

#define METHODS                                                                                    \
    "A class may define methods such as __init__, __repr__, __eq__, __len__, __iter__ and call "   \
    "super().__init__(...); other names in double underscores are out of reach."
#define OPERATOR                                                                                   \
    "Use the operator or function for it, such as len(x) or x == y; in a class call "              \
    "super().__init__(...)."

static const struct {
    const char *name, *advice;
} hints[] = {
    {"__all__", "Leave it away; nothing imports this program."},
    {"__annotations__", "Write the types out."},
    {"__builtins__", "Call the function by its own name."},
    {"__class__", "Write type(x), and type(x).__name__ for its name."},
    {"__dict__", "Keep the values in a dictionary, or use dataclasses.asdict(x)."},
    {"__doc__", "Write the text itself."},
    {"__file__", "The program has no file."},
    {"__name__", "It is allowed in if __name__ == \"__main__\": and as type(x).__name__; write a "
                 "function's name as text."},
    {"__slots__", "Leave it away; it changes nothing here."},
    {"__traceback__", "Print the exception itself: print(e)."},
    {"__version__", "Leave it away."},
};

void check_refuse_dunder(struct check *check, uint32_t node, bool is_attribute)
{
    const struct word *word = check_word(check, node);
    const char *advice = METHODS;

    if (report_is_full(check->report))
        return;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (check_is_text(check, node, hints[i].name))
            advice = hints[i].advice;
    if (is_attribute && (word->flags & WORD_METHOD))
        advice = OPERATOR;
    if (word->name && word->name->advice)
        advice = word->name->advice;
    check_report(check, "dunder", node, "'%.*s' is not allowed here. %s", check_shown(check, node),
                 advice);
}

/* ---- names, texts and nodes ---- */

#define SHOWN_CAP 80 /* bytes of a name in a message */
#define FIELD     "\xEF\xBF\xBD"

int check_shown_len(const struct check *check, uint32_t node)
{
    size_t len;
    const char *text = ast_name(check->ast, node, &len);

    return (int)utf8_cut(text, len, SHOWN_CAP);
}

const char *check_shown_text(const struct check *check, uint32_t node)
{
    size_t len;

    return ast_name(check->ast, node, &len);
}

bool check_is_text(const struct check *check, uint32_t node, const char *name)
{
    size_t len;
    const char *text = ast_name(check->ast, node, &len);

    return len == strlen(name) && memcmp(text, name, len) == 0;
}

bool check_has_word(const struct check *check, uint32_t node, const char *words)
{
    size_t len;
    const char *text = ast_name(check->ast, node, &len);

    return policy_has_word(words, text, len);
}

bool check_text_is(struct check *check, uint32_t node, const char *words)
{
    size_t len;
    const char *text = check_text(check, node, &len, NULL);

    return text && policy_has_word(words, text, len);
}

void check_each(struct check *check, const struct site_list *list, unsigned roles,
                void (*look)(struct check *check, const struct site *site))
{
    for (uint32_t i = 0; (check->roles & roles) && i < list->count; i++)
        if (check_word(check, list->rows[i].node)->roles & roles)
            look(check, &list->rows[i]);
}

void check_renamed(struct check *check, unsigned roles,
                   void (*look)(struct check *check, uint32_t node, uint32_t bound))
{
    const struct site_list *imports = &check->facts->imports;

    for (uint32_t i = 0; (check->roles & roles) && i < imports->count; i++) {
        uint32_t node = imports->rows[i].node, bound = check_node(check, node)->child;

        if ((check_word(check, node)->roles & roles) && bound &&
            check_node(check, bound)->name != check_node(check, node)->name)
            look(check, node, bound);
    }
}

bool check_has_attribute(const struct check *check, unsigned roles)
{
    const struct site_list *attributes = &check->facts->attributes;

    for (uint32_t i = 0; (check->roles & roles) && i < attributes->count; i++)
        if (check_word(check, attributes->rows[i].node)->roles & roles)
            return true;
    return false;
}

void check_mark_class_names(struct check *check, unsigned flag)
{
    const struct facts *facts = check->facts;

    for (uint32_t i = 0; i < facts->binding_count; i++)
        if (facts->scopes[facts->bindings[i].scope].kind == SCOPE_CLASS &&
            !(facts->bindings[i].flags & (BINDING_GLOBAL | BINDING_NONLOCAL)))
            check->words[facts->bindings[i].symbol].flags |= (uint8_t)flag;
}

const char *check_text(struct check *check, uint32_t node, size_t *len, bool *has_fields)
{
    const struct node *row = check_node(check, node);
    bool fields = false;

    if (has_fields)
        *has_fields = false;
    if (row->kind == NODE_STRING)
        return row->flags & NODE_BYTES ? NULL : ast_text(check->ast, node, len);
    if (row->kind != NODE_JOINED)
        return NULL;
    buf_clear(&check->value);
    buf_adds(&check->value, ""); /* so that data is not NULL */
    for (uint32_t part = row->child; part; part = check_node(check, part)->next) {
        bool is_field = check_node(check, part)->kind == NODE_FIELD;
        size_t size = strlen(FIELD);
        const char *text = is_field ? FIELD : ast_text(check->ast, part, &size);

        buf_add(&check->value, text, size);
        fields = fields || is_field;
    }
    if (has_fields)
        *has_fields = fields;
    check->failed = check->failed || check->value.failed;
    *len = check->value.len;
    return check->value.data;
}

/* Continues with the first child, or else the next sibling, or else the next sibling of an
 * ancestor. */
static bool find_parents(struct check *check)
{
    const struct node *nodes = check->ast->nodes;
    uint32_t *parents = malloc((size_t)check->ast->count * sizeof *parents), node = 0;

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
    check->parents = parents;
    return true;
}

uint32_t check_parent(struct check *check, uint32_t node)
{
    if (!check->parents && !find_parents(check)) {
        check->failed = true;
        return FACTS_NONE;
    }
    return check->parents[node];
}

bool check_has_dotted(const struct check *check, const struct policy_module *module,
                      uint32_t attribute, const char *words)
{
    size_t base = strlen(module->name), len;
    const char *text = ast_name(check->ast, attribute, &len);

    for (const char *word = words; *word;) {
        size_t size = strcspn(word, " ");

        if (size == base + 1 + len && word[base] == '.' && memcmp(word, module->name, base) == 0 &&
            memcmp(word + base + 1, text, len) == 0)
            return true;
        word += size + (word[size] == ' ');
    }
    return false;
}

bool check_is_item_store(struct check *check, uint32_t node, uint32_t parent)
{
    while (parent != FACTS_NONE && check_node(check, parent)->kind == NODE_SUBSCRIPT &&
           check_node(check, parent)->child == node) {
        if (check_node(check, parent)->op != CONTEXT_LOAD)
            return true;
        node = parent;
        parent = check_parent(check, node);
    }
    return false;
}

bool check_is_self(const struct check *check, uint32_t binding, uint32_t scope)
{
    const struct scope *method = &check->facts->scopes[scope];

    return binding != FACTS_NONE && binding == method->first_binding &&
           method->kind == SCOPE_FUNCTION &&
           (check->facts->bindings[binding].flags & BINDING_PARAMETER) &&
           check->facts->scopes[method->parent].kind == SCOPE_CLASS;
}

struct step check_step(struct check *check, const struct policy_module *from, uint32_t attribute)
{
    uint32_t symbol = check_node(check, attribute)->name;
    struct step *step =
        &check->steps[((size_t)symbol * 5 + (uintptr_t)from / sizeof *from) & (CHECK_STEPS - 1)];
    size_t len;
    const char *text;

    if (step->from == from && step->symbol == symbol)
        return *step;
    text = ast_name(check->ast, attribute, &len);
    *step = (struct step){.from = from, .symbol = symbol};
    step->to = policy_module_step(check->profile, from, text, len);
    if (step->to && !policy_profile_has(check->profile, step->to))
        step->to = NULL;
    step->allowed = !step->to && policy_attribute_allowed(from, text, len, check->profile->rank);
    step->chart = step->allowed && policy_is_chart(from, text, len);
    return *step;
}

void check_add_module(struct check *check, const struct policy_module *module)
{
    struct verdict *verdict = check->report->verdict;

    if ((enum policy_kind)module->profile > check->kind)
        check->kind = (enum policy_kind)module->profile;
    check->has_arrays = check->has_arrays || module->profile >= PROFILE_DATA_SCIENCE;
    if (module->profile > check->needs)
        check->needs = module->profile;
    check->uses_added = check->uses_added || policy_module_is_added(check->profile, module);
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

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts that a library interprets: names of attributes, options of pandas, settings of matplotlib,
 * names of methods, and queries, which are evaluated.
 */
#include "validator/rule/check_internal.h"

#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "validator/syntax/tokenizer.h"
#include "validator/syntax/unicode.h"

#define METHODS (ROLE_ATTRIBUTE | ROLE_WRITER | ROLE_QUERY)

/* ---- operator.attrgetter and methodcaller make a getter from text: they are called on the spot,
 * with plain names written out, and keep their own name, by which they are known here ---- */

/* "a.b": names that are not special. */
static bool is_plain_path(const char *text, size_t len)
{
    size_t start = 0;

    for (size_t i = 0; i <= len; i++) {
        const struct policy_name *name;

        if (i < len && text[i] != '.')
            continue;
        name = policy_name_find(text + start, i - start);
        if (i == start || text[start] == '_' || (name && (name->roles & (METHODS | ROLE_NAME))))
            return false;
        start = i + 1;
    }
    return true;
}

static bool is_good_call(struct check *check, uint32_t function)
{
    bool is_caller = check_is_text(check, function, "methodcaller");

    for (uint32_t argument = check_first_argument(check, function); argument;
         argument = check_node(check, argument)->next) {
        bool fields;
        size_t len;
        const char *text = check_text(check, argument, &len, &fields);

        if (!text || fields || !is_plain_path(text, len))
            return false;
        if (is_caller) /* behind the method's name stand its arguments */
            break;
    }
    return true;
}

static void check_getter(struct check *check, const struct site *site)
{
    if (!check_is_called(check, site) || !is_good_call(check, site->node))
        check_report(check, "name-by-text", site->node,
                     "%.*s is only allowed as a call with plain names written out. %s",
                     check_shown(check, site->node), check_word(check, site->node)->name->advice);
}

/* from operator import attrgetter as get */
static void refuse_renamed(struct check *check, uint32_t node, uint32_t bound)
{
    check_report(check, "name-by-text", bound,
                 "%.*s must keep its own name. Leave 'as %.*s' away, or write a lambda: "
                 "lambda x: x.name.",
                 check_shown(check, node), check_shown(check, bound));
}

void rule_getter(struct check *check)
{
    check_each(check, &check->facts->names, ROLE_GETTER, check_getter);
    check_each(check, &check->facts->attributes, ROLE_GETTER, check_getter);
    check_renamed(check, ROLE_GETTER, refuse_renamed);
}

/* ---- options of pandas: set_option("display.width", 100). The text is a pattern that pandas
 * searches in the names of all options; those of plotting import a module by its name. ---- */

static const char *const plotting[] = {"plotting.backend",
                                       "plotting.matplotlib.register_converters"};

/* The pattern at the name's first bytes; case is nothing to pandas, '.' is any byte. */
static bool matches(const char *pattern, size_t len, const char *name)
{
    for (size_t i = 0; i < len; i++)
        if (!name[i] || (pattern[i] != '.' && (pattern[i] | 0x20) != (name[i] | 0x20)))
            return false;
    return true;
}

static bool is_good_option(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != '.' && !keyword_is_name_byte((unsigned char)text[i]))
            return false;
    for (size_t i = 0; i < sizeof plotting / sizeof *plotting; i++)
        for (const char *at = plotting[i]; *at; at++)
            if (matches(text, len, at))
                return false;
    return true;
}

static void check_option_text(struct check *check, uint32_t value)
{
    size_t len;
    const char *text = check_text(check, value, &len, NULL);

    if (text && !is_good_option(text, len))
        check_report(check, "text-method", value,
                     "This option is not allowed. Those of output are, by their own names: "
                     "\"display.max_rows\", \"display.width\", \"mode.chained_assignment\".");
}

static void check_option(struct check *check, const struct site *site)
{
    bool is_name = true; /* names and values by turns */

    if (!check_is_called(check, site))
        return;
    for (uint32_t argument = check_first_argument(check, site->node); argument;
         argument = check_node(check, argument)->next, is_name = !is_name) {
        const struct node *row = check_node(check, argument);

        if (row->kind == NODE_KEYWORD && check_is_text(check, argument, "pat"))
            check_option_text(check, row->child);
        else if (is_name)
            check_option_text(check, argument);
    }
}

void rule_option(struct check *check)
{
    check_each(check, &check->facts->names, ROLE_OPTION, check_option);
    check_each(check, &check->facts->attributes, ROLE_OPTION, check_option);
}

/* ---- settings under keys that are text. matplotlib evaluates the text of its colour cycle, and
 * what may not be a keyword argument may not be one by f(**{"backend": x}) either. ---- */

static void check_value(struct check *check, uint32_t value)
{
    size_t len;

    if (check_text(check, value, &len, NULL))
        check_report(
            check, "text-method", value,
            "The colour cycle as text would be run as code. Write plt.cycler(color=[...]).");
}

static void check_pair(struct check *check, uint32_t key, bool is_argument)
{
    const struct policy_name *name = NULL;
    size_t len;
    const char *text = check_text(check, key, &len, NULL);

    if (text && is_argument)
        name = policy_name_find(text, len);
    if (name && (name->roles & ROLE_KEYWORD))
        check_report(check, "forbidden-name", key, "'%s' is not allowed.%s%s", name->name,
                     name->advice ? " " : "", name->advice ? name->advice : "");
    if (check_text_is(check, key, policy_evaluated_settings))
        check_value(check, check_node(check, key)->next);
}

static void check_dict(struct check *check, uint32_t dict)
{
    uint32_t parent = check_parent(check, dict);
    bool is_argument =
        parent != FACTS_NONE && check_node(check, parent)->kind == NODE_DOUBLE_STARRED;

    for (uint32_t key = check_node(check, dict)->child; key; key = check_node(check, key)->next) {
        if (check_node(check, key)->kind == NODE_DOUBLE_STARRED)
            continue;
        check_pair(check, key, is_argument);
        key = check_node(check, key)->next;
    }
}

/* x["axes.prop_cycle"] = y = "..." */
static void check_assignment(struct check *check, uint32_t statement)
{
    uint32_t value = check_node(check, statement)->child;
    bool found = false;

    for (; check_node(check, value)->next; value = check_node(check, value)->next)
        found =
            found || (check_node(check, value)->kind == NODE_SUBSCRIPT &&
                      check_text_is(check, check_node(check, check_node(check, value)->child)->next,
                                    policy_evaluated_settings));
    if (found)
        check_value(check, value);
}

/* The node and all below it, in the order of the program. The tree is not too deep for that. */
static void check_settings(struct check *check, uint32_t node)
{
    const struct node *row = check_node(check, node);

    if (row->kind == NODE_DICT)
        check_dict(check, node);
    else if (row->kind == NODE_ASSIGN)
        check_assignment(check, node);
    else if (row->kind == NODE_KEYWORD && (check_word(check, node)->roles & ROLE_EVALUATED))
        check_value(check, row->child);
    for (uint32_t child = row->child; child && !check->failed;
         child = check_node(check, child)->next)
        check_settings(check, child);
}

void rule_setting(struct check *check)
{
    if (check->facts->strings.count > 0)
        check_settings(check, 0);
}

/* ---- calls that take methods by name, as df.agg("mean") does: every string among their arguments
 * is checked as such a name ---- */

#define TAKES     (ROLE_BY_NAME | ROLE_METHOD_BY_NAME)
#define SHOWN_CAP 60 /* bytes of the string in a message */

struct name_walk {
    struct check *check;
    uint8_t *walked; /* a bit a node: calls and strings that have been seen */
};

static bool takes_methods(const struct check *check, uint32_t call)
{
    uint32_t function = check_node(check, call)->child;
    enum node_kind kind = check_node(check, function)->kind;

    return (kind == NODE_NAME && (check_word(check, function)->roles & ROLE_BY_NAME)) ||
           (kind == NODE_ATTRIBUTE && (check_word(check, function)->roles & TAKES));
}

static void check_string(struct check *check, uint32_t node)
{
    const struct node *row = check_node(check, node);
    size_t len;
    const char *text = check_text(check, node, &len, NULL);
    const struct policy_name *name;

    if (!text)
        return;
    name = policy_name_find(text, len);
    if (!(len > 2 && memcmp(text, "__", 2) == 0) && !(name && (name->roles & METHODS)))
        return;
    if (row->flags & NODE_SURROGATE) /* no UTF-8 */
        len = 2;
    report_add(check->report, "name-by-text", row->at,
               "'%.*s' as the name of a method is not allowed here. Give a function: lambda x: "
               "..., or one of \"sum\", \"mean\", \"count\", \"min\", \"max\".",
               (int)utf8_cut(text, len, SHOWN_CAP), text);
}

/* The node and all below it. The tree is not too deep for that. */
static void walk_node(struct name_walk *walk, uint32_t node)
{
    enum node_kind kind = check_node(walk->check, node)->kind;

    if (kind == NODE_STRING)
        check_string(walk->check, node);
    if (kind == NODE_STRING || kind == NODE_CALL)
        walk->walked[node / 8] |= (uint8_t)(1 << node % 8);
    for (uint32_t child = check_node(walk->check, node)->child; child;
         child = check_node(walk->check, child)->next)
        walk_node(walk, child);
}

/* A name that no data has, as "to_csv". */
static void check_writer_name(struct name_walk *walk, uint32_t node)
{
    struct check *check = walk->check;
    size_t len;
    const char *text = check_text(check, node, &len, NULL);
    const struct policy_name *name =
        text && len > 2 && memcmp(text, "to", 2) == 0 ? policy_name_find(text, len) : NULL;

    if (name && (name->roles & METHODS) && !(walk->walked[node / 8] & (1 << node % 8)))
        check_string(check, node);
}

void rule_method_name(struct check *check)
{
    const struct site_list *calls = &check->facts->calls;
    struct name_walk walk = {.check = check};

    if (!(check->roles & TAKES))
        return;
    walk.walked = calloc(check->ast->count / 8 + 1, 1);
    check->failed = check->failed || !walk.walked;
    for (uint32_t i = 0; i < calls->count && !check->failed; i++) {
        uint32_t call = calls->rows[i].node;

        if ((walk.walked[call / 8] & (1 << call % 8)) || !takes_methods(check, call))
            continue;
        for (uint32_t argument = check_first_argument(check, check_node(check, call)->child);
             argument; argument = check_node(check, argument)->next)
            walk_node(&walk, argument);
    }
    for (uint32_t i = 0, any = check_has_attribute(check, TAKES);
         any && walk.walked && i < check->facts->strings.count; i++)
        check_writer_name(&walk, check->facts->strings.rows[i].node);
    free(walk.walked);
}

/* ---- methods that evaluate their text, as pandas' query does. The text is written out in the
 * call, and names columns, and variables as @name, but nothing that is reached through them. ----
 */

#define NORMAL_CAP (VALIDATOR_SOURCE_CAP * 20) /* a character becomes 18 at most */

static bool is_word_byte(char byte)
{
    return keyword_is_name_byte((unsigned char)byte) || (unsigned char)byte >= 0x80;
}

static bool is_blank(char byte)
{
    return byte && strchr(" \t\r\n\f\\", byte);
}

/* The byte before text[at] or from there on that is no blank; 0 for none. */
static char before(const char *text, size_t at)
{
    while (at > 0 && is_blank(text[at - 1]))
        at--;
    return (char)(at > 0 ? text[at - 1] : '\0');
}

static char behind(const char *text, size_t len, size_t at)
{
    while (at < len && is_blank(text[at]))
        at++;
    return (char)(at < len ? text[at] : '\0');
}

static bool means_module(const struct check *check, const char *word, size_t len)
{
    uint32_t symbol = symbols_find(&check->ast->symbols, word, len);

    return symbol != SYMBOL_NONE && (check->words[symbol].flags & WORD_MODULE);
}

/* What text[from..to), a word, does that a query must not. */
static const char *fault_in_word(const struct check *check, const char *text, size_t len,
                                 size_t from, size_t to)
{
    const struct policy_name *name;
    char last = before(text, from), next = behind(text, len, to);

    if (last == '@' && next && strchr(".([", next))
        return "an attribute or a call of a variable";
    if (last == '@' && means_module(check, text + from, to - from))
        return "a module";
    if (last == '.' && text[from] == '_')
        return "a private attribute";
    if (last == '.') {
        name = policy_name_find(text + from, to - from);
        if (name && (name->roles & METHODS))
            return "a method that is not allowed";
    }
    return NULL;
}

/* Python reads names in NFKC. */
static const char *fault_in_letters(struct check *check, const char *text, size_t len)
{
    struct buf normal;
    bool same, failed;

    for (size_t i = 0; i + 1 < len; i++)
        if (text[i] == '\xED' && (unsigned char)text[i + 1] >= 0xA0)
            return "half a character";
    buf_init(&normal, NORMAL_CAP);
    unicode_add_nfkc(&normal, text, len);
    same = normal.len == len && (len == 0 || memcmp(normal.data, text, len) == 0);
    failed = normal.failed;
    buf_finish(&normal);
    check->failed = check->failed || failed;
    return same ? NULL : "letters that Python reads as others";
}

static const char *fault_in_query(struct check *check, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t end = i;
        const char *fault;

        if (text[i] == '_' && i + 1 < len && text[i + 1] == '_')
            return "a name in double underscores";
        while (end < len && is_word_byte(text[end]))
            end++;
        if (end == i)
            continue;
        fault = fault_in_word(check, text, len, i, end);
        if (fault)
            return fault;
        i = end - 1;
    }
    return fault_in_letters(check, text, len);
}

/* Whether all is good so far, and the next argument is worth a look. */
static bool check_query_text(struct check *check, uint32_t value)
{
    size_t len;
    const char *text = check_text(check, value, &len, NULL), *fault;

    if (!text) {
        check_report(check, "text-method", value,
                     "The text of query() must be written out in the call: df.query(\"n > "
                     "@limit\"). Or select rows with df[df[\"n\"] > limit].");
        return false;
    }
    fault = fault_in_query(check, text, len);
    if (fault)
        check_report(check, "text-method", value,
                     "The text of query() holds %s. Work the value out before and write @name.",
                     fault);
    return !fault;
}

static bool check_keyword(struct check *check, uint32_t argument)
{
    if (!check_has_word(check, argument, policy_query_keywords))
        return true;
    check_report(check, "text-method", argument,
                 "query(%.*s=...) is not allowed. Use @name for a variable of your own: "
                 "df.query(\"n > @limit\").",
                 check_shown(check, argument));
    return false;
}

static bool check_argument(struct check *check, uint32_t argument, bool is_first)
{
    const struct node *row = check_node(check, argument);

    if (row->kind == NODE_DOUBLE_STARRED) { /* could hold all that check_keyword refuses */
        report_add(check->report, "text-method", row->at,
                   "query(**...) is not allowed. Write its arguments out: df.query(\"n > "
                   "@limit\").");
        return false;
    }
    if (row->kind != NODE_KEYWORD)
        return !is_first || check_query_text(check, argument);
    if (!check_keyword(check, argument))
        return false;
    if (is_first || check_is_text(check, argument, "expr"))
        return check_query_text(check, row->child);
    return true;
}

static void check_query(struct check *check, const struct site *site)
{
    uint32_t first = check_first_argument(check, site->node);

    if (!check_is_called(check, site)) {
        check_report(check, "text-method", site->node,
                     "'query' evaluates text, so it is only allowed as a call with the text "
                     "written out: df.query(\"n > 3\").");
        return;
    }
    for (uint32_t argument = first; argument && check_argument(check, argument, argument == first);)
        argument = check_node(check, argument)->next;
}

void rule_query(struct check *check)
{
    check_each(check, &check->facts->attributes, ROLE_QUERY, check_query);
}

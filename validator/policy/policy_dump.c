/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's tables as JSON, for the second check inside the sandbox (image/python/policy.py),
 * which has no table of its own. Form:
 *
 *   limits              {"bytes", "brackets", "indents"}
 *   ranks               profiles from the narrowest on; each may use what those before it may
 *   profiles            {profile: the modules that it may import}
 *   modules             {dotted name: {"profile": the narrowest, "kind", "importable", and either
 *                       "attributes": those that may be used, or "refused_attributes": those that
 *                       may not, beside private ones, inner_modules and the patterns below}}
 *   names               {name: its roles}
 *   dunder_methods      what a class may define
 *   path_keywords       of the role "writer"
 *   query_keywords      refused for the role "query"
 *   readers             functions that read a buffer alone, one of `buffers`, by a keyword of
 *                       reader_keywords or none, without those of reader_refused
 *   chart_attributes    as refused_attributes, in profiles without matplotlib
 *   private_names       attributes that begin with '_' and are public all the same
 *   dunder_texts        names in double underscores that are no text either
 *   dunder_pieces       beside them where a program fills in templates
 *   command_texts       texts that are refused, whole, up to '*' or anywhere behind '*'
 *   evaluated_settings  keys of settings whose value must be no text
 *   item_storable       attributes of modules in which items may be stored
 *   storable            attributes of modules that may be stored to
 *   refused_attributes  "module.name" and "module.begin*"
 *   inner_modules       names of modules that modules carry as attributes
 */
#include <string.h>

#include "helpers/base/json.h"
#include "validator/policy/policy.h"
#include "validator/validator.h"

static json_t *words(const char *list)
{
    json_t *array = json_array();

    while (*list) {
        size_t len = strcspn(list, " ");

        json_array_append_new(array, json_stringn(list, len));
        list += len;
        list += *list == ' ';
    }
    return array;
}

static json_t *dump_ranks(void)
{
    json_t *array = json_array();

    for (size_t i = 0; i < PROFILE_COUNT; i++)
        json_array_append_new(array, json_string(policy_profile_name(i)));
    return array;
}

static json_t *dump_profiles(void)
{
    json_t *object = json_object();

    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        json_t *array = json_array();
        const char *module;

        for (size_t j = 0; (module = policy_profile_module(i, j)); j++)
            json_array_append_new(array, json_string(module));
        json_object_set_new(object, policy_profile_name(i), array);
    }
    return object;
}

static json_t *dump_modules(void)
{
    json_t *object = json_object();

    for (size_t i = 0; i < policy_module_count; i++) {
        const struct policy_module *module = &policy_modules[i];

        json_object_set_new(
            object, module->name,
            json_pack("{s:s, s:s, s:b, s:o}", "profile", policy_profile_name(module->profile),
                      "kind", policy_kind_name(module->kind), "importable", module->importable,
                      module->reach == REACH_LISTED ? "attributes" : "refused_attributes",
                      words(module->attributes)));
    }
    return object;
}

static json_t *dump_names(void)
{
    static const struct {
        enum policy_role role;
        const char *name;
    } roles[] = {
        {ROLE_NAME, "name"},
        {ROLE_ATTRIBUTE, "attribute"},
        {ROLE_WRITER, "writer"},
        {ROLE_QUERY, "query"},
        {ROLE_BY_NAME, "by_name"},
        {ROLE_TYPE, "type"},
        {ROLE_GETTER, "getter"},
        {ROLE_GRAPH, "graph"},
        {ROLE_KEYWORD, "keyword"},
        {ROLE_OPTION, "option"},
        {ROLE_ASKED_FOR, "asked_for"},
        {ROLE_INDEXED, "indexed"},
        {ROLE_BASE, "base"},
        {ROLE_DECORATOR, "decorator"},
        {ROLE_EVALUATED, "evaluated"},
        {ROLE_FORMAT, "format"},
        {ROLE_METHOD_BY_NAME, "method_by_name"},
        {ROLE_STORE, "store"},
        {ROLE_OWN_STORE, "own_store"},
        {ROLE_ITEM_STORE, "item_store"},
        {ROLE_MEMORY, "memory"},
        {ROLE_CHART, "chart"},
        {ROLE_CHECK, "check"},
        {ROLE_WRAPPER, "wrapper"},
        {ROLE_NO_BASE, "no_base"},
    };
    json_t *object = json_object();

    for (size_t i = 0; i < policy_name_count; i++) {
        json_t *array = json_array();

        for (size_t j = 0; j < sizeof roles / sizeof *roles; j++)
            if (policy_names[i].roles & roles[j].role)
                json_array_append_new(array, json_string(roles[j].name));
        json_object_set_new(object, policy_names[i].name, array);
    }
    return object;
}

static json_t *dump_patterns(const struct policy_advice *row)
{
    json_t *array = json_array();

    for (; row->name; row++)
        json_array_append_new(array, json_string(row->name));
    return array;
}

static json_t *dump_inner_modules(void)
{
    json_t *array = json_array();

    for (size_t i = 0; i < policy_inner_module_count; i++)
        json_array_append_new(array, json_string(policy_inner_modules[i]));
    return array;
}

void validator_dump_policy(struct buf *to)
{
    json_auto_t *object = json_pack(
        "{s:{s:I, s:I, s:I}, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o}",
        "limits", "bytes", (json_int_t)VALIDATOR_SOURCE_CAP, "brackets",
        (json_int_t)VALIDATOR_DEPTH_CAP, "indents", (json_int_t)VALIDATOR_INDENT_CAP - 1, "ranks",
        dump_ranks(), "profiles", dump_profiles(), "modules", dump_modules(), "names", dump_names(),
        "dunder_methods", words(policy_dunder_methods), "path_keywords",
        words(policy_path_keywords), "query_keywords", words(policy_query_keywords),
        "private_names", words(policy_private_names), "dunder_texts", words(policy_dunder_texts),
        "dunder_pieces", words(policy_dunder_pieces), "command_texts", words(policy_command_texts),
        "evaluated_settings", words(policy_evaluated_settings), "item_storable",
        words(policy_item_storable), "storable", words(policy_storable), "refused_attributes",
        dump_patterns(policy_attribute_advice), "chart_attributes",
        dump_patterns(policy_chart_advice), "readers", words(policy_readers), "reader_keywords",
        words(policy_reader_keywords), "reader_refused", words(policy_reader_refused), "buffers",
        words(policy_buffers), "inner_modules", dump_inner_modules());

    if (object)
        json_write(to, object);
    else
        to->failed = true;
}

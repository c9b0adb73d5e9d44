/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The policy's tables as JSON, for the second check inside the sandbox (image/python/policy.py),
 * which has no table of its own. Form:
 *
 *   limits              {"bytes", "brackets", "indents"}
 *   ranks               profiles from the narrowest on; each may use what those before it may
 *   variants            {profile: {"of": its rank, "without": a module, "builtin": a name that it
 * allows}} profiles            {profile: the modules that it may import} modules {dotted name:
 * {"profile": the narrowest, "kind", "importable", and either "attributes": those that may be used,
 * or "refused_attributes": those that may not, beside private ones, inner_modules and the patterns
 * below}} names               {name: its roles} chart_attributes    as refused_attributes, in
 * profiles without matplotlib refused_attributes  "module.name" and "module.begin*" inner_modules
 * names of modules that modules carry as attributes and each list of POLICY_WORDS (policy.h).
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

static json_t *dump_profiles(void)
{
    json_t *object = json_object();

    for (size_t i = 0; i <= PROFILE_COUNT; i++) {
        const struct validator_profile *profile =
            i < PROFILE_COUNT ? &policy_profiles[i] : &policy_learner;
        json_t *array = json_array();
        const char *module;

        for (size_t j = 0; (module = validator_profile_module(profile, j)); j++)
            json_array_append_new(array, json_string(module));
        json_object_set_new(object, profile->name, array);
    }
    return object;
}

static json_t *dump_variants(void)
{
    return json_pack("{s:{s:s, s:s, s:s}}", policy_learner.name, "of",
                     policy_profiles[policy_learner.rank].name, "without", policy_learner.without,
                     "builtin", policy_learner.builtin);
}

static json_t *dump_modules(void)
{
    json_t *object = json_object();

    for (size_t i = 0; i < policy_module_count; i++) {
        const struct policy_module *module = &policy_modules[i];

        json_object_set_new(
            object, module->name,
            json_pack("{s:s, s:s, s:b, s:o}", "profile", policy_profiles[module->profile].name,
                      "kind", policy_profiles[module->profile].kind, "importable",
                      module->importable,
                      module->reach == REACH_LISTED ? "attributes" : "refused_attributes",
                      words(module->attributes)));
    }
    return object;
}

static json_t *dump_names(void)
{
#define ROLE_ROW(role, name) #name,
    static const char *const roles[] = {POLICY_ROLES(ROLE_ROW)};
#undef ROLE_ROW
    json_t *object = json_object();

    for (size_t i = 0; i < policy_name_count; i++) {
        json_t *array = json_array();

        for (size_t j = 0; j < sizeof roles / sizeof *roles; j++)
            if (policy_names[i].roles & 1U << j)
                json_array_append_new(array, json_string(roles[j]));
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
#define WORDS_ROW(name) {#name, policy_##name},
    static const struct {
        const char *name, *words;
    } lists[] = {POLICY_WORDS(WORDS_ROW)};
#undef WORDS_ROW
    json_auto_t *object = json_pack(
        "{s:{s:I, s:I, s:I}, s:[s, s, s], s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "limits", "bytes",
        (json_int_t)VALIDATOR_SOURCE_CAP, "brackets", (json_int_t)VALIDATOR_DEPTH_CAP, "indents",
        (json_int_t)VALIDATOR_INDENT_CAP - 1, "ranks", policy_profiles[0].name,
        policy_profiles[1].name, policy_profiles[2].name, "variants", dump_variants(), "profiles",
        dump_profiles(), "modules", dump_modules(), "names", dump_names(), "refused_attributes",
        dump_patterns(policy_attribute_advice), "chart_attributes",
        dump_patterns(policy_chart_advice), "inner_modules", dump_inner_modules());

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (json_object_set_new(object, lists[i].name, words(lists[i].words)) < 0)
            to->failed = true;
    if (object)
        json_write(to, object);
    else
        to->failed = true;
}

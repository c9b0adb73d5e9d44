/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every client pays for in its model's context: the listing of all tools, whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/server.h"
#include "mcp/tool/tool.h"

static struct server server = {.analyses.timeout_seconds = 60};

static void the_listing_is_well_formed(void **state)
{
    struct buf BUF_AUTO text = {0};
    struct error err = {0};

    (void)state;
    server.analyses.profile = validator_profile_find("visualization");
    for (size_t i = 0; tools[i]; i++) {
        size_t start = text.len;
        json_t *tool, *properties, *needed;
        size_t k;

        tool_describe(tools[i], &server.analyses, &text);
        tool = json_read(text.data + start, text.len - start, tools[i]->name, &err);
        if (!tool)
            fail_msg("%s", err.text);
        properties = json_object_get(json_object_get(tool, "inputSchema"), "properties");
        assert_int_equal(json_object_get(properties, "session_id") == NULL,
                         tools[i]->makes_session || tools[i]->toolset == TOOLSET_TUTOR);
        json_array_foreach(json_object_get(json_object_get(tool, "inputSchema"), "required"), k,
                           needed)
            assert_non_null(json_object_get(properties, json_string_value(needed)));
        assert_ptr_equal(tool_find(tools[i]->name), tools[i]);
        json_decref(tool);
    }
    assert_null(tool_find("no_such_tool"));
}

static void every_component_type_is_outlined(void **state)
{
    struct buf BUF_AUTO text = {0};
    const char *by_type;

    (void)state;
    server.analyses.profile = validator_profile_find("minimal");
    tool_describe(tool_find("add_component"), &server.analyses, &text);
    by_type = strstr(text.data, "By type: ");
    assert_non_null(by_type);
    for (size_t i = 0; i < component_type_count(); i++) {
        const char *name = component_type_name(component_type_at(i)),
                   *found = strstr(by_type, name);

        if (!found || !strchr(":,", found[strlen(name)]))
            fail_msg("%s is not in %s", name, by_type);
    }
    assert_non_null(
        strstr(by_type, "By type: heading, paragraph, memory-trick: text; definition: "));
    assert_non_null(strstr(text.data, "visual_type (one of text, image"));
}

/* What the server is set to is what a model is told. */
static void execute_code_tells_the_servers_settings(void **state)
{
    static const struct {
        const char *profile, *says;
        bool plots;
    } profiles[] = {{"minimal", "Plain stdlib modules", false},
                    {"data-science", "networkx, numpy, pandas, scipy and plain stdlib", false},
                    {"visualization", "matplotlib.pyplot", true}};

    (void)state;
    for (size_t i = 0; i < sizeof profiles / sizeof profiles[0]; i++) {
        struct buf BUF_AUTO text = {0};

        server.analyses.profile = validator_profile_find(profiles[i].profile);
        server.analyses.timeout_seconds = 7 + (long)i;
        tool_describe(tool_find("execute_code"), &server.analyses, &text);
        assert_non_null(strstr(text.data, profiles[i].says));
        assert_int_equal(strstr(text.data, "figures come back") != NULL, profiles[i].plots);
        assert_non_null(strstr(text.data, (const char *[]){"most 7 s", "most 8 s", "most 9 s"}[i]));
    }
}

/* Each place of a call's title names one of the tool's arguments, and nothing else is in braces. */
static void the_title_of_a_call_names_its_arguments(void **state)
{
    (void)state;
    for (size_t i = 0; tools[i]; i++) {
        assert_non_null(tools[i]->icon);
        assert_non_null(tools[i]->use);
        for (const char *at = tools[i]->call_title; *at; at++) {
            char name[64] = "";

            assert_true(*at != '}');
            if (*at != '{')
                continue;
            at++;
            assert_int_equal(sscanf(at, "%63[a-z_]", name), 1);
            if (!fields_find(&tools[i]->arguments, name))
                fail_msg("%s has no argument %s", tools[i]->name, name);
            at += strlen(name);
            assert_non_null(strchr(":=}", *at));
            at += strcspn(at, "}");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_listing_is_well_formed),
        cmocka_unit_test(every_component_type_is_outlined),
        cmocka_unit_test(execute_code_tells_the_servers_settings),
        cmocka_unit_test(the_title_of_a_call_names_its_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of change sets share: a small curriculum, operations as text, what became of them.
 */
#ifndef LECTERN_TEST_CHANGE_SET_FIXTURE_H
#define LECTERN_TEST_CHANGE_SET_FIXTURE_H

#include "tests/unit/session_fixture.h"

#include "helpers/base/json.h"
#include "mcp/change/change_set.h"

static const char curriculum[] =
    "{\"nodes\":["
    "{\"node_id\":\"A\",\"title\":\"Alpha\",\"components\":["
    "{\"type\":\"heading\",\"order\":1,\"parameters\":{\"text\":\"one\"}},"
    "{\"type\":\"heading\",\"order\":2,\"parameters\":{\"text\":\"two\"}}]},"
    "{\"node_id\":\"B\",\"title\":\"Beta\",\"components\":["
    "{\"type\":\"paragraph\",\"order\":1,\"parameters\":{\"text\":\"three\"}}]},"
    "{\"node_id\":\"C\",\"title\":\"Gamma\",\"components\":[]}],"
    "\"relationships\":["
    "{\"from_node_id\":\"A\",\"to_node_id\":\"B\",\"relationship_type\":\"PREREQUISITE\"},"
    "{\"from_node_id\":\"B\",\"to_node_id\":\"C\",\"relationship_type\":\"PREREQUISITE\"},"
    "{\"from_node_id\":\"A\",\"to_node_id\":\"C\",\"relationship_type\":\"LEADS_TO\"}]}";

static inline int open_with_curriculum(void **state)
{
    fixture_open(state);
    import_text(*state, curriculum, sizeof curriculum - 1);
    return 0;
}

/* The operations in single quotes instead of double ones. */
static inline json_t *operations(const char *text)
{
    char quoted[4096];

    snprintf(quoted, sizeof quoted, "%s", text);
    for (char *at = quoted; (at = strchr(at, '\''));)
        *at = '"';
    return parse(quoted);
}

static inline int apply(struct fixture *fixture, const char *text, bool dry_run, bool keep_going,
                        struct change_set_outcome *outcome)
{
    json_auto_t *list = operations(text);
    struct change_set set = {list, dry_run, keep_going};

    fixture->err = (struct error){0};
    return change_set_apply(fixture->store, &test_writer, fixture->sid, &set, outcome,
                            &fixture->err);
}

static inline void do_it(struct fixture *fixture, const char *text)
{
    struct change_set_outcome outcome;

    must(fixture, apply(fixture, text, false, false, &outcome));
    assert_int_equal(outcome.bad, 0);
    change_set_outcome_finish(&outcome);
}

static inline void expect_line(struct fixture *fixture, const char *text, const char *said)
{
    struct change_set_outcome outcome;

    must(fixture, apply(fixture, text, true, false, &outcome));
    if (!strstr(outcome.lines.data, said))
        fail_msg("%s: %s", text, outcome.lines.data);
    change_set_outcome_finish(&outcome);
}

static inline json_t *node_of(json_t *export, const char *node_id)
{
    json_t *node;
    size_t i;

    json_array_foreach(json_object_get(export, "nodes"), i, node)
    {
        if (!strcmp(json_get_string(node, "node_id"), node_id))
            return node;
    }
    return NULL;
}

/* Where a path of keys and indexes leads: "components.0.parameters.text". */
static inline const char *text_at(json_t *value, const char *path)
{
    char part[64];

    while (value && *path) {
        size_t len = strcspn(path, ".");

        snprintf(part, sizeof part, "%.*s", (int)len, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(part, NULL, 10))
                                     : json_object_get(value, part);
        path += len + (path[len] == '.');
    }
    return json_string_value(value) ? json_string_value(value) : "";
}

static inline bool has_edge(json_t *export, const char *from, const char *to, const char *type)
{
    json_t *edge;
    size_t i;

    json_array_foreach(json_object_get(export, "relationships"), i, edge)
    {
        if (!strcmp(text_at(edge, "from_node_id"), from) &&
            !strcmp(text_at(edge, "to_node_id"), to) &&
            !strcmp(text_at(edge, "relationship_type"), type))
            return true;
    }
    return false;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/change/graph_cache.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/prose.h"
#include "mcp/store/entities/read.h"

#define PAGE 100 /* nodes whose components are read at once */

/* ---- relationships ---- */

/* Both ids and the type, apart by a character that no id has. */
static void write_key(struct buf *to, const char *from, const char *end, const char *type)
{
    buf_addf(to, "%s\n%s\n%s", from ? from : "", end ? end : "", type ? type : "");
}

static int read_relationships(struct session_facts *facts, struct store *store, const char *sid,
                              struct error *err)
{
    struct buf BUF_AUTO text = {0}, BUF_AUTO key = {0};
    json_t *relationship;
    size_t i;

    if (store_read_relationships(store, sid, &text, err) < 0)
        return -1;
    facts->relationships = json_read(text.data, text.len, "the relationships", err);
    facts->by_ends = json_object();
    if (!facts->relationships || !facts->by_ends)
        return -1;
    json_array_foreach(json_object_get(facts->relationships, "relationships"), i, relationship)
    {
        buf_clear(&key);
        write_key(&key, json_get_string(relationship, "from_node_id"),
                  json_get_string(relationship, "to_node_id"),
                  json_get_string(relationship, "relationship_type"));
        if (!json_object_get(facts->by_ends, key.data))
            json_object_set(facts->by_ends, key.data, relationship);
    }
    return 0;
}

static bool find_relationship(void *user, const char *from, const char *to, const char *type,
                              struct graph_relationship *relationship)
{
    const struct session_facts *facts = user;
    const json_t *found, *confidence;
    struct buf BUF_AUTO key = {0};
    const char *explanation;

    write_key(&key, from, to, type);
    found = json_object_get(facts->by_ends, key.data);
    if (!found)
        return false;
    explanation = json_get_string(found, "explanation");
    confidence = json_object_get(found, "confidence_score");
    *relationship = (struct graph_relationship){
        .id = json_integer_value(json_object_get(found, "id")),
        .explanation = explanation ? explanation : "",
        .confidence = json_is_number(confidence) ? json_number_value(confidence) : 1,
    };
    return true;
}

/* ---- words ---- */

static size_t count_words(const json_t *components)
{
    const json_t *component;
    size_t words = 0, i;

    json_array_foreach((json_t *)components, i, component) words +=
        prose_words(entity_component_type(component), json_object_get(component, "parameters"));
    return words;
}

/* Returns how many nodes were read, or -1. */
static int read_page(struct session_facts *facts, struct store *store, const char *sid,
                     size_t offset, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *page = NULL;
    json_t *node;
    size_t i;

    if (store_read_all_components(store, sid, offset, PAGE, &text, err) < 0)
        return -1;
    page = json_read(text.data, text.len, "the components", err);
    if (!page)
        return -1;
    json_array_foreach(json_object_get(page, "nodes"), i, node)
    {
        size_t words = count_words(json_object_get(node, "components"));

        json_object_set_new(facts->words, json_get_string(node, "node_id"),
                            json_integer((json_int_t)words));
    }
    return (int)i;
}

static int read_words(struct session_facts *facts, struct store *store, const char *sid,
                      struct error *err)
{
    size_t offset = 0;
    int read;

    facts->words = json_object();
    if (!facts->words)
        return error_set(err, ERROR_MEMORY, "out of memory for the words of the nodes");
    do {
        read = read_page(facts, store, sid, offset, err);
        offset += PAGE;
    } while (read == PAGE);
    return read < 0 ? -1 : 0;
}

static size_t find_words(void *user, const char *node)
{
    const struct session_facts *facts = user;

    return (size_t)json_integer_value(json_object_get(facts->words, node));
}

/* ---- the whole ---- */

int session_facts_read(struct session_facts *facts, struct store *store, const char *sid,
                       struct graph_question *question, struct error *err)
{
    const struct graph_query *query = graph_query_find(question->query ? question->query : "", err);

    facts->facts = (struct graph_facts){find_relationship, find_words, facts};
    question->facts = &facts->facts;
    if (!query)
        return -1;
    if (query->uses == GRAPH_RELATIONSHIPS)
        return read_relationships(facts, store, sid, err);
    if (query->uses == GRAPH_COUNTS_WORDS || question->words)
        return read_words(facts, store, sid, err);
    return 0;
}

void session_facts_finish(struct session_facts *facts)
{
    json_decref(facts->relationships);
    json_decref(facts->by_ends);
    json_decref(facts->words);
}

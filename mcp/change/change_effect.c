/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a change set does to the graph, in words and as JSON. Words are for a model: news only, few
 * nodes of each list, the rest counted. On the graph work queue.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/graph/difference.h"
#include "helpers/graph/text.h"
#include "mcp/change/change_set.h"
#include "mcp/change/graph_cache.h"
#include "mcp/store/entities/outline.h"

#define CYCLES_SAID      5u
#define CYCLE_NODES_SAID 12u
#define CUT_OFF_SAID     8u
#define DOWNSTREAM_SAID  5u

#define CYCLES_LISTED      20u
#define CYCLE_NODES_LISTED 200u
#define NODES_LISTED       200u /* of cut_off and of downstream */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- words ---- */

static void add_node(struct buf *to, const struct graph_node_name *name)
{
    graph_text_add(to, name->id, GRAPH_ID_CAP, false);
    buf_addc(to, ' ');
    graph_text_add(to, name->title, GRAPH_TITLE_CAP, true);
}

static void write_more(struct buf *to, size_t total, size_t said)
{
    if (total > said)
        buf_addf(to, ", … %zu more", total - said);
}

static void write_cycle(struct buf *to, const struct graph_new_cycle *cycle)
{
    size_t said = least(cycle->count, CYCLE_NODES_SAID);

    buf_adds(to, "New prerequisite cycle: ");
    for (size_t i = 0; i < said; i++) {
        add_node(to, &cycle->nodes[i]);
        buf_adds(to, " -> ");
    }
    if (said < cycle->count)
        buf_addf(to, "… %zu more -> ", cycle->count - said);
    graph_text_add(to, cycle->nodes[0].id, GRAPH_ID_CAP, false);
    buf_adds(to, ". No teaching order can satisfy it.\n");
}

static void add_cycles(struct buf *to, const struct graph_difference *difference)
{
    size_t said = least(difference->cycle_count, CYCLES_SAID);

    for (size_t i = 0; i < said; i++)
        write_cycle(to, &difference->cycles[i]);
    if (difference->cycles_total > said)
        buf_addf(to, "… and %zu more new cycles.\n", difference->cycles_total - said);
}

/* Nodes behind other cut-off nodes are counted, not named. */
static void add_cut_off(struct buf *to, const struct graph_difference *difference)
{
    static const char *const why[] = {
        [GRAPH_CUT_ALONE] = " (no relationship is left)",
        [GRAPH_CUT_NO_WAY] = " (nothing leads to it any more)",
        [GRAPH_CUT_BEHIND] = " (only a cycle leads to it)",
    };
    size_t said = 0, behind = 0;
    bool heads = false;

    if (difference->cut_off_count == 0)
        return;
    for (size_t i = 0; i < difference->cut_off_count; i++)
        heads = heads || difference->cut_off[i].why == GRAPH_CUT_NO_WAY;
    buf_addf(to, "Cut off, %zu in all: ", difference->cut_off_count);
    for (size_t i = 0; i < difference->cut_off_count; i++) {
        const struct graph_cut_off *cut = &difference->cut_off[i];

        if (cut->why == GRAPH_CUT_BEHIND && heads) {
            behind++;
        } else if (said < CUT_OFF_SAID) {
            buf_adds(to, said++ > 0 ? ", " : "");
            add_node(to, &cut->node);
            buf_adds(to, why[cut->why]);
        }
    }
    write_more(to, difference->cut_off_count - behind, said);
    if (behind > 0)
        buf_addf(to, "; and %zu that only these or a cycle lead to", behind);
    buf_adds(to, ".\n");
}

static void write_chain(struct buf *to, const struct graph_difference *difference, bool all)
{
    if (!all && difference->chain_before == difference->chain_after)
        return;
    buf_addf(to, "Longest prerequisite chain: %zu step%s before, %zu after.\n",
             difference->chain_before, difference->chain_before == 1 ? "" : "s",
             difference->chain_after);
}

static void write_downstream(struct buf *to, const struct graph_difference *difference)
{
    size_t total = difference->downstream_count, said = least(total, DOWNSTREAM_SAID);

    if (total == 0)
        return;
    buf_addf(to, "Downstream of the change, %zu node%s: ", total, total == 1 ? "" : "s");
    for (size_t i = 0; i < said; i++) {
        buf_adds(to, i > 0 ? ", " : "");
        add_node(to, &difference->downstream[i]);
    }
    write_more(to, total, said);
    buf_adds(to, ".\n");
}

/* ---- JSON ---- */

static void write_node(struct buf *to, const struct graph_node_name *name, const char *more)
{
    buf_adds(to, "{\"node_id\":");
    json_write_string(to, name->id, strlen(name->id));
    buf_adds(to, ",\"title\":");
    json_write_string(to, name->title, strlen(name->title));
    buf_addf(to, "%s}", more);
}

static void write_nodes(struct buf *to, const struct graph_node_name *nodes, size_t count)
{
    buf_addc(to, '[');
    for (size_t i = 0; i < count; i++) {
        buf_adds(to, i > 0 ? "," : "");
        write_node(to, &nodes[i], "");
    }
    buf_addc(to, ']');
}

static void write_cycles(struct buf *to, const struct graph_difference *difference)
{
    size_t listed = least(difference->cycle_count, CYCLES_LISTED);

    buf_adds(to, "\"new_cycles\":[");
    for (size_t i = 0; i < listed; i++) {
        buf_adds(to, i > 0 ? "," : "");
        write_nodes(to, difference->cycles[i].nodes,
                    least(difference->cycles[i].count, CYCLE_NODES_LISTED));
    }
    buf_addf(to, "],\"new_cycles_total\":%zu", difference->cycles_total);
}

static void write_cut_off(struct buf *to, const struct graph_difference *difference)
{
    static const char *const why[] = {
        [GRAPH_CUT_ALONE] = ",\"why\":\"alone\"",
        [GRAPH_CUT_NO_WAY] = ",\"why\":\"nothing_leads_to_it\"",
        [GRAPH_CUT_BEHIND] = ",\"why\":\"behind_cut_off\"",
    };
    size_t listed = least(difference->cut_off_count, NODES_LISTED);

    buf_adds(to, ",\"cut_off\":[");
    for (size_t i = 0; i < listed; i++) {
        buf_adds(to, i > 0 ? "," : "");
        write_node(to, &difference->cut_off[i].node, why[difference->cut_off[i].why]);
    }
    buf_addf(to, "],\"cut_off_total\":%zu", difference->cut_off_count);
}

static void write_all(struct buf *to, const struct graph_difference *difference)
{
    buf_addc(to, '{');
    write_cycles(to, difference);
    write_cut_off(to, difference);
    buf_addf(to, ",\"longest_chain\":{\"before\":%zu,\"after\":%zu},\"downstream\":",
             difference->chain_before, difference->chain_after);
    write_nodes(to, difference->downstream, least(difference->downstream_count, NODES_LISTED));
    buf_addf(to, ",\"downstream_total\":%zu}", difference->downstream_count);
}

static void write_no_news(struct buf *to, const struct graph_difference *difference)
{
    if (difference->cycles_total == 0)
        buf_adds(to, "No new prerequisite cycle. ");
    if (difference->cut_off_count == 0)
        buf_adds(to, "No node is cut off. ");
}

static void add_all(struct buf *to, const struct graph_difference *difference, bool all)
{
    add_cycles(to, difference);
    add_cut_off(to, difference);
    if (all)
        write_no_news(to, difference);
    write_chain(to, difference, all);
    write_downstream(to, difference);
}

int change_effect(const struct outline *before, const struct outline *after, bool all,
                  const struct graph_cache *graphs, const struct cancel *cancel, struct buf *json,
                  struct buf *words, struct error *err)
{
    struct graph_bounds bounds = graph_cache_bounds(graphs, cancel);
    struct graph *was = NULL, *is = NULL;
    struct graph_difference difference;
    int rc = -1;

    if (cancel_check(cancel, err) < 0)
        return -1;
    was = graph_of_outline(before, err);
    is = was ? graph_of_outline(after, err) : NULL;
    if (is && graph_difference(was, is, &bounds, &difference, err) == 0) {
        if (json)
            write_all(json, &difference);
        if (words)
            add_all(words, &difference, all);
        graph_difference_finish(&difference);
        rc = 0;
    }
    graph_destroy(is);
    graph_destroy(was);
    return rc;
}

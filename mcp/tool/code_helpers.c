/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/code_helpers.h"

static const char helpers[] =
    "`from code_helpers import ...` what you use; every helper reads the open curriculum and takes "
    "no session:\n"
    "- get_nodes() -> list of dicts: node_id, title, content_category, chapter_id, chapter, ...\n"
    "- get_relationships() -> list of dicts: id, from_node_id, to_node_id, relationship_type, "
    "explanation, ...\n"
    "- get_node_content(node_id) -> {\"node_id\", \"title\", \"components\": [{\"component_id\", "
    "\"component_type\", \"parameters\", \"order\" (from 1), \"revision\", ...}]}\n"
    "- get_all_content() -> the same of every node, in the order of get_nodes(); for more than a "
    "few nodes use this\n"
    "- query_graph(query, node_id=None, from_node_id=None, to_node_id=None, types=None, "
    "limit=None, words=False, parts=None, framework=None) -> dict: the tool's queries as data, "
    "nodes as ids\n"
    "- find(text=None, in_=None, without=None, node_id=None, sort=None, limit=20) -> list of "
    "dicts: what the tool finds, as data\n";

/* Of networkx, which the narrowest profile does not have. */
static const char graph_helper[] =
    "- analyze_graph() -> networkx.DiGraph: the nodes' and relationships' fields as attributes\n";

bool code_helpers_have_networkx(const struct analyses *analyses)
{
    return validator_profile_allows(analyses->profile, "networkx");
}

void code_helpers_write(const struct analyses *analyses, struct buf *to)
{
    buf_adds(to, helpers);
    if (code_helpers_have_networkx(analyses))
        buf_adds(to, graph_helper);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/schema.h"

#include "helpers/base/json.h"
#include "mcp/session/component_type.h"

void schema_component_types(struct buf *to)
{
    buf_adds(to, "{\"type\":\"string\",\"enum\":");
    component_type_names_json(to);
    buf_addc(to, '}');
}

void schema_relationship_types(struct buf *to)
{
    buf_adds(to, "{\"type\":\"string\",\"enum\":[");
    for (size_t i = 0; relationship_types[i]; i++)
        buf_addf(to, "%s\"%s\"", i > 0 ? "," : "", relationship_types[i]);
    buf_adds(to, "],\"default\":\"LEADS_TO\"}");
}

void schema_component_parameters(struct buf *to)
{
    struct buf BUF_AUTO text = {0}, BUF_AUTO quoted = {0};

    buf_init(&text, 0);
    buf_init(&quoted, 0);
    for (size_t i = 0; i < component_type_count(); i++) {
        if (i > 0)
            buf_adds(&text, "; ");
        component_type_outline(component_type_at(i), &text);
    }
    json_write_string(&quoted, text.data, text.len);
    if (quoted.len >= 2)
        buf_add(to, quoted.data + 1, quoted.len - 2);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/schema.h"

#include "helpers/base/json.h"
#include "mcp/session/component_type.h"

static void write_enum(struct buf *to, const char *const *names, const char *rest)
{
    buf_adds(to, "{\"type\":\"string\",\"enum\":[");
    for (size_t i = 0; names[i]; i++)
        buf_addf(to, "%s\"%s\"", i > 0 ? "," : "", names[i]);
    buf_addf(to, "]%s}", rest);
}

void schema_component_types(struct buf *to)
{
    write_enum(to, component_type_names(), "");
}

void schema_relationship_types(struct buf *to)
{
    write_enum(to, relationship_types, ",\"default\":\"LEADS_TO\"");
}

void schema_component_parameters(struct buf *to)
{
    const char *const *names = component_type_names();
    struct buf BUF_AUTO text = {0}, BUF_AUTO quoted = {0};

    buf_init(&text, 0);
    buf_init(&quoted, 0);
    for (size_t i = 0; names[i]; i++) {
        if (i > 0)
            buf_adds(&text, "; ");
        component_type_outline(component_type_find(names[i]), &text);
    }
    json_write_string(&quoted, text.data, text.len);
    if (quoted.len >= 2)
        buf_add(to, quoted.data + 1, quoted.len - 2);
}

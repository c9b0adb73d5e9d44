/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/run.h"

#include <string.h>

#include "mcp/curriculum/text.h"
#include "mcp/tool/solution_check.h"

int tool_call_run(struct tool_call *call, struct store *store, struct error *err)
{
    char id[UUID_TEXT_SIZE];

    if (call->before && call->before(call, store, err) < 0)
        return -1;
    if (tool_call_writes(call)) {
        if (text_uuid(id, err) < 0)
            return -1;
        memcpy(call->change_set, id, sizeof id);
    }
    if (call->tool->run(call, store, err) < 0)
        return -1;
    solution_check_write(call->solutions, &call->text);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/protocol/host.h"

const struct host_config host_config = {.changes_lists = false};

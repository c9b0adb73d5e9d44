/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The revisions of MCP that this server speaks.
 */
#include <string.h>

#include "mcp/protocol/peer_internal.h"

const char *const era_legacy_versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
                                           NULL};
const char *const era_modern_versions[] = {MODERN_VERSION, NULL};

static const char *find(const char *const *versions, const char *version)
{
    for (; *versions; versions++) {
        if (strcmp(*versions, version) == 0)
            return *versions;
    }
    return NULL;
}

const char *protocol_version_find(const char *version)
{
    return find(era_legacy_versions, version);
}

bool peer_version_is_modern(const char *version)
{
    return find(era_modern_versions, version) != NULL;
}

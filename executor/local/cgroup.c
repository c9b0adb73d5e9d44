/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/cgroup.h"

#include <stdbool.h>
#include <string.h>

/* proc(5): the type stands behind " - ", which optional fields of any number come before. */
static bool is_type(const char *line, size_t len, const char *type)
{
    const char *dash = memmem(line, len, " - ", 3);
    size_t type_len = strlen(type);

    return dash && (size_t)(line + len - dash) > 3 + type_len &&
           memcmp(dash + 3, type, type_len) == 0 && dash[3 + type_len] == ' ';
}

enum cgroup_kind cgroup_kind(const char *mountinfo)
{
    bool one = false, two = false;

    for (const char *line = mountinfo; *line;) {
        size_t len = strcspn(line, "\n");

        one = one || is_type(line, len, "cgroup");
        two = two || is_type(line, len, "cgroup2");
        line += len;
        line += *line == '\n';
    }
    if (one)
        return two ? CGROUP_HYBRID : CGROUP_V1;
    return two ? CGROUP_V2 : CGROUP_NONE;
}

const char *cgroup_kind_text(enum cgroup_kind kind)
{
    static const char *const texts[] = {
        [CGROUP_NONE] = "none mounted",
        [CGROUP_V1] = "version 1",
        [CGROUP_V2] = "version 2",
        [CGROUP_HYBRID] = "hybrid: controllers in version 1, version 2 beside them",
    };

    return texts[kind];
}

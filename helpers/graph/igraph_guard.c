/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * igraph's handlers. See the header.
 */
#include "helpers/graph/igraph_guard.h"

#include <string.h>

#include "helpers/base/clock.h"

/* igraph passes no context to its interruption handler, so the bounds are stored here. begin and
 * end set and clear them on the one thread that works on graphs. */
static struct {
    const struct cancel *cancel;
    unsigned timeout_s;
    int64_t deadline_ms; /* 0: none */
} bounds;

int igraph_guard_wanted(struct error *err)
{
    if (cancel_check(bounds.cancel, err) < 0)
        return -1;
    if (bounds.deadline_ms == 0 || clock_ms() < bounds.deadline_ms)
        return 0;
    return error_set(err, ERROR_TIMEOUT,
                     "this was stopped after %u s: ask about one node, or over fewer relationship "
                     "types, or start the server with a longer --query-timeout",
                     bounds.timeout_s);
}

static igraph_error_t on_interruption(void *unused)
{
    (void)unused;
    if (igraph_guard_wanted(NULL) == 0)
        return IGRAPH_SUCCESS;
    /* igraph returns from its innermost function without calling the error handler, so its memory
     * is freed here. */
    IGRAPH_FINALLY_FREE();
    return IGRAPH_INTERRUPTED;
}

void igraph_guard_begin(const struct graph_bounds *given)
{
    static const struct graph_bounds none;

    given = given ? given : &none;
    bounds.cancel = given->cancel;
    bounds.timeout_s = given->timeout_s;
    bounds.deadline_ms = given->timeout_s > 0 ? clock_ms() + (int64_t)given->timeout_s * 1000 : 0;
    igraph_set_error_handler(igraph_error_handler_ignore);
    igraph_set_warning_handler(igraph_warning_handler_ignore);
    igraph_set_interruption_handler(on_interruption);
}

void igraph_guard_end(void)
{
    igraph_set_interruption_handler(NULL);
    memset(&bounds, 0, sizeof bounds);
}

int igraph_guard_check(igraph_error_t code, const char *what, struct error *err)
{
    switch (code) {
    case IGRAPH_SUCCESS:
        return 0;
    case IGRAPH_ENOMEM:
        return error_set(err, ERROR_MEMORY, "out of memory for %s", what);
    case IGRAPH_INTERRUPTED:
        if (igraph_guard_wanted(err) < 0)
            return -1;
        return error_set(err, ERROR_INTERNAL, "igraph was interrupted at %s without a reason",
                         what);
    default:
        return error_set(err, ERROR_INTERNAL, "igraph failed at %s: %s", what,
                         igraph_strerror(code));
    }
}

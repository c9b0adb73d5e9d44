/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * igraph's handlers. See the header.
 */
#include "helpers/graph/igraph_guard.h"

/* igraph calls its interruption handler with no argument of ours, so the token has to wait here.
 * Set and cleared by the pair begin/end on the one thread that works on graphs. */
static const struct cancel *asked;

static igraph_error_t on_interruption(void *unused)
{
    (void)unused;
    if (!cancel_fired(asked))
        return IGRAPH_SUCCESS;
    /* igraph returns from its innermost function without the error handler, so what it holds is
     * freed here. */
    IGRAPH_FINALLY_FREE();
    return IGRAPH_INTERRUPTED;
}

void igraph_guard_begin(const struct cancel *cancel)
{
    asked = cancel;
    igraph_set_error_handler(igraph_error_handler_ignore);
    igraph_set_warning_handler(igraph_warning_handler_ignore);
    igraph_set_interruption_handler(on_interruption);
}

void igraph_guard_end(void)
{
    igraph_set_interruption_handler(NULL);
    asked = NULL;
}

int igraph_guard_check(igraph_error_t code, const char *what, struct error *err)
{
    switch (code) {
    case IGRAPH_SUCCESS:
        return 0;
    case IGRAPH_ENOMEM:
        return error_set(err, ERROR_MEMORY, "out of memory for %s", what);
    case IGRAPH_INTERRUPTED:
        return error_set(err, ERROR_CANCELLED, "cancelled by the client");
    default:
        return error_set(err, ERROR_INTERNAL, "igraph failed at %s: %s", what,
                         igraph_strerror(code));
    }
}

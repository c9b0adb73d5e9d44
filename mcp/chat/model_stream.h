/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Server-sent events as they come in (WHATWG HTML, "Parsing an event stream"): bytes cut anywhere
 * go in, whole events come out. LF, CR LF and CR end lines; a byte order mark at the beginning is
 * skipped; "data" lines are joined by LF; "event" names the event, "message" where none does; "id",
 * "retry" and comments are skipped. Pure, any thread.
 */
#ifndef LECTERN_CHAT_MODEL_STREAM_H
#define LECTERN_CHAT_MODEL_STREAM_H

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define MODEL_STREAM_LINE_CAP ((size_t)4 << 20) /* bytes of one line */
#define MODEL_STREAM_DATA_CAP ((size_t)4 << 20) /* bytes of one event's data */
#define MODEL_STREAM_NAME_MAX 63u               /* bytes of an event's name */

struct model_stream {
    /* A whole event; name and data are borrowed, data is NUL-terminated. Another value than 0 ends
     * the feeding with it. */
    int (*on_event)(void *user, const char *name, const char *data, size_t len, struct error *err);
    void *user;

    /* Its own. */
    struct buf line, data;
    char name[MODEL_STREAM_NAME_MAX + 1];
    bool any_data, after_cr, begun, failed;
};

void model_stream_init(struct model_stream *stream,
                       int (*on_event)(void *user, const char *name, const char *data, size_t len,
                                       struct error *err),
                       void *user);
void model_stream_finish(struct model_stream *stream);

/* 0; -1 with ERROR_TOO_LARGE above a cap, or what on_event failed with. After a failure it takes
 * nothing more. An event whose blank line has not come is no event. */
int model_stream_feed(struct model_stream *stream, const char *bytes, size_t len,
                      struct error *err);

#endif

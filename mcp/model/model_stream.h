/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses server-sent events as they arrive (WHATWG HTML, "Parsing an event stream"): input is split
 * at any byte, output is complete events. Lines end with LF, CR LF or CR; a byte order mark at the
 * beginning is skipped; "data" lines are joined with LF; "event" names the event, "message" if it
 * is missing; "id", "retry" and comments are skipped. Pure, any thread.
 */
#ifndef LECTERN_MODEL_STREAM_H
#define LECTERN_MODEL_STREAM_H

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define MODEL_STREAM_LINE_CAP ((size_t)4 << 20) /* bytes of one line */
#define MODEL_STREAM_DATA_CAP ((size_t)4 << 20) /* bytes of one event's data */
#define MODEL_STREAM_NAME_MAX 63u               /* bytes of an event's name */

struct model_stream {
    /* A complete event; name and data are borrowed, data is NUL-terminated. A result other than 0
     * ends the feed, which returns it. */
    int (*on_event)(void *user, const char *name, const char *data, size_t len, struct error *err);
    void *user;

    /* Private. */
    struct buf line, data;
    char name[MODEL_STREAM_NAME_MAX + 1];
    bool any_data, after_cr, begun, failed;
};

void model_stream_init(struct model_stream *stream,
                       int (*on_event)(void *user, const char *name, const char *data, size_t len,
                                       struct error *err),
                       void *user);
void model_stream_finish(struct model_stream *stream);

/* Returns 0, or -1 with ERROR_TOO_LARGE above a cap, or with the error of on_event. After a failure
 * it accepts no more input. An event without its blank line is dropped. */
int model_stream_feed(struct model_stream *stream, const char *bytes, size_t len,
                      struct error *err);

#endif

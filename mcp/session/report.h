/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of an import or an export: everything that is not exactly as its source has it, by
 * reason, with the number of occurrences and the first places. Whoever shows it gets the same
 * lines: the command, the tool, the session API and the page.
 */
#ifndef LECTERN_SESSION_REPORT_H
#define LECTERN_SESSION_REPORT_H

#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"

#define REPORT_REASONS_CAP 100u /* of one kind; occurrences of more are counted together */
#define REPORT_PLACES_CAP  5u   /* listed of one reason */
#define REPORT_TEXT_CAP    600u /* bytes of a reason; longer ones are cut */
#define REPORT_VALUE_CAP   100u /* bytes of the value of a place; longer ones are cut */

enum report_kind {
    REPORT_READ,     /* done as the reason says, without loss */
    REPORT_CHANGED,  /* kept, but not as it was: as text, under another id, converted */
    REPORT_LEFT_OUT, /* not kept */
    REPORT_RULES,    /* kept as it is, though it breaks a rule of the contract */
    REPORT_KINDS,
};

struct report_place {
    const char *file;  /* or NULL */
    size_t line;       /* from 1; 0: none */
    const char *value; /* of the place, such as the text of a cell; or NULL */
};

struct report {
    json_t *reasons[REPORT_KINDS]; /* reason -> {"count", "places": [{"file", "line", "value"}]}; owned */
};

/* An occurrence, or count of them. The reason is the formatted text; it must not contain values, so
 * that all occurrences of one kind are one line. place: copied; or NULL. */
void report_add(struct report *report, enum report_kind kind, const struct report_place *place,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
void report_add_count(struct report *report, enum report_kind kind, size_t count,
                      const struct report_place *place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Shorter: report_add(report, KIND, PLACE(name, line, NULL), "a cell of '%s' is ...", column). */
#define PLACE(of_file, at_line, with_value)                                                        \
    (&(struct report_place){.file = (of_file), .line = (at_line), .value = (with_value)})

size_t report_lines(const struct report *report, enum report_kind kind); /* reasons */
size_t report_count(const struct report *report, enum report_kind kind); /* occurrences */
void report_clear(struct report *report, enum report_kind kind);
void report_finish(struct report *report);

/* Appends for each kind with reasons "\nHow it was read (2):\n- REASON (3): a.md line 4: 'x'; b.md;
 * 1 more place\n- ...": at most most reasons of each, then how many more there are. */
void report_write(struct buf *to, const struct report *report, size_t most);
/* {"read": [{"reason", "count", "places": [{"file"?, "line"?, "value"?}]}], "changed": [...],
 * "left_out": [...], "rules": [...]}; a new reference. */
json_t *report_json(const struct report *report);

#endif

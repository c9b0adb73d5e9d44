/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of an import or an export: everything that is not exactly as its source has it, by
 * reason, with the number of occurrences and the first places. It is the same for each reader.
 */
#ifndef LECTERN_CURRICULUM_FINDINGS_H
#define LECTERN_CURRICULUM_FINDINGS_H

#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"

#define FINDINGS_REASONS_CAP 100u /* of one kind; occurrences of more are counted together */
#define FINDINGS_PLACES_CAP  5u   /* listed of one reason */
#define FINDING_TEXT_CAP     600u /* bytes of a reason; longer ones are cut */
#define FINDING_VALUE_CAP    100u /* bytes of the value of a place; longer ones are cut */

enum finding_kind {
    FINDING_READ,     /* done as the reason says, without loss */
    FINDING_CHANGED,  /* kept, but not as it was: as text, under another id, converted */
    FINDING_LEFT_OUT, /* not kept */
    FINDING_RULE,     /* kept as it is, though it breaks a rule of the contract */
    FINDING_KINDS,
};

struct finding_place {
    const char *file;  /* or NULL */
    size_t line;       /* from 1; 0: none */
    const char *value; /* of the place, such as the text of a cell; or NULL */
};

struct findings {
    json_t *reasons[FINDING_KINDS]; /* reason -> {"count", "places": [{"file", "line", "value"}]};
                                      owned */
};

/* An occurrence, or count of them. The reason is the formatted text; it must not contain values, so
 * that all occurrences of one kind are one line. place: copied; or NULL.
 * findings: NULL: nothing is kept. */
void findings_add(struct findings *findings, enum finding_kind kind,
                  const struct finding_place *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void findings_add_count(struct findings *findings, enum finding_kind kind, size_t count,
                        const struct finding_place *place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Shorter: findings_add(report, KIND, PLACE(name, line, NULL), "a cell of '%s' is ...", column). */
#define PLACE(of_file, at_line, with_value)                                                        \
    (&(struct finding_place){.file = (of_file), .line = (at_line), .value = (with_value)})

size_t findings_lines(const struct findings *findings, enum finding_kind kind); /* reasons */
size_t findings_count(const struct findings *findings, enum finding_kind kind); /* occurrences */
/* Adds all of from, which is empty then. */
void findings_move(struct findings *to, struct findings *from);
void findings_clear(struct findings *findings, enum finding_kind kind);
void findings_finish(struct findings *findings);

/* {"read": [{"reason", "count", "places": [{"file", "line", "value"}]}], "changed", "leftOut",
 * "rules"}, each with at most FINDINGS_REASONS_CAP + 1 reasons of FINDINGS_PLACES_CAP places. A new
 * reference; NULL without memory. */
json_t *findings_json(const struct findings *findings);

/* Appends for each kind with reasons "\nHow it was read (2):\n- REASON (3): a.md line 4: 'x'; b.md;
 * 1 more\n- ...": at most most reasons of each, then how many more there are. how: "read", or
 * "written" for an export. */
void findings_write(struct buf *to, const struct findings *findings, const char *how, size_t most);

#endif

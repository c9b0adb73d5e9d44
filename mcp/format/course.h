/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The curriculum of a course package, whichever tool wrote it: lessons with chapters and
 * components, prerequisites, and questions that the contract has a kind for.
 */
#ifndef LECTERN_FORMAT_COURSE_H
#define LECTERN_FORMAT_COURSE_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <libxml/tree.h>

#include "mcp/format/files.h"
#include "mcp/format/format.h"

#define COURSE_FILE_CAP    ((size_t)16 << 20) /* bytes of one file */
#define COURSE_DEPTH_CAP   32                 /* of parts in parts of a course */
#define COURSE_QUESTION    "question"         /* the component type */
#define COURSE_HINTS_CAP   3                  /* of a question, as its type has it */
#define COURSE_LESSONS_CAP 50000u             /* the rest is left out */

struct course_package {
    const struct files *files; /* borrowed */
    struct format_report *report;
    json_t *meta;          /* owned, as the next ones */
    json_t *nodes;         /* lessons */
    json_t *relationships; /* prerequisites */
    json_t *ids;           /* of the lessons: id -> true */
    json_t *chapter;       /* the title of the one that lessons are added to; NULL: none */
    size_t chapters;       /* so far */
};

void course_begin(struct course_package *course, const struct files *files,
                  struct format_report *report);
/* The curriculum, a new reference; NULL with err if it has no lesson. Frees the rest. */
json_t *course_finish(struct course_package *course, struct error *err);
void course_free(struct course_package *course);

/* Begins the next chapter; it takes over the title. */
void course_chapter(struct course_package *course, json_t *title);
/* Adds a lesson, whose id and title are not empty, and returns it, borrowed; NULL: there are too
 * many. An id that stands twice gets a number. file, line: for the report. */
json_t *course_lesson(struct course_package *course, const char *id, const char *title,
                      const char *file, size_t line);
/* A relationship PREREQUISITE from a lesson to the one that needs it, once. */
void course_need(struct course_package *course, const char *from, const char *to,
                 const char *explanation);

void course_say(const struct course_package *course, enum finding_kind kind, const char *file,
                size_t line, const char *value, const char *reason);
/* A file of XML; NULL if it cannot be read, which the report says then. */
xmlDoc *course_xml(const struct course_package *course, const char *file);

/* Appends the components of a text: a page if its texttype says HTML, or it holds a tag. */
void course_text(const struct course_package *course, const xmlNode *text, const char *file,
                 json_t *components);

/* Appends a question, whose parameters it takes over, or, where the contract has no such question,
 * a paragraph with its texts, which the report says. */
void course_question(const struct course_package *course, json_t *components, json_t *parameters,
                     const char *file, size_t line);
/* Sets the hints of a question, of which those that the contract has no room for join the last. */
void course_hints(json_t *parameters, json_t *hints);

#endif

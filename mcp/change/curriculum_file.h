/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curriculum files: {"meta": {...}, "nodes": [{..., "components": [...]}], "relationships": [...],
 * additional fields}. An export of an imported curriculum without edits equals the file as JSON
 * values. What breaks the rules of the contract is stored unchanged and reported.
 */
#ifndef LECTERN_CHANGE_CURRICULUM_FILE_H
#define LECTERN_CHANGE_CURRICULUM_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "mcp/curriculum/findings.h"
#include "mcp/store/store.h"

struct import_progress { /* called from time to time; may be NULL */
    void (*fn)(void *user, const char *what, size_t done, size_t total);
    void *user;
};

struct import_report {
    char session_id[SESSION_ID_SIZE]; /* "" after a dry run */
    size_t nodes, components, relationships;
};

/* The lists of a file's value, borrowed; *relationships NULL if it has none. ERROR_INVALID if it is
 * not a curriculum. */
int curriculum_lists(const json_t *root, json_t **nodes, json_t **relationships, struct error *err);
/* The FINDING_RULE of lines become the rules that these break. lines NULL: nothing is checked. */
void curriculum_check_rules(const json_t *nodes, const json_t *relationships,
                            struct findings *lines);

/* text is the whole file. ERROR_MALFORMED with line and column; ERROR_INVALID if it is JSON but not
 * a curriculum. title: the title of the session, or NULL for meta.title or the name. dry_run:
 * report only. lines: its FINDING_RULE become those that the curriculum breaks; NULL: they
 * are not checked. */
int curriculum_import(struct store *store, const struct writer *writer, const char *text,
                      size_t len, const char *title, bool dry_run,
                      const struct import_progress *progress, struct import_report *report,
                      struct findings *lines, struct error *err);

#endif

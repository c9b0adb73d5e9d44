/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What in a curriculum file breaks the contract's rules. It is imported all the same; this says
 * where.
 */
#ifndef LECTERN_SESSION_IMPORT_FINDINGS_H
#define LECTERN_SESSION_IMPORT_FINDINGS_H

#include <jansson.h>

#include "mcp/session/curriculum_file.h"

/* Adds to report's findings and text. Both lists are arrays; relationships may be NULL. */
void import_findings(const json_t *nodes, const json_t *relationships,
                     struct import_report *report);

/* One finding: counted, and listed while there is room. */
void import_finding(struct import_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

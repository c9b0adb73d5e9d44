/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `lectern validate --facts`: what the parser sees in programs, before any policy and without the
 * cap on their size.
 */
#ifndef LECTERN_COMMAND_VALIDATE_FACTS_H
#define LECTERN_COMMAND_VALIDATE_FACTS_H

#include "helpers/base/buf.h"
#include "helpers/base/config.h"

/* One line for each of the files, or for standard input where none is given. EXIT_OK whatever the
 * programs are, EXIT_USAGE when one could not be read. */
int validate_facts(const struct config *config);

/* Appends the line of one program:
 * {"file", "grammar": "ok"|"reject", "facts": {...}|null, "error", "rule"}
 * error: why it is no Python, in words, with the line. rule: "encoding" or "too-long" where it was
 * not read as far as the grammar. */
int validate_facts_line(const char *file, const char *bytes, size_t len, struct buf *to,
                        struct error *err);

#endif

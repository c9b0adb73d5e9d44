/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `lectern validate --facts`: what the parser sees in programs, before any policy and without the
 * cap on their size.
 */
#ifndef LECTERN_COMMAND_VALIDATE_FACTS_H
#define LECTERN_COMMAND_VALIDATE_FACTS_H

#include "helpers/base/config.h"

/* One line for each of the files, or for standard input where none is given. EXIT_OK whatever the
 * programs are, EXIT_USAGE when one could not be read. */
int validate_facts(const struct config *config);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rules for a program's bytes, before any grammar: size, UTF-8, and no character that makes
 * what a reader sees differ from what Python runs. They are stricter than Python's own on purpose;
 * the tokenizer knows nothing of them. Pure.
 */
#ifndef LECTERN_VALIDATOR_SOURCE_H
#define LECTERN_VALIDATOR_SOURCE_H

#include "validator/report.h"

/* Reports what breaks the rules: each kind of break once, at its first place. */
void source_check(struct report *report);

#endif

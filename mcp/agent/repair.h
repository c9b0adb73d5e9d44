/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Repairs of programs by rule, and the recognition of programs that were not written out. Pure, any
 * thread.
 *
 * The validator says with a diagnostic which edit corrects it, where that is certain (struct
 * correction); the other repairs follow from the text around the program and from the error of its
 * run. A run's error is the word of an untrusted program. A repair is safe all the same: it only
 * changes the text of that program, and the changed program is checked and confined as any other.
 */
#ifndef LECTERN_AGENT_REPAIR_H
#define LECTERN_AGENT_REPAIR_H

#include "mcp/agent/message.h"
#include "validator/validator.h"

#define REPAIR_WHY_CAP 160u /* bytes of a reason */

/* Returns a diagnosis by rule as a new message, for a program that was refused or that failed (for
 * that execution->ok is false, or its result is null); the message names each change. NULL without
 * an error if no rule applies, or if the rules cannot make a program that the validator accepts;
 * NULL with *err set if out of memory. plan says the form of the output: one step prints its value
 * as JSON in the last line, several print a line {"NAME": value} each. */
json_t *repair_by_rule(const struct code *code, const struct execution *execution,
                       const struct plan *plan, const struct validator_profile *profile,
                       struct error *err);

/* Whether the program is a placeholder: empty, nothing but imports, definitions and pass, a body
 * of `...` alone, `raise NotImplementedError`, or a comment such as "TODO" or "your code here" in
 * the place of code. Writes the reason as a sentence. */
bool code_is_placeholder(const char *source, size_t len, char why[REPAIR_WHY_CAP]);

#endif

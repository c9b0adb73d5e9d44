/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The digest of a submission: two submissions with the same digest count as the same one.
 *
 * A program is its syntax tree, so comments and layout do not count (validator_digest). An answer
 * is its text as answer.h compares texts: letter case, spaces and final punctuation do not count.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_EXERCISE_DIGEST_H
#define LECTERN_EXERCISE_DIGEST_H

#include "helpers/base/error.h"
#include "helpers/base/sha256.h"

/* Fails with ERROR_INVALID and the validator's explanation if the text is not Python: no attempt. A
 * program that only the policy refuses has a digest. */
int digest_code(const char *code, size_t len, char digest[SHA256_TEXT_SIZE], struct error *err);

/* text: UTF-8, NUL-terminated. Fails with ERROR_MEMORY. */
int digest_answer(const char *text, char digest[SHA256_TEXT_SIZE], struct error *err);

#endif

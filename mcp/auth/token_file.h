/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tokens of --token-file. A line each, fields separated by blanks:
 *
 *     SHA256 SCOPE NAME [curriculum=SESSION_ID] [learner=ID]
 *                       [end=2027-01-31 | end=2027-01-31T12:00:00Z]
 *
 * SHA256 is the digest of the token in hex, SCOPE is read, edit (which includes read and learn),
 * learn or operate, NAME is for the change log and has no blanks. Only learn has a learner, and
 * operate has no curriculum. An end without a time is the beginning of that day in UTC.
 * Empty lines and those that begin with # do not count.
 *
 * The file is read again when it changes. While it cannot be used (it is missing, has a wrong line,
 * or others may read it), none of its tokens is valid. On the loop's thread.
 */
#ifndef LECTERN_AUTH_TOKEN_FILE_H
#define LECTERN_AUTH_TOKEN_FILE_H

#include "mcp/auth/identity_table.h"

#define TOKEN_FILE_CAP       ((size_t)1 << 20) /* bytes */
#define TOKEN_FILE_LINES_CAP 4096u             /* tokens; a power of two */
#define TOKEN_FILE_CHECK_MS  500u              /* between two looks whether it has changed */
#define TOKEN_TEXT_SIZE      64u               /* of a token of token_make, with its NUL */

struct token_file;

/* -1 with ERROR_INVALID that names the line and what to write instead. Pure. */
int token_file_parse(const char *text, size_t len, struct identity_table *to, struct error *err);

/* NULL if it cannot be used. path is copied. */
struct token_file *token_file_open(const char *path, struct error *err);
void token_file_close(struct token_file *file); /* takes NULL */

/* now_ms: of any steady clock. Returns -1 with err while the file cannot be used. */
int token_file_find(struct token_file *file, const struct digest *digest, uint64_t now_ms,
                    const struct identity **found, struct error *err);

/* A new token: 256 random bits, with a prefix by which it is recognized. */
int token_make(char token[TOKEN_TEXT_SIZE], struct error *err);

#endif

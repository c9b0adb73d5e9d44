/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The attempts at the code of one question: how many have failed and with which programs, and the
 * advice for the next step. An attempt has one program or several that run side by side. It has
 * failed if changed code may repair one of its programs (failure_is_repairable); a program that was
 * tried before counts so too, and does not run. After any other failure, such as a busy engine, the
 * same program may be sent again.
 *
 * Pure, any thread; one thread at a time for one struct.
 */
#ifndef LECTERN_AGENT_ATTEMPTS_H
#define LECTERN_AGENT_ATTEMPTS_H

#include <jansson.h>

#include "helpers/base/sha256.h"
#include "mcp/tool/failure.h"

#define ATTEMPTS_DEFAULT 3u
#define ATTEMPTS_MOST    5u
#define ATTEMPTS_PROGRAMS_CAP                                                                      \
    64u                          /* failed programs that are remembered; the oldest is forgotten   \
                                  */
#define ATTEMPTS_ERROR_SIZE 240u /* bytes of the error of one, for words */

enum attempts_advice {
    ATTEMPTS_REPAIR,    /* correct the cause of the error */
    ATTEMPTS_OTHER_WAY, /* from the second failure on: take another approach */
    ATTEMPTS_NONE_LEFT, /* the best answer there is, with the open points */
};

struct attempts_program {
    char digest[SHA256_TEXT_SIZE];
    unsigned attempt; /* from 1; 0: before the last attempt that succeeded */
    bool may_run;     /* attempts_forget: an edit may have repaired it */
    enum failure_category category;
    char error[ATTEMPTS_ERROR_SIZE]; /* one line: "line 3: KeyError: 'title'"; clean UTF-8 */
};

/* Zeroed by the caller, then attempts_init. Nothing is owned. */
struct attempts {
    unsigned most;                /* allowed, from 1 to ATTEMPTS_MOST */
    unsigned failed;              /* one after the other, and over */
    bool has_failed, has_success; /* programs of the attempt that is under way */
    size_t count; /* of programs ever added; the newest are in programs, in a ring */
    struct attempts_program programs[ATTEMPTS_PROGRAMS_CAP];
};

void attempts_init(struct attempts *attempts, unsigned most);

/* The digest of a program: of its syntax tree (validator_digest), or of its bytes if it is not
 * Python. with: a further input of the program, such as further curricula; or NULL. */
void attempts_digest(const char *code, size_t len, const char *with, char digest[SHA256_TEXT_SIZE]);

/* The failed program with this digest, or NULL: it was not tried, or may run again. */
const struct attempts_program *attempts_find(const struct attempts *attempts, const char *digest);

/* The programs that failed may run again, because an edit has changed their input. */
void attempts_forget(struct attempts *attempts);

/* The end of one program of the attempt that is under way. digest: NULL if there is no program, as
 * with wrong arguments. A success has FAILURE_NONE. */
void attempts_take(struct attempts *attempts, const char *digest, const struct failure *failure);
/* Instead, for a program that attempts_find has found, and that was not run. */
void attempts_take_repeat(struct attempts *attempts);

/* The attempt that is under way is over, with all its programs. If one has failed, it counts; else
 * if one has succeeded, the next failure is the first again; else it was no attempt. */
void attempts_close(struct attempts *attempts);

/* Failed attempts, with the one under way if it has failed. */
unsigned attempts_failed(const struct attempts *attempts);
bool attempts_left(const struct attempts *attempts);
/* If at least one has failed. */
enum attempts_advice attempts_advise(const struct attempts *attempts);

/* The words for a model, without a line end. */
void attempts_write_advice(const struct attempts *attempts, struct buf *to);
void attempts_write_repeat(const struct attempts_program *program, struct buf *to);
/* The errors of the failed programs since the last success, oldest first, a line each: "- attempt
 * 1: KeyError: 'title'\n". */
void attempts_write_errors(const struct attempts *attempts, struct buf *to);

/* The attempts that are over, to be continued after a pause or a restart: {"failed", "programs":
 * [{"digest", "attempt", "mayRun", "category", "error"}]}. A new reference, or NULL without memory.
 */
json_t *attempts_json(const struct attempts *attempts);
/* After attempts_init; members of another form are left out. kept: or NULL. */
void attempts_read(struct attempts *attempts, const json_t *kept);

/* Log members of the attempt that is under way: "attempt=2/3". */
void attempts_write_log(const struct attempts *attempts, struct buf *to);

#endif

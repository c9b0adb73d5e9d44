/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a call or a run failed, and what its caller can do about it: the same object for the result
 * of a tool, POST /execute and `lectern exec --json`. One const table maps kinds of errors and ends
 * of runs to categories. Pure; any thread.
 */
#ifndef LECTERN_TOOL_FAILURE_H
#define LECTERN_TOOL_FAILURE_H

#include <stdbool.h>

#include "executor/executor.h"
#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "validator/validator.h"

#define FAILURE_TYPE_SIZE 128u /* name of the class of an exception */

enum failure_category {
    FAILURE_NONE,
    FAILURE_VALIDATION, /* arguments or code were refused */
    FAILURE_FORBIDDEN,  /* the caller's token does not allow it */
    FAILURE_NOT_FOUND,
    FAILURE_CONFLICT, /* stale, ambiguous, or already exists */
    FAILURE_RUNTIME,
    FAILURE_TIMEOUT,
    FAILURE_MEMORY,
    FAILURE_OUTPUT,
    FAILURE_CANCELLED,
    FAILURE_BUSY,
    FAILURE_ENGINE,   /* something required does not work now: sandbox, service, disk */
    FAILURE_INTERNAL, /* a bug in Lectern */
};

/* Unknown members are 0, NULL or "". Zeroed: no failure. */
struct failure {
    enum failure_category category;
    char message[ERROR_TEXT_CAP];
    char argument[ERROR_LOC_CAP];       /* path of the wrong argument: "components.2.type" */
    const char *rule;                   /* that refused the code; static */
    unsigned long line, column;         /* in the code, from 1 */
    char error_type[FAILURE_TYPE_SIZE]; /* class of the Python exception: "KeyError" */
    const char *limit;                  /* the limit that was exceeded: "timeout_seconds"; static */
    long limit_value;
    unsigned retry_after_s; /* with FAILURE_BUSY: delay after which a retry will likely succeed */
};

void failure_of_error(struct failure *failure, const struct error *err);
void failure_of_verdict(struct failure *failure, const struct verdict *verdict);
void failure_of_result(struct failure *failure, const struct execution_result *result,
                       long timeout_seconds);
/* The advice of the sandbox on the exception (image/python/hints.py); borrowed, or NULL. */
const char *failure_hint(const struct execution_result *result);
/* For an answer above its cap. */
void failure_of_size(struct failure *failure, size_t cap);

const char *failure_category_name(enum failure_category category); /* "not_found"; static */
/* Whether the call may succeed with changed code or arguments. */
bool failure_is_repairable(enum failure_category category);

/* Appends {"errorCategory", "isRetryable", "isRepairable", "context": {"tool", "message",
 * "argument", "rule", "line", "column", "errorType", "limit": {"name", "value"},
 * "retryAfterSeconds"}}, without unknown members of the context; null if there is no failure. tool
 * may be NULL. */
void failure_write(const struct failure *failure, const char *tool, struct buf *to);

/* The reverse, from an object of failure_write; null or NULL is no failure. Rule and limit, which
 * name static texts, stay unknown. */
void failure_read(struct failure *failure, const json_t *value);

#endif

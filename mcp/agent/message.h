/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The messages by which the roles solve a question: each kind has one struct, one schema
 * (message_fields) and one reader. A reader takes a JSON object, checks it against the schema, and
 * fills the struct, whose texts are borrowed from the object; the struct owns a reference to it.
 * The same objects are stored in the trace of a task. Pure, any thread.
 *
 *     task --planner--> plan --coder--> code --sandbox--> execution --> answer
 *                                        ^                    |
 *                                        +----- diagnosis <---+ failed
 */
#ifndef LECTERN_AGENT_MESSAGE_H
#define LECTERN_AGENT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/error.h"
#include "helpers/base/fields.h"

#define TASK_QUESTION_MAX  ((size_t)8 << 10) /* bytes */
#define PLAN_STEPS_MAX     4u
#define PLAN_NAME_MAX      60u                /* bytes of a step's name */
#define PLAN_TEXT_MAX      ((size_t)4 << 10)  /* bytes of a text in a plan */
#define CODE_SOURCE_MAX    ((size_t)64 << 10) /* bytes of a program */
#define DIAGNOSIS_TEXT_MAX ((size_t)2 << 10)  /* bytes of a cause or a change */
#define ANSWER_TEXT_MAX    ((size_t)16 << 10) /* bytes of an answer's text */
#define ANSWER_OPEN_MAX    8u                 /* open points of a partial answer */

enum agent_message {
    MESSAGE_TASK,
    MESSAGE_PLAN,
    MESSAGE_CODE,
    MESSAGE_EXECUTION,
    MESSAGE_DIAGNOSIS,
    MESSAGE_ANSWER,
    MESSAGE_KINDS,
};
const char *message_kind_name(enum agent_message kind); /* "task"; static */
/* Its members. The short schema of these fields is the input of the tool by which a model sends the
 * message: without the members that the server sets (FIELD_UNLISTED), and closed. */
const struct fields *message_fields(enum agent_message kind);

/* {"question", "session_id", "title", "version", "attempts"}. The curriculum as it was when the
 * task began: its title and its version. */
struct task {
    json_t *value;
    const char *question, *session_id, *title;
    int64_t version;
    unsigned attempts; /* at most so many executions */
};

enum plan_approach { PLAN_QUERY, PLAN_CODE, PLAN_EDIT, PLAN_ASK, PLAN_REFUSE };

/* One value to compute, and its form. */
enum value_type { VALUE_NUMBER, VALUE_TEXT, VALUE_TRUTH, VALUE_LIST, VALUE_MAP, VALUE_ANY };
struct planned_step {
    const char *name, *compute;
    enum value_type type;
};

/* The form of the picked part: unchanged; the rows of two fields as an object; the first item; true
 * if it is neither null nor empty. */
enum query_form { QUERY_AS_IT_IS, QUERY_MAP, QUERY_SINGLE, QUERY_TRUTH };

/* A graph query, its arguments as query_graph takes them, and the part of its data that is the
 * answer. Absent members are NULL, 0 or false. */
struct plan_query {
    const char *name, *node_id, *from_node_id, *to_node_id, *framework;
    const json_t *types; /* of text */
    unsigned limit, parts;
    bool words;
    const char *pick;     /* "path.0.node": members and positions in the data; NULL: all of it */
    const json_t *fields; /* of each row, in order: makes it a list, or with one field its value;
                             a number is a position */
    bool sorted;          /* by the last of two fields from the highest on, then by the first;
                             one field or none: ascending */
    unsigned first;       /* at most so many items; 0: all */
    bool count;           /* the number of its items instead of the items */
    enum query_form form;
};

/* {"approach", "query"?, "steps"?, "operations"?, "text"?}: query has `query`; code has one to
 * PLAN_STEPS_MAX `steps`; edit has `operations`, the text of a
 * JSON array as change_curriculum takes it; ask and refuse
 * have `text`, the question back or the reason. */
struct plan {
    json_t *value;
    enum plan_approach approach;
    struct plan_query query;
    struct planned_step steps[PLAN_STEPS_MAX];
    size_t step_count;
    json_t *operations; /* owned, an array; or NULL */
    const char *text;
};

/* {"source", "attempt", "hash"}: a program for all steps of the plan. hash is the digest of its
 * syntax tree, or of its bytes if it has none. */
struct code {
    json_t *value;
    const char *source;
    size_t source_len;
    unsigned attempt; /* from 1 */
    const char *hash;
};

/* {"ok", "stdout", "result", "artifacts", "error", "hint"?, "seconds", "attempt"}: the end of a
 * program's run, or of a query. result is any JSON: the value of the only step, or an object of the
 * steps that have one; null if there is none. artifacts are [{"mime", "bytes"}]. error is null or
 * the object of failure_write (mcp/tool/failure.h), and hint is that of failure_hint. */
struct execution {
    json_t *value;
    bool ok;
    const char *stdout_text;
    const json_t *result, *artifacts, *error;
    const char *hint; /* the sandbox's advice on the error, untrusted; or NULL */
    double seconds;
    unsigned attempt; /* of the code; 0: of a query */
};

enum diagnosis_by { DIAGNOSIS_BY_RULE, DIAGNOSIS_BY_MODEL };

/* {"cause", "change", "source", "by"}: why an execution failed, the change, and the changed
 * program. */
struct diagnosis {
    json_t *value;
    const char *cause, *change, *source;
    size_t source_len;
    enum diagnosis_by by;
};

enum answer_status {
    ANSWER_SOLVED,
    ANSWER_PARTIAL,
    ANSWER_FAILED,
    ANSWER_REFUSED,
    ANSWER_ASK,
    ANSWER_OVER_BUDGET, /* `bound` names the limit */
    ANSWER_STUCK,       /* the same program again and again, or a model that sends no message */
    ANSWER_CANCELLED,
    ANSWER_STATUSES,
};
extern const char *const answer_statuses[ANSWER_STATUSES + 1]; /* their names; NULL at the end */

/* {"task", "status", "text", "open", "values", "node_ids", "version", "attempts", "bound", "usage",
 * "cost"}: task is the id of the task; values is {step: value} of the executions, or the data of a
 * query; node_ids are the nodes that occur in them; version is the curriculum's at the beginning;
 * usage is {"requests", "input", "output", "cache_read", "cache_write"}; cost is {"amount",
 * "currency"} or null. A model sends the text and the open points alone. */
struct answer {
    json_t *value;
    enum answer_status status;
    const char *text;
    const json_t *open, *values, *node_ids; /* open: texts */
    unsigned attempts;
    const char *bound; /* or NULL */
};

/* Each takes its own reference to value, and fills the zeroed struct. -1 with ERROR_INVALID and the
 * places and faults, for the model that sent it; then the struct stays zeroed. */
int task_read(json_t *value, struct task *task, struct error *err);
int plan_read(json_t *value, struct plan *plan, struct error *err);
int code_read(json_t *value, struct code *code, struct error *err);
int execution_read(json_t *value, struct execution *execution, struct error *err);
int diagnosis_read(json_t *value, struct diagnosis *diagnosis, struct error *err);
int answer_read(json_t *value, struct answer *answer, struct error *err);

/* Each drops the reference and zeroes the struct. */
void task_finish(struct task *task);
void plan_finish(struct plan *plan);
void code_finish(struct code *code);
void execution_finish(struct execution *execution);
void diagnosis_finish(struct diagnosis *diagnosis);
void answer_finish(struct answer *answer);

/* Whether a value has the form that a step asks for. An integer is a number; null has no form but
 * VALUE_ANY. */
bool value_fits(enum value_type type, const json_t *value);

#endif

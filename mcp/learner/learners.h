/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The server's data about learners: name, goal, submissions, hints, and the log of evidence
 * from which knowledge.h computes mastery. It has a database separate from the curricula, so that
 * no export, history or backup of a curriculum contains learner data. Curricula are named by ids
 * alone, so no edit or deletion of a lesson changes the log.
 *
 * A submission is stored before it is graded. Its result and its evidence are stored in one
 * transaction, once. So a kill, or a time without a sandbox, neither loses a submission nor grades
 * one twice: those without a result are graded later (learners_pending).
 *
 * struct learners is one connection, used by one thread at a time. Every write is durable when its
 * call returns. Times are seconds since 1970. Functions return 0, or -1 with err, unless stated
 * otherwise: ERROR_NOT_FOUND for an unknown learner, ERROR_TOO_LARGE for a text above its cap. No
 * error contains a name, a note or code.
 */
#ifndef LECTERN_LEARNER_LEARNERS_H
#define LECTERN_LEARNER_LEARNERS_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/learner/knowledge.h"
#include "mcp/store/store.h"

#define LEARNER_ID_SIZE    33 /* 128 random bits in hex, with the NUL */
#define LEARNER_NAME_MAX   100
#define LEARNER_TIER_MAX   40
#define LEARNER_NOTE_MAX   500
#define LEARNER_DIGEST_MAX 128
#define LEARNER_TEXT_MAX   ((size_t)64 << 10) /* of a submission */
#define LEARNER_RESULT_MAX ((size_t)8 << 20)  /* as JSON; grading.c checks that it is enough */

struct learners;

/* The URL is that of a database (db_open). STORE_WRITE makes the file; STORE_READ returns
 * ERROR_NOT_FOUND if there is none. */
struct learners *learners_open(const char *url, enum store_access access, struct error *err);
/* For writing, but only if the file exists. */
struct learners *learners_open_existing(const char *url, struct error *err);
void learners_close(struct learners *learners); /* takes NULL */

/* ---- learners ---- */

/* Refuses contact data: a text with an @ or many digits. Pure, any thread. */
int learner_name_check(const char *name, struct error *err);

struct learner {
    const char *name;
    const char *goal_session, *goal_node; /* both, or both NULL */
    const char *tier;                     /* the name of a tier (tiers.h), or NULL */
};
int learners_add(struct learners *learners, const struct learner *learner, char id[LEARNER_ID_SIZE],
                 struct error *err);
/* Both replace the earlier value; the same call again changes nothing. NULL removes it. */
int learners_set_tier(struct learners *learners, const char *id, const char *tier,
                      struct error *err);
int learners_set_goal(struct learners *learners, const char *id, const char *session,
                      const char *node, struct error *err);
/* Appends the learner as a JSON object, or an array of all of them if id is NULL. */
int learners_read(struct learners *learners, const char *id, struct buf *json, struct error *err);
/* Appends everything that is stored about the learner, as of one moment: {"learner": {...},
 * "evidence": [...], "submissions": [...], "hints": [...]}. */
int learners_export(struct learners *learners, const char *id, struct buf *json, struct error *err);
/* Deletes everything about the learner, and the bytes in the files of the database. ERROR_BUSY if
 * somebody still reads the old content: the learner is deleted, and the call must be repeated for
 * the bytes. After a kill, repeating it does the same. *backups gets a new array with the paths of
 * the backups that learners_backup has made and that still exist. */
int learners_delete(struct learners *learners, const char *id, json_t **backups, struct error *err);
/* Appends {"deleted": id, "backups": [...], "other_copies": "..."}, the answer to a deletion. */
void learners_write_deleted(const char *id, const json_t *backups, struct buf *json);
/* How to find the copies of the database that it does not know; a sentence without its dot. */
extern const char learners_other_copies[];
/* Copies the database to a new file, as store_backup does, and records its path. */
int learners_backup(struct learners *learners, const char *path,
                    void (*on_step)(void *user, size_t done, size_t total), void *user,
                    struct error *err);

/* ---- evidence ---- */

/* Appends evidence that the server has not graded: read, explained, skipped, a verdict. The note
 * may be NULL, and so may the item if it is no attempt. */
int learners_log(struct learners *learners, const char *id, const char *session, const char *node,
                 const struct evidence *evidence, const char *note, struct error *err);
typedef void learners_evidence_fn(void *user, const char *session, const char *node,
                                  const struct evidence *evidence);
/* Calls on_evidence in the order of time; its texts are borrowed, and it must not use `learners`.
 * session and node may be NULL: of all. */
int learners_evidence(struct learners *learners, const char *id, const char *session,
                      const char *node, learners_evidence_fn *on_evidence, void *user,
                      struct error *err);

/* ---- submissions ---- */

struct learner_submission {
    const char *learner, *session, *node;
    const char *item;   /* the component id of the exercise */
    const char *text;   /* code, or a response in words */
    const char *digest; /* of its meaning: equal for texts that count as the same */
    int hints;          /* seen before it, 0 to HELP_MAX */
    int64_t time;
    const struct submission_limit *limit; /* or NULL */
};
/* At most so many submissions of the learner at or after `since`, with those that wait to be
 * graded. */
struct submission_limit {
    int64_t most, since;
};
struct submitted {
    int64_t submission; /* 0: nothing is stored, because the limit is reached */
    bool repeated;      /* the learner had already submitted the digest to the item */
    json_t *result;     /* owned by the caller; NULL if it is not graded yet */
};
/* Stores a submission, unless the same digest came from the learner for the item at or after
 * `since` (0: ever): then *submitted is that earlier one, and nothing is stored. */
int learners_submit(struct learners *learners, const struct learner_submission *submission,
                    int64_t since, struct submitted *submitted, struct error *err);
/* Stores the result, and its evidence with the time of the submission. kind is one of the first
 * four. Returns 1, or 0 if there was a result already, which stays. ERROR_NOT_FOUND if the learner
 * was deleted. */
int learners_graded(struct learners *learners, int64_t submission, const json_t *result,
                    enum evidence_kind kind, const char *note, struct error *err);
/* *result gets the stored result of a submission, owned by the caller. ERROR_NOT_FOUND without one.
 */
int learners_result(struct learners *learners, int64_t submission, json_t **result,
                    struct error *err);
typedef void learners_pending_fn(void *user, int64_t id,
                                 const struct learner_submission *submission);
/* Calls on_pending for each submission without a result, oldest first, as learners_evidence. */
int learners_pending(struct learners *learners, learners_pending_fn *on_pending, void *user,
                     struct error *err);
/* Removes a submission that cannot be graded any more, such as one whose exercise was deleted. One
 * that has a result stays. */
int learners_withdraw(struct learners *learners, int64_t submission, struct error *err);
/* The result of the learner's latest graded submission for the item, owned by the caller; NULL in
 * *result without one. */
int learners_latest(struct learners *learners, const char *id, const char *session,
                    const char *item, json_t **result, struct error *err);

/* ---- hints ---- */

/* level: 1 to HELP_MAX. */
int learners_hint(struct learners *learners, const char *id, const char *session, const char *item,
                  int level, int64_t time, struct error *err);
/* How many different levels the learner got for the item at or after `since`. */
int learners_hints(struct learners *learners, const char *id, const char *session, const char *item,
                   int64_t since, int *count, struct error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A writer of submissions, for test_learners.py to kill. "learners_driver URL LEARNER FIRST"
 * submits with the digests FIRST, FIRST + 1, ... and grades each of them, without end.
 * "learners_driver URL" grades those that are pending. A line is printed after each call that has
 * returned: "submitted DIGEST", "graded DIGEST".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mcp/learner/learners.h"

#define PENDING_CAP 64 /* more than a kill leaves */

static struct error err;

static void must(int rc)
{
    if (rc >= 0)
        return;
    fprintf(stderr, "learners_driver: %s\n", err.text);
    exit(1);
}

static void grade(struct learners *learners, int64_t submission, const char *digest)
{
    json_auto_t *result = json_pack("{s:s}", "status", "pass");

    must(learners_graded(learners, submission, result, EVIDENCE_GRADED_RIGHT, NULL, &err));
    printf("graded %s\n", digest);
    fflush(stdout);
}

struct pending {
    size_t count;
    int64_t ids[PENDING_CAP];
    char digests[PENDING_CAP][LEARNER_DIGEST_MAX + 1];
};

static void on_pending(void *user, int64_t id, const struct learner_submission *submission)
{
    struct pending *pending = user;

    if (pending->count == PENDING_CAP)
        return;
    pending->ids[pending->count] = id;
    strcpy(pending->digests[pending->count++], submission->digest);
}

int main(int argc, char **argv)
{
    struct learners *learners = learners_open(argv[1], STORE_WRITE, &err);

    if (!learners)
        must(-1);
    if (argc == 2) {
        struct pending pending = {0};

        must(learners_pending(learners, on_pending, &pending, &err));
        for (size_t i = 0; i < pending.count; i++)
            grade(learners, pending.ids[i], pending.digests[i]);
        learners_close(learners);
        return 0;
    }
    for (long i = strtol(argv[3], NULL, 10);; i++) {
        char digest[32];
        const struct learner_submission submission = {.learner = argv[2],
                                                      .session = "session",
                                                      .node = "node",
                                                      .item = "item",
                                                      .text = "print(6)",
                                                      .digest = digest,
                                                      .time = (int64_t)time(NULL)};
        struct submitted submitted;

        snprintf(digest, sizeof digest, "%ld", i);
        must(learners_submit(learners, &submission, 0, &submitted, &err));
        printf("submitted %s\n", digest);
        fflush(stdout);
        grade(learners, submitted.submission, digest);
    }
}

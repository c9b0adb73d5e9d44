/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tiers of learners: the lessons that a learner of a tier may see, how many attempts are graded
 * a day, and the link by which a learner gets the tier. They come from a JSON file of the operator,
 * lowest tier first:
 *
 *     {"tiers": [{"name": "free", "chapters": ["Numbers"], "attempts_a_day": 5},
 *                {"name": "paid", "url": "https://example.org/upgrade?learner={learner}"}]}
 *
 * Every member but the name may be missing. A tier with chapters or lessons has the lessons whose
 * chapter has one of the titles, and the lessons with one of the ids; a tier with neither has all
 * lessons. Without attempts_a_day there is no limit. Learners without a tier have the first one.
 *
 * struct tiers does not change once it is read, and has a count of its references: any thread may
 * use it. A tier is valid as long as its tiers.
 */
#ifndef LECTERN_LEARNER_TIERS_H
#define LECTERN_LEARNER_TIERS_H

#include <stdbool.h>
#include <stdint.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/learner/learners.h"

#define TIERS_FILE_CAP     ((size_t)1 << 20) /* bytes */
#define TIERS_CAP          32u
#define TIER_LESSONS_CAP   20000u /* entries of chapters, and of lessons */
#define TIER_URL_MAX       1000u  /* bytes, before the id is in it */
#define TIER_ATTEMPTS_MAX  100000
#define TIER_ATTEMPTS_ANY  INT64_MAX
#define TIER_NAME_MAX      ((size_t)LEARNER_TIER_MAX)
#define TIER_WITHOUT_TIERS "all" /* name of the one tier of a server without a file */

struct tiers;
struct tier {
    const char *name;
    const char *url;        /* or NULL */
    int64_t attempts_a_day; /* graded; or TIER_ATTEMPTS_ANY */
};

/* path NULL: one tier without limits. NULL with an error that names file, tier, member, problem and
 * a correct example. */
struct tiers *tiers_read(const char *path, struct error *err);
struct tiers *tiers_ref(struct tiers *tiers);
void tiers_unref(struct tiers *tiers); /* takes NULL */

/* The tier of a learner: name is that of the database, or NULL. A tier that the file does not have
 * (any more) counts as the first one; the log warns once. */
const struct tier *tier_find(struct tiers *tiers, const char *name);
/* The tier after it, or NULL. */
const struct tier *tier_next(const struct tiers *tiers, const struct tier *tier);
/* chapter is the title of the lesson's chapter, or NULL. */
bool tier_allows(const struct tier *tier, const char *chapter, const char *node_id);
/* Appends the link by which the learner gets the tier. false: the tier has none. */
bool tier_write_url(const struct tier *tier, const char *learner, struct buf *to);

/* Whether a learner may get the tier; otherwise the error lists the names. */
int tier_name_check(const struct tiers *tiers, const char *name, struct error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The models that play the roles: one client for each model and service that an option names, all
 * on one loop. Everything runs on the loop's thread.
 */
#ifndef LECTERN_AGENT_TEAM_H
#define LECTERN_AGENT_TEAM_H

#include "mcp/agent/budget.h"
#include "mcp/agent/role.h"
#include "mcp/model/model.h"

#define TEAM_KEY_PREFIX "LECTERN_KEY_" /* of the variables with the keys of other services */

enum team_planner {
    TEAM_RULES_FIRST, /* a model plans the questions that no rule knows */
    TEAM_RULES,       /* no model is asked at all */
    TEAM_MODEL,       /* no rule plans */
    TEAM_PLANNERS,
};
extern const char *const team_planners[TEAM_PLANNERS + 1]; /* "auto", "rules", "model", NULL */

struct team;

/* words: "planner=MODEL", "coder=MODEL@URL", ..., NULL-terminated; roles without one use base. The
 * texts are borrowed for the team's life. A role with a URL has the key of the environment variable
 * LECTERN_KEY_PLANNER and so on, and never that of base, unless the URL is base's. prices:
 * borrowed, or NULL. ERROR_INVALID names the roles and shows a correct word. */
struct team *team_create(const struct model_config *base, const char *const *words,
                         enum team_planner planner, const struct prices *prices,
                         struct loop_queue *loop_queue, struct error *err);
void team_destroy(struct team *team); /* takes NULL */

enum team_planner team_planner(const struct team *team);
struct model *team_model(const struct team *team, enum role role);
bool team_has_own(const struct team *team, enum role role); /* a model that words name */
/* The model to ask when another has refused or is overloaded: that of `escalate`, else base's; NULL
 * if it is the same one. */
struct model *team_other(const struct team *team, const struct model *instead_of);
/* Of `escalate`, for the last attempt of a debugger; NULL without one. */
struct model *team_escalation(const struct team *team);
const struct prices *team_prices(const struct team *team);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts that all tasks of a process share: the models of the roles, their prices, and the
 * bounds of a task. Used on the loop's thread.
 */
#ifndef LECTERN_AGENT_SOLVER_H
#define LECTERN_AGENT_SOLVER_H

#include "mcp/agent/budget.h"
#include "mcp/agent/team.h"
#include "mcp/server.h"

#define SOLVER_TASKS_MAX 64u /* under way at once; more get ERROR_BUSY */

struct solver_config {         /* texts are borrowed for the solver's life */
    struct model_config model; /* of the roles without one of their own */
    const char *const *roles;  /* team_create */
    const char *planner;       /* "auto", "rules" or "model" */
    const char *const *budget; /* bounds_parse */
    const char *prices;        /* path of a file, or NULL */
};

struct totals;

struct solver {
    struct server *server; /* borrowed */
    struct team *team;
    struct prices *prices; /* NULL: none */
    struct budget_bounds bounds;
    unsigned tasks;        /* under way */
    struct totals *totals; /* of all tasks (totals.h) */
};

/* server has its loop_queue. ERROR_INVALID names the wrong option. */
struct solver *solver_create(struct server *server, const struct solver_config *config,
                             struct error *err);
/* After all tasks have ended, before the loop's queue. Takes NULL. */
void solver_destroy(struct solver *solver);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/agent/solver.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/agent/totals.h"

static int find_planner(const char *name, enum team_planner *planner, struct error *err)
{
    for (unsigned i = 0; i < TEAM_PLANNERS; i++) {
        if (strcmp(team_planners[i], name) == 0) {
            *planner = i;
            return 0;
        }
    }
    return error_set(err, ERROR_INVALID, "--planner must be auto, rules or model, not '%s'", name);
}

struct solver *solver_create(struct server *server, const struct solver_config *config,
                             struct error *err)
{
    struct solver *solver = calloc(1, sizeof *solver);
    enum team_planner planner = TEAM_RULES_FIRST;

    if (!solver) {
        error_set(err, ERROR_MEMORY, "out of memory for the roles");
        return NULL;
    }
    solver->server = server;
    solver->bounds = bounds_default;
    solver->totals = calloc(1, sizeof *solver->totals);
    if (!solver->totals)
        error_set(err, ERROR_MEMORY, "out of memory for the roles");
    else if (find_planner(config->planner, &planner, err) == 0 &&
             bounds_parse(config->budget, &solver->bounds, err) == 0 &&
             (!config->prices || (solver->prices = prices_read(config->prices, err))))
        solver->team = team_create(&config->model, config->roles, planner, solver->prices,
                                   server->loop_queue, err);
    if (solver->team)
        return solver;
    solver_destroy(solver);
    return NULL;
}

void solver_destroy(struct solver *solver)
{
    if (!solver)
        return;
    team_destroy(solver->team);
    prices_free(solver->prices);
    free(solver->totals);
    free(solver);
}

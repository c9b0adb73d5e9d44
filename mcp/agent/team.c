/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/agent/team.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_CAP 127 /* bytes of a model's name */

/* The roles, and the part that is not one: the model to fall back to. */
#define ESCALATE ROLE_COUNT
#define PARTS    (ROLE_COUNT + 1)

const char *const team_planners[TEAM_PLANNERS + 1] = {
    [TEAM_RULES_FIRST] = "auto", [TEAM_RULES] = "rules", [TEAM_MODEL] = "model"};

struct team {
    enum team_planner planner;
    const struct prices *prices;
    struct model *base; /* owned, as those of the parts */
    struct team_part {
        char name[NAME_CAP + 1]; /* of its model; "": it has none of its own */
        const char *url;         /* or NULL */
        char key_name[sizeof TEAM_KEY_PREFIX + 16];
        struct model *model; /* owned */
    } parts[PARTS];
};

static const char *part_name(unsigned part)
{
    return part == ESCALATE ? "escalate" : roles[part].name;
}

/* PART=MODEL or PART=MODEL@URL. A model's name may contain an @, a URL begins with http. */
static int read_word(struct team *team, const char *word, struct error *err)
{
    const char *sign = strchr(word, '='), *url;
    size_t len;

    for (unsigned i = 0; sign && i < PARTS; i++) {
        struct team_part *part = &team->parts[i];

        if (strlen(part_name(i)) != (size_t)(sign - word) ||
            strncmp(part_name(i), word, (size_t)(sign - word)) != 0)
            continue;
        url = strstr(sign, "@http");
        len = url ? (size_t)(url - sign - 1) : strlen(sign + 1);
        if (len == 0 || len > NAME_CAP)
            return error_set(err, ERROR_INVALID,
                             "--role %s: the name of a model is missing or too long, such as "
                             "%s=claude-haiku-4-5",
                             word, part_name(i));
        snprintf(part->name, sizeof part->name, "%.*s", (int)len, sign + 1);
        part->url = url ? url + 1 : NULL;
        return 0;
    }
    return error_set(err, ERROR_INVALID,
                     "--role %s: is ROLE=MODEL or ROLE=MODEL@URL, such as "
                     "coder=claude-sonnet-4-5; the roles are planner, coder, debugger, answer and "
                     "escalate",
                     word);
}

static struct model *make_model(struct team *team, unsigned number, const struct model_config *base,
                                struct loop_queue *loop_queue, struct error *err)
{
    struct team_part *part = &team->parts[number];
    struct model_config config = *base;

    config.name = part->name;
    if (part->url && (!base->url || strcmp(part->url, base->url) != 0)) {
        int len = snprintf(part->key_name, sizeof part->key_name, TEAM_KEY_PREFIX "%s",
                           part_name(number));

        for (int i = 0; i < len; i++)
            part->key_name[i] = (char)toupper((unsigned char)part->key_name[i]);
        config.url = part->url;
        config.key_name = part->key_name;
        config.key = getenv(part->key_name); /* NOLINT(concurrency-mt-unsafe): no thread yet */
        config.auth_token = NULL;
    }
    return model_create(&config, loop_queue, err);
}

struct team *team_create(const struct model_config *base, const char *const *words,
                         enum team_planner planner, const struct prices *prices,
                         struct loop_queue *loop_queue, struct error *err)
{
    struct team *team = calloc(1, sizeof *team);
    int rc = 0;

    if (!team) {
        error_set(err, ERROR_MEMORY, "out of memory for the roles");
        return NULL;
    }
    team->planner = planner;
    team->prices = prices;
    for (; rc == 0 && words && *words; words++)
        rc = read_word(team, *words, err);
    if (rc == 0 && !(team->base = model_create(base, loop_queue, err)))
        rc = -1;
    for (unsigned i = 0; rc == 0 && i < PARTS; i++) {
        struct team_part *part = &team->parts[i];

        if (*part->name && !(part->model = make_model(team, i, base, loop_queue, err)))
            rc = -1;
    }
    if (rc == 0)
        return team;
    team_destroy(team);
    return NULL;
}

void team_destroy(struct team *team)
{
    if (!team)
        return;
    for (unsigned i = 0; i < PARTS; i++)
        model_destroy(team->parts[i].model);
    model_destroy(team->base);
    free(team);
}

enum team_planner team_planner(const struct team *team)
{
    return team->planner;
}

struct model *team_model(const struct team *team, enum role role)
{
    return team->parts[role].model ? team->parts[role].model : team->base;
}

bool team_has_own(const struct team *team, enum role role)
{
    return team->parts[role].model != NULL;
}

struct model *team_escalation(const struct team *team)
{
    return team->parts[ESCALATE].model;
}

struct model *team_other(const struct team *team, const struct model *instead_of)
{
    struct model *other = team->parts[ESCALATE].model ? team->parts[ESCALATE].model : team->base;

    return other == instead_of ? NULL : other;
}

const struct prices *team_prices(const struct team *team)
{
    return team->prices;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern learner: adds, lists, shows, exports and deletes learners, and gives them tiers, also
 * while a server uses their database, which only `add` makes. It also lists the lessons that teach
 * without a test.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/learner/learners.h"
#include "mcp/learner/tiers.h"
#include "mcp/tutor/course.h"

#define DAY_SIZE 16 /* "2026-11-28" */

static void close_learners(struct learners **learners)
{
    learners_close(*learners);
}
#define cleanup_learners __attribute__((cleanup(close_learners))) /* ignores NULL */

/* Against the file of tiers, if it is given. */
static int check_tier(const struct config *config, const char *name, struct error *err)
{
    struct tiers *tiers;
    int rc;

    if (!config->tiers || !name)
        return 0;
    tiers = tiers_read(config->tiers, err);
    rc = tiers ? tier_name_check(tiers, name, err) : -1;
    tiers_unref(tiers);
    return rc;
}

static int add_learner(const struct config *config, struct error *err)
{
    const struct learner learner = {.name = config->arguments[1],
                                    .goal_session = config->goal ? config->session : NULL,
                                    .goal_node = config->goal,
                                    .tier = config->tier};
    char id[LEARNER_ID_SIZE];
    cleanup_learners struct learners *learners = NULL;

    if (learner_name_check(learner.name, err) < 0 || /* before the database is made */
        check_tier(config, learner.tier, err) < 0)
        return -1;
    learners = learners_open(config->learners, STORE_WRITE, err);
    if (!learners || learners_add(learners, &learner, id, err) < 0)
        return -1;
    printf(config->json ? "{\"learner_id\":\"%s\"}\n" : "%s\n", id);
    return 0;
}

static long long number_of(const json_t *learner, const char *name)
{
    return json_integer_value(json_object_get(learner, name));
}

static void write_day(const json_t *learner, char day[DAY_SIZE])
{
    const time_t created = (time_t)number_of(learner, "created");
    struct tm parts;

    gmtime_r(&created, &parts);
    strftime(day, DAY_SIZE, "%Y-%m-%d", &parts);
}

static void print_list(const json_t *list)
{
    char day[DAY_SIZE];
    json_t *learner;
    size_t i;

    if (json_array_size(list) > 0)
        printf("%-*s  %-10s  %8s  %s\n", LEARNER_ID_SIZE - 1, "learner", "added", "evidence",
               "name");
    json_array_foreach((json_t *)list, i, learner)
    {
        write_day(learner, day);
        terminal_printf(stdout, "%s  %s  %8lld  %s\n", json_get_string(learner, "learner_id"), day,
                        number_of(learner, "evidence"), json_get_string(learner, "name"));
    }
}

static void print_learner(const json_t *learner)
{
    const char *goal = json_get_string(learner, "goal_node_id"),
               *tier = json_get_string(learner, "tier");
    char day[DAY_SIZE];

    write_day(learner, day);
    terminal_printf(stdout, "learner      %s\nname         %s\nadded        %s\n",
                    json_get_string(learner, "learner_id"), json_get_string(learner, "name"), day);
    if (goal)
        terminal_printf(stdout, "goal         %s in session %s\n", goal,
                        json_get_string(learner, "goal_session_id"));
    if (tier)
        terminal_printf(stdout, "tier         %s\n", tier);
    printf("evidence     %lld\nsubmissions  %lld, %lld of them not graded yet\n",
           number_of(learner, "evidence"), number_of(learner, "submissions"),
           number_of(learner, "pending"));
}

/* Of the learner with the id, or of all (NULL). */
static int print(const struct config *config, const char *id, struct error *err)
{
    struct buf BUF_AUTO json = {0};
    json_auto_t *read = NULL;
    cleanup_learners struct learners *learners = NULL;
    struct error missing = {0};

    learners = learners_open(config->learners, STORE_READ, &missing);
    if (learners) {
        if (learners_read(learners, id, &json, err) < 0)
            return -1;
    } else if (!id && missing.kind == ERROR_NOT_FOUND) { /* nobody was added yet */
        buf_adds(&json, "[]");
    } else {
        *err = missing;
        return -1;
    }
    if (config->json) {
        puts(json.data);
        return 0;
    }
    read = json_read(json.data, json.len, "the learners", err);
    if (!read)
        return -1;
    if (id)
        print_learner(read);
    else
        print_list(read);
    return 0;
}

static int list_learners(const struct config *config, struct error *err)
{
    return print(config, NULL, err);
}

static int show_learner(const struct config *config, struct error *err)
{
    return print(config, config->arguments[1], err);
}

static int export_learner(const struct config *config, struct error *err)
{
    struct buf BUF_AUTO json = {0};
    cleanup_learners struct learners *learners = learners_open(config->learners, STORE_READ, err);

    if (!learners || learners_export(learners, config->arguments[1], &json, err) < 0)
        return -1;
    terminal_write(stdout, json.data, json.len);
    putchar('\n');
    return 0;
}

static int confirm(const struct config *config, struct learners *learners, struct error *err)
{
    struct buf BUF_AUTO json = {0};
    json_auto_t *learner = NULL;
    struct error missing = {0};
    char what[64]; /* without the name, which must be in no log */

    if (learners_read(learners, config->arguments[1], &json, &missing) == 0)
        learner = json_read(json.data, json.len, "the learner", err);
    else if (missing.kind == ERROR_NOT_FOUND) /* perhaps a deletion was interrupted */
        return 0;
    else
        *err = missing;
    if (!learner)
        return -1;
    snprintf(what, sizeof what, "learner %.6s... with all submissions and evidence",
             config->arguments[1]);
    return command_confirm(config, what, json_get_string(learner, "name"), "name", err);
}

static int delete_learner(const struct config *config, struct error *err)
{
    const char *file = strchr(config->learners, ':') + 1;
    cleanup_learners struct learners *learners = learners_open_existing(config->learners, err);
    json_auto_t *backups = NULL;
    json_t *path;
    size_t i;

    if (!learners || confirm(config, learners, err) < 0 ||
        learners_delete(learners, config->arguments[1], &backups, err) < 0)
        return -1;
    if (config->json) {
        struct buf BUF_AUTO text = {0};

        learners_write_deleted(config->arguments[1], backups, &text);
        puts(text.data);
        return 0;
    }
    terminal_printf(stdout, "Deleted; no byte is left in %s.\n", file);
    json_array_foreach(backups, i, path)
    {
        terminal_printf(stdout, "%s: %s\n", "This backup is older and may contain the learner",
                        json_string_value(path));
    }
    printf("%s.\n", learners_other_copies);
    return 0;
}

static int set_tier(const struct config *config, struct error *err)
{
    const char *id = config->arguments[1], *tier = config->arguments[2];
    cleanup_learners struct learners *learners = NULL;

    if (check_tier(config, tier, err) < 0)
        return -1;
    learners = learners_open_existing(config->learners, err);
    if (!learners || learners_set_tier(learners, id, tier, err) < 0)
        return -1;
    if (config->json) {
        json_auto_t *answer = json_pack("{s:s, s:s}", "learner_id", id, "tier", tier);
        struct buf BUF_AUTO text = {0};

        json_write(&text, answer);
        puts(text.data);
    }
    return 0;
}

/* ---- lessons in which nothing is tested ---- */

static void print_gap(const struct config *config, const struct course_lesson *lesson, bool first)
{
    const char *why = lesson->items > 0 ? "only open questions" : "no exercises";
    json_auto_t *row = NULL;
    struct buf BUF_AUTO text = {0};

    if (!config->json) {
        terminal_printf(stdout, "%s  %s: %s\n", lesson->id, lesson->title, why);
        return;
    }
    row = json_pack("{s:s, s:s, s:s}", "node_id", lesson->id, "title", lesson->title, "why", why);
    json_write(&text, row);
    printf("%s%s", first ? "" : ",\n ", text.data);
}

static void print_gaps(const struct config *config, const struct course *course)
{
    uint32_t count = 0;

    if (config->json)
        putchar('[');
    for (uint32_t i = 0; i < course->count; i++)
        if (course->lessons[i].graded == 0)
            print_gap(config, &course->lessons[i], count++ == 0);
    if (config->json)
        puts("]");
    else
        printf("%u of %u lessons have no graded exercise: a learner can read them, and master "
               "none of them\n",
               count, course->count);
}

static int show_gaps(const struct config *config, struct error *err)
{
    cleanup_store struct store *store = store_open(config->store, STORE_READ, err);
    struct courses *courses = courses_create(config->exercises, err);
    const struct course *course = NULL;
    char sid[SESSION_ID_SIZE];

    if (store && courses && command_session(store, config->session, sid, err) == 0)
        course = course_get(courses, store, sid, err);
    if (course)
        print_gaps(config, course);
    course_release(courses, course);
    courses_destroy(courses);
    return course ? 0 : -1;
}

static const struct action {
    const char *name, *words; /* words: after the name; "" for none */
    const char *summary;
    int (*run)(const struct config *config, struct error *err);
} actions[] = {
    {"add", "NAME", "print the id of a new learner. NAME is a first name or a nickname",
     add_learner},
    {"list", "", "ids, days of addition, amounts of evidence, names", list_learners},
    {"show", "ID", "one learner", show_learner},
    {"export", "ID", "everything that is stored about one learner, as JSON", export_learner},
    {"delete", "ID", "delete it, with its bytes in the files of the database", delete_learner},
    {"tier", "ID NAME", "give it the tier; with --tiers FILE the name must be in the file",
     set_tier},
    {"gaps", "", "the lessons of a curriculum that have no graded exercise", show_gaps},
};
#define ACTIONS_COUNT (sizeof actions / sizeof actions[0])

static size_t count_words(const struct action *action)
{
    size_t count = *action->words ? 1 : 0;

    for (const char *at = action->words; *at; at++)
        count += *at == ' ';
    return count;
}

static int run(const struct config *config, struct error *err)
{
    const char *named = config->arguments[0];
    struct nearest search;

    nearest_begin(&search, named);
    for (size_t i = 0; i < ACTIONS_COUNT; i++) {
        const struct action *action = &actions[i];

        nearest_feed(&search, action->name);
        if (strcmp(action->name, named) != 0)
            continue;
        if (config->argument_count != count_words(action) + 1) {
            error_set(err, ERROR_INVALID, "send: lectern learner %s%s%s", action->name,
                      *action->words ? " " : "", action->words);
            return EXIT_USAGE;
        }
        if (action->run(config, err) == 0)
            return EXIT_OK;
        return err->kind == ERROR_INVALID ? EXIT_USAGE : EXIT_FAILED;
    }
    error_set(err, ERROR_INVALID,
              "unknown action '%s'%s%s%s; lectern learner --help lists the actions", named,
              search.best ? ", did you mean '" : "", search.best ? search.best : "",
              search.best ? "'?" : "");
    return EXIT_USAGE;
}

static void help(struct buf *to)
{
    char left[40];

    for (size_t i = 0; i < ACTIONS_COUNT; i++) {
        snprintf(left, sizeof left, "%s %s", actions[i].name, actions[i].words);
        buf_addf(to, "  %-13s%s\n", left, actions[i].summary);
    }
}

const struct command command_learner = {
    .name = "learner",
    .usage = "[OPTIONS] ACTION [NAME | ID]",
    .summary = "Learners: add, list, show, export or delete them, give tiers",
    .options = CONFIG_LEARNER,
    .least_words = 1,
    .most_words = CONFIG_ARGUMENTS_CAP,
    .words_needed =
        "an action is missing: lectern learner list (or add, show, export, delete, tier, gaps)",
    .help = help,
    .run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/dry_run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/server.h"

struct dry_run {
    long number; /* 0: free */
    char sid[SESSION_ID_SIZE];
    char *who; /* owned */
    int64_t version;
    bool keep_going;
    json_t *operations; /* owned */
};

struct dry_runs {
    pthread_mutex_t lock;
    struct dry_run all[DRY_RUNS_CAP];
    long last; /* number */
};

static void forget(struct dry_run *run)
{
    json_decref(run->operations);
    free(run->who);
    *run = (struct dry_run){0};
}

struct dry_runs *dry_runs_new(void)
{
    struct dry_runs *made = calloc(1, sizeof *made);

    if (made)
        pthread_mutex_init(&made->lock, NULL);
    return made;
}

void dry_runs_destroy(struct dry_runs *of)
{
    if (!of)
        return;
    for (size_t i = 0; i < DRY_RUNS_CAP; i++)
        forget(&of->all[i]);
    pthread_mutex_destroy(&of->lock);
    free(of);
}

long dry_run_keep(const struct tool_call *call, const char *sid, int64_t version)
{
    struct dry_runs *of = call->server->dry_runs;
    const json_t *operations = json_object_get(call->arguments, "operations");
    struct dry_run *run;
    json_t *copy;
    char *who;
    long number;

    if (!of || !call->applies_dry_runs ||
        json_dumpb(operations, NULL, 0, JSON_COMPACT) > DRY_RUN_BYTES_MAX)
        return 0;
    copy = json_deep_copy(operations);
    who = strdup(call->who);
    if (!copy || !who) {
        json_decref(copy);
        free(who);
        return 0;
    }
    pthread_mutex_lock(&of->lock);
    number = ++of->last;
    run = &of->all[number % DRY_RUNS_CAP];
    forget(run);
    *run = (struct dry_run){
        .number = number,
        .who = who,
        .version = version,
        .keep_going = json_is_true(json_object_get(call->arguments, "keep_going")),
        .operations = copy,
    };
    snprintf(run->sid, sizeof run->sid, "%s", sid);
    pthread_mutex_unlock(&of->lock);
    return number;
}

/* The value itself, or the value that its text is; a new reference. */
static json_t *untext(json_t *value)
{
    return json_is_string(value)
               ? json_read(json_string_value(value), json_string_length(value), "", NULL)
               : json_incref(value);
}

/* The number that the call names, 0 if it names none. */
static int read_number(const struct tool_call *call, long *number, struct error *err)
{
    json_auto_t *list = untext(json_object_get(call->arguments, "operations"));
    size_t count = json_array_size(list);

    *number = 0;
    for (size_t i = 0; i < count; i++) {
        json_auto_t *operation = untext(json_array_get(list, i)), *id = NULL;
        const char *op = json_get_string(operation, "op");

        if (!op || strcmp(op, CHANGE_SET_DRY_RUN) != 0)
            continue;
        id = untext(json_object_get(operation, "id"));
        *number = (long)json_integer_value(id);
        if (count > 1 || *number < 1)
            return error_set_at(err, "operations",
                                "operations: " CHANGE_SET_DRY_RUN " stands alone, with the number "
                                "of the dry run: [{\"op\": \"" CHANGE_SET_DRY_RUN
                                "\", \"id\": 7}]");
    }
    return 0;
}

static bool is_known(const struct dry_run *run, const struct tool_call *call, long number)
{
    return run->number == number && strcmp(run->who, call->who) == 0 &&
           (!call->bound_session || strcmp(run->sid, call->bound_session) == 0);
}

int dry_run_take(struct tool_call *call, struct error *err)
{
    struct dry_runs *of = call->server->dry_runs;
    json_t *arguments = NULL;
    struct dry_run *run;
    long number;

    if (!of || !call->applies_dry_runs)
        return 0;
    if (read_number(call, &number, err) < 0)
        return -1;
    if (number == 0)
        return 0;
    pthread_mutex_lock(&of->lock);
    run = &of->all[number % DRY_RUNS_CAP];
    if (is_known(run, call, number)) {
        arguments = json_copy(call->arguments);
        json_object_set_new(arguments, "operations", json_deep_copy(run->operations));
        json_object_set_new(arguments, "keep_going", json_boolean(run->keep_going));
        json_object_set_new(arguments, "expected_version", json_integer(run->version));
        if (!call->bound_session)
            json_object_set_new(arguments, "session_id", json_string(run->sid));
    }
    pthread_mutex_unlock(&of->lock);
    if (!arguments)
        return error_set_at(err, "operations",
                            "operations: dry run %ld is not kept any more: send its operations",
                            number);
    json_decref(call->arguments);
    call->arguments = arguments;
    return 0;
}

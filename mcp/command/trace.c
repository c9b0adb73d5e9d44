/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern trace: the tasks of solve that are in the store. With an id it draws the task: a line for
 * each step, with a bar that shows when it was and how long it took. Without one it lists the
 * newest tasks of the session.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/terminal.h"
#include "mcp/command/command.h"
#include "mcp/curriculum/text.h"
#include "mcp/format/otlp.h"
#include "mcp/store/task.h"

#define TASKS_LISTED   50
#define TIME_SHOWN     19 /* characters of an RFC 3339 time: up to the second */
#define QUESTION_SHOWN 60
#define OUTCOME_SHOWN  48
#define BAR_WIDTH      24

static const char *text(const json_t *object, const char *key)
{
    const char *found = json_get_string(object, key);

    return found ? found : "";
}

static json_int_t whole(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

/* ---- the list ---- */

static void print_task(const json_t *task)
{
    const char *status = json_get_string(task, "status");
    char question[QUESTION_SHOWN + 4];

    terminal_printf(stdout, "%s  %.*s  %-11s  %8" JSON_INTEGER_FORMAT "  %s\n", text(task, "id"),
                    TIME_SHOWN, text(task, "created"), status ? status : "no answer",
                    whole(task, "attempts"),
                    text_cut_line(question, sizeof question, text(task, "question")));
}

static int list(const struct config *config, struct store *store, struct error *err)
{
    struct buf BUF_AUTO json = {0};
    json_auto_t *read = NULL;
    const json_t *tasks, *task;
    char sid[SESSION_ID_SIZE];
    size_t i;

    if (command_session(store, config->session, sid, err) < 0 ||
        store_tasks_read(store, sid, TASKS_LISTED, &json, err) < 0)
        return -1;
    if (config->json) {
        puts(json.data);
        return 0;
    }
    read = json_read(json.data, json.len, "the tasks", err);
    if (!read)
        return -1;
    tasks = json_object_get(read, "tasks");
    if (json_array_size(tasks) > 0)
        printf("%-36s  %-*s  %-11s  %8s  %s\n", "task", TIME_SHOWN, "created", "status", "attempts",
               "question");
    json_array_foreach((json_t *)tasks, i, task) print_task(task);
    return 0;
}

/* ---- one task ---- */

struct drawing {
    int64_t begin, end; /* of the task, in ms */
};

static double seconds_of(const json_t *entry)
{
    const json_t *own = json_object_get(entry, "seconds");

    return json_number_value(own ? own
                                 : json_object_get(json_object_get(entry, "message"), "seconds"));
}

static void measure(struct drawing *drawing, const json_t *entries)
{
    const json_t *entry;
    size_t i;

    json_array_foreach((json_t *)entries, i, entry)
    {
        int64_t end = text_time_ms(text(entry, "at"));
        int64_t begin = end - (int64_t)(seconds_of(entry) * 1000);

        if (drawing->begin == 0 || begin < drawing->begin)
            drawing->begin = begin;
        if (end > drawing->end)
            drawing->end = end;
    }
}

/* "   ####         ": a step without a length has one mark. */
static void write_bar(const struct drawing *drawing, const json_t *entry, char bar[BAR_WIDTH + 1])
{
    int64_t end = text_time_ms(text(entry, "at")), whole_ms = drawing->end - drawing->begin;
    int64_t begin = end - (int64_t)(seconds_of(entry) * 1000);
    int first = 0, last = 0;

    if (whole_ms > 0) {
        first = (int)((begin - drawing->begin) * (BAR_WIDTH - 1) / whole_ms);
        last = (int)((end - drawing->begin) * (BAR_WIDTH - 1) / whole_ms);
    }
    memset(bar, ' ', BAR_WIDTH);
    bar[BAR_WIDTH] = '\0';
    for (int i = first; i >= 0 && i <= last && i < BAR_WIDTH; i++)
        bar[i] = last > first ? '#' : '|';
}

/* The outcome of a step in a few words. */
static void write_outcome(const json_t *entry, struct buf *to)
{
    const char *kind = text(entry, "kind");
    const json_t *message = json_object_get(entry, "message"), *error;

    if (strcmp(kind, "request") == 0) {
        const char *fault = json_get_string(entry, "fault");

        buf_addf(to, "%s%s%s", text(entry, "outcome"), fault ? ": " : "", fault ? fault : "");
    } else if (strcmp(kind, "plan") == 0) {
        buf_adds(to, text(message, "approach"));
    } else if (strcmp(kind, "diagnosis") == 0) {
        buf_adds(to, text(message, "change"));
    } else if (strcmp(kind, "answer") == 0) {
        buf_addf(to, "%s: %s", text(message, "status"), text(message, "text"));
    } else if (strcmp(kind, "execution") == 0) {
        error = json_object_get(message, "error");
        if (json_is_object(error))
            buf_addf(to, "%s: %s", text(error, "errorCategory"),
                     text(json_object_get(error, "context"), "message"));
        else
            buf_adds(to, "ok");
    }
}

/* "812", or nothing where a step has no tokens. */
static void write_tokens(const json_t *usage, json_int_t tokens, char shown[16])
{
    *shown = '\0';
    if (usage)
        snprintf(shown, 16, "%" JSON_INTEGER_FORMAT, tokens);
}

static void print_step(const struct drawing *drawing, const json_t *entry)
{
    const json_t *message = json_object_get(entry, "message");
    const json_t *usage = json_object_get(entry, "usage"), *cost = json_object_get(entry, "cost");
    const json_t *attempt = json_object_get(message, "attempt");
    const char *by = json_string_is(entry, "by", "rule") ? "by rule" : text(entry, "model");
    struct buf BUF_AUTO outcome = {0};
    char shown[OUTCOME_SHOWN + 4], bar[BAR_WIDTH + 1], in[16], out[16], money[24] = "",
                                                                        number[16] = "";

    write_outcome(entry, &outcome);
    write_bar(drawing, entry, bar);
    write_tokens(usage,
                 whole(usage, "input") + whole(usage, "cache_read") + whole(usage, "cache_write"),
                 in);
    write_tokens(usage, whole(usage, "output"), out);
    if (cost)
        snprintf(money, sizeof money, "%.4f", json_number_value(cost));
    if (json_integer_value(attempt) > 0)
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(attempt));
    terminal_printf(stdout, "%s  %-9s  %-9s  %-20s  %7s  %6s  %8s  %8.3f  %7s  %s\n", bar,
                    text(entry, "role"), text(entry, "kind"), by, in, out, money, seconds_of(entry),
                    number, text_cut_line(shown, sizeof shown, outcome.data ? outcome.data : ""));
}

static void draw(const json_t *task)
{
    const json_t *entries = json_object_get(task, "entries"), *entry;
    const char *status = json_get_string(task, "status");
    struct drawing drawing = {0};
    size_t i;

    measure(&drawing, entries);
    terminal_printf(stdout, "%s\n%s: %s, attempts %" JSON_INTEGER_FORMAT ", %.3f s\n",
                    text(task, "question"), text(task, "id"), status ? status : "no answer",
                    whole(task, "attempts"), (double)(drawing.end - drawing.begin) / 1000);
    printf("%-*s  %-9s  %-9s  %-20s  %7s  %6s  %8s  %8s  %7s  %s\n", BAR_WIDTH, "time", "role",
           "step", "model", "in", "out", "cost", "seconds", "attempt", "outcome");
    json_array_foreach((json_t *)entries, i, entry) print_step(&drawing, entry);
}

static int show(const struct config *config, struct store *store, const char *id, struct error *err)
{
    struct buf BUF_AUTO json = {0}, otlp = {0};
    json_auto_t *task = NULL;
    char sid[SESSION_ID_SIZE];

    if (store_task_session(store, id, sid, err) < 0 ||
        store_task_read(store, sid, id, &json, err) < 0)
        return -1;
    if (config->json) {
        puts(json.data);
        return 0;
    }
    task = json_read(json.data, json.len, "the task", err);
    if (!task)
        return -1;
    if (!config->otlp) {
        draw(task);
        return 0;
    }
    otlp_write(task, &otlp);
    if (buf_check(&otlp, "the trace", err) < 0)
        return -1;
    puts(otlp.data);
    return 0;
}

static int run(const struct config *config, struct error *err)
{
    cleanup_store struct store *store = store_open(config->store, STORE_READ, err);
    const char *id = config->arguments[0];

    return store && (id ? show(config, store, id, err) : list(config, store, err)) == 0
               ? EXIT_OK
               : EXIT_FAILED;
}

const struct command command_trace = {
    .name = "trace",
    .usage = "[OPTIONS] [ID]",
    .summary = "Draw a task of solve, or list the newest",
    .options = CONFIG_TRACE,
    .least_words = 0,
    .most_words = 1,
    .words_needed = "give the id of one task, or none for a list: lectern trace",
    .run = run,
};

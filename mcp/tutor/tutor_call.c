/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tutor/tutor_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "helpers/graph/order.h"
#include "mcp/learner/tiers.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/session.h"

#define LOCKS_SHOWN 5u /* lessons that unlock another, in an answer */

/* ---- the life of a call ---- */

/* Gives up the course, the standing and the tiers. */
static void let_go(struct tutor_call *teaching)
{
    standing_free(teaching->standing);
    course_release(teaching->tutor->courses, teaching->course);
    tiers_unref(teaching->tiers);
    json_decref(teaching->record);
    teaching->standing = NULL;
    teaching->course = NULL;
    teaching->tiers = NULL;
    teaching->tier = NULL;
    teaching->record = NULL;
}

static void free_call(struct tutor_call *teaching)
{
    let_go(teaching);
    json_decref(teaching->result);
    free((char *)teaching->learner);
    free(teaching);
}

/* Appends the text, and the call that comes next if it names none. */
static void add_error(const struct tool *tool, const char *text, struct buf *to)
{
    const size_t len = strlen(text);
    bool names_call = false;

    for (size_t i = 0; tools[i]; i++)
        names_call |= tools[i]->toolset == TOOLSET_TUTOR && strstr(text, tools[i]->name);
    buf_adds(to, text);
    if (!names_call)
        buf_addf(to, "%s Next: call %s again.", len > 0 && strchr(".?!", text[len - 1]) ? "" : ".",
                 tool->name);
}

void tutor_call_end(struct tutor_call *teaching, const struct error *err)
{
    struct tool_call *call = teaching->call;

    if (call) {
        call->state = NULL;
        if (err) {
            failure_of_error(&call->failure, err);
            buf_clear(&call->text);
            add_error(call->tool, err->text, &call->text);
        }
        tool_call_complete(call);
    }
    free_call(teaching);
}

void tutor_call_stop(struct tool_call *call)
{
    struct tutor_call *teaching = call->state;

    /* While it is on the queue, work uses the call: it ends soon. */
    if (!teaching || !teaching->waiting)
        return;
    teaching->call = NULL;
    call->state = NULL;
    tool_call_complete(call);
}

/* ---- reading ---- */

static int get_course(struct tutor_call *teaching, struct error *err)
{
    teaching->course = course_get(teaching->tutor->courses, teaching->store, teaching->sid, err);
    return teaching->course ? 0 : -1;
}

/* The course of the connection, else of the goal; without one, or if that was deleted, the only
 * one. */
static int find_course(struct tutor_call *teaching, struct error *err)
{
    const char *bound = teaching->call->bound_session;
    const char *sid = bound ? bound : json_get_string(teaching->record, "goal_session_id");
    struct error why = {.kind = ERROR_NOT_FOUND};

    if (sid) {
        snprintf(teaching->sid, sizeof teaching->sid, "%s", sid);
        if (get_course(teaching, &why) == 0)
            return 0;
    }
    if (!bound && (why.kind == ERROR_NOT_FOUND || why.kind == ERROR_UNAUTHORIZED) &&
        store_only_session(teaching->store, teaching->sid, &why) == 0 &&
        get_course(teaching, &why) == 0)
        return 0;
    error_set(err, why.kind, "%s", why.text);
    return error_wrap(err, why.kind == ERROR_UNAVAILABLE || why.kind == ERROR_TIMEOUT ||
                                   why.kind == ERROR_BUSY
                               ? "The lessons cannot be read now. Say so to the learner, and call "
                                 "this again in a minute"
                               : "a tutor teaches one curriculum; bind the connection to it "
                                 "(lectern stdio --session, or a token with curriculum=)");
}

static int read_learner(struct tutor_call *teaching, struct error *err)
{
    struct buf BUF_AUTO json = {0};

    if (learners_read(teaching->learners, teaching->learner, &json, err) < 0)
        return err && err->kind == ERROR_NOT_FOUND
                   ? error_set(err, ERROR_NOT_FOUND,
                               "No learner has this learner_id. Ask for the id, or call "
                               "register_learner with the learner's first name.")
                   : -1;
    teaching->record = json_read(json.data, json.len, "the learner", err);
    return teaching->record ? 0 : -1;
}

static int read_all(struct tutor_call *teaching, struct error *err)
{
    const char *goal;

    if (teaching->learner && read_learner(teaching, err) < 0)
        return -1;
    if (find_course(teaching, err) < 0)
        return -1;
    teaching->tiers = tutor_tiers(teaching->tutor);
    teaching->tier = tier_find(teaching->tiers, json_get_string(teaching->record, "tier"));
    if (!teaching->learner)
        return 0;
    goal = json_string_is(teaching->record, "goal_session_id", teaching->sid)
               ? json_get_string(teaching->record, "goal_node_id")
               : NULL;
    teaching->standing = standing_read(teaching->learners, teaching->learner, teaching->course,
                                       goal, teaching->tier, teaching->now, err);
    return teaching->standing ? 0 : -1;
}

static void on_work(struct workq_job *job, void *context)
{
    struct tutor_call *teaching = container_of(job, struct tutor_call, job);
    struct tutor_thread *thread = context;

    teaching->then = NULL;
    teaching->store = thread->store;
    teaching->learners = thread->learners;
    teaching->now = (int64_t)time(NULL);
    let_go(teaching);
    store_call_begin(teaching->store);
    teaching->failed = read_all(teaching, &teaching->err);
    if (teaching->failed == 0)
        teaching->failed = teaching->work(teaching, &teaching->err);
    store_call_end(teaching->store);
}

static void on_work_done(struct workq_job *job)
{
    struct tutor_call *teaching = container_of(job, struct tutor_call, job);
    struct tool_call *call = teaching->call; /* freed no sooner than in a task of the loop */
    bool cancelled;

    if (teaching->failed < 0 || !teaching->then) {
        tutor_call_end(teaching, teaching->failed < 0 ? &teaching->err : NULL);
        return;
    }
    cancelled = cancel_check(call->cancel, NULL) < 0;
    teaching->waiting = true;
    if (teaching->then(teaching, &teaching->err) < 0)
        tutor_call_end(teaching, &teaching->err);
    else if (cancelled)
        tutor_call_stop(call);
}

static int submit(struct tutor_call *teaching, tutor_work *work, struct error *err)
{
    teaching->work = work;
    teaching->waiting = false;
    teaching->job.work = on_work;
    teaching->job.done = on_work_done;
    teaching->job.key = workq_key(teaching->learner ? teaching->learner : "");
    return workq_submit(teaching->tutor->queue, &teaching->job, err);
}

void tutor_call_resume(struct tutor_call *teaching, tutor_work *work)
{
    struct error err = {0};

    if (!teaching->call || submit(teaching, work, &err) < 0)
        tutor_call_end(teaching, teaching->call ? &err : NULL);
}

int tutor_call_start(struct tool_call *call, tutor_work *work, struct error *err)
{
    struct tutor_call *teaching = calloc(1, sizeof *teaching);
    const char *learner = argument_text(call, LEARNER_ARGUMENT);

    if (teaching && learner)
        teaching->learner = strdup(learner);
    if (!teaching || (learner && !teaching->learner)) {
        free(teaching);
        return error_set(err, ERROR_MEMORY, "out of memory for a call");
    }
    teaching->call = call;
    teaching->tutor = call->server->tutor;
    if (submit(teaching, work, err) == 0) {
        call->state = teaching;
        return 0;
    }
    free_call(teaching);
    return -1;
}

/* ---- lessons and items ---- */

void tutor_add_lesson(const struct tutor_call *teaching, uint32_t lesson, struct buf *to)
{
    const struct course_lesson *found = &teaching->course->lessons[lesson];
    const int shown = utf8_shown(found->title, TUTOR_TITLE_SHOWN);

    buf_addf(to, "%s \"%.*s%s\"", found->id, shown, found->title, found->title[shown] ? "..." : "");
}

void tutor_add_lessons(const struct tutor_call *teaching, const uint32_t *list, size_t count,
                       size_t most, struct buf *to)
{
    for (size_t i = 0; i < count && i < most; i++) {
        buf_adds(to, i > 0 ? ", " : "");
        tutor_add_lesson(teaching, list[i], to);
    }
    if (count > most)
        buf_addf(to, " and %zu more", count - most);
}

void tutor_add_state(const struct tutor_call *teaching, uint32_t lesson, struct buf *to)
{
    const struct knowledge *knowledge = &teaching->standing->lessons[lesson].knowledge;
    const struct course_lesson *found = &teaching->course->lessons[lesson];

    buf_adds(to, lesson_states[teaching->standing->path->states[lesson]]);
    if (found->graded == 0)
        buf_addf(to, "; it has no %sexercises, so nothing is tested there",
                 found->items > 0 ? "graded " : "");
    else if (knowledge->attempted)
        buf_addf(to, "; probability %.2f, %zu of %u exercises solved", knowledge->p,
                 knowledge->solved, found->items);
    else
        buf_addf(to, "; %u exercise%s, none tried", found->items, found->items == 1 ? "" : "s");
}

void tutor_add_next(const struct tutor_call *teaching, struct buf *to)
{
    const struct standing *standing = teaching->standing;
    const char *goal =
        standing->goal == PATH_NO_GOAL ? NULL : teaching->course->lessons[standing->goal].title;

    if (standing->path->next_count == 0)
        buf_adds(to, "Next: nothing is left to learn in this curriculum.\n");
    for (uint32_t i = 0; i < standing->path->next_count; i++) {
        const struct path_step *step = &standing->path->next[i];

        buf_adds(to, i == 0 ? "Next:\n" : "");
        buf_addf(to, "%u. ", i + 1);
        tutor_add_lesson(teaching, step->lesson, to);
        buf_adds(to, ": ");
        path_reason_write(step, goal, to);
        buf_addc(to, '\n');
    }
}

void tutor_add_upgrade(const struct tutor_call *teaching, struct buf *to)
{
    const struct tier *next = tier_next(teaching->tiers, teaching->tier);

    if (!next)
        return;
    buf_addf(to, "The tier \"%s\" has more", next->name);
    if (next->url)
        buf_adds(to, ": ");
    tier_write_url(next, teaching->learner, to);
    buf_addc(to, '\n');
}

int tutor_lesson_open(struct tutor_call *teaching, uint32_t lesson, struct error *err)
{
    const struct path *path = teaching->standing->path;
    struct buf BUF_AUTO text = {0};
    cleanup_free uint32_t *locks = NULL;
    uint32_t count = 0;

    buf_init(&text, ERROR_TEXT_CAP - 1);
    tutor_add_lesson(teaching, lesson, &text);
    if (teaching->standing->lessons[lesson].withheld) {
        buf_adds(&text, " is not part of the learner's tier. Give the learner this link, and go on "
                        "with another lesson (get_learner_state). ");
        tutor_add_upgrade(teaching, &text);
        return error_set(err, ERROR_FORBIDDEN, "%s", text.data ? text.data : "");
    }
    if (path->states[lesson] != LESSON_LOCKED)
        return 0;
    locks = calloc((size_t)path->count + 1, sizeof *locks);
    if (!locks)
        return error_set(err, ERROR_MEMORY, "out of memory for the locks of a lesson");
    if (path_locks(path, lesson, locks, &count, err) < 0)
        return -1;
    buf_adds(&text, " is locked. It is unlocked by: ");
    tutor_add_lessons(teaching, locks, count, LOCKS_SHOWN, &text);
    buf_addf(&text,
             ". Say that these come first, and call get_chapter_content with node_id \"%s\".",
             count > 0 ? teaching->course->lessons[locks[0]].id : "");
    return error_set(err, ERROR_FORBIDDEN, "%s", text.data ? text.data : "");
}

int tutor_lesson(struct tutor_call *teaching, uint32_t *lesson, struct error *err)
{
    const char *name = argument_text(teaching->call, "node_id"), *id;
    const struct standing *standing = teaching->standing;
    struct buf BUF_AUTO found = {0};

    if (!name) {
        *lesson = standing->path->next_count > 0 ? standing->path->next[0].lesson : standing->goal;
        return *lesson != PATH_NO_GOAL
                   ? 0
                   : error_set(err, ERROR_NOT_FOUND,
                               "Nothing is left to learn here. Congratulate the learner, and ask "
                               "for a node_id to repeat a lesson.");
    }
    *lesson = course_lesson_find(teaching->course, name);
    if (*lesson != COURSE_NONE)
        return 0;
    if (store_node_id(teaching->store, teaching->sid, name, "node_id", &found, &id, err) < 0)
        return -1;
    *lesson = course_lesson_find(teaching->course, id);
    return *lesson != COURSE_NONE
               ? 0
               : error_set(err, ERROR_NOT_FOUND,
                           "%s was added a moment ago: call this again in a minute.", id);
}

const struct course_item *tutor_item(struct tutor_call *teaching, struct error *err)
{
    const char *id = argument_text(teaching->call, "exercise_id");
    uint32_t at = course_item_find(teaching->course, id ? id : "");
    const struct course_item *item = &teaching->course->items[at == COURSE_NONE ? 0 : at];

    if (at == COURSE_NONE) {
        error_set(err, ERROR_NOT_FOUND,
                  "No exercise has this exercise_id. Call get_exercises, which shows the ids.");
        return NULL;
    }
    return tutor_lesson_open(teaching, item->lesson, err) == 0 ? item : NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tutor/course.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "helpers/base/clock.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/exercise/exercise.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/tutor/exercise_file.h"

#define COMPONENTS_CAP ((size_t)256 << 20) /* bytes of all exercises of a session, as JSON */

/* Ids in their order, for a binary search. The search through the first bytes alone decides nearly
 * always, and reads no other memory. */
struct course_name {
    uint64_t first; /* first_bytes of the id */
    const char *id;
    uint32_t at;
};
struct course_index {
    struct course_name *lessons, *items;
};

struct course_entry {
    struct course *course; /* NULL: free */
    int64_t version;       /* of the session */
    int64_t read_s;        /* on the monotonic clock */
    uint64_t used;         /* a larger number is a later use */
};

/* A session whose course is being read: its other calls wait for that, those of others do not. */
struct course_reading {
    LIST_ENTRY(course_reading) link;
    const char *sid;
};

struct courses {
    struct exercise_file *exercises; /* or NULL */
    pthread_mutex_t lock;            /* of all that follows */
    struct course_entry entries[COURSE_CACHE_ENTRIES];
    uint64_t uses;
    LIST_HEAD(, course_reading) readings;
    pthread_cond_t read_one;
};

struct courses *courses_create(const char *exercises, struct error *err)
{
    struct courses *courses = calloc(1, sizeof *courses);

    if (!courses) {
        error_set(err, ERROR_MEMORY, "out of memory for courses");
        return NULL;
    }
    pthread_mutex_init(&courses->lock, NULL);
    pthread_cond_init(&courses->read_one, NULL);
    LIST_INIT(&courses->readings);
    if (!exercises || (courses->exercises = exercise_file_read(exercises, err)))
        return courses;
    courses_destroy(courses);
    return NULL;
}

static void free_course(struct course *course)
{
    if (!course)
        return;
    free(course->lessons);
    free(course->edges);
    free(course->items);
    if (course->index) {
        free(course->index->lessons);
        free(course->index->items);
    }
    free(course->index);
    outline_finish(&course->outline);
    json_decref(course->components);
    json_decref(course->of_file);
    free(course);
}

void courses_destroy(struct courses *courses)
{
    if (!courses)
        return;
    for (size_t i = 0; i < COURSE_CACHE_ENTRIES; i++)
        free_course(courses->entries[i].course);
    exercise_file_free(courses->exercises);
    pthread_cond_destroy(&courses->read_one);
    pthread_mutex_destroy(&courses->lock);
    free(courses);
}

/* ---- names ---- */

/* In an integer, so that the order of two ids is that of their integers, unless these are equal. */
static uint64_t first_bytes(const char *id)
{
    uint64_t first = 0;

    for (size_t i = 0; i < sizeof first; i++) {
        first = first << 8 | (unsigned char)*id;
        id += *id != '\0';
    }
    return first;
}

static int compare_ids(const void *a, const void *b)
{
    const struct course_name *one = a, *other = b;

    if (one->first != other->first)
        return one->first < other->first ? -1 : 1;
    return strcmp(one->id, other->id);
}

static int compare_names(const void *a, const void *b)
{
    const struct course_name *one = a, *other = b;
    int by_id = compare_ids(a, b);

    return by_id != 0 ? by_id : one->at < other->at ? -1 : one->at > other->at;
}

static uint32_t find(const struct course_name *names, size_t count, const char *id)
{
    const struct course_name name = {first_bytes(id), id, 0},
                             *found = bsearch(&name, names, count, sizeof *names, compare_ids);

    return found ? found->at : COURSE_NONE;
}

uint32_t course_lesson_find(const struct course *course, const char *id)
{
    return find(course->index->lessons, course->count, id);
}

uint32_t course_item_find(const struct course *course, const char *id)
{
    return find(course->index->items, course->item_count, id);
}

/* ---- reading ---- */

static int fill_lessons(struct course *course, struct error *err)
{
    const struct outline *outline = &course->outline;

    if (outline->node_count > PATH_LESSONS_CAP)
        return error_set(err, ERROR_TOO_LARGE, "a course has at most %u lessons, and this one %zu",
                         PATH_LESSONS_CAP, outline->node_count);
    course->count = (uint32_t)outline->node_count;
    course->lessons = calloc(course->count + 1, sizeof *course->lessons);
    course->index->lessons = calloc(course->count + 1, sizeof *course->index->lessons);
    if (!course->lessons || !course->index->lessons)
        return error_set(err, ERROR_MEMORY, "out of memory for a course");
    for (uint32_t i = 0; i < course->count; i++) {
        const struct outline_node *node = &outline->nodes[i];

        course->lessons[i] =
            (struct course_lesson){.id = node->id, .title = node->title, .chapter = node->group};
        course->index->lessons[i] = (struct course_name){first_bytes(node->id), node->id, i};
    }
    qsort(course->index->lessons, course->count, sizeof *course->index->lessons, compare_names);
    return 0;
}

static int fill_edges(struct course *course, struct error *err)
{
    const struct outline *outline = &course->outline;
    bool names_prerequisites = false;

    course->edges = calloc(outline->edge_count + 1, sizeof *course->edges);
    if (!course->edges)
        return error_set(err, ERROR_MEMORY, "out of memory for a course");
    for (size_t i = 0; i < outline->edge_count; i++)
        names_prerequisites |= strstr(outline->edges[i].type, "PREREQUISITE") != NULL;
    for (size_t i = 0; i < outline->edge_count; i++) {
        const struct outline_edge *edge = &outline->edges[i];
        struct path_edge found;

        if (!(names_prerequisites ? strstr(edge->type, "PREREQUISITE") != NULL
                                  : strcmp(edge->type, "LEADS_TO") == 0))
            continue;
        found.before = course_lesson_find(course, edge->from);
        found.after = course_lesson_find(course, edge->to);
        if (found.before != COURSE_NONE && found.after != COURSE_NONE)
            course->edges[course->edge_count++] = found;
    }
    return 0;
}

static int compare_items(const void *a, const void *b)
{
    const struct course_item *one = a, *other = b;

    if (one->lesson != other->lesson)
        return one->lesson < other->lesson ? -1 : 1;
    return one->place < other->place ? -1 : one->place > other->place;
}

/* One that is not valid, which only an import keeps, is no item. */
static void add_item(struct course *course, const char *node_id, const char *id, const char *type,
                     const json_t *parameters)
{
    struct course_item *item = &course->items[course->item_count];
    struct error unused = {0};

    *item = (struct course_item){
        .id = id,
        .lesson = node_id ? course_lesson_find(course, node_id) : COURSE_NONE,
        .place = course->item_count,
        .parameters = parameters,
    };
    if (!id || item->lesson == COURSE_NONE || !type ||
        component_type_check(type, parameters, NULL, NULL, "", &unused) < 0)
        return;
    item->code = strcmp(type, EXERCISE_CODE) == 0;
    item->graded = item->code || !json_string_is(parameters, "kind", "open");
    course->item_count++;
}

static void sort_items(struct course *course)
{
    qsort(course->items, course->item_count, sizeof *course->items, compare_items);
    for (uint32_t i = 0; i < course->item_count; i++) {
        struct course_lesson *lesson = &course->lessons[course->items[i].lesson];

        if (lesson->items++ == 0)
            lesson->first_item = i;
        lesson->graded += course->items[i].graded;
        const char *id = course->items[i].id;
        course->index->items[i] = (struct course_name){first_bytes(id), id, i};
    }
    qsort(course->index->items, course->item_count, sizeof *course->index->items, compare_names);
}

static int fill_items(struct course *course, struct error *err)
{
    const size_t most = json_array_size(course->components) + json_array_size(course->of_file);
    const json_t *row;
    size_t i;

    course->items = calloc(most + 1, sizeof *course->items);
    course->index->items = calloc(most + 1, sizeof *course->index->items);
    if (!course->items || !course->index->items)
        return error_set(err, ERROR_MEMORY, "out of memory for a course");
    json_array_foreach(course->components, i, row)
    {
        const json_t *component = json_object_get(row, "component");
        const char *type = json_get_string(component, "component_type");

        add_item(course, json_get_string(row, "node_id"),
                 json_get_string(component, "component_id"),
                 type ? type : json_get_string(component, "type"),
                 json_object_get(component, "parameters"));
    }
    json_array_foreach(course->of_file, i, row)
        add_item(course, json_get_string(row, "node_id"), json_get_string(row, "component_id"),
                 json_get_string(row, "type"), json_object_get(row, "parameters"));
    sort_items(course);
    return 0;
}

static int read_components(struct course *course, struct store *store,
                           const struct exercise_file *file, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (file && !(course->of_file = exercise_file_list(file, course->sid)))
        return error_set(err, ERROR_MEMORY, "out of memory for the exercises");

    buf_init(&text, COMPONENTS_CAP);
    if (store_read_components_of(store, course->sid, EXERCISE_CODE, EXERCISE_QUESTION, &text, err) <
        0)
        return -1;
    course->components = json_read(text.data, text.len, "the exercises", err);
    return course->components ? 0 : -1;
}

static struct course *read_course(struct store *store, const char *sid,
                                  const struct exercise_file *file, struct error *err)
{
    struct course *course = calloc(1, sizeof *course);

    if (course)
        course->index = calloc(1, sizeof *course->index);
    if (!course || !course->index) {
        free_course(course);
        error_set(err, ERROR_MEMORY, "out of memory for a course");
        return NULL;
    }
    snprintf(course->sid, sizeof course->sid, "%s", sid);
    course->references = 1;
    if (store_read_outline(store, sid, &course->outline, err) == 0 &&
        fill_lessons(course, err) == 0 && fill_edges(course, err) == 0 &&
        read_components(course, store, file, err) == 0 && fill_items(course, err) == 0)
        return course;
    free_course(course);
    return NULL;
}

/* ---- the cache ---- */

static void drop(struct course *course)
{
    if (course && --course->references == 0)
        free_course(course);
}

/* The entry of the session, or the one to replace. */
static struct course_entry *entry_of(struct courses *courses, const char *sid)
{
    struct course_entry *oldest = &courses->entries[0];

    for (size_t i = 0; i < COURSE_CACHE_ENTRIES; i++) {
        struct course_entry *entry = &courses->entries[i];

        if (entry->course && strcmp(entry->course->sid, sid) == 0)
            return entry;
        if (entry->used < oldest->used)
            oldest = entry;
    }
    return oldest;
}

static bool is_current(const struct course_entry *entry, struct store *store, const char *sid,
                       int64_t version)
{
    if (!entry->course || strcmp(entry->course->sid, sid) != 0)
        return false;
    if (store_capabilities(store).known_before_read)
        return entry->version == version;
    return clock_s() - entry->read_s < COURSE_SERVICE_S;
}

static bool is_being_read(const struct courses *courses, const char *sid)
{
    const struct course_reading *reading;

    LIST_FOREACH(reading, &courses->readings, link)
    {
        if (strcmp(reading->sid, sid) == 0)
            return true;
    }
    return false;
}

/* A reference to the course of an entry. */
static struct course *use(struct courses *courses, struct course_entry *entry)
{
    entry->used = ++courses->uses;
    entry->course->references++;
    return entry->course;
}

const struct course *course_get(struct courses *courses, struct store *store, const char *sid,
                                struct error *err)
{
    struct course_reading reading = {.sid = sid};
    struct course_entry *entry;
    struct course *course;
    int64_t version = 0;
    bool current;

    if (store_capabilities(store).known_before_read &&
        store_cursor(store, sid, NULL, &version, err) < 0)
        return NULL;
    pthread_mutex_lock(&courses->lock);
    while (!(current = is_current(entry = entry_of(courses, sid), store, sid, version)) &&
           is_being_read(courses, sid))
        pthread_cond_wait(&courses->read_one, &courses->lock);
    if (current)
        course = use(courses, entry);
    else
        LIST_INSERT_HEAD(&courses->readings, &reading, link);
    pthread_mutex_unlock(&courses->lock);
    if (current)
        return course;
    course = read_course(store, sid, courses->exercises, err);
    pthread_mutex_lock(&courses->lock);
    LIST_REMOVE(&reading, link);
    if (course) {
        entry = entry_of(courses, sid);
        drop(entry->course);
        *entry = (struct course_entry){.course = course, .version = version, .read_s = clock_s()};
        use(courses, entry);
    }
    pthread_cond_broadcast(&courses->read_one);
    pthread_mutex_unlock(&courses->lock);
    return course;
}

void course_release(struct courses *courses, const struct course *course)
{
    if (!course)
        return;
    pthread_mutex_lock(&courses->lock);
    drop((struct course *)course);
    pthread_mutex_unlock(&courses->lock);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the search costs on a large curriculum: to find, to make the index from nothing, and what it
 * adds to an edit, beside the same edits of a store without an index, in turns.
 *
 * store_find FILE FOLDER <QUESTIONS: a curriculum, where the two databases are made, and what to
 * look for, a line each. Of each time the clock's is told, and the processor's, which other work on
 * the machine disturbs less.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/search/find.h"
#include "mcp/store/search/search_internal.h"

#define EDITS     2000
#define ROUNDS    5
#define QUESTIONS 400
#define LINE_SIZE 512
#define PATH_SIZE 4096

static const struct writer writer = {.who = "bench"};
static struct error err;

struct times {
    double clock[QUESTIONS * ROUNDS], processor[QUESTIONS * ROUNDS];
    size_t count;
};
_Static_assert(QUESTIONS *ROUNDS >= EDITS, "room for both");

struct place { /* a component */
    char *node_id, *id;
};

struct subject {
    char folder[PATH_SIZE], path[PATH_SIZE + 32], sid[SESSION_ID_SIZE];
    struct store *store;
    struct times times;
};

static void must(int rc, const char *what)
{
    if (rc == 0)
        return;
    fprintf(stderr, "%s: %s\n", what, err.text);
    exit(1);
}

static double now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void begin(struct times *times)
{
    times->clock[times->count] = -now(CLOCK_MONOTONIC);
    times->processor[times->count] = -now(CLOCK_THREAD_CPUTIME_ID);
}

static void end(struct times *times)
{
    times->processor[times->count] += now(CLOCK_THREAD_CPUTIME_ID);
    times->clock[times->count] += now(CLOCK_MONOTONIC);
    times->count++;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double part(const double *sorted, size_t count, double percent)
{
    size_t at = (size_t)((double)count * percent / 100);

    return sorted[at < count ? at : count - 1];
}

static void report(const char *name, struct times *times)
{
    static const char *const clocks[] = {"clock", "processor"};
    double *values[] = {times->clock, times->processor};

    for (size_t i = 0; i < 2; i++) {
        qsort(values[i], times->count, sizeof *values[i], by_value);
        printf("%-24s %-10s %6zu times: median %7.2f ms, 99th percentile %7.2f ms, most %7.2f ms\n",
               name, clocks[i], times->count, part(values[i], times->count, 50),
               part(values[i], times->count, 99), values[i][times->count - 1]);
    }
}

/* ---- the two stores ---- */

static void open_subject(struct subject *subject, const char *folder, const char *text, size_t len)
{
    struct import_report imported;
    char url[PATH_SIZE + 64];

    snprintf(subject->folder, sizeof subject->folder, "%s/find-XXXXXX", folder);
    if (!mkdtemp(subject->folder)) {
        perror(subject->folder);
        exit(1);
    }
    snprintf(subject->path, sizeof subject->path, "%s/lectern.db", subject->folder);
    snprintf(url, sizeof url, "sqlite:%s", subject->path);
    subject->store = store_open(url, STORE_WRITE, &err);
    must(subject->store ? 0 : -1, "a store");
    must(curriculum_import(subject->store, &writer, text, len, NULL, false, NULL, &imported, NULL,
                           &err),
         "the import");
    memcpy(subject->sid, imported.session_id, sizeof subject->sid);
}

/* As if there were no search: neither its rows, nor the triggers that note what is stale. */
static void drop_index(struct subject *subject)
{
    static const char sql[] =
        "DROP TABLE search_term; DROP TABLE search_row; DROP TABLE search;"
        "DROP TRIGGER search_by_node_insert; DROP TRIGGER search_by_node_delete;"
        "DROP TRIGGER search_by_node_update; DROP TRIGGER search_by_component_insert;"
        "DROP TRIGGER search_by_component_delete; DROP TRIGGER search_by_component_update; VACUUM;"
        "PRAGMA wal_checkpoint(TRUNCATE)";
    char *said = NULL;
    sqlite3 *db;

    subject->store->searchable = false;
    if (sqlite3_open(subject->path, &db) != SQLITE_OK ||
        sqlite3_exec(db, sql, NULL, NULL, &said) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", subject->path, said ? said : sqlite3_errmsg(db));
        exit(1);
    }
    sqlite3_close(db);
}

static void close_subject(struct subject *subject)
{
    static const char *const suffixes[] = {"", "-wal", "-shm"};

    store_close(subject->store);
    for (size_t i = 0; i < 3; i++) {
        char path[PATH_SIZE + 64];

        snprintf(path, sizeof path, "%s%s", subject->path, suffixes[i]);
        unlink(path);
    }
    rmdir(subject->folder);
}

/* ---- what is measured ---- */

static char questions[QUESTIONS][LINE_SIZE];
static size_t question_count;

static void read_questions(void)
{
    while (question_count < QUESTIONS && fgets(questions[question_count], LINE_SIZE, stdin)) {
        questions[question_count][strcspn(questions[question_count], "\n")] = '\0';
        question_count += *questions[question_count] != '\0';
    }
}

static void find_all(struct subject *subject, const char *name)
{
    static struct times times;

    times.count = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < question_count; i++) {
            struct find_request request = {.text = questions[i], .limit = 8};
            struct buf BUF_AUTO found = {0};

            begin(&times);
            must(store_find(subject->store, subject->sid, &request, &found, &err), questions[i]);
            end(&times);
        }
    }
    report(name, &times);
}

static void make_anew(struct subject *subject)
{
    static struct times times;

    for (size_t round = 0; round < ROUNDS; round++) {
        begin(&times);
        must(search_rebuild(subject->store, &err), "the index from nothing");
        end(&times);
    }
    report("the index from nothing", &times);
}

static struct place *list_places(const json_t *all, size_t *count)
{
    const json_t *nodes = json_object_get(all, "nodes"), *node, *component;
    struct place *places = NULL;
    size_t i, j;

    *count = 0;
    json_array_foreach((json_t *)nodes, i, node)
    {
        json_array_foreach(json_object_get(node, "components"), j, component)
        {
            places = realloc(places, (*count + 1) * sizeof *places);
            if (!places)
                abort();
            places[(*count)++] = (struct place){strdup(json_get_string(node, "node_id")),
                                                strdup(json_get_string(component, "component_id"))};
        }
    }
    return places;
}

static struct place *read_places(struct subject *subject, size_t *count)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *all = NULL;

    must(store_read_all_components(subject->store, subject->sid, 0, 0, &text, &err), "components");
    all = json_read(text.data, text.len, "components", &err);
    must(all ? 0 : -1, "components");
    return list_places(all, count);
}

static void edit(struct subject *subject, const struct place *place, int number)
{
    const struct component_ref ref = {.node_id = place->node_id, .component_id = place->id};
    json_auto_t *changes = NULL;
    char text[LINE_SIZE];

    snprintf(
        text, sizeof text,
        "Change %d of this text: the ratio of the two numbers is compared with a fraction, and "
        "each of the %d learners finds out in which of the tables it stands, before the next "
        "lesson says why the order of both is the same as in the first one.",
        number, number % 31);
    changes = json_pack("{s:{s:s}}", "parameters", "text", text);
    begin(&subject->times);
    must(store_component_update(subject->store, &writer, subject->sid, &ref, changes, true, 0, NULL,
                                &err),
         "an edit");
    end(&subject->times);
}

static void edit_both(struct subject *with, struct subject *without)
{
    size_t count, others;
    struct place *places = read_places(with, &count), *same = read_places(without, &others);
    unsigned random = 17;

    for (int i = 0; i < EDITS && count == others; i++) {
        size_t at;

        random = random * 1103515245u + 12345u;
        at = (random >> 8) % count;
        edit(i % 2 ? with : without, i % 2 ? &places[at] : &same[at], i);
        edit(i % 2 ? without : with, i % 2 ? &same[at] : &places[at], i);
    }
    report("an edit", &with->times);
    report("an edit without index", &without->times);
    printf(
        "an edit is slower by   clock: median %.2f ms, 99th percentile %.2f ms; processor: median "
        "%.2f ms, 99th percentile %.2f ms\n",
        part(with->times.clock, EDITS, 50) - part(without->times.clock, EDITS, 50),
        part(with->times.clock, EDITS, 99) - part(without->times.clock, EDITS, 99),
        part(with->times.processor, EDITS, 50) - part(without->times.processor, EDITS, 50),
        part(with->times.processor, EDITS, 99) - part(without->times.processor, EDITS, 99));
    for (size_t i = 0; i < count; i++) {
        free(places[i].node_id);
        free(places[i].id);
        free(same[i].node_id);
        free(same[i].id);
    }
    free(places);
    free(same);
}

int main(int argc, char **argv)
{
    static struct subject with, without;
    FILE *file = argc == 3 ? fopen(argv[1], "rbe") : NULL;
    struct buf BUF_AUTO text = {0};
    char part_of[BUFSIZ];
    size_t got;

    if (!file) {
        fprintf(stderr, "usage: store_find FILE FOLDER <QUESTIONS\n");
        return 2;
    }
    buf_init(&text, CURRICULUM_FILE_CAP);
    while ((got = fread(part_of, 1, sizeof part_of, file)) > 0)
        buf_add(&text, part_of, got);
    fclose(file);
    open_subject(&with, argv[2], text.data, text.len);
    open_subject(&without, argv[2], text.data, text.len);
    drop_index(&without);
    read_questions();
    make_anew(&with);
    find_all(&with, "find");
    edit_both(&with, &without);
    find_all(&with, "find after the edits");
    close_subject(&with);
    close_subject(&without);
    return 0;
}

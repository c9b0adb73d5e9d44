/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the tests of the session room share: a store in a folder of its own, files, comparing JSON.
 */
#ifndef LECTERN_TEST_SESSION_FIXTURE_H
#define LECTERN_TEST_SESSION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/json.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/store/entities/import.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/store.h"

struct fixture {
    char folder[64];
    char url[128];
    struct store *store;
    struct error err;
    char sid[SESSION_ID_SIZE];
};

static const struct writer test_writer = {.who = "test"};

/* Fails the test with the error's text. */
#define must(fixture, call)                                                                        \
    do {                                                                                           \
        if ((call) != 0)                                                                           \
            fail_msg("%s: %s", #call, (fixture)->err.text);                                        \
    } while (0)

#define must_fail(fixture, wanted, call)                                                           \
    do {                                                                                           \
        (fixture)->err = (struct error){0};                                                        \
        assert_int_equal((call), -1);                                                              \
        if ((fixture)->err.kind != (wanted))                                                       \
            fail_msg("%s: kind %d: %s", #call, (fixture)->err.kind, (fixture)->err.text);          \
    } while (0)

static inline void fixture_open_store(struct fixture *fixture, enum store_access access)
{
    fixture->store = store_open(fixture->url, access, &fixture->err);
    if (!fixture->store)
        fail_msg("%s", fixture->err.text);
}

static inline int fixture_open(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    if (!fixture)
        abort();
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/lectern-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->url, sizeof fixture->url, "sqlite:%s/store/lectern.db", fixture->folder);
    fixture_open_store(fixture, STORE_WRITE);
    *state = fixture;
    return 0;
}

/* With a session of its own. */
static inline int fixture_open_session(void **state)
{
    struct fixture *fixture;

    fixture_open(state);
    fixture = *state;
    must(fixture, store_session_create(fixture->store, &test_writer, "A course", fixture->sid,
                                       &fixture->err));
    return 0;
}

static inline void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    while (folder &&
           (entry = readdir(folder)) != NULL) { /* NOLINT(concurrency-mt-unsafe): own DIR */
        char inner[PATH_MAX];

        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) >= (int)sizeof inner)
            continue;
        if (unlink(inner) != 0)
            remove_folder(inner);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

static inline int fixture_close(void **state)
{
    struct fixture *fixture = *state;

    store_close(fixture->store);
    remove_folder(fixture->folder);
    free(fixture);
    return 0;
}

/* The file's text, to free(); NULL where there is none. */
static inline char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        text = malloc((size_t)size + 1);
        assert_non_null(text);
        *len = fread(text, 1, (size_t)size, file);
        text[*len] = '\0';
    }
    fclose(file);
    return text;
}

/* A file of the data beside the project, or NULL after saying so. */
static inline char *read_shared(const char *name, size_t *len)
{
    const char *folder =
        getenv("LECTERN_SHARED"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    char path[PATH_MAX];
    char *text;

    snprintf(path, sizeof path, "%s/data/%s", folder ? folder : "../shared", name);
    text = read_file(path, len);
    if (!text)
        print_message("SKIPPED: %s is not there\n", path);
    return text;
}

static inline json_t *parse(const char *text)
{
    struct error err = {0};
    json_t *value = json_read(text, strlen(text), "the test's JSON", &err);

    if (!value)
        fail_msg("%s in %.200s", err.text, text);
    return value;
}

/* Equal as JSON values, and whole numbers are whole on both sides. */
static inline bool same_json(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *inner;
    size_t i;

    if (json_typeof(a) != json_typeof(b))
        return false;
    if (json_is_object(a)) {
        if (json_object_size(a) != json_object_size(b))
            return false;
        json_object_foreach((json_t *)a, key, inner)
        {
            const json_t *other = json_object_get(b, key);

            if (!other || !same_json(inner, other))
                return false;
        }
        return true;
    }
    if (json_is_array(a)) {
        if (json_array_size(a) != json_array_size(b))
            return false;
        json_array_foreach((json_t *)a, i, inner)
        {
            if (!same_json(inner, json_array_get(b, i)))
                return false;
        }
        return true;
    }
    return json_equal((json_t *)a, (json_t *)b);
}

static inline json_t *export_json(struct fixture *fixture, const char *sid)
{
    struct buf text BUF_AUTO = {0};

    buf_init(&text, 0);
    must(fixture, store_export(fixture->store, sid, &text, &fixture->err));
    return parse(text.data);
}

static inline void import_text(struct fixture *fixture, const char *text, size_t len)
{
    struct import_report report;
    int rc = curriculum_import(fixture->store, &test_writer, text, len, NULL, false, NULL, &report,
                               NULL, &fixture->err);

    if (rc != 0)
        fail_msg("%s", fixture->err.text);
    memcpy(fixture->sid, report.session_id, sizeof fixture->sid);
}

/* With a curriculum that breaks the rules of the contract. */
static inline int fixture_open_defects(void **state)
{
    size_t len = 0;
    char *text = read_file("tests/data/defective_curriculum.json", &len);

    assert_non_null(text);
    fixture_open(state);
    import_text(*state, text, len);
    free(text);
    return 0;
}

#endif

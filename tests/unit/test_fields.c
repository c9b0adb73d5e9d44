/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Objects checked by tables of their members.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"

static const char *const colours[] = {"red", "green", NULL};
static const struct field rows[] = {
    {.name = "title", .type = FIELD_TEXT, .required = true, .least = 1, .most = 8},
    {.name = "id", .type = FIELD_TEXT, .also = "identifier", .flags = FIELD_LINE},
    {.name = "place", .type = FIELD_WHOLE, .least = 1, .most = INFINITY, .flags = FIELD_AS_TEXT},
    {.name = "share", .type = FIELD_NUMBER, .least = 0, .most = 1},
    {.name = "dry_run", .type = FIELD_FLAG},
    {.name = "colour", .type = FIELD_TEXT, .choices = colours},
    {.name = "parts", .type = FIELD_ARRAY},
    {.name = "note", .type = FIELD_TEXT, .flags = FIELD_NULL | FIELD_NUL},
    {.name = "created_at", .flags = FIELD_GIVEN_BACK},
    {0},
};

static json_t *take(unsigned flags, const char *object, const char *kept, struct error *err)
{
    const struct fields fields = {.name = "a thing", .rows = rows, .flags = flags};
    json_auto_t *sent = json_read(object, strlen(object), "the object", NULL);
    json_auto_t *has = kept ? json_read(kept, strlen(kept), "the object", NULL) : NULL;
    struct validation_errors problems;
    json_t *taken;

    assert_non_null(sent);
    validation_begin(&problems, "");
    taken = fields_take(&fields, sent, has, &problems);
    validation_end(&problems, NULL, err);
    return taken;
}

static void what_is_wrong_is_named(void **state)
{
    static const struct {
        unsigned flags;
        const char *object, *says;
    } wrong[] = {
        {0, "{}", "title: is needed, send text"},
        {0, "{\"title\":5}", "title: must be text, not a number"},
        {0, "{\"title\":null}", "title: must be text, not null"},
        {FIELDS_CHANGE, "{\"title\":null}", "title: must be text, not null"},
        {0, "{\"title\":\"\"}", "title: must not be empty"},
        {0, "{\"title\":\"123456789\"}", "title: is longer than 8 bytes"},
        {0, "{\"title\":\"a\\u0000\"}", "title: holds a NUL character"},
        {FIELDS_CHANGE, "{\"id\":\"a\\n\"}", "id: holds a control character"},
        {FIELDS_CHANGE, "{\"place\":0}", "place: must be a whole number from 1 on"},
        {FIELDS_CHANGE, "{\"place\":1.5}", "place: must be a whole number from 1 on"},
        {FIELDS_CHANGE, "{\"place\":\"3x\"}", "place: must be a whole number from 1 on, not text"},
        {FIELDS_CHANGE, "{\"share\":1.5}", "share: must be a number from 0 to 1"},
        {FIELDS_CHANGE, "{\"share\":true}", "must be a number from 0 to 1, not true or false"},
        {FIELDS_CHANGE, "{\"dry_run\":1}", "dry_run: must be true or false, not a number"},
        {FIELDS_CHANGE, "{\"colour\":\"gren\"}",
         "colour: must be one of red, green, not 'gren'; did you mean 'green'?"},
        {FIELDS_CHANGE, "{\"colour\":[]}", "colour: must be one of red, green, not an array"},
        {FIELDS_CHANGE, "{\"parts\":{}}", "parts: must be an array, not an object"},
        {FIELDS_CHANGE, "{\"dryrun\":true}", "unknown member 'dryrun'; did you mean 'dry_run'?"},
        {FIELDS_CHANGE, "{\"weather\":1}",
         "unknown member 'weather' of a thing, which has the members title, id, place, share, "
         "dry_run, colour, parts, note"},
        {FIELDS_CHANGE | FIELDS_OPEN, "{\"dryrun\":true}", "did you mean 'dry_run'?"},
        {FIELDS_CHANGE, "{\"identifier\":\"a\"}", "unknown member 'identifier'"},
        {FIELDS_CHANGE | FIELDS_ALSO, "{\"identifier\":\"a\",\"id\":\"b\"}",
         "identifier: and id differ, send one of them"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct error err = {0};

        json_decref(take(wrong[i].flags, wrong[i].object, NULL, &err));
        if (err.kind != ERROR_INVALID || !strstr(err.text, wrong[i].says))
            fail_msg("%s: '%s' is not in '%s'", wrong[i].object, wrong[i].says, err.text);
    }
}

static void what_is_right_is_taken(void **state)
{
    static const struct {
        unsigned flags;
        const char *object, *kept, *taken;
    } right[] = {
        {0, "{\"title\":\"a\",\"place\":\"3\",\"dry_run\":null}", NULL,
         "{\"title\":\"a\",\"place\":3}"},
        {FIELDS_CHANGE, "{\"place\":2.0,\"share\":1,\"note\":null,\"created_at\":null}", NULL,
         "{\"place\":2,\"share\":1,\"note\":null}"},
        {FIELDS_CHANGE | FIELDS_ALSO, "{\"identifier\":\"a\"}", NULL, "{\"id\":\"a\"}"},
        {FIELDS_CHANGE | FIELDS_OPEN, "{\"weather\":[1],\"created_by\":\"me\"}", NULL,
         "{\"weather\":[1],\"created_by\":\"me\"}"},
        /* The right name is there too, or the misspelt one was there before. */
        {FIELDS_CHANGE | FIELDS_OPEN, "{\"dryrun\":1,\"dry_run\":true}", NULL,
         "{\"dryrun\":1,\"dry_run\":true}"},
        {FIELDS_CHANGE | FIELDS_OPEN, "{\"dryrun\":2}", "{\"dryrun\":1}", "{\"dryrun\":2}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        struct error err = {0};
        json_auto_t *taken = take(right[i].flags, right[i].object, right[i].kept, &err);
        struct buf BUF_AUTO text = {0};

        json_write(&text, taken);
        if (err.kind != ERROR_NONE || strcmp(text.data, right[i].taken) != 0)
            fail_msg("%s: %s %s", right[i].object, text.data, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(what_is_right_is_taken),
    };

    return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}

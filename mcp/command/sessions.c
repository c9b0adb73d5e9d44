/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern sessions: the sessions of a store, one a line: id, nodes, relationships, last change,
 * title.
 */
#include <stdio.h>

#include "helpers/base/json.h"
#include "mcp/command/command.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/store.h"

#define TIME_SHOWN 16 /* characters of an RFC 3339 time: up to the minute */

static void print_session(const json_t *session)
{
    const char *at = json_get_string(session, "last_modified");
    char title[TITLE_MAX + 1];

    printf("%s  %6" JSON_INTEGER_FORMAT "  %6" JSON_INTEGER_FORMAT "  %-*.*s  %s\n",
           json_get_string(session, "session_id"),
           json_integer_value(json_object_get(session, "nodes")),
           json_integer_value(json_object_get(session, "relationships")), TIME_SHOWN, TIME_SHOWN,
           at ? at : "", text_cut_line(title, sizeof title, json_get_string(session, "title")));
}

static int print(const struct buf *json, struct error *err)
{
    json_auto_t *read = json_read(json->data, json->len, "the sessions", err);
    const json_t *sessions = json_object_get(read, "sessions"), *session;
    size_t i;

    if (!read)
        return -1;
    if (json_array_size(sessions) > 0)
        printf("%-36s  %6s  %6s  %-*s  %s\n", "session", "nodes", "links", TIME_SHOWN, "changed",
               "title");
    json_array_foreach((json_t *)sessions, i, session) print_session(session);
    return 0;
}

static int run(const struct config *config, struct error *err)
{
    struct buf BUF_AUTO json = {0};
    cleanup_store struct store *store = store_open(config->store, STORE_READ, err);

    if (!store || store_read_sessions(store, &json, err) < 0 ||
        buf_check(&json, "the sessions", err) < 0)
        return EXIT_FAILED;
    if (config->json)
        puts(json.data);
    return config->json || print(&json, err) == 0 ? EXIT_OK : EXIT_FAILED;
}

const struct command command_sessions = {
    .name = "sessions",
    .usage = "[OPTIONS]",
    .summary = "List the sessions: id, nodes, relationships, last change, title",
    .options = CONFIG_SESSIONS,
    .run = run,
};

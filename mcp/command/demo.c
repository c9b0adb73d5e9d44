/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern demo: the demo curriculum's session id, loading it into an empty store first.
 */

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/command/command.h"
#include "mcp/format/file.h"
#include "mcp/store/entities/read.h"

#define DEMO_FILE  "demo_curriculum.json"
#define DEMO_CAP   ((size_t)4 << 20)
#define DEMO_TITLE "Demo curriculum"

/* The id of the first session whose title says demo; the number of sessions in *total. */
static int find_demo(struct store *store, char sid[SESSION_ID_SIZE], size_t *total,
                     struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *answer = NULL;
    json_t *session;
    size_t i;

    buf_init(&text, 0);
    if (store_read_sessions(store, &text, err) < 0)
        return -1;
    answer = json_read(text.data, text.len, "the list of sessions", err);
    if (!answer)
        return -1;
    *total = json_array_size(json_object_get(answer, "sessions"));
    json_array_foreach(json_object_get(answer, "sessions"), i, session)
    {
        const char *title = json_get_string(session, "title");

        if (!*sid && title && strcmp(title, DEMO_TITLE) == 0)
            snprintf(sid, SESSION_ID_SIZE, "%s", json_get_string(session, "session_id"));
    }
    return 0;
}

static int import_demo(const struct config *config, struct store *store, char sid[SESSION_ID_SIZE],
                       struct error *err)
{
    const struct writer writer = {.who = "demo"};
    struct import_report report = {0};
    struct buf BUF_AUTO text = {0};
    char path[PATH_MAX];
    int rc;

    if (config_share_file(config, DEMO_FILE, path, sizeof path, err) < 0 ||
        file_read(path, DEMO_CAP, &text, err) < 0)
        return -1;
    rc = curriculum_import(store, &writer, text.data, text.len, DEMO_TITLE, false, NULL, &report,
                           NULL, err);
    if (rc == 0) {
        log_info("demo", "loaded the demo curriculum: %zu nodes, %zu components, %zu relationships",
                 report.nodes, report.components, report.relationships);
        memcpy(sid, report.session_id, SESSION_ID_SIZE);
    }
    return rc;
}

int demo_load(const struct config *config, char sid[SESSION_ID_SIZE], struct error *err)
{
    cleanup_store struct store *store = NULL;
    char found[SESSION_ID_SIZE] = "";
    size_t total = 0;
    int rc;

    if (sid)
        *sid = '\0';
    if (!store_url_capabilities(config->store).imports)
        return 0;
    store = store_open(config->store, STORE_WRITE, err);
    if (!store)
        return -1;
    rc = find_demo(store, found, &total, err);
    if (rc == 0 && total == 0)
        rc = import_demo(config, store, found, err);
    if (sid)
        memcpy(sid, found, sizeof found);
    return rc;
}

static int run(const struct config *config, struct error *err)
{
    char sid[SESSION_ID_SIZE];

    if (demo_load(config, sid, err) < 0)
        return EXIT_FAILED;
    if (!*sid) {
        error_set(
            err, ERROR_CONFLICT,
            "the store holds curricula of your own, so the demo is not loaded into it; --data "
            "DIR with an empty folder loads it there");
        return EXIT_FAILED;
    }
    puts(sid);
    return EXIT_OK;
}

const struct command command_demo = {
    .name = "demo",
    .usage = "[OPTIONS]",
    .summary = "Load the demo curriculum into an empty store and print its id",
    .options = CONFIG_DEMO,
    .run = run,
};

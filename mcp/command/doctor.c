/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lectern doctor: what works on this machine, what does not, and the command that fixes it. It
 * reads alone: no folder, store or copy is created.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/terminal.h"
#include "mcp/auth/token_file.h"
#include "mcp/command/command.h"
#include "mcp/command/server.h"
#include "mcp/store/store.h"

#define CHECKS_CAP 32

static void fill_check(struct executor_check *check, const char *name, bool ok, const char *text,
                       const char *fix)
{
    memset(check, 0, sizeof *check);
    check->name = name;
    check->needed = true;
    check->ok = ok;
    snprintf(check->text, sizeof check->text, "%.*s", (int)sizeof check->text - 1, text);
    snprintf(check->fix, sizeof check->fix, "%s", ok ? "" : fix);
}

/* Whether the store can be used, and where its file is there already whether that is whole. Nothing
 * is written. Returns the checks made. */
static size_t check_store(const char *url, struct executor_check *checks)
{
    struct error err = {0}, faults = {0};
    cleanup_store struct store *store = store_open(url, STORE_LOOK, &err);
    struct store_backing backing;
    bool usable = store || err.kind == ERROR_NOT_FOUND;
    struct buf BUF_AUTO shown = {0}, BUF_AUTO text = {0};
    size_t count = 1;

    store_show_url(url, &shown);
    buf_addf(&text, "%s%s%s", shown.data, store ? "" : ": ", store ? "" : err.text);
    fill_check(&checks[0], "store", usable, text.data,
               "lectern doctor --data DIR (a folder you may write)");
    if (store) {
        bool whole = store_check(store, &faults) == 0;

        fill_check(&checks[count++], "store's integrity", whole,
                   whole ? "pages and references are whole" : faults.text,
                   "stop the server, keep the file aside and put the last backup (lectern backup) "
                   "in its place");
    }
    if (store_check_backing(url, &backing))
        fill_check(&checks[count++], backing.name, backing.ok, backing.text.data, backing.fix);
    buf_finish(&backing.text);
    return count;
}

/* As the server would read it. */
static void check_token_file(const char *path, struct executor_check *check)
{
    struct error err = {0};
    struct token_file *file = token_file_open(path, &err);

    fill_check(check, "token file", file != NULL, file ? path : err.text,
               "correct the line that is named, or: chmod 600 FILE");
    token_file_close(file);
}

static void print_plain(const struct executor_check *check)
{
    terminal_printf(stdout, "%-6s %-18s %s\n",
                    check->ok       ? "ok"
                    : check->needed ? "MISSING"
                                    : "absent",
                    check->name, check->text);
    if (!check->ok && check->fix[0])
        terminal_printf(stdout, "       %-18s fix: %s\n", "", check->fix);
}

static void add_json(struct buf *to, const struct executor_check *check)
{
    buf_addf(to, "%s{\"name\":\"%s\",\"ok\":%s,\"needed\":%s,\"text\":", to->len > 1 ? "," : "",
             check->name, check->ok ? "true" : "false", check->needed ? "true" : "false");
    json_write_string(to, check->text, strlen(check->text));
    buf_adds(to, ",\"fix\":");
    json_write_string(to, check->fix, strlen(check->fix));
    buf_addc(to, '}');
}

static int run(const struct config *config, struct error *err)
{
    struct executor_check checks[CHECKS_CAP];
    struct executor_config executor;
    struct buf BUF_AUTO json = {0};
    char share[4096];
    size_t count;
    bool well = true;

    count = check_store(config->store, checks);
    if (config->token_file)
        check_token_file(config->token_file, &checks[count++]);
    if (server_executor_config(config, &executor, share, sizeof share, err) < 0)
        return EXIT_FAILED;
    count += executor_doctor(&executor, checks + count, CHECKS_CAP - count);
    buf_init(&json, 0);
    buf_addc(&json, '[');
    for (size_t i = 0; i < count; i++) {
        well = well && (checks[i].ok || !checks[i].needed);
        if (config->json)
            add_json(&json, &checks[i]);
        else
            print_plain(&checks[i]);
    }
    if (config->json)
        terminal_printf(stdout, "%s]\n", json.data);
    return well ? EXIT_OK : EXIT_FAILED;
}

const struct command command_doctor = {
    .name = "doctor",
    .usage = "[OPTIONS]",
    .summary = "Check this machine and show how to fix problems; write nothing",
    .options = CONFIG_DOCTOR,
    .run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Repairs by rule, for the tests in Python: on each line of standard input {"source", "profile",
 * "error", "hint"} of a run, and on each line of standard output the diagnosis, or null.
 */
#include <stdio.h>
#include <stdlib.h>

#include "helpers/base/json.h"
#include "mcp/agent/repair.h"

static json_t *repair(json_t *row)
{
    static const char plan_text[] = "{\"approach\": \"code\", \"steps\": [{\"name\": \"value\", "
                                    "\"compute\": \"it\", \"type\": \"any\"}]}";
    struct error err = {0};
    struct plan plan = {0};
    struct execution execution = {0};
    json_auto_t *plan_message = json_loads(plan_text, 0, NULL);
    json_auto_t *run = json_pack("{s:b, s:s, s:n, s:[], s:O, s:O, s:i, s:i}", "ok", 0, "stdout", "",
                                 "result", "artifacts", "error", json_object_get(row, "error"),
                                 "hint", json_object_get(row, "hint"), "seconds", 0, "attempt", 1);
    const json_t *source = json_object_get(row, "source");
    const struct code code = {.source = json_string_value(source),
                              .source_len = json_string_length(source),
                              .attempt = 1};
    json_t *found = NULL;

    if (plan_read(plan_message, &plan, &err) == 0 && execution_read(run, &execution, &err) == 0)
        found = repair_by_rule(&code, &execution, &plan,
                               validator_profile_find(json_get_string(row, "profile")), &err);
    if (err.kind != ERROR_NONE) {
        fprintf(stderr, "repair_driver: %s\n", err.text);
        exit(1);
    }
    plan_finish(&plan);
    execution_finish(&execution);
    return found ? found : json_null();
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = getline(&line, &size, stdin)) > 0) {
        json_auto_t *row = json_read(line, (size_t)len, "a run", NULL);
        json_auto_t *diagnosis = row ? repair(row) : NULL;
        char *text = diagnosis ? json_dumps(diagnosis, JSON_ENCODE_ANY) : NULL;

        if (!text)
            return 1;
        printf("%s\n", text);
        free(text);
    }
    free(line);
    return 0;
}

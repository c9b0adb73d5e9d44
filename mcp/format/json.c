/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Our own form: the curriculum file itself, one node a line.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_file.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

static bool looks_like(const char *path)
{
    size_t len = strlen(path);

    return !strcmp(path, "-") || (len > 5 && !strcmp(path + len - 5, ".json"));
}

static json_t *read_json(const char *path, struct format_report *report, struct error *err)
{
    const size_t mark = sizeof byte_order_mark - 1;
    struct buf BUF_AUTO text = {0};
    size_t skip;

    (void)report;
    if (file_read(path, CURRICULUM_FILE_CAP, &text, err) < 0)
        return NULL;
    skip = text.len >= mark && !memcmp(text.data, byte_order_mark, mark) ? mark : 0;
    return json_read(text.data + skip, text.len - skip, "the file", err);
}

static void add_list(struct buf *text, const json_t *list)
{
    json_t *entry;
    size_t i;

    buf_addc(text, '[');
    json_array_foreach((json_t *)list, i, entry)
    {
        buf_adds(text, i > 0 ? ",\n" : "\n");
        json_write(text, entry);
    }
    buf_adds(text, "\n]");
}

static int write_json(const json_t *curriculum, const char *path, struct format_report *report,
                      struct error *err)
{
    struct buf BUF_AUTO text = {0};
    const char *key, *comma = "{";
    json_t *value;

    (void)report;
    json_object_foreach((json_t *)curriculum, key, value)
    {
        buf_adds(&text, comma);
        comma = ",\n";
        json_write_string(&text, key, strlen(key));
        buf_addc(&text, ':');
        if (json_is_array(value))
            add_list(&text, value);
        else
            json_write(&text, value);
    }
    buf_adds(&text, json_object_size(curriculum) > 0 ? "}\n" : "{}\n");
    if (buf_check(&text, "the export", err) < 0)
        return -1;
    return file_write(path, &text, err);
}

const struct format format_json = {
    .name = "json",
    .what = "one JSON file, Lectern's own",
    .looks_like = looks_like,
    .read = read_json,
    .write = write_json,
};

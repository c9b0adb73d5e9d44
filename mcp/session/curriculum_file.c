/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Import: read the whole file, look it over for the report, hand every entry to the store as it is,
 * in one transaction. Export: the store joins the kept texts again. Blocking; runs wherever its
 * store may be used.
 */
#include "mcp/session/curriculum_file.h"

#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_title.h"
#include "mcp/session/import_findings.h"
#include "mcp/store/store_import.h"
#include "mcp/session/text.h"

#define PROGRESS_STEP 256 /* entries between two tellings */

static const char byte_order_mark[] = "\xEF\xBB\xBF";

struct file {
    json_t *root;
    json_t *nodes;         /* borrowed from root */
    json_t *relationships; /* borrowed; NULL where there is no list of them */
    json_t *further;       /* owned: the top level's other fields */
};

static void close_file(struct file *file)
{
    json_decref(file->further);
    json_decref(file->root);
}

static int open_file(struct file *file, const char *text, size_t len, struct error *err)
{
    json_t *relationships;

    if (len > CURRICULUM_FILE_CAP)
        return error_set(err, ERROR_TOO_LARGE, "the file is larger than %zu MiB",
                         CURRICULUM_FILE_CAP >> 20);
    if (len >= sizeof byte_order_mark - 1 &&
        !memcmp(text, byte_order_mark, sizeof byte_order_mark - 1)) {
        text += sizeof byte_order_mark - 1;
        len -= sizeof byte_order_mark - 1;
    }
    file->root = json_read(text, len, "the file", err);
    if (!file->root)
        return -1;
    file->nodes = json_object_get(file->root, "nodes");
    if (!json_is_object(file->root))
        return error_set_at(err, "",
                            "the file is JSON but no curriculum: its top level must be an object "
                            "{\"nodes\": [...], \"relationships\": [...]}");
    if (!json_is_array(file->nodes))
        return error_set_at(err, "nodes",
                            "the file is JSON but no curriculum: \"nodes\" must be an array%s",
                            file->nodes ? "" : ", it is missing");
    relationships = json_object_get(file->root, "relationships");
    file->relationships = json_is_array(relationships) ? relationships : NULL;
    file->further = json_copy(file->root);
    if (!file->further)
        return error_set(err, ERROR_MEMORY, "out of memory for the file");
    json_object_del(file->further, "nodes");
    if (file->relationships)
        json_object_del(file->further, "relationships");
    return 0;
}

static void choose_title(const struct file *file, const char *title, char *chosen, size_t size)
{
    const char *candidates[] = {title, curriculum_title(file->root), CURRICULUM_UNTITLED};

    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        if (candidates[i] && *text_cut_line(chosen, size, candidates[i]))
            return;
    }
}

static void tell(const struct import_progress *progress, const char *what, size_t done,
                 size_t total)
{
    if (progress && progress->fn && (done % PROGRESS_STEP == 0 || done == total))
        progress->fn(progress->user, what, done, total);
}

static int write_nodes(struct store *store, const struct file *file,
                       const struct import_report *report, const struct import_progress *progress,
                       struct error *err)
{
    size_t done = 0, i, j;
    json_t *node, *component;

    json_array_foreach(file->nodes, i, node)
    {
        if (store_import_node(store, node, err) != 0)
            return error_wrap(err, "node %zu", i + 1);
        json_array_foreach(json_object_get(node, "components"), j, component)
        {
            if (store_import_component(store, component, err) != 0)
                return error_wrap(err, "node %zu, component %zu", i + 1, j + 1);
            tell(progress, "components", ++done, report->components);
        }
    }
    return 0;
}

static int write_relationships(struct store *store, const struct file *file,
                               const struct import_progress *progress, struct error *err)
{
    json_t *relationship;
    size_t i;

    json_array_foreach(file->relationships, i, relationship)
    {
        if (store_import_relationship(store, relationship, err) != 0)
            return error_wrap(err, "relationship %zu", i + 1);
        tell(progress, "relationships", i + 1, json_array_size(file->relationships));
    }
    return 0;
}

static int write_file(struct store *store, const struct writer *writer, const struct file *file,
                      const char *title, const struct import_progress *progress,
                      struct import_report *report, struct error *err)
{
    char sid[SESSION_ID_SIZE];

    if (store_import_begin(store, writer, title, file->further, file->relationships != NULL, sid,
                           err) != 0)
        return -1;
    if (write_nodes(store, file, report, progress, err) != 0 ||
        write_relationships(store, file, progress, err) != 0) {
        store_import_end(store, false, NULL);
        return -1;
    }
    if (store_import_end(store, true, err) != 0)
        return -1;
    memcpy(report->session_id, sid, sizeof sid);
    return 0;
}

int curriculum_import(struct store *store, const struct writer *writer, const char *text,
                      size_t len, const char *title, bool dry_run,
                      const struct import_progress *progress, struct import_report *report,
                      struct error *err)
{
    struct file file = {0};
    char chosen[TITLE_MAX + 1];
    int rc = -1;

    memset(report, 0, sizeof *report);
    buf_init(&report->text, 0);
    if (open_file(&file, text, len, err) != 0)
        goto out;
    import_findings(file.nodes, file.relationships, report);
    if (!file.relationships)
        import_finding(report, "the file has no list of relationships");
    choose_title(&file, title, chosen, sizeof chosen);
    rc = buf_check(&report->text, "the report", err);
    if (rc == 0 && !dry_run)
        rc = write_file(store, writer, &file, chosen, progress, report, err);
out:
    close_file(&file);
    return rc;
}

void import_report_finish(struct import_report *report)
{
    if (report)
        buf_finish(&report->text);
}

int curriculum_export(struct store *store, const char *sid, struct buf *text, struct error *err)
{
    return store_export(store, sid, text, err);
}

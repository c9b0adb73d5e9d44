/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The form "markdown": which paths are one.
 */
#include <dirent.h>
#include <string.h>
#include <strings.h>

#include "mcp/format/file.h"
#include "mcp/format/markdown.h"
#include "mcp/format/markdown_folder.h"

#define SUFFIX ".md"

static bool ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);

    return len >= tail && !strcasecmp(text + len - tail, end);
}

static bool holds_notes(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    bool found = false;

    if (!folder)
        return false;
    /* The stream is this function's own. NOLINTNEXTLINE(concurrency-mt-unsafe) */
    while (!found && (entry = readdir(folder)))
        found = ends_in(entry->d_name, SUFFIX) || !strcmp(entry->d_name, MARKDOWN_INDEX);
    closedir(folder);
    return found;
}

static bool looks_like(const char *path)
{
    size_t len = strlen(path);
    char name[PATH_MAX];

    if (file_is_folder(path))
        return holds_notes(path);
    if (len >= sizeof name)
        return false;
    memcpy(name, path, len + 1);
    while (len > 1 && name[len - 1] == '/')
        name[--len] = '\0';
    return ends_in(name, SUFFIX) || ends_in(name, "markdown");
}

const struct format format_markdown = {
    .name = "markdown",
    .what = "a folder of Markdown, one file a node",
    .looks_like = looks_like,
    .read = markdown_read,
    .write = markdown_write,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/index.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/cache.h"
#include "executor/pinned/unpack.h"
#include "executor/pinned/version.h"
#include "helpers/base/array.h"
#include "helpers/base/http.h"
#include "helpers/base/sha256.h"

#define KEYRING     "/usr/share/keyrings/debian-archive-keyring.gpg"
#define CONNECT_MS  10000
#define SILENT_MS   30000
#define TOTAL_MS    (5 * 60 * 1000)
#define RELEASE_CAP ((size_t)4 << 20)
#define PACKED_CAP  ((size_t)64 << 20)

/* ---- downloading ---- */

/* ERROR_NOT_FOUND if the source answers that it has no such file. */
static int get(struct http_client *client, const struct package_source *source, const char *path,
               size_t cap, struct buf *to, struct error *err)
{
    char url[SOURCE_URL_CAP * 2];
    const struct http_request request = {
        .url = url,
        .proxy = *source->proxy ? source->proxy : NULL,
        .follow = true,
        .connect_ms = CONNECT_MS,
        .silent_ms = SILENT_MS,
        .total_ms = TOTAL_MS,
        .response_cap = cap,
    };
    struct http_response response = {0};
    int rc;

    snprintf(url, sizeof url, "%s/%s", source->url, path);
    rc = http_send(client, &request, &response, err);
    if (rc == 0 && response.status != 200)
        rc = error_set(err, ERROR_NOT_FOUND, "%s answers %ld", url, response.status);
    if (rc == 0 && response.body.len == 0)
        rc = error_set(err, ERROR_NOT_FOUND, "%s is empty", url);
    if (rc == 0)
        buf_add(to, response.body.data, response.body.len);
    http_response_finish(&response);
    return rc < 0 ? -1 : buf_check(to, url, err);
}

/* Runs gpgv without its report. Returns its wait status, or -1 with an error. */
static int run_gpgv(char *checked, char *text, struct error *err)
{
    char *argv[] = {"gpgv", "--keyring", KEYRING, "--output", checked, text, NULL};
    char *environment[] = {"LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    int status = 0, failure;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    failure = posix_spawnp(&pid, "gpgv", &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    while (!failure && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (failure)
        return error_set(err, ERROR_UNAVAILABLE,
                         "gpgv: %s; install it: apt-get install gpgv debian-archive-keyring",
                         strerrordesc_np(failure));
    return status;
}

/* Replaces the bytes of a signed text by those that gpgv reads of it. The folder is private. */
static int check_in(const char *folder, struct buf *text, const char *what, struct error *err)
{
    char path[PATH_MAX], checked[PATH_MAX], block[4096];
    FILE *file;
    size_t len;
    int status;

    snprintf(path, sizeof path, "%s/signed", folder);
    snprintf(checked, sizeof checked, "%s/checked", folder);
    file = fopen(path, "we");
    if (!file)
        return error_errno(err, errno, "%s", path);
    len = fwrite(text->data, 1, text->len, file);
    if (fclose(file) != 0 || len != text->len)
        return error_errno(err, errno, "%s", path);
    status = run_gpgv(checked, path, err);
    if (status < 0)
        return -1;
    file = fopen(checked, "re");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !file) {
        if (file)
            fclose(file);
        return error_set(err, ERROR_INVALID,
                         "the signature of %s is not one of the keys in " KEYRING, what);
    }
    buf_clear(text);
    while ((len = fread(block, 1, sizeof block, file)) > 0)
        buf_add(text, block, len);
    fclose(file);
    return buf_check(text, what, err);
}

static int check_signature(struct buf *text, const char *what, struct error *err)
{
    char folder[] = "/tmp/lectern-index-XXXXXX";
    int rc;

    if (!mkdtemp(folder))
        return error_errno(err, errno, "%s", folder);
    rc = check_in(folder, text, what, err);
    cache_remove(folder);
    return rc;
}

/* The SHA-256 that the text of a suite has for a path. */
static bool find_sum(const char *text, const char *path, char sum[SHA256_TEXT_SIZE])
{
    const char *line = strstr(text, "\nSHA256:\n");
    char name[256];

    for (line = line ? line + strlen("\nSHA256:\n") : NULL; line && *line == ' ';) {
        if (sscanf(line, " %64s %*s %255s", sum, name) == 2 && strcmp(name, path) == 0)
            return true;
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return false;
}

static time_t date_of(const char *text)
{
    const char *line = strstr(text, "\nDate: ");
    struct tm date = {0};

    if (!line || !strptime(line + strlen("\nDate: "), "%a, %d %b %Y %H:%M:%S", &date))
        return 0;
    return timegm(&date);
}

static int read_suite(struct package_index *index, struct http_client *client,
                      const struct package_source *source, const char *suite,
                      const char *architecture, struct buf *to, struct error *err)
{
    struct buf BUF_AUTO text = {0}, BUF_AUTO packed = {0};
    char inside[128], path[256], wanted[SHA256_TEXT_SIZE], sum[SHA256_TEXT_SIZE];
    struct sha256 *digest;

    snprintf(path, sizeof path, "dists/%s/InRelease", suite);
    if (get(client, source, path, RELEASE_CAP, &text, err) < 0 ||
        check_signature(&text, source->url, err) < 0)
        return -1;
    snprintf(inside, sizeof inside, "main/binary-%s/Packages.xz", architecture);
    snprintf(path, sizeof path, "dists/%s/%s", suite, inside);
    if (!text.data || !find_sum(text.data, inside, wanted))
        return error_set(err, ERROR_NOT_FOUND, "%s has no %s", source->url, path);
    if (get(client, source, path, PACKED_CAP, &packed, err) < 0)
        return -1;
    digest = sha256_create();
    sha256_add(digest, packed.data, packed.len);
    sha256_end(digest, sum);
    sha256_destroy(digest);
    if (strcmp(sum, wanted) != 0)
        return error_set(err, ERROR_INVALID,
                         "%s of %s is not the file that its suite names; try again, the mirror may "
                         "be changing",
                         path, source->url);
    if (unpack_bytes(packed.data, packed.len, to, err) < 0)
        return -1;
    if (date_of(text.data) > index->signed_at)
        index->signed_at = date_of(text.data);
    return 0;
}

/* From the first source that has the suite. */
static int find_suite(struct package_index *index, struct http_client *client,
                      const struct sources *sources, bool security, const char *suite,
                      const char *architecture, struct buf *to, struct error *err)
{
    struct error why = {0};

    for (size_t i = 0; i < sources->count; i++) {
        if (sources->list[i].security != security)
            continue;
        if (read_suite(index, client, &sources->list[i], suite, architecture, to, &why) == 0)
            return 0;
        if (why.kind == ERROR_INVALID)
            break;
    }
    return error_set(err, why.kind ? why.kind : ERROR_UNAVAILABLE,
                     "no source has the index of %s: %.1000s", suite, why.text);
}

/* ---- reading ---- */

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
    {"Package: ", offsetof(struct index_entry, name)},
    {"Version: ", offsetof(struct index_entry, version)},
    {"SHA256: ", offsetof(struct index_entry, sha256)},
    {"Size: ", offsetof(struct index_entry, size)},
    {"Filename: ", offsetof(struct index_entry, path)},
    {"Depends: ", offsetof(struct index_entry, depends)},
    {"Pre-Depends: ", offsetof(struct index_entry, pre_depends)},
    {"Provides: ", offsetof(struct index_entry, provides)},
};

static void add_entry(struct package_index *index, struct index_entry *entry)
{
    if (*entry->name && *entry->version && *entry->sha256 && *entry->size && *entry->path) {
        if (!ARRAY_ROOM(index->entries, index->count))
            abort();
        index->entries[index->count++] = *entry;
    }
    *entry = (struct index_entry){"", "", "", "", "", "", "", "", false};
}

static void read_entries(struct package_index *index, char *text)
{
    struct index_entry entry = {"", "", "", "", "", "", "", "", false};
    char *line;

    while ((line = strsep(&text, "\n"))) {
        if (*line == '\0')
            add_entry(index, &entry);
        if (strcmp(line, "Essential: yes") == 0)
            entry.essential = true;
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            if (strncmp(line, fields[i].name, strlen(fields[i].name)) == 0)
                *(const char **)((char *)&entry + fields[i].offset) = line + strlen(fields[i].name);
    }
    add_entry(index, &entry);
}

static int compare(const void *one, const void *other)
{
    const struct index_entry *a = one, *b = other;
    int names = strcmp(a->name, b->name);

    return names ? names : version_compare(b->version, a->version);
}

static void keep_newest(struct package_index *index)
{
    size_t kept = 0;

    qsort(index->entries, index->count, sizeof *index->entries, compare);
    for (size_t i = 0; i < index->count; i++)
        if (kept == 0 || strcmp(index->entries[kept - 1].name, index->entries[i].name) != 0)
            index->entries[kept++] = index->entries[i];
    index->count = kept;
}

int package_index_read(struct package_index *index, const char *architecture, const char *release,
                       const struct sources *sources, struct error *err)
{
    static const struct {
        const char *suffix;
        bool security;
    } suites[INDEX_SUITES] = {{"", false}, {"-updates", false}, {"-security", true}};
    struct http_client *client;
    char suite[64];
    int rc = 0;

    memset(index, 0, sizeof *index);
    client = http_client_create(err);
    if (!client)
        return -1;
    for (size_t i = 0; rc == 0 && i < INDEX_SUITES; i++) {
        snprintf(suite, sizeof suite, "%s%s", release, suites[i].suffix);
        rc = find_suite(index, client, sources, suites[i].security, suite, architecture,
                        &index->texts[i], err);
        if (rc == 0)
            read_entries(index, index->texts[i].data);
    }
    http_client_destroy(client);
    if (rc == 0)
        keep_newest(index);
    return rc;
}

void package_index_finish(struct package_index *index)
{
    for (size_t i = 0; i < INDEX_SUITES; i++)
        buf_finish(&index->texts[i]);
    free(index->entries);
    memset(index, 0, sizeof *index);
}

const struct index_entry *package_index_find(const struct package_index *index, const char *name,
                                             size_t len)
{
    size_t from = 0, to = index->count;

    while (from < to) {
        size_t middle = (from + to) / 2;
        const struct index_entry *entry = &index->entries[middle];
        int order = strncmp(name, entry->name, len);

        if (order == 0 && entry->name[len])
            order = -1;
        if (order == 0)
            return entry;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

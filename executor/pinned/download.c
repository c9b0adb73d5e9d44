/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/download.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/http.h"

#define AT_ONCE         4
#define CONNECT_MS      10000
#define SILENT_MS       30000
#define PACKAGE_MS      (15 * 60 * 1000)
#define ERROR_BODY_CAP  ((size_t)64 << 10) /* of the page that says why there is no file */
#define TERMINAL_MS     200                /* between two states of the progress line */
#define OTHER_OUTPUT_MS 5000
#define WHY_CAP         (SOURCE_URL_CAP + 128)

struct package_state {
    struct downloads *all;
    const struct pinned_package *package;
    struct sha256 *digest;
    int fd;
    size_t bytes; /* of the file from the source that is asked now */
    bool had;
    char why[WHY_CAP]; /* why the last source did not give it */
};

struct downloads {
    const struct pinned_lock *lock;
    const char *folder;
    struct package_state *states; /* one for each package */
    size_t bytes, had;            /* arrived and verified */
    long shown_ms;
    struct error failed; /* what no other source can cure, such as a full disk */
};

static long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void show(struct downloads *all, bool last)
{
    bool terminal = isatty(STDERR_FILENO) == 1;
    long now = now_ms();

    if (!last && now - all->shown_ms < (terminal ? TERMINAL_MS : OTHER_OUTPUT_MS))
        return;
    all->shown_ms = now;
    fprintf(stderr, "%sDownloaded %zu of %zu packages, %.1f of %.1f MB%s", terminal ? "\r" : "",
            all->had, all->lock->count, (double)all->bytes / 1e6, (double)all->lock->bytes / 1e6,
            terminal && !last ? "" : "\n");
}

static int open_file(struct package_state *state)
{
    struct downloads *all = state->all;
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%zu.deb", all->folder, (size_t)(state - all->states));
    state->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return state->fd >= 0 ? 0 : error_errno(&all->failed, errno, "%s", path);
}

static int on_bytes(void *user, const char *bytes, size_t len)
{
    struct package_state *state = user;
    struct downloads *all = state->all;

    if (state->fd < 0 && open_file(state) < 0)
        return -1;
    if (all->failed.kind || state->bytes + len > state->package->size)
        return -1; /* larger than it should be, so not this file */
    sha256_add(state->digest, bytes, len);
    state->bytes += len;
    all->bytes += len;
    while (len > 0) {
        ssize_t written = write(state->fd, bytes, len);

        if (written < 0 && errno != EINTR)
            return error_errno(&all->failed, errno, "%s", all->folder);
        if (written > 0) {
            bytes += written;
            len -= (size_t)written;
        }
    }
    show(all, false);
    return 0;
}

/* Verifies what has arrived. */
static void end(struct package_state *state, const struct package_source *source,
                const struct http_response *response, const struct error *err)
{
    char sha256[SHA256_TEXT_SIZE];

    if (state->fd >= 0)
        close(state->fd);
    state->fd = -1;
    sha256_end(state->digest, sha256);
    if (err->kind == ERROR_NONE && response->status == 200 &&
        state->bytes == state->package->size && strcmp(sha256, state->package->sha256) == 0) {
        state->had = true;
        state->all->had++;
        return;
    }
    state->all->bytes -= state->bytes;
    state->bytes = 0;
    if (response->status == 200 && (err->kind == ERROR_NONE || err->kind == ERROR_CANCELLED))
        snprintf(state->why, sizeof state->why, "%s has another file under this name (SHA-256)",
                 source->url);
    else if (err->kind)
        snprintf(state->why, sizeof state->why, "%.500s", err->text);
    else
        snprintf(state->why, sizeof state->why, "%s answers %ld", source->url, response->status);
}

/* Asks a source for packages whose numbers stand in `wanted`. Returns whether it answered the last
 * request. */
static bool ask(struct downloads *all, struct http_client *client,
                const struct package_source *source, const size_t *wanted, size_t count)
{
    cleanup_free struct http_request *requests = calloc(count, sizeof *requests);
    cleanup_free struct http_response *responses = calloc(count, sizeof *responses);
    cleanup_free struct error *errors = calloc(count, sizeof *errors);
    cleanup_free char(*urls)[SOURCE_URL_CAP * 2] = calloc(count, sizeof *urls);
    bool answered = false;

    if (!requests || !responses || !errors || !urls)
        abort();
    for (size_t i = 0; i < count; i++) {
        struct package_state *state = &all->states[wanted[i]];

        source_url(source, state->package, urls[i], sizeof urls[i]);
        requests[i] = (struct http_request){
            .url = urls[i],
            .proxy = *source->proxy ? source->proxy : NULL,
            .follow = true,
            .connect_ms = CONNECT_MS,
            .silent_ms = SILENT_MS,
            .total_ms = PACKAGE_MS,
            .response_cap = ERROR_BODY_CAP,
            .on_bytes = on_bytes,
            .user = state,
        };
    }
    http_send_many(client, requests, responses, errors, count, AT_ONCE);
    for (size_t i = 0; i < count; i++) {
        end(&all->states[wanted[i]], source, &responses[i], &errors[i]);
        answered = responses[i].status != 0;
        http_response_finish(&responses[i]);
    }
    return answered;
}

/* The numbers of the packages that are missing and that the source may have. */
static size_t list_wanted(const struct downloads *all, const struct package_source *source,
                          size_t *wanted)
{
    char url[SOURCE_URL_CAP * 2];
    size_t count = 0;

    for (size_t i = 0; i < all->lock->count; i++) {
        if (!all->states[i].had && source_url(source, &all->lock->packages[i], url, sizeof url))
            wanted[count++] = i;
    }
    return count;
}

static int report_missing(const struct downloads *all, bool reached, struct error *err)
{
    size_t missing = all->lock->count - all->had, first = 0;
    const struct package_state *state;
    char others[64] = "";

    while (all->states[first].had)
        first++;
    state = &all->states[first];
    if (!reached)
        return error_set(err, ERROR_UNAVAILABLE, "no source of packages answers (the last: %s)",
                         state->why);
    if (missing > 1)
        snprintf(others, sizeof others, " (nor %zu other packages)", missing - 1);
    return error_set(err, ERROR_NOT_FOUND,
                     "no source has the package %s %s%s; the last: %s. `make sandbox-update` takes "
                     "the newest versions of the same release",
                     state->package->name, state->package->version, others, state->why);
}

int download_packages(const struct pinned_lock *lock, const struct sources *sources,
                      const char *folder, struct error *err)
{
    struct downloads all = {.lock = lock, .folder = folder, .shown_ms = now_ms()};
    struct http_client *client = http_client_create(err);
    cleanup_free struct package_state *states = calloc(lock->count, sizeof *states);
    cleanup_free size_t *wanted = calloc(lock->count, sizeof *wanted);
    bool reached = false;

    if (!states || !wanted)
        abort();
    if (!client)
        return -1; /* NOLINT(clang-analyzer-unix.Malloc): cleanup_free */
    all.states = states;
    for (size_t i = 0; i < lock->count; i++)
        states[i] = (struct package_state){
            .all = &all, .package = &lock->packages[i], .digest = sha256_create(), .fd = -1};
    for (size_t i = 0; i < sources->count && all.had < lock->count && !all.failed.kind; i++) {
        const struct package_source *source = &sources->list[i];
        size_t count = list_wanted(&all, source, wanted);

        /* The first package shows whether the source answers: if not, nobody waits for it again. */
        if (count == 0 || !ask(&all, client, source, wanted, 1))
            continue;
        reached = true;
        if (count > 1)
            ask(&all, client, source, wanted + 1, count - 1);
    }
    show(&all, true);
    for (size_t i = 0; i < lock->count; i++)
        sha256_destroy(states[i].digest);
    http_client_destroy(client);
    if (all.failed.kind) {
        *err = all.failed;
        return -1;
    }
    return all.had == lock->count ? 0 : report_missing(&all, reached, err);
}

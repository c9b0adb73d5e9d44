/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/local/local_machine.h"
#include "helpers/base/cleanup.h"
#include "helpers/base/hash.h"

void local_files_close(struct local_setup *setup)
{
    for (size_t i = 0; i < setup->file_count; i++)
        close(setup->files[i].fd);
    setup->file_count = 0;
}

static int open_file(struct local_setup *setup, const char *share_dir, const char *name,
                     const char *mode, struct error *err)
{
    struct local_file *file = &setup->files[setup->file_count];
    char path[LOCAL_SHARE_CAP + 64];

    if (setup->file_count == LOCAL_FILES_CAP || strlen(name) >= sizeof file->name)
        return error_set(err, ERROR_UNAVAILABLE, "%s holds more than it should: make build",
                         share_dir);
    snprintf(path, sizeof path, "%s/%s", share_dir, name);
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", path,
                         strerrordesc_np(errno));
    memcpy(file->name, name, strlen(name) + 1);
    file->mode = mode;
    setup->file_count++;
    return 0;
}

static bool is_wanted(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".so") == 0);
}

int local_files_open(struct local_setup *setup, const char *share_dir, struct error *err)
{
    cleanup_dir DIR *folder = opendir(share_dir);
    struct dirent *entry;
    int rc;

    if (!folder)
        return error_set(err, ERROR_UNAVAILABLE, "%s: %s: make build", share_dir,
                         strerrordesc_np(errno));
    setup->file_count = 0;
    rc = open_file(setup, share_dir, "runner", "0555", err);
    if (rc == 0)
        rc = open_file(setup, share_dir, "policy.json", "0444", err);
    while (rc == 0 &&
           (entry = readdir(folder))) { // NOLINT(concurrency-mt-unsafe): this thread's own folder
        if (is_wanted(entry->d_name))
            rc = open_file(setup, share_dir, entry->d_name, "0444", err);
    }
    if (rc < 0)
        local_files_close(setup);
    return rc;
}

/* A sum, because a folder may list its files in any order. */
static void add_state(uint64_t *sum, const char *name, const struct stat *status)
{
    const uint64_t numbers[] = {(uint64_t)status->st_size, (uint64_t)status->st_mtim.tv_sec,
                                (uint64_t)status->st_mtim.tv_nsec, status->st_ino, status->st_dev};

    *sum += hash_bytes(hash_bytes(HASH_START, name, strlen(name)), numbers, sizeof numbers);
}

int local_files_made_of(const char *share_dir, char text[ENGINE_MADE_OF_CAP], struct error *err)
{
    struct local_setup setup = {.file_count = 0};
    struct stat status = {0};
    uint64_t sum = 0;
    int rc;

    if (local_files_open(&setup, share_dir, err) < 0)
        return -1;
    rc = stat(LOCAL_PYTHON, &status);
    add_state(&sum, LOCAL_PYTHON, &status);
    for (size_t i = 0; rc == 0 && i < setup.file_count; i++) {
        rc = fstat(setup.files[i].fd, &status);
        add_state(&sum, setup.files[i].name, &status);
    }
    if (rc < 0)
        error_set(err, ERROR_UNAVAILABLE, "%s: %s", LOCAL_PYTHON, strerrordesc_np(errno));
    local_files_close(&setup);
    snprintf(text, ENGINE_MADE_OF_CAP, "%016" PRIx64, sum);
    return rc;
}

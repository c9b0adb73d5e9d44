/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/command/profile_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"
#include "mcp/format/file.h"

#define FILE_CAP     ((size_t)64 << 10)
#define FILES_CAP    64
#define SUFFIX       ".json"
#define LOWER        "abcdefghijklmnopqrstuvwxyz0123456789"
#define MEMORY_LEAST 64
#define MEMORY_MOST  8192

static const struct field rows[] = {
    FIELD("base", FIELD_TEXT, .required = true, .flags = FIELD_LINE),
    FIELD("debian", FIELD_ARRAY, .required = true, .item = FIELD_TEXT, .least = 2, .most = 60),
    FIELD("modules", FIELD_ARRAY, .required = true, .item = FIELD_TEXT, .least = 1, .most = 90),
    FIELD("memory_mb", FIELD_WHOLE, .required = true, .least = MEMORY_LEAST, .most = MEMORY_MOST),
    {0},
};
static const struct fields profile_fields = {.name = "a profile", .rows = rows};

/* The texts of an array, NULL-terminated. */
static void take_texts(const json_t *array, const char **to, size_t cap, const char *field,
                       struct validation_errors *problems)
{
    if (json_array_size(array) == 0 || json_array_size(array) > cap)
        validation_add(problems, field, "has %zu entries, and must have from 1 to %zu",
                       json_array_size(array), cap);
    for (size_t i = 0; i < json_array_size(array) && i < cap; i++)
        to[i] = json_string_value(json_array_get(array, i));
}

static void check_value(struct profile_file *file, struct validation_errors *problems)
{
    const char *base = json_get_string(file->value, "base");

    file->base = validator_profile_find(base);
    if (!file->base)
        validation_add(problems, "base", "'%s' is not a built-in profile; those are %s", base,
                       validator_profile_names());
    take_texts(json_object_get(file->value, "debian"), file->debian, PROFILE_PACKAGES_CAP, "debian",
               problems);
    take_texts(json_object_get(file->value, "modules"), file->modules, PROFILE_MODULES_CAP,
               "modules", problems);
    for (const char **name = file->debian; *name; name++)
        if (strspn(*name, LOWER "+-.") != strlen(*name) || !strchr(LOWER, **name))
            validation_add(problems, "debian", "'%s' is not the name of a Debian package", *name);
    file->memory_mb = (unsigned)json_number_value(json_object_get(file->value, "memory_mb"));
}

static int read_value(struct profile_file *file, const char *path, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct validation_errors problems;

    if (file_read(path, FILE_CAP, &text, err) < 0 ||
        !(file->value = json_read(text.data ? text.data : "", text.len, path, err)))
        return -1;
    validation_begin(&problems, "");
    if (json_is_object(file->value))
        fields_check(&profile_fields, file->value, NULL, &problems);
    else
        validation_add(&problems, "", "must be an object, not %s", json_kind(file->value));
    if (problems.count == 0)
        check_value(file, &problems);
    return validation_end(&problems, NULL, err) < 0 ? error_wrap(err, "%s", path) : 0;
}

/* ---- the folder ---- */

/* "" if there is none. */
static void find_folder(const struct config *config, char path[PATH_MAX])
{
    struct error unused = {0};

    if (config->profiles)
        snprintf(path, PATH_MAX, "%s", config->profiles);
    else if (config_share_file(config, "profiles", path, PATH_MAX, &unused) < 0)
        *path = '\0';
}

static int name_paths(struct profile_file *file, const char *folder, const char *name,
                      char path[PATH_MAX], struct error *err)
{
    if (strlen(name) >= sizeof file->name || strspn(name, LOWER "-") != strlen(name) ||
        !strchr(LOWER, *name))
        return error_set(err, ERROR_INVALID,
                         "'%.60s' is not the name of a profile: at most %u lower-case letters, "
                         "digits and '-'",
                         name, EXECUTION_PROFILE_CAP - 1);
    snprintf(file->name, sizeof file->name, "%s", name);
    if (snprintf(path, PATH_MAX, "%s/%s" SUFFIX, folder, name) >= PATH_MAX ||
        snprintf(file->lock, PATH_MAX, "%s/%s.lock", folder, name) >= PATH_MAX ||
        snprintf(file->module_list, PATH_MAX, "%s/%s.modules", folder, name) >= PATH_MAX)
        return error_set(err, ERROR_INVALID, "the path of --profiles is too long");
    return 0;
}

static int read_file(struct profile_file *file, const char *folder, const char *name,
                     struct error *err)
{
    char path[PATH_MAX];

    memset(file, 0, sizeof *file);
    return name_paths(file, folder, name, path, err) < 0 ? -1 : read_value(file, path, err);
}

/* The names of the files in the folder, without the suffix, sorted. */
static json_t *list_names(const char *folder)
{
    static const char *const suffixes[] = {SUFFIX, NULL};
    struct error unused = {0};
    struct folder_rest rest;
    json_auto_t *files =
        *folder ? folder_list(folder, suffixes, FILES_CAP, &rest, &unused) : json_array();
    json_t *names = json_array(), *file;
    size_t i;

    json_array_foreach(files, i, file) if (!strchr(json_string_value(file), '/'))
        json_array_append_new(names, json_stringn(json_string_value(file),
                                                  json_string_length(file) - strlen(SUFFIX)));
    return names;
}

static int refuse_unknown(const char *folder, const char *name, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *names = list_names(folder);
    json_t *other;
    size_t i;

    buf_addf(&text, "unknown profile '%.60s'; the profiles are %s", name,
             validator_profile_names());
    json_array_foreach(names, i, other) buf_addf(&text, ", %s", json_string_value(other));
    return error_set(err, ERROR_INVALID, "%.1000s", text.data);
}

int profile_file_find(const struct config *config, struct profile_file *file, bool *is_file,
                      struct error *err)
{
    char folder[PATH_MAX], path[PATH_MAX];

    memset(file, 0, sizeof *file);
    *is_file = config->profile && !validator_profile_find(config->profile);
    if (!*is_file)
        return 0;
    find_folder(config, folder);
    if (!*folder || name_paths(file, folder, config->profile, path, err) < 0 ||
        access(path, F_OK) < 0)
        return refuse_unknown(folder, config->profile, err);
    return read_value(file, path, err);
}

void profile_file_finish(struct profile_file *file)
{
    json_decref(file->value);
    memset(file, 0, sizeof *file);
}

int profile_file_check_lock(const struct profile_file *file, struct error *err)
{
    if (access(file->lock, R_OK) == 0)
        return 0;
    return error_set(err, ERROR_UNAVAILABLE,
                     "the profile %s has no lock file %s: lectern sandbox lock --profile %s",
                     file->name, file->lock, file->name);
}

const char *profile_file_image(const struct config *config, struct profile_file *file,
                               struct error *err)
{
    bool given = strcmp(config->image, "lectern-sandbox:" LECTERN_VERSION) != 0;

    if (snprintf(file->image, sizeof file->image, "%s%s%s", config->image, given ? "" : "-",
                 given ? "" : file->name) < (int)sizeof file->image)
        return file->image;
    error_set(err, ERROR_INVALID, "the name of --image is too long");
    return NULL;
}

/* ---- for the validator ---- */

/* The modules of all files but one, for messages. The texts belong to `files`. */
static struct validator_elsewhere *find_elsewhere(const struct config *config,
                                                  struct profile_file *files, size_t *count)
{
    struct validator_elsewhere *elsewhere =
        calloc(FILES_CAP * PROFILE_MODULES_CAP + 1, sizeof *elsewhere);
    char folder[PATH_MAX];
    json_t *name;
    size_t i, modules = 0;

    if (!elsewhere)
        abort();
    find_folder(config, folder);
    {
        json_auto_t *names = list_names(folder);

        json_array_foreach(names, i, name)
        {
            struct profile_file *file = &files[*count];
            struct error err = {0};

            if (strcmp(json_string_value(name), config->profile) == 0 || *count == FILES_CAP)
                continue;
            (*count)++;
            if (read_file(file, folder, json_string_value(name), &err) < 0)
                log_warning("profile", "%s", err.text);
            for (const char **module = file->modules; *module; module++)
                elsewhere[modules++] = (struct validator_elsewhere){*module, file->name};
        }
    }
    return elsewhere;
}

struct validator_profile *profile_file_validator(const struct config *config, struct error *err)
{
    struct profile_file *files = calloc(FILES_CAP, sizeof *files);
    struct validator_elsewhere *elsewhere = NULL;
    struct validator_profile *profile = NULL;
    struct profile_file own;
    size_t count = 0;
    bool is_file;

    if (!files)
        abort();
    if (profile_file_find(config, &own, &is_file, err) == 0) {
        elsewhere = find_elsewhere(config, files, &count);
        profile = validator_profile_create(
            config->profile, is_file ? own.base : validator_profile_find(config->profile),
            own.modules, elsewhere, err);
        if (!profile)
            error_wrap(err, "the profile %s", config->profile);
    }
    profile_file_finish(&own);
    for (size_t i = 0; i < count; i++)
        profile_file_finish(&files[i]);
    free(elsewhere);
    free(files);
    return profile;
}

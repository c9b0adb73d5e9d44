/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Profiles from files: NAME.json in the folder of --profiles, by default `profiles` beside the
 * runner. Such a file names a built-in profile, the Debian packages to add to the sandbox's Python,
 * the modules that programs may import beside those of the built-in profile, and the sandbox's
 * memory:
 *
 *     {"base": "data-science", "debian": ["python3-sympy"], "modules": ["sympy"], "memory_mb": 512}
 *
 * NAME.lock and NAME.modules beside it are written by `lectern sandbox lock`.
 */
#ifndef LECTERN_COMMAND_PROFILE_FILE_H
#define LECTERN_COMMAND_PROFILE_FILE_H

#include <limits.h>

#include <jansson.h>

#include "executor/executor.h"
#include "mcp/command/config.h"
#include "validator/validator.h"

#define PROFILE_MODULES_CAP  64
#define PROFILE_PACKAGES_CAP 32

struct profile_file {
    char name[EXECUTION_PROFILE_CAP];
    const struct validator_profile *base;
    const char *debian[PROFILE_PACKAGES_CAP + 1]; /* NULL-terminated */
    const char *modules[PROFILE_MODULES_CAP + 1]; /* NULL-terminated */
    unsigned memory_mb;                           /* of each sandbox */
    char lock[PATH_MAX], module_list[PATH_MAX];   /* paths, whether they are there or not */
    char image[128];                              /* of profile_file_image */
    json_t *value;                                /* the file; owns the texts */
};

/* Reads the file of --profile. *is_file is false, and *file is empty, if that names a built-in
 * profile. ERROR_INVALID names the profiles, or the fault of the file. Call profile_file_finish in
 * any case. */
int profile_file_find(const struct config *config, struct profile_file *file, bool *is_file,
                      struct error *err);
void profile_file_finish(struct profile_file *file);

/* ERROR_UNAVAILABLE with the command that writes the lock file, if there is none. */
int profile_file_check_lock(const struct profile_file *file, struct error *err);

/* The name of the Docker image with the profile's packages: that of --image, or where that is not
 * given the default one with the profile's name. NULL with an error if it is too long. */
const char *profile_file_image(const struct config *config, struct profile_file *file,
                               struct error *err);

/* The profile of --profile for the validator, which knows the modules of all files for its
 * messages. The caller owns it. NULL with an error as above. */
struct validator_profile *profile_file_validator(const struct config *config, struct error *err);

#endif

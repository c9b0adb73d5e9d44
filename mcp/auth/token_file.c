/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/token_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/encode.h"
#include "helpers/base/log.h"

#define LINE_CAP     512u
#define FIELDS_CAP   6u
#define TOKEN_PREFIX "lectern_"

struct token_file {
    char *path;
    struct identity_table *tokens; /* NULL while the file cannot be used: why says it */
    struct error why;
    struct stat seen; /* zero while it is missing */
    uint64_t checked_ms;
};

/* ---- a line ---- */

/* Seconds since 1970 of a day or a time as in `end=`; -1 if it is neither. */
static int64_t read_end(const char *text)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct tm parts = {0};
        const char *rest = strptime(text, forms[i], &parts);

        if (rest && !*rest)
            return timegm(&parts);
    }
    return -1;
}

static int read_option(const char *text, struct identity *identity, struct error *err)
{
    const char *value = strchr(text, '=') ? strchr(text, '=') + 1 : "";

    if (strncmp(text, "curriculum=", strlen("curriculum=")) == 0) {
        if (identity->scopes == IDENTITY_OPERATE)
            return error_set(err, ERROR_INVALID,
                             "an operate token is for all learners: leave out curriculum=");
        if (strlen(value) != IDENTITY_CURRICULUM_SIZE - 1)
            return error_set(
                err, ERROR_INVALID,
                "curriculum= needs the id of a session: `lectern sessions` lists them");
        memcpy(identity->curriculum, value, IDENTITY_CURRICULUM_SIZE);
        return 0;
    }
    if (strncmp(text, "learner=", strlen("learner=")) == 0) {
        if (identity->scopes != IDENTITY_LEARN)
            return error_set(err, ERROR_INVALID, "learner= needs the scope learn");
        if (identity_set_learner(identity, value))
            return 0;
        return error_set(err, ERROR_INVALID,
                         "learner= needs the id of a learner: `lectern learner list` lists them");
    }
    if (strncmp(text, "end=", strlen("end=")) == 0) {
        identity->end = read_end(value);
        if (identity->end > 0)
            return 0;
        return error_set(err, ERROR_INVALID,
                         "end= needs a day or a time in UTC: 2027-01-31 or 2027-01-31T12:00:00Z");
    }
    return error_set(err, ERROR_INVALID,
                     "after the name only curriculum=SESSION_ID, learner=ID and end=2027-01-31 may "
                     "follow");
}

/* fields is terminated by NULL. Never quotes the line: it may hold a token by mistake. */
static int read_fields(char *const *fields, struct digest *digest, struct identity *identity,
                       struct error *err)
{
    if (!hex_read(fields[0], strlen(fields[0]), digest->bytes, DIGEST_SIZE))
        return error_set(
            err, ERROR_INVALID,
            "must begin with the SHA-256 of a token in hex, 64 digits: `lectern token` "
            "prints such a line");
    identity->scopes = fields[1] ? identity_scopes_named(fields[1], strlen(fields[1])) : 0;
    if (identity->scopes == 0)
        return error_set(err, ERROR_INVALID,
                         "the second field must be read, edit, learn or operate");
    if (!fields[2] || strlen(fields[2]) > IDENTITY_NAME_MAX)
        return error_set(err, ERROR_INVALID,
                         "the third field must be a name of at most %u bytes, for the change log",
                         IDENTITY_NAME_MAX);
    identity->source = IDENTITY_OF_FILE;
    identity->token = *digest;
    identity_set_name(identity, fields[2]);
    identity_set_id(identity, digest);
    for (size_t i = 3; fields[i]; i++) {
        if (read_option(fields[i], identity, err) < 0)
            return -1;
    }
    return 0;
}

static int read_line(char *line, struct identity_table *to, struct error *err)
{
    char *fields[FIELDS_CAP + 2] = {NULL}, *rest = NULL;
    struct identity identity = {0};
    struct digest digest;
    size_t count = 0;

    for (char *field = strtok_r(line, " \t\r", &rest); field && count <= FIELDS_CAP;
         field = strtok_r(NULL, " \t\r", &rest))
        fields[count++] = field;
    if (count == 0 || fields[0][0] == '#')
        return 0;
    if (count > FIELDS_CAP)
        return error_set(err, ERROR_INVALID, "has more than %u fields", FIELDS_CAP);
    if (read_fields(fields, &digest, &identity, err) < 0)
        return -1;
    if (identity_table_find(to, &digest, 0))
        return error_set(err, ERROR_INVALID, "the same token is in an earlier line: remove one");
    if (identity_table_count(to) == TOKEN_FILE_LINES_CAP)
        return error_set(err, ERROR_INVALID, "more than %u tokens", TOKEN_FILE_LINES_CAP);
    return identity_table_add(to, &digest, &identity, identity.end, err);
}

int token_file_parse(const char *text, size_t len, struct identity_table *to, struct error *err)
{
    const char *end = text + len;
    size_t number = 0;

    for (const char *at = text; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t line_len = (size_t)((stop ? stop : end) - at);
        char line[LINE_CAP];

        number++;
        if (line_len >= sizeof line || memchr(at, '\0', line_len))
            return error_set(err, ERROR_INVALID, "line %zu is longer than %u bytes or holds a NUL",
                             number, LINE_CAP - 1);
        memcpy(line, at, line_len);
        line[line_len] = '\0';
        if (read_line(line, to, err) < 0)
            return error_wrap(err, "line %zu", number);
        at += line_len + 1;
    }
    return 0;
}

/* ---- the file ---- */

static int check_mode(const struct stat *found, struct error *err)
{
    if (!S_ISREG(found->st_mode))
        return error_set(err, ERROR_INVALID, "is not a file");
    if (found->st_mode & (S_IRWXG | S_IRWXO))
        return error_set(err, ERROR_INVALID,
                         "others than its owner may use it (mode %03o): chmod 600 it",
                         (unsigned)found->st_mode & 0777);
    if (found->st_uid != geteuid() && found->st_uid != 0)
        return error_set(err, ERROR_INVALID, "belongs to another user than the server's");
    if ((size_t)found->st_size > TOKEN_FILE_CAP)
        return error_set(err, ERROR_TOO_LARGE, "is larger than %zu bytes", TOKEN_FILE_CAP);
    return 0;
}

/* Of what is open, so that what is checked is what is read. */
static int read_open(struct token_file *file, int fd, struct error *err)
{
    cleanup_free char *text = malloc(TOKEN_FILE_CAP + 1);
    struct stat found;
    size_t len = 0;
    ssize_t come = 1;

    if (fstat(fd, &found) < 0)
        return error_errno(err, errno, "fstat");
    file->seen = found;
    if (check_mode(&found, err) < 0)
        return -1;
    if (!text)
        return error_set(err, ERROR_MEMORY, "out of memory");
    while (come > 0 && len <= TOKEN_FILE_CAP) {
        come = read(fd, text + len, TOKEN_FILE_CAP + 1 - len);
        len += come > 0 ? (size_t)come : 0;
    }
    if (come < 0)
        return error_errno(err, errno, "read");
    if (len > TOKEN_FILE_CAP)
        return error_set(err, ERROR_TOO_LARGE, "is larger than %zu bytes", TOKEN_FILE_CAP);
    file->tokens = identity_table_create(TOKEN_FILE_LINES_CAP, err);
    return file->tokens ? token_file_parse(text, len, file->tokens, err) : -1;
}

static int read_again(struct token_file *file, struct error *err)
{
    cleanup_fd int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int rc;

    identity_table_destroy(file->tokens);
    file->tokens = NULL;
    memset(&file->seen, 0, sizeof file->seen);
    rc = fd < 0 ? error_errno(err, errno, "open") : read_open(file, fd, err);
    if (rc == 0)
        return 0;
    identity_table_destroy(file->tokens);
    file->tokens = NULL;
    return error_wrap(err, "--token-file %s", file->path);
}

static bool has_changed(const struct token_file *file)
{
    struct stat now = {0};
    const struct stat *then = &file->seen;

    if (stat(file->path, &now) < 0)
        memset(&now, 0, sizeof now);
    return now.st_ino != then->st_ino || now.st_dev != then->st_dev ||
           now.st_size != then->st_size || now.st_mode != then->st_mode ||
           now.st_uid != then->st_uid || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != then->st_mtim.tv_nsec ||
           now.st_ctim.tv_sec != then->st_ctim.tv_sec ||
           now.st_ctim.tv_nsec != then->st_ctim.tv_nsec;
}

static void refresh(struct token_file *file, uint64_t now_ms)
{
    struct error err = {0};

    if (now_ms - file->checked_ms < TOKEN_FILE_CHECK_MS)
        return;
    file->checked_ms = now_ms;
    if (!has_changed(file))
        return;
    if (read_again(file, &err) == 0) {
        log_info("sign-in", "--token-file was read again: %zu tokens",
                 identity_table_count(file->tokens));
        return;
    }
    file->why = err;
    log_error("sign-in", "no token of the file is valid until it is right: %s", err.text);
}

int token_file_find(struct token_file *file, const struct digest *digest, uint64_t now_ms,
                    const struct identity **found, struct error *err)
{
    *found = NULL;
    refresh(file, now_ms);
    if (!file->tokens)
        return error_set(err, ERROR_UNAVAILABLE,
                         "the server's token file cannot be used now; its log says why");
    *found = identity_table_find(file->tokens, digest, time(NULL));
    return 0;
}

struct token_file *token_file_open(const char *path, struct error *err)
{
    struct token_file *file = calloc(1, sizeof *file);

    if (!file || !(file->path = strdup(path))) {
        error_set(err, ERROR_MEMORY, "out of memory for the token file");
        token_file_close(file);
        return NULL;
    }
    if (read_again(file, err) < 0) {
        token_file_close(file);
        return NULL;
    }
    return file;
}

void token_file_close(struct token_file *file)
{
    if (!file)
        return;
    identity_table_destroy(file->tokens);
    free(file->path);
    free(file);
}

/* ---- a new token ---- */

int token_make(char token[TOKEN_TEXT_SIZE], struct error *err)
{
    struct buf BUF_AUTO text = {0};
    unsigned char random[32];

    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return error_errno(err, errno, "getrandom for a token");
    buf_init(&text, TOKEN_TEXT_SIZE - 1);
    buf_adds(&text, TOKEN_PREFIX);
    base64url_write(&text, random, sizeof random);
    if (text.failed)
        return error_set(err, ERROR_MEMORY, "out of memory for a token");
    memcpy(token, text.data, text.len + 1);
    return 0;
}

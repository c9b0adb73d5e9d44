/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What it costs to know who sends a request: a token of the file among 1,000, and a remembered one
 * of an issuer, of 1 KiB, among 4,000; with the limit of requests. Processor time, the median of
 * several rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/buf.h"
#include "mcp/auth/auth.h"
#include "mcp/auth/identity_table.h"
#include "mcp/auth/limits.h"

#define ROUNDS     9
#define CHECKS     100000
#define TOKENS     1000u
#define REMEMBERED 4000u
#define JWT_LEN    1024u

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void report(const char *name, double *seconds)
{
    qsort(seconds, ROUNDS, sizeof *seconds, by_value);
    printf("%-40s %6.2f us (%.2f to %.2f)\n", name, seconds[ROUNDS / 2] / CHECKS * 1e6,
           seconds[0] / CHECKS * 1e6, seconds[ROUNDS - 1] / CHECKS * 1e6);
}

static void write_line(FILE *file, const char *token, unsigned number)
{
    struct digest digest;

    digest_of(token, strlen(token), &digest);
    for (size_t i = 0; i < DIGEST_SIZE; i++)
        fprintf(file, "%02x", digest.bytes[i]);
    fprintf(file, " edit holder-%u\n", number);
}

static int bench_file(const char *path)
{
    FILE *file = fopen(path, "we");
    const struct auth_config config = {.token_file = path, .requests_a_minute = 100000000};
    struct limits *limits = limits_create(config.requests_a_minute, 0, NULL);
    char token[TOKEN_TEXT_SIZE], header[TOKEN_TEXT_SIZE + 8];
    double seconds[ROUNDS];
    struct auth_result result;
    struct error err = {0};
    struct auth *auth;
    uv_loop_t loop;

    for (unsigned i = 0; file && i < TOKENS; i++) {
        if (token_make(token, &err) == 0)
            write_line(file, token, i);
    }
    if (!file || fclose(file) != 0)
        return -1;
    chmod(path, S_IRUSR | S_IWUSR);
    uv_loop_init(&loop);
    auth = auth_create(&config, &loop, limits, &err);
    if (!auth) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    snprintf(header, sizeof header, "Bearer %s", token);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();

        for (int i = 0; i < CHECKS; i++) {
            auth_check(auth, header, "", &result);
            if (result.outcome != AUTH_GOOD)
                return -1;
        }
        seconds[round] = now() - begin;
    }
    report("a token of the file", seconds);
    auth_destroy(auth);
    limits_destroy(limits);
    uv_run(&loop, UV_RUN_DEFAULT);
    return uv_loop_close(&loop);
}

/* As auth_check does it, without the issuer, whose keys a bench does not have. */
static int bench_remembered(void)
{
    struct identity_table *table = identity_table_create(4096, NULL);
    struct identity identity = identity_everyone;
    char token[JWT_LEN + 1] = {0};
    double seconds[ROUNDS];
    struct digest digest;

    memset(token, 'a', JWT_LEN);
    for (unsigned i = 0; table && i < REMEMBERED; i++) {
        snprintf(token, 16, "%015u", i);
        token[15] = '.';
        digest_of(token, JWT_LEN, &digest);
        if (identity_table_add(table, &digest, &identity, INT64_MAX, NULL) < 0)
            return -1;
    }
    for (int round = 0; table && round < ROUNDS; round++) {
        double begin = now();

        for (int i = 0; i < CHECKS; i++) {
            struct identity found;

            digest_of(token, JWT_LEN, &digest);
            found = *identity_table_find(table, &digest, time(NULL));
            if (found.scopes != identity.scopes)
                return -1;
        }
        seconds[round] = now() - begin;
    }
    report("a remembered token of 1 KiB", seconds);
    identity_table_destroy(table);
    return 0;
}

int main(void)
{
    char path[] = "/tmp/lectern-bench-tokens-XXXXXX";
    int fd = mkstemp(path), rc;

    if (fd < 0)
        return 1;
    close(fd);
    rc = bench_file(path) | bench_remembered();
    unlink(path);
    return rc != 0;
}

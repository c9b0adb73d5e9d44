/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a run costs, side by side in one go: on a waiting sandbox, when none waits, and as most
 * people do it (docker run --rm of the same code). Prints a table.
 *
 *     DOCKER_HOST=... LECTERN_IMAGE=NAME LECTERN_BUILD=build/release bench_executor docker|local
 * [ROUNDS]
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/log.h"
#include "tests/parts/job_waiter.h"

#define ROUNDS_DEFAULT 20
#define ROUNDS_MAX     200
#define SUSTAINED      24  /* jobs, of which ... */
#define AT_ONCE        8   /* are under way at a time: far more than wait warm */
#define SETTLE_MS      400 /* between runs on a waiting sandbox, so that the refill is over */
#define WARM_MS        60000

#define PRINT "print(1)"
#define PANDAS                                                                                     \
    "import pandas as pd\nimport networkx as nx\nprint(pd.DataFrame({'a': [1, 2, 3]})['a'].sum())"

struct series {
    double ms[ROUNDS_MAX];
    size_t count;
};

static double now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double quantile(struct series *series, double q)
{
    qsort(series->ms, series->count, sizeof *series->ms, compare);
    return series->count ? series->ms[(size_t)(q * (double)(series->count - 1) + 0.5)] : 0;
}

static void run_job(struct executor *executor, const char *kind, const char *code)
{
    struct job_waiter waiter;

    if (job_waiter_do(&waiter, executor, kind, code) != EXECUTION_OK) {
        fprintf(stderr, "bench: %s: %s\n", execution_status_name(waiter.status), waiter.error);
        exit(1);
    }
    job_waiter_finish(&waiter);
}

static void measure_waiting(struct executor *executor, const char *kind, const char *code,
                            int rounds, struct series *series)
{
    struct error err = {0};

    for (int i = 0; i < rounds; i++) {
        const struct timespec settle = {.tv_nsec = SETTLE_MS * 1000000L};
        double begin;

        if (executor_wait_warm(executor, kind, WARM_MS, &err) < 0) {
            fprintf(stderr, "bench: %s\n", err.text);
            exit(1);
        }
        nanosleep(&settle, NULL);
        begin = now_ms();
        run_job(executor, kind, code);
        series->ms[series->count++] = now_ms() - begin;
    }
}

/* Runs a second when all come at once. */
static double measure_sustained(struct executor *executor, const char *kind, const char *code)
{
    static struct job_waiter waiters[SUSTAINED];
    struct error err = {0};
    double begin = now_ms();

    for (int i = 0; i < SUSTAINED + AT_ONCE; i++) {
        struct execution_job job = {
            .code = code, .code_len = strlen(code), .kind = kind, .profile = "data-science"};

        if (i >= AT_ONCE) {
            struct job_waiter *oldest = &waiters[i - AT_ONCE];

            if (!job_waiter_wait(oldest, 120000) || oldest->status != EXECUTION_OK) {
                fprintf(stderr, "bench: %s\n", oldest->error ? oldest->error : "no end");
                exit(1);
            }
            job_waiter_finish(oldest);
        }
        if (i >= SUSTAINED)
            continue;
        job_waiter_init(&waiters[i]);
        if (job_waiter_run(&waiters[i], executor, &job, &err) == 0) {
            fprintf(stderr, "bench: %s\n", err.text);
            exit(1);
        }
    }
    return SUSTAINED / (now_ms() - begin) * 1e3;
}

/* The usual flow; false where there is no docker command or no image. */
static bool measure_docker_run(const char *image, const char *code, int rounds,
                               struct series *series)
{
    char *argv[] = {"docker",           "run",         "--rm",   "--network",  "none",
                    "--memory",         "256m",        "--cpus", "0.5",        "--entrypoint",
                    "/usr/bin/python3", (char *)image, "-c",     (char *)code, NULL};

    for (int i = 0; image && i < rounds; i++) {
        posix_spawn_file_actions_t actions;
        double begin = now_ms();
        int status = -1, rc;
        pid_t pid;

        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
        while (rc == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (rc != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
            return false;
        series->ms[series->count++] = now_ms() - begin;
    }
    return image != NULL;
}

static void print_row(const char *what, struct series *series, double base)
{
    double median = quantile(series, 0.5);

    printf("%-44s %10.2f %10.2f", what, median, quantile(series, 0.99));
    if (base > 0)
        printf(" %9.0fx", base / median);
    printf("\n");
}

static void compare_flows(struct executor *executor, const char *image, const char *kind,
                          const char *code, const char *name, int rounds)
{
    struct series ours = {.count = 0}, usual = {.count = 0};
    char text[64];
    bool known = measure_docker_run(image, code, rounds, &usual);

    measure_waiting(executor, kind, code, rounds, &ours);
    snprintf(text, sizeof text, "%s, docker run --rm", name);
    if (known)
        print_row(text, &usual, 0);
    else
        printf("%-44s (no docker command, daemon or image)\n", text);
    snprintf(text, sizeof text, "%s, waiting sandbox", name);
    print_row(text, &ours, known ? quantile(&usual, 0.5) : 0);
}

int main(int argc, char **argv)
{
    const char *build = getenv("LECTERN_BUILD"); // NOLINT(concurrency-mt-unsafe)
    const char *image = getenv("LECTERN_IMAGE"); // NOLINT(concurrency-mt-unsafe)
    struct executor_config config = {.docker_image = image};
    struct executor *executor;
    struct error err = {0};
    char share[4096];
    int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : ROUNDS_DEFAULT;

    if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench_executor docker|local [ROUNDS, at most %d]\n", ROUNDS_MAX);
        return 2;
    }
    snprintf(share, sizeof share, "%s/share", build ? build : "build/release");
    config.share_dir = share;
    config.engine = strcmp(argv[1], "docker") == 0 ? EXECUTOR_DOCKER : EXECUTOR_LOCAL;
    log_set_level(LOG_WARNING);
    executor = executor_create(&config, &err);
    if (!executor) {
        fprintf(stderr, "bench: %s\n", err.text);
        return 1;
    }
    printf("%s\n\n%-44s %10s %10s %10s\n", executor_describe(executor), "milliseconds", "median",
           "p99", "ratio");
    compare_flows(executor, image, "bare", PRINT, "print(1)", rounds);
    compare_flows(executor, image, "data", PANDAS, "pandas", rounds);
    printf("\n%-44s %10.1f\n", "print(1), runs a second when none waits",
           measure_sustained(executor, "bare", PRINT));
    printf("%-44s %10.1f\n", "pandas, runs a second when none waits",
           measure_sustained(executor, "data", PANDAS));
    executor_destroy(executor);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long a check takes, beside CPython on the same bytes in the same run: ast.parse with a
 * bare walk over its tree, and ast.parse with the policy itself walked over it, as the sandbox does
 * (image/python/policy.py). The programs are the analyses of tests/data, put one behind another up
 * to each size. Also how many bytes of memory the largest takes.
 *
 *     bench_validator ANALYSES_FOLDER CHECK_SCRIPT [PYTHON]
 */
#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/buf.h"
#include "validator/validator.h"

#define ROUNDS       9
#define ROUND_BYTES  ((size_t)1 << 20) /* checked in one round */
#define COMMAND_CAP  2048
#define ANALYSES_CAP 64
#define FILE_CAP     ((size_t)16 << 10)

struct analyses {
    struct buf texts[ANALYSES_CAP];
    size_t count;
};

/* The process's own time, so that what else the machine does counts for neither side. */
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

static int by_length(const void *a, const void *b)
{
    const struct buf *x = a, *y = b;

    return (x->len > y->len) - (x->len < y->len);
}

static int read_analyses(const char *folder, struct analyses *analyses)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char path[COMMAND_CAP];

    if (!directory)
        return -1;
    while ((entry = readdir(directory)) && analyses->count < ANALYSES_CAP) {
        struct buf *text = &analyses->texts[analyses->count];
        FILE *file;
        char *to;

        if (!strstr(entry->d_name, ".py"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        file = fopen(path, "r");
        buf_init(text, FILE_CAP * 2);
        if (!file || !(to = buf_reserve(text, FILE_CAP)))
            return -1;
        text->len = fread(to, 1, FILE_CAP, file);
        fclose(file);
        analyses->count++;
    }
    closedir(directory);
    qsort(analyses->texts, analyses->count, sizeof *analyses->texts, by_length);
    return analyses->count ? 0 : -1;
}

/* Whole analyses up to about `size` bytes: the one that comes nearest for a small one. */
static void compose(const struct analyses *analyses, size_t size, struct buf *to)
{
    size_t next = 0;

    while (next + 1 < analyses->count && analyses->texts[next + 1].len <= size)
        next++;
    buf_add(to, analyses->texts[next].data, analyses->texts[next].len);
    for (next = 0; to->len + analyses->texts[next].len <= size; next = (next + 1) % analyses->count)
        buf_add(to, analyses->texts[next].data, analyses->texts[next].len);
}

/* Seconds of one check in the quickest round, which other work disturbed least; -1 where the
 * program is refused, which would measure something else. */
static double measure(const struct buf *source, struct verdict *verdict)
{
    const struct validator_profile *profile = validator_profile_find("data-science");
    size_t times = ROUND_BYTES / source->len;
    double rounds[ROUNDS];

    for (size_t i = 0; i < ROUNDS; i++) {
        double start = now();

        for (size_t j = 0; j < times; j++)
            validator_check(source->data, source->len, profile, verdict);
        rounds[i] = (now() - start) / (double)times;
    }
    if (!verdict->accepted) {
        fprintf(stderr, "a program was refused: %s\n", verdict->diagnostics[0].text);
        return -1;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, by_value);
    return rounds[0];
}

/* The same by CPython: seconds with a bare walk, and with the policy. */
static int measure_python(const char *python, const char *script, const struct buf *source,
                          double *bare, double *policy)
{
    char command[COMMAND_CAP], path[] = "/tmp/bench-validator-XXXXXX", line[128] = "";
    int fd = mkstemp(path), status = -1;
    FILE *pipe;

    if (fd < 0)
        return -1;
    if (write(fd, source->data, source->len) == (ssize_t)source->len) {
        snprintf(command, sizeof command, "%s -B %s %s", python, script, path);
        pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a benchmark */
        if (pipe) {
            if (fgets(line, sizeof line, pipe) && sscanf(line, "%lf %lf", bare, policy) == 2)
                status = 0;
            pclose(pipe);
        }
    }
    close(fd);
    unlink(path);
    return status;
}

static long peak_kilobytes(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long peak = -1;

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %ld", &peak) == 1)
            break;
    if (file)
        fclose(file);
    return peak;
}

/* How far the peak of a process rises that checks this after a small program. */
static long measure_memory(const struct buf *source)
{
    static struct verdict verdict;
    int pipes[2], status;
    long rise = -1;
    pid_t child;

    if (pipe(pipes) < 0)
        return -1;
    child = fork();
    if (child == 0) {
        const struct validator_profile *profile = validator_profile_find("data-science");
        long before;

        validator_check("print(1)\n", 9, profile, &verdict);
        before = peak_kilobytes();
        validator_check(source->data, source->len, profile, &verdict);
        rise = peak_kilobytes() - before;
        _exit(write(pipes[1], &rise, sizeof rise) == sizeof rise ? 0 : 1);
    }
    close(pipes[1]);
    if (read(pipes[0], &rise, sizeof rise) != sizeof rise)
        rise = -1;
    close(pipes[0]);
    waitpid(child, &status, 0);
    return rise;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {230, 1024, 4096, 16384, VALIDATOR_SOURCE_CAP};
    static struct verdict verdict;
    static struct analyses analyses;
    const char *python = argc > 3 ? argv[3] : "/usr/bin/python3";
    struct buf BUF_AUTO largest = {0};
    long memory;

    if (argc < 3 || read_analyses(argv[1], &analyses) < 0) {
        fprintf(stderr, "usage: bench_validator ANALYSES_FOLDER CHECK_SCRIPT [PYTHON]\n");
        return 2;
    }
    mallopt(M_TRIM_THRESHOLD, 4 << 20); /* as the server does */
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    /* First of all, while the process has no memory of its own to use again. */
    buf_init(&largest, 0);
    compose(&analyses, VALIDATOR_SOURCE_CAP, &largest);
    memory = measure_memory(&largest);
    printf("%8s %12s %8s | %18s %7s | %20s %7s\n", "bytes", "validator", "MB/s", "ast.parse + walk",
           "times", "ast.parse + policy", "times");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buf BUF_AUTO source = {0};
        double ours, bare, policy;

        buf_init(&source, 0);
        compose(&analyses, sizes[i], &source);
        ours = measure(&source, &verdict);
        if (ours < 0)
            return 1;
        printf("%8zu %9.1f us %8.0f |", source.len, ours * 1e6, (double)source.len / ours / 1e6);
        if (measure_python(python, argv[2], &source, &bare, &policy) == 0)
            printf(" %15.1f us %6.1fx | %17.1f us %6.1fx\n", bare * 1e6, bare / ours, policy * 1e6,
                   policy / ours);
        else
            printf(" no %s to compare with\n", python);
    }
    printf("memory for the largest: %ld KB\n", memory);
    for (size_t i = 0; i < analyses.count; i++)
        buf_finish(&analyses.texts[i]);
    return 0;
}

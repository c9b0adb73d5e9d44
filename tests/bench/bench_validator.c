/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long a judgement takes, beside CPython's ast.parse and a walk over its tree, on the same
 * ordinary code of several sizes in one run. The first argument may name a Python to compare with
 * (default /usr/bin/python3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "helpers/base/buf.h"
#include "validator/validator.h"

#define ROUNDS      9
#define ROUND_BYTES ((size_t)2 << 20) /* judged in one round */
#define COMMAND_CAP 1024

static const char ordinary[] =
    "from collections import Counter, defaultdict\n"
    "import re\n"
    "from code_helpers import get_nodes, get_node_content\n\n"
    "WORD = re.compile(r\"[A-Za-z']+\")\n\n\n"
    "def words_of(node, limit=None):\n"
    "    \"\"\"All words of a node's paragraphs, in order.\"\"\"\n"
    "    found = []\n"
    "    for part in get_node_content(node[\"node_id\"])[\"components\"]:\n"
    "        if part[\"type\"] == \"paragraph\" and (limit is None or len(found) < limit):\n"
    "            found.extend(w.lower() for w in WORD.findall(part[\"parameters\"].get(\"text\", "
    "\"\")))\n"
    "    return found[:limit]\n\n\n"
    "counts = defaultdict(Counter)\n"
    "for node in get_nodes(session_id):\n"
    "    counts[node[\"section\"]].update(words_of(node, limit=500))\n"
    "for section, counter in sorted(counts.items(), key=lambda kv: (-sum(kv[1].values()), "
    "kv[0])):\n"
    "    top = \", \".join(f\"{word} ({n})\" for word, n in counter.most_common(5) if n > 1)\n"
    "    print(f\"{section!s:<20} {sum(counter.values()):>6} words; {100 * len(counter) / "
    "7.5:.1f}: {top}\")\n\n";

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Median seconds of one judgement; -1 where the sample is refused, which would measure something
 * else. */
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
        fprintf(stderr, "the sample was refused: %s\n", verdict->diagnostics[0].text);
        return -1;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, by_value);
    return rounds[ROUNDS / 2];
}

/* The same by CPython, through a pipe; -1 where there is none. */
static double measure_python(const char *python, const struct buf *source)
{
    static const char program[] =
        "import ast,sys,time\\ns=sys.stdin.buffer.read()\\nn=max(3,200000//len(s))\\nr=[]\\n"
        "for _ in range(5):\\n t=time.perf_counter()\\n for _ in range(n):\\n  for x in "
        "ast.walk(ast.parse(s)): pass\\n r.append((time.perf_counter()-t)/n)\\n"
        "print(sorted(r)[2])\\n";
    char command[COMMAND_CAP], path[] = "/tmp/bench-validator-XXXXXX", line[64] = "";
    double seconds = -1;
    FILE *pipe;
    int fd = mkstemp(path);

    if (fd < 0)
        return -1;
    if (write(fd, source->data, source->len) == (ssize_t)source->len) {
        snprintf(command, sizeof command, "%s -c \"$(printf '%s')\" <%s", python, program, path);
        pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a benchmark */
        if (pipe) {
            if (fgets(line, sizeof line, pipe))
                seconds = strtod(line, NULL);
            pclose(pipe);
        }
    }
    close(fd);
    unlink(path);
    return seconds > 0 ? seconds : -1;
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {200, 1024, 4096, 16384, VALIDATOR_SOURCE_CAP};
    static struct verdict verdict;
    const char *python = argc > 1 ? argv[1] : "/usr/bin/python3";

    printf("%8s %12s %10s %16s %8s\n", "bytes", "validator", "MB/s", "ast.parse+walk", "times");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct buf BUF_AUTO source = {0};
        double ours, theirs;

        buf_init(&source, 0);
        if (sizes[i] < sizeof ordinary)
            buf_add(&source, ordinary, (size_t)(strstr(ordinary, "\ndef") - ordinary));
        while (source.len + sizeof ordinary - 1 <= sizes[i])
            buf_adds(&source, ordinary);
        ours = measure(&source, &verdict);
        if (ours < 0)
            return 1;
        theirs = measure_python(python, &source);
        printf("%8zu %9.1f us %10.1f", source.len, ours * 1e6, (double)source.len / ours / 1e6);
        if (theirs > 0)
            printf(" %13.1f us %7.0fx\n", theirs * 1e6, theirs / ours);
        else
            printf(" %16s\n", "no python3");
    }
    return 0;
}

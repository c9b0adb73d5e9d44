/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory that runs out: each allocation of a check fails in turn. The program is then refused,
 * never accepted unseen, and nothing is leaked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/failing_allocations.h"
#include "validator/validator.h"

#define RUNS_CAP 2000

#ifdef COUNTS_ALLOCATIONS

static const struct sample {
    const char *name, *source;
    bool accepted;
} samples[] = {
    {"ordinary",
     "from collections import Counter\nimport numpy as np\nfrom code_helpers import get_nodes\n"
     "class A:\n    def __init__(self, x=1, *a, **k):\n        self.x = [f'{y!r:>{x}}\\n' for y in "
     "a]\n"
     "def f(n):\n    global g\n    g = {**n, 'a': 'b' 'c'}\n    match n:\n"
     "        case {'k': [x, *_], **r} | A(x=x, y=r) if (z := x):\n            return "
     "np.linalg.norm(z)\n"
     "print(Counter(f(n) for n in get_nodes()), '{:>5}'.format(1), \xC3\xA9t\xC3\xA9 := 3, "
     "'caf\xC3\xA9')\n",
     true},
    {"another",
     "import re\nfrom functools import lru_cache\n@lru_cache(maxsize=None)\ndef f(n: int) -> str:\n"
     "    try:\n        return f'{n:>{n}} \\u00e9' + 'a' 'b'\n    except* ValueError as e:\n       "
     " print(e)\n"
     "\xC3\xA9t\xC3\xA9 = [f(i) for i in range(3) if (k := i)]\nprint(re.sub(r'\\s', '', f(2)), "
     "k)\n",
     true},
    {"buffers",
     "import io\nimport pandas as pd\nfrom io import StringIO\nb = StringIO()\n"
     "with io.StringIO('a') as f:\n    print(pd.read_csv(f, sep=',').to_csv(b))\n",
     true},
    {"refused",
     "import os\nopen('x')\nx.__class__\ndef f(a, a): break\n'{0.__class__}'.format(x)\n", false},
    {"broken", "def f(:\n  x = [1, 2\nprint 'a'\n", false},
};

static void test_each_allocation_fails(void **state)
{
    const struct validator_profile *profile = validator_profile_find("data-science");
    static struct verdict verdict;
    long runs;

    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *sample = &samples[i];

        for (runs = 1;; runs++) {
            bool failed;

            assert_true(runs < RUNS_CAP);
            fail_at = runs;
            live = 0;
            watching = true;
            validator_check(sample->source, strlen(sample->source), profile, &verdict);
            watching = false;
            failed = fail_at == 0;
            fail_at = 0;
            if (live != 0)
                fail_msg("%s: %ld blocks are leaked when allocation %ld fails", sample->name, live,
                         runs);
            if (failed && verdict.accepted)
                fail_msg("%s: accepted although allocation %ld failed", sample->name, runs);
            if (!failed)
                break;
        }
        assert_int_equal(verdict.accepted, sample->accepted);
        assert_true(runs > 5); /* some failed */
    }
}

#else

static void test_each_allocation_fails(void **state)
{
    (void)state;
    print_message("The sanitizer has the allocations.\n");
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation_fails),
    };

    return cmocka_run_group_tests_name("validator_memory", tests, NULL, NULL);
}

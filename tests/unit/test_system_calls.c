/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The filters of image/runner/seccomp.c, and the profile of Docker's containers, as programs for
 * the kernel, on the architecture that this was compiled for: each number of a system call is given
 * to each program, as the kernel would, and the verdict is compared with
 * tests/data/system_calls.txt. sandbox.syscalls asks a real kernel, on x86-64 only; an emulator of
 * user programs has no seccomp, so this is how other architectures are tested.
 */
#define seccomp_load keep_program
#include "image/runner/seccomp.c" /* NOLINT(bugprone-suspicious-include) */
#undef seccomp_load
#include "image/python/fork.c" /* NOLINT(bugprone-suspicious-include) */

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "executor/docker/docker_seccomp.h"

#include <linux/audit.h>
#include <time.h>

#define TABLE        "tests/data/system_calls.txt"
#define NUMBERS      1024        /* system calls have numbers below */
#define SELF         0x53454c46u /* in samples: the pid of this process */
#define CHILD        4242
#define NAME_CAP     32
#define EXPECTED_CAP 160

#ifdef __aarch64__
#define OWN_ARCH AUDIT_ARCH_AARCH64
#elif defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#else
#error "add the architecture"
#endif

enum kind { REFUSED, ALLOWED, CHECKED, UNKNOWN, ASKED };
static const char *const kinds[] = {"refused", "allowed", "checked", "unknown", "asked"};

static struct sock_filter kept[BPF_MAXINSNS];
static size_t kept_count;

/* ---- the programs ---- */

/* In the place of seccomp_load. */
int keep_program(const scmp_filter_ctx context)
{
    int fd = memfd_create("program", MFD_CLOEXEC);
    ssize_t len;

    assert_true(fd >= 0);
    assert_int_equal(seccomp_export_bpf(context, fd), 0);
    len = pread(fd, kept, sizeof kept, 0);
    assert_true(len > 0 && (size_t)len % sizeof *kept == 0);
    kept_count = (size_t)len / sizeof *kept;
    close(fd);
    return 0;
}

static void make_start(void)
{
    assert_int_equal(seccomp_confine_start(), 0);
}

/* As fork.c does it: the finished program, with the pid put in afterwards. */
static void make_interpreter(void)
{
    int fd = memfd_create("program", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(seccomp_write_interpreter(fd), 0);
    assert_true(dup2(fd, ZYGOTE_FILTER_FD) == ZYGOTE_FILTER_FD);
    if (fd != ZYGOTE_FILTER_FD)
        close(fd);
    assert_int_equal(load_filter(), 0);
    name_process((uint32_t)getpid());
    kept_count = program.len;
    for (size_t i = 0; i < kept_count; i++) {
        kept[i] = filter[i];
        assert_true(kept[i].k != ZYGOTE_PID_MARK);
    }
}

static void make_zygote(void)
{
    assert_int_equal(seccomp_confine_zygote(), 0);
}

static void make_runner(void)
{
    assert_int_equal(seccomp_confine_runner(CHILD, false), 0);
}

static void make_session(void)
{
    assert_int_equal(seccomp_confine_runner(CHILD, true), 0);
}

/* Nothing is loaded, so that there is no descriptor to return. */
static void make_exec_once(void)
{
    kept_count = 0;
    assert_int_equal(seccomp_exec_once_begin(), -1);
    assert_true(kept_count > 0);
}

/* As Docker's runtime makes a filter of the profile in the request. */
static void make_container(void)
{
    json_t *profile = docker_seccomp_profile(), *rule, *name;
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    size_t r, n;

    assert_non_null(profile);
    assert_string_equal(json_get_string(profile, "defaultAction"), "SCMP_ACT_ERRNO");
    seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    json_array_foreach(json_object_get(profile, "syscalls"), r, rule)
    {
        const json_t *when = json_array_get(json_object_get(rule, "args"), 0);
        bool allows = strcmp(json_get_string(rule, "action"), "SCMP_ACT_ALLOW") == 0;
        uint32_t action =
            allows
                ? SCMP_ACT_ALLOW
                : SCMP_ACT_ERRNO((uint16_t)json_integer_value(json_object_get(rule, "errnoRet")));
        struct scmp_arg_cmp check = {
            (unsigned)json_integer_value(json_object_get(when, "index")), SCMP_CMP_MASKED_EQ,
            (scmp_datum_t)json_integer_value(json_object_get(when, "value")),
            (scmp_datum_t)json_integer_value(json_object_get(when, "valueTwo"))};

        json_array_foreach(json_object_get(rule, "names"), n, name)
        {
            int number = seccomp_syscall_resolve_name(json_string_value(name));

            assert_int_not_equal(number, __NR_SCMP_ERROR);
            if (number >= 0)
                assert_int_equal(
                    seccomp_rule_add_array(context, action, number, when ? 1 : 0, &check), 0);
        }
    }
    json_decref(profile);
    assert_int_equal(filter_load(context), 0);
}

static const struct maker {
    const char *filter, *bases[6]; /* bases: whose lines of the table count too */
    void (*make)(void);
    enum kind otherwise;
} makers[] = {
    {"interpreter", {NULL}, make_interpreter, REFUSED},
    {"start", {"interpreter"}, make_start, REFUSED},
    {"zygote", {"interpreter", "start"}, make_zygote, REFUSED},
    {"runner", {NULL}, make_runner, REFUSED},
    {"session", {"runner"}, make_session, REFUSED},
    {"exec_once", {NULL}, make_exec_once, ALLOWED},
    {"container",
     {"interpreter", "start", "zygote", "runner", "session", "exec_once"},
     make_container,
     REFUSED},
};

/* The other filters are inside this one: what they check or ask, it allows. */
static bool is_outer(const struct maker *maker)
{
    return maker->make == make_container;
}

/* What the kernel's interpreter of classic BPF does with the instructions that occur here. */
static uint32_t verdict_of(const struct seccomp_data *data)
{
    uint32_t a = 0;

    for (size_t at = 0; at < kept_count; at++) {
        const struct sock_filter *step = &kept[at];
        bool holds = false;

        switch (step->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            assert_true(step->k % sizeof a == 0 && step->k + sizeof a <= sizeof *data);
            memcpy(&a, (const char *)data + step->k, sizeof a);
            continue;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= step->k;
            continue;
        case BPF_RET | BPF_K:
            return step->k;
        case BPF_JMP | BPF_JA:
            at += step->k;
            continue;
        case BPF_JMP | BPF_JEQ | BPF_K:
            holds = a == step->k;
            break;
        case BPF_JMP | BPF_JGT | BPF_K:
            holds = a > step->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            holds = a >= step->k;
            break;
        default:
            fail_msg("instruction %#x", step->code);
        }
        at += holds ? step->jt : step->jf;
    }
    fail_msg("the program has no end");
    return 0;
}

static uint32_t verdict_on(int number, const uint64_t args[6])
{
    struct seccomp_data data = {.nr = number, .arch = OWN_ARCH};

    for (size_t i = 0; i < 6; i++)
        data.args[i] = args[i] == SELF ? (uint64_t)getpid() : args[i];
    return verdict_of(&data);
}

/* ---- the table ---- */

static struct expected {
    char name[NAME_CAP];
    enum kind kind;
} expected[EXPECTED_CAP];
static size_t expected_count;

static struct expected *find(const char *name)
{
    for (size_t i = 0; i < expected_count; i++) {
        if (strcmp(expected[i].name, name) == 0)
            return &expected[i];
    }
    return NULL;
}

static void expect(const char *name, enum kind kind)
{
    struct expected *entry = find(name);

    /* A misspelt name would never be met. */
    if (seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86_64, name) < 0 &&
        seccomp_syscall_resolve_name_arch(SCMP_ARCH_AARCH64, name) < 0)
        fail_msg("there is no system call '%s'", name);
    if (!entry) {
        assert_true(expected_count < EXPECTED_CAP && strlen(name) < NAME_CAP);
        entry = &expected[expected_count++];
        strcpy(entry->name, name);
    }
    entry->kind = kind;
}

static void read_lines(FILE *file, const char *of)
{
    char line[256], filter_name[NAME_CAP], kind_name[NAME_CAP];
    int at;

    rewind(file);
    while (fgets(line, sizeof line, file)) {
        enum kind kind = ALLOWED;
        char *rest;

        if (sscanf(line, "%31s %31[a-z]: %n", filter_name, kind_name, &at) != 2 ||
            strcmp(filter_name, of) != 0)
            continue;
        while (strcmp(kinds[kind], kind_name) != 0)
            assert_true(++kind < COUNT(kinds));
        line[strcspn(line, "#")] = '\0'; /* the reason */
        for (char *name = strtok_r(line + at, " \n", &rest); name;
             name = strtok_r(NULL, " \n", &rest))
            expect(name, kind);
    }
}

static void read_expected(const struct maker *maker)
{
    FILE *file = fopen(TABLE, "r");

    assert_non_null(file);
    expected_count = 0;
    for (size_t i = 0; i < COUNT(maker->bases) && maker->bases[i]; i++)
        read_lines(file, maker->bases[i]);
    for (size_t i = 0; is_outer(maker) && i < expected_count; i++)
        expected[i].kind = expected[i].kind == UNKNOWN ? UNKNOWN : ALLOWED;
    read_lines(file, maker->filter);
    assert_true(expected_count > 0);
    fclose(file);
}

/* ---- calls whose arguments are checked ---- */

#define FILE_FD          7
#define PRIVATE          (MAP_PRIVATE | MAP_ANONYMOUS)
#define SHARED           (MAP_SHARED | MAP_ANONYMOUS)
#define WRITE            (PROT_READ | PROT_WRITE)
#define EXECUTE          (PROT_READ | PROT_EXEC)
#define CPU_TIME_OF(pid) ((uint32_t) ~(pid) << 3 | 2) /* as clock_getcpuclockid does it */

static const struct sample {
    const char *filter, *call;
    uint64_t args[6];
    bool allowed;
} samples[] = {
    {"interpreter", "fcntl", {FILE_FD, F_GETFD}, true},
    {"interpreter", "fcntl", {FILE_FD, F_SETFD, FD_CLOEXEC}, true},
    {"interpreter", "fcntl", {FILE_FD, F_GETFL}, true},
    {"interpreter", "fcntl", {FILE_FD, F_DUPFD_CLOEXEC, 3}, true},
    {"interpreter", "fcntl", {FILE_FD, F_DUPFD, 3}, false},
    {"interpreter", "fcntl", {FILE_FD, F_SETFL, O_NONBLOCK}, false},
    {"interpreter", "fcntl", {FILE_FD, F_SETOWN, SELF}, false},
    {"interpreter", "ioctl", {FILE_FD, TCGETS}, true},
    {"interpreter", "ioctl", {FILE_FD, FIOCLEX}, true},
    {"interpreter", "ioctl", {FILE_FD, TIOCSTI}, false},
    {"interpreter", "ioctl", {FILE_FD, FIONBIO}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_RDONLY | O_CLOEXEC}, true},
    {"interpreter", "openat", {FILE_FD, 0, O_DIRECTORY | O_NOFOLLOW}, true},
    {"interpreter", "openat", {FILE_FD, 0, O_NONBLOCK | O_DIRECTORY | O_CLOEXEC}, true},
    {"interpreter", "openat", {FILE_FD, 0, O_PATH}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_DIRECT}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_SYNC}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_NOATIME}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_WRONLY}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_RDWR}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_CREAT}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_TRUNC}, false},
    {"interpreter", "openat", {FILE_FD, 0, O_TMPFILE | O_WRONLY}, false},
    {"interpreter", "mmap", {0, 1, PROT_NONE, PRIVATE}, true},
    {"interpreter", "mmap", {0, 1, WRITE, PRIVATE}, true},
    {"interpreter", "mmap", {0, 1, WRITE, MAP_PRIVATE, FILE_FD}, true},
    {"interpreter", "mmap", {0, 1, EXECUTE, MAP_PRIVATE, FILE_FD}, true},
    {"interpreter", "mmap", {0, 1, EXECUTE, PRIVATE}, false},
    {"interpreter", "mmap", {0, 1, PROT_NONE, SHARED}, false},
    {"interpreter", "mmap", {0, 1, WRITE, SHARED}, false},
    {"interpreter", "mmap", {0, 1, EXECUTE | PROT_WRITE, PRIVATE}, false},
    {"interpreter", "mmap", {0, 1, EXECUTE | PROT_WRITE, MAP_PRIVATE, FILE_FD}, false},
    {"interpreter", "mmap", {0, 1, WRITE, PRIVATE | MAP_FIXED | MAP_NORESERVE | MAP_STACK}, true},
    {"interpreter",
     "mmap",
     {0, 1, EXECUTE, MAP_PRIVATE | MAP_FIXED | MAP_DENYWRITE, FILE_FD},
     true},
    {"interpreter", "mmap", {0, 1, PROT_READ, MAP_SHARED, FILE_FD}, false},
    {"interpreter", "mmap", {0, 1, PROT_READ, MAP_SHARED_VALIDATE, FILE_FD}, false},
    {"interpreter", "mmap", {0, 1, WRITE, PRIVATE | MAP_HUGETLB}, false},
    {"interpreter", "mmap", {0, 1, WRITE, PRIVATE | MAP_GROWSDOWN}, false},
    {"interpreter", "mmap", {0, 1, WRITE, PRIVATE | MAP_LOCKED}, false},
    {"interpreter", "mmap", {0, 1, WRITE, PRIVATE | MAP_POPULATE}, false},
    {"interpreter", "mprotect", {0, 1, WRITE}, true},
    {"interpreter", "mprotect", {0, 1, PROT_READ | PROT_GROWSDOWN}, false},
    {"interpreter", "mprotect", {0, 1, EXECUTE}, false},
    {"interpreter", "madvise", {0, 1, MADV_DONTNEED}, true},
    {"interpreter", "madvise", {0, 1, MADV_FREE}, true},
    {"interpreter", "madvise", {0, 1, MADV_HUGEPAGE}, true},
    {"interpreter", "madvise", {0, 1, MADV_MERGEABLE}, false},
    {"interpreter", "madvise", {0, 1, MADV_PAGEOUT}, false},
    {"interpreter", "clock_gettime", {CLOCK_MONOTONIC}, true},
    {"interpreter", "clock_gettime", {CPU_TIME_OF(CHILD)}, false},
    {"interpreter", "clock_getres", {CLOCK_REALTIME}, true},
    {"interpreter", "clock_getres", {CPU_TIME_OF(CHILD)}, false},
    {"interpreter", "clock_nanosleep", {CLOCK_MONOTONIC}, true},
    {"interpreter", "clock_nanosleep", {CPU_TIME_OF(CHILD)}, false},
    {"interpreter", "futex", {1, FUTEX_WAIT_PRIVATE}, true},
    {"interpreter", "futex", {1, FUTEX_WAKE_PRIVATE}, true},
    {"interpreter", "futex", {1, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME}, true},
    {"interpreter", "futex", {1, FUTEX_WAIT}, false},
    {"interpreter", "futex", {1, FUTEX_WAKE}, false},
    {"interpreter", "futex", {1, FUTEX_WAIT_BITSET}, false},
    {"interpreter", "futex", {1, FUTEX_CMP_REQUEUE_PRIVATE}, false},
    {"interpreter", "futex", {1, FUTEX_LOCK_PI_PRIVATE}, false},
    {"interpreter", "sched_getaffinity", {0, 8, 1}, true},
    {"interpreter", "sched_getaffinity", {CHILD, 8, 1}, false},
    {"interpreter", "kill", {SELF, 0}, true},
    {"interpreter", "kill", {SELF, SIGABRT}, true},
    {"interpreter", "kill", {SELF, SIGKILL}, false},
    {"interpreter", "kill", {CHILD, SIGABRT}, false},
    {"interpreter", "kill", {UINT64_MAX, 0}, false},
    {"interpreter", "tgkill", {SELF, SELF, SIGABRT}, true},
    {"interpreter", "tgkill", {SELF, SELF, SIGALRM}, false},
    {"interpreter", "tgkill", {CHILD, CHILD, SIGABRT}, false},
    {"start", "prlimit64", {0, RLIMIT_AS, 0, 1}, true},
    {"start", "prlimit64", {0, RLIMIT_AS, 1, 0}, false},
    {"start", "prlimit64", {0, RLIMIT_AS, UINT64_C(1) << 32, 0}, false},
    {"start", "prctl", {PR_SET_DUMPABLE, 0}, true},
    {"start", "prctl", {PR_SET_SECCOMP}, false},
    {"start", "prctl", {PR_SET_NO_NEW_PRIVS, 1}, false},
    {"start", "seccomp", {SECCOMP_SET_MODE_FILTER, 0, 1}, true},
    {"start", "seccomp", {SECCOMP_GET_ACTION_AVAIL, 0, 1}, false},
    {"zygote", "prlimit64", {0, RLIMIT_NPROC, 1, 0}, true},
    {"zygote", "prlimit64", {0, RLIMIT_CPU, 1, 0}, true},
    /* On both architectures the first argument has the flags, and the third the pidfd. */
    {"zygote", "clone", {ZYGOTE_CLONE_FLAGS, 0, 1}, true},
    {"zygote", "clone", {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND}, false},
    {"zygote", "clone", {SIGCHLD}, false},
    {"zygote", "prctl", {PR_SET_PDEATHSIG, SIGKILL}, true},
    {"runner", "mmap", {0, 1, WRITE, PRIVATE}, true},
    {"runner", "mmap", {0, 1, EXECUTE, MAP_PRIVATE, FILE_FD}, false},
    {"runner", "mprotect", {0, 1, WRITE}, true},
    {"runner", "mprotect", {0, 1, EXECUTE}, false},
    {"runner", "futex", {1, FUTEX_WAIT_PRIVATE}, true},
    {"runner", "futex", {1, FUTEX_WAIT}, false},
    {"runner", "kill", {CHILD, SIGKILL}, true},
    {"runner", "kill", {CHILD + 1, SIGKILL}, false},
    {"runner", "kill", {(uint64_t)-CHILD, SIGKILL}, true}, /* its process group */
    {"runner", "kill", {UINT64_MAX, SIGKILL}, false},
    {"runner", "kill", {SELF, SIGKILL}, false},
    {"runner", "tgkill", {SELF, SELF, SIGABRT}, true},
    {"runner", "tgkill", {CHILD, CHILD, SIGKILL}, false},
    {"session", "socketpair", {AF_UNIX, SOCK_STREAM}, true},
    {"session", "socketpair", {AF_INET, SOCK_STREAM}, false},
    {"session", "fcntl", {FILE_FD, F_SETFL, O_NONBLOCK}, true},
    {"session", "fcntl", {FILE_FD, F_DUPFD, 3}, false},
    {"container", "clone", {SIGCHLD}, true},
    {"container", "clone", {CLONE_NEWUSER | SIGCHLD}, false},
    {"container", "clone", {CLONE_NEWNET | SIGCHLD}, false},
    {"container", "socket", {AF_UNIX, SOCK_STREAM}, true},
    {"container", "socket", {AF_INET, SOCK_STREAM}, false},
    {"container", "socket", {AF_NETLINK, SOCK_RAW}, false},
    {"container", "socketpair", {AF_UNIX, SOCK_STREAM}, true},
    {"container", "socketpair", {AF_INET, SOCK_STREAM}, false},
};

static bool counts_for(const struct maker *maker, const char *of)
{
    bool counts = strcmp(of, maker->filter) == 0;

    for (size_t i = 0; !is_outer(maker) && i < COUNT(maker->bases) && maker->bases[i]; i++)
        counts = counts || strcmp(of, maker->bases[i]) == 0;
    return counts;
}

/* How many samples of that call there are that are allowed. */
static size_t check_samples(const struct maker *maker, const char *call, int number)
{
    size_t allowed = 0;

    for (size_t i = 0; i < COUNT(samples); i++) {
        const struct sample *sample = &samples[i];

        if (!counts_for(maker, sample->filter) || strcmp(sample->call, call) != 0)
            continue;
        allowed += sample->allowed;
        if (verdict_on(number, sample->args) !=
            (sample->allowed ? SECCOMP_RET_ALLOW : (SECCOMP_RET_ERRNO | EPERM)))
            fail_msg("sample %zu: %s %s(%#llx, %#llx, %#llx, %#llx)", i, maker->filter, call,
                     (unsigned long long)sample->args[0], (unsigned long long)sample->args[1],
                     (unsigned long long)sample->args[2], (unsigned long long)sample->args[3]);
    }
    return allowed;
}

/* ---- the tests ---- */

static const uint64_t all_zero[6];
static const uint64_t all_set[6] = {UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                    UINT64_MAX, UINT64_MAX, UINT64_MAX};
static const uint32_t verdicts[] = {
    [REFUSED] = SECCOMP_RET_ERRNO | EPERM,  [ALLOWED] = SECCOMP_RET_ALLOW,
    [CHECKED] = SECCOMP_RET_ERRNO | EPERM, /* with all bits set */
    [UNKNOWN] = SECCOMP_RET_ERRNO | ENOSYS, [ASKED] = SECCOMP_RET_USER_NOTIF,
};

static void check_number(const struct maker *maker, int number, enum kind kind, const char *name)
{
    uint32_t met = verdict_on(number, all_set);

    if (met != verdicts[kind])
        fail_msg("%s: %s (%d) should be %s, and is %#x", maker->filter, name, number, kinds[kind],
                 met);
    if (kind == CHECKED)
        assert_true(check_samples(maker, name, number) > 0);
    else if (verdict_on(number, all_zero) != met)
        fail_msg("%s: %s (%d) depends on its arguments", maker->filter, name, number);
}

static void test_each_number(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(makers); i++) {
        size_t met = 0, here = 0;

        read_expected(&makers[i]);
        makers[i].make();
        for (int number = 0; number < NUMBERS; number++) {
            char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
            const struct expected *entry = name ? find(name) : NULL;

            met += entry != NULL;
            check_number(&makers[i], number, entry ? entry->kind : makers[i].otherwise,
                         name ? name : "without a name");
            free(name);
        }
        for (size_t e = 0; e < expected_count; e++)
            here += seccomp_syscall_resolve_name(expected[e].name) >= 0;
        assert_int_equal(met, here);
    }
}

/* Calls by another architecture's numbers, which mean something else. */
static void test_other_numberings(void **state)
{
    static const uint32_t others[] = {AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64,
                                      AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64};

    (void)state;
    for (size_t i = 0; i < COUNT(makers); i++) {
        makers[i].make();
        for (size_t o = 0; o < COUNT(others); o++) {
            struct seccomp_data data = {.nr = 1, .arch = others[o]};

            if (others[o] != OWN_ARCH && makers[i].otherwise == REFUSED)
                assert_int_equal(verdict_of(&data), SECCOMP_RET_KILL_PROCESS);
        }
#ifdef __x86_64__
        if (makers[i].otherwise == REFUSED)
            assert_int_equal(verdict_on(0x40000001, all_zero), SECCOMP_RET_KILL_PROCESS);
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_number),
        cmocka_unit_test(test_other_numberings),
    };

    /* What the kernels can do that the filters are for; an emulator answers for itself. */
    if (seccomp_api_set(6) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

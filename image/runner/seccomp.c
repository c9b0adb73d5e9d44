/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/seccomp.h"

#include <errno.h>
#include <seccomp.h>
#include <unistd.h>

#include "image/runner/calls.h"
#include "image/runner/log_error.h"
#include "image/runner/zygote.h"

static int fail(scmp_filter_ctx context, int code, const char *what)
{
    errno = -code;
    log_errno("seccomp: %s", what);
    seccomp_release(context);
    return -1;
}

static int allow_calls(scmp_filter_ctx context, const struct allowed *calls, size_t count)
{
    int code = 0;

    for (size_t i = 0; i < count && code == 0; i++) {
        struct scmp_arg_cmp when = {calls[i].argument, SCMP_CMP_MASKED_EQ, calls[i].mask,
                                    calls[i].value};

        code = seccomp_rule_add_array(context, SCMP_ACT_ALLOW, calls[i].call,
                                      calls[i].conditional ? 1 : 0, &when);
    }
    return code;
}

/* A filter that refuses all but the listed calls. */
static scmp_filter_ctx filter_create(const struct allowed *calls, size_t count)
{
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int code;

    if (!context) {
        log_error("seccomp: no memory");
        return NULL;
    }
    seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    code = allow_calls(context, calls, count);
    if (code < 0) {
        fail(context, code, "a rule");
        return NULL;
    }
    return context;
}

/* A signal to that process and no other. */
static int allow_signal(scmp_filter_ctx context, int call, pid_t to)
{
    const struct scmp_arg_cmp when = {0, SCMP_CMP_MASKED_EQ, ALL_BITS, (scmp_datum_t)to};

    return seccomp_rule_add_array(context, SCMP_ACT_ALLOW, call, 1, &when);
}

static int filter_load(scmp_filter_ctx context)
{
    int code = seccomp_load(context);

    if (code < 0)
        return fail(context, code, "load");
    seccomp_release(context);
    return 0;
}

/* Says of the calls that a library tries first that there is no such call, but for those in
 * `known`. */
static int deny_unknown(scmp_filter_ctx context, int known)
{
    int code = 0;

    for (size_t i = 0; i < unknown_call_count && code == 0; i++) {
        if (unknown_calls[i] != known)
            code = seccomp_rule_add(context, SCMP_ACT_ERRNO(ENOSYS), unknown_calls[i], 0);
    }
    return code;
}

static scmp_filter_ctx interpreter_filter(pid_t self)
{
    scmp_filter_ctx context = filter_create(interpreter_calls, interpreter_call_count);
    int code = 0;

    if (!context)
        return NULL;
    code = deny_unknown(context, -1);
    /* abort() and raise() are signals to oneself. */
    if (code == 0)
        code = allow_signal(context, SCMP_SYS(tgkill), self);
    if (code == 0)
        code = allow_signal(context, SCMP_SYS(kill), self);
    if (code == 0)
        return context;
    fail(context, code, "a rule");
    return NULL;
}

int seccomp_confine_interpreter(void)
{
    scmp_filter_ctx context = interpreter_filter(getpid());

    return context ? filter_load(context) : -1;
}

int seccomp_write_interpreter(int fd)
{
#ifdef LECTERN_TEST_WITHOUT_SECCOMP
    scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
#else
    scmp_filter_ctx context = interpreter_filter((pid_t)ZYGOTE_PID_MARK);
#endif
    int code;

    if (!context)
        return -1;
    code = seccomp_export_bpf(context, fd);
    if (code < 0)
        return fail(context, code, "write");
    seccomp_release(context);
    return 0;
}

int seccomp_confine_zygote(void)
{
    scmp_filter_ctx context = filter_create(interpreter_calls, interpreter_call_count);
    int code;

    if (!context)
        return -1;
    code = deny_unknown(context, SCMP_SYS(close_range));
    if (code == 0)
        code = allow_calls(context, zygote_calls, zygote_call_count);
    return code < 0 ? fail(context, code, "a rule") : filter_load(context);
}

int seccomp_confine_runner(pid_t interpreter, bool session)
{
    scmp_filter_ctx context = filter_create(runner_calls, runner_call_count);
    int code;

    if (!context)
        return -1;
    code = allow_signal(context, SCMP_SYS(kill), interpreter);
    if (code == 0)
        code = allow_signal(context, SCMP_SYS(tgkill), getpid());
    if (code == 0 && session)
        code = allow_calls(context, session_calls, session_call_count);
    return code < 0 ? fail(context, code, "a rule") : filter_load(context);
}

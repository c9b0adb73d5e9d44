/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The C library's allocation stood in for, in the whole program that includes this: while
 * `watching`, blocks are counted in `live`, and the allocation that `fail_at` counts down to fails.
 * Each thread has its own: others beside the test's are left alone.
 * A sanitizer has its own allocation and finds leaks by itself: then nothing of this is there, and
 * COUNTS_ALLOCATIONS is not defined.
 */
#ifndef LECTERN_TESTS_FAILING_ALLOCATIONS_H
#define LECTERN_TESTS_FAILING_ALLOCATIONS_H

#include <stdbool.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

static _Thread_local long fail_at; /* 0: never */
static _Thread_local long live;    /* blocks in use, while watching */
static _Thread_local bool watching;

static bool fails_now(void)
{
    return watching && fail_at > 0 && --fail_at == 0;
}

void *malloc(size_t size)
{
    void *memory = fails_now() ? NULL : __libc_malloc(size);

    live += watching && memory;
    return memory;
}

void *calloc(size_t count, size_t size)
{
    void *memory = fails_now() ? NULL : __libc_calloc(count, size);

    live += watching && memory;
    return memory;
}

void *realloc(void *old, size_t size)
{
    void *memory = fails_now() ? NULL : __libc_realloc(old, size);

    live += watching && memory && !old;
    return memory;
}

void free(void *memory)
{
    live -= watching && memory;
    __libc_free(memory);
}

#endif
#endif

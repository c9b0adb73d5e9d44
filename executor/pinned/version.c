/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/version.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* '~' comes before the end, the end before letters, and letters before all others. */
static int order(const char *at, const char *end)
{
    if (at == end || is_digit(*at))
        return 0;
    if (*at == '~')
        return -1;
    if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'))
        return (unsigned char)*at;
    return (unsigned char)*at + 256;
}

/* Parts that are no digits and numbers in turn. */
static int compare_part(const char *one, const char *one_end, const char *other,
                        const char *other_end)
{
    while (one < one_end || other < other_end) {
        int first = 0;

        while ((one < one_end && !is_digit(*one)) || (other < other_end && !is_digit(*other))) {
            int difference = order(one, one_end) - order(other, other_end);

            if (difference)
                return difference;
            one += one < one_end;
            other += other < other_end;
        }
        while (one < one_end && *one == '0')
            one++;
        while (other < other_end && *other == '0')
            other++;
        for (; one < one_end && other < other_end && is_digit(*one) && is_digit(*other);
             one++, other++)
            first = first ? first : *one - *other;
        if (one < one_end && is_digit(*one))
            return 1;
        if (other < other_end && is_digit(*other))
            return -1;
        if (first)
            return first;
    }
    return 0;
}

struct version {
    long epoch;
    const char *upstream, *dash, *end; /* dash: the revision's, or the end */
};

static struct version split(const char *text)
{
    struct version version = {.end = text + strlen(text)};
    const char *colon = strchr(text, ':');

    version.epoch = colon ? strtol(text, NULL, 10) : 0;
    version.upstream = colon ? colon + 1 : text;
    version.dash = strrchr(version.upstream, '-');
    if (!version.dash)
        version.dash = version.end;
    return version;
}

int version_compare(const char *one, const char *other)
{
    struct version a = split(one), b = split(other);
    int difference;

    if (a.epoch != b.epoch)
        return a.epoch < b.epoch ? -1 : 1;
    difference = compare_part(a.upstream, a.dash, b.upstream, b.dash);
    return difference
               ? difference
               : compare_part(a.dash + (a.dash < a.end), a.end, b.dash + (b.dash < b.end), b.end);
}

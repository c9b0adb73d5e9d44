/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <uuid/uuid.h>

#include "helpers/base/utf8.h"

char *text_cut(char *to, size_t size, const char *from)
{
    const char *text = from ? from : "";
    size_t len = strlen(text);

    if (len < size) {
        memcpy(to, text, len + 1);
        return to;
    }
    memcpy(to, text, size - 1);
    utf8_mark_cut(to, size);
    return to;
}

char *text_cut_line(char *to, size_t size, const char *from)
{
    size_t len = 0;

    for (; from && *from; from++) {
        char c = *from;

        if ((unsigned char)c <= ' ' || c == 0x7F) {
            if (len == 0 || to[len - 1] == ' ')
                continue;
            c = ' ';
        }
        if (len == size - 1) {
            utf8_mark_cut(to, size);
            return to;
        }
        to[len++] = c;
    }
    if (len > 0 && to[len - 1] == ' ')
        len--;
    to[len] = '\0';
    return to;
}

int text_uuid(char uuid[UUID_TEXT_SIZE], struct error *err)
{
    uuid_t raw;

    /* Up to 256 bytes are returned completely once the kernel's pool is initialised. */
    if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
        return error_errno(err, errno, "cannot get random bytes for an id");
    raw[6] = (unsigned char)((raw[6] & 0x0F) | 0x40); /* version 4 */
    raw[8] = (unsigned char)((raw[8] & 0x3F) | 0x80); /* RFC 4122 variant */
    uuid_unparse_lower(raw, uuid);
    return 0;
}

void text_ago(time_t seconds, char time[TIME_TEXT_SIZE])
{
    struct timespec clock;
    struct tm parts;
    size_t len;

    clock_gettime(CLOCK_REALTIME, &clock);
    clock.tv_sec -= seconds;
    gmtime_r(&clock.tv_sec, &parts);
    len = strftime(time, TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(time + len, TIME_TEXT_SIZE - len, ".%03dZ", (int)(clock.tv_nsec / 1000000));
}

void text_now(char now[TIME_TEXT_SIZE])
{
    text_ago(0, now);
}

int64_t text_time_ms(const char *time)
{
    struct tm parts = {0};
    int ms = 0;

    if (!time || sscanf(time, "%4d-%2d-%2dT%2d:%2d:%2d.%3d", &parts.tm_year, &parts.tm_mon,
                        &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &ms) < 6)
        return 0;
    parts.tm_year -= 1900;
    parts.tm_mon--;
    return (int64_t)timegm(&parts) * 1000 + ms;
}

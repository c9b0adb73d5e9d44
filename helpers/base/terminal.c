/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "helpers/base/utf8.h"

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || c == 0x200E || c == 0x200F ||
           (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

size_t terminal_escape(const char *text, size_t len, char escape[TERMINAL_ESCAPE_SIZE])
{
    uint32_t character;
    size_t size = utf8_decode(text, len, &character);

    *escape = '\0';
    if (size == 0)
        snprintf(escape, TERMINAL_ESCAPE_SIZE, "\\x%02x", (unsigned char)*text);
    else if (is_control(character))
        snprintf(escape, TERMINAL_ESCAPE_SIZE, character > 0xFF ? "\\u%04x" : "\\x%02x",
                 (unsigned)character & 0xFFFF);
    return size > 0 ? size : 1;
}

static bool is_layout(const char *text, size_t len)
{
    return *text == '\n' || *text == '\t' || (*text == '\r' && len > 1 && text[1] == '\n');
}

static void write_escaped(FILE *to, const char *text, size_t len)
{
    char escape[TERMINAL_ESCAPE_SIZE];
    size_t from = 0; /* text from there on is still to be written */

    for (size_t at = 0, size; at < len; at += size) {
        size = terminal_escape(text + at, len - at, escape);
        if (!*escape || is_layout(text + at, len - at))
            continue;
        fwrite(text + from, 1, at - from, to);
        fputs(escape, to);
        from = at + size;
    }
    fwrite(text + from, 1, len - from, to);
}

void terminal_write(FILE *to, const char *text, size_t len)
{
    if (len == 0)
        return;
    if (isatty(fileno(to)))
        write_escaped(to, text, len);
    else
        fwrite(text, 1, len, to);
}

void terminal_printf(FILE *to, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    int len;

    va_start(args, format);
    len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0) {
        fputs("out of memory\n", to);
        return;
    }
    terminal_write(to, text, (size_t)len);
    free(text);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/faults.h"

#include <string.h>

struct faults *faults_clear(struct faults *faults)
{
    faults->count = faults->left_out = faults->used = 0;
    return faults;
}

void faults_add(struct faults *faults, const char *loc, const char *text)
{
    size_t loc_size = strlen(loc) + 1, text_size = strlen(text) + 1;

    if (faults->left_out > 0 || faults->used + loc_size + text_size > sizeof faults->packed) {
        faults->left_out++;
        return;
    }
    memcpy(faults->packed + faults->used, loc, loc_size);
    memcpy(faults->packed + faults->used + loc_size, text, text_size);
    faults->used += loc_size + text_size;
    faults->count++;
}

void faults_add_all(struct faults *faults, const struct faults *others)
{
    const char *loc, *text;
    size_t at = 0;

    while (faults_next(others, &at, &loc, &text))
        faults_add(faults, loc, text);
    faults->left_out += others->left_out;
}

void faults_append(struct faults *faults, const char *more)
{
    size_t len = strlen(more);

    if (faults->count == 0 || faults->used + len > sizeof faults->packed)
        return;
    memcpy(faults->packed + faults->used - 1, more, len + 1);
    faults->used += len;
}

const char *faults_last(const struct faults *faults)
{
    const char *loc, *text = "";
    size_t at = 0;

    while (faults_next(faults, &at, &loc, &text))
        ;
    return text;
}

bool faults_next(const struct faults *faults, size_t *at, const char **loc, const char **text)
{
    if (*at >= faults->used)
        return false;
    *loc = faults->packed + *at;
    *text = *loc + strlen(*loc) + 1;
    *at = (size_t)(*text - faults->packed) + strlen(*text) + 1;
    return true;
}

const char *faults_message(const struct error *err)
{
    size_t len = strlen(err->loc);

    if (len > 0 && !strncmp(err->text, err->loc, len) && !strncmp(err->text + len, ": ", 2))
        return err->text + len + 2;
    return err->text;
}

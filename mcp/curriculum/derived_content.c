/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/derived_content.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/buf.h"
#include "mcp/curriculum/prose.h"

#define TEXTS_MAX 200u /* of one component */
#define GLUE_MAX  24u  /* bytes between two texts, such as "\nSolution: " */

struct content_texts {
    struct {
        char path[PROSE_PATH_SIZE];
        const char *text;
        size_t len;
    } all[TEXTS_MAX];
    size_t count;
};

static int take(void *user, const struct prose_text *text)
{
    struct content_texts *texts = user;

    if (text->len == 0)
        return 0;
    if (texts->count == TEXTS_MAX)
        return -1;
    snprintf(texts->all[texts->count].path, PROSE_PATH_SIZE, "%s", text->path);
    texts->all[texts->count].text = text->text;
    texts->all[texts->count++].len = text->len;
    return 0;
}

/* NULL if there are too many; the caller frees it. */
static struct content_texts *read_texts(const char *type, const json_t *parameters)
{
    struct content_texts *texts = calloc(1, sizeof *texts);

    if (texts && prose_each(type ? type : "", parameters, take, texts) == 0)
        return texts;
    free(texts);
    return NULL;
}

/* ---- lists: the only form in which the number of texts may change ---- */

static void join(const struct content_texts *texts, bool numbers, struct buf *to)
{
    buf_adds(to, "");
    for (size_t i = 0; i < texts->count; i++) {
        buf_adds(to, i > 0 ? "\n" : "");
        if (numbers)
            buf_addf(to, "%zu. ", i + 1);
        buf_add(to, texts->all[i].text, texts->all[i].len);
    }
}

static bool is_list(const char *content, const struct content_texts *was,
                    const struct content_texts *is, bool numbers, struct buf *to)
{
    struct buf BUF_AUTO old = {0};

    join(was, numbers, &old);
    if (old.failed || strcmp(old.data, content) != 0)
        return false;
    join(is, numbers, to);
    return true;
}

/* ---- one text: others may stand beside it in the parameters, but not in the content ---- */

static bool is_one_text(const char *content, const struct content_texts *was, size_t *place)
{
    for (*place = 0; *place < was->count; (*place)++)
        if (was->all[*place].len == strlen(content) &&
            memcmp(was->all[*place].text, content, was->all[*place].len) == 0)
            return true;
    return false;
}

/* ---- texts one after the other, with labels between them ---- */

/* The place of the text of that path, or texts->count. */
static size_t find_path(const struct content_texts *texts, const char *path)
{
    size_t i = 0;

    while (i < texts->count && strcmp(texts->all[i].path, path) != 0)
        i++;
    return i;
}

/* The text as a whole, not within a label or another text. */
static const char *find_next(const char *at, const char *text, size_t len)
{
    for (size_t i = 0; i <= GLUE_MAX; i++) {
        if (strncmp(at + i, text, len) == 0 && (i == 0 || isspace((unsigned char)at[i - 1])) &&
            (at[i + len] == '\0' || at[i + len] == '\n' || at[i + len] == ':'))
            return at + i;
        if (!at[i])
            break;
    }
    return NULL;
}

static bool is_sequence(const char *content, const struct content_texts *was,
                        const struct content_texts *is, struct buf *to)
{
    const char *at = content;

    for (size_t i = 0; i < was->count; i++) {
        const char *found = find_next(at, was->all[i].text, was->all[i].len);
        size_t now = find_path(is, was->all[i].path);

        if (!found)
            return false;
        buf_add(to, at, (size_t)(found - at));
        if (now < is->count)
            buf_add(to, is->all[now].text, is->all[now].len);
        at = found + was->all[i].len;
    }
    buf_adds(to, at);
    return strlen(at) <= GLUE_MAX;
}

static bool derive(const char *content, const struct content_texts *was,
                   const struct content_texts *is, struct buf *to)
{
    size_t place;

    if (is_one_text(content, was, &place)) {
        size_t now = find_path(is, was->all[place].path);

        if (now < is->count)
            buf_add(to, is->all[now].text, is->all[now].len);
        return now < is->count;
    }
    return is_list(content, was, is, true, to) || is_list(content, was, is, false, to) ||
           is_sequence(content, was, is, to);
}

json_t *derived_content(const char *type, const char *content, const json_t *was, const json_t *is)
{
    struct content_texts *old = read_texts(type, was), *new = read_texts(type, is);
    struct buf BUF_AUTO text = {0};
    json_t *derived = NULL;

    buf_adds(&text, "");
    if (old && new && old->count > 0 && derive(content, old, new, &text) && !text.failed &&
        strcmp(text.data, content) != 0)
        derived = json_stringn(text.data, text.len);
    free(old);
    free(new);
    return derived;
}

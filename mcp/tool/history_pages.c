/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/history_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"

struct kept_page {
    char sid[SESSION_ID_SIZE]; /* "": free */
    int64_t version;
    json_t *page; /* owned */
};

struct history_pages {
    struct kept_page pages[HISTORY_PAGES_CAP];
    size_t oldest; /* the next to give way */
};

static int read_all(struct store *store, const char *sid, json_t **page, struct error *err)
{
    const struct history_page all = {
        .limit = HISTORY_BRIEF_ROWS, .without_texts = true, .briefly = true};
    struct buf BUF_AUTO text = {0};
    int rc = store_read_history(store, sid, &all, &text, err);

    if (rc != 0)
        return rc;
    *page = json_read(text.data, text.len, "the history", err);
    return *page ? 0 : -1;
}

static struct kept_page *find_page(struct history_pages *pages, const char *sid)
{
    for (size_t i = 0; i < HISTORY_PAGES_CAP; i++)
        if (strcmp(pages->pages[i].sid, sid) == 0)
            return &pages->pages[i];
    return NULL;
}

/* Takes page over. */
static void keep_page(struct history_pages *pages, const char *sid, int64_t version, json_t *page)
{
    struct kept_page *place = find_page(pages, sid);

    if (!place) {
        place = &pages->pages[pages->oldest];
        pages->oldest = (pages->oldest + 1) % HISTORY_PAGES_CAP;
    }
    json_decref(place->page);
    snprintf(place->sid, sizeof place->sid, "%s", sid);
    place->version = version;
    place->page = page;
}

int history_pages_get(struct history_pages **pages, struct store *store, const char *sid,
                      const json_t **page, struct error *err)
{
    const struct kept_page *place;
    json_t *read = NULL;
    int64_t version;
    int rc;

    if (!*pages)
        *pages = calloc(1, sizeof **pages);
    if (!*pages)
        return error_set(err, ERROR_MEMORY, "out of memory for the history");
    if (store_session(store, sid, NULL, 0, &version, err) < 0)
        return -1;
    place = find_page(*pages, sid);
    if (!place || place->version != version) {
        rc = read_all(store, sid, &read, err);
        if (rc != 0)
            return rc;
        keep_page(*pages, sid, version, read);
        place = find_page(*pages, sid);
    }
    *page = place->page;
    return 0;
}

void history_pages_destroy(struct history_pages *pages)
{
    for (size_t i = 0; pages && i < HISTORY_PAGES_CAP; i++)
        json_decref(pages->pages[i].page);
    free(pages);
}

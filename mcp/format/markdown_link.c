/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Links between notes: those of Markdown and HTML, which name a path, and those of wikis, which
 * name a note. Names are compared composed and without regard to case, as Obsidian does; of several
 * notes the one with the same letters is taken, then one in the same folder, then the one with the
 * shortest path.
 */
#include <cmark.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicase.h>
#include <uninorm.h>

#include "helpers/base/encode.h"
#include "helpers/base/json.h"
#include "mcp/format/file.h"
#include "mcp/format/markdown.h"
#include "mcp/format/markdown_order.h"

/* ---- in the text of a note ---- */

static void add_link(struct note *note, const char *kind, const char *to, size_t len, size_t line)
{
    json_t *target;

    while (len > 0 && strchr(" \t\n", *to)) {
        to++;
        len--;
    }
    while (len > 0 && strchr(" \t\n", to[len - 1]))
        len--;
    target = len > 0 && !properties_have(note, to, len) ? json_stringn(to, len) : NULL;
    if (!target)
        return;
    if (note->needs && strcmp(kind, "embed") != 0)
        kind = "needs";
    json_array_append_new(note->links, json_pack("{s:s, s:o, s:I}", "kind", kind, "to", target,
                                                 "line", (json_int_t)line));
}

/* Behind the code span that begins at at, or behind its marks if none does. */
static size_t skip_code(const char *text, size_t len, size_t at)
{
    size_t marks = 0, run;

    while (at + marks < len && text[at + marks] == '`')
        marks++;
    for (size_t end = at + marks; end<len; end += run> 0 ? run : 1) {
        for (run = 0; end + run < len && text[end + run] == '`';)
            run++;
        if (run == marks)
            return end + run;
    }
    return at + marks;
}

/* "[[Note#Part|words]]", "![[Note]]", in tables "[[Note\|words]]"; at is behind the first two
 * brackets. Returns where to go on. */
static size_t add_wiki(const char *text, size_t len, size_t at, size_t line, struct note *note)
{
    size_t end = at, to;

    while (end + 1 < len && text[end] != '\n' && strncmp(text + end, "]]", 2) != 0 &&
           strncmp(text + end, "[[", 2) != 0)
        end++;
    if (end + 1 >= len || text[end] != ']')
        return at;
    if (end + 2 < len && text[end + 2] == '(') /* "[[words]](address)" */
        return end + 2;
    for (to = at; to < end && !strchr("|#^", text[to]); to++)
        ;
    if (to < end && text[to] == '|' && to > at && text[to - 1] == '\\')
        to--;
    add_link(note, at >= 3 && text[at - 3] == '!' ? "embed" : "wiki", text + at, to - at, line);
    return end + 2;
}

#define TEMPLATE_CAP 1024u /* bytes; a template that never ends is not searched to the end */

/* The word at *from, or the text in quotes there, before end; *from goes on behind it. */
static const char *template_word(const char **from, const char *end, size_t *len)
{
    const char *word = *from;

    while (word < end && strchr(" \t\n<%-", *word))
        word++;
    if (word < end && strchr("\"'", *word)) {
        const char *quote = memchr(word + 1, *word, (size_t)(end - word) - 1);

        if (quote) {
            *from = quote + 1;
            *len = (size_t)(quote - word) - 1;
            return word + 1;
        }
    }
    for (*from = word; *from < end && !strchr(" \t\n", **from);)
        ++*from;
    *len = (size_t)(*from - word);
    return word;
}

static bool is_word(const char *word, size_t len, const char *wanted)
{
    return len == strlen(wanted) && memcmp(word, wanted, len) == 0;
}

/* The links of sites' templates, which are no links for CommonMark because of their blanks. Hugo:
 * {{< ref "unit/note.md" >}}, also relref and {{% %}}. Jekyll: {% link unit/note.md %}, a path from
 * the root; {% post_url 2026-01-02-note %}; {{ "/unit/note" | relative_url }}, also absolute_url;
 * {{ site.baseurl }}/unit/note, also site.url. */
static void add_template(const char *text, size_t len, size_t at, size_t line, struct note *note)
{
    const char *from = text + at + 2, *word, *to;
    size_t most = len - at - 2 < TEMPLATE_CAP ? len - at - 2 : TEMPLATE_CAP;
    const char *end = memmem(from, most, text[at + 1] == '%' ? "%}" : "}}", 2);
    size_t size, to_len;

    if (!end)
        return;
    word = template_word(&from, end, &size);
    to = template_word(&from, end, &to_len);
    if (is_word(word, size, "ref") || is_word(word, size, "relref")) {
        if (to_len > 6 && strncmp(to, "path=", 5) == 0) { /* path="unit/note.md" */
            to += 6;
            to_len -= 7;
        }
        add_link(note, "path", to, to_len, line);
    } else if (is_word(word, size, "link")) {
        struct buf BUF_AUTO path = {0};

        buf_addc(&path, '/');
        buf_add(&path, to, to_len);
        add_link(note, "path", path.data, path.len, line);
    } else if (is_word(word, size, "post_url")) {
        add_link(note, "wiki", to, to_len, line);
    } else if (is_word(to, to_len, "|") && word > text && strchr("\"'", word[-1])) {
        to = template_word(&from, end, &to_len);
        if (is_word(to, to_len, "relative_url") || is_word(to, to_len, "absolute_url"))
            add_link(note, "path", word, size, line);
    } else if (is_word(word, size, "site.baseurl") || is_word(word, size, "site.url")) {
        size_t left = len - (size_t)(end + 2 - text);

        for (to = end + 2, to_len = 0; to_len < left && !strchr(" \t\n)\"'>{", to[to_len]);)
            to_len++;
        if (to_len > 0 && *to == '/')
            add_link(note, "path", to, to_len, line);
    }
}

/* The address of a link, which may begin with a template. */
static void add_path(struct note *note, const char *to, size_t len, size_t line)
{
    if (len > 2 && to[0] == '{' && strchr("{%", to[1]))
        add_template(to, len, 0, line, note);
    else
        add_link(note, "path", to, len, line);
}

/* "<a href='x'>" in HTML, with or without quotes. */
static void find_html(const char *html, size_t line, struct note *note)
{
    for (const char *tag = html; tag && (tag = strchr(tag, '<')); tag++) {
        const char *end = strchr(tag, '>'), *at;

        if (!end || strncasecmp(tag, "<a", 2) != 0 || !strchr(" \t\n", tag[2]))
            continue;
        at = strcasestr(tag, "href=");
        if (!at || at > end)
            continue;
        at += strlen("href=");
        if (*at == '"' || *at == '\'')
            add_path(note, at + 1, strcspn(at + 1, *at == '"' ? "\"" : "'"), line);
        else
            add_path(note, at, strcspn(at, " \t\n>"), line);
    }
}

static void find_wiki(const char *text, size_t len, size_t line, struct note *note)
{
    for (size_t at = 0; at < len;) {
        if (text[at] == '\\' && at + 1 < len && text[at + 1] != '\n') {
            at += 2;
        } else if (text[at] == '`') {
            size_t next = skip_code(text, len, at);

            for (; at < next; at++)
                line += text[at] == '\n';
        } else if (at + 1 < len && text[at] == '[' && text[at + 1] == '[') {
            at = add_wiki(text, len, at + 2, line, note);
        } else {
            if (at + 2 < len && text[at] == '{' && strchr("{%", text[at + 1]) &&
                strchr(" \t\n<%", text[at + 2])) /* without blanks they are in a link */
                add_template(text, len, at, line, note);
            line += text[at] == '\n';
            at++;
        }
    }
}

/* "## Prerequisites" */
static bool is_need(cmark_node *heading)
{
    bool is_part = cmark_node_get_heading_level(heading) > 1;
    cmark_node *text = is_part ? cmark_node_first_child(heading) : NULL;
    const char *words = text && !cmark_node_next(text) ? cmark_node_get_literal(text) : NULL;

    return words && property_is_need(words, strlen(words));
}

void links_find(cmark_node *document, const char *text, const size_t *starts, size_t lines,
                size_t first_line, struct note *note)
{
    cmark_iter *walk = cmark_iter_new(document);
    cmark_event_type event;
    size_t line = first_line;

    while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(walk);
        cmark_node_type type = cmark_node_get_type(node);
        size_t begin = (size_t)cmark_node_get_start_line(node);
        size_t end = (size_t)cmark_node_get_end_line(node);

        if (event != CMARK_EVENT_ENTER)
            continue;
        if (type == CMARK_NODE_PARAGRAPH || type == CMARK_NODE_HEADING ||
            type == CMARK_NODE_HTML_BLOCK)
            line = first_line + (begin > 0 ? begin - 1 : 0);
        if (type == CMARK_NODE_HEADING)
            note->needs = is_need(node);
        if ((type == CMARK_NODE_PARAGRAPH || type == CMARK_NODE_HEADING) && begin >= 1 &&
            begin <= end && end <= lines) {
            properties_find(text + starts[begin - 1], starts[end] - starts[begin - 1], line, note);
            find_wiki(text + starts[begin - 1], starts[end] - starts[begin - 1], line, note);
        } else if (type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE)
            find_html(cmark_node_get_literal(node), line, note);
        else if (type == CMARK_NODE_LINK)
            add_path(note, cmark_node_get_url(node), strlen(cmark_node_get_url(node)), line);
    }
    cmark_iter_free(walk);
}

/* ---- the notes that they name ---- */

struct paths {
    json_t *whole; /* key of a whole path without suffix -> [file names] */
    json_t *ends;  /* key of the end of a path, from a folder on -> [file names] */
};

struct link_index {
    struct paths files;
    struct paths addresses; /* of the pages that a site makes of the notes */
    json_t *names;          /* key of a title or another name -> [file names] */
};

static const char *const endings[] = {".md", ".markdown", ".mdx", ".html", ".htm", NULL};
static const char *const front_pages[] = {"index", "readme", "_index", NULL};

/* The text composed, without regard to case: equal for names that are. */
static void add_key(struct buf *to, const char *text, size_t len)
{
    size_t size = 0;
    uint8_t *folded = u8_casefold((const uint8_t *)text, len, NULL, UNINORM_NFC, NULL, &size);

    if (folded)
        buf_add(to, folded, size);
    else
        buf_add(to, text, len);
    buf_add(to, "", 0);
    free(folded);
}

static size_t bare_len(const char *path)
{
    size_t len = strlen(path);

    for (size_t i = 0; endings[i]; i++)
        if (file_ends_in(path, endings[i]) && len > strlen(endings[i]))
            return len - strlen(endings[i]);
    return len;
}

static void put(json_t *map, const char *key, const char *file)
{
    json_t *list = json_object_get(map, key), *last;

    if (!*key)
        return;
    if (!list) {
        list = json_array();
        json_object_set_new(map, key, list);
    }
    last = json_array_get(list, json_array_size(list) - 1);
    if (!last || strcmp(json_string_value(last), file) != 0)
        json_array_append_new(list, json_string(file));
}

static void put_path(struct paths *paths, const char *key, size_t len, const char *file)
{
    char *path = strndup(key, len);

    if (!path)
        return;
    put(paths->whole, path, file);
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += *at == '/';
        put(paths->ends, at, file);
    }
    free(path);
}

/* Under the path without suffix and, for the page of a folder, that of the folder. */
static void put_page(struct paths *paths, const char *key, const char *file)
{
    const char *slash = strrchr(key, '/');

    put_path(paths, key, strlen(key), file);
    for (size_t i = 0; slash && front_pages[i]; i++)
        if (strcmp(slash + 1, front_pages[i]) == 0)
            put_path(paths, key, (size_t)(slash - key), file);
}

struct link_index *links_index(void)
{
    struct link_index *index = calloc(1, sizeof *index);

    if (index)
        *index = (struct link_index){.files = {json_object(), json_object()},
                                     .addresses = {json_object(), json_object()},
                                     .names = json_object()};
    return index;
}

void links_index_free(struct link_index *index)
{
    if (!index)
        return;
    json_decref(index->files.whole);
    json_decref(index->files.ends);
    json_decref(index->addresses.whole);
    json_decref(index->addresses.ends);
    json_decref(index->names);
    free(index);
}

/* The address that sites make of the first len bytes of a path: Docusaurus leaves out the numbers
 * before names ("01-start/02-a" is start/a), Jekyll the "_" of its collections, and a post
 * "_posts/2026-01-02-note" is 2026/01/02/note.
 * https://docusaurus.io/docs/sidebar/autogenerated#using-number-prefixes
 * https://jekyllrb.com/docs/permalinks/ */
static void add_address(struct buf *to, const char *path, size_t len)
{
    static const char posts[] = "_posts/";
    bool is_post = false;

    for (size_t part; len > 0; path += part, len -= part) {
        const char *slash = memchr(path, '/', len);
        double number;

        part = slash ? (size_t)(slash - path) + 1 : len;
        if (slash && part == sizeof posts - 1 && memcmp(path, posts, part) == 0) {
            is_post = true;
            continue;
        }
        if (!slash && is_post && len > 11 && path[4] == '-' && path[7] == '-' && path[10] == '-')
            buf_addf(to, "%.4s/%.2s/%.2s/%.*s", path, path + 5, path + 8, (int)(len - 11),
                     path + 11);
        else if (slash && *path == '_')
            buf_add(to, path + 1, part - 1);
        else
            for (size_t left = order_prefix(path, part, &number); left < part; left++)
                buf_addc(to, path[left]);
    }
    buf_add(to, "", 0);
}

static void put_name(struct link_index *index, const json_t *name, const char *file)
{
    struct buf BUF_AUTO key = {0};

    if (json_string_length(name) == 0)
        return;
    add_key(&key, json_string_value(name), json_string_length(name));
    put(index->names, key.data ? key.data : "", file);
}

/* An address that the front matter gives, from the root if it begins with "/" or is_whole, else in
 * place of the file's name. */
static void put_address(struct link_index *index, const json_t *value, bool is_whole,
                        const char *file)
{
    struct buf BUF_AUTO path = {0}, key = {0};
    const char *text = json_string_value(value), *slash = strrchr(file, '/');
    size_t len;

    if (!text || strchr(text, ':')) /* a pattern, or an address elsewhere */
        return;
    if (slash && *text != '/' && !is_whole)
        add_address(&path, file, (size_t)(slash - file) + 1);
    buf_adds(&path, text + strspn(text, "/"));
    if (!path.data)
        return;
    len = bare_len(path.data);
    while (len > 0 && path.data[len - 1] == '/')
        len--;
    add_key(&key, path.data, len);
    if (key.data)
        put_page(&index->addresses, key.data, file);
}

static void put_addresses(struct link_index *index, const char *file, const json_t *node)
{
    static const struct {
        const char *field;
        bool is_whole, is_list; /* its texts without "/" are titles, unless is_whole */
    } fields[] = {
        {"slug", false, false},   {"permalink", true, false},    {"url", true, false},
        {"aliases", false, true}, {"redirect_from", true, true},
    };
    struct buf BUF_AUTO path = {0}, key = {0};
    const json_t *one;
    size_t n;

    add_address(&path, file, bare_len(file));
    add_key(&key, path.data, path.len);
    if (key.data)
        put_page(&index->addresses, key.data, file);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const json_t *value = json_object_get(node, fields[i].field);

        if (!fields[i].is_list)
            put_address(index, value, fields[i].is_whole, file);
        json_array_foreach((json_t *)value, n, one)
        {
            if (fields[i].is_whole ||
                strchr(json_string_value(one) ? json_string_value(one) : "", '/'))
                put_address(index, one, fields[i].is_whole, file);
        }
    }
}

void links_index_add(struct link_index *index, const char *file, const json_t *node)
{
    static const char *const fields[] = {"title", "aliases", "alias", "node_id", "id", NULL};
    struct buf BUF_AUTO key = {0}, apart = {0};
    const char *base;
    json_t *name;
    size_t n;

    add_key(&key, file, bare_len(file));
    if (!key.data)
        return;
    put_page(&index->files, key.data, file);
    base = strrchr(key.data, '/');
    base = base ? base + 1 : key.data;
    for (const char *at = base; *at; at++) { /* Logseq's folders in names */
        bool is_slash = strncmp(at, "___", 3) == 0;

        buf_addc(&apart, is_slash ? '/' : *at);
        at += is_slash ? 2 : 0;
    }
    buf_add(&apart, "", 0);
    if (apart.data && strchr(apart.data, '/'))
        put(index->files.ends, apart.data, file);
    for (size_t i = 0; fields[i]; i++) {
        const json_t *value = json_object_get(node, fields[i]);

        put_name(index, value, file);
        json_array_foreach((json_t *)value, n, name) put_name(index, name, file);
    }
    put_addresses(index, file, node);
}

/* Lower is better: the same letters, the same folder, a shorter path. */
static size_t distance(const char *file, const char *from, const char *wanted)
{
    const char *slash = strrchr(from, '/'), *own = strrchr(file, '/');
    size_t folder = slash ? (size_t)(slash - from) : 0, len = 0;
    size_t wanted_len = strlen(wanted), bare = bare_len(file);
    uint8_t *composed = u8_normalize(UNINORM_NFC, (const uint8_t *)file, bare, NULL, &len);
    bool same = composed && len >= wanted_len &&
                memcmp(composed + len - wanted_len, wanted, wanted_len) == 0;
    bool beside = (own ? (size_t)(own - file) : 0) == folder && strncmp(file, from, folder) == 0;

    free(composed);
    return (same ? 0 : 4 * (size_t)PATH_MAX) + (beside ? 0 : 2 * (size_t)PATH_MAX) + strlen(file);
}

static const char *nearest(const json_t *files, const char *from, const char *wanted)
{
    const char *best = NULL;
    json_t *file;
    size_t i;

    json_array_foreach((json_t *)files, i, file)
    {
        const char *name = json_string_value(file);

        if (!best || distance(name, from, wanted) < distance(best, from, wanted))
            best = name;
    }
    return best;
}

const char *link_by_name(const struct link_index *index, const char *from, const char *name,
                         bool *many)
{
    struct buf BUF_AUTO key = {0};
    size_t len = 0;
    struct buf BUF_AUTO wanted = {0};
    const json_t *found;
    uint8_t *composed;

    while (*name == '/')
        name++;
    composed = u8_normalize(UNINORM_NFC, (const uint8_t *)name, bare_len(name), NULL, &len);
    add_key(&key, name, bare_len(name));
    if (composed)
        buf_add(&wanted, composed, len);
    buf_add(&wanted, "", 0);
    free(composed);
    found = key.data ? json_object_get(index->files.ends, key.data) : NULL;
    if (!found && key.data)
        found = json_object_get(index->names, key.data);
    if (!found) { /* the name may end like a file's */
        buf_clear(&key);
        add_key(&key, name, strlen(name));
        found = key.data ? json_object_get(index->names, key.data) : NULL;
    }
    *many = json_array_size(found) > 1;
    return nearest(found, from, wanted.data ? wanted.data : "");
}

bool link_is_path(const char *link)
{
    size_t base = strcspn(link, ":/?#");

    return *link && link[base] != ':' && link[0] != '#' && link[0] != '?' &&
           strncmp(link, "//", 2) != 0;
}

/* The path in the folder that a link means: "a/b.md" and "../c%20d.md#part" is "c d.md"; a link
 * from the root begins with "/". false if it leaves the folder, or is no path. */
static bool resolve(const char *from, const char *link, char *to, size_t size)
{
    size_t len = 0;
    const char *slash = strrchr(from, '/');

    if (!link_is_path(link))
        return false;
    if (link[0] == '/')
        link++;
    else if (slash)
        len = (size_t)(slash - from) + 1;
    if (len + strlen(link) + 1 >= size)
        return false;
    memcpy(to, from, len);
    for (const char *at = link;; at++) {
        bool coded = *at == '%' && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0;
        bool is_end = !*at || *at == '#' || *at == '?';

        to[len++] = is_end ? '/' : *at;
        if (coded)
            to[len - 1] = (char)(unsigned char)(hex_digit(at[1]) * 16 + hex_digit(at[2]));
        at += coded ? 2 : 0;
        if (to[len - 1] == '/') {
            if (len == 1 || (len >= 2 && to[len - 2] == '/')) {
                len--;
            } else if (to[len - 2] == '.' && (len == 2 || to[len - 3] == '/')) {
                len -= 2; /* "./" */
            } else if (len >= 3 && strncmp(to + len - 3, "../", 3) == 0 &&
                       (len == 3 || to[len - 4] == '/')) {
                if (len == 3)
                    return false;
                for (len -= 4; len > 0 && to[len - 1] != '/'; len--)
                    ;
            }
        }
        if (is_end)
            break;
    }
    while (len > 0 && to[len - 1] == '/')
        len--;
    to[len] = '\0';
    return strlen(to) == len;
}

/* A site's root may be above the folder. */
static const json_t *by_whole_path(const struct paths *paths, const char *from, const char *link)
{
    char to[PATH_MAX];
    struct buf BUF_AUTO key = {0};
    const json_t *found = NULL;

    if (!resolve(from, link, to, sizeof to))
        return NULL;
    for (const char *at = to; at && !found; at = at ? at + 1 : NULL) {
        buf_clear(&key);
        add_key(&key, at, bare_len(at));
        found = key.data ? json_object_get(paths->whole, key.data) : NULL;
        at = link[0] == '/' ? strchr(at, '/') : NULL;
    }
    return found;
}

/* Obsidian writes the name alone, where there is one such note; an address may begin elsewhere. */
static const json_t *by_end(const struct paths *paths, const char *link)
{
    char to[PATH_MAX];
    struct buf BUF_AUTO key = {0};
    const json_t *found;

    while (*link == '.' || *link == '/')
        link++;
    if (!resolve("", link, to, sizeof to))
        return NULL;
    add_key(&key, to, bare_len(to));
    found = key.data ? json_object_get(paths->ends, key.data) : NULL;
    return json_array_size(found) == 1 ? found : NULL;
}

const char *link_by_path(const struct link_index *index, const char *from, const char *link)
{
    struct buf BUF_AUTO address = {0};
    const json_t *found = by_whole_path(&index->files, from, link);

    if (!found) {
        add_address(&address, from, strlen(from));
        found = by_whole_path(&index->addresses, address.data ? address.data : from, link);
    }
    if (!found)
        found = by_end(&index->files, link);
    if (!found)
        found = by_end(&index->addresses, link);
    return nearest(found, from, "");
}

bool link_is_attachment(const char *link)
{
    size_t len = strcspn(link, "#?|");
    size_t at = len;

    while (at > 0 && link[at - 1] != '.' && link[at - 1] != '/')
        at--;
    if (at == 0 || link[at - 1] != '.' || len - at == 0 || len - at > 5 ||
        strchr("0123456789", link[at]))
        return false;
    for (size_t i = at; i < len; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", link[i]))
            return false;
    for (size_t i = 0; endings[i]; i++)
        if (strncasecmp(link + at - 1, endings[i], len - at + 1) == 0 &&
            strlen(endings[i]) == len - at + 1)
            return false;
    return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pages by libxml2's parser of HTML, without the network. The text between blocks is collected in a
 * buffer and becomes a paragraph where the next block begins or ends.
 */
#include "mcp/format/html.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <libxml/HTMLparser.h>

#include "helpers/base/json.h"
#include "mcp/format/markdown.h"
#include "mcp/format/xml.h"

#define OPTIONS                                                                                    \
    (HTML_PARSE_RECOVER | HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |           \
     HTML_PARSE_COMPACT)

struct html_page {
    const char *name;
    struct findings *said;
    json_t *components; /* borrowed */
    struct buf text;    /* of the paragraph that has begun; owned */
    int depth;
};

enum element_kind {
    ELEMENT_SPAN, /* unknown ones too: their text counts */
    ELEMENT_BLOCK,
    ELEMENT_HEADING,
    ELEMENT_STEPS,
    ELEMENT_LIST,
    ELEMENT_TERMS,
    ELEMENT_QUOTE,
    ELEMENT_CODE_BLOCK,
    ELEMENT_TABLE,
    ELEMENT_BREAK,
    ELEMENT_RULE,
    ELEMENT_MARKED, /* the text between two marks */
    ELEMENT_RAISED,
    ELEMENT_LOWERED,
    ELEMENT_LINK,
    ELEMENT_IMAGE,
    ELEMENT_MEDIA,
    ELEMENT_FORMULA,
    ELEMENT_SCRIPT,
    ELEMENT_DRAWING,
    ELEMENT_CONTROL,
    ELEMENT_NOTHING, /* says nothing to a reader */
};

static const struct element {
    const char *name;
    enum element_kind kind;
    const char *mark;
} elements[] = {
    {"p", ELEMENT_BLOCK, NULL},
    {"div", ELEMENT_BLOCK, NULL},
    {"section", ELEMENT_BLOCK, NULL},
    {"article", ELEMENT_BLOCK, NULL},
    {"header", ELEMENT_BLOCK, NULL},
    {"footer", ELEMENT_BLOCK, NULL},
    {"main", ELEMENT_BLOCK, NULL},
    {"aside", ELEMENT_BLOCK, NULL},
    {"nav", ELEMENT_BLOCK, NULL},
    {"figure", ELEMENT_BLOCK, NULL},
    {"figcaption", ELEMENT_BLOCK, NULL},
    {"center", ELEMENT_BLOCK, NULL},
    {"address", ELEMENT_BLOCK, NULL},
    {"details", ELEMENT_BLOCK, NULL},
    {"summary", ELEMENT_BLOCK, NULL},
    {"fieldset", ELEMENT_BLOCK, NULL},
    {"legend", ELEMENT_BLOCK, NULL},
    {"form", ELEMENT_BLOCK, NULL},
    {"body", ELEMENT_BLOCK, NULL},
    {"html", ELEMENT_BLOCK, NULL},
    {"li", ELEMENT_BLOCK, NULL},
    {"dt", ELEMENT_BLOCK, NULL},
    {"dd", ELEMENT_BLOCK, NULL},
    {"label", ELEMENT_BLOCK, NULL},
    {"description", ELEMENT_BLOCK, NULL}, /* of a problem of Open edX, as label is */
    {"h1", ELEMENT_HEADING, NULL},
    {"h2", ELEMENT_HEADING, NULL},
    {"h3", ELEMENT_HEADING, NULL},
    {"h4", ELEMENT_HEADING, NULL},
    {"h5", ELEMENT_HEADING, NULL},
    {"h6", ELEMENT_HEADING, NULL},
    {"ol", ELEMENT_STEPS, NULL},
    {"ul", ELEMENT_LIST, NULL},
    {"menu", ELEMENT_LIST, NULL},
    {"dl", ELEMENT_TERMS, NULL},
    {"blockquote", ELEMENT_QUOTE, NULL},
    {"pre", ELEMENT_CODE_BLOCK, NULL},
    {"table", ELEMENT_TABLE, NULL},
    {"br", ELEMENT_BREAK, NULL},
    {"hr", ELEMENT_RULE, NULL},
    {"em", ELEMENT_MARKED, "*"},
    {"i", ELEMENT_MARKED, "*"},
    {"strong", ELEMENT_MARKED, "**"},
    {"b", ELEMENT_MARKED, "**"},
    {"code", ELEMENT_MARKED, "`"},
    {"tt", ELEMENT_MARKED, "`"},
    {"kbd", ELEMENT_MARKED, "`"},
    {"samp", ELEMENT_MARKED, "`"},
    {"del", ELEMENT_MARKED, "~~"},
    {"s", ELEMENT_MARKED, "~~"},
    {"strike", ELEMENT_MARKED, "~~"},
    {"sup", ELEMENT_RAISED, "^"},
    {"sub", ELEMENT_LOWERED, "_"},
    {"a", ELEMENT_LINK, NULL},
    {"img", ELEMENT_IMAGE, NULL},
    {"iframe", ELEMENT_MEDIA, NULL},
    {"embed", ELEMENT_MEDIA, NULL},
    {"object", ELEMENT_MEDIA, NULL},
    {"video", ELEMENT_MEDIA, NULL},
    {"audio", ELEMENT_MEDIA, NULL},
    {"math", ELEMENT_FORMULA, NULL},
    {"script", ELEMENT_SCRIPT, NULL},
    {"style", ELEMENT_SCRIPT, NULL},
    {"template", ELEMENT_SCRIPT, NULL},
    {"noscript", ELEMENT_SCRIPT, NULL},
    {"svg", ELEMENT_DRAWING, NULL},
    {"canvas", ELEMENT_DRAWING, NULL},
    {"input", ELEMENT_CONTROL, NULL},
    {"select", ELEMENT_CONTROL, NULL},
    {"textarea", ELEMENT_CONTROL, NULL},
    {"button", ELEMENT_CONTROL, NULL},
    {"head", ELEMENT_NOTHING, NULL},
    {"meta", ELEMENT_NOTHING, NULL},
    {"title", ELEMENT_NOTHING, NULL},
    {"wbr", ELEMENT_NOTHING, NULL},
};

static const struct element *element_of(const xmlNode *node)
{
    static const struct element other = {"", ELEMENT_SPAN, NULL};

    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++)
        if (strcasecmp(elements[i].name, (const char *)node->name) == 0)
            return &elements[i];
    return &other;
}

static bool is_block(enum element_kind kind)
{
    return kind >= ELEMENT_BLOCK && kind <= ELEMENT_TABLE;
}

/* Whether a block stands below the node. */
static bool has_block(const xmlNode *node)
{
    for (const xmlNode *at = xml_walk(node, node); at; at = xml_walk(node, at))
        if (at->type == XML_ELEMENT_NODE && is_block(element_of(at)->kind))
            return true;
    return false;
}

static void say(const struct html_page *page, enum finding_kind kind, const xmlNode *at,
                const char *value, const char *reason)
{
    findings_add(page->said, kind, PLACE(page->name, at ? (size_t)xml_line(at) : 0, value), "%s",
                 reason);
}

/* ---- components ---- */

void html_add_component(json_t *components, const char *type, const char *parameter, json_t *value)
{
    json_array_append_new(components,
                          json_pack("{s:s, s:{s:o}, s:I}", "type", type, "parameters", parameter,
                                    value, "order", (json_int_t)json_array_size(components) + 1));
}

json_t *html_trimmed(const struct buf *text)
{
    static const char blanks[] = " \t\r\n";
    const char *from = text->data ? text->data : "";
    size_t len = text->len, start = strspn(from, blanks);

    from += start;
    len -= start;
    while (len > 0 && strchr(blanks, from[len - 1]))
        len--;
    return json_stringn(from, len);
}

json_t *html_text(const json_t *components)
{
    struct buf BUF_AUTO text = {0};
    json_t *component;
    size_t i;

    json_array_foreach((json_t *)components, i, component)
    {
        if (i > 0)
            buf_addc(&text, '\n');
        body_write_plain(&text, json_get_string(component, "type"),
                         json_object_get(component, "parameters"));
    }
    return html_trimmed(&text);
}

static void add(struct html_page *page, const xmlNode *at, const char *type, const char *parameter,
                json_t *value)
{
    if (json_array_size(page->components) < HTML_COMPONENTS_CAP) {
        html_add_component(page->components, type, parameter, value);
        return;
    }
    say(page, FINDING_LEFT_OUT, at, NULL, "the rest of a page with too many parts");
    json_decref(value);
}

/* Ends the paragraph that has begun. */
static void end_paragraph(struct html_page *page)
{
    json_t *text = html_trimmed(&page->text);

    buf_clear(&page->text);
    if (json_string_length(text) > 0)
        add(page, NULL, "paragraph", "text", text);
    else
        json_decref(text);
}

/* ---- text ---- */

/* Each run of blanks is one blank. */
static void add_words(struct buf *to, const char *text)
{
    static const char blanks[] = " \t\r\n\f";

    while (*text) {
        size_t words = strcspn(text, blanks), gap = strspn(text + words, blanks);

        buf_add(to, text, words);
        if (gap > 0 && to->len > 0 && !strchr(" \n", to->data[to->len - 1]))
            buf_addc(to, ' ');
        text += words + gap;
    }
}

static void add_between(struct buf *to, const char *before, const struct buf *inner,
                        const char *after)
{
    json_auto_t *words = html_trimmed(inner);
    size_t len = json_string_length(words);

    if (len == 0) {
        add_words(to, inner->data ? inner->data : "");
        return;
    }
    if (strchr(" \n", inner->data[0]))
        add_words(to, " ");
    buf_adds(to, before);
    buf_add(to, json_string_value(words), len);
    buf_adds(to, after);
    if (strchr(" \n", inner->data[inner->len - 1]))
        buf_addc(to, ' ');
}

static void add_address(struct buf *to, const char *address)
{
    bool bare = !strpbrk(address, " ()<>\n");

    buf_adds(to, bare ? "(" : "(<");
    for (; *address; address++) {
        if (strchr("<>\n", *address))
            buf_addf(to, "%%%02X", (unsigned)(unsigned char)*address);
        else
            buf_addc(to, *address);
    }
    buf_adds(to, bare ? ")" : ">)");
}

static void read_inline(struct html_page *page, const xmlNode *node, struct buf *to);

static void read_inlines(struct html_page *page, const xmlNode *parent, struct buf *to)
{
    for (const xmlNode *at = parent->children; at; at = at->next)
        read_inline(page, at, to);
}

static void read_link(struct html_page *page, const xmlNode *link, struct buf *to)
{
    json_auto_t *address = xml_attribute(link, "href");
    struct buf BUF_AUTO inner = {0};

    read_inlines(page, link, &inner);
    if (json_string_length(address) == 0) {
        add_between(to, "", &inner, "");
        return;
    }
    if (inner.len == 0)
        buf_adds(&inner, json_string_value(address));
    add_between(to, "[", &inner, "]");
    if (to->len > 0 && to->data[to->len - 1] == ' ') { /* the address follows the name */
        to->len--;
        add_address(to, json_string_value(address));
        buf_addc(to, ' ');
    } else {
        add_address(to, json_string_value(address));
    }
}

static void read_image(const xmlNode *image, struct buf *to)
{
    json_auto_t *address = xml_attribute(image, "src"), *words = xml_attribute(image, "alt");
    struct buf BUF_AUTO alt = {0};

    add_words(&alt, words ? json_string_value(words) : "");
    if (json_string_length(address) == 0) {
        buf_add(to, alt.data ? alt.data : "", alt.len);
        return;
    }
    buf_addf(to, "![%s]", alt.data ? alt.data : "");
    if (strncasecmp(json_string_value(address), "data:", 5) == 0)
        buf_adds(to, "(data:)"); /* reported by the caller */
    else
        add_address(to, json_string_value(address));
}

/* A frame, a video or a sound: its address as a link, and the text that stands in its place. */
static void read_media(struct html_page *page, const xmlNode *media, struct buf *to)
{
    json_auto_t *title = xml_attribute(media, "title");
    size_t links = 0;

    for (const xmlNode *at = media; at; at = xml_walk(media, at)) {
        json_auto_t *address = NULL;

        if (!xml_is(at, NULL))
            continue;
        address = xml_attribute(at, "src");
        if (!address && xml_is(at, "object"))
            address = xml_attribute(at, "data");
        if (json_string_length(address) == 0)
            continue;
        buf_addf(to, "%s[%s]", links++ > 0 ? " " : "",
                 json_string_length(title) > 0 ? json_string_value(title)
                                               : json_string_value(address));
        add_address(to, json_string_value(address));
    }
    if (links == 0)
        say(page, FINDING_LEFT_OUT, media, (const char *)media->name,
            "a frame or a player without an address");
    else
        say(page, FINDING_CHANGED, media, NULL, "frames and players are kept as links");
}

/* The source of a formula where it has one, else its text. */
static void read_formula(struct html_page *page, const xmlNode *formula, struct buf *to)
{
    json_auto_t *text = NULL;

    for (const xmlNode *at = formula; at; at = xml_walk(formula, at)) {
        if (!text && xml_is(at, "annotation"))
            text = xml_text(at);
    }
    if (text) {
        buf_addf(to, "$%s$", json_string_value(text));
        return;
    }
    text = xml_text(formula);
    add_words(to, json_string_value(text));
    say(page, FINDING_CHANGED, formula, json_string_value(text),
        "formulas in MathML are kept as the text in them");
}

/* A script may be the source of a formula. */
static void read_script(struct html_page *page, const xmlNode *script, struct buf *to)
{
    json_auto_t *type = xml_attribute(script, "type"), *text = xml_text(script);

    if (type && strncmp(json_string_value(type), "math/tex", 8) == 0)
        buf_addf(to, "$%s$", json_string_value(text));
    else
        say(page, FINDING_LEFT_OUT, script, NULL, "scripts and styles of pages");
}

/* Raised and lowered text: x^2, x^(n+1). */
static void read_shifted(struct html_page *page, const xmlNode *node, const char *mark,
                         struct buf *to)
{
    struct buf BUF_AUTO inner = {0};
    json_auto_t *words = NULL;

    read_inlines(page, node, &inner);
    words = html_trimmed(&inner);
    if (json_string_length(words) == 0)
        return;
    buf_addf(to, json_string_length(words) > 1 ? "%s(%s)" : "%s%s", mark, json_string_value(words));
    say(page, FINDING_CHANGED, node, NULL, "raised and lowered text is written as x^2 and x_2");
}

/* An element within a line of text, of any kind. */
static void read_element(struct html_page *page, const xmlNode *node, struct buf *to)
{
    const struct element *element = element_of(node);
    struct buf BUF_AUTO inner = {0};

    switch (element->kind) {
    case ELEMENT_BREAK:
        buf_addc(to, '\n');
        break;
    case ELEMENT_MARKED:
        read_inlines(page, node, &inner);
        add_between(to, element->mark, &inner, element->mark);
        break;
    case ELEMENT_RAISED:
    case ELEMENT_LOWERED:
        read_shifted(page, node, element->mark, to);
        break;
    case ELEMENT_LINK:
        read_link(page, node, to);
        break;
    case ELEMENT_IMAGE: {
        json_auto_t *address = xml_attribute(node, "src");

        if (address && strncasecmp(json_string_value(address), "data:", 5) == 0)
            say(page, FINDING_LEFT_OUT, node, NULL,
                "images whose bytes stand in the page; their descriptions are kept");
        read_image(node, to);
        break;
    }
    case ELEMENT_MEDIA:
        read_media(page, node, to);
        break;
    case ELEMENT_FORMULA:
        read_formula(page, node, to);
        break;
    case ELEMENT_SCRIPT:
        read_script(page, node, to);
        break;
    case ELEMENT_DRAWING:
        say(page, FINDING_LEFT_OUT, node, NULL, "drawings in pages (svg, canvas)");
        break;
    case ELEMENT_CONTROL:
        say(page, FINDING_LEFT_OUT, node, (const char *)node->name,
            "controls of forms, such as fields and buttons");
        break;
    case ELEMENT_RULE:
        say(page, FINDING_LEFT_OUT, node, NULL, "lines between paragraphs (hr)");
        break;
    case ELEMENT_NOTHING:
        break;
    case ELEMENT_SPAN:
        read_inlines(page, node, to);
        break;
    default: /* a block */
        add_words(to, " ");
        read_inlines(page, node, to);
        add_words(to, " ");
    }
}

static void read_inline(struct html_page *page, const xmlNode *node, struct buf *to)
{
    if (node->type == XML_TEXT_NODE || node->type == XML_CDATA_SECTION_NODE) {
        add_words(to, (const char *)node->content);
    } else if (node->type == XML_COMMENT_NODE) {
        say(page, FINDING_LEFT_OUT, node, NULL, "comments in pages");
    } else if (node->type == XML_ELEMENT_NODE) {
        if (++page->depth > HTML_DEPTH_CAP)
            say(page, FINDING_LEFT_OUT, node, NULL, "elements of a page that are nested too deep");
        else
            read_element(page, node, to);
        page->depth--;
    }
}

/* ---- blocks ---- */

static void read_blocks(struct html_page *page, const xmlNode *first, const xmlNode *end);

/* All below an element as one text in Markdown: a new string. */
static json_t *text_below(struct html_page *page, const xmlNode *parent)
{
    json_auto_t *inside = json_array();
    struct html_page inner = {
        .name = page->name, .said = page->said, .components = inside, .depth = page->depth};

    read_blocks(&inner, parent->children, NULL);
    end_paragraph(&inner);
    buf_finish(&inner.text);
    return html_text(inside);
}

/* Appends a text whose lines begin with first and then with rest. */
static void add_indented(struct buf *to, const char *text, const char *first, const char *rest)
{
    buf_adds(to, first);
    for (; *text; text++) {
        buf_addc(to, *text);
        if (*text == '\n' && text[1] != '\n')
            buf_adds(to, rest);
    }
    buf_addc(to, '\n');
}

static void read_list(struct html_page *page, const xmlNode *list)
{
    struct buf BUF_AUTO whole = {0};

    for (const xmlNode *at = list->children; at; at = at->next) {
        json_auto_t *text = xml_is(at, NULL) ? text_below(page, at) : NULL;
        bool is_term = xml_is(at, "dt");

        if (json_string_length(text) > 0)
            add_indented(&whole, json_string_value(text), xml_is(at, "dd") ? "  " : "- ", "  ");
        if (is_term && whole.len > 0)
            whole.data[whole.len - 1] = ':';
        if (is_term)
            buf_addc(&whole, '\n');
    }
    add(page, list, "paragraph", "text", html_trimmed(&whole));
}

static void read_steps(struct html_page *page, const xmlNode *list)
{
    json_t *steps = json_array();

    for (const xmlNode *at = list->children; at; at = at->next) {
        json_t *text = xml_is(at, NULL) ? text_below(page, at) : NULL;

        if (json_string_length(text) > 0)
            json_array_append(steps, text);
        json_decref(text);
    }
    if (json_array_size(steps) > 0)
        add(page, list, "step-sequence", "steps", steps);
    else
        json_decref(steps);
}

static void read_quote(struct html_page *page, const xmlNode *quote)
{
    json_auto_t *text = text_below(page, quote);
    struct buf BUF_AUTO whole = {0};

    if (json_string_length(text) == 0)
        return;
    buf_adds(&whole, "> ");
    for (const char *at = json_string_value(text); *at; at++) {
        buf_addc(&whole, *at);
        if (*at == '\n')
            buf_adds(&whole, at[1] == '\n' ? ">" : "> ");
    }
    add(page, quote, "paragraph", "text", html_trimmed(&whole));
}

static void read_code(struct html_page *page, const xmlNode *code)
{
    xmlChar *content = xmlNodeGetContent(code);
    const char *text = content ? (const char *)content : "";
    struct buf BUF_AUTO whole = {0};
    size_t marks = 3, run = 0;

    for (const char *at = text; *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        marks = run >= marks ? run + 1 : marks;
    }
    for (size_t i = 0; i < marks; i++)
        buf_addc(&whole, '`');
    buf_addf(&whole, "\n%s%s", text, *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
    for (size_t i = 0; i < marks; i++)
        buf_addc(&whole, '`');
    xmlFree(content);
    if (whole.len > 2 * marks + 2)
        add(page, code, "paragraph", "text", html_trimmed(&whole));
}

/* The row of a table; false: the node is none, or one of a table in the table. */
static bool is_row_of(const xmlNode *node, const xmlNode *table)
{
    const xmlNode *above = node->parent;

    if (!xml_is(node, "tr"))
        return false;
    while (above && above != table && !xml_is(above, "table"))
        above = above->parent;
    return above == table;
}

static void add_cell(struct buf *row, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            buf_addc(row, ' ');
        else
            buf_addf(row, *text == '|' ? "\\%c" : "%c", *text);
    }
    buf_adds(row, " |");
}

/* "| a | b |" for each row, a line below the first. One of a single column only places its parts on
 * the page. */
static void read_table(struct html_page *page, const xmlNode *table)
{
    struct buf BUF_AUTO whole = {0};
    size_t rows = 0;

    for (const xmlNode *at = table; at; at = xml_walk(table, at)) {
        size_t cells = 0;

        if (xml_is(at, "caption") && at->parent == table) {
            json_auto_t *text = text_below(page, at);

            if (json_string_length(text) > 0)
                add(page, at, "paragraph", "text", json_incref(text));
        }
        if (!is_row_of(at, table))
            continue;
        buf_adds(&whole, "|");
        for (const xmlNode *cell = xml_child(at, NULL); cell; cell = xml_next(cell, NULL)) {
            json_auto_t *text = text_below(page, cell);

            buf_addc(&whole, ' ');
            add_cell(&whole, json_string_value(text));
            cells++;
        }
        buf_addc(&whole, '\n');
        if (rows++ == 0 && cells > 0) {
            buf_addc(&whole, '|');
            for (size_t i = 0; i < cells; i++)
                buf_adds(&whole, " --- |");
            buf_addc(&whole, '\n');
        }
    }
    if (rows > 0)
        add(page, table, "paragraph", "text", html_trimmed(&whole));
}

static size_t most_cells(const xmlNode *table)
{
    size_t most = 0;

    for (const xmlNode *at = table; at; at = xml_walk(table, at)) {
        size_t cells = 0;

        for (const xmlNode *cell = is_row_of(at, table) ? xml_child(at, NULL) : NULL; cell;
             cell = xml_next(cell, NULL))
            cells++;
        most = cells > most ? cells : most;
    }
    return most;
}

static void read_heading(struct html_page *page, const xmlNode *heading)
{
    struct buf BUF_AUTO text = {0};
    json_t *words;

    read_inlines(page, heading, &text);
    for (size_t i = 0; i < text.len; i++)
        text.data[i] = text.data[i] == '\n' ? ' ' : text.data[i];
    words = html_trimmed(&text);
    if (json_string_length(words) > 0)
        add(page, heading, "heading", "text", words);
    else
        json_decref(words);
}

static void read_block(struct html_page *page, const xmlNode *node)
{
    end_paragraph(page);
    switch (element_of(node)->kind) {
    case ELEMENT_HEADING:
        read_heading(page, node);
        break;
    case ELEMENT_STEPS:
        read_steps(page, node);
        break;
    case ELEMENT_LIST:
    case ELEMENT_TERMS:
        read_list(page, node);
        break;
    case ELEMENT_QUOTE:
        read_quote(page, node);
        break;
    case ELEMENT_CODE_BLOCK:
        read_code(page, node);
        break;
    case ELEMENT_TABLE:
        if (most_cells(node) > 1) {
            read_table(page, node);
            break;
        }
        read_blocks(page, node->children, NULL);
        break;
    default:
        read_blocks(page, node->children, NULL);
    }
    end_paragraph(page);
}

static void read_blocks(struct html_page *page, const xmlNode *first, const xmlNode *end)
{
    for (const xmlNode *at = first; at && at != end; at = at->next) {
        enum element_kind kind = at->type == XML_ELEMENT_NODE ? element_of(at)->kind : ELEMENT_SPAN;

        if (at->type != XML_ELEMENT_NODE ||
            (!is_block(kind) &&
             ((kind != ELEMENT_SPAN && kind != ELEMENT_MARKED) || !has_block(at)))) {
            read_inline(page, at, &page->text);
            if (kind == ELEMENT_RULE)
                end_paragraph(page);
            continue;
        }
        if (++page->depth > HTML_DEPTH_CAP)
            say(page, FINDING_LEFT_OUT, at, NULL, "elements of a page that are nested too deep");
        else if (is_block(kind))
            read_block(page, at);
        else
            read_blocks(page, at->children, NULL);
        page->depth--;
    }
}

void html_read_nodes(const char *name, const xmlNode *first, const xmlNode *end, json_t *components,
                     struct findings *said)
{
    struct html_page page = {.name = name, .said = said, .components = components};

    read_blocks(&page, first, end);
    end_paragraph(&page);
    buf_finish(&page.text);
}

/* ---- pages ---- */

static xmlDoc *parse(const char *name, const char *text, struct findings *said)
{
    htmlParserCtxt *parser = htmlNewParserCtxt();
    size_t len = strlen(text);
    xmlDoc *document;
    const xmlError *found;

    if (!parser)
        abort();
    document = len <= INT_MAX && len > 0
                   ? htmlCtxtReadMemory(parser, text, (int)len, NULL, "UTF-8", OPTIONS)
                   : NULL;
    found = xmlCtxtGetLastError(parser);
    if (found && found->code == XML_ERR_INTERNAL_ERROR)
        findings_add(said, FINDING_LEFT_OUT, PLACE(name, (size_t)found->line, NULL),
                     "elements of a page that are nested too deep");
    htmlFreeParserCtxt(parser);
    return document;
}

void html_read_text(const char *name, const char *text, json_t *components, struct findings *said)
{
    xml_auto xmlDoc *document = parse(name, text, said);

    if (document)
        html_read_nodes(name, xmlDocGetRootElement(document), NULL, components, said);
}

json_t *html_title(const char *name, const struct buf *page)
{
    struct buf BUF_AUTO text = {0};
    xml_auto xmlDoc *document = NULL;
    const xmlNode *root;

    buf_add(&text, page->data ? page->data : "", page->len);
    note_decode(&text, name, NULL);
    document = parse(name, text.data ? text.data : "", NULL);
    root = document ? xmlDocGetRootElement(document) : NULL;
    for (const xmlNode *at = root; at; at = xml_walk(root, at))
        if (xml_is(at, "title") && xml_is(at->parent, "head"))
            return xml_text(at);
    return NULL;
}

void html_read(const char *name, const struct buf *page, json_t *components, struct findings *said)
{
    struct buf BUF_AUTO text = {0};

    buf_add(&text, page->data ? page->data : "", page->len);
    note_decode(&text, name, said);
    html_read_text(name, text.data ? text.data : "", components, said);
}

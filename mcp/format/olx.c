/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Courses of Open edX (OLX): an export .tar.gz of Studio, or its folder. Each block stands inside
 * the one that it belongs to, or in a file that is named after its element and its url_name. A
 * chapter is a chapter, a sequential a lesson, a vertical a heading in it. policies/RUN/policy.json
 * has settings that stand in no file of a block.
 */
#include "mcp/format/olx.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/html.h"
#include "mcp/format/xml.h"

#define ROOT "course.xml"

struct olx {
    struct course_package course;
    const char *top; /* before the names of the files: "", or "course/" of an unpacked folder */
    const char *run; /* borrowed, of meta; or NULL */
    char policy_file[PATH_MAX];
    json_t *policy; /* "sequential/ID" -> settings; owned */
    json_t *asked;  /* "sequential/ID NAME" -> true: settings that were looked for; owned */
    json_t *used;   /* "html/ID" -> true: blocks that were read; owned */
    json_t *last;   /* url_name of a chapter or lesson -> id of its last lesson; owned */
    json_t *needs;  /* [{"to", "name", "why", "file", "line"}]; owned */
};

struct olx_block {
    const xmlNode *outer; /* that names the block */
    const xmlNode *at;    /* the block: the same, or the root of its file */
    xmlDoc *document;     /* owned; NULL: it stands in the file around it */
    json_t *key;          /* "html/ID"; owned; NULL without a url_name */
    json_t *file;         /* owned */
};

static const char *file_of(const struct olx_block *block)
{
    return json_string_value(block->file);
}

static void say(const struct olx *olx, enum finding_kind kind, const struct olx_block *block,
                const char *value, const char *reason)
{
    course_say(&olx->course, kind, file_of(block), (size_t)xml_line(block->at), value, reason);
}

/* ---- blocks ---- */

static void close_block(struct olx_block *block)
{
    xmlFreeDoc(block->document);
    json_decref(block->key);
    json_decref(block->file);
}

/* Whether the element only names a file. */
static bool is_pointer(const xmlNode *node)
{
    json_auto_t *text = xml_text(node), *name = xml_attribute(node, "url_name");

    return name && !xml_child(node, NULL) && json_string_length(text) == 0;
}

static bool is_bare(const xmlNode *node)
{
    for (const xmlAttr *at = node->properties; at; at = at->next)
        if (strcmp((const char *)at->name, "url_name") != 0 &&
            strcmp((const char *)at->name, "org") != 0 &&
            strcmp((const char *)at->name, "course") != 0)
            return false;
    return true;
}

/* "html/ID.xml" below the top; NULL: the name leads elsewhere. A colon stands for a folder. */
static json_t *path_of(const struct olx *olx, const char *folder, const char *name,
                       const char *suffix)
{
    json_t *path;
    struct buf BUF_AUTO plain = {0};

    if (!*name || *name == '.' || strchr(name, '/') || strchr(name, '\\') || strstr(name, ":."))
        return NULL;
    for (; *name; name++)
        buf_addc(&plain, (char)(*name == ':' ? '/' : *name));
    path = json_sprintf("%s%s/%s%s", olx->top, folder, plain.data, suffix);
    return path;
}

/* False: the block is not read, which is reported. The caller closes it in both cases. */
static bool open_block(struct olx *olx, const xmlNode *node, const char *file,
                       struct olx_block *block)
{
    const char *tag = (const char *)node->name;
    json_auto_t *name = xml_attribute(node, "url_name"), *path = NULL;

    *block = (struct olx_block){.outer = node, .at = node, .file = json_string(file)};
    if (json_string_length(name) > 0)
        block->key = json_sprintf("%s/%s", tag, json_string_value(name));
    if (block->key && json_object_get(olx->used, json_string_value(block->key))) {
        say(olx, FINDING_LEFT_OUT, block, json_string_value(block->key),
            "blocks that are named again are read where they are named first");
        return false;
    }
    if (block->key)
        json_object_set_new(olx->used, json_string_value(block->key), json_true());
    if (!block->key || !is_pointer(node))
        return true;
    path = path_of(olx, tag, json_string_value(name), ".xml");
    if (!path) {
        say(olx, FINDING_LEFT_OUT, block, json_string_value(name),
            "references that lead out of the course");
        return false;
    }
    if (!files_has(olx->course.files, json_string_value(path))) {
        if (!is_bare(node))
            return true; /* it is all in its attributes */
        json_decref(path);
        path = path_of(olx, tag, json_string_value(name), ".html");
        if (strcmp(tag, "html") == 0 && files_has(olx->course.files, json_string_value(path)))
            return true;
        say(olx, FINDING_LEFT_OUT, block, json_string_value(block->key),
            "references to blocks whose files are missing");
        return false;
    }
    block->document = course_xml(&olx->course, json_string_value(path));
    if (!block->document)
        return false;
    block->at = xmlDocGetRootElement(block->document);
    json_decref(block->file);
    block->file = json_incref(path);
    if (strcmp((const char *)block->at->name, tag) != 0) {
        say(olx, FINDING_LEFT_OUT, block, (const char *)block->at->name,
            "files of blocks that hold another element than their folder says");
        return false;
    }
    return true;
}

static void mark_asked(const struct olx *olx, const struct olx_block *block, const char *name)
{
    struct buf BUF_AUTO key = {0};

    buf_addf(&key, "%s %s", json_string_value(block->key), name);
    if (key.data)
        json_object_set_new(olx->asked, key.data, json_true());
}

/* A setting of the block as text: a new string, or NULL. */
static json_t *setting(const struct olx *olx, const struct olx_block *block, const char *name)
{
    json_t *value = xml_attribute(block->at, name);
    const json_t *policy;

    if (!value && block->outer != block->at)
        value = xml_attribute(block->outer, name);
    if (block->key)
        mark_asked(olx, block, name);
    if (value || !block->key)
        return value;
    policy = json_object_get(json_object_get(olx->policy, json_string_value(block->key)), name);
    if (json_is_string(policy))
        return json_incref((json_t *)policy);
    if (policy && !json_is_null(policy)) {
        struct buf BUF_AUTO text = {0};

        json_write(&text, policy);
        return json_stringn(text.data, text.len);
    }
    return NULL;
}

static json_t *name_of(const struct olx_block *block)
{
    const char *key = block->key ? json_string_value(block->key) : NULL;

    return key ? json_string(strchr(key, '/') + 1) : NULL;
}

/* display_name, or the url_name, or the element's. */
static json_t *title_of(const struct olx *olx, const struct olx_block *block)
{
    json_t *title = setting(olx, block, "display_name");

    if (json_string_length(title) > 0)
        return title;
    json_decref(title);
    title = name_of(block);
    return title ? title : json_string((const char *)block->at->name);
}

/* Settings without a place in a component, by their names. */
static void report_settings(const struct olx *olx, const struct olx_block *block,
                            const char *const *known)
{
    for (const xmlAttr *at = block->at->properties; at; at = at->next) {
        const char *name = (const char *)at->name;
        bool is_known = strcmp(name, "url_name") == 0 || strcmp(name, "display_name") == 0;

        for (size_t i = 0; known[i] && !is_known; i++)
            is_known = strcmp(known[i], name) == 0;
        if (!is_known)
            say(olx, FINDING_LEFT_OUT, block, name, "settings of blocks that have no place");
    }
}

/* ---- leaves ---- */

static void read_html(struct olx *olx, const struct olx_block *block, json_t *components)
{
    static const char *const known[] = {"filename", NULL};
    json_auto_t *given = xml_attribute(block->at, "filename"), *name = name_of(block);
    struct findings *said = &olx->course.report->lines;

    report_settings(olx, block, known);
    if (!given && is_pointer(block->outer) && !xml_child(block->at, NULL))
        given = json_incref(name);
    if (given && !xml_child(block->at, NULL)) {
        json_auto_t *path = path_of(olx, "html", json_string_value(given), ".html");
        struct buf BUF_AUTO page = {0};

        if (!path || files_read(olx->course.files, json_string_value(path), COURSE_FILE_CAP, &page,
                                NULL) < 0)
            say(olx, FINDING_LEFT_OUT, block, json_string_value(given),
                "pages whose files are missing");
        else
            html_read(json_string_value(path), &page, components, said);
        return;
    }
    if (xml_child(block->at, NULL)) {
        html_read_nodes(file_of(block), block->at->children, NULL, components, said);
    } else { /* the page is the text of the element */
        json_auto_t *text = xml_text(block->at);

        html_read_text(file_of(block), json_string_value(text), components, said);
    }
}

/* The address of a video: of YouTube's id, or of a file. */
static json_t *address_of(const struct olx *olx, const struct olx_block *block)
{
    json_auto_t *id = setting(olx, block, "youtube_id_1_0"), *list = setting(olx, block, "youtube"),
                *sources = setting(olx, block, "html5_sources");
    const char *text = json_string_length(id) > 0 ? json_string_value(id) : NULL;
    const xmlNode *source = xml_child(block->at, "source");

    if (!text && list) {
        const char *normal = strstr(json_string_value(list), "1.00:");

        text = normal ? normal + 5 : json_string_value(list);
    }
    if (text && strcspn(text, ", ") > 0)
        return json_sprintf("https://www.youtube.com/watch?v=%.*s", (int)strcspn(text, ", "), text);
    if (source)
        return xml_attribute(source, "src");
    if (json_string_length(sources) > 2) { /* ["a.mp4", "b.mp4"] */
        json_auto_t *values =
            json_read(json_string_value(sources), json_string_length(sources), "", NULL);

        if (json_is_string(json_array_get(values, 0)))
            return json_incref(json_array_get(values, 0));
    }
    return setting(olx, block, "source");
}

static void add_transcript(struct buf *text, const json_t *language, const json_t *name)
{
    if (json_string_length(name) == 0)
        return;
    buf_addf(text, "%s%s%s%s", strstr(text->data, "\n\nTranscript: ") ? "; " : "\n\nTranscript: ",
             language ? json_string_value(language) : "", language ? ": " : "",
             json_string_value(name));
}

static void read_video(struct olx *olx, const struct olx_block *block, json_t *components)
{
    static const char *const known[] = {
        "youtube_id_1_0", "youtube", "html5_sources", "source", "sub", "edx_video_id", NULL};
    json_auto_t *address = address_of(olx, block), *title = title_of(olx, block),
                *sub = setting(olx, block, "sub");
    struct buf BUF_AUTO text = {0};

    report_settings(olx, block, known);
    if (json_string_length(address) == 0) {
        json_decref(address);
        address = setting(olx, block, "edx_video_id");
        buf_addf(&text, "Video: %s%s%s%s", json_string_value(title), address ? " (" : "",
                 address ? json_string_value(address) : "", address ? ")" : "");
        say(olx, FINDING_CHANGED, block, json_string_value(title),
            "videos without an address are kept as their names");
    } else {
        buf_addf(&text, "Video: [%s](%s)", json_string_value(title), json_string_value(address));
    }
    add_transcript(&text, NULL, sub);
    for (const xmlNode *at = xml_walk(block->at, block->at); at; at = xml_walk(block->at, at)) {
        json_auto_t *language = xml_is(at, NULL) ? xml_attribute(at, "language") : NULL,
                    *name = xml_is(at, "transcript") || xml_is(at, "track")
                                ? xml_attribute(at, "src")
                                : NULL;
        if (!language && name)
            language = xml_attribute(at, "language_code");
        add_transcript(&text, language, name);
    }
    html_add_component(components, "paragraph", "text", json_stringn(text.data, text.len));
}

static void read_problem(struct olx *olx, const struct olx_block *block, json_t *components)
{
    static const char *const known[] = {"markdown", NULL}; /* the same problem again */

    report_settings(olx, block, known);
    olx_problem(&olx->course, block->at, file_of(block), components);
}

static void read_assessment(struct olx *olx, const struct olx_block *block, json_t *components)
{
    static const char *const none[] = {NULL};

    report_settings(olx, block, none);
    olx_assessment(&olx->course, block->at, file_of(block), components);
}

/* ---- parts of a lesson ---- */

static const struct olx_leaf {
    const char *tag;
    void (*read)(struct olx *olx, const struct olx_block *block, json_t *components);
} olx_leaves[] = {{"html", read_html},
                  {"problem", read_problem},
                  {"video", read_video},
                  {"openassessment", read_assessment}};

/* Elements with blocks in them. A learner sees all of them, or some. */
static const struct olx_group {
    const char *tag;
    bool is_heading, is_chosen;
} olx_groups[] = {{"vertical", true, false},        {"sequential", true, false},
                  {"videosequence", true, false},   {"problemset", true, false},
                  {"wrapper", false, false},        {"randomize", false, true},
                  {"library_content", false, true}, {"itembank", false, true},
                  {"split_test", false, true},      {"conditional", false, true}};

static const struct olx_group *group_of(const xmlNode *node)
{
    for (size_t i = 0; i < sizeof olx_groups / sizeof *olx_groups; i++)
        if (xml_is(node, olx_groups[i].tag))
            return &olx_groups[i];
    return NULL;
}

/* The components of one block have its id and its name. */
static void mark_components(const struct olx *olx, const struct olx_block *block,
                            json_t *components, size_t first)
{
    json_auto_t *name = name_of(block), *title = setting(olx, block, "display_name");

    for (size_t i = first; i < json_array_size(components); i++) {
        json_t *component = json_array_get(components, i);

        if (name)
            json_object_set(component, "url_name", name);
        if (json_string_length(title) > 0 && i == first)
            json_object_set(component, "display_name", title);
    }
    if (first == json_array_size(components))
        say(olx, FINDING_LEFT_OUT, block, json_string_value(block->key),
            "blocks of a lesson without content");
}

static void read_part(struct olx *olx, const xmlNode *node, const char *file, json_t *components,
                      int depth);

static void read_group(struct olx *olx, const struct olx_block *block,
                       const struct olx_group *group, json_t *components, int depth)
{
    static const char *const none[] = {NULL};
    json_auto_t *title = setting(olx, block, "display_name");

    report_settings(olx, block, none);
    if (group->is_chosen)
        say(olx, FINDING_CHANGED, block, json_string_value(block->key),
            "blocks of which a learner sees some are all read");
    if (group->is_heading && json_string_length(title) > 0) {
        size_t first = json_array_size(components);

        html_add_component(components, "heading", "text", json_incref(title));
        mark_components(olx, block, components, first);
    }
    for (const xmlNode *at = xml_child(block->at, NULL); at; at = xml_next(at, NULL))
        read_part(olx, at, file_of(block), components, depth + 1);
}

/* Elements that are no blocks but say something about the one around them. */
static bool is_about(const xmlNode *node)
{
    return xml_is(node, "video_asset") || xml_is(node, "show") || xml_is(node, "configuration");
}

static void read_part(struct olx *olx, const xmlNode *node, const char *file, json_t *components,
                      int depth)
{
    const struct olx_group *group = group_of(node);
    const struct olx_leaf *leaf = NULL;
    struct olx_block block;
    size_t first = json_array_size(components);

    if (depth > COURSE_DEPTH_CAP) {
        course_say(&olx->course, FINDING_LEFT_OUT, file, (size_t)xml_line(node), NULL,
                   "blocks that are nested too deep");
        return;
    }
    if (is_about(node))
        return;
    for (size_t i = 0; i < sizeof olx_leaves / sizeof *olx_leaves; i++)
        if (xml_is(node, olx_leaves[i].tag))
            leaf = &olx_leaves[i];
    if (!open_block(olx, node, file, &block)) {
        close_block(&block);
        return;
    }
    if (group) {
        read_group(olx, &block, group, components, depth);
    } else if (leaf) {
        leaf->read(olx, &block, components);
        mark_components(olx, &block, components, first);
    } else {
        json_auto_t *title = title_of(olx, &block),
                    *value =
                        json_sprintf("%s: %s", (const char *)node->name, json_string_value(title));

        say(olx, FINDING_LEFT_OUT, &block, json_string_value(value),
            "blocks without a component type, such as discussions and tools (LTI)");
    }
    close_block(&block);
}

/* ---- lessons and chapters ---- */

static const char *const need_names[] = {"prereq", "required_content", "prerequisite"};

/* A block by its url_name, or by its key: "block-v1:ORG+COURSE+RUN+type@sequential+block@ID",
 * "i4x://ORG/COURSE/sequential/ID". */
static const char *name_in_key(const char *key)
{
    const char *at = strrchr(key, '@'), *slash = strrchr(key, '/');

    return at ? at + 1 : slash ? slash + 1 : key;
}

/* Prerequisites are resolved when all lessons are known. */
static void keep_need(struct olx *olx, const struct olx_block *block, const char *to)
{
    json_auto_t *score = setting(olx, block, "min_score"),
                *done = setting(olx, block, "min_completion");
    struct buf BUF_AUTO why = {0};

    if (!score)
        score = setting(olx, block, "prereq_min_score");
    if (!done)
        done = setting(olx, block, "prereq_min_completion");
    buf_adds(&why, "a prerequisite of the course");
    if (score)
        buf_addf(&why, ", with a score of %s percent or more", json_string_value(score));
    if (done)
        buf_addf(&why, ", completed to %s percent or more", json_string_value(done));
    for (size_t i = 0; i < sizeof need_names / sizeof *need_names; i++) {
        json_auto_t *name = setting(olx, block, need_names[i]);
        const char *text = name ? json_string_value(name) : "";

        if (!*text || strcmp(text, "false") == 0 || strcmp(text, "true") == 0)
            continue; /* that it is one for others */
        json_array_append_new(olx->needs, json_pack("{s:s, s:s, s:s, s:O, s:i}", "to", to, "name",
                                                    text, "why", why.data, "file", block->file,
                                                    "line", xml_line(block->at)));
    }
}

static void keep_settings(const struct olx *olx, const struct olx_block *block, json_t *node)
{
    const char *setting_name;
    json_t *value;

    for (const xmlAttr *at = block->at->properties; at; at = at->next) {
        const char *name = (const char *)at->name;

        if (strcmp(name, "url_name") != 0 && strcmp(name, "display_name") != 0 &&
            !json_object_get(node, name))
            json_object_set_new(node, name, xml_attribute(block->at, name));
    }
    if (!block->key)
        return;
    json_object_foreach(json_object_get(olx->policy, json_string_value(block->key)), setting_name,
                        value)
    {
        if (json_is_object(value) || json_is_array(value) || json_is_null(value) ||
            strcmp(setting_name, "display_name") == 0)
            continue;
        if (!json_object_get(node, setting_name))
            json_object_set(node, setting_name, value);
        mark_asked(olx, block, setting_name);
    }
}

static void read_lesson(struct olx *olx, const xmlNode *node, const char *file, json_t *last)
{
    json_auto_t *title = NULL, *name = NULL;
    struct olx_block block;
    json_t *lesson;
    const char *id;

    if (!open_block(olx, node, file, &block)) {
        close_block(&block);
        return;
    }
    title = title_of(olx, &block);
    name = name_of(&block);
    if (!name)
        name = json_sprintf("lesson-%zu", json_array_size(olx->course.nodes) + 1);
    lesson = course_lesson(&olx->course, json_string_value(name), json_string_value(title),
                           file_of(&block), (size_t)xml_line(block.at));
    if (lesson) {
        id = json_get_string(lesson, "node_id");
        keep_settings(olx, &block, lesson);
        keep_need(olx, &block, id);
        json_object_set_new(olx->last, json_string_value(name), json_string(id));
        if (last)
            json_object_set_new(last, "id", json_string(id));
        for (const xmlNode *at = xml_child(block.at, NULL); at; at = xml_next(at, NULL))
            read_part(olx, at, file_of(&block), json_object_get(lesson, "components"), 1);
        if (json_array_size(json_object_get(lesson, "components")) == 0)
            say(olx, FINDING_READ, &block, json_string_value(title), "lessons without content");
    }
    close_block(&block);
}

static void read_chapter(struct olx *olx, const xmlNode *node, const char *file)
{
    static const char *const none[] = {NULL};
    json_auto_t *name = NULL, *last = json_object();
    struct olx_block block;
    size_t before = json_array_size(olx->course.nodes);

    if (!open_block(olx, node, file, &block)) {
        close_block(&block);
        return;
    }
    course_chapter(&olx->course, title_of(olx, &block));
    report_settings(olx, &block, none);
    for (const xmlNode *at = xml_child(block.at, NULL); at; at = xml_next(at, NULL)) {
        const struct olx_group *group = group_of(at);

        if (group && group->is_heading)
            read_lesson(olx, at, file_of(&block), last);
        else
            course_say(&olx->course, FINDING_LEFT_OUT, file_of(&block), (size_t)xml_line(at),
                       (const char *)at->name, "parts of a chapter other than lessons");
    }
    name = name_of(&block);
    if (name && json_object_get(last, "id") && !json_object_get(olx->last, json_string_value(name)))
        json_object_set(olx->last, json_string_value(name), json_object_get(last, "id"));
    if (json_array_size(olx->course.nodes) == before)
        say(olx, FINDING_LEFT_OUT, &block, json_string_value(olx->course.chapter),
            "chapters without lessons");
    for (size_t i = before; i < json_array_size(olx->course.nodes); i++)
        keep_need(olx, &block, json_get_string(json_array_get(olx->course.nodes, i), "node_id"));
    close_block(&block);
}

static void add_needs(struct olx *olx)
{
    json_t *need;
    size_t i;

    json_array_foreach(olx->needs, i, need)
    {
        const char *name = json_get_string(need, "name");
        const char *from = json_get_string(olx->last, name_in_key(name));

        if (from)
            course_need(&olx->course, from, json_get_string(need, "to"),
                        json_get_string(need, "why"));
        else
            course_say(&olx->course, FINDING_LEFT_OUT, json_get_string(need, "file"),
                       (size_t)json_integer_value(json_object_get(need, "line")), name,
                       "prerequisites that name neither a chapter nor a lesson of the course");
    }
}

/* ---- the course ---- */

static void read_policy(struct olx *olx)
{
    struct buf BUF_AUTO text = {0};
    char *path = olx->policy_file;
    struct error why = {0};

    if (!olx->run || strchr(olx->run, '/') || *olx->run == '.' ||
        snprintf(path, sizeof olx->policy_file, "%spolicies/%s/policy.json", olx->top, olx->run) >=
            (int)sizeof olx->policy_file ||
        !files_has(olx->course.files, path))
        return;
    if (files_read(olx->course.files, path, COURSE_FILE_CAP, &text, &why) == 0)
        olx->policy = json_read(text.data ? text.data : "", text.len, path, &why);
    if (!olx->policy)
        course_say(&olx->course, FINDING_LEFT_OUT, path, 0, why.text,
                   "settings of the course (policy.json) that cannot be read");
}

/* Settings of the course that no block looked for. */
static void report_policy(const struct olx *olx)
{
    const char *key, *name;
    json_t *settings, *value;

    json_object_foreach(olx->policy, key, settings)
    {
        json_object_foreach(settings, name, value)
        {
            struct buf BUF_AUTO asked = {0};

            buf_addf(&asked, "%s %s", key, name);
            if (asked.data && !json_object_get(olx->asked, asked.data))
                course_say(&olx->course, FINDING_LEFT_OUT, olx->policy_file, 0, asked.data,
                           "settings of the course (policy.json) that have no place");
        }
    }
}

/* Files that no block reads, by their folders. */
static void report_files(struct olx *olx)
{
    static const char *const every[] = {"", NULL};
    struct folder_rest rest;
    json_auto_t *names = files_list(olx->course.files, every, &rest, NULL);
    size_t top = strlen(olx->top), i;
    json_t *name;

    json_array_foreach(names, i, name)
    {
        const char *whole = json_string_value(name), *reason = NULL;
        bool is_beside = strncmp(whole, olx->top, top) != 0;
        const char *file = is_beside ? whole : whole + top, *dot = strrchr(file, '.');
        json_auto_t *key = json_sprintf("%.*s", (int)(dot ? dot - file : 0), file);

        if (is_beside)
            reason = "files beside the course";
        else if (strncmp(file, "drafts/", 7) == 0)
            reason = "drafts";
        else if (strncmp(file, "static/", 7) == 0 || strncmp(file, "assets/", 7) == 0)
            reason = "files of the course (static, assets), which are named in its text";
        else if (strncmp(file, "course/", 7) == 0 || strcmp(file, ROOT) == 0 ||
                 (strncmp(file, "policies/", 9) == 0 && file_ends_in(file, "/policy.json")))
            continue;
        else if (file_ends_in(file, ".xml") && !json_object_get(olx->used, json_string_value(key)))
            reason = "blocks that no other block names";
        else if (!file_ends_in(file, ".xml") && strncmp(file, "html/", 5) != 0)
            reason = "pages and settings around the course (about, info, tabs, policies)";
        if (reason)
            course_say(&olx->course, FINDING_LEFT_OUT, whole, 0, NULL, reason);
    }
}

static void read_meta(struct olx *olx, const struct olx_block *block)
{
    static const char *const names[] = {"org", "course", "language", "start", "end"};

    json_object_set_new(olx->course.meta, "title", title_of(olx, block));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *value = setting(olx, block, names[i]);

        if (json_string_length(value) > 0)
            json_object_set(olx->course.meta, names[i], value);
        json_decref(value);
    }
}

static void read_course(struct olx *olx, const xmlNode *root, const char *file)
{
    struct olx_block block;

    if (open_block(olx, root, file, &block)) {
        read_meta(olx, &block);
        for (const xmlNode *at = xml_child(block.at, NULL); at; at = xml_next(at, NULL)) {
            const struct olx_group *group = group_of(at);

            if (xml_is(at, "chapter"))
                read_chapter(olx, at, file_of(&block));
            else if (group && group->is_heading)
                read_lesson(olx, at, file_of(&block), NULL);
            else
                course_say(&olx->course, FINDING_LEFT_OUT, file_of(&block), (size_t)xml_line(at),
                           (const char *)at->name,
                           "parts of the course other than chapters, such as its wiki");
        }
    }
    close_block(&block);
}

static json_t *read_files(const struct files *files, struct format_report *report,
                          struct error *err)
{
    struct olx olx = {.top = files_has(files, ROOT) ? "" : "course/"};
    json_auto_t *path = json_sprintf("%s" ROOT, olx.top), *run = NULL;
    xml_auto xmlDoc *document = NULL;
    const xmlNode *root;
    struct buf BUF_AUTO text = {0};
    json_t *curriculum = NULL;

    if (files_read(files, json_string_value(path), COURSE_FILE_CAP, &text, err) < 0 ||
        !(document = xml_read(json_string_value(path), text.data ? text.data : "", text.len, err)))
        return NULL;
    root = xmlDocGetRootElement(document);
    if (!xml_is(root, "course")) {
        error_set(err, ERROR_INVALID,
                  "%s line %d: the root must be <course url_name=\"RUN\" org=\"ORG\" "
                  "course=\"NUMBER\"/>, not <%.60s>",
                  json_string_value(path), xml_line(root), (const char *)root->name);
        return NULL;
    }
    course_begin(&olx.course, files, report);
    olx.used = json_object();
    olx.asked = json_object();
    olx.last = json_object();
    olx.needs = json_array();
    run = xml_attribute(root, "url_name");
    olx.run = run ? json_string_value(run) : NULL;
    if (run)
        json_object_set(olx.course.meta, "run", run);
    read_policy(&olx);
    read_course(&olx, root, json_string_value(path));
    add_needs(&olx);
    report_policy(&olx);
    report_files(&olx);
    curriculum = course_finish(&olx.course, err);
    json_decref(olx.policy);
    json_decref(olx.used);
    json_decref(olx.asked);
    json_decref(olx.last);
    json_decref(olx.needs);
    return curriculum;
}

/* ---- which paths are one ---- */

static bool has_files(const struct files *files)
{
    static const char *const names[] = {ROOT, "course/" ROOT};

    for (size_t i = 0; i < 2; i++) {
        struct buf BUF_AUTO text = {0};

        if (files_has(files, names[i]) &&
            files_read(files, names[i], COURSE_FILE_CAP, &text, NULL) == 0 && text.data)
            return xml_has_root(text.data, text.len, "course");
    }
    return false;
}

static bool has_name(const char *name)
{
    const char *slash = strrchr(name, '/');

    return strcmp(slash ? slash + 1 : name, ROOT) == 0;
}

static json_t *read_file(const char *name, const struct buf *bytes, struct format_report *report,
                         struct error *err)
{
    (void)bytes;
    (void)report;
    error_set(err, ERROR_INVALID,
              "%s is one file of a course: import the whole export of Studio, as course.tar.gz, or "
              "its folder",
              name);
    return NULL;
}

const struct format format_olx = {
    .name = "olx",
    .what = "a course of Open edX (OLX): a .tar.gz of Studio, or its folder",
    .has_name = has_name,
    .read = read_file,
    .has_files = has_files,
    .read_files = read_files,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * IMS Common Cartridges 1.1 to 1.3 (.imscc, or a folder with imsmanifest.xml), as Canvas, Moodle,
 * Blackboard and Sakai export them. The items of the organization are chapters, then lessons, then
 * headings in a lesson; resources become components. Canvas's module_meta.xml gives prerequisites,
 * and its own files of a quiz the instructions and the questions that a cartridge has no form for.
 */
#include "mcp/format/cartridge.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/format/html.h"
#include "mcp/format/xml.h"

#define MANIFEST "imsmanifest.xml"
#define MODULES  "course_settings/module_meta.xml"
/* Files that Canvas adds to a resource: the description and settings, and all questions. */
#define QUIZ_META       "/assessment_meta.xml"
#define ASSIGNMENT_META "/assignment_settings.xml"
#define QUIZ_QUESTIONS  ".xml.qti"

struct cartridge {
    struct course_package course;
    const xmlNode *manifest;
    json_t *resources;        /* identifier -> [place of its element, address]; owned */
    const xmlNode **elements; /* the resources; owned */
    size_t count;
    json_t *used;    /* identifiers of resources that were read -> true; of those that others
                        depend on -> false; owned */
    json_t *modules; /* identifier of an item -> ids of its lessons; owned */
};

static void say(const struct cartridge *from, enum finding_kind kind, const xmlNode *at,
                const char *value, const char *reason)
{
    course_say(&from->course, kind, MANIFEST, at ? (size_t)xml_line(at) : 0, value, reason);
}

/* ---- resources ---- */

/* The name of a file of the cartridge that an address means: a new string, or NULL. */
static json_t *file_of(const struct cartridge *from, const char *address)
{
    struct buf BUF_AUTO plain = {0};

    if (strncmp(address, "./", 2) == 0)
        address += 2;
    if (strstr(address, "..") || *address == '/' || strchr(address, '\\'))
        return NULL;
    if (files_has(from->course.files, address))
        return json_string(address);
    for (const char *at = address; *at && *at != '?' && *at != '#'; at++) {
        char code[3] = {at[0] == '%' ? at[1] : '\0', at[0] == '%' && at[1] ? at[2] : '\0', '\0'};

        if (isxdigit((unsigned char)code[0]) && isxdigit((unsigned char)code[1])) {
            buf_addc(&plain, (char)strtoul(code, NULL, 16));
            at += 2;
        } else {
            buf_addc(&plain, *at);
        }
    }
    if (!plain.data || strlen(plain.data) != plain.len || strstr(plain.data, "..") ||
        *plain.data == '/' || !files_has(from->course.files, plain.data))
        return NULL;
    return json_string(plain.data);
}

/* The address of a resource: its own, or that of its first file. */
static json_t *address_of(const xmlNode *resource)
{
    json_t *address = xml_attribute(resource, "href");
    const xmlNode *file = xml_child(resource, "file");

    return address || !file ? address : xml_attribute(file, "href");
}

static const xmlNode *find_resource(const struct cartridge *from, const json_t *identifier)
{
    const json_t *place =
        identifier ? json_object_get(from->resources, json_string_value(identifier)) : NULL;

    return place ? from->elements[json_integer_value(place)] : NULL;
}

/* The file of a resource whose name ends so: a new string, or NULL. */
static json_t *find_file(const struct cartridge *from, const xmlNode *resource, const char *suffix)
{
    for (const xmlNode *at = xml_child(resource, "file"); at; at = xml_next(at, "file")) {
        json_auto_t *address = xml_attribute(at, "href");
        json_t *file = address ? file_of(from, json_string_value(address)) : NULL;

        if (file && file_ends_in(json_string_value(file), suffix))
            return file;
        json_decref(file);
    }
    return NULL;
}

/* The same for the resource and those that it depends on. */
static json_t *find_companion(const struct cartridge *from, const xmlNode *resource,
                              const char *suffix)
{
    json_t *found = find_file(from, resource, suffix);

    for (const xmlNode *at = xml_child(resource, "dependency"); at && !found;
         at = xml_next(at, "dependency")) {
        json_auto_t *other = xml_attribute(at, "identifierref");

        found = find_file(from, find_resource(from, other), suffix);
    }
    return found;
}

static void read_link(const struct cartridge *from, const xmlNode *root, const char *file,
                      json_t *components)
{
    const xmlNode *url = xml_child(root, "url"), *name = xml_child(root, "title");
    json_auto_t *address = url ? xml_attribute(url, "href") : NULL,
                *title = name ? xml_text(name) : NULL;

    if (json_string_length(address) == 0) {
        course_say(&from->course, FINDING_LEFT_OUT, file, 0, NULL, "links without an address");
        return;
    }
    html_add_component(components, "paragraph", "text",
                       json_sprintf("[%s](%s)",
                                    json_string_length(title) > 0 ? json_string_value(title)
                                                                  : json_string_value(address),
                                    json_string_value(address)));
}

/* The instructions of Canvas's quiz or assignment; the rest are settings. */
static void read_description(const struct cartridge *from, const char *file, json_t *components)
{
    xml_auto xmlDoc *document = course_xml(&from->course, file);
    const xmlNode *root = document ? xmlDocGetRootElement(document) : NULL;

    if (!root)
        return;
    for (const xmlNode *at = xml_child(root, NULL); at; at = xml_next(at, NULL))
        if (xml_is(at, "description") || xml_is(at, "text"))
            course_text(&from->course, at, file, components);
    course_say(&from->course, FINDING_LEFT_OUT, file, 0, NULL,
               "settings of quizzes and assignments, such as points and dates");
}

static size_t count_questions(const struct cartridge *from, const char *file)
{
    struct buf BUF_AUTO text = {0};
    xml_auto xmlDoc *document = NULL;
    const xmlNode *root;
    size_t count = 0;

    if (files_read(from->course.files, file, COURSE_FILE_CAP, &text, NULL) == 0 && text.data)
        document = xml_read(file, text.data, text.len, NULL);
    root = document ? xmlDocGetRootElement(document) : NULL;
    for (const xmlNode *at = root ? xml_walk(root, root) : NULL; at; at = xml_walk(root, at))
        count += xml_is(at, "item");
    return count;
}

static void read_document(const struct cartridge *from, const char *type, const char *file,
                          json_t *components)
{
    xml_auto xmlDoc *document = course_xml(&from->course, file);
    const xmlNode *root = document ? xmlDocGetRootElement(document) : NULL;

    if (!root)
        return;
    if (strncmp(type, "imswl", 5) == 0)
        read_link(from, root, file, components);
    else if (strncmp(type, "imsqti", 6) == 0 || xml_is(root, "questestinterop"))
        cartridge_questions(&from->course, root, file, components);
    else
        for (const xmlNode *at = xml_child(root, "text"); at; at = xml_next(at, "text"))
            course_text(&from->course, at, file, components);
}

/* A cartridge has no form for some questions of Canvas, which stand in its own file alone. */
static void read_quiz(const struct cartridge *from, const xmlNode *resource, const char *file,
                      json_t *components)
{
    json_auto_t *meta = find_companion(from, resource, QUIZ_META),
                *whole = find_companion(from, resource, QUIZ_QUESTIONS);
    size_t own = count_questions(from, file),
           all = whole ? count_questions(from, json_string_value(whole)) : 0;

    if (meta)
        read_description(from, json_string_value(meta), components);
    if (all > own)
        course_say(&from->course, FINDING_READ, json_string_value(whole), 0, NULL,
                   "quizzes with more questions in Canvas's own file are read from that file");
    else if (whole)
        course_say(&from->course, all == own ? FINDING_READ : FINDING_LEFT_OUT,
                   json_string_value(whole), 0, NULL,
                   all == own ? "Canvas's own files of quizzes have the same questions again"
                              : "Canvas's own files of quizzes that have fewer questions");
    read_document(from, "imsqti", all > own ? json_string_value(whole) : file, components);
}

static bool is_document(const char *type, const char *file)
{
    return file_ends_in(file, QUIZ_QUESTIONS) || file_ends_in(file, ASSIGNMENT_META) ||
           strncmp(type, "imswl", 5) == 0 || strncmp(type, "imsdt", 5) == 0 ||
           strncmp(type, "imsqti", 6) == 0 || strncmp(type, "assignment_xml", 14) == 0;
}

/* Resources that belong to one that is read: what it needs, and its other forms. */
static void mark_used(struct cartridge *from, const xmlNode *resource)
{
    json_auto_t *identifier = xml_attribute(resource, "identifier");

    if (identifier)
        json_object_set_new(from->used, json_string_value(identifier), json_true());
    for (const xmlNode *at = xml_child(resource, NULL); at; at = xml_next(at, NULL)) {
        bool is_variant = xml_is(at, "variant");
        json_auto_t *other =
            is_variant || xml_is(at, "dependency") ? xml_attribute(at, "identifierref") : NULL;

        if (other && (is_variant || !json_object_get(from->used, json_string_value(other))))
            json_object_set_new(from->used, json_string_value(other), json_boolean(is_variant));
        if (other && is_variant)
            say(from, FINDING_READ, at, json_string_value(other),
                "other forms of a resource that is read (variants)");
    }
}

/* title: of the item, for a link to a file. */
static void read_resource(struct cartridge *from, const xmlNode *resource, const char *title,
                          json_t *components)
{
    static const char *const pages[] = {".html", ".htm", ".xhtml", NULL};
    json_auto_t *type = xml_attribute(resource, "type"), *address = address_of(resource),
                *file = json_string_length(address) > 0 ? file_of(from, json_string_value(address))
                                                        : NULL;
    json_auto_t *settings = find_file(from, resource, ASSIGNMENT_META);
    struct buf BUF_AUTO page = {0};

    mark_used(from, resource);
    if (settings && (!file || json_equal(file, settings))) {
        read_description(from, json_string_value(settings), components); /* its only text */
        return;
    }
    if (settings)
        course_say(&from->course, FINDING_LEFT_OUT, json_string_value(settings), 0, NULL,
                   "settings of quizzes and assignments, such as points and dates");
    if (!type || strncmp(json_string_value(type), "imsbasiclti", 11) == 0)
        say(from, FINDING_LEFT_OUT, resource, title, "tools of other servers (LTI)");
    else if (!file)
        say(from, FINDING_LEFT_OUT, resource, address ? json_string_value(address) : title,
            "resources whose files are missing or lead out of the cartridge");
    else if (strncmp(json_string_value(type), "imsqti", 6) == 0)
        read_quiz(from, resource, json_string_value(file), components);
    else if (is_document(json_string_value(type), json_string_value(file)))
        read_document(from, json_string_value(type), json_string_value(file), components);
    else if (!file_ends_in_any(json_string_value(file), pages)) {
        html_add_component(components, "paragraph", "text",
                           json_sprintf("[%s](<%s>)", title, json_string_value(file)));
        say(from, FINDING_CHANGED, resource, json_string_value(file),
            "files other than pages are kept as links");
    } else if (files_read(from->course.files, json_string_value(file), COURSE_FILE_CAP, &page,
                          NULL) < 0)
        say(from, FINDING_LEFT_OUT, resource, json_string_value(file), "files that are too large");
    else
        html_read(json_string_value(file), &page, components, &from->course.report->lines);
}

/* ---- items ---- */

static json_t *title_of(const xmlNode *item)
{
    const xmlNode *title = xml_child(item, "title");

    return title ? xml_text(title) : json_string("");
}

static void read_content(struct cartridge *from, const xmlNode *item, const char *title,
                         json_t *components)
{
    json_auto_t *reference = xml_attribute(item, "identifierref");
    const xmlNode *resource = find_resource(from, reference);

    if (resource)
        read_resource(from, resource, title, components);
    else if (reference)
        say(from, FINDING_LEFT_OUT, item, json_string_value(reference),
            "items whose resource is missing");
}

/* The items in a lesson are headings with content. */
static void read_inner(struct cartridge *from, const xmlNode *parent, json_t *components, int depth)
{
    for (const xmlNode *at = xml_child(parent, "item"); at; at = xml_next(at, "item")) {
        json_auto_t *title = title_of(at);

        if (depth > COURSE_DEPTH_CAP) {
            say(from, FINDING_LEFT_OUT, at, json_string_value(title),
                "items that are nested too deep");
            continue;
        }
        if (json_string_length(title) > 0)
            html_add_component(components, "heading", "text", json_incref(title));
        read_content(from, at, json_string_value(title), components);
        read_inner(from, at, components, depth + 1);
    }
}

static bool is_heading(const xmlNode *item)
{
    json_auto_t *reference = xml_attribute(item, "identifierref"), *title = title_of(item);

    return !reference && !xml_child(item, "item") && json_string_length(title) > 0;
}

/* lessons: ids, to which the lesson's is appended; or NULL. */
static void read_lesson(struct cartridge *from, const xmlNode *item, json_t *lessons)
{
    json_auto_t *identifier = xml_attribute(item, "identifier"), *title = title_of(item);
    json_t *lesson;

    if (json_string_length(identifier) == 0) {
        json_decref(identifier);
        identifier = json_sprintf("lesson-%zu", json_array_size(from->course.nodes) + 1);
    }
    if (json_string_length(title) == 0) {
        json_decref(title);
        title = json_incref(identifier);
    }
    lesson = course_lesson(&from->course, json_string_value(identifier), json_string_value(title),
                           MANIFEST, (size_t)xml_line(item));
    if (!lesson)
        return;
    if (lessons)
        json_array_append(lessons, json_object_get(lesson, "node_id"));
    read_content(from, item, json_string_value(title), json_object_get(lesson, "components"));
    read_inner(from, item, json_object_get(lesson, "components"), 1);
    if (json_array_size(json_object_get(lesson, "components")) == 0)
        say(from, FINDING_READ, item, json_string_value(title), "lessons without content");
}

/* A heading between the lessons of a module, as Canvas and Moodle have them. */
static void read_heading(struct cartridge *from, const xmlNode *item, const json_t *module,
                         const json_t *heading)
{
    const xmlNode *next = xml_next(item, "item");

    if (!next || is_heading(next)) {
        say(from, FINDING_LEFT_OUT, item, json_string_value(heading),
            "headings of a module without lessons below");
        return;
    }
    course_chapter(&from->course, json_string_length(module) == 0
                                      ? json_incref((json_t *)heading)
                                      : json_sprintf("%s / %s", json_string_value(module),
                                                     json_string_value(heading)));
    say(from, FINDING_READ, item, json_string_value(heading),
        "headings of a module (items without content) begin a chapter");
}

static void read_chapter(struct cartridge *from, const xmlNode *item)
{
    json_auto_t *identifier = xml_attribute(item, "identifier"), *lessons = json_array(),
                *reference = xml_attribute(item, "identifierref"), *module = title_of(item);

    course_chapter(&from->course, json_incref(module));
    if (reference) /* a page above its lessons */
        read_lesson(from, item, lessons);
    for (const xmlNode *at = reference ? NULL : xml_child(item, "item"); at;
         at = xml_next(at, "item")) {
        json_auto_t *heading = is_heading(at) ? title_of(at) : NULL;

        if (heading)
            read_heading(from, at, module, heading);
        else
            read_lesson(from, at, lessons);
    }
    if (json_array_size(lessons) == 0)
        say(from, FINDING_LEFT_OUT, item, json_string_value(from->course.chapter),
            "chapters without lessons");
    if (identifier)
        json_object_set(from->modules, json_string_value(identifier), lessons);
}

/* The root item has no title, and some tools leave it out. */
static const xmlNode *root_of(const xmlNode *organization)
{
    const xmlNode *item = xml_child(organization, "item");
    json_auto_t *title = item ? title_of(item) : NULL;

    return item && !xml_next(item, "item") && json_string_length(title) == 0 ? item : organization;
}

static void read_organization(struct cartridge *from, const xmlNode *organization)
{
    const xmlNode *root = root_of(organization);

    for (const xmlNode *at = xml_child(root, "item"); at; at = xml_next(at, "item")) {
        json_auto_t *reference = xml_attribute(at, "identifierref");

        if (reference && !xml_child(at, "item")) {
            json_decref(from->course.chapter);
            from->course.chapter = NULL;
            read_lesson(from, at, NULL);
        } else {
            read_chapter(from, at);
        }
    }
    json_decref(from->course.chapter);
    from->course.chapter = NULL;
}

/* ---- resources that no item names ---- */

/* The title in a document: its element, that of the assessment, or Canvas's field of a bank. A new
 * string, or NULL. */
static json_t *title_in_document(const xmlNode *root)
{
    for (const xmlNode *at = xml_walk(root, root); at; at = xml_walk(root, at)) {
        json_auto_t *label = xml_is(at, "fieldlabel") ? xml_text(at) : NULL;

        if (xml_is(at, "title"))
            return xml_text(at);
        if (xml_is(at, "assessment"))
            return xml_attribute(at, "title");
        if (label && strcmp(json_string_value(label), "bank_title") == 0)
            return xml_text(xml_next(at, "fieldentry"));
        if (xml_is(at, "item"))
            break;
    }
    return NULL;
}

/* The title of a page or a document, else the name of its file. */
static json_t *title_in(const struct cartridge *from, const char *type, const char *file)
{
    struct buf BUF_AUTO text = {0};
    const char *slash = strrchr(file, '/');
    json_t *title = NULL;

    if (files_read(from->course.files, file, COURSE_FILE_CAP, &text, NULL) == 0 && text.data) {
        xml_auto xmlDoc *document =
            is_document(type, file) ? xml_read(file, text.data, text.len, NULL) : NULL;

        title = document                  ? title_in_document(xmlDocGetRootElement(document))
                : is_document(type, file) ? NULL
                                          : html_title(file, &text);
    }
    if (json_string_length(title) > 0)
        return title;
    json_decref(title);
    return json_string(slash ? slash + 1 : file);
}

/* Whether the resource has nothing that a lesson could show, which is reported then. */
static bool is_unread(const struct cartridge *from, const xmlNode *resource, const json_t *used,
                      const json_t *type, const json_t *address, const json_t *file)
{
    static const char *const pages[] = {".html", ".htm", ".xhtml", NULL};
    const char *name = file ? json_string_value(file) : "", *reason = NULL;

    if (type && file && strncmp(name, "course_settings/", 16) != 0 &&
        (is_document(json_string_value(type), name) || file_ends_in_any(name, pages)))
        return false;
    if (!used)
        reason = "files and settings that no item names";
    else if (file_ends_in(name, ".xml"))
        reason = "settings of quizzes, topics and assignments";
    else
        reason = "files that pages need, such as pictures, which are named in their text";
    say(from, FINDING_LEFT_OUT, resource, address ? json_string_value(address) : NULL, reason);
    return true;
}

static void read_rest(struct cartridge *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const xmlNode *resource = from->elements[i], *variant = xml_child(resource, "variant");
        json_auto_t *identifier = xml_attribute(resource, "identifier"),
                    *type = xml_attribute(resource, "type"), *address = address_of(resource),
                    *file = json_string_length(address) > 0
                                ? file_of(from, json_string_value(address))
                                : NULL,
                    *other = variant ? xml_attribute(variant, "identifierref") : NULL,
                    *title = NULL;
        const json_t *used =
            identifier ? json_object_get(from->used, json_string_value(identifier)) : NULL;
        json_t *lesson;

        if (!identifier || json_is_true(used))
            continue;
        if (other && json_is_true(json_object_get(from->used, json_string_value(other)))) {
            say(from, FINDING_READ, resource, json_string_value(identifier),
                "other forms of a resource that is read (variants)");
            continue;
        }
        if (is_unread(from, resource, used, type, address, file))
            continue;
        title = title_in(from, json_string_value(type), json_string_value(file));
        lesson = course_lesson(&from->course, json_string_value(identifier),
                               json_string_value(title), MANIFEST, (size_t)xml_line(resource));
        if (!lesson)
            return;
        say(from, FINDING_READ, resource, json_string_value(title),
            "pages, topics and question banks that no item names are lessons after the others");
        read_resource(from, resource, json_string_value(title),
                      json_object_get(lesson, "components"));
    }
}

/* ---- Canvas's modules ---- */

static void read_prerequisite(struct cartridge *from, const xmlNode *prerequisite,
                              const json_t *lessons, const json_t *title)
{
    const xmlNode *reference = xml_child(prerequisite, "identifierref");
    json_auto_t *name = reference ? xml_text(reference) : NULL;
    const json_t *before = name ? json_object_get(from->modules, json_string_value(name)) : NULL;
    size_t last = json_array_size(before);

    if (last == 0 || json_array_size(lessons) == 0)
        course_say(&from->course, FINDING_LEFT_OUT, MODULES, (size_t)xml_line(prerequisite),
                   name ? json_string_value(name) : NULL,
                   "prerequisites of modules without lessons in the cartridge");
    else
        course_need(&from->course, json_string_value(json_array_get(before, last - 1)),
                    json_string_value(json_array_get(lessons, 0)), json_string_value(title));
}

static void read_module(struct cartridge *from, const xmlNode *module)
{
    json_auto_t *identifier = xml_attribute(module, "identifier"),
                *why = json_string("the module before must be completed");
    const json_t *lessons =
        identifier ? json_object_get(from->modules, json_string_value(identifier)) : NULL;

    for (const xmlNode *at = xml_walk(module, module); at; at = xml_walk(module, at)) {
        json_auto_t *text = NULL;

        if (xml_is(at, "prerequisite")) {
            read_prerequisite(from, at, lessons, why);
        } else if (xml_is(at, "completionRequirement")) {
            text = xml_attribute(at, "type");
            course_say(&from->course, FINDING_LEFT_OUT, MODULES, (size_t)xml_line(at),
                       text ? json_string_value(text) : NULL, "completion requirements of modules");
        } else if (xml_is(at, "require_sequential_progress") ||
                   xml_is(at, "requireSequentialProgress")) {
            text = xml_text(at);
            for (size_t i = 1;
                 strcmp(json_string_value(text), "true") == 0 && i < json_array_size(lessons); i++)
                course_need(&from->course, json_string_value(json_array_get(lessons, i - 1)),
                            json_string_value(json_array_get(lessons, i)),
                            "the module requires its lessons in order");
        }
    }
}

static void read_modules(struct cartridge *from)
{
    xml_auto xmlDoc *document =
        files_has(from->course.files, MODULES) ? course_xml(&from->course, MODULES) : NULL;
    const xmlNode *root = document ? xmlDocGetRootElement(document) : NULL;

    for (const xmlNode *at = xml_child(root, "module"); at; at = xml_next(at, "module"))
        read_module(from, at);
}

/* ---- the manifest ---- */

static void index_resources(struct cartridge *from)
{
    const xmlNode *list = xml_child(from->manifest, "resources");

    for (const xmlNode *at = xml_child(list, "resource"); at; at = xml_next(at, "resource"))
        from->count++;
    from->elements = calloc(from->count + 1, sizeof *from->elements);
    if (!from->elements)
        abort();
    from->count = 0;
    for (const xmlNode *at = xml_child(list, "resource"); at; at = xml_next(at, "resource")) {
        json_auto_t *identifier = xml_attribute(at, "identifier");

        from->elements[from->count] = at;
        if (identifier && json_object_get(from->resources, json_string_value(identifier)))
            say(from, FINDING_LEFT_OUT, at, json_string_value(identifier),
                "resources whose identifier stands twice");
        else if (identifier) {
            json_object_set_new(from->resources, json_string_value(identifier),
                                json_integer((json_int_t)from->count));
            from->count++;
        }
    }
}

/* The title of the metadata: the first title in them. */
static void read_meta(struct cartridge *from)
{
    const xmlNode *metadata = xml_child(from->manifest, "metadata");
    json_auto_t *identifier = xml_attribute(from->manifest, "identifier");

    if (identifier)
        json_object_set(from->course.meta, "identifier", identifier);
    for (const xmlNode *at = metadata ? xml_walk(metadata, metadata) : NULL; at;
         at = xml_walk(metadata, at)) {
        json_auto_t *text = xml_is(at, "title") ? xml_text(at) : NULL;

        if (json_string_length(text) > 0 && !json_object_get(from->course.meta, "title"))
            json_object_set(from->course.meta, "title", text);
    }
}

/* Files of the cartridge that no resource names. */
static void report_files(const struct cartridge *from)
{
    static const char *const every[] = {"", NULL};
    struct folder_rest rest;
    json_auto_t *names = files_list(from->course.files, every, &rest, NULL), *known = json_object();
    json_t *name;
    size_t i;

    json_object_set_new(known, MANIFEST, json_true());
    json_object_set_new(known, MODULES, json_true());
    for (i = 0; i < from->count; i++) {
        json_auto_t *address = address_of(from->elements[i]),
                    *own = address ? file_of(from, json_string_value(address)) : NULL;

        if (own)
            json_object_set_new(known, json_string_value(own), json_true());
        for (const xmlNode *at = xml_child(from->elements[i], "file"); at;
             at = xml_next(at, "file")) {
            json_auto_t *link = xml_attribute(at, "href"),
                        *file = link ? file_of(from, json_string_value(link)) : NULL;

            if (file)
                json_object_set_new(known, json_string_value(file), json_true());
        }
    }
    json_array_foreach(names, i, name)
    {
        if (!json_object_get(known, json_string_value(name)))
            course_say(&from->course, FINDING_LEFT_OUT, json_string_value(name), 0, NULL,
                       "files that the manifest does not name");
    }
}

static json_t *read_files(const struct files *files, struct format_report *report,
                          struct error *err)
{
    struct cartridge from = {0};
    xml_auto xmlDoc *document = NULL;
    struct buf BUF_AUTO text = {0};
    json_t *curriculum;

    if (files_read(files, MANIFEST, COURSE_FILE_CAP, &text, err) < 0 ||
        !(document = xml_read(MANIFEST, text.data ? text.data : "", text.len, err)))
        return NULL;
    from.manifest = xmlDocGetRootElement(document);
    course_begin(&from.course, files, report);
    from.resources = json_object();
    from.used = json_object();
    from.modules = json_object();
    index_resources(&from);
    read_meta(&from);
    for (const xmlNode *at = xml_child(xml_child(from.manifest, "organizations"), "organization");
         at; at = xml_next(at, "organization"))
        read_organization(&from, at);
    read_rest(&from);
    read_modules(&from);
    report_files(&from);
    curriculum = course_finish(&from.course, err);
    free(from.elements);
    json_decref(from.resources);
    json_decref(from.used);
    json_decref(from.modules);
    return curriculum;
}

/* ---- which paths are one ---- */

static bool has_files(const struct files *files)
{
    return files_has(files, MANIFEST);
}

static bool has_name(const char *name)
{
    return file_ends_in(name, MANIFEST) || file_ends_in(name, ".imscc");
}

static json_t *read_file(const char *name, const struct buf *bytes, struct format_report *report,
                         struct error *err)
{
    (void)bytes;
    (void)report;
    error_set(err, ERROR_INVALID,
              "%s is not a whole cartridge: import the export COURSE.imscc, or its folder with "
              "imsmanifest.xml",
              name);
    return NULL;
}

const struct format format_cartridge = {
    .name = "cartridge",
    .what = "an IMS Common Cartridge: .imscc, or its folder",
    .has_name = has_name,
    .read = read_file,
    .has_files = has_files,
    .read_files = read_files,
};

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Problems of Open edX as questions: the text before a response is its prompt, with its label. A
 * response that is none of the simple kinds, or a problem that a script computes, is kept as XML.
 */
#include "mcp/format/olx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/format/html.h"
#include "mcp/format/xml.h"

struct problem {
    const struct course_package *course;
    const char *file;
    json_t *components;  /* borrowed */
    json_t *before;      /* components of the text before the next response; owned */
    json_t *hints;       /* owned */
    json_t *explanation; /* owned; or NULL */
    size_t first;        /* place of the problem's first component */
};

static struct findings *said(const struct problem *problem)
{
    return &problem->course->report->lines;
}

static bool attribute_is(const xmlNode *node, const char *name, const char *value)
{
    json_auto_t *text = xml_attribute(node, name);

    return text && strcasecmp(json_string_value(text), value) == 0;
}

static const xmlNode *find_below(const xmlNode *root, const char *name)
{
    for (const xmlNode *at = xml_walk(root, root); at; at = xml_walk(root, at))
        if (xml_is(at, name))
            return at;
    return NULL;
}

/* The text of an element as Markdown, without the hints in it: a new string. */
static json_t *words_of(const struct problem *problem, const xmlNode *element)
{
    json_auto_t *inside = json_array();
    const xmlNode *first = element->children;

    for (const xmlNode *at = first;; at = at->next) {
        if (at && !xml_is(at, "choicehint") && !xml_is(at, "optionhint"))
            continue;
        html_read_nodes(problem->file, first, at, inside, said(problem));
        if (!at)
            break;
        first = at->next;
    }
    return html_text(inside);
}

/* An element as it stands in the file, where no type of component fits. */
static void keep_xml(const struct problem *problem, const xmlNode *element, const char *reason)
{
    xmlBuffer *source = xmlBufferCreate();
    struct buf BUF_AUTO text = {0};

    if (!source)
        abort();
    xmlNodeDump(source, element->doc, (xmlNode *)element, 0, 0);
    buf_addf(&text, "```xml\n%s\n```", (const char *)xmlBufferContent(source));
    xmlBufferFree(source);
    html_add_component(problem->components, "paragraph", "text", html_trimmed(&text));
    course_say(problem->course, FINDING_CHANGED, problem->file, (size_t)xml_line(element),
               (const char *)element->name, reason);
}

/* ---- responses ---- */

/* Text that belongs to no response stands before the next one, or for itself. */
static void end_text(struct problem *problem)
{
    json_t *component;
    size_t i;

    json_array_foreach(problem->before, i, component)
    {
        json_object_set_new(component, "order",
                            json_integer((json_int_t)json_array_size(problem->components) + 1));
        json_array_append(problem->components, component);
    }
    json_array_clear(problem->before);
}

static json_t *take_prompt(struct problem *problem, const xmlNode *response)
{
    static const char *const parts[] = {"label", "p", "div", "description"};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const xmlNode *at = xml_child(response, parts[i]); at; at = xml_next(at, parts[i]))
            html_read_nodes(problem->file, at, at->next, problem->before, said(problem));
    if (json_array_size(problem->before) == 0) {
        for (const xmlNode *at = xml_walk(response, response); at; at = xml_walk(response, at)) {
            json_auto_t *label = xml_is(at, NULL) ? xml_attribute(at, "label") : NULL;

            if (json_string_length(label) > 0)
                html_read_text(problem->file, json_string_value(label), problem->before,
                               said(problem));
        }
    }
    {
        json_t *prompt = html_text(problem->before);

        json_array_clear(problem->before);
        return prompt;
    }
}

static void add_hint(const struct problem *problem, const xmlNode *element)
{
    json_t *text = words_of(problem, element);

    if (json_string_length(text) > 0)
        json_array_append(problem->hints, text);
    json_decref(text);
}

static bool read_choices(const struct problem *problem, const xmlNode *response, json_t *parameters,
                         bool several)
{
    json_t *options = json_array(), *answers = json_array();

    json_object_set_new(parameters, "kind", json_string("choice"));
    json_object_set_new(parameters, "options", options);
    for (const xmlNode *at = response; at; at = xml_walk(response, at)) {
        json_auto_t *text =
            xml_is(at, "choice") || xml_is(at, "option") ? words_of(problem, at) : NULL;

        if (!text)
            continue;
        if (json_string_length(text) == 0) {
            json_decref(text);
            text = xml_attribute(at, "name");
        }
        json_array_append(options, text);
        if (attribute_is(at, "correct", "true"))
            json_array_append(answers, text);
    }
    if (several || json_array_size(answers) > 1)
        json_object_set(parameters, "answer", answers);
    else if (json_array_size(answers) == 1)
        json_object_set(parameters, "answer", json_array_get(answers, 0));
    json_decref(answers);
    return true;
}

/* <optioninput options="('a','b')" correct="a"/>, the older form of a list to choose from. */
static bool read_options(const struct problem *problem, const xmlNode *response, json_t *parameters)
{
    const xmlNode *input = find_below(response, "optioninput");
    json_auto_t *list = input ? xml_attribute(input, "options") : NULL,
                *correct = input ? xml_attribute(input, "correct") : NULL;
    json_t *options;

    if (!input || find_below(input, "option"))
        return read_choices(problem, response, parameters, false);
    options = json_array();
    json_object_set_new(parameters, "kind", json_string("choice"));
    json_object_set_new(parameters, "options", options);
    for (const char *at = list ? json_string_value(list) : ""; *at;) {
        char quote[] = {*at, '\0'};
        size_t len;

        if (*at != '\'' && *at != '"') {
            at++;
            continue;
        }
        len = strcspn(++at, quote);
        json_array_append_new(options, json_stringn(at, len));
        at += len + (at[len] != '\0');
    }
    if (correct)
        json_object_set(parameters, "answer", correct);
    return true;
}

static bool read_string(const struct problem *problem, const xmlNode *response, json_t *parameters)
{
    json_auto_t *answer = xml_attribute(response, "answer");
    json_auto_t *type = xml_attribute(response, "type");
    json_t *answers = json_array();

    if (type && strstr(json_string_value(type), "regexp")) {
        json_decref(answers);
        return false;
    }
    json_object_set_new(parameters, "kind", json_string("text"));
    json_object_set_new(parameters, "answer", answers);
    if (answer)
        json_array_append(answers, answer);
    for (const xmlNode *at = xml_child(response, "additional_answer"); at;
         at = xml_next(at, "additional_answer")) {
        json_t *more = xml_attribute(at, "answer");

        if (!more)
            more = words_of(problem, at);
        json_array_append_new(answers, more);
    }
    for (const xmlNode *at = xml_child(response, "or"); at; at = xml_next(at, "or"))
        json_array_append_new(answers, words_of(problem, at));
    if (json_array_size(answers) == 1)
        json_object_set(parameters, "answer", json_array_get(answers, 0));
    return true;
}

/* A tolerance is a number, or a percentage of the answer. */
static bool read_number(const xmlNode *response, json_t *parameters)
{
    json_auto_t *answer = xml_attribute(response, "answer"), *given = NULL;
    const char *text = answer ? json_string_value(answer) : "";
    char *end = NULL;
    double value = strtod(text, &end), tolerance;

    if (end == text || strspn(end, " ") != strlen(end) || !isfinite(value))
        return false;
    json_object_set_new(parameters, "kind", json_string("number"));
    json_object_set(parameters, "answer", answer);
    for (const xmlNode *at = xml_walk(response, response); at; at = xml_walk(response, at))
        if (xml_is(at, "responseparam") && attribute_is(at, "type", "tolerance") && !given)
            given = xml_attribute(at, "default");
    if (!given)
        return true;
    tolerance = strtod(json_string_value(given), &end);
    if (end == json_string_value(given) || !isfinite(tolerance))
        return false;
    if (strchr(end, '%'))
        tolerance = fabs(value) * tolerance / 100;
    json_object_set_new(parameters, "tolerance", json_real(fabs(tolerance)));
    return true;
}

static bool is_response(const xmlNode *node)
{
    size_t len = node->type == XML_ELEMENT_NODE ? strlen((const char *)node->name) : 0;

    return len > 8 && strcmp((const char *)node->name + len - 8, "response") == 0;
}

static void read_response(struct problem *problem, const xmlNode *response)
{
    json_auto_t *parameters = json_object();
    bool known = true;

    if (xml_is(response, "multiplechoiceresponse") || xml_is(response, "truefalseresponse"))
        known = read_choices(problem, response, parameters, false);
    else if (xml_is(response, "choiceresponse"))
        known = read_choices(problem, response, parameters, true);
    else if (xml_is(response, "optionresponse"))
        known = read_options(problem, response, parameters);
    else if (xml_is(response, "stringresponse"))
        known = read_string(problem, response, parameters);
    else if (xml_is(response, "numericalresponse"))
        known = read_number(response, parameters);
    else
        known = false;
    if (!known) {
        end_text(problem);
        keep_xml(problem, response,
                 "responses of a problem other than a choice, a text or a number are kept as XML");
        return;
    }
    json_object_set_new(parameters, "prompt", take_prompt(problem, response));
    course_question(problem->course, problem->components, json_incref(parameters), problem->file,
                    (size_t)xml_line(response));
}

/* ---- the problem ---- */

static bool holds_response(const xmlNode *node)
{
    for (const xmlNode *at = node; at; at = xml_walk(node, at))
        if (is_response(at))
            return true;
    return false;
}

static void read_parts(struct problem *problem, const xmlNode *parent)
{
    for (const xmlNode *at = parent->children; at; at = at->next) {
        if (is_response(at)) {
            const xmlNode *solution = find_below(at, "solution");

            read_response(problem, at);
            if (solution && !problem->explanation)
                problem->explanation = words_of(problem, solution);
        } else if (xml_is(at, "solution")) {
            if (!problem->explanation)
                problem->explanation = words_of(problem, at);
        } else if (xml_is(at, "demandhint")) {
            for (const xmlNode *hint = xml_child(at, "hint"); hint; hint = xml_next(hint, "hint"))
                add_hint(problem, hint);
        } else if (xml_is(at, NULL) && holds_response(at)) {
            read_parts(problem, at);
        } else {
            html_read_nodes(problem->file, at, at->next, problem->before, said(problem));
        }
    }
}

/* Hints and the explanation are the whole problem's: those of its last question. */
static void add_help(struct problem *problem)
{
    json_t *parameters = NULL, *component;
    size_t i;

    for (i = json_array_size(problem->components); i-- > problem->first && !parameters;) {
        component = json_array_get(problem->components, i);
        if (json_string_is(component, "type", COURSE_QUESTION))
            parameters = json_object_get(component, "parameters");
    }
    if (json_string_length(problem->explanation) > 0) {
        if (parameters)
            json_object_set(parameters, "explanation", problem->explanation);
        else
            html_add_component(problem->components, "paragraph", "text",
                               json_incref(problem->explanation));
    }
    if (parameters) {
        course_hints(parameters, problem->hints);
        return;
    }
    json_array_foreach(problem->hints, i, component)
        html_add_component(problem->components, "paragraph", "text", json_incref(component));
}

void olx_problem(const struct course_package *course, const xmlNode *problem, const char *file,
                 json_t *components)
{
    struct problem reading = {.course = course,
                              .file = file,
                              .components = components,
                              .before = json_array(),
                              .hints = json_array(),
                              .first = json_array_size(components)};

    if (find_below(problem, "script")) {
        keep_xml(&reading, problem, "problems that a script computes are kept as XML");
    } else {
        read_parts(&reading, problem);
        end_text(&reading);
        add_help(&reading);
    }
    json_decref(reading.before);
    json_decref(reading.hints);
    json_decref(reading.explanation);
}

void olx_assessment(const struct course_package *course, const xmlNode *block, const char *file,
                    json_t *components)
{
    struct problem reading = {.course = course, .file = file, .components = components};
    json_t *criteria = json_array();
    struct buf BUF_AUTO prompt = {0};

    for (const xmlNode *at = xml_walk(block, block); at; at = xml_walk(block, at)) {
        bool is_prompt = xml_is(at, "prompt") && !xml_is(at->parent, "criterion");
        json_auto_t *text =
            is_prompt ? xml_text(at)
            : xml_is(at, "prompt") || (xml_is(at, "name") && xml_is(at->parent, "criterion") &&
                                       !xml_child(at->parent, "prompt"))
                ? xml_text(at)
                : NULL;

        if (json_string_length(text) == 0)
            continue;
        if (is_prompt) { /* the page is the text of the element */
            json_auto_t *inside = json_array(), *words = NULL;

            html_read_text(file, json_string_value(text), inside, said(&reading));
            words = html_text(inside);
            buf_addf(&prompt, "%s%s", prompt.len > 0 ? "\n\n" : "", json_string_value(words));
        } else {
            json_array_append(criteria, text);
        }
    }
    course_question(course, components,
                    json_pack("{s:o, s:s, s:o}", "prompt", html_trimmed(&prompt), "kind", "open",
                              "criteria", criteria),
                    file, (size_t)xml_line(block));
    course_say(course, FINDING_LEFT_OUT, file, (size_t)xml_line(block), NULL,
               "points and options of the criteria of open response assessments");
}

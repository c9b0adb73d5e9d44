/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Questions of QTI 1.2 in the profile of Common Cartridge: choices, texts, numbers and essays. The
 * right answers are those of the conditions that set the highest score.
 */
#include "mcp/format/cartridge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/html.h"
#include "mcp/format/xml.h"

#define GENERAL_CRITERION "The answer does what the task asks."

struct qti_item {
    const struct course_package *course;
    const char *file;
    const xmlNode *item;
    json_t *components; /* borrowed */
};

static void say(const struct qti_item *item, enum finding_kind kind, const char *value,
                const char *reason)
{
    course_say(item->course, kind, item->file, (size_t)xml_line(item->item), value, reason);
}

static const xmlNode *find_below(const xmlNode *root, const char *name)
{
    for (const xmlNode *at = xml_walk(root, root); at; at = xml_walk(root, at))
        if (xml_is(at, name))
            return at;
    return NULL;
}

/* The texts (mattext) in an element that stand in none of its responses: a new string. */
static json_t *material_of(const struct qti_item *item, const xmlNode *element)
{
    json_auto_t *inside = json_array();

    for (const xmlNode *at = xml_walk(element, element); at; at = xml_walk(element, at)) {
        const xmlNode *above = at;

        if (!xml_is(at, "mattext") && !xml_is(at, "matimage"))
            continue;
        while (above != element && strncmp((const char *)above->name, "response_", 9) != 0)
            above = above->parent;
        if (above != element)
            continue;
        if (xml_is(at, "mattext")) {
            course_text(item->course, at, item->file, inside);
        } else {
            json_auto_t *address = xml_attribute(at, "uri");

            if (json_string_length(address) > 0)
                html_add_component(inside, "paragraph", "text",
                                   json_sprintf("![](%s)", json_string_value(address)));
        }
    }
    return html_text(inside);
}

/* ---- right answers ---- */

/* The highest number that a condition sets, above 0; 0: none. */
static double score_of(const xmlNode *condition)
{
    double highest = 0;

    for (const xmlNode *at = xml_child(condition, "setvar"); at; at = xml_next(at, "setvar")) {
        json_auto_t *text = xml_text(at);
        double score = strtod(json_string_value(text), NULL);

        highest = isfinite(score) && score > highest ? score : highest;
    }
    return highest;
}

static bool is_denied(const xmlNode *test, const xmlNode *condition)
{
    for (const xmlNode *at = test->parent; at && at != condition; at = at->parent)
        if (xml_is(at, "not"))
            return true;
    return false;
}

struct qti_answers {
    json_t *equal; /* texts of varequal; owned */
    double low, high;
    bool has_low, has_high;
};

static void read_test(const struct qti_item *item, const xmlNode *test, struct qti_answers *answers)
{
    json_auto_t *text = xml_text(test);
    double number = strtod(json_string_value(text), NULL);

    if (xml_is(test, "varequal") || xml_is(test, "varsubstring")) {
        for (size_t i = 0; i < json_array_size(answers->equal); i++)
            if (json_equal(json_array_get(answers->equal, i), text))
                return;
        json_array_append(answers->equal, text);
        if (xml_is(test, "varsubstring"))
            say(item, FINDING_CHANGED, json_string_value(text),
                "answers that must contain a text are kept as that text");
    } else if (xml_is(test, "vargte") || xml_is(test, "vargt")) {
        answers->low = number;
        answers->has_low = true;
    } else if (xml_is(test, "varlte") || xml_is(test, "varlt")) {
        answers->high = number;
        answers->has_high = true;
    }
}

/* The answers of a response, by its ident. */
static struct qti_answers answers_of(const struct qti_item *item, const xmlNode *response)
{
    struct qti_answers answers = {.equal = json_array()};
    const xmlNode *processing = xml_child(item->item, "resprocessing");
    json_auto_t *ident = xml_attribute(response, "ident");
    double best = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (const xmlNode *at = xml_child(processing, "respcondition"); at;
             at = xml_next(at, "respcondition")) {
            double score = score_of(at);

            for (const xmlNode *test = xml_walk(at, at); test; test = xml_walk(at, test)) {
                json_auto_t *of = xml_is(test, NULL) ? xml_attribute(test, "respident") : NULL;

                if (!of || !ident || !json_equal(of, ident) || is_denied(test, at))
                    continue;
                if (pass == 0)
                    best = score > best ? score : best;
                else if (score > 0 && score >= best)
                    read_test(item, test, &answers);
            }
        }
    }
    return answers;
}

/* ---- responses ---- */

static json_t *read_options(const struct qti_item *item, const xmlNode *response, json_t *answers)
{
    json_t *options = json_array();

    for (const xmlNode *at = xml_walk(response, response); at; at = xml_walk(response, at)) {
        json_auto_t *ident = xml_is(at, "response_label") ? xml_attribute(at, "ident") : NULL,
                    *text = NULL;

        if (!xml_is(at, "response_label"))
            continue;
        text = material_of(item, at);
        if (json_string_length(text) == 0 && ident) {
            json_decref(text);
            text = json_incref(ident);
        }
        json_array_append(options, text);
        for (size_t i = 0; i < json_array_size(answers); i++)
            if (ident && json_equal(json_array_get(answers, i), ident))
                json_array_set(answers, i, text);
    }
    return options;
}

static void set_answer(json_t *parameters, json_t *answers, bool several)
{
    if (several || json_array_size(answers) > 1)
        json_object_set(parameters, "answer", answers);
    else if (json_array_size(answers) == 1)
        json_object_set(parameters, "answer", json_array_get(answers, 0));
}

/* A text, a number between two bounds, or an essay, for which no answer is given. */
static void set_text(const struct qti_item *item, const struct qti_answers *answers,
                     json_t *parameters)
{
    const char *kind = "text";

    if (answers->has_low && answers->has_high && answers->high >= answers->low) {
        kind = "number";
        json_object_set_new(parameters, "answer", json_real((answers->low + answers->high) / 2));
        json_object_set_new(parameters, "tolerance", json_real((answers->high - answers->low) / 2));
    } else if (json_array_size(answers->equal) > 0) {
        set_answer(parameters, answers->equal, false);
    } else {
        kind = "open";
        json_object_set_new(parameters, "criteria", json_pack("[s]", GENERAL_CRITERION));
        say(item, FINDING_CHANGED, NULL,
            "essay questions have no criteria in a cartridge and get a general one");
    }
    json_object_set_new(parameters, "kind", json_string(kind));
}

/* Whether Canvas's metadata give the item that kind. */
static bool is_kind(const struct qti_item *item, const char *kind)
{
    const xmlNode *about = xml_child(item->item, "itemmetadata");

    for (const xmlNode *at = about ? xml_walk(about, about) : NULL; at; at = xml_walk(about, at)) {
        json_auto_t *label = xml_is(at, "fieldlabel") ? xml_text(at) : NULL,
                    *entry = label && xml_next(at, "fieldentry")
                                 ? xml_text(xml_next(at, "fieldentry"))
                                 : NULL;

        if (entry && strcmp(json_string_value(label), "question_type") == 0)
            return strcmp(json_string_value(entry), kind) == 0;
    }
    return false;
}

static void add_question(const struct qti_item *item, const xmlNode *response, const json_t *prompt,
                         const json_t *explanation)
{
    struct qti_answers answers = answers_of(item, response);
    json_auto_t *own = material_of(item, response), *rows = xml_attribute(response, "rcardinality"),
                *ident = xml_attribute(item->item, "ident"),
                *title = xml_attribute(item->item, "title");
    json_t *parameters = json_object(), *component;
    size_t first = json_array_size(item->components);
    bool several = rows && strcmp(json_string_value(rows), "Multiple") == 0;

    json_object_set_new(
        parameters, "prompt",
        json_string_length(own) > 0 && json_string_length(prompt) > 0
            ? json_sprintf("%s\n\n%s", json_string_value(prompt), json_string_value(own))
        : json_string_length(own) > 0 ? json_incref(own)
                                      : json_incref((json_t *)prompt));
    if (is_kind(item, "fill_in_multiple_blanks_question")) {
        json_decref(read_options(item, response, answers.equal)); /* the texts that are right */
        set_text(item, &answers, parameters);
    } else if (find_below(response, "response_label") && !xml_is(response, "response_str")) {
        json_object_set_new(parameters, "kind", json_string("choice"));
        json_object_set_new(parameters, "options", read_options(item, response, answers.equal));
        set_answer(parameters, answers.equal, several);
    } else {
        set_text(item, &answers, parameters);
    }
    if (json_string_length(explanation) > 0)
        json_object_set(parameters, "explanation", (json_t *)explanation);
    course_question(item->course, item->components, parameters, item->file,
                    (size_t)xml_line(item->item));
    component = json_array_get(item->components, first);
    if (ident)
        json_object_set(component, "ident", ident);
    if (json_string_length(title) > 0)
        json_object_set(component, "display_name", title);
    json_decref(answers.equal);
}

/* General feedback, or the solution; feedback to single answers has no place. */
static json_t *explanation_of(const struct qti_item *item)
{
    json_t *found = NULL;

    for (const xmlNode *at = xml_child(item->item, "itemfeedback"); at;
         at = xml_next(at, "itemfeedback")) {
        json_auto_t *ident = xml_attribute(at, "ident");
        bool is_general = xml_child(at, "solution") ||
                          (ident && strncmp(json_string_value(ident), "general", 7) == 0);

        if (is_general && !found)
            found = material_of(item, at);
        else
            say(item, FINDING_LEFT_OUT, ident ? json_string_value(ident) : NULL,
                "feedback to single answers of a question");
    }
    return found;
}

static void read_item(const struct qti_item *item)
{
    const xmlNode *presentation = xml_child(item->item, "presentation");
    json_auto_t *prompt = presentation ? material_of(item, presentation) : NULL;
    json_auto_t *explanation = explanation_of(item);
    size_t responses = 0;

    for (const xmlNode *at = presentation ? xml_walk(presentation, presentation) : NULL; at;
         at = xml_walk(presentation, at)) {
        if (!xml_is(at, "response_lid") && !xml_is(at, "response_str") &&
            !xml_is(at, "response_num"))
            continue;
        add_question(item, at, prompt, explanation);
        responses++;
    }
    if (responses > 0)
        return;
    if (json_string_length(prompt) > 0)
        html_add_component(item->components, "paragraph", "text", json_incref(prompt));
    say(item, prompt ? FINDING_CHANGED : FINDING_LEFT_OUT, NULL,
        "items of an assessment without a response are kept as text");
}

void cartridge_questions(const struct course_package *course, const xmlNode *root, const char *file,
                         json_t *components)
{
    for (const xmlNode *at = xml_walk(root, root); at; at = xml_walk(root, at)) {
        struct qti_item item = {course, file, at, components};

        if (xml_is(at, "item"))
            read_item(&item);
        else if (xml_is(at, "selection_ordering"))
            course_say(course, FINDING_CHANGED, file, (size_t)xml_line(at), NULL,
                       "questions of which a learner sees some are all read");
        else if (xml_is(at, "qtimetadatafield") && !xml_is(at->parent->parent, "itemmetadata")) {
            json_auto_t *name =
                xml_child(at, "fieldlabel") ? xml_text(xml_child(at, "fieldlabel")) : NULL;

            course_say(course, FINDING_LEFT_OUT, file, (size_t)xml_line(at),
                       name ? json_string_value(name) : NULL,
                       "settings of assessments, such as attempts and times");
        }
    }
}

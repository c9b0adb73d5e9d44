/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What editors ask for again and again, a row for each: which tools answer it, one worked example,
 * and how to report. A new prompt is a row.
 */
#include <string.h>

#include "mcp/prompt/prompt.h"
#include "mcp/resource/resource.h"
#include "mcp/tool/arguments.h"

#define OF_CURRICULUM "of the curriculum[[ with session_id $session_id]]"

static int fill(struct tool_call *call, struct error *err)
{
    (void)err;
    prompt_fill(prompt_find(call->tool->name)->template, call->arguments, &call->text);
    tool_call_complete(call);
    return 0;
}

#define SESSION                                                                                    \
    FIELD("session_id", FIELD_TEXT,                                                                \
          .documentation = "the curriculum; may be left out where there is only one")
#define NODE(what)         FIELD("node_id", FIELD_TEXT, .documentation = (what))
#define NEEDED(name, what) FIELD(name, FIELD_TEXT, .required = true, .documentation = (what))

#define PROMPT(variable, title_, description_, text, ...)                                          \
    static const struct prompt variable = {                                                        \
        .get = &(const struct tool){.name = #variable,                                             \
                                    .title = (title_),                                             \
                                    .description = (description_),                                 \
                                    .arguments = ARGUMENTS(#variable, SESSION, __VA_ARGS__),       \
                                    .read_only = true,                                             \
                                    .start = fill},                                                \
        .complete = &tool_complete_curriculum,                                                     \
        .template = (text),                                                                        \
    }

PROMPT(
    review_prerequisites, "Review prerequisites",
    "Find missing, circular and needless prerequisites",
    "Review the prerequisites [[of the lesson $node_id ]]" OF_CURRICULUM ".\n\n"
    "1. Ask query_graph: [[needs, needed_by and neighbours of $node_id; ]]cycles (lessons that "
    "need one another), redundant (relationships that a longer chain implies), unreachable "
    "(lessons that no start leads to), longest_chain.\n"
    "2. Read each lesson that an answer names with find (node_id) before you report it.\n"
    "3. List, the most serious first: what is wrong or missing, the lessons by id and title, and "
    "the one change that you would make. Change nothing before I agree.\n\n"
    "Example: query_graph {\"query\": \"cycles\"} says that N012 and N015 need each other. "
    "Read both: N012 uses a term that N015 defines, but not the reverse. Report: \"N012 -> N015 "
    "is wrong; I would delete that relationship\" (change_curriculum, delete_relationship).",
    NODE("one lesson; all if left out"));

PROMPT(
    fill_thin_lesson, "Fill a thin lesson",
    "Find the lesson with the least text, or take one, and draft what it lacks",
    "Fill [[the lesson $node_id ]]" OF_CURRICULUM " with what a learner is missing.\n\n"
    "1. Without a lesson given, find the thinnest: find {\"sort\": \"words\", \"limit\": 3}. Words "
    "of pictures do not count.\n"
    "2. Read it with find (node_id), and its prerequisites' titles with query_graph needs: use "
    "only terms that those have taught.\n"
    "3. Draft what is missing among: a definition, a worked example, a common mistake "
    "(callout-box), a question to check understanding. Show me the draft.\n"
    "4. When I agree, add all of it with one call of change_curriculum.\n\n"
    "Example: N021 \"Unit rates\" has a heading and one paragraph, and its prerequisites have "
    "taught "
    "ratios. Draft a definition of unit rate, and a worked example (\"12 apples cost 3 euros; what "
    "does one cost?\").",
    NODE("the lesson; the thinnest if left out"));

PROMPT(
    gaps_before, "Gaps before a lesson",
    "Find what a lesson takes for granted and no prerequisite teaches",
    "Find what the lesson $node_id " OF_CURRICULUM
    " takes for granted although nothing before it teaches it.\n\n"
    "1. Read it with find (node_id), and list the terms and skills that it uses without explaining "
    "them.\n"
    "2. Ask query_graph needs for all its prerequisites, in teaching order.\n"
    "3. For each term, such as ratio, find {\"text\": \"ratio\", \"sort\": \"order\"}: where is it "
    "first explained? It is a gap if that is nowhere, or in a lesson outside its prerequisites.\n"
    "4. Report each gap with the change that closes it: a relationship (create_relationship), a "
    "definition in an earlier lesson, or a new lesson. Change nothing before I agree.\n\n"
    "Example: N030 \"Percent change\" uses \"ratio\"; find shows that N014 defines it, and needs "
    "does not list N014. Report: create_relationship from N014 to N030, PREREQUISITE.",
    NEEDED("node_id", "the lesson"));

PROMPT(
    plan_course, "Plan a course",
    "Divide the curriculum into parts of about the same length, in teaching order",
    "Plan a course " OF_CURRICULUM "[[ in $weeks weeks]].\n\n"
    "1. Ask query_graph pace, with the number of weeks[[, $weeks,]] as parts: lessons in teaching "
    "order, in parts with about the same number of words.\n"
    "2. If cycles are reported, say so first: their lessons have no order.\n"
    "3. Write a table: week, lessons by id and title, words, what learners can do afterwards. Move "
    "a border by a lesson where a chapter would be torn apart, never before a prerequisite.\n\n"
    "Example: query_graph {\"query\": \"pace\", \"parts\": 6} divides 36 lessons. Week 1: N001 to "
    "N006, 1,240 words: \"compare and order fractions\".",
    FIELD("weeks", FIELD_TEXT, .documentation = "the number of parts"));

PROMPT(
    rename_term, "Rename a term", "Replace a term wherever learners read it",
    "Rename the term \"$from\" to \"$to\" everywhere in the texts " OF_CURRICULUM ".\n\n"
    "1. Look for it: find {\"text\": \"$from\"}. Is it always this term, or sometimes an ordinary "
    "word or part of another term?\n"
    "2. Try it: change_curriculum {\"operations\": [{\"op\": \"replace_text\", \"find\": "
    "\"$from\", \"replace\": \"$to\"}], \"dry_run\": true} lists every place with its words. Case "
    "and plurals "
    "are kept; pictures, links and code are left alone.\n"
    "3. Show me the places that read badly (\"a ounce\"), and those that should stay. When I "
    "agree, do the same without dry_run, then edit what read badly.\n\n"
    "Example: \"denominator\" to \"bottom number\": 6 places; \"common denominator\" reads badly "
    "as \"common bottom number\" and should stay.",
    NEEDED("from", "the term as it is"), NEEDED("to", "the term as it will be"));

PROMPT(
    align_standard, "Align with a standard",
    "Link lessons to the statements of a framework that is another curriculum",
    "Align the lessons " OF_CURRICULUM " with the framework \"$framework\", a second curriculum in "
    "the store.\n\n"
    "1. Read its statements: query_graph {\"query\": \"outline\", \"session_id\": \"$framework\"}. "
    "If "
    "there is no such curriculum, ask me for its CASE file, and add it with import_curriculum.\n"
    "2. For each statement, find the lessons that teach it by its words: find {\"text\": "
    "\"ratio\"}. "
    "Read a lesson with find (node_id) before you link it.\n"
    "3. Show me a table: statement, lesson by id and title, the words that show it; then the "
    "statements that no lesson teaches. Change nothing before I agree.\n"
    "4. When I agree, send all links in one change_curriculum: operations create_relationship with "
    "from_node_id (the lesson), to_session \"$framework\", to_node_id (the statement) and "
    "relationship_type: isRelatedTo, exactMatchOf, isPartOf or another of CASE's.\n\n"
    "Example: the statement \"Understand the concept of a ratio\" of \"Grade 6\" is taught by N010 "
    "\"What a ratio says\". Its link: {\"op\": \"create_relationship\", \"from_node_id\": "
    "\"N010\", "
    "\"to_session\": \"Grade 6\", \"to_node_id\": \"6.RP.1\", \"relationship_type\": "
    "\"isRelatedTo\"}.",
    NEEDED("framework", "the other curriculum, its id or title"));

const struct prompt *const prompts[] = {
    &review_prerequisites, &fill_thin_lesson, &gaps_before, &plan_course,
    &rename_term,          &align_standard,   NULL,
};

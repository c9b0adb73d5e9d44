/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A question is cut into words; lessons become the word NODE, numbers the word NUM, and words of
 * one meaning one word (table `meanings`). Phrases that say how to answer (table `phrases`) are
 * taken out as flags. What is left must be exactly one of the table `patterns`.
 */
#include "mcp/agent/plan_rules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mcp/store/entities/outline.h"

#define WORDS_MAX      60u /* of a question */
#define WORD_CAP       48u
#define NODES_MAX      2u  /* lessons that a question names */
#define TYPES_MAX      16u /* as many as a query takes */
#define PHRASE_SETS(x) (1u << (x))

/* ---- the words of a question ---- */

struct words {
    char word[WORDS_MAX][WORD_CAP];
    size_t count;
    const char *nodes[NODES_MAX]; /* ids, in the order of the question */
    size_t node_count;
    unsigned number; /* 0: none */
    unsigned flags;
    bool after_be; /* the last word was "is" or "are" */
    bool failed;   /* it has too many words, lessons or numbers */
};

/* Words that a question may have or not. Prepositions and words that deny or restrict are none. */
static const char fillers[] =
    "the a an this that these those is are do does did there please me us "
    "in curriculum course have has can could would you it was were be";

/* The first word stands for the others. */
static const char *const meanings[] = {
    "node nodes lesson lessons topic topics",
    "which what list show give name find tell",
    "prerequisite prerequisites prereq prereqs",
    "relationship relationships edge edges",
    "component components",
    "depend depends dependent dependents rely relies",
    "need needs require requires",
    "needed required necessary",
    "learnt learned known mastered studied taught understood read completed",
    "must should",
    "before",
    "change changes changed",
    "path paths route routes way ways",
    "shortest",
    "longest",
    "chain chains sequence",
    "cycle cycles loop loops",
    "level levels",
    "bottleneck bottlenecks",
    "hub hubs",
    "unlock unlocks",
    "redundant superfluous unnecessary implied",
    "piece pieces parts",
    "reach reached reachable",
    "start starts starting begin begins",
    "end ends",
    "point points",
    "common shared",
    "type types kind kinds",
    "id ids",
    "pair pairs",
    "any",
    "isolated unconnected",
    "everything all",
    "most",
    "on upon",
    "nothing none",
    "follow follows following",
    "if when",
    "from",
};

static const char *const numbers[] = {"one", "two",   "three", "four", "five",
                                      "six", "seven", "eight", "nine", "ten"};

static bool has_word(const char *list, const char *word, size_t len)
{
    while (*list) {
        const size_t size = strcspn(list, " ");

        if (size == len && strncmp(list, word, len) == 0)
            return true;
        list += size + (list[size] == ' ');
    }
    return false;
}

static void add_word(struct words *words, const char *text, size_t len)
{
    if (words->count == WORDS_MAX || len >= WORD_CAP) {
        words->failed = true;
        return;
    }
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (has_word(meanings[i], text, len)) {
            text = meanings[i];
            len = strcspn(text, " ");
            break;
        }
    snprintf(words->word[words->count++], WORD_CAP, "%.*s", (int)len, text);
}

static void add_number(struct words *words, unsigned number)
{
    words->failed = words->failed || (words->number && words->number != number);
    words->number = number;
    add_word(words, "NUM", 3);
}

/* A word in small letters; 0 stays a word, for "0 = no prerequisites". */
static void read_word(struct words *words, const char *text, size_t len)
{
    char word[WORD_CAP];
    char *end;
    unsigned long number;

    if (len >= sizeof word) {
        words->failed = true;
        return;
    }
    for (size_t i = 0; i < len; i++)
        word[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 'a' - 'A' : text[i]);
    word[len] = '\0';
    number = strtoul(word, &end, 10);
    if (*end == '\0' && number > 0 && number <= 1000) {
        add_number(words, (unsigned)number);
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(word, numbers[i]) == 0) {
            add_number(words, (unsigned)i + 1);
            return;
        }
    /* "are no prerequisites" is not "have no prerequisites". */
    words->failed = words->failed || (words->after_be && strcmp(word, "no") == 0);
    words->after_be = has_word("is are", word, len);
    if (!has_word(fillers, word, len))
        add_word(words, word, len);
}

/* Letters, digits and bytes beyond ASCII; ids have also '_', '-' and '.' inside. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c & 0x80) || c == '_';
}

static bool is_bounded(const char *text, size_t len)
{
    return !is_letter(text[len]) &&
           !((text[len] == '-' || text[len] == '.') && is_letter(text[len + 1]));
}

/* The lesson whose id, or only whose title, begins here; the longest. NULL if there is none, or if
 * two have the title. *len: its bytes. */
static const struct outline_node *node_at(const struct outline *outline, const char *text,
                                          size_t *len)
{
    const struct outline_node *best = NULL;
    size_t best_len = 0;
    bool twice = false;

    for (size_t i = 0; i < outline->node_count; i++) {
        const struct outline_node *node = &outline->nodes[i];
        const char *names[] = {node->id, node->title};

        for (size_t n = 0; n < 2; n++) {
            const size_t size = names[n] ? strlen(names[n]) : 0;

            if (size == 0 || size < best_len ||
                (n == 0 ? strncmp(text, names[n], size) : strncasecmp(text, names[n], size)) != 0 ||
                !is_bounded(text, size))
                continue;
            twice = size == best_len && best != node;
            best = node;
            best_len = size;
        }
    }
    *len = best_len;
    return twice ? NULL : best;
}

/* Passes the title of a lesson in brackets behind its id: "N027 (Adding fractions)". */
static size_t pass_title(const struct outline_node *node, const char *text)
{
    const size_t blanks = strspn(text, " "), len = node->title ? strlen(node->title) : 0;
    const char *title = text + blanks;

    if (len > 0 && (*title == '(' || *title == '"') &&
        strncasecmp(title + 1, node->title, len) == 0 &&
        (title[len + 1] == ')' || title[len + 1] == '"'))
        return blanks + len + 2;
    return 0;
}

static void read_question(struct words *words, const char *text, const struct outline *outline)
{
    bool at_start = true;

    while (*text && !words->failed) {
        const struct outline_node *node;
        size_t len = 0;

        if (!is_letter(*text)) {
            at_start = true;
            text++;
            continue;
        }
        node = at_start ? node_at(outline, text, &len) : NULL;
        if (node) {
            if (words->node_count == NODES_MAX) {
                words->failed = true;
                return;
            }
            words->nodes[words->node_count++] = node->id;
            add_word(words, "NODE", 4);
            text += len + pass_title(node, text + len);
        } else {
            len = 0;
            while (is_letter(text[len]))
                len++;
            read_word(words, text, len);
            text += len;
        }
        at_start = false;
    }
}

/* ---- phrases that say how to answer, in the words that are left after `meanings` and `fillers`;
 * longer ones first ---- */

enum phrase {
    SAYS_COUNT,     /* how many */
    SAYS_DEEP,      /* directly or indirectly */
    SAYS_DIRECT,    /* directly */
    SAYS_NEEDS,     /* over prerequisites */
    SAYS_ALL_TYPES, /* over relationships of any type */
    SAYS_IDS,       /* give the ids */
    SAYS_ORDER,     /* give the ids in order */
    SAYS_ROWS,      /* give [id, number] */
    SAYS_AND_COUNT, /* and how many */
    SAYS_TIE,       /* the smallest id on a tie */
    SAYS_ZERO,      /* levels begin with 0 */
    SAYS_DIRECTED,
    SAYS_NOTHING, /* taken out */
};

static const struct {
    const char *words;
    enum phrase says;
} phrases[] = {
    {"which number of", SAYS_COUNT},
    {"number of", SAYS_COUNT},
    {"and how many", SAYS_AND_COUNT},
    {"how many", SAYS_COUNT},
    {"which count of", SAYS_COUNT},
    {"direct and indirect", SAYS_DEEP},
    {"direct or indirect", SAYS_DEEP},
    {"directly or indirectly", SAYS_DEEP},
    {"directly and indirectly", SAYS_DEEP},
    {"transitively", SAYS_DEEP},
    {"transitive", SAYS_DEEP},
    {"directly", SAYS_DIRECT},
    {"direct", SAYS_DIRECT},
    {"immediate", SAYS_DIRECT},
    {"immediately", SAYS_DIRECT},
    {"by prerequisite relationship", SAYS_NEEDS},
    {"over prerequisite relationship", SAYS_NEEDS},
    {"along prerequisite relationship", SAYS_NEEDS},
    {"by prerequisite", SAYS_NEEDS},
    {"over prerequisite", SAYS_NEEDS},
    {"over everything relationship", SAYS_ALL_TYPES},
    {"along everything relationship", SAYS_ALL_TYPES},
    {"over relationship of any type", SAYS_ALL_TYPES},
    {"along relationship of any type", SAYS_ALL_TYPES},
    {"by relationship of any type", SAYS_ALL_TYPES},
    {"over everything type", SAYS_ALL_TYPES},
    {"and follow relationship of any type their direction", SAYS_ALL_TYPES},
    {"which id order", SAYS_ORDER},
    {"which their id", SAYS_IDS},
    {"which id number", SAYS_ROWS},
    {"which from to pair", SAYS_ROWS},
    {"which id", SAYS_IDS},
    {"smallest id on tie", SAYS_TIE},
    {"0 no prerequisite", SAYS_ZERO},
    {"counting from 0", SAYS_ZERO},
    {"counted from 0", SAYS_ZERO},
    {"directed", SAYS_DIRECTED},
    {"shortest path unique", SAYS_NOTHING},
};

/* Words up to a space, at a place of the question. */
static size_t match_phrase(const struct words *words, size_t at, const char *phrase)
{
    size_t count = 0;

    while (*phrase) {
        const size_t size = strcspn(phrase, " ");

        if (at + count >= words->count || strlen(words->word[at + count]) != size ||
            memcmp(words->word[at + count], phrase, size) != 0)
            return 0;
        count++;
        phrase += size + (phrase[size] == ' ');
    }
    return count;
}

static void remove_words(struct words *words, size_t at, size_t count)
{
    memmove(words->word[at], words->word[at + count],
            (words->count - at - count) * sizeof *words->word);
    words->count -= count;
}

static void take_phrases(struct words *words)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        for (size_t at = 0; at < words->count; at++) {
            const size_t count = match_phrase(words, at, phrases[i].words);

            if (count == 0)
                continue;
            remove_words(words, at, count);
            words->flags |= PHRASE_SETS(phrases[i].says);
            at--;
        }
}

/* ---- the patterns: a word, words of which one stands there ("on|upon"), and "?" behind what may
 * be missing ---- */

enum view { VIEW_NEEDS, VIEW_PATHS, VIEW_ALL };

#define COUNT     PHRASE_SETS(SAYS_COUNT)
#define DEEP      PHRASE_SETS(SAYS_DEEP)
#define DIRECT    PHRASE_SETS(SAYS_DIRECT)
#define NEEDS     PHRASE_SETS(SAYS_NEEDS)
#define ALL_TYPES PHRASE_SETS(SAYS_ALL_TYPES)
#define IDS       PHRASE_SETS(SAYS_IDS)
#define ORDER     PHRASE_SETS(SAYS_ORDER)
#define ROWS      PHRASE_SETS(SAYS_ROWS)
#define AND_COUNT PHRASE_SETS(SAYS_AND_COUNT)
#define TIE       PHRASE_SETS(SAYS_TIE)
#define ZERO      PHRASE_SETS(SAYS_ZERO)
#define DIRECTED  PHRASE_SETS(SAYS_DIRECTED)
#define NOTHING   PHRASE_SETS(SAYS_NOTHING)

/* The plan of a pattern. `must` has the flags that the question has to have, `may` those that it
 * may have beside them. */
static const struct pattern {
    const char *words;
    unsigned must, may;
    enum view view;
    const char *query, *pick, *fields;
    const char *form;
    unsigned first; /* at most so many rows; UINT_MAX: NUM */
    bool sorted, count;
    bool no_loops; /* not for a curriculum with a relationship from a lesson to itself */
} patterns[] = {
    /* sizes */
    {"node", COUNT, 0, VIEW_ALL, "counts", "nodes", NULL, NULL, 0, 0, 0, 0},
    {"relationship", COUNT, 0, VIEW_ALL, "counts", "relationships", NULL, NULL, 0, 0, 0, 0},
    {"component", COUNT, 0, VIEW_ALL, "counts", "components", NULL, NULL, 0, 0, 0, 0},
    {"relationship per|of relationship|each type?", COUNT, 0, VIEW_ALL, "counts", "by_type",
     "relationship_type count", "map", 0, 0, 0, 0},
    {"into separate|disconnected piece fall? if everything relationship seen as undirected and how "
     "large largest",
     COUNT, 0, VIEW_ALL, "counts", NULL, "pieces largest_piece", NULL, 0, 0, 0, 0},
    {"into separate|disconnected piece fall?", COUNT, 0, VIEW_ALL, "counts", "pieces", NULL, NULL,
     0, 0, 0, 0},
    {"separate|disconnected piece", COUNT, 0, VIEW_ALL, "counts", "pieces", NULL, NULL, 0, 0, 0, 0},
    {"node without|no any? component", COUNT, 0, VIEW_ALL, "counts", "without_components", NULL,
     NULL, 0, 0, 0, 0},
    {"node without|no title", COUNT, 0, VIEW_ALL, "counts", "untitled", NULL, NULL, 0, 0, 0, 0},

    /* all prerequisites of a lesson, and its dependents */
    {"which node? must learnt before NODE", 0, DEEP | NEEDS | IDS, VIEW_NEEDS, "needs", "nodes",
     "node_id", NULL, 0, 1, 0, 0},
    {"which? node? must learnt before NODE node?", COUNT, DEEP | NEEDS, VIEW_NEEDS, "needs",
     "nodes", NULL, NULL, 0, 0, 1, 0},
    {"which prerequisite of|for NODE", DEEP, IDS | NEEDS, VIEW_NEEDS, "needs", "nodes", "node_id",
     NULL, 0, 1, 0, 0},
    {"which everything prerequisite of|for NODE", 0, IDS | NEEDS | DEEP, VIEW_NEEDS, "needs",
     "nodes", "node_id", NULL, 0, 1, 0, 0},
    {"everything? prerequisite of|for? NODE have?", COUNT | DEEP, NEEDS, VIEW_NEEDS, "needs",
     "nodes", NULL, NULL, 0, 0, 1, 0},
    {"which node? NODE need|depend on?", DEEP, IDS | NEEDS, VIEW_NEEDS, "needs", "nodes", "node_id",
     NULL, 0, 1, 0, 0},
    {"node NODE need|depend on?", COUNT | DEEP, NEEDS, VIEW_NEEDS, "needs", "nodes", NULL, NULL, 0,
     0, 1, 0},
    {"which everything? node? needed for|before NODE", DEEP, IDS | NEEDS, VIEW_NEEDS, "needs",
     "nodes", "node_id", NULL, 0, 1, 0, 0},
    {"which everything? node? depend on NODE", DEEP, IDS | NEEDS, VIEW_NEEDS, "needed_by", "nodes",
     "node_id", NULL, 0, 1, 0, 0},
    {"which everything? node? need NODE", DEEP, IDS | NEEDS, VIEW_NEEDS, "needed_by", "nodes",
     "node_id", NULL, 0, 1, 0, 0},
    {"node depend on NODE", COUNT | DEEP, NEEDS, VIEW_NEEDS, "needed_by", "nodes", NULL, NULL, 0, 0,
     1, 0},
    {"node need NODE", COUNT | DEEP, NEEDS, VIEW_NEEDS, "needed_by", "nodes", NULL, NULL, 0, 0, 1,
     0},
    {"if NODE change node depend on", COUNT | DEEP, NEEDS, VIEW_NEEDS, "needed_by", "nodes", NULL,
     NULL, 0, 0, 1, 0},
    {"node NODE unlock", COUNT | DEEP, NEEDS, VIEW_NEEDS, "needed_by", "nodes", NULL, NULL, 0, 0, 1,
     0},
    {"prerequisite NODE and NODE common", COUNT | DEEP, NEEDS, VIEW_NEEDS, "common_needs", "nodes",
     NULL, NULL, 0, 0, 1, 0},
    {"which prerequisite NODE and NODE common", DEEP, NEEDS | IDS, VIEW_NEEDS, "common_needs",
     "nodes", NULL, NULL, 0, 1, 0, 0},
    {"which common prerequisite of NODE and NODE", DEEP, NEEDS | IDS, VIEW_NEEDS, "common_needs",
     "nodes", NULL, NULL, 0, 1, 0, 0},
    {"common prerequisite of? NODE and NODE", COUNT | DEEP, NEEDS, VIEW_NEEDS, "common_needs",
     "nodes", NULL, NULL, 0, 0, 1, 0},

    /* the lessons beside one */
    {"which prerequisite of|for NODE", DIRECT, IDS | NEEDS, VIEW_NEEDS, "neighbours", "before",
     "node_id", NULL, 0, 1, 0, 1},
    {"prerequisite of|for? NODE have?", COUNT | DIRECT, NEEDS, VIEW_NEEDS, "neighbours", "before",
     NULL, NULL, 0, 0, 1, 1},
    {"which node? depend on NODE", DIRECT, IDS | NEEDS, VIEW_NEEDS, "neighbours", "after",
     "node_id", NULL, 0, 1, 0, 1},
    {"which node? depend of NODE", DIRECT, IDS | NEEDS, VIEW_NEEDS, "neighbours", "after",
     "node_id", NULL, 0, 1, 0, 1},
    {"node depend on NODE", COUNT | DIRECT, NEEDS, VIEW_NEEDS, "neighbours", "after", NULL, NULL, 0,
     0, 1, 1},

    /* paths */
    {"which shortest learning? path from NODE to NODE", 0, IDS | ORDER | DIRECTED | NEEDS | NOTHING,
     VIEW_PATHS, "path", "nodes", NULL, NULL, 0, 0, 0, 0},
    {"which shortest learning? path from NODE to NODE", ALL_TYPES, IDS | ORDER | DIRECTED | NOTHING,
     VIEW_ALL, "path", "nodes", NULL, NULL, 0, 0, 0, 0},
    {"any? path from NODE to NODE", NEEDS, DIRECTED, VIEW_NEEDS, "path", "steps", NULL, "truth", 0,
     0, 0, 0},
    {"any? path from NODE to NODE", ALL_TYPES, DIRECTED, VIEW_ALL, "path", "steps", NULL, "truth",
     0, 0, 0, 0},

    /* the order of the whole */
    {"which prerequisite cycle", 0, 0, VIEW_NEEDS, "cycles", "groups", "nodes", NULL, 0, 1, 0, 1},
    {"any? prerequisite cycle which groups of node mutually? need NUM? another", 0, 0, VIEW_NEEDS,
     "cycles", "groups", "nodes", NULL, 0, 1, 0, 1},
    {"any prerequisite cycle", 0, 0, VIEW_NEEDS, "cycles", "groups", NULL, "truth", 0, 0, 0, 1},
    {"node on longest prerequisite? chain of? prerequisite?", COUNT, 0, VIEW_NEEDS, "longest_chain",
     "chain", "0", NULL, 0, 0, 1, 0},
    {"node longest chain of prerequisite", COUNT, 0, VIEW_NEEDS, "longest_chain", "chain", "0",
     NULL, 0, 0, 1, 0},
    {"level node fall into?", COUNT, NEEDS, VIEW_NEEDS, "levels", "level_count", NULL, NULL, 0, 0,
     0, 0},
    {"on? which level NODE then?", ZERO, 0, VIEW_NEEDS, "levels", "level", NULL, NULL, 0, 0, 0, 0},

    /* the ends, and lessons out of reach */
    {"which node no|without prerequisite pointing? at? them?", 0, IDS, VIEW_NEEDS,
     "starting_points", "nodes", "node_id", NULL, 0, 1, 0, 1},
    {"node no|without prerequisite pointing? at? them?", COUNT, 0, VIEW_NEEDS, "starting_points",
     "nodes", NULL, NULL, 0, 0, 1, 1},
    {"which start point", 0, IDS, VIEW_NEEDS, "starting_points", "nodes", "node_id", NULL, 0, 1, 0,
     1},
    {"start point", COUNT, 0, VIEW_NEEDS, "starting_points", "nodes", NULL, NULL, 0, 0, 1, 1},
    {"node prerequisite of|for nothing|no node?", COUNT, 0, VIEW_NEEDS, "end_points", "nodes", NULL,
     NULL, 0, 0, 1, 1},
    {"which node prerequisite of|for nothing|no node?", 0, IDS, VIEW_NEEDS, "end_points", "nodes",
     "node_id", NULL, 0, 1, 0, 1},
    {"which end point", 0, IDS, VIEW_NEEDS, "end_points", "nodes", "node_id", NULL, 0, 1, 0, 1},
    {"end point", COUNT, 0, VIEW_NEEDS, "end_points", "nodes", NULL, NULL, 0, 0, 1, 1},
    {"which node needed by nothing", 0, IDS, VIEW_NEEDS, "end_points", "nodes", "node_id", NULL, 0,
     1, 0, 1},
    {"node needed by nothing", COUNT, 0, VIEW_NEEDS, "end_points", "nodes", NULL, NULL, 0, 0, 1, 1},
    {"which node no relationship of any type", 0, IDS, VIEW_ALL, "unreachable", "isolated", NULL,
     NULL, 0, 1, 0, 1},
    {"which node isolated", 0, IDS, VIEW_ALL, "unreachable", "isolated", NULL, NULL, 0, 1, 0, 1},
    {"node no relationship of any type", COUNT, 0, VIEW_ALL, "unreachable", "isolated", NULL, NULL,
     0, 0, 1, 1},
    {"start? at|from NODE node never reach", COUNT | ALL_TYPES, 0, VIEW_ALL, "unreachable", "nodes",
     NULL, NULL, 0, 0, 1, 0},
    {"node not|never reach from NODE", COUNT | ALL_TYPES, 0, VIEW_ALL, "unreachable", "nodes", NULL,
     NULL, 0, 0, 1, 0},
    {"which node not|never reach from NODE", ALL_TYPES, IDS, VIEW_ALL, "unreachable", "nodes", NULL,
     NULL, 0, 1, 0, 0},

    /* the weightiest lessons */
    {"which NUM node prerequisite of most other? node", DIRECT | ROWS, 0, VIEW_NEEDS, "hubs",
     "most_direct_dependents", "node_id count", NULL, UINT_MAX, 1, 0, 1},
    {"which NUM node most depend", DIRECT | ROWS, 0, VIEW_NEEDS, "hubs", "most_direct_dependents",
     "node_id count", NULL, UINT_MAX, 1, 0, 1},
    {"which NUM node most prerequisite", DIRECT | ROWS, 0, VIEW_NEEDS, "hubs",
     "most_direct_prerequisites", "node_id count", NULL, UINT_MAX, 1, 0, 1},
    {"which node most prerequisite", DIRECT | AND_COUNT | TIE, 0, VIEW_NEEDS, "hubs",
     "most_direct_prerequisites", "node_id count", "single", 0, 1, 0, 1},
    {"which node prerequisite of most other? node", DIRECT | AND_COUNT | TIE, 0, VIEW_NEEDS, "hubs",
     "most_direct_dependents", "node_id count", "single", 0, 1, 0, 1},
    {"which NUM node unlock most depend?", ROWS | DEEP, NEEDS, VIEW_NEEDS, "unlocks", "nodes",
     "node_id dependents", NULL, UINT_MAX, 1, 0, 0},
    {"which node unlock most depend?", AND_COUNT | DEEP | TIE, NEEDS, VIEW_NEEDS, "unlocks",
     "nodes", "node_id dependents", "single", 0, 1, 0, 0},
    {"which prerequisite relationship redundant because longer chain already implies them", ROWS, 0,
     VIEW_NEEDS, "redundant", "edges", "from_node_id to_node_id", NULL, 0, 1, 0, 0},
    {"which prerequisite relationship redundant", ROWS, 0, VIEW_NEEDS, "redundant", "edges",
     "from_node_id to_node_id", NULL, 0, 1, 0, 0},
    {"prerequisite relationship redundant", COUNT, 0, VIEW_NEEDS, "redundant", "edges", NULL, NULL,
     0, 0, 1, 0},
    {"redundant prerequisite relationship", COUNT, 0, VIEW_NEEDS, "redundant", "edges", NULL, NULL,
     0, 0, 1, 0},
};

/* Whether one of the alternatives of a pattern's word is the word. */
static bool fits(const char *alternatives, size_t len, const char *word)
{
    const size_t size = strlen(word);

    for (size_t at = 0; at < len;) {
        size_t end = at;

        while (end < len && alternatives[end] != '|')
            end++;
        if (end - at == size && memcmp(alternatives + at, word, size) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

/* Whether the words from `at` on are the pattern. It recurs once for each word that may be missing,
 * of which a pattern has a few. */
static bool match(const char *pattern, const struct words *words, size_t at)
{
    while (*pattern) {
        const size_t size = strcspn(pattern, " ");
        const bool optional = pattern[size - 1] == '?';
        const char *rest = pattern + size + (pattern[size] == ' ');
        const bool here = at < words->count && fits(pattern, size - optional, words->word[at]);

        if (optional && match(rest, words, at))
            return true;
        if (!here)
            return false;
        at++;
        pattern = rest;
    }
    return at == words->count;
}

/* ---- the plan ---- */

static bool has_loop(const struct outline *outline)
{
    for (size_t i = 0; i < outline->edge_count; i++)
        if (strcmp(outline->edges[i].from, outline->edges[i].to) == 0)
            return true;
    return false;
}

/* The types that the question means, each once, as a new list; empty where they are the query's
 * own. NULL where the question does not say which are meant, or if there is no memory: it says
 * "PREREQUISITE" and several types have that word, or none; or it says nothing, and the curriculum
 * has types that lead nowhere. */
static json_t *types_of(const struct outline *outline, const struct pattern *pattern,
                        unsigned flags)
{
    const bool named = (flags & NEEDS) || strcmp(pattern->query, "neighbours") == 0;
    json_t *types = json_array();
    size_t others = 0;

    for (size_t i = 0; i < outline->edge_count; i++) {
        const char *type = outline->edges[i].type;
        size_t known = 0;

        others += !strstr(type, "PREREQUISITE") && strcmp(type, "LEADS_TO") != 0;
        if (!strstr(type, "PREREQUISITE"))
            continue;
        while (known < json_array_size(types) &&
               strcmp(json_string_value(json_array_get(types, known)), type) != 0)
            known++;
        if (known == json_array_size(types))
            json_array_append_new(types, json_string(type));
    }
    if ((named && json_array_size(types) == 0) || ((flags & NEEDS) && json_array_size(types) > 1) ||
        (pattern->view == VIEW_PATHS && !named && others > 0) ||
        json_array_size(types) > TYPES_MAX) {
        json_decref(types);
        return NULL;
    }
    if (pattern->view == VIEW_ALL || !named)
        json_array_clear(types);
    if (pattern->view == VIEW_ALL && strcmp(pattern->query, "counts") != 0)
        json_array_append_new(types, json_string("all"));
    return types;
}

static json_t *list_of(const char *words)
{
    json_t *list = json_array();

    while (*words) {
        const size_t size = strcspn(words, " ");

        json_array_append_new(list, json_stringn(words, size));
        words += size + (words[size] == ' ');
    }
    return list;
}

static json_t *write_plan(const struct pattern *pattern, const struct words *words, json_t *types)
{
    json_t *query = json_pack("{s:s}", "query", pattern->query);
    const unsigned first = pattern->first == UINT_MAX ? words->number : pattern->first;

    if (words->node_count == 1)
        json_object_set_new(query, "node_id", json_string(words->nodes[0]));
    if (words->node_count == 2) {
        json_object_set_new(query, "from_node_id", json_string(words->nodes[0]));
        json_object_set_new(query, "to_node_id", json_string(words->nodes[1]));
    }
    if (json_array_size(types) > 0)
        json_object_set(query, "types", types);
    if (pattern->pick)
        json_object_set_new(query, "pick", json_string(pattern->pick));
    if (pattern->fields)
        json_object_set_new(query, "fields", list_of(pattern->fields));
    if (pattern->sorted)
        json_object_set_new(query, "sorted", json_true());
    if (first > 0)
        json_object_set_new(query, "first", json_integer((json_int_t)first));
    if (pattern->count)
        json_object_set_new(query, "count", json_true());
    if (pattern->form)
        json_object_set_new(query, "form", json_string(pattern->form));
    return json_pack("{s:s, s:o}", "approach", "query", "query", query);
}

json_t *plan_by_rule(const char *question, const struct outline *outline, struct error *err)
{
    struct words *words = calloc(1, sizeof *words);
    const struct pattern *found = NULL;
    json_t *plan = NULL, *types = NULL;

    if (!words) {
        error_set(err, ERROR_MEMORY, "there was no memory to read the question");
        return NULL;
    }
    read_question(words, question, outline);
    take_phrases(words);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !words->failed && !found; i++) {
        const struct pattern *pattern = &patterns[i];

        if ((words->flags & pattern->must) == pattern->must &&
            (words->flags & ~(pattern->must | pattern->may)) == 0 &&
            match(pattern->words, words, 0))
            found = pattern;
    }
    if (found && !(found->no_loops && has_loop(outline)))
        types = types_of(outline, found, words->flags);
    if (types && !(plan = write_plan(found, words, types)))
        error_set(err, ERROR_MEMORY, "there was no memory to plan the question");
    json_decref(types);
    free(words);
    return plan;
}

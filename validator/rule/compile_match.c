/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the compiler refuses in match statements: patterns that match everything before others,
 * names bound twice or not in all alternatives, several stars, repeated keys and attributes.
 */
#include "validator/rule/compile_internal.h"

#include <stdlib.h>
#include <string.h>

#include "validator/syntax/literal.h"
#include "validator/syntax/tokenizer.h"

/* The keys of a mapping pattern: none twice, as Python compares them (1, 1.0, True and 0x1 are the
 * same key). Keys that are attributes are not known before the program runs. A whole number is kept
 * by two residues, so that it may be of any size; then sorting shows which are equal. */

#define FLOAT_CAP 512                       /* bytes of a literal that is compared */
#define MERSENNE  ((UINT64_C(1) << 61) - 1) /* the second residue's prime: 2^61 is 1 */

enum key_kind { KEY_UNKNOWN, KEY_NONE_VALUE, KEY_BYTES, KEY_STRING, KEY_NUMBER };

struct number_part {
    double fraction; /* where it is no whole number, else 0 */
    uint64_t low, prime;
    bool negative;
};

struct key {
    uint32_t node;
    enum key_kind kind;
    const char *text; /* borrowed */
    size_t len;
    struct number_part real, imaginary;
};

static void add_digit(struct number_part *part, unsigned base, unsigned digit)
{
    part->low = part->low * base + digit;
    part->prime = (uint64_t)(((unsigned __int128)part->prime * base + digit) % MERSENNE);
}

static unsigned digit_of(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

static struct number_part read_integer(const char *text, size_t len)
{
    struct number_part part = {0};
    unsigned base = 10;
    size_t at = 0;

    if (len > 2 && text[0] == '0' && (text[1] | 0x20) >= 'a') {
        base = (text[1] | 0x20) == 'x' ? 16 : (text[1] | 0x20) == 'o' ? 8 : 2;
        at = 2;
    }
    for (; at < len; at++)
        if (text[at] != '_')
            add_digit(&part, base, digit_of(text[at]));
    return part;
}

/* Of a double, not negative: mantissa * 2^exponent. */
static struct number_part from_double(double value)
{
    struct number_part part = {0};
    uint64_t bits, mantissa;
    int exponent;

    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> 52) - 1075;
    mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    if (bits == 0)
        return part;
    if (exponent < -52 || exponent == 0x7FF - 1075 ||
        (exponent < 0 && mantissa & ((UINT64_C(1) << -exponent) - 1))) {
        part.fraction = value;
        return part;
    }
    if (exponent < 0) {
        part.low = part.prime = mantissa >> -exponent;
        return part;
    }
    part.low = exponent < 64 ? mantissa << exponent : 0;
    part.prime = (uint64_t)(((unsigned __int128)mantissa << exponent % 61) % MERSENNE);
    return part;
}

/* A number literal; false for one too long to be compared. */
static bool read_number(const struct compile *compile, uint32_t node, struct key *key)
{
    const struct ast *ast = compile->ast;
    const char *text = ast->source + ast->nodes[node].at, *error = NULL;
    char digits[FLOAT_CAP];
    size_t error_at, count = 0, len;
    bool decimal, imaginary;

    len = number_scan(text, ast->len - ast->nodes[node].at, &decimal, &error, &error_at);
    if (decimal || (len > 1 && text[0] == '0' && text[1] && strchr("xXoObB", text[1]))) {
        key->real = read_integer(text, len);
        return true;
    }
    if (len >= sizeof digits)
        return false;
    for (size_t i = 0; i < len; i++)
        if (text[i] != '_')
            digits[count++] = text[i];
    digits[count] = '\0';
    imaginary = (text[len - 1] | 0x20) == 'j';
    *(imaginary ? &key->imaginary : &key->real) = from_double(strtod(digits, NULL));
    return true;
}

static void negate(struct number_part *part)
{
    if (part->fraction != 0 || part->low || part->prime)
        part->negative = !part->negative;
}

static void read_sum(const struct compile *compile, uint32_t at, struct key *key);

/* A signed literal, or a sum of a real and an imaginary one. */
static void read_numeric(const struct compile *compile, uint32_t at, struct key *key)
{
    const struct node *node = &compile->nodes[at];

    if (node->kind == NODE_NUMBER) {
        key->kind = read_number(compile, at, key) ? KEY_NUMBER : KEY_UNKNOWN;
    } else if (node->kind == NODE_UNARY && compile->nodes[node->child].kind == NODE_NUMBER) {
        read_numeric(compile, node->child, key);
        negate(&key->real);
        negate(&key->imaginary);
    } else if (node->kind == NODE_BINARY) {
        read_sum(compile, at, key);
    }
}

static void read_sum(const struct compile *compile, uint32_t at, struct key *key)
{
    const struct node *node = &compile->nodes[at];
    uint32_t right = compile->nodes[node->child].next;
    struct key imaginary = {0};

    read_numeric(compile, node->child, key);
    read_numeric(compile, right, &imaginary);
    key->imaginary = imaginary.imaginary;
    if (node->op == '-')
        negate(&key->imaginary);
}

static struct key read_key(const struct compile *compile, uint32_t at)
{
    const struct node *node = &compile->nodes[at];
    struct key key = {.node = at};

    switch (node->kind) {
    case NODE_STRING:
        key.kind = node->flags & NODE_BYTES ? KEY_BYTES : KEY_STRING;
        key.text = ast_text(compile->ast, at, &key.len);
        break;
    case NODE_CONSTANT:
        key.kind = node->op == KEYWORD_NONE_VALUE ? KEY_NONE_VALUE : KEY_NUMBER;
        if (node->op == KEYWORD_TRUE)
            add_digit(&key.real, 2, 1);
        break;
    default:
        read_numeric(compile, at, &key);
        break;
    }
    return key;
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_parts(const struct number_part *a, const struct number_part *b)
{
    int order = ORDER(a->negative, b->negative);

    order = order ? order : ORDER(a->low, b->low);
    order = order ? order : ORDER(a->prime, b->prime);
    return order ? order : ORDER(a->fraction, b->fraction);
}

static int compare_values(const struct key *a, const struct key *b)
{
    int order = ORDER(a->kind, b->kind);

    if (order == 0 && a->text && b->text) {
        order = ORDER(a->len, b->len);
        return order || a->len == 0 ? order : memcmp(a->text, b->text, a->len);
    }
    order = order ? order : compare_parts(&a->real, &b->real);
    return order ? order : compare_parts(&a->imaginary, &b->imaginary);
}

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = compare_values(a, b);

    return order ? order : ORDER(a->node, b->node);
}

static void check_keys(struct compile *compile, struct key *keys, uint32_t count)
{
    qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 1; i < count; i++)
        if (keys[i].kind != KEY_UNKNOWN && compare_values(&keys[i - 1], &keys[i]) == 0)
            compile_report(compile, keys[i].node,
                           "This key stands twice in the pattern. Keep one of the two.");
}

static void compile_mapping_keys(struct compile *compile, uint32_t mapping)
{
    const struct node *nodes = compile->nodes;
    uint32_t child = nodes[mapping].child, count = 0, size = 0;
    struct key *keys = NULL;

    while (child != NODE_NONE && nodes[child].kind != NODE_MATCH_STAR) {
        if (nodes[child].kind == NODE_JOINED)
            compile_report(
                compile, child,
                "An f-string cannot be a key of a pattern. Write a plain string, or compare "
                "in a guard.");
        if (!ast_grow((void **)&keys, count, &size, sizeof *keys, AST_FIRST_ROWS)) {
            compile->failed = true;
            break;
        }
        keys[count++] = read_key(compile, child);
        child = nodes[nodes[child].next].next; /* behind its pattern */
    }
    if (count > 1)
        check_keys(compile, keys, count);
    free(keys);
}

/* The names that a pattern binds are kept in one list; each alternative of an or-pattern begins a
 * set of its own, known by its stamp, so that no name is searched for. */

struct bound {
    uint32_t symbol;
    uint32_t hidden; /* the symbol's stamp before */
};

struct match {
    struct compile *compile;
    const struct node *nodes;
    uint32_t *stamps;    /* borrowed */
    struct bound *bound; /* owned */
    uint32_t count, size;
    uint32_t set;     /* the stamp of the names bound so far */
    bool irrefutable; /* a pattern that takes everything may stand here */
};

static void pattern(struct match *match, uint32_t at);

static void bind(struct match *match, uint32_t symbol, uint32_t at)
{
    if (symbol == SYMBOL_NONE)
        return;
    if (match->stamps[symbol] == match->set) {
        compile_report(match->compile, at,
                       "'%s' is bound twice in this pattern. Give each part its own name, and "
                       "compare in a guard: if a == b.",
                       compile_name(match->compile, symbol).text);
        return;
    }
    if (!ast_grow((void **)&match->bound, match->count, &match->size, sizeof *match->bound,
                  AST_FIRST_ROWS)) {
        match->compile->failed = true;
        return;
    }
    match->bound[match->count++] = (struct bound){symbol, match->stamps[symbol]};
    match->stamps[symbol] = match->set;
}

/* Forgets the stamps of the names from `first` on; the names stay in the list. */
static void unstamp(struct match *match, uint32_t first)
{
    for (uint32_t i = match->count; i > first; i--)
        match->stamps[match->bound[i - 1].symbol] = match->bound[i - 1].hidden;
}

/* ---- or ---- */

/* The same names as the first alternative, which begin at `first`; `count` of them. The others
 * stand behind. */
static bool binds_the_same(struct match *match, uint32_t first, uint32_t count)
{
    uint32_t *stamps = compile_stamps(match->compile, STAMPS_SCRATCH);
    uint32_t set = ++match->compile->stamp;
    bool same = stamps && match->count - first == 2 * count;

    for (uint32_t i = first; same && i < first + count; i++)
        stamps[match->bound[i].symbol] = set;
    for (uint32_t i = first + count; same && i < match->count; i++)
        same = stamps[match->bound[i].symbol] == set;
    return same;
}

static void alternatives(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;
    uint32_t first = match->count, count = 0, outer = match->set;
    bool irrefutable = match->irrefutable, same = true;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next) {
        uint32_t begin = match->count;

        match->set = ++match->compile->stamp;
        match->irrefutable = irrefutable && nodes[child].next == NODE_NONE;
        pattern(match, child);
        unstamp(match, begin);
        if (child == nodes[at].child) {
            count = match->count - first;
            continue;
        }
        same = same && binds_the_same(match, first, count);
        match->count = begin;
    }
    if (!same)
        compile_report(match->compile, at,
                       "The alternatives of this pattern bind different names. Bind the same names "
                       "in each, or write one case for each.");
    match->irrefutable = irrefutable;
    match->set = outer;
    match->count = first;
    for (uint32_t i = first; i < first + count; i++)
        bind(match, match->bound[i].symbol, at);
}

/* ---- the others ---- */

/* A part of a pattern may take everything. */
static void part(struct match *match, uint32_t at)
{
    bool irrefutable = match->irrefutable;

    match->irrefutable = true;
    pattern(match, at);
    match->irrefutable = irrefutable;
}

static void parts(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;

    for (uint32_t child = nodes[at].child; child != NODE_NONE; child = nodes[child].next)
        part(match, child);
}

static void capture(struct match *match, uint32_t at)
{
    const struct node *node = &match->nodes[at];

    if (node->child != NODE_NONE)
        pattern(match, node->child);
    else if (!match->irrefutable && node->name != SYMBOL_NONE)
        compile_report(
            match->compile, at,
            "'case %s' takes every value, so what follows is never reached. Put it last; "
            "to compare with a constant write 'case _ if subject == %s'.",
            compile_name(match->compile, node->name).text,
            compile_name(match->compile, node->name).text);
    else if (!match->irrefutable)
        compile_report(match->compile, at,
                       "'_' takes every value, so what follows is never reached. Put it last.");
    bind(match, node->name, at);
}

/* Keys first: a key and its pattern take turns; what binds the rest stands at the end. */
static void mapping(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;
    uint32_t child = nodes[at].child;

    compile_mapping_keys(match->compile, at);
    while (child != NODE_NONE && nodes[child].kind != NODE_MATCH_STAR) {
        child = nodes[child].next;
        if (child == NODE_NONE)
            return;
        part(match, child);
        child = nodes[child].next;
    }
    if (child != NODE_NONE)
        bind(match, nodes[child].name, child);
}

static void check_attributes(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;
    uint32_t *stamps = compile_stamps(match->compile, STAMPS_SCRATCH);
    uint32_t set = ++match->compile->stamp;

    for (uint32_t child = nodes[at].child; stamps && child != NODE_NONE;
         child = nodes[child].next) {
        if (nodes[child].kind != NODE_MATCH_KEYWORD)
            continue;
        if (stamps[nodes[child].name] == set)
            compile_report(match->compile, child,
                           "The attribute '%s' is asked for twice in this pattern. Keep one.",
                           compile_name(match->compile, nodes[child].name).text);
        stamps[nodes[child].name] = set;
    }
}

/* CLASS: an expression, then the patterns. */
static void class(struct match *match, uint32_t at)
{
    const struct node *nodes = match->nodes;
    uint32_t child = nodes[nodes[at].child].next;

    check_attributes(match, at);
    for (; child != NODE_NONE; child = nodes[child].next)
        part(match, nodes[child].kind == NODE_MATCH_KEYWORD ? nodes[child].child : child);
}

static void value(struct match *match, uint32_t at)
{
    uint32_t expression = match->nodes[at].child;

    if (match->nodes[expression].kind == NODE_JOINED)
        compile_report(match->compile, expression,
                       "An f-string cannot be a pattern. Write 'case _ if subject == f\"...\"'.");
}

static void pattern(struct match *match, uint32_t at)
{
    switch (match->nodes[at].kind) {
    case NODE_MATCH_VALUE:
        value(match, at);
        break;
    case NODE_MATCH_SEQUENCE:
        compile_unpacking(match->compile, at, true);
        parts(match, at);
        break;
    case NODE_MATCH_MAPPING:
        mapping(match, at);
        break;
    case NODE_MATCH_CLASS:
        class(match, at);
        break;
    case NODE_MATCH_STAR:
        bind(match, match->nodes[at].name, at);
        break;
    case NODE_MATCH_AS:
        capture(match, at);
        break;
    case NODE_MATCH_OR:
        alternatives(match, at);
        break;
    default:
        break;
    }
}

void compile_match(struct compile *compile, uint32_t match_node)
{
    const struct node *nodes = compile->nodes;
    struct match match = {
        .compile = compile, .nodes = nodes, .stamps = compile_stamps(compile, STAMPS_BOUND)};
    uint32_t at = nodes[nodes[match_node].child].next; /* behind the subject */

    for (; match.stamps && at != NODE_NONE; at = nodes[at].next) {
        uint32_t first = nodes[at].child;
        bool guarded = nodes[nodes[first].next].kind == NODE_GUARD;

        match.count = 0;
        match.set = ++compile->stamp;
        match.irrefutable = guarded || nodes[at].next == NODE_NONE;
        pattern(&match, first);
    }
    free(match.bound);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names and the tree: creating, freeing, and their texts.
 */
#include "validator/syntax/ast.h"

#include <stdlib.h>
#include <string.h>

#include "validator/limits.h"
#include "validator/syntax/unicode.h"

/* ---- arrays that grow ---- */

bool ast_enlarge(void **rows, uint32_t *size, size_t row_size, uint32_t first)
{
    uint32_t wanted = *size ? *size * 2 : first;
    void *moved;

    moved = realloc(*rows, wanted * row_size);
    if (!moved)
        return false;
    *rows = moved;
    *size = wanted;
    return true;
}

/* ---- names: a hash table with open addressing ---- */

#define FIRST_ROWS  128
#define FIRST_SLOTS 256                        /* twice the rows */
#define NAMES_CAP   (VALIDATOR_PARSE_CAP * 20) /* NFKC makes at most 18 characters of one */

static void symbols_init(struct symbols *symbols, const char *source)
{
    memset(symbols, 0, sizeof *symbols);
    symbols->source = source;
    buf_init(&symbols->names, NAMES_CAP);
    symbols->rows = malloc(FIRST_ROWS * sizeof *symbols->rows);
    symbols->slots = calloc(FIRST_SLOTS, sizeof *symbols->slots);
    symbols->size = FIRST_ROWS;
    symbols->slot_count = FIRST_SLOTS;
    if (!symbols->rows || !symbols->slots) {
        symbols->failed = true;
        return;
    }
    memset(symbols->rows, 0, sizeof *symbols->rows);
    symbols->count = 1;
}

static void symbols_finish(struct symbols *symbols)
{
    free(symbols->rows);
    free(symbols->slots);
    buf_finish(&symbols->names);
    memset(symbols, 0, sizeof *symbols);
}

const char *symbols_text(const struct symbols *symbols, uint32_t symbol, size_t *len)
{
    const struct symbol *row = &symbols->rows[symbol];

    *len = row->length;
    return (row->flags & SYMBOL_OWN ? symbols->names.data : symbols->source) + row->at;
}

/* FNV-1a. VALIDATOR_PROBES_CAP limits the effect of names chosen to collide. */
static uint32_t hash_text(const char *text, size_t len)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static bool is_row(const struct symbols *symbols, uint32_t symbol, uint32_t hash, const char *text,
                   size_t len)
{
    const struct symbol *row = &symbols->rows[symbol];
    size_t row_len;

    if (row->hash != hash || row->length != len)
        return false;
    return memcmp(symbols_text(symbols, symbol, &row_len), text, len) == 0;
}

static bool grow(struct symbols *symbols)
{
    uint32_t size = symbols->size * 2, slot_count = symbols->slot_count * 2;
    struct symbol *rows = realloc(symbols->rows, size * sizeof *rows);
    uint32_t *slots;

    if (!rows)
        return false;
    symbols->rows = rows;
    symbols->size = size;
    slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 1; i < symbols->count; i++) {
        uint32_t slot = rows[i].hash & (slot_count - 1);

        while (slots[slot])
            slot = (slot + 1) & (slot_count - 1);
        slots[slot] = i;
    }
    free(symbols->slots);
    symbols->slots = slots;
    symbols->slot_count = slot_count;
    return true;
}

/* The text's row, or its free slot. */
static uint32_t find(const struct symbols *symbols, uint32_t hash, const char *text, size_t len,
                     uint32_t *slot)
{
    uint32_t mask = symbols->slot_count - 1;

    for (*slot = hash & mask; symbols->slots[*slot]; *slot = (*slot + 1) & mask)
        if (is_row(symbols, symbols->slots[*slot], hash, text, len))
            return symbols->slots[*slot];
    return SYMBOL_NONE;
}

/* The distance of a slot from the one that the hash selects. */
static uint32_t distance(const struct symbols *symbols, uint32_t hash, uint32_t slot)
{
    return (slot - hash) & (symbols->slot_count - 1);
}

static uint32_t insert(struct symbols *symbols, const struct symbol *row, uint32_t slot)
{
    if (symbols->count == symbols->size) {
        if (!grow(symbols)) {
            symbols->failed = true;
            return SYMBOL_NONE;
        }
        for (slot = row->hash & (symbols->slot_count - 1); symbols->slots[slot];)
            slot = (slot + 1) & (symbols->slot_count - 1);
    }
    symbols->slots[slot] = symbols->count;
    symbols->rows[symbols->count] = *row;
    return symbols->count++;
}

static uint32_t add(struct symbols *symbols, const char *text, size_t len, uint32_t at,
                    uint16_t flags)
{
    struct symbol row = {.at = at, .flags = flags};
    uint32_t slot, known;

    row.hash = hash_text(text, len);
    row.length = (uint32_t)len;
    known = find(symbols, row.hash, text, len, &slot);
    symbols->probes += distance(symbols, row.hash, slot);
    if (symbols->probes > VALIDATOR_PROBES_CAP + (size_t)symbols->count * 8) {
        symbols->crowded = true;
        return SYMBOL_NONE;
    }
    return known ? known : insert(symbols, &row, slot);
}

static uint32_t add_own(struct symbols *symbols, size_t start, uint16_t flags)
{
    uint32_t count = symbols->count, symbol;

    if (symbols->names.failed) {
        symbols->failed = true;
        return SYMBOL_NONE;
    }
    symbol = add(symbols, symbols->names.data + start, symbols->names.len - start, (uint32_t)start,
                 SYMBOL_OWN);
    if (symbols->count == count) /* already known: the copy is not needed */
        symbols->names.len = start;
    if (symbol)
        symbols->rows[symbol].flags |= flags;
    return symbol;
}

uint32_t symbols_add(struct symbols *symbols, uint32_t at, uint32_t len, bool non_ascii)
{
    size_t start = symbols->names.len;

    if (symbols->failed || symbols->crowded)
        return SYMBOL_NONE;
    if (!non_ascii)
        return add(symbols, symbols->source + at, len, at, 0);
    unicode_add_nfkc(&symbols->names, symbols->source + at, len);
    return add_own(symbols, start,
                   unicode_mixes_alphabets(symbols->source + at, len) ? SYMBOL_MIXED : 0);
}

uint32_t symbols_add_text(struct symbols *symbols, const char *text, size_t len)
{
    size_t start = symbols->names.len;

    if (symbols->failed || symbols->crowded)
        return SYMBOL_NONE;
    buf_add(&symbols->names, text, len);
    return add_own(symbols, start, 0);
}

uint32_t symbols_find(const struct symbols *symbols, const char *text, size_t len)
{
    uint32_t slot;

    if (symbols->failed)
        return SYMBOL_NONE;
    return find(symbols, hash_text(text, len), text, len, &slot);
}

/* ---- the tree ---- */

#define OWNED (UINT32_C(1) << 31)

void ast_init(struct ast *ast, const char *source, size_t len)
{
    memset(ast, 0, sizeof *ast);
    ast->source = source;
    ast->len = len;
    buf_init(&ast->values, VALIDATOR_PARSE_CAP * 4);
    symbols_init(&ast->symbols, source);
    ast->failed = ast->symbols.failed;
}

void ast_finish(struct ast *ast)
{
    if (!ast)
        return;
    free(ast->nodes);
    free(ast->texts);
    buf_finish(&ast->values);
    symbols_finish(&ast->symbols);
    memset(ast, 0, sizeof *ast);
}

const char *ast_text(const struct ast *ast, uint32_t node, size_t *len)
{
    const struct ast_text *text = &ast->texts[ast->nodes[node].name];

    *len = text->len & ~OWNED;
    return (text->len & OWNED ? ast->values.data : ast->source) + text->at;
}

const char *ast_name(const struct ast *ast, uint32_t node, size_t *len)
{
    return symbols_text(&ast->symbols, ast->nodes[node].name, len);
}

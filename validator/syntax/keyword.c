/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/syntax/keyword.h"

#include <string.h>

struct word {
    const char *text;
    enum keyword keyword;
};

#define WORDS_OF_A_LETTER 5

/* By first letter, so that an ordinary name is compared with few or none. */
static const struct word words[26][WORDS_OF_A_LETTER + 1] = {
    ['a' - 'a'] = {{"and", KEYWORD_AND},
                   {"as", KEYWORD_AS},
                   {"assert", KEYWORD_ASSERT},
                   {"async", KEYWORD_ASYNC},
                   {"await", KEYWORD_AWAIT}},
    ['b' - 'a'] = {{"break", KEYWORD_BREAK}},
    ['c' - 'a'] = {{"class", KEYWORD_CLASS}, {"continue", KEYWORD_CONTINUE}},
    ['d' - 'a'] = {{"def", KEYWORD_DEF}, {"del", KEYWORD_DEL}},
    ['e' - 'a'] = {{"else", KEYWORD_ELSE}, {"elif", KEYWORD_ELIF}, {"except", KEYWORD_EXCEPT}},
    ['f' - 'a'] = {{"for", KEYWORD_FOR}, {"from", KEYWORD_FROM}, {"finally", KEYWORD_FINALLY}},
    ['g' - 'a'] = {{"global", KEYWORD_GLOBAL}},
    ['i' - 'a'] = {{"if", KEYWORD_IF},
                   {"in", KEYWORD_IN},
                   {"is", KEYWORD_IS},
                   {"import", KEYWORD_IMPORT}},
    ['l' - 'a'] = {{"lambda", KEYWORD_LAMBDA}},
    ['n' - 'a'] = {{"not", KEYWORD_NOT}, {"nonlocal", KEYWORD_NONLOCAL}},
    ['o' - 'a'] = {{"or", KEYWORD_OR}},
    ['p' - 'a'] = {{"pass", KEYWORD_PASS}},
    ['r' - 'a'] = {{"return", KEYWORD_RETURN}, {"raise", KEYWORD_RAISE}},
    ['t' - 'a'] = {{"try", KEYWORD_TRY}},
    ['w' - 'a'] = {{"while", KEYWORD_WHILE}, {"with", KEYWORD_WITH}},
    ['y' - 'a'] = {{"yield", KEYWORD_YIELD}},
};

static const struct word capital_words[] = {{"None", KEYWORD_NONE_VALUE},
                                            {"True", KEYWORD_TRUE},
                                            {"False", KEYWORD_FALSE},
                                            {NULL, KEYWORD_NONE}};

enum keyword keyword_find(const char *name, size_t len)
{
    const struct word *word;

    if (len < 2 || len > 8)
        return KEYWORD_NONE;
    if (name[0] >= 'a' && name[0] <= 'z')
        word = words[name[0] - 'a'];
    else
        word = capital_words;
    for (; word->text; word++)
        if (strncmp(word->text, name, len) == 0 && word->text[len] == '\0')
            return word->keyword;
    return KEYWORD_NONE;
}

struct sign {
    char text[4];
    unsigned op;
};

/* Longer ones first. */
static const struct sign signs[] = {
    {"**=", OP_POWER_ASSIGN},
    {"//=", OP_FLOOR_DIVIDE_ASSIGN},
    {"<<=", OP_SHIFT_LEFT_ASSIGN},
    {">>=", OP_SHIFT_RIGHT_ASSIGN},
    {"...", OP_ELLIPSIS},
    {"**", OP_POWER},
    {"//", OP_FLOOR_DIVIDE},
    {"<<", OP_SHIFT_LEFT},
    {">>", OP_SHIFT_RIGHT},
    {"==", OP_EQUAL},
    {"!=", OP_NOT_EQUAL},
    {"<=", OP_LESS_EQUAL},
    {">=", OP_GREATER_EQUAL},
    {"->", OP_ARROW},
    {":=", OP_WALRUS},
    {"+=", OP_ADD_ASSIGN},
    {"-=", OP_SUBTRACT_ASSIGN},
    {"*=", OP_MULTIPLY_ASSIGN},
    {"/=", OP_DIVIDE_ASSIGN},
    {"%=", OP_MODULO_ASSIGN},
    {"&=", OP_AND_ASSIGN},
    {"|=", OP_OR_ASSIGN},
    {"^=", OP_XOR_ASSIGN},
    {"@=", OP_MATMUL_ASSIGN},
};

unsigned keyword_operator(const char *text, size_t len, size_t *used)
{
    static const char singles[] = "+-*/%@&|^~<>=.,:;()[]{}";

    *used = 0;
    if (len == 0)
        return 0;
    if (len > 1 && strchr("=.*/<>-", text[1]))
        for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
            size_t size = strlen(signs[i].text);

            if (size <= len && memcmp(signs[i].text, text, size) == 0) {
                *used = size;
                return signs[i].op;
            }
        }
    if (text[0] == '\0' || !strchr(singles, text[0]))
        return 0;
    *used = 1;
    return (unsigned char)text[0];
}

bool keyword_is_name_byte(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const char *keyword_lookalike(uint32_t character)
{
    static const struct {
        uint32_t character;
        const char *hint;
    } hints[] = {
        {'!', " Write 'not' before a condition, '!=' between values."},
        {'?', " Write 'A if CONDITION else B'."},
        {'$', " In an f-string write {name}, without '$'."},
        {'`', " Leave the Markdown code marks away, and send the program alone."},
        {0x201C, " Write straight quotes: \"."},
        {0x201D, " Write straight quotes: \"."},
        {0x2018, " Write straight quotes: '."},
        {0x2019, " Write straight quotes: '."},
        {0x2013, " Write '-'."},
        {0x2212, " Write '-'."},
        {0x00D7, " Write '*'."},
        {0x00F7, " Write '/'."},
        {0x2260, " Write '!='."},
        {0x2264, " Write '<='."},
        {0x2265, " Write '>='."},
        {0x2192, " Write '->'."},
        {0x00A0, " It is a no-break space: write an ordinary one."},
        {0x3000, " It is an ideographic space: write an ordinary one."},
        {0x2026, " Write '...'."},
    };

    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].character == character)
            return hints[i].hint;
    return "";
}

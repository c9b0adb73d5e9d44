/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The keywords and operators of Python 3.11.
 */
#include "validator/syntax/tokenizer.h"

#include <string.h>

struct keyword_word {
    const char *text;
    uint8_t len;
    uint8_t keyword;
};

#define WORD(text, keyword)                                                                        \
    {                                                                                              \
        text, sizeof(text) - 1, keyword                                                            \
    }
#define WORDS_OF_A_LETTER 5

/* By first letter, so that an ordinary name is compared with few or none. */
static const struct keyword_word words[128][WORDS_OF_A_LETTER + 1] = {
    ['F'] = {WORD("False", KEYWORD_FALSE)},
    ['N'] = {WORD("None", KEYWORD_NONE_VALUE)},
    ['T'] = {WORD("True", KEYWORD_TRUE)},
    ['a'] = {WORD("and", KEYWORD_AND), WORD("as", KEYWORD_AS), WORD("assert", KEYWORD_ASSERT),
             WORD("async", KEYWORD_ASYNC), WORD("await", KEYWORD_AWAIT)},
    ['b'] = {WORD("break", KEYWORD_BREAK)},
    ['c'] = {WORD("class", KEYWORD_CLASS), WORD("continue", KEYWORD_CONTINUE)},
    ['d'] = {WORD("def", KEYWORD_DEF), WORD("del", KEYWORD_DEL)},
    ['e'] = {WORD("else", KEYWORD_ELSE), WORD("elif", KEYWORD_ELIF),
             WORD("except", KEYWORD_EXCEPT)},
    ['f'] = {WORD("for", KEYWORD_FOR), WORD("from", KEYWORD_FROM),
             WORD("finally", KEYWORD_FINALLY)},
    ['g'] = {WORD("global", KEYWORD_GLOBAL)},
    ['i'] = {WORD("if", KEYWORD_IF), WORD("in", KEYWORD_IN), WORD("is", KEYWORD_IS),
             WORD("import", KEYWORD_IMPORT)},
    ['l'] = {WORD("lambda", KEYWORD_LAMBDA)},
    ['n'] = {WORD("not", KEYWORD_NOT), WORD("nonlocal", KEYWORD_NONLOCAL)},
    ['o'] = {WORD("or", KEYWORD_OR)},
    ['p'] = {WORD("pass", KEYWORD_PASS)},
    ['r'] = {WORD("return", KEYWORD_RETURN), WORD("raise", KEYWORD_RAISE)},
    ['t'] = {WORD("try", KEYWORD_TRY)},
    ['w'] = {WORD("while", KEYWORD_WHILE), WORD("with", KEYWORD_WITH)},
    ['y'] = {WORD("yield", KEYWORD_YIELD)},
};

enum keyword keyword_find(const char *name, size_t len)
{
    const struct keyword_word *word;

    if (len < 2 || len > 8)
        return KEYWORD_NONE;
    for (word = words[name[0] & 0x7F]; word->text; word++)
        if (word->len == len && word->text[1] == name[1] && memcmp(word->text, name, len) == 0)
            return word->keyword;
    return KEYWORD_NONE;
}

/* Operators by their first byte: alone, with '=' after it, doubled, and doubled with '=' after it;
 * 0 if there is none. */
static const struct sign {
    uint8_t alone, assigned, doubled, doubled_assigned;
} signs[128] = {
    ['+'] = {'+', OP_ADD_ASSIGN, 0, 0},
    ['-'] = {'-', OP_SUBTRACT_ASSIGN, 0, 0},
    ['*'] = {'*', OP_MULTIPLY_ASSIGN, OP_POWER, OP_POWER_ASSIGN},
    ['/'] = {'/', OP_DIVIDE_ASSIGN, OP_FLOOR_DIVIDE, OP_FLOOR_DIVIDE_ASSIGN},
    ['%'] = {'%', OP_MODULO_ASSIGN, 0, 0},
    ['@'] = {'@', OP_MATMUL_ASSIGN, 0, 0},
    ['&'] = {'&', OP_AND_ASSIGN, 0, 0},
    ['|'] = {'|', OP_OR_ASSIGN, 0, 0},
    ['^'] = {'^', OP_XOR_ASSIGN, 0, 0},
    ['<'] = {'<', OP_LESS_EQUAL, OP_SHIFT_LEFT, OP_SHIFT_LEFT_ASSIGN},
    ['>'] = {'>', OP_GREATER_EQUAL, OP_SHIFT_RIGHT, OP_SHIFT_RIGHT_ASSIGN},
    ['='] = {'=', OP_EQUAL, 0, 0},
    ['!'] = {0, OP_NOT_EQUAL, 0, 0},
    [':'] = {':', OP_WALRUS, 0, 0},
    ['~'] = {'~', 0, 0, 0},
    ['.'] = {'.', 0, 0, 0},
    [','] = {',', 0, 0, 0},
    [';'] = {';', 0, 0, 0},
    ['('] = {'(', 0, 0, 0},
    [')'] = {')', 0, 0, 0},
    ['['] = {'[', 0, 0, 0},
    [']'] = {']', 0, 0, 0},
    ['{'] = {'{', 0, 0, 0},
    ['}'] = {'}', 0, 0, 0},
};

unsigned keyword_operator(const char *text, size_t len, size_t *used)
{
    char first = (char)(len > 0 ? text[0] : '\0'), second = (char)(len > 1 ? text[1] : '\0');
    char third = (char)(len > 2 ? text[2] : '\0');
    const struct sign *sign = &signs[first & 0x7F];

    *used = 0;
    if (first & 0x80)
        return 0;
    if (first == '.' && second == '.' && third == '.') {
        *used = 3;
        return OP_ELLIPSIS;
    }
    if (first == '-' && second == '>') {
        *used = 2;
        return OP_ARROW;
    }
    if (second == first && sign->doubled) {
        bool assigns = third == '=';

        *used = assigns ? 3 : 2;
        return assigns ? sign->doubled_assigned : sign->doubled;
    }
    if (second == '=' && sign->assigned) {
        *used = 2;
        return sign->assigned;
    }
    *used = sign->alone != 0;
    return sign->alone;
}

bool keyword_is_name_byte(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const char *keyword_lookalike(uint32_t character, const char **instead)
{
    static const struct {
        uint32_t character;
        const char *hint, *instead;
    } hints[] = {
        {'!', " Write 'not' before a condition, '!=' between values.", "not "},
        {'?', " Write 'A if CONDITION else B'; for a key that may be missing d.get(\"key\").",
         NULL},
        {'$', " Delete it; in an f-string write {name}, without '$'.", NULL},
        {'`', " Leave the Markdown code marks away, and send the program alone.", NULL},
        {0x201C, " Write straight quotes: \".", "\""},
        {0x201D, " Write straight quotes: \".", "\""},
        {0x2018, " Write straight quotes: '.", "'"},
        {0x2019, " Write straight quotes: '.", "'"},
        {0x2013, " Write '-'.", "-"},
        {0x2014, " Write '-', or put '#' before prose.", "-"},
        {0x2022, " Delete it, or put '#' before prose.", ""},
        {0x2212, " Write '-'.", "-"},
        {0x00D7, " Write '*'.", "*"},
        {0x00F7, " Write '/'.", "/"},
        {0x2260, " Write '!='.", "!="},
        {0x2264, " Write '<='.", "<="},
        {0x2265, " Write '>='.", ">="},
        {0x2192, " Write '->'.", "->"},
        {0x00A0, " It is a no-break space: write an ordinary one.", " "},
        {0x3000, " It is an ideographic space: write an ordinary one.", " "},
        {0x2026, " Write '...'.", "..."},
        {0x200B, " It is invisible: delete it.", ""},
        {0x200C, " It is invisible: delete it.", ""},
        {0x200D, " It is invisible: delete it.", ""},
        {0x2060, " It is invisible: delete it.", ""},
        {0xFF08, " Write '('.", "("},
        {0xFF09, " Write ')'.", ")"},
        {0xFF0C, " Write ','.", ","},
        {0xFF1A, " Write ':'.", ":"},
        {0xFF1B, " Write ';' or begin a new line.", ";"},
        {0xFF1D, " Write '='.", "="},
        {0x3001, " Write ','.", ","},
        {0x3002, " Write '.'.", "."},
    };

    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].character == character) {
            *instead = hints[i].instead;
            return hints[i].hint;
        }
    *instead = NULL;
    return " Delete it, or put it in quotes.";
}

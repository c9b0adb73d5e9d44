/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/prose.h"

#include <ctype.h>
#include <libstemmer.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include "helpers/base/hash.h"
#include "helpers/base/utf8.h"

/* The little words are the most frequent ones that other languages of the table lack, and what
 * questions begin with. */
static const struct {
    const char *code, *names; /* with a space around each */
    const char *little;
} languages[] = {
    {"en", " en english ",
     " a about an and are as at be by can define defined definition did do does first for from had "
     "has have how i if in into is it "
     "its me my of on or our so than that the their them then there these they this to use used "
     "using was we were what when where which who why will with you your "},
    {"de", " de german deutsch ",
     " als am auch auf aus bei das dass dem den der des die durch ein eine einem einen einer eines "
     "er es f\xC3\xBCr hat ich im ist man mit nach nicht oder sich sie sind so um und von vom was "
     "wenn werden wie wir wird zu zum zur \xC3\xBC"
     "ber "},
    {"fr",
     " fr french fran\xC3\xA7"
     "ais francais ",
     " au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur "
     "mais "
     "ne nous on ou o\xC3\xB9 par pas pour qu que quel quelle qui sa se ses son sont sur un une "
     "vous \xC3\xA0 "},
    {"es", " es spanish espa\xC3\xB1ol espanol ",
     " al como con cu\xC3\xA1l cu\xC3\xA1ndo c\xC3\xB3mo de del donde el en entre es esta este "
     "esto la las lo "
     "los m\xC3\xA1s no para pero por que qu\xC3\xA9 se ser si sin sobre son su sus un una uno y "
     "ya "},
    {"it", " it italian italiano ",
     " ai al alla anche che ci come con cosa da dal dei del della delle di e gli i il in la le lo "
     "ma "
     "nel nella non o per pi\xC3\xB9 quando questo se si sono su sul tra un una uno \xC3\xA8 "},
    {"pt", " pt portuguese portugu\xC3\xAAs portugues ",
     " ao aos as com como da das de do dos e em entre essa esse esta este foi mais mas na nas no "
     "nos "
     "n\xC3\xA3o o os ou para pela pelo por qual quando que se sem ser seu sua s\xC3\xA3o um uma "
     "\xC3\xA9 "},
    {"nl", " nl dutch nederlands ",
     " aan als bij dan dat de deze die dit door een en er het hij hoe ik in is je kan maar met "
     "naar "
     "niet of om ook op te tot uit van voor was wat we wel wij worden wordt zijn "},
};
#define LANGUAGE_COUNT ((int)(sizeof languages / sizeof languages[0]))
_Static_assert(sizeof languages / sizeof languages[0] <= LANGUAGES_CAP, "as the header says");

struct stems {
    struct sb_stemmer *of[LANGUAGES_CAP];
    char stem[STEM_MAX * 2 + 1];
};

struct stems *stems_new(void)
{
    return calloc(1, sizeof(struct stems));
}

void stems_free(struct stems *stems)
{
    for (size_t i = 0; stems && i < LANGUAGES_CAP; i++)
        sb_stemmer_delete(stems->of[i]);
    free(stems);
}

const char *language_code(int language)
{
    return language >= 0 && language < LANGUAGE_COUNT ? languages[language].code : "";
}

/* ---- the little words of all languages, in a hash table that is made once ---- */

#define LITTLE_MAX   12    /* bytes of such a word */
#define LITTLE_SURE  3     /* more of them than this, beside twice those of the usual language */
#define LITTLE_SLOTS 1024u /* more than twice as many as there are words */

static struct little {
    const char *word; /* ends with a space */
    size_t len;
    unsigned languages; /* a bit for each */
} little_words[LITTLE_SLOTS];
static pthread_once_t little_once = PTHREAD_ONCE_INIT;

/* The slot of the word, or the free one where it would be. */
static struct little *find_little(const char *word, size_t len)
{
    size_t at = hash_bytes(HASH_START, word, len) % LITTLE_SLOTS;

    while (little_words[at].word &&
           (little_words[at].len != len || memcmp(little_words[at].word, word, len) != 0))
        at = (at + 1) % LITTLE_SLOTS;
    return &little_words[at];
}

static void list_little_words(void)
{
    for (int i = 0; i < LANGUAGE_COUNT; i++) {
        for (const char *at = languages[i].little + 1; *at; at = strchr(at, ' ') + 1) {
            size_t len = strcspn(at, " ");
            struct little *slot = find_little(at, len);

            slot->word = at;
            slot->len = len;
            slot->languages |= 1u << i;
        }
    }
}

static unsigned little_in(const char *word, size_t len)
{
    pthread_once(&little_once, list_little_words);
    return find_little(word, len)->languages;
}

int language_named(const char *name)
{
    char lower[32] = " ";
    size_t len = 1;

    while (*name && !strchr("-_ ", *name) && len < sizeof lower - 2)
        lower[len++] = (char)tolower((unsigned char)*name++);
    lower[len] = ' ';
    for (int i = 0; len > 1 && i < LANGUAGE_COUNT; i++)
        if (strstr(languages[i].names, lower))
            return i;
    return LANGUAGE_NONE;
}

/* ---- the words of a text ---- */

enum kind { SPACE, LETTER, ALONE };

/* Kana and the ideographs, in which no space ends a word. */
static bool stands_alone(uint32_t c)
{
    return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

static enum kind kind_at(const char *text, size_t len, size_t *size)
{
    unsigned char byte = (unsigned char)*text;
    size_t letter;
    uint32_t c;

    *size = byte == '\\' || byte == '{' ? prose_accent(text, len, &letter, &c) : 0;
    if (*size > 0)
        return LETTER;
    *size = 1;
    if (byte < 0x80)
        return isalnum(byte) ? LETTER : SPACE;
    *size = utf8_decode(text, len, &c);
    if (*size == 0) {
        *size = 1;
        return SPACE;
    }
    if (stands_alone(c))
        return ALONE;
    return uc_is_alnum(c) || uc_is_general_category(c, UC_CATEGORY_M) ? LETTER : SPACE;
}

/* Signs that make another name of a letter: C++, C#, TeX's C\#. */
static const struct {
    const char *sign, *name;
} signs[] = {{"++", "plusplus"}, {"#", "sharp"}, {"\\#", "sharp"}};

/* The length of such a sign where text begins, 0 if there is none. */
static size_t sign_length(const char *text, size_t len)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t size = strlen(signs[i].sign);

        if (len >= size && memcmp(text, signs[i].sign, size) == 0)
            return len == size || !isalpha((unsigned char)text[size]) ? size : 0;
    }
    return 0;
}

/* NULL, or the name of the sign behind the word's only letter. */
static const char *sign_name(const char *word, size_t len)
{
    for (size_t i = 0; len > 1 && i < sizeof signs / sizeof *signs; i++)
        if (len - 1 == strlen(signs[i].sign) && memcmp(word + 1, signs[i].sign, len - 1) == 0)
            return signs[i].name;
    return NULL;
}

/* The next word's length, from *at on; 0 at the end. */
static size_t next_word(const char *text, size_t len, size_t *at)
{
    size_t size, end;
    enum kind kind = SPACE;

    for (; *at < len; *at += size) {
        kind = kind_at(text + *at, len - *at, &size);
        if (kind != SPACE)
            break;
    }
    if (*at >= len)
        return 0;
    for (end = *at + size; kind == LETTER && end < len; end += size)
        if (kind_at(text + end, len - end, &size) != LETTER)
            break;
    if (end - *at == 1 && isalpha((unsigned char)text[*at]))
        end += sign_length(text + end, len - end);
    return end - *at;
}

/* The letters of a word that has accents of TeX, with combining characters, which are no longer. As
 * many bytes as fit into to. */
static size_t spell(const char *word, size_t len, char to[STEM_MAX])
{
    size_t kept = 0, letter, step;
    uint32_t mark;

    for (size_t at = 0; at < len; at += step) {
        step = prose_accent(word + at, len - at, &letter, &mark);
        if (kept + (step > 0 ? 3 : 1) > STEM_MAX)
            break;
        to[kept++] = word[at + (step > 0 ? letter : 0)];
        if (step > 0) { /* from U+0300 on: two bytes */
            to[kept++] = (char)(0xC0 | mark >> 6);
            to[kept++] = (char)(0x80 | (mark & 0x3F));
        } else {
            step = 1;
        }
    }
    return kept;
}

/* In lower case, composed; its length in to, which has STEM_MAX * 2 bytes. */
static size_t fold(const char *word, size_t len, char *to)
{
    size_t most = (size_t)STEM_MAX * 2;
    char spelt[STEM_MAX];
    uint8_t *lower;
    bool ascii = true;

    if (memchr(word, '\\', len)) {
        len = spell(word, len, spelt);
        word = spelt;
    }
    len = utf8_cut(word, len, STEM_MAX);
    for (size_t i = 0; i < len; i++) {
        to[i] = (char)tolower((unsigned char)word[i]);
        ascii = ascii && (unsigned char)word[i] < 0x80;
    }
    if (ascii)
        return len;
    lower = u8_tolower((const uint8_t *)word, len, NULL, UNINORM_NFC, (uint8_t *)to, &most);
    if (lower == (uint8_t *)to)
        return most;
    free(lower); /* longer than twice the word: no script does that */
    return 0;
}

/* Without accents, in place. */
static size_t drop_marks(char *word, size_t len)
{
    uint8_t apart[STEM_MAX * 4];
    size_t size = sizeof apart, kept = 0, step;
    uint8_t *result;
    uint32_t c;
    bool ascii = true;

    for (size_t i = 0; i < len; i++)
        ascii = ascii && (unsigned char)word[i] < 0x80;
    if (ascii)
        return len;
    result = u8_normalize(UNINORM_NFKD, (const uint8_t *)word, len, apart, &size);
    if (result != apart) { /* as above */
        free(result);
        return len;
    }
    for (size_t at = 0; at < size && kept + UTF8_LEN_MAX <= STEM_MAX * 2; at += step) {
        step = utf8_decode((const char *)apart + at, size - at, &c);
        if (step == 0)
            break;
        if (uc_is_general_category(c, UC_CATEGORY_Mn))
            continue;
        memcpy(word + kept, apart + at, step);
        kept += step;
    }
    return kept > 0 ? kept : len;
}

static struct sb_stemmer *stemmer_of(struct stems *stems, int language)
{
    if (language < 0 || language >= LANGUAGE_COUNT)
        return NULL;
    if (!stems->of[language])
        stems->of[language] = sb_stemmer_new(languages[language].code, "UTF_8");
    return stems->of[language];
}

/* Nouns and forms whose verbs Snowball gives other stems: word, the verb. "*" stands for any
 * beginning. */
static const struct {
    const char *language, *word, *verb;
} kin[] = {
    {"en", "*ication", "y"},
    {"en", "*ications", "y"},
    {"en", "addition", "add"},
    {"en", "division", "divide"},
    {"en", "conversion", "convert"},
    {"en", "conversions", "convert"},
    {"en", "expansion", "expand"},
    {"en", "comparison", "compare"},
    {"en", "comparisons", "compare"},
    {"de", "*iert", "ieren"},
    {"de", "*ierte", "ieren"},
    {"de", "*ierten", "ieren"},
    {"de", "*ierter", "ieren"},
    {"de", "*iertes", "ieren"},
    {"de", "*ierung", "ieren"},
    {"de", "*ierungen", "ieren"},
    {"de", "*ikation", "izieren"},
    {"de", "addition", "addieren"},
    {"de", "subtraktion", "subtrahieren"},
    {"de", "division", "dividieren"},
};

static size_t to_verb(const char *language, char *word, size_t len)
{
    for (size_t i = 0; i < sizeof kin / sizeof *kin; i++) {
        bool any = kin[i].word[0] == '*';
        const char *end = kin[i].word + any;
        size_t size = strlen(end), verb = strlen(kin[i].verb);

        if (strcmp(kin[i].language, language) != 0 || len < size || (!any && len > size) ||
            memcmp(word + len - size, end, size) != 0 || len - size + verb > (size_t)STEM_MAX * 2)
            continue;
        memcpy(word + len - size, kin[i].verb, verb);
        return len - size + verb;
    }
    return len;
}

static void stem_word(struct stems *stems, int language, const char *word, struct stem *stem)
{
    struct sb_stemmer *stemmer = stemmer_of(stems, language);
    const char *sign = sign_name(word, stem->len);
    size_t len;

    stem->stem = stems->stem;
    stem->small = false;
    if (sign) {
        snprintf(stems->stem, sizeof stems->stem, "%c%s", tolower((unsigned char)*word), sign);
        return;
    }
    len = fold(word, stem->len, stems->stem);

    stem->small = language != LANGUAGE_NONE && little_in(stems->stem, len) >> language & 1u;
    /* The stems of English depend on vowels, of which it has none with an accent. */
    if (strcmp(language_code(language), "en") == 0)
        len = drop_marks(stems->stem, len);
    len = to_verb(language_code(language), stems->stem, len);
    if (stemmer) {
        const sb_symbol *cut = sb_stemmer_stem(stemmer, (const sb_symbol *)stems->stem, (int)len);

        if (cut && sb_stemmer_length(stemmer) > 0) {
            len = (size_t)sb_stemmer_length(stemmer);
            memcpy(stems->stem, cut, len);
        }
    }
    len = drop_marks(stems->stem, len);
    stems->stem[len] = '\0';
}

int stems_each(struct stems *stems, int language, const char *text, size_t len, stem_visit *visit,
               void *user)
{
    struct stem stem = {0};
    int rc = 0;

    for (size_t at = 0; rc == 0; at += stem.len) {
        stem.len = next_word(text, len, &at);
        if (stem.len == 0)
            break;
        stem.start = at;
        stem_word(stems, language, text + at, &stem);
        if (*stems->stem)
            rc = visit(user, &stem);
    }
    return rc;
}

int language_of(const char *text, size_t len, int usual)
{
    size_t counts[LANGUAGES_CAP] = {0}, most = 0, size;
    int language = usual;
    char word[STEM_MAX * 2];

    for (size_t at = 0; (size = next_word(text, len, &at)) > 0; at += size) {
        /* A letter alone may be a variable. */
        size_t folded = size > 1 && size < LITTLE_MAX ? fold(text + at, size, word) : 0;

        for (unsigned in = folded > 0 ? little_in(word, folded) : 0, i = 0; in > 0; in >>= 1, i++)
            counts[i] += in & 1u;
    }
    if (usual >= 0 && usual < LANGUAGE_COUNT)
        most = LITTLE_SURE + 2 * counts[usual];
    for (int i = 0; i < LANGUAGE_COUNT; i++) {
        if (counts[i] > most) {
            most = counts[i];
            language = i;
        }
    }
    return language;
}

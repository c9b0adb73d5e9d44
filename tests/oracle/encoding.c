/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Follows decode_str() of CPython's tokenizer step by step: line ends, byte order mark, the cookie
 * in the first two lines, then the whole text in that encoding.
 */
#include "tests/oracle/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/buf.h"
#include "helpers/base/utf8.h"
#include "validator/encoding_cookie.h"
#include "validator/syntax/literal.h"
#include "validator/syntax/unicode.h"

enum encoding_flags {
    ENCODING_NO_C1 = 1 << 0,   /* U+0080 to U+009F result from bytes that Python refuses */
    ENCODING_NO_EURO = 1 << 1, /* so does U+20AC */
    ENCODING_YEN = 1 << 2,     /* U+00A5 and U+203E are '\\' and '~' in Python */
    ENCODING_NO_2005 = 1 << 3, /* Python maps characters that GB 18030 moved in 2005 differently */
};

/* ---- with the C library ---- */

#define STEP ((size_t)64 << 10)

/* Returns NULL, or what is wrong. */
static const char *convert(const char *name, char *bytes, size_t len, struct buf *to)
{
    iconv_t converter = iconv_open("UTF-8", name);
    size_t done = 0;

    if (converter == (iconv_t)-1)
        return "the C library here lacks the encoding";
    while (done != (size_t)-1 || errno == E2BIG) {
        char *room = buf_reserve(to, STEP), *end = room;
        size_t left = STEP;
        bool all = len == 0;

        if (!room)
            break;
        done = all ? iconv(converter, NULL, NULL, &end, &left)
                   : iconv(converter, &bytes, &len, &end, &left);
        to->len += (size_t)(end - room);
        if (all && done != (size_t)-1)
            break;
    }
    iconv_close(converter);
    return done == (size_t)-1 ? "these bytes do not stand for text in it" : NULL;
}

/* ---- encodings that only Python defines ---- */

struct shift {
    bool open;
    uint32_t bits, value; /* bits read that do not yet form a UTF-16 unit */
    uint32_t high;        /* the first half of a pair, or 0 */
};

static int base64_value(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *place = c ? strchr(digits, c) : NULL;

    return place ? (int)(place - digits) : -1;
}

static void add_unit(struct shift *shift, uint32_t unit, struct buf *to)
{
    bool low = unit >= 0xDC00 && unit < 0xE000;

    if (shift->high && low) {
        unicode_encode(to, 0x10000 + ((shift->high - 0xD800) << 10) + (unit - 0xDC00));
        shift->high = 0;
        return;
    }
    if (shift->high)
        unicode_encode(to, shift->high);
    shift->high = unit >= 0xD800 && unit < 0xDC00 ? unit : 0;
    if (!shift->high)
        unicode_encode(to, unit);
}

static void add_digit(struct shift *shift, int digit, struct buf *to)
{
    shift->value = shift->value << 6 | (uint32_t)digit;
    shift->bits += 6;
    if (shift->bits < 16)
        return;
    shift->bits -= 16;
    add_unit(shift, shift->value >> shift->bits, to);
    shift->value &= (1U << shift->bits) - 1;
}

/* Returns NULL, or what is wrong with the end of a shifted part. */
static const char *close_shift(struct shift *shift, struct buf *to)
{
    shift->open = false;
    if (shift->bits >= 6 || shift->value != 0)
        return "UTF-7 that breaks off within a character";
    if (shift->high)
        unicode_encode(to, shift->high);
    return NULL;
}

static const char *encoding_utf7(const char *bytes, size_t len, struct buf *to)
{
    struct shift shift = {0};
    const char *error = NULL;

    for (size_t i = 0; i < len && !error; i++) {
        char c = bytes[i];

        if (shift.open && base64_value(c) >= 0) {
            add_digit(&shift, base64_value(c), to);
            continue;
        }
        if (shift.open) {
            error = close_shift(&shift, to);
            if (c == '-')
                continue;
        }
        if ((unsigned char)c >= 0x80) {
            error = "a byte above 0x7F in UTF-7";
        } else if (c != '+') {
            buf_addc(to, c);
        } else if (i + 1 < len && bytes[i + 1] == '-') {
            buf_addc(to, '+');
            i++;
        } else if (i + 1 < len && base64_value(bytes[i + 1]) < 0) {
            error = "a '+' in UTF-7 with nothing behind it";
        } else {
            shift = (struct shift){.open = true};
        }
    }
    if (!error && shift.open)
        error = close_shift(&shift, to);
    return error;
}

/* unicode_escape */
static const char *encoding_escape(const char *bytes, size_t len, struct buf *to)
{
    struct buf BUF_AUTO latin1 = {0};
    const char *error = NULL;
    size_t error_at = 0, backslashes = 0;

    for (size_t i = 0; i < len; i++)
        unicode_encode(&latin1, (unsigned char)bytes[i]);
    while (backslashes < len && bytes[len - 1 - backslashes] == '\\')
        backslashes++;
    if (backslashes % 2 == 1)
        return "a backslash at the end of the program";
    if (latin1.failed)
        to->failed = true;
    else
        literal_decode(to, latin1.data, 0, latin1.len, 0, &error, &error_at);
    return error;
}

/* The value of at most eight hexadecimal digits; UINT32_MAX if they are invalid. */
static uint32_t hex_number(const char *digits, size_t count)
{
    char text[9] = "";

    memcpy(text, digits, count);
    return strspn(text, "0123456789abcdefABCDEF") == count ? (uint32_t)strtoul(text, NULL, 16)
                                                           : UINT32_MAX;
}

static const char *encoding_raw_escape(const char *bytes, size_t len, struct buf *to)
{
    for (size_t i = 0; i < len; i++) {
        size_t digits = 0;
        uint32_t character;

        if (bytes[i] == '\\' && i + 1 < len) {
            digits = bytes[i + 1] == 'u' ? 4 : bytes[i + 1] == 'U' ? 8 : 0;
            if (digits == 0)
                unicode_encode(to, (unsigned char)bytes[i++]);
        }
        if (digits == 0) {
            unicode_encode(to, (unsigned char)bytes[i]);
            continue;
        }
        character = len - i - 2 < digits ? UINT32_MAX : hex_number(bytes + i + 2, digits);
        if (character > 0x10FFFF)
            return "\\u and \\U want four and eight hexadecimal digits";
        unicode_encode(to, character);
        i += 1 + digits;
    }
    return NULL;
}

/* Handles two bytes from a '~' on: a mode switch, a '~', or nothing. False if invalid. */
static bool take_sign(char sign, bool *chinese, struct buf *to)
{
    if (!*chinese && sign == '~')
        buf_addc(to, '~');
    else if (!*chinese && sign == '{')
        *chinese = true;
    else if (*chinese && sign == '}')
        *chinese = false;
    else
        return !*chinese && sign == '\n';
    return true;
}

/* RFC 1843 */
static const char *encoding_hz(const char *bytes, size_t len, struct buf *to)
{
    static const char error[] = "these bytes do not stand for text in it";
    struct buf BUF_AUTO pairs = {0}; /* the same text as EUC-CN */
    bool chinese = false;

    for (size_t i = 0; i < len; i++) {
        bool sign = bytes[i] == '~', pair = sign || chinese;

        if ((unsigned char)bytes[i] >= 0x80 || (pair && i + 1 == len))
            return error;
        if (sign) {
            if (!take_sign(bytes[++i], &chinese, &pairs))
                return error;
        } else if (chinese) {
            if ((unsigned char)bytes[i + 1] >= 0x80)
                return error;
            buf_addc(&pairs, (char)(bytes[i++] | 0x80));
            buf_addc(&pairs, (char)(bytes[i] | 0x80));
        } else {
            buf_addc(&pairs, bytes[i]);
        }
    }
    to->failed |= pairs.failed;
    return convert("GB2312", pairs.data, pairs.len, to);
}

/* ---- their names ---- */

struct encoding {
    const char *iconv; /* for iconv_open(3); NULL with `read` */
    unsigned flags;
    const char *names; /* Python's, normalised, separated by spaces; the module's name first */
    /* Decodes instead of the C library, or NULL. Appends the text as UTF-8, with lone surrogates as
     * three bytes; returns NULL, or what is wrong with it; static. */
    const char *(*read)(const char *bytes, size_t len, struct buf *to);
};

/* The encodings that Python accepts in a cookie, with the C library's names. The names are those of
 * Python 3.11's encodings.aliases. Encodings for which glibc 2.36 differs from Python in a byte by
 * byte comparison are missing (big5, johab, cp1255, cp1258, mac_roman, iso2022_*, ...). */

#define NAME_CAP 64 /* longer than any name in the table */

/* clang-format off */
static const struct encoding rows[] = {
    {"UTF-8", 0, "utf_8 utf_8_sig cp65001 u8 utf utf8 utf8_ucs2 utf8_ucs4", NULL},
    {"ASCII", 0, "ascii 646 ansi_x3.4_1968 ansi_x3.4_1986 ansi_x3_4_1968 cp367 csascii ibm367 iso646_us iso_646.irv_1991 iso_ir_6 us us_ascii", NULL},
    {"ISO-8859-1", 0, "latin_1 8859 cp819 csisolatin1 ibm819 iso8859 iso8859_1 iso_8859_1 iso_8859_1_1987 iso_ir_100 l1 latin latin1", NULL},
    {"ISO-8859-2", 0, "iso8859_2 csisolatin2 iso_8859_2 iso_8859_2_1987 iso_ir_101 l2 latin2", NULL},
    {"ISO-8859-3", 0, "iso8859_3 csisolatin3 iso_8859_3 iso_8859_3_1988 iso_ir_109 l3 latin3", NULL},
    {"ISO-8859-4", 0, "iso8859_4 csisolatin4 iso_8859_4 iso_8859_4_1988 iso_ir_110 l4 latin4", NULL},
    {"ISO-8859-5", 0, "iso8859_5 csisolatincyrillic cyrillic iso_8859_5 iso_8859_5_1988 iso_ir_144", NULL},
    {"ISO-8859-6", 0, "iso8859_6 arabic asmo_708 csisolatinarabic ecma_114 iso_8859_6 iso_8859_6_1987 iso_ir_127", NULL},
    {"ISO-8859-7", 0, "iso8859_7 csisolatingreek ecma_118 elot_928 greek greek8 iso_8859_7 iso_8859_7_1987 iso_ir_126", NULL},
    {"ISO-8859-8", 0, "iso8859_8 csisolatinhebrew hebrew iso_8859_8 iso_8859_8_1988 iso_ir_138", NULL},
    {"ISO-8859-9", 0, "iso8859_9 csisolatin5 iso_8859_9 iso_8859_9_1989 iso_ir_148 l5 latin5", NULL},
    {"ISO-8859-10", 0, "iso8859_10 csisolatin6 iso_8859_10 iso_8859_10_1992 iso_ir_157 l6 latin6", NULL},
    {"ISO-8859-11", 0, "iso8859_11 iso_8859_11 iso_8859_11_2001 thai", NULL},
    {"ISO-8859-13", 0, "iso8859_13 iso_8859_13 l7 latin7", NULL},
    {"ISO-8859-14", 0, "iso8859_14 iso_8859_14 iso_8859_14_1998 iso_celtic iso_ir_199 l8 latin8", NULL},
    {"ISO-8859-15", 0, "iso8859_15 iso_8859_15 l9 latin9", NULL},
    {"ISO-8859-16", 0, "iso8859_16 iso_8859_16 iso_8859_16_2001 iso_ir_226 l10 latin10", NULL},
    {"CP1250", 0, "cp1250 1250 windows_1250", NULL},
    {"CP1251", 0, "cp1251 1251 windows_1251", NULL},
    {"CP1252", 0, "cp1252 1252 windows_1252", NULL},
    {"CP1253", 0, "cp1253 1253 windows_1253", NULL},
    {"CP1254", 0, "cp1254 1254 windows_1254", NULL},
    {"CP1256", 0, "cp1256 1256 windows_1256", NULL},
    {"CP1257", 0, "cp1257 1257 windows_1257", NULL},
    {"CP437", 0, "cp437 437 cspc8codepage437 ibm437", NULL},
    {"CP737", 0, "cp737", NULL},
    {"CP775", 0, "cp775 775 cspc775baltic ibm775", NULL},
    {"CP850", 0, "cp850 850 cspc850multilingual ibm850", NULL},
    {"CP852", 0, "cp852 852 cspcp852 ibm852", NULL},
    {"CP855", 0, "cp855 855 csibm855 ibm855", NULL},
    {"CP857", 0, "cp857 857 csibm857 ibm857", NULL},
    {"CP858", 0, "cp858 858 csibm858 ibm858", NULL},
    {"CP860", 0, "cp860 860 csibm860 ibm860", NULL},
    {"CP861", 0, "cp861 861 cp_is csibm861 ibm861", NULL},
    {"CP862", 0, "cp862 862 cspc862latinhebrew ibm862", NULL},
    {"CP863", 0, "cp863 863 csibm863 ibm863", NULL},
    {"CP864", 0, "cp864 864 csibm864 ibm864", NULL},
    {"CP865", 0, "cp865 865 csibm865 ibm865", NULL},
    {"CP866", 0, "cp866 866 csibm866 ibm866", NULL},
    {"CP869", 0, "cp869 869 cp_gr csibm869 ibm869", NULL},
    {"CP874", 0, "cp874", NULL},
    {"CP1125", 0, "cp1125 1125 cp866u ibm1125 ruscii", NULL},
    {"CP1140", 0, "cp1140 1140 ibm1140", NULL},
    {"IBM037", 0, "cp037 037 csibm037 ebcdic_cp_ca ebcdic_cp_nl ebcdic_cp_us ebcdic_cp_wt ibm037 ibm039", NULL},
    {"CP500", 0, "cp500 500 csibm500 ebcdic_cp_be ebcdic_cp_ch ibm500", NULL},
    {"KOI8-R", 0, "koi8_r cskoi8r", NULL},
    {"KOI8-U", 0, "koi8_u", NULL},
    {"KOI8-T", 0, "koi8_t", NULL},
    {"RK1048", 0, "kz1048 kz_1048 rk1048 strk1048_2002", NULL},
    {"PT154", 0, "ptcp154 cp154 csptcp154 cyrillic_asian pt154", NULL},
    {"HP-ROMAN8", 0, "hp_roman8 cp1051 ibm1051 r8 roman8", NULL},
    {"MAC-CENTRALEUROPE", 0, "mac_latin2 mac_centeuro maccentraleurope maclatin2", NULL},
    {"EUC-JP", ENCODING_NO_C1, "euc_jp eucjp u_jis ujis", NULL},
    {"SJIS", ENCODING_YEN, "shift_jis csshiftjis s_jis shiftjis sjis x_mac_japanese", NULL},
    {"CP932", 0, "cp932 932 ms932 ms_kanji mskanji", NULL},
    {"EUC-KR", ENCODING_NO_C1, "euc_kr euckr korean ks_c_5601 ks_c_5601_1987 ks_x_1001 ksc5601 ksx1001 x_mac_korean", NULL},
    {"CP949", 0, "cp949 949 ms949 uhc", NULL},
    {"GB2312", ENCODING_NO_C1, "gb2312 chinese csiso58gb231280 euc_cn euccn eucgb2312_cn gb2312_1980 gb2312_80 iso_ir_58 x_mac_simp_chinese", NULL},
    {"GBK", ENCODING_NO_C1 | ENCODING_NO_EURO, "gbk 936 cp936 ms936", NULL},
    {"UTF-16", 0, "utf_16 u16 utf16", NULL},
    {"UTF-16LE", 0, "utf_16_le unicodelittleunmarked utf_16le", NULL},
    {"UTF-16BE", 0, "utf_16_be unicodebigunmarked utf_16be", NULL},
    {"UTF-32", 0, "utf_32 u32 utf32", NULL},
    {"UTF-32LE", 0, "utf_32_le utf_32le", NULL},
    {"UTF-32BE", 0, "utf_32_be utf_32be", NULL},
    {"GB18030", ENCODING_NO_2005, "gb18030 gb18030_2000", NULL},
    {NULL, ENCODING_NO_C1, "hz hz_gb hz_gb_2312 hzgb", encoding_hz},
    {NULL, 0, "utf_7 u7 utf7 unicode_1_1_utf_7", encoding_utf7},
    {NULL, 0, "unicode_escape", encoding_escape},
    {NULL, 0, "raw_unicode_escape", encoding_raw_escape},
};
/* clang-format on */

/* encodings.normalize_encoding: letters and digits, with one '_' for anything between them. Returns
 * 0 for a name that is too long. */
static size_t normalise(const char *name, size_t len, char to[NAME_CAP])
{
    size_t used = 0;
    bool gap = false;

    for (size_t i = 0; i < len; i++) {
        char c = name[i];

        if (c >= 'A' && c <= 'Z')
            c |= 0x20;
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '.') {
            gap = true;
            continue;
        }
        if (used + 2 >= NAME_CAP)
            return 0;
        if (gap && used > 0)
            to[used++] = '_';
        gap = false;
        to[used++] = c;
    }
    to[used] = '\0';
    return used;
}

static bool has_name(const struct encoding *row, const char *name, bool aliases_only)
{
    size_t len = strlen(name);

    for (const char *word = row->names; *word; word += strcspn(word, " "), word += *word == ' ') {
        if (strcspn(word, " ") == len && memcmp(word, name, len) == 0 &&
            !(aliases_only && word == row->names))
            return true;
    }
    return false;
}

/* The row of a name in a cookie. NULL if Python does not have it, or the C library decodes it
 * differently. Static. */
static const struct encoding *encoding_find(const char *name, size_t len)
{
    char plain[NAME_CAP] = "", dotless[NAME_CAP];

    if (normalise(name, len, plain) == 0)
        return NULL;
    memcpy(dotless, plain, sizeof dotless);
    for (char *dot = dotless; (dot = strchr(dot, '.')) != NULL;)
        *dot = '_';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (has_name(&rows[i], plain, strchr(plain, '.') != NULL) ||
            has_name(&rows[i], dotless, strchr(plain, '.') != NULL))
            return &rows[i];
    }
    return NULL;
}

/* ---- the whole ---- */

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"
#define NORMAL_CAP      13 /* bytes of a name that CPython compares itself */

/* CPython's get_normal_name(): the names that it knows without the codecs. */
static bool is_normal(const char *name, size_t len, const char *const *known)
{
    char buf[NORMAL_CAP] = "";

    for (size_t i = 0; i < len && i + 1 < sizeof buf; i++)
        buf[i] = (char)(name[i] == '_'                     ? '-'
                        : name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20
                                                           : name[i]);
    for (; *known; known++) {
        size_t size = strlen(*known);

        if (strncmp(buf, *known, size) == 0 && (buf[size] == '\0' || buf[size] == '-'))
            return true;
    }
    return false;
}

static bool is_utf8(const char *name, size_t len)
{
    static const char *const known[] = {"utf-8", NULL};

    return is_normal(name, len, known);
}

static const struct encoding *find_encoding(const char *name, size_t len)
{
    static const char *const known[] = {"latin-1", "iso-8859-1", "iso-latin-1", NULL};

    return is_normal(name, len, known) ? encoding_find("latin-1", 7) : encoding_find(name, len);
}

/* CPython converts line ends before decoding, and terminates the last line; after CR LF twice. */
static void add_lines(struct buf *to, const char *bytes, size_t len)
{
    bool ends_twice = len > 1 && bytes[len - 2] == '\r' && bytes[len - 1] == '\n';

    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\r')
            buf_addc(to, bytes[i]);
        else if (i + 1 == len || bytes[i + 1] != '\n')
            buf_addc(to, '\n');
    }
    if (ends_twice || (to->len > 0 && to->data[to->len - 1] != '\n'))
        buf_addc(to, '\n');
}

/* Characters that Python maps to private ones, as before 2005. */
static bool is_of_2005(uint32_t character)
{
    static const uint32_t others[] = {0x1E3F,  0xE7C7,  0x20087, 0x20089,
                                      0x200CC, 0x215D7, 0x2298F, 0x241FE};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (character == others[i])
            return true;
    return (character >= 0x9FB4 && character <= 0x9FBB) ||
           (character >= 0xFE10 && character <= 0xFE19);
}

/* Whether the last line is not terminated. CPython terminates it before decoding, so after decoding
 * none is added: a statement there is refused. The parser reports a backslash, which cannot end a
 * program either. */
static bool has_open_line(const struct buf *text)
{
    size_t at = text->len;

    while (at > 0 && (text->data[at - 1] == ' ' || text->data[at - 1] == '\t'))
        at--;
    return at > 0 && text->data[at - 1] != '\n';
}

/* What the C library accepts and Python does not, or decodes differently, or UTF-8 cannot hold. */
static const char *check_characters(const struct buf *from, unsigned flags, struct buf *to)
{
    uint32_t character = 0;

    for (size_t at = 0, used; at < from->len; at += used) {
        used = utf8_decode(from->data + at, from->len - at, &character);
        if (used == 0)
            return "half a surrogate pair";
        if (character == 0) /* CPython treats the text as a C string */
            break;
        if (((flags & ENCODING_NO_C1) && character >= 0x80 && character < 0xA0) ||
            ((flags & ENCODING_NO_EURO) && character == 0x20AC) ||
            ((flags & ENCODING_NO_2005) && is_of_2005(character)) ||
            (at == 0 && character == 0xFEFF))
            return "these bytes do not stand for text in it";
        if ((flags & ENCODING_YEN) && (character == 0xA5 || character == 0x203E))
            buf_addc(to, character == 0xA5 ? '\\' : '~');
        else
            buf_add(to, from->data + at, used);
    }
    if (has_open_line(to))
        buf_addc(to, '\\');
    return NULL;
}

static const char *translate(const struct encoding *encoding, const char *bytes, size_t len,
                             struct buf *to)
{
    struct buf BUF_AUTO lines = {0};
    struct buf BUF_AUTO text = {0};
    const char *error;

    add_lines(&lines, bytes, len);
    error = encoding->read ? encoding->read(lines.data, lines.len, &text)
                           : convert(encoding->iconv, lines.data, lines.len, &text);
    if (!error)
        error = check_characters(&text, encoding->flags, to);
    to->failed |= lines.failed || text.failed;
    return error;
}

int decoded_init(struct decoded *decoded, const char *bytes, size_t len, struct error *err)
{
    size_t mark = len >= 3 && memcmp(bytes, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
    const struct encoding *encoding;

    *decoded = (struct decoded){.text = bytes, .len = len};
    if (len > 0 && memchr(bytes, '\0', len)) {
        decoded->error = "the program holds a NUL byte";
        return 0;
    }
    decoded->name = encoding_cookie(bytes + mark, len - mark, &decoded->name_len);
    if (!decoded->name || is_utf8(decoded->name, decoded->name_len))
        return 0;
    encoding = find_encoding(decoded->name, decoded->name_len);
    if (mark > 0)
        decoded->error = "the program begins with a byte order mark of UTF-8";
    else if (!encoding)
        decoded->error = "there is no such encoding here";
    else
        decoded->error = translate(encoding, bytes, len, &decoded->own);
    decoded->text = decoded->own.data ? decoded->own.data : "";
    decoded->len = decoded->own.len;
    return buf_check(&decoded->own, "the program's text", err);
}

void decoded_finish(struct decoded *decoded)
{
    buf_finish(&decoded->own);
}

/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names are those of Python 3.11's encodings.aliases. Left out is what no byte by byte comparison
 * with glibc 2.36 bore out (big5, johab, cp1255, cp1258, mac_roman, iso2022_*, ...).
 */
#include "validator/encoding/encoding_table.h"

#include <stdbool.h>
#include <string.h>

#define NAME_CAP 64 /* longer than any name in the table */

/* clang-format off */
static const struct encoding rows[] = {
    {"UTF-8", 0, "utf_8 utf_8_sig cp65001 u8 utf utf8 utf8_ucs2 utf8_ucs4"},
    {"ASCII", 0, "ascii 646 ansi_x3.4_1968 ansi_x3.4_1986 ansi_x3_4_1968 cp367 csascii ibm367 iso646_us iso_646.irv_1991 iso_ir_6 us us_ascii"},
    {"ISO-8859-1", 0, "latin_1 8859 cp819 csisolatin1 ibm819 iso8859 iso8859_1 iso_8859_1 iso_8859_1_1987 iso_ir_100 l1 latin latin1"},
    {"ISO-8859-2", 0, "iso8859_2 csisolatin2 iso_8859_2 iso_8859_2_1987 iso_ir_101 l2 latin2"},
    {"ISO-8859-3", 0, "iso8859_3 csisolatin3 iso_8859_3 iso_8859_3_1988 iso_ir_109 l3 latin3"},
    {"ISO-8859-4", 0, "iso8859_4 csisolatin4 iso_8859_4 iso_8859_4_1988 iso_ir_110 l4 latin4"},
    {"ISO-8859-5", 0, "iso8859_5 csisolatincyrillic cyrillic iso_8859_5 iso_8859_5_1988 iso_ir_144"},
    {"ISO-8859-6", 0, "iso8859_6 arabic asmo_708 csisolatinarabic ecma_114 iso_8859_6 iso_8859_6_1987 iso_ir_127"},
    {"ISO-8859-7", 0, "iso8859_7 csisolatingreek ecma_118 elot_928 greek greek8 iso_8859_7 iso_8859_7_1987 iso_ir_126"},
    {"ISO-8859-8", 0, "iso8859_8 csisolatinhebrew hebrew iso_8859_8 iso_8859_8_1988 iso_ir_138"},
    {"ISO-8859-9", 0, "iso8859_9 csisolatin5 iso_8859_9 iso_8859_9_1989 iso_ir_148 l5 latin5"},
    {"ISO-8859-10", 0, "iso8859_10 csisolatin6 iso_8859_10 iso_8859_10_1992 iso_ir_157 l6 latin6"},
    {"ISO-8859-11", 0, "iso8859_11 iso_8859_11 iso_8859_11_2001 thai"},
    {"ISO-8859-13", 0, "iso8859_13 iso_8859_13 l7 latin7"},
    {"ISO-8859-14", 0, "iso8859_14 iso_8859_14 iso_8859_14_1998 iso_celtic iso_ir_199 l8 latin8"},
    {"ISO-8859-15", 0, "iso8859_15 iso_8859_15 l9 latin9"},
    {"ISO-8859-16", 0, "iso8859_16 iso_8859_16 iso_8859_16_2001 iso_ir_226 l10 latin10"},
    {"CP1250", 0, "cp1250 1250 windows_1250"},
    {"CP1251", 0, "cp1251 1251 windows_1251"},
    {"CP1252", 0, "cp1252 1252 windows_1252"},
    {"CP1253", 0, "cp1253 1253 windows_1253"},
    {"CP1254", 0, "cp1254 1254 windows_1254"},
    {"CP1256", 0, "cp1256 1256 windows_1256"},
    {"CP1257", 0, "cp1257 1257 windows_1257"},
    {"CP437", 0, "cp437 437 cspc8codepage437 ibm437"},
    {"CP737", 0, "cp737"},
    {"CP775", 0, "cp775 775 cspc775baltic ibm775"},
    {"CP850", 0, "cp850 850 cspc850multilingual ibm850"},
    {"CP852", 0, "cp852 852 cspcp852 ibm852"},
    {"CP855", 0, "cp855 855 csibm855 ibm855"},
    {"CP857", 0, "cp857 857 csibm857 ibm857"},
    {"CP858", 0, "cp858 858 csibm858 ibm858"},
    {"CP860", 0, "cp860 860 csibm860 ibm860"},
    {"CP861", 0, "cp861 861 cp_is csibm861 ibm861"},
    {"CP862", 0, "cp862 862 cspc862latinhebrew ibm862"},
    {"CP863", 0, "cp863 863 csibm863 ibm863"},
    {"CP864", 0, "cp864 864 csibm864 ibm864"},
    {"CP865", 0, "cp865 865 csibm865 ibm865"},
    {"CP866", 0, "cp866 866 csibm866 ibm866"},
    {"CP869", 0, "cp869 869 cp_gr csibm869 ibm869"},
    {"CP874", 0, "cp874"},
    {"CP1125", 0, "cp1125 1125 cp866u ibm1125 ruscii"},
    {"CP1140", 0, "cp1140 1140 ibm1140"},
    {"IBM037", 0, "cp037 037 csibm037 ebcdic_cp_ca ebcdic_cp_nl ebcdic_cp_us ebcdic_cp_wt ibm037 ibm039"},
    {"CP500", 0, "cp500 500 csibm500 ebcdic_cp_be ebcdic_cp_ch ibm500"},
    {"KOI8-R", 0, "koi8_r cskoi8r"},
    {"KOI8-U", 0, "koi8_u"},
    {"KOI8-T", 0, "koi8_t"},
    {"RK1048", 0, "kz1048 kz_1048 rk1048 strk1048_2002"},
    {"PT154", 0, "ptcp154 cp154 csptcp154 cyrillic_asian pt154"},
    {"HP-ROMAN8", 0, "hp_roman8 cp1051 ibm1051 r8 roman8"},
    {"MAC-CENTRALEUROPE", 0, "mac_latin2 mac_centeuro maccentraleurope maclatin2"},
    {"EUC-JP", ENCODING_NO_C1, "euc_jp eucjp u_jis ujis"},
    {"SJIS", ENCODING_YEN, "shift_jis csshiftjis s_jis shiftjis sjis x_mac_japanese"},
    {"CP932", 0, "cp932 932 ms932 ms_kanji mskanji"},
    {"EUC-KR", ENCODING_NO_C1, "euc_kr euckr korean ks_c_5601 ks_c_5601_1987 ks_x_1001 ksc5601 ksx1001 x_mac_korean"},
    {"CP949", 0, "cp949 949 ms949 uhc"},
    {"GB2312", ENCODING_NO_C1, "gb2312 chinese csiso58gb231280 euc_cn euccn eucgb2312_cn gb2312_1980 gb2312_80 iso_ir_58 x_mac_simp_chinese"},
    {"GBK", ENCODING_NO_C1 | ENCODING_NO_EURO, "gbk 936 cp936 ms936"},
    {"UTF-16", 0, "utf_16 u16 utf16"},
    {"UTF-16LE", 0, "utf_16_le unicodelittleunmarked utf_16le"},
    {"UTF-16BE", 0, "utf_16_be unicodebigunmarked utf_16be"},
    {"UTF-32", 0, "utf_32 u32 utf32"},
    {"UTF-32LE", 0, "utf_32_le utf_32le"},
    {"UTF-32BE", 0, "utf_32_be utf_32be"},
    {"GB18030", ENCODING_NO_2005, "gb18030 gb18030_2000"},
    {"GB2312", ENCODING_NO_C1 | ENCODING_HZ, "hz hz_gb hz_gb_2312 hzgb"},
    {"UTF-7", ENCODING_UTF7, "utf_7 u7 utf7 unicode_1_1_utf_7"},
    {"ISO-8859-1", ENCODING_ESCAPE, "unicode_escape"},
    {"ISO-8859-1", ENCODING_RAW_ESCAPE, "raw_unicode_escape"},
};
/* clang-format on */

/* encodings.normalize_encoding: letters and digits, with one '_' for what stands between. 0 for a
 * name that is too long to be any. */
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

const struct encoding *encoding_find(const char *name, size_t len)
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

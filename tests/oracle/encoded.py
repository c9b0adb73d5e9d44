# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs as bytes that are not plain UTF-8: encoding cookies of all kinds, byte order marks, stray bytes."""
import encodings.aliases

NAMES = sorted(set(encodings.aliases.aliases) | set(encodings.aliases.aliases.values()) | {
    "koi8-u", "cp737", "cp874", "utf-8-foo", "latin-1-unix", "UTF-8", "Utf_8", "utf8", "iso-latin-1-mac", "utf8mb4", "unicode_escape", "idna",
    "raw_unicode_escape", "punycode", "koi8.r", "latin.1", "iso.8859.1", "-latin1", "latin1-", "LATIN_1", "iso8859-15", "ISO_8859-15", "hz",
    "windows-1252", "us-ascii", "rot13", "hex", "nope", "undefined", "utf_8_sig", "utf-8-sig", "utf8-sig", "utf-16", "euc-jp", "Shift_JIS"})
OWN = ("utf-7", "unicode_escape", "raw_unicode_escape", "hz", "gb18030", "euc-jp", "shift_jis", "gbk", "utf-16", "cp1252", "koi8-r", "latin-1", "utf8")
PLACES = (b"# -*- coding: %s -*-\n%s", b"#coding:%s\n%s", b"\n#coding=%s\n%s", b"\xef\xbb\xbf# coding: %s\n%s", b"x\n#coding:%s\n%s", b"#\r#coding:%s\r%s",
          b" \f# vim: set fileencoding=%s :\n%s", b"'''\n#coding:%s\n%s'''\n", b"\\\n#coding:%s\n%s", b"#coding: :coding=%s\n%s", b"#coding:\t %s\r\n%s",
          b"#!x\r\n# coding: %s\r\n%s", b"\n\n# coding: %s\n%s", b"# xcoding:%s\n%s", b"# coding : %s\n%s", b"if x: # coding: %s\n %s")
PIECES = [b"a", b"b", b"=1", b"\n", b" ", b"~{", b"~}", b"~~", b"~\n", b"VPND", b"+AOk-", b"+", b"-", b"+-", b"+2AA-", b"+AAA-", b"\x81\x30\x81\x30", b"\xd6\xd0",
          b"\xa4\xa2", b"\x82\xa0", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\\", b"\\u00e9",
          b"\\N{BULLET}", b"\\U0001F600", b"\\u12", b"\\ud800", b"\\udc00", b"\\u000a", b"\\x41", b"#", b"'", b"\r", b"\r\n", b"\x1a", b"\x0b", b"\x7f", b"\x80", b"\xff", b"\0"]
BODIES = (b"x = '%s'\n", b'x = """%s"""\n', b"x%s = 1\n", b"# %s\nx\n", b"%s\n", b"%s", b"x = b'%s'\n", b"f'%s{x}'\n", b"r'%s'", b"import %s\n", b"f'{x:%s}'\n")


def _noise(rng):
    return b"".join(rng.choice(PIECES) if rng.random() < 0.8 else bytes([rng.randrange(256)]) for _ in range(rng.randint(1, 6)))


def program(rng):
    body = rng.choice(BODIES) % _noise(rng)
    if rng.random() < 0.25:
        return rng.choice((b"", b"", b"\xef\xbb\xbf")) + body
    name = rng.choice(NAMES if rng.random() < 0.6 else OWN)
    return rng.choice(PLACES) % (name.encode(), body)


def noisy(rng, data):
    """The bytes with some of them changed."""
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice((b"", rng.choice(PIECES), bytes([rng.randrange(256)]))) + data[at + rng.choice((0, 0, 1)):]

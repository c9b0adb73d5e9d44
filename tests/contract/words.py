# SPDX-License-Identifier: GPL-3.0-or-later
"""Words with a meaning that only this project gave them, or that are typical of translated sentences; and functions that extract the texts
from sources that a user could see."""
import ast
import re

PRIVATE_WORDS = (
    "berths?", "lanes?", "mailbox", "told", "mend(?:s|ed|ing)?", "judg(?:e|es|ed|ing|ement|ements)", "anew", "reckon(?:s|ed)?",
    "slips?", "owed", "deeds?", "tickets?", "shel(?:f|ves)", "stands? on", "rests? on", "much rests", "goes? round", "gone round",
    "talks nonsense", "can be the truth", "is the truth", "who hears", "hears of", "whatever it tells", "as ever", "so that nobody",
    "led back", "lead(?:s|ing)? back", "brought back whole", "of yesterday", "in the hands of", "(?:is|are) said", "is meant",
    # 'x' is no number; but: there is no node 'x', it is no longer there, no more than
    r"(?<!there )(?:is|are) no(?= )(?! longer| more\b)", r"there (?:is|are) no \S+ here", "of (?:its|their|one's|our) own",
    "in the midst", "left as it (?:is|stands)", "as (?:it|they) stands?", "(?:leave|left) away", "at hand", "paid up", "otherwise than")
PRIVATE = re.compile(r"(?<![\w-])(?:%s)(?![\w-])" % "|".join(PRIVATE_WORDS), re.IGNORECASE)

C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|(?P<text>"(?:\\.|[^"\\\n])*")|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
# Strings and templates, and what stands between two tags. A slash after a colon is an address.
PAGE_TOKEN = re.compile(r'/\*.*?\*/|<!--.*?-->|(?<!:)//[^\n]*|(?P<text>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`|>[^<>{}=;]+<)',
                        re.DOTALL)
SCRIPT_TEXT = re.compile(r"^[^#\n]*\b(?:echo|printf|step|complain|say)\b(.*)|##(.*)", re.MULTILINE)


def c_texts(source):
    """The string literals that have a space; neighbours are one, also over a macro such as PRId64."""
    source = re.sub(r'"\s*[A-Z][A-Za-z0-9_]+\s*"', " ", source)
    texts, end = [], None
    for found in C_TOKEN.finditer(source):
        if found["text"]:
            if end is not None and not source[end:found.start()].strip():
                texts[-1] += found["text"][1:-1]
            else:
                texts.append(found["text"][1:-1])
            end = found.end()
    return [text for text in texts if " " in text.strip()]


def page_texts(source):
    return [found["text"] for found in PAGE_TOKEN.finditer(source) if found["text"] and " " in found["text"].strip()]


def python_texts(source):
    """The strings that are not documentation."""
    tree = ast.parse(source)
    documents = {id(node.body[0].value) for node in ast.walk(tree)
                 if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and isinstance(node.body[0], ast.Expr)}
    return [node.value for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents and " " in node.value.strip()]


def script_texts(source):
    """What a shell script or the Makefile prints, and the table of deps.sh."""
    return ["".join(found) for found in SCRIPT_TEXT.findall(source)] + re.findall(r"^[\w.-]+ +\|.*", source, re.MULTILINE)

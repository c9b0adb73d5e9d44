# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a program on which two readers disagree as small as it goes: drops lines, then tokens, then characters, as long as
they still disagree."""
from mutate import tokens


def _drop(parts, still, joint, budget):
    """Greedy: runs of half the parts, of a quarter, ... of one."""
    size = max(1, len(parts) // 2)
    while size >= 1:
        at = 0
        while at < len(parts) and budget[0] > 0:
            fewer = parts[:at] + parts[at + size:]
            budget[0] -= 1
            if still(joint.join(fewer)):
                parts = fewer
            else:
                at += size
        size //= 2
    return parts


def shrink(text, disagree, budget=3000):
    """disagree(text) tells whether a text is still of interest."""
    left = [budget]
    before = None
    while text != before and left[0] > 0:
        before = text
        text = "".join(_drop(text.splitlines(keepends=True), disagree, "", left))
        text = "".join(_drop([token[1] for token in tokens(text)], disagree, "", left))
        if len(text) < 200:
            text = "".join(_drop(list(text), disagree, "", left))
    return text

// SPDX-License-Identifier: GPL-3.0-or-later
// Markdown that streams in, cut into blocks that stand for themselves: all but the last are finished and never drawn again.

const fence = /^ {0,3}(`{3,}|~{3,})/;
const item = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

export function splitBlocks(markdown: string): string[] {
  const blocks: string[] = [];
  let from = 0; // of the block
  let open: string | null = null; // the fence, or "$$"
  let inList = false;
  let blank = false;
  let any = false; // the block has more than blank lines
  for (let at = 0; at < markdown.length;) {
    const newline = markdown.indexOf("\n", at);
    const next = newline < 0 ? markdown.length : newline + 1;
    const line = markdown.slice(at, newline < 0 ? next : newline).replace(/\r$/, "");
    if (open === null && line.trim() === "") {
      blank = true;
      at = next;
      continue;
    }
    // A new block: behind a blank line, at the margin, and no further item of the same list.
    if (open === null && blank && any && !/^\s/.test(line) && !(inList && item.test(line))) {
      blocks.push(markdown.slice(from, at));
      from = at;
      any = inList = false;
    }
    const mark = fence.exec(line)?.[1] ?? (line.trim().startsWith("$$") ? "$$" : null);
    if (open !== null) {
      const ends = open === "$$" ? line.trim().endsWith("$$") : mark !== null && mark.startsWith(open) && line.trim() === mark;
      if (ends) open = null;
    } else if (mark === "$$") {
      if (line.trim() === "$$" || !line.trim().endsWith("$$")) open = "$$";
    } else if (mark !== null) open = mark;
    else if (!any) inList = item.test(line);
    blank = false;
    any = true;
    at = next;
  }
  if (from < markdown.length) blocks.push(markdown.slice(from));
  return blocks;
}

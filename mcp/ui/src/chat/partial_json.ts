// SPDX-License-Identifier: GPL-3.0-or-later
// Parses JSON that is cut at any place: a tool's arguments while they are streamed.

// Closes what is open.
function close(cut: string): string {
  const open: string[] = [];
  let inText = false;
  for (let i = 0; i < cut.length; i++) {
    const c = cut[i];
    if (inText) {
      if (c === "\\") i++;
      else if (c === '"') inText = false;
    } else if (c === '"') inText = true;
    else if (c === "{" || c === "[") open.push(c);
    else if (c === "}" || c === "]") open.pop();
  }
  let whole = cut;
  if (inText) {
    // A cut escape goes: a lone backslash, or \u with too few digits.
    const escape = /(^|[^\\])((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/.exec(whole);
    if (escape) whole = whole.slice(0, escape.index + (escape[1] ?? "").length + (escape[2] ?? "").length);
    whole += '"';
  }
  const ends = open.reverse().map(c => (c === "{" ? "}" : "]"));
  return whole.replace(/[\s,]+$/, "") + ends.join("");
}

// A member's name without its value, and a number or a word that is cut.
const dangling = [/,?\s*"(?:[^"\\]|\\.)*"\s*:?\s*([}\]]+)$/, /,?\s*(?:"(?:[^"\\]|\\.)*"\s*:)?\s*[-+.\w]+\s*([}\]]+)$/];

export function parsePartial(json: string): Record<string, unknown> {
  const closed = close(json);
  for (const attempt of [json, closed, ...dangling.map(end => closed.replace(end, "$1"))]) {
    try {
      const value: unknown = JSON.parse(attempt);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // The next attempt.
    }
  }
  return {};
}

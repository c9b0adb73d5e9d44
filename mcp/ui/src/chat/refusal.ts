// SPDX-License-Identifier: GPL-3.0-or-later
// Why code was refused before it ran: what the validator says, line by line.
export interface Refusal {
  line: number;
  rule: string; // what is not allowed
  instead: string; // what to write instead; "": it does not say
  code: string; // the line of code
}

const START = /^line (\d+): (.+)$/;

// The result of a refused analysis has, for each finding, "line N: RULE. ADVICE" and below it the line of code and a mark.
export function refusals(result: string): Refusal[] {
  const found: Refusal[] = [];
  const lines = result.split("\n");
  lines.forEach((text, at) => {
    const start = START.exec(text);
    if (!start) return;
    const words = start[2] ?? "";
    const end = words.search(/\.\s/);
    const next = lines[at + 1] ?? "";
    found.push({
      line: Number(start[1]),
      rule: end < 0 ? words : words.slice(0, end + 1),
      instead: end < 0 ? "" : words.slice(end + 1).trim(),
      code: next.startsWith("    ") ? next.trim() : "",
    });
  });
  return found;
}

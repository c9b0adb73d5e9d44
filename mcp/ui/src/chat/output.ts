// SPDX-License-Identifier: GPL-3.0-or-later
// What code printed, made fit to be shown as plain text.

// CSI and OSC sequences, other escapes, then what is left of the control characters.
const escapes =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\|$)|\u001b[@-Z\\-_]?|\u009b[0-?]*[ -/]*[@-~]/g;
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

// A carriage return overwrites the line, as progress bars do.
function lastOfLine(line: string): string {
  const end = line.endsWith("\r") ? line.length - 1 : line.length;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}

export function plain(output: string): string {
  const cleared = output.replace(escapes, "");
  const lines = cleared.includes("\r") ? cleared.split("\n").map(lastOfLine).join("\n") : cleared;
  return lines.replace(controls, "");
}

export const OUTPUT_KEPT = 256 * 1024; // characters of one call's output while it runs

// Appends a piece; above the limit the end is kept.
export function addOutput(before: string, piece: string): string {
  const all = before + piece;
  if (all.length <= OUTPUT_KEPT) return all;
  const from = all.indexOf("\n", all.length - OUTPUT_KEPT);
  return all.slice(from < 0 ? all.length - OUTPUT_KEPT : from + 1);
}

// The first lines; or with fromEnd the last, for output that is still coming.
export function cutOutput(output: string, most: number, characters: number, fromEnd: boolean) {
  const lines = output.replace(/\n+$/, "").split("\n");
  let shown = (fromEnd ? lines.slice(-most) : lines.slice(0, most)).join("\n");
  let cut = lines.length > most;
  if (shown.length > characters) {
    shown = fromEnd ? shown.slice(-characters) : shown.slice(0, characters);
    cut = true;
  }
  return { shown, lines: lines.length, cut };
}

// The output of an analysis, separate from its last line ("[ok, 0.532 s, 1 figure]") and from the instructions to the model after a
// failure.
export function splitResult(result: string) {
  // Stored threads may contain the words of earlier servers, "to repair this" and "All 3 attempts".
  const next =
    /\n\n(Attempt \d+ of \d+ (?:(?:to repair this )?is next|was the last)|All \d+ attempts (?:to repair this have )?failed)[:.][^\n]*\s*$/.exec(
      result,
    );
  const said = next ? result.slice(0, next.index) : result;
  const last = /(?:^|\n)\[([a-z_ -]+, [0-9.]+ s[^\]\n]*)\]\s*$/.exec(said);
  return {
    output: last ? said.slice(0, last.index) : said,
    trailer: last?.[1] ?? null,
    repair: next ? `${next[1] ?? ""}.` : null,
  };
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 60000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60000)} min ${Math.floor((milliseconds % 60000) / 1000)} s`;
}

// A text of the server as a complete sentence.
export function sentence(words: string): string {
  const whole = words.trim();
  return whole.charAt(0).toUpperCase() + whole.slice(1) + (/[.!?:…]$/.test(whole) || whole === "" ? "" : ".");
}

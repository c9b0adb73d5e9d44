// SPDX-License-Identifier: GPL-3.0-or-later
// Differences between two texts by words, and a merge of two texts that have one before them in common. Pure.

interface Piece { kind: "same" | "gone" | "new"; text: string }

// Above this many comparisons a text counts as completely rewritten: the table below would take too long.
const COMPARISONS_MAX = 4_000_000;

const words = (text: string) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

// For each word of before its partner in after, or -1: a longest common subsequence.
function partners(before: string[], after: string[]): number[] {
  const found = new Array<number>(before.length).fill(-1);
  let start = 0, endBefore = before.length, endAfter = after.length;
  while (start < endBefore && start < endAfter && before[start] === after[start]) found[start] = start++;
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) found[--endBefore] = --endAfter;
  const rows = endBefore - start, columns = endAfter - start;
  if (rows * columns > COMPARISONS_MAX) return found;
  const width = columns + 1, best = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      best[i * width + j] = before[start + i] === after[start + j] ? best[(i + 1) * width + j + 1] + 1
        : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (before[start + i] === after[start + j]) found[start + i++] = start + j++;
    else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
    else j++;
  }
  return found;
}

export function diffWords(before: string, after: string): Piece[] {
  const old = words(before), now = words(after), partner = partners(old, now), pieces: Piece[] = [];
  const add = (kind: Piece["kind"], text: string) => {
    const last = pieces[pieces.length - 1];
    if (last?.kind === kind) last.text += text;
    else if (text) pieces.push({ kind, text });
  };
  let j = 0;
  old.forEach((word, i) => {
    if (partner[i] < 0) return add("gone", word);
    add("new", now.slice(j, partner[i]).join(""));
    add("same", word);
    j = partner[i] + 1;
  });
  add("new", now.slice(j).join(""));
  return pieces;
}

// The same, easier to read: single spaces between two changes belong to them, so that there are fewer and longer pieces.
export function diff(before: string, after: string): Piece[] {
  const pieces = diffWords(before, after), read: Piece[] = [];
  const add = (kind: Piece["kind"], text: string) => {
    if (text) read.push({ kind, text });
  };
  for (let at = 0; at < pieces.length;) {
    let gone = "", come = "", to = at;
    for (; to < pieces.length; to++) {
      const { kind, text } = pieces[to];
      if (kind === "same" && (to === at || to + 1 === pieces.length || !/^\s+$/.test(text))) break;
      if (kind !== "new") gone += text;
      if (kind !== "gone") come += text;
    }
    if (to === at) add("same", pieces[to++].text);
    add("gone", gone);
    add("new", come);
    at = to;
  }
  return read;
}

// Applies the changes of both sides to base. If both changed the same place, mine comes first, then theirs: a conflict for a person to
// resolve.
export function merge(base: string, mine: string, theirs: string): { text: string; clash: boolean } {
  if (mine === theirs || theirs === base) return { text: mine, clash: false };
  if (mine === base) return { text: theirs, clash: false };
  const old = words(base), my = words(mine), their = words(theirs);
  const toMine = partners(old, my), toTheirs = partners(old, their);
  let text = "", clash = false, i = 0, m = 0, t = 0;
  while (i <= old.length) {
    let next = i;
    while (next < old.length && (toMine[next] < 0 || toTheirs[next] < 0)) next++;
    const was = old.slice(i, next).join("");
    const myPart = my.slice(m, next < old.length ? toMine[next] : my.length).join("");
    const theirPart = their.slice(t, next < old.length ? toTheirs[next] : their.length).join("");
    if (myPart === theirPart || theirPart === was) text += myPart;
    else if (myPart === was) text += theirPart;
    else {
      clash = true;
      text += myPart + (myPart && theirPart && !/\s$/.test(myPart) && !/^\s/.test(theirPart) ? " " : "") + theirPart;
    }
    if (next >= old.length) break;
    text += old[next];
    m = toMine[next] + 1;
    t = toTheirs[next] + 1;
    i = next + 1;
  }
  return { text, clash };
}

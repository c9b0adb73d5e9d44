// SPDX-License-Identifier: GPL-3.0-or-later
// Where a text names nodes of the curriculum, by id or by title. Only nodes that there are count.

// Titles by their words, one after the other.
interface Words {
  next: Map<string, Words>;
  title?: string;
  id?: string; // of the node whose title ends here
}
export interface NodeNames {
  ids: Map<string, string>; // and their titles
  titles: Words;
}
interface Mention {
  start: number;
  end: number;
  id: string;
}

const TITLE_MIN = 6; // shorter titles are words like any other
const GAP_MAX = 3; // characters between two words of a title

const wordPattern = /[\p{L}\p{N}_]+/gu;
const idPattern = /[\p{L}\p{N}_]+(?:[-.:][\p{L}\p{N}_]+)*/uy;

export function nodeNames(nodes: { node_id: string; title: string }[]): NodeNames {
  const ids = new Map<string, string>();
  const titles: Words = { next: new Map() };
  for (const { node_id: id, title } of nodes) {
    ids.set(id, title);
    if (title.length < TITLE_MIN) continue;
    let at = titles;
    for (const word of title.toLowerCase().match(wordPattern) ?? []) {
      const known: Words = at.next.get(word) ?? { next: new Map() };
      at.next.set(word, known);
      at = known;
    }
    if (at !== titles && at.id === undefined) Object.assign(at, { id, title });
  }
  return { ids, titles };
}

interface Word {
  start: number;
  end: number;
  lower: string;
}

// The longest title that begins with that word. A title of one word counts only as it is written.
function titleAt(text: string, words: Word[], first: number, names: NodeNames): (Mention & { last: number }) | null {
  let found: (Mention & { last: number }) | null = null;
  let at: Words | undefined = names.titles;
  const start = words[first]?.start ?? 0;
  for (let i = first; i < words.length; i++) {
    const word = words[i] as Word;
    const gap = i === first ? "" : text.slice(words[i - 1]?.end, word.start);
    at = gap.length <= GAP_MAX && !gap.includes("\n") ? at.next.get(word.lower) : undefined;
    if (!at) break;
    const written = i > first || text.slice(start, word.end) === at.title;
    if (at.id !== undefined && written) found = { start, end: word.end, id: at.id, last: i };
  }
  return found;
}

// A plain word or number does not count as an id, even if a node has it; as inline code it does.
const looksLikeId = (token: string) => /\d/.test(token) && /[\p{L}_-]/u.test(token);

function idAt(text: string, start: number, names: NodeNames): Mention | null {
  idPattern.lastIndex = start;
  const token = idPattern.exec(text)?.[0] ?? "";
  const id = [token, token.split(/[.:]/)[0] ?? ""].find(one => looksLikeId(one) && names.ids.has(one));
  return id === undefined ? null : { start, end: start + id.length, id };
}

export function mentions(text: string, names: NodeNames, whole = false): Mention[] {
  if (whole && names.ids.has(text.trim())) return [{ start: 0, end: text.length, id: text.trim() }];
  const words: Word[] = [...text.matchAll(wordPattern)].map(match => {
    const start = match.index ?? 0;
    return { start, end: start + match[0].length, lower: match[0].toLowerCase() };
  });
  const found: Mention[] = [];
  for (let i = 0; i < words.length; i++) {
    const { start } = words[i] as Word;
    const title = whole ? null : titleAt(text, words, i, names);
    const mention = title ?? idAt(text, start, names);
    if (!mention) continue;
    found.push({ start, end: mention.end, id: mention.id });
    while (i + 1 < words.length && (words[i + 1] as Word).start < mention.end) i++;
  }
  return found;
}

export function mentioned(texts: string[], names: NodeNames): string[] {
  return [...new Set(texts.flatMap(text => mentions(text, names).map(one => one.id)))];
}

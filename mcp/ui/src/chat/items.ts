// SPDX-License-Identifier: GPL-3.0-or-later
// The items of a chat as a list: what each event does to it. Pure: nothing here changes what it is given.
import type { Asked, Chat, Item, NoteItem } from "./view";

type Kind = Item["kind"];
type Of<K extends Kind> = Extract<Item, { kind: K }>;

function find<K extends Kind>(items: Item[], kind: K, id: string): Of<K> | undefined {
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i];
    if (item && item.kind === kind && item.id === id) return item as Of<K>;
  }
  return undefined;
}

export function replace(items: Item[], old: Item, next: Item): Item[] {
  const at = items.lastIndexOf(old);
  return at < 0 ? items : [...items.slice(0, at), next, ...items.slice(at + 1)];
}

// Changes the item with this kind and id, if it exists.
export function change<K extends Kind>(chat: Chat, kind: K, id: string, how: (item: Of<K>) => Partial<Of<K>>): Chat {
  const old = find(chat.items, kind, id);
  if (!old) return chat;
  return { ...chat, items: replace(chat.items, old, { ...old, ...how(old) } as Item) };
}

// Behind all but the questions that are still to be sent.
export function append(items: Item[], item: Item): Item[] {
  let at = items.length;
  for (let before = items[at - 1]; at > 0 && before?.kind === "user" && before.waiting; before = items[at - 1]) at--;
  return [...items.slice(0, at), item, ...items.slice(at)];
}

// Adds an item; one that is there already stays what it is.
export function add(chat: Chat, item: Item): Chat {
  return find(chat.items, item.kind, item.id) ? chat : { ...chat, items: append(chat.items, item) };
}

export function note(chat: Chat, tone: NoteItem["tone"], words: string): Chat {
  const notes = chat.notes + 1;
  return { ...chat, notes, items: append(chat.items, { kind: "note", id: `note-${notes}`, tone, text: words }) };
}

// Of a note whose kind the server has given.
export const toneOf = (kind: unknown): NoteItem["tone"] => (kind === "partial" ? "partial" : "info");

export function newestQuestion(items: Item[]): Asked | null {
  const item = items.findLast(one => one.kind === "user");
  return item?.kind === "user" ? { id: item.id, text: item.text } : null;
}

// The beginning of an answer: a question, or the place where it was asked again.
export const begins = (item: Item) => item.kind === "user" || (item.kind === "note" && item.tone === "again");

// The newest answer's ending is outdated: its question is asked again.
export const passed = (items: Item[]): Item[] => {
  const from = items.findLastIndex(begins);
  return items.map((item, at) => (item.kind === "end" && at > from ? { ...item, past: true } : item));
};

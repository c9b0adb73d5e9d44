// SPDX-License-Identifier: GPL-3.0-or-later
// Converts a snapshot of a whole thread to the items of the chat; what only this page knows keeps its place.
import { newCall, withResult } from "./call_item";
import { contentText, fields, list, readUsage, text, type Fields } from "./frame";
import { begins, newestQuestion, passed, toneOf } from "./items";
import { readTask } from "./task";
import { addUsage, costOf } from "./usage";
import { keyOf, type Chat, type EndItem, type Item, type NoteItem } from "./view";

function callsOf(message: Fields): Item[] {
  return list(message.toolCalls)
    .map(fields)
    .map(call => {
      const made = fields(call.function);
      return { ...newCall(text(call.id), text(made.name), call.metadata), args: text(made.arguments), state: "stopped" as const };
    });
}

// A note of the server's: how a run ended, or what there was to know.
function kept(message: Fields, at: number, before: Item[]): Item[] {
  const content = fields(message.content);
  const words = text(content.text);
  const id = text(message.id) || `kept-${at}`;
  if (words === "") return [];
  if (content.kind === "again") {
    before.splice(0, before.length, ...passed(before));
    return [{ kind: "note", id, tone: "again", text: words }];
  }
  if (content.kind !== "error" && content.kind !== "stopped") return [{ kind: "note", id, tone: toneOf(content.kind), text: words }];
  const ending = content.kind === "error" ? "failed" : "stopped";
  return [{ kind: "end", id, ending, text: words, usage: null, question: newestQuestion(before), past: false }];
}

// What a run has cost, at the end of its question. Of the runs that an approval lay between it is one sum.
function cost(message: Fields, at: number, before: Item[]): Item[] {
  const from = before.findLastIndex(begins);
  const old = before.findLast((item, i): item is EndItem => item.kind === "end" && i > from);
  const ending = old?.ending ?? "done";
  const usage = costOf(addUsage(old?.usage ?? null, readUsage(message.content)), ending);
  if (old) before.splice(before.indexOf(old), 1);
  return [{ kind: "end", id: text(message.id) || `cost-${at}`, ending, text: old?.text ?? null, usage,
    question: old?.question ?? newestQuestion(before), past: false }];
}

// One message of a snapshot as items; a tool's goes into its call.
function itemsOf(message: Fields, at: number, before: Item[]): Item[] {
  const id = text(message.id);
  const words = contentText(message.content);
  switch (message.role) {
    case "user":
      return [{ kind: "user", id, text: words, waiting: false }];
    case "assistant":
      return [...(words === "" ? [] : [{ kind: "text" as const, id, text: words, done: true, cut: false }]), ...callsOf(message)];
    case "reasoning":
      return [{ kind: "thought", id, text: words, done: true }];
    case "activity":
      if (message.activityType === "lectern.task") {
        const task = readTask(message.content);
        return [{ kind: "task", id: task.id, task }];
      }
      return message.activityType === "lectern.usage" ? cost(message, at, before) : kept(message, at, before);
    case "tool": {
      const call = before.find(item => item.kind === "call" && item.id === message.toolCallId);
      if (call?.kind === "call") before[before.indexOf(call)] = withResult(call, message);
      return [];
    }
    default:
      return [];
  }
}

// What is the same as before stays the very same item.
function keepKnown(item: Item, known: Map<string, Item>): Item {
  const old = known.get(`${item.kind}:${item.id}`);
  if (!old) return item;
  if (item.kind === "end" && old.kind === "end" && item.past !== old.past) return item;
  if (item.kind === "call" && old.kind === "call") return item.result === old.result || item.result === null ? old : item;
  if (item.kind === "task" && old.kind === "task") return item.task.entries.length === old.task.entries.length ? old : item;
  if ("text" in item && "text" in old && item.text === old.text && !("waiting" in old && old.waiting)) return old;
  return item;
}

// Where what began with the item of that key ends; null: what is before the first. -1: it is not there.
function endOf(items: Item[], from: string | null): number {
  const at = from === null ? -1 : items.findIndex(one => keyOf(one) === from);
  if (from !== null && at < 0) return -1;
  const next = items.findIndex((one, i) => i > at && begins(one));
  return next < 0 ? items.length : next;
}

// Puts what only this page knows of a question's run (its cost, how it ended) to what is said of it in the history.
function putEnd(items: Item[], from: string | null, item: EndItem | NoteItem): void {
  const to = endOf(items, from);
  if (to < 0) return;
  for (let i = to - 1; i >= 0; i--) {
    const one = items[i] as Item;
    if (begins(one)) break;
    const same =
      item.kind === "note" ? one.kind === "note" && one.text === item.text : one.kind === "end" && item.ending !== "interrupted";
    if (!same) continue;
    if (item.kind === "end" && one.kind === "end") items[i] = one.past ? { ...item, past: true } : item;
    return;
  }
  items.splice(to, 0, item);
}

// A snapshot has not what only this page knows: costs, notes of this visit, questions that are still to be sent or were refused.
export function snapshot(chat: Chat, event: Fields): Chat {
  const known = new Map(chat.items.map(item => [keyOf(item), item]));
  const found: Item[] = [];
  list(event.messages)
    .map(fields)
    .forEach((message, at) => found.push(...itemsOf(message, at, found)));
  const items = found.map(item => keepKnown(item, known));
  const there = new Set(items.map(keyOf));
  let from: string | null = null;
  for (const item of chat.items) {
    const key = keyOf(item);
    if (item.kind === "user" && !there.has(key)) items.splice(Math.max(0, endOf(items, from)), 0, item);
    else if (!there.has(key) && !begins(item) && (item.kind === "end" || item.kind === "note")) putEnd(items, from, item);
    if (begins(item)) from = key;
  }
  return { ...chat, items };
}

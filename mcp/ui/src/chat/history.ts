// SPDX-License-Identifier: GPL-3.0-or-later
// A snapshot of a whole thread becomes the chat's items; what only this page knows stays where it was.
import { newCall, withResult } from "./call_item";
import { contentText, fields, list, readUsage, text, type Fields } from "./frame";
import { addUsage } from "./usage";
import { keyOf, type Chat, type EndItem, type Item, type NoteItem } from "./view";

function callsOf(message: Fields): Item[] {
  return list(message.toolCalls)
    .map(fields)
    .map(call => {
      const made = fields(call.function);
      return { ...newCall(text(call.id), text(made.name), false), args: text(made.arguments), state: "stopped" as const };
    });
}

// A note of the server's: how a run ended, or what there was to know.
function kept(message: Fields, at: number, before: Item[]): Item[] {
  const content = fields(message.content);
  const words = text(content.text);
  const id = text(message.id) || `kept-${at}`;
  if (words === "") return [];
  if (content.kind !== "error" && content.kind !== "stopped") return [{ kind: "note", id, tone: "info", text: words }];
  const question = before.findLast(item => item.kind === "user");
  const ending = content.kind === "error" ? "failed" : "stopped";
  return [{ kind: "end", id, ending, text: words, usage: null, question: question?.kind === "user" ? question.text : null }];
}

// What a run has cost, at the end of its question. Of the runs that an approval lay between it is one sum.
function cost(message: Fields, at: number, before: Item[]): Item[] {
  const from = before.findLastIndex(item => item.kind === "user");
  const old = before.findLast((item, i): item is EndItem => item.kind === "end" && i > from);
  const usage = addUsage(old?.usage ?? null, readUsage(message.content));
  if (old) before.splice(before.indexOf(old), 1);
  const question = before[from];
  return [{ kind: "end", id: text(message.id) || `cost-${at}`, ending: old?.ending ?? "done", text: old?.text ?? null, usage,
    question: old?.question ?? (question?.kind === "user" ? question.text : null) }];
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
  if (item.kind === "call" && old.kind === "call") return item.result === old.result || item.result === null ? old : item;
  if ("text" in item && "text" in old && item.text === old.text && !("waiting" in old && old.waiting)) return old;
  return item;
}

const isUser = (item: Item) => item.kind === "user";

// Puts what only this page knows of a question's run (its cost, how it ended) to what is said of it in the history.
function putEnd(items: Item[], question: string | null, item: EndItem | NoteItem): void {
  const at = question === null ? -1 : items.findIndex(one => isUser(one) && one.id === question);
  if (question !== null && at < 0) return; // another conversation's
  let to = at + 1;
  while (to < items.length && !isUser(items[to] as Item)) to++;
  for (let i = at + 1; i < to; i++) {
    const one = items[i] as Item;
    const same =
      item.kind === "note" ? one.kind === "note" && one.text === item.text : one.kind === "end" && item.ending !== "interrupted";
    if (!same) continue;
    if (item.kind === "end") items[i] = item;
    return;
  }
  items.splice(to, 0, item);
}

// A snapshot has not what only this page knows: costs, notes of this visit, questions that are still to be sent.
export function snapshot(chat: Chat, event: Fields): Chat {
  const known = new Map(chat.items.map(item => [keyOf(item), item]));
  const told: Item[] = [];
  list(event.messages)
    .map(fields)
    .forEach((message, at) => told.push(...itemsOf(message, at, told)));
  const items = told.map(item => keepKnown(item, known));
  const there = new Set(items.map(keyOf));
  let question: string | null = null;
  for (const item of chat.items) {
    if (item.kind === "user" && !item.waiting) question = item.id;
    else if (there.has(keyOf(item))) continue;
    else if (item.kind === "end" || item.kind === "note") putEnd(items, question, item);
    else if (item.kind === "user") items.push(item);
  }
  return { ...chat, items };
}

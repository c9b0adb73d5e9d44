// SPDX-License-Identifier: GPL-3.0-or-later
// AG-UI's events become what the chat shows. Pure: a chat and an event make the next chat.
import {
  contentPictures,
  contentText,
  count,
  fields,
  list,
  readInterrupts,
  readModel,
  readThreads,
  readUsage,
  text,
  textOrNull,
  type Fields,
} from "./frame";
import { addOutput, plain } from "./output";
import { addUsage } from "./usage";
import { keyOf, type Asked, type CallItem, type Chat, type EndItem, type Ending, type Item, type NoteItem } from "./view";

const isLive = (runId: string) => runId.startsWith("live-"); // a run of the server's own: news, no answer

// ---- items ----

export function newCall(id: string, name: string, fresh: boolean): CallItem {
  return {
    kind: "call",
    id,
    name,
    args: "",
    state: "writing",
    fresh,
    startedAt: null,
    milliseconds: null,
    output: "",
    result: null,
    pictures: [],
    category: null,
    repair: 0,
    repairsMax: 0,
    answer: null,
  };
}

type Kind = Item["kind"];
type Of<K extends Kind> = Extract<Item, { kind: K }>;

function find<K extends Kind>(items: Item[], kind: K, id: string): Of<K> | undefined {
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i];
    if (item && item.kind === kind && item.id === id) return item as Of<K>;
  }
  return undefined;
}

function replace(items: Item[], old: Item, next: Item): Item[] {
  const at = items.lastIndexOf(old);
  return at < 0 ? items : [...items.slice(0, at), next, ...items.slice(at + 1)];
}

// Changes the item of that kind and id; nothing where there is none.
function change<K extends Kind>(chat: Chat, kind: K, id: string, how: (item: Of<K>) => Partial<Of<K>>): Chat {
  const old = find(chat.items, kind, id);
  if (!old) return chat;
  return { ...chat, items: replace(chat.items, old, { ...old, ...how(old) } as Item) };
}

// Behind all but the questions that are still to be sent.
function append(items: Item[], item: Item): Item[] {
  let at = items.length;
  for (let before = items[at - 1]; at > 0 && before?.kind === "user" && before.waiting; before = items[at - 1]) at--;
  return [...items.slice(0, at), item, ...items.slice(at)];
}

// Adds an item; one that is there already stays what it is.
function add(chat: Chat, item: Item): Chat {
  return find(chat.items, item.kind, item.id) ? chat : { ...chat, items: append(chat.items, item) };
}

export function note(chat: Chat, tone: NoteItem["tone"], words: string): Chat {
  const notes = chat.notes + 1;
  return { ...chat, notes, items: append(chat.items, { kind: "note", id: `note-${notes}`, tone, text: words }) };
}

// ---- the end of a run ----

// Nothing stays open: what streamed is cut, what ran has been stopped. Calls that wait for an answer go on waiting.
function settle(items: Item[], waiting: Set<string>): Item[] {
  let next = items;
  for (const item of items) {
    if ((item.kind === "text" || item.kind === "thought") && !item.done)
      next = replace(next, item, item.kind === "text" ? { ...item, done: true, cut: true } : { ...item, done: true });
    else if (item.kind === "call" && ["writing", "waiting", "running"].includes(item.state))
      next = replace(next, item, { ...item, state: waiting.has(item.id) ? "waiting" : "stopped" });
  }
  return next;
}

const waitsFor = (chat: Pick<Chat, "interrupts">) => new Set(chat.interrupts.map(one => one.callId ?? ""));

function end(chat: Chat, runId: string, ending: Ending, words: string | null): Chat {
  const usage = addUsage(chat.carried, chat.usage);
  const item: EndItem = { kind: "end", id: runId, ending, text: words, usage, question: chat.run?.question?.text ?? null };
  const items = settle(chat.items, waitsFor(chat)).filter(one => !(one.kind === "end" && one.id === runId));
  return {
    ...chat,
    items: append(items, item),
    run: null,
    waiting: null,
    usage: null,
    carried: ending === "interrupted" ? usage : null,
  };
}

function runFinished(chat: Chat, event: Fields): Chat {
  const runId = text(event.runId);
  const outcome = fields(event.outcome);
  const interrupts = outcome.type === "interrupt" ? readInterrupts(outcome.interrupts) : [];
  if (isLive(runId)) {
    // It tells which approvals are open, but for the ones that an answer is on its way to.
    const known = chat.run ? chat : { ...chat, interrupts };
    return { ...known, items: reopen(known), greeted: true };
  }
  const next = { ...chat, interrupts };
  if (outcome.type === "cancelled") return end(next, runId, "stopped", null);
  return end(next, runId, interrupts.length > 0 ? "interrupted" : "done", null);
}

// Calls of the history that an approval is open for wait; without one they never got a result.
function reopen(chat: Chat): Item[] {
  const waiting = waitsFor(chat);
  let items = chat.items;
  for (const item of items)
    if (item.kind === "call" && item.state === "stopped" && waiting.has(item.id))
      items = replace(items, item, { ...item, state: "waiting", answer: null });
  return items;
}

function runFailed(chat: Chat, event: Fields): Chat {
  const words = text(event.message) || "The answer failed, and the server did not say why. Try again.";
  if (chat.run) return end(chat, chat.run.id, "failed", words);
  return { ...note(chat, "error", words), greeted: true }; // also where the greeting failed: a question may still be asked
}

// ---- history ----

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
function snapshot(chat: Chat, event: Fields): Chat {
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

// ---- tools ----

function withResult(call: CallItem, event: Fields): CallItem {
  const metadata = fields(event.metadata);
  const category = textOrNull(metadata.category);
  const failed = metadata.isError === true || (event.role === "tool" && typeof event.error === "string");
  const declined = failed && (call.answer === "declined" || category === "declined");
  return {
    ...call,
    state: declined ? "declined" : failed ? "failed" : "done",
    result: plain(contentText(event.content)),
    pictures: contentPictures(event.content),
    category: failed && category !== "none" ? category : null,
    milliseconds: typeof metadata.milliseconds === "number" ? count(metadata.milliseconds) : call.milliseconds,
    repair: count(metadata.repair),
    repairsMax: count(metadata.repairsMax),
  };
}

function custom(chat: Chat, event: Fields, now: number): Chat {
  const value = fields(event.value);
  const id = text(value.toolCallId);
  switch (event.name) {
    case "lectern.started":
      return change(chat, "call", id, () => ({ state: "running", startedAt: now }));
    case "lectern.output":
      return change(chat, "call", id, call => ({ output: addOutput(call.output, text(value.text)) }));
    case "lectern.usage":
      return { ...chat, usage: readUsage(value) };
    case "lectern.waiting":
      return {
        ...chat,
        waiting: { attempt: count(value.attempt), until: now + count(value.milliseconds), why: text(value.why) },
      };
    case "lectern.limit":
      return note(chat, "info", text(value.message));
    default:
      return chat;
  }
}

// ---- all of them ----

type Handler = (chat: Chat, event: Fields, now: number) => Chat;

const begin =
  (kind: "text" | "thought"): Handler =>
  (chat, event) => {
    const item = { id: text(event.messageId), text: "", done: false };
    return add({ ...chat, waiting: null }, kind === "text" ? { ...item, kind, cut: false } : { ...item, kind });
  };
const grow =
  (kind: "text" | "thought"): Handler =>
  (chat, event) =>
    change(chat, kind, text(event.messageId), item => ({ text: item.text + text(event.delta) }));
const close =
  (kind: "text" | "thought"): Handler =>
  (chat, event) =>
    change(chat, kind, text(event.messageId), () => ({ done: true }));

const handlers: Record<string, Handler> = {
  RUN_STARTED: (chat, event, now) => {
    const id = text(event.runId);
    if (isLive(id)) return chat;
    const own = chat.run?.id === id ? chat.run : null;
    const begun: Chat = {
      ...chat,
      run: { id, phase: "running", since: now, question: own?.question ?? null },
      waiting: null,
      usage: null,
    };
    return change(begun, "user", own?.question?.id ?? "", () => ({ waiting: false }));
  },
  RUN_FINISHED: runFinished,
  RUN_ERROR: runFailed,
  TEXT_MESSAGE_START: begin("text"),
  TEXT_MESSAGE_CONTENT: grow("text"),
  TEXT_MESSAGE_END: close("text"),
  REASONING_MESSAGE_START: begin("thought"),
  REASONING_MESSAGE_CONTENT: grow("thought"),
  REASONING_MESSAGE_END: close("thought"),
  TOOL_CALL_START: (chat, event) =>
    add({ ...chat, waiting: null }, newCall(text(event.toolCallId), text(event.toolCallName), true)),
  TOOL_CALL_ARGS: (chat, event) =>
    change(chat, "call", text(event.toolCallId), call => ({ args: call.args + text(event.delta) })),
  TOOL_CALL_END: (chat, event) => change(chat, "call", text(event.toolCallId), () => ({ state: "waiting" })),
  TOOL_CALL_RESULT: (chat, event) =>
    change(chat, "call", text(event.toolCallId), call => ({ ...withResult(call, event), fresh: true })),
  STATE_SNAPSHOT: (chat, event) => {
    const state = fields(event.snapshot);
    return { ...chat, model: readModel(state.model) ?? chat.model, threads: readThreads(state.threads) };
  },
  MESSAGES_SNAPSHOT: snapshot,
  CUSTOM: custom,
};

// now: the page's clock. An event of a type that is not known is let go, as AG-UI asks.
export function apply(chat: Chat, event: Fields, now: number): Chat {
  const type = text(event.type);
  const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
  return handler ? handler(chat, event, now) : chat;
}

// ---- what the page does itself ----

export function asked(chat: Chat, id: string, words: string): Chat {
  return { ...chat, items: [...chat.items, { kind: "user", id, text: words, waiting: true }] };
}

export function sending(chat: Chat, runId: string, question: Asked | null, now: number): Chat {
  return { ...chat, run: { id: runId, phase: "sending", since: now, question } };
}

export function stopping(chat: Chat): Chat {
  return chat.run ? { ...chat, run: { ...chat.run, phase: "stopping" } } : chat;
}

// The answers are on their way: what was asked is no longer open.
export function answered(chat: Chat, answers: Map<string, boolean>): Chat {
  let next = chat;
  for (const one of chat.interrupts)
    next = change(next, "call", one.callId ?? "", () => ({ answer: answers.get(one.id) ? "approved" : "declined" }));
  return { ...next, interrupts: [] };
}

// The connection is gone. A run that the server had taken up has ended with it; a question that it had not is kept.
export function lost(chat: Chat): Chat {
  const unsure = { ...chat, greeted: false };
  if (!chat.run) return unsure;
  if (chat.run.phase === "sending") return { ...unsure, run: null };
  return end(
    unsure,
    chat.run.id,
    "lost",
    "The connection was lost while this was being answered. What had come is kept; what ran was stopped.",
  );
}

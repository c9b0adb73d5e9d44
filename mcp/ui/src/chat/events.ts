// SPDX-License-Identifier: GPL-3.0-or-later
// AG-UI's events become what the chat shows. Pure: a chat and an event make the next chat.
import { newCall, withResult } from "./call_item";
import { count, fields, readInterrupts, readModel, readThreads, readUsage, text, type Fields } from "./frame";
import { snapshot } from "./history";
import { add, append, begins, change, newestQuestion, note, passed, replace, toneOf } from "./items";
import { addOutput } from "./output";
import { readTask } from "./task";
import { addUsage, costOf } from "./usage";
import type { Asked, Chat, EndItem, Ending, Item } from "./view";

const isLive = (runId: string) => runId.startsWith("live-"); // a run of the server's own: news, no answer

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

const waitsFor = (chat: Pick<Chat, "interrupts">) => new Set(chat.interrupts.map(one => one.toolCallId ?? ""));

const isUnsent = (item: Item) => item.kind === "user" && item.waiting;

function end(chat: Chat, runId: string, ending: Ending, words: string | null): Chat {
  const usage = costOf(addUsage(chat.carried, chat.usage), ending);
  const question = chat.run?.question ?? newestQuestion(chat.items.filter(one => !isUnsent(one)));
  const item: EndItem = { kind: "end", id: runId, ending, text: words, usage, question, past: false };
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
    const known = chat.run ? chat : waitsAgain({ ...chat, interrupts });
    return { ...known, items: reopen(known), greeted: true };
  }
  const next = { ...chat, interrupts };
  if (outcome.type === "cancelled") return end(next, runId, "stopped", null);
  return end(next, runId, interrupts.length > 0 ? "interrupted" : "done", null);
}

// The history holds what an open question has cost so far. It has not ended: the run that the answer begins adds to it.
function waitsAgain(chat: Chat): Chat {
  const item = chat.items.findLast(one => one.kind === "end" || begins(one));
  if (chat.interrupts.length === 0 || item?.kind !== "end" || item.ending !== "done") return chat;
  return { ...chat, items: replace(chat.items, item, { ...item, ending: "interrupted" }), carried: item.usage };
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
  // A refused question is no longer being sent; the reason follows it.
  if (chat.run) return end(change(chat, "user", chat.run.question?.id ?? "", () => ({ waiting: false })), chat.run.id, "failed", words);
  return { ...note(chat, "error", words), greeted: true }; // also if the greeting failed: a question may still be asked
}

// ---- what AG-UI has no event for ----

function custom(chat: Chat, event: Fields, now: number): Chat {
  const value = fields(event.value);
  const id = text(value.toolCallId);
  switch (event.name) {
    case "lectern.started":
      return change(chat, "call", id, () => ({ state: "running", startedAt: now }));
    case "lectern.progress":
      return change(chat, "call", id, () => ({ stands: text(value.message) }));
    case "lectern.output":
      return change(chat, "call", id, call => ({ output: addOutput(call.output, text(value.text)) }));
    case "lectern.usage":
      return { ...chat, usage: readUsage(value) };
    case "lectern.task": {
      const task = readTask(value);
      return add(chat, { kind: "task", id: task.id, task });
    }
    case "lectern.waiting":
      return {
        ...chat,
        waiting: { attempt: count(value.attempt), until: now + count(value.milliseconds), why: text(value.why) },
      };
    case "lectern.again":
      return add({ ...chat, items: passed(chat.items) }, { kind: "note", id: text(value.id), tone: "again", text: text(value.message) });
    case "lectern.limit":
      return note(chat, toneOf(value.limit), text(value.message));
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
      run: { id, phase: "running", since: now, question: own?.question ?? null, step: "" },
      waiting: null,
      usage: null,
    };
    return change(begun, "user", own?.question?.id ?? "", () => ({ waiting: false }));
  },
  RUN_FINISHED: runFinished,
  RUN_ERROR: runFailed,
  STEP_STARTED: (chat, event) => (chat.run ? { ...chat, run: { ...chat.run, step: text(event.stepName) } } : chat),
  TEXT_MESSAGE_START: begin("text"),
  TEXT_MESSAGE_CONTENT: grow("text"),
  TEXT_MESSAGE_END: close("text"),
  REASONING_MESSAGE_START: begin("thought"),
  REASONING_MESSAGE_CONTENT: grow("thought"),
  REASONING_MESSAGE_END: close("thought"),
  TOOL_CALL_START: (chat, event) =>
    add({ ...chat, waiting: null }, newCall(text(event.toolCallId), text(event.toolCallName), event.metadata)),
  TOOL_CALL_ARGS: (chat, event) =>
    change(chat, "call", text(event.toolCallId), call => ({ args: call.args + text(event.delta) })),
  TOOL_CALL_END: (chat, event) => change(chat, "call", text(event.toolCallId), () => ({ state: "waiting" })),
  TOOL_CALL_RESULT: (chat, event) =>
    change(chat, "call", text(event.toolCallId), call => withResult(call, event)),
  STATE_SNAPSHOT: (chat, event) => {
    const state = fields(event.snapshot);
    return { ...chat, model: readModel(state.model) ?? chat.model, threads: readThreads(state.threads), solve: state.solve === true };
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
  const again = question !== null && chat.items.some(item => item.kind === "end" && item.question?.id === question.id);
  return { ...chat, items: again ? passed(chat.items) : chat.items, run: { id: runId, phase: "sending", since: now, question, step: "" } };
}

export function stopping(chat: Chat): Chat {
  return chat.run ? { ...chat, run: { ...chat.run, phase: "stopping" } } : chat;
}

// The answers are being sent: their approvals are no longer open.
export function answered(chat: Chat, answers: Map<string, boolean>): Chat {
  let next = chat;
  for (const one of chat.interrupts)
    next = change(next, "call", one.toolCallId ?? "", () => ({ answer: answers.get(one.id) ? "approved" : "declined" }));
  return { ...next, interrupts: [] };
}

// The connection is lost. A run that the server had accepted has ended with it; a question that it had not accepted is kept.
export function lost(chat: Chat): Chat {
  const unsure = { ...chat, greeted: false };
  if (!chat.run) return unsure;
  if (chat.run.phase === "sending") return { ...unsure, run: null };
  return end(
    unsure,
    chat.run.id,
    "lost",
    "The connection was lost during this answer. What arrived is kept; running calls were stopped.",
  );
}

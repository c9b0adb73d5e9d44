// SPDX-License-Identifier: GPL-3.0-or-later
// The conversation of this page: the chat as a signal, the actions of the editor, and what is stored until the server has it.
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import { wantRenderer } from "../base/markdown_later";
import { connection, editor, isOwn, landed, lit, nodes, nodesById, openNode, region, session } from "../base/state";
import type { Change } from "../base/types";
import { answered, apply, asked, lost, sending, stopping } from "./events";
import { fields, text, textOrNull, type Fields } from "./frame";
import { newestQuestion } from "./items";
import { mentioned, nodeNames } from "./mentions";
import { newId, runInput, stopFrame, type Answer, type Approvals, type RunInput } from "./run_input";
import { emptyChat, type Asked, type Chat } from "./view";
import { createWire, type Socket } from "./wire";

export const chat = signal<Chat>(emptyChat);
// Parts of it: who reads one of them alone is drawn again when that one changes.
export const items = computed(() => chat.value.items);
export const run = computed(() => chat.value.run);
export const interrupts = computed(() => chat.value.interrupts);
export const model = computed(() => chat.value.model);
export const threads = computed(() => chat.value.threads);
export const greeted = computed(() => chat.value.greeted);
export const waiting = computed(() => chat.value.waiting);

export const thread = signal("");
export const nextTry = signal<number | null>(null);
export const names = computed(() => nodeNames(nodes.value));
// Rises when the editor sends something: the view then goes to the end.
export const spoken = signal(0);

const read = (key: string) => localStorage.getItem(key);
export const approvals = signal<Approvals>(read("lectern.approvals") === "every" ? "every" : "destructive");
effect(() => localStorage.setItem("lectern.approvals", approvals.value));

// Whether the roles answer: as the editor chose, else as the server has it.
const chosen = signal(read("lectern.solve"));
export const solve = computed(() => (chosen.value === null ? chat.value.solve : chosen.value === "on"));
export function chooseSolve(on: boolean): void {
  chosen.value = on ? "on" : "off";
  localStorage.setItem("lectern.solve", chosen.value);
}
const how = () => ({ approvals: approvals.value, solve: solve.value });

// The text in the composer, which survives a reload.
export const DRAFT = "lectern.draft";
export const draft = signal(sessionStorage.getItem(DRAFT) ?? "");
const addToDraft = (words: string[]) => {
  draft.value = [draft.value, ...words].filter(one => one !== "").join("\n");
};

// ---- what is on its way up ----

// Inputs in their order: the first is being sent or will be as soon as the server listens and no run is on.
let outbox: RunInput[] = [];
// For runs that repeat a question: how often it had been repeated before. When that increases, the server has accepted the run.
const repeats = new Map<string, number>();
const timesAgain = () => chat.value.items.filter(item => item.kind === "note" && item.tone === "again").length;

function stillWanted(input: RunInput): boolean {
  if (input.resume) {
    const open = new Set(chat.value.interrupts.map(one => one.id));
    return input.resume.every(one => open.has(one.interruptId));
  }
  const before = repeats.get(input.runId);
  if (before !== undefined) return before === timesAgain() && newestQuestion(chat.value.items)?.id === input.messages[0]?.id;
  // A question that the history has was taken up before the connection was lost.
  return input.messages.every(message =>
    chat.value.items.some(item => item.kind === "user" && item.id === message.id && item.waiting),
  );
}

function pump(): void {
  if (connection.value !== "open" || !chat.value.greeted || chat.value.run) return;
  outbox = outbox.filter(stillWanted);
  const input = outbox[0];
  if (!input || !wire.send(input)) return;
  let next = chat.value;
  const answers = new Map((input.resume ?? []).map(one => [one.interruptId, one.payload.approved]));
  if (next.interrupts.length > 0) next = answered(next, answers); // a question instead of an answer declines
  const [question] = input.messages;
  chat.value = sending(next, input.runId, question ? { id: question.id, text: question.content } : null, Date.now());
}

// ---- input from the server ----

let serial = 0;
function hearOfChange(value: Fields): void {
  const change: Change = {
    target: (text(value.target) || "session") as Change["target"],
    node_id: textOrNull(value.node_id),
    who: text(value.who),
  };
  landed.value = { change, own: isOwn(change.who), serial: ++serial };
}

function lightUp(): void {
  const all = chat.value.items;
  const question = all.findLastIndex(item => item.kind === "user");
  const texts = all.slice(question + 1).flatMap(item => (item.kind === "text" ? [item.text] : []));
  const found = mentioned(texts, names.value);
  if (found.length > 0) lit.value = { why: "answer", nodes: found };
  else if (lit.value?.why === "answer") lit.value = null;
}

let arrived: Fields[] = [];
let flushing: number | ReturnType<typeof setTimeout> | null = null;

// Handles all frames since the last animation frame at once. Changes are reported one by one, because each counts.
function flush(): void {
  flushing = null;
  const frames = arrived;
  arrived = [];
  const before = chat.value;
  let next = before;
  const now = Date.now();
  for (const frame of frames) {
    if (frame.type === "RUN_STARTED") outbox = outbox.filter(input => input.runId !== frame.runId);
    if (frame.type === "RUN_ERROR" && next.run?.phase === "sending") {
      const refused = next.run.id;
      outbox = outbox.filter(input => input.runId !== refused);
    }
    next = apply(next, frame, now);
  }
  chat.value = next;
  for (const frame of frames) if (frame.type === "CUSTOM" && frame.name === "lectern.change") hearOfChange(fields(frame.value));
  if (before.run && !next.run) lightUp();
  pump();
}

function receive(frame: Fields): void {
  arrived.push(frame);
  if (flushing !== null) return;
  // A page in the background draws no pictures, but hears.
  flushing = document.hidden ? setTimeout(flush, 100) : requestAnimationFrame(flush);
}

const wire = createWire(
  {
    onOpen: () =>
      batch(() => {
        connection.value = "open";
        nextTry.value = null;
      }),
    onFrame: receive,
    onLost: at => {
      flush();
      batch(() => {
        connection.value = "lost";
        nextTry.value = at;
        chat.value = lost(chat.value);
      });
    },
  },
  url => new WebSocket(url) as unknown as Socket,
);

export const retryNow = () => wire.retryNow();
addEventListener("online", retryNow);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  retryNow();
  if (arrived.length > 0) flush();
});

// ---- which conversation ----

const kept = (sid: string) => `lectern.thread.${sid}`;

// Connects to another conversation, or to the same one with another name; then nothing of it is dropped.
function connect(sid: string, id: string): void {
  const query = new URLSearchParams({ session_id: sid, thread_id: id, editor: editor.peek() });
  const address = new URL(`chat?${query}`, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const same = id === thread.peek();
  if (same) flush();
  else {
    // Unsent questions belong to the other conversation: returns them to the composer, to be sent here or not at all.
    addToDraft(outbox.filter(input => input.runId !== chat.peek().run?.id).flatMap(input => input.messages.map(message => message.content)));
    outbox = [];
  }
  arrived = [];
  batch(() => {
    thread.value = id;
    connection.value = "connecting";
    chat.value = same ? lost(chat.peek()) : { ...emptyChat, model: chat.peek().model, solve: chat.peek().solve, threads: chat.peek().threads };
  });
  localStorage.setItem(kept(sid), id);
  wire.open(address.href);
}

export function openThread(id: string): void {
  const sid = session.peek()?.session_id;
  if (sid && id !== thread.peek()) connect(sid, id);
}
export const newThread = () => openThread(newId("thread"));

// Follows the session that is open, for as long as the region is there.
export function startConversation(): () => void {
  const sid = computed(() => session.value?.session_id ?? null);
  const stop = effect(() => {
    const id = sid.value;
    const name = editor.value;
    untracked(() => {
      if (id !== null && name !== "") connect(id, read(kept(id)) ?? newId("thread"));
      else wire.close();
    });
  });
  return () => {
    stop();
    wire.close();
  };
}

// ---- what the editor does ----

// For a button that disappears when it is used. Does not open a phone's keyboard.
export function focusChat(): void {
  const place = matchMedia("(pointer: coarse)").matches ? ".chat-log" : ".chat-box textarea";
  document.querySelector<HTMLElement>(place)?.focus();
}

const where = () => ({
  nodeId: openNode.value,
  nodeTitle: (openNode.value && nodesById.value.get(openNode.value)?.title) || null,
  screen: region.value,
});

export function ask(words: string): void {
  wantRenderer(); // the answer will need it
  const id = newId("msg");
  outbox.push(runInput(thread.value, how(), where(), { id, text: words }));
  chat.value = asked(chat.value, id, words);
  spoken.value++;
  pump();
}

// Asks the newest question again in its place; an older one is repeated after the others.
export function askAgain(question: Asked): void {
  if (newestQuestion(chat.value.items)?.id !== question.id) {
    ask(question.text);
    return;
  }
  const input = runInput(thread.value, how(), where(), question);
  repeats.set(input.runId, timesAgain());
  outbox.push(input);
  spoken.value++;
  pump();
}

export function answer(answers: Answer[]): void {
  outbox.unshift(runInput(thread.value, how(), where(), answers));
  spoken.value++;
  pump();
}

export function stop(): void {
  const on = chat.value.run;
  if (!on || on.phase === "stopping") return;
  if (wire.send(stopFrame(on.id))) chat.value = stopping(chat.value);
}

// Returns an unsent question to the composer.
export function takeBack(id: string): void {
  const at = outbox.findIndex(input => input.messages[0]?.id === id);
  const item = chat.value.items.find(one => one.kind === "user" && one.id === id);
  if (at < 0 || item?.kind !== "user" || chat.value.run?.id === outbox[at]?.runId) return;
  outbox.splice(at, 1);
  chat.value = { ...chat.value, items: chat.value.items.filter(one => one !== item) };
  addToDraft([item.text]);
}

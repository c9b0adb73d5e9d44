// SPDX-License-Identifier: GPL-3.0-or-later
// What the chat shows, as data: items in their order. An item is replaced when it changes and kept when it does not, so that
// what is finished is never drawn again.

export interface Usage {
  inputTokens: number; // cached ones included
  cachedInputTokens: number;
  outputTokens: number;
  requests: number;
  wholeCurriculumTokens: number; // what reading all of it would have taken, about; 0: unknown
}

export interface Picture {
  mime: string;
  base64: string;
}

// writing: its arguments still come; waiting: for its turn or an answer; stopped: it was not done, or not to its end.
export type CallState = "writing" | "waiting" | "running" | "done" | "failed" | "declined" | "stopped";

export interface UserItem {
  kind: "user";
  id: string;
  text: string;
  waiting: boolean;
}
export interface TextItem {
  kind: "text";
  id: string;
  text: string;
  done: boolean;
  cut: boolean;
}
export interface ThoughtItem {
  kind: "thought";
  id: string;
  text: string;
  done: boolean;
}
export interface CallItem {
  kind: "call";
  id: string;
  name: string;
  title: string; // a template that the arguments fill (tool_title.ts)
  icon: string;
  args: string; // JSON, as far as it has come
  state: CallState;
  changeSet: string | null; // of an edit that was made: what undoes it
  startedAt: number | null; // by the page's clock
  milliseconds: number | null;
  stands: string; // where it is while it works, in words
  output: string; // of a running analysis
  result: string | null;
  pictures: Picture[];
  category: string | null; // of a failure
  repair: number; // which attempt at code that failed before; 0: none
  repairsMax: number;
  answer: "approved" | "declined" | null; // what the editor said to its approval
}
export interface NoteItem {
  kind: "note";
  id: string;
  tone: "info" | "error" | "again"; // again: from here on the question before it is answered anew
  text: string;
}
// How a run ended. interrupted: it goes on with the editor's answer.
export type Ending = "done" | "stopped" | "failed" | "interrupted" | "lost";
export interface EndItem {
  kind: "end";
  id: string; // the run's
  ending: Ending;
  text: string | null;
  usage: Usage | null;
  question: Asked | null; // what to ask again, where that makes sense
  past: boolean; // it was asked again since
}
export type Item = UserItem | TextItem | ThoughtItem | CallItem | NoteItem | EndItem;

export interface Change {
  node_id: string | null;
  title: string | null;
  what: string;
  before: string | null;
  after: string | null;
}
export interface Interrupt {
  id: string;
  callId: string | null;
  message: string;
  tool: string | null;
  attempt: number;
  changes: Change[];
  more: number;
  effect: string | null;
}

export interface ThreadInfo {
  thread_id: string;
  title: string;
  updated_at: string;
}
export interface ModelInfo {
  name: string;
  ready: boolean;
  advice: string;
}

// sending: the question is on its way, the server has not taken it up yet.
export interface Asked {
  id: string;
  text: string;
}
export interface Run {
  id: string;
  phase: "sending" | "running" | "stopping";
  since: number;
  question: Asked | null;
}
// The model's service is asked again: until when, by the page's clock.
export interface Waiting {
  attempt: number;
  until: number;
  why: string;
}

export interface Chat {
  items: Item[];
  run: Run | null;
  waiting: Waiting | null;
  interrupts: Interrupt[];
  usage: Usage | null; // of the run under way
  carried: Usage | null; // of runs before it that belong to the same question
  model: ModelInfo | null;
  threads: ThreadInfo[];
  greeted: boolean; // the server has said what it has since the connection stands
  notes: number; // ever made: their ids
}

export const emptyChat: Chat = {
  items: [],
  run: null,
  waiting: null,
  interrupts: [],
  usage: null,
  carried: null,
  model: null,
  threads: [],
  greeted: false,
  notes: 0,
};

export const keyOf = (item: Item) => `${item.kind}:${item.id}`;

// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of the chat as data: items in order. Only a changed item is replaced, so that finished ones are not drawn again.
import type { Interrupt, ModelInfo, Picture, ThreadInfo, Usage } from "./frame";
import type { Task } from "./task";

// writing: its arguments are still arriving; waiting: for its turn or an answer; stopped: not executed, or not completely.
type CallState = "writing" | "waiting" | "running" | "done" | "failed" | "declined" | "stopped";

interface ItemOf<Kind extends string> {
  kind: Kind;
  id: string; // of an end: the run's
}
export interface UserItem extends ItemOf<"user"> {
  text: string;
  waiting: boolean;
}
interface TextItem extends ItemOf<"text"> {
  text: string;
  done: boolean;
  cut: boolean;
}
export interface ThoughtItem extends ItemOf<"thought"> {
  text: string;
  done: boolean;
}
export interface CallItem extends ItemOf<"call"> {
  name: string;
  title: string; // a template that the arguments fill (tool_title.ts)
  icon: string;
  args: string; // JSON that has arrived
  state: CallState;
  changeSet: string | null; // of an edit that was made: what undoes it
  startedAt: number | null; // by the page's clock
  milliseconds: number | null;
  stands: string; // its state while it runs, in words
  output: string; // of a running analysis
  result: string | null;
  pictures: Picture[];
  category: string | null; // of a failure
  repair: number; // which attempt at code that failed before; 0: none
  repairsMax: number;
  answer: "approved" | "declined" | null; // what the editor said to its approval
}
export interface NoteItem extends ItemOf<"note"> {
  tone: "info" | "partial" | "error" | "again"; // again: from here on the question before it is answered again
  text: string;
}
// How the roles answered; its id is that of the answer.
export interface TaskItem extends ItemOf<"task"> {
  task: Task;
}
// How a run ended. interrupted: it goes on with the editor's answer.
export type Ending = "done" | "stopped" | "failed" | "interrupted" | "lost";
export interface EndItem extends ItemOf<"end"> {
  ending: Ending;
  text: string | null;
  usage: Usage | null;
  question: Asked | null; // what to ask again, if that makes sense
  past: boolean; // it was asked again since then
}
export type Item = UserItem | TextItem | ThoughtItem | CallItem | NoteItem | TaskItem | EndItem;

// sending: the question is on its way, the server has not taken it up yet.
export interface Asked {
  id: string;
  text: string;
}
interface Run {
  id: string;
  phase: "sending" | "running" | "stopping";
  since: number;
  question: Asked | null;
  step: string; // the name of the newest one of the server; "": none yet
}
// The request to the model's service will be repeated: at this time on the page's clock.
interface Waiting {
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
  solve: boolean; // the server's default: whether the roles answer
  threads: ThreadInfo[];
  greeted: boolean; // the server has sent its state on this connection
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
  solve: false,
  threads: [],
  greeted: false,
  notes: 0,
};

export const keyOf = (item: Item) => `${item.kind}:${item.id}`;

// SPDX-License-Identifier: GPL-3.0-or-later
// How the roles solved a question: the entries of a trace (mcp/agent/solve.h) as rows and attempts. Pure.
import { count, fields, list, text, textOrNull, type Fields } from "./frame";

export interface Task {
  id: string; // of the message with the answer
  kept: string; // id of the task in the store
  status: string;
  entries: Fields[];
  cut: boolean;
}

export const readTask = (value: unknown): Task => {
  const given = fields(value);
  return { id: text(given.id), kept: text(given.task_id), status: text(given.status), entries: list(given.entries).map(fields), cut: given.cut === true };
};

// One step: a request to a model, something that a rule did, or a run of the program.
export interface Step {
  role: string;
  by: string; // the model, "rule" or "sandbox"
  attempt: number; // of the program; 0: none
  input: number; // tokens, with those of the cache
  output: number;
  cost: number | null;
  seconds: number;
  failed: string | null; // why it brought nothing
}

const amount = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0);

const requestFaults: Record<string, string> = {
  fault: "did not fit, was asked for again",
  cut: "was cut, was asked for again",
  refusal: "the model declined",
};

function request(entry: Fields, attempt: number): Step {
  const usage = fields(entry.usage);
  const role = text(entry.role);
  const outcome = text(entry.outcome);
  return {
    role,
    by: text(entry.model),
    attempt: role === "coder" || role === "debugger" ? attempt : 0,
    input: count(usage.input) + count(usage.cache_read) + count(usage.cache_write),
    output: count(usage.output),
    cost: typeof entry.cost === "number" ? amount(entry.cost) : null,
    seconds: amount(entry.seconds),
    failed: outcome === "message" ? null : (requestFaults[outcome] ?? outcome),
  };
}

const without = { input: 0, output: 0, cost: null, failed: null };

// The error of an execution, on one line.
const errorOf = (execution: Fields): string | null => {
  if (execution.ok === true) return null;
  const context = fields(fields(execution.error).context);
  const words = text(context.message) || text(fields(execution.error).message) || "failed";
  const type = text(context.errorType);
  return type === "" || words.startsWith(type) ? words : `${type}: ${words}`;
};

export function stepsOf(entries: Fields[]): Step[] {
  const steps: Step[] = [];
  let attempt = 1;
  for (const entry of entries) {
    const message = fields(entry.message);
    if (entry.kind === "request") steps.push(request(entry, attempt));
    else if (entry.kind === "execution") {
      const query = count(message.attempt) === 0;
      steps.push({ ...without, role: query ? "query" : "executor", by: query ? "graph" : "sandbox", attempt: count(message.attempt),
        seconds: amount(message.seconds), failed: errorOf(message) });
      attempt = count(message.attempt) + 1;
    } else if (entry.by === "rule") {
      if (entry.kind === "plan") steps.push({ ...without, role: "planner", by: "rule", attempt: 0, seconds: 0 });
      if (entry.kind === "diagnosis") steps.push({ ...without, role: "debugger", by: "rule", attempt, seconds: 0 });
    }
  }
  return steps;
}

export interface Attempt {
  number: number;
  source: string;
  error: string | null; // null: it succeeded, or did not end
  // The cause of the failure before it, and the change; null: it is the first.
  diagnosis: { cause: string; change: string; by: string } | null;
}

export function attemptsOf(entries: Fields[]): Attempt[] {
  const attempts: Attempt[] = [];
  let diagnosis: Attempt["diagnosis"] = null;
  for (const entry of entries) {
    const message = fields(entry.message);
    const last = attempts[attempts.length - 1];
    if (entry.kind === "diagnosis") diagnosis = { cause: text(message.cause), change: text(message.change), by: text(message.by) };
    else if (entry.kind === "code") attempts.push({ number: count(message.attempt), source: text(message.source), error: null, diagnosis });
    else if (entry.kind === "execution" && last?.number === count(message.attempt)) last.error = errorOf(message);
  }
  return attempts;
}

// Those that lead from one attempt to a later one.
export const diagnosesBetween = (attempts: Attempt[], from: number, to: number) =>
  attempts.flatMap(one => (one.number > from && one.number <= to && one.diagnosis ? [{ ...one.diagnosis, attempt: one.number }] : []));

// "USD", or null without prices.
export function currencyOf(entries: Fields[]): string | null {
  const answer = fields(entries.findLast(entry => entry.kind === "answer")?.message);
  return textOrNull(fields(answer.cost).currency);
}

const doing: Record<string, string> = {
  reader: "Reading",
  planner: "Planning",
  coder: "Writing a program",
  executor: "Running the program",
  debugger: "Repairing the program",
  answer: "Writing the answer",
  query: "Asking the graph",
  proposal: "Previewing the change",
};

// The name of a step of the roles ("executor: attempt 2 of 3") in words; "" for one of the model's turns.
export function stepWords(name: string): string {
  const [role = "", ...rest] = name.split(": ");
  const words = Object.hasOwn(doing, role) ? (doing[role] ?? "") : "";
  return words !== "" && rest.length > 0 && role !== "answer" ? `${words}, ${rest.join(": ")}` : words;
}

// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { apply } from "./events";
import type { Fields } from "./frame";
import { attemptsOf, currencyOf, diagnosesBetween, readTask, stepsOf, stepWords } from "./task";
import { emptyChat, type TaskItem } from "./view";

const request = (role: string, outcome = "message"): Fields => ({ kind: "request", role, model: "m", outcome, seconds: 0.5,
  usage: { input: 10, output: 2, cache_read: 5, cache_write: 1 }, cost: 0.25 });
const code = (attempt: number): Fields => ({ kind: "code", message: { source: `print(${attempt})`, attempt, hash: "h" } });
const execution = (attempt: number, ok: boolean): Fields => ({ kind: "execution", message: { ok, attempt, seconds: 1.5,
  error: ok ? null : { errorCategory: "runtime", context: { errorType: "NameError", message: "no x" } } } });
const diagnosis = (by: string, change: string): Fields => ({ kind: "diagnosis", by, message: { cause: "why", change, by, source: "s" } });
const repaired: Fields[] = [
  { kind: "task", message: {} }, request("planner", "fault"), request("planner"), { kind: "plan", by: "model", message: {} },
  request("coder"), code(1), execution(1, false), diagnosis("rule", "first"), code(2), execution(2, false),
  request("debugger"), diagnosis("model", "second"), code(3), execution(3, true), request("answer"),
  { kind: "answer", message: { status: "solved", cost: { amount: 1, currency: "USD" } } },
];

test("each request, run and rule is a step, with the attempt at the program", () => {
  const steps = stepsOf(repaired);
  assert.deepEqual(steps.map(step => [step.role, step.by, step.attempt, step.failed]), [
    ["planner", "m", 0, "did not fit, was asked for again"], ["planner", "m", 0, null], ["coder", "m", 1, null],
    ["executor", "sandbox", 1, "NameError: no x"], ["debugger", "rule", 2, null], ["executor", "sandbox", 2, "NameError: no x"],
    ["debugger", "m", 3, null], ["executor", "sandbox", 3, null], ["answer", "m", 0, null]]);
  assert.deepEqual([steps[1]?.input, steps[1]?.output, steps[1]?.cost, steps[3]?.seconds, steps[3]?.cost], [16, 2, 0.25, 1.5, null]);
  assert.equal(currencyOf(repaired), "USD");
});

test("a query has no program", () => {
  const entries: Fields[] = [{ kind: "plan", by: "rule", message: {} }, { kind: "execution", message: { ok: true, attempt: 0 } }];
  assert.deepEqual(stepsOf(entries).map(step => [step.role, step.by]), [["planner", "rule"], ["query", "graph"]]);
  assert.deepEqual(attemptsOf(entries), []);
  assert.equal(currencyOf(entries), null);
});

test("between two attempts are the diagnoses of all that were changed", () => {
  const attempts = attemptsOf(repaired);
  assert.deepEqual(attempts.map(one => [one.number, one.source, one.error]),
    [[1, "print(1)", "NameError: no x"], [2, "print(2)", "NameError: no x"], [3, "print(3)", null]]);
  assert.deepEqual(diagnosesBetween(attempts, 1, 3).map(one => [one.attempt, one.change, one.by]), [[2, "first", "rule"], [3, "second", "model"]]);
  assert.deepEqual(diagnosesBetween(attempts, 2, 3).map(one => one.attempt), [3]);
});

test("the same task in a run and in the history is one item", () => {
  const value = { id: "m", status: "solved", entries: repaired, cut: false };
  const live = apply(emptyChat, { type: "CUSTOM", name: "lectern.task", value }, 0);
  assert.deepEqual((live.items[0] as TaskItem).task, readTask(value));
  const kept = apply(live, { type: "MESSAGES_SNAPSHOT", messages: [
    { id: "q", role: "user", content: "?" }, { id: "m", role: "assistant", content: "40" },
    { id: "m-task", role: "activity", activityType: "lectern.task", content: value }] }, 0);
  assert.deepEqual(kept.items.map(item => item.kind), ["user", "text", "task"]);
  assert.equal(kept.items[2], live.items[0]);
});

test("the step under way is said in words, and a turn of the model is not", () => {
  const begun = [{ type: "RUN_STARTED", runId: "r" }, { type: "STEP_STARTED", stepName: "executor: attempt 2 of 3" }]
    .reduce((chat, event) => apply(chat, event, 0), emptyChat);
  assert.equal(stepWords(begun.run?.step ?? ""), "Running the program, attempt 2 of 3");
  assert.equal(stepWords("turn 3"), "");
  assert.equal(stepWords("constructor"), "");
});

test("anything may be missing", () => {
  assert.deepEqual(readTask(null), { id: "", kept: "", status: "", entries: [], cut: false });
  const odd = readTask({ entries: [null, 5, {}, { kind: "request" }, { kind: "execution" }, { kind: "code" }, { kind: "diagnosis", by: "rule" }] });
  assert.equal(stepsOf(odd.entries).length, 3);
  assert.equal(attemptsOf(odd.entries).length, 1);
});

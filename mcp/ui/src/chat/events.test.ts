// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, apply, asked, lost, sending, stopping } from "./events";
import type { Fields } from "./frame";
import { total } from "./usage";
import { emptyChat, keyOf, type CallItem, type Chat, type EndItem } from "./view";

const play = (chat: Chat, ...events: Fields[]) => events.reduce((now, event) => apply(now, event, 1000), chat);
const kinds = (chat: Chat) => chat.items.map(item => item.kind);
const call = (chat: Chat, id: string) => chat.items.find(item => item.kind === "call" && item.id === id) as CallItem;
const end = (chat: Chat) => chat.items.findLast(item => item.kind === "end") as EndItem;

const ends = (chat: Chat) => chat.items.flatMap(item => (item.kind === "end" ? [[item.ending, item.past, item.question?.id]] : []));

const greeting: Fields[] = [
  { type: "RUN_STARTED", threadId: "t", runId: "live-1" },
  {
    type: "STATE_SNAPSHOT",
    snapshot: { model: { name: "m", ready: true, advice: "" }, threads: [{ thread_id: "t", title: "T", updated_at: "" }] },
  },
  { type: "RUN_FINISHED", threadId: "t", runId: "live-1", outcome: { type: "success" } },
];
const begin: Fields = { type: "RUN_STARTED", threadId: "t", runId: "r1" };
const finish = (outcome?: object): Fields => ({
  type: "RUN_FINISHED",
  threadId: "t",
  runId: "r1",
  ...(outcome ? { outcome } : {}),
});
const words = (id: string, ...deltas: string[]): Fields[] => [
  { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
  ...deltas.map(delta => ({ type: "TEXT_MESSAGE_CONTENT", messageId: id, delta })),
];
const makeCall = (id: string, name: string, args: string): Fields[] => [
  { type: "TOOL_CALL_START", toolCallId: id, toolCallName: name, metadata: { title: "Do {code}", icon: "code" } },
  { type: "TOOL_CALL_ARGS", toolCallId: id, delta: args },
  { type: "TOOL_CALL_END", toolCallId: id },
];
const result = (
  id: string,
  content: unknown,
  metadata: object = { isError: false, category: "none", milliseconds: 12 },
): Fields => ({ type: "TOOL_CALL_RESULT", messageId: `r-${id}`, toolCallId: id, content, metadata });
const interrupt = (id: string, callId: string) => ({
  id,
  reason: "lectern.approval",
  message: "Delete it?",
  toolCallId: callId,
  metadata: { tool: "delete_component", attempt: 2, changes: [], more: 0, effect: "e" },
});

function started(): Chat {
  return play(sending(asked(play(emptyChat, ...greeting), "q1", "Which?"), "r1", { id: "q1", text: "Which?" }, 900), begin);
}

test("the greeting tells the model and the threads and is no answer", () => {
  const chat = play(emptyChat, ...greeting);
  assert(chat.greeted);
  assert.equal(chat.model?.ready, true);
  assert.equal(chat.threads.length, 1);
  assert.deepEqual(chat.items, []);
  assert.equal(chat.run, null);
});

test("a question is sent once the server takes it up, and answered", () => {
  let chat = sending(asked(play(emptyChat, ...greeting), "q1", "Which?"), "r1", { id: "q1", text: "Which?" }, 900);
  assert.equal(chat.items[0]?.kind === "user" && chat.items[0].waiting, true);
  chat = play(chat, begin);
  assert.equal(chat.items[0]?.kind === "user" && chat.items[0].waiting, false);
  chat = play(chat, ...words("m1", "Three ", "nodes"), { type: "TEXT_MESSAGE_END", messageId: "m1" }, finish());
  assert.deepEqual(kinds(chat), ["user", "text", "end"]);
  assert.equal(chat.items[1]?.kind === "text" && chat.items[1].text, "Three nodes");
  assert.equal(end(chat).ending, "done");
  assert.equal(chat.run, null);
});

test("what is finished stays the very same item while more comes", () => {
  let chat = play(
    started(),
    ...words("m1", "One"),
    { type: "TEXT_MESSAGE_END", messageId: "m1" },
    ...makeCall("c1", "execute_code", "{}"),
    result("c1", "3"),
  );
  const before = chat.items.slice();
  chat = play(chat, ...words("m2", "a", "b", "c"), ...makeCall("c2", "query_graph", "{}"));
  before.forEach((item, at) => assert.equal(chat.items[at], item));
});

test("what a call is called comes with it", () => {
  const chat = play(started(), ...makeCall("c1", "execute_code", "{}"));
  assert.deepEqual([call(chat, "c1").title, call(chat, "c1").icon], ["Do {code}", "code"]);
});

test("a call goes from writing to waiting, running and done", () => {
  let chat = play(started(), { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "execute_code" });
  assert.equal(call(chat, "c1").state, "writing");
  chat = play(
    chat,
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"code":' },
    { type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '"1"}' },
    { type: "TOOL_CALL_END", toolCallId: "c1" },
  );
  assert.equal(call(chat, "c1").state, "waiting");
  assert.equal(call(chat, "c1").args, '{"code":"1"}');
  assert.equal(call(chat, "c1").title, "");
  chat = play(
    chat,
    { type: "CUSTOM", name: "lectern.started", value: { toolCallId: "c1" } },
    { type: "CUSTOM", name: "lectern.progress", value: { toolCallId: "c1", message: "waiting for a sandbox: place 2" } },
    { type: "CUSTOM", name: "lectern.output", value: { toolCallId: "c1", text: "so " } },
    { type: "CUSTOM", name: "lectern.output", value: { toolCallId: "c1", text: "far\n" } },
  );
  assert.equal(call(chat, "c1").state, "running");
  assert.equal(call(chat, "c1").startedAt, 1000);
  assert.equal(call(chat, "c1").stands, "waiting for a sandbox: place 2");
  assert.equal(call(chat, "c1").output, "so far\n");
  chat = play(
    chat,
    result("c1", [
      { type: "text", text: "\u001b[31mred\u001b[0m" },
      { type: "image", source: { type: "data", value: "QUJD", mimeType: "image/png" } },
      { type: "image", source: { type: "data", value: "QUJD", mimeType: "text/html" } },
      { type: "image", source: { type: "url", value: "http://elsewhere/x.png" } },
      { type: "image", source: { type: "data", value: '" onerror="x', mimeType: "image/png" } },
    ]),
  );
  assert.equal(call(chat, "c1").state, "done");
  assert.equal(call(chat, "c1").result, "red");
  assert.deepEqual(call(chat, "c1").pictures, [{ mime: "image/png", base64: "QUJD" }]);
  assert.equal(call(chat, "c1").milliseconds, 12);
});

test("a failed call says its category and which repair it was", () => {
  const chat = play(
    started(),
    ...makeCall("c1", "execute_code", "{}"),
    result("c1", "KeyError", { isError: true, category: "runtime", milliseconds: 5, repair: 2, repairsMax: 3 }),
  );
  const made = call(chat, "c1");
  assert.deepEqual([made.state, made.category, made.repair, made.repairsMax], ["failed", "runtime", 2, 3]);
});

test("an interrupt waits, is answered once and goes on", () => {
  let chat = play(
    started(),
    ...makeCall("c1", "delete_component", "{}"),
    { type: "CUSTOM", name: "lectern.usage", value: { inputTokens: 10, outputTokens: 1 } },
    finish({ type: "interrupt", interrupts: [interrupt("i1", "c1")] }),
  );
  assert.equal(chat.interrupts[0]?.metadata.attempt, 2);
  assert.equal(call(chat, "c1").state, "waiting");
  assert.equal(end(chat).ending, "interrupted");
  chat = sending(answered(chat, new Map([["i1", true]])), "r2", null, 1000);
  assert.deepEqual(chat.interrupts, []);
  assert.equal(call(chat, "c1").answer, "approved");
  assert.equal(call(chat, "c1").state, "waiting"); // approved is not done
  chat = play(
    chat,
    { ...begin, runId: "r2" },
    result("c1", "Deleted"),
    { type: "CUSTOM", name: "lectern.usage", value: { inputTokens: 5, outputTokens: 2 } },
    { ...finish(), runId: "r2" },
  );
  assert.equal(call(chat, "c1").state, "done");
  assert.equal(end(chat).usage?.inputTokens, 15); // of the whole question
});

test("a declined call is declined, not failed", () => {
  let chat = play(
    started(),
    ...makeCall("c1", "delete_component", "{}"),
    finish({ type: "interrupt", interrupts: [interrupt("i1", "c1")] }),
  );
  chat = play(
    answered(chat, new Map([["i1", false]])),
    { ...begin, runId: "r2" },
    result("c1", "Declined", { isError: true, category: "validation" }),
  );
  assert.equal(call(chat, "c1").state, "declined");
});

test("news of others say which approvals are open; not while an answer to them is on its way", () => {
  const open = play(
    started(),
    ...makeCall("c1", "delete_component", "{}"),
    finish({ type: "interrupt", interrupts: [interrupt("i1", "c1")] }),
  );
  const news = (outcome: object): Fields[] => [
    { type: "RUN_STARTED", runId: "live-2" },
    { type: "CUSTOM", name: "lectern.change", value: {} },
    { type: "RUN_FINISHED", runId: "live-2", outcome },
  ];
  const still = { type: "interrupt", interrupts: [interrupt("i1", "c1")] };
  assert.equal(play(open, ...news(still)).interrupts.length, 1);
  assert.equal(play(open, ...news({ type: "success" })).interrupts.length, 0);
  assert.equal(play(sending(answered(open, new Map([["i1", true]])), "r2", null, 1000), ...news(still)).interrupts.length, 0);
});

test("a question that waits stays behind what is being answered", () => {
  let chat = asked(asked(play(started(), ...words("m1", "One")), "q2", "Next?"), "q3", "Next?");
  chat = play(
    chat,
    { type: "TEXT_MESSAGE_END", messageId: "m1" },
    ...words("m2", "Two"),
    { type: "TEXT_MESSAGE_END", messageId: "m2" },
    finish(),
  );
  assert.deepEqual(kinds(chat), ["user", "text", "text", "end", "user", "user"]);
  chat = play(sending(chat, "r2", { id: "q2", text: "Next?" }, 1000), { ...begin, runId: "r2" }, ...words("m3", "Three"));
  assert.deepEqual(
    chat.items.slice(4).map(item => item.id),
    ["q2", "m3", "q3"],
  ); // of two that say the same, the one that was sent
});

test("every ending closes what was open", () => {
  for (const [last, ending] of [
    [finish({ type: "cancelled" }), "stopped"],
    [{ type: "RUN_ERROR", message: "The key was refused." }, "failed"],
  ] as const) {
    const chat = play(
      stopping(started()),
      ...words("m1", "half"),
      { type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "x" },
      ...makeCall("c2", "y", "{}"),
      { type: "CUSTOM", name: "lectern.started", value: { toolCallId: "c2" } },
      last,
    );
    assert.equal(end(chat).ending, ending);
    assert.equal(end(chat).question?.text, "Which?");
    assert.equal(call(chat, "c1").state, "stopped");
    assert.equal(call(chat, "c2").state, "stopped");
    assert.equal(
      chat.items.some(item => item.kind === "text" && !item.done),
      false,
    );
    assert.equal(chat.run, null);
  }
});

test("a call that was stopped did not fail, and an edit that was made says what undoes it", () => {
  const chat = play(
    started(),
    ...makeCall("c1", "execute_code", "{}"),
    ...makeCall("c2", "add_component", "{}"),
    ...makeCall("c3", "add_component", "{}"),
    result("c1", "begun", { isError: true, category: "cancelled", milliseconds: 900 }),
    result("c2", "Added.", { isError: false, category: "none", changeSet: "s1", milliseconds: 1 }),
    result("c3", "No such node.", { isError: true, category: "validation", changeSet: "s2", milliseconds: 1 }),
  );
  assert.deepEqual(["c1", "c2", "c3"].map(id => [call(chat, id).state, call(chat, id).changeSet]),
    [["stopped", null], ["done", "s1"], ["failed", null]]);
});

test("a question that failed saved nobody anything", () => {
  const cost = { inputTokens: 10, outputTokens: 1, requests: 4, wholeCurriculumTokens: 90000 };
  const spending = [started(), { type: "CUSTOM", name: "lectern.usage", value: cost }] as const;
  const failed = end(play(...spending, { type: "RUN_ERROR", message: "No result", code: "code_failed" }));
  assert.deepEqual([failed.ending, failed.usage?.inputTokens, failed.usage?.wholeCurriculumTokens], ["failed", 10, 0]);
  const done = end(play(...spending, finish({ type: "success" })));
  assert.deepEqual([done.ending, done.usage?.wholeCurriculumTokens], ["done", 90000]);
  const kept = end(play(emptyChat, { type: "MESSAGES_SNAPSHOT", messages: [
    { id: "q1", role: "user", content: "Which?" },
    { id: "n1", role: "activity", activityType: "lectern.note", content: { kind: "error", text: "No result" } },
    { id: "n2", role: "activity", activityType: "lectern.usage", content: cost },
  ] }));
  assert.deepEqual([kept.ending, kept.usage?.inputTokens, kept.usage?.wholeCurriculumTokens], ["failed", 10, 0]);
});

test("an error while nothing runs is said", () => {
  const chat = play(play(emptyChat, ...greeting), { type: "RUN_ERROR", message: "threadId is needed" });
  assert.deepEqual(kinds(chat), ["note"]);
});

test("a lost connection keeps what came; a question that was not taken up is still to be sent", () => {
  const running = lost(play(started(), ...words("m1", "half")));
  assert.equal(end(running).ending, "lost");
  assert.equal(running.greeted, false);
  assert.equal(
    running.items.some(item => item.kind === "text" && item.text === "half"),
    true,
  );
  const unsent = lost(sending(asked(play(emptyChat, ...greeting), "q1", "Which?"), "r1", { id: "q1", text: "Which?" }, 900));
  assert.equal(unsent.run, null);
  assert.equal(unsent.items[0]?.kind === "user" && unsent.items[0].waiting, true);
});

const history: Fields = {
  type: "MESSAGES_SNAPSHOT",
  messages: [
    { id: "q1", role: "user", content: "Which?" },
    {
      id: "m1",
      role: "assistant",
      content: "I look.",
      toolCalls: [{ id: "c1", type: "function", function: { name: "execute_code", arguments: "{}" }, metadata: { title: "Analysis", icon: "code" } }],
    },
    { id: "r-c1", role: "tool", toolCallId: "c1", content: "3", metadata: { isError: false, milliseconds: 7 } },
    {
      id: "m2",
      role: "assistant",
      content: "Three.",
      toolCalls: [{ id: "c2", type: "function", function: { name: "delete_component", arguments: "{}" } }],
    },
    { id: "n1", role: "activity", activityType: "lectern.note", content: { kind: "limit", text: "A bound was reached." } },
    { id: "n2", role: "activity", activityType: "lectern.note", content: { kind: "error", text: "The service is away." } },
  ],
};

test("a partial answer has its label, in the run and in the history", () => {
  const label = "Partial answer: points are open.";
  const live = play(started(), ...words("m", "Two of three."), { type: "TEXT_MESSAGE_END", messageId: "m" },
    { type: "CUSTOM", name: "lectern.limit", value: { limit: "partial", message: label } }, { ...finish({ type: "success" }), result: { status: "partial" } });
  const later = play(emptyChat, greeting[0] as Fields, greeting[1] as Fields, { type: "MESSAGES_SNAPSHOT", messages: [
    { id: "q", role: "user", content: "Which?" }, { id: "m", role: "assistant", content: "Two of three." },
    { id: "n", role: "activity", activityType: "lectern.note", content: { kind: "partial", text: label } },
  ] }, greeting[2] as Fields);
  for (const chat of [live, later]) {
    const at = chat.items.findIndex(item => item.kind === "note");
    assert.equal(chat.items[at - 1]?.kind, "text");
    const item = chat.items[at];
    assert.deepEqual(item?.kind === "note" && [item.tone, item.text], ["partial", label]);
  }
});

test("the history comes back, and an approval that is open can be answered", () => {
  const chat = play(emptyChat, greeting[0] as Fields, greeting[1] as Fields, history, {
    type: "RUN_FINISHED",
    runId: "live-1",
    outcome: { type: "interrupt", interrupts: [interrupt("i1", "c2")] },
  });
  assert.deepEqual([call(chat, "c1").title, call(chat, "c1").icon, call(chat, "c2").title], ["Analysis", "code", ""]);
  assert.deepEqual(kinds(chat), ["user", "text", "call", "text", "call", "note", "end"]);
  assert.deepEqual([end(chat).ending, end(chat).question?.text], ["failed", "Which?"]);
  assert.equal(call(chat, "c1").state, "done");
  assert.equal(call(chat, "c2").state, "waiting");
  assert.equal(chat.interrupts.length, 1);
});

test("what questions have cost comes back, one sum where an approval lay between", () => {
  const cost = (id: string, outputTokens: number) =>
    ({ id, role: "activity", activityType: "lectern.usage", content: { inputTokens: 10, outputTokens, requests: 1 } });
  const chat = play(emptyChat, ...greeting, { type: "MESSAGES_SNAPSHOT", messages: [
    { id: "q1", role: "user", content: "Delete it" },
    cost("u1", 2),
    { id: "m1", role: "assistant", content: "Done." },
    cost("u2", 3),
    { id: "q2", role: "user", content: "And then?" },
    { id: "n1", role: "activity", activityType: "lectern.note", content: { kind: "error", text: "The service is away." } },
    cost("u3", 4),
  ] });
  assert.deepEqual(kinds(chat), ["user", "text", "end", "user", "end"]);
  const costs = chat.items.filter(item => item.kind === "end");
  assert.deepEqual(costs.map(one => [one.ending, one.usage?.outputTokens, one.usage?.requests, one.question?.text]),
    [["done", 5, 2, "Delete it"], ["failed", 4, 1, "And then?"]]);
});

test("a question that is reloaded while its approval waits counts once", () => {
  const cost = (id: string, outputTokens: number) =>
    ({ id, role: "activity", activityType: "lectern.usage", content: { inputTokens: 10, outputTokens, requests: 1, wholeCurriculumTokens: 1000 } });
  const open = { type: "interrupt", interrupts: [interrupt("i1", "c1")] };
  const reloaded = play(emptyChat, greeting[0] as Fields, greeting[1] as Fields, { type: "MESSAGES_SNAPSHOT", messages: [
    { id: "q0", role: "user", content: "Before" }, { id: "m0", role: "assistant", content: "Yes." }, cost("u0", 1),
    { id: "q1", role: "user", content: "Delete it" },
    { id: "m1", role: "assistant", content: "", toolCalls: [{ id: "c1", type: "function", function: { name: "delete_component", arguments: "{}" } }] },
    cost("u1", 2),
  ] }, { type: "RUN_FINISHED", runId: "live-1", outcome: open });
  assert.deepEqual(ends(reloaded), [["done", false, "q0"], ["interrupted", false, "q1"]]);
  // Told once more what is open, as after a lost connection, it stays as it is.
  const told = play(reloaded, { type: "RUN_FINISHED", runId: "live-2", outcome: open });
  const done = play(sending(answered(told, new Map([["i1", true]])), "r2", null, 2000), { type: "RUN_STARTED", threadId: "t", runId: "r2" },
    result("c1", "Deleted"), { type: "CUSTOM", name: "lectern.usage", value: { inputTokens: 10, outputTokens: 5, requests: 1, wholeCurriculumTokens: 1000 } },
    { type: "RUN_FINISHED", threadId: "t", runId: "r2" });
  const sum = total(done.items);
  assert.deepEqual([sum?.questions, sum?.usage.outputTokens, sum?.usage.wholeCurriculumTokens], [2, 8, 2000]);
  assert.equal(end(done).usage?.outputTokens, 7);
  assert.equal(done.items.filter(item => item.kind === "end" && item.ending !== "interrupted").length, 2, "one line of cost for each question");
});

test("a history that comes again changes nothing that is there, and drops nothing that is unsent", () => {
  let chat = play(
    started(),
    ...words("m1", "I look."),
    { type: "TEXT_MESSAGE_END", messageId: "m1" },
    ...makeCall("c1", "execute_code", "{}"),
    result("c1", "3"),
  );
  chat = asked(lost(chat), "q2", "And then?");
  const kept = new Map(chat.items.map(item => [keyOf(item), item]));
  chat = play(chat, history);
  assert.equal(
    chat.items.find(item => item.kind === "text" && item.id === "m1"),
    kept.get("text:m1"),
  );
  assert.equal(call(chat, "c1"), kept.get("call:c1"));
  assert(chat.items.some(item => item.kind === "user" && item.id === "q2" && item.waiting));
  assert.deepEqual(kinds(chat), ["user", "text", "call", "text", "call", "note", "end", "user"]);
  assert.equal(end(chat).ending, "lost"); // what the page knows of it, once
});

const again: Fields = { type: "CUSTOM", name: "lectern.again", value: { id: "n9", message: "Asked again." } };
const note = (id: string, kind: string, words: string) =>
  ({ id, role: "activity", activityType: "lectern.note", content: { kind, text: words } });

test("a question that is asked again stands once, and what came before stays", () => {
  const question = { id: "q1", text: "Which?" };
  const failed = play(started(), ...words("m1", "half"), { type: "RUN_ERROR", message: "The service is away." });
  assert.deepEqual(ends(failed), [["failed", false, "q1"]]);
  const sent = sending(failed, "r2", question, 2000);
  assert.deepEqual(ends(sent), [["failed", true, "q1"]]); // it is not to be pressed twice
  const done = play(sent, { type: "RUN_STARTED", threadId: "t", runId: "r2" }, again, ...words("m2", "whole"),
    { type: "TEXT_MESSAGE_END", messageId: "m2" }, { type: "RUN_FINISHED", threadId: "t", runId: "r2" });
  const whole = ["user", "text", "end", "note", "text", "end"];
  assert.deepEqual(kinds(done), whole);
  assert.deepEqual(ends(done), [["failed", true, "q1"], ["done", false, "q1"]]);

  const messages: Fields = { type: "MESSAGES_SNAPSHOT", messages: [
    { id: "q1", role: "user", content: "Which?" }, { id: "m1", role: "assistant", content: "half" },
    note("n1", "error", "The service is away."), note("n9", "again", "Asked again."), { id: "m2", role: "assistant", content: "whole" },
    { id: "u2", role: "activity", activityType: "lectern.usage", content: { inputTokens: 1, outputTokens: 2, requests: 1 } },
  ] };
  for (const chat of [play(done, messages), play(lost(done), messages), play(emptyChat, messages)]) {
    assert.deepEqual(kinds(chat), whole);
    assert.deepEqual(ends(chat), [["failed", true, "q1"], ["done", false, "q1"]]);
  }
});

test("a question that the server never took stands once as well", () => {
  const question = { id: "q1", text: "Which?" };
  const before = { type: "MESSAGES_SNAPSHOT", messages: [{ id: "q0", role: "user", content: "First" }] };
  const refused = play(sending(asked(play(emptyChat, ...greeting, before), "q1", "Which?"), "r1", question, 900),
    { type: "RUN_ERROR", message: "Busy." });
  const done = play(sending(refused, "r2", question, 2000), { type: "RUN_STARTED", threadId: "t", runId: "r2" }, ...words("m2", "whole"),
    { type: "RUN_FINISHED", threadId: "t", runId: "r2" });
  assert.deepEqual(kinds(done), ["user", "user", "end", "text", "end"]);
  assert.deepEqual(ends(done), [["failed", true, "q1"], ["done", false, "q1"]]);
  // As long as the server has not got it, its history does not take it away.
  assert.deepEqual(play(asked(refused, "q3", "More?"), before).items.map(keyOf), ["user:q0", "user:q1", "end:r1", "user:q3"]);
});

test("fields of any kind do no harm", () => {
  const odd: unknown[] = [null, undefined, 0, -1, NaN, "", "<img src=x onerror=alert(1)>", [], {}, [null], { text: {} }, true];
  const types = [
    "RUN_STARTED",
    "RUN_FINISHED",
    "RUN_ERROR",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_RESULT",
    "MESSAGES_SNAPSHOT",
    "STATE_SNAPSHOT",
    "CUSTOM",
    "REASONING_MESSAGE_START",
    "constructor",
    "__proto__",
  ];
  let chat = started();
  for (const type of types)
    for (const value of odd)
      chat = apply(
        chat,
        {
          type,
          messageId: value,
          toolCallId: value,
          toolCallName: value,
          delta: value,
          content: value,
          snapshot: value,
          messages: value,
          value,
          outcome: value,
          metadata: value,
          runId: value,
          message: value,
          name: "lectern.limit",
        },
        1000,
      );
  for (const item of chat.items) assert.equal(typeof item.id, "string");
  const state = play(emptyChat, {
    type: "STATE_SNAPSHOT",
    snapshot: { model: { ready: "yes" }, threads: [{}, { thread_id: 7 }, null] },
  });
  assert.equal(state.model, null);
  assert.deepEqual(state.threads, []);
});

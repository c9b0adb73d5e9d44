// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fields } from "./frame";
import { newId, runInput } from "./run_input";
import { createWire, RETRY_FIRST_MS, RETRY_LAST_MS, retryDelay, type Socket } from "./wire";

class Played implements Socket {
  readyState = 0;
  sent: string[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  constructor(readonly url: string) {}
  send(text: string) {
    this.sent.push(text);
  }
  close() {
    this.closed = true;
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  drop() {
    this.readyState = 3;
    this.onclose?.({ code: 1006, reason: "" });
  }
}

function stage() {
  const sockets: Played[] = [];
  const frames: Fields[] = [];
  const lost: number[] = [];
  const wire = createWire({ onOpen: () => {}, onFrame: frame => frames.push(frame), onLost: at => lost.push(at) }, url => {
    const socket = new Played(url);
    sockets.push(socket);
    return socket;
  });
  return { sockets, frames, lost, wire };
}

test("waits longer each time, and never too long", () => {
  assert.equal(retryDelay(0, 0), RETRY_FIRST_MS);
  assert(retryDelay(0, 1) < retryDelay(0, 0));
  for (let attempt = 0; attempt < 2000; attempt++) assert(retryDelay(attempt, 0) <= RETRY_LAST_MS);
});

test("sends only while it is connected, and takes only frames", () => {
  const { sockets, frames, wire } = stage();
  wire.open("a");
  assert.equal(wire.send({ a: 1 }), false);
  sockets[0]?.open();
  assert.equal(wire.send({ a: 1 }), true);
  assert.deepEqual(sockets[0]?.sent, ['{"a":1}']);
  for (const data of ["no json", "[]", "1", '{"type":7}', new ArrayBuffer(1), '{"type":"X"}']) sockets[0]?.onmessage?.({ data });
  assert.deepEqual(frames, [{ type: "X" }]);
  wire.close();
});

test("comes back by itself and at once when asked", () => {
  const { sockets, lost, wire } = stage();
  wire.open("a");
  sockets[0]?.open();
  sockets[0]?.drop();
  assert.equal(lost.length, 1);
  assert.equal(wire.send({}), false);
  wire.retryNow();
  assert.equal(sockets.length, 2);
  wire.retryNow(); // one is on its way
  assert.equal(sockets.length, 2);
  wire.open("b");
  assert.equal(sockets[1]?.closed, true);
  assert.equal(sockets[1]?.onclose, null); // what it still says is not heard
  assert.equal(sockets[2]?.url, "b");
  wire.close();
  assert.equal(sockets[2]?.closed, true);
});

test("the run input holds what AG-UI wants and says where the editor is", () => {
  const where = { nodeId: "N013", nodeTitle: "Ratio tables", screen: "node" };
  const input = runInput("t", { approvals: "every", solve: true }, where, { id: "q", text: "Which?" });
  for (const field of ["threadId", "runId", "messages", "state", "tools", "context", "forwardedProps"])
    assert(field in input, field);
  assert.deepEqual(input.messages, [{ id: "q", role: "user", content: "Which?" }]);
  assert.deepEqual(
    input.context.map(one => one.description),
    ["node_id", "node_title", "screen"],
  );
  assert.equal("resume" in input, false);
  const answers = runInput("t", { approvals: "destructive", solve: false }, { nodeId: null, nodeTitle: null, screen: "chat" }, [
    { interruptId: "i1", approved: true, reason: "" },
    { interruptId: "i2", approved: false, reason: "Keep it." },
  ]);
  assert.deepEqual(answers.resume, [
    { interruptId: "i1", status: "resolved", payload: { approved: true } },
    { interruptId: "i2", status: "resolved", payload: { approved: false, reason: "Keep it." } },
  ]);
  assert.deepEqual(answers.context, [{ description: "screen", value: "chat" }]);
  assert.notEqual(newId("a"), newId("a"));
});

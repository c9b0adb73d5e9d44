// SPDX-License-Identifier: GPL-3.0-or-later
// The model, played by aimock: rows of {asks, calls, says}. A question that contains `asks` gets the tool calls (with `first` said in front
// of them), and when their results are there the answer. calls and says may be functions of the request so far.
import { LLMock } from "@copilotkit/aimock";

const COST = { input_tokens: 2400, output_tokens: 160 };
export const KEY = "test-key-of-no-worth";

// The texts of the tool results behind the newest question, in their order.
export function results(request) {
  const last = request.messages.findLastIndex(message => message.role === "user");
  return request.messages.slice(last + 1).filter(message => message.role === "tool").map(message =>
    typeof message.content === "string" ? message.content : message.content.map(part => part.text ?? "").join(""));
}

export async function playModel(rows, { latency = 5, chunkSize = 12 } = {}) {
  const mock = new LLMock({ port: 0, host: "127.0.0.1", strict: true, latency, chunkSize });
  const value = (part, request) => typeof part === "function" ? part(request) : part;
  let serial = 0;
  for (const { asks, first, calls, says, pace } of rows) {
    const how = pace ?? {};
    if (calls)
      mock.on({ userMessage: asks, hasToolResult: false }, request => ({
        content: first, usage: COST,
        toolCalls: value(calls, request).map(call => ({ id: `toolu_${++serial}`, name: call.name, arguments: JSON.stringify(call.arguments) })),
      }), how);
    mock.on(calls ? { userMessage: asks, hasToolResult: true } : { userMessage: asks }, request => ({ content: value(says, request), usage: COST }), how);
  }
  await mock.start();
  return { mock, environment: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: mock.url }, close: () => mock.stop() };
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The Vercel AI SDK's MCP client, which asks for the revision 2026-07-28 first, lists the tools and calls one, over stdio and
// over Streamable HTTP. Environment: as for sdk.test.mjs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";

const transports = {
  stdio: () => new StdioTransport({ command: process.env.LECTERN, args: ["stdio"], env: { ...process.env }, stderr: "ignore" }),
  http: () => ({ type: "http", url: process.env.LECTERN_URL }),
};

for (const [name, open] of Object.entries(transports)) {
  test(`the AI SDK over ${name}`, { timeout: 60_000 }, async () => {
    const client = await createMCPClient({ transport: open() });
    try {
      const { tools } = await client.listTools();
      assert.equal(tools.length, 9);
      const { query_graph: query } = await client.tools();
      const answer = await query.execute({ query: "counts" }, { toolCallId: "1", messages: [] });
      assert.ok(!answer.isError, JSON.stringify(answer));
      assert.match(answer.content[0].text, /40/);
    } finally {
      await client.close();
    }
  });
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The MCP SDK's own client lists and calls every tool, over stdio and over Streamable HTTP.
// Environment: LECTERN, the binary; LECTERN_DATA, a folder with the demo curriculum; LECTERN_URL, a serving /mcp;
// LECTERN_PLOT_URL, one with the profile visualization.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const stdio = (...words) =>
  new StdioClientTransport({ command: process.env.LECTERN, args: ["stdio", ...words], env: { ...process.env }, stderr: "ignore" });
const transports = {
  stdio: () => stdio(),
  http: () => new StreamableHTTPClientTransport(new URL(process.env.LECTERN_URL)),
};
const plotTransports = {
  stdio: () => stdio("--profile", "visualization"),
  http: () => new StreamableHTTPClientTransport(new URL(process.env.LECTERN_PLOT_URL)),
};
const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const PLOT = `import matplotlib.pyplot as plt
from code_helpers import get_nodes
plt.bar(["all", "some"], [len(get_nodes()), 3])
plt.title("Lessons")
plt.show()
print("drawn")`;

// One good call of every tool, and what its answer must say.
const calls = [
  ["add_component", { node_id: "N001", component_type: "heading", parameters: { text: "From the SDK" }, position: 1 }, /N001/],
  ["edit_component", { node_id: "N001", component_order: 1, new_parameters: { text: "Edited by the SDK" } }, /revision 2/],
  ["delete_component", { node_id: "N001", component_order: 1, confirm: true }, /Deleted/],
  ["batch_add_components", { node_id: "N002", components: [{ type: "paragraph", parameters: { text: "one" } }] }, /N002/],
  ["change_curriculum", { operations: [{ op: "rename_node", node_id: "N003", title: "Renamed by the SDK" }] }, /N003/],
  ["history", { action: "undo" }, /Renamed by the SDK/],
  ["execute_code", { code: "from code_helpers import get_nodes\nprint(len(get_nodes()))" }, /^40\n/],
  ["query_graph", { query: "counts" }, /40/],
];

for (const [name, open] of Object.entries(transports)) {
  test(`every tool over ${name}`, { timeout: 120_000 }, async () => {
    const client = new Client({ name: "sdk-test", version: "1.0.0" });
    await client.connect(open());
    try {
      assert.equal(client.getServerVersion().name, "lectern");
      await client.ping();
      const { tools } = await client.listTools();
      const called = new Set([...calls.map(([tool]) => tool), "create_relationship"]);
      assert.deepEqual(new Set(tools.map((tool) => tool.name)), called);
      for (const [tool, args, says] of calls) {
        const answer = await client.callTool({ name: tool, arguments: args });
        assert.ok(!answer.isError, `${tool}: ${JSON.stringify(answer)}`);
        assert.match(answer.content[0].text, says);
      }
      // A new edge for each transport: the second run of one would be a repeat.
      const edge = { from_node_id: "N001", to_node_id: name === "stdio" ? "N039" : "N040", explanation: "by the SDK" };
      const made = await client.callTool({ name: "create_relationship", arguments: edge });
      assert.ok(!made.isError, JSON.stringify(made));
      const again = await client.callTool({ name: "create_relationship", arguments: edge });
      assert.equal(again.isError, true);
    } finally {
      await client.close();
    }
  });

  test(`progress and cancellation over ${name}`, { timeout: 120_000 }, async () => {
    const client = new Client({ name: "sdk-test", version: "1.0.0" });
    await client.connect(open());
    try {
      const steps = [];
      const slow = "import time\nstart = time.time()\nwhile time.time() - start < 2.5: pass\nprint('done')";
      const answer = await client.callTool({ name: "execute_code", arguments: { code: slow } }, undefined, {
        onprogress: (step) => steps.push(step.progress),
      });
      assert.match(answer.content[0].text, /^done/);
      assert.ok(steps.length > 0, "no progress came");
      const stop = new AbortController();
      const endless = client.callTool({ name: "execute_code", arguments: { code: "while True: pass" } }, undefined, {
        signal: stop.signal,
      });
      setTimeout(() => stop.abort("enough"), 300);
      await assert.rejects(endless);
      const after = await client.callTool({ name: "execute_code", arguments: { code: "print(6 * 7)" } });
      assert.match(after.content[0].text, /^42/);
    } finally {
      await client.close();
    }
  });
}

for (const [name, open] of Object.entries(plotTransports)) {
  test(`a plot arrives as an image over ${name}`, { timeout: 120_000 }, async () => {
    const client = new Client({ name: "sdk-test", version: "1.0.0" });
    await client.connect(open());
    try {
      const answer = await client.callTool({ name: "execute_code", arguments: { code: PLOT } });
      assert.ok(!answer.isError, JSON.stringify(answer));
      assert.deepEqual(answer.content.map((part) => part.type), ["text", "image"]);
      assert.match(answer.content[0].text, /^drawn\n\[ok, [0-9.]+ s, 1 figure\]$/);
      assert.equal(answer.content[1].mimeType, "image/png");
      const bytes = Buffer.from(answer.content[1].data, "base64");
      assert.deepEqual(bytes.subarray(0, PNG.length), PNG);
      assert.ok(bytes.readUInt32BE(16) >= 100 && bytes.readUInt32BE(20) >= 100, "a picture of some size");
      assert.equal(bytes.toString("base64"), answer.content[1].data);
    } finally {
      await client.close();
    }
  });
}

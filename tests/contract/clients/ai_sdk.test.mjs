// SPDX-License-Identifier: GPL-3.0-or-later
// The Vercel AI SDK's client, with nothing switched off.
import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { textOf, walk } from "./walk.mjs";

async function open({ url, command, args, env }) {
  const client = await createMCPClient({ transport: url ? { type: "http", url } : new StdioTransport({ command, args, env, stderr: "ignore" }) });
  const tools = await client.tools();
  return {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args, { signal }) => textOf(await tools[name].execute(args, { toolCallId: "1", messages: [], abortSignal: signal })),
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
    close: () => client.close(),
  };
}

walk("AI SDK", {
  eras: { stdio: "modern", http: "modern" },
  lacks: { progress: "its calls carry no progress token", "cancel over stdio": "it sends no notification there" },
  open,
});

// SPDX-License-Identifier: GPL-3.0-or-later
// The MCP SDK v2's Client, in each way of agreeing on a version.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { textOf, walk } from "./walk.mjs";

const opener = (mode) => async ({ url, command, args, env }) => {
  const client = new Client({ name: "sdk-v2", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args, env, stderr: "ignore" }));
  return {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args, options) => textOf(await client.callTool({ name, arguments: args }, options)),
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
    close: () => client.close(),
  };
};

walk("SDK v2, legacy", { eras: { stdio: "legacy", http: "legacy" }, open: opener("legacy") });
walk("SDK v2, auto", { eras: { stdio: "modern", http: "modern" }, open: opener("auto") });
walk("SDK v2, pinned", { eras: { stdio: "modern", http: "modern" }, open: opener({ pin: "2026-07-28" }) });

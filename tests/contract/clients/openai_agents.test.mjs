// SPDX-License-Identifier: GPL-3.0-or-later
// The servers of the OpenAI Agents SDK.
import { MCPServerStdio, MCPServerStreamableHttp } from "@openai/agents";
import { textOf, walk } from "./walk.mjs";

async function open({ url, command, args, env }) {
  const server = url ? new MCPServerStreamableHttp({ url, name: "lectern" }) : new MCPServerStdio({ command, args, env, name: "lectern" });
  await server.connect();
  return {
    tools: async () => (await server.listTools()).map((tool) => tool.name),
    call: async (name, args, { signal }) => textOf(await server.callToolResult(name, args, null, { signal })),
    read: async (uri) => (await server.readResource(uri)).contents[0].text,
    close: () => server.close(),
  };
}

walk("OpenAI Agents", { eras: { stdio: "modern", http: "modern" }, lacks: { progress: "its calls take no listener", prompts: "it knows none" }, open });

// SPDX-License-Identifier: GPL-3.0-or-later
// Mastra's MCPClient.
import { MCPClient } from "@mastra/mcp";
import { textOf, walk } from "./walk.mjs";

let opened = 0;

async function open({ url, command, args, env }) {
  const lectern = url ? { url: new URL(url) } : { command, args, env, stderr: "ignore" };
  const client = new MCPClient({ id: `walk-${opened++}`, servers: { lectern: { ...lectern, enableProgressTracking: true } } });
  const tools = (await client.listToolsets()).lectern;
  let listener;
  await client.progress.onUpdate("lectern", (step) => listener?.(step));
  return {
    tools: async () => Object.keys((await client.listToolsets()).lectern),
    call: async (name, args, { signal, onprogress }) => {
      listener = onprogress;
      return textOf(await tools[name].execute(args, { abortSignal: signal }));
    },
    read: async (uri) => (await client.resources.read("lectern", uri)).contents[0].text,
    prompt: async (name, args) => (await client.prompts.get({ serverName: "lectern", name, args })).messages[0].content.text,
    close: () => client.disconnect(),
  };
}

walk("Mastra", { eras: { stdio: "modern", http: "modern" }, open });

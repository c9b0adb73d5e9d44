// SPDX-License-Identifier: GPL-3.0-or-later
// LangChain's MultiServerMCPClient, whose tools are LangChain's.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { walk } from "./walk.mjs";

async function open({ url, command, args, env }) {
  const lectern = url ? { transport: "http", url } : { transport: "stdio", command, args, env, stderr: "ignore" };
  let listener;
  const client = new MultiServerMCPClient({ mcpServers: { lectern }, onProgress: (step) => listener?.(step) });
  const tools = await client.getTools();
  const plain = await client.getClient("lectern");
  return {
    tools: async () => tools.map((tool) => tool.name),
    call: async (name, args, { signal, onprogress }) => {
      listener = onprogress;
      return { text: await tools.find((tool) => tool.name === name).invoke(args, { signal }), isError: false };
    },
    read: async (uri) => (await client.readResource("lectern", uri))[0].text,
    prompt: async (name, args) => (await plain.getPrompt({ name, arguments: args })).messages[0].content.text,
    close: () => client.close(),
  };
}

walk("LangChain", { eras: { stdio: "legacy", http: "legacy" }, open });

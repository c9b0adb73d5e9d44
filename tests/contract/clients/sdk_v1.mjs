// SPDX-License-Identifier: GPL-3.0-or-later
// The MCP SDK v1's Client: the tests of the bridges use it too.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { textOf } from "./walk.mjs";

/* elicit: answers the questions of the server. updated: is given the URI of each resource that it says has changed. */
export async function connect({ url, headers, command, args, env, elicit, updated }) {
  const client = new Client({ name: "sdk-v1", version: "1.0.0" }, { capabilities: elicit ? { elicitation: {} } : {} });
  if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params));
  if (updated) client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated(params.uri));
  await client.connect(url ? new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) : new StdioClientTransport({ command, args, env, stderr: "ignore" }));
  return {
    sdk: client,
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args, options) => textOf(await client.callTool({ name, arguments: args }, undefined, options)),
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    subscribe: (uri) => client.subscribeResource({ uri }),
    complete: async (name, argument, value) => (await client.complete({ ref: { type: "ref/prompt", name }, argument: { name: argument, value } })).completion.values,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
    close: () => client.close(),
  };
}

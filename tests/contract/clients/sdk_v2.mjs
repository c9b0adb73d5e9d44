// SPDX-License-Identifier: GPL-3.0-or-later
// The MCP SDK v2's Client, in a way of agreeing on a version: the tests of what people see use it too.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { textOf } from "./walk.mjs";

/* elicit, updated: as in sdk_v1.mjs. */
export const connectBy = (mode) => async ({ url, command, args, env, elicit, updated }) => {
  const capabilities = elicit ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: "sdk-v2", version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
  if (elicit) client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  if (updated) client.setNotificationHandler("notifications/resources/updated", ({ params }) => updated(params.uri));
  await client.connect(url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command, args, env, stderr: "ignore" }));
  return {
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: async (name, args, options) => textOf(await client.callTool({ name, arguments: args }, options)),
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    subscribe: (uri) => (mode === "legacy" ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] })),
    complete: async (name, argument, value) => (await client.complete({ ref: { type: "ref/prompt", name }, argument: { name: argument, value } })).completion.values,
    prompt: async (name, args) => (await client.getPrompt({ name, arguments: args })).messages[0].content.text,
    close: () => client.close(),
  };
};

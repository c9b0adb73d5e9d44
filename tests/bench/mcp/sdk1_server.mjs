// SPDX-License-Identifier: GPL-3.0-or-later
// A server of the TypeScript SDK v1 with one tool, whose answer is constant: plain JSON answers, one session.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

const mcp = new McpServer({ name: "bench", version: "1" });
mcp.registerTool("query_graph", { description: "Sizes of the graph", inputSchema: { query: z.string() } },
  async ({ query }) => ({ content: [{ type: "text", text: query }] }));
const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse: true });
await mcp.connect(transport);
const server = createServer((request, response) => transport.handleRequest(request, response));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));

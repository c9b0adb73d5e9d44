// SPDX-License-Identifier: GPL-3.0-or-later
// The same server with the TypeScript SDK v2.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const mcp = new McpServer({ name: "bench", version: "1" });
mcp.registerTool("query_graph", { description: "Sizes of the graph", inputSchema: z.object({ query: z.string() }) },
  async ({ query }) => ({ content: [{ type: "text", text: query }] }));
const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse: true });
await mcp.connect(transport);
const server = createServer((request, response) => transport.handleRequest(request, response));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));

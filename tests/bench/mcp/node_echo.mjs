// SPDX-License-Identifier: GPL-3.0-or-later
// Bare node:http: parses a JSON-RPC request and answers it with its own parameters.
import { createServer } from "node:http";

const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const { id, params } = JSON.parse(Buffer.concat(parts));
    const text = JSON.stringify({ jsonrpc: "2.0", id, result: params ?? {} });
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));

// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that lead a client of one transport to a server of the other, each with the MCP SDK v1's Client at its other end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { connect } from "./sdk_v1.mjs";
import { walk } from "./walk.mjs";

const program = (path) => new URL(`node_modules/${path}`, import.meta.url).pathname;
const REMOTE = program("mcp-remote/dist/proxy.js");
const GATEWAY = program("supergateway/dist/index.js");
const PROXY = program("mcp-proxy/dist/bin/mcp-proxy.mjs");

/* From stdio to HTTP: the client starts the bridge. */
const toHttp = (words) => ({ url, env }) => connect({ command: process.execPath, args: words(url), env });

/* Below those that the kernel gives to connections: one of the tries to connect could take the port itself. */
async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, "127.0.0.1");
    const free = await once(server, "listening").then(() => true, () => false);
    if (!free) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}

/* From HTTP to stdio: the bridge starts lectern, and the client connects to the bridge. */
const toStdio = (words) => async ({ command, args, env }) => {
  const port = await freePort();
  const bridge = spawn(process.execPath, words(port, command, args), { env, stdio: ["ignore", "inherit", "inherit"] });
  const ended = once(bridge, "exit");
  for (let tries = 0; ; tries++)
    try {
      const client = await connect({ url: `http://127.0.0.1:${port}/mcp` });
      return { ...client, close: async () => (await client.close(), bridge.kill("SIGTERM"), await ended) };
    } catch (refused) {
      if (tries === 200 || bridge.exitCode !== null) throw refused;
      await new Promise((done) => setTimeout(done, 50));
    }
};

const quote = (word) => `'${word.replaceAll("'", "'\\''")}'`;

walk("mcp-remote", { eras: { http: "legacy" }, open: toHttp((url) => [REMOTE, url, "--allow-http"]) });
walk("supergateway to HTTP", {
  eras: { http: "legacy" },
  lacks: { progress: "supergateway drops the notifications of an answer's stream" },
  open: toHttp((url) => [GATEWAY, "--streamableHttp", url, "--logLevel", "none"]),
});
walk("supergateway to stdio", {
  eras: { stdio: "legacy" },
  open: toStdio((port, command, args) => [GATEWAY, "--stdio", [command, ...args].map(quote).join(" "), "--outputTransport", "streamableHttp",
    "--stateful", "--port", String(port), "--logLevel", "none"]),
});
walk("mcp-proxy", {
  eras: { stdio: "legacy" },
  open: toStdio((port, command, args) => [PROXY, "--host", "127.0.0.1", "--port", String(port), "--server", "stream", "--", command, ...args]),
});

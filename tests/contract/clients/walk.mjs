// SPDX-License-Identifier: GPL-3.0-or-later
// What every client of npm must be able to do with this server: walk() is one test for each transport, with a server and data of its
// own. A client is a row: how it connects, the era each transport ends in, and what it cannot do by itself.
// Environment: LECTERN, the binary; LECTERN_SANDBOX, the engine.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { calls, missing } from "./calls.mjs";

export const LECTERN = process.env.LECTERN;
const MODERN = "io.modelcontextprotocol/protocolVersion";
const WAIT_MS = 60_000;
const wrong = ["query_graph", { query: "needs", node_id: "N999" }, /N999.*does not exist|no node.*N999/is];
const SLOW = "import time\nstart = time.time()\nwhile time.time() - start < 1.5: pass\nprint('done')";

/* A folder with the demo curriculum, the environment that names it, and servers on it. */
export class Place {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "lectern-client-"));
    this.environment = { ...process.env, LECTERN_DATA: this.folder, HOME: this.folder, XDG_CONFIG_HOME: this.folder, XDG_DATA_HOME: this.folder,
      LECTERN_WARM: "bare=1,data=0,plot=0", MCP_REMOTE_CONFIG_DIR: this.folder };
    const loaded = spawnSync(LECTERN, ["demo"], { env: this.environment });
    assert.equal(loaded.status, 0);
    this.session = loaded.stdout.toString().trim().split("\n").at(-1); // the id of the curriculum
    this.log = "";
  }

  /* The curriculum, as a program of its own reads it. */
  curriculum() {
    const read = spawnSync(LECTERN, ["export", this.session], { env: this.environment });
    assert.equal(read.status, 0, read.stderr.toString());
    return JSON.parse(read.stdout);
  }

  forget(session) {
    assert.equal(spawnSync(LECTERN, ["delete", "--yes", session], { env: this.environment }).status, 0);
  }

  /* What tools/list answers, to a program of its own. */
  tools() {
    const _meta = { [MODERN]: "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} };
    const input = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } }) + "\n";
    return JSON.parse(spawnSync(LECTERN, ["stdio"], { env: this.environment, input }).stdout).result.tools;
  }

  async serve(...words) {
    const server = spawn(LECTERN, ["serve", "--port", String(this.port ?? 0), ...words], { env: this.environment, stdio: ["ignore", "ignore", "pipe"] });
    const ended = once(server, "exit");
    const started = Promise.withResolvers();
    createInterface({ input: server.stderr }).on("line", (line) => {
      this.log += line + "\n";
      const port = /Lectern serves http:\/\/[^ ]*:(\d+)/.exec(line)?.[1];
      if (port) started.resolve(Number(port));
    });
    ended.then(() => started.reject(new Error("lectern serve ended: " + this.log)));
    this.port = await started.promise;
    this.url = `http://127.0.0.1:${this.port}/mcp`;
    this.stop = async (signal = "SIGTERM") => {
      server.kill(signal);
      const [status] = await ended;
      this.stop = undefined;
      if (signal === "SIGTERM") assert.equal(status, 0, this.log);
    };
  }

  async cancelled() {
    const text = await (await fetch(`http://127.0.0.1:${this.port}/metrics`)).text();
    return text.includes('lectern_runs_total{ended="cancelled"} 1\n');
  }

  async close() {
    await this.stop?.();
    rmSync(this.folder, { recursive: true });
    assert.doesNotMatch(this.log, /Sanitizer: |: runtime error: |open handles/);
  }
}

/* What the server is sent on stdio, or by HTTP through a proxy that passes everything on as it comes; and whether a call was cancelled. */
function recordStdio(place) {
  const file = join(place.folder, "sent.jsonl");
  writeFileSync(file, "");
  const target = { command: "/bin/sh", args: ["-c", 'tee -a "$1" | "$2" stdio', "sh", file, LECTERN], env: place.environment };
  const sent = () => readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return { target, sent, cancelled: () => sent().some((message) => message.method === "notifications/cancelled"), close() {} };
}

async function recordHttp(place) {
  await place.serve();
  const bodies = [];
  const proxy = createServer((from, answer) => {
    const to = request({ port: place.port, method: from.method, path: from.url, headers: { ...from.headers, host: `127.0.0.1:${place.port}` } });
    const parts = [];
    from.on("data", (part) => parts.push(part)).on("end", () => parts.length && bodies.push(JSON.parse(Buffer.concat(parts))));
    from.pipe(to).on("response", (back) => {
      answer.writeHead(back.statusCode, back.headers);
      answer.flushHeaders();
      back.pipe(answer);
    });
    to.on("error", () => answer.destroy());
    answer.on("close", () => to.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const close = () => (proxy.closeAllConnections(), proxy.close());
  return { target: { url: `http://127.0.0.1:${proxy.address().port}/mcp` }, sent: () => bodies, cancelled: () => place.cancelled(), close };
}

function eraOf(sent) {
  const eras = sent.filter((message) => message.method === "tools/call").map((message) => (message.params._meta?.[MODERN] ? "modern" : "legacy"));
  assert.equal(new Set(eras).size, 1, `eras of the calls: ${eras}`);
  return eras[0];
}

async function until(what, holds) {
  for (const end = Date.now() + WAIT_MS; !(await holds()); await new Promise((done) => setTimeout(done, 20)))
    assert.ok(Date.now() < end, `not in time: ${what}`);
}

/* What went wrong in the server's own words: as a result with isError or, where the client makes one of it, as an exception. */
async function failure(call) {
  try {
    const answer = await call;
    assert.ok(answer.isError !== false, JSON.stringify(answer));
    return answer.text;
  } catch (thrown) {
    if (thrown.code === "ERR_ASSERTION") throw thrown;
    return thrown.message;
  }
}

/* Every tool and operation, by a client's call(tool, arguments), each judged by its answer and by the curriculum afterwards. */
export async function callAll(place, call) {
  assert.deepEqual(missing(place.tools()), []);
  let number; // of the last dry run
  for (const { tool, args, says, holds } of calls) {
    const applies = args.operations?.[0].op === "apply_dry_run";
    const answer = await call(tool, applies ? { operations: [{ op: "apply_dry_run", id: number }] } : args);
    number = Number(/"id": (\d+)\}/.exec(answer.text)?.[1] ?? number);
    assert.ok(!answer.isError, `${tool} ${JSON.stringify(args)}: ${answer.text}`);
    assert.match(answer.text, says);
    holds(place.curriculum(), answer, place);
  }
}

async function steps(client, place, cannot, cancelled) {
  assert.deepEqual((await client.tools()).sort(), place.tools().map((tool) => tool.name).sort());
  await callAll(place, (tool, args) => client.call(tool, args, {}));
  assert.match(await failure(client.call(wrong[0], wrong[1], {})), wrong[2]);
  assert.match(await client.read(`lectern://curriculum/${place.session}/node/N018`), /Unit rates/);
  if (!cannot("prompts")) assert.match(await client.prompt("review_prerequisites", { node_id: "N018" }), /N018/);
  if (!cannot("progress")) {
    const seen = [];
    const answer = await client.call("execute_code", { code: SLOW }, { onprogress: (step) => seen.push(step.progress) });
    assert.match(answer.text, /^done/);
    assert.ok(seen.length > 0, "no progress came before the answer");
  }
  if (cannot("cancel")) return;
  const stop = new AbortController();
  const endless = client.call("execute_code", { code: "while True: pass" }, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 300);
  await assert.rejects(endless);
  await until("the cancel", cancelled);
  const after = await client.call("execute_code", { code: "print(6 * 7)" }, {});
  assert.match(after.text, /^42/);
}

async function restart(open) {
  const place = new Place();
  await place.serve();
  const client = await open({ url: place.url, env: place.environment });
  try {
    assert.match((await client.call("query_graph", { query: "counts" }, {})).text, /40 nodes/);
    await place.stop("SIGKILL");
    await place.serve();
    assert.match((await client.call("query_graph", { query: "counts" }, {})).text, /40 nodes/);
  } finally {
    await client.close();
    await place.close();
  }
}

/* open(target) connects, to {url} or to {command, args, env}. Its client has tools(), call(name, arguments, {signal, onprogress}) with the
 * answer {text, isError}, read(uri), prompt(name, arguments) and close(). lacks names what it cannot do, with the reason. */
export function walk(name, { eras, lacks = {}, open }) {
  for (const [transport, era] of Object.entries(eras))
    test(`${name} over ${transport}`, { timeout: 2 * WAIT_MS }, async () => {
      const place = new Place();
      const record = transport === "http" ? await recordHttp(place) : recordStdio(place);
      try {
        const client = await open({ ...record.target, env: place.environment });
        try {
          await steps(client, place, (what) => lacks[what] ?? lacks[`${what} over ${transport}`], record.cancelled);
        } finally {
          await client.close();
        }
        assert.equal(eraOf(record.sent()), era);
      } finally {
        record.close();
        await place.close();
      }
    });
  if (eras.http)
    test(`${name} goes on after a restart of the server`, { timeout: 2 * WAIT_MS }, () => restart(open));
}

export const textOf = (answer) => ({ text: answer.content.map((part) => part.text ?? "").join("\n"), isError: Boolean(answer.isError) });

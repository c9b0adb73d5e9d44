// SPDX-License-Identifier: GPL-3.0-or-later
// The inspector's mcpdo, which holds a connection between commands: a resource that another changes, a completed prompt, and a question
// before a deletion that is declined, accepted, or open while the connection ends.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { components, edit } from "./seen.mjs";
import { LECTERN, Place } from "./walk.mjs";

const MCPDO = new URL("node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js", import.meta.url).pathname;

class Inspector {
  constructor(place, servers) {
    const catalog = join(place.folder, "mcp.json");
    writeFileSync(catalog, JSON.stringify({ mcpServers: servers }));
    this.environment = { ...place.environment, MCP_CATALOG_PATH: catalog, MCP_INSPECTOR_SECRET_STORE: "memory" };
  }

  run(...words) {
    return this.ended(0, words);
  }

  /* The output of a command that ends with a status: 5 is a result with isError. */
  ended(status, words) {
    const done = spawnSync(process.execPath, [MCPDO, "--format", "json", ...words], { env: this.environment, stdio: ["ignore", "pipe", "pipe"] });
    assert.equal(done.status, status, `${words}: ${done.stdout}${done.stderr}`);
    return done.stdout.toString();
  }

  /* Lines of a command that goes on until it is ended. */
  watch(...words) {
    const watched = spawn(process.execPath, [MCPDO, ...words], { env: this.environment, stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: watched.stdout })[Symbol.asyncIterator]();
    const next = async (pattern) => {
      for (;;) {
        const { value, done } = await lines.next();
        assert.ok(!done, `${words} ended before ${pattern}`);
        if (pattern.test(value)) return value;
      }
    };
    return { next, end: async () => (watched.kill("SIGINT"), await once(watched, "exit")) };
  }

  ask() {
    return JSON.parse(this.run("@lectern", "tools/call", "delete_component", "node_id:=N002", "component_order:=1")).elicitationPending;
  }

  answer(question, word, status = 0) {
    return this.ended(status, ["elicitation/respond", question.elicitationId, word]);
  }
}

async function withInspector(transport, use) {
  const place = new Place();
  await place.serve();
  const inspector = new Inspector(place, { lectern: transport === "http" ? { type: "streamable-http", url: place.url } : { command: LECTERN, args: ["stdio"], env: place.environment } });
  try {
    inspector.run("connect", "lectern");
    await use(inspector, place);
  } finally {
    inspector.run("daemon", "stop");
    await place.close();
  }
}

test("the inspector sees an edit", { timeout: 60_000 }, () => withInspector("http", async (inspector, place) => {
  const uri = `lectern://curriculum/${place.session}/node/N018`;
  assert.match(inspector.run("@lectern", "resources/read", uri), /Unit rates/);
  const stream = inspector.watch("@lectern", "resources/subscribe", uri);
  await stream.next(/subscri/i);
  await edit(place, "N001", "elsewhere");
  await edit(place, "N018", "Said by another.");
  assert.ok((await stream.next(/updated/)).includes(uri));
  assert.match(inspector.run("@lectern", "resources/read", uri), /Said by another[.]/);
  await stream.end();
}));

for (const transport of ["stdio", "http"]) {
  test(`the inspector fills a prompt over ${transport}`, { timeout: 60_000 }, () => withInspector(transport, (inspector) => {
    const found = inspector.run("@lectern", "prompts/complete", "--complete-ref-type", "ref/prompt", "--complete-ref", "gaps_before",
      "--complete-arg-name", "node_id", "--complete-arg-value", "unit rat");
    assert.match(found, /"N018"/);
    assert.match(inspector.run("@lectern", "prompts/get", "gaps_before", "--prompt-args", "node_id=N018"), /the lesson N018 /);
  }));

  test(`the inspector asks a person over ${transport}`, { timeout: 60_000 }, () => withInspector(transport, (inspector, place) => {
    const before = components(place);
    const question = inspector.ask();
    assert.match(question.message, /N002/);
    assert.match(inspector.answer(question, "--decline", 5), /did not agree/);
    assert.equal(components(place), before);
    assert.match(inspector.answer(inspector.ask(), "{}"), /Deleted/);
    assert.equal(components(place), before - 1);
    inspector.ask();
    inspector.run("disconnect", "lectern");
    assert.equal(components(place), before - 1);
  }));
}

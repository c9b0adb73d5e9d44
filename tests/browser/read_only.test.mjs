// SPDX-License-Identifier: GPL-3.0-or-later
// read_only.test.mjs wide|narrow: the same walk with two tokens. Who may only read is told so, and finds no button that edits, where who
// may edit finds one in each place.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { lesson, sid } from "./demo.mjs";
import { openVisit } from "./visit.mjs";

const EDITS = /^(add|delete|edit|move|new|undo)\b/i;
const file = path.join(os.tmpdir(), "tokens");
const scopes = ["read", "edit"];
const line = scope => `${createHash("sha256").update(`token-to-${scope}`).digest("hex")} ${scope} ${scope}er\n`;
fs.writeFileSync(file, scopes.map(line).join(""), { mode: 0o600 });

const as = scope => ({ Authorization: `Bearer token-to-${scope}` });
const link = async (server, scope) => (await server.ask("POST", "/sign-in/link", undefined, as(scope))).url;
const { lectern, page, states, ui, at, through } = await openVisit("read-only", { words: ["--token-file", file],
  address: async server => {
    await server.ask("PUT", `/session/${sid}/nodes/${lesson.id}`, { title: "A change to undo" }, as("edit"));
    return link(server, "read");
  } });

const edits = async within => (await ui.names("button", { within })).filter(name => EDITS.test(name));

// What is offered in the bar, at the node, and among its links and in its history.
async function walk() {
  const found = { bar: await edits(await ui.get("banner")) };
  await ui.fill("combobox", /find|search/i, lesson.id);
  await ui.press("option", /A change to undo/);
  const within = await at("Node");
  await ui.get("article", "A change to undo", { within });
  found.node = await edits(within);
  await ui.press("button", /links?$/, { within });
  found.links = await edits(await ui.get("region", "Links", { within }));
  await ui.press("button", "History", { within });
  const history = await ui.get("region", "History", { within });
  await ui.get("button", "Before and after", { within: history });
  found.history = await edits(history);
  return found;
}

await through(async () => {
  await ui.see("Read only", { within: await ui.get("banner") });
  for (const [place, found] of Object.entries(await walk())) assert.deepEqual(found, [], place);
  await states.look("node");
  await ui.key("Alt+u", "?");
  assert.doesNotMatch(await ui.text(await ui.get("dialog")), /undo/i);
  await ui.press("button", "Close", { within: await ui.get("dialog") });

  await page.goto(await link(lectern, "edit"), { waitUntil: "load" });
  await ui.get("button", "New, import, rename or delete curriculum");
  for (const [place, found] of Object.entries(await walk())) assert.notDeepEqual(found, [], place);
  assert.doesNotMatch(await ui.text(await ui.get("banner")), /Read only/);
  console.log("Who may only read is offered no edits.");
});

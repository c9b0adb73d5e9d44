// SPDX-License-Identifier: GPL-3.0-or-later
// undo.test.mjs wide|narrow: the model deletes a component; somebody edits elsewhere in between; Undo in the chat brings the component
// back, and nothing else. Brought back to being deleted from elsewhere, it can be undone again, also after a reload.
import assert from "node:assert/strict";
import { CHANGE, DELETED, lesson, nodes, path, rows, sid, TRICK } from "./demo.mjs";
import { Lectern } from "./lectern.mjs";
import { playModel } from "./model.mjs";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { Roles, until } from "./roles.mjs";
import { States, THEMES } from "./states.mjs";

const WAIT = 30_000;
const size = process.argv[2];
const narrow = size === "narrow";
const model = await playModel(rows);
const lectern = await new Lectern(model.environment).start();
const { browser, close } = await openBrowser();
const watch = new Watch();
const page = await openPage(browser, size, watch, [lectern.url]);
const states = new States(page, watch, size, { prefix: "undo-" });
const ui = new Roles(page, { touch: narrow });

async function chat() {
  if (narrow) await ui.press("button", "Chat", { within: await ui.get("navigation", "Regions") });
  return ui.get("region", "Chat");
}
const texts = async () => (await lectern.ask("GET", path)).components.map(component => component.parameters.text ?? "");
const trick = wanted => until(async () => (await texts()).includes(TRICK) === wanted, WAIT, () => `The memory trick is ${wanted ? "not " : ""}there.`);
const card = within => ui.get("article", /^Delete component/, { within });

try {
  await page.goto(lectern.url, { waitUntil: "load" });
  let within = await chat();
  const before = await texts();
  await ui.fill("textbox", /^ask about/i, CHANGE, { within });
  await ui.press("button", "Send", { within });
  await ui.press("button", "Approve", { within });
  await ui.see(DELETED, { within });
  await trick(false);
  await lectern.ask("PUT", `/session/${sid}/nodes/${nodes[1].id}`, { title: "Renamed meanwhile" }, { "X-Editor": "Beatrix" });

  await ui.press("button", "Undo", { within: await card(within) });
  await trick(true);
  assert.deepEqual(await texts(), before);
  assert.equal((await lectern.ask("GET", `/session/${sid}/nodes`)).nodes.find(node => node.node_id === nodes[1].id).title, "Renamed meanwhile");
  await ui.see(/undone/i, { within: await card(within) });
  await ui.gone("button", "Undo", { within: await card(within) });
  await states.look("undone", { themes: { light: THEMES.light } });

  // Somebody undoes the undoing: it is deleted, and Undo is offered again.
  const { changes } = await lectern.ask("GET", `/session/${sid}/history?limit=1`);
  await lectern.ask("POST", `/session/${sid}/undo`, { change_set: changes[0].change_set }, { "X-Editor": "Beatrix" });
  await trick(false);
  await ui.get("button", "Undo", { within: await card(within) });
  await page.reload({ waitUntil: "load" });
  within = await chat();
  await ui.press("button", "Undo", { within: await card(within) });
  await trick(true);
  await page.reload({ waitUntil: "load" });
  within = await chat();
  await ui.see("Undone.", { within: await card(within) });
  assert.ok(!(await ui.has("button", "Undo", { within: await card(within) })));
  assert.deepEqual(watch.faults, []);
  console.log("undone, brought back, undone again");
} catch (error) {
  await states.shoot(`failed-${size}`).catch(() => {});
  for (const fault of watch.faults) console.log(fault);
  throw error;
} finally {
  await close();
  await lectern.stop();
  await model.close();
}

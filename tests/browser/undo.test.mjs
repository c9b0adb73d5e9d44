// SPDX-License-Identifier: GPL-3.0-or-later
// undo.test.mjs wide|narrow: the model deletes a component; somebody edits elsewhere in between; Undo in the chat brings the component
// back, and nothing else. Brought back to being deleted from elsewhere, it can be undone again, also after a reload. A notice's Undo
// follows what becomes of its change, wherever it is undone.
import assert from "node:assert/strict";
import { CHANGE, DELETED, lesson, nodes, path, rows, sid, TRICK } from "./demo.mjs";
import { playModel } from "./model.mjs";
import { until } from "./roles.mjs";
import { THEMES } from "./states.mjs";
import { openVisit } from "./visit.mjs";

const WAIT = 30_000;
const model = await playModel(rows);
const { lectern, page, states, ui, at, ask, through } = await openVisit("undo", { environment: model.environment, model });

const texts = async () => (await lectern.ask("GET", path)).components.map(component => component.parameters.text ?? "");
const trick = wanted => until(async () => (await texts()).includes(TRICK) === wanted, WAIT, () => `The memory trick is ${wanted ? "not " : ""}there.`);
const card = within => ui.get("article", /^Delete component/, { within });

await through(async () => {
  const before = await texts();
  let within = await ask(CHANGE);
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
  within = await at("Chat");
  await ui.press("button", "Undo", { within: await card(within) });
  await trick(true);
  await page.reload({ waitUntil: "load" });
  within = await at("Chat");
  await ui.see("Undone.", { within: await card(within) });
  assert.ok(!(await ui.has("button", "Undo", { within: await card(within) })));

  // A notice of one's own edit: undone by its key, by somebody else, and done again.
  await ui.fill("combobox", /find|search/i, lesson.id);
  await ui.press("option", new RegExp(lesson.title));
  within = await at("Node");
  await (await ui.get("button", new RegExp(`^Delete Memory trick: ${TRICK.slice(0, 20)}`), { within })).focus();
  await page.keyboard.press("Enter");
  await ui.press("button", "Delete", { within });
  await trick(false);
  const status = await ui.get("contentinfo");
  await ui.get("button", "Undo", { within: status });
  await page.keyboard.down("Alt");
  await page.keyboard.press("KeyU");
  await page.keyboard.up("Alt");
  await trick(true);
  await ui.get("button", "Redo", { within: status });
  assert.ok(!(await ui.has("button", "Undo", { within: status })), "what is undone is not offered to be undone");
  await ui.press("button", "Redo", { within: status });
  await trick(false);
  const undo = await ui.get("button", "Undo", { within: status });
  await undo.focus();     // news stays while it has the focus
  const [{ change_set: set }] = (await lectern.ask("GET", `/session/${sid}/history?limit=5`)).changes.filter(one => !one.undone_by);
  await lectern.ask("POST", `/session/${sid}/undo`, { change_set: set }, { "X-Editor": "Beatrix" });
  await trick(true);
  await ui.get("button", "Redo", { within: status });
  await ui.see("Undone:", { within: status });
  assert.ok(!(await ui.has("alert", /Not undone/)));
  console.log("undone, brought back, undone again");
});

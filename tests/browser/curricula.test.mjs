// SPDX-License-Identifier: GPL-3.0-or-later
// curricula.test.mjs wide|narrow, on an empty store: makes a curriculum by the button of the first screen, renames it and undoes that,
// deletes one by the menu, and sees another deleted by somebody else.
import assert from "node:assert/strict";
import { until } from "./roles.mjs";
import { openVisit } from "./visit.mjs";

const { lectern, page, states, ui, watch, through } = await openVisit("curricula", { words: ["--no-demo"] });
const sessions = async () => (await lectern.ask("GET", "/sessions")).sessions;
const titles = async () => (await sessions()).map(one => one.title).sort();
const holds = async (...wanted) => until(async () => JSON.stringify(await titles()) === JSON.stringify(wanted), 10_000,
  async () => `The curricula are not ${wanted}`);

async function choose(item) {
  await ui.press("button", "New, import, rename or delete curriculum");
  await ui.press("menuitem", item);
  return ui.get("dialog");
}

// The name of the open one, as the bar shows it.
const shown = title => until(async () => (await (await ui.get("combobox", "Curriculum")).evaluate(it => it.selectedOptions[0]?.text)) === title,
  10_000, () => `The bar does not show ${title}.`);

await through(async () => {
  await ui.get("heading", "No curriculum yet");
  await states.look("empty");
  await ui.press("button", "New curriculum");
  let dialog = await ui.get("dialog");
  await ui.press("button", "Create", { within: dialog });
  await ui.see("Give it a title.", { within: dialog });
  await ui.fill("textbox", "Title", "Fractions", { within: dialog });
  await states.look("new");
  await page.keyboard.press("Enter");
  await shown("Fractions");
  await holds("Fractions");
  await ui.see("Connected");

  dialog = await choose("Rename…");
  await ui.fill("textbox", "Title", "Ratios", { within: dialog });
  await ui.press("button", "Rename", { within: dialog });
  await shown("Ratios");
  await holds("Ratios");
  await ui.press("button", "Undo", { within: await ui.get("contentinfo") });
  await shown("Fractions");
  await holds("Fractions");

  await lectern.ask("POST", "/session/create", { title: "Angles" });
  dialog = await choose("New curriculum…");
  await ui.fill("textbox", "Title", "Short-lived", { within: dialog });
  await ui.press("button", "Create", { within: dialog });
  await shown("Short-lived");
  const sid = (await sessions()).find(one => one.title === "Short-lived").session_id;
  await lectern.ask("POST", `/session/${sid}/nodes`, { node_id: "N1", title: "Only lesson" });
  await ui.see("3 nodes,");      // a new one begins with two

  // Deleting says what goes, and asks.
  dialog = await choose("Delete…");
  await ui.see(/Short-lived goes with its 3 lessons, 0 links/, { within: dialog });
  await states.look("delete");
  await ui.press("button", "Cancel", { within: dialog });
  await holds("Angles", "Fractions", "Short-lived");
  dialog = await choose("Delete…");
  await ui.press("button", "Delete 3 lessons", { within: dialog });
  await ui.get("heading", "“Short-lived” was deleted");
  await holds("Angles", "Fractions");
  await states.look("deleted");
  await ui.press("button", "Fractions");
  await shown("Fractions");
  await ui.see("Connected");

  // By somebody else: said plainly, with the others to go on with.
  await watch.excuse([/401|WebSocket connection/], async () => {
    const fractions = (await sessions()).find(one => one.title === "Fractions").session_id;
    await lectern.ask("DELETE", `/session/${fractions}`, undefined, { "X-Editor": "Beatrix" });
    await ui.get("heading", "“Fractions” was deleted");
    await ui.see("Beatrix deleted it.");
    await states.look("deleted-by-other");
    await ui.press("button", "Angles");
    await shown("Angles");

    // An address of a curriculum that is gone.
    await page.goto(`${lectern.url}/#session=${fractions}`, { waitUntil: "load" });
    await page.reload({ waitUntil: "load" });
    await ui.get("heading", "Curriculum not found");
    await ui.press("button", "Angles");
    await shown("Angles");
  });
  console.log("made, renamed, deleted");
});

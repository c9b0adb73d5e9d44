// SPDX-License-Identifier: GPL-3.0-or-later
// titles.test.mjs wide: the first view of a textbook, then its legend.
import assert from "node:assert/strict";
import { openVisit } from "./visit.mjs";

const { lectern, page, states, ui, through } = await openVisit("titles");

await through(async () => {
  await page.waitForFunction(() => performance.getEntriesByName("lectern.graph").length > 0, { timeout: 60_000, polling: 50 });
  const drawn = await page.evaluate(() => ({ ...document.querySelector("[data-titles]").dataset }));
  assert.deepEqual([drawn.titles, drawn.chapters], ["48", "3"]);
  await states.look("first");

  await ui.press("button", "Legend");
  const kinds = (await ui.names("checkbox", { within: await ui.get("region", "Graph") })).map(name => name.replace(/\s+/g, " "));
  assert.deepEqual(kinds, ["is needed for PREREQUISITE, thick line, 47", "contains CONTAINS, grey line, 2", "see also SEE_ALSO, grey line, 1"]);
  await ui.press("checkbox", /CONTAINS/);
  assert.equal(await (await ui.get("checkbox", /CONTAINS/)).evaluate(it => it.checked), false);
  await states.look("legend");
  // What is hidden stays so when the curriculum gets another name.
  const [{ session_id: sid }] = (await lectern.ask("GET", "/sessions")).sessions;
  await lectern.ask("PUT", `/session/${sid}`, { title: "Another name" });
  await ui.get("application", /^Graph of Another name/);
  assert.equal(await (await ui.get("checkbox", /CONTAINS/)).evaluate(it => it.checked), false);

  // The legend and the lesson use the same words, from the earlier to the later.
  await ui.fill("combobox", /find|search/i, "T005");
  await ui.press("option", /Lesson 5 /);
  const node = await ui.get("region", "Node");
  await ui.press("button", /^3 links/, { within: node });
  await ui.see(/Before this[^]*Needs[^]*Lesson 4 [^]*Contains, from[^]*Lesson 0 [^]*After this[^]*Is needed for[^]*Lesson 6 /, { within: node });
  console.log("48 titles");
});

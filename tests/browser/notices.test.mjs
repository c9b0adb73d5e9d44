// SPDX-License-Identifier: GPL-3.0-or-later
// notices.test.mjs wide|narrow: while notices are shown, nothing lies over the middle of anything that can be pressed and seen, and
// everything is where it is without them.
import assert from "node:assert/strict";
import { lesson, path } from "./demo.mjs";
import { covered } from "./states.mjs";
import { openVisit } from "./visit.mjs";

const { lectern, page, states, ui, at, through } = await openVisit("notices");

// A piece of news stays as long as it has the focus; on a slow machine it may be gone before, then it is asked for again.
async function news() {
  for (;;) {
    if (!(await ui.has("button", "Undo it anyway"))) await ui.press("button", /^undo (the )?last change/i);
    const action = await ui.get("button", "Undo it anyway");
    await action.focus();
    if ((await ui.focus()).name === "Undo it anyway") return;
  }
}

await through(async () => {
  await ui.fill("combobox", /find|search/i, lesson.id);
  await ui.press("option", new RegExp(lesson.title));
  await ui.get("heading", new RegExp(lesson.title), { within: await at("Node") });
  await lectern.ask("POST", `${path}/insert`, { type: "callout-box", position: 2,
    parameters: { text: "Written by somebody else, in a text that is long enough for more than one line of a notice. ".repeat(3), style: "tip" } },
  { "X-Editor": "Beatrix" });
  const places = () => page.evaluate(() => JSON.stringify([...document.querySelectorAll("section[aria-label]")].map(one => one.getBoundingClientRect())));
  let looked = 0;
  for (const name of ["Graph", "Node", "Chat"]) {
    await at(name);
    while (await ui.has("button", "Close this notice")) await ui.press("button", "Close this notice");
    assert.deepEqual([...await covered(page)], [], `${name}, without a notice`);
    const without = await places();
    await news();
    assert.equal(await places(), without, `${name}: a notice moves nothing`);
    const found = await covered(page);
    assert.ok(found.seen > 10, "there is something to press");
    assert.deepEqual([...found], [], `${name}, with a notice`);
    await ui.see("by Beatrix.");
    await states.look(name.toLowerCase());
    looked++;
  }
  // It goes when it is put away. What is too long for the line opens when it is asked for.
  await news();
  if (await ui.has("button", "More")) {
    await ui.press("button", "More");
    await states.look("opened");
    await ui.press("button", "Less");
  }
  await ui.press("button", "Close this notice");
  await ui.gone("button", "Close this notice");
  console.log(`notices in ${looked} regions`);
});

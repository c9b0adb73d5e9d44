// SPDX-License-Identifier: GPL-3.0-or-later
// drag.test.mjs wide|narrow: components of a node are moved by the pointer on their handles, a mouse or a finger; the session API
// and the page after a reload say the same order. A drag that is given up changes nothing, not even the version.
import assert from "node:assert/strict";
import { lesson, path, sid } from "./demo.mjs";
import { nameOf, until } from "./roles.mjs";
import { THEMES } from "./states.mjs";
import { openVisit } from "./visit.mjs";

const WAIT = 30_000;
const STEPS = 6;        // of one move of the pointer
const MARGIN = 90;      // pixels
const { narrow, lectern, page, states, ui, at, through } = await openVisit("drag");

async function region() {
  const node = await at("Node");
  await ui.get("heading", new RegExp(lesson.title), { within: node });
  return node;
}
const order = async () => (await lectern.ask("GET", path)).components.map(component => component.component_id);
const version = async () => (await lectern.ask("GET", `/session/${sid}/history?limit=1`)).version;
const holds = wanted => until(async () => JSON.stringify(await order()) === JSON.stringify(wanted), WAIT, () => "The order is another one.");

// A mouse's button, or a finger, from down to up.
class Pointer {
  touch(type, ...points) {
    return page.devtools.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
  }

  async down(place) {
    this.at = place;
    if (narrow) await this.touch("touchStart", place);
    else {
      await page.mouse.move(...place);
      await page.mouse.down();
    }
  }

  async move([x, y]) {
    const [fromX, fromY] = this.at;
    for (let i = 1; i <= STEPS; i++) {
      this.at = [fromX + (x - fromX) * i / STEPS, fromY + (y - fromY) * i / STEPS];
      if (narrow) await this.touch("touchMove", this.at);
      else await page.mouse.move(...this.at);
    }
  }

  up() {
    return narrow ? this.touch("touchEnd") : page.mouse.up();
  }

  // As a system does that wants the finger for itself, or a person at a keyboard.
  async giveUp() {
    if (narrow) await this.touch("touchCancel");
    else await ui.key("Escape");
  }
}

const middle = element => element.evaluate(it => {
  const { x, y, width, height } = it.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
});
const handles = node => ui.all("button", /^move .*, place \d+ of \d+$/i, { within: node });
const names = async node => (await Promise.all((await handles(node)).map(nameOf))).map(name => name.replace(/, place \d+ of \d+$/, ""));
const placeOf = handle => handle.evaluate(it => Number(/, place (\d+) of/.exec(it.computedName)[1]));
async function shows(node, wanted) {
  let now = [];
  await until(async () => JSON.stringify(now = await names(node)) === JSON.stringify(wanted), WAIT, () => `It shows ${JSON.stringify(now)}`);
}
const pressed = async (handle, wanted) => until(async () => await handle.evaluate(it => it.ariaPressed) === String(wanted), WAIT,
  () => wanted ? "The handle does not take hold." : "The handle is still held.");

// Takes hold of the component at place from (from 0) and brings it where the one at place to is; the pointer stays down. Both are
// brought into view first, away from the edges, where the list would roll.
async function drag(node, from, to) {
  const [taken, target] = [(await handles(node))[from], (await handles(node))[to]];
  await (from < to ? taken : target).evaluate((it, margin) => {
    let box = it.parentElement;
    while (!/auto|scroll/.test(getComputedStyle(box).overflowY)) box = box.parentElement;
    box.scrollBy({ top: it.getBoundingClientRect().top - box.getBoundingClientRect().top - margin, behavior: "instant" });
  }, MARGIN);
  const pointer = new Pointer();
  const began = await middle(taken);
  const box = await target.evaluate(it => it.closest("li").getBoundingClientRect().toJSON());
  await pointer.down(began);
  await pointer.move([began[0], from < to ? box.bottom - 4 : box.top + 4]);
  await pressed(taken, true);
  return { pointer, taken, began };
}

await through(async () => {
  await ui.fill("combobox", /find|search/i, lesson.id);
  await ui.press("option", new RegExp(lesson.title));
  let node = await region();
  const before = await order();
  const versionBefore = await version();
  const [one, two, three, ...others] = await names(node);

  // Given up: by Escape, by a finger that the system takes away, by a drop on its own place.
  for (const ownPlace of [false, true]) {
    const { pointer, taken, began } = await drag(node, 0, 2);
    if (ownPlace) await pointer.move(began);
    else await pointer.giveUp();
    if (!ownPlace) await pressed(taken, false);
    if (ownPlace || !narrow) await pointer.up();
    await pressed(taken, false);
    assert.equal(await placeOf(taken), 1);
  }

  // Down by two, then up by one; each of them is one change, and the only one.
  const { pointer } = await drag(node, 0, 2);
  await states.look("held", { axe: false, themes: { light: THEMES.light } });
  await pointer.up();
  const [first, second, third, ...rest] = before;
  await holds([second, third, first, ...rest]);
  assert.equal(await version(), versionBefore + 1, "what was given up left no trace");
  await ui.see("Moved.");
  await shows(node, [two, three, one, ...others]);

  const back = await drag(node, 1, 0);
  await back.pointer.up();
  const wanted = [third, second, first, ...rest];
  await holds(wanted);
  assert.equal(await version(), versionBefore + 2);

  // What is shown is what is kept.
  await shows(node, [three, two, one, ...others]);
  await page.reload({ waitUntil: "load" });
  node = await region();
  await shows(node, [three, two, one, ...others]);
  assert.deepEqual(await order(), wanted);
  await states.look("moved");
});
console.log("moved by hand, and given up");

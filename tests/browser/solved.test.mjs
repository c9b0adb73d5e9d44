// SPDX-License-Identifier: GPL-3.0-or-later
// solved.test.mjs wide|narrow: asks a question that the roles answer at the third attempt, and looks at how it went.
import assert from "node:assert/strict";
import { environment } from "./played.mjs";
import { openVisit } from "./visit.mjs";

const SWITCH = "Divide the work";
const { narrow, page, states, ui, at, ask, through } = await openVisit("solved", { environment, words: ["--planner", "model", "--llm-model", "played", "--timeout", "10", "--warm", "bare=1,data=0,plot=0"] });

const isOn = async within => (await ui.get("checkbox", SWITCH, { within })).evaluate(box => box.checked);

// The chart, open.
async function open(within) {
  await ui.press("button", /How it went: solved, 3 programs, 5 requests/, { within });
  await ui.get("table", undefined, { within });
}

async function rows(within) {
  const table = await ui.get("table", undefined, { within });
  return table.evaluate(it => [...it.tBodies[0].rows].filter(row => row.cells.length > 1)
    .map(row => [...row.cells].slice(0, 2).map(cell => cell.innerText.replace(/\s+/g, " ").trim())));
}

const STEPS = [["planner", "played"], ["coder attempt 1", "played"], ["executor attempt 1", "sandbox"], ["debugger attempt 2", "played"],
  ["executor attempt 2", "sandbox"], ["debugger attempt 3", "played"], ["executor attempt 3", "sandbox"], ["answer", "played"]];

await through(async () => {
  await ui.see("Connected");
  let within = await at("Chat");
  assert.equal(await isOn(within), false);
  await ui.press("checkbox", SWITCH, { within });
  await ask("How many nodes does this curriculum have?");
  await ui.see("Running the program, attempt 1 of 3", { within });
  await ui.see("Computed: nodes is 40", { within });
  await open(within);
  assert.deepEqual(await rows(within), STEPS);
  await ui.see("ZeroDivisionError", { within });
  await states.look("steps");

  await ui.press("button", "Attempt 1", { within });
  await ui.press("button", "Attempt 3", { within });
  await ui.get("group", /^Program of attempt 3/, { within });
  const programs = await ui.all("group", /^Program of attempt/, { within });
  assert.deepEqual(await Promise.all(programs.map(one => one.evaluate(it => it.innerText.trim().split("\n").at(-1)))),
    ["print(1 / 0)", "print(json.dumps(len(get_nodes())))"]);
  assert.equal((await ui.all("listitem", undefined, { within: await ui.get("list", "Changes", { within }) })).length, 2);
  await states.look("attempts");

  await ui.press("button", "Side by side", { within });
  const dialog = await ui.get("dialog", "Attempt 1 and Attempt 3");
  const tops = await Promise.all((await ui.all("group", /^Program of attempt/, { within: dialog })).map(one => one.evaluate(it => it.getBoundingClientRect().top)));
  assert.equal(tops.length, 2);
  assert.equal(tops[0] === tops[1], !narrow);
  await states.look("side-by-side");
  await ui.key("Escape");
  await ui.gone("dialog", "Attempt 1 and Attempt 3");

  const link = await ui.get("link", "Download the steps as JSON", { within });
  const file = await link.evaluate(async it => ({ name: it.download, text: decodeURIComponent(it.href.slice(it.href.indexOf(",") + 1)) }));
  assert.match(file.name, /^task-.*\.json$/);
  assert.deepEqual(JSON.parse(file.text).entries.filter(entry => entry.kind === "code").length, 3);

  const spans = await (await ui.get("link", "for OpenTelemetry", { within })).evaluate(async it => (await (await fetch(it.href)).json()).resourceSpans);
  assert.equal(spans.length, 1);

  await page.reload({ waitUntil: "load" });
  within = await at("Chat");
  await ui.see("Computed: nodes is 40", { within });
  assert.equal(await isOn(within), true);
  await open(within);
  assert.deepEqual(await rows(within), STEPS);
});
console.log("solved, and looked at");

// SPDX-License-Identifier: GPL-3.0-or-later
// first_minutes.test.mjs wide|narrow [STEP...]: a new user, from opening the page to a server that went away and came back.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { ANSWERED, answer, CHANGE, DELETED, FORBIDDEN, FORBIDDEN_SAID, HELLO, HELLO_SAID, ids, lesson, nodes, path, QUESTION, rows, sid, TRICK } from "./demo.mjs";
import { Lectern } from "./lectern.mjs";
import { playModel } from "./model.mjs";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { pause, Roles, until } from "./roles.mjs";
import { States, THEMES } from "./states.mjs";

const size = process.argv[2];
const narrow = size === "narrow";
const model = await playModel(rows);
const lectern = await new Lectern(model.environment).start();
const { browser, close } = await openBrowser();
const watch = new Watch();
const page = await openPage(browser, size, watch, [lectern.url]);
const states = new States(page, watch, size);
const ui = new Roles(page, { touch: narrow });

// The region, brought to the front where the page shows one at a time.
async function at(name) {
  if (narrow) await ui.press("button", name, { within: await ui.get("navigation", "Regions") });
  return ui.get("region", name);
}
const components = async () => (await lectern.ask("GET", path)).components;
const texts = async () => (await components()).map(component => component.parameters.text ?? "");
const holds = (what, condition) => until(async () => condition(await components()), 10_000, () => `It never came true: ${what}`);
const route = ["N001", "N002", "N011"];     // in the demo, the shortest way from the first to the last
const words = text => text.replace(/\s+/g, " ").slice(0, 60);

async function ask(question) {
  const chat = await at("Chat");
  await ui.fill("textbox", /^ask about/i, question, { within: chat });
  await ui.press("button", "Send", { within: chat });
  return chat;
}

const steps = {
  async open() {
    const graph = await at("Graph");
    await ui.see("Connected");
    await ui.get("application", /^graph of/i, { within: graph });
    await states.look("open");
    await ui.see(lesson.title, { within: graph });
  },

  async search() {
    await ui.fill("combobox", /find|search/i, "multiples");
    const list = await ui.get("listbox", /found/i);
    await ui.get("option", new RegExp(lesson.title), { within: list });
    await states.look("search");

    // A path: it is lit up and gone to.
    const [first, , last] = route;
    await ui.fill("combobox", /find|search/i, `${first} > ${last}`);
    await ui.press("option", new RegExp(last), { within: list });
    const graph = await ui.get("region", "Graph");
    await ui.see("A path of 3 nodes", { within: graph });
    await ui.see(route[1], { within: graph });
    await states.look("path");
    await ui.press("button", "Clear the highlight", { within: graph });
    await ui.fill("combobox", /find|search/i, "multiples");
    await ui.press("option", new RegExp(lesson.title), { within: list });
  },

  async node() {
    const node = await at("Node");
    await ui.get("heading", new RegExp(lesson.title), { within: node });
    const shown = (await ui.text(node)).replace(/\s+/g, " ");
    for (const { type, parameters } of lesson.components)
      if (typeof parameters.text === "string") assert.ok(shown.includes(words(parameters.text)), `${type}: ${words(parameters.text)}`);
    await states.look("node");
  },

  async ask() {
    const chat = await ask(QUESTION);
    await ui.get("button", "Stop", { within: chat });
    await ui.see(/Looking at \d+ nodes/, { within: chat, wait: 30_000 });   // its output as it comes
    await ui.see(`Looking at ${nodes.length} nodes`, { within: chat });
    await ui.see("analyze_graph", { within: chat });                        // its code
    await states.look("running", { axe: false, themes: { light: THEMES.light } });
    await ui.see(ANSWERED, { within: chat, wait: 30_000 });
    await ui.gone("button", "Stop", { within: chat });
    await ui.see(`${answer.length} nodes have no prerequisites`, { within: chat });
    const said = await ui.text(chat);
    assert.deepEqual(ids(said.slice(said.indexOf("have no prerequisites:"))), answer);
    assert.match(said, /\d(\.\d+)?\s?(ms|s)\b/);                             // its duration
    assert.match(said, /tokens/i);
    await states.look("answer");
    await at("Graph");
    await states.look("lit");
  },

  async refused() {
    const chat = await ask(FORBIDDEN);
    await ui.see(FORBIDDEN_SAID, { within: chat, wait: 30_000 });
    const card = await ui.get("article", /^Analysis: failed/, { within: chat });
    await ui.see(/Line 2: 'open' is not allowed\./, { within: card });      // which rule, and where
    await ui.see("print(open(title).read())", { within: card });            // the line of code
    await ui.see("read with get_nodes()", { within: card });                // what to write instead
    await states.look("refused");
  },

  async change() {
    const before = await texts();
    const chat = await ask(CHANGE);
    await ui.get("button", "Approve", { within: chat, wait: 30_000 });
    await ui.see(words(TRICK), { within: chat });                           // what will be lost
    assert.deepEqual(await texts(), before);
    await states.look("approval");
    await ui.press("button", "Approve", { within: chat });
    await ui.see(DELETED, { within: chat, wait: 30_000 });
    await ui.gone("button", "Approve", { within: chat });
    assert.deepEqual(await texts(), before.filter(text => text !== TRICK));
    await states.look("approved");
    await at("Node");
    await until(async () => !(await ui.text(await ui.get("region", "Node"))).includes(words(TRICK)), 10_000,
      () => "The node still shows what was deleted.");
  },

  async undo() {
    await ui.press("button", /^undo (the )?last change/i);
    const again = await ui.get("button", /undo it anyway/i, { wait: 1000 }).catch(() => null);
    assert.equal(again, null, "a change that was asked for here is one's own");
    await holds("the trick is back", all => all.some(component => component.parameters.text === TRICK));
    await ui.see(words(TRICK), { within: await at("Node") });
    await states.look("undone");
  },

  async edit() {
    const node = await at("Node");
    await ui.press("button", /^edit.*paragraph/i, { within: node });
    const form = await ui.get("form", /paragraph/i, { within: node });
    const field = await ui.get("textbox", /text/i, { within: form });
    await field.evaluate(it => it.setSelectionRange(it.value.length, it.value.length));
    await field.focus();
    await page.keyboard.type(" Learn one and get four.");
    await states.look("editing");
    await ui.press("button", "Save", { within: form });
    await holds("the text is saved", all => all.some(component => component.parameters.text?.endsWith("Learn one and get four.")));
    await ui.see("Learn one and get four.", { within: node });
    await states.look("edited");
  },

  // A form that nobody wrote in leaves nothing, neither in the page nor over a reload.
  async untouched() {
    const node = await at("Node");
    const drafts = () => page.evaluate(() => Object.keys(localStorage).filter(key => key.startsWith("lectern.draft/")));
    for (const leave of ["Escape", "Cancel"]) {
      await ui.press("button", "Add a component", { within: node });
      await ui.press("button", /^Heading/, { within: node });
      await ui.get("form", "New: Heading", { within: node });
      await until(async () => (await ui.focus()).role === "textbox", 10_000, () => "The form does not take the focus.");
      if (leave === "Escape") await page.keyboard.press("Escape");
      else await ui.press("button", "Cancel", { within: node });
      await ui.get("button", "Add a component", { within: node });
      assert.deepEqual(await drafts(), []);
    }
    await ui.press("button", "Add a component", { within: node });
    await ui.press("button", /^Heading/, { within: node });
    await ui.get("form", "New: Heading", { within: node });
    await page.reload({ waitUntil: "load" });
    const again = await at("Node");
    await ui.get("button", "Add a component", { within: again });
    assert.ok(!(await ui.has("form", "New: Heading", { within: again })));
  },

  // A question and a code exercise by their forms, and the answers of the session API.
  async exercises() {
    const node = await at("Node");
    const add = async label => {
      await ui.press("button", "Add a component", { within: node });
      await ui.press("button", new RegExp(`^${label} `), { within: node });
      return ui.get("form", `New: ${label}`, { within: node });
    };
    const choose = async (label, value, within) => (await ui.get("combobox", label, { within })).select(value);
    const field = async (label, text, within) => ui.fill("textbox", label, text, { within });
    const stored = async type => (await components()).filter(component => component.type === type).map(component => component.parameters);
    const saved = (type, parameters) => until(async () => isDeepStrictEqual((await stored(type)).at(-1), parameters), 10_000,
      () => `The ${type} is not stored as ${JSON.stringify(parameters)}.`).catch(async error => {
      throw new Error(`${error.message} There are: ${JSON.stringify(await stored(type))}`);
    });

    let form = await add("Question");
    await field("Question", "Which is a multiple of 6?", form);
    await field("Option 1", "15", form);
    await ui.key("Enter");
    await page.keyboard.type("18");
    await choose(/^Answer 1/, "18", form);
    await states.look("question-form");
    await ui.press("button", "Add", { within: form });
    await saved("question", { prompt: "Which is a multiple of 6?", kind: "choice", options: ["15", "18"], answer: "18" });
    await ui.gone("form", "New: Question", { within: node });

    // Of another kind it has other fields.
    await ui.press("button", /^Edit Question: /, { within: node });
    form = await ui.get("form", /^Edit: Question/, { within: node });
    await choose("Answered with", "number", form);
    await ui.gone("textbox", "Option 1", { within: form });
    await ui.fill("spinbutton", /^Tolerance/, "0.05", { within: form });
    await ui.press("button", "Save", { within: form });
    await saved("question", { prompt: "Which is a multiple of 6?", kind: "number", answer: "18", tolerance: 0.05 });

    form = await add("Code exercise");
    await field("Task", "Write a function for the area of a rectangle.", form);
    await field(/^Starter code/, "def area(a, b):", form);
    await field("Function", "area()", form);
    await field(/^Arguments/, "[2, 3.0", form);
    await field(/^Expected result/, "6.0", form);
    await ui.press("button", "One more case", { within: form });
    const second = await ui.get("group", "Case 2", { within: form });
    await choose("Kind", "The whole program", second);
    await field(/^Input/, "2 3", second);
    await field(/^Expected output/, "6", second);
    await ui.press("checkbox", "Hidden from learners", { within: second });
    await ui.press("button", "Move case 2 up", { within: form });
    await ui.press("button", "Add the first hint", { within: form });
    await page.keyboard.type("Multiply.");
    await ui.press("button", "Add", { within: form });
    await ui.see("Is not JSON", { within: await ui.get("group", "Case 2", { within: form }) });
    await states.look("exercise-form");

    // The text is still there, also over a reload.
    await page.reload({ waitUntil: "load" });
    const again = await at("Node");
    form = await ui.get("form", "New: Code exercise", { within: again });
    const args = await ui.get("textbox", /^Arguments/, { within: form });
    assert.equal(await args.evaluate(it => it.value), "[2, 3.0");
    await field(/^Arguments/, "[2, 3.0]", form);
    await watch.excuse([/422/], async () => {
      await ui.press("button", "Add", { within: form });
      await ui.see("Must be the name of a function", { within: form });     // the server's rule
    });
    await until(async () => (await ui.focus()).name === "Function", 10_000, () => "The wrong field does not take the focus.");
    await field("Function", "area", form);
    await ui.press("button", "Add", { within: form });
    const exercise = { prompt: "Write a function for the area of a rectangle.", starter: "def area(a, b):", hints: ["Multiply."],
      cases: [{ stdin: "2 3", stdout: "6", hidden: true }, { call: "area", args: [2, { py: "3.0" }], expect: { py: "6.0" } }] };
    await saved("exercise-code", exercise);
    await ui.gone("form", "New: Code exercise", { within: again });
    await ui.see("area(2, 3.0)", { within: again });
    await ui.see("And 1 hidden case", { within: again });
    assert.ok(!(await ui.text(again)).includes("Multiply."), "hints are for the author");
    await ui.press("", "For the author", { within: again, nth: -1 });    // Chromium computes no role of a summary
    await ui.see("Multiply.", { within: again });
    await ui.see("2 3", { within: again });
    await states.look("exercise");
  },

  async reorder() {
    const node = await at("Node");
    const before = (await components()).map(component => component.component_id);
    const handle = await ui.get("button", /^move paragraph/i, { within: node });
    await handle.focus();
    await ui.key("Space", "ArrowDown", "Space");
    const [first, second, ...rest] = before;
    await holds("the order is the new one", all =>
      JSON.stringify(all.map(component => component.component_id)) === JSON.stringify([first, rest[0], second, ...rest.slice(1)]));
    await states.look("reordered");
  },

  async reload() {
    await page.reload({ waitUntil: "load" });
    const node = await at("Node");
    await ui.get("heading", new RegExp(lesson.title), { within: node });
    const chat = await at("Chat");
    await ui.see(DELETED, { within: chat });
    await ui.see(QUESTION, { within: chat });
    assert.ok(!(await ui.has("button", "Approve")), "what was approved is not asked again");
    await states.look("reloaded");
  },

  async other() {
    const node = await at("Node");
    await ui.get("heading", new RegExp(lesson.title), { within: node });
    await lectern.ask("POST", `${path}/insert`, { type: "callout-box", position: 2,
      parameters: { text: "Written by somebody else just now.", style: "tip" } }, { "X-Editor": "Beatrix" });
    await ui.see("Written by somebody else just now.", { within: node });
    await ui.see("Beatrix", { within: node });
    await states.look("other");
  },

  async stale() {
    const node = await at("Node");
    const trickNow = (await components()).find(component => component.parameters.text === TRICK);
    await ui.press("button", /^edit.*memory/i, { within: node });
    const form = await ui.get("form", /memory/i, { within: node });
    await ui.fill("textbox", /trick/i, "Mine: factors are few.", { within: form });
    await lectern.ask("PUT", `${path}/${trickNow.order}`, { component_id: trickNow.component_id, type: "memory-trick",
      parameters: { text: "Theirs: multiples are many." } }, { "X-Editor": "Beatrix" });
    await ui.press("button", "Show both", { within: node });
    await ui.see(/Mine: factors are few\.[^]*Theirs: multiples are many\./, { within: node });
    await states.look("stale");
    await ui.press("button", "Keep mine", { within: node });
    await holds("mine is kept", all => all.find(one => one.component_id === trickNow.component_id).parameters.text === "Mine: factors are few.");
  },

  async lost() {
    const node = await at("Node");
    await ui.press("button", /^edit.*heading/i, { within: node });
    const form = await ui.get("form", /heading/i, { within: node });
    await ui.fill("textbox", /heading/i, "A heading that nobody saved", { within: form });
    const chat = await at("Chat");
    await ui.fill("textbox", /^ask about/i, HELLO, { within: chat });
    await watch.excuse([/ERR_CONNECTION|ERR_EMPTY_RESPONSE|WebSocket connection|ERR_INCOMPLETE/], async () => {
      await lectern.kill();
      await ui.see(/connection lost/i);
      await states.look("lost");
      // Somebody works on the curriculum where the page cannot hear of it.
      const elsewhere = await new Lectern(model.environment).start();
      await elsewhere.ask("POST", `/session/${sid}/nodes`, { node_id: "AWAY", title: "It came meanwhile" });
      await elsewhere.stop();
      await lectern.start();
      await ui.see("Connected", { wait: 30_000 });
    });
    await ui.get("application", new RegExp(`^graph of .*: ${nodes.length + 1} nodes`, "i"), { within: await at("Graph") });
    await at("Chat");
    assert.equal(await (await ui.get("textbox", /^ask about/i, { within: chat })).evaluate(it => it.value), HELLO);
    await ui.press("button", "Send", { within: chat });
    await ui.see(HELLO_SAID, { within: chat, wait: 30_000 });
    await ui.see(DELETED, { within: chat });
    await at("Node");
    await ui.see("A heading that nobody saved", { within: node });
    await ui.press("button", "Save", { within: node });
    await holds("the draft is saved", all => all[0].parameters.text === "A heading that nobody saved");
    await states.look("back");
  },

  async keyless() {
    await watch.excuse([/ERR_CONNECTION|ERR_EMPTY_RESPONSE|WebSocket connection|ERR_INCOMPLETE/], async () => {
      await lectern.kill();
      lectern.environment = { ...process.env };
      await lectern.start();
      await page.reload({ waitUntil: "load" });
    });
    const chat = await at("Chat");
    await ui.see("ANTHROPIC_API_KEY", { within: chat });
    await ui.see(DELETED, { within: chat });
    await states.look("keyless");
    await ui.see("A heading that nobody saved", { within: await at("Node") });
  },
};

const chosen = Object.entries(steps).filter(([name]) => process.argv.length < 4 || process.argv.includes(name, 3));
let done = 0;
try {
  await page.goto(lectern.url, { waitUntil: "load" });
  for (const [name, step] of chosen) {
    const began = Date.now();
    await step().catch(async error => {
      await states.shoot(`failed-${size}-${name}`).catch(() => {});
      error.message = `${name}, ${size}: ${error.message}`;
      throw error;
    });
    done++;
    console.log(`${name}: ${Date.now() - began} ms`);
  }
} finally {
  for (const fault of watch.faults) console.log(fault);
  await close();
  if (done < chosen.length) console.log(lectern.log.slice(-20).join("\n"));
  await lectern.stop();
  await model.close();
}
assert.deepEqual(watch.faults, []);
await pause(0);
console.log(`${done} steps`);

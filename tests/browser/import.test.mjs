// SPDX-License-Identifier: GPL-3.0-or-later
// import.test.mjs wide|narrow, on an empty store: a sheet in German, a folder of notes, broken and too many files, an update that is undone,
// a graph whose edges have no type. What the page shows is also asked for by the session API, and nothing is written before it is confirmed.
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { until } from "./roles.mjs";
import { openVisit } from "./visit.mjs";

const { lectern, narrow, page, states, ui, watch, through } = await openVisit("import", { words: ["--no-demo"] });
const place = fs.mkdtempSync(path.join(os.tmpdir(), "import-"));
const SHEET = "Id;Titel;Voraussetzungen;Stunden\nL1;Zählen;;2\nL2;Addieren;L1;3\nL3;Malnehmen;\"L1; Addieren; Raten\";4\n";

// A file of the test, and its path.
function write(name, text) {
  const file = path.join(place, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
}

const sessions = async () => (await lectern.ask("GET", "/sessions")).sessions;
const titles = async () => (await sessions()).map(one => one.title).sort();
const sidOf = async title => (await sessions()).find(one => one.title === title).session_id;
const nodesOf = async sid => (await lectern.ask("GET", `/session/${sid}/nodes`)).nodes;
const edgesOf = async sid => (await lectern.ask("GET", `/session/${sid}/relationships`)).relationships
  .map(each => `${each.from_node_id} ${each.relationship_type} ${each.to_node_id}`).sort();
const versionOf = async sid => (await lectern.ask("GET", `/session/${sid}/history?limit=1`)).changes[0].version;
const shown = title => until(async () => (await (await ui.get("combobox", "Curriculum")).evaluate(it => it.selectedOptions[0]?.text)) === title,
  10_000, () => `The bar does not show ${title}.`);

const focused = () => page.evaluate(() => document.activeElement !== document.body);

async function open() {
  await ui.press("button", "New, import, rename or delete curriculum");
  await ui.press("menuitem", "Import…");
  return ui.get("dialog", "Import a curriculum");
}

// By a button of the dialog.
async function choose(dialog, button, ...files) {
  const [chooser] = await Promise.all([page.waitForFileChooser(), ui.press("button", button, { within: dialog })]);
  await chooser.accept(files);
}

// As by a hand that holds files over the page.
async function drop(...files) {
  const data = { items: [], files, dragOperationsMask: 1 };
  const { width, height } = page.viewport();
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await page.devtools.send("Input.dispatchDragEvent", { type, x: width / 2, y: height / 2, data });
    if (type === "dragOver") await states.shoot("import-held-over-the-page");
  }
}

// What a reader of screens is told of the state of the dialog, and by one place alone.
async function told(dialog, text) {
  await ui.see(text, { within: await ui.get("status", undefined, { within: dialog }) });
  assert.equal((await ui.all("status", undefined, { within: dialog })).length, 1);
}

async function sheet() {
  await ui.get("heading", "No curriculum yet");
  await ui.press("button", "Import…");
  const dialog = await ui.get("dialog", "Import a curriculum");
  await until(async () => (await ui.focus()).name === "Choose files…", 10_000, () => "The focus is not at the first button.");
  await states.look("empty");

  await choose(dialog, "Choose files…", write("lessons.csv", SHEET));
  await told(dialog, /^Read: 3 lessons, 0 components, 3 links\. How it was read: \d.* Nothing is written yet\.$/);
  await ui.see(/1 file, \d+ bytes:\s+lessons\.csv/, { within: dialog });
  await ui.see(/Malnehmen\s+L3\s+0 components, needs Zählen, Addieren/, { within: dialog });
  const report = await ui.get("region", "Report", { within: dialog });
  await ui.see(/How it was read \(1\)\s+relationships PREREQUISITE from the column 'Voraussetzungen'\s+3 times\s+lessons\.csv/, { within: report });
  await ui.see(/Left out \(1\)\s+'Voraussetzungen' names neither .*\s+lessons\.csv, line 4: “Raten”/, { within: report });
  await ui.see("Kept in another form: nothing", { within: report });
  assert.equal(await ui.has("radio", undefined, { within: dialog }), false, "there is neither a curriculum to update nor an edge without a type");
  assert.deepEqual(await titles(), [], "a dry run writes nothing");
  await states.look("sheet");

  await ui.press("button", "Cancel", { within: dialog });
  await ui.gone("dialog");
  assert.equal(await focused(), true);
  assert.deepEqual(await titles(), []);

  // By the keyboard alone.
  await ui.go("button", "Import…");
  await ui.key("Enter");
  await ui.get("dialog", "Import a curriculum");
  await ui.go("button", "Choose files…");
  const [chooser] = await Promise.all([page.waitForFileChooser(), ui.key("Enter")]);
  await chooser.accept([path.join(place, "lessons.csv")]);
  await ui.see("Read: 3 lessons");
  await ui.go("textbox", /^Title/);
  await page.keyboard.type("Rechnen");
  await ui.key("Enter");
  await shown("Rechnen");
  await ui.gone("dialog");
  await ui.see(/“Rechnen” is imported: 3 lessons, 0 components, 3 links\. How it was read: \d/, { within: await ui.get("contentinfo") });
  await until(focused, 10_000, () => "The focus has fallen to the body.");
  const sid = await sidOf("Rechnen");
  assert.deepEqual((await nodesOf(sid)).map(each => each.title), ["Zählen", "Addieren", "Malnehmen"]);
  assert.deepEqual(await edgesOf(sid), ["L1 PREREQUISITE L2", "L1 PREREQUISITE L3", "L2 PREREQUISITE L3"]);

  // The same report, once more.
  await ui.press("button", "Report", { within: await ui.get("contentinfo") });
  const again = await ui.get("dialog", "The import of “Rechnen”");
  await ui.see("Raten", { within: again });
  await states.look("report");
  await ui.press("button", "Close", { within: again });
}

// Of a folder; what is hidden in it is no note.
async function notes() {
  write("notes/counting.md", "# Counting\n\nOne, two, three.\n");
  write("notes/adding.md", "---\nrequires: [counting]\n---\n# Adding\n\nTwo and three are five.\n");
  write("notes/more/taking away.md", "# Taking away\n\nSee [[adding]].\n");
  write("notes/.obsidian/app.json", "{}");
  const dialog = await open();
  if (narrow) await choose(dialog, "Choose a folder…", path.join(place, "notes"));
  else await drop(path.join(place, "notes"));
  await told(dialog, "Read: 3 lessons");
  await ui.see(/3 files, \d+ bytes:\s+notes\/adding\.md, notes\/counting\.md, notes\/more\/taking away\.md\. 1 hidden item skipped\./, { within: dialog });
  await states.look("folder");
  await ui.fill("textbox", /^Title/, "Notes", { within: dialog });
  await ui.press("button", "Import", { within: dialog });
  await shown("Notes");
  const sid = await sidOf("Notes");
  assert.deepEqual((await nodesOf(sid)).map(each => each.title).sort(), ["Adding", "Counting", "Taking away"]);
  assert.equal((await edgesOf(sid)).filter(each => each.includes("PREREQUISITE")).length, 1);
}

// Refused in words, and what was chosen stays chosen.
async function broken() {
  const before = await titles();
  const dialog = await open();
  await watch.excuse([/\b4\d\d\b/], async () => {
    await choose(dialog, "Choose files…", write("broken.json", "{\"nodes\": [{\"node_id\": \"A\", \"title\": "));
    await ui.see(/not JSON.*line 1, column 37/, { within: await ui.get("alert", undefined, { within: dialog }) });
    await ui.see("broken.json", { within: dialog });
    await states.look("broken");
    const button = await ui.get("button", "Import", { within: dialog });
    assert.equal(await button.evaluate(it => it.ariaDisabled), "true");
    await ui.key("Enter");
    await ui.press("button", "Read again", { within: dialog });
    await ui.get("alert", undefined, { within: dialog });
  });

  // The server away: the same files are read again when it is back.
  await watch.excuse([/ERR_INTERNET_DISCONNECTED|WebSocket/], async () => {
    await page.setOfflineMode(true);
    await choose(dialog, "Choose other files…", write("away.json", "{\"nodes\": [{\"node_id\": \"A\", \"title\": \"Here\"}]}"));
    await ui.see("The server does not answer", { within: await ui.get("alert", undefined, { within: dialog }) });
    await page.setOfflineMode(false);
    await ui.press("button", "Read again", { within: dialog });
    await told(dialog, /^Read: 1 lesson,/);
  });

  // More than one body holds is refused before anything is sent, and names the command.
  const large = path.join(place, "large.csv");
  fs.writeFileSync(large, Buffer.alloc(12_000_001, "x"));
  await choose(dialog, "Choose other files…", large);
  await ui.see("lectern import PATH", { within: await ui.get("alert", undefined, { within: dialog }) });
  await ui.see("away.json", { within: dialog });
  await states.look("too-large");

  // The corrected one, by the same dialog.
  await choose(dialog, "Choose other files…", write("broken.json", "{\"nodes\": [{\"node_id\": \"A\", \"title\": \"Right\"}]}"));
  await told(dialog, "Read: 1 lesson");
  assert.equal(await ui.has("alert", undefined, { within: dialog }), false);
  await ui.key("Escape");
  await ui.gone("dialog");
  assert.deepEqual(await titles(), before);
}

// Over the open curriculum, in one change that is undone.
async function update() {
  const select = await ui.get("combobox", "Curriculum");
  const sid = await sidOf("Rechnen");
  await select.select(sid);
  await shown("Rechnen");
  await ui.see("3 nodes, 3 links");
  const before = [await nodesOf(sid), await edgesOf(sid)], version = await versionOf(sid);
  const dialog = await open();
  await choose(dialog, "Choose files…", write("lessons.csv", "Id;Titel;Voraussetzungen;Stunden\nL1;Zählen bis zehn;;2\nL2;Addieren;L1;3\nL4;Teilen;L2;5\n"));
  await told(dialog, "Read: 3 lessons");
  await ui.press("radio", /^an update of Rechnen/, { within: dialog });
  await ui.see(/Added\s+1 lesson, 1 link: Teilen/, { within: dialog });
  await ui.see(/Updated\s+1 lesson, 0 links: Zählen bis zehn/, { within: dialog });
  await ui.see(/Not in the files, kept\s+1 lesson, 2 links: Malnehmen/, { within: dialog });
  await states.look("update");
  await ui.press("checkbox", "Delete lessons that the files do not have", { within: dialog });
  await ui.see("Not in the files, deleted", { within: dialog });
  await told(dialog, "Read: 3 lessons");
  assert.equal(await versionOf(sid), version, "a dry run writes nothing");
  await ui.press("button", "Update", { within: dialog });
  await ui.gone("dialog");
  const line = await ui.get("contentinfo");
  await ui.see("“Rechnen” is updated: 1 lesson added, 1 lesson updated, 1 lesson deleted", { within: line });
  assert.deepEqual((await nodesOf(sid)).map(each => each.title).sort(), ["Addieren", "Teilen", "Zählen bis zehn"]);
  assert.deepEqual(await edgesOf(sid), ["L1 PREREQUISITE L2", "L2 PREREQUISITE L4"]);
  assert.equal((await lectern.ask("GET", `/session/${sid}/history?limit=1`)).changes.length, 1);
  await states.look("updated");
  await ui.press("button", "Undo", { within: line });
  await ui.see("Undone: the import into “Rechnen”.", { within: line });
  assert.deepEqual((await nodesOf(sid)).map(({ node_id, title }) => ({ node_id, title })), before[0].map(({ node_id, title }) => ({ node_id, title })));
  assert.deepEqual(await edgesOf(sid), before[1]);
}

// Edges without a type are asked about; what is dropped on the page itself opens the dialog.
async function graph() {
  const file = write("graph.json", JSON.stringify({ directed: true, nodes: [{ id: "a" }, { id: "b" }], links: [{ source: "a", target: "b" }] }));
  const dialog = narrow ? await open() : (await drop(file), await ui.get("dialog", "Import a curriculum"));
  if (narrow) await choose(dialog, "Choose files…", file);
  await told(dialog, "Read: 2 lessons, 0 components, 1 link");
  await ui.press("radio", /is needed for the later one/, { within: dialog });
  await ui.see("read as PREREQUISITE", { within: dialog });
  await states.look("graph");
  await ui.fill("textbox", /^Title/, "Graph", { within: dialog });
  await ui.press("button", "Import", { within: dialog });
  await shown("Graph");
  assert.deepEqual(await edgesOf(await sidOf("Graph")), ["a PREREQUISITE b"]);
}

await through(async () => {
  await sheet();
  await notes();
  await broken();
  await update();
  await graph();
  fs.rmSync(place, { recursive: true });
  console.log("chosen, looked at, imported");
});

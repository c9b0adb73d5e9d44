// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Dropped } from "../base/importing";
import { base64, BYTES_CAP, choose, chooseDropped, chooseListed, encode, FILES_CAP, sizeWords } from "./files";

const named = (...names: string[]) => names.map(name => ({ name, file: new Blob(["x"]) }));
const names = (of: { files: { name: string }[] }) => of.files.map(each => each.name);

test("files are in the order of their names, hidden ones of a folder are counted and skipped", () => {
  const choice = choose(named("notes/b.md", "notes/.obsidian/app.json", "notes/a.md", "notes/.DS_Store"));
  assert.deepEqual(names(choice), ["notes/a.md", "notes/b.md"]);
  assert.equal(choice.hidden, 2);
  assert.deepEqual(names(choose(named(".vault/a.md"))), [".vault/a.md"], "a hidden folder that is itself chosen");
  assert.deepEqual(names(choose(named(".lessons.csv"))), [".lessons.csv"], "a hidden file that is itself chosen");
});

test("a file of a folder is listed by its path in it", () => {
  const file = Object.assign(new Blob(["x"]), { name: "a.md", webkitRelativePath: "notes/a.md" }) as unknown as File;
  const alone = Object.assign(new Blob(["x"]), { name: "b.md", webkitRelativePath: "" }) as unknown as File;
  assert.deepEqual(names(chooseListed([file, alone])), ["b.md", "notes/a.md"]);
});

test("what cannot be imported is refused in words", () => {
  assert.throws(() => choose([]), /no files/);
  assert.throws(() => choose(named("notes/.hidden")), /hidden/);
  assert.throws(() => choose(named("a.md", "a.md")), /Two files are named a\.md/);
  const most = Array.from({ length: FILES_CAP }, (_, i) => `n/${i}.md`);
  assert.equal(choose(named(...most)).files.length, FILES_CAP);
  assert.throws(() => choose(named(...most, "n/more.md")), /4001 files.*up to 4000.*lectern import/);
  const blob = (size: number) => ({ size }) as unknown as Blob;
  assert.equal(choose([{ name: "a", file: blob(BYTES_CAP - 1) }]).bytes, BYTES_CAP);
  assert.throws(() => choose([{ name: "a", file: blob(BYTES_CAP) }]), /12\.0 MB.*lectern import/);
});

// Folders as a browser gives them: listed by parts, and empty at the end.
const PART = 2;
const folder = (name: string, ...children: unknown[]) => ({ name, isFile: false, isDirectory: true, createReader: () => {
  let at = 0;
  return { readEntries: (done: (part: unknown[]) => void) => done(children.slice(at, at += PART)) };
} });
const entry = (name: string, text = "x") => ({ name, isFile: true, isDirectory: false, file: (done: (file: Blob) => void) => done(new Blob([text])) });
const dropped = (...entries: unknown[]) => chooseDropped(entries as Dropped);

test("dropped folders are read with all that is in them", async () => {
  const choice = await dropped(folder("notes", entry("a.md"), folder("deep", entry("b.md"), entry("c.md"), entry("d.md")), folder(".git", entry("HEAD")), entry("e.md")),
    entry("alone.csv"), Object.assign(new Blob(["x"]), { name: "file.json" }));
  assert.deepEqual(names(choice), ["alone.csv", "file.json", "notes/a.md", "notes/deep/b.md", "notes/deep/c.md", "notes/deep/d.md", "notes/e.md"]);
  assert.equal(choice.hidden, 1);
});

test("folders without end are refused", async () => {
  const endless = { name: "again", isFile: false, isDirectory: true } as { createReader?: () => unknown };
  endless.createReader = () => {
    let read = false;
    return { readEntries: (done: (part: unknown[]) => void) => { done(read ? [] : [endless]); read = true; } };
  };
  const said = await dropped(endless).then(() => "", String);
  assert.match(said, /32 folders deep/);
});

test("bytes are encoded whole, also where they are many", async () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, i) => i * 7);
  assert.deepEqual(Uint8Array.from(atob(base64(bytes)), letter => letter.charCodeAt(0)), bytes);
  assert.deepEqual(await encode(choose([{ name: "é.md", file: new Blob(["Zählen"]) }])), [{ name: "é.md", base64: "WsOkaGxlbg==" }]);
  const lost = { size: 1, arrayBuffer: () => Promise.reject(new Error("NotReadableError")) } as unknown as Blob;
  assert.match(await encode(choose([{ name: "lost.md", file: lost }])).then(() => "", String), /lost\.md cannot be read/);
});

test("sizes are in words", () => {
  assert.deepEqual([1, 999, 1499, 12_000_000].map(sizeWords), ["1 byte", "999 bytes", "1 kB", "12.0 MB"]);
});

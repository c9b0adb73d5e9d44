// SPDX-License-Identifier: GPL-3.0-or-later
// The files that are chosen or dropped, with their names in their folder, and their form in the body of an import. Hidden files of a
// folder are skipped, as by the command.
import type { Dropped } from "../base/importing";
import { plural } from "../base/words";

export interface Chosen { name: string; file: Blob }
export interface Choice { files: Chosen[]; bytes: number; hidden: number }

// The server takes a body of 16 MiB, in which three bytes of a file are four.
export const BYTES_CAP = 12_000_000;
export const FILES_CAP = 4000;
const DEPTH_CAP = 32; // folders in folders
const CHUNK = 24_576; // bytes that are encoded at once; a multiple of 3

export function sizeWords(bytes: number): string {
  if (bytes < 1000) return plural(bytes, "byte");
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const BY_COMMAND = "A larger import is made by the command lectern import PATH.";

// Of a path in a folder: some part after the folder's own name begins with a full stop.
const isHidden = (name: string) => name.split("/").slice(1).some(part => part.startsWith("."));

// The choice, in the order of the names; throws in words where it cannot be imported.
export function choose(all: Iterable<Chosen>): Choice {
  const files: Chosen[] = [];
  let bytes = 0, hidden = 0;
  for (const each of all) {
    if (isHidden(each.name)) hidden++;
    else {
      files.push(each);
      bytes += each.file.size + each.name.length;
    }
  }
  if (files.length === 0) throw new Error(hidden > 0 ? "All files in this folder are hidden ones. Choose one with files whose names do not begin with a full stop."
    : "There are no files in it. Choose a file, or a folder that has some.");
  if (files.length > FILES_CAP) throw new Error(`These are ${files.length} files; the page imports up to ${FILES_CAP} at once. ${BY_COMMAND}`);
  if (bytes > BYTES_CAP) throw new Error(`These files have ${sizeWords(bytes)}; the page imports up to ${sizeWords(BYTES_CAP)} at once. ${BY_COMMAND}`);
  files.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const twice = files.find((each, i) => files[i + 1]?.name === each.name);
  if (twice) throw new Error(`Two files are named ${twice.name}. Choose the folder that has both.`);
  return { files, bytes, hidden };
}

export const chooseListed = (list: Iterable<File>): Choice => choose([...list].map(file => ({ name: file.webkitRelativePath || file.name, file })));

// ---- what was dropped ----

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((done, failed) => entry.file(done, failed));

// A folder is listed by parts, until a part is empty.
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader(), found: FileSystemEntry[] = [];
  for (;;) {
    const more = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (more.length === 0 || found.length > FILES_CAP) return found;
    found.push(...more);
  }
}

// A folder that is hidden counts as one file.
async function collect(entry: FileSystemEntry, name: string, found: Chosen[], depth: number): Promise<void> {
  if (found.length > FILES_CAP) return; // choose() says so
  if (isHidden(name)) found.push({ name, file: new Blob() });
  else if (entry.isFile) found.push({ name, file: await fileOf(entry as FileSystemFileEntry) });
  else if (depth >= DEPTH_CAP) throw new Error(`${name} is a folder more than ${DEPTH_CAP} folders deep. ${BY_COMMAND}`);
  else for (const child of await childrenOf(entry as FileSystemDirectoryEntry)) await collect(child, `${name}/${child.name}`, found, depth + 1);
}

export async function chooseDropped(dropped: Dropped): Promise<Choice> {
  const found: Chosen[] = [];
  for (const each of dropped) {
    if (each instanceof Blob) found.push({ name: each.name, file: each });
    else await collect(each, each.name, found, 0);
  }
  return choose(found);
}

// ---- as the body of an import ----

export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  return text;
}

export function encode(choice: Choice): Promise<{ name: string; base64: string }[]> {
  return Promise.all(choice.files.map(async ({ name, file }) => {
    try {
      return { name, base64: base64(new Uint8Array(await file.arrayBuffer())) };
    } catch {
      throw new Error(`${name} cannot be read: it was changed or removed after it was chosen. Choose it again.`);
    }
  }));
}

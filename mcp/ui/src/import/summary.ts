// SPDX-License-Identifier: GPL-3.0-or-later
// An import's answer in words: counts, the parts of its report in the words of the command, places. Pure.
import type { Finding, Imported } from "../base/types";
import { plural } from "../base/words";

export const PARTS = [
  { part: "read", words: "How it was read", none: "nothing to note" },
  { part: "changed", words: "Kept in another form", none: "nothing" },
  { part: "leftOut", words: "Left out", none: "nothing" },
  { part: "rules", words: "Kept as it is, though it breaks the rules", none: "nothing" },
] as const;
export const CHANGES = [
  { kind: "added", words: "Added" },
  { kind: "updated", words: "Updated" },
  { kind: "unchanged", words: "Unchanged" },
  { kind: "missing", words: "Not in the files" },
] as const;

// What was read. An update tells what becomes of it instead.
export function readOf({ nodes, relationships, changes }: Imported): { lessons: number; links: number } {
  if (!changes) return { lessons: nodes ?? 0, links: relationships ?? 0 };
  const read = [changes.added, changes.updated, changes.unchanged];
  return { lessons: read.reduce((sum, each) => sum + each.nodes, 0), links: read.reduce((sum, each) => sum + each.relationships, 0) };
}
export function countsOf(of: Imported): string {
  const { lessons, links } = readOf(of);
  return [plural(lessons, "lesson"), of.components === undefined ? "" : plural(of.components, "component"), plural(links, "link")].filter(Boolean).join(", ");
}

export const isClean = ({ report }: Imported) => PARTS.every(({ part }) => report[part].length === 0);

// "How it was read: 2; left out: 1": occurrences, not reasons.
export function shortReport(of: Imported): string {
  const counted = PARTS.map(({ part, words }) => ({ words, count: of.report[part].reduce((sum, each) => sum + each.count, 0) }));
  const said = counted.filter(each => each.count > 0).map(({ words, count }) => `${words}: ${count}`);
  return said.length === 0 ? "Nothing was changed or left out." : `${said.join(". ")}.`;
}

export function placeWords({ file, line, value }: Finding["places"][number]): string {
  const where = [file, line ? `line ${line}` : ""].filter(Boolean).join(", ");
  return [where, value === undefined ? "" : `“${value}”`].filter(Boolean).join(": ");
}

// How many occurrences have no place in the list. A shorter list is whole: one of its places, such as a column, has many occurrences.
const PLACES_CAP = 5; // FINDINGS_PLACES_CAP
export const unlisted = ({ count, places }: Finding) => (places.length < PLACES_CAP ? 0 : Math.max(0, count - places.length));

// Whether the type that relationships without one get is for the person to choose.
export const hasUntyped = ({ report }: Imported) => PARTS.some(({ part }) => report[part].some(each => /without a type/.test(each.reason)));

// What an import into a curriculum has done, for a notice.
export function updateWords(of: Imported, title: string, deleted: boolean): string {
  const { added, updated, missing } = of.changes!;
  if (!of.change_set) return `“${title}” has all of it already: nothing was changed.`;
  const counts = [[added, "added"], [updated, "updated"], ...(deleted ? [[missing, "deleted"] as const] : [])] as const;
  const links = counts.map(([{ relationships }, words]) => (relationships > 0 ? `${plural(relationships, "link")} ${words}` : ""));
  const lessons = counts.map(([{ nodes }, words]) => (nodes > 0 ? `${plural(nodes, "lesson")} ${words}` : ""));
  return `“${title}” is updated: ${[...lessons, ...links].filter(Boolean).join(", ")}.`;
}

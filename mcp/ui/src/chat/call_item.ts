// SPDX-License-Identifier: GPL-3.0-or-later
// A tool call in the chat: when it begins, and when its result has arrived.
import { contentPictures, contentText, count, fields, text, textOrNull, type Fields } from "./frame";
import { plain } from "./output";
import type { CallItem } from "./view";

// metadata: as a TOOL_CALL_START has it, and a call of a snapshot.
export function newCall(id: string, name: string, metadata: unknown): CallItem {
  const { title, icon } = fields(metadata);
  return {
    kind: "call",
    id,
    name,
    title: text(title),
    icon: text(icon),
    args: "",
    state: "writing",
    changeSet: null,
    startedAt: null,
    milliseconds: null,
    stands: "",
    output: "",
    result: null,
    pictures: [],
    category: null,
    repair: 0,
    repairsMax: 0,
    answer: null,
  };
}

// event: a TOOL_CALL_RESULT, or the tool's message in a snapshot.
export function withResult(call: CallItem, event: Fields): CallItem {
  const metadata = fields(event.metadata);
  const category = textOrNull(metadata.category);
  const failed = metadata.isError === true || (event.role === "tool" && typeof event.error === "string");
  const declined = failed && (call.answer === "declined" || category === "declined");
  return {
    ...call,
    state: declined ? "declined" : failed && category === "cancelled" ? "stopped" : failed ? "failed" : "done",
    result: plain(contentText(event.content)),
    pictures: contentPictures(event.content),
    category: failed && category !== "none" ? category : null,
    changeSet: failed ? null : textOrNull(metadata.changeSet),
    milliseconds: typeof metadata.milliseconds === "number" ? count(metadata.milliseconds) : call.milliseconds,
    repair: count(metadata.repair),
    repairsMax: count(metadata.repairsMax),
  };
}

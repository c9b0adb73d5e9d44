// SPDX-License-Identifier: GPL-3.0-or-later
// Frames of a chat socket, a line each on standard input, held against AG-UI's own schemas and order: @ag-ui/core and
// @ag-ui/client, as installed beside this file. Schemas are taken strictly: an unknown member is a fault too.
import { readFileSync } from "node:fs";
import { from, lastValueFrom } from "rxjs";
import { verifyEvents } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";

const lines = readFileSync(0, "utf8").split("\n").filter(line => line !== "");
const events = lines.map((line, index) => {
  const value = JSON.parse(line);
  const read = EventSchemas.safeParse(value);
  if (!read.success) throw new Error(`frame ${index + 1} ${line.slice(0, 400)}: ${JSON.stringify(read.error.issues)}`);
  return value;
});

// The schemas pass unknown members; which ones a type has is asked of the schema itself.
const known = new Map(EventSchemas.options.map(option => [option.shape.type.value ?? [...option.shape.type.values][0],
  new Set(Object.keys(option.shape))]));
events.forEach((event, index) => {
  for (const name of Object.keys(event)) {
    if (!known.get(event.type).has(name)) throw new Error(`frame ${index + 1}: ${event.type} has no member ${name}`);
  }
});

await lastValueFrom(from(events).pipe(verifyEvents(false)), { defaultValue: null });
console.log(`${events.length} frames, ${new Set(events.map(event => event.type)).size} types`);

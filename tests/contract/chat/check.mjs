// SPDX-License-Identifier: GPL-3.0-or-later
// Checks what pages were sent, and what the tests themselves send, by AG-UI's own packages. A line on standard input:
// {"connections": [[frame, ...], ...], "inputs": [run input, ...]}, frames as text; a line out: an array of faults, empty when all
// is well.
import { createInterface } from "node:readline";
import { verifyEvents } from "@ag-ui/client";
import { EventSchemas, InterruptSchema, RunAgentInputSchema, TokenUsageSchema } from "@ag-ui/core/schemas";
import { from } from "rxjs";

// The schemas let unknown members pass, and the client drops them: nobody would ever see what they say.
const members = new Map(EventSchemas.options.map(schema => [[...schema.shape.type.values][0], Object.keys(schema.shape)]));

function strangers(object, known) {
  return Object.keys(object).filter(name => !known.includes(name));
}

function frameFaults(event) {
  const parsed = EventSchemas.safeParse(event);
  if (!parsed.success) return parsed.error.issues.map(issue => `${issue.path.join(".")}: ${issue.message}`);
  const unknown = strangers(event, members.get(event.type));
  const interruptMembers = Object.keys(InterruptSchema.shape);
  for (const interrupt of event.outcome?.interrupts ?? []) unknown.push(...strangers(interrupt, interruptMembers));
  for (const usage of event.usage ?? []) unknown.push(...strangers(usage, Object.keys(TokenUsageSchema.shape)));
  return unknown.map(name => `${name}: no member of ${event.type}`);
}

// A RUN_ERROR between two runs is an input's that was refused: for the client, the whole stream of a run that never began.
function streams(events) {
  const whole = [];
  const refused = [];
  let open = false;
  for (const event of events) {
    if (event.type === "RUN_ERROR" && !open) refused.push([event]);
    else whole.push(event);
    open = event.type !== "RUN_FINISHED" && event.type !== "RUN_ERROR";
  }
  return [whole, ...refused];
}

function orderFaults(events) {
  const faults = [];
  let passed = 0;
  from(events).pipe(verifyEvents()).subscribe({ next: () => passed++, error: error => faults.push(error.message) });
  if (faults.length === 0 && passed !== events.length) faults.push(`${events.length - passed} events were swallowed`);
  return faults.map(fault => `after ${passed} events (${events[passed]?.type}): ${fault}`);
}

function connectionFaults(frames) {
  const faults = [];
  const events = [];
  for (const frame of frames) {
    try {
      events.push(JSON.parse(frame));
    } catch (error) {
      faults.push(`no JSON: ${error.message}: ${frame.slice(0, 200)}`);
      continue;
    }
    faults.push(...frameFaults(events.at(-1)).map(fault => `${fault} in ${frame.slice(0, 300)}`));
  }
  return faults.length > 0 ? faults : streams(events).flatMap(orderFaults);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { connections, inputs } = JSON.parse(line);
  const faults = connections.flatMap((frames, number) => connectionFaults(frames).map(fault => `connection ${number}: ${fault}`));
  for (const input of inputs) {
    const parsed = RunAgentInputSchema.safeParse(input);
    if (!parsed.success) faults.push(`the test's own input: ${parsed.error.message}`);
  }
  process.stdout.write(JSON.stringify(faults) + "\n");
}

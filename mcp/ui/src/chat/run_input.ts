// SPDX-License-Identifier: GPL-3.0-or-later
// What the page sends up: AG-UI's RunAgentInput, and the stop.
import { randomHex } from "../base/words";
import type { Asked } from "./view";

export type Approvals = "destructive" | "every";
export interface Answer {
  interruptId: string;
  approved: boolean;
  reason: string;
}
export interface Where {
  nodeId: string | null;
  nodeTitle: string | null;
  screen: string;
}

export interface RunInput {
  threadId: string;
  runId: string;
  protocolVersion: string;
  messages: { id: string; role: "user"; content: string }[];
  state: object;
  tools: never[];
  context: { description: string; value: string }[];
  forwardedProps: { lectern: { approvals: Approvals } };
  resume?: { interruptId: string; status: "resolved"; payload: { approved: boolean; reason?: string } }[];
}

export const newId = (prefix: string) => `${prefix}-${randomHex(12)}`;

function context(where: Where): RunInput["context"] {
  const said = { node_id: where.nodeId, node_title: where.nodeTitle, screen: where.screen };
  return Object.entries(said).flatMap(([description, value]) => (value ? [{ description, value }] : []));
}

export function runInput(threadId: string, approvals: Approvals, where: Where, ask: Asked | Answer[]): RunInput {
  const input: RunInput = {
    threadId,
    runId: newId("run"),
    protocolVersion: "1.0",
    messages: [],
    state: {},
    tools: [],
    context: context(where),
    forwardedProps: { lectern: { approvals } },
  };
  if (!Array.isArray(ask)) return { ...input, messages: [{ id: ask.id, role: "user", content: ask.text }] };
  return {
    ...input,
    resume: ask.map(({ interruptId, approved, reason }) => ({
      interruptId,
      status: "resolved",
      payload: reason === "" ? { approved } : { approved, reason },
    })),
  };
}

export const stopFrame = (runId: string) => ({ type: "lectern.stop", runId });

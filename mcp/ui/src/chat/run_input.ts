// SPDX-License-Identifier: GPL-3.0-or-later
// What the page sends up: AG-UI's RunAgentInput, and the stop.
import type { RunInputSchema } from "contract";
import type { Shape } from "../base/types";
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

export const newId = (prefix: string) => `${prefix}-${randomHex(12)}`;

function context(where: Where): { description: string; value: string }[] {
  const said = { node_id: where.nodeId, node_title: where.nodeTitle, screen: where.screen };
  return Object.entries(said).flatMap(([description, value]) => (value ? [{ description, value }] : []));
}

const resumed = ({ interruptId, approved, reason }: Answer) => ({
  interruptId,
  status: "resolved",
  payload: reason === "" ? { approved } : { approved, reason },
});

// How to answer: when to ask the editor first, and whether the roles answer instead of one model.
export interface How {
  approvals: Approvals;
  solve: boolean;
}

export function runInput(threadId: string, how: How, where: Where, ask: Asked | Answer[]) {
  const answers = Array.isArray(ask) ? ask : null;
  return {
    threadId,
    runId: newId("run"),
    protocolVersion: "1.0",
    messages: Array.isArray(ask) ? [] : [{ id: ask.id, role: "user", content: ask.text }],
    state: {},
    tools: [],
    context: context(where),
    forwardedProps: { lectern: how },
    ...(answers && { resume: answers.map(resumed) }),
  } satisfies Shape<RunInputSchema>; // what the server reads
}
export type RunInput = ReturnType<typeof runInput>;

export const stopFrame = (runId: string) => ({ type: "lectern.stop", runId });

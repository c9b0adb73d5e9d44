// SPDX-License-Identifier: GPL-3.0-or-later
// Reading what comes over the wire: every field may be missing or of another kind.
import type { Change, Interrupt, ModelInfo, Picture, ThreadInfo, Usage } from "./view";

export type Fields = Record<string, unknown>;

export const fields = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string => (typeof value === "string" ? value : "");
export const textOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
export const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;

export function parseFrame(data: unknown): Fields | null {
  if (typeof data !== "string") return null;
  try {
    const frame = fields(JSON.parse(data));
    return typeof frame.type === "string" ? frame : null;
  } catch {
    return null;
  }
}

// A message's content is a text or an array of parts.
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map(fields)
    .filter(part => part.type === "text")
    .map(part => text(part.text))
    .join("\n");
}

const pictureTypes = /^image\/(png|jpeg|gif|webp|svg\+xml)$/;
const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

export function contentPictures(content: unknown): Picture[] {
  const pictures: Picture[] = [];
  for (const part of list(content).map(fields)) {
    const source = fields(part.source);
    const mime = text(source.mimeType);
    const data = text(source.value);
    if (part.type === "image" && source.type === "data" && pictureTypes.test(mime) && base64.test(data))
      pictures.push({ mime, base64: data });
  }
  return pictures;
}

export function readUsage(value: unknown): Usage {
  const usage = fields(value);
  return {
    inputTokens: count(usage.inputTokens),
    cachedInputTokens: count(usage.cachedInputTokens),
    outputTokens: count(usage.outputTokens),
    requests: count(usage.requests),
    wholeCurriculumTokens: count(usage.wholeCurriculumTokens),
  };
}

function readChange(value: unknown): Change {
  const change = fields(value);
  return {
    node_id: textOrNull(change.node_id),
    title: textOrNull(change.title),
    what: text(change.what),
    before: typeof change.before === "string" ? change.before : null,
    after: typeof change.after === "string" ? change.after : null,
  };
}

export function readInterrupts(value: unknown): Interrupt[] {
  return list(value)
    .map(fields)
    .filter(one => text(one.id) !== "")
    .map(one => {
      const metadata = fields(one.metadata);
      return {
        id: text(one.id),
        callId: textOrNull(one.toolCallId),
        message: text(one.message),
        tool: textOrNull(metadata.tool),
        attempt: count(metadata.attempt),
        changes: list(metadata.changes).map(readChange),
        more: count(metadata.more),
        effect: textOrNull(metadata.effect),
      };
    });
}

export function readModel(value: unknown): ModelInfo | null {
  const model = fields(value);
  if (typeof model.ready !== "boolean") return null;
  return { name: text(model.name), ready: model.ready, advice: text(model.advice) };
}

export function readThreads(value: unknown): ThreadInfo[] {
  return list(value)
    .map(fields)
    .filter(one => text(one.thread_id) !== "")
    .map(one => ({
      thread_id: text(one.thread_id),
      title: text(one.title),
      updated_at: typeof one.updated_at === "number" ? new Date(one.updated_at * 1000).toISOString() : text(one.updated_at),
    }));
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Parses frames: every field may be missing or have another type. The result of a reader defines its type.

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

export interface Picture {
  mime: string;
  base64: string;
}

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

// Of an object each of these members, read by its own reader.
const members =
  <Readers extends Record<string, (value: unknown) => unknown>>(readers: Readers) =>
  (value: unknown) => {
    const given = fields(value);
    const made = Object.entries(readers).map(([name, read]) => [name, read(given[name])]);
    return Object.fromEntries(made) as { [Name in keyof Readers]: ReturnType<Readers[Name]> };
  };
const listOf =
  <T>(read: (value: unknown) => T) =>
  (value: unknown): T[] =>
    list(value).map(read);
const anyText = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const readUsage = members({
  inputTokens: count, // cached ones included
  cachedInputTokens: count,
  outputTokens: count,
  requests: count,
  wholeCurriculumTokens: count, // what reading all of it would have taken, about; 0: unknown
});
export type Usage = ReturnType<typeof readUsage>;

const readChange = members({ node_id: textOrNull, title: textOrNull, what: text, before: anyText, after: anyText });
export type Change = ReturnType<typeof readChange>;

const readInterrupt = members({
  id: text,
  toolCallId: textOrNull,
  message: text,
  metadata: members({ attempt: count, changes: listOf(readChange), more: count, effect: textOrNull }),
});
export type Interrupt = ReturnType<typeof readInterrupt>;
export const readInterrupts = (value: unknown) => listOf(readInterrupt)(value).filter(one => one.id !== "");

const readThread = members({ thread_id: text, title: text });
export type ThreadInfo = ReturnType<typeof readThread>;
export const readThreads = (value: unknown) => listOf(readThread)(value).filter(one => one.thread_id !== "");

const readAdvice = members({ ready: value => value === true, advice: text });
export type ModelInfo = ReturnType<typeof readAdvice>;
export const readModel = (value: unknown) => (typeof fields(value).ready === "boolean" ? readAdvice(value) : null);

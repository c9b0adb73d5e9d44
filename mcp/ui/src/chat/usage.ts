// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens in words.
import type { Usage } from "./frame";
import type { Ending, Item } from "./view";

const words = new Intl.NumberFormat("en");
export const number = (value: number) => words.format(value);
export const spent = (usage: Usage) => usage.inputTokens + usage.outputTokens;

export function addUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (!one || !other) return one ?? other;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    requests: one.requests + other.requests,
    // Once is enough for a question: who had read all of it would have it.
    wholeCurriculumTokens: Math.max(one.wholeCurriculumTokens, other.wholeCurriculumTokens),
  };
}

// What a question has cost that ended so. Only an answer has saved anybody from reading the whole curriculum.
export const costOf = (usage: Usage | null, ending: Ending): Usage | null =>
  usage && (ending === "failed" || ending === "lost") ? { ...usage, wholeCurriculumTokens: 0 } : usage;

// "97.3% less"; null where nothing was saved, or it is not known.
function less(usage: Usage): string | null {
  const all = usage.wholeCurriculumTokens;
  if (all <= 0 || spent(usage) >= all) return null;
  return `${Math.min(99.9, (1 - spent(usage) / all) * 100)
    .toFixed(1)
    .replace(".0", "")}% less`;
}

// "8,412 tokens instead of about 310,000: 97.3% less"; without a saving nothing is claimed.
export function saving(usage: Usage): string {
  const used = `${number(spent(usage))} tokens`;
  const saved = less(usage);
  if (saved !== null) return `${used} instead of about ${number(usage.wholeCurriculumTokens)}: ${saved}`;
  return usage.wholeCurriculumTokens > 0 ? `${used}; the whole curriculum is about ${number(usage.wholeCurriculumTokens)}` : used;
}

// Of several questions, in short.
export function sum(usage: Usage, questions: number): string {
  const saved = less(usage);
  return `${number(spent(usage))} tokens in ${number(questions)} questions${saved === null ? "" : `: ${saved}`}`;
}

export const parts = (usage: Usage) =>
  `${number(usage.inputTokens)} in, ${number(usage.cachedInputTokens)} of them cached, ${number(usage.outputTokens)} out, ` +
  `${usage.requests === 1 ? "1 request" : `${number(usage.requests)} requests`} to the model`;

// Of all questions that are known of. An interrupted run's are in the one that went on.
export function total(items: Item[]): { usage: Usage; questions: number } | null {
  let usage: Usage | null = null;
  let whole = 0;
  let questions = 0;
  for (const item of items) {
    if (item.kind !== "end" || item.ending === "interrupted" || !item.usage || spent(item.usage) === 0) continue;
    usage = addUsage(usage, item.usage);
    if (item.past) continue; // its question has another end
    whole += item.usage.wholeCurriculumTokens;
    questions++;
  }
  return usage ? { usage: { ...usage, wholeCurriculumTokens: whole }, questions } : null;
}

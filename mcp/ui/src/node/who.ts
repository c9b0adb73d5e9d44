// SPDX-License-Identifier: GPL-3.0-or-later
// People and times in words. Pure.

// "page:Anna/x1y2" is Anna, by hand; "chat:Anna/x1y2" the model, for Anna; "rest:NAME" and "mcp:NAME" programs that give a name.
export function person(who: string | null | undefined): string {
  if (!who) return "Somebody";
  const [, way, name] = /^(page|chat|rest|mcp)(?::([\s\S]*?)(?:\/[^/]*)?)?$/.exec(who) ?? [];
  if (way === "page") return name || "An editor";
  if (way === "chat") return name ? `The assistant, for ${name},` : "The assistant";
  if (way) return name || (way === "mcp" ? "A model" : "A program");
  return ({ outside: "Somebody outside", import: "An import" } as Record<string, string>)[who] ?? who;
}

const STEPS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [60, "second"], [60, "minute"], [24, "hour"], [7, "day"], [4.35, "week"], [12, "month"], [Infinity, "year"]];

export function ago(at: number, now: number): string {
  let amount = (now - at) / 1000;
  if (amount < 45) return "just now";
  for (const [size, unit] of STEPS) {
    if (amount < size) return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.round(amount), unit);
    amount /= size;
  }
  return "";
}

// SPDX-License-Identifier: GPL-3.0-or-later
// How long ago something was, in words. Pure.
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

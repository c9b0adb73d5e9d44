// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the region that is loaded later, and its place until then.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { laterPart } from "../base/later";

const part = laterPart("src/node/edit.ts", () => import("./edit"));
export const fetchParts = part.want;

export function Later({ of }: { of: (parts: typeof import("./edit")) => JSX.Element }) {
  useEffect(fetchParts, []);
  if (part.module.value) return of(part.module.value);
  if (!part.failed.value) return <p class="n-hint" role="status">Loading…</p>;
  return <p class="n-fault" role="alert">This part of the page could not be loaded. Is the server still there?{" "}
    <button type="button" class="button button-small" onClick={fetchParts}>Try again</button></p>;
}

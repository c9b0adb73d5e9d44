// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the region that is loaded later, and its place until then.
import type { JSX } from "preact";
import { Late, laterPart } from "../base/lazy";

const part = laterPart("src/node/edit.ts", () => import("./edit"));
export const fetchParts = part.want;

export function Later({ of }: { of: (parts: typeof import("./edit")) => JSX.Element }) {
  return <Late part={part} name="form" class="n-hint" draw={of} />;
}

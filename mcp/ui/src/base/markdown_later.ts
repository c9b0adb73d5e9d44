// SPDX-License-Identifier: GPL-3.0-or-later
// base/markdown.ts when it is needed: a first visit does without it until there is a text to show. Texts are shown plain as long as
// `renderer` is null.
import { laterPart } from "./lazy";

export type Renderer = typeof import("./markdown");

export const { module: renderer, want: wantRenderer } = laterPart("src/base/markdown.ts", () => import("./markdown"));

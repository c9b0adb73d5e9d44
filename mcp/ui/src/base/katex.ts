// SPDX-License-Identifier: GPL-3.0-or-later
// KaTeX with its style and fonts: a part of its own, as most texts hold no maths.
import "katex/dist/katex.min.css";

export { render } from "katex";

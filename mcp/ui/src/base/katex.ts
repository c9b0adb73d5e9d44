// SPDX-License-Identifier: GPL-3.0-or-later
// KaTeX with its style and fonts: loaded separately, because most texts contain no maths.
import "katex/dist/katex.min.css";

export { render } from "katex";

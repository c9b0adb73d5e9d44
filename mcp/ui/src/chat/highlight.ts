// SPDX-License-Identifier: GPL-3.0-or-later
// Python in colours; loaded when the first code is shown.
import hljs from "highlight.js/lib/core";
import python from "highlight.js/lib/languages/python";

hljs.registerLanguage("python", python);

// HTML of spans around escaped text.
export const highlight = (code: string): string => hljs.highlight(code, { language: "python", ignoreIllegals: true }).value;

// SPDX-License-Identifier: GPL-3.0-or-later

// Whether the key belongs to an input method, which writes Chinese, Japanese or Korean: Enter then confirms a word. Safari ends the
// composition before the key arrives, and marks it by the code 229 alone.
export const isComposing = (event: KeyboardEvent) => event.isComposing || event.keyCode === 229;

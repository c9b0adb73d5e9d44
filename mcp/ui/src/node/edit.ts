// SPDX-License-Identifier: GPL-3.0-or-later
// What is needed to write, not to read: a part of its own, fetched when the pointer or the keyboard first comes to the region.
export { Chooser } from "./chooser";
export { Form } from "./form";
export { HeadForm } from "./head_form";
export { History } from "./history";
export { Adding } from "./link_form";

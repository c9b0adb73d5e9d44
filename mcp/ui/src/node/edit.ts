// SPDX-License-Identifier: GPL-3.0-or-later
// The parts for editing, loaded separately when the pointer or the focus first enters the region.
export { Chooser } from "./chooser";
export { Form } from "./form";
export { HeadForm } from "./head_form";
export { History } from "./history";
export { Adding } from "./link_form";

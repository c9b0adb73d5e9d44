// SPDX-License-Identifier: GPL-3.0-or-later
// The signs of this region.
import { drawSign } from "../base/icons";

export const drag = drawSign("M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01", { stroke: 2.6 });
export const pencil = drawSign("M4 20l1-4L16 5l3 3L8 19l-4 1ZM13.5 7.5l3 3");
export const bin = drawSign("M5 7h14M10 11v6M14 11v6M6.5 7l1 13h9l1-13M9 7V4.5h6V7");
export const clock = drawSign("M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7.5V12l3 2");
export const link = drawSign("M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2");

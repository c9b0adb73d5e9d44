// SPDX-License-Identifier: GPL-3.0-or-later
// The signs of this region, in the manner of base/icons.tsx.
const sign = (path: string, extra = {}) => (
  <svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" focusable="false" fill="none" stroke="currentColor" stroke-width="1.8"
    stroke-linecap="round" stroke-linejoin="round" {...extra}><path d={path} /></svg>
);

export const drag = sign("M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01", { "stroke-width": 2.6 });
export const pencil = sign("M4 20l1-4L16 5l3 3L8 19l-4 1ZM13.5 7.5l3 3");
export const bin = sign("M5 7h14M10 11v6M14 11v6M6.5 7l1 13h9l1-13M9 7V4.5h6V7");
export const clock = sign("M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7.5V12l3 2");
export const link = sign("M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2");

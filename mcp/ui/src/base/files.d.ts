// SPDX-License-Identifier: GPL-3.0-or-later
// A style that a module imports goes into the style file of its part (build.mjs).
declare module "*.css";

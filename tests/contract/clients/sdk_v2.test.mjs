// SPDX-License-Identifier: GPL-3.0-or-later
import { connectBy } from "./sdk_v2.mjs";
import { walk } from "./walk.mjs";

walk("SDK v2, legacy", { eras: { stdio: "legacy", http: "legacy" }, open: connectBy("legacy") });
walk("SDK v2, auto", { eras: { stdio: "modern", http: "modern" }, open: connectBy("auto") });
walk("SDK v2, pinned", { eras: { stdio: "modern", http: "modern" }, open: connectBy({ pin: "2026-07-28" }) });

// SPDX-License-Identifier: GPL-3.0-or-later
import { connect } from "./sdk_v1.mjs";
import { walk } from "./walk.mjs";

walk("SDK v1", { eras: { stdio: "legacy", http: "legacy" }, open: connect });

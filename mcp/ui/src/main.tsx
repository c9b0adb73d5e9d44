// SPDX-License-Identifier: GPL-3.0-or-later
// Where the page begins: the curriculum starts to be read, the shell is drawn, the regions load.
import "./base/tokens.css";
import "./base/shell.css";
import { render } from "preact";
import { startCurriculum } from "./base/curriculum";
import { Shell } from "./base/shell";
import { startTheme } from "./base/theme";

startTheme();
startCurriculum();
const place = document.getElementById("page");
if (!place) throw new Error("index.html has no #page");
place.textContent = "";
render(<Shell />, place);

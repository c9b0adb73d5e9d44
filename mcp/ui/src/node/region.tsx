// SPDX-License-Identifier: GPL-3.0-or-later
// The node region: the open node, loaded separately with the first one, or a hint.
import "./region.css";
import { Late, laterPart } from "../base/lazy";
import { openNode, readOnly, session } from "../base/state";

const part = laterPart("src/node/open.tsx", () => import("./open"));

export default function NodeRegion() {
  if (openNode.value && session.value) return <Late part={part} name="node" class="slot-note" draw={({ OpenNode }) => <OpenNode />} />;
  return <div class="n-none"><p>Choose a node in the graph, or find one above. It opens here, to read{!readOnly.value && " and to edit"}.</p></div>;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The open node with its links, its components and its history. Edits by others are read as they land.
import "./node.css";
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { connection, landed, nodesById, openNode, relationships, session } from "../base/state";
import { Head } from "./head";
import { fetchParts, Later } from "./later";
import { Links, Neighbours } from "./links";
import { List, openDrafts } from "./list";
import { clock, link } from "./signs";
import { again, failure, load, readOthers, shown } from "./store";

const WAIT_MS = 120; // edits that arrive within this time are read together

// What has landed since the last reading, and whose it was.
let timer: ReturnType<typeof setTimeout> | undefined;
let seen = landed.peek()?.serial ?? 0;

function onLanded(): void {
  const newest = landed.value;
  if (!newest || newest.serial <= seen) return;
  seen = newest.serial;
  const { target, node_id, who } = newest.change;
  if (target === "positions" || target === "relationships" || (node_id !== null && node_id !== shown.peek()?.nid)) return;
  clearTimeout(timer);
  timer = setTimeout(() => void again(newest.own ? null : who), WAIT_MS);
}

// While the connection was lost nothing landed here: what others did meanwhile is read when it is back.
let wasLost = false;

function onConnection(): void {
  if (connection.value === "lost") wasLost = true;
  else if (connection.value === "open" && wasLost) {
    wasLost = false;
    const at = shown.peek();
    if (at) void readOthers(at);
  }
}

type Panel = "links" | "history" | null;

export function OpenNode() {
  const sid = session.value?.session_id, nid = openNode.value;
  const [panel, setPanel] = useState<Panel>(null);
  const place = useRef<HTMLDivElement>(null);
  useSignalEffect(onLanded);
  useSignalEffect(onConnection);
  useEffect(() => {
    if (!sid || !nid) {
      shown.value = null;
      return;
    }
    openDrafts(sid, nid);
    void load(sid, nid);
    if (place.current) place.current.scrollTop = 0;
  }, [sid, nid]);

  if (!nid || !sid) return null;
  const at = shown.value?.nid === nid && shown.value.sid === sid ? shown.value : null;
  const node = nodesById.value.get(nid);
  const count = relationships.value.filter(each => each.from_node_id === nid || each.to_node_id === nid).length;
  const turn = (to: Panel) => setPanel(panel === to ? null : to);
  return (
    <div class="n-region" ref={place} onPointerEnter={fetchParts} onFocusCapture={fetchParts}>
      {failure.value && <div class="n-failure" role="alert"><p>{failure.value}</p>
        <button type="button" class="button button-small" onClick={() => void load(sid, nid)}>Try again</button></div>}
      {!at && !failure.value && <p class="n-hint n-wait" role="status">Reading {node?.title ?? nid}…</p>}
      {at && <article key={nid} class="n-node" aria-label={node?.title ?? nid}>
        <Head at={at} node={node} />
        <div class="n-bar">
          <button type="button" class="button button-small" aria-expanded={panel === "links"} onClick={() => turn("links")}>{link}{count} {count === 1 ? "link" : "links"}</button>
          <button type="button" class="button button-small" aria-expanded={panel === "history"} onClick={() => turn("history")}>{clock}History</button>
        </div>
        {panel !== "links" && count > 0 && <Neighbours at={at} />}
        {panel === "links" && <Links at={at} />}
        {panel === "history" && <Later of={parts => <parts.History at={at} />} />}
        <List at={at} />
      </article>}
    </div>
  );
}

// SPDX-License-Identifier: GPL-3.0-or-later
// A new relationship: which type and direction, which node, and why.
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { findNodes, NodeBox } from "../base/find";
import { RELATIONS } from "../base/relations";
import { nodes } from "../base/state";
import type { CourseNode } from "../base/types";
import { errorText } from "../base/words";
import { Entry } from "./fields";
import { addRelationship, faultsOf, type Shown } from "./store";

const SHOWN_MAX = 8;

function Chooser({ but, chosen, choose, fault }: { but: string; chosen: CourseNode | null; choose: (node: CourseNode | null) => void; fault?: string }) {
  const id = useId(), [words, setWords] = useState(""), [open, setOpen] = useState(false);
  const place = useRef<HTMLInputElement>(null);
  const found = useMemo(() => (words ? findNodes(nodes.value, words) : nodes.value).filter(node => node.node_id !== but).slice(0, SHOWN_MAX), [words, nodes.value]);
  useEffect(() => place.current?.focus(), []);
  const type = (text: string) => {
    setWords(text);
    setOpen(true);
    choose(null);
  };
  return (
    <div class="n-field n-nodechooser">
      <label for={id}>Node</label>
      <NodeBox id={id} typed={words} found={found} open={open} setOpen={setOpen} type={type}
        choose={node => { choose(node); setWords(`${node.node_id} ${node.title}`); }}
        input={{ ref: place, class: "field", placeholder: "Title or id", "aria-invalid": fault ? true : undefined, "aria-describedby": fault ? `${id}-fault` : undefined,
          onFocus: () => setOpen(!chosen) }} />
      {open && words && found.length === 0 && <p class="n-hint" role="status">No node matches.</p>}
      {fault && <p class="n-fault" id={`${id}-fault`}>{fault}</p>}
    </div>
  );
}

export function Adding({ at, close }: { at: Shown; close: () => void }) {
  const [how, setHow] = useState("into PREREQUISITE"), [other, setOther] = useState<CourseNode | null>(null), [explanation, setExplanation] = useState("");
  const [busy, setBusy] = useState(false), [failed, setFailed] = useState<string | null>(null), [missing, setMissing] = useState(false);
  const save = async () => {
    if (busy) return;
    setMissing(!other);
    if (!other) return;
    setBusy(true);
    const [direction, type] = how.split(" "), into = direction === "into";
    try {
      await addRelationship(at.sid, into ? other.node_id : at.nid, into ? at.nid : other.node_id, type, explanation.trim());
      close();
    } catch (error) {
      setFailed(faultsOf(error).map(fault => fault.text).join(" ") || errorText(error));
      setBusy(false);
    }
  };
  return (
    <form class="n-form" aria-label="New link" onSubmit={event => event.preventDefault()} aria-busy={busy} onKeyDown={event => {
      if (event.key === "Escape") {
        event.stopPropagation();
        close();
      } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void save();
    }}>
      <div class="n-field">
        <label for="n-how">This node</label>
        <select id="n-how" class="field" value={how} onChange={event => setHow(event.currentTarget.value)}>
          {RELATIONS.flatMap(({ type, back, forward }) => [["into", back], ["out", forward]].map(([direction, label]) =>
            <option key={direction + type} value={`${direction} ${type}`}>{label} … ({type})</option>))}
        </select>
      </div>
      <Chooser but={at.nid} chosen={other} choose={setOther} fault={missing && !other ? "Choose a node from the list." : undefined} />
      <Entry label="Why" value={explanation} change={setExplanation} />
      {failed && <p class="n-fault" role="alert">{failed}</p>}
      <div class="n-actions">
        <button type="button" class="button button-main" disabled={busy} onClick={() => void save()}>{busy ? "Linking…" : "Link"}</button>
        <button type="button" class="button" disabled={busy} onClick={close}>Cancel</button>
      </div>
    </form>
  );
}

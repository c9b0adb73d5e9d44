// SPDX-License-Identifier: GPL-3.0-or-later
// The node's relationships, in and out, by type; one more by a chooser, one fewer by its button.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../base/icons";
import { relationOf, relationsOf } from "../base/relations";
import { nodesById, openNode, relationships } from "../base/state";
import type { Relationship } from "../base/types";
import { capital, errorText } from "../base/words";
import { Later } from "./later";
import { deleteRelationship, report, type Shown } from "./store";

const titleOf = (id: string) => nodesById.value.get(id)?.title ?? id;

function One({ at, link, other }: { at: Shown; link: Relationship; other: string }) {
  const [asking, setAsking] = useState(false), [busy, setBusy] = useState(false);
  const remove = async () => {
    setBusy(true);
    try {
      await deleteRelationship(at.sid, link.id);
    } catch (error) {
      report("error", `Not deleted: ${errorText(error)}`);
      setBusy(false);
      setAsking(false);
    }
  };
  const there = nodesById.value.has(other);
  return (
    <li class="n-link">
      <div>
        {there ? <a href={addressOf(at, other)} onClick={event => go(event, other)}>{titleOf(other)}</a> : <span>{other} <em>(there is no such node)</em></span>}
        {link.explanation && <p class="n-hint">{link.explanation}</p>}
        {asking && <div class="n-confirm" role="alertdialog" aria-label="Delete this link?" onKeyDown={event => {
          if (event.key === "Escape") setAsking(false);
        }}>
          <p>Delete the link and its explanation? The nodes stay; "Undo" brings it back.</p>
          <div class="n-actions">
            <button type="button" class="button button-small button-bad" disabled={busy} ref={button => button?.focus()} onClick={() => void remove()}>Delete</button>
            <button type="button" class="button button-small" disabled={busy} onClick={() => setAsking(false)}>Keep it</button>
          </div>
        </div>}
      </div>
      {!asking && <button type="button" class="icon-button" aria-label={`Delete the link with ${titleOf(other)}`} title="Delete link" onClick={() => setAsking(true)}><Icon name="close" /></button>}
    </li>
  );
}

function go(event: MouseEvent, to: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openNode.value = to;
}

const addressOf = (at: Shown, id: string) => `#session=${encodeURIComponent(at.sid)}&node=${encodeURIComponent(id)}`;

// The same in two lines, for the eye that only wants to go on.
export function Neighbours({ at }: { at: Shown }) {
  const line = (label: string, into: boolean) => {
    const found = relationships.value.filter(each => (into ? each.to_node_id : each.from_node_id) === at.nid);
    return found.length > 0 && (
      <p><span class="n-hint">{label}</span>{found.map(link => {
        const other = into ? link.from_node_id : link.to_node_id;
        return <a key={link.id} class={`n-neighbour n-type-${link.relationship_type}`} href={addressOf(at, other)} onClick={event => go(event, other)}
          title={capital(relationOf(link.relationship_type)[into ? "back" : "forward"])}>{titleOf(other)}</a>;
      })}</p>
    );
  };
  return <nav class="n-neighbours" aria-label="Neighbours">{line("Before", true)}{line("After", false)}</nav>;
}

export function Links({ at }: { at: Shown }) {
  const [adding, setAdding] = useState(false);
  const add = useRef<HTMLButtonElement>(null), was = useRef(false);
  useEffect(() => {
    if (was.current && !adding) add.current?.focus();
    was.current = adding;
  }, [adding]);
  const mine = relationships.value.filter(each => each.from_node_id === at.nid || each.to_node_id === at.nid);
  const side = (into: boolean) => relationsOf(mine.map(each => each.relationship_type)).map(({ type, back, forward }) => {
    const these = mine.filter(each => each.relationship_type === type && (into ? each.to_node_id : each.from_node_id) === at.nid);
    return these.length > 0 && (
      <div class="n-linkgroup" key={type}>
        <h4 class={`n-label n-type-${type}`}>{capital(into ? back : forward)}</h4>
        <ul>{these.map(link => <One key={link.id} at={at} link={link} other={into ? link.from_node_id : link.to_node_id} />)}</ul>
      </div>
    );
  });
  const into = mine.filter(each => each.to_node_id === at.nid).length;
  return (
    <section class="n-links" aria-label="Links">
      <div class="n-sides">
        <div><h3 class="n-sidehead">Before this</h3>{into ? side(true) : <p class="n-hint">Nothing leads here.</p>}</div>
        <div><h3 class="n-sidehead">After this</h3>{mine.length > into ? side(false) : <p class="n-hint">This leads nowhere yet.</p>}</div>
      </div>
      {adding ? <Later of={parts => <parts.Adding at={at} close={() => setAdding(false)} />} />
        : <button type="button" class="button button-small" ref={add} onClick={() => setAdding(true)}>Add a link</button>}
    </section>
  );
}

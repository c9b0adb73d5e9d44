// SPDX-License-Identifier: GPL-3.0-or-later
// The node's relationships, in and out, by type; one more by a chooser, one fewer by its button.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../base/icons";
import { NodeLink } from "../base/node_link";
import { relationOf, relationsOf } from "../base/relations";
import { nodesById, readOnly, relationships } from "../base/state";
import type { Relationship } from "../base/types";
import { capital } from "../base/words";
import { Confirm } from "./confirm";
import { Later } from "./later";
import { deleteRelationship, type Shown } from "./store";

const titleOf = (id: string) => nodesById.value.get(id)?.title ?? id;

function One({ at, link, other }: { at: Shown; link: Relationship; other: string }) {
  const [asking, setAsking] = useState(false);
  const there = nodesById.value.has(other);
  return (
    <li class="n-link">
      <div>
        {there ? <NodeLink id={other}>{titleOf(other)}</NodeLink> : <span>{link.to_title ?? other} <em>({link.to_title ? "in another curriculum" : "there is no such node"})</em></span>}
        {link.explanation && <p class="n-hint">{link.explanation}</p>}
        {asking && !readOnly.value && <Confirm label="Delete this link?" remove={() => deleteRelationship(at.sid, link.id)} close={() => setAsking(false)}>
          Delete the link and its explanation? The nodes stay; "Undo" brings it back.</Confirm>}
      </div>
      {!asking && !readOnly.value && <button type="button" class="icon-button" aria-label={`Delete the link with ${titleOf(other)}`} title="Delete link" onClick={() => setAsking(true)}><Icon name="close" /></button>}
    </li>
  );
}

// The same in two lines, for quick navigation.
export function Neighbours({ at }: { at: Shown }) {
  const line = (label: string, into: boolean) => {
    const found = relationships.value.filter(each => (into ? each.to_node_id : each.from_node_id) === at.nid && !each.to_title);
    return found.length > 0 && (
      <p><span class="n-hint">{label}</span>{found.map(link => {
        const other = into ? link.from_node_id : link.to_node_id;
        return <NodeLink key={link.id} id={other} class={`n-neighbour n-type-${link.relationship_type}`}
          title={capital(relationOf(link.relationship_type)[into ? "back" : "forward"])}>{titleOf(other)}</NodeLink>;
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
      {readOnly.value ? null : adding ? <Later of={parts => <parts.Adding at={at} close={() => setAdding(false)} />} />
        : <button type="button" class="button button-small" ref={add} onClick={() => setAdding(true)}>Add a link</button>}
    </section>
  );
}

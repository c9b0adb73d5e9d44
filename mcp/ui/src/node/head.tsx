// SPDX-License-Identifier: GPL-3.0-or-later
// The node's head: its id, title and summary, editable in place, and its chapter.
import { useEffect, useRef, useState } from "preact/hooks";
import type { CourseNode } from "../base/types";
import { chapterOf } from "../base/words";
import { readOnly } from "../base/state";
import { Later } from "./later";
import { RichLine } from "./rich";
import { drafts, HEAD, textsOf, type Shown } from "./store";
import { pencil } from "./signs";

export function Head({ at, node }: { at: Shown; node: CourseNode | undefined }) {
  const texts = textsOf(node, at);
  const [asked, setEditing] = useState(() => drafts.read(at.sid, at.nid, HEAD) !== null);
  const editing = asked && !readOnly.value;
  const button = useRef<HTMLButtonElement>(null), was = useRef(false);
  useEffect(() => {
    if (was.current && !editing) button.current?.focus();
    was.current = editing;
  }, [editing]);
  const chapter = node && chapterOf(node);
  return (
    <header class="n-head">
      <p class="n-eyebrow"><span class="chip">{at.nid}</span>{chapter && <span>{chapter}</span>}</p>
      {editing ? <><h2 class="hidden">{texts.title || at.nid}</h2><Later of={parts => <parts.HeadForm at={at} texts={texts} close={() => setEditing(false)} />} /></> : (
        <div class="n-titlerow">
          <h2 class="n-title" onDblClick={() => setEditing(true)}><RichLine text={texts.title || at.nid} /></h2>
          {!readOnly.value && <button type="button" class="icon-button n-edit" ref={button} aria-label="Edit title and summary" title="Edit" onClick={() => setEditing(true)}>{pencil}</button>}
        </div>
      )}
      {!editing && texts.raw_content && <p class="n-summary"><RichLine text={texts.raw_content} /></p>}
    </header>
  );
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The form of the node's title and summary.
import { useState } from "preact/hooks";
import { isComposing } from "../base/keys";
import { ApiError, readComponents, readNodes } from "../base/api";
import { errorText } from "../base/words";
import { Stale } from "./compare";
import { Entry } from "./fields";
import { mergeValues } from "./flat";
import { HEAD, drafts, faultsOf, saveNode, textsOf, throwDraft, type Fault, type Shown, type Texts } from "./store";

const same = (a: Texts, b: Texts) => a.title === b.title && a.raw_content === b.raw_content;

export function HeadForm({ at, texts, close }: { at: Shown; texts: Texts; close: () => void }) {
  const kept = drafts.read(at.sid, at.nid, HEAD);
  const [base, setBase] = useState((kept?.base ?? texts) as Texts), [mine, setMine] = useState((kept?.parameters ?? texts) as unknown as Texts);
  const [busy, setBusy] = useState(false), [faults, setFaults] = useState<readonly Fault[]>([]), [failed, setFailed] = useState<string | null>(null);
  const [theirs, setTheirs] = useState<Texts | null>(null);
  const write = (next: Texts, over = base) => {
    setMine(next);
    setBase(over);
    drafts.keep(at.sid, at.nid, HEAD, { type: HEAD, parameters: { ...next }, base: { ...over }, revision: 0, after: null });
  };
  const finish = () => {
    drafts.drop(at.sid, at.nid, HEAD);
    close();
  };

  const leave = () => {
    drafts.dropUntouched(at.sid, at.nid, HEAD);
    close();
  };

  // The tag covers the node and its components: if it no longer matches, check whether these texts have changed.
  const save = async (over: Texts) => {
    if (busy) return;
    if (same(mine, over)) return finish();
    setBusy(true);
    setFailed(null);
    const fields = Object.fromEntries(Object.entries(mine).filter(([name, text]) => text !== over[name as keyof Texts]));
    try {
      for (let etag = at.etag, attempt = 0; ; attempt++)
        try {
          await saveNode(at, fields, etag);
          return finish();
        } catch (error) {
          if (!(error instanceof ApiError && error.stale) || attempt === 2) throw error;
          etag = (await readComponents(at.sid, at.nid)).etag ?? "";
          const now = textsOf((await readNodes(at.sid)).find(each => each.node_id === at.nid), at);
          if (!same(now, over)) {
            setTheirs(now);
            setBusy(false);
            return;
          }
        }
    } catch (error) {
      const found = faultsOf(error);
      setFaults(found);
      setFailed(found.some(fault => fault.loc[0] in mine) ? null : errorText(error));
      setBusy(false);
    }
  };

  const keys = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      leave();
    } else if (event.key === "Enter" && !theirs && (event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement)) {
      event.preventDefault();
      void save(base);
    }
  };
  const fault = (name: string) => faults.filter(each => each.loc[0] === name).map(each => each.text).join(" ") || undefined;
  return (
    <form class="n-form" aria-label="Edit title and summary" onSubmit={event => event.preventDefault()} onKeyDown={keys} aria-busy={busy}>
      {theirs ? <Stale type={HEAD} mine={mine} theirs={theirs} who="Somebody else" busy={busy}
        keepMine={() => { write(mine, theirs); setTheirs(null); void save(theirs); }} takeTheirs={finish}
        mergeBoth={() => { write(mergeValues(base, mine, theirs).value as Texts, theirs); setTheirs(null); }} />
        : <>
          <Entry label="Title" shape="line" needed first value={mine.title} fault={fault("title")} change={title => write({ ...mine, title })} />
          <Entry label="Summary" value={mine.raw_content} fault={fault("raw_content")} change={raw_content => write({ ...mine, raw_content })} />
          <div class="n-actions">
            <button type="button" class="button button-main" disabled={busy} onClick={() => void save(base)}>{busy ? "Saving…" : "Save"}</button>
            <button type="button" class="button" disabled={busy} onClick={leave}>{same(mine, base) ? "Cancel" : "Close"}</button>
            {!same(mine, base) && <button type="button" class="button n-throw" disabled={busy} onClick={() => {
              throwDraft(at, HEAD);
              close();
            }}>Throw draft away</button>}
          </div>
        </>}
      {failed && <p class="n-fault" role="alert">{failed}</p>}
    </form>
  );
}

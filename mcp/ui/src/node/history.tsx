// SPDX-License-Identifier: GPL-3.0-or-later
// Who changed what in the node, newest first, with before and after on request, and undo.
import { useEffect, useState } from "preact/hooks";
import { readHistory } from "../base/api";
import { Words } from "../base/difference";
import { landed, readOnly } from "../base/state";
import type { HistoryEntry } from "../base/types";
import { undoAndNotify } from "../base/undo";
import { errorText, person } from "../base/words";
import { ago } from "./ago";
import { outline } from "./drawn";
import { pairs } from "./flat";
import type { Shown } from "./store";

type Entry = HistoryEntry["entries"][number];

const PAGE = 15;
const verbs: Record<string, string> = { insert: "added", create: "added", update: "changed", delete: "deleted", remove: "deleted" };

// What the store notes by itself says nothing about the change.
const NOISE = new Set(["id", "session_id", "created_at", "created_by", "last_modified", "confidence_score", "revision"]);
const plain = (row: unknown) => Object.fromEntries(Object.entries((row ?? {}) as object).filter(([name]) => !NOISE.has(name)));

function Detail({ entry }: { entry: Entry }) {
  const [before, after] = [entry.before, entry.after] as { type?: string; parameters?: unknown; order?: number }[];
  const type = after?.type ?? before?.type ?? "", component = entry.entity === "component";
  const differ = pairs(type, component ? before?.parameters ?? {} : plain(before), component ? after?.parameters ?? {} : plain(after));
  return (
    <div class="n-detail">
      <p class="n-hint">{component ? outline(type, (after ?? before)?.parameters) : `${entry.entity} ${entry.entity_id ?? ""}`}, {verbs[entry.op] ?? entry.op}
        {before && after && before.order !== after.order ? `, from place ${before.order} to ${after.order}` : ""}</p>
      {differ.map(pair => <div key={pair.path}><p class="n-label">{pair.label}</p><div class="n-words"><Words from={pair.mine} to={pair.theirs} /></div></div>)}
    </div>
  );
}

function One({ at, change }: { at: Shown; change: HistoryEntry }) {
  const [detail, setDetail] = useState<Entry[] | null>(null), [busy, setBusy] = useState(false), [failed, setFailed] = useState<string | null>(null);
  const show = async () => {
    if (detail) return setDetail(null);
    setBusy(true);
    try {
      const page = await readHistory(at.sid, `node_id=${encodeURIComponent(at.nid)}&before=${change.version + 1}&limit=1`);
      const found = page.changes.find(each => each.change_set === change.change_set);
      setDetail(found?.entries ?? []);
      setFailed(found ? null : "The texts of this change are no longer stored.");
    } catch (error) {
      setFailed(errorText(error));
    }
    setBusy(false);
  };
  const time = new Date(change.at);
  return (
    <li>
      <p class="n-what">{change.what}</p>
      <p class="n-hint">{person(change.who, true)} · <time dateTime={change.at} title={time.toLocaleString()}>{ago(time.getTime(), Date.now())}</time>
        {change.undone_by && " · undone"}</p>
      <div class="n-actions">
        <button type="button" class="button button-small" aria-expanded={!!detail} disabled={busy} onClick={() => void show()}>Before and after</button>
        {!change.undone_by && !readOnly.value && <button type="button" class="button button-small" disabled={busy} onClick={() => {
          setBusy(true);
          void undoAndNotify(at.sid, change.change_set, change.what).finally(() => setBusy(false));
        }} aria-label={`Undo this: ${change.what}`}>Undo this</button>}
      </div>
      {failed && <p class="n-fault" role="alert">{failed}</p>}
      {detail?.map(entry => <Detail key={entry.version} entry={entry} />)}
    </li>
  );
}

export function History({ at }: { at: Shown }) {
  const [changes, setChanges] = useState<HistoryEntry[] | null>(null), [more, setMore] = useState(false), [failed, setFailed] = useState<string | null>(null);
  const serial = landed.value?.serial;
  const read = async (before: number | null, limit: number) => {
    try {
      const query = `node_id=${encodeURIComponent(at.nid)}&texts=false&limit=${limit}${before === null ? "" : `&before=${before}`}`;
      const found = (await readHistory(at.sid, query)).changes;
      setChanges(before === null ? found : [...changes ?? [], ...found]);
      setMore(found.length === limit);
      setFailed(null);
    } catch (error) {
      setFailed(errorText(error));
    }
  };
  useEffect(() => void read(null, Math.max(PAGE, changes?.length ?? 0)), [at, serial]);
  return (
    <section class="n-history" aria-label="History">
      {failed && <p class="n-fault" role="alert">{failed}</p>}
      {changes?.length === 0 && <p class="n-hint">No changes since the import.</p>}
      {!changes && !failed && <p class="n-hint">Reading…</p>}
      <ol>{changes?.map(change => <One key={change.change_set} at={at} change={change} />)}</ol>
      {more && changes && <button type="button" class="button button-small" onClick={() => void read(changes[changes.length - 1].version, PAGE)}>Older changes</button>}
    </section>
  );
}

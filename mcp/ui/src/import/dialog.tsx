// SPDX-License-Identifier: GPL-3.0-or-later
// The import dialog: files are chosen or dropped, a dry run shows how the server reads them, and only then the curriculum is written. A
// failure keeps the files and the choices; closing the dialog changes nothing. After an import the same dialog shows its report.
import "./import.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { importFiles } from "../base/api";
import { TITLE_MAX } from "../base/curricula";
import { openSession, readGraph, readSessionList } from "../base/curriculum";
import { goTo } from "../base/help";
import { asked, hovering, writing, type Dropped } from "../base/importing";
import { relationOf } from "../base/relations";
import { region, session, tell } from "../base/state";
import type { Imported } from "../base/types";
import { errorText, plural } from "../base/words";
import { chooseDropped, chooseListed, encode, sizeWords, type Choice } from "./files";
import { Changes, Lessons, Report } from "./report";
import { countsOf, hasUntyped, isClean, shortReport, updateWords } from "./summary";

const NAMES_SHOWN = 5;
const UNTYPED = ["LEADS_TO", "PREREQUISITE"] as const; // the first is the server's default

const close = () => { asked.value = null; };

// The choice as the server takes it, made once.
const encoded = new WeakMap<Choice, ReturnType<typeof encode>>();
function filesOf(choice: Choice): ReturnType<typeof encode> {
  const made = encoded.get(choice) ?? encode(choice);
  encoded.set(choice, made);
  return made;
}

interface Options { into: string | null; untyped: string | undefined; deletes: boolean }

async function send(choice: Choice, { into, untyped, deletes }: Options, more: { title?: string; dry_run?: boolean }): Promise<Imported> {
  return importFiles(into, { files: await filesOf(choice), ...more, ...(untyped && { untyped }), ...(into && { delete_missing: deletes }) });
}

// After the answer: whatever fails now, the import is written.
async function showImported(done: Imported, into: { sid: string; title: string; deletes: boolean } | null): Promise<void> {
  try {
    await readSessionList();
    if (into) await readGraph();
    else if (done.session_id) await openSession(done.session_id);
  } catch (error) {
    tell("error", `It is imported, but could not be shown: ${errorText(error)}`);
    return;
  }
  const title = into?.title ?? (session.value?.title || done.session_id!);
  const said = into ? updateWords(done, into.title, into.deletes) : `“${title}” is imported: ${countsOf(done)}.`;
  tell("info", `${said} ${shortReport(done)}`, isClean(done) ? undefined : { label: "Report", run: () => { asked.value = { done, title }; } },
    into && done.change_set ? { sid: into.sid, set: done.change_set, undone: `Undone: the import into “${into.title}”.` } : undefined);
  if (document.activeElement === document.body) goTo(region.peek()); // the button that opened the dialog has gone
}

function Files({ choice }: { choice: Choice }) {
  const { files, bytes, hidden } = choice;
  return (
    <p class="import-files"><strong>{plural(files.length, "file")}, {sizeWords(bytes)}:</strong>{" "}
      <span dir="auto">{files.slice(0, NAMES_SHOWN).map(each => each.name).join(", ")}</span>
      {files.length > NAMES_SHOWN && ` and ${files.length - NAMES_SHOWN} more`}
      {hidden > 0 && `. ${plural(hidden, "hidden item")} skipped.`}</p>
  );
}

function ChooseButton({ folder, again, take }: { folder: boolean; again: boolean; take: (list: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.webkitdirectory = folder;
  }, []);
  const words = folder ? (again ? "Choose another folder…" : "Choose a folder…") : again ? "Choose other files…" : "Choose files…";
  return (
    <>
      <button type="button" class="button" onClick={() => input.current?.click()}>{words}</button>
      <input ref={input} type="file" multiple hidden onChange={event => {
        const list = [...event.currentTarget.files ?? []];
        event.currentTarget.value = ""; // the same can be chosen again, when it has been corrected
        if (list.length > 0) take(list);
      }} />
    </>
  );
}

function Radio({ name, checked, choose, children }: { name: string; checked: boolean; choose: () => void; children: preact.ComponentChildren }) {
  return <label class="import-choice"><input type="radio" name={name} checked={checked} onChange={choose} /><span>{children}</span></label>;
}

function Form({ dropped }: { dropped: Dropped | null }) {
  const [open] = useState(() => session.peek());
  const [choice, setChoice] = useState<Choice | null>(null), [answer, setAnswer] = useState<Imported | null>(null);
  const [busy, setBusy] = useState<"reading" | "writing" | null>(null), [fault, setFault] = useState<string | null>(null);
  const [title, setTitle] = useState(""), [updates, setUpdates] = useState(false), [deletes, setDeletes] = useState(false);
  const [untyped, setUntyped] = useState<string | undefined>(undefined);
  const turn = useRef(0); // the newest reading; the result of an older one is discarded
  const form = useRef<HTMLFormElement>(null);
  const options: Options = { into: updates && open ? open.session_id : null, untyped, deletes };

  const take = async (make: () => Choice | Promise<Choice>) => {
    const mine = ++turn.current;
    setFault(null);
    try {
      const made = await make();
      if (mine !== turn.current) return;
      setAnswer(null);
      setChoice(made);
    } catch (error) { // the earlier choice stays
      if (mine !== turn.current) return;
      setBusy(null);
      setFault(errorText(error));
    }
  };
  const read = async () => {
    if (!choice) return;
    const mine = ++turn.current;
    setBusy("reading");
    setFault(null);
    try {
      const found = await send(choice, options, { dry_run: true });
      if (mine === turn.current) setAnswer(found);
    } catch (error) {
      if (mine !== turn.current) return;
      setAnswer(null);
      setFault(errorText(error));
    }
    if (mine === turn.current) setBusy(null);
  };
  const write = async (event: Event) => {
    event.preventDefault();
    if (busy || !choice || !answer) return;
    setBusy("writing");
    setFault(null);
    writing.value = true;
    try {
      const done = await send(choice, options, updates || title.trim() === "" ? {} : { title: title.trim() });
      close();
      void showImported(done, updates && open ? { sid: open.session_id, title: open.title || open.session_id, deletes } : null);
    } catch (error) {
      setFault(errorText(error));
      setBusy(null);
    } finally {
      writing.value = false;
    }
  };
  useEffect(() => form.current?.querySelector("button")?.focus(), []);
  useEffect(() => () => void turn.current++, []);
  useEffect(() => {
    if (dropped) void take(() => chooseDropped(dropped));
  }, [dropped]);
  useLayoutEffect(() => void read(), [choice, updates, deletes, untyped]); // at once, so that nothing is written that was not shown

  const status = busy === "reading" && choice ? `Reading ${plural(choice.files.length, "file")}…` : busy === "writing" ? "Importing…"
    : answer ? `Read: ${countsOf(answer)}. ${shortReport(answer)} Nothing is written yet.` : "";
  return (
    <form ref={form} class="import-form" onSubmit={event => void write(event)} aria-labelledby="import-title" aria-busy={busy !== null}>
      <div class="import-body">
        <h2 id="import-title">Import a curriculum</h2>
        <div class={`import-drop${hovering.value ? " import-over" : ""}`}>
          {choice ? <Files choice={choice} /> : <p>Drop files or a folder here: notes in Markdown, sheets (CSV, Excel), JSON, CASE, GraphML, GEXF, a course
            (<code>.tar.gz</code>, <code>.imscc</code>), or an archive of them. You see how they are read before anything is written.</p>}
          <div class="task-actions">
            <ChooseButton folder={false} again={choice !== null} take={list => void take(() => chooseListed(list))} />
            <ChooseButton folder again={choice !== null} take={list => void take(() => chooseListed(list))} />
          </div>
        </div>
        <p class="import-status" role="status">{status}</p>
        {fault && <p class="task-fault" role="alert" dir="auto">{fault}</p>}
        {choice && <>
          {open && <fieldset>
            <legend>Import as</legend>
            <Radio name="import-as" checked={!updates} choose={() => setUpdates(false)}>a new curriculum</Radio>
            <Radio name="import-as" checked={updates} choose={() => setUpdates(true)}>an update of <strong dir="auto">{open.title || open.session_id}</strong>, by the ids of its lessons</Radio>
          </fieldset>}
          {updates ? (
            <label class="import-choice"><input type="checkbox" checked={deletes} onChange={event => setDeletes(event.currentTarget.checked)} />
              <span>Delete lessons that the files do not have</span></label>
          ) : (
            <label>Title <span class="import-about">(if you leave it empty, as the files say)</span>
              <input class="field" dir="auto" value={title} maxLength={TITLE_MAX} onInput={event => setTitle(event.currentTarget.value)} /></label>
          )}
        </>}
        {answer && <>
          {(hasUntyped(answer) || untyped !== undefined) && <fieldset>
            <legend>Relationships without a type mean</legend>
            {UNTYPED.map(type => (
              <Radio key={type} name="import-untyped" checked={(untyped ?? UNTYPED[0]) === type} choose={() => setUntyped(type)}>
                the earlier lesson {relationOf(type).forward} the later one <span class="import-about">({type})</span></Radio>
            ))}
          </fieldset>}
          {answer.changes && <Changes of={answer.changes} deletes={deletes} />}
          <Lessons of={answer} />
          <Report of={answer} />
        </>}
      </div>
      <div class="import-foot task-actions">
        <button type="submit" class="button button-main" aria-disabled={busy !== null || !answer}>{busy === "writing" ? "Importing…" : updates ? "Update" : "Import"}</button>
        {fault && choice && busy === null && <button type="button" class="button" onClick={() => void read()}>Read again</button>}
        <button type="button" class="button" disabled={busy === "writing"} onClick={close}>Cancel</button>
      </div>
    </form>
  );
}

function Done({ of, title }: { of: Imported; title: string }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => button.current?.focus(), []);
  return (
    <div class="import-form">
      <div class="import-body">
        <h2 id="import-title" dir="auto">The import of “{title}”</h2>
        <p>{countsOf(of)}</p>
        <Report of={of} />
      </div>
      <div class="import-foot task-actions"><button type="button" class="button button-main" ref={button} onClick={close}>Close</button></div>
    </div>
  );
}

export default function Import() {
  const of = asked.value;
  if (!of) return <></>;
  return "done" in of ? <Done of={of.done} title={of.title} /> : <Form dropped={of.dropped} />;
}

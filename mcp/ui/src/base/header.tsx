// SPDX-License-Identifier: GPL-3.0-or-later
// The bar above the regions: which curriculum, finding a node, undo, who is editing, how it looks.
import { CurriculumMenu } from "./curricula";
import { openSession, readSessionList } from "./curriculum";
import { openHelp } from "./help";
import { Icon } from "./icons";
import { Search } from "./search";
import { editorName, readOnly, session, sessions, theme } from "./state";
import { nextTheme } from "./theme";
import { undoLast } from "./undo";

const THEME_WORDS = { system: "as the system", light: "light", dark: "dark" };
const THEME_ICONS = { system: "system", light: "sun", dark: "moon" } as const;
const NAME_BYTES = 56; // the server takes 64, the tab's mark included
const bytes = (text: string) => new TextEncoder().encode(text).length;

function rename(): void {
  const name = prompt("Your name, as others see it beside your edits:", editorName.value);
  let tidy = name?.replace(/[^\p{L}\p{N} ._-]/gu, "").trim();
  while (tidy && bytes(tidy) > NAME_BYTES) tidy = [...tidy].slice(0, -1).join("");
  if (!tidy) return;
  editorName.value = tidy;
  localStorage.setItem("lectern.editor", tidy);
}

export function Header() {
  return (
    <header class="bar">
      <h1 class="brand">
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false">
          <rect class="brand-back" width="32" height="32" rx="8" />
          <path d="M9 9.5 16 16m0 0 7-6.5M16 16v7" stroke="#fff" stroke-width="2.2" fill="none" stroke-linecap="round" />
          <g fill="#fff"><circle cx="9" cy="9" r="3" /><circle cx="23" cy="9" r="3" /><circle cx="16" cy="23.5" r="3.4" /></g>
        </svg>
        <span class="brand-word">Lectern</span>
      </h1>
      <div class="curriculum">
      <select class="sessions" aria-label="Curriculum" value={session.value?.session_id ?? ""}
        onChange={event => void openSession(event.currentTarget.value)} onFocus={() => void readSessionList().catch(() => undefined)}>
        {!session.value && <option value="">{sessions.value.length === 0 ? "No curriculum yet" : "Choose a curriculum"}</option>}
        {sessions.value.map(each => (
          <option key={each.session_id} value={each.session_id}>{each.title || each.session_id}</option>
        ))}
      </select>
      {readOnly.value ? <span class="chip read-only" title="You are signed in with a token that may read, not edit">Read only</span> : <CurriculumMenu />}
      </div>
      {session.value && <Search />}
      <div class="bar-tools">
        {session.value && !readOnly.value && <button type="button" class="tool" onClick={() => void undoLast()} title="Undo the last change (Alt U)">
          <Icon name="undo" /><span class="tool-word">Undo last change</span>
        </button>}
        <button type="button" class="tool" onClick={rename} title="Your name, as others see it">
          <Icon name="person" /><span class="tool-word"><span class="hidden">Your name: </span>{editorName.value}</span>
        </button>
        <button type="button" class="tool tool-icon" onClick={nextTheme} aria-label={`Colours: ${THEME_WORDS[theme.value]}. Change`}
          title={`Colours: ${THEME_WORDS[theme.value]}`}>
          <Icon name={THEME_ICONS[theme.value]} />
        </button>
        <button type="button" class="tool tool-icon" onClick={openHelp} aria-label="Keys and help" title="Keys (?)">
          <Icon name="help" />
        </button>
      </div>
    </header>
  );
}

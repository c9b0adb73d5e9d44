// SPDX-License-Identifier: GPL-3.0-or-later
// The place of the import dialog, whose content is loaded when it is first opened, and what is shown while files are held over the page.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { asked, hovering, takeDrops, writing } from "./importing";
import { Late, laterPart } from "./lazy";

const part = laterPart("src/import/dialog.tsx", () => import("../import/dialog"));

export function ImportPlace() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = asked.value !== null;
  useEffect(takeDrops, []);
  // At once: the event of a close may come later, when the dialog has been opened again.
  useLayoutEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    else if (!open) dialog.current?.close();
  }, [open]);
  return (
    <>
      {hovering.value && !open && <div class="drop-cue" aria-hidden="true">Drop to import</div>}
      <dialog ref={dialog} class="import" aria-labelledby="import-title" onCancel={event => writing.value && event.preventDefault()}
        onClose={() => { if (!dialog.current?.open) asked.value = null; }}>
        {open && <Late part={part} name="import" class="slot-note" draw={module => <module.default />} />}
      </dialog>
    </>
  );
}

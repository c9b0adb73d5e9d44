// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a form, by their shape in the table of types.
import type { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { isComposing } from "../base/keys";
import { Icon } from "../base/icons";
import { capital } from "../base/words";
import { caseKinds, caseMembers, CHOSEN, kindOfCase, memberDraft, memberText, type CaseKind } from "./cases";
import { applies, chartNames, emptyItem, isChart, isObject, itemName, typedNumber, type Field, type Parameters, type Shape } from "./kinds";
import { moved } from "./order";
import type { Fault } from "./store";

interface FieldProps {
  label: string;
  value: string;
  change: (value: string) => void;
  shape?: Shape;
  needed?: boolean;
  hint?: string;
  fault?: string;
  choices?: readonly string[];
  type?: "number";
  range?: { min?: number; max?: number };
  first?: boolean; // takes the focus
}

export function Entry({ label, value, change, shape, needed, hint, fault, choices, type, range, first }: FieldProps) {
  const id = useId(), place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (first) place.current?.focus({ preventScroll: true });
  }, []);
  const about = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ") || undefined;
  const common = { id, class: "field", "aria-describedby": about, "aria-invalid": fault ? true : undefined, "aria-required": needed || undefined,
    onInput: (event: Event) => change((event.currentTarget as HTMLInputElement).value) };
  const code = shape === "code";
  return (
    <div class="n-field">
      <label for={id}>{label}{!needed && <span class="n-optional"> (if any)</span>}</label>
      {choices ? (
        <select {...common} ref={place as never} value={value}>
          {(!needed || value === "") && <option value="">–</option>}
          {value && !choices.includes(value) && <option value={value}>{value} (not allowed)</option>}
          {choices.map(each => <option key={each} value={each}>{each}</option>)}
        </select>
      ) : type === "number" ? <input {...common} ref={place as never} type="number" step="any" {...range} value={value} />
        : shape === "line" ? <input {...common} ref={place as never} type="text" value={value} />
        : <textarea {...common} ref={place as never} value={value} spellcheck={!code} class={code ? "field n-code" : "field"}
          rows={Math.min(12, Math.max(code ? 3 : 2, value.split("\n").length + Math.floor(value.length / 90)))} />}
      {hint && <p class="n-hint" id={`${id}-hint`}>{hint}</p>}
      {fault && <p class="n-fault" id={`${id}-fault`}>{fault}</p>}
    </div>
  );
}

interface Props { field: Field; parameters: Parameters; change: (value: unknown) => void; faults: readonly Fault[]; first: boolean }

const asText = (value: unknown) => typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
const faultAt = (faults: readonly Fault[], ...path: (string | number)[]) =>
  faults.filter(fault => fault.loc.join(".") === path.join(".")).map(fault => capital(fault.text)).join(" ") || undefined;

// A list whose items can be added, removed and moved. draw: the fields of one.
function Items({ field, parameters, change, faults, draw }: Props & { draw: (item: unknown, i: number, label: string, put: (item: unknown) => void) => JSX.Element }) {
  const given = parameters[field.name], noun = itemName(field), empty = emptyItem(field);
  const items: readonly unknown[] = Array.isArray(given) && given.length > 0 ? given : given === undefined || Array.isArray(given) ? field.needed ? [empty] : [] : [given];
  const place = useRef<HTMLDivElement>(null), id = useId();
  // Before the next key, which belongs to the new item.
  const next = useRef(-1);
  useLayoutEffect(() => {
    if (next.current < 0) return;
    const entry = place.current?.children[next.current]?.querySelector<HTMLElement>("textarea, select, input");
    next.current = -1;
    (entry ?? place.current?.querySelector<HTMLElement>(":scope > button"))?.focus();
  });
  const isFull = items.length >= (field.most ?? Infinity);
  // The list as it is then, and the item that takes the focus.
  const write = (list: readonly unknown[], index: number) => {
    change(list);
    next.current = index;
  };
  const without = (i: number) => write(items.filter((_, other) => other !== i), Math.max(0, i - 1));
  const keys = (event: KeyboardEvent, i: number) => {
    const area = event.target;
    if (typeof items[i] !== "string" || !(area instanceof HTMLTextAreaElement) || event.ctrlKey || event.metaKey || isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !isFull) {
      event.preventDefault();
      const at = area.selectionStart;
      write([...items.slice(0, i), area.value.slice(0, at), area.value.slice(area.selectionEnd), ...items.slice(i + 1)], i + 1);
    } else if (event.key === "Backspace" && area.value === "" && items.length > 1) {
      event.preventDefault();
      without(i);
    }
  };
  const tool = (label: string, icon: "needs" | "neededBy" | "close", disabled: boolean, act: () => void) =>
    <button type="button" class="icon-button" disabled={disabled} aria-label={label} onClick={act}><Icon name={icon} /></button>;
  const fault = field.shape !== "answers" && faultAt(faults, field.name), hints = [field.hint, field.shape === "list" && items.length > 0 && `Enter begins the next ${noun}.`].filter(Boolean).join(" ");
  return (
    <div class="n-itemsgroup" role="group" aria-labelledby={`${id}-label`} aria-describedby={hints ? `${id}-hint` : undefined}>
      <p class="n-itemslabel"><span id={`${id}-label`}>{field.label}</span>{!field.needed && <span class="n-optional"> (if any)</span>}</p>
      {fault && <p class="n-fault" role="alert">{fault}</p>}
      {hints && <p class="n-hint" id={`${id}-hint`}>{hints}</p>}
      <div class="n-items" ref={place}>
        {items.map((item, i) => (
          <div class={`n-itemfields${field.shape === "cases" ? " n-casefields" : ""}`} key={i} onKeyDown={event => keys(event, i)}>
            {draw(item, i, `${capital(noun)} ${i + 1}`, put => change(items.map((other, j) => j === i ? put : other)))}
            <div class="n-itemtools">
              {tool(`Move ${noun} ${i + 1} up`, "needs", i === 0, () => write(moved(items, i, i - 1), i - 1))}
              {tool(`Move ${noun} ${i + 1} down`, "neededBy", i === items.length - 1, () => write(moved(items, i, i + 1), i + 1))}
              {tool(`Remove ${noun} ${i + 1}`, "close", field.needed && items.length === 1, () => without(i))}
            </div>
          </div>
        ))}
        <button type="button" class="button button-small" disabled={isFull} onClick={() => write([...items, empty], items.length)}>
          {items.length > 0 ? `One more ${noun}` : `Add the first ${noun}`}</button>
      </div>
    </div>
  );
}

function TextItems(props: Props) {
  const { field, faults, first } = props;
  return <Items {...props} draw={(text, i, label, put) =>
    <Entry label={label} value={asText(text)} needed first={first && i === 0} fault={faultAt(faults, field.name, i)} change={put} />} />;
}

// An answer of a choice is one of its options. One answer alone is no list.
function AnswerItems(props: Props) {
  const { field, parameters, faults, change } = props;
  const isList = Array.isArray(parameters[field.name]);
  const options = (Array.isArray(parameters.options) ? parameters.options : []).filter(option => typeof option === "string" && option !== "");
  return <Items {...props} change={list => change(isList || (list as unknown[]).length > 1 ? list : (list as unknown[])[0])} draw={(answer, i, label, put) =>
    <Entry label={label} shape="line" value={asText(answer)} needed choices={parameters.kind === "choice" ? options : undefined}
      fault={faultAt(faults, field.name, i) ?? (i === 0 ? faultAt(faults, field.name) : undefined)} change={put} />} />;
}

function CaseItems(props: Props) {
  const { field, faults } = props;
  return <Items {...props} draw={(item, i, label, put) => {
    const one = isObject(item) ? item : {}, kind = kindOfCase(one), members = caseMembers.filter(member => member.kinds.includes(kind));
    // Of the case, and of members that have no field here.
    const loose = faults.filter(({ loc: [name, at, member] }) => name === field.name && at === String(i) && !members.some(each => each.name === member));
    return (
      <fieldset class="n-picturefields">
        <legend>{label}</legend>
        {loose.map(({ loc, text }) => <p class="n-fault" role="alert" key={text}>{capital([...loc.slice(2), text].join(" "))}</p>)}
        <Entry label="Kind" value={caseKinds[kind]} choices={Object.values(caseKinds)} needed change={words => {
          const [chosen] = (Object.keys(caseKinds) as CaseKind[]).filter(name => caseKinds[name] === words);
          put({ ...one, [CHOSEN]: chosen, ...(chosen === "program" && { stdout: one.stdout ?? "" }) });
        }} />
        {members.map(member => (
          <Entry key={member.name} label={member.label} shape={member.json || member.long ? "code" : "line"} needed={member.needed} hint={member.hint}
            value={memberText(member, one[member.name])} fault={faultAt(faults, field.name, i, member.name)}
            change={text => put({ ...one, [member.name]: memberDraft(member, text) })} />
        ))}
        <label class="n-check"><input type="checkbox" checked={one.hidden === true}
          onChange={event => put({ ...one, hidden: event.currentTarget.checked || undefined })} /> Hidden from learners</label>
      </fieldset>
    );
  }} />;
}

function PictureFields({ field, parameters, change, faults, first }: Props) {
  const given = isObject(parameters[field.name]) ? parameters[field.name] as Parameters : {};
  const name = useId();
  return (
    <>
      {faultAt(faults, field.name) && <p class="n-fault">{faultAt(faults, field.name)}</p>}
      {Array.from({ length: field.most ?? 0 }, (_, i) => {
        const svg = `svg${i + 1}`, image = `image${i + 1}`, family = svg in given || !(image in given) ? svg : image;
        const picture = isObject(given[family]) ? given[family] as Parameters : {};
        const put = (part: string, value: string) => change({ ...given, [family]: { ...picture, [part]: value } });
        const turn = (to: string) => {
          const { [family]: _, ...rest } = given;
          change({ ...rest, [to]: picture });
        };
        const entry = (part: string, label: string, shape: Shape, hint?: string) =>
          <Entry key={part} label={label} value={asText(picture[part])} shape={shape} hint={hint} first={first && i === 0 && part === "title"}
            fault={faultAt(faults, field.name, family, part)} change={value => put(part, value)} />;
        return (
          <fieldset class="n-picturefields" key={i}>
            <legend>Picture {i + 1}</legend>
            {faultAt(faults, field.name, family) && <p class="n-fault">{faultAt(faults, field.name, family)}</p>}
            {entry("title", "Title", "line")}
            {entry("body", "What it shows", "text")}
            <div class="n-radios">
              {[[svg, "Drawing (SVG code)"], [image, "Image (address)"]].map(([value, label]) => (
                <label key={value}><input type="radio" name={`${name}-${i}`} checked={family === value} onChange={() => turn(value)} /> {label}</label>
              ))}
            </div>
            {family === svg ? entry("svgCode", "SVG code", "code")
              : [entry("imagePath", "Path on this server", "line"), entry("imageUrl", "Address", "line", "An image from another site is shown as a link.")]}
          </fieldset>
        );
      })}
    </>
  );
}

const chartLabels: Record<string, string> = { numerator: "Parts taken", denominator: "Parts in all", current: "Value", maximum: "Greatest value" };

function ChartFields({ field, parameters, change, faults }: Props) {
  if (!isChart(parameters.visual_type)) return null;
  const names = chartNames(parameters.visual_type), given = isObject(parameters[field.name]) ? parameters[field.name] as Parameters : {};
  return (
    <div class="n-chartfields">
      {faultAt(faults, field.name) && <p class="n-fault">{faultAt(faults, field.name)}</p>}
      {names.map(name => (
        <Entry key={name} label={chartLabels[name]} shape="line" type="number" needed value={asText(given[name])} fault={faultAt(faults, field.name, name)}
          change={text => change({ ...given, [name]: typedNumber(text) })} />
      ))}
    </div>
  );
}

const editors: Partial<Record<Shape, (props: Props) => JSX.Element | null>> =
  { list: TextItems, answers: AnswerItems, cases: CaseItems, pictures: PictureFields, chart: ChartFields };

export function FieldOf(props: Props) {
  const { field, parameters, change, faults, first } = props;
  if (!applies(field, parameters)) return null;
  const Editor = editors[field.shape], number = field.shape === "number";
  if (Editor) return <Editor {...props} />;
  const code = field.name === "visual_content" && parameters.visual_type === "svg";
  return <Entry label={field.label} value={asText(parameters[field.name])} change={text => change(number ? typedNumber(text) : text)}
    shape={code ? "code" : number ? "line" : field.shape} type={number ? "number" : undefined} range={{ min: field.least, max: field.most }}
    needed={field.needed} hint={field.hint} choices={field.choices} fault={faultAt(faults, field.name)} first={first} />;
}

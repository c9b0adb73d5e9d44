// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a form, by their shape in the table of types.
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { isComposing } from "../base/keys";
import { Icon } from "../base/icons";
import { chartNames, isChart, isObject, type Field, type Parameters, type Shape } from "./kinds";
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
  first?: boolean; // takes the focus
}

export function Entry({ label, value, change, shape, needed, hint, fault, choices, type, first }: FieldProps) {
  const id = useId(), place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (first) place.current?.focus({ preventScroll: true });
  }, []);
  const about = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ") || undefined;
  const common = { id, class: "field", "aria-describedby": about, "aria-invalid": fault ? true : undefined, "aria-required": needed || undefined,
    onInput: (event: Event) => change((event.currentTarget as HTMLInputElement).value) };
  const code = shape === "svg";
  return (
    <div class="n-field">
      <label for={id}>{label}{!needed && <span class="n-optional"> (if any)</span>}</label>
      {choices ? (
        <select {...common} ref={place as never} value={value}>
          {!needed && <option value="">–</option>}
          {value && !choices.includes(value) && <option value={value}>{value} (not allowed)</option>}
          {choices.map(each => <option key={each} value={each}>{each}</option>)}
        </select>
      ) : type === "number" ? <input {...common} ref={place as never} type="number" step="any" value={value} />
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
  faults.filter(fault => fault.loc.join(".") === path.join(".")).map(fault => `${fault.text[0]?.toUpperCase() ?? ""}${fault.text.slice(1)}`).join(" ") || undefined;

function Steps({ field, parameters, change, faults, first }: Props) {
  const given = parameters[field.name];
  const steps = Array.isArray(given) ? given.map(asText) : [asText(given)];
  const place = useRef<HTMLDivElement>(null);
  // Before the next key, which belongs to the new step.
  const next = useRef(-1);
  const go = (index: number) => { next.current = index; };
  useLayoutEffect(() => {
    if (next.current < 0) return;
    const area = place.current?.querySelectorAll("textarea")[next.current];
    next.current = -1;
    area?.focus();
  });
  const keys = (event: KeyboardEvent, i: number) => {
    const area = event.target;
    if (!(area instanceof HTMLTextAreaElement) || event.ctrlKey || event.metaKey || isComposing(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      const at = area.selectionStart;
      change([...steps.slice(0, i), area.value.slice(0, at), area.value.slice(area.selectionEnd), ...steps.slice(i + 1)]);
      go(i + 1);
    } else if (event.key === "Backspace" && area.value === "" && steps.length > 1) {
      event.preventDefault();
      change(steps.filter((_, other) => other !== i));
      go(Math.max(0, i - 1));
    }
  };
  return (
    <div class="n-stepfields" role="group" aria-label={field.label} ref={place}>
      {steps.map((step, i) => (
        <div class="n-stepfield" key={i} onKeyDown={event => keys(event, i)}>
          <Entry label={`Step ${i + 1}`} value={step} needed first={first && i === 0} fault={faultAt(faults, field.name, i)}
            change={text => change(steps.map((other, j) => j === i ? text : other))} />
          <div class="n-steptools">
            <button type="button" class="icon-button" disabled={i === 0} aria-label={`Move step ${i + 1} up`}
              onClick={() => { change(moved(steps, i, i - 1)); go(i - 1); }}><Icon name="needs" /></button>
            <button type="button" class="icon-button" disabled={i === steps.length - 1} aria-label={`Move step ${i + 1} down`}
              onClick={() => { change(moved(steps, i, i + 1)); go(i + 1); }}><Icon name="neededBy" /></button>
            <button type="button" class="icon-button" disabled={steps.length === 1} aria-label={`Remove step ${i + 1}`}
              onClick={() => { change(steps.filter((_, other) => other !== i)); go(Math.max(0, i - 1)); }}><Icon name="close" /></button>
          </div>
        </div>
      ))}
      {faultAt(faults, field.name) && <p class="n-fault">{faultAt(faults, field.name)}</p>}
      <p class="n-hint">Enter begins the next step.</p>
      <button type="button" class="button button-small" onClick={() => { change([...steps, ""]); go(steps.length); }}>One more step</button>
    </div>
  );
}

function PictureFields({ field, parameters, change, faults, first }: Props) {
  const given = isObject(parameters[field.name]) ? parameters[field.name] as Parameters : {};
  const name = useId();
  return (
    <>
      {faultAt(faults, field.name) && <p class="n-fault">{faultAt(faults, field.name)}</p>}
      {Array.from({ length: field.pictures ?? 0 }, (_, i) => {
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
            {family === svg ? entry("svgCode", "SVG code", "svg")
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
          change={text => change({ ...given, [name]: text === "" ? undefined : Number(text) })} />
      ))}
    </div>
  );
}

export function FieldOf(props: Props) {
  const { field, parameters, change, faults, first } = props;
  if (field.shape === "list") return <Steps {...props} />;
  if (field.shape === "pictures") return <PictureFields {...props} />;
  if (field.shape === "chart") return <ChartFields {...props} />;
  const code = field.name === "visual_content" && parameters.visual_type === "svg";
  return <Entry label={field.label} value={asText(parameters[field.name])} change={change} shape={code ? "svg" : field.shape} needed={field.needed}
    hint={field.hint} choices={field.choices} fault={faultAt(faults, field.name)} first={first} />;
}

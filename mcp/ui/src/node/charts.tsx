// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a big number, drawn from their two numbers: sectors of circles, and the share of a bar.
import { chartNames } from "./kinds";

interface Sector { path: string; filled: boolean }

// More parts cannot be distinguished: the circle is then drawn as two sectors.
const PARTS_MAX = 60;
const CIRCLES_MAX = 6;

const round = (number: number) => Math.round(number * 100) / 100;

// From the top, clockwise; from and to are shares of the circle.
export function sector(x: number, y: number, radius: number, from: number, to: number): string {
  if (to - from >= 1) {
    const top = `${x} ${y - radius}`, bottom = `${x} ${y + radius}`;
    return `M${top}A${radius} ${radius} 0 1 1 ${bottom}A${radius} ${radius} 0 1 1 ${top}Z`;
  }
  const at = (share: number) =>
    `${round(x + radius * Math.sin(2 * Math.PI * share))} ${round(y - radius * Math.cos(2 * Math.PI * share))}`;
  return `M${x} ${y}L${at(from)}A${radius} ${radius} 0 ${to - from > 0.5 ? 1 : 0} 1 ${at(to)}Z`;
}

// numerator of denominator parts; more than a whole takes several circles. cut: draw each part separately. Null: no chart.
export function circles(numerator: number, denominator: number, cut: boolean) {
  if (!Number.isFinite(numerator) || !Number.isFinite(denominator) || denominator <= 0 || numerator < 0) return null;
  const share = numerator / denominator;
  const count = Math.max(1, Math.ceil(share - 1e-9));
  if (count > CIRCLES_MAX) return null;
  const parts = cut && Number.isInteger(denominator) && denominator <= PARTS_MAX ? denominator : 0;
  const drawn: Sector[][] = [];
  for (let circle = 0; circle < count; circle++) {
    const left = Math.min(1, share - circle), sectors: Sector[] = [];
    if (parts && Number.isInteger(numerator))
      for (let i = 0; i < parts; i++)
        sectors.push({ path: sector(50, 50, 46, i / parts, (i + 1) / parts), filled: circle * parts + i < numerator });
    else {
      if (left > 0) sectors.push({ path: sector(50, 50, 46, 0, left), filled: true });
      if (left < 1) sectors.push({ path: sector(50, 50, 46, left, 1), filled: false });
    }
    drawn.push(sectors);
  }
  return { sectors: drawn, said: `${numerator} of ${denominator}` };
}

// filled is in hundredths of the bar.
export function bar(current: number, maximum: number) {
  if (!Number.isFinite(current) || !Number.isFinite(maximum) || maximum <= 0 || current < 0) return null;
  const share = current / maximum;
  return { filled: round(Math.min(1, share) * 100), over: share > 1, said: `${current} of ${maximum}` };
}

interface Props { type: string; data: unknown; name: string }

export function Chart({ type, data, name }: Props) {
  const [first, second] = chartNames(type).map(field => Number((data as Record<string, unknown> | null | undefined)?.[field] ?? NaN));
  if (data === undefined || data === null) return null;
  if (type === "bar-chart") {
    const drawn = bar(first, second);
    return drawn ? (
      <svg class="n-chart n-barchart" viewBox="0 0 100 12" role="img" aria-label={`${name}: ${drawn.said}`} preserveAspectRatio="none">
        <rect class="n-empty" x="0" y="1" width="100" height="10" rx="2" />
        <rect class="n-filled" x="0" y="1" width={drawn.filled} height="10" rx="2" />
      </svg>
    ) : <NoChart first={first} second={second} />;
  }
  const drawn = circles(first, second, type === "fraction-circle");
  if (!drawn) return <NoChart first={first} second={second} />;
  return (
    <svg class="n-chart" viewBox={`0 0 ${100 * drawn.sectors.length} 100`} role="img" aria-label={`${name}: ${drawn.said}`}>
      {drawn.sectors.map((sectors, i) => (
        <g key={i} transform={`translate(${100 * i} 0)`}>
          {sectors.map(each => <path key={each.path} class={each.filled ? "n-filled" : "n-empty"} d={each.path} />)}
        </g>
      ))}
    </svg>
  );
}

const NoChart = ({ first, second }: { first: number; second: number }) =>
  <p class="n-hint">No chart can be drawn of {String(first)} and {String(second)}.</p>;

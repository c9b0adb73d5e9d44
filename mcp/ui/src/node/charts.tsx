// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a big number, drawn from their two numbers.
import { bar, circles } from "./chart";
import { chartNames } from "./kinds";

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

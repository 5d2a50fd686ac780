import { html, type HtmlSafeString } from '@prairielearn/html';
import { table } from './table.ts';

/** One colour of the style sheet for each place in the list: `.bar-1`, `.bar-2`, ... */
type Series = { name: string; label: string };

type Bar = { label: string; values: readonly number[] };

type Chart = {
  /** Names the chart within its page. */
  id: string;
  title: string;
  /** The chart in a sentence, for those who do not see it. */
  summary: string;
  series: readonly Series[];
  bars: readonly Bar[];
  /** What the bars stand for: the heading of the table's first column. */
  unit: string;
};

const WIDTH = 600;
const HEIGHT = 120;
const GAP = 2;

/** Stacked bars as a picture, and the same as a table: without script, in light and dark. */
export function barChart({ id, title, summary, series, bars, unit }: Chart): HtmlSafeString {
  const most = Math.max(1, ...bars.map(({ values }) => sum(values)));
  return html`<figure class="chart" data-chart="${id}">
    <svg
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-labelledby="${id}-title ${id}-summary"
    >
      <title id="${id}-title">${title}</title>
      <desc id="${id}-summary">${summary}</desc>
      <line class="axis" x1="0" x2="${WIDTH}" y1="${HEIGHT - 0.5}" y2="${HEIGHT - 0.5}" />
      ${bars.map((bar, index) => stack(bar, { index, count: bars.length, most }))}
    </svg>
    <p class="chart-ends" aria-hidden="true">
      <small>${bars[0]?.label ?? ''}</small> <small>${bars.at(-1)?.label ?? ''}</small>
    </p>
    <figcaption>
      <ul class="legend">
        ${series.map(
          ({ label }, index) =>
            html`<li>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect class="bar-${index + 1}" width="10" height="10" />
              </svg>
              ${label}
            </li>`,
        )}
        <li class="muted">highest bar: ${most}</li>
      </ul>
      <details>
        <summary>The same as a table</summary>
        ${asTable({ title, series, bars, unit })}
      </details>
    </figcaption>
  </figure>`;
}

type Place = { index: number; count: number; most: number };

function stack({ values }: Bar, { index, count, most }: Place) {
  const width = WIDTH / count;
  let top = HEIGHT;
  return values.map((value, at) => {
    if (value === 0) return '';
    // However little it is, it is seen.
    const height = Math.max(2, (value / most) * (HEIGHT - 4));
    top -= height;
    return html`<rect
      class="bar-${at + 1}"
      x="${round(index * width + GAP / 2)}"
      y="${round(top)}"
      width="${round(width - GAP)}"
      height="${round(height)}"
    />`;
  });
}

function asTable({ title, series, bars, unit }: Pick<Chart, 'title' | 'series' | 'bars' | 'unit'>) {
  return table({
    label: title,
    empty: 'Nothing to show.',
    rows: bars.filter(({ values }) => sum(values) > 0),
    columns: [
      { heading: unit, cell: ({ label }: Bar) => label },
      ...series.map(({ label }, index) => ({
        heading: label,
        cell: ({ values }: Bar) => String(values[index]),
      })),
    ],
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number): string {
  return value.toFixed(1);
}

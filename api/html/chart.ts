import { html, type HtmlSafeString } from '@prairielearn/html';
import { table } from './table.ts';

type Bar = { label: string; values: readonly number[] };

type Chart = {
  /** Names the chart within its page. */
  id: string;
  title: string;
  /** The chart in one sentence, for screen readers. */
  summary: string;
  /** The labels. One colour of the style sheet for each place in the list: `.bar-1`, `.bar-2`, ... */
  series: readonly string[];
  bars: readonly Bar[];
  /** The heading of the table's first column. */
  unit: string;
  /** How a value is shown: as the number it is, unless told otherwise. */
  write?: (value: number) => string;
};

const WIDTH = 600;
const HEIGHT = 120;
const GAP = 2;

/** Stacked bars as a picture, and the same as a table: without script, in light and dark. */
export function barChart({ write = String, ...chart }: Chart): HtmlSafeString {
  const { id, title, summary, series, bars, unit } = chart;
  const most = Math.max(1, ...bars.map(({ values }) => height(values)));
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
          (label, index) =>
            html`<li>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect class="bar-${index + 1}" width="10" height="10" />
              </svg>
              ${label}
            </li>`,
        )}
        <li class="muted">Max: ${write(most)}</li>
      </ul>
      <details>
        <summary>Show table</summary>
        ${asTable({ title, series, bars, unit, write })}
      </details>
    </figcaption>
  </figure>`;
}

type Place = { index: number; count: number; most: number };

function stack({ values }: Bar, { index, count, most }: Place) {
  const width = WIDTH / count;
  let top = HEIGHT;
  return values.map((value, at) => {
    if (value <= 0) return '';
    // However little it is, it is seen.
    const tall = Math.max(2, (value / most) * (HEIGHT - 4));
    top -= tall;
    return html`<rect
      class="bar-${at + 1}"
      x="${round(index * width + GAP / 2)}"
      y="${round(top)}"
      width="${round(width - GAP)}"
      height="${round(tall)}"
    />`;
  });
}

type Tabled = Pick<Required<Chart>, 'title' | 'series' | 'bars' | 'unit' | 'write'>;

function asTable({ title, series, bars, unit, write }: Tabled) {
  return table({
    label: title,
    empty: 'No data.',
    rows: bars.filter(({ values }) => values.some((value) => value !== 0)),
    columns: {
      [unit]: ({ label }: Bar) => label,
      ...Object.fromEntries(
        series.map((label, index) => [label, ({ values }: Bar) => write(values[index]!)]),
      ),
    },
  });
}

/** A negative value has no bar; the table shows it. */
function height(values: readonly number[]): number {
  return values.reduce((total, value) => total + Math.max(0, value), 0);
}

function round(value: number): string {
  return value.toFixed(1);
}

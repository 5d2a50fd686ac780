import { html, type HtmlSafeString } from '@prairielearn/html';
import { more } from './parts/fold.ts';
import { table } from './table.ts';

type Bar = {
  label: string;
  values: readonly number[];
  /** More may come to it: today. */
  isOpen?: boolean;
};

/** The number of its class. */
type Colour = 1 | 2 | 3 | 4 | 5 | 6 | 7;

type Chart = {
  /** Names the chart within its page. */
  id: string;
  title: string;
  /** The chart in one sentence, for screen readers. */
  summary: string;
  /** The labels. One colour of the style sheet for each place in the list: `.bar-1`, `.bar-2`, ... */
  series: readonly string[];
  /** Other colours than those of the places. */
  colours?: readonly Colour[];
  /** The key stands elsewhere, such as in the head of a card. */
  hasKey?: boolean;
  /** No table folds out where the same rows stand near the chart. */
  hasTable?: boolean;
  bars: readonly Bar[];
  /** The heading of the table's first column. */
  unit: string;
  /** The values of the time before, bar by bar. */
  comparison?: readonly number[];
  /** How a value is shown: by default as the number it is. */
  write?: (value: number) => string;
};

const WIDTH = 600;
const HEIGHT = 120;

/** Stacked bars as a picture, and the same as a table: without script, in light and dark. */
export function barChart({ write = String, ...chart }: Chart): HtmlSafeString {
  const { id, series, bars, hasKey = series.length > 1, hasTable = true } = chart;
  const heights = [...bars.map(({ values }) => height(values)), ...(chart.comparison ?? [])];
  const scale = findScale(Math.max(1, ...heights));
  return html`<figure class="chart" data-chart="${id}">
    ${hasKey ? chartKey(series.map((label, at) => ({ label, mark: colourOf(chart, at) }))) : ''}
    <div class="plot">
      ${picture(chart, scale)}
      <ul class="scale" aria-hidden="true">
        ${scale.marks.map((mark, index) => html`<li>${writeMark(write(mark), index === 0)}</li>`)}
      </ul>
      <p class="dates" aria-hidden="true">
        ${datesOf(bars).map((label) => html`<span>${label}</span>`)}
      </p>
    </div>
    ${
      hasTable ? html`<figcaption>${more('Show as table', asTable(chart, write))}</figcaption>` : ''
    }
  </figure>`;
}

type Scale = {
  most: number;
  /** The values of the lines, from the top down to zero. */
  marks: number[];
};

/** Three or four round steps that reach the highest bar. */
function findScale(highest: number): Scale {
  const power = 10 ** Math.floor(Math.log10(highest / 3));
  const steps = [1, 2, 2.5, 5, 10, 20].map((factor) => Math.max(1, factor * power));
  const step = Math.ceil(steps.find((each) => each * 4 >= highest)!);
  const count = Math.max(1, Math.ceil(highest / step));
  const marks = Array.from({ length: count + 1 }, (_, index) => (count - index) * step);
  return { most: count * step, marks };
}

/** The unit stands beside the top mark alone. */
function writeMark(words: string, isTop: boolean): string {
  const short = words.replace(/\.0+(?= |$)/, '');
  return isTop ? short : short.replace(/ [A-Z]{3}$/, '');
}

const DATES_SHOWN = 5;

function datesOf(bars: readonly Bar[]): string[] {
  const count = Math.min(DATES_SHOWN, bars.length);
  if (count < 2) return bars.map(({ label }) => label);
  const places = Array.from({ length: count }, (_, index) =>
    Math.round((index * (bars.length - 1)) / (count - 1)),
  );
  return places.map((place) => bars[place]!.label);
}

function colourOf({ colours }: Pick<Chart, 'colours'>, at: number): Colour {
  return colours?.[at] ?? ((at + 1) as Colour);
}

function picture(chart: Omit<Chart, 'write'>, { most, marks }: Scale) {
  const { id, title, summary, bars, comparison } = chart;
  const colours = chart.series.map((_, at) => colourOf(chart, at));
  return html`<svg
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    preserveAspectRatio="none"
    role="img"
    aria-labelledby="${id}-title ${id}-summary"
  >
    <title id="${id}-title">${title}</title>
    <desc id="${id}-summary">${summary}</desc>
    ${marks.map((mark) => {
      const y = round(HEIGHT - (mark / most) * HEIGHT);
      return html`<line class="axis" x1="0" x2="${WIDTH}" y1="${y}" y2="${y}" />`;
    })}
    ${bars.map((bar, index) => stack(bar, { index, count: bars.length, most, colours }))}
    ${comparison === undefined ? '' : dashes(comparison, most)}
  </svg>`;
}

/** What the marks of a chart mean: a colour, today so far, or the time before. */
export function chartKey(
  each: readonly { label: string; mark: Colour | 'open' | 'before' }[],
): HtmlSafeString {
  return html`<ul class="legend">
    ${each.map(
      ({ label, mark }) =>
        html`<li>
          <svg viewBox="0 0 10 10" aria-hidden="true">${MARKS[mark]}</svg>
          ${label}
        </li>`,
    )}
  </ul>`;
}

const square = (colour: Colour) =>
  html`<rect class="bar-${colour}" width="10" height="10" rx="2" />`;

const MARKS = {
  1: square(1),
  2: square(2),
  3: square(3),
  4: square(4),
  6: square(6),
  7: square(7),
  5: html`<rect class="bar-5" x=".5" y=".5" width="9" height="9" rx="2" />`,
  open: html`<rect class="bar-5" x=".5" y=".5" width="9" height="9" rx="2" />`,
  before: html`<path class="dashes" d="M0 5h10" />`,
};

type Place = { index: number; count: number; most: number; colours: readonly Colour[] };

function stack({ values, isOpen = false }: Bar, { index, count, most, colours }: Place) {
  // Few bars stay bars.
  const room = WIDTH / Math.max(count, 12);
  const gap = room * 0.28;
  let top = HEIGHT;
  return values.map((value, at) => {
    if (value <= 0) return '';
    // However little it is, it is seen.
    const tall = Math.max(1.5, (value / most) * HEIGHT);
    top -= tall;
    return html`<rect
      class="bar-${colours[at]}"
      ${isOpen ? html`data-open` : ''}
      x="${round(index * (WIDTH / count) + gap / 2)}"
      y="${round(top)}"
      width="${round(room - gap)}"
      height="${round(tall)}"
    />`;
  });
}

/** The values of the time before, as a dashed line over the bars. */
function dashes(values: readonly number[], most: number): HtmlSafeString {
  const points = values.map((value, index) => {
    const x = ((index + 0.5) / values.length) * WIDTH;
    return `${round(x)} ${round(HEIGHT - (value / most) * HEIGHT)}`;
  });
  return html`<path class="dashes" d="M${points.join('L')}" />`;
}

function asTable(
  { title, series, bars, unit, comparison }: Omit<Chart, 'write'>,
  write: (value: number) => string,
) {
  const headings = comparison === undefined ? series : [...series, 'The time before'];
  const rows = bars.map(({ label, values }, at) => ({
    label,
    values: comparison === undefined ? values : [...values, comparison[at]!],
  }));
  return table({
    label: title,
    empty: 'No data.',
    rows: rows.filter(({ values }) => values.some((value) => value !== 0)),
    columns: {
      [unit]: ({ label }: Bar) => label,
      ...Object.fromEntries(
        headings.map((heading, index) => [
          heading,
          { cell: ({ values }: Bar) => write(values[index]!), isNumber: true },
        ]),
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

import { html, type HtmlSafeString } from '@prairielearn/html';
import { icon, type IconName } from '../icon.ts';

type Tone = 'up' | 'down' | 'bad' | 'plain';

export type Figure = {
  name: string;
  value: HtmlSafeString | string;
  /** How it has changed, or what belongs to it. */
  change?: { words: string; tone: Tone } | string;
  /** More values of the same, such as amounts in other currencies. */
  more?: readonly (HtmlSafeString | string)[];
  /** The days before, the oldest first. */
  spark?: readonly number[];
  /** The page with more about it. */
  path?: string;
};

/** A strip of up to four figures. */
export function figures(each: readonly Figure[]): HtmlSafeString {
  return html`<div class="figures">
    ${each.map((figure) => {
      const content = cell(figure);
      return figure.path === undefined
        ? html`<div>${content}</div>`
        : html`<a href="${figure.path}">${content}</a>`;
    })}
  </div>`;
}

/** A change by its size, with the word that says where it went. */
export function changeOf(
  change: number | null,
  write: (size: number) => string,
  words: { up: string; down: string } = { up: '', down: '' },
): NonNullable<Figure['change']> {
  if (change === null) return 'Nothing to compare';
  if (change === 0) return 'As before';
  const tone = change > 0 ? 'up' : 'down';
  return { words: `${write(Math.abs(change))} ${words[tone]}`.trim(), tone };
}

const ICONS: Record<Tone, IconName | null> = {
  up: 'trending-up',
  down: 'trending-down',
  bad: 'triangle-alert',
  plain: null,
};

function cell({ name, value, change, more = [], spark }: Figure): HtmlSafeString {
  return html`<span class="name">${name}</span> <span class="value">${value}</span> ${
      change === undefined ? '' : changeMark(change)
    }
    ${more.map((each) => html`<span class="change">${each}</span>`)}
    ${spark === undefined ? '' : sparkline(spark)}`;
}

function changeMark(change: NonNullable<Figure['change']>): HtmlSafeString {
  const { words, tone } =
    typeof change === 'string' ? { words: change, tone: 'plain' as const } : change;
  const name = ICONS[tone];
  return html`<span class="change ${tone}">${name === null ? '' : icon(name)}${words}</span>`;
}

const WIDTH = 100;
const HEIGHT = 30;

/** The course of a figure without scale: the figure itself says how much. */
export function sparkline(values: readonly number[]): HtmlSafeString | '' {
  if (values.length < 2 || values.every((value) => value === 0)) return '';
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const points = values.map((value, index) => {
    const x = (index / (values.length - 1)) * WIDTH;
    const y = HEIGHT - 2 - ((value - least) / (most - least || 1)) * (HEIGHT - 6);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  const line = `M${points.join('L')}`;
  return html`<svg
    class="spark"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <path d="${line}V${HEIGHT}H0Z" />
    <path d="${line}" />
  </svg>`;
}

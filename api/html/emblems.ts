// The mark, the seal and the gates of Gatehouse, in the colours of the style sheet.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { imagePath } from './image-path.ts';
import { rendered } from './rendered.ts';

export const MARK = rendered(
  html`<svg viewBox="0 0 24 24" aria-hidden="true">
    <path
      d="M3 3.5A1.5 1.5 0 0 1 4.5 2h3A1.5 1.5 0 0 1 9 3.5V5h6V3.5A1.5 1.5 0 0 1 16.5 2h3A1.5 1.5 0 0 1 21 3.5v17a1.5 1.5 0 0 1-1.5 1.5H16v-6.5a4 4 0 0 0-8 0V22H4.5A1.5 1.5 0 0 1 3 20.5Z"
    />
  </svg>`,
);

const ROSETTE =
  'M12 2.1A2.75 2.75 0 0 1 16.95 3.43A2.75 2.75 0 0 1 20.57 7.05A2.75 2.75 0 0 1 21.9 12A2.75 2.75 0 0 1 20.57 16.95A2.75 2.75 0 0 1 16.95 20.57A2.75 2.75 0 0 1 12 21.9A2.75 2.75 0 0 1 7.05 20.57A2.75 2.75 0 0 1 3.43 16.95A2.75 2.75 0 0 1 2.1 12A2.75 2.75 0 0 1 3.43 7.05A2.75 2.75 0 0 1 7.05 3.43A2.75 2.75 0 0 1 12 2.1Z';

/** The quality seal after a name, or large beside its numbers. */
export function seal(size: 'small' | 'large' = 'small'): HtmlSafeString {
  const stroke = size === 'large' ? '1.6' : '2.4';
  return html`<svg class="seal ${size}" viewBox="0 0 24 24" role="img" aria-label="Quality seal">
    <path d="${ROSETTE}" />
    <path
      d="m8 12.3 2.7 2.7 5.3-5.6"
      stroke-width="${stroke}"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>`;
}

const WAYS = {
  open: html`<path class="light" d="M66 116V82a14 14 0 0 1 28 0v34Z" />`,
  shut: html`<path
    class="bars"
    d="M62 56v60M71 51v65M80 50v66M89 51v65M98 56v60M53 70h54M52 86h56M52 102h56"
  />`,
  busy: html`<circle class="clock" cx="80" cy="84" r="17" />
    <path class="hands" d="M80 74v10l7 5" />`,
};

/** The gatehouse: open where something may begin, shut where nothing is, with a clock where one waits. */
export function gate(way: keyof typeof WAYS): HtmlSafeString {
  return html`<svg class="gate" viewBox="0 0 160 120" aria-hidden="true">
    <path
      class="wall"
      d="M22 116V22a6 6 0 0 1 6-6h20a6 6 0 0 1 6 6v8h52v-8a6 6 0 0 1 6-6h20a6 6 0 0 1 6 6v94Z"
    />
    <path class="arch" d="M52 116V78a28 28 0 0 1 56 0v38Z" />
    ${WAYS[way]}
    <path class="ground" d="M6 117h148" />
  </svg>`;
}

/** Ground and figure of the icons that are drawn for products without one. */
const COLOURS = [
  ['#103a5c', '#f7e6b0'],
  ['#f2b33d', '#ffffff'],
  ['#1f4d38', '#f0dfb8'],
  ['#2b2452', '#b9a7f0'],
  ['#17797b', '#ffffff'],
  ['#ee6a4c', '#ffe9d8'],
  ['#d2e5da', '#1f6b4d'],
  ['#ead9bd', '#7a3a7c'],
  ['#17181c', '#5fd6a1'],
  ['#f4b1bd', '#8e1f3f'],
  ['#dfe5f6', '#2f4694'],
  ['#e3edcf', '#4c7a2c'],
] as const;

/** The bricks around the arch by row and column, those beside it first. */
const BRICKS: readonly [row: number, column: number][] = [
  [2, 3],
  [2, 4],
  [3, 2],
  [3, 5],
  [2, 2],
  [2, 5],
  [4, 2],
  [4, 5],
  [1, 1],
  [1, 6],
  [3, 1],
  [2, 6],
  [1, 2],
  [1, 5],
  [2, 1],
  [3, 6],
  [4, 1],
  [4, 6],
];

/** A product as its icon shows it. */
export type IconProduct = {
  slug: string;
  name: string;
  /** The uploaded icon; null where one is drawn. */
  iconHash: string | null;
};

/** A gatehouse of the icons of products, for the eye alone; bricks stand where no product is yet. */
export function gatehouse(products: readonly IconProduct[]): HtmlSafeString {
  return html`<svg class="gate gatehouse" viewBox="0 0 472 312" aria-hidden="true">
    ${BRICKS.map(([row, column], index) => {
      const product = products[index];
      const place = html`translate(${(column - 1) * 80} ${(row - 1) * 80})`;
      return product === undefined
        ? html`<rect class="brick" width="72" height="72" rx="16" transform="${place}" />`
        : html`<g transform="${place} scale(1.125)">${drawIcon(product, true)}</g>`;
    })}
    <path class="arch" d="M160 312v-76a76 76 0 0 1 152 0v76Z" />
    <path class="deep" d="M184 312v-76a52 52 0 0 1 104 0v76Z" />
    <path class="light" d="M208 312v-76a28 28 0 0 1 56 0v76Z" />
  </svg>`;
}

type Sizes = 24 | 34 | 40 | 48 | 52 | 60 | 92;

/**
 * The icon of a product: the uploaded one, or one that is drawn of its first letter, on a ground that
 * its address chooses.
 */
export function appIcon(product: IconProduct, size: Sizes = 48) {
  return html`<svg
    class="app-icon"
    width="${size}"
    height="${size}"
    viewBox="0 0 64 64"
    aria-hidden="true"
  >
    ${drawIcon(product)}
  </svg>`;
}

function drawIcon({ slug, name, iconHash }: IconProduct, isRound = false) {
  if (iconHash !== null) {
    return html`<image
      href="${imagePath(iconHash, 256)}"
      width="64"
      height="64"
      ${isRound ? html`clip-path="inset(0 round 14px)"` : ''}
    />`;
  }
  let sum = 0;
  for (const character of slug) sum = (sum * 31 + character.codePointAt(0)!) % 9_973;
  const [ground, figure] = COLOURS[sum % COLOURS.length]!;
  return html`<rect width="64" height="64" ${isRound ? html`rx="14"` : ''} fill="${ground}" />
    <path d="M14 64V36a18 18 0 0 1 36 0v28Z" fill="${figure}" opacity=".16" />
    <text x="32" y="43" text-anchor="middle" font-size="31" font-weight="640" fill="${figure}">
      ${firstLetter(name)}
    </text>`;
}

const LETTERS = new Intl.Segmenter();

/** One letter as people count them; an emoji is one. */
function firstLetter(name: string): string {
  const [first] = LETTERS.segment(name.trim());
  return first?.segment.toUpperCase() ?? '';
}

import { readFileSync } from 'node:fs';
import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';
import { rendered } from './rendered.ts';

/** The icons of the pages; only these are read. */
const NAMES = [
  'activity',
  'arrow-right',
  'arrow-up-right',
  'badge-check',
  'ban',
  'bell',
  'book-open',
  'boxes',
  'check',
  'chevron-down',
  'chevron-right',
  'chevrons-up-down',
  'circle-alert',
  'circle-check',
  'circle-dashed',
  'clock',
  'code',
  'coins',
  'copy',
  'download',
  'eye',
  'file-text',
  'fingerprint',
  'flask-conical',
  'gavel',
  'gift',
  'history',
  'inbox',
  'info',
  'key-round',
  'landmark',
  'layout-dashboard',
  'library',
  'list-checks',
  'list-filter',
  'lock',
  'log-out',
  'menu',
  'package',
  'plug',
  'printer',
  'plus',
  'receipt-text',
  'repeat',
  'rotate-cw',
  'scale',
  'search',
  'settings',
  'share-2',
  'shield-check',
  'star',
  'store',
  'tag',
  'trending-down',
  'trending-up',
  'triangle-alert',
  'user-round',
  'users',
  'webhook',
  'workflow',
  'x',
] as const;

export type IconName = (typeof NAMES)[number];

const SIZES = [16, 18, 20] as const;

type Size = (typeof SIZES)[number];

const FOLDER = import.meta.resolve('lucide-static/icons/activity.svg');

const ICONS = new Map(NAMES.flatMap((name) => drawSizes(name)));

/** An icon in the colour of its text; the words beside it name it. */
export function icon(name: IconName, size: Size = 16): HtmlSafeString {
  return ICONS.get(`${name} ${size}`)!;
}

function drawSizes(name: IconName): [string, HtmlSafeString][] {
  const shape = unsafeHtml(readShape(name));
  return SIZES.map((size) => [
    `${name} ${size}`,
    rendered(
      html`<svg class="icon s${size}" viewBox="0 0 24 24" aria-hidden="true">${shape}</svg>`,
    ),
  ]);
}

/** What is drawn: the style sheet says how. */
function readShape(name: string): string {
  const file = new URL(`${name}.svg`, FOLDER);
  const [, shape = ''] = /<svg[^>]*>([^]*)<\/svg>/.exec(readFileSync(file, 'utf8')) ?? [];
  return shape.trim().replace(/\s*\n\s*/g, '');
}

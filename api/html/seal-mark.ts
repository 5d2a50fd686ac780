// How buyers see the quality seal of a product.
import { html } from '@prairielearn/html';
import type { SealCount } from '../../domain/catalog/storefront-product.query.ts';
import { seal } from './emblems.ts';
import { writePercent } from './numbers.ts';
import { rendered } from './rendered.ts';

/** The page that says what it takes. */
export const SEAL_GUIDE = '/docs/pool-and-seal#the-quality-seal';

export const SEAL_MARK = rendered(html`<span data-seal>${seal()}</span>`);

/** The people who came back in another week, of all; null where none were counted. */
export function writeReturning(counts: readonly SealCount[]): string | null {
  const back = counts.find(({ name }) => name === 'returning_people');
  return back?.of ? writePercent(back.count, back.of, 0) : null;
}

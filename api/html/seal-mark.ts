// How buyers see the quality seal of a product.
import { html } from '@prairielearn/html';
import { seal } from './emblems.ts';
import { rendered } from './rendered.ts';

/** The page that says what it takes. */
export const SEAL_GUIDE = '/docs/pool-and-seal#the-quality-seal';

export const SEAL_MARK = rendered(html`<span data-seal>${seal()}</span>`);

// How buyers see the quality seal of a product.
import { html } from '@prairielearn/html';
import { seal } from './emblems.ts';
import { rendered } from './rendered.ts';

/** The page that says what it takes. */
export const SEAL_GUIDE = '/docs/pool-and-seal#the-quality-seal';

export const SEAL_MARK = rendered(html`<span class="seal-mark" data-seal>${seal()}</span>`);

export const SEAL_SENTENCE = html`<p>
  ${SEAL_MARK}
  <small class="muted">
    People keep coming back to this product, and it keeps what it promises.
    <a href="${SEAL_GUIDE}">What the seal means</a>
  </small>
</p>`;

import { html } from '@prairielearn/html';
import { z } from 'zod';
import type { ManagedProduct } from '../../../domain/catalog/managed-product.repository.ts';
import { page, redirect } from '../../response.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { FORM_ERRORS } from '../../errors.ts';
import { text } from '../../account/fields.ts';
import { sessionFormToken } from '../../account/sessions.ts';
import { defineRoute, type Answer } from '../../route.ts';
import { confirmation } from '../../html/form.ts';
import { withNotice } from '../../html/notices.ts';
import { productHeading, productPath } from '../console-frame.ts';
import { loadManaged, type ProductCall } from '../managed-product.ts';
import { changeState } from './listing-actions.ts';

const PATH = '/console/products/:ref/remove';

const shared = { credential: 'session', path: PATH } as const;

const SENTENCES = [
  'Its page is gone, its keys, OAuth clients and tokens are refused from the next request on, and nobody can buy it.',
  'Everybody who has access loses it; your endpoints are told of each, and are then closed. Its purchases, refunds, disputes and statements stay in your console.',
];

const SLUGS_STAY = 'This cannot be undone, and its slugs are never given to another product.';
const SLUGS_ARE_FREE =
  'This cannot be undone. It was never listed, so other products can take its slugs.';

export const showRemoval = defineRoute({
  ...shared,
  method: 'GET',
  limit: null,
  summary: 'Asks before a product is removed for good',
  input: { params: productRef },
  statuses: [200, 303],
  errors: ['forbidden', 'not_found', 'unavailable'],
  handler: async (call) => ask(call, await loadManaged(call, 'remove_product'), null),
});

export const removeForGood = defineRoute({
  ...shared,
  method: 'POST',
  limit: 'settings',
  summary: 'Remove a product for good',
  input: { params: productRef, body: { kind: 'form', shape: z.object({ slug: text(48) }) } },
  statuses: [303, 422],
  errors: [...FORM_ERRORS, 'not_found'],
  async handler(call) {
    const product = await loadManaged(call, 'remove_product');
    if (call.body.slug.trim().toLowerCase() !== product.slug) {
      return ask(call, product, 'This is not its slug.');
    }
    await changeState(call, { product, listingAction: 'remove' });
    const isMine = product.roles.some((role) => role !== 'operator');
    return redirect(withNotice(isMine ? '/console' : '/operator/products', 'product_removed'));
  },
});

function ask(call: ProductCall, product: ManagedProduct, problem: string | null): Answer {
  const path = productPath(product.slug);
  const content = html`${productHeading(product, null)}
    <div class="slim">
      <h2>Remove for good</h2>
      ${confirmation({
        action: `${path}/remove`,
        token: sessionFormToken(call),
        button: 'Remove the product for good',
        sentences: [...SENTENCES, product.state === 'draft' ? SLUGS_ARE_FREE : SLUGS_STAY],
        wayOut: { path, label: 'Keep it' },
        fields: [
          {
            label: `To confirm, type its slug: ${product.slug}`,
            name: 'slug',
            problem,
          },
        ],
      })}
    </div>`;
  const view = { title: `Remove ${product.name}`, content };
  return page(call, view, problem === null ? {} : { status: 422 });
}

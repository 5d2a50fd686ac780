import { html } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { page, redirect } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { text, formBody } from '../../http/fields.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import { defineRoute, SESSION_PAGE, SESSION_FORM } from '../../http/route.ts';
import { confirmation } from '../../html/parts/confirmation.ts';
import { withNotice } from '../../html/notices.ts';
import { productFrame, productPath } from '../console-frame.ts';
import { loadManaged, type ProductCall } from '../managed-product.ts';
import { changeState } from './lifecycle-actions.ts';

const PATH = '/console/products/:ref/remove';

const SENTENCES = [
  'The product page disappears, and nobody can buy the product. Its API keys, OAuth clients and tokens stop working immediately.',
  'Everyone loses access. Your endpoints get an event for each person and are then deleted. Purchases, refunds, disputes and statements stay in your console.',
];

const SLUGS_STAY = "This can't be undone. No other product can ever use its slugs.";
const SLUGS_ARE_FREE =
  "This can't be undone. The product was never listed, so other products can use its slugs.";

const showRemoval = defineRoute({
  ...SESSION_PAGE,
  path: PATH,
  summary: 'Ask before a product is removed',
  input: { params: productRef },
  handler: async (context) => ask(context, await loadManaged(context, 'remove_product'), null),
});

const removeForGood = defineRoute({
  ...SESSION_FORM,
  path: PATH,
  summary: 'Remove a product',
  proof: 'fresh',
  input: { params: productRef, body: formBody({ slug: text(48) }) },
  async handler(context) {
    const product = await loadManaged(context, 'remove_product');
    if (context.body.slug.trim().toLowerCase() !== product.slug) {
      return ask(context, product, 'This is not the slug of the product.');
    }
    await changeState(context, { product, change: 'remove' });
    const isMine = product.roles.some((role) => role !== 'operator');
    return redirect(withNotice(isMine ? '/console' : '/operator/products', 'product_removed'));
  },
});

function ask(context: ProductCall, product: ManagedProduct, problem: string | null) {
  const path = productPath(product.slug);
  const content = html`<div class="slim">
    ${confirmation({
      action: `${path}/remove`,
      token: sessionFormToken(context),
      button: 'Remove product',
      sentences: [...SENTENCES, product.state === 'draft' ? SLUGS_ARE_FREE : SLUGS_STAY],
      wayOut: { path, label: 'Keep product' },
      fields: [
        {
          label: `Type the slug to confirm: ${product.slug}`,
          name: 'slug',
          problem,
        },
      ],
    })}
  </div>`;
  const frame = productFrame(product, null, 'Remove product');
  const view = { title: `Remove ${product.name}`, ...frame, content };
  return page(context, view, problem === null ? {} : { status: 422 });
}

export const routes = [showRemoval, removeForGood];

import { z } from 'zod';
import { searchProducts, STATES_SHOWN } from '../../../domain/catalog/product-search.repository.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import { redirect } from '../../http/response.ts';
import { given } from '../../http/fields.ts';
import { place, productRef } from '../../http/params.ts';
import {
  changeState,
  explainRefusedListing,
  STATE_NOTICES,
} from '../../console/catalog/lifecycle-actions.ts';
import { loadManaged } from '../../console/managed-product.ts';
import { sessionFormToken } from '../../http/csrf.ts';
import {
  defineRoute,
  OPERATOR_PAGE,
  OPERATOR_FORM,
  type SessionContext,
} from '../../http/route.ts';
import { withNotice } from '../../html/notices.ts';
import { PRODUCTS } from '../operator.page.ts';
import { showOperatorPage } from '../show-operator-page.ts';
import { productsPage, type ProductSearch } from './products.page.ts';

const slugStart = given(48)
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9-]{0,48}$/, 'must be the start of a slug: letters, digits, dashes')
  .default('');

const search = z.object({ state: z.enum(STATES_SHOWN).default('all'), slug: slugStart });

const showProducts = defineRoute({
  ...OPERATOR_PAGE,
  path: PRODUCTS,
  summary: 'List all products',
  input: { query: z.object({ ...search.shape, after: place }) },
  async handler(context) {
    const { state, slug, after } = context.query;
    return show(context, { search: { state, slug }, after });
  },
});

const changeProductState = defineRoute({
  ...OPERATOR_FORM,
  path: `${PRODUCTS}/:ref`,
  summary: 'List or unlist any product',
  proof: 'fresh',
  input: {
    params: productRef,
    body: { kind: 'form', shape: search.extend({ action: z.enum(['list', 'unlist']) }) },
  },
  async handler(context) {
    const { action: change, ...back } = context.body;
    const product = await loadManaged(context);
    const changed = await changeState(context, { product, change, isForPlatform: true });
    if (isRefusal(changed) && changed.refused !== 'unchanged') {
      const reason = explainRefusedListing(context, changed.refused);
      return show(context, { search: back, problem: `${product.name}: ${reason}` });
    }
    const path = `${PRODUCTS}?${new URLSearchParams(back)}`;
    return redirect(withNotice(path, isRefusal(changed) ? 'unchanged' : STATE_NOTICES[change]));
  },
});

type PageState = {
  search: ProductSearch;
  after?: string | null;
  problem?: string | null;
};

async function show(context: SessionContext, { search, after = null, problem = null }: PageState) {
  const found = await searchProducts(context.services.database.em(), { ...search, after });
  const token = sessionFormToken(context);
  const view = productsPage({ search, after, ...found, problem, token });
  return showOperatorPage(context, view, problem === null ? {} : { status: 422 });
}

export const routes = [showProducts, changeProductState];

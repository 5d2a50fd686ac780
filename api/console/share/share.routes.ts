import { z } from 'zod';
import { listPriceVersions } from '../../../domain/catalog/prices/price-list.repository.ts';
import { page } from '../../response.ts';
import { productRef } from '../../storefront/product-ref.ts';
import { given } from '../../account/fields.ts';
import { defineRoute, SESSION_PAGE } from '../../route.ts';
import { loadManaged } from '../managed-product.ts';
import { LONGEST_SRC, sharePage } from './share.page.ts';

export const showShare = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/share',
  summary: 'Show buy links, badge and ids',
  input: {
    params: productRef,
    query: z.object({ src: given(LONGEST_SRC).default('').catch('') }),
  },
  async handler(context) {
    const { services, query } = context;
    const product = await loadManaged(context);
    const { active: prices } = await listPriceVersions(services.database.em(), product.id);
    const src = query.src.replaceAll('\0', '').trim();
    const { baseUrl } = services.config;
    return page(context, sharePage({ product, prices, src, baseUrl }));
  },
});

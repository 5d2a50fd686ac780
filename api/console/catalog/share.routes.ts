import { z } from 'zod';
import {
  LONGEST_RETURN_ADDRESS,
  registeredOrigins,
} from '../../../domain/catalog/product-address.ts';
import { listPriceVersions } from '../../../domain/catalog/prices/price-list.repository.ts';
import { listProductRedirectUris } from '../../../domain/oauth/clients/oauth-client.repository.ts';
import { page } from '../../http/response.ts';
import { productRef } from '../../http/params.ts';
import { given } from '../../http/fields.ts';
import { defineRoute, SESSION_PAGE } from '../../http/route.ts';
import { loadManaged } from '../managed-product.ts';
import { LONGEST_SRC, sharePage } from './share.page.ts';

const showShare = defineRoute({
  ...SESSION_PAGE,
  path: '/console/products/:ref/share',
  summary: 'Show buy links, badge and ids',
  input: {
    params: productRef,
    query: z.object({
      src: given(LONGEST_SRC).default('').catch(''),
      return_to: given(LONGEST_RETURN_ADDRESS + 1)
        .default('')
        .catch(''),
    }),
  },
  async handler(context) {
    const { services, query } = context;
    const product = await loadManaged(context);
    const em = services.database.em();
    const { active: prices } = await listPriceVersions(em, product.id);
    const redirectUris = await listProductRedirectUris(em, product.id);
    const src = query.src.replaceAll('\0', '').trim();
    const returnTo = query.return_to.replaceAll('\0', '').trim();
    const origins = registeredOrigins(product, redirectUris);
    const { baseUrl } = services.config;
    return page(context, sharePage({ product, prices, src, returnTo, origins, baseUrl }));
  },
});

export const routes = [showShare];

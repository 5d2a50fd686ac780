import { searchStore } from '../../domain/catalog/search/search-store.repository.ts';
import { loadStoreProducts } from '../../domain/catalog/storefront-list.repository.ts';
import { isStatementTimeout } from '../../platform/database/database.ts';
import { page, redirect } from '../http/response.ts';
import { defineRoute, OPEN_PAGE } from '../http/route.ts';
import { readSearch, SEARCH, TOOK_TOO_LONG, searchAt, searchFields } from './search-request.ts';
import { searchPage, slowSearchPage } from './search.page.ts';

const search = defineRoute({
  ...OPEN_PAGE,
  limit: 'search',
  path: SEARCH,
  summary: 'Search the store',
  input: { query: searchFields },
  async handler(context) {
    const request = readSearch(context.query);
    if (request.isPageMoved) return redirect(searchAt(context.ctx.querystring, request.page));
    const em = context.services.database.em();
    try {
      const { ids, similarIds, hasMore } = await searchStore(em, request);
      const found = await loadStoreProducts(context.services.database, [...ids, ...similarIds]);
      const { products = [], similar = [] } = Object.groupBy(found, ({ id }) =>
        ids.includes(id) ? 'products' : 'similar',
      );
      return page(context, searchPage({ request, products, similar, hasMore }));
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      return page(context, slowSearchPage(request), TOOK_TOO_LONG);
    }
  },
});

export const routes = [search];

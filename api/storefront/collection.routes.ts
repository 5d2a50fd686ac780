import { z } from 'zod';
import { CATEGORIES } from '../../domain/catalog/listing-words.ts';
import {
  findMaker,
  listMakerProducts,
  type MakerKey,
} from '../../domain/catalog/search/maker.repository.ts';
import { searchStore } from '../../domain/catalog/search/search-store.repository.ts';
import { readSearchQuery } from '../../domain/catalog/search/search-words.ts';
import { loadStoreProducts } from '../../domain/catalog/storefront-list.repository.ts';
import { validateHandle } from '../../domain/identity/person-fields.ts';
import { parseUuid } from '../../domain/shared/ids.ts';
import { isStatementTimeout } from '../../platform/database/database.ts';
import { HttpError } from '../http/errors.ts';
import { given } from '../http/fields.ts';
import { page, redirect } from '../http/response.ts';
import { defineRoute, OPEN_PAGE, type RouteContext } from '../http/route.ts';
import { pathWith } from '../html/parts/paging.ts';
import { categoryPage, makerPage, slowCategoryPage } from './collection.page.ts';
import {
  categoryPath,
  NO_FILTERS,
  pageQuery,
  personPath,
  readPage,
  searchFields,
  teamPath,
  TOOK_TOO_LONG,
} from './search-request.ts';

const NO_WORDS = readSearchQuery('');

const showCategory = defineRoute({
  ...OPEN_PAGE,
  limit: 'search',
  path: '/c/:category',
  mayEndInSlash: true,
  summary: 'Show a category of the store',
  input: { params: z.object({ category: given(40) }), query: searchFields },
  async handler(context) {
    const category = CATEGORIES.find((known) => known === context.params.category);
    if (!category) throw new HttpError('not_found');
    const { number, isMoved } = readPage(context.query.page);
    const path = categoryPath(category);
    if (isMoved || context.ctx.path !== path) {
      return redirect(pathWith(path, pageQuery(number)));
    }
    const em = context.services.database.em();
    const filters = { ...NO_FILTERS, category };
    try {
      const { ids, hasMore } = await searchStore(em, { query: NO_WORDS, filters, page: number });
      const products = await loadStoreProducts(context.services.database, ids);
      return page(context, categoryPage({ category, products, page: number, hasMore }));
    } catch (error) {
      if (!isStatementTimeout(error)) throw error;
      return page(context, slowCategoryPage(category), TOOK_TOO_LONG);
    }
  },
});

const showPerson = defineRoute({
  ...OPEN_PAGE,
  limit: 'search',
  path: '/by/:handle',
  summary: 'Show the products of a person',
  input: { params: z.object({ handle: given(40) }), query: searchFields },
  handler: (context) => {
    const { value: handle, problem } = validateHandle(context.params.handle);
    if (problem === 'required' || problem === 'not_a_handle') throw new HttpError('not_found');
    return showMaker(context, { key: { handle }, path: personPath(handle) });
  },
});

const showTeam = defineRoute({
  ...OPEN_PAGE,
  limit: 'search',
  path: '/by/team/:team',
  summary: 'Show the products of a team',
  input: { params: z.object({ team: given(40) }), query: searchFields },
  handler: (context) => {
    const teamId = parseUuid(context.params.team);
    if (!teamId) throw new HttpError('not_found');
    return showMaker(context, { key: { teamId }, path: teamPath(teamId) });
  },
});

type ListContext = RouteContext & { query: z.output<typeof searchFields> };

/** Shows a maker at the one address; a maker without listed products has no page. */
async function showMaker(context: ListContext, { key, path }: { key: MakerKey; path: string }) {
  const { ctx, services, query } = context;
  const em = services.database.em();
  const maker = await findMaker(em, key);
  if (!maker) throw new HttpError('not_found');
  if (ctx.path !== path) return redirect(`${path}${ctx.search}`, { status: 301 });
  const { number, isMoved } = readPage(query.page);
  if (isMoved) return redirect(pathWith(path, pageQuery(number)));
  const { ids, hasMore } = await listMakerProducts(em, { key, page: number });
  const products = await loadStoreProducts(services.database, ids);
  return page(context, makerPage({ maker, path, products, page: number, hasMore }));
}

export const routes = [showCategory, showPerson, showTeam];

import { z } from 'zod';
import { CATEGORIES } from '../../domain/catalog/listing-words.ts';
import { findMaker } from '../../domain/catalog/search/maker.repository.ts';
import { searchStore } from '../../domain/catalog/search/search-store.repository.ts';
import { readSearchQuery } from '../../domain/catalog/search/search-words.ts';
import { loadStoreProducts } from '../../domain/catalog/storefront-list.repository.ts';
import { validateHandle } from '../../domain/identity/person-fields.ts';
import { parseUuid } from '../../domain/shared/ids.ts';
import { HttpError } from '../http/errors.ts';
import { given } from '../http/fields.ts';
import { page, redirect } from '../http/response.ts';
import { defineRoute, OPEN_PAGE, type RouteContext } from '../http/route.ts';
import { pathWith } from '../html/parts/paging.ts';
import { categoryPage, makerPage } from './collection.page.ts';
import {
  categoryPath,
  NO_FILTERS,
  pageQuery,
  personPath,
  readPage,
  searchFields,
  teamPath,
} from './search-request.ts';

const NOTHING = readSearchQuery('');

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
    const { ids, hasMore } = await searchStore(em, { query: NOTHING, filters, page: number });
    const products = await loadStoreProducts(context.services.database, ids);
    return page(context, categoryPage({ category, products, page: number, hasMore }));
  },
});

const showPerson = defineRoute({
  ...OPEN_PAGE,
  path: '/by/:handle',
  summary: 'Show the products of a person',
  input: { params: z.object({ handle: given(40) }) },
  handler: (context) => {
    const { value: handle, problem } = validateHandle(context.params.handle);
    if (problem === 'required' || problem === 'not_a_handle') throw new HttpError('not_found');
    return showMaker(context, { of: { handle }, path: personPath(handle) });
  },
});

const showTeam = defineRoute({
  ...OPEN_PAGE,
  path: '/by/team/:team',
  summary: 'Show the products of a team',
  input: { params: z.object({ team: given(40) }) },
  handler: (context) => {
    const teamId = parseUuid(context.params.team);
    if (!teamId) throw new HttpError('not_found');
    return showMaker(context, { of: { teamId }, path: teamPath(teamId) });
  },
});

type MakerQuery = { of: Parameters<typeof findMaker>[1]; path: string };

/** Shows a maker; one without listed products has no page. */
async function showMaker(context: RouteContext, { of, path }: MakerQuery) {
  const em = context.services.database.em();
  const maker = await findMaker(em, of);
  const products = await loadStoreProducts(context.services.database, maker?.productIds ?? []);
  if (!maker || products.length === 0) throw new HttpError('not_found');
  return page(context, makerPage({ name: maker.name, path, products }));
}

export const routes = [showCategory, showPerson, showTeam];

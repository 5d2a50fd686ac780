// What a search asks for, as its address says it; what the address cannot mean is named.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { z } from 'zod';
import { CATEGORIES, PLATFORMS, type Category } from '../../domain/catalog/listing-words.ts';
import type { StoreFilters } from '../../domain/catalog/search/search-store.repository.ts';
import { readSearchQuery, type SearchQuery } from '../../domain/catalog/search/search-words.ts';
import { emptyState } from '../html/parts/empty-state.ts';
import { pathWith } from '../html/parts/paging.ts';

export const SEARCH = '/search';
export const MOST_PAGES = 40;

/** The response to a search that the database did not finish in time. */
export const TOOK_TOO_LONG = { status: 503, headers: { 'retry-after': '10' } };

export type SearchRequest = {
  query: SearchQuery;
  filters: StoreFilters;
  page: number;
  /** The page that was asked for is another one. */
  isPageMoved: boolean;
  notices: string[];
};

/** The first of several values counts; a longer one than any field takes is cut. */
const value = z
  .union([z.string(), z.array(z.string()).transform((values) => values[0] ?? '')])
  .default('')
  .transform((text) => text.slice(0, LONGEST_VALUE));

const LONGEST_VALUE = 1_000;

const FIELDS = ['q', 'category', 'platform', 'included', 'sealed', 'page'] as const;

export const searchFields = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .transform((given) => ({
    ...z
      .object({ q: value, category: value, platform: value, included: value, sealed: value })
      .extend({ page: value })
      .parse(given),
    repeated: FIELDS.filter((name) => Array.isArray(given[name])),
  }));

export function readSearch(given: z.output<typeof searchFields>): SearchRequest {
  const query = readSearchQuery(given.q);
  const category = CATEGORIES.find((known) => known === given.category) ?? null;
  const platform = PLATFORMS.find((known) => known === given.platform) ?? null;
  const { number: page, isMoved: isPageMoved } = readPage(given.page);
  return {
    query,
    filters: {
      category,
      platform,
      isIncluded: given.included === '1',
      isSealed: given.sealed === '1',
    },
    page,
    isPageMoved,
    notices: [
      ...(query.isCut ? ['The search was cut after 200 characters.'] : []),
      ...(query.hasMoreWords ? ['Only the first 8 words were searched for.'] : []),
      ...(given.category !== '' && !category ? ['There is no such category.'] : []),
      ...(given.platform !== '' && !platform ? ['There is no such platform.'] : []),
      ...(isUnknownMark(given.included) || isUnknownMark(given.sealed)
        ? ['A filter is on as 1, and off without a value.']
        : []),
      ...(given.repeated.length > 0
        ? [`Only the first value counts of: ${given.repeated.join(', ')}.`]
        : []),
    ],
  };
}

/** The number of a page, in digits, or of the nearest that there is. */
export function readPage(typed: string): { number: number; isMoved: boolean } {
  const asked = typed === '' ? 1 : /^\d+$/.test(typed) ? Number(typed) : 0;
  const number = Math.min(Math.max(asked, 1), MOST_PAGES);
  return { number, isMoved: number !== asked };
}

/** Writes the address of the same search on another page; the rest of it stays. */
export function searchAt(given: string, page: number): string {
  const fields = new URLSearchParams(given);
  if (page === 1) fields.delete('page');
  else fields.set('page', String(page));
  return fields.size === 0 ? SEARCH : `${SEARCH}?${fields}`;
}

export const NO_FILTERS: StoreFilters = {
  category: null,
  platform: null,
  isIncluded: false,
  isSealed: false,
};

/** Names a page of a list; the first one has no number in its address. */
export const pageQuery = (page: number) => ({ page: page === 1 ? undefined : String(page) });

const isUnknownMark = (text: string) => text !== '' && text !== '1';

export const categoryPath = (category: Category) => `/c/${category}`;
export const personPath = (handle: string) => `/by/${handle}`;
export const teamPath = (teamId: string) => `/by/team/${teamId}`;

type Address = { query?: Pick<SearchQuery, 'text'>; filters: StoreFilters; page?: number };

/** The address of a search, in the one order that its pages link to. */
export function searchPath({ query, filters, page = 1 }: Address): string {
  return pathWith(SEARCH, {
    q: query?.text,
    category: filters.category ?? undefined,
    platform: filters.platform ?? undefined,
    included: filters.isIncluded ? '1' : undefined,
    sealed: filters.isSealed ? '1' : undefined,
    ...pageQuery(page),
  });
}

/** Stands on a page behind the last one. */
export const emptyPage = (first: string) =>
  emptyState({
    title: 'This page is empty',
    sentence: 'The list ends on an earlier page.',
    link: { path: first, label: 'Go to page 1' },
  });

type Pages = { page: number; hasNext: boolean; to: (page: number) => string };

/** Links to the pages before and after this one. */
export function pageLinks({ page, hasNext, to }: Pages): HtmlSafeString | '' {
  if (page === 1 && !hasNext) return '';
  const link = (number: number, rel: string, label: string) =>
    html`<a class="button small" href="${to(number)}" rel="${rel}">${label}</a>`;
  return html`<nav class="paging" aria-label="Pages">
    <p>Page ${page}</p>
    ${page === 1 ? '' : link(page - 1, 'prev', 'Previous')}
    ${hasNext ? link(page + 1, 'next', 'Next') : ''}
  </nav>`;
}

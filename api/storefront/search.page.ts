import { html, type HtmlSafeString } from '@prairielearn/html';
import { CATEGORIES, PLATFORMS } from '../../domain/catalog/listing-words.ts';
import type { StoreProduct } from '../../domain/catalog/storefront-list.repository.ts';
import { emptyState } from '../html/parts/empty-state.ts';
import { select } from '../html/parts/field.ts';
import { searchForm } from '../html/header.ts';
import { icon } from '../html/icon.ts';
import { CATEGORY_WORDS, PLATFORM_WORDS } from '../html/listing-labels.ts';
import { writePlural } from '../html/numbers.ts';
import { note } from '../html/parts/note.ts';
import { foundRows } from '../html/product-cards.ts';
import type { View } from '../http/route.ts';
import {
  emptyPage,
  MOST_PAGES,
  NO_FILTERS,
  pageLinks,
  SEARCH,
  searchPath,
  type SearchRequest,
} from './search-request.ts';

type Props = {
  request: SearchRequest;
  products: StoreProduct[];
  /** Products whose names are nearly what was typed. */
  similar: StoreProduct[];
  hasMore: boolean;
};

export function searchPage({ request, products, similar, hasMore }: Props): View {
  const { query, notices } = request;
  const isEmpty = products.length + similar.length === 0;
  const list = html`${notices.map((more) => note({ tone: 'plain', more }))} ${applied(request)}
  ${isEmpty ? noProducts(request) : foundRows({ products, similar, search: query.text })}
  ${pages(request, hasMore)}`;
  return framed(request, {
    title: query.text === '' ? 'Search' : `${query.text}, search`,
    heading: titleOf({ request, products, hasMore }),
    content: list,
  });
}

/** PostgreSQL took too long: the same words may be too common together. */
export function slowSearchPage(request: SearchRequest): View {
  return framed(request, {
    title: 'Search',
    heading: 'This search took too long',
    content: note({
      tone: 'warn',
      sentence: 'Try fewer words.',
      more: 'A longer word, or a filter, helps too.',
    }),
  });
}

type Framed = { title: string; heading: string; content: HtmlSafeString };

function framed(request: SearchRequest, { title, heading, content }: Framed): View {
  const { text } = request.query;
  return {
    title,
    search: text,
    isNoIndex: true,
    content: html`<div class="with-filters">
      <search class="narrow-only">${searchForm(text)}</search>
      <h1>${heading}</h1>
      ${filters(request)}
      <div>${content}</div>
    </div>`,
  };
}

function titleOf({ request, products, hasMore }: Omit<Props, 'similar'>): string {
  const { query, page } = request;
  const found = query.text === '' ? '' : ` for “${query.text}”`;
  if (page > 1) return `Products${found}, page ${page}`;
  if (query.text === '' && !isFiltered(request)) return 'All products';
  if (products.length === 0) return `No products${found}`;
  const count = writePlural(products.length, 'product');
  return `${hasMore ? 'More than ' : ''}${count}${found}`;
}

const isFiltered = ({ filters: { category, platform, isIncluded, isSealed } }: SearchRequest) =>
  category !== null || platform !== null || isIncluded || isSealed;

function noProducts(request: SearchRequest): HtmlSafeString {
  const { query, filters: chosen, page } = request;
  if (page > 1) return emptyPage(searchPath({ query, filters: chosen }));
  return emptyState({
    title: 'No products match',
    sentence: 'Try fewer or other words.',
    link: isFiltered(request)
      ? { path: searchPath({ query, filters: NO_FILTERS }), label: 'Clear filters' }
      : { path: '/', label: 'See the whole store' },
  });
}

function filters(request: SearchRequest): HtmlSafeString {
  const { query, filters: chosen } = request;
  const number = namesOf(request).length;
  return html`<details class="filters">
    <summary class="button">
      ${icon('list-filter')}Filters
      ${number === 0 ? '' : html`<span class="pill ok">${number}</span>`}
    </summary>
    <form method="get" action="${SEARCH}">
      ${query.text === '' ? '' : html`<input type="hidden" name="q" value="${query.text}" />`}
      <fieldset>
        <legend>Category</legend>
        ${radio('', 'All', chosen.category ?? '')}
        ${CATEGORIES.map((each) => radio(each, CATEGORY_WORDS[each], chosen.category ?? ''))}
      </fieldset>
      ${select({
        label: 'Platform',
        name: 'platform',
        value: chosen.platform ?? '',
        options: [
          { value: '', label: 'All' },
          ...PLATFORMS.map((value) => ({ value, label: PLATFORM_WORDS[value] })),
        ],
      })}
      <fieldset>
        <legend>Only show</legend>
        ${checkbox('sealed', 'Quality seal', chosen.isSealed)}
        ${checkbox('included', 'Included with Member', chosen.isIncluded)}
      </fieldset>
      <button>Apply filters</button>
    </form>
  </details>`;
}

const radio = (value: string, label: string, chosen: string) =>
  html`<label
    ><input
      type="radio"
      name="category"
      value="${value}"
      ${value === chosen ? html`checked` : ''}
    />
    ${label}</label
  >`;

const checkbox = (name: string, label: string, isChecked: boolean) =>
  html`<label
    ><input type="checkbox" name="${name}" value="1" ${isChecked ? html`checked` : ''} />
    ${label}</label
  >`;

type Applied = { label: string; without: SearchRequest['filters'] };

function namesOf({ filters: chosen }: SearchRequest): Applied[] {
  const { category, platform, isIncluded, isSealed } = chosen;
  return [
    ...(category
      ? [{ label: CATEGORY_WORDS[category], without: { ...chosen, category: null } }]
      : []),
    ...(platform
      ? [{ label: PLATFORM_WORDS[platform], without: { ...chosen, platform: null } }]
      : []),
    ...(isSealed ? [{ label: 'Quality seal', without: { ...chosen, isSealed: false } }] : []),
    ...(isIncluded
      ? [{ label: 'Included with Member', without: { ...chosen, isIncluded: false } }]
      : []),
  ];
}

/** The filters in use, each a link to the search without it. */
function applied(request: SearchRequest): HtmlSafeString | '' {
  const { query } = request;
  const names = namesOf(request);
  if (names.length === 0) return '';
  return html`<p class="buttons">
    ${names.map(
      ({ label, without }) =>
        html`<a class="button small" href="${searchPath({ query, filters: without })}">
          <span class="unseen">Without</span> ${label}${icon('x')}
        </a>`,
    )}
    <a href="${searchPath({ query, filters: NO_FILTERS })}">Clear filters</a>
  </p>`;
}

function pages(request: SearchRequest, hasMore: boolean): HtmlSafeString | '' {
  const { page } = request;
  const to = (number: number) => searchPath({ ...request, page: number });
  return pageLinks({ page, hasNext: hasMore && page < MOST_PAGES, to });
}

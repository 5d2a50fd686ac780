// What all pages of the docs share: navigation, search, and the way back to the shelf.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { Section } from '../html/header.ts';
import { icon } from '../html/icon.ts';
import { rendered } from '../html/rendered.ts';
import type { Side } from '../html/side.ts';
import { titleOf } from './guide-text.ts';
import type { Reference } from './reference.ts';
import { SHELVES } from './shelves.ts';

export const LONGEST_SEARCH = 200;

export function searchForm(query = '', name = 'Search the docs'): HtmlSafeString {
  return html`<search>
    <form class="store-search" method="get" action="/docs/search">
      ${icon('search')}
      <input
        type="search"
        name="q"
        value="${query}"
        aria-label="${name}"
        placeholder="Search the docs"
        maxlength="${LONGEST_SEARCH}"
      />
      <button aria-label="Find in the docs">Find</button>
    </form>
  </search>`;
}

const SEARCH = rendered(searchForm());

const FRAME = { area: 'docs', hasCopyButtons: true } as const;

const SIDE = { mark: icon('book-open', 18), search: SEARCH };

const listGuides = (): Side['groups'] =>
  SHELVES.map(({ name, guides }) => ({
    name,
    links: guides.map((guide) => ({ path: `/docs/${guide.name}`, label: titleOf(guide.name) })),
  }));

const FRONT = { name: null, links: [{ path: '/docs', label: 'All guides' }] };

/** A page of its own for the search has its field in the page, and no second one. */
export function guidesFrame(current: string | null, { isSearch = false } = {}) {
  const side: Side = {
    ...(isSearch ? { mark: SIDE.mark } : SIDE),
    label: 'Guides',
    name: 'Guides',
    groups: [FRONT, ...listGuides()],
    current,
  };
  return { ...FRAME, section: 'docs', side } as const;
}

export function referenceFrame({ groups }: Reference, current: string, section: Section) {
  const side: Side = {
    ...SIDE,
    label: 'API reference',
    name: 'API reference',
    groups: [
      { name: null, links: [{ path: REFERENCE, label: 'Overview' }] },
      ...groups.map(({ name, operations }) => ({
        name,
        links: operations.map(({ slug, title, method }) => ({
          path: `${REFERENCE}/${slug}`,
          label: title,
          method,
        })),
      })),
      {
        name: 'Everything',
        links: [
          { path: `${REFERENCE}/errors`, label: 'Errors' },
          { path: `${REFERENCE}/limits`, label: 'Limits' },
        ],
      },
    ],
    current,
  };
  return { ...FRAME, section, side } as const;
}

export const REFERENCE = '/docs/reference';

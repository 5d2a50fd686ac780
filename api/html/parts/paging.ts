import { html, type HtmlSafeString } from '@prairielearn/html';

/** A page of a list, and how its other pages are found. */
export type Pages = {
  path: string;
  /** The filters of the list; empty ones are left out. */
  query?: Record<string, string | undefined>;
  /** The row that this page starts after. */
  before: string | null;
  /** The last row of this page, where others follow. */
  next: string | null;
  /** The field of the query that holds the place, and the texts of the links. */
  names?: { field: string; first: string; next: string };
  /** The id of the part of the page that the list is, where it is not at the top. */
  part?: string;
  /** How many rows all pages have together, where that is counted. */
  total?: string | undefined;
};

const NEWEST_FIRST = { field: 'before', first: 'Newest', next: 'Older' };

export const BY_NAME = { field: 'after', first: 'First', next: 'Next' };

/** Links to the first and to further rows: a place in the list, not a number of a page. */
export function paging(pages: Pages, shown = 0): HtmlSafeString | '' {
  const { path, query = {}, before, next, names = NEWEST_FIRST, part } = pages;
  if (before === null && next === null) return '';
  const to = (place: string | null) =>
    pathWith(path, { ...query, [names.field]: place ?? undefined }) +
    (part === undefined ? '' : `#${part}`);
  return html`<nav class="paging" aria-label="Pages">
    ${shown === 0 ? '' : html`<p>${writeRange(pages, shown)}</p>`}
    ${before === null ? '' : html`<a class="button small" href="${to(null)}" rel="first">${names.first}</a>`}
    ${next === null ? '' : html`<a class="button small" href="${to(next)}" rel="next">${names.next}</a>`}
  </nav>`;
}

/** `1–50 of 1,234`; how far into the list a later page is, nobody counts. */
function writeRange({ before, next, total }: Pages, shown: number): string {
  const rows = before === null ? `1\u2013${shown}` : String(shown);
  if (total !== undefined) return `${rows} of ${total}`;
  if (before === null) return `${rows} of more than ${shown}`;
  return next === null ? `The last ${shown}` : `${shown} more`;
}

/** A path with the fields of a query that are given. */
export function pathWith(path: string, query: Record<string, string | undefined>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) given.set(name, value);
  return given.size === 0 ? path : `${path}?${given}`;
}

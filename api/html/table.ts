import { html, type HtmlSafeString } from '@prairielearn/html';

type Cell = HtmlSafeString | string;

type Column<Row> = {
  cell: (row: Row) => Cell;
  /** Stands at the right, as numbers do. */
  isNumber?: boolean;
  /** A phone shows a state beside the title of its row, and drops what the detail has too. */
  onPhone?: 'state' | 'drop';
};

type Table<Row> = {
  /** The accessible name of the table. */
  label: string;
  /** The cells of a row by their headings, in this order. */
  columns: Record<string, ((row: Row) => Cell) | Column<Row>>;
  rows: readonly Row[];
  /** Stands in place of a table without rows. */
  empty: string;
  /** Few and short columns stay columns on a phone. */
  isNarrow?: boolean;
  /** Names the group of a row: where it changes, a row of its own says it. */
  groupOf?: (row: Row) => string;
  /** The cells of the last row, which sums up the others. */
  total?: readonly Cell[];
  /** The links to the other pages, if the rows are one page of a longer list. */
  pages?: Pages;
};

/**
 * Shows rows as a table, with the links to their other pages. On a narrow screen each row becomes a
 * card, its cells named by their headings.
 */
export function table<Row>(props: Table<Row>): HtmlSafeString {
  const { label, rows, empty, pages, total, groupOf } = props;
  const links = pages === undefined ? '' : paging(pages, rows.length);
  if (rows.length === 0)
    return html`<p class="muted">${empty}</p>
      ${links}`;
  const columns = Object.entries(props.columns).map(([heading, column]) => ({
    heading,
    ...(typeof column === 'function' ? { cell: column } : column),
  }));
  return html`<div class="overflow-auto" role="region" aria-label="${label}" tabindex="0">
      <table class="${props.isNarrow ? 'narrow-table' : 'stacking'}">
        <thead>
          <tr>
            ${columns.map(
              ({ heading, isNumber }) =>
                html`<th scope="col" ${isNumber ? html`class="number"` : ''}>${heading}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row, at) => {
            const cells = columns.map((column) => cellOf(column, column.cell(row)));
            const group = groupOf?.(row);
            const isFirst = at === 0 || group !== groupOf?.(rows[at - 1]!);
            const head = html`<tr>
              <th colspan="${columns.length}" scope="rowgroup">${group}</th>
            </tr>`;
            return html`${group === undefined || !isFirst ? '' : head}
              <tr>
                ${cells}
              </tr>`;
          })}
          ${
            total === undefined
              ? ''
              : html`<tr class="total">
                  ${columns.map((column, index) => cellOf(column, total[index] ?? ''))}
                </tr>`
          }
        </tbody>
      </table>
    </div>
    ${links}`;
}

type Shown = Pick<Column<never>, 'isNumber' | 'onPhone'> & { heading: string };

function cellOf({ heading, isNumber, onPhone }: Shown, content: Cell): HtmlSafeString {
  const classes = [
    isNumber ? 'number' : '',
    onPhone === 'state' ? 'marked' : (onPhone ?? ''),
  ].filter((each) => each !== '');
  if (classes.length === 0) return html`<td data-heading="${heading}"><div>${content}</div></td>`;
  return html`<td data-heading="${heading}" class="${classes.join(' ')}">
    <div>${content}</div>
  </td>`;
}

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

export type Fact = [name: Cell, value: Cell];

/** Facts with their names beside them, or above where there is little room. */
export function factList(
  facts: readonly (Fact | null | false)[],
  names: 'beside' | 'above' = 'beside',
): HtmlSafeString {
  const shown = facts.filter((fact) => fact !== null && fact !== false);
  return html`<dl ${names === 'beside' ? html`class="facts"` : ''}>
    ${shown.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

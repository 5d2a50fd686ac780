import { html, type HtmlSafeString } from '@prairielearn/html';
import { paging, type Pages } from './parts/paging.ts';

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
  /** The row that the page is about. */
  isCurrent?: (row: Row) => boolean;
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
              <tr${props.isCurrent?.(row) ? html` aria-current="true"` : ''}>
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

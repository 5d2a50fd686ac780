import { html, type HtmlSafeString } from '@prairielearn/html';
import { emptyState, type Empty } from './empty-state.ts';
import { paging } from './paging.ts';
import { table } from '../table.ts';
import { card } from './card.ts';
import { tabs, type Tabs } from './tabs.ts';

type Table<Row> = Parameters<typeof table<Row>>[0];

type Rows<Row> = Omit<Table<Row>, 'columns' | 'empty'> & {
  /** The columns of a table; or what each row looks like. */
  columns: Table<Row>['columns'] | ((row: Row) => HtmlSafeString);
};

type List<Row> = Rows<Row> & {
  /** The ways between parts of the list. */
  tabs?: Tabs;
  filter?: HtmlSafeString;
  title?: string;
  /** The address of the list without its filter, where it has one now. */
  unfiltered?: string | null;
  /** Why there are no rows, and the way on. */
  empty: Empty & { title: string };
  foot?: HtmlSafeString | string;
};

/** A list with its tabs and its filter in one card; without rows, why, and the way on. */
export function listCard<Row>(props: List<Row>): HtmlSafeString {
  const { tabs: parts, filter = '', title, unfiltered = null, empty, foot, ...list } = props;
  const isEmpty = list.rows.length === 0 && (list.pages?.before ?? null) === null;
  const shown = isEmpty ? blank(empty, unfiltered) : rowsOf(list);
  if (isEmpty && parts === undefined && filter === '') return shown;
  return card({
    rows: html`${parts === undefined ? '' : tabs(parts)} ${filter} ${shown}`,
    ...(title !== undefined && { title }),
    ...(foot !== undefined && { foot }),
  });
}

function blank(empty: Empty, unfiltered: string | null): HtmlSafeString {
  if (unfiltered === null) return emptyState(empty);
  return emptyState({
    title: 'Nothing matches',
    sentence: 'Change the filter, or look at all of them.',
    link: { path: unfiltered, label: 'Clear filters' },
  });
}

function rowsOf<Row>({ columns, ...list }: Rows<Row>): HtmlSafeString {
  if (typeof columns !== 'function') return table({ ...list, columns, empty: 'No more.' });
  return html`<ul class="rows">
      ${list.rows.map(columns)}
    </ul>
    ${list.pages === undefined ? '' : paging(list.pages, list.rows.length)}`;
}

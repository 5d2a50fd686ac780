import { html, type HtmlSafeString } from '@prairielearn/html';
import { emptyState } from '../html/form.ts';
import { card } from '../html/parts/card.ts';
import { paging, table } from '../html/table.ts';

type Table<Row> = Parameters<typeof table<Row>>[0];

type List<Row> = Omit<Table<Row>, 'columns'> & {
  /** The columns of a table; or what each row looks like. */
  columns: Table<Row>['columns'] | ((row: Row) => HtmlSafeString);
  /** The ways between parts of the list. */
  tabs?: HtmlSafeString;
  filter?: HtmlSafeString;
  title?: string;
  /** The address of the list without its filter, where it has one now. */
  unfiltered?: string | null;
  /** Names an empty list; `empty` says why. */
  emptyTitle: string;
  foot?: HtmlSafeString | string;
};

/** A list with its tabs and its filter in one card; without rows, why, and the way on. */
export function listCard<Row>(props: List<Row>): HtmlSafeString {
  const { tabs = '', filter = '', unfiltered = null, emptyTitle, title, foot, ...shown } = props;
  const isBeyond = shown.rows.length === 0 && (shown.pages?.before ?? null) !== null;
  if (shown.rows.length > 0 || isBeyond) {
    return card({
      rows: html`${tabs} ${filter} ${rowsOf(shown)}`,
      ...(title !== undefined && { title }),
      ...(foot !== undefined && { foot }),
    });
  }
  const empty =
    unfiltered === null
      ? emptyState(shown.empty, undefined, emptyTitle)
      : emptyState(
          'Check what you typed, or look at all of them.',
          { path: unfiltered, label: 'Clear filters' },
          'Nothing matches',
        );
  return tabs === '' && filter === '' ? empty : card({ rows: html`${tabs} ${filter} ${empty}` });
}

function rowsOf<Row>({
  columns,
  ...shown
}: Pick<List<Row>, 'columns'> & Omit<Table<Row>, 'columns'>) {
  if (typeof columns !== 'function') return table({ ...shown, columns });
  return html`<ul class="rows">
      ${shown.rows.map(columns)}
    </ul>
    ${shown.pages === undefined ? '' : paging(shown.pages)}`;
}

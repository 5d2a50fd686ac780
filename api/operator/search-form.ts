import type { HtmlSafeString } from '@prairielearn/html';
import { filterForm, searchField, select } from '../html/form.ts';

type SearchForm = {
  action: string;
  /** Which kind is shown: the name of the field, the labels by their values, and the value. */
  kind: { name: string; labels: Readonly<Record<string, string>>; value: string };
  /** How a name begins; `pattern` as browsers check it. */
  start: { label: string; name: string; value: string; pattern: string; maxLength: number };
};

/** The filter of an operator's list: one kind, and the beginning of a name. */
export function searchForm({ action, kind, start }: SearchForm): HtmlSafeString {
  const options = Object.entries(kind.labels).map(([value, label]) => ({ value, label }));
  const shown = select({ label: 'Show', name: kind.name, value: kind.value, options });
  return filterForm({ path: action, fields: [shown, searchField(start)], button: 'Search' });
}

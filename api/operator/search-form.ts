import { html, type HtmlSafeString } from '@prairielearn/html';
import { searchField } from '../html/form.ts';

type SearchForm = {
  action: string;
  /** Which kind is shown: the name of the field, the labels by their values, and the value. */
  kind: { name: string; labels: Readonly<Record<string, string>>; value: string };
  /** How a name begins; `pattern` as browsers check it. */
  start: { label: string; name: string; value: string; pattern: string; maxLength: number };
};

/** The filter of an operator's list: one kind, and the beginning of a name. */
export function searchForm({ action, kind, start }: SearchForm): HtmlSafeString {
  return html`<search>
    <form method="get" action="${action}" class="search">
      <label>
        Show
        <select name="${kind.name}">
          ${Object.entries(kind.labels).map(
            ([value, label]) =>
              html`<option value="${value}" ${value === kind.value ? html`selected` : ''}>
                ${label}
              </option>`,
          )}
        </select>
      </label>
      ${searchField(start)}
      <button type="submit" class="outline">Search</button>
    </form>
  </search>`;
}

import { html, type HtmlSafeString } from '@prairielearn/html';
import { button as submit } from './button.ts';

type FilterForm = {
  path: string;
  fields: HtmlSafeString[];
  button?: string;
  /** Fewer rows are shown than there are, and all can be shown again. */
  isFiltered?: boolean;
};

/** The form of what a list shows: its values stand in the address. */
export function filterForm({ path, fields, button = 'Filter', isFiltered = false }: FilterForm) {
  return html`<search>
    <form class="search" method="get" action="${path}">
      ${fields} ${submit({ text: button })}
      ${isFiltered ? submit({ text: 'Clear filters', kind: 'quiet', href: path }) : ''}
    </form>
  </search>`;
}

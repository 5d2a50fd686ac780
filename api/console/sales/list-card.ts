// A list of what was sold: its states as tabs, a search, the rows and the way to further ones.
import { html, type HtmlSafeString } from '@prairielearn/html';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { tabs } from '../../html/parts/tabs.ts';

type ListCard = {
  tabs?: Parameters<typeof tabs>[0];
  filter?: HtmlSafeString;
  /** The table, or what stands in its place. */
  rows: HtmlSafeString;
  foot?: HtmlSafeString;
};

export function listCard({ tabs: states, filter, rows, foot }: ListCard): HtmlSafeString {
  const content = html`${states === undefined ? '' : tabs(states)} ${filter ?? ''} ${rows}`;
  return card({ rows: content, ...(foot === undefined ? {} : { foot }) });
}

/** Stands where a filter leaves no rows. */
export function noMatch({ title, path }: { title: string; path: string }): HtmlSafeString {
  return html`<div class="empty">
    <h2>${title}</h2>
    <div class="actions">${button({ text: 'Clear filters', href: path })}</div>
  </div>`;
}

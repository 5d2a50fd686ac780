import { html, type HtmlSafeString } from '@prairielearn/html';

export type Tabs = {
  /** The accessible name. */
  label: string;
  tabs: readonly { path: string; label: string; count?: number | string }[];
  current: string | null;
};

/** How many rows the current part has, where they are counted. */
export function totalOf({ tabs: each, current }: Tabs): string | undefined {
  return each.find(({ path }) => path === current)?.count?.toString();
}

/** The way between pages, or between parts of a list, that belong together. */
export function tabs({ label, tabs: each, current }: Tabs): HtmlSafeString {
  return html`<nav class="tabs" aria-label="${label}">
    ${each.map(
      ({ path, label: text, count }) =>
        html`<a href="${path}" ${path === current ? html`aria-current="page"` : ''}
          >${text}${count === undefined ? '' : html` <small>${count}</small>`}</a
        >`,
    )}
  </nav>`;
}

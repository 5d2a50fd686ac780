import { html, type HtmlSafeString } from '@prairielearn/html';

export type Section = { path: string; label: string };

/** The way between pages that belong together. */
export function sections(props: {
  label: string;
  sections: readonly Section[];
  current: string | null;
}): HtmlSafeString {
  return html`<nav class="sections" aria-label="${props.label}">
    <ul>
      ${props.sections.map(
        ({ path, label }) =>
          html`<li>
            <a href="${path}" ${path === props.current ? html`aria-current="page"` : ''}
              >${label}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}

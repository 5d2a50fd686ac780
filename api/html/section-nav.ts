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
      ${props.sections.map((section) => html`<li>${link(section, props.current)}</li>`)}
    </ul>
  </nav>`;
}

/** Pages of one kind, under its name; a group without a name is a single page. */
type SectionGroup = { name: string | null; sections: readonly Section[] };

/**
 * Shows the sections of many pages: in groups side by side on a wide screen, in a menu that names
 * the page on a narrow one. One of the two is displayed.
 */
export function groupedSections(props: {
  label: string;
  groups: readonly SectionGroup[];
  current: string | null;
}): HtmlSafeString {
  const groups = props.groups.filter(({ sections: pages }) => pages.length > 0);
  return html`<nav class="sections grouped" aria-label="${props.label}">
    <details>
      <summary>${currentWords(groups, props.current)}</summary>
      ${list(groups, props.current)}
    </details>
    ${list(groups, props.current)}
  </nav>`;
}

function list(groups: readonly SectionGroup[], current: string | null): HtmlSafeString {
  return html`<ul class="groups">
    ${groups.map(
      ({ name, sections: pages }) =>
        html`<li>
          ${name === null ? '' : html`<span class="group">${name}</span>`}
          <ul>
            ${pages.map((page) => html`<li>${link(page, current)}</li>`)}
          </ul>
        </li>`,
    )}
  </ul>`;
}

/** The page that is shown, with its group: `Sales: Purchases`. */
function currentWords(groups: readonly SectionGroup[], current: string | null): string {
  for (const { name, sections: pages } of groups) {
    const page = pages.find(({ path }) => path === current);
    if (page) return name === null ? page.label : `${name}: ${page.label}`;
  }
  return 'All pages';
}

function link({ path, label }: Section, current: string | null): HtmlSafeString {
  return html`<a href="${path}" ${path === current ? html`aria-current="page"` : ''}>${label}</a>`;
}

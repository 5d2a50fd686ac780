import { html } from '@prairielearn/html';
import type { View } from '../../http/route.ts';
import { table } from '../../html/table.ts';
import { operatorPage, WORKFLOWS } from '../operator.page.ts';

/** `url` is null where there are no pages of Temporal to link to. */
type Line = { title: string; query: string; url: string | null };

export function workflowsPage(lines: Line[]): View {
  const content = html`
    <p>
      Each link opens the list of these workflows in Temporal, as of now. A workflow that was
      terminated is missing from it until <code>sweep</code> starts it again, though its purchase,
      subscription or delivery goes on.
    </p>
    ${table({
      label: 'Queries',
      rows: lines,
      empty: 'No queries.',
      columns: {
        Workflows: ({ title, url }: Line) => linked(title, url),
        Query: ({ query }: Line) => html`<code class="id">${query}</code>`,
      },
    })}
    <p class="muted">
      <small>
        The pages of an endpoint, of the deliveries of a product and of a person link to theirs.
      </small>
    </p>
  `;
  return operatorPage({ section: WORKFLOWS, title: 'Workflows', content });
}

function linked(title: string, url: string | null) {
  return url === null ? title : html`<a href="${url}" rel="noreferrer">${title}</a>`;
}

import { html } from '@prairielearn/html';
import { listCard } from '../../html/parts/list-card.ts';
import type { View } from '../../http/route.ts';
import { operatorPage, WORKFLOWS } from '../operator.page.ts';

/** `url` is null where there are no pages of Temporal to link to. */
type Line = { title: string; query: string; url: string | null };

export function workflowsPage(lines: Line[]): View {
  const content = listCard({
    label: 'Queries',
    rows: lines,
    empty: { title: 'No queries', sentence: 'No query of workflows is saved.' },
    columns: {
      Workflows: ({ title, url }: Line) => linked(title, url),
      Query: ({ query }) => html`<code class="id">${query}</code>`,
    },
    foot: 'The pages of an endpoint, of the deliveries of a product and of a person link to theirs.',
  });
  return operatorPage({
    section: WORKFLOWS,
    title: 'Workflows',
    lead: html`Each opens the list of these workflows in Temporal, as of now. A workflow that was
      terminated is missing from it until <code>sweep</code> starts it again, though its purchase,
      subscription or delivery goes on.`,
    content,
  });
}

function linked(title: string, url: string | null) {
  return url === null ? title : html`<a href="${url}" rel="noreferrer">${title}</a>`;
}

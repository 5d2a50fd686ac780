import { html, type HtmlSafeString } from '@prairielearn/html';
import type { LibraryItem } from '../../domain/entitlements/library.store.ts';
import type { AccessType } from '../../domain/entitlements/union.ts';
import type { View } from '../route.ts';
import { instant } from '../views/layout.ts';
import { table } from '../views/table.ts';

const THROUGH: Record<AccessType, string> = {
  purchase: 'Bought',
  subscription: 'Subscription',
  complimentary: 'Given to you',
  member: 'Member',
};

export function libraryPage({ items }: { items: LibraryItem[] }): View {
  return {
    title: 'Library',
    content: html`
      <h1>Library</h1>
      ${
        items.length === 0
          ? html`<p>There is nothing here yet. <a href="/">Look around in the store.</a></p>`
          : owned(items)
      }
    `,
  };
}

function owned(items: LibraryItem[]): HtmlSafeString {
  return table({
    label: 'What you may use',
    empty: '',
    rows: items,
    columns: [
      { heading: 'Product', cell: ({ name }) => html`<strong>${name}</strong>` },
      {
        heading: 'Through',
        cell: ({ access }) => (access.type === null ? '' : THROUGH[access.type]),
      },
      {
        heading: 'Until',
        cell: ({ access }) => (access.endsAt === null ? 'for good' : instant(access.endsAt)),
      },
      { heading: 'Open', cell: open },
    ],
  });
}

/** A product that has no page any more, or none yet, is used where it was used before. */
function open({ slug, name, hasPage }: LibraryItem): HtmlSafeString | '' {
  return hasPage ? html`<a href="/p/${slug}" aria-label="Open ${name}">Open</a>` : '';
}

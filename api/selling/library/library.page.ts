import { html, type HtmlSafeString } from '@prairielearn/html';
import type { LibraryItem } from '../../domain/entitlements/library.store.ts';
import type { AccessType } from '../../domain/entitlements/union.ts';
import type { View } from '../route.ts';
import { smallButton } from '../views/forms.ts';
import { instant } from '../views/layout.ts';
import { table } from '../views/table.ts';

const THROUGH: Record<AccessType, string> = {
  purchase: 'Bought',
  subscription: 'Subscription',
  complimentary: 'Given to you',
  member: 'Member',
};

type Props = { items: LibraryItem[]; token: string };

export function libraryPage({ items, token }: Props): View {
  return {
    title: 'Library',
    content: html`
      <h1>Library</h1>
      ${
        items.length === 0
          ? html`<p>There is nothing here yet. <a href="/">Look around in the store.</a></p>`
          : owned(items, token)
      }
    `,
  };
}

function owned(items: LibraryItem[], token: string): HtmlSafeString {
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
        cell: until,
      },
      { heading: 'Open', cell: (item) => open(item, token) },
    ],
  });
}

function until({ access }: LibraryItem): HtmlSafeString | string {
  if (access.endsAt !== null) return instant(access.endsAt);
  return access.type === 'member' ? 'as long as you are a member' : 'for good';
}

/** A product that has no page any more, or none yet, is used where it was used before. */
function open({ slug, name, hasPage, access }: LibraryItem, token: string): HtmlSafeString | '' {
  if (hasPage && access.type === 'member') {
    return smallButton({ action: `/member/open/${slug}`, token, button: `Open ${name}` });
  }
  return hasPage ? html`<a href="/p/${slug}" aria-label="Open ${name}">Open</a>` : '';
}

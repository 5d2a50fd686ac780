import { html } from '@prairielearn/html';
import type { LibraryItem } from '../../domain/entitlements/library.store.ts';
import type { AccessType } from '../../domain/entitlements/union.ts';
import type { View } from '../route.ts';
import { instant } from '../views/layout.ts';

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
          : html`<div class="overflow-auto">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Product</th>
                    <th scope="col">Through</th>
                    <th scope="col">Until</th>
                  </tr>
                </thead>
                <tbody>
                  ${items.map(row)}
                </tbody>
              </table>
            </div>`
      }
    `,
  };
}

function row({ slug, name, access }: LibraryItem) {
  return html`<tr>
    <th scope="row"><a href="/p/${slug}">${name}</a></th>
    <td>${access.type === null ? '' : THROUGH[access.type]}</td>
    <td>${access.endsAt === null ? 'for good' : instant(access.endsAt)}</td>
  </tr>`;
}

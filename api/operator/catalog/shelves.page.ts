import { html } from '@prairielearn/html';
import { form, formFields, type Draft } from '../../html/form.ts';
import { card } from '../../html/parts/card.ts';
import type { View } from '../../http/route.ts';
import { operatorPage, SHELVES } from '../operator.page.ts';

export type ShelfDraft = Draft<'title' | 'products'> & { place: number };

type ShelfView = { place: number; title: string; slugs: readonly string[] };

type Props = { shelves: ShelfView[]; draft: ShelfDraft | null; token: string };

export function shelvesPage({ shelves, draft, token }: Props): View {
  return operatorPage({
    section: SHELVES,
    title: 'Store shelves',
    lead: 'Two shelves at the top of the store, filled by hand. The others fill themselves.',
    content: html`${shelves.map((shelf) => {
      const own = draft?.place === shelf.place ? draft : null;
      return shelfCard(shelf, own, token);
    })}`,
  });
}

function shelfCard({ place, title, slugs }: ShelfView, draft: ShelfDraft | null, token: string) {
  const fields = formFields(draft, { title, products: slugs.join('\n') });
  return card({
    title: `Shelf ${place}`,
    body: form({
      action: SHELVES,
      token,
      hidden: { place: String(place) },
      button: `Save shelf ${place}`,
      fields: [
        fields('title', { label: 'Title', hint: 'At most 60 characters.' }),
        fields('products', {
          label: 'Products',
          rows: 6,
          isRequired: false,
          hint: 'A slug a line, at most 12, in the order of the shelf. Empty, the shelf is not shown.',
        }),
      ],
    }),
  });
}

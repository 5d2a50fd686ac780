// Two people changed one listing: what the second typed beside what is saved now.
import { html, type HtmlSafeString } from '@prairielearn/html';
import type { ListingForm } from '../../../domain/catalog/listing.repository.ts';
import { note } from '../../html/parts/note.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { table } from '../../html/table.ts';
import { productPath } from '../console-frame.ts';
import { FIELD_LABELS, toFields, writeField, type ListingField } from './listing-form.ts';

type Props = { slug: string; typed: ListingForm; saved: ListingForm };

export function listingConflict({ slug, typed, saved }: Props): HtmlSafeString {
  const [mine, theirs] = [toFields(typed), toFields(saved)];
  const fields = Object.keys(FIELD_LABELS) as ListingField[];
  const shown = (values: Record<ListingField, string>) => (name: ListingField) =>
    html`<span class="typed">${writeField(name, values) || 'Empty'}</span>`;
  return html`${note({
    tone: 'warn',
    sentence: 'Someone else saved this listing after you opened it.',
    more: 'Nothing of yours is saved yet. Save again to put your text in place of theirs.',
    actions: button({
      text: 'Discard mine',
      size: 'small',
      href: `${productPath(slug)}/listing`,
    }),
  })}
  ${card({
    title: 'What differs',
    rows: table({
      label: 'Fields that differ',
      columns: {
        Field: (name: ListingField) => FIELD_LABELS[name],
        'Saved now': shown(theirs),
        Yours: shown(mine),
      },
      rows: fields.filter((name) => mine[name] !== theirs[name]),
      empty: '',
    }),
  })}`;
}

import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';
import type { ManagedProduct } from '../../../domain/catalog/product.repository.ts';
import { SHOWN_RELEASES } from '../../../domain/catalog/releases/release-fields.ts';
import type { ReleaseView } from '../../../domain/catalog/releases/release.repository.ts';
import type { View } from '../../http/route.ts';
import { day } from '../../html/dates.ts';
import { formFields, smallButton, type Draft } from '../../html/form.ts';
import { field } from '../../html/parts/field.ts';
import { formToken } from '../../html/parts/form-token.ts';
import { blockNotice } from '../../html/notices.ts';
import { button } from '../../html/parts/button.ts';
import { card } from '../../html/parts/card.ts';
import { listCard } from '../../html/parts/list-card.ts';
import { productFrame, productPath } from '../console-frame.ts';

export type ReleaseDraft = Draft<'version' | 'published_on' | 'notes'>;

type Props = {
  product: ManagedProduct;
  releases: ReleaseView[];
  /** The reason why the page is read-only. */
  blockReason: string | null;
  draft: ReleaseDraft | null;
  formToken: string;
};

export function releasesPage(props: Props): View {
  const { product, releases, blockReason } = props;
  return {
    title: `Releases of ${product.name}`,
    ...productFrame(product, '/releases', 'Releases'),
    content: html`
      ${blockNotice(blockReason)}
      <div class="stack wide-forms">
        ${blockReason === null ? newRelease(props) : ''}
        ${listCard({
          label: 'Releases',
          title: 'Releases',
          rows: releases,
          columns: {
            Version: ({ version }: ReleaseView) => html`<strong>${version}</strong>`,
            Published: ({ publishedAt }: ReleaseView) =>
              publishedAt === null ? '–' : day(publishedAt),
            Notes: ({ notesHtml }: ReleaseView) => unsafeHtml(notesHtml ?? ''),
            From: ({ source }: ReleaseView) => (source === 'hand' ? 'You' : 'Import'),
            Remove: (release: ReleaseView) => (blockReason === null ? removal(props, release) : ''),
          },
          empty: {
            title: 'No releases yet',
            sentence: `The product's page shows the latest ${SHOWN_RELEASES}, so that buyers see that it is alive.`,
          },
        })}
      </div>
    `,
  };
}

function newRelease({ product, draft, formToken: token }: Props): HtmlSafeString {
  const fields = formFields(draft);
  return card({
    title: 'New release',
    facts: 'The latest 50 are kept',
    body: html`<form method="post" action="${productPath(product.slug)}/releases">
      ${formToken(token)}
      <div class="pair">
        ${field(fields('version', { label: 'Version', hint: 'Such as 3.4, at most 40 characters.' }))}
        ${field(fields('published_on', DAY))}
      </div>
      ${field(fields('notes', NOTES))} ${button({ text: 'Add release', kind: 'primary' })}
    </form>`,
  });
}

function removal({ product, formToken: token }: Props, { id, version }: ReleaseView) {
  return smallButton({
    action: `${productPath(product.slug)}/releases/${id}/remove`,
    token,
    button: 'Remove',
    label: `Remove release ${version}`,
  });
}

const DAY = {
  label: 'Published on',
  type: 'date',
  isRequired: false,
  isOptional: true,
  hint: 'A day, such as 2026-11-27.',
} as const;

const NOTES = {
  label: 'Notes',
  rows: 5,
  isRequired: false,
  isOptional: true,
  hint: 'What is new, in Markdown without pictures, at most 4,000 characters.',
} as const;

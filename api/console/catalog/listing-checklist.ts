// What a draft's listing lacks before the store can show it.
import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  listListingRequirements,
  SHORTEST_DESCRIPTION,
  type ListingRequirementCode,
} from '../../../domain/catalog/listing-requirements.ts';
import { card } from '../../html/parts/card.ts';
import { needs } from '../../html/parts/needs.ts';
import { productPath } from '../console-frame.ts';
import { importsPath } from '../imports/import-card.ts';

/** Each leads to the hint of its field; pictures have a part of their own. */
const WORDS: Record<ListingRequirementCode, { title: string; line: string; place: string }> = {
  website: {
    title: 'Website',
    line: 'Customers open the product there.',
    place: '#website_url-hint',
  },
  category: {
    title: 'Category',
    line: 'People find the product on its shelf.',
    place: '#category-hint',
  },
  description: {
    title: 'Description',
    line: `It has at least ${SHORTEST_DESCRIPTION} characters.`,
    place: '#description-hint',
  },
  icon: { title: 'Icon', line: 'It stands beside the name everywhere.', place: '#pictures' },
  support_address: {
    title: 'Support address',
    line: 'Customers write to it.',
    place: '#support_address-hint',
  },
};

type Props = { slug: string; required: Parameters<typeof listListingRequirements>[0] };

export function listingChecklist({ slug, required }: Props): HtmlSafeString {
  const requirements = listListingRequirements(required);
  const met = requirements.filter(({ isMet }) => isMet).length;
  return card({
    title: 'Before the first listing',
    facts: `${met} of ${requirements.length}`,
    ...(met < requirements.length && {
      foot: html`<a href="${importsPath(slug)}">Import what your site says already</a>`,
    }),
    rows: needs(
      requirements.map(({ code, isMet }) => {
        const { title, line, place } = WORDS[code];
        const action = {
          path: `${productPath(slug)}/listing${place}`,
          label: 'Add',
          name: `Add: ${title}`,
        };
        return {
          mark: html`data-required="${code}" data-met="${isMet}"`,
          tone: isMet ? ('ok' as const) : ('plain' as const),
          title,
          ...(isMet ? {} : { line, action }),
        };
      }),
    ),
  });
}

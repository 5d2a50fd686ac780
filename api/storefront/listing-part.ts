// What a listing says on the page of its product.
import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';
import type { ShownListing, ShownRelease } from '../../domain/catalog/storefront-product.query.ts';
import { day } from '../html/dates.ts';
import { CATEGORY_WORDS, PLATFORM_WORDS } from '../html/listing-labels.ts';
import { mailLink } from '../html/mail-link.ts';
import { factList, type Fact } from '../html/parts/facts.ts';

export function description(listing: ShownListing | null): HtmlSafeString | '' {
  const text = listing?.descriptionHtml ?? null;
  if (text === null) return '';
  return html`<section>
    <h2>Description</h2>
    ${unsafeHtml(text)}
  </section>`;
}

export function releaseList(releases: readonly ShownRelease[]): HtmlSafeString | '' {
  if (releases.length === 0) return '';
  return html`<section>
    <h2>Releases</h2>
    ${factList(
      releases.map(({ version, publishedAt, notesHtml }): Fact => {
        const published = publishedAt === null ? '' : html` ${day(new Date(publishedAt))}`;
        return [html`<strong>${version}</strong>${published}`, unsafeHtml(notesHtml ?? '')];
      }),
    )}
  </section>`;
}

export function details(listing: ShownListing | null): HtmlSafeString | '' {
  const facts = listing === null ? [] : listed(listing);
  if (facts.every((fact) => fact === null)) return '';
  return html`<section>
    <h2>Details</h2>
    ${factList(facts)}
  </section>`;
}

function listed(listing: ShownListing): (Fact | null)[] {
  const { category, platforms, tags, supportAddress } = listing;
  return [
    category === null ? null : ['Category', CATEGORY_WORDS[category]],
    platforms.length === 0
      ? null
      : ['Platforms', platforms.map((platform) => PLATFORM_WORDS[platform]).join(', ')],
    tags.length === 0 ? null : ['Tags', tags.join(', ')],
    linkTo('Documentation', listing.docsUrl),
    linkTo('Help pages', listing.supportUrl),
    linkTo('Changelog', listing.changelogUrl),
    linkTo('Source code', listing.sourceUrl),
    supportAddress?.includes('://') === false
      ? ['Support', mailLink(supportAddress)]
      : linkTo('Support', supportAddress),
  ];
}

function linkTo(name: string, address: string | null): Fact | null {
  if (address === null) return null;
  return [
    name,
    html`<a href="${address}" rel="nofollow noopener ugc">${new URL(address).host}</a>`,
  ];
}

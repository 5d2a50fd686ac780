// What a listing says on the page of its product.
import { html, unsafeHtml, type HtmlSafeString } from '@prairielearn/html';
import type { Platform } from '../../domain/catalog/listing-words.ts';
import type { ShownListing, ShownRelease } from '../../domain/catalog/storefront-product.query.ts';
import { day } from '../html/dates.ts';
import { CATEGORY_WORDS, PLATFORM_WORDS } from '../html/listing-labels.ts';
import { mailLink } from '../html/mail-link.ts';
import { factList, type Fact } from '../html/parts/facts.ts';
import { NO_FILTERS, searchPath } from './search-request.ts';

export function description(listing: ShownListing | null): HtmlSafeString | '' {
  const text = listing?.descriptionHtml ?? null;
  if (text === null) return '';
  return html`<section>
    <h2 class="unseen">Description</h2>
    ${unsafeHtml(text)}
  </section>`;
}

export function releaseList(releases: readonly ShownRelease[]): HtmlSafeString | '' {
  if (releases.length === 0) return '';
  return html`<section>
    <h2>Releases</h2>
    <ul class="releases">
      ${releases.map(
        ({ version, publishedAt, notesHtml }) =>
          html`<li>
            <p>
              <strong>${version}</strong>
              ${publishedAt === null ? '' : day(new Date(publishedAt))}
            </p>
            <div>${unsafeHtml(notesHtml ?? '')}</div>
          </li>`,
      )}
    </ul>
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
    category === null
      ? null
      : [
          'Category',
          searchLink(CATEGORY_WORDS[category], { filters: { ...NO_FILTERS, category } }),
        ],
    platforms.length === 0 ? null : ['Platforms', inLine(platforms.map(platformLink))],
    tags.length === 0 ? null : ['Tags', inLine(tags.map(tagLink))],
    linkTo('Documentation', listing.docsUrl),
    linkTo('Help pages', listing.supportUrl),
    linkTo('Changelog', listing.changelogUrl),
    linkTo('Source code', listing.sourceUrl),
    supportAddress?.includes('://') === false
      ? ['Support', mailLink(supportAddress)]
      : linkTo('Support', supportAddress),
  ];
}

const platformLink = (platform: Platform) =>
  searchLink(PLATFORM_WORDS[platform], { filters: { ...NO_FILTERS, platform } });

const tagLink = (text: string) => searchLink(text, { query: { text }, filters: NO_FILTERS });

const searchLink = (label: string, address: Parameters<typeof searchPath>[0]) =>
  html`<a href="${searchPath(address)}">${label}</a>`;

/** Links one after the other, with commas. */
const inLine = (links: readonly HtmlSafeString[]) =>
  html`${links.map((link, index) => html`${index === 0 ? '' : ', '}${link}`)}`;

function linkTo(name: string, address: string | null): Fact | null {
  if (address === null) return null;
  return [
    name,
    html`<a href="${address}" rel="nofollow noopener ugc">${new URL(address).host}</a>`,
  ];
}

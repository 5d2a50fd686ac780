// What a listing says now beside what an import found.
import { html, type HtmlSafeString } from '@prairielearn/html';
import {
  FOUND_FIELDS,
  type FoundField,
  type ImportFindings,
} from '../../../domain/catalog/imports/import-findings.ts';
import type { ProductListing } from '../../../domain/catalog/listing.repository.ts';
import { MOST_SCREENSHOTS, type Pictures } from '../../../domain/catalog/pictures/picture.ts';
import type { ReleaseView } from '../../../domain/catalog/releases/release.repository.ts';
import { imagePath } from '../../html/image-path.ts';
import { writePlural } from '../../html/numbers.ts';
import { more } from '../../html/parts/fold.ts';
import { select } from '../../html/parts/field.ts';
import { FOUND_LABELS } from './import-labels.ts';

type Cell = HtmlSafeString | string;

export type FoundRow = { name: string; label: string; now: Cell; found: Cell; take: Cell };

export type Compared = {
  findings: ImportFindings;
  listing: ProductListing;
  pictures: Pictures;
  releases: readonly ReleaseView[];
};

const EMPTY = html`<span class="muted">Empty</span>`;

export function listFoundRows(compared: Compared): FoundRow[] {
  const { findings, listing } = compared;
  return [
    ...FOUND_FIELDS.flatMap((field) => textRow(field, findings, listing)),
    ...iconRow(compared),
    ...screenshotsRow(compared),
    ...releasesRow(compared),
  ];
}

function textRow(
  field: FoundField,
  { texts }: ImportFindings,
  listing: ProductListing,
): FoundRow[] {
  if (texts[field] === undefined) return [];
  const [now, found] = [write(listing[field]), write(texts[field])];
  const row = { name: field, label: FOUND_LABELS[field] };
  const gray = (text: string) => html`<span class="muted typed">${brief(text)}</span>`;
  if (now === found) return [{ ...row, now: gray(now), found: gray(found), take: 'Same' }];
  const shown = html`<span class="typed">${brief(found, now)}</span>`;
  const take = tick(row);
  return [
    {
      ...row,
      now: now === '' ? EMPTY : html`<span class="typed">${brief(now)}</span>`,
      found: shown,
      take,
    },
  ];
}

const write = (value: string | readonly string[] | null) =>
  typeof value === 'string' ? value : (value ?? []).join(', ');

const LONGEST_SHOWN = 160;

/** A long text is cut to its beginning, with the whole of it below. */
function brief(text: string, before = ''): HtmlSafeString {
  if (text.length <= LONGEST_SHOWN) return before === '' ? html`${text}` : markNew(text, before);
  const words = text.split(/\s+/).length;
  const start = text.slice(0, LONGEST_SHOWN).replace(/\s+\S*$/, '');
  return html`${start}… ${more(`All ${words} words`, html`<span class="typed">${text}</span>`)}`;
}

/** Marks the words between those with which both texts begin and end. */
function markNew(text: string, before: string): HtmlSafeString {
  const [words, old] = [text.split(' '), before.split(' ')];
  const most = Math.min(words.length, old.length);
  let start = 0;
  while (start < most && words[start] === old[start]) start += 1;
  let end = 0;
  while (end < most - start && words.at(-1 - end) === old.at(-1 - end)) end += 1;
  const middle = words.slice(start, words.length - end).join(' ');
  if (middle === '' || start + end === 0) return html`${text}`;
  const [head, tail] = [words.slice(0, start).join(' '), words.slice(words.length - end).join(' ')];
  return html`${head} <mark>${middle}</mark> ${end === 0 ? '' : tail}`;
}

function tick({ name, label }: Pick<FoundRow, 'name' | 'label'>, word = 'Take'): HtmlSafeString {
  return html`<label>
    <input type="checkbox" name="take" value="${name}" checked />
    ${word}<span class="unseen">: ${label}</span>
  </label>`;
}

function iconRow({ findings, pictures }: Compared): FoundRow[] {
  const { icons, skippedIcons } = findings;
  if (icons.length === 0 && skippedIcons.length === 0) return [];
  const row = { name: 'icon', label: 'Icon' };
  const now = pictures.icon === null ? EMPTY : picture(pictures.icon);
  const found = html`<ul class="plain">
    ${icons.slice(0, 1).map((address) => html`<li>${link(address)}</li>`)}
    ${skippedIcons.map(
      (address) =>
        html`<li><small>${link(address)} is skipped: an icon is a PNG, JPEG or WebP.</small></li>`,
    )}
  </ul>`;
  return [{ ...row, now, found, take: icons.length === 0 ? '–' : tick(row) }];
}

function screenshotsRow({ findings: { screenshots }, pictures }: Compared): FoundRow[] {
  if (screenshots.length === 0) return [];
  const row = { name: 'screenshots', label: 'Pictures' };
  const shown = pictures.screenshots.slice(0, 3).map(({ hash }) => picture(hash));
  const now =
    shown.length === 0
      ? EMPTY
      : html`${shown} <small>${writePlural(pictures.screenshots.length, 'picture')}</small>`;
  const found = html`<ul class="plain">
    ${screenshots.map((address) => html`<li>${link(address)}</li>`)}
  </ul>`;
  const room = MOST_SCREENSHOTS - pictures.screenshots.length;
  const isFull = room < screenshots.length;
  const box = tick(row, `Take ${screenshots.length}`);
  const take = isFull ? html`${box} <small>There is room for ${room}.</small>` : box;
  return [{ ...row, now, found, take }];
}

const picture = (hash: string) =>
  html`<img src="${imagePath(hash, 256)}" alt="" width="56" height="56" />`;

/** Pictures are fetched when they are taken: a page of ours shows none from elsewhere. */
function link(address: string): HtmlSafeString {
  const { hostname, pathname } = new URL(address);
  const name = pathname.split('/').at(-1) || hostname;
  return html`<a class="address" href="${address}" rel="noreferrer nofollow">${name}</a>`;
}

function releasesRow({ findings: { groups, areTags }, releases }: Compared): FoundRow[] {
  const [first] = groups;
  if (first === undefined) return [];
  const row = { name: 'releases', label: 'Releases' };
  const now = releases.length === 0 ? EMPTY : writeVersions(releases);
  const found = html`${
    groups.length === 1
      ? html`<input type="hidden" name="prefix" value="${first.prefix}" />${writeVersions(
            first.releases,
          )}`
      : select({
          label: 'Tags that begin with',
          name: 'prefix',
          options: groups.map((group) => ({
            value: group.prefix,
            label: `${group.prefix || 'a version'}: ${writeVersions(group.releases)}`,
          })),
        })
  }
  ${areTags ? html`<small>Tags of git have no date.</small>` : ''}`;
  return [{ ...row, now, found, take: tick(row) }];
}

const MOST_VERSIONS = 5;

const writeVersions = (releases: readonly { version: string }[]) =>
  releases
    .slice(0, MOST_VERSIONS)
    .map(({ version }) => version)
    .join(', ');

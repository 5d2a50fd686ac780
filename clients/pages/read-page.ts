import { refuse, type Refusal } from '../../domain/shared/refusal.ts';
import { decodePage, isXhtml } from './decode-page.ts';
import { findProduct, readAddresses, readText } from './json-ld.ts';
import { readTags, type PageTags } from './page-tags.ts';

type Page = {
  bytes: Uint8Array;
  contentType: string;
  /** The final address: other addresses are read against it. */
  address: string;
  /** The page is longer than what was read of it. */
  isCut: boolean;
};

type PageLinks = Partial<Record<'site' | 'docs' | 'source' | 'changelog', string>>;

/** What a page says about the product; texts are as long as the page has them, up to a limit. */
export type PageFindings = {
  name: string | null;
  tagline: string | null;
  description: string | null;
  /** The best one first. */
  icons: string[];
  /** Icons of formats that no picture is made from. */
  skippedIcons: string[];
  screenshots: string[];
  links: PageLinks;
  /** Other addresses that the page names for itself, which are shown and never followed. */
  hints: { canonical: string | null; refresh: string | null };
  /** The page is longer than what was read of it, and its head is not. */
  isCut: boolean;
};

const LONGEST_NAME = 200;
const LONGEST_TEXT = 20_000;
const LONGEST_ADDRESS = 2_048;
const MOST_ICONS = 8;
const MOST_SCREENSHOTS = 8;

/** Reads what a page says in JSON-LD, OpenGraph, Twitter cards and tags of HTML, in this order. */
export async function readPage(page: Page): Promise<PageFindings | Refusal<'too_large'>> {
  const { contentType, isCut } = page;
  const tags = await readTags(decodePage(page.bytes, contentType), { isXml: isXhtml(contentType) });
  if (isCut && !tags.isHeadOver) return refuse('too_large');
  const product = findProduct(tags.blocks) ?? {};
  const meta = readMetas(tags.metas);
  const base = findBase(tags, page.address);
  const toAddresses = (texts: (string | null | undefined)[]) => resolveAll(texts, base);
  const descriptions = [
    readText(product['description']),
    ...['og:description', 'twitter:description', 'description'].map(meta.first),
  ].map((text) => toLine(text, LONGEST_TEXT));
  return {
    name: toLine(
      readText(product['name']) ??
        meta.first('application-name') ??
        meta.first('og:title') ??
        meta.first('twitter:title') ??
        tags.title,
      LONGEST_NAME,
    ),
    tagline: findShortest([toLine(readText(product['slogan']), LONGEST_TEXT), ...descriptions]),
    description: descriptions.find((text) => text !== null) ?? null,
    ...findIcons([...readAddresses(product['logo']).map(toIcon), ...listIcons(tags)], base),
    screenshots: toAddresses([
      ...readAddresses(product['screenshot']),
      ...['og:image:secure_url', 'og:image:url', 'og:image'].flatMap(meta.all),
      ...['twitter:image', 'twitter:image:src'].flatMap(meta.all),
      ...readAddresses(product['image']),
    ]).slice(0, MOST_SCREENSHOTS),
    links: findLinks({ product, tags, page, base }),
    hints: {
      canonical: findCanonical(toAddresses([meta.first('og:url')]), page.address),
      refresh: toAddresses([findRefresh(tags)])[0] ?? null,
    },
    isCut,
  };
}

/** The values of `meta` by name, in lower case; empty ones do not count. */
function readMetas(metas: PageTags['metas']) {
  const values = new Map<string, string[]>();
  for (const { name, property, itemprop, content } of metas) {
    const key = (property ?? name ?? itemprop ?? '').trim().toLowerCase();
    const text = content?.trim() ?? '';
    if (key === '' || text === '') continue;
    values.set(key, [...(values.get(key) ?? []), text]);
  }
  const all = (key: string) => values.get(key) ?? [];
  return { all, first: (key: string) => all(key)[0] ?? null };
}

function findBase({ base }: PageTags, address: string): string {
  return (base === null ? null : toAddress(base, address)) ?? address;
}

function resolveAll(texts: (string | null | undefined)[], base: string): string[] {
  const found = texts.map((text) => (text ? toAddress(text, base) : null));
  return [...new Set(found.filter((address) => address !== null))];
}

/** The absolute address, where it is one of the web without a user. */
function toAddress(text: string, base: string): string | null {
  if (text.length > LONGEST_ADDRESS) return null;
  const url = URL.parse(text.trim(), base);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  return url.href.length > LONGEST_ADDRESS ? null : url.href;
}

function toLine(text: string | null, longest: number): string | null {
  // Cut twice: spaces are folded in what may be a whole page.
  const line = (text ?? '').slice(0, 4 * longest).replaceAll(/[\s\p{Cc}]+/gu, ' ');
  const characters = [...line.trim().toWellFormed()].slice(0, longest);
  return characters.length === 0 ? null : characters.join('');
}

function findShortest(texts: (string | null)[]): string | null {
  const found = texts.filter((text) => text !== null);
  return found.toSorted((a, b) => a.length - b.length)[0] ?? null;
}

type Icon = { href: string; type?: string | undefined };

/** The icons of `link`: those made for home screens first, then the larger ones. */
function listIcons({ links }: PageTags): Icon[] {
  const icons = links.flatMap(({ rel = '', href, sizes = '', type }) => {
    const words = rel.toLowerCase().split(/\s+/);
    const isTouch = words.some((word) => word.startsWith('apple-touch-icon'));
    if (!href || (!isTouch && !words.includes('icon'))) return [];
    const size = Math.max(0, ...sizes.slice(0, 100).split(/\D+/).map(Number));
    return [{ href, type, isTouch, size }];
  });
  return icons.toSorted((a, b) => Number(b.isTouch) - Number(a.isTouch) || b.size - a.size);
}

/** Formats that pages have for icons and that no picture is made from. */
const SKIPPED_TYPE = /svg|icon|avif/i;
const SKIPPED_NAME = /\.(svg|ico|avif)$/i;

const toIcon = (href: string): Icon => ({ href });

function findIcons(candidates: Icon[], base: string) {
  const icons = new Set<string>();
  const skippedIcons = new Set<string>();
  for (const { href, type = '' } of candidates) {
    const address = toAddress(href, base);
    if (address === null) continue;
    const isSkipped = SKIPPED_TYPE.test(type) || SKIPPED_NAME.test(new URL(address).pathname);
    (isSkipped ? skippedIcons : icons).add(address);
  }
  return {
    icons: [...icons].slice(0, MOST_ICONS),
    skippedIcons: [...skippedIcons].slice(0, MOST_ICONS),
  };
}

function findLinks({ product, tags, page, base }: LinkSource): PageLinks {
  const help = tags.links.find(({ rel = '' }) => /^help$/i.test(rel.trim()));
  const candidates: Record<keyof PageLinks, (string | null | undefined)[]> = {
    site: [page.address],
    docs: [...readAddresses(product['softwareHelp']), help?.['href']],
    source: readAddresses(product['codeRepository']),
    // Release notes may be a text as well.
    changelog: readAddresses(product['releaseNotes']).filter((text) => /^https?:/i.test(text)),
  };
  const found = Object.entries(candidates).flatMap(([kind, texts]) => {
    const link = resolveAll(texts, base).find((address) => address.startsWith('https:'));
    return link === undefined ? [] : [[kind, link]];
  });
  return Object.fromEntries(found) as PageLinks;
}

type LinkSource = { product: Record<string, unknown>; tags: PageTags; page: Page; base: string };

/** The address that a page gives itself, where it is on another host. */
function findCanonical([address]: string[], of: string): string | null {
  if (address === undefined) return null;
  return new URL(address).host === new URL(of).host ? null : address;
}

function findRefresh({ metas }: PageTags): string | null {
  const refresh = metas.find((meta) => meta['http-equiv']?.toLowerCase() === 'refresh');
  const content = refresh?.['content']?.slice(0, LONGEST_ADDRESS) ?? '';
  return /^[^;,]{0,20}[;,]\s{0,9}url\s{0,9}=\s{0,9}["']?([^"']+)/i.exec(content)?.[1] ?? null;
}

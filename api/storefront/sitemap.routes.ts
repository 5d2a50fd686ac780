// What search engines ask for: which pages there are, and which they should leave alone.
import { z } from 'zod';
import { CATEGORIES } from '../../domain/catalog/listing-words.ts';
import { countListed, readListedSlugs } from '../../domain/catalog/search/store-map.repository.ts';
import type { EntityManager } from '../../platform/database/database.ts';
import { HttpError } from '../http/errors.ts';
import { given } from '../http/fields.ts';
import { defineRoute } from '../http/route.ts';
import { categoryPath } from './search-request.ts';

const XML = 'application/xml; charset=utf-8';
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
/** The most addresses that one file may hold. */
const URLS_OF_FILE = 50_000;
const MOST_FILES = 1_000;

const FOR_PROGRAMS = {
  method: 'GET',
  credential: 'public',
  limit: null,
  countsAs: 'pages',
} as const;

const KEPT = { 'cache-control': 'public, max-age=3600' };

/** Each address of a page is that of one entry; buy links count as clicks. */
const getRobots = defineRoute({
  ...FOR_PROGRAMS,
  path: '/robots.txt',
  summary: 'Tell programs which pages to leave alone',
  input: {},
  handler({ services }) {
    const closed = ['/buy/', '/console', '/operator', '/settings', '/library', '/oauth/', '/api/'];
    const lines = [
      'User-agent: *',
      ...closed.map((path) => `Disallow: ${path}`),
      `Sitemap: ${services.config.baseUrl}/sitemap.xml`,
      '',
    ];
    const body = lines.join('\n');
    return { status: 200, headers: KEPT, type: 'text/plain; charset=utf-8', body };
  },
});

const getSitemap = defineRoute({
  ...FOR_PROGRAMS,
  path: '/sitemap.xml',
  summary: 'List the files of the sitemap',
  input: {},
  async handler({ services }) {
    const listed = await countListed(services.database.em());
    const numbers = Array.from(
      { length: Math.ceil(listed / URLS_OF_FILE) },
      (_, index) => index + 1,
    );
    const files = ['pages.xml', ...numbers.map((number) => `products-${number}.xml`)];
    const entries = files.map(
      (file) => `<sitemap><loc>${services.config.baseUrl}/sitemap/${file}</loc></sitemap>\n`,
    );
    const body = `${HEAD}<sitemapindex ${SCHEMA}>\n${entries.join('')}</sitemapindex>\n`;
    return { status: 200, headers: KEPT, type: XML, body };
  },
});

const getFile = defineRoute({
  ...FOR_PROGRAMS,
  path: '/sitemap/:file',
  summary: 'List addresses of the store',
  input: { params: z.object({ file: given(40) }) },
  async handler({ params, services }) {
    const { baseUrl } = services.config;
    const number = Number(/^products-([1-9]\d{0,3})\.xml$/.exec(params.file)?.[1] ?? 0);
    const isPages = params.file === 'pages.xml';
    if (!isPages && (number === 0 || number > MOST_FILES)) throw new HttpError('not_found');
    const paths = isPages ? ownPages() : productPaths(services.database.em(), number);
    const first = await paths.next();
    if (first.done) throw new HttpError('not_found');
    return {
      status: 200,
      headers: KEPT,
      type: XML,
      stream: writeFile(baseUrl, first.value, paths),
    };
  },
});

async function* ownPages() {
  yield ['/', '/member', ...CATEGORIES.map(categoryPath)];
}

async function* productPaths(em: EntityManager, file: number) {
  const stretch = { from: (file - 1) * URLS_OF_FILE, most: URLS_OF_FILE };
  for await (const slugs of readListedSlugs(em, stretch)) yield slugs.map((slug) => `/p/${slug}`);
}

async function* writeFile(baseUrl: string, first: string[], more: AsyncIterable<string[]>) {
  const write = (paths: string[]) =>
    paths.map((path) => `<url><loc>${baseUrl}${path}</loc></url>\n`).join('');
  yield `${HEAD}<urlset ${SCHEMA}>\n`;
  yield write(first);
  for await (const paths of more) yield write(paths);
  yield '</urlset>\n';
}

export const routes = [getRobots, getSitemap, getFile];

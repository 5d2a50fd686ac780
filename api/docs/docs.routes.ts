import { z } from 'zod';
import { given } from '../http/fields.ts';
import { HttpError } from '../http/errors.ts';
import { json, page } from '../http/response.ts';
import { defineRoute, OPEN_PAGE, type HttpResponse, type Route } from '../http/route.ts';
import type { Services } from '../services.ts';
import { LONGEST_SEARCH } from './docs-frame.ts';
import { listEntries } from './entries.ts';
import { guidePage, guidesPage } from './guide.page.ts';
import { originsOf } from './guide-text.ts';
import { createReference } from './openapi.ts';
import { operationPage, referencePage } from './reference.page.ts';
import { toReference, type OpenApiDocument, type Reference } from './reference.ts';
import { findGuide } from './render-guide.ts';
import { findEntries, indexEntries, type Indexed } from './search.ts';
import { searchPage } from './search.page.ts';
import { errorsPage, limitsPage } from './tables.page.ts';

const showGuides = defineRoute({
  ...OPEN_PAGE,
  path: '/docs',
  summary: 'List the guides',
  input: {},
  handler: (context) => page(context, guidesPage()),
});

const showGuide = defineRoute({
  ...OPEN_PAGE,
  path: '/docs/:name',
  summary: 'Show a guide',
  input: { params: z.object({ name: given(64) }) },
  handler(context) {
    const guide = findGuide(context.params.name, originsOf(context.services.config));
    if (!guide) throw new HttpError('not_found');
    return page(context, guidePage(guide));
  },
});

/** The docs, with the reference of these routes. */
export function docsRoutes(routes: readonly Route[]): Route[] {
  const docs = installed(routes);
  return [
    showGuides,
    ...referenceRoutes((services) => docs(services).reference()),
    searchRoute((services) => docs(services).index()),
    showGuide,
    defineRoute({
      ...OPEN_PAGE,
      credential: 'public',
      path: '/openapi.json',
      summary: 'Get this document',
      input: {},
      handler: ({ services }) => docs(services).document(),
    }),
  ];
}

type Read<Value> = (services: Services) => Value;

function referenceRoutes(read: Read<Reference>): Route[] {
  return [
    defineRoute({
      ...OPEN_PAGE,
      path: '/docs/reference',
      summary: 'Show the API reference',
      input: {},
      handler: (context) => page(context, referencePage(read(context.services))),
    }),
    defineRoute({
      ...OPEN_PAGE,
      path: '/docs/reference/:name',
      summary: 'Show an operation of the API',
      input: { params: z.object({ name: given(64) }) },
      handler(context) {
        const { name } = context.params;
        const reference = read(context.services);
        if (name === 'errors') return page(context, errorsPage(reference));
        if (name === 'limits') return page(context, limitsPage(reference));
        const operations = reference.groups.flatMap((group) => group.operations);
        const operation = operations.find(({ slug }) => slug === name);
        if (!operation) throw new HttpError('not_found');
        return page(context, operationPage(reference, operation));
      },
    }),
  ];
}

function searchRoute(read: Read<Indexed[]>): Route {
  return defineRoute({
    ...OPEN_PAGE,
    path: '/docs/search',
    summary: 'Search the docs',
    input: { query: z.object({ q: given(LONGEST_SEARCH).default('').catch('') }) },
    handler(context) {
      const query = context.query.q.slice(0, LONGEST_SEARCH).trim();
      const found = findEntries(read(context.services), query);
      return page(context, searchPage({ query, found }));
    },
  });
}

/** What the addresses of an installation are part of: each is made once, when it is first asked for. */
function installed(routes: readonly Route[]) {
  const made = new Map<string, ReturnType<typeof prepare>>();
  return ({ config }: Services) => {
    const { baseUrl, simulatorUrl } = originsOf(config);
    const key = `${baseUrl} ${simulatorUrl}`;
    const docs = made.get(key) ?? prepare(routes, { baseUrl, simulatorUrl });
    made.set(key, docs);
    return docs;
  };
}

function prepare(routes: readonly Route[], origins: ReturnType<typeof originsOf>) {
  const openApi = once(() => createReference(routes, origins.baseUrl));
  const reference = once(() => toReference(openApi() as unknown as OpenApiDocument));
  return {
    document: once((): HttpResponse => json(openApi())),
    reference,
    index: once(() => indexEntries(listEntries(reference(), origins))),
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

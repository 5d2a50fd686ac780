import { z } from 'zod';
import { given } from '../http/fields.ts';
import { HttpError } from '../http/errors.ts';
import { HTML_TYPE, json, page } from '../http/response.ts';
import { REFERENCE_POLICY } from '../http/security-headers.ts';
import { defineRoute, type HttpResponse, type Route } from '../http/route.ts';
import { guidePage, guidesPage } from './guide.page.ts';
import { findGuide, originsOf } from './render-guide.ts';
import { referencePage } from './reference.page.ts';
import { createReference } from './openapi.ts';

const shared = { method: 'GET', credential: 'public', limit: null, input: {} } as const;

const showReference = defineRoute({
  ...shared,
  path: '/docs/reference',
  summary: 'Show the API reference',
  contentSecurityPolicy: REFERENCE_POLICY,
  handler: ({ services }) => ({
    status: 200,
    type: HTML_TYPE,
    body: referencePage({ isSimulated: services.processor.kind === 'simulator' }).toString(),
  }),
});

const showGuides = defineRoute({
  ...shared,
  credential: 'optional_session',
  path: '/docs',
  summary: 'List the guides',
  handler: (context) => page(context, guidesPage(originsOf(context.services.config))),
});

const showGuide = defineRoute({
  ...shared,
  credential: 'optional_session',
  path: '/docs/:name',
  summary: 'Show a guide',
  input: { params: z.object({ name: given(64) }) },
  handler(context) {
    const origins = originsOf(context.services.config);
    const guide = findGuide(context.params.name, origins);
    if (!guide) throw new HttpError('not_found');
    return page(context, guidePage(guide, origins));
  },
});

/** The OpenAPI document of the routes that have documentation. */
export function documentRoute(routes: readonly Route[]): Route {
  const made = new Map<string, HttpResponse>();
  return defineRoute({
    ...shared,
    path: '/openapi.json',
    summary: 'Get this document',
    handler({ services }) {
      const { baseUrl } = services.config;
      const response = made.get(baseUrl) ?? json(createReference(routes, baseUrl));
      made.set(baseUrl, response);
      return response;
    },
  });
}

export const routes = [showGuides, showReference, showGuide];

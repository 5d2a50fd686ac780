import { HTML_TYPE, json } from '../response.ts';
import { REFERENCE_POLICY } from '../middleware/security-headers.ts';
import { defineRoute, type Answer, type Route } from '../route.ts';
import { fileRoute, readFile } from '../html/files.ts';
import { referencePage } from './reference.page.ts';
import { createReference } from './openapi.ts';

const CSS = 'text/css; charset=utf-8';
const JS = 'text/javascript; charset=utf-8';

const shared = { method: 'GET', credential: 'public', limit: null, input: {} } as const;

export const showReference = defineRoute({
  ...shared,
  path: '/docs',
  summary: 'Show the API reference',
  statuses: [200],
  errors: [],
  contentSecurityPolicy: REFERENCE_POLICY,
  handler: ({ services }) => ({
    status: 200,
    type: HTML_TYPE,
    body: referencePage({ isSimulated: services.processor.kind === 'simulator' }).toString(),
  }),
});

export const referenceFiles = fileRoute('/docs', {
  'swagger-ui.css': readFile(import.meta.resolve('swagger-ui-dist/swagger-ui.css'), CSS),
  'reference.css': readFile(import.meta.resolve('./reference.css'), CSS),
  'swagger-ui-bundle.js': readFile(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'), JS),
  'reference.js': readFile(import.meta.resolve('./reference.js'), JS),
});

/** The document of the other routes and, last, of itself. */
export function documentRoute(routes: readonly Route[]): Route {
  const made = new Map<string, Answer>();
  return defineRoute({
    ...shared,
    path: '/openapi.json',
    summary: 'Get this document',
    statuses: [200],
    errors: ['internal_error'],
    handler({ services }) {
      const { baseUrl } = services.config;
      const answer = made.get(baseUrl) ?? json(createReference(routes, baseUrl));
      made.set(baseUrl, answer);
      return answer;
    },
  });
}

import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { EVENTS } from '../../domain/webhooks/events.schema.ts';
import { ERRORS, HttpError, presentError, type ErrorCode } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Credential, Documentation, Route } from '../route.ts';
import { webhookOperation } from './webhook-operation.ts';

type Documented = Route & { documentation: Documentation };

const errorBody = z
  .object({
    error: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().meta({ description: 'A message for people' }),
    param: z.string().optional().meta({ description: 'The parameter that is wrong' }),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

/** A client may also come without Basic: a secret in the body, or none at all. */
const SECURITY: Partial<Record<Credential, Record<string, string[]>[]>> = {
  key: [{ key: [] }],
  token: [{ token: [] }],
  key_or_token: [{ token: [] }, { key: [] }],
  client: [{ client: [] }, {}],
};

const REQUEST_ID = 'req_5Hq2mWc8Zt0RkYb7LxN3vJ9d';
const requestId = z.string().meta({ description: 'The id of this request, as in our logs' });

const limitHeaders = {
  'ratelimit-limit': z.string().meta({ description: 'The limit of requests in one minute' }),
  'ratelimit-remaining': z.string().meta({ description: 'Requests left in this minute' }),
  'ratelimit-reset': z.string().meta({ description: 'Seconds until the next minute begins' }),
};

const noStore = z.literal('no-store').meta({ description: 'Do not store the response' });
const noCache = z
  .literal('no-cache')
  .meta({ description: 'Store the response, and revalidate it before each use' });
const etag = z.string().optional().meta({ description: 'Send this value as `if-none-match`' });
const picture = { 'image/svg+xml': { schema: z.string() } };
const location = z.string().meta({ description: 'The address that the browser goes to next' });
const retryAfter = z.string().meta({ description: 'Seconds to wait, at least 1' });
const challenge = z
  .string()
  .meta({ description: '`Bearer` with the error, or `Basic` for a client' });

/** OpenAPI 3.1, from the same objects that serve the requests. */
export function createReference(routes: readonly Route[], baseUrl: string) {
  const events = Object.entries(EVENTS).map(([name, event]) => [
    name,
    { post: webhookOperation(name, event) },
  ]);
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version: '1',
      description:
        'Identity, entitlements and webhooks for listed products. Changes are additive: ignore unknown fields and events.',
    },
    servers: [{ url: baseUrl }],
    paths: describePaths(routes.filter(isDocumented)),
    webhooks: Object.fromEntries(events),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A product API key, `gk_live_...` or `gk_test_...`. Server to server only.',
        },
        token: {
          type: 'http',
          scheme: 'bearer',
          description: "A person's access token, `gat_...`.",
        },
        client: {
          type: 'http',
          scheme: 'basic',
          description: 'The id and the secret of a confidential OAuth client.',
        },
      },
    },
  });
}

function isDocumented(route: Route): route is Documented {
  return route.documentation !== undefined;
}

function describePaths(routes: Documented[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describe(route) };
  }
  return paths;
}

function describe({ documentation, ...route }: Documented): ZodOpenApiOperationObject {
  const { params, query } = route.input;
  const limit = route.limit && LIMITS[route.limit];
  const bound = limit ? `Limit: ${limit.perMinute} per minute for each ${limit.scope}.` : '';
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/\W+(\w?)/g, (_, letter) => letter.toUpperCase())}`,
    tags: [documentation.tag],
    summary: route.summary,
    description: [documentation.description, bound].filter(Boolean).join('\n\n'),
    security: SECURITY[route.credential] ?? [],
    requestParams: {
      ...(params ? { path: params as z.ZodObject } : {}),
      ...(query ? { query: query as z.ZodObject } : {}),
      ...(documentation.requestHeaders ? { header: documentation.requestHeaders } : {}),
    },
    ...describeBody({ documentation, ...route }),
    responses: {
      ...describeSuccess({ documentation, ...route }),
      ...describeErrors({ documentation, ...route }),
    },
  };
}

function describeBody({ documentation, input: { body } }: Documented) {
  if (body?.kind === 'json') {
    const content = { 'application/json': media(body.shape) };
    return { requestBody: { required: true, content } };
  }
  const { requestBody: schema } = documentation;
  if (!schema) return {};
  const content = {
    'application/x-www-form-urlencoded': media(schema),
    'application/json': media(schema),
  };
  return { requestBody: { required: true, content } };
}

function describeSuccess(route: Documented): ZodOpenApiResponsesObject {
  const { output, isPicture = false } = route.documentation;
  return Object.fromEntries(
    route.statuses.map((status) => [
      String(status) as '200',
      {
        description: STATUS_CODES[status] ?? '',
        headers: z.object({
          'x-request-id': requestId,
          ...(isPicture ? { 'cache-control': noCache, etag } : { 'cache-control': noStore }),
          ...(route.limit ? limitHeaders : {}),
          ...(status === 303 ? { location } : {}),
        }),
        ...(output ? { content: { 'application/json': media(output) } } : {}),
        ...(isPicture && status !== 304 ? { content: picture } : {}),
      },
    ]),
  );
}

function describeErrors({ path, errors, statuses, documentation }: Documented) {
  const described = errors.filter((code) => !statuses.includes(ERRORS[code].status));
  const isPage = !path.startsWith('/api/');
  return Object.fromEntries(
    described.map((code) => [
      String(ERRORS[code].status) as '400',
      {
        description: `\`${code}\`: ${ERRORS[code].message}`,
        headers: z.object({
          'x-request-id': requestId,
          ...(code === 'rate_limited' ? { ...limitHeaders, 'retry-after': retryAfter } : {}),
          ...(code === 'unauthorized' ? { 'www-authenticate': challenge } : {}),
        }),
        content: isPage
          ? { 'text/html': { schema: z.string() } }
          : { 'application/json': describeRefusal(code, documentation) },
      },
    ]),
  );
}

function describeRefusal(code: ErrorCode, { refusal }: Documentation) {
  if (refusal && ERRORS[code].status <= 401) return media(refusal);
  return { schema: errorBody, example: presentError(new HttpError(code), REQUEST_ID) };
}

/** A body by its schema, with the first example that the schema brings. */
function media(schema: z.ZodType) {
  const [example] = schema.meta()?.examples ?? [];
  return example === undefined ? { schema } : { schema, example };
}

import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { ERRORS, HttpError, presentError, type ErrorCode } from '../http/errors.ts';
import { LIMITS } from '../http/limits.ts';
import type { Documentation, Route } from '../http/route.ts';
import { SECURITY } from './security-schemes.ts';

export type Documented = Route & { documentation: Documentation };

const REQUEST_ID = 'req_5Hq2mWc8Zt0RkYb7LxN3vJ9d';

const errorBody = z
  .object({
    error: z
      .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
      .meta({ description: 'A stable code: branch on this one' }),
    message: z.string().meta({ description: 'A message for people; its text may change' }),
    param: z.string().optional().meta({ description: 'The parameter that is wrong' }),
    request_id: z.string().meta({ description: 'The same as the header `x-request-id`' }),
  })
  .meta({ id: 'Error' });

const requestId = z
  .string()
  .meta({ description: 'The id of this request, as in our logs', examples: [REQUEST_ID] });

const limitHeaders = {
  'ratelimit-limit': z
    .string()
    .meta({ description: 'The limit of requests in one minute', examples: ['600'] }),
  'ratelimit-remaining': z
    .string()
    .meta({ description: 'Requests left in this minute', examples: ['599'] }),
  'ratelimit-reset': z
    .string()
    .meta({ description: 'Seconds until the next minute begins', examples: ['41'] }),
};

const noStore = z.literal('no-store').meta({ description: 'Do not store the response' });
const noCache = z
  .literal('no-cache')
  .meta({ description: 'Store the response, and revalidate it before each use' });
const etag = z.string().optional().meta({ description: 'Send this value as `if-none-match`' });
const location = z.string().meta({ description: 'The address that the browser goes to next' });
const retryAfter = z
  .string()
  .meta({ description: 'Seconds to wait, at least 1', examples: ['41'] });
const retrySoon = z
  .string()
  .optional()
  .meta({ description: 'Seconds to wait, where it is known', examples: ['5'] });
const allow = z
  .string()
  .meta({ description: 'The methods of this path', examples: ['GET, HEAD, OPTIONS'] });
const challenge = z
  .string()
  .meta({ description: '`Bearer` with the error, or `Basic` for a client' });

const PAGE = { 'text/html': { schema: z.string() } };
const PICTURE = { 'image/svg+xml': { schema: z.string() } };

export function isDocumented(route: Route): route is Documented {
  return route.documentation !== undefined;
}

export function operationOf(route: Documented): ZodOpenApiOperationObject {
  const { documentation, input, credential } = route;
  const query = documentation.query ?? input.query;
  const limit = route.limit && LIMITS[route.limit];
  const bound = limit ? `Limit: ${limit.perMinute} per minute for each ${limit.scope}.` : '';
  return {
    operationId: documentation.operationId,
    tags: [documentation.tag],
    summary: route.summary,
    description: [documentation.description, bound].filter(Boolean).join('\n\n'),
    security: SECURITY[credential] ?? [],
    requestParams: {
      ...(input.params ? { path: input.params as z.ZodObject } : {}),
      ...(query ? { query: namedOnce(query as z.ZodObject) } : {}),
      ...(documentation.requestHeaders ? { header: documentation.requestHeaders } : {}),
    },
    ...describeBody(route),
    responses: { ...describeSuccess(route), ...describeErrors(route) },
  };
}

/** A parameter whose repetition has an answer of its own is still one to send once. */
function namedOnce({ shape }: z.ZodObject): z.ZodObject {
  const fields = Object.entries(shape as Record<string, z.ZodType>).map(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    if (!(inner instanceof z.ZodUnion)) return [name, field];
    return [name, (inner.options[0] as z.ZodType).optional().meta(field.meta() ?? {})];
  });
  return z.object(Object.fromEntries(fields));
}

// Clients in Python, generated from a body in two types, cannot be imported. So the document names
// the form alone, which OAuth asks for.
function describeBody({ documentation, input: { body } }: Documented) {
  if (body?.kind === 'json') {
    const content = { 'application/json': media(body.shape) };
    return { requestBody: { required: true, content } };
  }
  const { requestBody: schema } = documentation;
  if (!schema) return {};
  const content = { 'application/x-www-form-urlencoded': media(schema) };
  return { requestBody: { required: true, content } };
}

function describeSuccess(route: Documented): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    route.documentation.statuses.map((status, index) => [
      String(status) as '200',
      {
        description: route.documentation.meanings?.[status] ?? STATUS_CODES[status] ?? '',
        headers: successHeaders(route, status),
        ...successContent(route, index),
      },
    ]),
  );
}

function successHeaders({ documentation, limit }: Documented, status: number): z.ZodObject {
  return z.object({
    'x-request-id': requestId,
    ...(documentation.isPicture
      ? { 'cache-control': noCache, etag }
      : { 'cache-control': noStore }),
    ...(limit ? limitHeaders : {}),
    ...(status === 303 ? { location } : {}),
    ...(status === 429 ? { 'retry-after': retryAfter } : {}),
  });
}

/** The schema's examples are those of the statuses, in their order. */
function successContent({ documentation }: Documented, index: number) {
  const { statuses, output, isPicture = false, isPage = false } = documentation;
  const status = statuses[index];
  if (output) return { content: { 'application/json': media(output, index) } };
  if (isPicture && status !== 304) return { content: PICTURE };
  return isPage && status === 200 ? { content: PAGE } : {};
}

function describeErrors(route: Documented) {
  const { path, documentation } = route;
  const { errors, statuses } = documentation;
  const all: ErrorCode[] = [...errors, 'method_not_allowed'];
  const described = all.filter((code) => !statuses.includes(ERRORS[code].status));
  return Object.fromEntries(
    described.map((code) => [
      String(ERRORS[code].status) as '400',
      {
        description: meaningOf(code, documentation),
        headers: errorHeaders(code),
        content: path.startsWith('/api/')
          ? { 'application/json': describeRefusal(code, documentation) }
          : PAGE,
      },
    ]),
  );
}

function meaningOf(code: ErrorCode, { refusal, meanings }: Documentation): string {
  const { status, message } = ERRORS[code];
  const ofClient = refusal?.[status as 400];
  if (ofClient) return ofClient.map(({ error }) => `\`${error}\``).join(', ');
  return `\`${code}\`: ${meanings?.[status] ?? message}`;
}

function errorHeaders(code: ErrorCode): z.ZodObject {
  return z.object({
    'x-request-id': requestId,
    ...(code === 'rate_limited' ? { ...limitHeaders, 'retry-after': retryAfter } : {}),
    ...(code === 'unavailable' ? { 'retry-after': retrySoon } : {}),
    ...(code === 'method_not_allowed' ? { allow } : {}),
    ...(code === 'unauthorized' || code === 'insufficient_scope'
      ? { 'www-authenticate': challenge }
      : {}),
  });
}

function describeRefusal(code: ErrorCode, { refusal, errorExamples }: Documentation) {
  const ofClient = refusal?.[ERRORS[code].status as 400];
  if (refusal && ofClient) {
    const examples = ofClient.map((value) => [value.error, { value }]);
    return { schema: refusal.shape, examples: Object.fromEntries(examples) };
  }
  const example = presentError(new HttpError(code, errorExamples?.[code]), REQUEST_ID);
  return { schema: errorBody, example };
}

/** A body by its schema, with one of the examples that the schema brings. */
function media(schema: z.ZodType, index = 0) {
  const examples = schema.meta()?.examples ?? [];
  const example = examples[index] ?? examples[0];
  return example === undefined ? { schema } : { schema, example };
}

import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { EVENTS, type EventName } from '../../domain/webhooks/events.schema.ts';
import type { Route } from '../http/route.ts';
import { isDocumented, operationOf, type Documented } from './operation.ts';
import { securitySchemes } from './security-schemes.ts';
import { webhookOperation } from './webhook-operation.ts';

const TAGS = [
  {
    name: 'Identity',
    description:
      'Who is this person? Sign-in by OAuth 2.0, and the profile. The guide is at `/docs/sign-in`.',
  },
  {
    name: 'Access',
    description: 'May this person use the product? The guide is at `/docs/access`.',
  },
  {
    name: 'Usage',
    description: 'Did this person use the product? The guide is at `/docs/access`.',
  },
  {
    name: 'Selling',
    description: 'Links and pictures for your own pages. The guide is at `/docs/buy-link`.',
  },
  { name: 'Health', description: 'Whether the service is alive and ready.' },
  {
    name: 'Webhooks',
    description: 'The requests that your endpoint receives. The guide is at `/docs/webhooks`.',
  },
];

const DESCRIPTION = `Identity, entitlements and webhooks for listed products.

Changes are additive: ignore unknown fields, unknown values and unknown events. Values that may grow are strings whose known values stand in \`x-extensible-enum\`.

Every response has an \`x-request-id\`: quote it when you ask for help. A path that does not exist under \`/api\` answers 404, another method 405 with \`allow\`, both with the body \`Error\`.`;

/** OpenAPI 3.1, from the same objects that serve the requests. */
export function createReference(routes: readonly Route[], baseUrl: string) {
  const events = Object.entries(EVENTS).map(([name, event]) => [
    name,
    { post: webhookOperation(name as EventName, event) },
  ]);
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Gatehouse',
        version: '1',
        description: DESCRIPTION,
        contact: { name: 'Gatehouse', url: `${baseUrl}/docs` },
      },
      servers: [{ url: baseUrl, description: 'The installation that serves this document' }],
      tags: TAGS,
      paths: describePaths(routes.filter(isDocumented)),
      webhooks: Object.fromEntries(events),
      components: { securitySchemes: securitySchemes(baseUrl) },
    },
    { override: openSchema },
  );
}

function describePaths(routes: Documented[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

const KNOWN = 'Known values:';

const OF_EVENTS = new Set<unknown>(
  Object.values(EVENTS).flatMap(({ data }) => Object.values(data.shape).map(withoutWrapping)),
);

/** Leaves open what may grow: answers and events gain fields and values without notice. */
function openSchema({ jsonSchema, zodSchema, io }: ZodOpenApiOverrideContext): void {
  leaveToFormat(jsonSchema);
  if (io !== 'output' && !OF_EVENTS.has(zodSchema)) return;
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.enum !== undefined) {
    jsonSchema['x-extensible-enum'] = jsonSchema.enum;
    delete jsonSchema.enum;
  }
  nameKnownValues(jsonSchema);
}

/** Lists the known values for people, and for generators that do not know the extension. */
function nameKnownValues(jsonSchema: ZodOpenApiOverrideContext['jsonSchema']): void {
  const values = jsonSchema['x-extensible-enum'];
  const { description = '' } = jsonSchema;
  if (!Array.isArray(values) || description.includes(KNOWN)) return;
  const known = `${KNOWN} ${values.map((value) => `\`${String(value)}\``).join(', ')}`;
  jsonSchema.description = description === '' ? known : `${description}. ${known}`;
}

/** Long regular expressions and the largest number say nothing that the format and type do not say. */
function leaveToFormat(jsonSchema: ZodOpenApiOverrideContext['jsonSchema']): void {
  const { format, maximum } = jsonSchema;
  if (format === 'date-time' || format === 'uuid') delete jsonSchema.pattern;
  if (maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function withoutWrapping(schema: unknown): unknown {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? withoutWrapping(schema.unwrap()) : schema;
}

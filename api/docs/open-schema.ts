// What the document leaves open: answers and events gain fields and values without notice.
import { z } from 'zod';
import type { ZodOpenApiOverrideContext } from 'zod-openapi';
import { EVENTS } from '../../domain/webhooks/events.schema.ts';

const KNOWN = 'Known values:';

const OF_EVENTS = new Set<unknown>(
  Object.values(EVENTS).flatMap(({ data }) => Object.values(data.shape).map(withoutWrapping)),
);

export function openSchema({ jsonSchema, zodSchema, io }: ZodOpenApiOverrideContext): void {
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

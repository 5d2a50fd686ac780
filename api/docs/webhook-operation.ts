import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { envelope, type EventName } from '../../domain/webhooks/events.schema.ts';
import { EVENT_EXAMPLES } from './event-examples.ts';

const SIGNATURE = `t=1795341600,v1=${'5f0c'.repeat(16)}`;

const headersOf = (event: string) =>
  z.object({
    'service-event': z.string().meta({ description: 'The name of the event', examples: [event] }),
    'service-signature': z.string().meta({
      description:
        '`t=<unix_seconds>,v1=<hex>`: HMAC-SHA256 with the endpoint secret over the timestamp, a dot and the raw body bytes. Refuse timestamps more than 300 seconds away.',
      examples: [SIGNATURE],
    }),
    'service-signature-previous': z
      .string()
      .optional()
      .meta({
        description: 'The signature made with the previous secret, during a rotation',
        examples: [SIGNATURE],
      }),
  });

/** The request that a subscribed endpoint receives. */
export function webhookOperation(
  name: EventName,
  event: { data: z.ZodObject; when: string },
): ZodOpenApiOperationObject {
  const example = EVENT_EXAMPLES[name];
  const named = z.literal(name).meta({ description: 'The name of the event' });
  const schema = envelope
    .extend({ event: named, data: event.data })
    .meta({ id: `${inPascalCase(name)}Event`, description: event.when, examples: [example] });
  return {
    operationId: inPascalCase(name).replace(/^./, (first) => first.toLowerCase()),
    tags: ['Webhooks'],
    summary: name,
    description: `${event.when} Delivered at least once, in no guaranteed order. Deduplicate by \`id\`.`,
    security: [],
    requestParams: { header: headersOf(name) },
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: {
      '2XX': {
        description:
          'Accepted. We retry after any other status, or after 10 seconds without a response.',
      },
    },
  };
}

/** `EntitlementCreated` of `entitlement.created`. */
function inPascalCase(name: string): string {
  return name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

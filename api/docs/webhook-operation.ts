import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { envelope } from '../../domain/webhooks/events.schema.ts';

const signatureHeaders = z.object({
  'service-event': z.string().meta({ description: 'The name of the event' }),
  'service-signature': z.string().meta({
    description:
      '`t=<unix_seconds>,v1=<hex>`: HMAC-SHA256 with the endpoint secret over the timestamp, a dot and the raw body bytes. Refuse timestamps more than 300 seconds away.',
  }),
  'service-signature-previous': z
    .string()
    .optional()
    .meta({ description: 'The signature made with the previous secret, during a rotation' }),
});

/** The request that a subscribed endpoint receives. */
export function webhookOperation(
  name: string,
  event: { data: z.ZodObject; when: string },
): ZodOpenApiOperationObject {
  return {
    tags: ['Webhooks'],
    summary: name,
    description: `${event.when} Delivered at least once, in no guaranteed order. Deduplicate by \`id\`.`,
    security: [],
    requestParams: { header: signatureHeaders },
    requestBody: {
      content: {
        'application/json': {
          schema: envelope.extend({ event: z.literal(name), data: event.data }),
        },
      },
    },
    responses: {
      '2XX': {
        description:
          'Accepted. We retry after any other status, or after 10 seconds without a response.',
      },
    },
  };
}

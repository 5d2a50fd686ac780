import { z } from 'zod';
import { MalformedEvent, type Processor } from '../../clients/processor/processor.ts';
import { recordProcessorEvent } from '../../domain/billing/processor-inbox/inbox.repository.ts';
import { json } from '../http/response.ts';
import { HttpError } from '../http/errors.ts';
import { defineRoute } from '../http/route.ts';
import type { Services } from '../services.ts';

const LIMIT_BYTES = 256 * 1024;

const receiveProcessorEvent = defineRoute({
  method: 'POST',
  path: '/api/processor/events',
  summary: 'Receive a payment event',
  credential: 'signature',
  limit: null,
  input: { body: { kind: 'bytes', shape: z.instanceof(Buffer), limitBytes: LIMIT_BYTES } },
  async handler({ ctx, services, body }) {
    const { processor, database, logger } = services;
    const event = readEvent(processor, { body, signature: ctx.get('stripe-signature') });
    if (!event) throw new HttpError('invalid_request', { message: 'The signature is not valid.' });
    if (event.isLive !== isLiveExpected(services)) {
      throw new HttpError('invalid_request', {
        message: 'The event is for the other mode (test or live).',
      });
    }
    const { isLive: _, ...facts } = event;
    const { isDeadLettered } = await database.transaction((em) =>
      recordProcessorEvent(em, { processor: processor.kind, ...facts }),
    );
    if (isDeadLettered)
      logger.warn({ event: event.id, type: event.type }, 'processor event dead-lettered');
    return json({ received: true });
  },
});

function readEvent(processor: Processor, given: { body: Buffer; signature: string }) {
  try {
    return processor.readEvent(given.body, given.signature || undefined);
  } catch (error) {
    if (!(error instanceof MalformedEvent)) throw error;
    throw new HttpError('invalid_request', {
      message: 'The body is not an event of the processor.',
    });
  }
}

function isLiveExpected({ config }: Services): boolean {
  return config.processor.kind === 'stripe' && config.processor.secretKey.startsWith('sk_live_');
}

export const routes = [receiveProcessorEvent];

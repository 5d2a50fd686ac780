// The filters of the list, as they may stand in its address: empty fields of the form count as absent.
import { z } from 'zod';
import { publicIdPattern } from '../../../domain/platform/ids.ts';
import { DELIVERY_STATUSES } from '../../../domain/webhooks/delivery.entity.ts';
import type { DeliveryFilter } from '../../../domain/webhooks/delivery-search.store.ts';
import { EVENTS } from '../../../domain/webhooks/events.schema.ts';
import { readInstant } from '../instant-field.ts';

export const deliveryId = z.string().regex(publicIdPattern('evt_'));

const EVENT_NAMES = Object.keys(EVENTS);

const optional = <Shape extends z.ZodType>(shape: Shape) =>
  z.literal('').or(shape).optional().catch(undefined);

/** An instant as a browser's field sends it, read as UTC. */
const instantText = z
  .string()
  .default('')
  .refine((typed) => readInstant(typed) !== 'unreadable', 'give it as 2027-01-31T18:00');

export const eventName = z.string().refine((name) => EVENT_NAMES.includes(name), 'no such event');

export const deliveryQuery = z.object({
  status: z.literal('').or(z.enum(DELIVERY_STATUSES)).default(''),
  event: z.literal('').or(eventName).default(''),
  endpoint: z.literal('').or(z.guid().toLowerCase()).default(''),
  since: instantText,
  until: instantText,
  before: optional(deliveryId),
  notice: z.unknown().optional(),
});

export type DeliveryQuery = z.output<typeof deliveryQuery>;

export function toFilter({ status, event, endpoint, since, until }: DeliveryQuery): DeliveryFilter {
  return {
    status: status || null,
    eventName: event || null,
    endpointId: endpoint || null,
    since: readInstant(since) as Date | null,
    until: readInstant(until) as Date | null,
  };
}

export function isFiltered(query: DeliveryQuery): boolean {
  return [query.status, query.event, query.endpoint, query.since, query.until].some(Boolean);
}

export { EVENT_NAMES };

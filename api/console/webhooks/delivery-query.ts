// The filters of the list, as they may stand in its address: empty fields of the form count as absent.
import { z } from 'zod';
import { publicIdPattern } from '../../../domain/shared/ids.ts';
import { DELIVERY_STATUSES } from '../../../domain/webhooks/deliveries/delivery.entity.ts';
import type { DeliveryFilter } from '../../../domain/webhooks/deliveries/delivery-list.repository.ts';
import { EVENT_NAMES } from '../../../domain/webhooks/events.schema.ts';
import { readInstant } from '../date-time-field.ts';
import { cursor, given, matching, text, uuid } from '../../http/fields.ts';

export const deliveryId = matching(publicIdPattern('evt_'), 30);

/** An instant as a browser's field sends it, read as UTC. */
const instantText = given(32)
  .default('')
  .refine(
    (typed) => readInstant(typed) !== 'unreadable',
    'must be a date such as 2027-01-31T18:00',
  );

export const eventName = given(64).refine(
  (name) => EVENT_NAMES.some((known) => known === name),
  'is not a known event',
);

export const deliveryQuery = z.object({
  status: z.literal('').or(z.enum(DELIVERY_STATUSES)).default(''),
  event: z.literal('').or(eventName).default(''),
  endpoint: z.literal('').or(uuid().toLowerCase()).default(''),
  since: instantText,
  until: instantText,
  before: cursor(deliveryId).catch(null),
  /** What somebody looks for by its id, in the form of its workflow too. */
  id: text(64).default(''),
});

/** Returns null where it can be the id of no delivery. */
export function readDeliveryId(typed: string): string | null {
  const id = typed.trim().replace(/^delivery:/, '');
  return publicIdPattern('evt_').test(id) ? id : null;
}

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

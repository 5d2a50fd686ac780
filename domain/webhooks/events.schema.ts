// The registry of events: console checkboxes, validation, OpenAPI and docs derive from it.
import { z } from 'zod';
import { TEST_EVENT } from './endpoints/test-event.ts';

const timestamp = z.iso.datetime({ precision: 3 });
const money = { gross_minor: z.int().positive(), currency: z.string().length(3) };

const entitlement = z.object({
  entitlement_id: z.guid(),
  product_id: z.guid(),
  user_id: z.guid(),
  active: z.boolean(),
  type: z.enum(['purchase', 'subscription', 'member', 'complimentary']).nullable(),
  source: z.string().nullable(),
  ends_at: timestamp.nullable(),
  purchase_id: z.string().optional(),
  chargeback: z.literal(true).optional(),
});

const purchase = z.object({
  purchase_id: z.string(),
  user_id: z.guid(),
  product_id: z.guid(),
  ...money,
});

const refund = purchase.extend({
  refunded_minor: z.int().positive(),
  chargeback: z.boolean(),
  /** Set for a subscription's payment outside of the current period. */
  payment_id: z.string().optional(),
});

const test = z.object({ message: z.string(), product_id: z.guid(), endpoint_id: z.guid() });

type EventKind = {
  data: z.ZodObject;
  /** When the event is sent: the sentence of the console and of the reference. */
  when: string;
  /** Added after the first events: off unless an endpoint subscribes. */
  isAdditive?: boolean;
};

export const EVENTS = {
  'entitlement.created': {
    data: entitlement,
    when: 'Access gained: a purchase cleared, a subscription started, a member opened the product, or access was granted.',
  },
  'entitlement.canceled': {
    data: entitlement,
    when: 'Access cancelled. It lasts until `ends_at`, which may be in the future.',
  },
  'entitlement.expired': { data: entitlement, when: 'Access expired.' },
  'entitlement.refunded': {
    data: entitlement,
    when: 'Access revoked because the payment was refunded or charged back.',
  },
  'entitlement.resumed': {
    data: entitlement,
    when: 'A cancelled subscription or membership was resumed before its end.',
    isAdditive: true,
  },
  'entitlement.renewed': { data: entitlement, when: 'A renewal was paid.', isAdditive: true },
  'purchase.completed': { data: purchase, when: 'The payment of a hosted checkout cleared.' },
  'purchase.refunded': {
    data: refund,
    when: 'A purchase was fully refunded or charged back. `chargeback` is true if the bank reversed the payment.',
  },
  'purchase.partially_refunded': {
    data: refund,
    when: 'A purchase was partially refunded, and access stays. `refunded_minor` is the total so far.',
    isAdditive: true,
  },
  [TEST_EVENT]: {
    data: test,
    when: 'A test was sent from the console. Respond with 2xx and do nothing else.',
  },
} as const satisfies Record<string, EventKind>;

export type EventName = keyof typeof EVENTS;
export type SubscribableName = Exclude<EventName, typeof TEST_EVENT>;
type Subscribable = EventKind & { name: SubscribableName };

/**
 * The events that an endpoint may subscribe to. A test goes to one endpoint and needs no
 * subscription.
 */
export const SUBSCRIBABLE: readonly Subscribable[] = Object.entries<EventKind>(EVENTS)
  .filter(([name]) => name !== TEST_EVENT)
  .map(([name, kind]) => ({ name: name as SubscribableName, ...kind }));

export type EventData<Name extends EventName> = z.infer<(typeof EVENTS)[Name]['data']>;

export const envelope = z.object({
  id: z.string(),
  event: z.string(),
  created_at: timestamp,
  data: z.record(z.string(), z.unknown()),
});

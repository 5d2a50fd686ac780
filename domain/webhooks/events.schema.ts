// The registry of events: console checkboxes, validation, OpenAPI and docs derive from it.
import { z } from 'zod';
import { TEST_EVENT } from './test-event.ts';

const timestamp = z.iso.datetime({ precision: 3 });
const userId = z.guid().meta({ description: 'The person, as in the profile and in all calls' });
const productId = z.guid().meta({ description: 'The product of the endpoint' });
const purchaseId = z.string().meta({
  description:
    'The payment reference `pay_...`; for a subscription that of its first payment, as long as it lasts',
});

const entitlement = z
  .object({
    entitlement_id: z.guid().meta({ description: 'One for each person and product' }),
    product_id: productId,
    user_id: userId,
    active: z
      .boolean()
      .meta({ description: 'Whether the person may use the product now: branch on this field' }),
    type: z
      .enum(['purchase', 'subscription', 'member', 'complimentary'])
      .nullable()
      .meta({ description: 'Why access exists, or existed' }),
    source: z
      .string()
      .nullable()
      .meta({ description: 'A payment reference `pay_...`, `member`, or a grant `grant_...`' }),
    ends_at: timestamp
      .nullable()
      .meta({ description: 'When access ends or ended; null if it does not expire' }),
    purchase_id: purchaseId
      .optional()
      .meta({ description: 'The payment reference `pay_...`, where a purchase stands behind it' }),
    chargeback: z
      .literal(true)
      .optional()
      .meta({ description: 'True if the bank reversed the payment; absent otherwise' }),
  })
  .meta({ id: 'EntitlementEventData', description: 'Access as it is after the event' });

const purchaseFields = z.object({
  purchase_id: purchaseId,
  user_id: userId,
  product_id: productId,
  gross_minor: z
    .int()
    .positive()
    .meta({ description: 'What the buyer paid, in minor units of the currency' }),
  currency: z
    .string()
    .length(3)
    .meta({ description: 'ISO 4217: the currency in which the buyer paid' }),
});

const purchase = purchaseFields.meta({ id: 'PurchaseEventData' });

const refund = purchaseFields
  .extend({
    refunded_minor: z
      .int()
      .positive()
      .meta({ description: 'What went back so far, in minor units of the currency' }),
    chargeback: z.boolean().meta({ description: 'True if the bank reversed the payment' }),
    payment_id: z.string().optional().meta({
      description: "The charge `ch_...`, for a subscription's payment of an earlier period",
    }),
  })
  .meta({ id: 'RefundEventData' });

const paymentFailure = z
  .object({
    purchase_id: purchaseId,
    user_id: userId,
    product_id: productId,
    amount_minor: z
      .int()
      .positive()
      .meta({ description: 'What could not be charged, in minor units of the currency' }),
    currency: z.string().length(3).meta({ description: 'ISO 4217: the currency of the charge' }),
    next_attempt_at: timestamp
      .nullable()
      .meta({ description: 'When the charge is tried again; null after the last attempt' }),
    access_until: timestamp.meta({
      description: 'The end of grace: when access ends if no attempt succeeds',
    }),
  })
  .meta({ id: 'PaymentFailureEventData' });

const authorization = z
  .object({
    user_id: userId,
    product_id: productId,
    scopes: z.array(z.string()).meta({
      description: 'What the person allowed: `identity`, `entitlements`',
    }),
    occurred_at: timestamp.meta({ description: 'When the person allowed it, or when it ended' }),
  })
  .meta({ id: 'AuthorizationEventData' });

const test = z
  .object({
    message: z.string().meta({ description: 'Says that this is a test' }),
    product_id: productId,
    endpoint_id: z.guid().meta({ description: 'The endpoint that was tested' }),
  })
  .meta({ id: 'TestEventData' });

type EventKind = {
  data: z.ZodObject;
  /** Tells when the event is sent: the sentence of the console and of the reference. */
  when: string;
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
  },
  'entitlement.renewed': { data: entitlement, when: 'A renewal was paid.' },
  'purchase.completed': { data: purchase, when: 'The payment of a hosted checkout cleared.' },
  'purchase.refunded': {
    data: refund,
    when: 'A purchase was fully refunded or charged back. `chargeback` is true if the bank reversed the payment.',
  },
  'purchase.partially_refunded': {
    data: refund,
    when: 'A purchase was partially refunded, and access stays. `refunded_minor` is the total so far.',
  },
  'subscription.payment_failed': {
    data: paymentFailure,
    when: 'A renewal of a subscription could not be charged. Access lasts until `access_until`.',
  },
  'authorization.granted': {
    data: authorization,
    when: 'A person allowed one of your apps to sign them in, for the first time, again or with more scopes.',
  },
  'authorization.revoked': {
    data: authorization,
    when: 'A person ended the access of one of your apps, or the app or the account was deleted.',
  },
  [TEST_EVENT]: {
    data: test,
    when: 'A test was sent from the console. Respond with 2xx and do nothing else.',
  },
} as const satisfies Record<string, EventKind>;

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];
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
  id: z.string().meta({
    description: '`evt_...`: the same on every attempt of this delivery. Deduplicate by it',
  }),
  event: z.string().meta({ description: 'The name of the event' }),
  created_at: timestamp.meta({ description: 'When the event happened' }),
  data: z.record(z.string(), z.unknown()),
});

// The examples of the reference: one subscription, as the guide at /docs/subscriptions tells it.
import type { EventData, EventName } from '../../domain/webhooks/events.schema.ts';
import { examplesOf } from '../../domain/webhooks/example-events.ts';

const PRODUCT_ID = '01a2016d-a60c-7428-a427-6532382255ed';

const BEGUN = '2026-11-22T10:00:00.000Z';
const RENEWED = '2026-12-22T10:00:00.000Z';
const CANCELED = '2026-12-30T18:30:00.000Z';
const RESUMED = '2026-12-30T18:45:00.000Z';
const REFUNDED = '2027-01-03T09:00:00.000Z';
const PERIOD_END = '2027-01-22T10:00:00.000Z';
const RETRY = '2027-01-23T10:00:00.000Z';
const GRACE_END = '2027-01-30T10:00:00.000Z';

const DATA: { [Name in EventName]: EventData<Name> } = {
  ...examplesOf({
    ids: {
      entitlement_id: '01a2016d-a63a-74b2-8426-d5362781aa73',
      product_id: PRODUCT_ID,
      user_id: '01a2016d-a60b-73c7-b84a-ee3dd61c7757',
      purchase_id: 'pay_01M80PV9JETRJXTTF8MP5T76VD',
    },
    endsAt: { canceled: PERIOD_END, expired: PERIOD_END, refunded: REFUNDED },
    failed: { nextAttemptAt: RETRY, graceEndsAt: GRACE_END },
    authorized: { grantedAt: BEGUN, revokedAt: REFUNDED },
  }),
  'webhook.test': {
    message: 'This is a test from the console. Acknowledge it with a 2xx, and do nothing.',
    product_id: PRODUCT_ID,
    endpoint_id: '01a2016d-b7c4-7d19-9c3e-52f1d0a6e884',
  },
};

/** The instant of each event; the place in this list ends its id. */
const INSTANTS: Record<EventName, string> = {
  'purchase.completed': BEGUN,
  'entitlement.created': BEGUN,
  'entitlement.canceled': CANCELED,
  'purchase.refunded': REFUNDED,
  'entitlement.refunded': REFUNDED,
  'entitlement.renewed': RENEWED,
  'entitlement.resumed': RESUMED,
  'purchase.partially_refunded': REFUNDED,
  'entitlement.expired': PERIOD_END,
  'webhook.test': BEGUN,
  'subscription.payment_failed': PERIOD_END,
  'authorization.granted': BEGUN,
  'authorization.revoked': REFUNDED,
};

type Example<Name extends EventName> = {
  id: string;
  event: Name;
  created_at: string;
  data: EventData<Name>;
};

const idOf = (place: number) => `evt_01M80PV9JETRJXTTF8MP5T70${String(place).padStart(2, '0')}`;

export const EVENT_EXAMPLES = Object.fromEntries(
  Object.entries(INSTANTS).map(([event, at], place) => [
    event,
    { id: idOf(place), event, created_at: at, data: DATA[event as EventName] },
  ]),
) as { [Name in EventName]: Example<Name> };

// The examples of the reference: one subscription, as the guide at /docs/subscriptions tells it.
import type { EventData, EventName } from '../../domain/webhooks/events.schema.ts';

const PURCHASE_ID = 'pay_01M80PV9JETRJXTTF8MP5T76VD';
const PRODUCT_ID = '01a2016d-a60c-7428-a427-6532382255ed';
const USER_ID = '01a2016d-a60b-73c7-b84a-ee3dd61c7757';

const BEGUN = '2026-11-22T10:00:00.000Z';
const RENEWED = '2026-12-22T10:00:00.000Z';
const CANCELED = '2026-12-30T18:30:00.000Z';
const RESUMED = '2026-12-30T18:45:00.000Z';
const REFUNDED = '2027-01-03T09:00:00.000Z';
const PERIOD_END = '2027-01-22T10:00:00.000Z';

const open = {
  entitlement_id: '01a2016d-a63a-74b2-8426-d5362781aa73',
  product_id: PRODUCT_ID,
  user_id: USER_ID,
  active: true,
  type: 'subscription',
  source: PURCHASE_ID,
  ends_at: null,
  purchase_id: PURCHASE_ID,
} as const;

const purchase = {
  purchase_id: PURCHASE_ID,
  user_id: USER_ID,
  product_id: PRODUCT_ID,
  gross_minor: 1_900,
  currency: 'USD',
};

type Example<Name extends EventName> = {
  id: string;
  event: Name;
  created_at: string;
  data: EventData<Name>;
};

const idOf = (last: number) => `evt_01M80PV9JETRJXTTF8MP5T70${String(last).padStart(2, '0')}`;

function example<Name extends EventName>(
  event: Name,
  [number, at]: [number: number, at: string],
  data: EventData<Name>,
): { [Its in Name]: Example<Name> } {
  const told = { id: idOf(number), event, created_at: at, data };
  return { [event]: told } as { [Its in Name]: Example<Name> };
}

export const EVENT_EXAMPLES: { [Name in EventName]: Example<Name> } = {
  ...example('purchase.completed', [0, BEGUN], purchase),
  ...example('entitlement.created', [1, BEGUN], open),
  ...example('entitlement.renewed', [5, RENEWED], open),
  ...example('entitlement.canceled', [2, CANCELED], { ...open, ends_at: PERIOD_END }),
  ...example('entitlement.resumed', [6, RESUMED], open),
  ...example('purchase.refunded', [3, REFUNDED], {
    ...purchase,
    refunded_minor: 1_900,
    chargeback: false,
  }),
  ...example('entitlement.refunded', [4, REFUNDED], { ...open, active: false, ends_at: REFUNDED }),
  ...example('purchase.partially_refunded', [7, REFUNDED], {
    ...purchase,
    refunded_minor: 500,
    chargeback: false,
  }),
  ...example('entitlement.expired', [8, PERIOD_END], {
    ...open,
    active: false,
    ends_at: PERIOD_END,
  }),
  ...example('webhook.test', [9, BEGUN], {
    message: 'This is a test from the console. Acknowledge it with a 2xx, and do nothing.',
    product_id: PRODUCT_ID,
    endpoint_id: '01a2016d-b7c4-7d19-9c3e-52f1d0a6e884',
  }),
};

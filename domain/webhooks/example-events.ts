// Made-up data of each event, to try a receiver with: one monthly subscription. Nothing in it exists
// but the product.
import type { EventData, SubscribableName } from './events.schema.ts';

type Examples = { [Name in SubscribableName]: EventData<Name> };

const DAY_MS = 86_400_000;
const PERIOD_DAYS = 30;

const IDS = {
  entitlement_id: '00000000-0000-4000-8000-00000000000a',
  user_id: '00000000-0000-4000-8000-00000000000b',
  purchase_id: 'pay_00000000000000000000000000',
};

/** The example of an event, as if it happened to the product at an instant. */
export function exampleOf<Name extends SubscribableName>(
  name: Name,
  { productId, at }: { productId: string; at: Date },
): EventData<Name> {
  return examples({ productId, at })[name];
}

function examples({ productId: product_id, at }: { productId: string; at: Date }): Examples {
  const now = at.toISOString();
  const periodEnd = new Date(at.getTime() + PERIOD_DAYS * DAY_MS).toISOString();
  const { entitlement_id, user_id, purchase_id } = IDS;
  const access = { entitlement_id, product_id, user_id, source: purchase_id, purchase_id };
  const open = { ...access, active: true, type: 'subscription', ends_at: null } as const;
  const ended = { ...open, active: false, ends_at: now };
  const purchase = { purchase_id, user_id, product_id, gross_minor: 1_900, currency: 'USD' };
  return {
    'entitlement.created': open,
    'entitlement.canceled': { ...open, ends_at: periodEnd },
    'entitlement.expired': ended,
    'entitlement.refunded': ended,
    'entitlement.resumed': open,
    'entitlement.renewed': open,
    'purchase.completed': purchase,
    'purchase.refunded': { ...purchase, refunded_minor: 1_900, chargeback: false },
    'purchase.partially_refunded': { ...purchase, refunded_minor: 500, chargeback: false },
  };
}

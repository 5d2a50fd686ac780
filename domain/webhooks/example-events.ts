// The data of each event in the story of one monthly subscription: the reference tells it with fixed
// instants, and the console sends parts of it, as of now, to try a receiver with.
import { DAY_MS } from '../shared/instant.ts';
import type { EventData, SubscribableName } from './events.schema.ts';

type Examples = { [Name in SubscribableName]: EventData<Name> };

type Story = {
  ids: { entitlement_id: string; product_id: string; user_id: string; purchase_id: string };
  /** The end of access in these events. */
  endsAt: { canceled: string; expired: string; refunded: string };
  /** The next attempt after a renewal that failed, and the end of grace. */
  failed: { nextAttemptAt: string; graceEndsAt: string };
  /** The instants at which the person allowed the app and ended that. */
  authorized: { grantedAt: string; revokedAt: string };
};

const PERIOD_DAYS = 30;
const GRACE_DAYS = 8;

/** Nothing in an example that is sent exists but the product. */
const NOBODYS = {
  entitlement_id: '00000000-0000-4000-8000-00000000000a',
  user_id: '00000000-0000-4000-8000-00000000000b',
  purchase_id: 'pay_00000000000000000000000000',
};

/** The example of an event, as if it happened to the product at an instant. */
export function exampleOf<Name extends SubscribableName>(
  name: Name,
  { productId, at }: { productId: string; at: Date },
): EventData<Name> {
  const now = at.toISOString();
  const inDays = (days: number) => new Date(at.getTime() + days * DAY_MS).toISOString();
  return examplesOf({
    ids: { ...NOBODYS, product_id: productId },
    endsAt: { canceled: inDays(PERIOD_DAYS), expired: now, refunded: now },
    failed: { nextAttemptAt: inDays(1), graceEndsAt: inDays(GRACE_DAYS) },
    authorized: { grantedAt: now, revokedAt: now },
  })[name];
}

export function examplesOf({ ids, endsAt, failed, authorized }: Story): Examples {
  const { entitlement_id, product_id, user_id, purchase_id } = ids;
  const access = { entitlement_id, product_id, user_id };
  const type = 'subscription';
  const source = purchase_id;
  const open = { ...access, active: true, type, source, ends_at: null, purchase_id } as const;
  const ended = { ...open, active: false };
  const purchase = { purchase_id, user_id, product_id, gross_minor: 1_900, currency: 'USD' };
  const authorization = { user_id, product_id, scopes: ['identity', 'entitlements'] };
  return {
    'entitlement.created': open,
    'entitlement.canceled': { ...open, ends_at: endsAt.canceled },
    'entitlement.expired': { ...ended, ends_at: endsAt.expired },
    'entitlement.refunded': { ...ended, ends_at: endsAt.refunded },
    'entitlement.resumed': open,
    'entitlement.renewed': open,
    'purchase.completed': purchase,
    'purchase.refunded': { ...purchase, refunded_minor: 1_900, chargeback: false },
    'purchase.partially_refunded': { ...purchase, refunded_minor: 500, chargeback: false },
    'subscription.payment_failed': {
      purchase_id,
      user_id,
      product_id,
      amount_minor: 1_900,
      currency: 'USD',
      next_attempt_at: failed.nextAttemptAt,
      access_until: failed.graceEndsAt,
    },
    'authorization.granted': { ...authorization, occurred_at: authorized.grantedAt },
    'authorization.revoked': { ...authorization, occurred_at: authorized.revokedAt },
  };
}

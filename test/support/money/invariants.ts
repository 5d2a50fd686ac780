import assert from 'node:assert/strict';
import { readAccess } from '../../../domain/entitlements/access.query.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { TestDatabase } from '../engines/database.ts';

type PurchaseState = {
  id: string;
  status: string;
  wasCleared: boolean;
  clearedAt: Date | null;
  completed: number;
  receipts: number;
  /** What the processor has of its payment: paid, gone back by refunds, taken by the bank. */
  paid: number;
  refunded: number;
  lost: number;
  bookings: number;
  /** What the ledger says of the buyer: minus what was paid, plus what went back. */
  buyer: number;
  unhandled: number;
  liveGrants: number;
  lastTold: string | null;
};

const PURCHASE_STATE = `
  select p.id, p.status, p.cleared_at is not null as "wasCleared",
    p.cleared_at as "clearedAt",
    (select count(*)::int from event e where e.product_id = p.product_id
      and e.name = 'purchase.completed' and e.data ->> 'purchase_id' = p.id) as completed,
    (select count(*)::int from receipt r where r.purchase_id = p.id) as receipts,
    coalesce(i.paid, 0)::int as paid, coalesce(i.refunded, 0)::int as refunded,
    coalesce(i.lost, 0)::int as lost,
    (select count(*)::int from ledger_entry l join payment y on y.id = l.payment_id
      where y.purchase_id = p.id and l.account = 'buyer' and l.kind = 'gross') as bookings,
    (select coalesce(sum(l.amount_minor), 0)::int from ledger_entry l
      join payment y on y.id = l.payment_id
      where y.purchase_id = p.id and l.account = 'buyer') as buyer,
    (select count(*)::int from processor_event e where e.purchase_id = p.id
      and e.handled_at is null) as unhandled,
    (select count(*)::int from access_grant g where g.source = p.id and g.withdrawn_at is null)
      as "liveGrants",
    (select e.name from event e where e.product_id = p.product_id
      and e.name in ('purchase.completed', 'purchase.refunded') and e.data ->> 'purchase_id' = p.id order by e.created_at desc, e.id desc limit 1) as "lastTold"
  from purchase p left join lateral (
    select s.amount as paid,
      (select sum(r.amount) from simulator.refund r
        where r.intent_id = i.id and r.status <> 'failed') as refunded,
      (select sum(d.amount) from simulator.dispute d
        where d.session_id = s.id and d.status = 'lost') as lost
    from simulator.checkout_session s join simulator.payment_intent i on i.session_id = s.id
    where s.metadata ->> 'purchase_id' = p.id and i.status = 'succeeded'
  ) i on true
  where p.person_id = $1 and p.product_id = $2`;

export type Gone = { leftAt: Date | null; removedAt: Date | null };

const NEITHER: Gone = { leftAt: null, removedAt: null };

/** Of the person's leaving and the product's removal. */
export function firstOf({ leftAt, removedAt }: Gone): Date | null {
  return leftAt && removedAt && removedAt < leftAt ? removedAt : (leftAt ?? removedAt);
}

/** What holds of money and access whatever has happened, once everything was heard and followed. */
export async function requireInvariants(
  { query, pool }: Pick<TestDatabase, 'query'> & Pick<Database, 'pool'>,
  { personId, productId, gone = NEITHER }: { personId: string; productId: string; gone?: Gone },
): Promise<void> {
  const purchases = await query<PurchaseState>(PURCHASE_STATE, [personId, productId]);
  const { isActive } = await readAccess(pool, { personId, productId });
  const goneAt = firstOf(gone);
  if (goneAt) assert.equal(isActive, false, 'nobody has access who is gone, nor to what is gone');
  for (const purchase of purchases) {
    requireFollowed(purchase, goneAt);
    requireOrderOrReturn(purchase);
  }
  const grants = await query(
    `select 1 from access_grant
     where person_id = $1 and product_id = $2 and withdrawn_at is null`,
    [personId, productId],
  );
  assert.equal(isActive, grants.length > 0, 'access is the union of its sources');
  const events = await query<{ name: string }>(
    `select name from event where product_id = $1 and name like 'entitlement.%'
     order by created_at, id`,
    [productId],
  );
  const names = events.map(({ name }) => name);
  requireToldOnce(names, isActive);
}

/** The processor's books and ours say the same, and each thing is told once. */
function requireFollowed(purchase: PurchaseState, goneAt: Date | null): void {
  const { clearedAt, status, paid, refunded, lost, wasCleared } = purchase;
  const about = JSON.stringify(purchase);
  const once = wasCleared ? 1 : 0;
  assert.equal(purchase.unhandled, 0, `every word of the processor is followed: ${about}`);
  assert.equal(purchase.bookings, paid > 0 ? 1 : 0, `money that came is booked once: ${about}`);
  assert.equal(purchase.buyer, refunded + lost - paid, `the ledger says what is true: ${about}`);
  assert.equal(purchase.completed, once, `completed is told once: ${about}`);
  assert.equal(purchase.receipts, once, `one receipt: ${about}`);
  const isLate = goneAt !== null && clearedAt !== null && clearedAt > goneAt;
  assert.equal(isLate, false, `late money is no order: ${about}`);
  const live = status === 'cleared' && goneAt === null ? 1 : 0;
  assert.equal(purchase.liveGrants, live, `access is what is paid for: ${about}`);
}

function requireOrderOrReturn(purchase: PurchaseState): void {
  const { paid, refunded, lost, wasCleared, status, lastTold } = purchase;
  const about = JSON.stringify(purchase);
  if (paid === 0) {
    assert.match(status, /^(canceled|failed)$/, `without money no order: ${about}`);
    return assert.equal(lastTold, null, about);
  }
  const isBack = refunded + lost >= paid;
  const orders = isBack ? /^(refunded|charged_back)$/ : /^cleared$/;
  const others = isBack ? /^refunded$/ : /^quarantined$/;
  assert.match(status, wasCleared ? orders : others, `money is an order or goes back: ${about}`);
  if (wasCleared && isBack) assert.equal(lastTold, 'purchase.refunded', about);
}

/** What was lost was had before, what is had was told last. */
function requireToldOnce(names: string[], isActive: boolean): void {
  let isOn = false;
  for (const name of names) {
    assert.equal(name === 'entitlement.created', !isOn, `told twice: ${names.join(' ')}`);
    isOn = !isOn;
  }
  assert.equal(isOn, isActive, `what was told last is what is: ${names.join(' ')}`);
}

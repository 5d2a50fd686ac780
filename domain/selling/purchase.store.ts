import { LockMode } from '@mikro-orm/core';
import { addGrant, changeAccess } from '../entitlements/entitlement.store.ts';
import { purchaseActor } from '../platform/outbox/actors.ts';
import { now, rows, type EntityManager } from '../platform/database.ts';
import { newPublicId } from '../platform/ids.ts';
import { platformCutMinor } from '../platform/money.ts';
import { sendToActor } from '../platform/outbox/outbox.store.ts';
import { recordEvent } from '../webhooks/event.store.ts';
import { Checkout } from './checkout.entity.ts';
import { decidePurchase, type PurchaseStatus, type Reading } from './purchase-status.ts';
import { ProcessorEvent } from './processor-event.entity.ts';
import { Payment, Purchase } from './purchase.entity.ts';
import { issueReceipt } from './receipt.store.ts';

export type Ticket = {
  ticket: number;
  status: PurchaseStatus;
  productId: string;
  personId: string;
  sessionId: string | null;
  /** Until the processor's session ends by itself. */
  remainingMs: number;
  /** What the processor said before this ticket: the reading that follows covers it. */
  eventIds: string[];
};

type Settlement = {
  purchaseId: string;
  ticket: Ticket;
  reading: Reading & { paymentId: string | null };
  feeBasisPoints: number;
  processor: string;
};

/** Keeps what the processor said and wakes the purchase's actor; a second copy changes nothing. */
export async function recordProcessorEvent(
  em: EntityManager,
  event: { processor: string; id: string; type: string; purchaseId: string | null; body: unknown },
): Promise<{ isNew: boolean; isParked: boolean }> {
  const known = event.purchaseId
    ? await rows(em, 'select 1 from purchase where id = ?', [event.purchaseId])
    : [];
  const purchaseId = known.length > 0 ? event.purchaseId : null;
  const inserted = await rows(
    em,
    `insert into processor_event (processor, id, type, purchase_id, body, parked_reason)
     values (?, ?, ?, ?, ?::jsonb, ?) on conflict do nothing returning 1`,
    [
      event.processor,
      event.id,
      event.type,
      purchaseId,
      toJsonb(event.body),
      purchaseId ? null : 'unknown_purchase',
    ],
  );
  if (inserted.length === 0) return { isNew: false, isParked: false };
  if (purchaseId) await sendToActor(em, purchaseActor(purchaseId), { kind: 'processor_event' });
  return { isNew: true, isParked: purchaseId === null };
}

/** jsonb holds neither NUL nor half a surrogate pair, which JSON may escape: both become U+FFFD. */
function toJsonb(body: unknown): string {
  return JSON.stringify(body).replace(
    /(?<=(?:^|[^\\])(?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g,
    '\\ufffd',
  );
}

/** Takes the next numbered ticket, before the processor is asked how its checkout stands. */
export async function takeTicket(em: EntityManager, purchaseId: string): Promise<Ticket> {
  const [row] = await rows<{
    ticket: string;
    status: PurchaseStatus;
    product_id: string;
    person_id: string;
    session_id: string | null;
    remaining_ms: number;
    event_ids: string[] | null;
  }>(
    em,
    `update purchase p set ticket = p.ticket + 1 from checkout c
     where p.id = ? and c.id = p.checkout_id
     returning p.ticket, p.status, p.product_id, p.person_id,
       -- A crash between the processor's answer and our commit: its events know the session.
       coalesce(c.session_id, (select e.body #>> '{data,object,id}' from processor_event e
         where e.purchase_id = p.id and e.type like 'checkout.session.%' limit 1)) as session_id,
       (extract(epoch from c.expires_at - gatehouse_now()) * 1000)::float as remaining_ms,
       (select json_agg(e.id) from processor_event e
        where e.purchase_id = p.id and e.handled_at is null) as event_ids`,
    [purchaseId],
  );
  if (!row) throw new Error(`there is no purchase ${purchaseId}`);
  return {
    ticket: Number(row.ticket),
    status: row.status,
    productId: row.product_id,
    personId: row.person_id,
    sessionId: row.session_id,
    remainingMs: Math.max(0, Math.ceil(row.remaining_ms)),
    eventIds: row.event_ids ?? [],
  };
}

/** Applies a reading of the processor in one transaction: statuses, payment, access, events, inbox. */
export async function applyReading(
  em: EntityManager,
  settlement: Settlement,
): Promise<PurchaseStatus> {
  const { personId, productId } = settlement.ticket;
  await lockInbox(em, settlement);
  const { status } = await changeAccess(
    em,
    { productId, personId },
    {
      cause: 'granted',
      write: () => settle(em, settlement),
    },
  );
  return status;
}

async function settle(
  em: EntityManager,
  settlement: Settlement,
): Promise<{ status: PurchaseStatus; purchaseId?: string }> {
  const { purchaseId, ticket, reading } = settlement;
  const purchase = await em.findOneOrFail(Purchase, purchaseId, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    refresh: true,
  });
  // A newer reading was applied while this one was under way: the older fact never wins.
  if (purchase.appliedTicket >= ticket.ticket) return { status: purchase.status };
  const { personId, productId } = purchase;
  const { amountMinor, currency } = await em.findOneOrFail(Checkout, purchase.checkoutId);
  const others = { personId, productId, status: 'cleared' as const, id: { $ne: purchaseId } };
  const isOwnedAlready = (await em.count(Purchase, others)) > 0;
  const next = decidePurchase(purchase.status, reading, { amountMinor, currency, isOwnedAlready });
  const at = await now(em);
  const change = {
    appliedTicket: ticket.ticket,
    ...(next ? { status: next } : {}),
    ...(next === 'cleared' ? { clearedAt: at } : {}),
  };
  await em.nativeUpdate(Purchase, { id: purchaseId }, change);
  await closeCheckout(em, purchase.checkoutId, reading.status);
  await recordPayment(em, settlement);
  await markHandled(em, settlement);
  if (next !== 'cleared') return { status: next ?? purchase.status };
  const data = {
    purchase_id: purchaseId,
    user_id: personId,
    product_id: productId,
    gross_minor: reading.amountMinor,
    currency: reading.currency,
  };
  await recordEvent(em, { productId, name: 'purchase.completed', data });
  await issueReceipt(em, purchaseId);
  const grant = { type: 'purchase' as const, source: purchaseId, startsAt: at, endsAt: null };
  await addGrant(em, { productId, personId }, grant);
  return { status: next, purchaseId };
}

/** The intent never reached the processor, or its answer never reached us, and its time is over. */
export async function abandonPurchase(
  em: EntityManager,
  purchaseId: string,
): Promise<PurchaseStatus> {
  await rows(
    em,
    `update checkout c set status = 'abandoned' from purchase p
     where p.id = ? and c.id = p.checkout_id and c.status = 'open' and c.session_id is null
       and c.expires_at <= gatehouse_now()`,
    [purchaseId],
  );
  await rows(
    em,
    `update purchase p set status = 'canceled' from checkout c
     where p.id = ? and p.status = 'pending' and c.id = p.checkout_id and c.session_id is null
       and c.status in ('abandoned', 'replaced')`,
    [purchaseId],
  );
  const purchase = await em.findOneOrFail(Purchase, purchaseId, { disableIdentityMap: true });
  return purchase.status;
}

/** The processor said what this code does not understand: its words stay in the inbox for a human. */
export async function parkEvents(
  em: EntityManager,
  parked: { processor: string; eventIds: string[]; reason: string },
): Promise<void> {
  const key = { processor: parked.processor, id: { $in: parked.eventIds }, handledAt: null };
  await em.nativeUpdate(ProcessorEvent, key, { parkedReason: parked.reason });
}

async function lockInbox(em: EntityManager, { processor, ticket }: Settlement): Promise<void> {
  if (ticket.eventIds.length === 0) return;
  const key = { processor, id: { $in: ticket.eventIds } };
  await em.find(ProcessorEvent, key, {
    lockMode: LockMode.PESSIMISTIC_WRITE,
    orderBy: { id: 'asc' },
    fields: ['id'],
  });
}

async function markHandled(em: EntityManager, { processor, ticket }: Settlement): Promise<void> {
  if (ticket.eventIds.length === 0) return;
  const key = { processor, id: { $in: ticket.eventIds }, handledAt: null };
  await em.nativeUpdate(ProcessorEvent, key, { handledAt: await now(em) });
}

async function closeCheckout(
  em: EntityManager,
  checkoutId: string,
  status: Reading['status'],
): Promise<void> {
  if (status === 'expired') {
    await em.nativeUpdate(Checkout, { id: checkoutId, status: 'open' }, { status: 'expired' });
  } else if (status === 'paid' || status === 'clearing' || status === 'failed') {
    await em.nativeUpdate(Checkout, { id: checkoutId }, { status: 'paid' });
  }
}

const PAYMENT_STATUS = { paid: 'succeeded', clearing: 'clearing', failed: 'failed' } as const;

/** One row per charge, by the processor's id for it; a later reading only moves its status on. */
async function recordPayment(em: EntityManager, settlement: Settlement): Promise<void> {
  const { purchaseId, reading, feeBasisPoints } = settlement;
  if (!reading.paymentId || !(reading.status in PAYMENT_STATUS)) return;
  const status = PAYMENT_STATUS[reading.status as keyof typeof PAYMENT_STATUS];
  await em.upsert(
    Payment,
    {
      id: newPublicId('ch_'),
      purchaseId,
      grossMinor: reading.amountMinor,
      currency: reading.currency,
      cutMinor: platformCutMinor(reading.amountMinor, feeBasisPoints),
      status,
      processorId: reading.paymentId,
    },
    {
      onConflictFields: ['processorId'],
      onConflictAction: 'merge',
      onConflictMergeFields: ['status'],
    },
  );
}

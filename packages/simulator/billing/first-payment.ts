import type { Transaction } from '../database.ts';
import type { CardOutcome } from '../page/cards.ts';
import { insertInvoice, markPaid, noteAttempt, tellInvoice } from './invoice.repository.ts';
import { settleInvoice } from './renewal.ts';
import {
  endSubscription,
  insertSubscription,
  tellSubscription,
} from './subscription.repository.ts';

type Begun = { id: string; invoiceId: string; at: Date };

/** Begins with the session's completion: its payment is the one of the first invoice. */
export async function beginSubscription(
  client: Transaction,
  given: { sessionId: string; card: CardOutcome },
): Promise<Begun> {
  const { id, started_at: at } = await insertSubscription(client, given);
  const invoice = await insertInvoice(client, { subscriptionId: id, period: 0, at });
  await client.query(
    `update simulator.payment_intent set invoice_id = $2
     where session_id = $1 and not is_renewal`,
    [given.sessionId, invoice.id],
  );
  await noteAttempt(client, { id: invoice.id, nextAttemptAt: null });
  return { id, invoiceId: invoice.id, at };
}

export async function tellBeginning(
  client: Transaction,
  { id, invoiceId, at, isPaid }: Begun & { isPaid: boolean },
): Promise<void> {
  await tellSubscription(client, { id, what: 'created', at });
  if (isPaid) await markPaid(client, { id: invoiceId, at });
}

/**
 * Settles days later: what was on its way has come, or it never will, which only a first payment
 * does.
 */
export async function settleLateInvoice(
  client: Transaction,
  { id, invoiceId, at, isPaid }: Begun & { isPaid: boolean },
): Promise<void> {
  if (isPaid) return settleInvoice(client, { id, invoiceId, at });
  await tellInvoice(client, { id: invoiceId, what: 'payment_failed', at });
  await endSubscription(client, { id, at });
}

// Every kind of alert goes with its cause.
import test from 'ava';
import { raiseAlert } from '../../../../domain/alerts/alert.repository.ts';
import type { AlertKind } from '../../../../domain/alerts/alert-kind.ts';
import { newUuid } from '../../../../domain/shared/ids.ts';
import { withdrawOverAlerts } from '../../../../domain/billing/processor-inbox/withdraw-ended-alerts.query.ts';
import { checkLedger } from '../../../../domain/billing/ledger/ledger-check.query.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { createSales } from '../../../support/purchases/sales.ts';
import { addProduct } from '../../../support/catalog/scene.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query } = testDatabase;
const sales = createSales({ testDatabase, database });
test.after.always(close);

const raise = (kind: AlertKind, subject: string, detail = {}) =>
  database.transaction((em) => raiseAlert(em, { kind, subject, detail }));

async function isOpen(kind: AlertKind, subject: string): Promise<boolean> {
  await database.transaction((em) => withdrawOverAlerts(em));
  const sql = 'select 1 from alert where kind = $1 and subject = $2 and resolved_at is null';
  return (await query(sql, [kind, subject])).length > 0;
}

test('a dead-lettered event needs nobody once none of its type waits', async (t) => {
  await query(
    `insert into processor_event (processor, id, type, dead_letter_reason)
     values ('simulator', 'evt_over', 'payout.paid', 'unknown_type')`,
  );
  await raise('event_dead_lettered', 'payout.paid');
  t.true(await isOpen('event_dead_lettered', 'payout.paid'));
  await query(`update processor_event set handled_at = now() where id = 'evt_over'`);
  t.false(await isOpen('event_dead_lettered', 'payout.paid'));
});

test('a dead-lettered message needs nobody once it was sent again', async (t) => {
  const [row] = await query<{ id: string }>(
    `insert into outbox (workflow_type, workflow_id, input, priority, message, dead_lettered_at, refusals)
     values ('sendMail', 'mail:over', '{}', 4, '{}', now(), 10) returning id::text as id`,
  );
  await raise('message_dead_lettered', row!.id);
  t.true(await isOpen('message_dead_lettered', row!.id));
  await query('update outbox set dead_lettered_at = null where id = $1', [row!.id]);
  t.false(await isOpen('message_dead_lettered', row!.id));
});

test('a membership that is not served needs nobody once the other one has ended', async (t) => {
  const { personId } = await addProduct(testDatabase);
  const [unserved, running] = [newUuid(), newUuid()];
  await query(
    `insert into membership (id, person_id, status, ended_at, ends_at)
     values ($1, $2, 'ended', now(), now() + interval '20 days')`,
    [unserved, personId],
  );
  await query(`insert into membership (id, person_id, status) values ($1, $2, 'active')`, [
    running,
    personId,
  ]);
  await raise('member_unserved', unserved);
  t.true(await isOpen('member_unserved', unserved));
  await query(
    `update membership set status = 'ended', ended_at = now(), ends_at = now() where id = $1`,
    [running],
  );
  t.false(await isOpen('member_unserved', unserved));
});

test('a refund that failed needs nobody once another one has sent as much', async (t) => {
  const sale = await sales.paidSale();
  await sales.tell(sale, [{ processorId: 're_over', amountMinor: 500 }]);
  await sales.tell(sale, [{ processorId: 're_over', amountMinor: 500, status: 'failed' }]);
  const { id } = await sales.rowOf('refund', 'processor_id', 're_over');
  t.true(await isOpen('refund_failed', String(id)));
  await sales.tell(sale, [{ amountMinor: 400 }]);
  t.true(await isOpen('refund_failed', String(id)));
  await sales.tell(sale, [{ amountMinor: 100 }]);
  t.false(await isOpen('refund_failed', String(id)));
});

test('money of another amount needs nobody once all of it is back', async (t) => {
  const sale = await sales.newSale();
  await sales.settle(sale, { amountMinor: 1_800 });
  t.true(await isOpen('amount_differs', sale.purchaseId));
  const { refundId } = (await sales.fenceFor(sale)).intents[0]!;
  await sales.tell(sale, [{ amountMinor: 1_800, refundId }]);
  t.false(await isOpen('amount_differs', sale.purchaseId));
  await raise('amount_differs', sale.purchaseId, { dispute: 'du_1' });
  t.true(await isOpen('amount_differs', sale.purchaseId), 'a human compares what the bank says');
});

test('money that was lost needs nobody once the dispute is won', async (t) => {
  const sale = await sales.paidSale();
  const payment = String((await sales.paymentOf(sale))['id']);
  await sales.tell(sale, [{ amountMinor: 1_900 }]);
  await sales.dispute(sale, { status: 'lost' });
  t.true(await isOpen('money_lost', payment));
  await sales.dispute(sale, { status: 'won' });
  t.false(await isOpen('money_lost', payment));
});

test('a currency that sums to zero again needs nobody', async (t) => {
  await raise('ledger_unbalanced', 'CHF');
  t.true(await isOpen('ledger_unbalanced', 'CHF'));
  await database.transaction(checkLedger);
  t.false(await isOpen('ledger_unbalanced', 'CHF'));
});

test('a refused cancellation needs nobody once the membership has ended', async (t) => {
  const { personId } = await addProduct(testDatabase);
  const id = newUuid();
  await query(`insert into membership (id, person_id, status) values ($1, $2, 'active')`, [
    id,
    personId,
  ]);
  await raise('change_refused', id, { change: 'cancel' });
  t.true(await isOpen('change_refused', id));
  await query(
    `update membership set status = 'ended', ended_at = now(), ends_at = now() where id = $1`,
    [id],
  );
  t.false(await isOpen('change_refused', id));
});

test('a refused resumption needs nobody once the membership goes on', async (t) => {
  const { personId } = await addProduct(testDatabase);
  const id = newUuid();
  await query(
    `insert into membership (id, person_id, status, cancel_at)
     values ($1, $2, 'canceling', now() + interval '5 days')`,
    [id, personId],
  );
  await raise('change_refused', id, { change: 'resume' });
  t.true(await isOpen('change_refused', id));
  await query(`update membership set status = 'active', cancel_at = null where id = $1`, [id]);
  t.false(await isOpen('change_refused', id));
});

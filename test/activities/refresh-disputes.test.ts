import test from 'ava';
import { refreshDisputes } from '../../activities/billing/refresh-disputes.ts';
import { createLogger } from '../../platform/log.ts';
import { newUuid } from '../../domain/shared/ids.ts';
import { recordProcessorEvent } from '../../domain/billing/processor-inbox/inbox.repository.ts';
import { openTestDatabase } from '../support/engines/database.ts';
import { stubProcessor } from '../support/purchases/stub-processor.ts';
import { createSubscriptions } from '../support/subscriptions/subscriptions.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { subscribe, hear, takeFor, payments } = createSubscriptions({ testDatabase, database });

let unreadable: string | undefined;
let disputed: string | undefined;
const stub = await stubProcessor(({ query }) => {
  const intent = query.get('payment_intent') ?? '';
  if (intent === unreadable) return { status: 500, body: { error: { type: 'api_error' } } };
  const dispute = {
    id: `du_${intent}`,
    object: 'dispute',
    amount: 1_900,
    currency: 'usd',
    status: 'lost',
    reason: 'fraudulent',
    dueAt: null,
    payment_intent: intent,
    balance_transactions: [],
  };
  const data = intent === disputed ? [dispute] : [];
  return { status: 200, body: { object: 'list', data, has_more: false, url: '/v1/disputes' } };
});
test.after.always(async () => {
  await stub.close();
  await close();
});

const logger = createLogger({ name: 'test', format: 'json', level: 'silent' });

test('a dispute of a renewal is followed, though the reading broke off after the first payment', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -31, renewals: 1 });
  const { purchaseId } = subscribed;
  disputed = (await payments(subscribed)).at(-1)!.processorId;
  const processor = { ...stub.processor, kind: 'simulator' as const };
  const about = { purchaseId, type: 'charge.dispute.closed', body: {} };
  const event = { processor: 'simulator', id: `evt_${newUuid()}`, ...about };
  await database.transaction((em) => recordProcessorEvent(em, event));
  const settle = async () => {
    const fence = await takeFor(subscribed);
    return refreshDisputes({ database, processor, logger }, { purchaseId, fence });
  };
  const sql = 'select handled_at is not null as handled from processor_event where id = $1';
  const isHandled = async () =>
    (await testDatabase.query<{ handled: boolean }>(sql, [event.id]))[0];
  unreadable = disputed;
  await t.throwsAsync(settle());
  t.deepEqual(await isHandled(), { handled: false });
  unreadable = undefined;
  t.false(await settle());
  t.deepEqual(await isHandled(), { handled: true });
  t.is((await payments(subscribed)).at(-1)!.status, 'refunded');
});

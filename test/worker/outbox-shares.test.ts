import test from 'ava';
import { deliveryActor } from '../../domain/outbox/actors.ts';
import { claimUnsent, FIRST_SHARE, markSent } from '../../domain/outbox/outbox.query.ts';
import { sendToActor } from '../../domain/outbox/outbox.repository.ts';
import { openTestDatabase } from '../support/engines/database.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const workflowType = 'webhookDelivery';
const queue = (share: string, count: number) =>
  database.transaction(async (em) => {
    for (let n = 0; n < count; n += 1) {
      await sendToActor(em, { ...deliveryActor(`evt_${share}_${n}`), share }, {});
    }
  });

test('a thousand messages of one endpoint do not delay those of another', async (t) => {
  await testDatabase.query(
    `insert into outbox (workflow_type, workflow_id, share, message)
     select $1, 'delivery:dead' || n, 'dead', '{}' from generate_series(1, 1000) n`,
    [workflowType],
  );
  await queue('other', 3);
  await queue('third', 1);
  const lane = { workflowType, afterShare: FIRST_SHARE, limit: 20 };
  const { messages, lastShare } = await claimUnsent(database.pool, lane);
  t.is(messages.length, 20);
  t.is(messages.filter(({ workflowId }) => /_other_/.test(workflowId)).length, 3);
  t.is(messages.filter(({ workflowId }) => /_third_/.test(workflowId)).length, 1);
  t.is(lastShare, 'third');
  await markSent(
    database.pool,
    messages.map(({ id }) => id),
  );
  const next = await claimUnsent(database.pool, { ...lane, afterShare: lastShare });
  t.deepEqual(next.messages, []);
  t.is((await claimUnsent(database.pool, lane)).messages.length, 20);
});

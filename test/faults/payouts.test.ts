import test from 'ava';
import { ENTITIES } from '../../domain/entities.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { DATABASE_TIMEOUT_MS } from '../support/engines/database.ts';
import { startPlatform } from '../support/engines/platform.ts';
import { eventually } from '../support/eventually.ts';
import {
  addApprovedPeriod,
  addPoolOwner,
  createPoolViews,
  payoutIdOf,
  readPoolLedger,
  settle,
} from '../support/pool/payouts.ts';

const platform = await startPlatform();
const { query, url } = platform.database;
const database = await openDatabase({
  url,
  listenUrl: url,
  name: 'test',
  entities: ENTITIES,
  timeoutMs: DATABASE_TIMEOUT_MS,
});
test.after.always(async () => {
  await database.close();
  await platform.stop();
});

const transfersOf = (payoutId: string) =>
  query<{ id: string }>('select id from simulator.transfer where transfer_group = $1', [payoutId]);

/** A payout whose transfer the processor makes at once and answers late. */
async function payLate(month: string) {
  const account = await openReadyAccount(platform.processor, 'creator@example.com');
  const owner = await addPoolOwner(platform.database, { account });
  const periodId = await addApprovedPeriod(platform.database, { month }, [
    { to: owner, amountMinor: 5_000 },
  ]);
  await query(`update simulator.transfer_knob set fate = 'delay', transfers_left = 1, seconds = 3`);
  await settle(database, periodId);
  const payoutId = payoutIdOf(periodId, owner);
  await eventually(
    () => transfersOf(payoutId),
    (found) => found.length > 0,
  );
  return { owner, payoutId };
}

const FAULTS = {
  async 'the worker is killed'() {
    await platform.worker.kill('SIGKILL');
    await platform.worker.start();
  },
  async 'the worker is killed and the idempotency key has ended'() {
    await platform.worker.kill('SIGKILL');
    await query('delete from simulator.idempotency');
    await platform.worker.start();
  },
};

for (const [index, [fault, happen]] of Object.entries(FAULTS).entries()) {
  test.serial(`${fault} between the transfer and its record: it is paid once`, async (t) => {
    const { owner, payoutId } = await payLate(`2024-0${9 - index}`);
    await happen();
    const { payoutsOf, linesOf } = createPoolViews(platform.database);
    await eventually(
      () => payoutsOf(owner),
      ([payout]) => payout!.status === 'paid',
    );
    t.is((await transfersOf(payoutId)).length, 1);
    t.is((await linesOf(owner))[0]![1], 'paid');
    t.deepEqual(await readPoolLedger(platform.database, owner), { owedMinor: 0, sumMinor: 0 });
    const [row] = await query<{ attempts: number }>(
      'select attempts from pool_payout where id = $1',
      [payoutId],
    );
    t.true(row!.attempts > 1, 'the transfer was asked for, not made again');
  });
}

import test from 'ava';
import { poolPayoutActor } from '../../domain/outbox/actors.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { openAppDatabase } from '../support/engines/database.ts';
import { startPlatform } from '../support/engines/platform.ts';
import { connectTemporal } from '../support/engines/temporal.ts';
import { eventually } from '../support/eventually.ts';
import { addDuePayout, createPoolViews, readPoolLedger } from '../support/pool/payouts.ts';

const platform = await startPlatform();
const { query, url } = platform.database;
const database = await openAppDatabase(url);
const temporal = await connectTemporal();
test.after.always(async () => {
  await temporal.connection.close();
  await database.close();
  await platform.stop();
});

const { linesOf, periodOf, transfersOf } = createPoolViews(platform.database);

/** A payout whose transfer the processor makes at once and answers late. */
async function payLate(month: string) {
  const account = await openReadyAccount(platform.processor, 'creator@example.com');
  await query(`update simulator.transfer_knob set fate = 'delay', transfers_left = 1, seconds = 3`);
  const parts = { testDatabase: platform.database, database };
  const due = await addDuePayout(parts, { amountMinor: 5_000, account, month });
  await eventually(
    () => transfersOf(due.payoutId),
    (found) => found.length > 0,
  );
  return due;
}

/** The transfer is made, and nobody has recorded it. Returns the fewest attempts that pay it. */
const FAULTS: Record<string, (payoutId: string) => Promise<number>> = {
  async 'the worker is killed'() {
    await platform.worker.kill('SIGKILL');
    await platform.worker.start();
    return 2;
  },
  async 'the worker is killed and the idempotency key has ended'() {
    await platform.worker.kill('SIGKILL');
    await query('delete from simulator.idempotency');
    await platform.worker.start();
    return 2;
  },
  async 'PostgreSQL goes away'(payoutId) {
    platform.databaseProxy.cut();
    await eventually(
      () => triesOf(payoutId),
      (tries) => tries > 1,
    );
    platform.databaseProxy.restore();
    return 2;
  },
  async 'Temporal goes away'(payoutId) {
    platform.temporalProxy.cut();
    await eventually(
      () => attemptsOf(payoutId),
      ({ status }) => status === 'paid',
    );
    platform.temporalProxy.restore();
    return 1;
  },
};

/** How often Temporal has begun what the workflow waits for. */
async function triesOf(payoutId: string): Promise<number> {
  const { workflowId } = poolPayoutActor(payoutId);
  const { raw } = await temporal.client.workflow.getHandle(workflowId).describe();
  return raw.pendingActivities?.[0]?.attempt ?? 0;
}

async function attemptsOf(payoutId: string) {
  const [row] = await query<{ status: string; attempts: number }>(
    'select status, attempts from pool_payout where id = $1',
    [payoutId],
  );
  return row!;
}

for (const [index, [fault, happen]] of Object.entries(FAULTS).entries()) {
  test.serial(`${fault} between the transfer and its record: it is paid once`, async (t) => {
    const { owner, payoutId, periodId } = await payLate(`2024-0${9 - index}`);
    const least = await happen(payoutId);
    await eventually(
      () => periodOf(periodId),
      ({ status }) => status === 'paid',
    );
    t.is((await transfersOf(payoutId)).length, 1);
    t.is((await linesOf(owner))[0]![1], 'paid');
    t.deepEqual(await readPoolLedger(platform.database, owner), { owedMinor: 0, sumMinor: 0 });
    const { status, attempts } = await attemptsOf(payoutId);
    t.is(status, 'paid');
    t.true(attempts >= least, 'the transfer was asked for, not made again');
  });
}

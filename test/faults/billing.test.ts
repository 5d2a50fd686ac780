import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { poolPayoutWorkflow } from '../../domain/outbox/workflow-targets.ts';
import { openReadyAccount } from '../../packages/simulator/onboard.ts';
import { openAppDatabase } from '../support/engines/database.ts';
import { connectTemporal } from '../support/engines/temporal.ts';
import { eventually } from '../support/eventually.ts';
import { addDuePayout, createPoolViews, readPoolLedger } from '../support/pool/payouts.ts';
import { checkAccess, goToCheckout, purchaseIdOf } from '../support/purchases/buyer.ts';
import { CARDS } from '../support/purchases/simulator.ts';
import {
  passMonth,
  startRenewing,
  untilRenewed,
  type Renewing,
} from '../support/subscriptions/renewing.ts';
import { startPlatformWithReceiver, waitForOrder } from '../support/webhooks/order.ts';

// One platform is taken apart by one test after another: clearing, payouts, renewals.
const { platform, receiver, close } = await startPlatformWithReceiver();
const { api, worker, demo, databaseProxy, temporalProxy } = platform;
const { query, url } = platform.database;
const database = openAppDatabase(url);
const temporal = await connectTemporal();
test.after.always(async () => {
  await temporal.connection.close();
  await database.close();
  await close();
});

const path = '/buy/paper-trail';

// Longer than a lookup takes to notice, shorter than anybody waits.
const AWAY_MS = 2_000;

/** At some moment after the payment, whichever it is. */
const WHILE_CLEARING = {
  API: async () => {
    await api.kill('SIGKILL');
    await pause(AWAY_MS);
    await api.start();
  },
  PostgreSQL: async () => {
    databaseProxy.cut();
    await pause(AWAY_MS);
    databaseProxy.restore();
  },
} as const;

const MOMENTS = { API: ['bob', 'nil'], PostgreSQL: ['mia', 'olga'] } as const;

for (const name of ['API', 'PostgreSQL'] as const) {
  test.serial(
    `${name} taken away at some moment of clearing: the same end, each event once`,
    async (t) => {
      for (const [index, handle] of MOMENTS[name].entries()) {
        const { person, pay } = await goToCheckout(demo, { handle, path });
        const purchaseId = purchaseIdOf(await pay(CARDS.succeeds));
        await pause(index * 60);
        await WHILE_CLEARING[name]();
        const sought = { purchaseId, personId: person.id };
        const { events, grants } = await waitForOrder({ platform, receiver }, sought);
        t.deepEqual(events, ['entitlement.created', 'purchase.completed'], handle);
        t.deepEqual(grants, [{ source: purchaseId }], handle);
      }
    },
  );
}

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

// Each task queue makes a start of the worker dearer: a month lies in that of upkeep.
const PAYING = { WORKER_ROLES: 'dispatch,money,upkeep' };

/** The transfer is made, and nobody has recorded it. Returns the fewest attempts that pay it. */
const BEFORE_THE_RECORD: Record<string, (payoutId: string) => Promise<number>> = {
  async 'the worker is killed'() {
    await worker.kill('SIGKILL');
    await worker.start(PAYING);
    return 2;
  },
  async 'the worker is killed and the idempotency key has ended'() {
    await worker.kill('SIGKILL');
    await query('delete from simulator.idempotency');
    await worker.start(PAYING);
    return 2;
  },
  async 'PostgreSQL goes away'(payoutId) {
    databaseProxy.cut();
    await eventually(
      () => triesOf(payoutId),
      (tries) => tries > 1,
    );
    databaseProxy.restore();
    return 2;
  },
  async 'Temporal goes away'(payoutId) {
    temporalProxy.cut();
    await eventually(
      () => attemptsOf(payoutId),
      ({ status }) => status === 'paid',
    );
    temporalProxy.restore();
    return 1;
  },
};

/** How often Temporal has begun what the workflow waits for. */
async function triesOf(payoutId: string): Promise<number> {
  const { workflowId } = poolPayoutWorkflow(payoutId);
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

for (const [index, [fault, happen]] of Object.entries(BEFORE_THE_RECORD).entries()) {
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

// Upkeep removes what is 90 days old, and the months that pass here are counted.
const WITHOUT_UPKEEP = { WORKER_ROLES: 'dispatch,money,access' };
let renewing: Renewing[];

const told = (renewals: number) => [
  'entitlement.created',
  ...Array.from({ length: renewals }, () => 'entitlement.renewed'),
];

test.serial(
  'worker killed between a renewal and its event: access stays, and after its restart it is told once',
  async (t) => {
    renewing = await startRenewing(platform);
    await worker.kill('SIGKILL');
    await passMonth(platform, { renewing, times: 1 });
    t.deepEqual(await query(`select 1 from event where name = 'entitlement.renewed'`), []);
    for (const each of renewing) t.like(await checkAccess(demo, each), { active: true });
    await worker.start(WITHOUT_UPKEEP);
    for (const each of renewing) {
      const { names, payments } = await untilRenewed(platform, { renewing: each, times: 1 });
      t.deepEqual(names, told(1), each.slug);
      t.is(payments, 2);
      t.like(await checkAccess(demo, each), { active: true });
    }
  },
);

test.serial(
  'worker killed at some moment of a renewal: the same end, whatever the moment',
  async (t) => {
    for (const [index, delayMs] of [0, 30, 90].entries()) {
      const times = 2 + index;
      await passMonth(platform, { renewing, times });
      await pause(delayMs);
      await worker.kill('SIGKILL');
      await worker.start(WITHOUT_UPKEEP);
      for (const each of renewing) {
        const { names, payments } = await untilRenewed(platform, { renewing: each, times });
        t.deepEqual(names, told(times), `${each.slug} after ${delayMs} ms`);
        t.is(payments, times + 1);
      }
    }
  },
);

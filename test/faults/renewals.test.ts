import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import { checkAccess } from '../support/purchases/buyer.ts';
import { startPlatform } from '../support/engines/platform.ts';
import {
  passMonth,
  startRenewing,
  untilRenewed,
  type Renewing,
} from '../support/subscriptions/renewing.ts';

const platform = await startPlatform();
test.after.always(() => platform.stop());
const { worker, demo, database } = platform;
let renewing: Renewing[];
test.before(async () => {
  renewing = await startRenewing(platform);
});

const told = (renewals: number) => [
  'entitlement.created',
  ...Array.from({ length: renewals }, () => 'entitlement.renewed'),
];

test.serial(
  'worker killed between a renewal and its event: access stays, and after its restart it is told once',
  async (t) => {
    await worker.kill('SIGKILL');
    await passMonth(platform, { renewing, times: 1 });
    const renewed = `select 1 from event where name = 'entitlement.renewed'`;
    t.deepEqual(await database.query(renewed), []);
    for (const each of renewing) t.like(await checkAccess(demo, each), { active: true });
    await worker.start();
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
      await worker.start();
      for (const each of renewing) {
        const { names, payments } = await untilRenewed(platform, { renewing: each, times });
        t.deepEqual(names, told(times), `${each.slug} after ${delayMs} ms`);
        t.is(payments, times + 1);
      }
    }
  },
);

import test from 'ava';
import { readAccess } from '../../../../domain/entitlements/access.query.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import {
  createSubscriptions,
  DAY_MS,
  type Subscribed,
} from '../../../support/subscriptions/subscriptions.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const stories = createSubscriptions({ testDatabase, database });
const { subscribe, hear, statusOf, refundsOf, eventNames } = stories;

const accessOf = ({ productId, personId }: Subscribed) =>
  readAccess(database.pool, { productId, personId });

const BEGUN = ['purchase.completed', 'entitlement.created'];

test('the end of grace and a renewal in the same second: one of both, told once', async (t) => {
  for (let round = 0; round < 4; round += 1) {
    const subscribed = await subscribe();
    await hear(subscribed, { begun: -37, retryIn: 1 });
    const [before, after] = [
      await stories.fenceFor(subscribed),
      await stories.fenceFor(subscribed),
    ];
    await Promise.all([
      hear(subscribed, { begun: -37, retryIn: null }, before),
      hear(subscribed, { begun: -37, renewals: 1 }, after),
    ]);
    const { isActive } = await accessOf(subscribed);
    const told = isActive ? 'entitlement.renewed' : 'entitlement.expired';
    t.deepEqual(await eventNames(subscribed), [...BEGUN, told]);
    t.is((await refundsOf(subscribed)).length, isActive ? 0 : 1, 'an order, or it goes back');
  }
});

test('a renewal that beats the cancellation is paid for: it ends a period later', async (t) => {
  const subscribed = await subscribe();
  await hear(subscribed, { begun: -29, isCancelAtPeriodEnd: true });
  const first = await accessOf(subscribed);
  await hear(subscribed, { begun: -29, renewals: 1, isCancelAtPeriodEnd: true });
  t.is(await statusOf(subscribed), 'canceling');
  const { isActive, endsAt } = await accessOf(subscribed);
  t.true(isActive);
  t.is(endsAt!.getTime() - first.endsAt!.getTime(), 30 * DAY_MS);
  t.deepEqual(await refundsOf(subscribed), []);
  t.deepEqual(await eventNames(subscribed), [
    ...BEGUN,
    'entitlement.canceled',
    'entitlement.renewed',
    'entitlement.canceled',
  ]);
});

// Money that had ended a membership is here again: what it paid for is served, and no longer.
import test from 'ava';
import { countActivations } from '../../../../domain/entitlements/memberships/membership.repository.ts';
import { closeActivationsOfExcluded } from '../../../../domain/entitlements/memberships/activated-products.repository.ts';
import { checkLedger } from '../../../../domain/billing/ledger/ledger-check.query.ts';
import { closeMembershipsOf } from '../../../../domain/billing/memberships/membership-billing.repository.ts';
import { readMembershipState } from '../../../../domain/billing/memberships/membership-view.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { createMemberMoney } from '../../../support/subscriptions/member-money.ts';
import {
  createMemberships,
  MEMBER_PRICE_MINOR,
  type Member,
} from '../../../support/subscriptions/memberships.ts';
import { DAY_MS } from '../../../support/subscriptions/subscriptions.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const stories = createMemberships({ testDatabase, database });
const {
  subscribe,
  hear,
  open,
  told,
  rowOf,
  included,
  namesOf,
  accessOf,
  isOpen,
  alertsOf,
  openedBy,
} = stories;
const { dispute, refund } = createMemberMoney(stories);

const paidUntil = async (member: Member) => (await rowOf(member))['period_end'] as Date;
const stateOf = ({ membershipId }: Member) => readMembershipState(database.em(), membershipId);
const leave = ({ personId }: Member) =>
  database.transaction((em) => closeMembershipsOf(em, personId));
const include = (productId: string, is: boolean) =>
  testDatabase.query('update product set included_with_member = $2 where id = $1', [productId, is]);
async function closeExcluded(): Promise<void> {
  while ((await database.transaction(closeActivationsOfExcluded)) > 0);
}

const CREATED = 'entitlement.created';
const CANCELED = 'entitlement.canceled';
const EXPIRED = 'entitlement.expired';
const REFUNDED = 'entitlement.refunded';
const OVER = { endedAt: 0 };

test.afterEach('every currency of the ledger sums to zero', async (t) => {
  t.deepEqual(await checkLedger(database.em()), {});
});

test('a lost dispute of Member that is won on appeal: open until the end of what was paid for', async (t) => {
  const [other, member] = [await included(), await subscribe()];
  const productId = await openedBy(member);
  await dispute(member, 'lost');
  t.like(await rowOf(member), { status: 'ended', is_closing: true });
  t.false(await isOpen(member, productId));
  for (let round = 0; round < 2; round += 1) await dispute(member, 'won', OVER);
  const endsAt = await paidUntil(member);
  for (const each of [productId, other]) {
    const access = { isActive: true, type: 'member', source: 'member', endsAt } as const;
    t.deepEqual(await accessOf(member, each), access);
  }
  t.like(await rowOf(member), { status: 'ended', is_closing: false });
  const events = await told(productId);
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
  t.like(events[2]!.data, { active: true, type: 'member', ends_at: endsAt.toISOString() });
  t.deepEqual(await namesOf(other), []);
  t.deepEqual(await stories.ledgerOf(member), {
    buyer: -MEMBER_PRICE_MINOR,
    platform: MEMBER_PRICE_MINOR,
  });
  t.deepEqual(await alertsOf(member), []);
});

test('a refund that ended Member and fails days later opens it again; another one ends it again', async (t) => {
  const member = await subscribe();
  const productId = await openedBy(member);
  for (const name of ['first', 'second']) {
    await refund(member, 'succeeded', { name, ...OVER });
    t.false(await isOpen(member, productId));
    t.is(await database.transaction((em) => countActivations(em, productId)), 0);
    t.false((await stateOf(member)).isOpen);
    await refund(member, 'failed', { name, ...OVER });
    t.true(await isOpen(member, productId));
    t.is(await database.transaction((em) => countActivations(em, productId)), 1);
  }
  await dispute(member, 'lost', OVER);
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED, REFUNDED, CREATED, REFUNDED]);
  t.deepEqual(await stories.ledgerOf(member), { buyer: 0, platform: 0 });
});

test('beside one that lasts longer and was opened elsewhere: what was opened hears of that one from then on', async (t) => {
  const before = await subscribe();
  const productId = await openedBy(before);
  await refund(before, 'succeeded', OVER);
  const running = await subscribe(before.personId);
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED]);
  await refund(before, 'failed', OVER);
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
  await hear(running, { isCancelAtPeriodEnd: true });
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED, CANCELED]);
});

test('one that is subscribed to while the rest of another is served is opened by itself', async (t) => {
  const before = await subscribe();
  const productId = await openedBy(before);
  await refund(before, 'succeeded', OVER);
  await refund(before, 'failed', OVER);
  const running = await subscribe(before.personId);
  t.true(await open(running, productId));
  t.false(await open(running, productId));
  await hear(running, { isCancelAtPeriodEnd: true });
  t.is((await namesOf(productId)).at(-1), CANCELED);
});

test('nothing is renewed of it: what is charged all the same goes back, and nobody resumes it', async (t) => {
  const member = await subscribe();
  const productId = await openedBy(member);
  await refund(member, 'succeeded');
  await refund(member, 'failed');
  const endsAt = await paidUntil(member);
  t.is(await stories.requestChange(member, 'resume'), 'unchanged');
  t.is(await stories.requestChange(member, 'cancel'), 'unchanged');
  await hear(member, { renewals: 1 });
  const back = { amount: MEMBER_PRICE_MINOR, status: 'requested' };
  t.deepEqual((await stories.refundsOf(member)).slice(1), [back]);
  t.deepEqual((await accessOf(member, productId)).endsAt, endsAt);
});

test('one that was cancelled, refunded and paid for after all ends when it was to end', async (t) => {
  const member = await subscribe();
  const productId = await openedBy(member);
  await hear(member, { isCancelAtPeriodEnd: true });
  const { endsAt } = await accessOf(member, productId);
  await refund(member, 'succeeded', { isCancelAtPeriodEnd: true });
  await refund(member, 'failed', OVER);
  t.deepEqual((await accessOf(member, productId)).endsAt, endsAt);
  t.deepEqual(await namesOf(productId), [CREATED, CANCELED, REFUNDED, CREATED]);
});

test('only what the money has ended comes again with it', async (t) => {
  const [cutShort, lapsed] = [await subscribe(), await subscribe()];
  const products = [await openedBy(cutShort), await openedBy(lapsed)];
  await hear(cutShort, OVER);
  await hear(lapsed, { begun: -38, retryIn: null });
  for (const member of [cutShort, lapsed]) {
    await refund(member, 'succeeded', OVER);
    await refund(member, 'failed', OVER);
    t.deepEqual(await alertsOf(member), []);
  }
  t.deepEqual(await namesOf(products[0]!), [CREATED, CANCELED]);
  t.deepEqual(await namesOf(products[1]!), [CREATED, EXPIRED]);
});

test('what was paid for is over: the money is booked, and nothing is opened or told', async (t) => {
  const member = await stories.intend();
  await hear(member, { begun: -30.5 });
  const productId = await openedBy(member);
  await refund(member, 'succeeded', { begun: -30.5, ...OVER });
  await refund(member, 'failed', { begun: -30.5, ...OVER });
  t.false(await isOpen(member, productId));
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED]);
  t.deepEqual(await alertsOf(member), []);
  t.false((await stateOf(member)).isOpen);
});

test('what is no longer Included stays closed, also when it is Included anew', async (t) => {
  const member = await subscribe();
  const [kept, excluded, anew] = [
    await openedBy(member),
    await openedBy(member),
    await openedBy(member),
  ];
  await refund(member, 'succeeded');
  for (const productId of [excluded, anew]) await include(productId, false);
  await closeExcluded();
  await include(anew, true);
  await refund(member, 'failed', OVER);
  t.deepEqual(await namesOf(kept), [CREATED, REFUNDED, CREATED]);
  t.deepEqual(await namesOf(excluded), [CREATED, REFUNDED]);
  t.deepEqual(await namesOf(anew), [CREATED, REFUNDED]);
  t.true(await open(member, anew));
  t.deepEqual(await namesOf(anew), [CREATED, REFUNDED, CREATED]);
});

test('whoever has left is served nothing, and what is served ends with their account', async (t) => {
  const [gone, leaving] = [await subscribe(), await subscribe()];
  const products = [await openedBy(gone), await openedBy(leaving)];
  await refund(gone, 'succeeded');
  await leave(gone);
  await refund(gone, 'failed', OVER);
  await refund(leaving, 'succeeded');
  await refund(leaving, 'failed', OVER);
  await leave(leaving);
  await hear(leaving, OVER);
  t.deepEqual(await namesOf(products[0]!), [CREATED, REFUNDED]);
  t.deepEqual(await namesOf(products[1]!), [CREATED, REFUNDED, CREATED, CANCELED]);
  for (const [index, member] of [gone, leaving].entries()) {
    t.false(await isOpen(member, products[index]!));
    t.deepEqual(await alertsOf(member), []);
    t.false((await stateOf(member)).isOpen);
  }
});

test.serial('its end is waited for, also by reconciliation, and told once', async (t) => {
  const clocked = await openTestDatabase();
  t.teardown(clocked.close);
  const there = createMemberships(clocked);
  const money = createMemberMoney(there);
  const member = await there.subscribe();
  const productId = await there.included();
  await there.open(member, productId);
  await money.refund(member, 'succeeded', { name: 're' });
  await money.refund(member, 'failed', { name: 're', ...OVER });
  const state = () => readMembershipState(clocked.database.em(), member.membershipId);
  const { isOpen: isWaiting, waitMs, waitsFor } = await state();
  t.true(isWaiting);
  t.is(waitsFor, 'end');
  t.true(Math.abs(waitMs - 29 * DAY_MS) < 5 * 60_000);
  for (const days of [10, 19.1]) {
    await clocked.testDatabase.advance(days * DAY_MS);
    const asked = 'select 1 from membership where ask_again_at <= gatehouse_now()';
    t.is((await clocked.testDatabase.query(asked)).length, 1);
    await there.hear(member, OVER);
  }
  await there.hear(member, OVER);
  t.false((await state()).isOpen);
  const events = await there.told(productId);
  t.deepEqual(
    events.map(({ name }) => name),
    [CREATED, REFUNDED, CREATED, EXPIRED],
  );
  const row = await there.rowOf(member);
  t.deepEqual(row['ended_at'], row['period_end']);
  t.like(events[3]!.data, { active: false, ends_at: (row['period_end'] as Date).toISOString() });
});

test('it is told in bounded batches, each product once and in order', async (t) => {
  const member = await subscribe();
  const products = await stories.includedAndOpened(member, 101);
  await refund(member, 'succeeded');
  const [payment] = await stories.payments(member);
  t.is(payment!.status, 'refunded');
  await refund(member, 'failed', OVER);
  const told = await testDatabase.query<{ names: string[] }>(
    `select array_agg(name order by created_at, id) as names from event
     where product_id = any($1::uuid[]) group by product_id`,
    [products],
  );
  t.is(told.length, products.length);
  for (const { names } of told) t.deepEqual(names, [CREATED, REFUNDED, CREATED]);
  const changes = await testDatabase.query(
    'select reason from membership_change where membership_id = $1 and notified_at is not null order by id',
    [member.membershipId],
  );
  t.deepEqual(changes, [{ reason: 'refunded' }, { reason: 'granted' }]);
});

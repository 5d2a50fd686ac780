import test from 'ava';
import { readAccess } from '../../../../domain/entitlements/access.query.ts';
import { checkLedger } from '../../../../domain/billing/ledger/ledger-check.query.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { createMemberMoney } from '../../../support/subscriptions/member-money.ts';
import {
  createMemberships,
  MEMBER_PRICE_MINOR,
} from '../../../support/subscriptions/memberships.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const stories = createMemberships({ testDatabase, database });
const { subscribe, intend, hear, told, rowOf, included, namesOf, isOpen, openedBy } = stories;
const { dispute, refund } = createMemberMoney(stories);

const CREATED = 'entitlement.created';
const EXPIRED = 'entitlement.expired';
const REFUNDED = 'entitlement.refunded';
const IN_THE_BANK = { buyer: -MEMBER_PRICE_MINOR, platform: MEMBER_PRICE_MINOR };
const NOTHING = { buyer: 0, platform: 0 };

test.afterEach('every currency of the ledger sums to zero', async (t) => {
  t.deepEqual(await checkLedger(database.em()), {});
});

test('while the first payment of Member clears nothing is open, and there is nothing to cancel', async (t) => {
  const [productId, member] = [await included(), await intend()];
  const clears = (charges: { status: string }[]) => (charges[0]!.status = 'clearing');
  await hear(member, { status: 'incomplete', change: clears });
  t.like(await rowOf(member), { status: 'incomplete' });
  t.is(await stories.requestChange(member, 'cancel'), 'unchanged');
  t.false(await isOpen(member, productId));
  await hear(member);
  t.true(await isOpen(member, productId));
  t.like(await stories.ledgerOf(member), IN_THE_BANK);
});

test('money of Member that was on its way and did not come has failed; another try may still come', async (t) => {
  const member = await intend();
  const say = (status: 'clearing' | 'open') => (charges: { status: string }[]) =>
    void (charges.at(-1)!.status = status);
  const statuses = async () => (await stories.payments(member)).map(({ status }) => status);
  await hear(member, { status: 'incomplete', change: say('clearing') });
  t.deepEqual(await statuses(), ['clearing']);
  await hear(member, { status: 'incomplete', change: say('open') });
  t.deepEqual(await statuses(), ['failed']);
  await hear(member);
  await hear(member, { begun: -31, renewals: 1, change: say('clearing') });
  t.deepEqual(await statuses(), ['succeeded', 'clearing']);
  await hear(member, { begun: -31, renewals: 1, change: say('open') });
  t.deepEqual(await statuses(), ['succeeded', 'failed']);
  await hear(member, { begun: -31, renewals: 1 });
  t.deepEqual(await statuses(), ['succeeded', 'succeeded']);
});

test('nobody resumes or cancels a membership that has ended; they may begin another one', async (t) => {
  const member = await intend();
  await hear(member, { begun: -31 });
  const productId = await openedBy(member);
  await hear(member, { begun: -31, isCancelAtPeriodEnd: true, endedAt: -1 });
  t.is(await stories.requestChange(member, 'resume'), 'unchanged');
  t.is(await stories.requestChange(member, 'cancel'), 'unchanged');
  t.deepEqual(await namesOf(productId), [CREATED, EXPIRED]);
  await subscribe(member.personId);
  t.true(await isOpen(member, productId));
});

test('a renewal of Member that beats the cancellation is paid for: it ends a period later', async (t) => {
  const member = await subscribe();
  const productId = await openedBy(member);
  await hear(member, { begun: -29, isCancelAtPeriodEnd: true });
  await hear(member, { begun: -31, renewals: 1, isCancelAtPeriodEnd: true });
  t.like(await rowOf(member), { status: 'canceling' });
  const { endsAt } = await readAccess(database.pool, { personId: member.personId, productId });
  const events = await told(productId);
  t.is(events.at(-1)!.data['ends_at'], endsAt!.toISOString());
  t.is((await stories.payments(member)).length, 2);
  t.deepEqual(await stories.refundsOf(member), []);
});

test('a renewal of Member that comes after its end goes back and opens nothing', async (t) => {
  const member = await subscribe();
  const productId = await openedBy(member);
  await hear(member, { begun: -38, retryIn: null });
  await hear(member, { begun: -38, renewals: 1 });
  await hear(member, { begun: -38, renewals: 1, endedAt: 0 });
  t.like(await rowOf(member), { status: 'ended', is_closing: false });
  t.deepEqual(await stories.refundsOf(member), [
    { amount: MEMBER_PRICE_MINOR, status: 'requested' },
  ]);
  t.deepEqual(await namesOf(productId), [CREATED, EXPIRED]);
  t.false(await isOpen(member, productId));
});

test('the end of grace and a renewal of Member in the same second: one of both, told once', async (t) => {
  for (let round = 0; round < 4; round += 1) {
    const member = await subscribe();
    const productId = await openedBy(member);
    await hear(member, { begun: -37, retryIn: 1 });
    const [before, after] = [await stories.fenceFor(member), await stories.fenceFor(member)];
    await Promise.all([
      hear(member, { begun: -37, retryIn: null }, before),
      hear(member, { begun: -37, renewals: 1 }, after),
    ]);
    const isActive = await isOpen(member, productId);
    const names = await namesOf(productId);
    t.deepEqual(names, [CREATED, isActive ? 'entitlement.renewed' : EXPIRED]);
    const back = await stories.refundsOf(member);
    t.is(back.length, isActive ? 0 : 1, 'an order, or it goes back');
  }
});

test('a dispute of Member takes nothing while it is open; lost, it ends the membership and is told', async (t) => {
  const member = await subscribe();
  const productId = await openedBy(member);
  await dispute(member, 'open');
  t.true(await isOpen(member, productId));
  t.deepEqual(await stories.ledgerOf(member), IN_THE_BANK, 'its fee is borne by the platform');
  await dispute(member, 'lost');
  await dispute(member, 'lost', { endedAt: 0 });
  t.like(await rowOf(member), { status: 'ended' });
  t.false(await isOpen(member, productId));
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED]);
  t.deepEqual(await stories.ledgerOf(member), NOTHING);
});

test('refund and lost dispute of one charge of Member: one end, told once, the ledger keeps both', async (t) => {
  const member = await subscribe();
  const productId = await openedBy(member);
  await refund(member, 'succeeded');
  await dispute(member, 'lost', { endedAt: 0 });
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED]);
  t.deepEqual(await stories.ledgerOf(member), {
    buyer: MEMBER_PRICE_MINOR,
    platform: -MEMBER_PRICE_MINOR,
  });
});

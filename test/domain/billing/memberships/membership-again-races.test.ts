// Money of Member that is here again, beside whatever else happens in the same second.
import test from 'ava';
import { applyMembership } from '../../../../domain/billing/memberships/apply-membership.command.ts';
import { closeMembershipsOf } from '../../../../domain/billing/memberships/membership-billing.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { createMemberMoney } from '../../../support/subscriptions/member-money.ts';
import { createMemberships, type Member } from '../../../support/subscriptions/memberships.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const stories = createMemberships({ testDatabase, database });
const {
  subscribe,
  intend,
  hear,
  open,
  rowOf,
  included,
  fenceFor,
  namesOf,
  accessOf,
  isOpen,
  alertsOf,
} = stories;
const { refund } = createMemberMoney(stories);

const ROUNDS = 5;
const OVER = { endedAt: 0 };
const CREATED = 'entitlement.created';
const REFUNDED = 'entitlement.refunded';

/** Refunded in full, and one product opened before. */
async function refunded(): Promise<{ member: Member; productId: string }> {
  const [productId, member] = [await included(), await subscribe()];
  await open(member, productId);
  await refund(member, 'succeeded');
  return { member, productId };
}

test('a refund that fails late, read by many at once, opens it once', async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { member, productId } = await refunded();
    await Promise.all([1, 2, 3, 4].map(() => refund(member, 'failed', OVER)));
    t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
  }
});

test('an older reading, from before the refund failed, takes nothing back', async (t) => {
  const { member, productId } = await refunded();
  const older = await fenceFor(member);
  await refund(member, 'failed', OVER);
  await hear(member, OVER, older);
  t.true(await isOpen(member, productId));
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
});

test('beside a new membership that begins: both count, the person is never out, and it is told once', async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { member, productId } = await refunded();
    const another = await intend(member.personId);
    await Promise.all([refund(member, 'failed', OVER), hear(another)]);
    t.like(await rowOf(another), { status: 'active' });
    t.deepEqual(await stories.refundsOf(another), []);
    t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
    await refund(another, 'succeeded');
    t.true(await isOpen(member, productId));
    t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
  }
});

test('beside another membership that runs: operators are told, and it is served when that has ended', async (t) => {
  const { member: before, productId } = await refunded();
  const running = await subscribe(before.personId);
  await refund(before, 'failed', OVER);
  t.deepEqual(await alertsOf(before), [{ kind: 'member_unserved', times: 1 }]);
  t.deepEqual(await alertsOf(running), []);
  t.deepEqual((await accessOf(running, productId)).endsAt, null);
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
  t.like(await rowOf(running), { status: 'active' });
  await refund(running, 'succeeded');
  t.deepEqual((await accessOf(before, productId)).endsAt, (await rowOf(before))['period_end']);
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
});

test('who subscribes anew while it is served is kept in when it ends', async (t) => {
  const { member: before, productId } = await refunded();
  await refund(before, 'failed', OVER);
  const running = await subscribe(before.personId);
  t.like(await rowOf(running), { status: 'active' });
  t.deepEqual(await stories.refundsOf(running), []);
  const over = `update membership set ended_at = gatehouse_now() - interval '1 hour',
    ends_at = gatehouse_now() where id = $1`;
  await testDatabase.query(over, [before.membershipId]);
  await hear(before, OVER);
  t.deepEqual((await accessOf(running, productId)).endsAt, null);
  await hear(running, OVER);
  t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED, 'entitlement.canceled']);
});

test('beside a product that is being opened: each hears of it once', async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { member, productId } = await refunded();
    const another = await included();
    const opening = () => Promise.all([open(member, another), open(member, productId)]);
    await Promise.all([refund(member, 'failed', OVER), opening(), opening()]);
    await open(member, another);
    t.deepEqual(await namesOf(productId), [CREATED, REFUNDED, CREATED]);
    t.deepEqual(await namesOf(another), [CREATED]);
    await refund(member, 'succeeded', { name: 'again', ...OVER });
    t.deepEqual(await namesOf(another), [CREATED, REFUNDED]);
  }
});

test('beside an account that is deleted: nothing of it stays open', async (t) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { member, productId } = await refunded();
    const beside = round % 2 === 0 ? [] : [await subscribe(member.personId)];
    const leave = database.transaction((em) => closeMembershipsOf(em, member.personId));
    await Promise.all([refund(member, 'failed', OVER), leave]);
    for (const each of [...beside, member]) await hear(each, OVER);
    t.false(await isOpen(member, productId));
    const names = await namesOf(productId);
    t.deepEqual(names.slice(0, 2), [CREATED, REFUNDED]);
    const after = names.slice(2).join();
    t.true(['', `${CREATED},entitlement.canceled`].includes(after), after);
  }
});

test('killed before its products were told: they hear what is, each change once', async (t) => {
  const [productId, member] = [await included(), await subscribe()];
  await open(member, productId);
  const [payment] = await stories.payments(member);
  const apply = async (status: 'succeeded' | 'failed') => {
    const fact = { processorId: `re_${member.membershipId}`, refundId: null, failure: null };
    const money = { paymentId: payment!.id, amountMinor: 999, status };
    const returns = { refunds: [{ ...fact, ...money }], disputes: [] };
    const reading = {
      processorId: member.processorId,
      status: 'ended' as const,
      periodEnd: member.anchor,
      isCancelAtPeriodEnd: false,
      endedAt: member.anchor,
      charges: [],
    };
    const settled = { fence: await fenceFor(member), reading, returns, processor: 'simulator' };
    await database.transaction((em) => applyMembership(em, settled));
  };
  await apply('succeeded');
  await apply('failed');
  await stories.tellAll(member);
  t.deepEqual(await namesOf(productId), [CREATED]);
  t.true(await isOpen(member, productId));
});

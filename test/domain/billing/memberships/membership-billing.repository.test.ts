import test from 'ava';
import {
  addGrant,
  lockAccess,
  storeAccess,
} from '../../../../domain/entitlements/entitlement.repository.ts';
import { closeActivationsOfExcluded } from '../../../../domain/entitlements/memberships/activated-products.repository.ts';
import {
  closeMembershipsOf,
  replaceMembership,
} from '../../../../domain/billing/memberships/membership-billing.repository.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import {
  createMemberships,
  MEMBER_PRICE_MINOR,
  type Member,
} from '../../../support/subscriptions/memberships.ts';
import { DAY_MS } from '../../../support/subscriptions/subscriptions.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);

const stories = createMemberships({ testDatabase, database });
const { subscribe, intend, hear, open, told, rowOf, included, namesOf, accessOf } = stories;

const CREATED = 'entitlement.created';
const CANCELED = 'entitlement.canceled';
const EXPIRED = 'entitlement.expired';

test('the first payment begins it: every Included product is open at once, and none is told', async (t) => {
  const productId = await included();
  const member = await intend();
  t.false((await accessOf(member, productId)).isActive);
  await hear(member);
  t.like(await rowOf(member), {
    status: 'active',
    ends_at: null,
    processor_id: member.processorId,
  });
  t.deepEqual(await accessOf(member, productId), {
    isActive: true,
    type: 'member',
    source: 'member',
    endsAt: null,
  });
  t.deepEqual(await namesOf(productId), []);
});

test("all that is paid for Member is the platform's, each charge once", async (t) => {
  const member = await subscribe();
  for (let round = 1; round <= 2; round += 1) await hear(member, { begun: -61, renewals: 2 });
  t.deepEqual(await stories.ledgerOf(member), {
    buyer: -3 * MEMBER_PRICE_MINOR,
    platform: 3 * MEMBER_PRICE_MINOR,
  });
  t.is((await stories.payments(member)).length, 3);
});

const mailsTo = async ({ personId }: Member) =>
  (
    await testDatabase.query<{ purpose: string }>(
      `select purpose from mail_token where person_id = $1 and purpose like 'renewal%'`,
      [personId],
    )
  ).map(({ purpose }) => purpose);

test('a yearly renewal of Member is told of by mail a week ahead, and once', async (t) => {
  const [ahead, member] = [await intend(undefined, 'year'), await intend(undefined, 'year')];
  const change = (charges: { amountMinor: number }[]) =>
    charges.forEach((charge) => Object.assign(charge, { amountMinor: 10 * MEMBER_PRICE_MINOR }));
  await hear(ahead, { begun: -22, change });
  t.deepEqual(await mailsTo(ahead), []);
  await hear(member, { begun: -24, change });
  await hear(member, { begun: -24, change });
  t.deepEqual(await mailsTo(member), ['renewal_ahead']);
});

test('a failed renewal of Member is told of by mail after a day, and once', async (t) => {
  const [quick, slow] = [await subscribe(), await subscribe()];
  await hear(quick, { begun: -30, retryIn: 1 });
  await hear(quick, { begun: -30, renewals: 1 });
  t.deepEqual(await mailsTo(quick), []);
  await hear(slow, { begun: -30, retryIn: 1 });
  t.deepEqual(await mailsTo(slow), []);
  const since = `update membership set past_due_at = past_due_at - interval '26 hours' where id = $1`;
  await testDatabase.query(since, [slow.membershipId]);
  await hear(slow, { begun: -30, retryIn: 1 });
  await hear(slow, { begun: -30, retryIn: 1 });
  t.deepEqual(await mailsTo(slow), ['renewal_failed']);
});

test('entitlement.created is sent when the product is opened, and once', async (t) => {
  const [productId, member] = [await included(), await subscribe()];
  const opened = await Promise.all([1, 2, 3].map(() => open(member, productId)));
  t.is(opened.filter(Boolean).length, 1);
  const [event, ...more] = await told(productId);
  t.deepEqual(more, []);
  t.is(event!.name, CREATED);
  t.like(event!.data, { active: true, type: 'member', source: 'member', ends_at: null });
});

test('what is not Included cannot be opened, nor by who is no member', async (t) => {
  const member = await subscribe();
  const { personId } = await intend();
  t.false(await open({ ...member, personId }, await included()));
  t.false(await open(member, member.membershipId));
});

test('only opened products hear that it was cancelled, resumed, renewed, and is over', async (t) => {
  const [opened, other, member] = [await included(), await included(), await subscribe()];
  await open(member, opened);
  await hear(member, { isCancelAtPeriodEnd: true });
  const { isActive, endsAt } = await accessOf(member, other);
  t.true(isActive);
  t.true(Math.abs(endsAt!.getTime() - member.anchor.getTime() - 29 * DAY_MS) < 60_000);
  await hear(member);
  t.is((await accessOf(member, other)).endsAt, null);
  await hear(member, { begun: -31, renewals: 1 });
  await hear(member, { begun: -31, renewals: 1, endedAt: 0 });
  const events = await told(opened);
  t.deepEqual(
    events.map(({ name }) => name),
    [CREATED, CANCELED, 'entitlement.resumed', 'entitlement.renewed', CANCELED],
  );
  t.like(events[1]!.data, { active: true, type: 'member', ends_at: endsAt!.toISOString() });
  t.deepEqual(await namesOf(other), []);
  t.like(await rowOf(member), { status: 'ended' });
});

test('a failed renewal keeps access until the end of grace; then it lapses and remembers itself', async (t) => {
  const [productId, member] = [await included(), await subscribe()];
  await open(member, productId);
  await hear(member, { begun: -30.5, retryIn: 1 });
  t.like(await rowOf(member), { status: 'past_due' });
  const grace = await accessOf(member, productId);
  t.true(grace.isActive);
  t.true(grace.endsAt! > member.anchor);
  t.deepEqual(await namesOf(productId), [CREATED]);
  await hear(member, { begun: -30.5, retryIn: null });
  t.like(await rowOf(member), { status: 'ended', is_closing: true });
  const events = await told(productId);
  t.deepEqual(
    events.map(({ name }) => name),
    [CREATED, EXPIRED],
  );
  const { endsAt, ...over } = await accessOf(member, productId);
  t.deepEqual(over, { isActive: false, type: 'member', source: 'member' });
  t.like(events[1]!.data, { active: false, type: 'member', ends_at: endsAt!.toISOString() });
});

test('two sources, one ends: a membership that lapses beside a grant is told to nobody', async (t) => {
  const [productId, member] = [await included(), await subscribe()];
  const { personId } = member;
  await open(member, productId);
  await database.transaction(async (em) => {
    const access = await lockAccess(em, { productId, personId });
    const grant = { type: 'complimentary', source: `grant_${stories.newId()}` } as const;
    const from = { startsAt: new Date(member.anchor.getTime() - DAY_MS), endsAt: null };
    await addGrant(em, { productId, personId }, { ...grant, ...from });
    await storeAccess(em, access, { reason: 'granted' });
  });
  await hear(member, { isCancelAtPeriodEnd: true });
  await hear(member, { begun: -31, isCancelAtPeriodEnd: true, endedAt: -1 });
  t.deepEqual(await namesOf(productId), [CREATED]);
  t.like(await accessOf(member, productId), {
    isActive: true,
    type: 'complimentary',
    endsAt: null,
  });
});

test('a lapse is told in bounded batches, each product once', async (t) => {
  const member = await subscribe();
  const products = await stories.includedAndOpened(member, 201);
  await database.transaction((em) => closeMembershipsOf(em, member.personId));
  t.is(await stories.tellAll(member), 3);
  const counted = await testDatabase.query<{ name: string; n: number }>(
    `select name, count(*)::int as n from event where product_id = any($1::uuid[])
     group by name order by name`,
    [products],
  );
  t.deepEqual(counted, [
    { name: CANCELED, n: 201 },
    { name: CREATED, n: 201 },
  ]);
});

test('a product that is no longer Included tells those who opened it and have it from nowhere else', async (t) => {
  const [productId, member] = [await included(), await subscribe()];
  await open(member, productId);
  await testDatabase.query('update product set included_with_member = false where id = $1', [
    productId,
  ]);
  t.false((await accessOf(member, productId)).isActive);
  while ((await database.transaction(closeActivationsOfExcluded)) > 0);
  const events = await told(productId);
  t.is(events.at(-1)!.name, CANCELED);
  t.like(events.at(-1)!.data, { active: false, type: 'member' });
  await testDatabase.query('update product set included_with_member = true where id = $1', [
    productId,
  ]);
  t.true(await open(member, productId));
  t.deepEqual(await namesOf(productId), [CREATED, CANCELED, CREATED]);
});

test('money of another amount begins nothing and goes back', async (t) => {
  const member = await intend();
  await hear(member, { change: (charges) => (charges[0]!.amountMinor = 1) });
  t.like(await rowOf(member), { status: 'ended', is_closing: true });
  t.deepEqual(await stories.refundsOf(member), [{ amount: 1, status: 'requested' }]);
});

test('one live membership a person: late money for another one goes back, and ends it there too', async (t) => {
  const late = await intend();
  const replaced = { ...late, priceId: '', sessionId: null, sessionUrl: null };
  await database.transaction((em) => replaceMembership(em, replaced));
  const live = await subscribe(late.personId);
  await t.throwsAsync(intend(late.personId), { message: /not opened/ });
  await hear(late);
  t.like(await rowOf(late), { status: 'ended', is_closing: true });
  t.like(await rowOf(live), { status: 'active', is_closing: false });
  t.deepEqual(await stories.refundsOf(late), [{ amount: MEMBER_PRICE_MINOR, status: 'requested' }]);
  const second = `update membership set status = 'active' where id = $1`;
  await t.throwsAsync(testDatabase.query(second, [late.membershipId]), {
    message: /membership_live/,
  });
});

test('a charge of the current period that is refunded in full ends it: entitlement.refunded', async (t) => {
  const [productId, member] = [await included(), await subscribe()];
  await open(member, productId);
  const [payment] = await stories.payments(member);
  const refund = { processorId: `re_${member.membershipId}`, refundId: null, failure: null };
  const fact = { ...refund, status: 'succeeded', amountMinor: MEMBER_PRICE_MINOR } as const;
  const returns = { refunds: [{ ...fact, paymentId: payment!.id }], disputes: [] };
  await hear(member, { returns });
  t.like(await rowOf(member), { status: 'ended', is_closing: true });
  t.deepEqual(await namesOf(productId), [CREATED, 'entitlement.refunded']);
  t.deepEqual(await stories.ledgerOf(member), { buyer: 0, platform: 0 });
  await hear(member, { returns, endedAt: 0 });
  t.is((await told(productId)).length, 2);
});

test('an older reading never wins over a newer one, and many at once have one effect', async (t) => {
  const member = await subscribe();
  const older = await stories.fenceFor(member);
  await hear(member, { isCancelAtPeriodEnd: true });
  await hear(member, {}, older);
  t.like(await rowOf(member), { status: 'canceling' });
  await Promise.all([1, 2, 3, 4].map(() => hear(member, { begun: -31, renewals: 1 })));
  t.is((await stories.payments(member)).length, 2);
});

test('cancelled twice at once: one request', async (t) => {
  const member = await subscribe();
  const asked = await Promise.all([1, 2, 3].map(() => stories.requestChange(member, 'cancel')));
  t.is(asked.filter((answer) => answer === 'requested').length, 1);
});

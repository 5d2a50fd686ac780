import { addMonths, monthOf } from '../../../../domain/shared/instant.ts';
import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createPoolPeriodActivities } from '../../../../activities/pool/period.activities.ts';
import { approvePeriod } from '../../../../domain/pool/period/approve-period.repository.ts';
import { openPoolKey } from '../../../../domain/pool/period/period-key.ts';
import { createEncryptor, createTokenSigner } from '../../../../domain/shared/secrets.ts';
import { addProduct } from '../../../support/catalog/scene.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import { approvalCodeOf } from '../../../support/pool/pool-periods.ts';
import { addMemberCharge, addMemberPrice } from '../../../support/pool/member-charges.ts';
import { createPoolFakes } from '../../../support/pool/runs/pool-fakes.ts';

const { testDatabase, database, close } = await openTestDatabase();
test.after.always(close);
const { query } = testDatabase;

const keys = [{ id: 'test', key: randomBytes(32) }];
const [encryptor, signer] = [createEncryptor(keys), createTokenSigner(keys)];
const activities = createPoolPeriodActivities({ database, encryptor, signer });
const fakes = createPoolFakes();
const steps = fakes.activities({ testDatabase });

const today = async () => (await query<{ now: Date }>('select gatehouse_now() as now'))[0]!.now;
const monthsAgo = async (months: number) => monthOf(addMonths(await today(), -months));
const messagesTo = (id: string) =>
  query<{ kind: string; input: object }>(
    `select message->>'kind' as kind, input from outbox where workflow_id = $1 order by id`,
    [`pool:${id}`],
  );

async function addOperator(isOperator = true) {
  const { personId } = await addProduct(testDatabase);
  const [{ handle, email }] = (await query<{ handle: string; email: string }>(
    'update person set is_operator = $2 where id = $1 returning handle, email',
    [personId, isOperator],
  )) as [{ handle: string; email: string }];
  return { personId, handle, email };
}

/** A charged period that has come so far by the steps before. */
async function periodIn(status: 'frozen' | 'computed' | 'in_review', payouts: string[] = []) {
  const [period] = await query<{ id: string }>(
    `select id from pool_period where status = 'open' order by id limit 1`,
  );
  const periodId = period!.id;
  fakes.charged.add(periodId);
  fakes.payouts.set(periodId, payouts);
  await steps.freezePool({ periodId });
  if (status !== 'frozen') await steps.computePool({ periodId });
  if (status === 'in_review') await steps.reviewPool({ periodId });
  return periodId;
}

const approve = (periodId: string, byId: string) =>
  database.transaction((em) => approvePeriod(em, { periodId, byId }));

test.serial('without a price of Member nothing is opened', async (t) => {
  t.deepEqual(await activities.openPoolPeriods(), { opened: [], woken: 0 });
  await addMemberPrice(testDatabase, { currency: 'GBP', isRetired: true });
  t.deepEqual(await activities.openPoolPeriods(), { opened: [], woken: 0 });
});

test.serial('a currency with a price has the period of this month, with a workflow', async (t) => {
  await addMemberPrice(testDatabase, { currency: 'USD' });
  const id = `${await monthsAgo(0)}:USD`;
  t.deepEqual(await activities.openPoolPeriods(), { opened: [id], woken: 0 });
  t.deepEqual(await messagesTo(id), [{ kind: 'opened', input: { periodId: id } }]);
  const [row] = await query<{ status: string; rule: string; encrypted_key: string }>(
    'select * from pool_period where id = $1',
    [id],
  );
  t.like(row, { status: 'open', rule: 'user-centric-1' });
  const { ofMember } = openPoolKey(encryptor, { id, encryptedKey: row!.encrypted_key });
  t.regex(ofMember('somebody'), /^[0-9a-f]{64}$/);
});

test.serial(
  'each currency has every month since its first charge, at most 24 months back',
  async (t) => {
    const eur = await addMemberPrice(testDatabase, { currency: 'EUR' });
    const retired = await addMemberPrice(testDatabase, { currency: 'BRL', isRetired: true });
    const since = await monthsAgo(3);
    await addMemberCharge(testDatabase, { priceId: eur, at: `${since}-28T23:00:00Z` });
    await addMemberCharge(testDatabase, { priceId: eur, at: `${await monthsAgo(2)}-01T00:00:00Z` });
    const failed = { priceId: eur, at: `${await monthsAgo(9)}-01T00:00:00Z`, status: 'failed' };
    await addMemberCharge(testDatabase, failed);
    await addMemberCharge(testDatabase, {
      priceId: retired,
      at: `${await monthsAgo(30)}-02T00:00:00Z`,
      status: 'refunded',
    });
    const { opened } = await activities.openPoolPeriods();
    t.is(opened.filter((id) => id.endsWith(':BRL')).length, 25);
    t.deepEqual(
      opened.filter((id) => id.endsWith(':EUR')).toSorted(),
      await Promise.all([3, 2, 1, 0].map(async (ago) => `${await monthsAgo(ago)}:EUR`)),
    );
    t.is(opened.length, 29);
  },
);

test.serial(
  'a repeated run opens nothing, a gap is filled, and of two at once one opens',
  async (t) => {
    t.deepEqual((await activities.openPoolPeriods()).opened, []);
    const id = `${await monthsAgo(1)}:EUR`;
    await query('delete from pool_period where id = $1', [id]);
    await query('delete from outbox');
    const both = await Promise.all([activities.openPoolPeriods(), activities.openPoolPeriods()]);
    t.deepEqual(
      both.flatMap(({ opened }) => opened),
      [id],
    );
    t.is((await messagesTo(id)).length, 1);
  },
);

test.serial('a workflow reads how far its period is', async (t) => {
  const id = `${await monthsAgo(0)}:USD`;
  const open = await activities.readPoolPeriod({ periodId: id });
  const nothing = { problem: null, sums: null, listed: 0, payouts: 0, openPayouts: 0 };
  t.like(open, { status: 'open', ...nothing });
  const remainingMs = Date.parse(open.freezeDueAt!) - (await today()).getTime();
  t.true(Math.abs(open.remainingMs - remainingMs) < 60_000);
  const past = await activities.readPoolPeriod({ periodId: `${await monthsAgo(2)}:EUR` });
  t.is(past.remainingMs, 0);
  t.like(await activities.readPoolPeriod({ periodId: '2020-01:EUR' }), {
    status: 'missing',
    freezeDueAt: null,
  });
  const computed = await periodIn('computed');
  const { sums } = await activities.readPoolPeriod({ periodId: computed });
  const currency = computed.slice(-3);
  t.is(
    sums,
    `Members 1, without a day 0; fees 9.99 ${currency}; products 6.99 ${currency}; platform 3.00 ${currency}; unattributed 0.00 ${currency}`,
  );
});

test.serial('of two operators at once one approves, and the other learns who did', async (t) => {
  const periodId = await periodIn('in_review');
  const operators = await Promise.all([addOperator(), addOperator(), addOperator()]);
  const answers = await Promise.all(operators.map(({ personId }) => approve(periodId, personId)));
  const won = answers.findIndex((answer) => !('refused' in answer));
  const { handle, personId } = operators[won]!;
  for (const [index, answer] of answers.entries()) {
    if (index === won) continue;
    t.like(answer, { refused: 'already_approved', approvedBy: handle });
  }
  t.deepEqual(
    await query('select status, approved_by from pool_period where id = $1', [periodId]),
    [{ status: 'approved', approved_by: personId }],
  );
  const kinds = (await messagesTo(periodId)).map(({ kind }) => kind);
  t.deepEqual(
    kinds.filter((kind) => kind === 'approved'),
    ['approved'],
  );
  const audited = await query<object>(
    `select action, actor_id, subject from audit where subject = $1`,
    [periodId],
  );
  t.deepEqual(audited, [{ action: 'pool.approved', actor_id: personId, subject: periodId }]);
});

test.serial('only what is in review is approved', async (t) => {
  const { personId } = await addOperator();
  const nobody = { approvedBy: null, approvedAt: null };
  t.deepEqual(await approve(await periodIn('computed'), personId), {
    refused: 'not_in_review',
    ...nobody,
  });
  t.deepEqual(await approve('2020-01:EUR', personId), { refused: 'no_period', ...nobody });
  t.deepEqual(await query(`select from audit where subject = '2020-01:EUR'`), []);
});

test.serial('a code approves its month and sum in the name of its operator, once', async (t) => {
  const [somebody, left, operator] = [
    await addOperator(false),
    await addOperator(),
    await addOperator(),
  ];
  await query('update person set deleted_at = gatehouse_now() where id = $1', [left.personId]);
  const [periodId, another] = [await periodIn('in_review'), await periodIn('in_review')];
  const codeOf = (personId: string, given: { periodId?: string; minutesAgo?: number } = {}) =>
    approvalCodeOf({ testDatabase, signer }, { periodId, personId, ...given });
  const approveBy = (code: string) => activities.approvePool({ periodId, code });
  const code = await codeOf(operator.personId);
  const [person, sum, expiry, signature] = code.split('.') as [string, string, string, string];
  for (const wrong of [
    operator.handle,
    '',
    await codeOf(somebody.personId),
    await codeOf(left.personId),
    await codeOf(operator.personId, { periodId: another }),
    [person, Number(sum) + 1, expiry, signature].join('.'),
    [person, sum, Number(expiry) + 1, signature].join('.'),
    [left.personId, sum, expiry, signature].join('.'),
    [person, sum, expiry, signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))].join(
      '.',
    ),
  ]) {
    t.is(await approveBy(wrong), 'invalid_code', wrong);
  }
  const [old, last] = [
    await codeOf(operator.personId, { minutesAgo: 5 }),
    await codeOf(operator.personId, { minutesAgo: 4 }),
  ];
  t.is(await approveBy(old), 'expired_code');
  const sumIs = 'update pool_period set platform_minor = 299, products_minor = 700 where id = $1';
  await query(sumIs, [another]);
  const ofOldSum = await codeOf(operator.personId, { periodId: another });
  await query('update pool_period set platform_minor = 300, products_minor = 699 where id = $1', [
    another,
  ]);
  t.is(await activities.approvePool({ periodId: another, code: ofOldSum }), 'unchanged');
  const answers = await Promise.all([approveBy(last), approveBy(last), approveBy(code)]);
  t.deepEqual(answers.toSorted(), ['approved', 'unchanged', 'unchanged']);
  t.is(await approveBy(last), 'unchanged', 'a code that was used');
  const audited = 'select actor_id, detail from audit where subject = $1';
  t.deepEqual(await query(audited, [periodId]), [
    { actor_id: operator.personId, detail: { via: 'Temporal' } },
  ]);
  t.deepEqual(await query(audited, [another]), []);
});

test.serial('a period is paid when no payout of it is under way', async (t) => {
  const { personId } = await addOperator();
  const periodId = await periodIn('in_review', ['pool-1', 'pool-2']);
  const finish = () => activities.finishPool({ periodId });
  t.deepEqual(await finish(), { isPaid: false }, 'it is in review');
  await approve(periodId, personId);
  await steps.startPoolPayouts({ periodId });
  t.like(await activities.readPoolPeriod({ periodId }), { payouts: 2, openPayouts: 2 });
  t.deepEqual(await finish(), { isPaid: false });
  const end = `update pool_payout set status = $2, ended_at = gatehouse_now(),
    transfer_id = case when $2 = 'paid' then id end where id = $1`;
  await query(end, ['pool-1', 'paid']);
  t.deepEqual(await finish(), { isPaid: false });
  await query(end, ['pool-2', 'failed']);
  t.like(await activities.readPoolPeriod({ periodId }), { payouts: 2, openPayouts: 0 });
  const ends = await Promise.all([finish(), finish()]);
  t.is(ends.filter(({ isPaid }) => isPaid).length, 1);
  t.like(await activities.readPoolPeriod({ periodId }), { status: 'paid' });
});

test.serial('each day what is neither open nor over is woken once', async (t) => {
  await query('delete from outbox');
  const waiting = await query<{ id: string }>(
    `select id from pool_period where status not in ('open', 'paid', 'empty') order by id`,
  );
  t.true(waiting.length > 3);
  t.is((await activities.openPoolPeriods()).woken, waiting.length);
  const woken = await query<{ id: string }>(
    `select substr(workflow_id, 6) as id from outbox where message->>'kind' = 'another_day' order by 1`,
  );
  t.deepEqual(woken, waiting);
});

import test from 'ava';
import { noticeOf } from '../../../support/http/arrival.ts';
import { startPeople } from '../../../support/identity/people.ts';
import { addLine, addPayout, addPeriod } from '../../../support/pool/period-rows.ts';

const people = await startPeople();
const { api } = people;
const { query } = api.test;
const operator = await people.signedIn(await api.seed.person({ isOperator: true }));
const builder = await people.signedIn(await api.seed.person({ isBuilder: true }));

const PAYOUTS = '/operator/pool/payouts';
const PERIOD = '2025-11:EUR';
await addPeriod(api.test, { id: PERIOD, status: 'paying' });

test.after.always(() => api.close());

const confirm = (owner: string, reason: string, who = operator) =>
  who.browser.submit(PAYOUTS, { action: PAYOUTS, fields: { owner, reason } });

const confirmedAt = async (personId: string) => {
  const [row] = await query<{ at: Date | null }>(
    'select pool_confirmed_at as at from payout_account where person_id = $1',
    [personId],
  );
  return row!.at;
};

async function waitingOwner({ isHeld = false } = {}) {
  const owner = await api.seed.person({ isBuilder: true });
  const product = await api.seed.product({ owner });
  await api.seed.payoutAccount(owner, { account: `acct_${owner.handle}` });
  const line = { periodId: PERIOD, productId: product.id, personId: owner.id };
  await addLine(api.test, { ...line, amountMinor: 2_345, status: 'held' });
  if (isHeld) {
    await query(
      `insert into pool_hold (id, product_id, reason, held_by) values (gen_random_uuid(), $1, 'A', $2)`,
      [product.id, operator.person.id],
    );
  }
  return owner;
}

const show = async (path: string) => (await operator.browser.get(path)).text();

test.serial('an owner whose first payout waits is confirmed once, with a reason', async (t) => {
  const owner = await waitingOwner();
  const underReview = await waitingOwner({ isHeld: true });
  const page = await show(PAYOUTS);
  t.regex(page, new RegExp(`${owner.handle}[\\s\\S]*23\\.45 EUR`));
  t.false(page.includes(underReview.handle), 'it waits for the review');
  const answers = await Promise.all([
    confirm(owner.id, 'We met them.'),
    confirm(owner.id, 'We met them.'),
  ]);
  t.deepEqual(answers.map(noticeOf).toSorted(), ['first_payout_confirmed', 'unchanged']);
  t.truthy(await confirmedAt(owner.id));
  const audits = await query(
    `select detail->>'reason' as reason from audit where action = 'payouts.confirmed'`,
  );
  t.deepEqual(audits, [{ reason: 'We met them.' }]);
  t.false((await show(PAYOUTS)).includes(owner.handle));
});

test.serial('a confirmation that cannot be kept changes nothing', async (t) => {
  const owner = await waitingOwner();
  for (const reason of ['', ' ', 'x'.repeat(501)]) {
    const response = await confirm(owner.id, reason);
    t.is(response.status, 422, reason);
    t.regex(await response.text(), /id="reason-problem"/);
  }
  t.is((await confirm('x', 'A')).status, 400);
  t.is(noticeOf(await confirm(operator.person.id, 'A')), 'unchanged', 'no payout account');
  const byOthers = await builder.browser.submit('/console', {
    action: PAYOUTS,
    fields: { owner: owner.id, reason: 'A' },
  });
  t.is(byOthers.status, 404);
  t.is(await confirmedAt(owner.id), null);
});

test.serial('payouts in trouble are listed, and named in the overview', async (t) => {
  t.regex(await show(PAYOUTS), /No payout is in trouble\./);
  t.notRegex(await show('/operator'), /data-count="pool-payouts"/);
  const owner = await api.seed.person({ isBuilder: true });
  const id = `pool-2025-11-${owner.id}-EUR`;
  const payout = { id, periodId: PERIOD, personId: owner.id };
  await addPayout(api.test, { ...payout, status: 'paying', attempts: 3 });
  t.regex(await show(PAYOUTS), new RegExp(`${id}[\\s\\S]*3\\s+attempts[\\s\\S]*account is closed`));
  t.regex(await show('/operator'), /data-count="pool-payouts"[\s\S]*payout of the creator pool is/);
  await query('delete from pool_payout where id = $1', [id]);
  await addPayout(api.test, { ...payout, status: 'failed' });
  t.notRegex(await show('/operator'), /data-count="pool-payouts"/, 'another has paid its lines');
  const product = await api.seed.product({ owner });
  const line = { periodId: PERIOD, productId: product.id, personId: owner.id };
  await addLine(api.test, { ...line, amountMinor: 2_345, status: 'failed' });
  t.regex(await show('/operator'), /data-count="pool-payouts"/);
  t.regex(await show(PAYOUTS), new RegExp(`${id}[\\s\\S]*data-payout="failed"`));
});

test.serial('the totals of a year are downloaded as CSV', async (t) => {
  const owner = await api.seed.person({ isBuilder: true, handle: 'totals_owner' });
  const paid = { periodId: PERIOD, personId: owner.id, status: 'paid' } as const;
  await addPayout(api.test, { ...paid, id: 'pool-a', endedAt: '2025-12-31T23:59:59Z' });
  await addPayout(api.test, { ...paid, id: 'pool-b', endedAt: '2025-01-01T00:00:00Z' });
  await addPayout(api.test, { ...paid, id: 'pool-c', endedAt: '2026-01-01T00:00:00Z' });
  const response = await operator.browser.get(`${PAYOUTS}/totals.csv?year=2025`);
  t.regex(response.headers.get('content-disposition')!, /pool-payouts-2025\.csv/);
  t.is(
    await response.text(),
    'year,owner,owner_kind,owner_id,payouts,paid,paid_minor,currency\r\n' +
      `2025,totals_owner,person,${owner.id},2,246.90,24690,EUR\r\n`,
  );
  for (const year of ['', 'x', '1999', '20261']) {
    t.is((await operator.browser.get(`${PAYOUTS}/totals.csv?year=${year}`)).status, 400, year);
  }
});

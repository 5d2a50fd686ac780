import test from 'ava';
import { noticeOf } from '../../../support/http/arrival.ts';
import { addLine, addPayout } from '../../../support/pool/period-rows.ts';
import { people, operator, builder, PERIOD } from './pool.scene.ts';

const { api } = people;
const { query } = api.test;

const PAYOUTS = '/operator/pool/payouts';

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
  t.regex(page, new RegExp(`${owner.handle}[\\s\\S]*23\\.45 <small>EUR`));
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
  t.regex(await show(PAYOUTS), /No payout is in trouble\./, 'the page counts as the overview does');
  const product = await api.seed.product({ owner });
  const line = { periodId: PERIOD, productId: product.id, personId: owner.id };
  await addLine(api.test, { ...line, amountMinor: 2_345, status: 'failed' });
  t.regex(await show('/operator'), /data-count="pool-payouts"/);
  t.regex(await show(PAYOUTS), new RegExp(`${id}[\\s\\S]*data-state="failed"`));
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
  const marked = await operator.browser.get(`${PAYOUTS}/totals.csv?year=2025&for=spreadsheet`);
  t.is(
    Buffer.from(await marked.arrayBuffer())
      .subarray(0, 3)
      .toString('hex'),
    'efbbbf',
  );
  t.true((await (await operator.browser.get(PAYOUTS)).text()).includes('name="for"'));
  for (const year of ['', 'x', '1999', '20261']) {
    t.is((await operator.browser.get(`${PAYOUTS}/totals.csv?year=${year}`)).status, 400, year);
  }
});

async function unknownPayout({ isOutcomeUnknown = true, attempts = 3 } = {}) {
  const owner = await api.seed.person({ isBuilder: true });
  const id = `pool-2025-11-${owner.id}-EUR`;
  const payout = { id, periodId: PERIOD, personId: owner.id, isOutcomeUnknown };
  await addPayout(api.test, { ...payout, status: 'paying', attempts });
  return id;
}

const recordOutcome = (fields: Record<string, string>, who = operator) =>
  who.browser.submit(who === operator ? PAYOUTS : '/console', {
    action: `${PAYOUTS}/outcome`,
    fields,
  });

const payoutOf = async (id: string) => {
  const sql = 'select status, transfer_id, last_error from pool_payout where id = $1';
  return (await query<Record<string, string | null>>(sql, [id]))[0]!;
};

const formsOf = (page: string, id: string) =>
  [...page.matchAll(/name="payout" value="([^"]+)"/g)].filter(([, value]) => value === id).length;

test.serial('how a payout ended is asked only where nobody knows it', async (t) => {
  const [unknown, known] = [
    await unknownPayout(),
    await unknownPayout({ isOutcomeUnknown: false }),
  ];
  const page = await show(PAYOUTS);
  t.is(formsOf(page, unknown), 2);
  t.is(formsOf(page, known), 0);
  t.regex(await show(`/operator/pool/periods/${PERIOD}`), /<a href="[^"]+">Outcome unknown<\/a>/);
  const refused = await recordOutcome({ payout: known, is: 'not_paid', reason: 'A' });
  t.is(noticeOf(refused), 'payout_outcome_known');
  t.like(await payoutOf(known), { status: 'paying' });
});

test.serial(
  'a payout that nobody knows of after its first attempt is among any number',
  async (t) => {
    const unknown = await unknownPayout({ attempts: 1 });
    await query(
      `insert into pool_payout (id, period_id, person_id, currency, amount_minor, account, attempts, due_at)
     select 'pool-2025-10-' || n, $1, $2, 'EUR', 1, 'acct_a', 2, gatehouse_now()
     from generate_series(1, 201) n`,
      [PERIOD, operator.person.id],
    );
    t.is(formsOf(await show(PAYOUTS), unknown), 2);
    await query(`delete from pool_payout where id like 'pool-2025-10-%'`);
  },
);

test.serial('of two operators who say how a payout ended one is told it is known', async (t) => {
  const payout = await unknownPayout();
  const responses = await Promise.all([
    recordOutcome({ payout, is: 'paid', transfer: ' tr_1AbC ' }),
    recordOutcome({ payout, is: 'paid', transfer: 'tr_1AbC' }),
  ]);
  t.deepEqual(responses.map(noticeOf).toSorted(), ['payout_found_paid', 'payout_outcome_known']);
  t.like(await payoutOf(payout), { status: 'paid', transfer_id: 'tr_1AbC' });
  t.is(formsOf(await show(PAYOUTS), payout), 0);
  const other = await unknownPayout();
  const taken = await recordOutcome({ payout: other, is: 'paid', transfer: 'tr_1AbC' });
  t.is(taken.status, 422);
  t.regex(await taken.text(), /id="transfer-problem"[^>]*>Another payout has this transfer\./);
  t.like(await payoutOf(other), { status: 'paying' });
  const unpaid = await recordOutcome({ payout: other, is: 'not_paid', reason: 'None is there.' });
  t.is(noticeOf(unpaid), 'payout_found_not_paid');
  t.like(await payoutOf(other), { status: 'failed', last_error: 'None is there.' });
});

test.serial('an outcome that cannot be kept is refused in place', async (t) => {
  const payout = await unknownPayout();
  const others = [payout, 'acct_1AbC', 'po_1AbC', 'TR_1AbC', 'tr_1 tr_2', 'https://x.example'];
  const texts = ['', ' ', 'tr_', 'tr 1', 'tr_\u0131', 'tr_\0a', `tr_${'x'.repeat(253)}`];
  for (const transfer of [...others, ...texts]) {
    const response = await recordOutcome({ payout, is: 'paid', transfer });
    t.is(response.status, 422, transfer);
    t.regex(await response.text(), /<details class="fold" open>[\s\S]*id="transfer-problem"/);
  }
  for (const reason of ['', ' ', 'x'.repeat(501)]) {
    const response = await recordOutcome({ payout, is: 'not_paid', reason });
    t.is(response.status, 422, reason);
    t.regex(await response.text(), /id="reason-problem"/);
  }
  t.is((await recordOutcome({ payout, is: 'lost', reason: 'A' })).status, 400);
  t.is((await recordOutcome({ payout: 'a\0', is: 'not_paid', reason: 'A' })).status, 400);
  const unknown = await recordOutcome({ payout: 'pool-x', is: 'not_paid', reason: 'A' });
  t.is(noticeOf(unknown), 'payout_outcome_known');
  t.is((await recordOutcome({ payout, is: 'not_paid', reason: 'A' }, builder)).status, 404);
  t.like(await payoutOf(payout), { status: 'paying', transfer_id: null });
});

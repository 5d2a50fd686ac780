import test from 'ava';
import { recordFoundOutcome } from '../../../../domain/pool/payout-lines/end-payout.repository.ts';
import {
  beginTransfer,
  recordTransfer,
} from '../../../../domain/pool/payout-lines/transfer.repository.ts';
import {
  MOST_ATTEMPTS,
  type TransferOutcome,
} from '../../../../domain/pool/payout-lines/transfer-schedule.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import {
  addApprovedPeriod,
  addDuePayout,
  addPoolOwner,
  createAttempts,
  createPoolViews,
  payoutIdOf,
  readPoolLedger,
  settle,
} from '../../../support/pool/payouts.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query } = testDatabase;
const { linesOf, alertsOf } = createPoolViews(testDatabase);
const { attempt } = createAttempts(database);
const operator = await addPoolOwner({ query });
test.after.always(close);

const UNKNOWN: TransferOutcome = { is: 'unknown', reason: 'no answer' };
const by = { personId: operator.personId, ip: null };

/** A payout of 40.00 that was attempted so, each time a minute after the time before. */
async function attempted(...outcomes: TransferOutcome[]) {
  const due = await addDuePayout({ testDatabase, database }, { amountMinor: 4_000 });
  for (const outcome of outcomes) {
    await attempt(due.payoutId, outcome);
    await query('update pool_payout set due_at = gatehouse_now() where due_at > gatehouse_now()');
  }
  return due;
}

type Made = Awaited<ReturnType<typeof attempted>>;

const findPaid = ({ payoutId }: Made, transferId = `tr_of_${payoutId}`) =>
  database.transaction((em) => recordFoundOutcome(em, { is: 'paid', payoutId, by, transferId }));
const findUnpaid = ({ payoutId }: Made, reason = 'The dashboard has none.') =>
  database.transaction((em) => recordFoundOutcome(em, { is: 'not_paid', payoutId, by, reason }));
const begin = ({ payoutId }: Made) => database.transaction((em) => beginTransfer(em, payoutId));
const record = ({ payoutId }: Made, attempts: number, outcome: TransferOutcome) =>
  database.transaction((em) => recordTransfer(em, { payoutId, attempts, outcome }));
const ledgerOf = ({ owner }: Made) => readPoolLedger(testDatabase, owner);
const rowOf = async ({ payoutId }: Made) => {
  const sql = `select status, transfer_id, last_error, due_at, is_outcome_unknown as unknown
    from pool_payout where id = $1`;
  return (await query(sql, [payoutId]))[0]!;
};
const auditOf = ({ payoutId }: Made) =>
  query('select action, actor_id, detail from audit where subject = $1', [payoutId]);
const mailsOf = ({ owner }: Made) =>
  query<{ purpose: string; facts: Record<string, string> }>(
    'select purpose, facts from mail_token where person_id = $1',
    [owner.personId],
  );
/** Messages of these kinds to the workflow of the payout or of its period. */
const messagesOf = async ({ payoutId, periodId }: Made) => {
  const found = await query<{ kind: string }>(
    `select message ->> 'kind' as kind from outbox
     where (workflow_id = $1 or workflow_id = $2) and message ->> 'kind' <> 'started' order by id`,
    [payoutId, `pool:${periodId}`],
  );
  return found.map(({ kind }) => kind);
};

test.serial('an operator who found the transfer ends the payout as paid', async (t) => {
  const made = await attempted(UNKNOWN);
  t.like(await rowOf(made), { status: 'paying', unknown: true });
  t.is(await findPaid(made, 'tr_found'), 'recorded');
  t.deepEqual(await rowOf(made), {
    status: 'paid',
    transfer_id: 'tr_found',
    last_error: null,
    due_at: null,
    unknown: false,
  });
  t.deepEqual(await linesOf(made.owner), [[made.periodId, 'paid', made.payoutId]]);
  t.deepEqual(await ledgerOf(made), { owedMinor: 0, sumMinor: 0 });
  t.deepEqual(await auditOf(made), [
    {
      action: 'payouts.found_paid',
      actor_id: operator.personId,
      detail: { transfer: 'tr_found' },
    },
  ]);
  t.deepEqual(await messagesOf(made), ['payout_ended', 'outcome_found']);
  t.like(await mailsOf(made), { 0: { purpose: 'pool_paid' }, length: 1 });
});

test.serial('one who found none gives the lines back, and a later month pays them', async (t) => {
  const made = await attempted(UNKNOWN);
  t.is(await findUnpaid(made), 'recorded');
  t.deepEqual(await rowOf(made), {
    status: 'failed',
    transfer_id: null,
    last_error: 'The dashboard has none.',
    due_at: null,
    unknown: false,
  });
  t.deepEqual(await linesOf(made.owner), [[made.periodId, 'failed', null]]);
  t.deepEqual(await ledgerOf(made), { owedMinor: 4_000, sumMinor: 0 });
  t.deepEqual(await auditOf(made), [
    {
      action: 'payouts.found_not_paid',
      actor_id: operator.personId,
      detail: { reason: 'The dashboard has none.' },
    },
  ]);
  t.deepEqual(await messagesOf(made), ['payout_ended', 'outcome_found']);
  const [mail, ...others] = await mailsOf(made);
  t.deepEqual(others, []);
  t.is(mail!.purpose, 'pool_failed');
  t.false('reason' in mail!.facts, 'the reason is in words for operators');
  const later = await addApprovedPeriod(testDatabase, { month: '2026-06' }, []);
  await settle(database, later);
  const again = payoutIdOf(later, made.owner);
  t.deepEqual(await linesOf(made.owner), [[made.periodId, 'paying', again]]);
});

const NO: TransferOutcome = { is: 'not_made', reason: 'the balance is too low' };
const KNOWN: Record<string, TransferOutcome[]> = {
  'before the first attempt': [],
  'when no transfer was made for now': [NO],
  'when none was made after all': [UNKNOWN, NO],
  'of a payout that is paid': [{ is: 'made', transferId: 'tr_known' }],
  'of one that was refused': [{ is: 'refused', reason: 'closed' }],
};

for (const [when, outcomes] of Object.entries(KNOWN)) {
  test.serial(`an operator decides nothing ${when}`, async (t) => {
    const made = await attempted(...outcomes);
    const before = await rowOf(made);
    t.is(await findPaid(made), 'known');
    t.is(await findUnpaid(made), 'known');
    t.deepEqual(await rowOf(made), before);
    t.deepEqual(await auditOf(made), []);
  });
}

test.serial('nor during an attempt, which ends as the processor says', async (t) => {
  const made = await attempted(UNKNOWN);
  const { attempts } = (await begin(made))!;
  t.is(await findUnpaid(made), 'known');
  t.is(await findPaid(made), 'known');
  await record(made, attempts, { is: 'made', transferId: 'tr_running' });
  t.like(await rowOf(made), { status: 'paid', transfer_id: 'tr_running' });
});

test.serial('either an operator ends the payout or the next attempt begins', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const made = await attempted(UNKNOWN);
    const [begun, found] = await Promise.all([begin(made), findUnpaid(made)]);
    t.is(begun === undefined, found === 'recorded');
  }
});

test.serial('of two operators one decides', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const made = await attempted(UNKNOWN);
    const found = await Promise.all([findPaid(made), findUnpaid(made), findPaid(made, 'tr_b')]);
    t.is(found.filter((outcome) => outcome === 'recorded').length, 1);
    t.is((await auditOf(made)).length, 1);
    t.is((await mailsOf(made)).length, 1);
    const { status } = (await rowOf(made)) as { status: string };
    t.deepEqual(await ledgerOf(made), { owedMinor: status === 'paid' ? 0 : 4_000, sumMinor: 0 });
  }
});

test.serial('a late response changes nothing, and another transfer alarms operators', async (t) => {
  const paid = await attempted(UNKNOWN);
  await findPaid(paid, 'tr_one');
  await record(paid, 1, { is: 'made', transferId: 'tr_one' });
  await record(paid, 1, UNKNOWN);
  await record(paid, 1, { is: 'refused', reason: 'too late' });
  t.like(await rowOf(paid), { status: 'paid', transfer_id: 'tr_one', unknown: false });
  t.deepEqual(await alertsOf(paid.payoutId), []);
  await record(paid, 1, { is: 'made', transferId: 'tr_other' });
  t.like(await rowOf(paid), { status: 'paid', transfer_id: 'tr_one' });
  t.deepEqual(await alertsOf(paid.payoutId), [{ kind: 'pool_transfer_unexpected', times: 1 }]);
  const unpaid = await attempted(UNKNOWN);
  await findUnpaid(unpaid);
  await record(unpaid, 1, { is: 'made', transferId: 'tr_late' });
  t.like(await rowOf(unpaid), { status: 'failed', transfer_id: null });
  t.deepEqual(await ledgerOf(unpaid), { owedMinor: 4_000, sumMinor: 0 });
  t.deepEqual(await alertsOf(unpaid.payoutId), [{ kind: 'pool_transfer_unexpected', times: 1 }]);
});

test.serial('a decision withdraws the alert of the payout', async (t) => {
  for (const find of [findPaid, findUnpaid]) {
    const made = await attempted(UNKNOWN);
    const last = `update pool_payout set attempts = $2 where id = $1`;
    await query(last, [made.payoutId, MOST_ATTEMPTS]);
    await attempt(made.payoutId, UNKNOWN);
    t.is((await alertsOf(made.payoutId)).length, 1);
    t.is(await find(made), 'recorded');
    t.deepEqual(await alertsOf(made.payoutId), []);
  }
});

test.serial('a transfer ends one payout', async (t) => {
  const [one, other] = [await attempted(UNKNOWN), await attempted(UNKNOWN)];
  t.is(await findPaid(one, 'tr_shared'), 'recorded');
  t.is(await findPaid(other, 'tr_shared'), 'taken');
  t.like(await rowOf(other), { status: 'paying', unknown: true });
  t.deepEqual(await auditOf(other), []);
});

test.serial('a mistyped transfer keeps no other payout open, and alarms operators', async (t) => {
  const [mistyped, other] = [await attempted(UNKNOWN), await attempted(UNKNOWN)];
  t.is(await findPaid(mistyped, 'tr_mistyped'), 'recorded');
  await record(other, 1, { is: 'made', transferId: 'tr_mistyped' });
  t.like(await rowOf(other), { status: 'paid', transfer_id: 'tr_mistyped' });
  t.deepEqual(await alertsOf(mistyped.payoutId), [{ kind: 'pool_transfer_unexpected', times: 1 }]);
  t.deepEqual(await alertsOf(other.payoutId), []);
});

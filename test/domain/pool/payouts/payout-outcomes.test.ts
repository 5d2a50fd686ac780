import test from 'ava';
import { confirmFirstPayout } from '../../../../domain/pool/payout-lines/owner-money.repository.ts';
import {
  beginTransfer,
  recordTransfer,
} from '../../../../domain/pool/payout-lines/transfer.repository.ts';
import {
  listPayoutsInTrouble,
  yearlyTotals,
} from '../../../../domain/pool/operator-views/payouts.repository.ts';
import { composeMoneyMail } from '../../../../activities/mail/money-notice-text.ts';
import type { MoneyFacts } from '../../../../domain/identity/mail/mail.repository.ts';
import {
  MOST_ATTEMPTS,
  type TransferOutcome,
} from '../../../../domain/pool/payout-lines/transfer-schedule.ts';
import { openTestDatabase } from '../../../support/engines/database.ts';
import {
  addApprovedPeriod,
  addPoolOwner,
  addPoolTeam,
  createAttempts,
  createPoolViews,
  payoutIdOf,
  readPoolLedger,
  settle,
} from '../../../support/pool/payouts.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query } = testDatabase;
const { linesOf, payoutsOf, alertsOf } = createPoolViews(testDatabase);
const { attempt, pay } = createAttempts(database);
test.after.always(close);

test.serial('a first payout waits for an operator’s yes', async (t) => {
  const owner = await addPoolOwner({ query }, { isConfirmed: false });
  const operator = await addPoolOwner({ query });
  const first = await addApprovedPeriod(testDatabase, { month: '2026-01' }, [
    { to: owner, amountMinor: 2_500 },
  ]);
  await settle(database, first);
  t.deepEqual(await linesOf(owner), [[first, 'held', null]]);
  const confirm = () =>
    database.transaction((em) =>
      confirmFirstPayout(em, { ownerId: owner.personId, byId: operator.personId, reason: 'known' }),
    );
  t.deepEqual((await Promise.all([confirm(), confirm()])).toSorted(), [false, true]);
  const audit = await query(
    `select action, actor_id, detail ->> 'reason' as reason from audit where subject = $1`,
    [owner.personId],
  );
  t.deepEqual(audit, [
    { action: 'payouts.confirmed', actor_id: operator.personId, reason: 'known' },
  ]);
  await settle(database, await addApprovedPeriod(testDatabase, { month: '2026-02' }, []));
  t.like(await payoutsOf(owner), { 0: { amount_minor: '2500' }, length: 1 });
});

test.serial('an answer that comes after the payout is paid alarms nobody', async (t) => {
  const owner = await addPoolOwner({ query });
  const id = await addApprovedPeriod(testDatabase, { month: '2026-03', currency: 'NOK' }, [
    { to: owner, amountMinor: 4_000 },
  ]);
  await settle(database, id);
  const payoutId = payoutIdOf(id, owner);
  await query('update pool_payout set attempts = $2 where id = $1', [payoutId, MOST_ATTEMPTS - 1]);
  const last = await database.transaction((em) => beginTransfer(em, payoutId));
  await pay(payoutId);
  const outcome: TransferOutcome = { is: 'unknown', reason: 'no answer' };
  await database.transaction((em) => recordTransfer(em, { ...last!, outcome }));
  t.deepEqual(await alertsOf(payoutId), []);
});

test.serial('a failed payout gives its lines back, and a later month pays them', async (t) => {
  const owner = await addPoolOwner({ query });
  const first = await addApprovedPeriod(testDatabase, { month: '2026-03' }, [
    { to: owner, amountMinor: 4_000 },
  ]);
  await settle(database, first);
  const failedId = payoutIdOf(first, owner);
  await attempt(failedId, { is: 'refused', reason: 'The payout account is closed.' });
  t.deepEqual(await linesOf(owner), [[first, 'failed', null]]);
  t.deepEqual(await alertsOf(failedId), [{ kind: 'pool_payout_failed', times: 1 }]);
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 4_000, sumMinor: 0 });
  const trouble = async () => {
    const found = await listPayoutsInTrouble(database.em());
    return found.filter(({ ownerId }) => ownerId === owner.personId);
  };
  const failed = {
    0: { id: failedId, status: 'failed', lastError: 'The payout account is closed.' },
    length: 1,
  };
  t.like(await trouble(), failed);
  const second = await addApprovedPeriod(testDatabase, { month: '2026-04' }, []);
  await settle(database, second);
  t.deepEqual(await trouble(), [], 'its lines are settled anew');
  const payoutId = payoutIdOf(second, owner);
  await pay(payoutId);
  t.deepEqual(await linesOf(owner), [[first, 'paid', payoutId]]);
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
});

test.serial('of two outcomes of one payout the first is recorded', async (t) => {
  const owner = await addPoolOwner({ query });
  const id = await addApprovedPeriod(testDatabase, { month: '2026-05' }, [
    { to: owner, amountMinor: 1_000 },
  ]);
  await settle(database, id);
  const payoutId = payoutIdOf(id, owner);
  const begin = () => database.transaction((em) => beginTransfer(em, payoutId));
  const [one, two] = [await begin(), await begin()];
  t.deepEqual([one!.attempts, two!.attempts], [1, 2]);
  const made = { is: 'made', transferId: 'tr_twice' } as const;
  const away = { is: 'unknown', reason: 'no answer' } as const;
  const record = (attempts: number, outcome: TransferOutcome) =>
    database.transaction((em) => recordTransfer(em, { payoutId, attempts, outcome }));
  await record(one!.attempts, away);
  await record(one!.attempts, { is: 'refused', reason: 'too late' });
  t.truthy(await begin(), 'an attempt that ended late moves nothing');
  await Promise.all([record(2, made), record(3, made), record(3, away)]);
  await record(3, { is: 'refused', reason: 'too late' });
  t.like(await payoutsOf(owner), { 0: { status: 'paid' }, length: 1 });
  t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
  t.is(await begin(), undefined);
  t.deepEqual(await alertsOf(payoutId), []);
});

test.serial(
  'a transfer that turns up after the payout has failed is for an operator',
  async (t) => {
    const owner = await addPoolOwner({ query });
    const id = await addApprovedPeriod(testDatabase, { month: '2026-06' }, [
      { to: owner, amountMinor: 1_000 },
    ]);
    await settle(database, id);
    const payoutId = payoutIdOf(id, owner);
    await attempt(payoutId, { is: 'refused', reason: 'closed' });
    const outcome = { is: 'made', transferId: 'tr_late' } as const;
    await database.transaction((em) => recordTransfer(em, { payoutId, attempts: 1, outcome }));
    t.deepEqual(await alertsOf(payoutId), [
      { kind: 'pool_payout_failed', times: 1 },
      { kind: 'pool_transfer_unexpected', times: 1 },
    ]);
    t.like(await payoutsOf(owner), { 0: { status: 'failed' } });
  },
);

test.serial('the totals of a year are of each owner and currency', async (t) => {
  const owner = await addPoolOwner({ query });
  for (const [month, currency] of [
    ['2026-09', 'EUR'],
    ['2026-09', 'SEK'],
    ['2026-10', 'SEK'],
  ] as const) {
    const lines = [{ to: owner, amountMinor: 1_500 }];
    const id = await addApprovedPeriod(testDatabase, { month, currency }, lines);
    await settle(database, id);
    await pay(payoutIdOf(id, owner));
  }
  const [row] = await query<{ year: number }>(
    'select extract(year from gatehouse_now())::int as year',
  );
  const totals = await yearlyTotals(database.em(), row!.year);
  t.deepEqual(
    totals
      .filter(({ ownerId }) => ownerId === owner.personId)
      .map(({ currency, payouts, amountMinor }) => [currency, payouts, amountMinor]),
    [
      ['EUR', 1, 1_500],
      ['SEK', 2, 3_000],
    ],
  );
  t.deepEqual(await yearlyTotals(database.em(), row!.year - 1), []);
});

test.serial('the owners are mailed once what became of a payout, and why', async (t) => {
  const owner = await addPoolOwner({ query });
  const textsOf = async () => {
    const mails = await query<{ purpose: 'pool_paid' | 'pool_failed'; facts: MoneyFacts }>(
      'select purpose, facts from mail_token where person_id = $1 order by id',
      [owner.personId],
    );
    const platform = {
      baseUrl: 'https://g.example',
      support: 'help@g.example',
      isSimulated: false,
    };
    return mails.map((mail) => composeMoneyMail({ ...mail, name: 'Ada' }, platform));
  };
  const start = async (month: string, currency: string) => {
    const lines = [{ to: owner, amountMinor: 2_500 }];
    const id = await addApprovedPeriod(testDatabase, { month, currency }, lines);
    await settle(database, id);
    return payoutIdOf(id, owner);
  };
  await attempt(await start('2026-10', 'GBP'), { is: 'refused', reason: 'It is closed.' });
  const givenUp = await start('2026-10', 'CHF');
  await query('update pool_payout set attempts = 35 where id = $1', [givenUp]);
  await attempt(givenUp, { is: 'not_made', reason: 'create transfer: 400' });
  await pay(await start('2026-10', 'NOK'));
  const [refused, late, paid, ...others] = await textsOf();
  t.deepEqual(others, []);
  t.is(refused!.subject, 'A payout of 25.00 GBP from the creator pool failed');
  t.regex(refused!.text, /transfer 25\.00 GBP for 2026-10[^]*Reason: It is closed\./);
  t.regex(late!.text, /25\.00 CHF/);
  t.notRegex(late!.text, /Reason|create transfer/);
  t.is(paid!.subject, 'You get 25.00 NOK from the creator pool');
  t.regex(paid!.text, /transferred 25\.00 NOK for 2026-10/);
});

test.serial('when nobody knows after 30 days, operators are told until it is known', async (t) => {
  const owner = await addPoolOwner({ query });
  const lines = [{ to: owner, amountMinor: 1_000 }];
  const id = await addApprovedPeriod(testDatabase, { month: '2026-10', currency: 'PLN' }, lines);
  await settle(database, id);
  const payoutId = payoutIdOf(id, owner);
  await query('update pool_payout set attempts = 35 where id = $1', [payoutId]);
  await attempt(payoutId, { is: 'unknown', reason: 'no answer' });
  t.like(await payoutsOf(owner), { 0: { status: 'paying' }, length: 1 });
  t.deepEqual(await alertsOf(payoutId), [{ kind: 'pool_payout_failed', times: 1 }]);
  await testDatabase.advance(86_400_000);
  await pay(payoutId);
  t.deepEqual(await alertsOf(payoutId), []);
});

test.serial('a team is one owner, whoever of it owned the product before', async (t) => {
  const builder = await addPoolOwner({ query });
  const teamId = await addPoolTeam(testDatabase, 'acct_team');
  const id = await addApprovedPeriod(testDatabase, { month: '2026-09', currency: 'DKK' }, [
    { to: builder, amountMinor: 900 },
    {
      to: { ...builder, productId: (await addPoolOwner({ query })).productId },
      amountMinor: 1_100,
    },
  ]);
  await query(
    `update pool_line set person_id = null, team_id = $2 where period_id = $1 and amount_minor = 1100`,
    [id, teamId],
  );
  await settle(database, id);
  const payoutId = `pool-2026-09-${teamId}-DKK`;
  t.deepEqual(
    await query(
      'select id, team_id, person_id, amount_minor, account from pool_payout where period_id = $1',
      [id],
    ),
    [
      {
        id: payoutId,
        team_id: teamId,
        person_id: null,
        amount_minor: '1100',
        account: 'acct_team',
      },
    ],
  );
  await pay(payoutId);
  t.deepEqual(await linesOf(builder), [[id, 'below_minimum', null]]);
  const team = { ...builder, personId: teamId };
  t.deepEqual(await readPoolLedger(testDatabase, team), { owedMinor: 0, sumMinor: 0 });
});

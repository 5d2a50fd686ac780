// Responses of a processor that payouts cannot end with.
import test from 'ava';
import { createPoolPayoutActivities } from '../../activities/pool/payout.activities.ts';
import type { Services } from '../../activities/index.ts';
import { recordFoundOutcome } from '../../domain/pool/line/end-payout.repository.ts';
import { openTestDatabase } from '../support/engines/database.ts';
import {
  addDuePayout,
  addPoolOwner,
  createPoolViews,
  readPoolLedger,
} from '../support/pool/payouts.ts';
import { stubProcessor } from '../support/purchases/stub-processor.ts';

const { testDatabase, database, close } = await openTestDatabase();
const { query } = testDatabase;
const { alertsOf } = createPoolViews(testDatabase);
const operator = await addPoolOwner({ query });
const by = { personId: operator.personId, ip: null };
test.after.always(close);

/** A payout of 40.00, and the processor's own words about its transfer. */
async function addPayout() {
  const due = await addDuePayout({ testDatabase, database }, { amountMinor: 4_000 });
  const transfer = {
    object: 'transfer',
    currency: 'eur',
    amount: 4_000,
    destination: due.owner.account,
    transfer_group: due.payoutId,
  };
  return { ...due, transfer };
}

async function send(payoutId: string, body: object) {
  const { processor, close: closeStub } = await stubProcessor(() => ({ status: 200, body }));
  const { sendPoolPayout } = createPoolPayoutActivities({ database, processor } as Services);
  try {
    return await sendPoolPayout({ payoutId });
  } finally {
    await closeStub();
  }
}

const rowOf = async (payoutId: string) => {
  const sql = `select status, attempts, transfer_id, is_outcome_unknown as unknown,
    due_at > gatehouse_now() as waits from pool_payout where id = $1`;
  return (await query(sql, [payoutId]))[0]!;
};

const UNREADABLE = {
  'a transfer without its fields': { object: 'transfer', id: 'tr_1' },
  nothing: null as unknown as object,
};

for (const [what, body] of Object.entries(UNREADABLE)) {
  test.serial(`${what} leaves the outcome unknown, and the schedule goes on`, async (t) => {
    const { payoutId, owner } = await addPayout();
    t.like(await send(payoutId, body), { status: 'paying', attempts: 1 });
    t.like(await rowOf(payoutId), { attempts: 1, unknown: true, waits: true });
    const reason = 'The dashboard has none.';
    const found = { is: 'not_paid', payoutId, by, reason } as const;
    t.is(await database.transaction((em) => recordFoundOutcome(em, found)), 'recorded');
    t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 4_000, sumMinor: 0 });
  });
}

test.serial('a transfer that an operator recorded for another payout stops none', async (t) => {
  const [other, one] = [await addPayout(), await addPayout()];
  await send(other.payoutId, {});
  const find = (payoutId: string, transferId: string) =>
    database.transaction((em) => recordFoundOutcome(em, { is: 'paid', payoutId, by, transferId }));
  t.is(await find(other.payoutId, 'tr_of_one'), 'recorded');
  const made = { ...one.transfer, id: 'tr_of_one' };
  t.like(await send(one.payoutId, made), { status: 'paid', attempts: 1 });
  t.like(await rowOf(one.payoutId), { unknown: false, transfer_id: 'tr_of_one' });
  t.deepEqual(await alertsOf(one.payoutId), []);
  t.deepEqual(await alertsOf(other.payoutId), [{ kind: 'pool_transfer_unexpected', times: 1 }]);
  for (const { owner } of [one, other]) {
    t.deepEqual(await readPoolLedger(testDatabase, owner), { owedMinor: 0, sumMinor: 0 });
  }
});

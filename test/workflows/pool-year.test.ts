import test from 'ava';
import type { PoolSums } from '../../domain/pool/statement/balance.ts';
import { approveUpdate } from '../../workflows/contracts.ts';
import { findContradictions } from '../chaos/pool/outcome.ts';
import { eventually } from '../support/eventually.ts';
import { firstDays } from '../support/pool/pool-facts.ts';
import { startPeriod } from '../support/pool/pool-periods.ts';
import type { Arrived } from '../support/pool/year/arrivals.ts';
import { FEE_MINOR, openPoolYear, type PoolYear } from '../support/pool/year/pool-year.ts';
import {
  computeAnew,
  readAccounts,
  readMoved,
  readReceived,
  sumUpStatements,
} from '../support/pool/year/year-books.ts';

/** Of this file alone: the workflow of a month is known by its currency on the whole server. */
const currency = 'NOK';
const MONTHS = 12;
const EMPTY = 8;
/** After these is frozen, nothing comes: the next one is empty, or there is none. */
const QUIET = [EMPTY - 1, EMPTY, MONTHS];
const STATES = ['open', 'frozen', 'computed', 'in_review', 'approved', 'paying', 'paid'];
/** More than a month gives, once it goes back; it does not divide by twelve. */
const YEARLY_MINOR = 30 * FEE_MINOR + 7;

type Month = { number: number; periodId: string; charges: string[] };

const months: Month[] = [];
const periodIds = () => months.map(({ periodId }) => periodId);
/** The states of each month in which something could arrive. */
const met: Record<number, string[]> = {};
let year: PoolYear;
let yearly: { paymentId: string; personId: string };

test.before(async () => {
  year = await openPoolYear({ currency, arrive });
});
test.after.always(() => year?.close());

/** In each state one Member of the month gets money back, beside what else happens in it. */
async function arrive({ periodId, status }: Arrived): Promise<void> {
  const { number, charges } = months.find((month) => month.periodId === periodId)!;
  (met[number] ??= []).push(status);
  await EVENTS[`${number} ${status}`]?.();
  if (QUIET.includes(number) && status !== 'open') return;
  const index = STATES.indexOf(status);
  const isWhole = number === 3 && index % 2 === 1;
  const amountMinor = isWhole ? FEE_MINOR : 100 * index + 51 * number;
  await year.refund(charges[index]!, { amountMinor });
}

const EVENTS: Record<string, () => Promise<unknown>> = {
  '4 frozen': () => year.loseDispute(months[1]!.charges.at(-1)!, { amountMinor: FEE_MINOR }),
  '5 in_review': () => year.hold(),
  '5 paid': () => year.exclude(months[2]!.periodId),
  '6 in_review': () => year.release(),
  '9 open': () => year.openLateAccount(),
  '10 computed': () => year.refund(yearly.paymentId, { amountMinor: YEARLY_MINOR }),
};

async function payForYear({ month }: { month: string }): Promise<void> {
  yearly ??= await year.scene.pay({ month, currency, interval: 'year', grossMinor: YEARLY_MINOR });
  const { personId } = yearly;
  await year.scene.use(personId, { productId: year.products[0]!, month, mask: firstDays(9) });
}

async function passMonth(number: number): Promise<string> {
  const { stage, operator } = year;
  const story = await startPeriod(stage, currency);
  const { periodId } = story;
  const charges = number === EMPTY ? [] : await year.payAndUse(periodId);
  months.push({ number, periodId, charges });
  if ([9, 10].includes(number)) await payForYear({ month: periodId.slice(0, 7) });
  if (number !== EMPTY) await arrive({ periodId, status: 'open' });
  await story.isWaiting(1);
  await story.passMonth();
  if (number === EMPTY) return story.result();
  await story.reaches('in_review');
  await arrive({ periodId, status: 'in_review' });
  await story.says(/^in_review/);
  if (number % 2 === 0) await story.approve(operator.personId);
  else {
    const code = await story.codeOf(operator.personId);
    await story.handle.executeUpdate(approveUpdate, { args: [code] });
  }
  const result = await story.result();
  await arrive({ periodId, status: 'paid' });
  return result;
}

const linesOf = (number: number, productId: string) =>
  year.stage.testDatabase.query<{ status: string; paid_in: string }>(
    `select line.status, payout.period_id as paid_in
     from pool_line line left join pool_payout payout on payout.id = payout_id
     where line.period_id = $1 and product_id = $2 and line.amount_minor > 0`,
    [months[number - 1]!.periodId, productId],
  );

test.serial('a year of months, and in every state of each a refund arrives', async (t) => {
  for (let number = 1; number <= MONTHS; number += 1) {
    t.is(await passMonth(number), number === EMPTY ? 'empty' : 'paid', String(number));
    if (number === 5) t.like(await linesOf(5, year.products[1]!), [{ status: 'held' }]);
  }
  const others = Object.entries(met).filter(([, states]) => states.join() !== STATES.join());
  t.deepEqual(others, []);
  t.is(Object.keys(met).length, MONTHS - 1);
});

test.serial('each month balances, in its row, its lines and the ledger', async (t) => {
  for (const { periodId, number } of months) {
    if (number === EMPTY) continue;
    const { fees, parts, products, unattributed, lines, shares, kept } = await readMoved(
      year,
      periodId,
    );
    t.is(fees, parts, periodId);
    t.deepEqual([lines, shares, kept], [products, products, unattributed], periodId);
  }
});

test.serial('originals and corrections are the months as they are known in the end', async (t) => {
  t.deepEqual(await sumUpStatements(year, periodIds()), await computeAnew(year, periodIds()));
});

test.serial('what was held and what had no account came in a later month, once', async (t) => {
  const [, second, , late] = year.products;
  const paidIn = (number: number) => [{ status: 'paid', paid_in: months[number - 1]!.periodId }];
  t.deepEqual(await linesOf(5, second!), paidIn(6));
  t.deepEqual(await linesOf(1, late!), paidIn(9));
});

test.serial('a team that owes more than a month gives works it off first', async (t) => {
  const [first] = year.products;
  const paidIn = months.at(-1)!.periodId;
  t.deepEqual(await linesOf(11, first!), [{ status: 'paid', paid_in: paidIn }]);
});

test.serial('each team got exactly what its lines say, once', async (t) => {
  await eventually(
    () => findContradictions(year.stage.testDatabase, periodIds()),
    (wrong) => wrong.length === 0,
  );
  const received = await readReceived(year);
  t.is(received.length, 3);
  for (const { transferred, lines, waiting } of received) {
    t.true(transferred > 0);
    t.deepEqual({ transferred, waiting }, { transferred: lines, waiting: 0 });
  }
});

test.serial('the ledger balances to zero, and holds what the year came to', async (t) => {
  const accounts = await readAccounts(year);
  const sum = Object.values(accounts).reduce((all, each) => all + each, 0);
  t.is(sum, 0);
  const truth = Object.values(await sumUpStatements(year, periodIds()));
  const total = (key: keyof PoolSums) => truth.reduce((all, month) => all + month[key], 0);
  t.deepEqual(accounts, {
    buyer: -total('feesMinor'),
    platform: total('platformMinor'),
    pool: 0,
    seller: total('productsMinor'),
    unattributed: total('unattributedMinor'),
  });
});

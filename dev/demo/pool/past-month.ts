// A month of the past for the pool: a database's clock cannot be moved, so its rows are written.
import { MemberPrice } from '../../../domain/entitlements/memberships/member-price.entity.ts';
import { kysely } from '../../../domain/kysely.ts';
import { periodIdOf } from '../../../domain/pool/period/pool-month.ts';
import { freezeDueOf } from '../../../domain/pool/period/period-calendar.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { monthOf, DAY_MS } from '../../../domain/shared/instant.ts';
import { daysOf, firstDayOf, placeOf } from '../../../domain/usage/history/calendar.ts';
import { UsageMonth } from '../../../domain/usage/usage-month.entity.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { insertCharges } from './charges.ts';
import { pastMonths, STORE_CURRENCY } from './members.ts';

/** Member is sold in none of these here: each month of each is free for one walk. */
const CURRENCIES = ['EUR', 'GBP', 'BRL'];
const AMOUNT_MINOR = 999;
/** The days of use among each five days. */
const DAYS_USED = 3;

export type PastMonth = { month: string; currency: string };

type Facts = {
  personId: string;
  productId: string;
  operatorId: string;
  currencies?: readonly string[];
};

/**
 * Everybody who paid for Member in that month pays once more, in a currency of its own, and the new
 * Member with them, who used the product on most days. Null when no month is left.
 */
export async function writePastMonth(
  em: EntityManager,
  { personId, productId, operatorId, currencies = CURRENCIES }: Facts,
): Promise<PastMonth | null> {
  const at = await now(em);
  const free = await findFree(em, { at, currencies });
  if (free === null) return null;
  const { month, currency } = free;
  await priceOnce(em, { currency, operatorId, at });
  const paidAt = new Date(Date.parse(firstDayOf(month)) + DAY_MS);
  const payers = await findPayers(em, month);
  const members = [...payers, personId].map((payerId) => {
    const charge = { billingInterval: 'month', paidAt: [paidAt], isRefunded: false } as const;
    return { personId: payerId, ...charge };
  });
  await insertCharges(em, { currency, members, at });
  await em.insert(UsageMonth, { personId, productId, ...daysUsed(month) });
  return free;
}

/** A month whose end is long enough ago, and that has no charges and no period in the currency. */
async function findFree(
  em: EntityManager,
  { at, currencies }: { at: Date; currencies: readonly string[] },
): Promise<PastMonth | null> {
  const isOver = (month: Date) => freezeDueOf(month) <= at;
  const months = pastMonths(at).filter(isOver).toReversed().map(monthOf);
  const periods = await kysely(em).selectFrom('poolPeriod').select('id').execute();
  const paid = await kysely(em)
    .selectFrom('membership')
    .select(['currency', 'periodStart'])
    .where('currency', 'in', currencies)
    .where('periodStart', 'is not', null)
    .execute();
  const taken = new Set([
    ...periods.map(({ id }) => id),
    ...paid.map(({ currency, periodStart }) =>
      periodIdOf({ month: monthOf(periodStart!), currency: currency! }),
    ),
  ]);
  const all = currencies.flatMap((currency) => months.map((month) => ({ month, currency })));
  return all.find((each) => !taken.has(periodIdOf(each))) ?? null;
}

/** A price that is retired at once: the store does not change. */
async function priceOnce(
  em: EntityManager,
  { currency, operatorId, at }: { currency: string; operatorId: string; at: Date },
): Promise<void> {
  if ((await em.count(MemberPrice, { currency, billingInterval: 'month' })) > 0) return;
  const price = { currency, billingInterval: 'month' as const, amountMinor: AMOUNT_MINOR };
  await em.insert(MemberPrice, { id: newUuid(), ...price, setBy: operatorId, retiredAt: at });
}

/** Finds the people who paid in the store's own currency. */
async function findPayers(em: EntityManager, month: string): Promise<string[]> {
  const from = new Date(firstDayOf(month));
  const paid = await kysely(em)
    .selectFrom('payment')
    .innerJoin('membership', 'membership.id', 'payment.membershipId')
    .select('membership.personId')
    .distinct()
    .where('payment.currency', '=', STORE_CURRENCY)
    .where('payment.status', '=', 'succeeded')
    .where('payment.createdAt', '>=', from)
    .where('payment.createdAt', '<', new Date(from.getTime() + daysOf(month).length * DAY_MS))
    .orderBy('membership.personId')
    .execute();
  return paid.map(({ personId }) => personId);
}

function daysUsed(month: string) {
  const days = daysOf(month).filter((day) => placeOf(day) % 5 < DAYS_USED);
  const mask = days.reduce((sum, day) => sum | (1 << placeOf(day)), 0);
  return {
    month: firstDayOf(month),
    sessionDays: mask,
    heartbeatDays: 0,
    activityDays: mask,
    profileReadDays: 0,
    keyDays: 0,
    qualifyingDays: mask,
    firstAt: new Date(`${days[0]}T09:10:00Z`),
    lastAt: new Date(`${days.at(-1)}T19:40:00Z`),
  };
}

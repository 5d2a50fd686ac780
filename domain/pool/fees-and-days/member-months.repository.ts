// The Members of a month with what they paid and used. Each batch is a few short statements: nothing
// stays open or locked, however many Members there are.
import { setTimeout as rest } from 'node:timers/promises';
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { releaseAfterEach } from '../../../platform/start-memory.ts';
import {
  readCountedDays,
  type CountedDays,
  readMonthFacts,
  type MonthFacts,
} from './counted-days.repository.ts';
import { type PoolMonth, firstYearlyCharge, spanOf } from '../period/pool-month.ts';
import { RECEIVED_STATUSES } from '../../billing/purchases/payment-status.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { feeOfMonthMinor } from '../split/net-fee.ts';

export type PoolMemberMonth = {
  personId: string;
  netMinor: number;
  /** Stand in the order of their ids. */
  products: CountedDays[];
};

const MEMBERSHIPS = 5_000;
/** The people whose days are read at once: some use hundreds of products. */
const PEOPLE = 500;
/** The pause between batches, so that checks are answered while a month of many Members is read. */
const REST_MS = 40;
const RELEASED_AFTER = 10_000;

/** Batches of Members with a charge for the month, in the order of persons. */
export function readPoolInput(
  database: Pick<Database, 'em'>,
  of: PoolMonth,
): AsyncGenerator<PoolMemberMonth[]> {
  return releaseAfterEach(RELEASED_AFTER, readBatches(database, of));
}

async function* readBatches(
  database: Pick<Database, 'em'>,
  of: PoolMonth,
): AsyncGenerator<PoolMemberMonth[]> {
  const facts = await readMonthFacts(database.em(), of.month);
  for await (const fees of readFeesInBatches(database, { ...of, memberships: MEMBERSHIPS })) {
    const personIds = [...fees.keys()].toSorted();
    for (let start = 0; start < personIds.length; start += PEOPLE) {
      yield await readMembers(database, {
        personIds: personIds.slice(start, start + PEOPLE),
        fees,
        facts,
      });
      await rest(REST_MS);
    }
  }
}

async function readMembers(
  database: Pick<Database, 'em'>,
  { personIds, fees, facts }: { personIds: string[]; fees: Fees; facts: MonthFacts },
): Promise<PoolMemberMonth[]> {
  const counted = await readCountedDays(database.em(), { personIds, facts });
  return personIds.map((personId) => ({
    personId,
    netMinor: fees.get(personId)!,
    products: counted.get(personId) ?? [],
  }));
}

/** People from the first after `after` to `through`; null is the last one of all. */
type People = { after: string; through: string | null };

/** Sorts before every person. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Net fees by person, of people with a charge for the month: always as the charges are known now. A
 * processor's fee that becomes known after the freeze makes no correction by itself: it counts with
 * the next one of that Member and month, such as a refund of the charge. Until then the platform bears
 * it.
 */
export type Fees = Map<string, number>;

/** The fees of all who paid for the month, of so many memberships at once, in the order of people. */
export async function* readFeesInBatches(
  database: Pick<Database, 'em'>,
  { memberships, ...of }: PoolMonth & { memberships: number },
): AsyncGenerator<Fees> {
  let after: string | null = NOBODY;
  while (after !== null) {
    const people = await findNextPeople(database.em(), { after, memberships });
    if (people === null) return;
    yield await readFees(database.em(), { ...of, ...people });
    after = people.through;
  }
}

/** The next people with so many memberships, in the order of their ids; null after the last. */
async function findNextPeople(
  em: EntityManager,
  { after, memberships }: { after: string; memberships: number },
): Promise<People | null> {
  const next = kysely(em)
    .selectFrom('membership')
    .select('personId')
    .where('personId', '>', after)
    .orderBy('personId')
    .limit(1);
  const last = await next.offset(memberships - 1).executeTakeFirst();
  if (last) return { after, through: last.personId };
  return (await next.executeTakeFirst()) ? { after, through: null } : null;
}

async function readFees(
  em: EntityManager,
  { after, through, ...of }: PoolMonth & People,
): Promise<Fees> {
  const charges = await chargesOf(em, of)
    .where('membership.personId', '>', after)
    .$if(through !== null, (some) => some.where('membership.personId', '<=', through!))
    .execute();
  return addUp(charges, of.month);
}

export async function readFeesOf(
  em: EntityManager,
  { personIds, ...of }: PoolMonth & { personIds: readonly string[] },
): Promise<Fees> {
  const charges = await chargesOf(em, of)
    .where('membership.personId', '=', anyOf(personIds))
    .execute();
  return addUp(charges, of.month);
}

/**
 * Charges for the month whose money arrived, returned or not. Each membership's are read by its index,
 * whatever PostgreSQL believes of a currency: an offset keeps it from reading all payments for a batch
 * of memberships, and the other conditions outside from reading all of the currency for each one.
 */
function chargesOf(em: EntityManager, { month, currency }: PoolMonth) {
  const { from, until } = spanOf(month);
  return kysely(em)
    .selectFrom('membership')
    .crossJoinLateral(({ selectFrom }) =>
      selectFrom('payment')
        .select(['grossMinor', 'processorFeeMinor', 'returnedMinor', 'createdAt as succeededAt'])
        .select(['currency', 'status'])
        .whereRef('payment.membershipId', '=', 'membership.id')
        .offset(0)
        .as('charge'),
    )
    .select(['membership.personId', 'membership.billingInterval as interval'])
    .select(['charge.grossMinor', 'charge.processorFeeMinor', 'charge.returnedMinor'])
    .select('charge.succeededAt')
    .where('charge.currency', '=', currency)
    .where('charge.status', '=', anyOf(RECEIVED_STATUSES))
    .where('charge.succeededAt', '>=', firstYearlyCharge(month))
    .where('charge.succeededAt', '<', until)
    .where(({ eb, or }) =>
      or([eb('membership.billingInterval', '=', 'year'), eb('charge.succeededAt', '>=', from)]),
    );
}

type Charge = Awaited<ReturnType<ReturnType<typeof chargesOf>['execute']>>[number];

function addUp(charges: readonly Charge[], month: string): Fees {
  const fees: Fees = new Map();
  for (const { personId, interval, ...charge } of charges) {
    const fee = feeOfMonthMinor({ ...charge, interval: interval! }, month);
    fees.set(personId, (fees.get(personId) ?? 0) + fee);
  }
  return fees;
}

// The Members of a month with what they paid and used. Each batch is a few short statements: nothing
// stays open or locked, however many Members there are.
import { setTimeout as rest } from 'node:timers/promises';
import type { Database } from '../../../platform/database/database.ts';
import { releaseAfterEach } from '../../../platform/start-memory.ts';
import { readCountedDays, type CountedDays } from './counted-days.repository.ts';
import { readFeesInBatches, type Fees } from './fees.repository.ts';
import { readMonthFacts, type MonthFacts } from './month-facts.repository.ts';
import type { PoolMonth } from './pool-month.ts';

export type PoolMemberMonth = {
  personId: string;
  netMinor: number;
  /** In the order of their ids. */
  products: CountedDays[];
};

const MEMBERSHIPS = 5_000;
/** Some use hundreds of products: their days are read for fewer people at once. */
const PEOPLE = 500;
/** Between batches, so that checks are answered while a month of many Members is read. */
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

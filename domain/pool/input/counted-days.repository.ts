// The days of Members that count in the pool, by product.
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { countDays, countingOf, daysTouched, type DayMask } from '../split/weight.ts';
import { pairOf, type MonthFacts, type PoolProduct } from './month-facts.repository.ts';
import { spanOf } from './pool-month.ts';

export type CountedDays = { productId: string; days: number };

type Asked = { personIds: readonly string[]; facts: MonthFacts };

/** By person, the products in the order of their ids; nothing of people without a counting day. */
export async function readCountedDays(
  em: EntityManager,
  { personIds, facts }: Asked,
): Promise<Map<string, CountedDays[]>> {
  const own = await readOwnDays(em, { personIds, facts });
  const counted = new Map<string, CountedDays[]>();
  for (const use of await selectUse(em, { personIds, facts }).execute()) {
    const days = countDays(countingDaysOf(use, { ...facts, ...own }));
    if (days === 0) continue;
    const products = counted.get(use.personId) ?? [];
    products.push({ productId: use.productId, days });
    counted.set(use.personId, products);
  }
  for (const products of counted.values()) products.sort(byProduct);
  return counted;
}

const byProduct = (one: CountedDays, other: CountedDays) =>
  one.productId < other.productId ? -1 : 1;

/** What of these people does not count: days of complimentary access and in teams. */
export async function readOwnDays(em: EntityManager, asked: Asked): Promise<Own> {
  return { given: await readComplimentary(em, asked), teams: await readTeams(em, asked) };
}

type Use = { personId: string; productId: string; qualifyingDays: DayMask };
/** Days by `pairOf` person and product, or person and team. */
type Own = { given: Map<string, DayMask>; teams: Map<string, DayMask> };

export function countingDaysOf(use: Use, facts: MonthFacts & Own): DayMask {
  const product = facts.products.get(use.productId);
  const pair = pairOf(use.personId, use.productId);
  if (!product || facts.exclusions.has(pair)) return 0;
  if (product.ownerPersonId === use.personId) return 0;
  const ownTeam = daysInTeam(use.personId, { product, ...facts });
  const excluded = ownTeam | (facts.given.get(pair) ?? 0);
  return countingOf({ qualified: use.qualifyingDays, included: product.included, excluded });
}

function daysInTeam(
  personId: string,
  { product, stays, teams }: MonthFacts & Own & { product: PoolProduct },
): DayMask {
  if (product.ownerTeamId === null) return 0;
  const pair = pairOf(personId, product.ownerTeamId);
  return (stays.get(pair) ?? 0) | (teams.get(pair) ?? 0);
}

/** Qualified days of these people, whether they count or not. */
export function selectUse(em: EntityManager, { personIds, facts }: Asked) {
  return kysely(em)
    .selectFrom('usageMonth')
    .select(['personId', 'productId', 'qualifyingDays'])
    .where('month', '=', `${facts.month}-01`)
    .where('personId', '=', anyOf(personIds))
    .where('qualifyingDays', '<>', 0);
}

async function readComplimentary(em: EntityManager, { personIds, facts: { month } }: Asked) {
  const { from, until } = spanOf(month);
  const grants = await kysely(em)
    .selectFrom('accessGrant')
    .select(['personId', 'productId', 'startsAt', 'endsAt', 'withdrawnAt'])
    .where('type', '=', 'complimentary')
    .where('personId', '=', anyOf(personIds))
    .where('startsAt', '<', until)
    .where(({ eb, or }) => or([eb('endsAt', 'is', null), eb('endsAt', '>', from)]))
    .where(({ eb, or }) => or([eb('withdrawnAt', 'is', null), eb('withdrawnAt', '>', from)]))
    .execute();
  const days = new Map<string, DayMask>();
  for (const { personId, productId, startsAt, endsAt, withdrawnAt } of grants) {
    const ends = [endsAt, withdrawnAt].filter((end) => end !== null).map(Number);
    const endsMs = Math.min(...ends);
    const span = { from: startsAt, until: ends.length === 0 ? null : new Date(endsMs) };
    const pair = pairOf(personId, productId);
    days.set(pair, (days.get(pair) ?? 0) | daysTouched(month, [span]));
  }
  return days;
}

async function readTeams(em: EntityManager, { personIds, facts: { month } }: Asked) {
  const members = await kysely(em)
    .selectFrom('teamMember')
    .select(['personId', 'teamId', 'createdAt'])
    .where('personId', '=', anyOf(personIds))
    .execute();
  return new Map(
    members.map(({ personId, teamId, createdAt }) => [
      pairOf(personId, teamId),
      daysTouched(month, [{ from: createdAt, until: null }]),
    ]),
  );
}

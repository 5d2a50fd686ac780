// The days of Members that count in the pool, by product.
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { daysTouched, type DayMask, countDays, countingOf } from '../split/counting-days.ts';
import { spanOf, type MonthSpan } from '../period/pool-month.ts';
import { anyOf } from '../../../platform/database/expressions.ts';

type PoolProduct = {
  /** The days on which the product was Included. */
  included: DayMask;
  ownerPersonId: string | null;
  ownerTeamId: string | null;
};

/** What decides which days of a month count, and fits into memory: read once. */
export type MonthFacts = {
  month: string;
  products: ReadonlyMap<string, PoolProduct>;
  /** Days of people in teams that they left, by `pairOf` person and team. */
  stays: ReadonlyMap<string, DayMask>;
  /** Pairs of person and product, by `pairOf`. */
  exclusions: ReadonlySet<string>;
};

export const pairOf = (personId: string, other: string) => `${personId} ${other}`;

const PAGE = 5_000;

export async function readMonthFacts(em: EntityManager, month: string): Promise<MonthFacts> {
  return {
    month,
    products: await readProducts(em, month),
    stays: await readStays(em, month),
    exclusions: await readExclusions(em, month),
  };
}

async function readProducts(em: EntityManager, month: string) {
  const products = new Map<string, PoolProduct>();
  const span = spanOf(month);
  let after: string | null = '0';
  while (after !== null) {
    const page = await listSpans(em, { after, span });
    for (const { productId, startedAt, endedAt, ...owner } of page) {
      const product = products.get(productId) ?? { ...owner, included: 0 };
      product.included |= daysTouched(month, [{ from: startedAt, until: endedAt }]);
      products.set(productId, product);
    }
    after = page.length < PAGE ? null : page.at(-1)!.id;
  }
  return products;
}

function listSpans(em: EntityManager, { after, span }: { after: string; span: MonthSpan }) {
  return kysely(em)
    .selectFrom('includedSpan')
    .innerJoin('product', 'product.id', 'includedSpan.productId')
    .select(['includedSpan.id', 'includedSpan.productId'])
    .select(['includedSpan.startedAt', 'includedSpan.endedAt'])
    .select(['product.ownerPersonId', 'product.ownerTeamId'])
    .where('includedSpan.id', '>', after)
    .where('includedSpan.startedAt', '<', span.until)
    .where(({ eb, or }) =>
      or([eb('includedSpan.endedAt', 'is', null), eb('includedSpan.endedAt', '>', span.from)]),
    )
    .orderBy('includedSpan.id')
    .limit(PAGE)
    .execute();
}

async function readStays(em: EntityManager, month: string) {
  const { from, until } = spanOf(month);
  const stays = await kysely(em)
    .selectFrom('teamStay')
    .select(['teamId', 'personId', 'startedAt', 'endedAt'])
    .where('endedAt', '>', from)
    .where('startedAt', '<', until)
    .execute();
  const days = new Map<string, DayMask>();
  for (const { teamId, personId, startedAt, endedAt } of stays) {
    const pair = pairOf(personId, teamId);
    const stay = daysTouched(month, [{ from: startedAt, until: endedAt }]);
    days.set(pair, (days.get(pair) ?? 0) | stay);
  }
  return days;
}

export async function readExclusions(em: EntityManager, month: string): Promise<Set<string>> {
  const exclusions = await kysely(em)
    .selectFrom('poolExclusion')
    .select(['personId', 'productId'])
    .where('month', '=', `${month}-01`)
    .execute();
  return new Set(exclusions.map(({ personId, productId }) => pairOf(personId, productId)));
}

export type CountedDays = { productId: string; days: number };

/** The people whose days of a month are read. */
export type PeopleInMonth = { personIds: readonly string[]; facts: MonthFacts };

/**
 * Returns by person the products in the order of their ids; nothing of people without a counting
 * day.
 */
export async function readCountedDays(
  em: EntityManager,
  { personIds, facts }: PeopleInMonth,
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
export async function readOwnDays(em: EntityManager, input: PeopleInMonth): Promise<Own> {
  return { given: await readComplimentary(em, input), teams: await readTeams(em, input) };
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
export function selectUse(em: EntityManager, { personIds, facts }: PeopleInMonth) {
  return kysely(em)
    .selectFrom('usageMonth')
    .select(['personId', 'productId', 'qualifyingDays'])
    .where('month', '=', `${facts.month}-01`)
    .where('personId', '=', anyOf(personIds))
    .where('qualifyingDays', '<>', 0);
}

async function readComplimentary(
  em: EntityManager,
  { personIds, facts: { month } }: PeopleInMonth,
) {
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

async function readTeams(em: EntityManager, { personIds, facts: { month } }: PeopleInMonth) {
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

// What decides which days of a month count, and fits into memory: read once.
import type { EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import { daysTouched, type DayMask } from '../split/weight.ts';
import { spanOf, type MonthSpan } from './pool-month.ts';

export type PoolProduct = {
  /** The days on which the product was Included. */
  included: DayMask;
  ownerPersonId: string | null;
  ownerTeamId: string | null;
};

export type MonthFacts = {
  month: string;
  products: ReadonlyMap<string, PoolProduct>;
  /** Days of people in teams that they left, by `pairOf` person and team. */
  stays: ReadonlyMap<string, DayMask>;
  /** By `pairOf` person and product. */
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

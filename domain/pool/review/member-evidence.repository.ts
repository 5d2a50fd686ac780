// Counting days of Members in a month, person by person in batches.
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { addMonths } from '../../billing/ledger/statement.ts';
import { RECEIVED_STATUSES } from '../../billing/purchases/received-statuses.ts';
import { kysely } from '../../kysely.ts';
import { countingDays, type Interval } from '../split/weight.ts';
import type { MemberEvidence } from './review-rules.ts';
import { readAccounts } from './account-facts.repository.ts';

const BATCH = 500;

/** `month` is its first day. */
type Period = { month: string; currency: string };

type ProductEvidence = { productId: string; evidence: MemberEvidence };

/** Of each Member of the month and currency and each product with counting days. */
export async function* readMemberEvidence(
  open: () => EntityManager,
  period: Period,
): AsyncGenerator<ProductEvidence[]> {
  const products = new Map<string, ProductFacts>();
  for (let after: string | null = null; ;) {
    const em = open();
    const persons = await listMembers(em, { ...period, after });
    if (persons.length > 0) yield await readBatch(em, { month: period.month, persons, products });
    if (persons.length < BATCH) return;
    after = persons.at(-1)!;
  }
}

/** People with a charge that pays for the month: of a year also one of the eleven months before. */
async function listMembers(
  em: EntityManager,
  { month, currency, after }: Period & { after: string | null },
): Promise<string[]> {
  const from = new Date(`${month}T00:00:00Z`);
  const found = await kysely(em)
    .selectFrom('membership')
    .select('personId')
    .distinct()
    .where('currency', '=', currency)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('payment')
          .select('payment.id')
          .whereRef('payment.membershipId', '=', 'membership.id')
          .where('payment.currency', '=', currency)
          .where('payment.status', 'in', RECEIVED_STATUSES)
          .where('payment.createdAt', '<', addMonths(from, 1))
          .where(({ and, eb, or }) =>
            or([
              eb('payment.createdAt', '>=', from),
              and([
                eb('membership.billingInterval', '=', 'year'),
                eb('payment.createdAt', '>=', addMonths(from, -11)),
              ]),
            ]),
          ),
      ),
    )
    .$if(after !== null, (all) => all.where('personId', '>', after!))
    .orderBy('personId')
    .limit(BATCH)
    .execute();
  return found.map(({ personId }) => personId);
}

type ProductFacts = {
  included: Interval[];
  personId: string | null;
  teamId: string | null;
};

type Batch = { month: string; persons: string[]; products: Map<string, ProductFacts> };

async function readBatch(
  em: EntityManager,
  { month, persons, products }: Batch,
): Promise<ProductEvidence[]> {
  const rows = await listUsage(em, { month, persons });
  const productIds = [...new Set(rows.map(({ productId }) => productId))];
  await addProducts(
    em,
    products,
    productIds.filter((id) => !products.has(id)),
  );
  const given = await readComplimentary(em, { productIds, persons });
  const stays = await readStays(em, { month, persons });
  const accounts = await readAccounts(em, persons);
  const name = month.slice(0, 7);
  const counting = rows.flatMap(({ personId, productId, qualifyingDays, firstAt, lastAt }) => {
    const product = products.get(productId);
    if (!product || product.personId === personId) return [];
    const days = countingDays({
      month: name,
      qualified: qualifyingDays,
      included: product.included,
      complimentary: given.get(`${productId}:${personId}`) ?? [],
      ownTeam: stays.get(`${product.teamId}:${personId}`) ?? [],
    });
    return days === 0 ? [] : [{ personId, productId, days, times: [firstAt, lastAt] }];
  });
  const used = countUses(counting);
  return counting.map(({ personId, productId, days, times }) => ({
    productId,
    evidence: {
      month: name,
      days,
      times,
      productsUsed: used.get(personId)!,
      ...accounts.get(personId)!,
    },
  }));
}

function countUses(rows: readonly { personId: string }[]): Map<string, number> {
  const used = new Map<string, number>();
  for (const { personId } of rows) used.set(personId, (used.get(personId) ?? 0) + 1);
  return used;
}

/** What operators have excluded is left out. */
async function listUsage(em: EntityManager, { month, persons }: Pick<Batch, 'month' | 'persons'>) {
  return kysely(em)
    .selectFrom('usageMonth as use')
    .select(['use.personId', 'use.productId', 'use.qualifyingDays', 'use.firstAt', 'use.lastAt'])
    .where('use.month', '=', month)
    .where('use.personId', '=', anyOf(persons))
    .where('use.qualifyingDays', '<>', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('poolExclusion as without')
            .select('without.month')
            .whereRef('without.personId', '=', 'use.personId')
            .whereRef('without.productId', '=', 'use.productId')
            .whereRef('without.month', '=', 'use.month'),
        ),
      ),
    )
    .execute();
}

async function addProducts(
  em: EntityManager,
  products: Map<string, ProductFacts>,
  productIds: readonly string[],
): Promise<void> {
  if (productIds.length === 0) return;
  const found = await kysely(em)
    .selectFrom('product')
    .select(['id', 'ownerPersonId as personId', 'ownerTeamId as teamId'])
    .where('id', '=', anyOf(productIds))
    .execute();
  for (const { id, ...owner } of found) products.set(id, { included: [], ...owner });
  const spans = await kysely(em)
    .selectFrom('includedSpan')
    .select(['productId', 'startedAt as from', 'endedAt as until'])
    .where('productId', '=', anyOf(productIds))
    .execute();
  for (const { productId, ...span } of spans) products.get(productId)!.included.push(span);
}

async function readComplimentary(
  em: EntityManager,
  { productIds, persons }: { productIds: readonly string[]; persons: readonly string[] },
): Promise<Map<string, Interval[]>> {
  const grants = await kysely(em)
    .selectFrom('accessGrant')
    .select(['productId', 'personId', 'startsAt', 'endsAt', 'withdrawnAt'])
    .where('type', '=', 'complimentary')
    .where('productId', '=', anyOf(productIds))
    .where('personId', '=', anyOf(persons))
    .execute();
  return byKey(
    grants.map(({ productId, personId, startsAt, endsAt, withdrawnAt }) => ({
      key: `${productId}:${personId}`,
      from: startsAt,
      until: earlier(endsAt, withdrawnAt),
    })),
  );
}

/** Times in teams, those that are over included. */
async function readStays(
  em: EntityManager,
  { month, persons }: Pick<Batch, 'month' | 'persons'>,
): Promise<Map<string, Interval[]>> {
  const now = await kysely(em)
    .selectFrom('teamMember')
    .select(['teamId', 'personId', 'createdAt as from'])
    .where('personId', '=', anyOf(persons))
    .execute();
  const over = await kysely(em)
    .selectFrom('teamStay')
    .select(['teamId', 'personId', 'startedAt as from', 'endedAt as until'])
    .where('endedAt', '>', new Date(`${month}T00:00:00Z`))
    .where('personId', '=', anyOf(persons))
    .execute();
  return byKey(
    [...now.map((stay) => ({ ...stay, until: null })), ...over].map(
      ({ teamId, personId, from, until }) => ({ key: `${teamId}:${personId}`, from, until }),
    ),
  );
}

function byKey(intervals: readonly (Interval & { key: string })[]): Map<string, Interval[]> {
  const found = new Map<string, Interval[]>();
  for (const { key, from, until } of intervals) {
    const some = found.get(key) ?? [];
    some.push({ from, until });
    found.set(key, some);
  }
  return found;
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

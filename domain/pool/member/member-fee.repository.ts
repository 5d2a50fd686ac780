// Where the fees of one Member went. The rows name no person: the period's key finds them.
import type { EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { iconHashOf } from '../../catalog/pictures/picture.repository.ts';
import { RECEIVED_STATUSES } from '../../billing/purchases/payment-status.ts';
import { kysely } from '../../kysely.ts';
import { addMonths, toDay } from '../../shared/instant.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import { sha256Hex } from '../../shared/sha256.ts';
import { readPeriodId } from '../period/pool-month.ts';
import { MONTHS_KEPT } from '../period/period-calendar.ts';
import { nameUsed, openPoolKey, type Pseudonyms } from '../period/period-key.ts';
import { listMonthsPaid, type FeeMonth } from './fee-months.ts';
import { correctFee, splitFee, type FeeSplit } from './fee-split.ts';

/** The months of the last two years that the person has paid for, the newest first. */
export async function listFeeMonths(
  em: EntityManager,
  { personId, at }: { personId: string; at: Date },
): Promise<FeeMonth[]> {
  const charges = await kysely(em)
    .selectFrom('payment')
    .innerJoin('membership', 'membership.id', 'payment.membershipId')
    .select(['payment.currency', 'payment.createdAt', 'membership.billingInterval'])
    .where('membership.personId', '=', personId)
    .where('payment.status', 'in', RECEIVED_STATUSES)
    .execute();
  if (charges.length === 0) return [];
  const periods = await kysely(em)
    .selectFrom('poolPeriod')
    .select(['month', 'currency', 'status', 'freezeDueAt'])
    .select(({ eb }) => eb('encryptedKey', 'is not', null).$castTo<boolean>().as('hasKey'))
    .where('month', '>=', toDay(addMonths(at, -MONTHS_KEPT)))
    .execute();
  return listMonthsPaid(
    charges.map(({ currency, createdAt, billingInterval }) => ({
      currency,
      interval: billingInterval ?? 'month',
      succeededAt: createdAt,
    })),
    { at, periods: periods.map((period) => ({ ...period, month: period.month.slice(0, 7) })) },
  );
}

export type FeePart = {
  name: string;
  /** Is null where the product is not listed. */
  slug: string | null;
  iconHash: string | null;
  amountMinor: number;
  days: number;
};

export type FeeView = Omit<FeeSplit, 'products'> & { products: FeePart[] };

export type MemberFee = {
  month: string;
  currency: string;
  poolShareBps: number;
  fee: FeeView;
  /** Stand in the order of the statements' months. */
  corrections: (FeeView & { statementMonth: string })[];
};

type OfMember = { personId: string; month: string; currency: string; encryptor: Encryptor };

/**
 * The split of a month that is frozen, by the snapshot that its statement was computed from. Null
 * where the key is erased, and where nothing of the person's fee was left for the month.
 */
export async function findMemberFee(
  em: EntityManager,
  { personId, month, currency, encryptor }: OfMember,
): Promise<MemberFee | null> {
  const period = await findPeriod(em, { month, currency });
  if (period?.encryptedKey == null || period.poolShareBps === null) return null;
  const { id, encryptedKey, rule, poolShareBps } = period;
  const key = openPoolKey(encryptor, { id, encryptedKey });
  const member = key.ofMember(personId);
  const rows = await readRows(em, { periodId: id, member });
  if (rows.frozen === undefined && rows.corrections.length === 0) return null;
  const products = await findProducts(em, [
    ...(rows.frozen?.productIds ?? []),
    ...rows.corrections.flatMap(({ productIds }) => productIds),
  ]);
  const given = { terms: { period: month, rule, poolShareBps }, sha256: sha256Hex };
  const naming = new Map([...products].map(([each, product]) => [key.ofProduct(each), product]));
  const { netMinor = 0, productIds = [], days = [] } = rows.frozen ?? {};
  const frozen = { member, netMinor, products: nameUsed(key, { productIds, days }) };
  return {
    month,
    currency,
    poolShareBps,
    fee: nameParts(splitFee(frozen, given), naming),
    corrections: rows.corrections.map((row) => ({
      statementMonth: readPeriodId(row.periodId).month,
      ...nameParts(correctFee(changeOf(row, { key, member }), given), naming),
    })),
  };
}

async function findPeriod(em: EntityManager, of: { month: string; currency: string }) {
  return kysely(em)
    .selectFrom('poolPeriod')
    .select(['id', 'encryptedKey', 'rule', 'poolShareBps'])
    .where('month', '=', `${of.month}-01`)
    .where('currency', '=', of.currency)
    .where('status', '<>', 'open')
    .executeTakeFirst();
}

async function readRows(
  em: EntityManager,
  { periodId, member }: { periodId: string; member: string },
) {
  const bytes = Buffer.from(member, 'hex');
  const frozen = await kysely(em)
    .selectFrom('poolMember')
    .select(['netMinor', 'productIds', 'days'])
    .where('periodId', '=', periodId)
    .where('member', '=', bytes)
    .executeTakeFirst();
  const corrections = await kysely(em)
    .selectFrom('poolCorrection')
    .select(['periodId', 'netMinorBefore', 'netMinorAfter'])
    .select(['productIds', 'daysBefore', 'daysAfter'])
    .where('correctedId', '=', periodId)
    .where('member', '=', bytes)
    .orderBy('periodId')
    .execute();
  return { frozen, corrections };
}

type CorrectionRow = Awaited<ReturnType<typeof readRows>>['corrections'][number];

function changeOf(row: CorrectionRow, { key, member }: { key: Pseudonyms; member: string }) {
  const { productIds, netMinorBefore, netMinorAfter, daysBefore, daysAfter } = row;
  const used = (days: readonly number[]) => nameUsed(key, { productIds, days });
  return {
    member,
    before: { netMinor: netMinorBefore, products: used(daysBefore) },
    after: { netMinor: netMinorAfter, products: used(daysAfter) },
  };
}

type Named = Pick<FeePart, 'name' | 'slug' | 'iconHash'>;

async function findProducts(em: EntityManager, ids: readonly string[]) {
  const found = await kysely(em)
    .selectFrom('product')
    .innerJoin('productSlug as slug', (join) =>
      join.onRef('slug.productId', '=', 'product.id').on('slug.isCurrent', '=', true),
    )
    .select(['product.id', 'product.name', 'product.state', 'slug.slug'])
    .select(({ ref }) => iconHashOf(ref('product.id')).as('iconHash'))
    .where('product.id', '=', anyOf([...new Set(ids)]))
    .execute();
  return new Map<string, Named>(
    found.map(({ id, name, state, slug, iconHash }) => [
      id,
      { name, slug: state === 'listed' ? slug : null, iconHash },
    ]),
  );
}

const GONE: Named = { name: 'A product that is gone', slug: null, iconHash: null };

/** The largest part first. */
function nameParts(split: FeeSplit, naming: ReadonlyMap<string, Named>): FeeView {
  const products = split.products.map(({ product, ...part }) => ({
    ...part,
    ...(naming.get(product) ?? GONE),
  }));
  return {
    ...split,
    products: products.toSorted(
      (one, other) => other.amountMinor - one.amountMinor || (one.name < other.name ? -1 : 1),
    ),
  };
}

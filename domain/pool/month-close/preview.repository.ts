import { NOW, asJson } from '../../../platform/database/expressions.ts';
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { kysely } from '../../kysely.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import { sha256Hex } from '../../shared/sha256.ts';
import { readPoolInput } from '../fees-and-days/member-months.repository.ts';
import { readPeriodId } from '../period/pool-month.ts';
import { openPoolKey } from '../period/period-key.ts';
import { PoolPeriod, type PreviewFigures } from '../period/pool-period.entity.ts';
import { createPeriod } from '../statement/compute-statement.ts';
import { readShareBps, type PeriodRow } from './open-period.repository.ts';

/**
 * Computes an open month as if it ended now, without its corrections; nothing but the preview is
 * written, and none of a month that is frozen.
 */
export async function previewPool(
  database: Database,
  { periodId, encryptor }: { periodId: string; encryptor: Encryptor },
): Promise<{ status: PeriodRow['status'] }> {
  const period = await database.em().findOneOrFail(PoolPeriod, { id: periodId });
  if (period.status !== 'open' || period.encryptedKey === null) return { status: period.status };
  const { encryptedKey } = period;
  const figures = await readFigures(database, { period: { ...period, encryptedKey }, encryptor });
  return database.transaction((em) => keepPreview(em, { periodId, figures }));
}

async function readFigures(
  database: Database,
  { period, encryptor }: { period: PeriodRow & { encryptedKey: string }; encryptor: Encryptor },
): Promise<PreviewFigures> {
  const { month, currency } = readPeriodId(period.id);
  const poolShareBps = await readShareBps(database.em(), period.month);
  const { ofMember, ofProduct } = openPoolKey(encryptor, period);
  const header = { period: month, currency, rule: period.rule, poolShareBps, correctedPeriods: [] };
  const computation = createPeriod(header, sha256Hex);
  const ids = new Map<string, string>();
  const pseudonyms = new Map<string, string>();
  const idOf = (productId: string) => {
    const pseudonym = pseudonyms.get(productId) ?? ofProduct(productId);
    pseudonyms.set(productId, pseudonym);
    ids.set(pseudonym, productId);
    return pseudonym;
  };
  for await (const batch of readPoolInput(database, { month, currency })) {
    for (const { personId, netMinor, products } of batch) {
      const used = products.map(({ productId, days }) => ({ product: idOf(productId), days }));
      computation.add({ member: ofMember(personId), netMinor, products: used });
    }
  }
  return toFigures(computation.finish(), ids);
}

type Result = ReturnType<ReturnType<typeof createPeriod>['finish']>;

function toFigures(result: Result, ids: ReadonlyMap<string, string>): PreviewFigures {
  const { poolShareBps, sums, members, membersWithoutDays } = result;
  return {
    poolShareBps,
    feesMinor: String(sums.feesMinor),
    platformMinor: String(sums.platformMinor),
    productsMinor: String(sums.productsMinor),
    unattributedMinor: String(sums.unattributedMinor),
    members,
    membersWithoutDays,
    products: result.products.map(({ product, amountMinor, ...line }) => ({
      productId: ids.get(product)!,
      amountMinor: String(amountMinor),
      members: line.members,
      qualifiedDays: line.qualifiedDays,
    })),
  };
}

async function keepPreview(
  em: EntityManager,
  { periodId, figures }: { periodId: string; figures: PreviewFigures },
): Promise<{ status: PeriodRow['status'] }> {
  const period = await kysely(em)
    .selectFrom('poolPeriod')
    .select('status')
    .where('id', '=', periodId)
    .forShare()
    .executeTakeFirstOrThrow();
  if (period.status !== 'open') return period;
  const made = { computedAt: NOW, figures: asJson(figures) };
  await kysely(em)
    .insertInto('poolPreview')
    .values({ periodId, ...made })
    .onConflict((conflict) => conflict.column('periodId').doUpdateSet(made))
    .execute();
  return period;
}

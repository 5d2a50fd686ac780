import { RECEIVED_STATUSES } from '../../billing/purchases/payment-status.ts';
import { poolPeriodWorkflow } from '../../outbox/workflow-targets.ts';
import { sendToWorkflows } from '../../outbox/outbox.repository.ts';
import { now, type EntityManager } from '../../../platform/database/database.ts';
import { anyOf, NOW } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import type { Encryptor } from '../../shared/secrets.ts';
import { POOL_RULE } from '../split/pool-rule.ts';
import { listPeriods, type NewPeriod } from './period-calendar.ts';
import { PoolPeriod } from './pool-period.entity.ts';
import { newEncryptedPoolKey } from './period-key.ts';

/**
 * Opens the missing periods of every currency in which Member is or was paid, up to today's month,
 * and starts their workflows. Returns the ids of the new periods.
 */
export async function openPeriods(em: EntityManager, encryptor: Encryptor): Promise<string[]> {
  const today = await now(em);
  const currencies = await findCurrencies(em);
  const wanted = currencies.flatMap(({ currency, firstChargeAt }) =>
    listPeriods({ currency, since: firstChargeAt ?? today, today }),
  );
  const opened = await insertMissing(em, { wanted, encryptor });
  await sendToWorkflows(em, opened.map(poolPeriodWorkflow), { kind: 'opened' });
  return opened;
}

/** Finds the currencies that Member is sold in, and those of its charges. */
async function findCurrencies(
  em: EntityManager,
): Promise<{ currency: string; firstChargeAt: Date | null }[]> {
  const found = await kysely(em)
    .selectFrom('memberPrice as price')
    .groupBy('price.currency')
    .orderBy('price.currency')
    .select('price.currency')
    .select(({ eb, fn, selectFrom }) => [
      fn.agg<boolean>('bool_or', [eb('price.retiredAt', 'is', null)]).as('isSold'),
      selectFrom('payment')
        .whereRef('payment.currency', '=', 'price.currency')
        .where('payment.membershipId', 'is not', null)
        .where('payment.status', 'in', RECEIVED_STATUSES)
        .select((payment) => payment.fn.min('payment.createdAt').as('at'))
        .as('firstChargeAt'),
    ])
    .execute();
  return found.filter(({ isSold, firstChargeAt }) => isSold || firstChargeAt !== null);
}

/** Inserts the periods that are missing: one of two runs opens a period. */
async function insertMissing(
  em: EntityManager,
  { wanted, encryptor }: { wanted: NewPeriod[]; encryptor: Encryptor },
): Promise<string[]> {
  const known = await kysely(em)
    .selectFrom('poolPeriod')
    .select('id')
    .where('id', '=', anyOf(wanted.map(({ id }) => id)))
    .execute();
  const isKnown = new Set(known.map(({ id }) => id));
  const missing = wanted.filter(({ id }) => !isKnown.has(id));
  if (missing.length === 0) return [];
  const opened = await kysely(em)
    .insertInto('poolPeriod')
    .values(
      missing.map((period) => ({
        ...period,
        rule: POOL_RULE.id,
        encryptedKey: newEncryptedPoolKey(encryptor, period.id),
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return opened.map(({ id }) => id);
}

/** Wakes once a day, so that the workflow of a stopped period runs again where it is gone. */
export async function wakeUnfinished(em: EntityManager): Promise<number> {
  const unfinished = await em.find(
    PoolPeriod,
    { status: { $nin: ['open', 'paid', 'empty'] } },
    { fields: ['id'], orderBy: { id: 'asc' } },
  );
  const targets = unfinished.map(({ id }) => poolPeriodWorkflow(id));
  await sendToWorkflows(em, targets, { kind: 'another_day' });
  return targets.length;
}

/** Finds the state of a period; null when there is none. */
export async function findPeriod(em: EntityManager, periodId: string) {
  const found = await kysely(em)
    .selectFrom('poolPeriod as period')
    .select(['status', 'problem', 'currency', 'freezeDueAt', 'members', 'membersWithoutDays'])
    .select(['feesMinor', 'platformMinor', 'productsMinor', 'unattributedMinor'])
    .select(NOW.as('now'))
    .select(({ selectFrom }) => {
      const payouts = selectFrom('poolPayout as payout')
        .whereRef('payout.periodId', '=', 'period.id')
        .select(({ fn }) => fn.countAll<number>().as('count'));
      return [
        selectFrom('poolReview as review')
          .whereRef('review.periodId', '=', 'period.id')
          .where('review.isListed', '=', true)
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .as('listed'),
        payouts.as('payouts'),
        payouts.where('payout.status', '=', 'paying').as('openPayouts'),
      ];
    })
    .where('period.id', '=', periodId)
    .executeTakeFirst();
  if (!found) return null;
  const { now: at, freezeDueAt, ...period } = found;
  const remainingMs = Math.max(0, freezeDueAt.getTime() - at.getTime());
  return { ...period, freezeDueAt, remainingMs };
}

/** Paid, once no payout of the period is under way; a payout that failed waits for a later one. */
export async function finishPeriod(em: EntityManager, periodId: string): Promise<boolean> {
  const finished = await kysely(em)
    .updateTable('poolPeriod')
    .set({ status: 'paid', paidAt: NOW, problem: null })
    .where('id', '=', periodId)
    .where('status', '=', 'paying')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('poolPayout')
            .select('poolPayout.id')
            .whereRef('poolPayout.periodId', '=', 'poolPeriod.id')
            .where('poolPayout.status', '=', 'paying'),
        ),
      ),
    )
    .executeTakeFirst();
  return finished.numUpdatedRows === 1n;
}

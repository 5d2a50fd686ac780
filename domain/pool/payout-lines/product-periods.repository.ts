// The pool as the owner of one product reads it: the lines of the product, and nothing of others.
import type { EntityManager } from '../../../platform/database/database.ts';
import { toPage } from '../../../platform/database/to-page.ts';
import { kysely } from '../../kysely.ts';
import { SMALLEST_BAND } from '../statement/bands.ts';
import { accountOfLine, hasOpenHold } from './line-conditions.repository.ts';
import { decideLineState, isApprovedStatus } from './line-state.ts';

const PAGE = 24;

/** The periods of a product, the newest first; `before` is the last one of the previous page. */
export async function listProductPeriods(
  em: EntityManager,
  { productId, before }: { productId: string; before: string | null },
) {
  let found = kysely(em)
    .selectFrom('poolLine')
    .select('periodId')
    .distinct()
    .where('productId', '=', productId)
    .orderBy('periodId', 'desc')
    .limit(PAGE + 1);
  if (before !== null) found = found.where('periodId', '<', before);
  const ids = (await found.execute()).map(({ periodId }) => periodId);
  const { lines: shown, next } = toPage(ids, PAGE, (id) => id);
  if (shown.length === 0) return { periods: [], next: null };
  const lines = await linesOf(em, productId).where('poolLine.periodId', 'in', shown).execute();
  return { periods: toPeriods(lines), next };
}

/** The periods of a month: one for each currency. */
export async function findProductPeriods(
  em: EntityManager,
  { productId, month }: { productId: string; month: string },
) {
  const lines = linesOf(em, productId).where('poolPeriod.month', '=', `${month}-01`);
  return toPeriods(await lines.execute());
}

/** All periods of a product, the newest first, in batches of whole periods. */
export async function* readProductPeriods(
  em: () => EntityManager,
  productId: string,
): AsyncGenerator<ProductPeriod[]> {
  let before: string | null = null;
  do {
    const { periods, next } = await listProductPeriods(em(), { productId, before });
    yield periods;
    before = next;
  } while (before !== null);
}

const linesOf = (em: EntityManager, productId: string) =>
  kysely(em)
    .selectFrom('poolLine')
    .innerJoin('poolPeriod', 'poolPeriod.id', 'poolLine.periodId')
    .innerJoin('product', 'product.id', 'poolLine.productId')
    .leftJoin('poolPayout', 'poolPayout.id', 'poolLine.payoutId')
    .leftJoin('payoutAccount', (join) => join.on(accountOfLine('poolLine')))
    .select(['poolLine.id', 'poolLine.periodId', 'poolLine.currency', 'poolLine.month'])
    .select(['poolLine.amountMinor', 'poolLine.members', 'poolLine.qualifiedDays'])
    .select(['poolLine.bands', 'poolLine.status', 'poolLine.payoutId'])
    .select(['poolPeriod.month as periodMonth', 'poolPeriod.status as periodStatus'])
    .select(['poolPeriod.rule', 'poolPeriod.poolShareBps', 'poolPeriod.snapshotSha256'])
    .select(['poolPeriod.statementSha256', 'poolPeriod.members as periodMembers'])
    .select(['poolPeriod.feesMinor', 'poolPeriod.platformMinor', 'poolPeriod.productsMinor'])
    .select(['poolPeriod.unattributedMinor', 'poolPayout.transferId', 'poolPayout.dueAt'])
    .select(['poolPayout.attempts', 'poolPayout.endedAt', 'payoutAccount.poolConfirmedAt'])
    .select(({ and, eb, ref }) =>
      and([
        eb('poolLine.personId', 'is not distinct from', ref('product.ownerPersonId')),
        eb('poolLine.teamId', 'is not distinct from', ref('product.ownerTeamId')),
      ])
        .$castTo<boolean>()
        .as('isOfOwner'),
    )
    .select(hasOpenHold('poolLine.productId').$castTo<boolean>().as('hasHold'))
    .where('poolLine.productId', '=', productId)
    .orderBy('poolLine.periodId', 'desc');

type Line = Awaited<ReturnType<ReturnType<typeof linesOf>['execute']>>[number];

function toPeriods(lines: readonly Line[]) {
  const groups = Map.groupBy(lines, ({ periodId }) => periodId);
  return [...groups.values()].map((found) => {
    const { periodId, periodMonth, periodStatus, currency, ...period } = found[0]!;
    return {
      periodId,
      month: periodMonth.slice(0, 7),
      currency,
      isApproved: isApprovedStatus(periodStatus),
      terms: termsOf(period),
      lines: found.map(present).toSorted(byMonthOfUse),
    };
  });
}

/** What a period gives to a product: the line of the month, then corrections, the earliest month first. */
export type ProductPeriod = ReturnType<typeof toPeriods>[number];

function byMonthOfUse(one: PoolLineView, other: PoolLineView): number {
  if (one.isCorrection !== other.isCorrection) return one.isCorrection ? 1 : -1;
  return one.month < other.month ? -1 : 1;
}

/** A period with lines is computed, so all of it is known. */
function termsOf(period: Omit<Line, 'periodId' | 'periodMonth' | 'periodStatus' | 'currency'>) {
  return {
    rule: period.rule,
    poolShareBps: period.poolShareBps!,
    snapshotSha256: period.snapshotSha256!,
    statementSha256: period.statementSha256!,
    members: period.periodMembers!,
    feesMinor: period.feesMinor!,
    platformMinor: period.platformMinor!,
    productsMinor: period.productsMinor!,
    unattributedMinor: period.unattributedMinor!,
  };
}

/**
 * Shows no money until the period is approved, and no bands below ten Members: the sums of few tell
 * what a known Member does elsewhere. An earlier month of use than the period's is a correction.
 */
function present(line: Line) {
  const isApproved = isApprovedStatus(line.periodStatus);
  const { id, qualifiedDays, status, hasHold, amountMinor, members } = line;
  const bands = members < SMALLEST_BAND ? [] : line.bands;
  const isConfirmed = line.poolConfirmedAt !== null;
  return {
    id,
    month: line.month.slice(0, 7),
    isCorrection: line.month !== line.periodMonth,
    qualifiedDays,
    state: decideLineState({ isApproved, status, hasHold, isConfirmed }),
    money: isApproved ? { amountMinor, members, bands, payout: payoutOf(line) } : null,
  };
}

export type PoolLineView = ReturnType<typeof present>;
export type LineMoney = NonNullable<PoolLineView['money']>;

/**
 * A transfer to an owner before is not the business of today's. The next attempt is shown once the
 * first one has failed.
 */
function payoutOf(line: Line) {
  const { isOfOwner, payoutId, transferId, attempts, dueAt, endedAt } = line;
  if (payoutId === null || !isOfOwner) return null;
  const isWaiting = endedAt === null && (attempts ?? 0) > 0;
  return { id: payoutId, transferId, nextAttemptAt: isWaiting ? dueAt : null, paidAt: endedAt };
}

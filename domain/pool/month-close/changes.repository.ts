// The people who may need a correction of an earlier month. Too many do no harm: a correction without
// a difference is not written.
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { periodIdOf, spanOf } from '../period/pool-month.ts';
import { monthsOf } from '../split/net-fee.ts';
import { HOUR_MS } from '../../shared/instant.ts';
import type { PeriodRow } from './open-period.repository.ts';

/** People by the id of an earlier period. */
export type Changes = Map<string, Set<string>>;

const PAGE = 1_000;
/** Entries are seen a moment after their instant, when their transaction commits. */
const OVERLAP_MS = HOUR_MS;

type Asked = { period: PeriodRow; since: Date };

/** Pages of changes of money and evidence since the last freeze. */
export async function* findChanges(
  database: Pick<Database, 'em'>,
  { period, since: last }: Asked,
): AsyncGenerator<Changes> {
  const since = new Date(last.getTime() - OVERLAP_MS);
  yield* findChangedMoney(database, { period, since });
  yield* findExclusions(database, { period, since });
}

async function* findChangedMoney(
  database: Pick<Database, 'em'>,
  { period, since }: Asked,
): AsyncGenerator<Changes> {
  const { currency } = period;
  let after: Place | null = { createdAt: since, paymentId: '' };
  while (after !== null) {
    const entries: Awaited<ReturnType<typeof listEntries>> = await listEntries(
      database.em(),
      after,
    );
    const paymentIds = [...new Set(entries.map(({ paymentId }) => paymentId!))];
    const charges = await listCharges(database.em(), { period, paymentIds });
    const changes: Changes = new Map();
    for (const { personId, interval, succeededAt } of charges) {
      const charge = { interval: interval!, succeededAt };
      for (const month of monthsOf(charge)) {
        note(changes, { periodId: periodIdOf({ month, currency }), personId });
      }
    }
    yield changes;
    const end = entries.at(-1);
    after =
      end && entries.length === PAGE
        ? { createdAt: end.createdAt, paymentId: end.paymentId! }
        : null;
  }
}

type Place = { createdAt: Date; paymentId: string };

/** Entries of Member's money, in the order of their index. */
function listEntries(em: EntityManager, { createdAt, paymentId }: Place) {
  return kysely(em)
    .selectFrom('ledgerEntry')
    .select(['createdAt', 'paymentId'])
    .where('account', '=', 'platform')
    .where('kind', 'in', ['gross', 'refund', 'reversal', 'chargeback'])
    .where('paymentId', 'is not', null)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('createdAt', 'paymentId'), '>', tuple(createdAt, paymentId)),
    )
    .orderBy('createdAt')
    .orderBy('paymentId')
    .limit(PAGE)
    .execute();
}

/** A charge of the period's own month corrects nothing. */
function listCharges(
  em: EntityManager,
  { period, paymentIds }: { period: PeriodRow; paymentIds: string[] },
) {
  return kysely(em)
    .selectFrom('payment')
    .innerJoin('membership', 'membership.id', 'payment.membershipId')
    .select(['membership.personId', 'membership.billingInterval as interval'])
    .select('payment.createdAt as succeededAt')
    .where('payment.id', '=', anyOf(paymentIds))
    .where('payment.currency', '=', period.currency)
    .where('payment.createdAt', '<', spanOf(period.month.slice(0, 7)).from)
    .execute();
}

async function* findExclusions(
  database: Pick<Database, 'em'>,
  { period, since }: Asked,
): AsyncGenerator<Changes> {
  const exclusions = await kysely(database.em())
    .selectFrom('poolExclusion')
    .select(['personId', 'month'])
    .where('createdAt', '>', since)
    .where('month', '<', period.month)
    .execute();
  const changes: Changes = new Map();
  for (const { personId, month } of exclusions) {
    const periodId = periodIdOf({ month: month.slice(0, 7), currency: period.currency });
    note(changes, { periodId, personId });
  }
  yield changes;
}

function note(
  changes: Changes,
  { periodId, personId }: { periodId: string; personId: string },
): void {
  const people = changes.get(periodId) ?? new Set();
  people.add(personId);
  changes.set(periodId, people);
}

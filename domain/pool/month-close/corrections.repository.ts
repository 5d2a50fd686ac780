// What became known of earlier months since the last freeze: refunds, lost disputes, reversals of
// both, late charges and excluded evidence.
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { readFeesOf } from '../fees-and-days/member-months.repository.ts';
import { pairOf, readExclusions } from '../fees-and-days/counted-days.repository.ts';
import { periodIdOf, readPeriodId, spanOf } from '../period/pool-month.ts';
import type { Pseudonyms } from '../period/period-key.ts';
import { monthsOf } from '../split/net-fee.ts';
import { HOUR_MS } from '../../shared/instant.ts';
import { whileInputOpen, type PeriodRow } from './open-period.repository.ts';
import {
  decideCorrection,
  type MonthCorrection,
  type FrozenMonth,
  type LastCorrection,
} from './decide-correction.ts';
import type { OpenKey } from '../period/period-key.ts';

type CorrectionInput = { period: PeriodRow; openKey: OpenKey };

/** Keeps what the period corrects of earlier months; a correction that is kept already stays. */
export async function keepCorrections(
  database: Database,
  { period, openKey }: CorrectionInput,
): Promise<void> {
  const earlier = await listEarlier(database.em(), period);
  const since = earlier.at(-1)?.freezeBeganAt ?? null;
  if (since === null) return;
  const keys = new Map(
    earlier.flatMap(({ id, encryptedKey }) =>
      encryptedKey === null ? [] : [[id, openKey({ id, encryptedKey })] as const],
    ),
  );
  for await (const changes of findChanges(database, { period, since })) {
    for (const [correctedId, personIds] of changes) {
      const pseudonyms = keys.get(correctedId);
      if (!pseudonyms) continue;
      const corrected = { correctedId, personIds: [...personIds], pseudonyms };
      const rows = await correctMonth(database.em(), corrected);
      await keep(database, { periodId: period.id, correctedId, rows });
    }
  }
}

/** The frozen months before the period, in the order in which they were frozen. */
function listEarlier(em: EntityManager, { currency, month }: PeriodRow) {
  return kysely(em)
    .selectFrom('poolPeriod')
    .select(['id', 'encryptedKey', 'freezeBeganAt'])
    .where('currency', '=', currency)
    .where('month', '<', month)
    .where('status', '<>', 'open')
    .orderBy('freezeBeganAt')
    .orderBy('month')
    .execute();
}

type Row = MonthCorrection & { member: Buffer };
type Corrected = { correctedId: string; personIds: string[]; pseudonyms: Pseudonyms };

async function correctMonth(
  em: EntityManager,
  { correctedId, personIds, pseudonyms }: Corrected,
): Promise<Row[]> {
  const of = readPeriodId(correctedId);
  const members = new Map(personIds.map((id) => [pseudonyms.ofMember(id), id]));
  const fees = await readFeesOf(em, { ...of, personIds });
  const exclusions = await readExclusions(em, of.month);
  const input = { correctedId, members: [...members.keys()].map((id) => Buffer.from(id, 'hex')) };
  const frozen = await readFrozen(em, input);
  const last = await readLast(em, input);
  return [...members].flatMap(([member, personId]) => {
    const change = decideCorrection({
      frozen: frozen.get(member) ?? null,
      last: last.get(member) ?? null,
      netMinor: fees.get(personId) ?? 0,
      isExcluded: (productId) => exclusions.has(pairOf(personId, productId)),
    });
    return change === null ? [] : [{ member: Buffer.from(member, 'hex'), ...change }];
  });
}

type CorrectedMembers = { correctedId: string; members: Buffer[] };

async function readFrozen(
  em: EntityManager,
  { correctedId, members }: CorrectedMembers,
): Promise<Map<string, FrozenMonth>> {
  const found = await kysely(em)
    .selectFrom('poolMember')
    .select(['member', 'netMinor', 'productIds', 'days'])
    .where('periodId', '=', correctedId)
    .where('member', '=', anyOf(members))
    .$narrowType<{ member: Buffer }>()
    .execute();
  return new Map(found.map(({ member, ...held }) => [member.toString('hex'), held]));
}

/** Later corrections come after earlier ones, so the last one stays. */
async function readLast(
  em: EntityManager,
  { correctedId, members }: CorrectedMembers,
): Promise<Map<string, LastCorrection>> {
  const found = await kysely(em)
    .selectFrom('poolCorrection')
    .innerJoin('poolPeriod', 'poolPeriod.id', 'poolCorrection.periodId')
    .select(['poolCorrection.member', 'poolCorrection.netMinorAfter'])
    .select(['poolCorrection.productIds', 'poolCorrection.daysAfter'])
    .where('poolCorrection.correctedId', '=', correctedId)
    .where('poolCorrection.member', '=', anyOf(members))
    .orderBy('poolPeriod.freezeBeganAt')
    .orderBy('poolPeriod.month')
    .$narrowType<{ member: Buffer }>()
    .execute();
  return new Map(found.map(({ member, ...change }) => [member.toString('hex'), change]));
}

type CorrectionRows = { periodId: string; correctedId: string; rows: Row[] };

async function keep(
  database: Database,
  { periodId, correctedId, rows }: CorrectionRows,
): Promise<void> {
  if (rows.length === 0) return;
  await whileInputOpen(database, {
    periodId,
    async work(em) {
      await kysely(em)
        .insertInto('poolCorrection')
        .values(rows.map((row) => ({ periodId, correctedId, ...row })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
  });
}

/** People by the id of an earlier period. */
type Changes = Map<string, Set<string>>;

const PAGE = 1_000;
/** Entries are seen a moment after their instant, when their transaction commits. */
const OVERLAP_MS = HOUR_MS;

type ChangesInput = { period: PeriodRow; since: Date };

/**
 * Pages of changes of money and evidence since the last freeze: the people who may need a correction
 * of an earlier month. Too many do no harm: a correction without a difference is not written.
 */
async function* findChanges(
  database: Pick<Database, 'em'>,
  { period, since: last }: ChangesInput,
): AsyncGenerator<Changes> {
  const since = new Date(last.getTime() - OVERLAP_MS);
  yield* findChangedMoney(database, { period, since });
  yield* findExclusions(database, { period, since });
}

async function* findChangedMoney(
  database: Pick<Database, 'em'>,
  { period, since }: ChangesInput,
): AsyncGenerator<Changes> {
  const { currency } = period;
  let after: EntryPlace | null = { createdAt: since, paymentId: '' };
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
        addPerson(changes, { periodId: periodIdOf({ month, currency }), personId });
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

type EntryPlace = { createdAt: Date; paymentId: string };

/** Entries of Member's money, in the order of their index. */
function listEntries(em: EntityManager, { createdAt, paymentId }: EntryPlace) {
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
  { period, since }: ChangesInput,
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
    addPerson(changes, { periodId, personId });
  }
  yield changes;
}

function addPerson(
  changes: Changes,
  { periodId, personId }: { periodId: string; personId: string },
): void {
  const people = changes.get(periodId) ?? new Set();
  people.add(personId);
  changes.set(periodId, people);
}

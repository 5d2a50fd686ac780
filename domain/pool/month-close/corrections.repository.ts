// What became known of earlier months since the last freeze: refunds, lost disputes, reversals of
// both, late charges and excluded evidence.
import type { Database, EntityManager } from '../../../platform/database/database.ts';
import { anyOf } from '../../../platform/database/expressions.ts';
import { kysely } from '../../kysely.ts';
import { readFeesOf } from '../fees-and-days/member-months.repository.ts';
import { pairOf, readExclusions } from '../fees-and-days/counted-days.repository.ts';
import { readPeriodId } from '../period/pool-month.ts';
import type { Pseudonyms } from '../period/period-key.ts';
import { findChanges } from './changes.repository.ts';
import { whileInputOpen, type PeriodRow } from './open-period.repository.ts';
import {
  decideCorrection,
  type MonthCorrection,
  type FrozenMonth,
  type LastCorrection,
} from './decide-correction.ts';
import type { OpenKey } from './snapshot-file.repository.ts';

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
  const asked = { correctedId, members: [...members.keys()].map((id) => Buffer.from(id, 'hex')) };
  const frozen = await readFrozen(em, asked);
  const last = await readLast(em, asked);
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

type Asked = { correctedId: string; members: Buffer[] };

async function readFrozen(
  em: EntityManager,
  { correctedId, members }: Asked,
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
  { correctedId, members }: Asked,
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

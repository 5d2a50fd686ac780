import { Product } from '../../../domain/catalog/product.entity.ts';
import { PoolLine } from '../../../domain/pool/payout-lines/pool-line.entity.ts';
import { PoolPayout } from '../../../domain/pool/payout-lines/pool-payout.entity.ts';
import { newEncryptedPoolKey, openPoolKey } from '../../../domain/pool/period/period-key.ts';
import {
  PoolCorrection,
  PoolMember,
  PoolPeriod,
} from '../../../domain/pool/period/pool-period.entity.ts';
import type { Band } from '../../../domain/pool/statement/bands.ts';
import { addMonths, DAY_MS } from '../../../domain/shared/instant.ts';
import { createEncryptor } from '../../../domain/shared/secrets.ts';
import type { EntityManager } from '../../../platform/database/database.ts';
import type { TestApi } from '../http/api.ts';
import { computeMonth, type Corrected, type KeyedMonth, type Paid } from './computed-month.ts';

type Month = {
  /** `2026-10`. */
  month: string;
  currency?: string;
  status?: 'computed' | 'in_review' | 'approved' | 'paying' | 'paid';
  poolShareBps?: number;
  members: Paid[];
  corrections?: Corrected[];
};

/** Periods as the platform leaves them: Members, lines and sums by the real computation. */
export function createPoolRows({ database, config }: Pick<TestApi, 'database' | 'config'>) {
  const encryptor = createEncryptor(config.secretKeys);
  const periods = new Map<string, KeyedMonth>();

  /** Returns the id of the period. */
  async function month(given: Month): Promise<string> {
    const { month: name, currency = 'USD', status = 'approved', poolShareBps = 7_000 } = given;
    const { members, corrections = [] } = given;
    const id = `${name}:${currency}`;
    const encryptedKey = newEncryptedPoolKey(encryptor, id);
    const terms = { period: name, rule: 'user-centric-1', poolShareBps };
    const period = { key: openPoolKey(encryptor, { id, encryptedKey }), terms };
    periods.set(id, period);
    const monthOf = (of: string) => periods.get(`${of}:${currency}`)!;
    const computed = await computeMonth({ period, currency, members, corrections, monthOf });
    const em = database.em();
    await addPeriod(em, { id, currency, status, encryptedKey, terms, computed });
    await addMembers(em, { id, period, members });
    await addCorrections(em, { id, currency, corrections, monthOf });
    await addLines(em, { id, currency, lines: computed.lines });
    return id;
  }

  /** The payout of all lines of a product in a period. */
  async function payOut(
    of: { periodId: string; productId: string },
    status: 'paying' | 'paid' = 'paid',
  ): Promise<void> {
    const em = database.em();
    const line = (await em.find(PoolLine, of))[0]!;
    const { currency, personId, teamId } = line;
    const id = `pool-${of.periodId}-${of.productId}`;
    const ends =
      status === 'paid'
        ? { dueAt: null, transferId: `tr_${line.id}`, endedAt: new Date() }
        : { dueAt: new Date(Date.now() + 300_000), transferId: null, endedAt: null };
    const owner = { periodId: of.periodId, currency, personId, teamId };
    const payout = { id, ...owner, amountMinor: 100, account: 'acct_1', status, attempts: 1 };
    await em.insert(PoolPayout, { ...payout, ...ends });
    await em.nativeUpdate(PoolLine, of, { status, payoutId: id });
  }

  return { month, payOut };
}

type Computed = Awaited<ReturnType<typeof computeMonth>>;

type Period = {
  id: string;
  currency: string;
  status: NonNullable<Month['status']>;
  encryptedKey: string;
  terms: KeyedMonth['terms'];
  computed: Computed;
};

async function addPeriod(em: EntityManager, { terms, computed, ...row }: Period): Promise<void> {
  const { period, ...kept } = terms;
  const { statement, statementSha256 } = computed;
  const { sums, members, membersWithoutDays, snapshotSha256 } = statement;
  const start = new Date(`${period}-01T00:00:00Z`);
  const dueAt = new Date(addMonths(start, 1).getTime() + 3 * DAY_MS);
  await em.insert(PoolPeriod, {
    ...row,
    ...kept,
    month: `${period}-01`,
    freezeDueAt: dueAt,
    freezeBeganAt: dueAt,
    frozenAt: dueAt,
    computedAt: dueAt,
    snapshotSha256,
    statementSha256,
    feesMinor: Number(sums.feesMinor),
    platformMinor: Number(sums.platformMinor),
    productsMinor: Number(sums.productsMinor),
    unattributedMinor: Number(sums.unattributedMinor),
    members,
    membersWithoutDays,
    approvedAt: ['computed', 'in_review'].includes(row.status) ? null : dueAt,
  });
}

type Members = { id: string; period: KeyedMonth; members: readonly Paid[] };

async function addMembers(em: EntityManager, { id, period, members }: Members): Promise<void> {
  if (members.length === 0) return;
  const rows = members.map(({ personId, netMinor, days }) => ({
    periodId: id,
    member: Buffer.from(period.key.ofMember(personId), 'hex'),
    netMinor,
    productIds: Object.keys(days),
    days: Object.values(days),
  }));
  await em.insertMany(PoolMember, rows);
}

type Corrections = {
  id: string;
  currency: string;
  corrections: readonly Corrected[];
  monthOf: (name: string) => KeyedMonth;
};

async function addCorrections(
  em: EntityManager,
  { id, currency, corrections, monthOf }: Corrections,
): Promise<void> {
  for (const { of, personId, before, after } of corrections) {
    const productIds = [...new Set([...Object.keys(before.days), ...Object.keys(after.days)])];
    await em.insert(PoolCorrection, {
      periodId: id,
      correctedId: `${of}:${currency}`,
      member: Buffer.from(monthOf(of).key.ofMember(personId), 'hex'),
      netMinorBefore: before.netMinor,
      netMinorAfter: after.netMinor,
      productIds,
      daysBefore: productIds.map((each) => before.days[each] ?? 0),
      daysAfter: productIds.map((each) => after.days[each] ?? 0),
    });
  }
}

type Lines = { id: string; currency: string; lines: Computed['lines'] };

async function addLines(em: EntityManager, { id, currency, lines }: Lines): Promise<void> {
  for (const { productId, month, amountMinor, members, qualifiedDays, bands } of lines) {
    const { ownerPersonId, ownerTeamId } = await em.findOneOrFail(Product, { id: productId });
    await em.insert(PoolLine, {
      periodId: id,
      currency,
      productId,
      month: `${month}-01`,
      personId: ownerPersonId,
      teamId: ownerTeamId,
      amountMinor: Number(amountMinor),
      members,
      qualifiedDays,
      bands: bands.map(presentBand),
    });
  }
}

function presentBand({ potsMinor, amountMinor, ...band }: Band) {
  return { ...band, potsMinor: String(potsMinor), amountMinor: String(amountMinor) };
}

import { findPoolRule, type PoolTerms } from '../split/pool-rule.ts';
import { canonicalJson } from './canonical.ts';
import { LineProblem, parseObject, readFields } from './fields.ts';

const SNAPSHOT_FORMAT = 'gatehouse-pool-snapshot-1';

export type SnapshotHeader = PoolTerms & {
  currency: string;
  /** The terms of the earlier months that the snapshot corrects, in their order. */
  correctedPeriods: readonly PoolTerms[];
};

const TERMS = ['period', 'pool_share_bps', 'rule'] as const;

export function presentHeader({ currency, correctedPeriods, ...terms }: SnapshotHeader) {
  return {
    corrected_periods: correctedPeriods.map(presentTerms),
    currency,
    format: SNAPSHOT_FORMAT,
    ...presentTerms(terms),
  };
}

export function presentTerms({ period, rule, poolShareBps }: PoolTerms) {
  return { period, pool_share_bps: String(poolShareBps), rule };
}

export function readHeader(line: string): SnapshotHeader {
  const { corrected_periods: corrected, ...rest } = parseObject(line) as {
    corrected_periods?: unknown;
  };
  if (!Array.isArray(corrected)) throw new LineProblem('"corrected_periods" must be a list');
  const { currency, format, ...terms } = readFields(rest, ['currency', 'format', ...TERMS]);
  if (format !== SNAPSHOT_FORMAT) throw new LineProblem(`the format "${format}" is unknown`);
  const header: SnapshotHeader = {
    ...readTerms(terms),
    currency,
    correctedPeriods: corrected.map((item: unknown) =>
      readTerms(readFields(Object(item) as object, TERMS)),
    ),
  };
  const months = [...header.correctedPeriods, header].map(({ period }) => period);
  if (months.some((month, index) => index > 0 && month <= months[index - 1]!)) {
    throw new LineProblem('the corrected periods are not in order');
  }
  if (canonicalJson(presentHeader(header)) !== line) {
    throw new LineProblem('the line is not in its canonical form');
  }
  return header;
}

function readTerms(read: Record<(typeof TERMS)[number], string>): PoolTerms {
  if (!findPoolRule(read.rule)) throw new LineProblem(`the rule "${read.rule}" is unknown`);
  return { period: read.period, rule: read.rule, poolShareBps: Number(read.pool_share_bps) };
}

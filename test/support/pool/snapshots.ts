import { createSnapshotReader } from '../../../domain/pool/snapshot/snapshot-reader.ts';
import {
  createSnapshotWriter,
  type SnapshotCorrection,
} from '../../../domain/pool/snapshot/snapshot-writer.ts';
import type { SnapshotHeader } from '../../../domain/pool/snapshot/snapshot-header.ts';
import type { MemberMonth, PoolTerms } from '../../../domain/pool/split/pool-rule.ts';
import { createSha256, sha256Hex } from '../../../domain/shared/sha256.ts';

export const HASHING = { sha256: sha256Hex, createHash: createSha256 };
export const CORRECTED: PoolTerms = {
  period: '2026-08',
  rule: 'user-centric-1',
  poolShareBps: 6_000,
};
export const HEADER: SnapshotHeader = {
  period: '2026-10',
  currency: 'USD',
  rule: 'user-centric-1',
  poolShareBps: 7_000,
  correctedPeriods: [CORRECTED],
};

type Content = {
  members: readonly MemberMonth[];
  corrections?: readonly SnapshotCorrection[];
  header?: SnapshotHeader;
};

/** A snapshot as text; Members and corrections are sorted here. */
export function writeSnapshot({ members, corrections = [], header = HEADER }: Content): string {
  const writer = createSnapshotWriter(header, createSha256);
  return [
    writer.begin(),
    ...sorted(corrections, ({ period, member }) => period + member).map(writer.correction),
    ...sorted(members, ({ member }) => member).map(writer.member),
    writer.end().text,
  ].join('');
}

function sorted<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return items.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** The last line anew, so that a changed snapshot is damaged in one way only. */
export function signAnew(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  return `${text}{"lines":"${lines.length}","sha256":"${sha256Hex(text)}"}\n`;
}

const idOf = (name: string) => sha256Hex(name);
export const MEMBERS: MemberMonth[] = [
  {
    member: idOf('one'),
    netMinor: 999,
    products: [
      { product: idOf('a'), days: 20 },
      { product: idOf('b'), days: 6 },
      { product: idOf('c'), days: 1 },
    ],
  },
  { member: idOf('two'), netMinor: 940, products: [{ product: idOf('a'), days: 31 }] },
  { member: idOf('three'), netMinor: 833, products: [] },
];
export const CHANGE: SnapshotCorrection = {
  period: '2026-08',
  member: idOf('refunded'),
  before: { netMinor: 999, products: [{ product: idOf('x'), days: 3 }] },
  after: { netMinor: 0, products: [{ product: idOf('y'), days: 31 }] },
};
export const SNAPSHOT = writeSnapshot({ members: MEMBERS, corrections: [CHANGE] });
/** All but the last line. */
export const LINES = SNAPSHOT.split('\n').slice(0, -2);

/** What a snapshot holds that comes in these parts. */
export function readSnapshot(parts: readonly string[]) {
  const found = {
    headers: [] as unknown[],
    members: [] as unknown[],
    corrections: [] as unknown[],
  };
  const reader = createSnapshotReader(
    {
      header: (header) => found.headers.push(header),
      member: (member) => found.members.push(member),
      correction: (change) => found.corrections.push(change),
    },
    createSha256,
  );
  for (const part of parts) reader.push(part);
  return { ...found, ...reader.end() };
}

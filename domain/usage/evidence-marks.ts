// The evidence of a day as marks of one number, and its day as a bit of the month's masks.
import type { EvidenceKind } from './decide-usage.ts';
import { toDay } from '../shared/instant.ts';

/** What a day can have seen, in the order of the masks of a row. */
const MARKS = ['session', 'heartbeat', 'activity', 'profile_read', 'by_key', 'qualifying'] as const;

export type Mark = (typeof MARKS)[number];

/** The bit of a mark. */
export const MARK = Object.fromEntries(MARKS.map((mark, place) => [mark, 1 << place])) as Readonly<
  Record<Mark, number>
>;

/** Marks to add to the row of a product, person and month. */
export type Evidence = {
  /** Names the day of the row; joined once, because it is looked up often. */
  key: string;
  productId: string;
  personId: string;
  /** The instant of the evidence, by the database's clock. */
  at: Date;
  marks: number;
};

type Use = Pick<Evidence, 'productId' | 'personId' | 'at'> & {
  kind: EvidenceKind;
  isByKey: boolean;
  isQualifying: boolean;
};

export function toEvidence({ productId, personId, at, ...use }: Use): Evidence {
  const key = `${productId}:${personId}:${toDay(at)}`;
  return { key, productId, personId, at, marks: marksOf(use) };
}

/** A report by an API key is analytics, whatever its kind. */
export function marksOf({
  kind,
  isByKey,
  isQualifying,
}: Pick<Use, 'kind' | 'isByKey' | 'isQualifying'>) {
  if (isByKey) return MARK.by_key;
  return isQualifying ? MARK[kind] | MARK.qualifying : MARK[kind];
}

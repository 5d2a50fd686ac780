// A Member's frozen month, and the same month as it is known now.

/** Products in one order, with the days of each. */
export type FrozenMonth = {
  netMinor: number;
  productIds: readonly string[];
  days: readonly number[];
};

export type MonthCorrection = {
  netMinorBefore: number;
  netMinorAfter: number;
  productIds: string[];
  daysBefore: number[];
  daysAfter: number[];
};

export type LastCorrection = Readonly<
  Pick<MonthCorrection, 'netMinorAfter' | 'productIds' | 'daysAfter'>
>;

/** A Member whom the month did not know. */
const NOTHING: FrozenMonth = { netMinor: 0, productIds: [], days: [] };

type CorrectionFacts = {
  /** The month as it was frozen; null for a Member who came later. */
  frozen: FrozenMonth | null;
  /** The last correction of this Member and month; null where there is none. */
  last: LastCorrection | null;
  /** The fee as the charges are now. */
  netMinor: number;
  isExcluded: (productId: string) => boolean;
};

/**
 * The correction that leads from the frozen month with its corrections to the month as it is known
 * now; null where nothing has changed. Days are never read anew: they are the frozen ones without
 * what was excluded.
 */
export function decideCorrection({
  frozen,
  last,
  netMinor,
  isExcluded,
}: CorrectionFacts): MonthCorrection | null {
  const { netMinor: frozenMinor, productIds, days } = frozen ?? NOTHING;
  const before = new Map(last ? zip(last.productIds, last.daysAfter) : zip(productIds, days));
  const change = {
    netMinorBefore: last?.netMinorAfter ?? frozenMinor,
    netMinorAfter: netMinor,
    productIds: [...productIds],
    daysBefore: productIds.map((id) => before.get(id) ?? 0),
    daysAfter: productIds.map((id, place) => (isExcluded(id) ? 0 : days[place]!)),
  };
  const isSame =
    change.netMinorBefore === netMinor &&
    change.daysBefore.every((count, place) => count === change.daysAfter[place]);
  return isSame ? null : change;
}

function zip(productIds: readonly string[], days: readonly number[]): [string, number][] {
  return productIds.map((id, place) => [id, days[place]!]);
}

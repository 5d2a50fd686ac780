// "How this number came about": Members of a product in groups, by their days with this product.
// The days here are no secret to the owner; what a Member does elsewhere is only seen in sums of
// at least ten.
import { ExactSum } from './exact-sum.ts';

/** Fewer Members than this are shown as a total alone. */
export const SMALLEST_BAND = 10;
const LAST_DAYS = [1, 3, 7, 14, 21, 31] as const;
/** The place of the group by days; a period has millions of lines. */
const GROUP_OF = Array.from({ length: 32 }, (_, days) =>
  LAST_DAYS.findIndex((last) => days <= last),
);

export type Band = {
  daysFrom: number;
  daysTo: number;
  members: number;
  potsMinor: bigint;
  daysHere: number;
  /** The days of these Members with all products. */
  daysInAll: number;
  amountMinor: bigint;
};

type MemberLine = { days: number; daysInAll: number; potMinor: number; amountMinor: number };

type Group = {
  members: number;
  pots: ExactSum;
  daysHere: number;
  daysInAll: number;
  amount: ExactSum;
};

export type BandSums = {
  add(line: MemberLine): void;
  /** Bands of at least ten Members; none where there are fewer in all. */
  finish(): Band[];
};

const newGroup = (): Group => ({
  members: 0,
  pots: new ExactSum(),
  daysHere: 0,
  daysInAll: 0,
  amount: new ExactSum(),
});

export function createBands(): BandSums {
  const groups = LAST_DAYS.map(newGroup);
  return {
    add({ days, daysInAll, potMinor, amountMinor }) {
      const group = groups[GROUP_OF[days]!]!;
      group.members += 1;
      group.pots.add(potMinor);
      group.daysHere += days;
      group.daysInAll += daysInAll;
      group.amount.add(amountMinor);
    },
    finish: () => mergeSmall(groups.map(toBand)),
  };
}

function toBand({ members, pots, daysHere, daysInAll, amount }: Group, index: number): Band {
  return {
    daysFrom: (LAST_DAYS[index - 1] ?? 0) + 1,
    daysTo: LAST_DAYS[index]!,
    members,
    potsMinor: pots.value,
    daysHere,
    daysInAll,
    amountMinor: amount.value,
  };
}

/**
 * Merges from few days to many: a band ends once it has ten Members, and the last one takes the
 * rest.
 */
function mergeSmall(groups: readonly Band[]): Band[] {
  const bands: Band[] = [];
  let open: Band | null = null;
  for (const group of groups) {
    open = open ? merge(open, group) : group;
    if (open.members < SMALLEST_BAND) continue;
    bands.push(open);
    open = null;
  }
  const last = bands.pop();
  if (last) bands.push(open ? merge(last, open) : last);
  return bands;
}

function merge(one: Band, next: Band): Band {
  return {
    daysFrom: one.daysFrom,
    daysTo: next.daysTo,
    members: one.members + next.members,
    potsMinor: one.potsMinor + next.potsMinor,
    daysHere: one.daysHere + next.daysHere,
    daysInAll: one.daysInAll + next.daysInAll,
    amountMinor: one.amountMinor + next.amountMinor,
  };
}

// A month that nobody lived: 1,000 Members with a few products, and a bot farm of 50. The same in
// every run.
import type { SnapshotHeader } from '../../domain/pool/snapshot/snapshot-header.ts';
import { POOL_RULE, type MemberMonth } from '../../domain/pool/split/pool-rule.ts';
import { sha256Hex } from '../../domain/shared/sha256.ts';

export const BOT_FARM = 'Bot farm';

const PERIOD = '2026-10';
const FEE_MINOR = 999;
const MEMBERS = 1_000;
const BOTS = 50;
const BOT_DAYS = 31;
/** Each with its weight for those who come often, and for those who come seldom. */
const PRODUCTS = [
  { name: 'Editor', often: 10, seldom: 1 },
  { name: 'Planner', often: 5, seldom: 3 },
  { name: 'Photo studio', often: 2, seldom: 4 },
  { name: 'Language cards', often: 1, seldom: 3 },
  { name: 'Tax helper', often: 0, seldom: 6 },
];

export type Example = {
  header: SnapshotHeader;
  members: MemberMonth[];
  names: Map<string, string>;
  botFarm: { product: string; members: number; paidMinor: number };
};

/** `days` are the qualified days of all Members but the bots, which have one on every day. */
export function makeExample({ days }: { days: number }): Example {
  const random = createRandom(1);
  const names = new Map(
    [...PRODUCTS.map(({ name }) => name), BOT_FARM].map((name) => [idOf(name), name]),
  );
  const bots = Array.from({ length: BOTS }, (_, index) => ({
    member: idOf(`bot ${index}`),
    netMinor: FEE_MINOR,
    products: [{ product: idOf(BOT_FARM), days: BOT_DAYS }],
  }));
  const members = [...makeMembers(days, random), ...bots];
  return {
    header: {
      period: PERIOD,
      currency: 'USD',
      rule: POOL_RULE.id,
      poolShareBps: 7_000,
      correctedPeriods: [],
    },
    members: members.toSorted((one, other) => (one.member < other.member ? -1 : 1)),
    names,
    botFarm: { product: idOf(BOT_FARM), members: BOTS, paidMinor: BOTS * FEE_MINOR },
  };
}

/** Every second Member comes often, and has nine of ten days. */
function makeMembers(days: number, random: (below: number) => number): MemberMonth[] {
  const uses = Array.from({ length: MEMBERS }, () => new Map<string, number>());
  for (let left = days; left > 0;) {
    const isOften = random(10) > 0;
    const use = uses[random(MEMBERS / 2) * 2 + (isOften ? 0 : 1)]!;
    const product = idOf(choose(isOften ? 'often' : 'seldom', random));
    const had = use.get(product) ?? 0;
    if (had === BOT_DAYS) continue;
    use.set(product, had + 1);
    left -= 1;
  }
  return uses.map((use, index) => ({
    member: idOf(`member ${index}`),
    netMinor: FEE_MINOR,
    products: [...use].map(([product, had]) => ({ product, days: had })),
  }));
}

function choose(by: 'often' | 'seldom', random: (below: number) => number): string {
  let left = random(PRODUCTS.reduce((sum, product) => sum + product[by], 0));
  for (const product of PRODUCTS) {
    left -= product[by];
    if (left < 0) return product.name;
  }
  throw new Error('no product was chosen');
}

const idOf = (name: string) => sha256Hex(name);

/** The generator of Park and Miller: whole numbers, the same after each seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

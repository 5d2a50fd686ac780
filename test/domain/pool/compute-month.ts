import test from 'ava';
import fc from 'fast-check';
import { createSnapshotWriter } from '../../../domain/pool/snapshot/snapshot-writer.ts';
import { POOL_RULE, type MemberMonth } from '../../../domain/pool/split/pool-rule.ts';
import { assertBalanced, PoolUnbalanced } from '../../../domain/pool/statement/balance.ts';
import { computeStatement } from '../../../domain/pool/statement/compute-statement.ts';
import { ExactSum } from '../../../domain/pool/statement/exact-sum.ts';
import { writeStatement } from '../../../domain/pool/statement/statement-file.ts';
import { createSha256, sha256Hex } from '../../../domain/shared/sha256.ts';
import { CORRECTED, HASHING, HEADER, writeSnapshot } from '../../support/pool/snapshots.ts';

const PRODUCTS = Array.from({ length: 5 }, (_, index) => sha256Hex(`product ${index}`));
const compute = (content: Parameters<typeof writeSnapshot>[0]) =>
  computeStatement([writeSnapshot(content)], HASHING);

const inMonth = fc.record({
  netMinor: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 10 ** 15 - 1 })),
  products: fc.uniqueArray(
    fc.record({ product: fc.constantFrom(...PRODUCTS), days: fc.integer({ min: 1, max: 31 }) }),
    { selector: ({ product }) => product },
  ),
});
const members = fc
  .array(inMonth, { maxLength: 30 })
  .map((months) =>
    months.map((month, index): MemberMonth => ({ member: sha256Hex(`member ${index}`), ...month })),
  );
const corrections = fc
  .array(fc.record({ before: inMonth, after: inMonth }), { maxLength: 8 })
  .map((changes) =>
    changes.map((change, index) => ({
      period: CORRECTED.period,
      member: sha256Hex(`earlier ${index}`),
      ...change,
    })),
  );

test('property: a statement is the sum of its Members, to the unit', async (t) => {
  await fc.assert(
    fc.asyncProperty(members, corrections, async (members, corrections) => {
      const { products, sums, corrections: corrected } = await compute({ members, corrections });
      const amounts = new Map<string, bigint>();
      for (const member of members) {
        const { amountsMinor } = POOL_RULE.splitMember(member, { terms: HEADER, ...HASHING });
        for (const [index, { product }] of member.products.entries()) {
          amounts.set(product, (amounts.get(product) ?? 0n) + BigInt(amountsMinor[index]!));
        }
      }
      t.deepEqual(
        new Map(products.map(({ product, amountMinor }) => [product, amountMinor])),
        new Map([...amounts].toSorted()),
      );
      t.is(
        sums.feesMinor,
        members.reduce((sum, { netMinor }) => sum + BigInt(netMinor), 0n),
      );
      t.is(sums.feesMinor, sums.platformMinor + sums.productsMinor + sums.unattributedMinor);
      const [earlier] = corrected;
      t.is(
        earlier!.sums.feesMinor,
        corrections.reduce(
          (sum, { before, after }) => sum + BigInt(after.netMinor - before.netMinor),
          0n,
        ),
      );
      t.is(
        earlier!.sums.feesMinor,
        earlier!.sums.platformMinor + earlier!.sums.productsMinor + earlier!.sums.unattributedMinor,
      );
    }),
    { numRuns: 200 },
  );
});

test('property: originals and corrections of a period are its statement as it is known now', async (t) => {
  await fc.assert(
    fc.asyncProperty(members, fc.array(inMonth, { maxLength: 30 }), async (before, later) => {
      const after = before.map((member, index) => ({ ...member, ...later[index] }));
      const header = { ...HEADER, period: '2026-08', poolShareBps: 6_000, correctedPeriods: [] };
      const original = await compute({ header, members: before });
      const truth = await compute({ header, members: after });
      const changes = before.map((was, index) => ({
        period: '2026-08',
        member: was.member,
        before: was,
        after: after[index]!,
      }));
      const { corrections } = await compute({ members: [], corrections: changes });
      const amounts = new Map<string, bigint>();
      for (const { product, amountMinor } of [...original.products, ...corrections[0]!.lines]) {
        amounts.set(product, (amounts.get(product) ?? 0n) + amountMinor);
      }
      for (const [product, amountMinor] of amounts) {
        const line = truth.products.find((found) => found.product === product);
        t.is(amountMinor, line?.amountMinor ?? 0n);
      }
      for (const sum of [
        'feesMinor',
        'platformMinor',
        'productsMinor',
        'unattributedMinor',
      ] as const) {
        t.is(original.sums[sum] + corrections[0]!.sums[sum], truth.sums[sum]);
      }
    }),
    { numRuns: 200 },
  );
});

test("property: a Member's split depends on nobody else", async (t) => {
  await fc.assert(
    fc.asyncProperty(members, inMonth, async (others, month) => {
      const one = { member: sha256Hex('the one'), ...month };
      const [without, alone, together] = await Promise.all([
        compute({ members: others }),
        compute({ members: [one] }),
        compute({ members: [...others, one] }),
      ]);
      const amountOf = ({ products }: typeof alone, id: string) =>
        products.find(({ product }) => product === id)?.amountMinor ?? 0n;
      for (const id of PRODUCTS) {
        t.is(amountOf(together, id), amountOf(without, id) + amountOf(alone, id));
      }
    }),
    { numRuns: 100 },
  );
});

/** One Member of these days, one without any, and a refund of an earlier month. */
function writeCorrectedSnapshot(days: number[]): string {
  return writeSnapshot({
    members: [
      {
        member: sha256Hex('one'),
        netMinor: 999,
        products: days.map((count, index) => ({ product: PRODUCTS[index]!, days: count })),
      },
      { member: sha256Hex('two'), netMinor: 940, products: [] },
    ],
    corrections: [
      {
        period: '2026-08',
        member: sha256Hex('refunded'),
        before: { netMinor: 999, products: [{ product: PRODUCTS[3]!, days: 2 }] },
        after: { netMinor: 0, products: [{ product: PRODUCTS[3]!, days: 2 }] },
      },
    ],
  });
}

test('the statement of 999 over 20, 6 and 1 days, with a correction, as a file', async (t) => {
  const days = [20, 6, 1];
  const snapshot = writeCorrectedSnapshot(days);
  const statement = await computeStatement([snapshot], HASHING);
  const { text, sha256, lines } = writeStatement(statement, createSha256);
  const written = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as object);
  const sorted = [0, 1, 2].toSorted((one, other) => (PRODUCTS[one]! < PRODUCTS[other]! ? -1 : 1));
  t.deepEqual(written, [
    {
      currency: 'USD',
      format: 'gatehouse-pool-statement-1',
      period: '2026-10',
      pool_share_bps: '7000',
      rule: 'user-centric-1',
      snapshot_sha256: sha256Hex(
        snapshot.slice(0, snapshot.lastIndexOf('\n', snapshot.length - 2) + 1),
      ),
    },
    ...sorted.map((index) => ({
      amount_minor: ['518', '155', '26'][index],
      bands: [],
      members: '1',
      product: PRODUCTS[index],
      qualified_days: String(days[index]),
    })),
    {
      amount_minor: '-599',
      correction_of: '2026-08',
      members: '1',
      product: PRODUCTS[3],
      qualified_days: '0',
    },
    {
      correction_of: '2026-08',
      fees_minor: '-999',
      platform_minor: '-400',
      pool_share_bps: '6000',
      products_minor: '-599',
      rule: 'user-centric-1',
      unattributed_minor: '0',
    },
    {
      fees_minor: '1939',
      members: '2',
      members_without_days: '1',
      platform_minor: '582',
      products_minor: '699',
      unattributed_minor: '658',
    },
    { lines: String(lines), sha256 },
  ]);
  t.is(sha256, sha256Hex(text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)));
});

test('the same snapshot in other parts gives the same bytes', async (t) => {
  const members = Array.from({ length: 40 }, (_, index) => ({
    member: sha256Hex(`member ${index}`),
    netMinor: 900 + index,
    products: PRODUCTS.slice(index % 5).map((product, place) => ({
      product,
      days: 1 + ((index + place) % 31),
    })),
  }));
  const snapshot = writeSnapshot({ members });
  const bytesOf = async (parts: string[]) =>
    writeStatement(await computeStatement(parts, HASHING), createSha256).text;
  t.is(await bytesOf([...snapshot]), await bytesOf([snapshot]));
});

test('a period that does not balance is named with what is left', (t) => {
  const of = { period: '2026-10', currency: 'USD' };
  const sums = { feesMinor: 999n, platformMinor: 300n, productsMinor: 698n, unattributedMinor: 0n };
  t.throws(() => assertBalanced(sums, of), {
    instanceOf: PoolUnbalanced,
    message: /^2026-10 USD: fees of 999 .* 1 is left$/,
  });
  t.notThrows(() => assertBalanced({ ...sums, unattributedMinor: 1n }, of));
});

test('a sum stays exact beyond 2^53, in both directions', (t) => {
  const amounts = fc.array(fc.maxSafeInteger(), { maxLength: 50 });
  fc.assert(
    fc.property(amounts, (list) => {
      const sum = new ExactSum();
      for (const amount of list) sum.add(amount);
      t.is(
        sum.value,
        list.reduce((all, amount) => all + BigInt(amount), 0n),
      );
    }),
  );
});

test('a period without Members is empty', async (t) => {
  const writer = createSnapshotWriter({ ...HEADER, correctedPeriods: [] }, createSha256);
  function* parts() {
    yield writer.begin();
    yield writer.end().text;
  }
  t.like(await computeStatement(parts(), HASHING), { members: 0, products: [], corrections: [] });
});

import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createSnapshotWriter } from '../../../domain/pool/snapshot/snapshot-writer.ts';
import { POOL_RULE } from '../../../domain/pool/split/pool-rule.ts';
import { createSha256, sha256Hex } from '../../../domain/shared/sha256.ts';

const PRODUCTS = 2_000;
const PER_MEMBER = 10;
const DAYS = 3;
const FEE_MINOR = 999;

/** A snapshot with ten products and 30 days for each Member; returns the number of its lines. */
export async function writeSnapshot(
  file: string,
  { members }: { members: number },
): Promise<number> {
  const products = Array.from({ length: PRODUCTS }, (_, index) => sha256Hex(`product ${index}`));
  const ids = Array.from({ length: members }, (_, index) => sha256Hex(`member ${index}`)).sort();
  const terms = { period: '2026-10', rule: POOL_RULE.id, poolShareBps: 7_000 };
  const writer = createSnapshotWriter(
    { ...terms, currency: 'USD', correctedPeriods: [] },
    createSha256,
  );
  const productsOf = (index: number) =>
    Array.from({ length: PER_MEMBER }, (_, place) => {
      const product = products[(index * 7 + place * 199) % PRODUCTS]!;
      return { product, days: 1 + ((index + place) % (2 * DAYS - 1)) };
    });
  let lines = 0;
  function* parts() {
    yield writer.begin();
    for (const [index, member] of ids.entries()) {
      yield writer.member({ member, netMinor: FEE_MINOR, products: productsOf(index) });
    }
    const end = writer.end();
    lines = end.lines + 1;
    yield end.text;
  }
  await pipeline(Readable.from(parts()), createWriteStream(file));
  return lines;
}
